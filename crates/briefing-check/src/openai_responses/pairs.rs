//! Calls and their outputs. "No tool output found for function call call_x." and "No tool call found for function call output
//! with call_id call_x." (<https://github.com/router-for-me/CLIProxyAPI/issues/2368>,
//! <https://github.com/continuedev/continue/issues/10092>)

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use briefing_json::Value;

use super::items::Item;
use crate::fault::Fault;
use crate::ledger::{Ledger, Spot};
use crate::report::text;

/// The kinds of call that something outside the provider answers. An output answers a call of its own kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Function,
    Custom,
    Computer,
    LocalShell,
    Shell,
    ApplyPatch,
    ToolSearch,
}

/// The books of one list.
pub(super) struct Pairs<'d> {
    input: Value<'d>,
    books: HashMap<Family, Ledger<'d>>,
    reuse: bool,
    /// Whether the list may go on from calls that it does not hold: those of an earlier response, or of items that it names
    /// by their ids alone.
    goes_on: bool,
    /// From the item id of a local shell call to its call id.
    shells: Option<HashMap<Cow<'d, str>, Cow<'d, str>>>,
}

impl<'d> Pairs<'d> {
    pub(super) fn new(input: Value<'d>, goes_on: bool, reuse: bool) -> Self {
        let refers = || input.items().any(is_reference);
        Self { input, books: HashMap::new(), reuse, goes_on: goes_on || refers(), shells: None }
    }

    pub(super) fn has_calls(&self) -> bool {
        self.books.values().any(Ledger::knows_calls)
    }

    /// A call. Whatever is answered is done with, so that a later call may have its id again.
    pub(super) fn call(&mut self, family: Family, id: Cow<'d, str>, index: usize) -> Option<Fault> {
        let book = self.book(family);
        if book.is_settled() {
            book.close();
        }
        book.call(id, Spot { message: index, item: 0 })
    }

    pub(super) fn outcome(&mut self, family: Family, id: &str) -> Option<Fault> {
        let input = self.input;
        let fault = self.book(family).outcome(id, || call_ids(input, family));
        match fault {
            Some(Fault::OrphanOutcome { .. } | Fault::OutcomeBeforeCall { .. }) if self.goes_on => None,
            fault => fault,
        }
    }

    /// The call id of a local shell call that is named by its item id, or else the id itself.
    pub(super) fn local_shell(&mut self, id: Cow<'d, str>) -> Cow<'d, str> {
        let input = self.input;
        let shells = self.shells.get_or_insert_with(|| {
            let calls = input.items().filter(|item| text(*item, "type").as_deref() == Some("local_shell_call"));
            calls.filter_map(|item| text(item, "id").zip(text(item, "call_id"))).collect()
        });
        shells.get(&id).cloned().unwrap_or(id)
    }

    /// The calls that have no output so far, each with its index.
    pub(super) fn close(&mut self) -> Vec<(usize, Fault)> {
        let open = self.books.values_mut().flat_map(Ledger::close);
        open.map(|(spot, fault)| (spot.message, fault)).collect()
    }

    fn book(&mut self, family: Family) -> &mut Ledger<'d> {
        let reuse = self.reuse;
        self.books.entry(family).or_insert_with(|| Ledger::new(reuse))
    }
}

/// An item that names another by its id: it may be a call.
pub(super) fn is_reference(item: Value<'_>) -> bool {
    match text(item, "type") {
        Some(kind) => kind == "item_reference",
        None => item.get("role").is_none() && item.get("id").is_some(),
    }
}

/// The ids of all calls of that kind in the list.
fn call_ids(input: Value<'_>, family: Family) -> HashSet<Cow<'_, str>> {
    let is_call = |item: &Value<'_>| text(*item, "type").and_then(|kind| Item::parse(&kind)) == Some(Item::Call(family));
    input.items().filter(is_call).filter_map(|item| text(item, "call_id")).collect()
}
