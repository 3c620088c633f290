//! Recorded requests, and small hand-made bodies that say the same on all four wires.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

use std::path::Path;

use briefing_diff::{Cause, Diff, Wire, diff};
use serde_json::{Value, json};

pub(crate) const WIRES: [Wire; 4] = [Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Anthropic, Wire::Gemini];

/// A quarter of the bytes: any estimator does, if it counts the same each time.
pub(crate) fn estimate(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}

/// Compares two bodies as they would be sent.
pub(crate) fn between(older: &Value, newer: &Value) -> Diff {
    diff(&older.to_string(), &newer.to_string(), estimate).unwrap()
}

/// The causes of all breaks.
pub(crate) fn causes(older: &Value, newer: &Value) -> Vec<Cause> {
    between(older, newer).breaks().iter().map(|found| found.cause.clone()).collect()
}

/// Every recorded request that a provider has accepted, by name: those of the checkers' tests, and two of each other wire.
pub(crate) fn recorded() -> Vec<(String, Value)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in [here.join("../briefing-check/tests/data/wire"), here.join("tests/data/wire")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if name.contains("_pos_") {
                let record: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
                all.push((name, record["request"].clone()));
            }
        }
    }
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    assert!(all.len() >= 32, "{} recordings", all.len());
    all
}

pub(crate) fn wire_of(name: &str) -> Wire {
    match name.split("_pos_").next().unwrap() {
        "openai_chat" => Wire::OpenAiChat,
        "openai_responses" => Wire::OpenAiResponses,
        "anthropic_messages" => Wire::Anthropic,
        "gemini" => Wire::Gemini,
        other => panic!("{other}"),
    }
}

/// The member that holds the list.
pub(crate) fn list_of(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::Anthropic => "messages",
        Wire::OpenAiResponses => "input",
        Wire::Gemini => "contents",
    }
}

pub(crate) fn messages(body: &mut Value, wire: Wire) -> &mut Vec<Value> {
    body[list_of(wire)].as_array_mut().unwrap()
}

pub(crate) fn user(wire: Wire, text: &str) -> Value {
    match wire {
        Wire::Gemini => json!({ "role": "user", "parts": [{ "text": text }] }),
        Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => json!({ "role": "user", "content": text }),
    }
}

pub(crate) fn assistant(wire: Wire, text: &str) -> Value {
    match wire {
        Wire::Gemini => json!({ "role": "model", "parts": [{ "text": text }] }),
        Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => json!({ "role": "assistant", "content": text }),
    }
}

/// A call of the tool `find` with arguments as they are written.
pub(crate) fn call(wire: Wire, id: &str, arguments: &str) -> Value {
    let input: Value = serde_json::from_str(arguments).unwrap();
    match wire {
        Wire::OpenAiChat => json!({ "role": "assistant", "tool_calls": [
            { "id": id, "type": "function", "function": { "name": "find", "arguments": arguments } }] }),
        Wire::OpenAiResponses => json!({ "type": "function_call", "call_id": id, "name": "find", "arguments": arguments }),
        Wire::Anthropic => json!({ "role": "assistant", "content": [
            { "type": "tool_use", "id": id, "name": "find", "input": input }] }),
        Wire::Gemini => json!({ "role": "model", "parts": [{ "functionCall": { "id": id, "name": "find", "args": input } }] }),
    }
}

pub(crate) fn outcome(wire: Wire, id: &str, text: &str) -> Value {
    match wire {
        Wire::OpenAiChat => json!({ "role": "tool", "tool_call_id": id, "content": text }),
        Wire::OpenAiResponses => json!({ "type": "function_call_output", "call_id": id, "output": text }),
        Wire::Anthropic => {
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] })
        }
        Wire::Gemini => json!({ "role": "user", "parts": [
            { "functionResponse": { "id": id, "name": "find", "response": { "output": text } } }] }),
    }
}

/// A user's message with a picture and a text behind it.
pub(crate) fn picture(wire: Wire, text: &str) -> Value {
    match wire {
        Wire::OpenAiChat => json!({ "role": "user", "content": [
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0K" } }, { "type": "text", "text": text }] }),
        Wire::OpenAiResponses => json!({ "role": "user", "content": [
            { "type": "input_image", "image_url": "data:image/png;base64,iVBORw0K" }, { "type": "input_text", "text": text }] }),
        Wire::Anthropic => json!({ "role": "user", "content": [
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "iVBORw0K" } },
            { "type": "text", "text": text }] }),
        Wire::Gemini => json!({ "role": "user", "parts": [
            { "inlineData": { "mimeType": "image/png", "data": "iVBORw0K" } }, { "text": text }] }),
    }
}

/// A user's message of two texts.
pub(crate) fn two_texts(wire: Wire, first: &str, second: &str) -> Value {
    let block = |text: &str| match wire {
        Wire::OpenAiChat | Wire::Anthropic => json!({ "type": "text", "text": text }),
        Wire::OpenAiResponses => json!({ "type": "input_text", "text": text }),
        Wire::Gemini => json!({ "text": text }),
    };
    let member = if wire == Wire::Gemini { "parts" } else { "content" };
    json!({ "role": "user", member: [block(first), block(second)] })
}

pub(crate) fn tool(wire: Wire, name: &str, parameters: &Value) -> Value {
    match wire {
        Wire::OpenAiChat => json!({ "type": "function", "function": { "name": name, "parameters": parameters } }),
        Wire::OpenAiResponses => json!({ "type": "function", "name": name, "parameters": parameters }),
        Wire::Anthropic => json!({ "name": name, "input_schema": parameters }),
        Wire::Gemini => json!({ "name": name, "parameters": parameters }),
    }
}

/// A hand-made body. A body of Gemini names no model.
pub(crate) fn body(wire: Wire, tools: &[Value], system: &str, list: &[Value]) -> Value {
    let mut list = list.to_vec();
    match wire {
        Wire::OpenAiChat => {
            list.insert(0, json!({ "role": "system", "content": system }));
            json!({ "model": "gpt-5", "tools": tools, "messages": list })
        }
        Wire::OpenAiResponses => json!({ "model": "gpt-5", "instructions": system, "tools": tools, "input": list }),
        Wire::Anthropic => {
            json!({ "model": "claude-sonnet-4-5", "max_tokens": 100, "system": system, "tools": tools, "messages": list })
        }
        Wire::Gemini => json!({
            "systemInstruction": { "parts": [{ "text": system }] },
            "tools": [{ "functionDeclarations": tools }],
            "contents": list,
        }),
    }
}

/// A body of that list, with one tool and a system text.
pub(crate) fn chat(wire: Wire, list: &[Value]) -> Value {
    body(wire, &[tool(wire, "find", &json!({ "type": "object" }))], "You are Sundae.", list)
}
