//! Recordings of OpenAI Responses and Gemini as the libraries keep them, sent on their own wire: nothing that the provider wants back
//! is lost. OpenAI refuses reasoning "without its required following item" (report B62), Gemini 3 a call without its signature (B64).

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use briefing::{Bounds, Call, Profiles, Wire, fit};
use briefing_check::Rules;
use briefing_forms::{Form, read, recognise, write};
use briefing_json::Document;
use briefing_wire::{Render, WireChange};
use serde_json::Value;

const MODELS: [(Wire, briefing_check::Wire, &str); 2] = [
    (Wire::OpenAiResponses, briefing_check::Wire::OpenAiResponses, "gpt-5.6"),
    (Wire::Gemini, briefing_check::Wire::Gemini, "gemini-3-flash-preview"),
];

/// The body that is sent of stored messages, which the checker finds nothing wrong with and in which no reasoning is left out.
fn sent(text: &str, on: Wire) -> Value {
    let document = Document::parse(text).unwrap();
    let messages = read(recognise(document.root()).unwrap(), document.root()).unwrap().messages;
    let (wire, checked, model) = MODELS.into_iter().find(|(wire, ..)| *wire == on).unwrap();
    let call = Call::new(Profiles::built_in().model(model, Some(wire)));
    let request = fit(&messages, &call, &Bounds::none()).unwrap().render().unwrap();
    let left_out = request.findings().iter().find(|found| matches!(found.change, WireChange::ReasoningLeftOut { .. }));
    assert_eq!(left_out, None);
    let body = std::str::from_utf8(request.body()).unwrap();
    let report = briefing_check::check(Document::parse(body).unwrap().root(), &Rules::for_model(checked, model));
    assert!(report.is_clean(), "{report:?}\n{body}");
    serde_json::from_str(body).unwrap()
}

/// The files of recordings whose names begin so.
fn stored(prefix: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["langchain", "vercel"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.starts_with(prefix) {
                found.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}

/// What is opaque: ids of items and what is encrypted (OpenAI), signatures (Gemini), each once, in standard Base64.
fn opaque(value: &Value, key: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let item = ["rs_", "fc_", "msg_", "gAAAA"].iter().any(|start| text.starts_with(start)) && !text.contains(' ');
            let signature = key == "thoughtSignature" || key == "signature";
            if item || signature {
                found.insert(text.replace('-', "+").replace('_', "/"));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| opaque(item, key, found)),
        Value::Object(members) => {
            for (name, member) in members {
                let signatures = key == "__gemini_function_call_thought_signatures__";
                opaque(member, if signatures { "signature" } else { name }, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn opaque_in(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    opaque(value, "", &mut found);
    found
}

/// As it is stored, and as each form stores what was read of it.
fn kept_in_all_forms(prefix: &str, wire: Wire, files: usize) {
    let stored = stored(prefix);
    assert_eq!(stored.len(), files);
    for (name, text) in stored {
        let kept = opaque_in(&serde_json::from_str(&text).unwrap());
        assert!(!kept.is_empty(), "{name}");
        assert_eq!(opaque_in(&sent(&text, wire)), kept, "{name}");
        let document = Document::parse(&text).unwrap();
        let messages = read(recognise(document.root()).unwrap(), document.root()).unwrap().messages;
        for form in Form::ALL {
            let written = write(form, &messages).json;
            assert_eq!(opaque_in(&sent(&written, wire)), kept, "{name} as {form}\n{written}");
        }
    }
}

#[test]
fn b62_reasoning_of_openai_responses_goes_back_with_what_followed_it() {
    kept_in_all_forms("openai_responses_", Wire::OpenAiResponses, 6);
    for (name, text) in stored("openai_responses_pos_01") {
        let body = sent(&text, Wire::OpenAiResponses);
        let items = body.get("input").unwrap().as_array().unwrap();
        let at = items.iter().position(|item| item.get("type").is_some_and(|kind| kind == "reasoning")).unwrap();
        let member = |at: usize, name| items.get(at).unwrap().get(name).and_then(Value::as_str).unwrap();
        assert_eq!(member(at, "id"), "rs_091af5051d4967d3006a721620966c8196a9328a337fb26662", "{name}");
        assert!(member(at, "encrypted_content").len() > 400, "{name}");
        assert_eq!(member(at + 1, "id"), "fc_091af5051d4967d3006a721621d17c81968f4e1e6f59708a4a", "{name}");
        assert_eq!(member(at + 1, "namespace"), "get_weather", "{name}");
    }
}

#[test]
fn b64_signatures_of_gemini_go_back_with_their_calls_and_texts() {
    kept_in_all_forms("gemini_", Wire::Gemini, 8);
}
