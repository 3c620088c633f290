//! Anthropic: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>.

use serde_json::{Value, json};

use super::{Cutter, Event};

fn event(data: Value) -> Event {
    (Some(data["type"].as_str().unwrap().to_owned()), data.to_string())
}

pub(crate) fn events(response: &Value, cutter: &mut Cutter) -> Vec<Event> {
    let mut start = response.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["stop_sequence"] = Value::Null;
    start["usage"]["output_tokens"] = json!(1);
    let mut out = vec![event(json!({"type": "message_start", "message": start})), event(json!({"type": "ping"}))];
    for (index, block) in response["content"].as_array().unwrap().iter().enumerate() {
        self::block(index, block, cutter, &mut out);
    }
    let delta = json!({"stop_reason": response["stop_reason"], "stop_sequence": response["stop_sequence"]});
    let usage = json!({"output_tokens": response["usage"]["output_tokens"]});
    out.push(event(json!({"type": "message_delta", "delta": delta, "usage": usage})));
    out.push(event(json!({"type": "message_stop"})));
    out
}

fn block(index: usize, block: &Value, cutter: &mut Cutter, out: &mut Vec<Event>) {
    let mut start = block.clone();
    let mut deltas = Vec::new();
    match block["type"].as_str().unwrap() {
        "text" => {
            start["text"] = json!("");
            deltas.extend(
                cutter.cut(block["text"].as_str().unwrap()).into_iter().map(|text| json!({"type": "text_delta", "text": text})),
            );
            for citation in block["citations"].as_array().into_iter().flatten() {
                start["citations"] = json!([]);
                deltas.push(json!({"type": "citations_delta", "citation": citation}));
            }
        }
        "thinking" => {
            start["thinking"] = json!("");
            start["signature"] = json!("");
            let pieces = cutter.cut(block["thinking"].as_str().unwrap());
            deltas.extend(pieces.into_iter().map(|text| json!({"type": "thinking_delta", "thinking": text})));
            deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
        }
        "tool_use" | "server_tool_use" | "mcp_tool_use" => {
            start["input"] = json!({});
            deltas.push(json!({"type": "input_json_delta", "partial_json": ""}));
            let pieces = cutter.cut(&block["input"].to_string());
            deltas.extend(pieces.into_iter().map(|text| json!({"type": "input_json_delta", "partial_json": text})));
        }
        _ => {}
    }
    out.push(event(json!({"type": "content_block_start", "index": index, "content_block": start})));
    out.extend(deltas.into_iter().map(|delta| event(json!({"type": "content_block_delta", "index": index, "delta": delta}))));
    out.push(event(json!({"type": "content_block_stop", "index": index})));
}
