//! Requests that providers accepted, recorded by pydantic-ai's tests (see `data/wire/LICENSE`): read, fitted and written again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/recorded.rs"]
mod recorded;
mod support;

use briefing::{Call, Wire};
use briefing_wire::{Parsed, WireChange, parse_text};
use serde_json::{Map, Value, json};
use support::{again, checked, render, text, value};

/// The wires' listed shapes: a string for an array of one text, nothing for no content and no tools, `function` as a tool's type.
fn listed_shapes(wire: Wire, body: &str) -> Value {
    let mut body: Value = serde_json::from_str(body).unwrap();
    let fields = body.as_object_mut().unwrap();
    fields.retain(|name, value| name != "tools" || !(value == &json!([]) || value.is_null()));
    match wire {
        Wire::OpenAiResponses => responses_shapes(fields),
        Wire::Gemini => gemini_shapes(&mut body),
        Wire::OpenAiChat | Wire::Anthropic => messages_shapes(fields),
    }
    body
}

fn messages_shapes(fields: &mut Map<String, Value>) {
    fields.get_mut("system").into_iter().for_each(content);
    for tool in fields.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        let tool = tool.as_object_mut().unwrap();
        if tool.contains_key("function") {
            tool.entry("type").or_insert("function".into());
        }
    }
    for message in fields["messages"].as_array_mut().unwrap() {
        let message = message.as_object_mut().unwrap();
        for block in message.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
            block.get_mut("content").into_iter().for_each(content);
        }
        without_empty_content(message);
    }
}

/// A description of `null` is none; on a server that is not OpenAI's a line stands before a leading answer.
fn responses_shapes(fields: &mut Map<String, Value>) {
    let input = fields["input"].as_array_mut().unwrap();
    input.retain(|item| item["content"] != "[the conversation so far]");
    for tool in fields.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        tool.as_object_mut().unwrap().retain(|name, value| name != "description" || !value.is_null());
    }
}

/// One spelling of the names, one alphabet of Base64, and a blank input as the line that stands before an answer.
fn gemini_shapes(body: &mut Value) {
    match body {
        Value::Object(fields) => {
            let renamed = std::mem::take(fields).into_iter().map(|(name, value)| match name.as_str() {
                "parameters_json_schema" => ("parametersJsonSchema".to_owned(), value),
                "data" => (name, value.as_str().unwrap().replace('-', "+").replace('_', "/").into()),
                "text" if value == "" => (name, "[the conversation so far]".into()),
                _ => (name, value),
            });
            *fields = renamed.collect();
            fields.values_mut().for_each(gemini_shapes);
        }
        Value::Array(items) => items.iter_mut().for_each(gemini_shapes),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without_empty_content(message: &mut Map<String, Value>) {
    message.get_mut("content").into_iter().for_each(content);
    message.retain(|name, value| name != "content" || !(value.is_null() || value == &json!([])));
}

fn content(content: &mut Value) {
    let text = match content.as_array().map(Vec::as_slice) {
        Some([block]) if block["type"] == "text" && block.as_object().unwrap().len() == 2 => block["text"].clone(),
        _ => return,
    };
    *content = text;
}

#[test]
fn each_comes_out_as_the_same_json_and_stays() {
    for (name, wire, body) in recorded::requests() {
        let Parsed { call, messages, findings } = parse_text(wire, &body).unwrap();
        assert_eq!(findings, [], "{name}");
        let request = render(&messages, &call);
        let opening = WireChange::Filler(briefing::texts::Filler::Opening);
        assert!(request.findings().iter().all(|finding| finding.change == opening), "{name}: {:?}", request.findings());
        assert_eq!(listed_shapes(wire, text(&request)), listed_shapes(wire, &body), "{name}");
        assert_eq!(again(text(&request), wire), text(&request), "{name}");
        assert_eq!(checked(text(&request), call.profile()).violations, [], "{name}");
    }
}

/// Design invariant 13: what only the provider understands goes back byte for byte.
#[test]
fn native_and_reasoning_blocks_come_out_byte_for_byte() {
    let mut seen = 0;
    for (name, wire, body) in recorded::requests() {
        let parsed = parse_text(wire, &body).unwrap();
        let request = render(&parsed.messages, &parsed.call);
        let document = briefing_json::Document::parse(&body).unwrap();
        for raw in opaque(wire, document.root()) {
            assert!(text(&request).contains(raw.raw()), "{name}: {}", raw.raw());
            seen += 1;
        }
    }
    assert_eq!(seen, 25);
}

/// What of a body only its provider understands.
fn opaque<'d>(wire: Wire, body: briefing_json::Value<'d>) -> Vec<briefing_json::Value<'d>> {
    let kind = |block: briefing_json::Value<'_>| {
        block.get("type").and_then(|kind| Some(kind.as_str()?.into_owned())).unwrap_or_default()
    };
    let list = |key: &str| body.get(key).into_iter().flat_map(briefing_json::Value::items);
    match wire {
        Wire::OpenAiChat => list("messages").filter_map(|message| message.get("reasoning_content")).collect(),
        Wire::Anthropic => {
            let blocks = list("messages").filter_map(|message| message.get("content")).flat_map(briefing_json::Value::items);
            let native = ["server_tool_use", "tool_search_tool_result", "tool_addition"];
            blocks.filter(|block| native.contains(&kind(*block).as_str())).collect()
        }
        Wire::OpenAiResponses => {
            let server = |item: &briefing_json::Value<'_>| item.get("call_id").is_some_and(|id| id.is_null());
            let native = |item: &briefing_json::Value<'_>| matches!(kind(*item).as_str(), "reasoning" | "additional_tools");
            list("input").filter(|item| native(item) || server(item)).collect()
        }
        Wire::Gemini => {
            let parts = list("contents").filter_map(|content| content.get("parts")).flat_map(briefing_json::Value::items);
            let recording =
                |part: &briefing_json::Value<'_>| part.raw().contains("\"audio/") || part.raw().contains("\"video/");
            parts.filter(|part| recording(part) && part.get("fileData").is_some()).collect()
        }
    }
}

#[test]
fn each_is_valid_on_the_other_wires_and_their_dialects() {
    for (name, wire, body) in recorded::requests() {
        let parsed = parse_text(wire, &body).unwrap();
        let models = [
            (Wire::OpenAiResponses, "gpt-5"),
            (Wire::OpenAiResponses, "deepseek-v4-flash"),
            (Wire::Gemini, "gemini-3-flash-preview"),
            (Wire::Gemini, "gemini-2.5-flash"),
            (Wire::Anthropic, "claude-sonnet-4-5"),
            (Wire::Anthropic, "claude-opus-4-6"),
            (Wire::Anthropic, "claude-opus-4-8"),
            (Wire::OpenAiChat, "gpt-4o"),
            (Wire::OpenAiChat, "mistral-large-latest"),
            (Wire::OpenAiChat, "deepseek-chat"),
        ];
        for (wire, model) in models {
            let call = Call::model(model, Some(wire)).tools(parsed.call.declared_tools().to_vec());
            let request = render(&parsed.messages, &call);
            assert_eq!(checked(text(&request), call.profile()).violations, [], "{name} as {model}: {}", value(&request));
            assert_eq!(again(text(&request), wire), text(&request), "{name} as {model}");
        }
    }
}
