//! The ids of items, which OpenAI checks by type: "Invalid 'input[2].id': 'call_x'. Expected an ID that begins with 'fc'."
//! (<https://github.com/openai/codex/issues/33176>, <https://github.com/jlcodes99/cockpit-tools/issues/2090>,
//! <https://github.com/earendil-works/pi/issues/10257>)

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Path, Value};

use super::items::Item;
use super::pairs::{Family, is_reference};
use crate::fault::{Fault, clip};
use crate::report::{Findings, text};

/// "Invalid 'input[1].id': string too long. Expected a string with maximum length 64" (<https://github.com/github/app/issues/499>)
const MAX_ID: usize = 64;

/// The ids that were seen: "Duplicate item found with id msg_4." (<https://github.com/earendil-works/pi/issues/5149>)
#[derive(Debug, Default)]
pub(super) struct ItemIds<'d>(HashSet<Cow<'d, str>>);

impl<'d> ItemIds<'d> {
    pub(super) fn check(&mut self, item: Value<'d>, known: Item, at: &Path<'_>, out: &mut Findings) {
        // The output of a local shell has its call's id there.
        let Some(id) = text(item, "id").filter(|_| known != Item::Output(Family::LocalShell)) else { return };
        let at = at.key("id");
        if let Some(prefix) = prefix(known).filter(|prefix| !fits(&id, prefix)) {
            out.add(&at, Fault::BadItemId { id: clip(&id), prefix });
        }
        if self.0.contains(&id) {
            out.add(&at, Fault::RepeatedItemId { id: clip(&id) });
        } else if !id.is_empty() {
            self.0.insert(id);
        }
    }
}

/// Items that the provider is asked to look up, though it keeps none: "Item with id 'rs_…' not found. Items are not persisted when
/// `store` is set to false." (<https://github.com/vercel/ai/issues/7543>)
pub(super) fn not_stored(input: Value<'_>, out: &mut Findings) {
    let sealed = |item: Value<'_>| text(item, "encrypted_content").is_some_and(|content| !content.is_empty());
    let looked_up = |item: &Value<'_>| match text(*item, "type").as_deref() {
        Some("reasoning") => !sealed(*item),
        _ => is_reference(*item),
    };
    for (index, item) in input.items().enumerate().filter(|(_, item)| looked_up(item)) {
        if let Some(id) = text(item, "id") {
            out.add(&Path::ROOT.key("input").index(index).key("id"), Fault::NotStored { id: clip(&id) });
        }
    }
}

/// "Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters." is also
/// the answer to the empty id (<https://github.com/langchain-ai/langchainjs/issues/11044>).
fn fits(id: &str, prefix: &str) -> bool {
    let characters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    id.starts_with(prefix) && id.len() <= MAX_ID && id.bytes().all(characters)
}

/// What ids of the type begin with, where an answer that demands it is known.
fn prefix(known: Item) -> Option<&'static str> {
    match known {
        Item::Message => Some("msg"),
        Item::Reasoning => Some("rs"),
        Item::Call(Family::Function) => Some("fc"),
        Item::Call(Family::Custom) => Some("ctc"),
        Item::Call(_) | Item::Output(_) | Item::AdditionalTools | Item::Other => None,
    }
}
