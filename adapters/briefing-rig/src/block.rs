//! Blocks of a provider's own as rig's items, and back.

use briefing::Wire;
use briefing::message::{Extra, Item, ModelMessage, RawJson, Text, ToolCall};
use briefing_json::Document;
use briefing_wire::parse_messages;
use serde_json::{Map, Value, json};

/// Where `briefing-wire` keeps what stood around the texts of a message of Responses: at the first its fields, at the others `true`.
const MESSAGE: &str = "message";

/// Gemini's signature, in both spellings, and the one that stands for a signature which is not there.
pub(crate) const SIGNATURE: [&str; 2] = ["thoughtSignature", "thought_signature"];
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// A block as JSON; none if a number in it is out of range.
pub(crate) fn value(raw: &RawJson) -> Option<Value> {
    serde_json::from_str(raw.as_str()).ok()
}

/// The unknown fields of a block on its wire.
pub(crate) fn fields(extra: &Extra, wire: Wire) -> Option<Map<String, Value>> {
    let fields: Map<String, Value> = extra.on(wire).filter_map(|(name, raw)| Some((name.to_owned(), value(raw)?))).collect();
    (!fields.is_empty()).then_some(fields)
}

/// The text that reasoning shows, and whether it is withheld.
pub(crate) fn reasoning_text(kind: &str, block: &Value) -> (String, bool) {
    let summary = || {
        let parts = block.get("summary").and_then(Value::as_array)?;
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
        Some(texts.join("\n\n"))
    };
    let shown = [block.as_str(), block.get("thinking").and_then(Value::as_str), block.get("text").and_then(Value::as_str)];
    let shown = shown.into_iter().flatten().next().map(str::to_owned);
    (shown.or_else(summary).unwrap_or_default(), kind == "redacted_thinking")
}

/// What rig calls the item of reasoning: on OpenAI Chat the field that it came in, else the block.
pub(crate) fn reasoning_item(wire: Wire, kind: &str, block: Value) -> Value {
    match wire {
        Wire::OpenAiChat => json!({ kind: block }),
        Wire::Gemini => sendable(block),
        Wire::OpenAiResponses | Wire::Anthropic => block,
    }
}

/// A part of Gemini as rig sends it: rig takes out a signature that is not written as padded Base64 with `+` and `/`, so one that is
/// written with `-` and `_` is written anew.
pub(crate) fn sendable(mut part: Value) -> Value {
    for name in SIGNATURE {
        if let Some(Value::String(signature)) = part.get_mut(name) {
            *signature = signature.trim_end_matches('=').replace('-', "+").replace('_', "/");
            while !signature.len().is_multiple_of(4) {
                signature.push('=');
            }
        }
    }
    part
}

/// Whether a call has a signature of Gemini's own. One that stands for none is rig's to write.
fn is_unsigned(fields: &Map<String, Value>) -> bool {
    SIGNATURE.iter().any(|name| fields.get(*name).is_some_and(|signature| signature == NO_SIGNATURE))
}

/// The item of a text with fields of its own, where the wire has items; on Responses always, so that rig makes up no id for it.
pub(crate) fn text_item(wire: Wire, text: &Text) -> Option<Value> {
    let own = fields(&text.extra, wire);
    let part = |kind: &str, own: Option<Map<String, Value>>| {
        let mut part = Map::from_iter([("type".to_owned(), kind.into()), ("text".to_owned(), text.text.as_str().into())]);
        part.extend(own.into_iter().flatten());
        part
    };
    match wire {
        Wire::OpenAiChat => None,
        Wire::Anthropic => own.map(|own| Value::Object(part("text", Some(own)))),
        Wire::Gemini => own.map(|own| {
            let mut part = part("", Some(own));
            part.remove("type");
            sendable(Value::Object(part))
        }),
        Wire::OpenAiResponses => {
            let mut own = own.unwrap_or_default();
            let around = if let Some(Value::Object(around)) = own.remove(MESSAGE) { around } else { Map::new() };
            let mut item = Map::from_iter([("type".to_owned(), "message".into()), ("role".to_owned(), "assistant".into())]);
            item.extend(around);
            item.insert("content".to_owned(), json!([part("output_text", Some(own))]));
            Some(Value::Object(item))
        }
    }
}

/// Whether a text stood in the same message of Responses as the one before it.
pub(crate) fn goes_on(wire: Wire, text: &Text) -> bool {
    wire == Wire::OpenAiResponses && text.extra.on(wire).any(|(name, raw)| name == MESSAGE && raw.as_str() == "true")
}

/// Adds the part of a text's item to the item of the message that it stands in.
pub(crate) fn join(message: &mut Value, item: &Value) {
    let part = item.pointer("/content/0").cloned();
    if let Some(Value::Array(parts)) = message.get_mut("content") {
        parts.extend(part);
    }
}

