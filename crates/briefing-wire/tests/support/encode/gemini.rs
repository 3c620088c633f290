//! Gemini: <https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent>.

use serde_json::{Value, json};

use super::{Cutter, Event, without};

pub(crate) fn events(response: &Value, cutter: &mut Cutter) -> Vec<Event> {
    let candidate = &response["candidates"][0];
    let mut parts = Vec::new();
    for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
        // A part with a signature is not cut, as its pieces would be other parts.
        if part["text"].is_string() && part.get("thoughtSignature").is_none() {
            for piece in cutter.cut(part["text"].as_str().unwrap()) {
                let mut part = part.clone();
                part["text"] = json!(piece);
                parts.push(part);
            }
        } else {
            parts.push(part.clone());
        }
    }
    let mut chunks: Vec<Value> = parts
        .chunks(2)
        .map(|parts| {
            let mut chunk = without(response, &["candidates"]);
            chunk["candidates"] = json!([{"content": {"parts": parts, "role": "model"}, "index": 0}]);
            chunk
        })
        .collect();
    let mut last = response.clone();
    last["candidates"][0]["content"]["parts"] = json!([{"text": ""}]);
    chunks.push(last);
    chunks.into_iter().map(|chunk| (None, chunk.to_string())).collect()
}

/// The same without `alt=sse`: an array over many lines.
pub(crate) fn array(events: &[Event]) -> Vec<u8> {
    let chunks: Vec<String> = events.iter().map(|(_, data)| format!("\n  {data}")).collect();
    format!("[{}\n]\n", chunks.join("\n,\r\n")).into_bytes()
}
