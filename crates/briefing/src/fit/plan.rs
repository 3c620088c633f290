//! Which units are kept. What never yields is counted first, then what yields last, and history takes what is left, from the
//! newest unit back: so nothing older than the window is ever looked at.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::call::Call;
use crate::fit::bounds::{Bound, Bounds, Edge, Limits};
use crate::fit::cost::{Cost, Meter};
use crate::fit::files::FileGate;
use crate::fit::gather::{Gather, Gathered, Piece};
use crate::fit::receipt::{Class, Line, Origin, PrefixChange, Rule, Unvisited, WalkEnd};
use crate::fit::seal::{Briefing, Chosen, Sealing};
use crate::fit::shorten::{CUT_TO, Shorten, shorten};
use crate::fit::unit::{Unit, UnitKind, filler, turn};
use crate::message::EntryId;
use crate::profile::ModelProfile;

/// Why nothing can be sent within the bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// What never yields is larger than a bound.
    #[error("{bound} are bounded at {limit}, but what never yields takes {}", sizes(parts))]
    TooLarge {
        /// The bound.
        bound: Bound,
        /// Its limit.
        limit: u64,
        /// What takes how much of it.
        parts: Vec<ShareSize>,
    },
}

/// A share of what never yields, with its size in the bound's own measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ShareSize {
    /// What it is.
    pub share: Share,
    /// Its size.
    pub size: u64,
}

/// What never yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Share {
    /// Tools, parameters, and what stands around the messages.
    Around,
    /// System text and other fixed messages.
    Fixed,
    /// The message being answered.
    Current,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Around => "tools and frame",
            Self::Fixed => "fixed messages",
            Self::Current => "current message",
        })
    }
}

fn sizes(parts: &[ShareSize]) -> String {
    let total: u64 = parts.iter().map(|part| part.size).sum();
    let parts: Vec<String> = parts.iter().map(|part| format!("{} {}", part.share, part.size)).collect();
    format!("{total} ({})", parts.join(", "))
}

/// Everything that a briefing is made of.
pub(crate) struct Parts<I: Iterator<Item = Piece>> {
    /// What stands before the history, in order.
    pub(crate) before: Vec<Section>,
    /// The history, newest first.
    pub(crate) history: Gather<I>,
    /// What stands behind it, in order.
    pub(crate) after: Vec<Section>,
    /// The message being answered.
    pub(crate) current: Option<Gathered>,
    /// This run's rounds so far, newest first.
    pub(crate) run: Vec<Gathered>,
    /// What is known already of pieces that are not there.
    pub(crate) lines: Vec<Line>,
    /// What lies beyond the history that was given.
    pub(crate) older: Unvisited,
}

/// What one resolver contributed beside history.
#[derive(Debug)]
pub(crate) struct Section {
    class: Class,
    /// The share of each bound that a summary or recall may take before history does.
    reserve: f64,
    units: Vec<Gathered>,
}

/// What a summary and recall may take of each bound before history does.
const RESERVE: f64 = 0.1;

impl Section {
    pub(crate) fn gathered(
        class: Class,
        reserve: Option<f64>,
        newest_first: impl Iterator<Item = Piece>,
        resolver: Arc<str>,
    ) -> (Self, Vec<Line>) {
        let mut gather = Gather::new(newest_first, resolver);
        let mut units: Vec<Gathered> = gather.by_ref().collect();
        gather.orphans();
        units.reverse();
        (Self { class, reserve: reserve.unwrap_or(RESERVE).clamp(0.0, 1.0), units }, gather.lines)
    }
}

/// Chooses, and seals what was chosen.
pub(crate) fn plan<I: Iterator<Item = Piece>>(parts: Parts<I>, call: Arc<Call>, bounds: &Bounds) -> Result<Briefing, FitError> {
    let limits = Limits::of(&call, bounds);
    let estimator = bounds.tokens.as_ref().map(|(_, estimator)| estimator);
    let mut meter = Meter::new(&call, estimator, limits.most);
    let around = meter.call(&call);
    let gate = FileGate::new(call.profile(), limits);
    let mut plan = Plan {
        profile: call.profile(),
        bounds,
        most: limits.most,
        meter,
        gate,
        used: around,
        lines: parts.lines,
        changes: Vec::new(),
    };
    let chosen = plan.choose(parts.before, parts.history, parts.after, parts.current, parts.run, around)?;
    let sealing = Sealing {
        units: chosen.units,
        lines: plan.lines,
        changes: plan.changes,
        unvisited: chosen.unvisited.and(parts.older),
        anchor: chosen.anchor,
        around: around.plus(chosen.frame),
        most: limits.most,
        estimator: estimator.map(|estimator| estimator.name().to_owned()),
    };
    Ok(sealing.seal(Arc::clone(&call)))
}

