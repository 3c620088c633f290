//! Blocks of a provider's own as rig's items, and back.

use briefing::Wire;
use briefing::message::{Extra, Item, ModelMessage, RawJson};
use briefing_json::Document;
use briefing_wire::parse_messages;
use serde_json::{Map, Value, json};

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
    let shown = block.as_str().or_else(|| block.get("thinking")?.as_str()).unwrap_or_default();
    (shown.to_owned(), kind == "redacted_thinking")
}

/// What rig calls the item of reasoning: on OpenAI Chat the field that it came in, else the block.
pub(crate) fn reasoning_item(wire: Wire, kind: &str, block: Value) -> Value {
    match wire {
        Wire::OpenAiChat => json!({ kind: block }),
        Wire::Anthropic => block,
    }
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
    };
    let list = Value::Array(vec![message]).to_string();
    let read = parse_messages(wire, Document::parse(&list).ok()?.root()).ok()?;
    match read.messages.as_slice() {
        [ModelMessage::Assistant(said)] if read.findings.is_empty() && said.extra.is_empty() => Some(said.items.clone()),
        _ => None,
    }
}
