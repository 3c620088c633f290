//! Reasoning stands with what followed it, or not at all.
//!
//! "Item 'rs_…' of type 'reasoning' was provided without its required following item." (report B62, recorded with gpt-5), and "Item
//! 'msg_…' of type 'message' was provided without its required 'reasoning' item: 'rs_…'." (continuedev/continue#11994): the provider
//! knows the two by the ids that it gave. So where reasoning goes, what followed it goes on without its id.

use briefing::Dialect;
use briefing::message::{RawJson, Reasoning};
use briefing_json::Kind;

use super::Entry;
use crate::finding::WireChange;
use crate::raw::{look, text_of};
use crate::scribe::Scribe;

/// An entry of one assistant message while it is written.
pub(super) enum Draft<'a> {
    Reasoning(&'a Reasoning),
    Entry(Entry<'a>),
    /// An item of the provider's own, with what it reads as.
    Native(&'a RawJson, Box<dyn FnOnce(&mut Scribe<'_>) -> Entry<'a> + 'a>),
}

impl Draft<'_> {
    /// Whether it has an id of the provider's.
    fn has_id(&self) -> bool {
        match self {
            Self::Reasoning(reasoning) => has_id(&reasoning.raw),
            Self::Entry(entry) => entry.has_id(),
            Self::Native(raw, _) => has_id(raw),
        }
    }
}

fn has_id(raw: &RawJson) -> bool {
    look(raw.as_str(), |item| text_of(item, "id")).is_some_and(|id| !id.is_empty())
}

/// Keeps the reasoning that may stand, takes the ids of what followed the rest, and gives the entries in order.
pub(super) fn settle<'a>(drafts: Vec<Draft<'a>>, scribe: &mut Scribe<'_>) -> Vec<Entry<'a>> {
    let original = scribe.profile.dialect == Dialect::Original;
    let mut keeps = Vec::with_capacity(drafts.len());
    let mut follower: Option<bool> = None;
    for draft in drafts.iter().rev() {
        let keep = match draft {
            Draft::Reasoning(reasoning) => stands(reasoning, follower, original),
            Draft::Entry(_) | Draft::Native(..) => {
                follower = Some(draft.has_id());
                true
            }
        };
        keeps.push(keep);
    }
    let mut bereft = false;
    let mut entries = Vec::with_capacity(drafts.len());
    for (draft, keep) in drafts.into_iter().zip(keeps.into_iter().rev()) {
        match draft {
            Draft::Reasoning(reasoning) if keep => {
                bereft = false;
                entries.push(Entry::Raw(&reasoning.raw));
            }
            Draft::Reasoning(reasoning) => {
                bereft |= reasoning.wire == scribe.wire();
                scribe.note(WireChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
            }
            Draft::Native(raw, as_text) if bereft && has_id(raw) => entries.push(as_text(scribe)),
            Draft::Native(raw, _) => entries.push(Entry::Raw(raw)),
            Draft::Entry(entry) if bereft => entries.push(entry.without_id()),
            Draft::Entry(entry) => entries.push(entry),
        }
    }
    entries
}

/// OpenAI itself wants an item behind it that has an id of its own; others (recorded with DeepSeek) any item.
fn stands(reasoning: &Reasoning, follower: Option<bool>, original: bool) -> bool {
    let is_item = look(reasoning.raw.as_str(), |item| {
        (item.kind() == Kind::Object && text_of(item, "type").as_deref() == Some("reasoning")).then_some(())
    });
    let own = reasoning.wire == briefing::Wire::OpenAiResponses && is_item.is_some();
    own && follower.is_some_and(|follower| follower || !original || !has_id(&reasoning.raw))
}
