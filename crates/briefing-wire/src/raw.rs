//! JSON text that is kept as it came.

use briefing::message::RawJson;
use briefing_json::{Document, Kind, Value};

/// Looks into a raw value. None if it is no JSON.
pub(crate) fn look<T>(json: &str, read: impl FnOnce(Value<'_>) -> Option<T>) -> Option<T> {
    read(Document::parse(json).ok()?.root())
}

/// The member of that name, if it is a string.
pub(crate) fn text_of(object: Value<'_>, key: &str) -> Option<String> {
    Some(object.get(key)?.as_str()?.into_owned())
}

/// Whether the value is that text, white space around it aside.
pub(crate) fn is(raw: &RawJson, text: &str) -> bool {
    raw.as_str().trim() == text
}

/// Whether the value is a string of that text.
pub(crate) fn is_text(raw: &RawJson, text: &str) -> bool {
    look(raw.as_str(), |value| value.as_str().map(|value| value == text)).unwrap_or(false)
}

/// Whether the value is an object that has the member, and not as `null`.
pub(crate) fn has_member(json: &str, name: &str) -> bool {
    // A name may be written with escapes.
    (json.contains(name) || json.contains('\\'))
        && look(json, |object| object.get(name).filter(|member| !member.is_null()).map(drop)).is_some()
}

/// The object without its members of that name; every other byte stays. None if the value is no object.
pub(crate) fn without_member(json: &str, name: &str) -> Option<String> {
    look(json, |object| {
        let mut out = String::with_capacity(json.len());
        let mut done = object.span().start + 1;
        out.push_str(json.get(..done)?);
        let mut first = true;
        for (key, member) in object.entries() {
            let written = json.get(done..member.span().end)?;
            done = member.span().end;
            if key != name {
                let bare = if first { written.trim_start().strip_prefix(',') } else { None };
                out.push_str(bare.unwrap_or(written));
                first = false;
            }
        }
        out.push_str(json.get(done..)?);
        (object.kind() == Kind::Object).then_some(out)
    })
}

/// Whether the text is Base64, line breaks aside.
pub(crate) fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=').bytes();
    digits.into_iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'\r' | b'\n'))
}

/// Base64 in the standard alphabet, padded and in one line: some writers use the alphabet of URLs (recordings of Gemini 18 and 19).
pub(crate) fn standard_base64(text: &str) -> String {
    let digits = text.trim_end_matches('=').chars().filter(|c| !matches!(c, '\r' | '\n'));
    let mut out: String = digits
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        })
        .collect();
    while !out.len().is_multiple_of(4) {
        out.push('=');
    }
    out
}

/// Whether the text is Base64 in the standard alphabet or in that of URLs.
pub(crate) fn is_base64_of_any_alphabet(text: &str) -> bool {
    is_base64(&standard_base64(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_taken_out_and_nothing_else_changes() {
        let without = |json: &str| without_member(json, "m");
        assert_eq!(without(r#" {"m": {"x": 1}, "a" :1,"b":[ 2 ] } "#).as_deref(), Some(r#" { "a" :1,"b":[ 2 ] } "#));
        assert_eq!(without(r#"{"a":1, "m":2 ,"\u006d":3, "b":4}"#).as_deref(), Some(r#"{"a":1, "b":4}"#));
        assert_eq!(without(r#"{"a":1,"m":2 }"#).as_deref(), Some(r#"{"a":1 }"#));
        assert_eq!(without(r#"{"m":2 , "a":1}"#).as_deref(), Some(r#"{ "a":1}"#));
        assert_eq!(without(r#"{"m":2}"#).as_deref(), Some("{}"));
        assert_eq!(without(r#"["m"]"#), None);
    }

    #[test]
    fn a_member_counts_unless_it_is_null_however_its_name_is_written() {
        let has = |json: &str| has_member(json, "mark");
        let objects = [r#"{"mark":{}}"#, r#"{"m\u0061rk":1}"#, r#"{"mark": null}"#, r#"{"a":{"mark":1}}"#, "[\"mark\"]"];
        assert_eq!(objects.map(has), [true, true, false, false, false]);
    }
}
