//! OpenAI Responses: <https://platform.openai.com/docs/api-reference/responses-streaming>.

use serde_json::{Value, json};

use super::named;
use crate::scripted::say::{Ending, SaidItem, Say};

/// A response with that output, begun or ended.
fn response(say: &Say, model: &str, output: &[Value], begun: bool) -> Value {
    let (status, why) = match say.ending {
        _ if begun => ("in_progress", Value::Null),
        Ending::Model => ("completed", Value::Null),
        Ending::Limit => ("incomplete", json!({"reason": "max_output_tokens"})),
    };
    let total = say.input.saturating_add(say.output);
    let usage = json!({"input_tokens": say.input, "output_tokens": say.output, "total_tokens": total});
    json!({
        "id": "resp_scripted", "object": "response", "created_at": 0, "status": status, "incomplete_details": why,
        "model": model, "output": output, "usage": if begun { Value::Null } else { usage },
    })
}

fn text(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": []})
}

fn item(index: usize, item: &SaidItem) -> Value {
    match item {
        SaidItem::Text(pieces) => json!({
            "id": format!("msg_{index}"), "type": "message", "status": "completed", "role": "assistant",
            "content": [text(&pieces.concat())],
        }),
        SaidItem::Call(call) => json!({
            "id": format!("fc_{index}"), "type": "function_call", "status": "completed",
            "call_id": call.id, "name": call.name, "arguments": call.arguments,
        }),
    }
}

fn items(say: &Say) -> Vec<Value> {
    say.items.iter().enumerate().map(|(index, said)| item(index, said)).collect()
}

pub(in crate::scripted) fn whole(say: &Say, model: &str) -> Value {
    response(say, model, &items(say), false)
}

pub(in crate::scripted) fn streamed(say: &Say, model: &str) -> String {
    let mut number = 0_u64;
    let mut out = String::new();
    let mut push = |kind: &str, mut data: Value| {
        if let Some(data) = data.as_object_mut() {
            data.insert("type".to_owned(), json!(kind));
            data.insert("sequence_number".to_owned(), json!(number));
        }
        number += 1;
        out.push_str(&named(kind, &data));
    };
    push("response.created", json!({"response": response(say, model, &[], true)}));
    for (index, said) in say.items.iter().enumerate() {
        match said {
            SaidItem::Text(pieces) => {
                let id = format!("msg_{index}");
                let added = json!({
                    "id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": [],
                });
                push("response.output_item.added", json!({"output_index": index, "item": added}));
                let part =
                    |key: &str, value: Value| json!({"item_id": id, "output_index": index, "content_index": 0, key: value});
                push("response.content_part.added", part("part", text("")));
                for piece in pieces {
                    push("response.output_text.delta", part("delta", json!(piece)));
                }
                push("response.output_text.done", part("text", json!(pieces.concat())));
                push("response.content_part.done", part("part", text(&pieces.concat())));
            }
            SaidItem::Call(call) => {
                let id = format!("fc_{index}");
                let added = json!({
                    "id": id, "type": "function_call", "status": "in_progress",
                    "call_id": call.id, "name": call.name, "arguments": "",
                });
                push("response.output_item.added", json!({"output_index": index, "item": added}));
                for piece in call.pieces() {
                    let delta = json!({"item_id": id, "output_index": index, "delta": piece});
                    push("response.function_call_arguments.delta", delta);
                }
                let done = json!({"item_id": id, "output_index": index, "arguments": call.arguments});
                push("response.function_call_arguments.done", done);
            }
        }
        push("response.output_item.done", json!({"output_index": index, "item": item(index, said)}));
    }
    let kind = match say.ending {
        Ending::Model => "response.completed",
        Ending::Limit => "response.incomplete",
    };
    push(kind, json!({"response": response(say, model, &items(say), false)}));
    out
}
