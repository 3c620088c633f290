//! The window: history from its newest unit back, until a bound, the anchor or the end is met.

use std::collections::HashSet;

use crate::fit::bounds::{Anchor, Edge, Stride};
use crate::fit::cost::Cost;
use crate::fit::gather::{Gather, Piece};
use crate::fit::plan::{Chosen, Plan};
use crate::fit::receipt::{Class, Line, PrefixChange, Rule, Unvisited, WalkEnd};
use crate::fit::unit::{UnitKind, stands_as};
use crate::message::EntryId;

/// A window while it grows, newest unit first.
struct Window {
    units: Vec<Chosen>,
    /// The cost of each unit with the line of the frame behind it, and their sum.
    costs: Vec<Cost>,
    sum: Cost,
    /// The cost of the units alone: what the view's window limits.
    told: Cost,
    /// What follows the oldest unit so far.
    next: Option<UnitKind>,
    /// What the list begins with so far, leading system text left out.
    first: Option<UnitKind>,
}

/// What stands around the history.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// What follows it.
    pub(super) next: Option<UnitKind>,
    /// Whether an input stands before it.
    pub(super) opened: bool,
    /// The entry of the current message: where nothing fits, the window begins there.
    pub(super) begins: Option<EntryId>,
    /// What the current message costs: the view's window holds it, too.
    pub(super) current: Cost,
    /// Entries that read as a user's and begin no turn.
    pub(super) asides: &'a HashSet<EntryId>,
}

impl Around<'_> {
    fn begins_turn(&self, chosen: &Chosen) -> bool {
        let aside = chosen.gathered.from.first().is_some_and(|entry| self.asides.contains(&entry));
        chosen.gathered.unit.kind() == UnitKind::Input && !aside
    }
}

/// A finished window, oldest unit first.
pub(super) struct Closed {
    pub(super) units: Vec<Chosen>,
    pub(super) unvisited: Unvisited,
    pub(super) anchor: Option<Anchor>,
}

impl Window {
    fn new(next: Option<UnitKind>) -> Self {
        Self { units: Vec::new(), costs: Vec::new(), sum: Cost::default(), told: Cost::default(), next, first: next }
    }

    /// Whether the oldest unit so far is the anchor's.
    fn holds(&self, anchor: Anchor) -> bool {
        self.units.last().is_some_and(|oldest| anchor.is_of(&oldest.gathered.from))
    }

    fn push(&mut self, chosen: Chosen, cost: Cost) {
        self.told = self.told.plus(chosen.cost);
        self.units.push(chosen);
        self.costs.push(cost);
        self.sum = self.sum.plus(cost);
    }
}

