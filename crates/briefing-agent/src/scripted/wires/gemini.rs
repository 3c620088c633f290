//! Gemini: <https://ai.google.dev/api/generate-content>.

use serde_json::{Value, json};

use super::event;
use crate::scripted::say::{Ending, SaidItem, Say};

/// A response or a chunk of one with these parts; the last one has a reason.
fn response(say: &Say, model: &str, parts: &[Value], last: bool) -> Value {
    let reason = match say.ending {
        _ if !last => Value::Null,
        Ending::Model => json!("STOP"),
        Ending::Limit => json!("MAX_TOKENS"),
    };
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let (Some(candidate), false) = (candidate.as_object_mut(), reason.is_null()) {
        candidate.insert("finishReason".to_owned(), reason);
    }
    let total = say.input.saturating_add(say.output);
    json!({
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": say.input, "candidatesTokenCount": say.output, "totalTokenCount": total},
        "modelVersion": model, "responseId": "scripted",
    })
}

/// The parts of an item: its text in pieces, or whole.
fn parts(item: &SaidItem, whole: bool) -> Vec<Value> {
    match item {
        SaidItem::Text(pieces) if whole => vec![json!({"text": pieces.concat()})],
        SaidItem::Text(pieces) => pieces.iter().map(|piece| json!({"text": piece})).collect(),
        SaidItem::Call(call) => {
            vec![json!({"functionCall": {"id": call.id, "name": call.name, "args": call.value()}})]
        }
    }
}

pub(in crate::scripted) fn whole(say: &Say, model: &str) -> Value {
    let parts: Vec<Value> = say.items.iter().flat_map(|item| parts(item, true)).collect();
    response(say, model, &parts, true)
}

pub(in crate::scripted) fn streamed(say: &Say, model: &str) -> String {
    let parts = say.items.iter().flat_map(|item| parts(item, false));
    let mut out: String = parts.map(|part| event(&response(say, model, &[part], false))).collect();
    out.push_str(&event(&response(say, model, &[json!({"text": ""})], true)));
    out
}
