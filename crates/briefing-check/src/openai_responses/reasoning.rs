//! "Item 'rs_…' of type 'reasoning' was provided without its required following item." (recorded; report B62)
//!
//! OpenAI keeps which item a reasoning item led to, and looks for it by its id: the next item that is not reasoning must be one of
//! the model's, with an id (<https://github.com/langchain-ai/langchainjs/pull/9082>,
//! <https://github.com/earendil-works/pi/issues/1035>). Reasoning without an id is not looked up. That an item with an id lacks its
//! reasoning cannot be told from a body.

use std::borrow::Cow;

use briefing_json::{Path, Value};

use super::items::Item;
use crate::fault::{Fault, Role, clip};
use crate::report::{Findings, text};

/// The reasoning items that wait for the item that they led to: index and id.
#[derive(Debug, Default)]
pub(super) struct Reasoning<'d>(Vec<(usize, Cow<'d, str>)>);

impl<'d> Reasoning<'d> {
    pub(super) fn next(&mut self, item: Value<'d>, known: Item, role: Option<Role>, index: usize, out: &mut Findings) {
        let led_to = match known {
            Item::Reasoning => {
                self.0.extend(text(item, "id").map(|id| (index, id)));
                return;
            }
            Item::Message => role == Some(Role::Assistant) && text(item, "id").is_some(),
            Item::Call(_) => text(item, "id").is_some(),
            Item::Output(_) => false,
            // Items of the provider's own have ids; of the others nothing is known.
            Item::AdditionalTools | Item::Other => true,
        };
        if led_to {
            self.0.clear();
        } else {
            self.ends(out);
        }
    }

    pub(super) fn ends(&mut self, out: &mut Findings) {
        for (index, id) in self.0.drain(..) {
            out.add(&Path::ROOT.key("input").index(index), Fault::ReasoningAlone { id: clip(&id) });
        }
    }
}
