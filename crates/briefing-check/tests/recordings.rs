//! What providers really accepted and refused, recorded by pydantic-ai's tests. See `data/wire/LICENSE`; which refusals are faults
//! of the body, `data/wire/refused.toml` tells.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use briefing_check::{Report, Rules, Unrecognised, Wire, check, recognise};
use briefing_json::{Document, Value};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/wire")
}

/// The rules for the model of a recording. Gemini's stands in the address.
fn rules_of(recording: Value<'_>, wire: Wire) -> Rules {
    let request = recording.get("request").unwrap();
    let model = request.get("model").and_then(Value::as_str).unwrap_or_else(|| {
        let address = recording.get("uri").and_then(Value::as_str).unwrap();
        let (_, behind) = address.split_once("/models/").unwrap();
        behind.split(':').next().unwrap().to_owned().into()
    });
    Rules::for_model(wire, &model)
}

fn checked(recording: Value<'_>) -> Result<(Rules, Report), Unrecognised> {
    let request = recording.get("request").unwrap();
    let rules = rules_of(recording, recognise(request)?.wire);
    let report = check(request, &rules);
    Ok((rules, report))
}

fn wire_of(format: &str) -> Wire {
    match format {
        "openai_chat" => Wire::OpenAiChat,
        "anthropic_messages" => Wire::Anthropic,
        "openai_responses" => Wire::OpenAiResponses,
        "gemini" => Wire::Gemini,
        other => panic!("unknown format {other}"),
    }
}

