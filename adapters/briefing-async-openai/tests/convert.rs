//! A briefing in the client's types and back, and what the client would send.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use async_openai::types::chat::{ChatCompletionRequestMessage, ChatCompletionResponseMessage};
use briefing::message::{Bytes, CallId, Media, ModelMessage, Part, RawJson, Role, ToolCall, User};
use briefing::{Bounds, Briefing, Call, Tool, Wire, fit};
use briefing_async_openai::chat::{from_answer, from_messages, from_request, to_request};
use briefing_async_openai::{LossKind, ToRequestError};
use briefing_check::{Rules, check};
use briefing_json::Document;
use briefing_tests::list::{call, messages, steps};
use briefing_wire::{Render, parse_text};
use proptest::prelude::*;
use serde_json::{Value, json};

fn sealed(messages: &[ModelMessage], call: &Call) -> Briefing {
    fit(messages, call, &Bounds::none()).unwrap()
}

fn raw(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

fn tools() -> Vec<Tool> {
    vec![Tool::function("find_order", "Finds an order", raw(r#"{"type":"object","properties":{"number":{"type":"integer"}}}"#))]
}

fn with_picture() -> ModelMessage {
    let picture = Part::Image(Media::data("image/png", Bytes::encode(b"not really a picture")));
    ModelMessage::User(User { parts: vec![Part::text("Is it this one?"), picture], ..User::default() }.into())
}

fn round() -> Vec<ModelMessage> {
    vec![
        ModelMessage::system("Be brief."),
        ModelMessage::user("Where are orders 7 and 8?"),
        ModelMessage::calls([
            ToolCall::new("c1", "find_order", r#"{"number":7}"#),
            ToolCall::new("c2", "find_order", r#"{"number":8}"#),
        ]),
        ModelMessage::outcome("c1", "packed"),
        ModelMessage::outcome("c2", "lost"),
        ModelMessage::assistant("One is packed, one is lost."),
        with_picture(),
    ]
}

#[test]
fn a_round_with_parameters_is_sent_as_it_was_rendered() {
    let call = call("gpt-4o", false)
        .tools(tools())
        .parameter("temperature", raw("0.7"))
        .parameter("max_completion_tokens", raw("300"));
    let briefing = sealed(&round(), &call);
    let converted = to_request(&briefing).unwrap();
    assert_eq!((converted.findings, converted.losses), (vec![], vec![]));
    assert_eq!(converted.request.temperature, Some(0.7));
    let mut rendered: Value = serde_json::from_slice(briefing.render().unwrap().body()).unwrap();
    // Its types leave out what is null.
    assert_eq!(rendered["messages"][2].as_object_mut().unwrap().shift_remove("content"), Some(Value::Null));
    let sent: Value = serde_json::from_str(&serde_json::to_string(&converted.request).unwrap()).unwrap();
    assert_eq!(sent, rendered);
    assert_eq!(from_request(&converted.request).unwrap().messages, round());
    assert_eq!(from_messages(&converted.request.messages).unwrap().messages, round());
}

#[test]
fn what_the_types_have_no_field_for_is_told_with_its_place() {
    let body = r#"{"model":"deepseek-reasoner","thinking":{"type":"enabled"},"top_p":0.123456789012,"messages":[
        {"role":"user","content":"Hello"},
        {"role":"assistant","content":"Hi","reasoning_content":"They greet me."},
        {"role":"user","content":"Go on","custom":1}]}"#;
    let parsed = parse_text(Wire::OpenAiChat, body).unwrap();
    let converted = to_request(&sealed(&parsed.messages, &parsed.call)).unwrap();
    let losses: Vec<(&str, LossKind)> = converted.losses.iter().map(|loss| (loss.place.as_str(), loss.kind)).collect();
    assert_eq!(
        losses,
        [
            ("/thinking", LossKind::Dropped),
            ("/top_p", LossKind::Altered),
            ("/messages/1/reasoning_content", LossKind::Dropped),
            ("/messages/2/custom", LossKind::Dropped),
        ]
    );
    assert_eq!(converted.losses[0].to_string(), "/thinking is not sent");
}

#[test]
fn what_the_types_have_no_variant_for_is_refused() {
    let body = r#"{"model":"qwen-vl","messages":[{"role":"user","content":[{"type":"video_url","video_url":{"url":"https://a.example/b.mp4"}}]}]}"#;
    let parsed = parse_text(Wire::OpenAiChat, body).unwrap();
    let refused = to_request(&sealed(&parsed.messages, &parsed.call));
    assert!(matches!(refused, Err(ToRequestError::Refused { .. })), "{refused:?}");
}

#[test]
fn a_briefing_of_another_wire_is_refused() {
    let refused = to_request(&sealed(&round(), &call("claude-sonnet-4-5", true)));
    assert!(
        matches!(refused, Err(ToRequestError::OtherWire { wire: Wire::Anthropic, wanted: Wire::OpenAiChat })),
        "{refused:?}"
    );
}

#[test]
fn an_answer_is_the_message_to_append() {
    let answer: ChatCompletionResponseMessage = serde_json::from_value(json!({
        "role": "assistant", "content": "Let me look.", "refusal": null, "annotations": [],
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": "{\"number\": 7"}}],
    }))
    .unwrap();
    let read = from_answer(&answer).unwrap();
    assert_eq!(read.findings, []);
    let [ModelMessage::Assistant(said)] = read.messages.as_slice() else { panic!("{:?}", read.messages) };
    assert_eq!(said.items[0].text(), Some("Let me look."));
    // Arguments that are cut off stay as they came.
    assert_eq!(said.calls().cloned().collect::<Vec<_>>(), [ToolCall::new("c1", "find_order", r#"{"number": 7"#)]);
}

#[test]
fn a_legacy_function_message_reads_as_an_outcome_with_a_finding() {
    let stored: Vec<ChatCompletionRequestMessage> = serde_json::from_value(json!([
        {"role": "assistant", "content": null, "function_call": {"name": "find_order", "arguments": "{}"}},
        {"role": "function", "name": "find_order", "content": "packed"},
    ]))
    .unwrap();
    let read = from_messages(&stored).unwrap();
    assert_eq!(read.messages[0], ModelMessage::calls([ToolCall::new("", "find_order", "{}")]));
    assert_eq!(read.messages[1].text(), "packed");
    assert_eq!(read.findings.len(), 2);
}

/// Of a message its role, its text, its calls, and the call that it answers.
fn told(messages: &[ModelMessage]) -> Vec<(Role, String, Vec<ToolCall>, Option<CallId>)> {
    let calls = |message: &ModelMessage| match message {
        ModelMessage::Assistant(said) => (said.calls().cloned().collect(), None),
        ModelMessage::Tool(outcome) => (Vec::new(), Some(outcome.call.clone())),
        ModelMessage::System(_) | ModelMessage::User(_) => (Vec::new(), None),
    };
    messages
        .iter()
        .map(|message| {
            let (calls, answers) = calls(message);
            (message.role(), message.text(), calls, answers)
        })
        .collect()
}

proptest! {
    #[test]
    fn any_list_is_sent_valid_and_comes_back(
        steps in steps(25),
        model in prop::sample::select(vec!["gpt-5", "gpt-oss-120b", "mistral-large-latest", "gpt-4"]),
        tools in any::<bool>(),
    ) {
        let call = call(model, tools);
        let Ok(briefing) = fit(&messages(&steps), &call, &Bounds::none()) else { return Ok(()) };
        let request = briefing.render().unwrap();
        let body = std::str::from_utf8(request.body()).unwrap();
        let converted = match to_request(&briefing) {
            Ok(converted) => converted,
            // Mistral's own part for a document: the types have no variant for it.
            Err(ToRequestError::Refused { .. }) if body.contains(r#""type":"document_url""#) => return Ok(()),
            Err(error) => panic!("{error}\n{body}"),
        };
        let sent = serde_json::to_string(&converted.request).unwrap();
        let document = Document::parse(&sent).unwrap();
        let report = check(document.root(), &Rules::for_model(briefing_check::Wire::OpenAiChat, model));
        prop_assert!(report.is_clean(), "{:?}\n{sent}", report.violations);

        // Nothing is lost but what is told, and that is reasoning and Mistral's mark of a prefill.
        for loss in &converted.losses {
            let named = ["/reasoning_content", "/prefix"].iter().any(|name| loss.place.as_str().ends_with(name));
            prop_assert!(named && loss.kind == LossKind::Dropped, "{loss}");
        }
        let rendered = parse_text(Wire::OpenAiChat, body).unwrap();
        let back = from_request(&converted.request).unwrap();
        if converted.losses.is_empty() {
            prop_assert_eq!(&back, &rendered);
        }
        prop_assert_eq!(told(&back.messages), told(&rendered.messages));
    }
}
