//! Bodies as a client may send them, with blocks that the provider refuses: read, fitted and written, they are valid. And what
//! becomes of each such block.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use briefing::message::{Assistant, Item, Native, RawJson, User};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_wire::{WireChange, parse_text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use support::lists::MODELS;
use support::opaque::{ANTHROPIC, OPENAI};
use support::{again, checked, render, text};

/// Blocks that are known, beside those of the wire.
const KNOWN: [&str; 8] = [
    r#"{"type":"text","text":"hello"}"#,
    r#"{"type":"text","text":" \n","cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"text","text":"marked ","cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"tool_use","id":"toolu_1","name":"get","input":{},"cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"tool_use","id":"a.b","name":"get.weather","input":"x"}"#,
    r#"{"type":"tool_result","tool_use_id":"toolu_1","content":"ok","cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"image"},{"type":"foo"},{"type":"tool_reference","tool_name":"get"},{"type":"document","source":{}}]}"#,
    r#"{"type":"tool_result","tool_use_id":"a.b","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA","odd":1}},{"type":"search_result","cache_control":{"type":"ephemeral"}}]}"#,
];

fn message() -> impl Strategy<Value = (&'static str, Vec<&'static str>)> {
    let block = prop_oneof![3 => select(&KNOWN[..]), 3 => select(&ANTHROPIC[..]), 3 => select(&OPENAI[..])];
    (select(vec!["user", "user", "assistant", "assistant", "system"]), vec(block, 0..5))
}

fn body(model: &str, system: &[&str], messages: &[(&str, Vec<&str>)]) -> String {
    let message = |(role, blocks): &(&str, Vec<&str>)| format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.join(","));
    let messages: Vec<String> = messages.iter().map(message).collect();
    let system = if system.is_empty() { String::new() } else { format!(r#""system":[{}],"#, system.join(",")) };
    format!(r#"{{"model":"{model}","max_tokens":9,{system}"messages":[{}]}}"#, messages.join(","))
}

proptest! {
    #[test]
    fn any_body_that_can_be_read_is_written_valid(
        (wire, model) in select(&MODELS[..]),
        system in vec(select(&ANTHROPIC[..]), 0..2),
        messages in vec(message(), 0..7),
    ) {
        let body = body(model, if wire == Wire::Anthropic { &system } else { &[] }, &messages);
        let parsed = parse_text(wire, &body).unwrap();
        let request = render(&parsed.messages, &parsed.call);
        let report = checked(text(&request), parsed.call.profile());
        prop_assert!(report.is_clean(), "{:?}\n{body}\n{}", report.violations, text(&request));
        prop_assert_eq!(again(text(&request), wire), text(&request));
    }
}
