//! Which units are kept. What never yields is counted first, then what yields last, and history takes what is left, from the
//! newest unit back: so nothing older than the window is ever looked at.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::call::Call;
use crate::fit::bounds::{Bound, Bounds, Limits};
use crate::fit::cost::{Cost, Meter};
use crate::fit::files::FileGate;
use crate::fit::gather::{Gather, Gathered, Piece};
use crate::fit::history::{Around, Closed};
use crate::fit::receipt::{Class, FileReason, Line, PrefixChange, Rule, Unvisited};
use crate::fit::seal::{Briefing, Sealing};
use crate::fit::unit::{Unit, UnitKind, filler, stands_as};
use crate::fit::waiting::WaitingCard;
use crate::message::{CallId, EntryId};
use crate::profile::ModelProfile;
use crate::view::{Replay, Window};

/// Why nothing can be sent within the bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// What never yields is larger than a bound.
    #[error("{bound} are bounded at {limit}, but what never yields takes {}", sizes(shares))]
    TooLarge {
        /// The bound.
        bound: Bound,
        /// Its limit.
        limit: u64,
        /// What takes how much of it.
        shares: Vec<ShareSize>,
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

fn sizes(shares: &[ShareSize]) -> String {
    let total: u64 = shares.iter().map(|share| share.size).sum();
    let shares: Vec<String> = shares.iter().map(|share| format!("{} {}", share.share, share.size)).collect();
    format!("{total} ({})", shares.join(", "))
}

/// Everything that a briefing is made of.
pub(crate) struct Material<I: Iterator<Item = Piece>> {
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
    /// How a view tells the history.
    pub(crate) told: Told,
}

/// How a view tells the history.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) window: Window,
    pub(crate) replay: Option<Replay>,
    /// Cards that wait, newest first.
    pub(crate) waiting: Vec<WaitingCard>,
    /// Calls that wait for a person.
    pub(crate) held: HashSet<CallId>,
    /// Entries that read as a user's and begin no turn.
    pub(crate) asides: HashSet<EntryId>,
}

/// What one resolver contributed beside history, while its units are being chosen.
#[derive(Debug)]
pub(crate) struct Section {
    class: Class,
    /// The share of each bound that a summary or recall may take before history does.
    reserve: f64,
    waiting: Vec<Gathered>,
    chosen: VecDeque<Chosen>,
}

/// A unit that is kept.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) gathered: Gathered,
    pub(crate) class: Class,
    pub(crate) cost: Cost,
    /// Why files in it read as lines.
    pub(crate) files: Vec<FileReason>,
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
        let mut waiting: Vec<Gathered> = gather.by_ref().collect();
        gather.orphans();
        waiting.reverse();
        let reserve = reserve.unwrap_or(RESERVE).clamp(0.0, 1.0);
        (Self { class, reserve, waiting, chosen: VecDeque::new() }, gather.lines)
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.chosen.is_empty()
    }
}

/// Chooses, and seals what was chosen.
pub(crate) fn plan<I: Iterator<Item = Piece>>(
    material: Material<I>,
    call: Arc<Call>,
    bounds: &Bounds,
) -> Result<Briefing, FitError> {
    let limits = Limits::of(&call, bounds);
    let window = material.told.window.clone();
    let estimator = bounds.tokens.as_ref().or(window.tokens.as_ref()).map(|(_, estimator)| estimator);
    let replay = material.told.replay;
    let mut meter = Meter::new(&call, estimator, limits.most);
    let around = meter.call(&call);
    let mut plan = Plan {
        profile: call.profile(),
        bounds,
        window: &window,
        most: limits.most,
        around,
        meter,
        gate: FileGate::new(call.profile(), limits),
        used: around,
        lines: Vec::new(),
        changes: Vec::new(),
    };
    let (units, frame, closed) = plan.choose(material)?;
    let sealing = Sealing {
        units,
        lines: plan.lines,
        changes: plan.changes,
        unvisited: closed.unvisited,
        anchor: closed.anchor,
        replay,
        around: around.plus(frame),
        most: limits.most,
        estimator: estimator.map(|estimator| estimator.name().to_owned()),
    };
    Ok(sealing.seal(Arc::clone(&call)))
}

