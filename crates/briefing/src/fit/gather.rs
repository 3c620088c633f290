//! From a list of messages to units, newest first and lazily: pairs calls with outcomes. The only place where anything is
//! made up or moved.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::fit::receipt::{Line, Origin, Rule};
use crate::fit::unit::{Round, Unit};
use crate::message::{Assistant, CallId, EntryId, Extra, Item, ModelMessage, Outcome, Part, SystemPart, Text};
use crate::texts::OutcomeText;

/// A message and the entry that it stands for, where it stands for one.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The message.
    pub message: ModelMessage,
    /// The entry.
    pub entry: Option<EntryId>,
}

/// A message that stands for no entry.
impl From<ModelMessage> for Piece {
    fn from(message: ModelMessage) -> Self {
        Self { message, entry: None }
    }
}

/// A unit with where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Gathered {
    pub(crate) unit: Unit,
    pub(crate) from: Origin,
}

/// Walks pieces from the newest back and yields units. What it finds on the way is in `lines`, newest first.
#[derive(Debug)]
pub(crate) struct Gather<I: Iterator<Item = Piece>> {
    pieces: Ahead<I>,
    resolver: Arc<str>,
    waiting: HashMap<CallId, Vec<Waiting>>,
    /// Number of the run of neighbouring outcomes that was met last, and whether the piece met last was one.
    block: u32,
    in_block: bool,
    met: u32,
    /// Calls that wait for a person.
    held: HashSet<CallId>,
    pub(crate) lines: Vec<Line>,
}

/// An outcome whose call has not been met yet.
#[derive(Debug)]
struct Waiting {
    outcome: Arc<Outcome>,
    entry: Option<EntryId>,
    block: u32,
    /// Counts outcomes as they are met: the newest has the smallest number.
    met: u32,
}

impl<I: Iterator<Item = Piece>> Gather<I> {
    /// `newest_first`: the pieces, newest first. `resolver`: who contributed them.
    pub(crate) fn new(newest_first: I, resolver: Arc<str>) -> Self {
        Self {
            pieces: Ahead { rest: newest_first, seen: VecDeque::new() },
            resolver,
            waiting: HashMap::new(),
            block: 0,
            in_block: false,
            met: 0,
            held: HashSet::new(),
            lines: Vec::new(),
        }
    }

    /// The same; of those calls it is known that they wait for a person.
    pub(crate) fn with_held(mut self, held: HashSet<CallId>) -> Self {
        self.held = held;
        self
    }

    /// How many pieces were not reached; known without counting for what is in memory.
    pub(crate) fn left(&self) -> u64 {
        self.pieces.left()
    }

    fn from(&self, entries: Vec<EntryId>) -> Origin {
        if entries.is_empty() { Origin::Resolver(Arc::clone(&self.resolver)) } else { Origin::Entries(entries) }
    }

    fn note(&mut self, entry: Option<EntryId>, rule: Rule) {
        let from = self.from(entry.into_iter().collect());
        self.lines.push(Line { from, rule });
    }

    fn hold(&mut self, outcome: Arc<Outcome>, entry: Option<EntryId>) {
        if !self.in_block {
            self.block += 1;
            self.in_block = true;
        }
        self.met += 1;
        let waiting = Waiting { entry, block: self.block, met: self.met, outcome };
        self.waiting.entry(waiting.outcome.call.clone()).or_default().push(waiting);
    }

    /// Outcomes whose call was not met: call this when the walk has ended.
    pub(crate) fn orphans(&mut self) {
        let mut orphans: Vec<Waiting> = std::mem::take(&mut self.waiting).into_values().flatten().collect();
        orphans.sort_by_key(|waiting| waiting.met);
        for waiting in orphans {
            self.note(waiting.entry, Rule::OutcomeWithoutCall { call: waiting.outcome.call.to_string() });
        }
    }

