//! Where a block that only Anthropic understands may stand. What it refuses reads as text.

use briefing::Wire;
use briefing::message::{Assistant, Item, Native};
use briefing_json::{Kind, Value};

use crate::raw::{look, text_of};
use crate::scribe::{Place, Standing};

/// Whether a block may stand at a place. What is known is native only if it is written in no known form, so it may not; only a
/// document of text is. What the model wrote itself, and system text, may be newer than this list.
pub(super) fn standing(block: Value<'_>, place: Place) -> Standing {
    let Some(kind) = text_of(block, "type") else { return Standing::No };
    let stands = match kind.as_str() {
        "text" | "image" | "tool_use" | "tool_result" | "thinking" | "redacted_thinking" => false,
        "document" => is_text_document(block),
        // "`server_tool_use` blocks can only be in `assistant` messages"
        "server_tool_use" | "mcp_tool_use" => {
            let id = text_of(block, "id").filter(|id| place == Place::Answer && is_id(id));
            return id.map_or(Standing::No, Standing::Use);
        }
        _ if kind.ends_with("_tool_result") => {
            let id = text_of(block, "tool_use_id").filter(|_| matches!(place, Place::Input | Place::Answer));
            return id.map_or(Standing::No, Standing::ResultOf);
        }
        "search_result" => true,
        "tool_reference" => place != Place::Input,
        "container_upload" | "mid_conv_system" => place != Place::Outcome,
        _ => matches!(place, Place::System | Place::Answer),
    };
    Standing::yes_if(stands)
}

/// `^[a-zA-Z0-9_-]+$`
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn is_text_document(block: Value<'_>) -> bool {
    let Some(source) = block.get("source") else { return false };
    match text_of(source, "type").as_deref() {
        Some("text") => text_of(source, "media_type").as_deref() == Some("text/plain") && text_of(source, "data").is_some(),
        // Pictures in it would escape the bounds.
        Some("content") => source.get("content").is_some_and(|content| match content.kind() {
            Kind::String => true,
            Kind::Array => content.items().all(|block| text_of(block, "type").as_deref() == Some("text")),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object => false,
        }),
        Some(_) | None => false,
    }
}

/// Whether an answer ends in the use of a tool that Anthropic runs, or in its result beside the use: it goes on from there.
pub(crate) fn ends_in_server_tool(said: &Assistant) -> bool {
    let natives = || said.items.iter().filter_map(own);
    let Some(last) = said.items.last().and_then(own) else { return false };
    let used = |id: &str| natives().any(|native| native.needs.is_none() && standing_in(native) == Standing::Use(id.to_owned()));
    let ends = match standing_in(last) {
        Standing::No | Standing::Yes => false,
        Standing::Use(_) => true,
        Standing::ResultOf(id) => used(&id),
    };
    ends && last.needs.as_deref().is_none_or(used)
}

fn standing_in(answer: &Native) -> Standing {
    look(answer.raw.as_str(), |block| Some(standing(block, Place::Answer))).unwrap_or(Standing::No)
}

fn own(item: &Item) -> Option<&Native> {
    match item {
        Item::Native(native) if native.wire == Wire::Anthropic => Some(native),
        Item::Native(_) | Item::Text(_) | Item::Reasoning(_) | Item::Call(_) => None,
    }
}