pub(super) struct Plan<'a> {
    pub(super) profile: &'a ModelProfile,
    pub(super) bounds: &'a Bounds,
    pub(super) window: &'a Window,
    pub(super) most: Cost,
    around: Cost,
    pub(super) meter: Meter<'a>,
    gate: FileGate<'a>,
    /// What is taken so far.
    pub(super) used: Cost,
    pub(super) lines: Vec<Line>,
    pub(super) changes: Vec<PrefixChange>,
}

impl Plan<'_> {
    /// The finished list, the cost of the lines of its frame, and what became of the window.
    fn choose<I: Iterator<Item = Piece>>(&mut self, material: Material<I>) -> Result<(Vec<Chosen>, Cost, Closed), FitError> {
        let Material { mut before, mut history, mut after, current, run, lines, older, told } = material;
        self.lines = lines;
        let fixed = self.fixed(&mut before, true).plus(self.fixed(&mut after, false));
        let current = current.map(|gathered| {
            let current = self.whole(gathered, Class::Current, false);
            self.hold_files(&current);
            self.tell_files(&current);
            current
        });
        self.never_yields(self.around, fixed, current.as_ref().map_or(Cost::default(), |current| current.cost))?;
        self.yielding(&mut before, &mut after, Class::Pinned);
        let run = self.run(run);
        let note = self.note(told.waiting);
        self.reserved(&mut before, &mut after);
        let ahead = before.iter().flat_map(|section| &section.chosen);
        let opened = ahead.map(|chosen| &chosen.gathered.unit).any(|unit| stands_as(unit, self.profile).is_some());
        let noted = note.as_ref().map(|note| &note.chosen);
        let behind = after.iter().flat_map(|section| &section.chosen).chain(noted).chain(&current).chain(&run);
        let next = behind.map(|chosen| &chosen.gathered.unit).find_map(|unit| stands_as(unit, self.profile));
        let begins = current.as_ref().and_then(|current| current.gathered.from.first());
        let own = current.as_ref().map_or(Cost::default(), |current| current.cost);
        let mut window = self.history(&mut history, older, Around { next, opened, begins, current: own, asides: &told.asides });
        let note = note.and_then(|note| self.note_of_rest(note, &window.units));
        self.drop_twice(&mut before, &mut after, &window.units, begins);
        self.yielding(&mut before, &mut after, Class::Summary);
        self.yielding(&mut before, &mut after, Class::Recall);
        let units = before.into_iter().flat_map(|section| section.chosen).chain(std::mem::take(&mut window.units));
        let units = units.chain(after.into_iter().flat_map(|section| section.chosen)).chain(note).chain(current).chain(run);
        let (units, frame) = self.settle(units.collect())?;
        Ok((units, frame, window))
    }

    /// The unit with its cost, files that cannot go replaced by lines. Nothing is taken yet.
    pub(super) fn measure(&mut self, gathered: Gathered, class: Class) -> Chosen {
        self.measured(gathered, class, false)
    }

    fn measured(&mut self, mut gathered: Gathered, class: Class, leading: bool) -> Chosen {
        let mut files = Vec::new();
        if let Some((unit, reasons)) = self.gate.pass(&gathered.unit) {
            gathered.unit = unit;
            files = reasons;
        }
        let cost = self.meter.unit(&gathered.unit, leading);
        Chosen { gathered, class, cost, files }
    }

    /// The same of what never yields: counted to its end, so that an error names its true size.
    fn whole(&mut self, gathered: Gathered, class: Class, leading: bool) -> Chosen {
        self.meter.stop_never();
        let chosen = self.measured(gathered, class, leading);
        self.meter.stop_at(self.most);
        chosen
    }

    /// The unit's files count against the bound, so that older ones know.
    pub(super) fn hold_files(&mut self, chosen: &Chosen) {
        self.gate.take(chosen.cost.images);
    }

    /// The unit is in the list: its files that read as lines are told of.
    pub(super) fn tell_files(&mut self, chosen: &Chosen) {
        let line = |why: &FileReason| Line { from: chosen.gathered.from.beginning(), rule: Rule::FileAsLine { why: *why } };
        self.lines.extend(chosen.files.iter().map(line));
    }

    /// Takes what is fixed, whatever it costs. `leading`: whether the sections stand before the history, so that system text
    /// at their head may be hoisted and does not count as messages.
    fn fixed(&mut self, sections: &mut [Section], mut leading: bool) -> Cost {
        let mut sum = Cost::default();
        for section in sections {
            if section.class != Class::Fixed {
                leading &= section.is_empty();
                continue;
            }
            for gathered in std::mem::take(&mut section.waiting) {
                leading &= gathered.unit.kind() == UnitKind::System;
                let mut chosen = self.whole(gathered, Class::Fixed, leading);
                if leading {
                    chosen.cost.messages = 0;
                }
                self.hold_files(&chosen);
                self.tell_files(&chosen);
                sum = sum.plus(chosen.cost);
                section.chosen.push_back(chosen);
            }
        }
        sum
    }

    fn never_yields(&mut self, around: Cost, fixed: Cost, current: Cost) -> Result<(), FitError> {
        self.used = around.plus(fixed).plus(current);
        let Some(bound) = self.used.over(self.most) else { return Ok(()) };
        let shares = [(Share::Around, around), (Share::Fixed, fixed), (Share::Current, current)];
        let shares = shares.into_iter().map(|(share, cost)| ShareSize { share, size: cost.of(bound) });
        Err(FitError::TooLarge { bound, limit: self.most.of(bound), shares: shares.collect() })
    }

    /// Takes as many units of that class as fit, the newest first; the rest are lines.
    fn yielding(&mut self, before: &mut [Section], after: &mut [Section], class: Class) {
        for section in before.iter_mut().chain(after).filter(|section| section.class == class) {
            while let Some(gathered) = section.waiting.pop() {
                let chosen = self.measure(gathered, class);
                match self.used.plus(chosen.cost).over(self.most) {
                    None => self.put_first(section, chosen),
                    Some(bound) => self.lines.push(Line { from: chosen.gathered.from, rule: Rule::Over { bound } }),
                }
            }
        }
    }

    fn put_first(&mut self, section: &mut Section, chosen: Chosen) {
        self.hold_files(&chosen);
        self.tell_files(&chosen);
        self.used = self.used.plus(chosen.cost);
        section.chosen.push_front(chosen);
    }

    /// Takes what of summaries and recall stays within their reserve, so that a long history cannot push them out.
    fn reserved(&mut self, before: &mut [Section], after: &mut [Section]) {
        let yields_first = |class| matches!(class, Class::Summary | Class::Recall);
        for section in before.iter_mut().chain(after).filter(|section| yields_first(section.class)) {
            let mut reserve = self.most.share(section.reserve);
            reserve.messages = reserve.messages.max(1);
            let mut left = reserve.least(self.most.less(self.used));
            while let Some(gathered) = section.waiting.pop() {
                let chosen = self.measure(gathered.clone(), section.class);
                if chosen.cost.over(left).is_some() {
                    section.waiting.push(gathered);
                    break;
                }
                left = left.less(chosen.cost);
                self.put_first(section, chosen);
            }
        }
    }

    pub(super) fn frame(&mut self, before: Option<UnitKind>, after: Option<UnitKind>) -> Cost {
        filler(before, after, self.profile).map_or(Cost::default(), |filler| self.meter.frame(filler))
    }

    /// What history holds already, or the current message, is not told twice. What is fixed stays: it never yields.
    fn drop_twice(&mut self, before: &mut [Section], after: &mut [Section], history: &[Chosen], current: Option<EntryId>) {
        let known = history.iter().flat_map(|chosen| chosen.gathered.from.entries()).copied().chain(current);
        let known: HashSet<EntryId> = known.collect();
        let twice = |gathered: &Gathered| {
            let entries = gathered.from.entries();
            !entries.is_empty() && entries.iter().all(|entry| known.contains(entry))
        };
        for section in before.iter_mut().chain(after).filter(|section| section.class != Class::Fixed) {
            let (chosen, keep) = std::mem::take(&mut section.chosen).into_iter().partition(|chosen| twice(&chosen.gathered));
            section.chosen = keep;
            let (waiting, keep): (Vec<_>, _) = std::mem::take(&mut section.waiting).into_iter().partition(twice);
            section.waiting = keep;
            let chosen: VecDeque<Chosen> = chosen;
            self.used = chosen.iter().fold(self.used, |used, chosen| used.less(chosen.cost));
            let dropped = chosen.into_iter().map(|chosen| chosen.gathered).chain(waiting);
            self.lines.extend(dropped.map(|gathered| Line { from: gathered.from, rule: Rule::Twice }));
        }
    }

    /// Counts the finished list once more with every line of its frame, and lets what yields go while a bound is broken.
    fn settle(&mut self, mut units: Vec<Chosen>) -> Result<(Vec<Chosen>, Cost), FitError> {
        loop {
            let hoisted = hoisted(&units);
            units.iter_mut().take(hoisted).for_each(|chosen| chosen.cost.messages = 0);
            let frame = self.frames(&units, hoisted);
            let sum = units.iter().fold(self.around.plus(frame), |sum, chosen| sum.plus(chosen.cost));
            let Some(bound) = sum.over(self.most) else {
                self.used = sum;
                return Ok((units, frame));
            };
            let order = [Class::Recall, Class::Summary, Class::History, Class::Run, Class::Pinned];
            let yields = order.into_iter().find(|class| units.iter().any(|chosen| chosen.class == *class));
            match yields {
                Some(class) => self.let_go(&mut units, class, sum, bound),
                None => self.nothing_yields(&units, frame)?,
            }
        }
    }

    /// Lets units of that class go, the oldest first, until the sum fits or none is left.
    fn let_go(&mut self, units: &mut Vec<Chosen>, class: Class, mut sum: Cost, bound: Bound) {
        let most = self.most;
        let goes = |chosen: &mut Chosen| {
            let goes = chosen.class == class && sum.over(most).is_some();
            sum = if goes { sum.less(chosen.cost) } else { sum };
            goes
        };
        let gone: Vec<Chosen> = units.extract_if(.., goes).collect();
        self.lines.extend(gone.into_iter().map(|chosen| Line { from: chosen.gathered.from, rule: Rule::Over { bound } }));
    }

    fn nothing_yields(&mut self, units: &[Chosen], frame: Cost) -> Result<(), FitError> {
        let of =
            |class| units.iter().filter(|chosen| chosen.class == class).fold(Cost::default(), |sum, one| sum.plus(one.cost));
        let (fixed, current) = (of(Class::Fixed), of(Class::Current));
        self.never_yields(self.around.plus(frame), fixed, current)
    }

    /// Every line of the frame of that list.
    fn frames(&mut self, units: &[Chosen], hoisted: usize) -> Cost {
        let mut before = None;
        let mut frame = Cost::default();
        for chosen in units.iter().skip(hoisted) {
            let Some(kind) = stands_as(&chosen.gathered.unit, self.profile) else { continue };
            frame = frame.plus(self.frame(before, Some(kind)));
            before = Some(kind);
        }
        frame.plus(self.frame(before, None))
    }
}

/// How many system messages lead the list.
pub(super) fn hoisted(units: &[Chosen]) -> usize {
    units.iter().take_while(|chosen| matches!(chosen.gathered.unit, Unit::System(_))).count()
}
