//! Bodies as a client may send them, with blocks that the provider refuses: read, fitted and written, they are valid. And what
//! becomes of each such block.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use briefing::message::{Assistant, Item, Outcome, ToolCall};
use briefing::{Call, ModelMessage, ModelProfile, Wire};
use briefing_wire::{WireChange, parse_text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use support::lists::MODELS;
use support::opaque::{ANTHROPIC, GEMINI, OPENAI, RESPONSES};
use support::{again, changes, checked, render, text, value};

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

/// Items of OpenAI Responses that are known.
const ITEMS: [&str; 15] = [
    r#"{"role":"user","content":"hello"}"#,
    r#"{"role":"developer","content":[{"type":"input_text","text":"be kind"}]}"#,
    r#"{"role":"assistant","content":" "}"#,
    r#"{"role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]},{"type":"output_text","text":"b"}],"id":"msg_1"}"#,
    r#"{"type":"function_call","call_id":"c1","name":"get","arguments":"{}","id":"fc_1"}"#,
    r#"{"type":"function_call","call_id":"c1","name":"get.weather","arguments":"x"}"#,
    r#"{"type":"function_call_output","call_id":"c1","output":"ok"}"#,
    r#"{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"odd"}]}"#,
    r#"{"type":"function_call_output","call_id":"c1","output":{"odd":1}}"#,
    r#"{"type":"custom_tool_call_output","call_id":"c1","output":""}"#,
    r#"{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","file_id":"f"}}"#,
    r#"{"type":"reasoning","id":"rs_2","summary":[]}"#,
    r#"{"id":"msg_7"}"#,
    r#"{"role":"assistant","id":"msg_3"}"#,
    r#"{"role":"assistant","content":[],"id":"msg_4","type":"message"}"#,
];

/// Parts of Gemini that are known.
const PARTS: [&str; 9] = [
    r#"{"text":"hello"}"#,
    r#"{"text":"","thoughtSignature":"c2ln"}"#,
    r#"{"functionCall":{"name":"get","args":{},"id":"c1"},"thought_signature":"c2ln"}"#,
    r#"{"function_call":{"name":"get weather"}}"#,
    r#"{"functionResponse":{"name":"get","id":"c1","response":{"output":"ok"}}}"#,
    r#"{"functionResponse":{"name":"get weather","response":{"error":"no","more":1}}}"#,
    r#"{"functionResponse":{"name":"get","id":"c1","response":{"a":[1]},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"odd":{}}]}}"#,
    r#"{"inlineData":{"mimeType":"application/pdf","data":"AA-_"}}"#,
    r#"{"fileData":{"fileUri":"https://x.example/a.png","mimeType":"image/png"}}"#,
];

/// A body whose model takes what is read from it: of Gemini none is named, so nothing is demanded of it.
fn holds(wire: Wire, body: &str) -> Result<(), TestCaseError> {
    let parsed = parse_text(wire, body).unwrap();
    let request = render(&parsed.messages, &parsed.call);
    let report = checked(text(&request), parsed.call.profile());
    prop_assert!(report.is_clean(), "{:?}\n{body}\n{}", report.violations, text(&request));
    prop_assert_eq!(again(text(&request), wire), text(&request));
    Ok(())
}

proptest! {
    #[test]
    fn any_body_that_can_be_read_is_written_valid(
        (wire, model) in select(MODELS.into_iter().filter(|(wire, _)| matches!(wire, Wire::OpenAiChat | Wire::Anthropic)).collect::<Vec<_>>()),
        system in vec(select(&ANTHROPIC[..]), 0..2),
        messages in vec(message(), 0..7),
    ) {
        let body = body(model, if wire == Wire::Anthropic { &system } else { &[] }, &messages);
        holds(wire, &body)?;
    }

    #[test]
    fn any_body_of_responses_that_can_be_read_is_written_valid(
        model in select(vec!["gpt-5", "deepseek-v4-flash"]),
        items in vec(prop_oneof![select(&ITEMS[..]), select(&RESPONSES[..])], 0..9),
        parts in vec(select(&RESPONSES[..]), 0..4),
    ) {
        let parts = format!(r#"{{"role":"user","content":[{}]}}"#, parts.join(","));
        let items: Vec<&str> = items.into_iter().chain([parts.as_str()]).collect();
        holds(Wire::OpenAiResponses, &format!(r#"{{"model":"{model}","input":[{}]}}"#, items.join(",")))?;
    }

    #[test]
    fn any_body_of_gemini_that_can_be_read_is_written_valid(
        system in vec(select(&GEMINI[..]), 0..2),
        contents in vec((select(vec!["user", "model"]), vec(prop_oneof![select(&PARTS[..]), select(&GEMINI[..])], 0..5)), 0..7),
    ) {
        let content = |(role, parts): (&str, Vec<&str>)| format!(r#"{{"role":"{role}","parts":[{}]}}"#, parts.join(","));
        let contents: Vec<String> = contents.into_iter().map(content).collect();
        let system = if system.is_empty() { String::new() } else { format!(r#""systemInstruction":{{"parts":[{}]}},"#, system.join(",")) };
        let body = format!(r#"{{{system}"contents":[{}]}}"#, contents.join(","));
        // Text that is none cannot be read: about one body of nine.
        if parse_text(Wire::Gemini, &body).is_err() {
            return Ok(());
        }
        holds(Wire::Gemini, &body)?;
    }
}

/// What becomes of a body whose one message, of that role, has these blocks: its content (or what stands in `system`), and what
/// was changed.
fn written(wire: Wire, model: &str, role: &str, blocks: &[&str]) -> (Value, Vec<WireChange>) {
    let (system, messages) = match role {
        "head" => (blocks, vec![]),
        _ => (&[][..], vec![(role, blocks.to_vec())]),
    };
    let parsed = parse_text(wire, &body(model, system, &messages)).unwrap();
    let request = render(&parsed.messages, &parsed.call);
    let written = value(&request);
    assert_eq!(checked(text(&request), parsed.call.profile()).violations, []);
    let content = if role == "head" { written.get("system") } else { written.pointer("/messages/0/content") };
    (content.unwrap().clone(), changes(&parsed.messages, &parsed.call))
}

fn claude(role: &str, blocks: &[&str]) -> (Value, Vec<WireChange>) {
    let (content, changes) = written(Wire::Anthropic, "claude-sonnet-4-5", role, blocks);
    (content, changes.into_iter().filter(|change| !matches!(change, WireChange::Filler(_))).collect())
}

fn as_text(kind: &str) -> (Value, Vec<WireChange>) {
    (json!(format!("[{kind}: not shown to this model]")), vec![WireChange::NativeAsText { kind: kind.into() }])
}

#[test]
fn malformed_media_reads_as_text() {
    let anthropic = [
        ("image", r#"{"type":"image"}"#),
        ("image", r#"{"type":"image","source":{"type":"base64","data":"AAAA"}}"#),
        ("image", r#"{"type":"image","source":{"type":"odd"}}"#),
        ("document", r#"{"type":"document","source":"x"}"#),
        ("document", r#"{"type":"document","source":{"type":"content","content":[{"type":"image"}]}}"#),
    ];
    for (kind, block) in anthropic {
        assert_eq!(claude("user", &[block]), as_text(kind), "{block}");
    }
    // What a document says is not lost where the block may not stand.
    let html = r#"{"type":"document","source":{"type":"text","media_type":"text/html","data":"x"}}"#;
    assert_eq!(claude("user", &[html]), (json!("x"), as_text("document").1));
    let openai = [
        ("image_url", r#"{"type":"image_url"}"#),
        ("image_url", r#"{"type":"image_url","image_url":{"url":"data:text/plain,x"}}"#),
        ("file", r#"{"type":"file","file":{"file_data":"AAAA","filename":"a.pdf"}}"#),
        ("file", r#"{"type":"file","file":{}}"#),
        ("input_audio", r#"{"type":"input_audio","input_audio":{"data":"!!"}}"#),
        ("document_url", r#"{"type":"document_url","document_url":5}"#),
    ];
    for (kind, block) in openai {
        for model in ["gpt-5", "mistral-large-latest", "some-model"] {
            let (content, changes) = written(Wire::OpenAiChat, model, "user", &[block]);
            let content = content.pointer("/0/text").cloned().unwrap_or(content);
            assert_eq!((content, changes), as_text(kind), "{model} {block}");
        }
    }
}

/// Known pictures go through the bounds, whatever else their source says, and what else it says stays.
#[test]
fn unknown_fields_of_a_source_stay() {
    let source = r#"{"type":"base64","media_type":"image/png","data":"AAAA","odd":[1]}"#;
    let image = format!(r#"{{"type":"image","source":{source},"title":"t"}}"#);
    let url = r#"{"type":"document","source":{"type":"url","url":"https://x","media_type":"application/pdf"},"title":"t"}"#;
    let sent = body("claude-sonnet-4-5", &[], &[("user", vec![&image, url])]);
    assert_eq!(again(&sent, Wire::Anthropic), sent);
    let tiff = image.replace("png", "tiff");
    assert_eq!(claude("user", &[&tiff]), (json!("[image: unnamed, 3 bytes, not shown]"), vec![]));
    let (blind, _) = written(Wire::Anthropic, "claude-2.1", "user", &[&image]);
    assert_eq!(blind, json!("[image: unnamed, 3 bytes, not shown]"));
}

#[test]
fn unknown_blocks_stand_in_answers_and_system_text_alone() {
    let foo = r#"{"type":"foo","x":1}"#;
    let stands = (json!([{"type": "foo", "x": 1}]), vec![]);
    assert_eq!(claude("user", &[foo]), as_text("foo"));
    assert_eq!(claude("head", &[foo]), stands);
    let parsed =
        body("claude-sonnet-4-5", &[], &[("user", vec![KNOWN[0]]), ("assistant", vec![foo]), ("user", vec![KNOWN[0]])]);
    assert!(again(&parsed, Wire::Anthropic).contains(foo));
    // OpenAI Chat refuses them everywhere.
    for role in ["user", "assistant", "system"] {
        assert_eq!(written(Wire::OpenAiChat, "gpt-5", role, &[foo]), as_text("foo"), "{role}");
    }
    assert_eq!(written(Wire::OpenAiChat, "some-model", "user", &[foo]), as_text("foo"));
}

/// The answer of a list that ends on it; a line stands before.
fn answer(blocks: &[&str]) -> (Value, Vec<WireChange>) {
    let sent = body("claude-sonnet-4-5", &[], &[("user", vec![KNOWN[0]]), ("assistant", blocks.to_vec())]);
    let parsed = parse_text(Wire::Anthropic, &sent).unwrap();
    let request = render(&parsed.messages, &parsed.call);
    assert_eq!(checked(text(&request), parsed.call.profile()).violations, []);
    let content = value(&request).pointer("/messages/1/content").unwrap().clone();
    (content, changes(&parsed.messages, &parsed.call))
}

#[test]
fn tools_that_the_provider_runs_go_back_only_with_a_sound_id_and_their_use() {
    let used = r#"{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}"#;
    let result = r#"{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}"#;
    let both: Vec<Value> = [used, result].iter().map(|json| serde_json::from_str(json).unwrap()).collect();
    assert_eq!(answer(&[used, result]), (json!(both), vec![]));
    for broken in
        [r#"{"type":"server_tool_use"}"#, r#"{"type":"server_tool_use","id":"a.b"}"#, r#"{"type":"server_tool_use","id":5}"#]
    {
        assert_eq!(answer(&[broken]), as_text("server_tool_use"), "{broken}");
    }
    assert_eq!(answer(&[r#"{"type":"web_search_tool_result"}"#]), as_text("web_search_tool_result"));
    let left_out = WireChange::NativeLeftOut { kind: "web_search_tool_result".into(), needs: "s1".into() };
    assert_eq!(answer(&[KNOWN[0], result]), (json!("hello"), vec![left_out.clone()]));
    // The use is no use, so its result goes with it.
    let foo = r#"{"type":"foo","id":"s1"}"#;
    assert_eq!(answer(&[foo, result]).1, [left_out]);
    assert_eq!(claude("user", &[used]), as_text("server_tool_use"));
}

#[test]
fn a_last_block_whose_text_ends_in_space_reads_as_text() {
    assert_eq!(answer(&[r#"{"type":"foo","text":"x "}"#]), as_text("foo"));
    assert_eq!(answer(&[r#"{"type":"foo","text":"x"}"#]).1, []);
}

fn marked(kind: &str, index: usize) -> String {
    let text = if kind == "text" { format!(r#","text":"t{index}""#) } else { format!(r#","source":"s{index}""#) };
    format!(r#"{{"cache_control":{{"type":"ephemeral"}}, "type":"{kind}"{text}}}"#)
}

/// "A maximum of 4 blocks with cache_control may be provided": marks inside blocks that are sent as they are come first, and of
/// too many the oldest are cut out of theirs.
#[test]
fn marks_of_blocks_that_are_sent_as_they_are_count_first() {
    let gone = WireChange::FieldLeftOut { name: "cache_control".into() };
    let results: Vec<String> = (0..3).map(|index| marked("search_result", index)).collect();
    let texts: Vec<String> = (0..3).map(|index| marked("text", index)).collect();
    let blocks: Vec<&str> = results.iter().chain(&texts).map(String::as_str).collect();
    let (content, changes) = claude("user", &blocks);
    let mark = json!({"type": "ephemeral"});
    let result = |index: usize| json!({"type": "search_result", "source": format!("s{index}"), "cache_control": mark});
    let plain = |index: usize| json!({"type": "text", "text": format!("t{index}")});
    let last = json!({"type": "text", "text": "t2", "cache_control": mark});
    assert_eq!(content, json!([result(0), result(1), result(2), plain(0), plain(1), last]));
    assert_eq!(changes, [gone.clone(), gone.clone()]);

    let results: Vec<String> = (0..6).map(|index| marked("search_result", index)).collect();
    let sent = body("claude-sonnet-4-5", &[], &[("user", results.iter().map(String::as_str).collect())]);
    let bare = |index: usize| format!(r#"{{ "type":"search_result","source":"s{index}"}}"#);
    let expected = sent.replace(&results[0], &bare(0)).replace(&results[1], &bare(1));
    assert_eq!(again(&sent, Wire::Anthropic), expected);
    assert_eq!(claude("user", &results.iter().map(String::as_str).collect::<Vec<_>>()).1, [gone.clone(), gone.clone()]);

    // A tool of the provider's and the body itself have one each.
    let tool = r#"{"type":"web_search_20250305","name":"web_search","cache_control":{"type":"ephemeral"}}"#;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let sent = body("claude-sonnet-4-5", &[], &[("user", texts)]);
    let sent = sent.replace(r#""messages""#, &format!(r#""cache_control":{{"type":"ephemeral"}},"tools":[{tool}],"messages""#));
    let parsed = parse_text(Wire::Anthropic, &sent).unwrap();
    let request = value(&render(&parsed.messages, &parsed.call));
    let second = json!({"type": "text", "text": "t1", "cache_control": mark});
    assert_eq!(request.pointer("/messages/0/content"), Some(&json!([plain(0), second, last])));
    assert_eq!(support::changes(&parsed.messages, &parsed.call), [gone]);
}

/// llama.cpp refuses an item of the assistant without its type: "Cannot determine type of 'item'".
#[test]
fn servers_of_responses_are_told_the_type_of_what_was_said() {
    let list = [ModelMessage::user("Hi"), ModelMessage::assistant("Hello"), ModelMessage::user("And?")];
    let said = |typed_messages| {
        let profile = ModelProfile { wire: Wire::OpenAiResponses, typed_messages, ..ModelProfile::default() };
        value(&render(&list, &Call::new(profile)))["input"][1].clone()
    };
    assert_eq!(said(true), json!({"role": "assistant", "content": "Hello", "type": "message"}));
    assert_eq!(said(false), json!({"role": "assistant", "content": "Hello"}));
}

/// Templates of small models refuse two users in a row: "Conversation roles must alternate user/assistant/user/assistant/...".
#[test]
fn where_roles_must_alternate_a_line_stands_between_two_inputs() {
    let list = [ModelMessage::user("Hi"), ModelMessage::user("Are you there?")];
    for wire in [Wire::OpenAiChat, Wire::Anthropic] {
        let request = render(&list, &Call::model("gemma-3", Some(wire)));
        let value = value(&request);
        let roles = value["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap());
        assert_eq!(roles.collect::<Vec<_>>(), ["user", "assistant", "user"], "{wire}");
        assert!(text(&request).contains("[no answer]"));
    }
}

/// They do not count calls and outcomes, so an input behind these would be the second in a row; and they take one system message.
#[test]
fn where_roles_must_alternate_an_outcome_is_answered() {
    let call = Item::Call(ToolCall::new("c1", "look_up", "{}"));
    let said = Assistant { items: vec![call], ..Assistant::default() };
    let list = [
        ModelMessage::system("Be brief."),
        ModelMessage::system("Be kind."),
        ModelMessage::user("Hi"),
        ModelMessage::Assistant(said.into()),
        ModelMessage::Tool(Outcome::text("c1", "found").into()),
        ModelMessage::user("Are you there?"),
    ];
    let roles = |wire: Wire, key: &str| -> Vec<String> {
        let body = value(&render(&list, &Call::model("gemma-3", Some(wire))));
        let said = |item: &Value| item["role"].as_str().or_else(|| item["type"].as_str()).unwrap().to_owned();
        body[key].as_array().unwrap().iter().map(said).collect()
    };
    assert_eq!(roles(Wire::OpenAiChat, "messages"), ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(roles(Wire::Anthropic, "messages"), ["user", "assistant", "user", "assistant", "user"]);
    let items = ["system", "user", "function_call", "function_call_output", "assistant", "user"];
    assert_eq!(roles(Wire::OpenAiResponses, "input"), items);
}
