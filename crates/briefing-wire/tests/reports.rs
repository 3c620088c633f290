//! Public fault reports about this job, each with its right outcome on the wire.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use briefing::message::{Bytes, Media, Outcome, Part, RawJson, ToolCall};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_wire::{InputFault, ParseChange, ThinkingFault, WireChange, parse_text};
use serde_json::{Value, json};
use std::sync::Arc;
use support::{again, changes, messages, render, text};

fn openai() -> Call {
    Call::model("gpt-4o", Some(Wire::OpenAiChat))
}

fn mistral() -> Call {
    Call::model("mistral-large-latest", Some(Wire::OpenAiChat))
}

fn claude() -> Call {
    Call::model("claude-sonnet-4-5", Some(Wire::Anthropic))
}

fn call(id: &str, name: &str, input: &str) -> ToolCall {
    ToolCall::new(id, name, input)
}

fn picture(call: &str) -> ModelMessage {
    let media = Media::data("image/png", Bytes::encode(b"a picture"));
    ModelMessage::Tool(Arc::new(Outcome { parts: vec![Part::Image(media)], ..Outcome::text(call, "") }))
}

fn function(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// <https://github.com/vercel/ai/pull/16578>
#[test]
fn b32_outcomes_stand_in_call_order() {
    let list = |outcomes: [ModelMessage; 2]| {
        let mut list = vec![ModelMessage::user("go"), ModelMessage::calls([call("a", "f", "{}"), call("b", "f", "{}")])];
        list.extend(outcomes);
        list
    };
    let (a, b) = (ModelMessage::outcome("a", "A"), ModelMessage::outcome("b", "B"));
    for call in [openai(), mistral(), claude()] {
        let one = render(&list([a.clone(), b.clone()]), &call);
        assert_eq!(text(&one), text(&render(&list([b.clone(), a.clone()]), &call)));
    }
    let rendered = messages(&list([b, a]), &claude());
    let outcomes = json!([
        {"type": "tool_result", "tool_use_id": "a", "content": "A"},
        {"type": "tool_result", "tool_use_id": "b", "content": "B"},
    ]);
    assert_eq!(rendered.get(2), Some(&json!({"role": "user", "content": outcomes})));
}

/// <https://github.com/Mars-Sea/dsh-commandcode-provider/pull/33>
#[test]
fn b34_files_of_outcomes_stand_behind_the_round() {
    let list = [
        ModelMessage::user("look"),
        ModelMessage::calls([call("a", "f", "{}"), call("b", "f", "{}")]),
        picture("a"),
        picture("b"),
        ModelMessage::user("well?"),
    ];
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,YSBwaWN0dXJl"}});
    let behind = json!([{"type": "text", "text": "[files from the tool outcomes above]"}, image, image]);
    let said =
        json!({"role": "assistant", "content": null, "tool_calls": [function("a", "f", "{}"), function("b", "f", "{}")]});
    let expected = json!([
        {"role": "user", "content": "look"},
        said,
        {"role": "tool", "tool_call_id": "a", "content": "[files: see below]"},
        {"role": "tool", "tool_call_id": "b", "content": "[files: see below]"},
        {"role": "user", "content": behind},
        {"role": "user", "content": "well?"},
    ]);
    assert_eq!(messages(&list, &openai()), expected);
    assert_eq!(changes(&list, &openai()), [WireChange::FilesMovedBehind]);

    let rendered = messages(&list, &mistral());
    let between = json!({"role": "assistant", "content": [{"type": "text", "text": "[no answer]"}]});
    assert_eq!(rendered.get(4), Some(&between));
    let behind = json!({"role": "user", "content": [
        {"type": "text", "text": "[files from the tool outcomes above]"}, image, image, {"type": "text", "text": "well?"},
    ]});
    assert_eq!((rendered.get(5), rendered.get(6)), (Some(&behind), None));

    let source = json!({"type": "base64", "media_type": "image/png", "data": "YSBwaWN0dXJl"});
    let rendered = messages(&list, &claude());
    let outcome =
        |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "image", "source": source}]});
    assert_eq!(rendered.get(2), Some(&json!({"role": "user", "content": [outcome("a"), outcome("b")]})));
}

/// <https://github.com/etkecc/baibot/issues/13>: merged where the provider does not join neighbours itself, as arrays.
#[test]
fn b36_neighbours_are_merged_where_the_provider_does_not() {
    let list = [ModelMessage::user("a"), ModelMessage::user("b"), ModelMessage::assistant("c"), ModelMessage::user("d")];
    let text = |text: &str| json!({"type": "text", "text": text});
    let merged = json!([
        {"role": "user", "content": [text("a"), text("b")]},
        {"role": "assistant", "content": [text("c")]},
        {"role": "user", "content": [text("d")]},
    ]);
    assert_eq!(messages(&list, &mistral()), merged);
    assert_eq!(changes(&list, &mistral()), [WireChange::Merged]);
    let apart = json!([
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "d"},
    ]);
    assert_eq!(messages(&list, &openai()), apart);
    assert_eq!(messages(&list, &claude()), apart);
}