fn names() -> Vec<String> {
    fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_accepted_request_is_clean() {
    let mut seen = 0;
    for name in names().into_iter().filter(|name| name.contains("_pos_")) {
        let text = fs::read_to_string(folder().join(&name)).unwrap();
        let document = Document::parse(&text).unwrap();
        let format = document.root().get("format").and_then(Value::as_str).unwrap();
        let (rules, report) = checked(document.root()).unwrap();
        assert_eq!((rules.wire, report), (wire_of(&format), Report::default()), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 56);
}

/// Proto JSON takes both spellings of a field's name.
#[test]
fn every_accepted_gemini_request_is_clean_in_the_other_spelling() {
    let mut seen = 0;
    for name in names().into_iter().filter(|name| name.starts_with("gemini_pos_")) {
        let text = fs::read_to_string(folder().join(&name)).unwrap();
        let mut recording: serde_json::Value = serde_json::from_str(&text).unwrap();
        let request = recording.get_mut("request").unwrap();
        *request = respelled(request);
        let spelled = request.to_string();
        assert!(spelled.contains("\"function_call\"") && !spelled.contains("\"functionCall\""), "{name}");
        let other = recording.to_string();
        let document = Document::parse(&other).unwrap();
        assert_eq!(checked(document.root()).unwrap().1, Report::default(), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 14);
}

/// The value with its fields in snake case, but for what the model or a tool wrote.
fn respelled(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    let snake = |key: &str| {
        let spelled =
            key.chars().map(|c| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.into() });
        spelled.collect::<String>()
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| {
                let foreign = matches!(key.as_str(), "args" | "response" | "parameters_json_schema");
                (snake(key), if foreign { value.clone() } else { respelled(value) })
            })
            .collect(),
        Value::Array(items) => items.iter().map(respelled).collect(),
        _ => value.clone(),
    }
}

/// The recordings of refusals: the place in the list, and the text.
fn refusals() -> Vec<((String, Option<usize>), String)> {
    let lines = fs::read_to_string(folder().join("provider_rejections.jsonl")).unwrap();
    let lines = lines.lines().enumerate().filter(|(_, line)| line.contains("\"request\""));
    let lines = lines.map(|(at, line)| (("provider_rejections.jsonl".to_owned(), Some(at + 1)), line.to_owned()));
    let files = names().into_iter().filter(|name| name.contains("_neg_"));
    let files = files.map(|name| ((name.clone(), None), fs::read_to_string(folder().join(name)).unwrap()));
    lines.chain(files).collect()
}

/// An entry of `refused.toml`.
struct Refused {
    format: String,
    said: String,
    faults: Vec<(String, String)>,
}

fn listed(at: &(String, Option<usize>), list: &[toml::Value]) -> Refused {
    let string = |value: &toml::Value, key: &str| value.get(key).and_then(toml::Value::as_str).unwrap().to_owned();
    let is_it = |entry: &&toml::Value| {
        let line = entry.get("line").and_then(toml::Value::as_integer).map(|line| usize::try_from(line).unwrap());
        string(entry, "file") == at.0 && line == at.1
    };
    let entry = list.iter().find(is_it).unwrap_or_else(|| panic!("{at:?} is not in refused.toml"));
    let faults = entry.get("faults").and_then(toml::Value::as_array).cloned().unwrap_or_default();
    assert_ne!(faults.is_empty(), entry.get("why").is_none(), "{at:?}: either a fault of the body or another reason");
    let faults = faults.iter().map(|fault| (string(fault, "code"), string(fault, "place"))).collect();
    Refused { format: string(entry, "format"), said: string(entry, "said"), faults }
}

/// The bodies that are at fault are named, and nothing is said of the others. The words that the checker gives for a fault are in
/// the provider's answer.
#[test]
fn of_the_refused_requests_only_the_faulty_bodies_are_reported() {
    let list: toml::Table = fs::read_to_string(folder().join("refused.toml")).unwrap().parse().unwrap();
    let list = list.get("refused").and_then(toml::Value::as_array).unwrap();
    let mut formats = BTreeSet::new();
    let refusals = refusals();
    assert_eq!((refusals.len(), list.len()), (31, 31));
    for (at, text) in &refusals {
        let refused = listed(at, list);
        let document = Document::parse(text).unwrap();
        let response = document.root().get("response").unwrap();
        let response = response.as_str().unwrap_or_else(|| response.raw().into());
        assert!(response.contains(&refused.said), "{at:?}: {} is not in {response}", refused.said);
        formats.insert(refused.format.clone());
        if refused.format == "bedrock_converse" {
            assert_eq!(checked(document.root()), Err(Unrecognised::Bedrock), "{at:?}");
            continue;
        }
        let (rules, report) = checked(document.root()).unwrap();
        assert_eq!(rules.wire, wire_of(&refused.format), "{at:?}");
        for said in report.violations.iter().filter_map(|violation| violation.provider_error(&rules)) {
            assert!(response.contains(&said), "{at:?}: {said} is not in {response}");
        }
        let faults: Vec<_> =
            report.violations.iter().map(|found| (found.fault.code().to_owned(), found.place.to_string())).collect();
        assert_eq!(faults, refused.faults, "{at:?}");
    }
    let all = ["anthropic_messages", "bedrock_converse", "gemini", "openai_chat", "openai_responses"];
    assert_eq!(formats, all.map(str::to_owned).into());
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

/// Each quoted text of the newer wires is what the checker says of some body, but for two that no body tells: an item whose reasoning
/// is missing, and DeepSeek's demand for the reasoning of its own model.
#[test]
fn the_quoted_texts_of_the_newer_wires_are_the_checkers_words() {
    let bodies = [
        r#"{"contents": [{"parts": [{"text": "q"}]}, {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}, {"parts": [{"text": "q"}]}]}"#,
        r#"{"contents": [{"role": "model", "parts": [{"functionCall": {"name": "f"}}]},
            {"parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}"#,
        r#"{"contents": [{"parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}"#,
        r#"{"model": "gpt-5", "input": [{"type": "reasoning", "id": "rs_...", "summary": []}, {"role": "user", "content": "q"}]}"#,
    ];
    let said: BTreeSet<String> = bodies
        .iter()
        .flat_map(|text| {
            let document = Document::parse(text).unwrap();
            let rules = Rules::for_wire(recognise(document.root()).unwrap().wire);
            let report = check(document.root(), &rules);
            report.violations.iter().filter_map(|violation| violation.provider_error(&rules)).collect::<Vec<_>>()
        })
        .map(|said| said.trim_end_matches('.').to_owned())
        .collect();
    let lines = fs::read_to_string(folder().join("provider_rejections.jsonl")).unwrap();
    let mut unsaid = Vec::new();
    let mut quoted = 0;
    for line in lines.lines().filter(|line| line.contains("\"error_text\"")) {
        let document = Document::parse(line).unwrap();
        let field = |key| document.root().get(key).and_then(Value::as_str).unwrap();
        if field("format") != "gemini" && !field("format").starts_with("openai_responses") {
            continue;
        }
        quoted += 1;
        let message = field("message").trim_end_matches('.').to_owned();
        if !said.contains(&message) {
            unsaid.push(message);
        }
    }
    let untold = [
        "Item 'msg_...' was provided without its required 'reasoning' item: 'rs_...'",
        "The `reasoning_text` in the thinking mode must be passed back to the API",
    ];
    assert_eq!((quoted, unsaid), (6, untold.map(str::to_owned).to_vec()));
}
