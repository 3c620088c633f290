//! No JSON whatever makes the checkers panic, and what they find has a place in the body.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use briefing_check::{Rules, Wire, check, recognise};
use briefing_json::Document;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Words that the checkers branch on, so that arbitrary values reach deep.
fn word() -> impl Strategy<Value = String> {
    let words = "system developer user assistant tool function model text image image_url document tool_use tool_result thinking \
                 server_tool_use web_search_tool_result file input_audio base64 url enabled auto a b a.b claude-opus-4-8 gpt-4o \
                 mistral-small message reasoning function_call function_call_output custom_tool_call custom_tool_call_output \
                 local_shell_call local_shell_call_output tool_search_call tool_search_output additional_tools item_reference \
                 namespace allowed_tools required client input_text input_image input_file output_text rs_1 msg_1 fc_1 \
                 https://a/b.mp3 data:image/png;base64,AA gemini-3-flash gemini-2.5-pro image/png";
    let known: Vec<String> = words.split(' ').map(str::to_owned).collect();
    prop_oneof![4 => proptest::sample::select(known), 1 => any::<String>()]
}

fn key() -> impl Strategy<Value = String> {
    let keys = "role content type text id tool_use_id tool_call_id tool_calls function name arguments input source data media_type \
                url image_url cache_control signature prefix is_error call_id output summary execution tools file_data file_url \
                file_id parameters parts functionCall function_call functionResponse function_response inlineData fileData fileUri \
                mimeType thoughtSignature args response functionDeclarations functionCallingConfig allowedFunctionNames";
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

const WIRES: [Wire; 4] = [Wire::OpenAiChat, Wire::Anthropic, Wire::OpenAiResponses, Wire::Gemini];

fn any_rules() -> impl Strategy<Value = Rules> {
    let wires = proptest::sample::select(WIRES.to_vec());
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
        let list = match rules.wire {
            Wire::OpenAiResponses => "input",
            Wire::Gemini => "contents",
            _ => "messages",
        };
        let mut body = json!({"model": "m", "max_tokens": 1, "tools": tools.clone(), "thinking": {"type": "enabled"},
            "tool_choice": tools.clone(), "toolConfig": tools.clone(), "systemInstruction": tools});
        body[list] = messages.into();
        assert_sound(&body, &rules)?;
    }

    /// Whatever round has its outcomes in any order, each once, is clean; without one of them it is not.
    #[test]
    fn rounds_are_whole_or_reported(
        order in proptest::sample::subsequence((0..8_usize).collect::<Vec<_>>(), 1..8).prop_shuffle(),
        dropped in any::<proptest::sample::Index>(),
        wire in proptest::sample::select(WIRES.to_vec()),
    ) {
        let mut rest = order.clone();
        rest.remove(dropped.index(order.len()));
        let rules = Rules::for_wire(wire);
        let count = |outcomes: &[usize]| {
            let body = round(wire, &order, outcomes).to_string();
            check(Document::parse(&body).unwrap().root(), &rules).violations.len()
        };
        prop_assert_eq!(count(&order), 0);
        prop_assert_eq!(count(&rest), 1);
        // One outcome twice is one too many, on each wire.
        let twice: Vec<usize> = order.iter().chain(order.first()).copied().collect();
        prop_assert_eq!(count(&twice), 1);
    }
}

/// A body with a call of each id, in the order of the ids, and outcomes in the order that is given.
fn round(wire: Wire, calls: &[usize], outcomes: &[usize]) -> Value {
    let mut calls = calls.to_vec();
    calls.sort_unstable();
    let id = |id: &usize| format!("c{id}");
    let list = |from: &[usize], make: &dyn Fn(String) -> Value| from.iter().map(|of| make(id(of))).collect::<Vec<_>>();
    match wire {
        Wire::OpenAiChat => {
            let call = |id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
            let mut messages = vec![json!({"role": "user", "content": "q"})];
            messages.push(json!({"role": "assistant", "tool_calls": list(&calls, &call)}));
            messages.extend(list(outcomes, &|id| json!({"role": "tool", "tool_call_id": id, "content": "r"})));
            json!({"model": "gpt-4o", "messages": messages})
        }
        Wire::Anthropic => {
            let calls = list(&calls, &|id| json!({"type": "tool_use", "id": id, "name": "f", "input": {}}));
            let outcomes = list(outcomes, &|id| json!({"type": "tool_result", "tool_use_id": id, "content": "r"}));
            json!({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "q"},
                {"role": "assistant", "content": calls}, {"role": "user", "content": end(outcomes, json!({"type": "text", "text": "q"}))}]})
        }
        Wire::OpenAiResponses => {
            let call = |id| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
            let output = |id| json!({"type": "function_call_output", "call_id": id, "output": "r"});
            let mut items = list(&calls, &call);
            items.push(json!({"role": "user", "content": "q"}));
            items.extend(list(outcomes, &output));
            json!({"model": "gpt-5.4", "input": items})
        }
        Wire::Gemini => {
            let calls = list(&calls, &|id| json!({"functionCall": {"id": id, "name": "f", "args": {}}}));
            let outcomes = list(outcomes, &|id| json!({"functionResponse": {"id": id, "name": "f", "response": {}}}));
            json!({"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": calls},
                {"role": "user", "parts": end(outcomes, json!({"text": "q"}))}]})
        }
    }
}

/// The outcomes with something behind them, so that a message is never empty.
fn end(mut outcomes: Vec<Value>, last: Value) -> Vec<Value> {
    outcomes.push(last);
    outcomes
}
