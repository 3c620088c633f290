//! What came out of a call, as the object that Gemini wants.
//!
//! "Use "output" key to specify function output and "error" key to specify error details (if any). If "output" and "error" keys are not
//! specified, then whole "response" is treated as function output." (documentation of FunctionResponse). So an outcome that is a JSON
//! object stands for itself, and any other text is the `output` or the `error` of one.
//!
//! The object is a `google.protobuf.Struct`, as arguments are: its numbers are doubles, its names unique. A tool may print anything.

use std::borrow::Cow;
use std::collections::HashSet;

use briefing::message::MAX_RAW_DEPTH;
use briefing_json::{Document, Kind, Value};

/// A response object.
pub(super) enum Response<'a> {
    /// A JSON object that stands as it is.
    Object(Cow<'a, str>),
    Output(Cow<'a, str>),
    Error(Cow<'a, str>),
}

impl<'a> Response<'a> {
    pub(super) fn of(text: Cow<'a, str>, failed: bool) -> Self {
        match () {
            () if failed => Self::Error(text),
            () if is_object(&text) => Self::Object(text),
            () => Self::Output(text),
        }
    }
}

/// Whether the text is a JSON object that can stand inside a body as a `Struct`.
pub(super) fn is_object(text: &str) -> bool {
    let looks = text.trim_start().starts_with('{') && text.trim_end().ends_with('}');
    looks
        && Document::parse(text).is_ok_and(|document| {
            document.root().kind() == Kind::Object
                && document.depth() <= MAX_RAW_DEPTH
                && !document.has_lone_surrogate()
                && is_struct(document.root())
        })
}

/// Whether every number is finite as a double, and no name stands twice in one object. The value's depth is bounded, so this ends.
pub(super) fn is_struct(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Number => value.as_f64().is_some_and(f64::is_finite),
        Kind::Array => value.items().all(is_struct),
        Kind::Object => {
            let mut names = HashSet::new();
            value.entries().all(|(name, member)| names.insert(name) && is_struct(member))
        }
        Kind::Null | Kind::True | Kind::False | Kind::String => true,
    }
}

/// What a response object reads as, and whether it is an error: the text that [`Response::of`] makes the same object of.
pub(super) fn read(response: Value<'_>) -> (Option<String>, bool) {
    // A string in place of an object is what the tool said.
    if response.kind() == Kind::String && !response.has_lone_surrogate() {
        return (response.as_str().map(|text| text.into_owned()), false);
    }
    let mut members = response.entries();
    let (Some((name, value)), None) = (members.next(), members.next()) else { return (None, false) };
    let text = value.as_str().filter(|_| !value.has_lone_surrogate()).map(|text| text.into_owned());
    match (&*name, text) {
        ("error", Some(text)) => (Some(text), true),
        ("output", Some(text)) if !is_object(&text) => (Some(text), false),
        _ => (None, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again(response: &str) -> (Option<String>, bool) {
        read(Document::parse(response).unwrap().root())
    }

    #[test]
    fn a_text_is_an_output_or_an_error_and_an_object_is_itself() {
        let written = |text: &'static str, failed| match Response::of(Cow::Borrowed(text), failed) {
            Response::Object(text) => format!("object {text}"),
            Response::Output(text) => format!("output {text}"),
            Response::Error(text) => format!("error {text}"),
        };
        assert_eq!(written("sunny", false), "output sunny");
        assert_eq!(written("sunny", true), "error sunny");
        assert_eq!(written(r#" {"lat": 51} "#, false), r#"object  {"lat": 51} "#);
        assert_eq!(written(r#"{"lat": 51"#, false), r#"output {"lat": 51"#);
        assert_eq!(written(r#"{"a":1}{}"#, false), r#"output {"a":1}{}"#);
        assert_eq!(written("[1]", false), "output [1]");
        // What a `Struct` cannot hold is text.
        assert_eq!(written(r#"{"a":1,"a":2}"#, false), r#"output {"a":1,"a":2}"#);
        assert_eq!(written(r#"{"b":[{"a":1,"\u0061":2}]}"#, false), r#"output {"b":[{"a":1,"\u0061":2}]}"#);
        assert_eq!(written(r#"{"b":{"a":-1e999}}"#, false), r#"output {"b":{"a":-1e999}}"#);
        assert_eq!(written(r#"{"b":{"a":1e308},"a":1e-999}"#, false), r#"object {"b":{"a":1e308},"a":1e-999}"#);
    }

    #[test]
    fn a_response_reads_as_the_text_that_it_is_made_of() {
        assert_eq!(again(r#"{"output": "sunny"}"#), (Some("sunny".to_owned()), false));
        assert_eq!(again(r#"{"error": "no such place"}"#), (Some("no such place".to_owned()), true));
        // An object as text is no object.
        assert_eq!(again(r#"{"output": "{\"a\":1}"}"#), (None, false));
        assert_eq!(again(r#"{"output": "{\"a\":1,\"a\":2}"}"#), (Some(r#"{"a":1,"a":2}"#.to_owned()), false));
        assert_eq!(again(r#"{"output": 5}"#), (None, false));
        assert_eq!(again(r#"{"output": "a", "error": "b"}"#), (None, false));
        assert_eq!(again("{}"), (None, false));
    }
}