/// <https://github.com/cortexkit/magic-context/issues/512>
#[test]
fn b37_a_trailing_answer_is_a_prefill_or_is_followed() {
    let list = [ModelMessage::user("a"), ModelMessage::assistant("b \n")];
    let kept = json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]);
    assert_eq!(messages(&list, &claude()), kept);
    assert_eq!(changes(&list, &claude()), [WireChange::TrailingSpaceTrimmed]);
    let followed = json!([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b \n"},
        {"role": "user", "content": "[continue]"},
    ]);
    assert_eq!(messages(&list, &Call::model("claude-opus-4-6", None)), followed);
    // OpenAI takes any order.
    let as_it_is = json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b \n"}]);
    assert_eq!(messages(&list, &openai()), as_it_is);
    assert_eq!(messages(&list, &Call::model("deepseek-chat", None)), followed);
}

/// <https://github.com/raullenchai/Rapid-MLX/issues/1543> and <https://github.com/langchain-ai/langchain/pull/38849>
#[test]
fn b39_system_text_in_the_middle() {
    let list = [
        ModelMessage::system("S"),
        ModelMessage::user("a"),
        ModelMessage::assistant("b"),
        ModelMessage::system("answer only BLUE"),
        ModelMessage::user("c"),
    ];
    let as_user = json!([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"},
        {"role": "user", "content": "[system] answer only BLUE"},
        {"role": "user", "content": "c"},
    ]);
    let request = render(&list, &claude());
    assert_eq!(support::value(&request).get("system"), Some(&json!("S")));
    assert_eq!(support::value(&request).get("messages"), Some(&as_user));
    assert_eq!(changes(&list, &claude()), [WireChange::SystemAsUser]);
    let stays = messages(&list, &openai());
    assert_eq!(stays.get(3), Some(&json!({"role": "system", "content": "answer only BLUE"})));

    // Newer models of Anthropic take it behind an input and before an answer.
    let list = [ModelMessage::user("a"), ModelMessage::system("now"), ModelMessage::assistant("b"), ModelMessage::user("c")];
    let stays = messages(&list, &Call::model("claude-opus-4-8", None));
    assert_eq!(stays.get(1), Some(&json!({"role": "system", "content": "now"})));
}

/// <https://github.com/maximhq/bifrost/issues/5097>
#[test]
fn b45_ids_are_mapped_on_both_sides_and_stay_distinct() {
    let ids = ["functions.write:0", "a.b", "a:b", "", "toolu_1"];
    let mut list = vec![ModelMessage::user("go"), ModelMessage::calls(ids.map(|id| call(id, "f", "{}")))];
    list.extend(ids.map(|id| ModelMessage::outcome(id, "ok")));
    let rendered = messages(&list, &claude());
    let of = |message: usize, key: &str| -> Vec<String> {
        let blocks = rendered.pointer(&format!("/{message}/content")).and_then(Value::as_array).unwrap();
        blocks.iter().map(|block| block.get(key).unwrap().as_str().unwrap().to_owned()).collect()
    };
    let mapped = of(1, "id");
    assert_eq!(mapped, of(2, "tool_use_id"));
    assert_eq!(mapped.iter().collect::<std::collections::HashSet<_>>().len(), 5);
    assert!(mapped.first().unwrap().starts_with("functions_write_0_"), "{mapped:?}");
    assert_eq!(mapped.get(3..), Some(&["call_71e0a991".to_owned(), "toolu_1".to_owned()][..]));
    let as_they_are = messages(&list, &openai());
    assert_eq!(as_they_are.pointer("/1/tool_calls/0/id"), Some(&json!("functions.write:0")));
}

/// <https://github.com/BerriAI/litellm/issues/23510>
#[test]
fn b47_a_call_in_content_and_among_the_calls_is_one() {
    let body = json!({"model": "gpt-4o", "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "f", "input": {}}], "tool_calls": [function("x", "f", "{}")]},
        {"role": "tool", "tool_call_id": "x", "content": "ok"},
    ]});
    let parsed = parse_text(Wire::OpenAiChat, &body.to_string()).unwrap();
    let found: Vec<&ParseChange> = parsed.findings.iter().map(|finding| &finding.change).collect();
    assert_eq!(found, [&ParseChange::CallTwice { call: "x".into() }]);
    let expected = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "ok"}]},
    ]);
    assert_eq!(messages(&parsed.messages, &claude()), expected);
}