    /// The round that ends with `last`, the assistant message just met.
    fn round(&mut self, last: Arc<Assistant>, entry: Option<EntryId>, block: Option<u32>) -> Gathered {
        let mut said = vec![last];
        let mut entries: Vec<EntryId> = entry.into_iter().collect();
        if let Some(block) = block {
            self.neighbours(&mut said, &mut entries, block);
        }
        said.reverse();
        entries.reverse();
        self.fetch_earlier(&said);
        let mut outcomes = Vec::new();
        let mut newest_met = u32::MAX;
        let mut reordered = false;
        for call in said.iter().flat_map(|said| said.calls()) {
            let waiting = self.waiting.get_mut(&call.id).and_then(Vec::pop);
            let Some(waiting) = waiting else {
                self.note(entry, Rule::OutcomeMissing { call: call.id.to_string() });
                let text = if self.held.contains(&call.id) { OutcomeText::Waiting } else { OutcomeText::NotRecorded };
                outcomes.push(Arc::new(made_up(call.id.clone(), text)));
                continue;
            };
            if Some(waiting.block) == block {
                reordered |= waiting.met > newest_met;
                newest_met = waiting.met;
            } else {
                self.note(waiting.entry, Rule::OutcomeMoved { call: call.id.to_string() });
            }
            entries.extend(waiting.entry);
            outcomes.push(self.spoken(waiting));
        }
        if reordered {
            self.note(entry, Rule::OutcomesReordered);
        }
        for call in said.iter().flat_map(|said| said.calls()) {
            for spare in self.waiting.remove(&call.id).into_iter().flatten() {
                self.note(spare.entry, Rule::OutcomeRepeated { call: call.id.to_string() });
            }
        }
        Gathered { unit: Unit::Round(Round::new(said, outcomes)), from: self.from(entries) }
    }

    /// Takes older neighbours into the round as long as their calls are answered in the same run of outcomes.
    fn neighbours(&mut self, said: &mut Vec<Arc<Assistant>>, entries: &mut Vec<EntryId>, block: u32) {
        if !matches!(self.pieces.look(0), Some(Piece { message: ModelMessage::Assistant(_), .. })) {
            return;
        }
        // Outcomes of this run that no call in the round has taken, by call.
        let mut spare: HashMap<CallId, usize> = HashMap::new();
        let waiting = &self.waiting;
        let here = |call: &CallId| waiting.get(call).map_or(0, |all| all.iter().filter(|one| one.block == block).count());
        let take = |said: &Assistant, spare: &mut HashMap<CallId, usize>| {
            for call in said.calls() {
                let left = spare.entry(call.id.clone()).or_insert_with(|| here(&call.id));
                *left = left.saturating_sub(1);
            }
        };
        said.iter().for_each(|said| take(said, &mut spare));
        loop {
            let answered =
                |said: &Assistant| said.calls().any(|call| spare.get(&call.id).copied().unwrap_or_else(|| here(&call.id)) > 0);
            let next = self.pieces.next_if(|piece| matches!(&piece.message, ModelMessage::Assistant(said) if answered(said)));
            let Some(Piece { message: ModelMessage::Assistant(next), entry }) = next else { break };
            take(&next, &mut spare);
            entries.extend(entry);
            said.push(next);
        }
    }

    /// An outcome that stands right before its call, as a list out of order has it, waits for it like any other; unless the
    /// assistant before that outcome asked for it.
    fn fetch_earlier(&mut self, said: &[Arc<Assistant>]) {
        let calls = said.iter().flat_map(|said| said.calls()).map(|call| &call.id);
        let open: HashSet<&CallId> = calls.filter(|id| !self.waiting.contains_key(*id)).collect();
        let outcome = |piece: Option<&Piece>| match piece {
            Some(Piece { message: ModelMessage::Tool(outcome), .. }) => Some(outcome.call.clone()),
            Some(_) | None => None,
        };
        if open.is_empty() || outcome(self.pieces.look(0)).is_none() {
            return;
        }
        let mut before = Vec::new();
        while let Some(id) = outcome(self.pieces.look(before.len())) {
            before.push(id);
        }
        let owner = match self.pieces.look(before.len()) {
            Some(Piece { message: ModelMessage::Assistant(owner), .. }) => owner.calls().map(|call| call.id.clone()).collect(),
            Some(_) | None => HashSet::new(),
        };
        let ours = |id: &CallId| open.contains(id) && !owner.contains(id);
        // From the oldest back, so that the first outcome of a call is held last and stands.
        let places: Vec<usize> = before.iter().enumerate().filter(|(_, id)| ours(id)).map(|(at, _)| at).collect();
        let mut taken: Vec<Piece> = places.into_iter().rev().filter_map(|at| self.pieces.seen.remove(at)).collect();
        self.in_block = false;
        while let Some(Piece { message: ModelMessage::Tool(outcome), entry }) = taken.pop() {
            self.hold(outcome, entry);
        }
        self.in_block = false;
    }

