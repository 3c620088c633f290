//! The reader against serde_json, and on what serde_json refuses.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing_json::{Document, Kind, MAX_DEPTH, SyntaxFault, Value, quote, quoted_len};
use proptest::prelude::*;

fn to_serde(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::True => true.into(),
        Kind::False => false.into(),
        Kind::Number => serde_json::from_str(value.raw()).unwrap(),
        Kind::String => value.as_str().unwrap().into_owned().into(),
        Kind::Array => value.items().map(to_serde).collect(),
        Kind::Object => value.entries().map(|(key, value)| (key.into_owned(), to_serde(value))).collect(),
    }
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_serde_json_writes(json in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&json) } else { serde_json::to_string(&json) }.unwrap();
        prop_assert_eq!(to_serde(Document::parse(&text).unwrap().root()), json);
    }

    #[test]
    fn agrees_with_serde_json_on_what_is_json(text in r#"[\[\]{}",:0-9.eE+\-truefalsn\\ ]{0,12}"#) {
        let ours = Document::parse(&text).is_ok();
        let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        prop_assert_eq!(ours, theirs, "{}", text);
    }

    #[test]
    fn a_quoted_string_reads_back(text in any::<String>()) {
        let mut out = Vec::new();
        quote(&text, &mut out);
        prop_assert_eq!(out.len(), quoted_len(&text));
        prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
    }
}

#[test]
fn a_lone_surrogate_is_marked_and_read_as_the_replacement_character() {
    let text = r#"["abc\ud83d", "\udc00x", "\ud83d\ude00", "plain", "\ud83d\u0041"]"#;
    let document = Document::parse(text).unwrap();
    let read: Vec<_> =
        document.root().items().map(|item| (item.as_str().unwrap().into_owned(), item.has_lone_surrogate())).collect();
    let expected = [("abc\u{fffd}", true), ("\u{fffd}x", true), ("😀", false), ("plain", false), ("\u{fffd}A", true)];
    assert_eq!(read, expected.map(|(text, lone)| (text.to_owned(), lone)));
}

#[test]
fn faults_have_a_place() {
    let fault = |text: &str| Document::parse(text).map(|_| ()).map_err(|error| (error.fault, error.line, error.offset));
    assert_eq!(fault(" \n"), Err((SyntaxFault::Empty, 2, 2)));
    assert_eq!(fault("{\"a\":\n [1, 2"), Err((SyntaxFault::Truncated, 2, 12)));
    assert_eq!(fault("[1}"), Err((SyntaxFault::Unexpected, 1, 2)));
    assert_eq!(fault("1 2"), Err((SyntaxFault::Trailing, 1, 2)));
    assert_eq!(fault("\"a\u{1}\""), Err((SyntaxFault::ControlCharacter, 1, 2)));
    assert_eq!(fault(r#""\x""#), Err((SyntaxFault::Escape, 1, 2)));
    assert_eq!(fault(&"[".repeat(10_000)), Err((SyntaxFault::TooDeep, 1, MAX_DEPTH)));
}

#[test]
fn of_two_members_of_one_name_the_last_is_taken() {
    let document = Document::parse(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(document.root().get("a").map(Value::raw), Some("3"));
    assert_eq!(document.root().entries().count(), 3);
}