struct Plan<'a> {
    profile: &'a ModelProfile,
    bounds: &'a Bounds,
    most: Cost,
    meter: Meter<'a>,
    gate: FileGate<'a>,
    used: Cost,
    lines: Vec<Line>,
    changes: Vec<PrefixChange>,
}

struct Choice {
    units: Vec<Chosen>,
    frame: Cost,
    unvisited: Unvisited,
    anchor: Option<EntryId>,
}

/// A section while its units are being chosen; what was left out is gone from `units`.
struct Slot {
    class: Class,
    reserve: f64,
    units: Vec<Chosen>,
    waiting: Vec<Gathered>,
}

impl Plan<'_> {
    fn choose<I: Iterator<Item = Piece>>(
        &mut self,
        before: Vec<Section>,
        mut history: Gather<I>,
        after: Vec<Section>,
        current: Option<Gathered>,
        run: Vec<Gathered>,
        around: Cost,
    ) -> Result<Choice, FitError> {
        let mut before: Vec<Slot> = before.into_iter().map(Slot::new).collect();
        let mut after: Vec<Slot> = after.into_iter().map(Slot::new).collect();
        let mut leading = true;
        let mut fixed = Cost::default();
        for slot in before.iter_mut().chain(&mut after).filter(|slot| slot.class == Class::Fixed) {
            for gathered in std::mem::take(&mut slot.waiting) {
                let mut chosen = self.measure(gathered, Class::Fixed);
                leading &= chosen.gathered.unit.kind() == UnitKind::System;
                if leading {
                    chosen.cost.messages = 0;
                }
                fixed = fixed.plus(chosen.cost);
                slot.units.push(chosen);
            }
        }
        let current = current.map(|gathered| self.measure(gathered, Class::Current));
        self.never_yields(around, fixed, current.as_ref().map_or(Cost::default(), |current| current.cost))?;
        self.slots(&mut before, &mut after, Class::Pinned);
        let run = self.run(run);
        self.reserved(&mut before, &mut after);
        let next = following(&after, current.as_ref(), &run, self.profile);
        let opened = before.iter().flat_map(|slot| &slot.units).any(|chosen| self.turn(&chosen.gathered.unit).is_some());
        let begins = current.as_ref().and_then(|current| current.gathered.from.first());
        let window = self.history(&mut history, next, opened, begins);
        self.drop_twice(&mut before, &mut after, &window.units);
        self.slots(&mut before, &mut after, Class::Summary);
        self.slots(&mut before, &mut after, Class::Recall);
        let units = before.into_iter().flat_map(|slot| slot.units).chain(window.units);
        let units = units.chain(after.into_iter().flat_map(|slot| slot.units)).chain(current).chain(run);
        let (units, frame) = self.settle(units.collect(), around)?;
        Ok(Choice { units, frame, unvisited: window.unvisited, anchor: window.anchor })
    }

    fn measure(&mut self, mut gathered: Gathered, class: Class) -> Chosen {
        if let Some((unit, reasons)) = self.gate.pass(&gathered.unit) {
            gathered.unit = unit;
            for why in reasons {
                self.lines.push(Line { from: gathered.from.beginning(), rule: Rule::FileAsLine { why } });
            }
        }
        let cost = self.meter.unit(&gathered.unit);
        Chosen { gathered, class, cost }
    }

    fn never_yields(&mut self, around: Cost, fixed: Cost, current: Cost) -> Result<(), FitError> {
        self.used = around.plus(fixed).plus(current);
        let Some(bound) = self.used.over(self.most) else { return Ok(()) };
        let shares = [(Share::Around, around), (Share::Fixed, fixed), (Share::Current, current)];
        let parts = shares.into_iter().map(|(share, cost)| ShareSize { share, size: cost.of(bound) });
        Err(FitError::TooLarge { bound, limit: self.most.of(bound), parts: parts.collect() })
    }

    /// Takes as many units of that class as fit, the newest first; the rest are lines.
    fn slots(&mut self, before: &mut [Slot], after: &mut [Slot], class: Class) {
        for slot in before.iter_mut().chain(after).filter(|slot| slot.class == class) {
            for gathered in std::mem::take(&mut slot.waiting).into_iter().rev() {
                let chosen = self.measure(gathered, class);
                match self.used.plus(chosen.cost).over(self.most) {
                    None => {
                        self.used = self.used.plus(chosen.cost);
                        slot.units.push(chosen);
                    }
                    Some(bound) => self.lines.push(Line { from: chosen.gathered.from, rule: Rule::Over { bound } }),
                }
            }
            slot.units.sort_by_key(|chosen| chosen.gathered.from.first());
        }
    }

    /// Takes what of summaries and recall stays within their reserve, so that a long history cannot push them out.
    fn reserved(&mut self, before: &mut [Slot], after: &mut [Slot]) {
        for slot in before.iter_mut().chain(after).filter(|slot| matches!(slot.class, Class::Summary | Class::Recall)) {
            let mut left = crate::fit::Stride::low(slot.reserve).of_all(self.most).least(self.most.less(self.used));
            while let Some(gathered) = slot.waiting.pop() {
                let chosen = self.measure(gathered, slot.class);
                if chosen.cost.over(left).is_some() {
                    slot.waiting.push(chosen.gathered);
                    break;
                }
                left = left.less(chosen.cost);
                self.used = self.used.plus(chosen.cost);
                slot.units.insert(0, chosen);
            }
        }
    }

    /// What the unit is to its neighbours; nothing for system text that a wire hoists or lets stand anywhere.
    fn turn(&self, unit: &Unit) -> Option<UnitKind> {
        turn(unit, self.profile)
    }

    fn frame(&mut self, before: Option<UnitKind>, after: Option<UnitKind>) -> Cost {
        filler(before, after, self.profile).map_or(Cost::default(), |filler| self.meter.frame(filler))
    }

    /// This run's rounds, given newest first: all of them, or the most that fit with the oldest outcomes shortened.
    fn run(&mut self, run: Vec<Gathered>) -> Vec<Chosen> {
        let tail = run.first().map_or(Cost::default(), |newest| self.frame(self.turn(&newest.unit), None));
        let mut units: Vec<Chosen> = run.into_iter().map(|gathered| self.measure(gathered, Class::Run)).collect();
        let start = self.used.plus(tail);
        let full = units.iter().fold(start, |sum, chosen| sum.plus(chosen.cost));
        self.used = full;
        if full.over(self.most).is_some() {
            self.shorten_run(&mut units, start);
        }
        units.reverse();
        units
    }

    fn shorten_run(&mut self, units: &mut Vec<Chosen>, start: Cost) {
        self.changes.push(PrefixChange::Shortened);
        let least: Vec<Chosen> = units.iter().map(|chosen| self.shortened(chosen, Shorten::Clear).0).collect();
        let mut sum = start;
        let mut fit = 0;
        for chosen in &least {
            if sum.plus(chosen.cost).over(self.most).is_some() {
                break;
            }
            sum = sum.plus(chosen.cost);
            fit += 1;
        }
        for dropped in units.drain(fit..) {
            let bound = full_bound(sum.plus(dropped.cost), self.most);
            self.lines.push(Line { from: dropped.gathered.from, rule: Rule::Over { bound } });
        }
        for (chosen, least) in units.iter_mut().zip(least) {
            let rest = sum.less(least.cost);
            let (best, rules) = self.longest(chosen, rest);
            sum = rest.plus(best.cost);
            let from = best.gathered.from.beginning();
            self.lines.extend(rules.into_iter().map(|rule| Line { from: from.clone(), rule }));
            *chosen = best;
        }
        self.used = sum;
    }

    /// The least shortened form that fits beside `rest`.
    fn longest(&mut self, chosen: &Chosen, rest: Cost) -> (Chosen, Vec<Rule>) {
        if rest.plus(chosen.cost).over(self.most).is_none() {
            return (chosen.clone(), Vec::new());
        }
        let (cut, rules) = self.shortened(chosen, Shorten::Cut(CUT_TO));
        if rest.plus(cut.cost).over(self.most).is_none() { (cut, rules) } else { self.shortened(chosen, Shorten::Clear) }
    }

    fn shortened(&mut self, chosen: &Chosen, how: Shorten) -> (Chosen, Vec<Rule>) {
        let Unit::Round(round) = &chosen.gathered.unit else { return (chosen.clone(), Vec::new()) };
        let (round, rules) = shorten(round, how);
        let gathered = Gathered { unit: Unit::Round(round), from: chosen.gathered.from.clone() };
        let cost = self.meter.unit(&gathered.unit);
        (Chosen { gathered, class: chosen.class, cost }, rules)
    }

    /// Walks the history from its newest unit until a bound, the anchor or the end is met.
    fn history<I: Iterator<Item = Piece>>(
        &mut self,
        walk: &mut Gather<I>,
        next: Option<UnitKind>,
        opened: bool,
        begins: Option<EntryId>,
    ) -> Closed {
        let room = self.most.less(self.used);
        let mut window = Window::new(next);
        let mut lines = std::mem::take(&mut self.lines);
        let anchor = self.bounds.stride.and(self.bounds.anchor);
        let end = loop {
            if anchor.is_some() && (window.holds(anchor) || window.units.is_empty() && anchor == begins) {
                break Some(WalkEnd::Anchor);
            }
            let Some(gathered) = walk.next() else { break None };
            let chosen = self.measure(gathered, Class::History);
            let turn = self.turn(&chosen.gathered.unit);
            let cost = chosen.cost.plus(turn.map_or(Cost::default(), |turn| self.frame(Some(turn), window.next)));
            let first = if chosen.gathered.unit.kind() == UnitKind::System { window.first } else { turn };
            let opening = if opened { Cost::default() } else { self.frame(None, first) };
            if let Some(bound) = self.used.plus(cost).plus(opening).over(self.most) {
                self.lines.push(Line { from: chosen.gathered.from, rule: Rule::Over { bound } });
                break Some(WalkEnd::Bound(bound));
            }
            self.used = self.used.plus(cost);
            window.push(chosen, cost, turn, first);
        };
        if matches!(end, Some(WalkEnd::Bound(_))) {
            self.step(&mut window, room);
        }
        if self.bounds.edge == Edge::Turn && end.is_some() {
            while window.units.last().is_some_and(|chosen| chosen.gathered.unit.kind() != UnitKind::Input) {
                self.drop_oldest(&mut window, Rule::BeforeInput);
            }
        }
        walk.orphans();
        lines.extend(std::mem::take(&mut walk.lines).into_iter().rev());
        lines.append(&mut self.lines);
        self.lines = lines;
        self.close(window, end, walk.left(), begins)
    }

    /// A window with strides that is full is cut to its low mark, by whole units; the newest stays.
    fn step(&mut self, window: &mut Window, room: Cost) {
        let Some(stride) = self.bounds.stride else { return };
        let low = stride.of_all(room);
        while window.units.len() > 1 && window.cost().over(low).is_some() {
            self.drop_oldest(window, Rule::Stepped);
        }
    }

    fn drop_oldest(&mut self, window: &mut Window, rule: Rule) {
        if let Some((chosen, cost)) = window.units.pop().zip(window.costs.pop()) {
            self.used = self.used.less(cost);
            self.lines.push(Line { from: chosen.gathered.from, rule });
        }
    }

    /// `begins`: the entry that follows the history; where nothing of it fits, the window begins there.
    fn close(&mut self, mut window: Window, end: Option<WalkEnd>, left: u64, begins: Option<EntryId>) -> Closed {
        window.units.reverse();
        let oldest = window.units.first().and_then(|chosen| chosen.gathered.from.first());
        let held =
            self.bounds.anchor.filter(|anchor| window.units.first().is_some_and(|oldest| oldest.gathered.from.holds(*anchor)));
        let anchor = held.or(oldest).or(begins.filter(|_| end.is_some())).or(self.bounds.anchor);
        let moved = match (self.bounds.stride, end) {
            (Some(_), _) => self.bounds.anchor.is_some() && anchor != self.bounds.anchor,
            (None, Some(WalkEnd::Bound(_) | WalkEnd::Limit)) => true,
            (None, Some(WalkEnd::Anchor) | None) => false,
        };
        if moved {
            self.changes.push(PrefixChange::WindowStepped);
        }
        let unvisited = match end {
            Some(why) if left > 0 => Unvisited::Older { entries: left, why },
            _ => Unvisited::Nothing,
        };
        Closed { units: window.units, unvisited, anchor }
    }

    /// What history holds already is not told twice.
    fn drop_twice(&mut self, before: &mut [Slot], after: &mut [Slot], history: &[Chosen]) {
        let known: HashSet<EntryId> = history.iter().flat_map(|chosen| chosen.gathered.from.entries()).copied().collect();
        if known.is_empty() {
            return;
        }
        let twice = |gathered: &Gathered| {
            let entries = gathered.from.entries();
            !entries.is_empty() && entries.iter().all(|entry| known.contains(entry))
        };
        for slot in before.iter_mut().chain(after).filter(|slot| slot.class != Class::Fixed) {
            let (drop, keep): (Vec<_>, Vec<_>) =
                std::mem::take(&mut slot.units).into_iter().partition(|chosen| twice(&chosen.gathered));
            slot.units = keep;
            let (waiting, keep): (Vec<_>, Vec<_>) = std::mem::take(&mut slot.waiting).into_iter().partition(twice);
            slot.waiting = keep;
            self.used = drop.iter().fold(self.used, |used, chosen| used.less(chosen.cost));
            let dropped = drop.into_iter().map(|chosen| chosen.gathered).chain(waiting);
            self.lines.extend(dropped.map(|gathered| Line { from: gathered.from, rule: Rule::Twice }));
        }
    }

    /// Counts the finished list once more with every line of its frame, and lets what yields go while a bound is broken.
    fn settle(&mut self, mut units: Vec<Chosen>, around: Cost) -> Result<(Vec<Chosen>, Cost), FitError> {
        loop {
            let frame = self.frames(&units);
            let sum = units.iter().fold(around.plus(frame), |sum, chosen| sum.plus(chosen.cost));
            let Some(bound) = sum.over(self.most) else {
                self.used = sum;
                return Ok((units, frame));
            };
            let order = [Class::Recall, Class::Summary, Class::History, Class::Run, Class::Pinned];
            let found = order.into_iter().find_map(|class| units.iter().position(|chosen| chosen.class == class));
            let Some(at) = found else {
                let of = |class| {
                    units.iter().filter(|chosen| chosen.class == class).fold(Cost::default(), |sum, one| sum.plus(one.cost))
                };
                let (fixed, current) = (of(Class::Fixed), of(Class::Current));
                return self.never_yields(around.plus(frame), fixed, current).map(|()| (Vec::new(), frame));
            };
            let dropped = units.remove(at);
            self.lines.push(Line { from: dropped.gathered.from, rule: Rule::Over { bound } });
        }
    }

    /// Every line of the frame of that list.
    fn frames(&mut self, units: &[Chosen]) -> Cost {
        let hoisted = units.iter().take_while(|chosen| chosen.gathered.unit.kind() == UnitKind::System).count();
        let mut before = None;
        let mut frame = Cost::default();
        for turn in units.iter().skip(hoisted).filter_map(|chosen| turn(&chosen.gathered.unit, self.profile)) {
            frame = frame.plus(self.frame(before, Some(turn)));
            before = Some(turn);
        }
        frame.plus(self.frame(before, None))
    }
}

