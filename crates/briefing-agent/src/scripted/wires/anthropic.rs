//! Anthropic Messages: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>.

use serde_json::{Value, json};

use super::named;
use crate::scripted::say::{Ending, SaidItem, Say};

fn reason(say: &Say) -> &'static str {
    match say.ending {
        Ending::Limit => "max_tokens",
        Ending::Model if say.made().next().is_some() => "tool_use",
        Ending::Model => "end_turn",
    }
}

fn message(model: &str, content: &[Value], reason: Option<&str>, usage: &Value) -> Value {
    json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": usage,
    })
}

fn block(item: &SaidItem) -> Value {
    match item {
        SaidItem::Text(pieces) => json!({"type": "text", "text": pieces.concat()}),
        SaidItem::Call(call) => json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.value()}),
    }
}

pub(in crate::scripted) fn whole(say: &Say, model: &str) -> Value {
    let content: Vec<Value> = say.items.iter().map(block).collect();
    message(model, &content, Some(reason(say)), &json!({"input_tokens": say.input, "output_tokens": say.output}))
}

pub(in crate::scripted) fn streamed(say: &Say, model: &str) -> String {
    let mut out = String::new();
    let mut push = |kind: &str, mut data: Value| {
        if let Some(data) = data.as_object_mut() {
            data.insert("type".to_owned(), json!(kind));
        }
        out.push_str(&named(kind, &data));
    };
    let usage = json!({"input_tokens": say.input, "output_tokens": 1});
    push("message_start", json!({"message": message(model, &[], None, &usage)}));
    for (index, item) in say.items.iter().enumerate() {
        let (start, deltas): (Value, Vec<Value>) = match item {
            SaidItem::Text(pieces) => (
                json!({"type": "text", "text": ""}),
                pieces.iter().map(|piece| json!({"type": "text_delta", "text": piece})).collect(),
            ),
            SaidItem::Call(call) => (
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}),
                call.pieces().map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).into(),
            ),
        };
        push("content_block_start", json!({"index": index, "content_block": start}));
        for delta in deltas {
            push("content_block_delta", json!({"index": index, "delta": delta}));
        }
        push("content_block_stop", json!({"index": index}));
    }
    let delta = json!({"stop_reason": reason(say), "stop_sequence": null});
    push("message_delta", json!({"delta": delta, "usage": {"output_tokens": say.output}}));
    push("message_stop", json!({}));
    out
}
