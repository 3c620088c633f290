//! What providers really accepted and refused, recorded by pydantic-ai's tests. See `data/wire/LICENSE`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use briefing_check::{Fault, Report, Role, Rules, Wire, check, recognise};
use briefing_json::{Document, Value};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/wire")
}

fn check_request(request: Value<'_>) -> (Wire, Report) {
    let wire = recognise(request).unwrap().wire;
    let model = request.get("model").and_then(Value::as_str).unwrap();
    (wire, check(request, &Rules::for_model(wire, &model)))
}

fn wire_of(format: &str) -> Wire {
    match format {
        "openai_chat" => Wire::OpenAiChat,
        "anthropic_messages" => Wire::Anthropic,
        other => panic!("unknown format {other}"),
    }
}

#[test]
fn every_accepted_request_is_clean() {
    let mut seen = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let document = Document::parse(&text).unwrap();
        let recording = document.root();
        let format = recording.get("format").and_then(Value::as_str).unwrap();
        let (wire, report) = check_request(recording.get("request").unwrap());
        assert_eq!((wire, report), (wire_of(&format), Report::default()), "{}", path.display());
        seen += 1;
    }
    assert_eq!(seen, 28);
}

/// Of the recorded refusals only two are faults of the body: `o1-mini` takes no system and no developer message. The others are
/// a model that does not exist, a rate limit, what the model itself wrote, and options that a model does not have.
#[test]
fn of_the_refused_requests_only_the_faulty_bodies_are_reported() {
    let text = fs::read_to_string(folder().join("provider_rejections.jsonl")).unwrap();
    let mut found = Vec::new();
    let mut seen = 0;
    for line in text.lines() {
        let document = Document::parse(line).unwrap();
        let Some(request) = document.root().get("request") else { continue };
        seen += 1;
        let model = request.get("model").and_then(Value::as_str).unwrap().into_owned();
        for violation in check_request(request).1.violations {
            let rules = Rules::for_model(Wire::OpenAiChat, &model);
            let response = document.root().get("response").unwrap().raw();
            let said = violation.provider_error(&rules).unwrap();
            assert!(response.contains(&said), "{said} is not in {response}");
            found.push((model.clone(), violation.place.to_string(), violation.fault));
        }
    }
    let refused = |role| ("o1-mini".to_owned(), "/messages/0/role".to_owned(), Fault::RoleNotSupported { role });
    assert_eq!((seen, found), (11, vec![refused(Role::Developer), refused(Role::System)]));
}

/// The checker's words for a fault are the provider's: each quoted error text of the two wires, made from a body.
#[test]
fn provider_errors_are_the_quoted_texts() {
    let said = |text: &str| {
        let document = Document::parse(text).unwrap();
        let wire = recognise(document.root()).unwrap().wire;
        let rules = Rules::for_wire(wire);
        let report = check(document.root(), &rules);
        report.violations.iter().filter_map(|violation| violation.provider_error(&rules)).collect::<Vec<_>>()
    };
    let orphan = said(
        r#"{"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": [
            {"type": "text", "text": "a"}, {"type": "tool_result", "tool_use_id": "T1", "content": "b"}]}]}"#,
    );
    assert_eq!(
        orphan,
        [
            "messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: T1. Each `tool_result` block must have \
             a corresponding `tool_use` block in the previous message."
        ]
    );
    let missing = said(
        r#"{"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": "a"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_issue8112_custom", "name": "f", "input": {}}]}]}"#,
    );
    assert_eq!(
        missing,
        ["messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_issue8112_custom. Each \
             `tool_use` block must have a corresponding `tool_result` block in the next message."]
    );
    let thinking = said(
        r#"{"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "s", "messages": [{"role": "user", "content": "a"}],
            "thinking": {"type": "enabled", "budget_tokens": 512}}"#,
    );
    assert_eq!(thinking, ["thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"]);
    let openai = said(r#"{"model": "gpt-4o", "messages": [{"role": "tool", "tool_call_id": "c", "content": "b"}]}"#);
    assert_eq!(
        openai,
        ["Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."]
    );
}
