//! The entries of one thread by kind and agent, so that a read visits nothing that it is not asked for.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use crate::log::{Body, Entry, Kind, Place};
use crate::ports::Back;

/// A kind, and of tool use and system messages the agent.
type Shelf = (Kind, Option<Arc<str>>);

#[derive(Debug, Default)]
pub(super) struct Shelves {
    shelves: BTreeMap<Shelf, BTreeMap<Place, Arc<Entry>>>,
    /// Cards that are not settled.
    pub(super) open: BTreeMap<Place, Arc<Entry>>,
}

fn shelf(entry: &Entry) -> Shelf {
    let kind = Kind::of(&entry.body);
    let agent = match &entry.body {
        Body::Message(message) if matches!(kind, Kind::ToolUse | Kind::System) => message.agent.clone(),
        _ => None,
    };
    (kind, agent)
}

impl Shelves {
    pub(super) fn put(&mut self, entry: &Arc<Entry>) {
        self.shelves.entry(shelf(entry)).or_default().insert(entry.place(), Arc::clone(entry));
        if matches!(entry.body, Body::Card(_)) {
            self.open.insert(entry.place(), Arc::clone(entry));
        }
    }

    /// Takes an entry off its shelf.
    pub(super) fn take(&mut self, entry: &Entry) {
        if let Some(shelf) = self.shelves.get_mut(&shelf(entry)) {
            shelf.remove(&entry.place());
        }
    }

    /// The newest entry of those kinds.
    pub(super) fn newest(&self, kinds: &[Kind]) -> Option<&Arc<Entry>> {
        let shelves = self.shelves.iter().filter(|((kind, _), _)| kinds.contains(kind));
        let newest = shelves.filter_map(|(_, shelf)| shelf.last_key_value());
        newest.max_by_key(|(place, _)| **place).map(|(_, entry)| entry)
    }

    pub(super) fn back(&self, back: &Back<'_>) -> Vec<Arc<Entry>> {
        let after = back.after.map_or(Bound::Unbounded, Bound::Excluded);
        let before = back.before.map_or(Bound::Unbounded, Bound::Excluded);
        if matches!((back.after, back.before), (Some(after), Some(before)) if after >= before) {
            return Vec::new();
        }
        let wanted = |(kind, agent): &Shelf| {
            let any = back.agent.is_none() || agent.is_none() || agent.as_deref() == back.agent;
            back.kinds.contains(*kind) && any
        };
        let shelves: Vec<_> = self.shelves.iter().filter(|(shelf, _)| wanted(shelf)).map(|(_, entries)| entries).collect();
        let newest = |entries: &BTreeMap<Place, Arc<Entry>>| {
            entries.range((after, before)).rev().take(back.count).map(|(_, entry)| Arc::clone(entry)).collect::<Vec<_>>()
        };
        if let [one] = shelves.as_slice() {
            return newest(one);
        }
        let mut found: Vec<_> = shelves.into_iter().flat_map(newest).collect();
        found.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.place()));
        found.truncate(back.count);
        found
    }
}