/// <https://github.com/bvcyber/Cyber-AutoAgent-ng/issues/72>
#[test]
fn b48_a_second_call_of_one_id_gets_another() {
    let id = "http_request";
    let list = [
        ModelMessage::user("go"),
        ModelMessage::calls([call(id, "f", r#"{"a":1}"#), call(id, "f", r#"{"a":2}"#)]),
        ModelMessage::outcome(id, "one"),
        ModelMessage::outcome(id, "two"),
    ];
    let expected = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "http_request", "name": "f", "input": {"a": 1}},
            {"type": "tool_use", "id": "http_request-2_aa575137", "name": "f", "input": {"a": 2}},
        ]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "http_request", "content": "one"},
            {"type": "tool_result", "tool_use_id": "http_request-2_aa575137", "content": "two"},
        ]},
    ]);
    assert_eq!(messages(&list, &claude()), expected);
}

/// A call is sent under the same id whatever else is in the window.
#[test]
fn ids_do_not_depend_on_the_window() {
    let round = |id: &str| [ModelMessage::calls([call(id, "f", "{}")]), ModelMessage::outcome(id, "ok")];
    let windows = [vec!["a", "a", "a-2"], vec!["a", "a-2"], vec!["a-2"], vec!["a-2", "a", "a"]];
    for wire in [openai(), mistral(), claude()] {
        let ids = windows.clone().map(|window| {
            let mut list = vec![ModelMessage::user("go")];
            list.extend(window.iter().flat_map(|id| round(id)));
            let rendered = text(&render(&list, &wire)).to_owned();
            let body: Value = serde_json::from_str(&rendered).unwrap();
            let at = 2 * window.iter().rposition(|id| *id == "a-2").unwrap() + 1;
            let id = ["content/0/id", "tool_calls/0/id"].map(|key| body.pointer(&format!("/messages/{at}/{key}")).cloned());
            id.into_iter().flatten().next()
        });
        assert!(ids.iter().all(|id| id.is_some() && *id == ids[0]), "{ids:?}");
    }
}

/// <https://github.com/mastra-ai/mastra/issues/13632>
#[test]
fn b49_names_are_mapped_for_tools_and_history_alike() {
    let schema = RawJson::new(r#"{"type":"object"}"#).unwrap();
    let tools =
        [Tool::function("browser.tabs.open", "opens", schema.clone()), Tool::function("browser:tabs:open", "opens", schema)];
    let choice = RawJson::new(r#"{"type": "tool", "name": "browser.tabs.open"}"#).unwrap();
    let claude = claude().tools(tools).parameter("tool_choice", choice);
    let list = [
        ModelMessage::user("go"),
        ModelMessage::calls([call("c1", "browser.tabs.open", "{}")]),
        ModelMessage::outcome("c1", "no such tool"),
    ];
    let body = support::value(&render(&list, &claude));
    let name = body.pointer("/messages/1/content/0/name").unwrap();
    assert!(name.as_str().unwrap().starts_with("browser_tabs_open_"), "{name}");
    assert_eq!(body.pointer("/tools/0/name"), Some(name));
    assert_eq!(body.pointer("/tool_choice/name"), Some(name));
    assert_ne!(body.pointer("/tools/1/name"), Some(name));
}

/// <https://github.com/justrach/codegraff/issues/752>
#[test]
fn b50_arguments_that_were_cut_off_are_sent_as_an_object() {
    let list = [
        ModelMessage::user("go"),
        ModelMessage::calls([call("c1", "sh", r#"{"command":"ls"#)]),
        ModelMessage::outcome("c1", "not run"),
        ModelMessage::user("again"),
    ];
    let sent = json!({"invalid_json": r#"{"command":"ls"#});
    assert_eq!(messages(&list, &claude()).pointer("/1/content/0/input"), Some(&sent));
    let arguments = json!(r#"{"invalid_json":"{\"command\":\"ls"}"#);
    assert_eq!(messages(&list, &openai()).pointer("/1/tool_calls/0/function/arguments"), Some(&arguments));
    assert_eq!(changes(&list, &openai()), [WireChange::InputMended { call: "c1".into(), why: InputFault::NotJson }]);
}

/// <https://github.com/UKGovernmentBEIS/inspect_ai/pull/4683>
#[test]
fn b52_arguments_over_the_input_limit_are_cut() {
    let input = format!(r#"{{"text":"{}"}}"#, "x".repeat(1_100_000));
    let list =
        [ModelMessage::user("go"), ModelMessage::calls([call("c1", "write", &input)]), ModelMessage::outcome("c1", "ok")];
    let shown = input.get(..1_000).unwrap();
    assert_eq!(messages(&list, &claude()).pointer("/1/content/0/input"), Some(&json!({ "cut": shown })));
    assert_eq!(changes(&list, &openai()), [WireChange::InputMended { call: "c1".into(), why: InputFault::TooLong }]);
}

/// <https://github.com/anthropics/anthropic-sdk-python/issues/461>
#[test]
fn b54_blank_text_blocks_are_left_out() {
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 100, "tools": [{"name": "f", "input_schema": {"type": "object"}}], "messages": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "", "cache_control": {"type": "ephemeral"}},
            {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
        ]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}, {"type": "text", "text": " \n"}]},
        {"role": "assistant", "content": " "},
    ]});
    let parsed = parse_text(Wire::Anthropic, &body.to_string()).unwrap();
    let request = render(&parsed.messages, &parsed.call);
    let expected = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]},
    ]);
    assert_eq!(support::value(&request).get("messages"), Some(&expected));
    assert_eq!(changes(&parsed.messages, &parsed.call), [WireChange::BlankBlockLeftOut]);
}

