//! Cards that wait for a person and that the window does not hold: told in one note at the end (design invariant 14).

use std::collections::HashSet;
use std::sync::Arc;

use crate::fit::gather::Gathered;
use crate::fit::plan::{Chosen, Plan};
use crate::fit::receipt::{Class, Line, Origin, Rule};
use crate::fit::unit::Unit;
use crate::message::{EntryId, Extra, Part, User};

/// A card that waits, and how it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingCard {
    /// Its entry.
    pub entry: EntryId,
    /// The line.
    pub line: String,
}

/// The note while it is not known yet which of its cards the window holds.
pub(super) struct Note {
    /// Newest first.
    cards: Vec<WaitingCard>,
    pub(super) chosen: Chosen,
}

impl Plan<'_> {
    /// Makes room for a note of all those cards, or of the newest that fit.
    pub(super) fn note(&mut self, mut cards: Vec<WaitingCard>) -> Option<Note> {
        loop {
            let chosen = self.note_unit(&cards)?;
            let Some(bound) = self.used.plus(chosen.cost).over(self.most) else {
                self.used = self.used.plus(chosen.cost);
                return Some(Note { cards, chosen });
            };
            let oldest = cards.pop()?;
            self.lines.push(Line { from: Origin::Entries(vec![oldest.entry]), rule: Rule::Over { bound } });
        }
    }

    /// The note without the cards that the window holds. All of them are told of.
    pub(super) fn note_of_rest(&mut self, note: Note, window: &[Chosen]) -> Option<Chosen> {
        let held: HashSet<EntryId> = window.iter().flat_map(|chosen| chosen.gathered.from.entries()).copied().collect();
        let Note { mut cards, chosen } = note;
        let all = cards.len();
        for card in cards.iter().filter(|card| held.contains(&card.entry)) {
            self.lines.push(Line { from: Origin::Entries(vec![card.entry]), rule: Rule::CardWaits });
        }
        cards.retain(|card| !held.contains(&card.entry));
        let chosen = if cards.len() == all {
            chosen
        } else {
            self.used = self.used.less(chosen.cost);
            let rest = self.note_unit(&cards)?;
            self.used = self.used.plus(rest.cost);
            rest
        };
        self.lines.push(Line { from: chosen.gathered.from.clone(), rule: Rule::CardWaits });
        Some(chosen)
    }

    fn note_unit(&mut self, cards: &[WaitingCard]) -> Option<Chosen> {
        if cards.is_empty() {
            return None;
        }
        let oldest_first = || cards.iter().rev();
        let text = oldest_first().map(|card| card.line.as_str()).collect::<Vec<_>>().join("\n");
        let unit = Unit::User(Arc::new(User { parts: vec![Part::text(text)], extra: Extra::default() }));
        let from = Origin::Entries(oldest_first().map(|card| card.entry).collect());
        Some(self.measure(Gathered { unit, from }, Class::Pinned))
    }
}
