//! Reading bodies: what is kept, what is read otherwise, and what is an error.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use briefing::message::{CallId, Input, Item, Outcome, Part, Text};
use briefing::{ModelMessage, Wire};
use briefing_json::Document;
use briefing_wire::{ParseChange, parse_messages, parse_text};
use support::again;

fn error(wire: Wire, body: &str) -> String {
    parse_text(wire, body).unwrap_err().to_string()
}

#[test]
fn what_has_no_meaning_is_an_error_with_its_place() {
    let openai = |body: &str| error(Wire::OpenAiChat, body);
    assert_eq!(openai("{"), "the body: the JSON ends in the middle of a value at line 1, byte 1");
    assert_eq!(openai("[]"), "the body: wanted an object, found an array");
    assert_eq!(openai("{}"), "the body: `messages` is missing");
    assert_eq!(openai(r#"{"messages":[5]}"#), "/messages/0: wanted an object, found a number");
    assert_eq!(openai(r#"{"messages":[{"content":""}]}"#), "/messages/0: `role` is missing");
    assert_eq!(openai(r#"{"messages":[{"role":"wizard"}]}"#), "/messages/0/role: unknown role \"wizard\"");
    assert_eq!(
        openai(r#"{"messages":[{"role":"user","content":{}}]}"#),
        "/messages/0/content: wanted a string or an array of parts, found an object"
    );
    assert_eq!(
        openai(r#"{"messages":[{"role":"user","content":["x"]}]}"#),
        "/messages/0/content/0: wanted an object, found a string"
    );
    assert_eq!(openai(r#"{"messages":[],"tools":[5]}"#), "/tools/0: wanted an object, found a number");
    let call = r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"x"}]}]}"#;
    assert_eq!(openai(call), "/messages/0/tool_calls/0: `function` is missing");
    assert_eq!(error(Wire::Anthropic, r#"{"messages":[{"role":"tool"}]}"#), "/messages/0/role: unknown role \"tool\"");
}

#[test]
fn outcomes_of_a_user_message_come_first_wherever_they_stood() {
    let list = r#"[{"role":"user","content":[{"type":"text","text":"and"},
        {"type":"tool_result","tool_use_id":"a","is_error":true},{"type":"tool_result","tool_use_id":"b","content":"B"}]}]"#;
    let document = Document::parse(list).unwrap();
    let parsed = parse_messages(Wire::Anthropic, document.root()).unwrap();
    let a = Outcome { call: CallId::new("a"), parts: vec![], failed: Some(true), extra: briefing::message::Extra::default() };
    let expected = [ModelMessage::Tool(a.into()), ModelMessage::outcome("b", "B"), ModelMessage::user("and")];
    assert_eq!((parsed.messages.as_slice(), parsed.findings.as_slice()), (&expected[..], &[][..]));
}

#[test]
fn function_calls_of_the_old_form_read_as_tool_calls() {
    let list = r#"[{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
        {"role":"function","name":"f","content":"ok"}]"#;
    let document = Document::parse(list).unwrap();
    let parsed = parse_messages(Wire::OpenAiChat, document.root()).unwrap();
    let call = briefing::message::ToolCall::new("", "f", "{}");
    assert_eq!(parsed.messages, [ModelMessage::calls([call]), ModelMessage::outcome("", "ok")]);
    let found: Vec<_> = parsed.findings.iter().map(|finding| (finding.place.as_str(), &finding.change)).collect();
    assert_eq!(found, [("/0/function_call", &ParseChange::Legacy), ("/1", &ParseChange::Legacy)]);
}

/// Bodies that come out as they went in, byte for byte: unknown fields and blocks, files in every form, custom tools.
#[test]
fn what_is_known_and_what_is_not_comes_out_as_it_went_in() {
    let openai = [
        r#"{"model":"gpt-4o","n":1,"messages":[{"role":"developer","content":"d","name":"x"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"},"odd":1},{"type":"file","file":{"file_id":"f1"}},{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]}]}"#,
        r#"{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"},"strict":true},"odd":[ 1 ]},{"type":"custom","custom":{"name":"g"}}],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"","refusal":"no"},{"role":"user","content":"b"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"custom","custom":{"name":"g","input":"free text"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\": 1}","odd":2},"index":0}]},{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"y"},{"type":"text","text":"z"}]}]}"#,
        r#"{"model":"mistral-large-latest","messages":[{"role":"user","content":[{"type":"document_url","document_url":"https://x/y.pdf","document_name":"y"}]}]}"#,
    ];
    for body in openai {
        assert_eq!(again(body, Wire::OpenAiChat), body);
    }
    let anthropic = [
        r#"{"model":"claude-sonnet-4-5","max_tokens":5,"metadata":{ "user_id": "u" },"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"},"title":"t","citations":{"enabled":true}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"}},{"type":"image","source":{"type":"file","file_id":"f"}},{"type":"image","source":{"type":"url","url":"https://x"}}]}]}"#,
        r#"{"model":"claude-sonnet-4-5","max_tokens":5,"tools":[{"name":"f","input_schema":{"type":"object"},"type":"custom"},{"type":"web_search_20250305","name":"web_search"}],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"t","citations":null},{"type":"tool_use","id":"t1","name":"f","input":{"a": [1.50]},"caller":{}},{"type":"odd_block", "x": "é\u00e9"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"url","url":"https://x"}},{"type":"tool_reference","tool_name":"f"}],"is_error":true,"cache_control":null}]}]}"#,
        // A turn that the provider paused goes on as it is.
        r#"{"model":"claude-opus-4-6","max_tokens":5,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]}]}"#,
    ];
    for body in anthropic {
        assert_eq!(again(body, Wire::Anthropic), body);
    }
}

#[test]
fn the_answer_reserve_is_what_the_body_allows() {
    let reserve = |body: &str| parse_text(Wire::OpenAiChat, body).unwrap().call.reserved_output();
    assert_eq!(reserve(r#"{"model":"gpt-4o","max_completion_tokens":77,"messages":[]}"#), 77);
    assert_eq!(reserve(r#"{"model":"gpt-4o","max_tokens":78,"messages":[]}"#), 78);
    assert_eq!(reserve(r#"{"model":"gpt-4o","messages":[]}"#), 4_096);
}

#[test]
fn values_that_nest_too_deep_are_left_out_with_a_finding() {
    let deep = format!("{}{}", "[".repeat(105), "]".repeat(105));
    let body = format!(
        r#"{{"model":"m","deep":{deep},"messages":[{{"role":"user","content":[{{"type":"odd","x":{deep}}},{{"type":"text","text":"t"}}]}},{{"role":"assistant","tool_calls":[{{"id":"c","function":{{"name":"f","arguments":{deep}}}}}]}}]}}"#
    );
    let parsed = parse_text(Wire::OpenAiChat, &body).unwrap();
    let found: Vec<&str> = parsed.findings.iter().map(|finding| finding.place.as_str()).collect();
    assert_eq!(found, ["/deep", "/messages/0/content/0"]);
    let ModelMessage::User(user) = parsed.messages.first().unwrap() else { unreachable!() };
    assert_eq!(user.parts, [Part::Text(Text::new("t"))]);
    let ModelMessage::Assistant(said) = parsed.messages.get(1).unwrap() else { unreachable!() };
    assert!(matches!(said.items.as_slice(), [Item::Call(call)] if call.input == Input::new(deep.as_str())));
}

/// Very many calls in one message, and very many unknown fields: linear, so seconds at most even without optimisation.
#[test]
fn large_bodies_take_linear_time() {
    let list = |item: &dyn Fn(usize) -> String| (0..30_000).map(item).collect::<Vec<_>>().join(",");
    let fields = list(&|index| format!("\"f{index}\":0"));
    let calls = list(&|index| format!(r#"{{"id":"é{index}","function":{{"name":"f.{index}","arguments":"["}}}}"#));
    let body = format!(
        r#"{{"model":"some-model",{fields},"messages":[{{"role":"user","content":"go",{fields}}},{{"role":"assistant","tool_calls":[{calls}]}}]}}"#
    );
    let parsed = parse_text(Wire::OpenAiChat, &body).unwrap();
    assert_eq!(parsed.call.parameters().len(), 30_000);
    let models =
        [("some-model", Wire::OpenAiChat), ("mistral-large", Wire::OpenAiChat), ("claude-sonnet-4-5", Wire::Anthropic)];
    for (model, wire) in models {
        let request = support::render(&parsed.messages, &briefing::Call::model(model, Some(wire)));
        assert!(request.findings().len() >= 90_000, "{model}");
    }
}
