//! Arguments as they are sent: always a JSON object, never too long. What is stored stays as it came.

use std::borrow::Cow;
use std::fmt;

use briefing::message::{INPUT_SHOWN, Input, MAX_INPUT_CHARS, MAX_RAW_DEPTH};
use briefing::text::prefix;
use briefing_json::{Document, Kind, quote, without_lone_surrogates};

/// Why arguments could not be sent as they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputFault {
    /// There were none; an empty object stands for them.
    Blank,
    /// JSON, but no object; sent as the member `value` of one.
    NotAnObject,
    /// No JSON, as when the model was cut off (report B50), or none that the wire takes (Gemini: a name that stands twice, a number
    /// beyond a double); sent as text, as the member `invalid_json`.
    NotJson,
    /// Nested deeper than a body may be; sent as text likewise.
    TooDeep,
    /// They hold half of a surrogate pair (report B56); U+FFFD stands for it.
    LoneSurrogate,
    /// Longer than providers take (report B52); their beginning is sent as the member `cut`.
    TooLong,
}

impl fmt::Display for InputFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blank => "there were none",
            Self::NotAnObject => "no JSON object",
            Self::NotJson => "no JSON",
            Self::TooDeep => "nested too deep",
            Self::LoneSurrogate => "a lone surrogate",
            Self::TooLong => "too long",
        })
    }
}

/// Whether arguments are longer than any provider takes.
pub(crate) fn is_too_long(text: &str) -> bool {
    text.len() > MAX_INPUT_CHARS && text.chars().nth(MAX_INPUT_CHARS).is_some()
}

/// The arguments as they are sent, and why they differ from what came.
pub(crate) fn outgoing(input: &Input) -> (Cow<'_, str>, Option<InputFault>) {
    let raw = input.raw();
    if is_too_long(raw) {
        return (Cow::Owned(object_of_text("cut", prefix(raw, INPUT_SHOWN))), Some(InputFault::TooLong));
    }
    if input.is_object() {
        return (Cow::Borrowed(raw), None);
    }
    let (mended, why) = mended(raw);
    if is_too_long(&mended) {
        return (Cow::Owned(object_of_text("cut", prefix(raw, INPUT_SHOWN))), Some(InputFault::TooLong));
    }
    (Cow::Owned(mended), Some(why))
}

fn mended(raw: &str) -> (String, InputFault) {
    if raw.trim().is_empty() {
        return ("{}".to_owned(), InputFault::Blank);
    }
    let Ok(document) = Document::parse(raw) else {
        return (object_of_text("invalid_json", raw), InputFault::NotJson);
    };
    if document.depth() > MAX_RAW_DEPTH {
        return (object_of_text("invalid_json", raw), InputFault::TooDeep);
    }
    let sound = without_lone_surrogates(raw).unwrap_or_else(|| raw.to_owned());
    if document.root().kind() == Kind::Object {
        return (sound, InputFault::LoneSurrogate);
    }
    (format!("{{\"value\":{}}}", sound.trim()), InputFault::NotAnObject)
}

/// JSON arguments that a wire cannot read all the same, as text like what is no JSON.
pub(crate) fn as_text(input: &Input) -> (String, InputFault) {
    let text = object_of_text("invalid_json", input.raw());
    if text.len() > MAX_INPUT_CHARS && text.chars().count() > MAX_INPUT_CHARS {
        return (object_of_text("cut", prefix(input.raw(), INPUT_SHOWN)), InputFault::TooLong);
    }
    (text, InputFault::NotJson)
}

fn object_of_text(name: &str, text: &str) -> String {
    let mut out = format!("{{\"{name}\":").into_bytes();
    quote(text, &mut out);
    out.push(b'}');
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(raw: &str) -> (String, Option<InputFault>) {
        let input = Input::new(raw);
        let (text, why) = outgoing(&input);
        (text.into_owned(), why)
    }

    #[test]
    fn each_kind_of_arguments_is_sent_as_an_object() {
        let same = r#"{ "city" : "Paris" }"#;
        assert_eq!(sent(same), (same.to_owned(), None));
        assert_eq!(sent(" \n"), ("{}".to_owned(), Some(InputFault::Blank)));
        assert_eq!(sent("null"), (r#"{"value":null}"#.to_owned(), Some(InputFault::NotAnObject)));
        assert_eq!(sent(" [1, 2] "), (r#"{"value":[1, 2]}"#.to_owned(), Some(InputFault::NotAnObject)));
        let cut_off = r#"{"command":"ls"#;
        assert_eq!(sent(cut_off), (r#"{"invalid_json":"{\"command\":\"ls"}"#.to_owned(), Some(InputFault::NotJson)));
        assert_eq!(sent(r#"{"a":"\ud83d"}"#), (r#"{"a":"\ufffd"}"#.to_owned(), Some(InputFault::LoneSurrogate)));
        assert_eq!(sent(r#""\ud83d""#), (r#"{"value":"\ufffd"}"#.to_owned(), Some(InputFault::NotAnObject)));
    }

    #[test]
    fn deep_arguments_are_sent_as_text() {
        let deep = format!("{}1{}", "{\"a\":".repeat(101), "}".repeat(101));
        let (text, why) = sent(&deep);
        assert_eq!(why, Some(InputFault::TooDeep));
        assert!(text.starts_with(r#"{"invalid_json":"{\"a\":{"#), "{text}");
    }

    #[test]
    fn long_arguments_are_cut_by_characters_as_sent() {
        let fits = format!(r#"{{"a":"{}"}}"#, "é".repeat(MAX_INPUT_CHARS - 8));
        assert_eq!(sent(&fits).1, None);
        let long = format!(r#"{{"a":"{}"}}"#, "é".repeat(MAX_INPUT_CHARS));
        let (text, why) = sent(&long);
        assert_eq!((why, text.chars().count()), (Some(InputFault::TooLong), INPUT_SHOWN + 13));
        let quotes = "\"".repeat(MAX_INPUT_CHARS - 5);
        assert_eq!(sent(&quotes).1, Some(InputFault::TooLong));
    }
}
