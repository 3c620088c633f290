//! What became of a contender's requests, counted.

use std::collections::{BTreeMap, BTreeSet};

use briefing_tests::damage::Case;
use serde_json::{Value, json};

/// What became of one history.
pub(crate) enum Seen {
    /// The contender made no request, and said why.
    Nothing(String),
    /// The checker refused the request for faults of these codes.
    Refused(BTreeSet<String>),
    /// The checker took the request.
    Accepted {
        /// How many texts of the window are in it.
        kept: usize,
        /// How many texts the window has.
        of: usize,
        /// Whether it has a fault of which reports disagree.
        disputed: bool,
        /// Whether the newest user message is in it and, where the history ends on an outcome, that outcome.
        newest: bool,
    },
}

/// The numbers of one contender by one setting on one wire.
#[derive(Default)]
pub(crate) struct Tally {
    nothing: usize,
    refused: usize,
    accepted: usize,
    kept: usize,
    of: usize,
    newest: usize,
    disputed: usize,
    /// For each kind of damage: histories, refused, without a request, without the newest message.
    kinds: BTreeMap<&'static str, [usize; 4]>,
    /// For each code of a fault the requests that have it.
    faults: BTreeMap<String, usize>,
    /// For each reason the histories without a request.
    reasons: BTreeMap<String, usize>,
}

impl Tally {
    pub(crate) fn add(&mut self, case: &Case, seen: Seen) {
        let kind = match case.kinds.as_slice() {
            [] => "overflow alone",
            [kind] => kind.name(),
            _ => "several at once",
        };
        let [histories, refused, nothing, stale] = self.kinds.entry(kind).or_default();
        *histories += 1;
        match seen {
            Seen::Nothing(reason) => {
                *nothing += 1;
                self.nothing += 1;
                *self.reasons.entry(reason).or_default() += 1;
            }
            Seen::Refused(faults) => {
                *refused += 1;
                self.refused += 1;
                faults.into_iter().for_each(|fault| *self.faults.entry(fault).or_default() += 1);
            }
            Seen::Accepted { kept, of, disputed, newest } => {
                self.accepted += 1;
                self.kept += kept;
                self.of += of;
                self.newest += usize::from(newest);
                *stale += usize::from(!newest);
                self.disputed += usize::from(disputed);
            }
        }
    }

    /// The numbers as one line.
    pub(crate) fn line(&self, contender: &str, setting: &str, bounded: bool, wire: &str) -> Value {
        json!({
            "contender": contender,
            "setting": setting,
            "bounded": bounded,
            "wire": wire,
            "refused": self.refused,
            "nothing": self.nothing,
            "accepted": self.accepted,
            "kept": self.kept,
            "of": self.of,
            "newest": self.newest,
            "disputed": self.disputed,
            "kinds": self.kinds,
            "faults": self.faults,
            "reasons": self.reasons,
        })
    }
}
