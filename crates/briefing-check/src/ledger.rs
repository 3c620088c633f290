//! Which calls are open and which are answered. The wires that pair by ids do it by this book; what a round is, they decide.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::fault::{Fault, clip};

/// Where a call stands: its message, and its place among the message's calls or blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) message: usize,
    pub(crate) item: usize,
}

/// The book of one list.
#[derive(Debug, Default)]
pub(crate) struct Ledger<'d> {
    entries: HashMap<Cow<'d, str>, Entry>,
    /// The calls of the round at hand.
    round: Vec<(Cow<'d, str>, Spot)>,
    /// How many rounds have ended.
    closed: u32,
    /// How many ids of the round at hand have no outcome yet.
    unanswered: usize,
    /// Whether a round may use the ids of an earlier one.
    reuse: bool,
    /// Every call of the list, once an outcome has asked for one that did not come before it.
    all: Option<HashSet<Cow<'d, str>>>,
}

/// What is known of an id, as of the last round that has it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    round: u32,
    calls: u32,
    outcomes: u32,
}

impl<'d> Ledger<'d> {
    /// An empty book. With `reuse`, a round may use the ids of an earlier one.
    pub(crate) fn new(reuse: bool) -> Self {
        Self { reuse, ..Self::default() }
    }

    /// A call of the round at hand. An empty id is the caller's fault to report and is not paired.
    pub(crate) fn call(&mut self, id: Cow<'d, str>, spot: Spot) -> Option<Fault> {
        if id.is_empty() {
            return None;
        }
        self.round.push((id.clone(), spot));
        let fresh = Entry { round: self.closed, calls: 1, outcomes: 0 };
        match self.entries.get_mut(&id) {
            Some(entry) if entry.round == self.closed => entry.calls += 1,
            Some(entry) => {
                *entry = fresh;
                self.unanswered += 1;
                if self.reuse {
                    return None;
                }
            }
            None => {
                self.entries.insert(id, fresh);
                self.unanswered += 1;
                return None;
            }
        }
        Some(Fault::RepeatedCallId { id: clip(&id) })
    }

    /// An outcome that stands in the round at hand. `all` gives the ids of the list's calls.
    pub(crate) fn outcome(&mut self, id: &str, all: impl FnOnce() -> HashSet<Cow<'d, str>>) -> Option<Fault> {
        if id.is_empty() {
            return None;
        }
        let Some(entry) = self.entries.get_mut(id) else {
            let later = self.all.get_or_insert_with(all).contains(id);
            let id = clip(id);
            return Some(if later { Fault::OutcomeBeforeCall { id } } else { Fault::OrphanOutcome { id } });
        };
        if entry.round == self.closed && entry.outcomes < entry.calls {
            self.unanswered -= usize::from(entry.outcomes == 0);
            entry.outcomes += 1;
            return None;
        }
        let id = clip(id);
        Some(if entry.outcomes > 0 { Fault::RepeatedOutcome { id } } else { Fault::LateOutcome { id } })
    }

    /// Whether the list has had calls.
    pub(crate) fn knows_calls(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Whether the round at hand has calls.
    pub(crate) fn has_calls(&self) -> bool {
        !self.round.is_empty()
    }

    /// Whether every call of the round at hand is answered.
    pub(crate) fn is_settled(&self) -> bool {
        self.unanswered == 0
    }

    /// Ends the round at hand and gives its calls that nothing answered, each id once.
    pub(crate) fn close(&mut self) -> Vec<(Spot, Fault)> {
        let mut missing = Vec::new();
        if self.unanswered > 0 {
            for (id, spot) in &self.round {
                let open = self.entries.get_mut(id).filter(|entry| entry.outcomes == 0 && entry.calls > 0);
                if let Some(entry) = open {
                    entry.calls = 0;
                    missing.push((*spot, Fault::MissingOutcome { id: clip(id) }));
                }
            }
        }
        self.round.clear();
        self.unanswered = 0;
        self.closed += 1;
        missing
    }
}