impl Plan<'_> {
    /// The request's stride, else the view's.
    fn stride(&self) -> Option<Stride> {
        self.bounds.stride.or(self.window.stride)
    }

    /// The limits of the view's window.
    fn told_most(&self) -> Cost {
        Cost {
            messages: self.window.messages.unwrap_or(u64::MAX),
            chars: self.window.chars.unwrap_or(u64::MAX),
            tokens: self.window.tokens.as_ref().map_or(u64::MAX, |(most, _)| *most),
            images: u64::MAX,
            bytes: u64::MAX,
        }
    }

    /// Takes the newest units of the history that fit. `older`: what lies beyond what was given.
    pub(super) fn history<I: Iterator<Item = Piece>>(
        &mut self,
        walk: &mut Gather<I>,
        older: Unvisited,
        around: Around<'_>,
    ) -> Closed {
        let told = self.told_most().less(around.current);
        let room = self.most.less(self.used).least(told);
        let mut window = Window::new(around.next);
        let before = std::mem::take(&mut self.lines);
        let end = self.walk(walk, &mut window, around, told);
        if matches!(end, Some(WalkEnd::Bound(_) | WalkEnd::Window(_))) {
            self.step(&mut window, room);
        }
        let end = end.or(older.why());
        if (self.bounds.edge == Edge::Turn || self.window.edge == Edge::Turn) && end.is_some() {
            while window.units.last().is_some_and(|chosen| !around.begins_turn(chosen)) {
                self.drop_oldest(&mut window, Rule::BeforeInput);
            }
        }
        for chosen in window.units.iter().rev() {
            self.tell_files(chosen);
        }
        walk.orphans();
        let found = std::mem::take(&mut walk.lines).into_iter().rev();
        let own = std::mem::take(&mut self.lines);
        self.lines = before.into_iter().chain(found).chain(own).collect();
        let mut closed = self.close(window, end, around.begins);
        let left = walk.left();
        let own = end.filter(|_| left > 0).map_or(Unvisited::Nothing, |why| Unvisited::Older { entries: left, why });
        closed.unvisited = own.and(older);
        closed
    }

    fn walk<I: Iterator<Item = Piece>>(
        &mut self,
        walk: &mut Gather<I>,
        window: &mut Window,
        around: Around<'_>,
        told: Cost,
    ) -> Option<WalkEnd> {
        let anchor = self.stride().and(self.bounds.anchor);
        if anchor.is_some_and(|anchor| around.begins.is_some_and(|begins| anchor.entry() == begins)) {
            return Some(WalkEnd::Anchor);
        }
        for gathered in walk.by_ref() {
            let chosen = self.measure(gathered, Class::History);
            let kind = stands_as(&chosen.gathered.unit, self.profile);
            let behind = kind.map_or(Cost::default(), |kind| self.frame(Some(kind), window.next));
            let cost = chosen.cost.plus(behind);
            let first = if chosen.gathered.unit.kind() == UnitKind::System { window.first } else { kind };
            let opening = if around.opened { Cost::default() } else { self.frame(None, first) };
            if let Some(bound) = self.used.plus(cost).plus(opening).over(self.most) {
                self.lines.push(Line { from: chosen.gathered.from, rule: Rule::Over { bound } });
                return Some(WalkEnd::Bound(bound));
            }
            if let Some(bound) = window.told.plus(chosen.cost).over(told) {
                self.lines.push(Line { from: chosen.gathered.from, rule: Rule::Over { bound } });
                return Some(WalkEnd::Window(bound));
            }
            self.used = self.used.plus(cost);
            self.hold_files(&chosen);
            window.push(chosen, cost);
            window.next = kind.or(window.next);
            window.first = first;
            if anchor.is_some_and(|anchor| window.holds(anchor)) {
                return Some(WalkEnd::Anchor);
            }
        }
        None
    }

    /// A window with strides that is full is cut to its low mark, by whole units; the newest stays.
    fn step(&mut self, window: &mut Window, room: Cost) {
        let Some(stride) = self.stride() else { return };
        let low = stride.low_mark(room);
        while window.units.len() > 1 && window.sum.over(low).is_some() {
            self.drop_oldest(window, Rule::Stepped);
        }
    }

    fn drop_oldest(&mut self, window: &mut Window, rule: Rule) {
        if let Some((chosen, cost)) = window.units.pop().zip(window.costs.pop()) {
            self.used = self.used.less(cost);
            window.sum = window.sum.less(cost);
            self.lines.push(Line { from: chosen.gathered.from, rule });
        }
    }

    fn close(&mut self, mut window: Window, end: Option<WalkEnd>, begins: Option<EntryId>) -> Closed {
        let given = self.bounds.anchor;
        let held = given.filter(|anchor| window.holds(*anchor));
        window.units.reverse();
        let oldest = window.units.first().and_then(|chosen| chosen.gathered.from.first());
        let begins = begins.filter(|_| end.is_some());
        let anchor = held.or(oldest.or(begins).map(Anchor::at)).or(given);
        let moved = match (self.stride(), end) {
            // Where nothing fits and nothing follows, there is no new place to begin at.
            (Some(_), Some(WalkEnd::Bound(_) | WalkEnd::Window(_))) => given.is_some() && held.is_none(),
            (Some(_), _) => given.is_some() && anchor != given,
            (None, Some(WalkEnd::Bound(_) | WalkEnd::Window(_) | WalkEnd::Limit)) => true,
            (None, Some(WalkEnd::Anchor | WalkEnd::Reset) | None) => false,
        };
        if moved {
            self.changes.push(PrefixChange::WindowStepped);
        }
        Closed { units: window.units, unvisited: Unvisited::Nothing, anchor }
    }
}
