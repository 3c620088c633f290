//! Seal: what was chosen is frozen. Nothing else makes a briefing.

use std::collections::HashSet;
use std::sync::Arc;

use crate::call::Call;
use crate::fit::bounds::Anchor;
use crate::fit::cost::Cost;
use crate::fit::cost::has_media;
use crate::fit::plan::{Chosen, hoisted};
use crate::fit::receipt::{Class, FileReason, Kept, Line, PrefixChange, Receipt, Rule, Unvisited};
use crate::fit::unit::{Round, Unit, UnitKind, filler, stands_as};
use crate::message::{Assistant, CallId, Item, ModelMessage, Outcome, Part};
use crate::view::{OUTCOME_CHARS, Replay};
use crate::wire::Wire;

/// The sealed list: paired, in order, within every bound, with the call it was fitted for. Shared, never changed.
#[derive(Debug, Clone)]
pub struct Briefing {
    call: Arc<Call>,
    units: Arc<[Placed]>,
    receipt: Arc<Receipt>,
}

/// A unit in its place, with its class.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    unit: Unit,
    class: Class,
}

impl Placed {
    /// The unit.
    #[must_use]
    pub fn unit(&self) -> &Unit {
        &self.unit
    }

    /// Why it is there.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
    }
}

impl Briefing {
    /// The call it was fitted for.
    #[must_use]
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The units, in order.
    #[must_use]
    pub fn units(&self) -> &[Placed] {
        &self.units
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = ModelMessage> {
        self.units.iter().flat_map(|placed| placed.unit.messages())
    }

    /// What became of everything that was considered.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }
}

/// A finished plan.
pub(crate) struct Sealing {
    pub(crate) units: Vec<Chosen>,
    pub(crate) lines: Vec<Line>,
    pub(crate) changes: Vec<PrefixChange>,
    pub(crate) unvisited: Unvisited,
    pub(crate) anchor: Option<Anchor>,
    pub(crate) replay: Option<Replay>,
    pub(crate) around: Cost,
    pub(crate) most: Cost,
    pub(crate) estimator: Option<String>,
}

impl Sealing {
    pub(crate) fn seal(mut self, call: Arc<Call>) -> Briefing {
        self.number();
        self.note_changes(&call);
        let total = self.units.iter().fold(self.around, |sum, chosen| sum.plus(chosen.cost));
        let mut units = Vec::with_capacity(self.units.len());
        let mut kept = Vec::with_capacity(self.units.len());
        for chosen in self.units {
            let kind = chosen.gathered.unit.kind();
            kept.push(Kept { from: chosen.gathered.from, class: chosen.class, kind, cost: chosen.cost });
            units.push(Placed { unit: chosen.gathered.unit, class: chosen.class });
        }
        let receipt = Receipt {
            kept,
            lines: self.lines,
            unvisited: self.unvisited,
            around: self.around,
            total,
            most: self.most,
            estimator: self.estimator,
            changes: self.changes,
            anchor: self.anchor,
        };
        Briefing { call, units: units.into(), receipt: Arc::new(receipt) }
    }

    /// Ids that repeat where no log numbered them (a plain list) are numbered here, in the order of the list.
    fn number(&mut self) {
        let mut seen: HashSet<CallId> = HashSet::new();
        let mut next: std::collections::HashMap<String, u32> = std::collections::HashMap::new();
        for chosen in &mut self.units {
            let Unit::Round(round) = &chosen.gathered.unit else { continue };
            let mut renamed: Vec<Option<CallId>> = Vec::new();
            for outcome in round.outcomes() {
                let id = &outcome.call;
                if seen.insert(id.clone()) {
                    renamed.push(None);
                    continue;
                }
                let counter = next.entry(id.given().to_owned()).or_insert(0);
                let fresh = loop {
                    *counter += 1;
                    let fresh = id.repeated(*counter);
                    if seen.insert(fresh.clone()) {
                        break fresh;
                    }
                };
                self.lines.push(Line {
                    from: chosen.gathered.from.beginning(),
                    rule: Rule::IdRepeated { call: id.given().to_owned() },
                });
                renamed.push(Some(fresh));
            }
            if renamed.iter().any(Option::is_some) {
                chosen.gathered.unit = Unit::Round(renumbered(round, &renamed));
            }
        }
    }

    /// Whether the end of the list reads otherwise once something stands behind it: a line of the frame, and on Anthropic a
    /// prefill, whose trailing space is trimmed, or system text, which an input may not follow.
    fn ends_for_now(&self, call: &Call) -> bool {
        let profile = call.profile();
        let behind = self.units.iter().skip(hoisted(&self.units)).rev();
        let last = behind.clone().find_map(|chosen| stands_as(&chosen.gathered.unit, profile));
        let end = behind.map(|chosen| chosen.gathered.unit.kind()).next();
        let anthropic = profile.wire == Wire::Anthropic && matches!(end, Some(UnitKind::System | UnitKind::Answer));
        anthropic || filler(last, None, profile).is_some()
    }