/// <https://github.com/anthropics/claude-code/issues/56064>
#[test]
fn b56_lone_surrogates_become_the_replacement_character() {
    let body = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"abc\ud83d def 😀"},
        {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"\\ud83d\"}"}}]},
        {"role":"tool","tool_call_id":"c1","content":"ok","odd":{"x":"\ud83d"}}]}"#;
    let parsed = parse_text(Wire::OpenAiChat, body).unwrap();
    let places: Vec<&str> = parsed.findings.iter().map(|finding| finding.place.as_str()).collect();
    assert_eq!(places, ["/messages/0/content", "/messages/2/odd"]);
    let expected = json!([
        {"role": "user", "content": "abc\u{fffd} def 😀"},
        {"role": "assistant", "content": null, "tool_calls": [function("c1", "f", r#"{"a":"\ufffd"}"#)]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok", "odd": {"x": "\u{fffd}"}},
    ]);
    assert_eq!(messages(&parsed.messages, &parsed.call), expected);
    assert_eq!(
        changes(&parsed.messages, &openai()),
        [WireChange::InputMended { call: "c1".into(), why: InputFault::LoneSurrogate }]
    );
}

/// <https://github.com/alibaba/open-code-review/issues/811> and <https://github.com/eclipse-theia/theia/issues/18044> (B60)
#[test]
fn b58_thinking_goes_back_byte_for_byte_or_is_turned_off() {
    let thinking = r#"{ "type": "thinking", "thinking": "", "signature": "c2ln" }"#;
    let body = |first: &str| {
        format!(
            r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"thinking":{{"type":"enabled","budget_tokens":1024}},"tools":[{{"name":"f","input_schema":{{"type":"object"}}}}],"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{first}{{"type":"tool_use","id":"c1","name":"f","input":{{}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c1","content":"ok"}}]}}]}}"#
        )
    };
    let with = body(&format!("{thinking},"));
    assert_eq!(again(&with, Wire::Anthropic), with);
    let without = parse_text(Wire::Anthropic, &body("")).unwrap();
    assert_eq!(changes(&without.messages, &without.call), [WireChange::ThinkingTurnedOff { why: ThinkingFault::OpenTurn }]);
    assert_eq!(support::value(&render(&without.messages, &without.call)).get("thinking"), None);
}

/// <https://github.com/openai/openai-dotnet/issues/317>: an assistant message holds at most 128 calls.
#[test]
fn more_calls_than_one_message_may_hold_take_several() {
    let ids: Vec<String> = (0..300).map(|index| format!("c{index}")).collect();
    let mut list = vec![ModelMessage::user("go"), ModelMessage::calls(ids.iter().map(|id| call(id, "f", "{}")))];
    list.extend(ids.iter().map(|id| ModelMessage::outcome(id.as_str(), "ok")));
    let request = render(&list, &openai());
    assert_eq!(support::checked(text(&request), openai().profile()).violations, []);
    assert_eq!(changes(&list, &openai()), [WireChange::CallsSplit, WireChange::CallsSplit]);
    assert_eq!(again(text(&request), Wire::OpenAiChat), text(&request));
    let counted = support::briefing(&list, &openai()).receipt().total().messages;
    assert_eq!(messages(&list, &openai()).as_array().unwrap().len() as u64, counted);
}

/// "A maximum of 4 blocks with cache_control may be provided": the newest stand.
#[test]
fn of_too_many_cache_marks_the_newest_stand() {
    let marked = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]});
    let list: Vec<Value> = ["a", "b", "c", "d", "e"].map(marked).to_vec();
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 5, "system": marked("s").get("content"), "messages": list});
    let parsed = parse_text(Wire::Anthropic, &body.to_string()).unwrap();
    let rendered = messages(&parsed.messages, &parsed.call);
    let plain = |text: &str| json!({"role": "user", "content": text});
    assert_eq!(rendered, json!([plain("a"), plain("b"), marked("c"), marked("d"), marked("e")]));
}