/// A window while it grows, newest unit first.
struct Window {
    units: Vec<Chosen>,
    costs: Vec<Cost>,
    /// The turn that follows the oldest unit so far.
    next: Option<UnitKind>,
    /// The first turn of the list so far, leading system text left out.
    first: Option<UnitKind>,
}

struct Closed {
    units: Vec<Chosen>,
    unvisited: Unvisited,
    anchor: Option<EntryId>,
}

impl Window {
    fn new(next: Option<UnitKind>) -> Self {
        Self { units: Vec::new(), costs: Vec::new(), next, first: next }
    }

    fn holds(&self, anchor: Option<EntryId>) -> bool {
        anchor.is_some_and(|anchor| self.units.last().is_some_and(|oldest| oldest.gathered.from.entries().contains(&anchor)))
    }

    fn push(&mut self, chosen: Chosen, cost: Cost, turn: Option<UnitKind>, first: Option<UnitKind>) {
        self.units.push(chosen);
        self.costs.push(cost);
        self.next = turn.or(self.next);
        self.first = first;
    }

    fn cost(&self) -> Cost {
        self.costs.iter().fold(Cost::default(), |sum, cost| sum.plus(*cost))
    }
}

impl Slot {
    fn new(section: Section) -> Self {
        Self { class: section.class, reserve: section.reserve, units: Vec::new(), waiting: section.units }
    }
}

impl Origin {
    /// The entries, oldest first; none for what a resolver made.
    #[must_use]
    pub fn entries(&self) -> &[EntryId] {
        match self {
            Self::Entries(entries) => entries,
            Self::Resolver(_) => &[],
        }
    }

    /// The same with its first entry alone: what a line about one piece of a large round names, so that lines do not grow with
    /// the square of the round.
    pub(crate) fn beginning(&self) -> Self {
        match self {
            Self::Entries(entries) => Self::Entries(entries.first().copied().into_iter().collect()),
            Self::Resolver(name) => Self::Resolver(Arc::clone(name)),
        }
    }

    /// The first entry.
    #[must_use]
    pub fn first(&self) -> Option<EntryId> {
        self.entries().first().copied()
    }
}

/// The turn that follows the history.
fn following(after: &[Slot], current: Option<&Chosen>, run: &[Chosen], profile: &ModelProfile) -> Option<UnitKind> {
    let after = after.iter().flat_map(|slot| &slot.units);
    after.chain(current).chain(run).find_map(|chosen| turn(&chosen.gathered.unit, profile))
}

fn full_bound(cost: Cost, most: Cost) -> Bound {
    cost.over(most).unwrap_or(Bound::Messages)
}