    /// An outcome that says something: itself, or the fixed text for one that says nothing.
    fn spoken(&mut self, waiting: Waiting) -> Arc<Outcome> {
        if waiting.outcome.parts.iter().any(|part| !blank_part(part)) {
            return waiting.outcome;
        }
        let call = &waiting.outcome.call;
        self.note(waiting.entry, Rule::OutcomeEmpty { call: call.to_string() });
        let parts = vec![Part::text(OutcomeText::Empty.text())];
        Arc::new(Outcome { parts, ..Outcome::clone(&waiting.outcome) })
    }

    fn alone(&mut self, unit: Unit, entry: Option<EntryId>) -> Option<Gathered> {
        if blank(&unit) {
            self.note(entry, Rule::Blank);
            return None;
        }
        Some(Gathered { unit, from: self.from(entry.into_iter().collect()) })
    }
}

impl<I: Iterator<Item = Piece>> Iterator for Gather<I> {
    type Item = Gathered;

    fn next(&mut self) -> Option<Gathered> {
        loop {
            let Piece { message, entry } = self.pieces.next()?;
            let block = self.in_block.then_some(self.block);
            let unit = match message {
                ModelMessage::Tool(outcome) => {
                    self.hold(outcome, entry);
                    continue;
                }
                ModelMessage::Assistant(said) if said.calls().next().is_some() => {
                    self.in_block = false;
                    return Some(self.round(said, entry, block));
                }
                ModelMessage::Assistant(said) => Unit::Round(Round::new(vec![said], Vec::new())),
                ModelMessage::System(system) => Unit::System(system),
                ModelMessage::User(user) => Unit::User(user),
            };
            self.in_block = false;
            if let Some(gathered) = self.alone(unit, entry) {
                return Some(gathered);
            }
        }
    }
}

/// Pieces, newest first, with some looked at before they are taken.
#[derive(Debug)]
struct Ahead<I> {
    rest: I,
    seen: VecDeque<Piece>,
}

impl<I: Iterator<Item = Piece>> Ahead<I> {
    /// The piece so many places ahead.
    fn look(&mut self, places: usize) -> Option<&Piece> {
        while self.seen.len() <= places {
            self.seen.push_back(self.rest.next()?);
        }
        self.seen.get(places)
    }

    fn next(&mut self) -> Option<Piece> {
        self.seen.pop_front().or_else(|| self.rest.next())
    }

    fn next_if(&mut self, wanted: impl FnOnce(&Piece) -> bool) -> Option<Piece> {
        if wanted(self.look(0)?) { self.next() } else { None }
    }

    fn left(&self) -> u64 {
        (self.seen.len() + self.rest.size_hint().0) as u64
    }
}

/// The outcome that stands for one which is not there.
pub(crate) fn made_up(call: CallId, text: OutcomeText) -> Outcome {
    Outcome { call, parts: vec![Part::text(text.text())], failed: text.failed(), extra: Extra::default() }
}

/// Whether a unit without calls says nothing: no wire takes it. Reasoning alone says nothing to anyone (report B62).
fn blank(unit: &Unit) -> bool {
    match unit {
        Unit::System(system) => system.parts.iter().all(|part| match part {
            SystemPart::Text(text) => blank_text(text),
            SystemPart::Native(_) => false,
        }),
        Unit::User(user) => user.parts.iter().all(blank_part),
        Unit::Round(round) => round.outcomes().is_empty() && round.said().iter().flat_map(|said| &said.items).all(blank_item),
    }
}

fn blank_item(item: &Item) -> bool {
    match item {
        Item::Text(text) => blank_text(text),
        Item::Reasoning(_) => true,
        Item::Call(_) | Item::Native(_) => false,
    }
}

/// Whether a message of the list is an input that says something.
pub(crate) fn is_input(message: &ModelMessage) -> bool {
    matches!(message, ModelMessage::User(user) if !user.parts.iter().all(blank_part))
}

fn blank_part(part: &Part) -> bool {
    matches!(part, Part::Text(text) if blank_text(text))
}

fn blank_text(text: &Text) -> bool {
    text.text.trim().is_empty()
}
