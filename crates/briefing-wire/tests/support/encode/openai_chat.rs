//! OpenAI Chat: <https://platform.openai.com/docs/api-reference/chat-streaming>, with `stream_options.include_usage`.

use serde_json::{Value, json};

use super::{Cutter, Event, without};

pub(crate) fn events(response: &Value, cutter: &mut Cutter) -> Vec<Event> {
    let choice = &response["choices"][0];
    let message = &choice["message"];
    let chunk = |choices: Value, usage: Value| {
        let mut chunk = without(response, &["choices", "usage"]);
        chunk["object"] = json!("chat.completion.chunk");
        chunk["choices"] = choices;
        chunk["usage"] = usage;
        (None, chunk.to_string())
    };
    let delta =
        |delta: Value| chunk(json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}]), Value::Null);
    let texts = ["reasoning_content", "reasoning", "content", "refusal"];
    let mut first = without(message, &["tool_calls"]);
    for key in texts {
        if first[key].is_string() {
            first[key] = json!("");
        }
    }
    let mut out = vec![delta(first)];
    for key in texts {
        for piece in cutter.cut(message[key].as_str().unwrap_or_default()) {
            out.push(delta(json!({ key: piece })));
        }
    }
    for (index, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
        let mut begun = call.clone();
        begun["index"] = json!(index);
        let (holder, key) = if call["type"] == "custom" { ("custom", "input") } else { ("function", "arguments") };
        begun[holder][key] = json!("");
        out.push(delta(json!({"tool_calls": [begun]})));
        for piece in cutter.cut(call[holder][key].as_str().unwrap()) {
            out.push(delta(json!({"tool_calls": [{"index": index, holder: {key: piece}}]})));
        }
    }
    let end = json!([{"index": 0, "delta": {}, "logprobs": null, "finish_reason": choice["finish_reason"]}]);
    out.push(chunk(end, Value::Null));
    if response["usage"].is_object() {
        out.push(chunk(json!([]), response["usage"].clone()));
    }
    out.push((None, "[DONE]".to_owned()));
    out
}