    /// Whether something in this turn reads shorter once it is over: files become lines, long outcomes are cut.
    fn shortens_later(&self) -> bool {
        self.units.iter().any(|chosen| match (&chosen.gathered.unit, chosen.class) {
            (Unit::User(user), Class::Current) => {
                user.parts.iter().any(|part| matches!(part, Part::Image(_) | Part::Document(_)))
            }
            (Unit::Round(round), Class::Run) => round.outcomes().iter().any(|outcome| self.replayed_otherwise(outcome)),
            (Unit::System(_) | Unit::User(_) | Unit::Round(_), _) => false,
        })
    }

    /// Whether an outcome reads otherwise once its turn is over.
    fn replayed_otherwise(&self, outcome: &Outcome) -> bool {
        match self.replay {
            Some(Replay::LeftOut | Replay::Cleared) => true,
            Some(Replay::Whole) => has_media(outcome),
            Some(Replay::Cut(most)) => has_media(outcome) || is_longer(outcome, most),
            None => has_media(outcome) || is_longer(outcome, OUTCOME_CHARS),
        }
    }

    fn note_changes(&mut self, call: &Call) {
        let undeclared = call.wire() == Wire::Anthropic && call.declared_tools().is_empty();
        let declared = undeclared && self.units.iter().any(|chosen| chosen.gathered.unit.kind() == UnitKind::Round);
        let found = [
            (self.ends_for_now(call), PrefixChange::SyntheticTail),
            (self.shortens_later(), PrefixChange::TurnOver),
            (declared, PrefixChange::ToolsDeclared),
            (call.wire() == Wire::Anthropic && call.marks_cache(), PrefixChange::CacheMarks),
        ];
        let found = found.into_iter().filter_map(|(found, change)| found.then_some(change));
        for change in self.lines.iter().filter_map(|line| prefix_change(&line.rule)).chain(found) {
            if !self.changes.contains(&change) {
                self.changes.push(change);
            }
        }
    }
}

/// What a rule means for the bytes of a later request.
fn prefix_change(rule: &Rule) -> Option<PrefixChange> {
    match rule {
        Rule::OutcomeMoved { .. } => Some(PrefixChange::LateOutcome),
        Rule::IdRepeated { .. } => Some(PrefixChange::IdRepeated),
        Rule::FileAsLine { why: FileReason::TooMany } => Some(PrefixChange::Shortened),
        Rule::CardWaits => Some(PrefixChange::CardWaits),
        Rule::Edited => Some(PrefixChange::Edited),
        Rule::FileAsLine { .. }
        | Rule::OutcomeMissing { .. }
        | Rule::OutcomesReordered
        | Rule::OutcomeRepeated { .. }
        | Rule::OutcomeWithoutCall { .. }
        | Rule::OutcomeEmpty { .. }
        | Rule::OutcomeCut { .. }
        | Rule::OutcomeCleared { .. }
        | Rule::Blank
        | Rule::NotSent
        | Rule::Unreadable
        | Rule::Filtered
        | Rule::FilterFailed { .. }
        | Rule::Redacted { .. }
        | Rule::CardSettled
        | Rule::ToolUseLeftOut
        | Rule::TextAlone
        | Rule::FileNotReady
        | Rule::PicturesLeftOut { .. }
        | Rule::Twice
        | Rule::Over { .. }
        | Rule::BeforeInput
        | Rule::Stepped
        | Rule::VisitLimit { .. }
        | Rule::RowLimit { .. } => None,
    }
}

fn is_longer(outcome: &Outcome, most: usize) -> bool {
    let texts = outcome.parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(&text.text),
        Part::Image(_) | Part::Document(_) | Part::Native(_) => None,
    });
    texts.map(String::len).sum::<usize>() > most
}

/// The round with other ids, one for each call in order; none keeps the one it has.
fn renumbered(round: &Round, renamed: &[Option<CallId>]) -> Round {
    let mut ids = renamed.iter();
    let said = round.said().iter().map(|said| {
        let mut said = Assistant::clone(said);
        for item in &mut said.items {
            if let Item::Call(call) = item
                && let Some(Some(id)) = ids.next()
            {
                call.id = id.clone();
            }
        }
        Arc::new(said)
    });
    let said = said.collect();
    let outcomes = round.outcomes().iter().zip(renamed).map(|(outcome, id)| match id {
        Some(id) => Arc::new(Outcome { call: id.clone(), ..Outcome::clone(outcome) }),
        None => Arc::clone(outcome),
    });
    Round::new(said, outcomes.collect())
}
