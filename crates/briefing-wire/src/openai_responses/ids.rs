//! The ids of items, which OpenAI itself checks by type: "Invalid 'input[2].id': 'call_…'. Expected an ID that begins with 'fc'.",
//! "string too long. Expected a string with maximum length 64", "Duplicate item found with id msg_4." An item goes without an id as well.

use std::collections::HashSet;

use briefing::Dialect;
use briefing::message::Reasoning;
use briefing::{Call, Wire};
use briefing_json::Kind;

use super::native::Whole;
use super::reasoning::id_of;
use crate::raw::{is, look, text_of};

const MOST: usize = 64;

/// The ids of one list.
pub(super) struct ItemIds {
    /// Whether they are checked.
    strict: bool,
    /// Whether the provider keeps the items that it gave.
    stored: bool,
    seen: HashSet<String>,
}

impl ItemIds {
    pub(super) fn new(call: &Call) -> Self {
        let stored = !call.parameters().iter().any(|(name, value)| &**name == "store" && is(value, "false"));
        Self { strict: call.profile().dialect == Dialect::Original, stored, seen: HashSet::new() }
    }

    /// Whether an item whose ids begin with `prefix` may have that id; it is taken then.
    pub(super) fn take(&mut self, id: &str, prefix: &str) -> bool {
        if !self.strict {
            return !id.is_empty();
        }
        let word = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        !id.is_empty() && id.starts_with(prefix) && id.len() <= MOST && word && self.seen.insert(id.to_owned())
    }

    /// Whether an item that is sent byte for byte may stand with the id that it has.
    pub(super) fn take_whole(&mut self, item: &Whole<'_>) -> bool {
        let prefix = if item.kind.as_deref() == Some("message") { "msg" } else { "" };
        let found = self.stored || !item.is_reference();
        !self.strict || (found && item.id.as_ref().is_none_or(|id| self.take(id, prefix)))
    }

    /// Whether reasoning is an item that the provider takes: "Missing required parameter: 'input[7].summary'." Of what it does not keep
    /// it wants the content: "Item with id 'rs_…' not found. Items are not persisted when `store` is set to false." (vercel/ai#7543)
    pub(super) fn take_reasoning(&mut self, reasoning: &Reasoning) -> bool {
        let (strict, stored) = (self.strict, self.stored);
        let item = look(reasoning.raw.as_str(), |item| {
            let summary = !strict || item.get("summary").is_some_and(|summary| summary.kind() == Kind::Array);
            let found = !strict || stored || text_of(item, "encrypted_content").is_some_and(|content| !content.is_empty());
            (text_of(item, "type").as_deref() == Some("reasoning") && summary && found).then_some(())
        });
        let own = reasoning.wire == Wire::OpenAiResponses && item.is_some();
        own && (!strict || id_of(&reasoning.raw).is_none_or(|id| self.take(&id, "rs")))
    }
}
