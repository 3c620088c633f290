//! No JSON whatever makes the checkers panic, and what they find has a place in the body.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use briefing_check::{Rules, Wire, check, recognise};
use briefing_json::Document;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Words that the checkers branch on, so that arbitrary values reach deep.
fn word() -> impl Strategy<Value = String> {
    let words = "system developer user assistant tool function text image image_url document tool_use tool_result thinking \
                 server_tool_use web_search_tool_result file input_audio base64 url enabled auto a b a.b claude-opus-4-8 gpt-4o \
                 mistral-small";
    let known: Vec<String> = words.split(' ').map(str::to_owned).collect();
    prop_oneof![4 => proptest::sample::select(known), 1 => any::<String>()]
}

fn key() -> impl Strategy<Value = String> {
    let keys = "role content type text id tool_use_id tool_call_id tool_calls function name arguments input source data media_type \
                url image_url cache_control signature prefix is_error";
    let known: Vec<String> = keys.split(' ').map(str::to_owned).collect();
    prop_oneof![8 => proptest::sample::select(known), 1 => any::<String>()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        6 => word().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((key(), inner), 0..8).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn any_rules() -> impl Strategy<Value = Rules> {
    let wires = proptest::sample::select(vec![Wire::OpenAiChat, Wire::Anthropic]);
    (wires, word(), any::<[bool; 3]>()).prop_map(|(wire, model, [alternate, system_anywhere, tools_with_calls])| {
        let mut rules = Rules::for_model(wire, &model);
        rules.alternate = alternate;
        rules.system_anywhere &= system_anywhere;
        rules.tools_with_calls = tools_with_calls;
        rules
    })
}

fn assert_sound(body: &Value, rules: &Rules) -> Result<(), TestCaseError> {
    let text = body.to_string();
    let document = Document::parse(&text).unwrap();
    let _ = recognise(document.root());
    let report = check(document.root(), rules);
    for violation in &report.violations {
        prop_assert!(body.pointer(violation.place.as_str()).is_some(), "{violation} in {text}");
        prop_assert!(!violation.to_string().is_empty() && !violation.fault.remedy().is_empty());
        let _ = violation.provider_error(rules);
    }
    prop_assert_eq!(check(document.root(), rules), report);
    Ok(())
}

proptest! {
    #[test]
    fn any_value_is_checked(body in value(), rules in any_rules()) {
        assert_sound(&body, &rules)?;
    }

    #[test]
    fn any_messages_are_checked(messages in proptest::collection::vec(value(), 0..8), tools in value(), rules in any_rules()) {
        let body = json!({"model": "m", "max_tokens": 1, "messages": messages, "tools": tools, "thinking": {"type": "enabled"}});
        assert_sound(&body, &rules)?;
    }

    /// Whatever round of OpenAI Chat has its outcomes in any order, each once, is clean; without one of them it is not.
    #[test]
    fn rounds_are_whole_or_reported(
        order in proptest::sample::subsequence((0..8_usize).collect::<Vec<_>>(), 1..8).prop_shuffle(),
        dropped in any::<proptest::sample::Index>(),
    ) {
        let calls: Vec<_> = (0..8).filter(|id| order.contains(id)).map(|id| {
            json!({"id": format!("c{id}"), "type": "function", "function": {"name": "f", "arguments": "{}"}})
        }).collect();
        let outcome = |id: &usize| json!({"role": "tool", "tool_call_id": format!("c{id}"), "content": "r"});
        let mut messages = vec![json!({"role": "user", "content": "q"}), json!({"role": "assistant", "tool_calls": calls})];
        messages.extend(order.iter().map(outcome));
        let count = |messages: &[Value]| {
            let body = json!({"model": "gpt-4o", "messages": messages}).to_string();
            check(Document::parse(&body).unwrap().root(), &Rules::for_wire(Wire::OpenAiChat)).violations.len()
        };
        prop_assert_eq!(count(&messages), 0);
        messages.remove(2 + dropped.index(order.len()));
        prop_assert_eq!(count(&messages), 1);
    }
}
