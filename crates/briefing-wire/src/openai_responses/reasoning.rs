//! Reasoning stands with what followed it, or not at all.
//!
//! "Item 'rs_…' of type 'reasoning' was provided without its required following item." (report B62, recorded with gpt-5), and "Item
//! 'msg_…' of type 'message' was provided without its required 'reasoning' item: 'rs_…'." (continuedev/continue#11994): the provider
//! knows the two by the ids that it gave. So where reasoning goes, what followed it goes on without its id.

use std::borrow::Cow;

use briefing::Dialect;
use briefing::message::{Native, RawJson, Reasoning};

use briefing_json::Value;

use super::Entry;
use super::native::Whole;
use crate::finding::WireChange;
use crate::raw::{look, text_of, without_member};
use crate::scribe::Scribe;

const STATUS: &str = "status";

/// What stands in one assistant message while it is written.
pub(super) enum Draft<'a> {
    /// Reasoning, and whether the provider takes it for that.
    Reasoning(&'a Reasoning, bool),
    Item(Item<'a>),
}

/// What is no reasoning.
pub(super) enum Item<'a> {
    Entry(Entry<'a>),
    /// An item of the provider's own.
    Native(&'a Native, Whole<'a>),
}

impl Item<'_> {
    /// Whether it has an id of the provider's, and is something that reasoning leads to: an output is not.
    fn has_id(&self) -> bool {
        match self {
            Self::Entry(entry) => entry.has_id(),
            Self::Native(_, item) => item.id.is_some() && !item.is_output(),
        }
    }
}

/// The id of an item.
pub(super) fn id_of(raw: &RawJson) -> Option<String> {
    look(raw.as_str(), |item| text_of(item, "id"))
}

/// Keeps the reasoning that may stand, takes the ids of what followed the rest, and gives the entries in order. Reasoning in a row led to
/// the same item, so it stands or goes together.
pub(super) fn settle<'a>(drafts: Vec<Draft<'a>>, scribe: &mut Scribe<'_>) -> Vec<Entry<'a>> {
    let mut entries = Vec::with_capacity(drafts.len());
    let mut run: Vec<(&'a Reasoning, bool)> = Vec::new();
    let mut bereft = false;
    for draft in drafts {
        let item = match draft {
            Draft::Reasoning(reasoning, sound) => {
                run.push((reasoning, sound));
                continue;
            }
            Draft::Item(item) => item,
        };
        if let Some(stands) = end(std::mem::take(&mut run), Some(item.has_id()), &mut entries, scribe) {
            bereft = !stands;
        }
        entries.push(match item {
            // Of a pair none goes alone.
            Item::Native(native, item) if bereft && (item.id.is_some() || item.is_shell()) => {
                Entry::said(scribe.as_text(native))
            }
            Item::Native(_, item) => Entry::Whole(item),
            Item::Entry(entry) if bereft => entry.without_id(),
            Item::Entry(entry) => entry,
        });
    }
    end(run, None, &mut entries, scribe);
    entries
}

/// Ends a row of reasoning, in front of an item that has an id or has none. Whether it stands; none if no reasoning of this wire is in it.
fn end<'a>(
    run: Vec<(&'a Reasoning, bool)>,
    follower: Option<bool>,
    entries: &mut Vec<Entry<'a>>,
    scribe: &mut Scribe<'_>,
) -> Option<bool> {
    let (own, foreign): (Vec<_>, Vec<_>) = run.into_iter().partition(|(reasoning, _)| reasoning.wire == scribe.wire());
    // OpenAI itself wants an item behind it that has an id of its own; others (recorded with DeepSeek) any item.
    let known = scribe.profile.dialect == Dialect::Original && own.iter().any(|(reasoning, _)| id_of(&reasoning.raw).is_some());
    let stands = own.iter().all(|(_, sound)| *sound) && follower.is_some_and(|follower| follower || !known);
    for (reasoning, _) in &foreign {
        scribe.note(WireChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
    }
    for (reasoning, _) in &own {
        if stands {
            entries.push(Entry::Reasoning(sent(reasoning, scribe)));
        } else {
            scribe.note(WireChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
        }
    }
    (!own.is_empty()).then_some(stands)
}

/// Reasoning as it is sent: newer models of OpenAI refuse the status that some clients store with it ("Unknown parameter:
/// 'input[1].status'.": openai/openai-python#3008, digitallyinduced/haskell-agent#689).
fn sent<'a>(reasoning: &'a Reasoning, scribe: &mut Scribe<'_>) -> Cow<'a, str> {
    let raw = reasoning.raw.as_str();
    let told = |item: Value<'_>| item.get(STATUS).map(drop);
    if scribe.profile.dialect != Dialect::Original || look(raw, told).is_none() {
        return Cow::Borrowed(raw);
    }
    scribe.note(WireChange::FieldLeftOut { name: STATUS.to_owned() });
    without_member(raw, STATUS).map_or(Cow::Borrowed(raw), Cow::Owned)
}
