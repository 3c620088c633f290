//! Reasoning stands with what followed it, or not at all.
//!
//! "Item 'rs_…' of type 'reasoning' was provided without its required following item." (report B62, recorded with gpt-5), and "Item
//! 'msg_…' of type 'message' was provided without its required 'reasoning' item: 'rs_…'." (continuedev/continue#11994): the provider
//! knows the two by the ids that it gave. So where reasoning goes, what followed it goes on without its id.

use briefing::Dialect;
use briefing::message::{Native, RawJson, Reasoning};

use super::Entry;
use crate::finding::WireChange;
use crate::raw::{look, text_of};
use crate::scribe::Scribe;

/// An entry of one assistant message while it is written.
pub(super) enum Draft<'a> {
    /// Reasoning, and whether the provider takes it for that.
    Reasoning(&'a Reasoning, bool),
    Entry(Entry<'a>),
    /// An item of the provider's own.
    Native(&'a Native, &'a RawJson),
}

impl Draft<'_> {
    /// Whether it has an id of the provider's.
    fn has_id(&self) -> bool {
        match self {
            Self::Reasoning(reasoning, _) => id_of(&reasoning.raw).is_some(),
            Self::Entry(entry) => entry.has_id(),
            Self::Native(_, raw) => id_of(raw).is_some(),
        }
    }
}

/// The id of an item.
pub(super) fn id_of(raw: &RawJson) -> Option<String> {
    look(raw.as_str(), |item| text_of(item, "id"))
}

/// Keeps the reasoning that may stand, takes the ids of what followed the rest, and gives the entries in order.
pub(super) fn settle<'a>(drafts: Vec<Draft<'a>>, scribe: &mut Scribe<'_>) -> Vec<Entry<'a>> {
    let original = scribe.profile.dialect == Dialect::Original;
    let mut keeps = Vec::with_capacity(drafts.len());
    let mut follower: Option<bool> = None;
    for draft in drafts.iter().rev() {
        keeps.push(match draft {
            // OpenAI itself wants an item behind it that has an id of its own; others (recorded with DeepSeek) any item.
            Draft::Reasoning(reasoning, sound) => {
                *sound && follower.is_some_and(|follower| follower || !original || id_of(&reasoning.raw).is_none())
            }
            Draft::Entry(_) | Draft::Native(..) => {
                follower = Some(draft.has_id());
                true
            }
        });
    }
    let mut bereft = false;
    let mut entries = Vec::with_capacity(drafts.len());
    for (draft, keep) in drafts.into_iter().zip(keeps.into_iter().rev()) {
        match draft {
            Draft::Reasoning(reasoning, _) if keep => {
                bereft = false;
                entries.push(Entry::Reasoning(&reasoning.raw));
            }
            Draft::Reasoning(reasoning, _) => {
                bereft |= reasoning.wire == scribe.wire();
                scribe.note(WireChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
            }
            Draft::Native(native, raw) if bereft && id_of(raw).is_some() => entries.push(Entry::said(scribe.as_text(native))),
            Draft::Native(_, raw) => entries.push(Entry::Raw(raw)),
            Draft::Entry(entry) if bereft => entries.push(entry.without_id()),
            Draft::Entry(entry) => entries.push(entry),
        }
    }
    entries
}
