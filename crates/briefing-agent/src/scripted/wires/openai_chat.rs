//! OpenAI Chat: <https://platform.openai.com/docs/api-reference/chat-streaming>.

use serde_json::{Value, json};

use super::event;
use crate::scripted::say::{Ending, SaidItem, Say};

const ID: &str = "chatcmpl-scripted";

fn reason(say: &Say) -> &'static str {
    match say.ending {
        Ending::Limit => "length",
        Ending::Model if say.made().next().is_some() => "tool_calls",
        Ending::Model => "stop",
    }
}

fn usage(say: &Say) -> Value {
    let total = say.input.saturating_add(say.output);
    json!({"prompt_tokens": say.input, "completion_tokens": say.output, "total_tokens": total})
}

pub(in crate::scripted) fn whole(say: &Say, model: &str) -> Value {
    let text = say.joined();
    let mut message = json!({"role": "assistant", "content": if text.is_empty() { Value::Null } else { json!(text) }});
    let calls: Vec<Value> = say
        .made()
        .map(|call| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}))
        .collect();
    if let (Some(message), false) = (message.as_object_mut(), calls.is_empty()) {
        message.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    json!({
        "id": ID, "object": "chat.completion", "created": 0, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason(say)}],
        "usage": usage(say),
    })
}

pub(in crate::scripted) fn streamed(say: &Say, model: &str) -> String {
    let chunk = |choices: &Value, usage: &Value| {
        event(&json!({
            "id": ID, "object": "chat.completion.chunk", "created": 0, "model": model, "choices": choices, "usage": usage,
        }))
    };
    let delta = |delta: Value| chunk(&json!([{"index": 0, "delta": delta, "finish_reason": null}]), &Value::Null);
    let content = if say.joined().is_empty() { Value::Null } else { json!("") };
    let mut out = delta(json!({"role": "assistant", "content": content}));
    let mut index = 0;
    for item in &say.items {
        match item {
            SaidItem::Text(pieces) => out.extend(pieces.iter().map(|piece| delta(json!({"content": piece})))),
            SaidItem::Call(call) => {
                let begun = json!({
                    "index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""},
                });
                out.push_str(&delta(json!({"tool_calls": [begun]})));
                for piece in call.pieces() {
                    out.push_str(&delta(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})));
                }
                index += 1;
            }
        }
    }
    out.push_str(&chunk(&json!([{"index": 0, "delta": {}, "finish_reason": reason(say)}]), &Value::Null));
    out.push_str(&chunk(&json!([]), &usage(say)));
    out.push_str("data: [DONE]\n\n");
    out
}
