//! The flat JSON form.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::message::{Extra, Input, RawJson, RawJsonError, messages_from_json, messages_to_json};
use briefing::{Bounds, Call, Wire, fit};
use briefing_tests::list::{messages, steps};
use proptest::prelude::*;

proptest! {
    /// What is written reads back as the same, once ids have been numbered.
    #[test]
    fn reads_what_it_writes(steps in steps(20)) {
        let sealed: Vec<_> = fit(&messages(&steps), &Call::model("claude-sonnet-4-5", None), &Bounds::none()).unwrap().messages().collect();
        let json = messages_to_json(&sealed);
        let read = messages_from_json(&json).unwrap();
        prop_assert_eq!(messages_to_json(&read), json);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&messages_to_json(&read)).is_ok());
    }
}

#[test]
fn a_string_is_shorthand_for_one_text() {
    let short = messages_from_json(
        r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"","tool_calls":[{"id":"c","name":"n","input":{"a":1}}]},{"role":"tool","tool_call_id":"c","content":"x"}]"#,
    );
    let long = messages_from_json(
        r#"[{"role":"user","content":[{"type":"text","text":"hi"}]},{"role":"assistant","items":[{"type":"call","id":"c","name":"n","input":{"a":1}}]},{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"x"}]}]"#,
    );
    assert_eq!(short.unwrap(), long.unwrap());
}

#[test]
fn what_cannot_be_read_has_a_place() {
    let error = |text: &str| messages_from_json(text).unwrap_err().to_string();
    assert_eq!(error("[{}]"), "\"role\" is missing at /0");
    assert_eq!(error(r#"[{"role":"wizard","content":""}]"#), "\"wizard\" is no role at /0/role");
    assert_eq!(error(r#"[{"role":"user","content":[{"type":"smell"}]}]"#), "\"smell\" is no part at /0/content/0/type");
    assert_eq!(error(r#"[{"role":"user","content":7}]"#), "a string or an array of parts is wanted at /0/content");
    assert_eq!(error(r#"[{"role":"tool","content":"x"}]"#), "\"tool_call_id\" is missing at /0");
    let calls = r#"[{"role":"assistant","content":"","tool_calls":{"id":"a"}}]"#;
    assert_eq!(error(calls), "an array is wanted at /0/tool_calls");
    let both = r#"[{"role":"assistant","content":"x","items":[]}]"#;
    assert_eq!(error(both), "nothing, as the message has items is wanted at /0/content");
    assert_eq!(error("[{"), "the JSON ends in the middle of a value at line 1, byte 2 at the top");
}

#[test]
fn arguments_are_kept_as_they_came() {
    let sound = |raw: &str| Input::new(raw).is_object();
    assert!(sound(r#"{ "a" : 1 }"#));
    for raw in ["", "null", "[1]", r#"{"a":"#, r#"{"a":"\ud83d"}"#] {
        assert!(!sound(raw), "{raw}");
        assert_eq!(Input::new(raw).raw(), raw);
    }
    assert!(!sound(&format!("{}1{}", r#"{"a":"#.repeat(101), "}".repeat(101))));
}

#[test]
fn raw_json_is_byte_for_byte_or_refused() {
    assert_eq!(RawJson::new("{ \"a\":1.50}").unwrap().as_str(), "{ \"a\":1.50}");
    assert_eq!(RawJson::new(r#""\ud83d""#), Err(RawJsonError::LoneSurrogate));
    assert_eq!(RawJson::new("[".repeat(101) + &"]".repeat(101)), Err(RawJsonError::TooDeep { depth: 101 }));
}

#[test]
fn extra_takes_eight_bytes_when_absent() {
    assert_eq!(std::mem::size_of::<Extra>(), 8);
    assert!(Extra::new(Wire::Anthropic, Vec::new()).is_empty());
}
