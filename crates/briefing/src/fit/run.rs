//! This run's rounds so far: all of them, or the most that fit with the oldest outcomes shortened.

use crate::fit::bounds::Bound;
use crate::fit::cost::Cost;
use crate::fit::gather::Gathered;
use crate::fit::plan::{Chosen, Plan};
use crate::fit::receipt::{Class, Line, PrefixChange, Rule};
use crate::fit::shorten::{CUT_TO, Shorten, shorten};
use crate::fit::unit::{Unit, UnitKind, stands_as};

impl Plan<'_> {
    /// Takes the rounds, given newest first; they come back oldest first.
    pub(super) fn run(&mut self, run: Vec<Gathered>) -> Vec<Chosen> {
        let start = self.used;
        let mut next: Option<UnitKind> = None;
        let mut units: Vec<Chosen> = Vec::with_capacity(run.len());
        for gathered in run {
            let kind = stands_as(&gathered.unit, self.profile);
            let mut chosen = self.measure(gathered, Class::Run);
            self.hold_files(&chosen);
            if let Some(kind) = kind {
                // The line behind a unit goes with it.
                chosen.cost = chosen.cost.plus(self.frame(Some(kind), next));
                next = Some(kind);
            }
            units.push(chosen);
        }
        let full = units.iter().fold(start, |sum, chosen| sum.plus(chosen.cost));
        if full.over(self.most).is_some() {
            self.shorten_run(&mut units, start);
        }
        let mut next = None;
        for chosen in &mut units {
            self.tell_files(chosen);
            self.used = self.used.plus(chosen.cost);
            // Lines of the frame are counted apart when the list is settled.
            if let Some(kind) = stands_as(&chosen.gathered.unit, self.profile) {
                chosen.cost = chosen.cost.less(self.frame(Some(kind), next));
                next = Some(kind);
            }
        }
        units.reverse();
        units
    }

    fn shorten_run(&mut self, units: &mut Vec<Chosen>, start: Cost) {
        self.changes.push(PrefixChange::Shortened);
        let least: Vec<Chosen> = units.iter().map(|chosen| self.shortened(chosen, Shorten::Clear).0).collect();
        let mut sum = start;
        let mut broken = None;
        let fit = least.iter().take_while(|chosen| {
            broken = sum.plus(chosen.cost).over(self.most);
            sum = if broken.is_none() { sum.plus(chosen.cost) } else { sum };
            broken.is_none()
        });
        let fit = fit.count();
        let bound = broken.unwrap_or(Bound::Messages);
        let dropped = units.drain(fit..).map(|chosen| Line { from: chosen.gathered.from, rule: Rule::Over { bound } });
        self.lines.extend(dropped);
        for (chosen, least) in units.iter_mut().zip(least) {
            let rest = sum.less(least.cost);
            let (best, rules) = self.longest(chosen, rest);
            sum = rest.plus(best.cost);
            let from = best.gathered.from.beginning();
            self.lines.extend(rules.into_iter().map(|rule| Line { from: from.clone(), rule }));
            *chosen = best;
        }
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
        let line = chosen.cost.less(self.meter.unit(&chosen.gathered.unit, false));
        let (round, rules) = shorten(round, how);
        let gathered = Gathered { unit: Unit::Round(round), from: chosen.gathered.from.clone() };
        let cost = self.meter.unit(&gathered.unit, false).plus(line);
        (Chosen { gathered, class: chosen.class, cost, files: chosen.files.clone() }, rules)
    }
}
