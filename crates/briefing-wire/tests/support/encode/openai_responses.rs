//! OpenAI Responses: <https://platform.openai.com/docs/api-reference/responses-streaming>.

use serde_json::{Value, json};

use super::{Cutter, Event};

struct Events {
    out: Vec<Event>,
}

impl Events {
    fn push(&mut self, mut data: Value) {
        data["sequence_number"] = json!(self.out.len());
        self.out.push((Some(data["type"].as_str().unwrap().to_owned()), data.to_string()));
    }
}

pub(crate) fn events(response: &Value, cutter: &mut Cutter) -> Vec<Event> {
    let mut events = Events { out: Vec::new() };
    let mut begun = response.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    events.push(json!({"type": "response.created", "response": begun}));
    events.push(json!({"type": "response.in_progress", "response": begun}));
    for (index, item) in response["output"].as_array().unwrap().iter().enumerate() {
        self::item(index, item, cutter, &mut events);
    }
    let kind = format!("response.{}", response["status"].as_str().unwrap());
    events.push(json!({"type": kind, "response": response}));
    events.out
}

fn item(index: usize, item: &Value, cutter: &mut Cutter, events: &mut Events) {
    let mut added = item.clone();
    added["status"] = json!("in_progress");
    let id = item["id"].clone();
    match item["type"].as_str().unwrap() {
        "message" => {
            added["content"] = json!([]);
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
            for (place, part) in item["content"].as_array().unwrap().iter().enumerate() {
                self::part(index, place, &id, part, cutter, events);
            }
        }
        "function_call" | "custom_tool_call" => {
            let (key, kind) = if item["type"] == "function_call" {
                ("arguments", "response.function_call_arguments")
            } else {
                ("input", "response.custom_tool_call_input")
            };
            added[key] = json!("");
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
            for piece in cutter.cut(item[key].as_str().unwrap()) {
                let kind = format!("{kind}.delta");
                events.push(json!({"type": kind, "item_id": id, "output_index": index, "delta": piece, "obfuscation": "aaa"}));
            }
            let kind = format!("{kind}.done");
            events.push(json!({"type": kind, "item_id": id, "output_index": index, key: item[key]}));
        }
        "reasoning" => {
            added["summary"] = json!([]);
            added["encrypted_content"] = json!("so far");
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
            for (place, part) in item["summary"].as_array().into_iter().flatten().enumerate() {
                let mut empty = part.clone();
                empty["text"] = json!("");
                let at = json!({"item_id": id, "output_index": index, "summary_index": place});
                let with = |kind: &str, key: &str, value: Value| {
                    let mut event = at.clone();
                    event["type"] = json!(kind);
                    event[key] = value;
                    event
                };
                events.push(with("response.reasoning_summary_part.added", "part", empty));
                for piece in cutter.cut(part["text"].as_str().unwrap()) {
                    events.push(with("response.reasoning_summary_text.delta", "delta", json!(piece)));
                }
                events.push(with("response.reasoning_summary_text.done", "text", part["text"].clone()));
                events.push(with("response.reasoning_summary_part.done", "part", part.clone()));
            }
        }
        kind => {
            events.push(json!({"type": "response.output_item.added", "output_index": index, "item": added}));
            if kind == "web_search_call" {
                events.push(json!({"type": "response.web_search_call.searching", "output_index": index, "item_id": id}));
            }
        }
    }
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
}

fn part(index: usize, place: usize, id: &Value, part: &Value, cutter: &mut Cutter, events: &mut Events) {
    let kind = part["type"].as_str().unwrap();
    let key = if kind == "refusal" { "refusal" } else { "text" };
    let mut empty = part.clone();
    empty[key] = json!("");
    let at = json!({"item_id": id, "output_index": index, "content_index": place});
    let with = |kind: String, key: &str, value: Value| {
        let mut event = at.clone();
        event["type"] = json!(kind);
        event[key] = value;
        event
    };
    events.push(with("response.content_part.added".to_owned(), "part", empty));
    for piece in cutter.cut(part[key].as_str().unwrap()) {
        events.push(with(format!("response.{kind}.delta"), "delta", json!(piece)));
    }
    for annotation in part["annotations"].as_array().into_iter().flatten() {
        events.push(with("response.output_text.annotation.added".to_owned(), "annotation", annotation.clone()));
    }
    events.push(with(format!("response.{kind}.done"), key, part[key].clone()));
    events.push(with("response.content_part.done".to_owned(), "part", part.clone()));
}