/// What kind of call an item of Responses is: a function's, that of a tool which takes text, or another.
pub(crate) enum CallKind {
    Function,
    Custom,
    Other,
}

pub(crate) fn call_kind(wire: Wire, fields: Option<&Map<String, Value>>) -> CallKind {
    match (wire, fields.and_then(|fields| fields.get("type")).and_then(Value::as_str)) {
        (Wire::OpenAiChat, Some("custom")) | (Wire::OpenAiResponses, Some("custom_tool_call")) => CallKind::Custom,
        (Wire::OpenAiResponses, Some(kind)) if kind != "function_call" => CallKind::Other,
        (_, _) => CallKind::Function,
    }
}

/// The item of a call with fields of its own; what it takes as an object is `arguments`. None where rig writes the same.
pub(crate) fn call_item(wire: Wire, call: &ToolCall, arguments: Value, kind: &CallKind) -> Option<Value> {
    let mut item = fields(&call.extra, wire);
    match wire {
        Wire::OpenAiChat => {}
        Wire::Anthropic => {
            if let Some(item) = &mut item {
                item.insert("type".to_owned(), "tool_use".into());
                item.insert("id".to_owned(), call.id.to_string().into());
                item.insert("name".to_owned(), call.name.as_str().into());
                item.insert("input".to_owned(), arguments);
            }
        }
        Wire::OpenAiResponses => {
            let (name, key) = match kind {
                CallKind::Function => ("function_call", "arguments"),
                CallKind::Custom => ("custom_tool_call", "input"),
                CallKind::Other => return None,
            };
            if let Some(item) = &mut item {
                item.insert("type".to_owned(), name.into());
                item.insert("call_id".to_owned(), call.id.to_string().into());
                item.insert("name".to_owned(), call.name.as_str().into());
                item.insert(key.to_owned(), call.input.raw().into());
            }
        }
        Wire::Gemini => {
            let mut part = item.take().filter(|fields| !is_unsigned(fields))?;
            let nameless = part.remove("id").is_some();
            let inner = part.remove("functionCall");
            let mut inner = if let Some(Value::Object(inner)) = inner { inner } else { Map::new() };
            if !nameless {
                inner.insert("id".to_owned(), call.id.to_string().into());
            }
            inner.insert("name".to_owned(), call.name.as_str().into());
            inner.insert("args".to_owned(), arguments);
            part.insert("functionCall".to_owned(), Value::Object(inner));
            item = Some(part);
        }
    }
    item.map(|item| sendable(Value::Object(item)))
}

/// What an item of rig says, as the items of an answer on that wire; none if it has no meaning there.
pub(crate) fn read(wire: Wire, item: &Value) -> Option<Vec<Item>> {
    let block = item.get("type").is_some();
    let message = match (wire, item) {
        (Wire::OpenAiChat, Value::Object(fields)) if !block => {
            let mut message = fields.clone();
            message.insert("role".to_owned(), "assistant".into());
            Value::Object(message)
        }
        (Wire::OpenAiChat | Wire::Anthropic, item) => json!({"role": "assistant", "content": [item]}),
        (Wire::OpenAiResponses, item) => item.clone(),
        (Wire::Gemini, item) => json!({"role": "model", "parts": [item]}),
    };
    let list = Value::Array(vec![message]).to_string();
    let read = parse_messages(wire, Document::parse(&list).ok()?.root()).ok()?;
    match read.messages.as_slice() {
        [ModelMessage::Assistant(said)] if read.findings.is_empty() && said.extra.is_empty() => Some(said.items.clone()),
        _ => None,
    }
}

/// The call of an item, on a wire where the item may hold only what stands beside it.
pub(crate) fn read_call(wire: Wire, item: &Value, plain: &ToolCall) -> Option<ToolCall> {
    let mut item = item.as_object()?.clone();
    let message = match wire {
        Wire::Anthropic | Wire::OpenAiResponses | Wire::Gemini => Value::Object(item),
        Wire::OpenAiChat => {
            let custom = item.get("type").is_some_and(|kind| kind == "custom");
            let (holder, key) = if custom { ("custom", "input") } else { ("function", "arguments") };
            let input = if custom { plain.input.as_json()?.get("input")?.clone() } else { plain.input.raw().into() };
            item.insert("id".to_owned(), plain.id.given().into());
            item.insert(holder.to_owned(), json!({"name": plain.name, key: input}));
            json!({ "tool_calls": [item] })
        }
    };
    match read(wire, &message)?.as_slice() {
        [Item::Call(call)] => Some(call.clone()),
        _ => None,
    }
}
