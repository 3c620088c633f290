//! The order of turns, and which outcome answers which call.
//!
//! "Please ensure that the number of function response parts is equal to the number of function call parts of the function call
//! turn." (<https://github.com/google-gemini/gemini-cli/issues/4504>), "… that function response turn comes immediately after a
//! function call turn" (<https://github.com/langchain-ai/langchain/issues/27799>), "… that function call turn comes immediately
//! after a user turn or after a function response turn" (<https://github.com/google-gemini/gemini-cli/issues/26486>).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use briefing_json::{Path, Value, present};

use super::field::{each, step};
use super::parts::{CALL, Held, HeldKind};
use crate::fault::{Fault, Role, clip};
use crate::profile::Rules;
use crate::report::{Findings, text};

/// A call or an outcome, and the content that it stands in.
struct Placed<'d> {
    held: Held<'d>,
    content: Option<usize>,
}

impl Placed<'_> {
    fn add(&self, fault: Fault, out: &mut Findings) {
        self.at(out, |at, out| out.add(at, fault));
    }

    /// Gives the place of the part.
    fn at(&self, out: &mut Findings, then: impl FnOnce(&Path<'_>, &mut Findings)) {
        let root = Path::ROOT.key("contents");
        let content = step(&root, self.content);
        let parts = content.key("parts");
        then(&step(&parts, self.held.part), out);
    }
}

/// The walk along the turns.
pub(super) struct Turns<'d> {
    contents: Value<'d>,
    /// Whose turn it is: the model's, or the other side's.
    model: Option<bool>,
    /// The calls of the model turn at hand, or the one before.
    calls: Vec<Placed<'d>>,
    /// The outcomes of the turn at hand.
    outcomes: Vec<Placed<'d>>,
    /// The ids of calls of earlier turns.
    earlier: HashSet<Cow<'d, str>>,
    /// The ids of all calls of the list, once they were asked for.
    all: Option<HashSet<Cow<'d, str>>>,
    has_calls: bool,
    /// Whether a turn of the other side was seen, or is kept by the provider.
    asked: bool,
    /// Whether outcomes may answer calls that the provider keeps: until the model speaks.
    goes_on: bool,
    /// The last content.
    last: Option<usize>,
}

impl<'d> Turns<'d> {
    /// The walk along a list, which may go on from contents that the provider keeps.
    pub(super) fn new(contents: Value<'d>, goes_on: bool) -> Self {
        Self {
            contents,
            model: None,
            calls: Vec::new(),
            outcomes: Vec::new(),
            earlier: HashSet::new(),
            all: None,
            has_calls: false,
            asked: goes_on,
            goes_on,
            last: None,
        }
    }

    pub(super) fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// The next content, whose parts are checked. An outcome answers whatever the role of its content says.
    pub(super) fn content(&mut self, role: Role, held: Vec<Held<'d>>, index: Option<usize>, at: &Path<'_>, out: &mut Findings) {
        let calls = held.iter().any(|held| held.kind == HeldKind::Call);
        let model = role == Role::Model;
        if model && self.model == Some(false) {
            self.settle(out);
        }
        self.goes_on &= !model;
        self.last = index;
        self.asked |= !model;
        if model && calls && !self.asked && !self.has_calls {
            out.add(at, Fault::FirstRole { role: Role::Model });
        }
        self.model = Some(model);
        for held in held {
            let call = held.kind == HeldKind::Call;
            let placed = Placed { held, content: index };
            match (call, model) {
                (true, true) => self.calls.push(placed),
                (false, _) => self.outcomes.push(placed),
                // A call in the user's words has nothing to answer it, and no answer to it is known.
                (true, false) => {}
            }
        }
        self.has_calls |= !self.calls.is_empty();
    }

    pub(super) fn ends(&mut self, rules: &Rules, out: &mut Findings) {
        let open = self.model == Some(true);
        let trailing = open && self.calls.is_empty();
        self.settle(out);
        // "Requests ending with a model turn are not supported unless the last part is a function response."
        // (<https://github.com/LibreChat-AI/agents/pull/323>); a list of the model's alone no model takes.
        if trailing && (!rules.prefill || !self.asked) {
            out.add(&step(&Path::ROOT.key("contents"), self.last), Fault::Prefill);
        }
    }

    /// Pairs the calls of the last model turn with the outcomes behind it.
    fn settle(&mut self, out: &mut Findings) {
        let calls = std::mem::take(&mut self.calls);
        let outcomes = std::mem::take(&mut self.outcomes);
        repeated(&calls, out);
        let mut round = Round::new(&calls);
        let left = round.pair(&outcomes, out);
        let kept = self.goes_on;
        for outcome in left.into_iter().filter(|_| !kept) {
            let fault = self.unpaired(outcome, &round);
            outcome.add(fault, out);
        }
        for call in round.open() {
            call.add(Fault::MissingOutcome { id: call.held.shown() }, out);
        }
        self.earlier.extend(calls.into_iter().filter_map(|call| call.held.id));
    }

    /// Why an outcome answers no call.
    fn unpaired(&mut self, outcome: &Placed<'d>, round: &Round<'_, 'd>) -> Fault {
        let id = outcome.held.shown();
        if round.knows(&outcome.held) {
            return Fault::RepeatedOutcome { id };
        }
        let Some(own) = &outcome.held.id else { return Fault::OrphanOutcome { id } };
        if self.earlier.contains(own) {
            return Fault::LateOutcome { id };
        }
        let contents = self.contents;
        let later = self.all.get_or_insert_with(|| call_ids(contents)).contains(own);
        if later { Fault::OutcomeBeforeCall { id } } else { Fault::OrphanOutcome { id } }
    }
}

/// "The unique id of the function call": the reference of `id`.
fn repeated(calls: &[Placed<'_>], out: &mut Findings) {
    let mut seen = HashSet::new();
    for call in calls {
        let Some(id) = &call.held.id else { continue };
        if !seen.insert(id.as_ref()) {
            let key = call.held.key;
            call.at(out, |at, out| out.add(&at.key(key).key("id"), Fault::RepeatedCallId { id: clip(id) }));
        }
    }
}

/// The calls of one turn.
struct Round<'r, 'd> {
    calls: &'r [Placed<'d>],
    answered: Vec<bool>,
    by_id: HashMap<&'r str, VecDeque<usize>>,
    /// By name, all of them and those without an id.
    by_name: HashMap<&'r str, [VecDeque<usize>; 2]>,
}

impl<'r, 'd> Round<'r, 'd> {
    fn new(calls: &'r [Placed<'d>]) -> Self {
        let mut by_id: HashMap<&str, VecDeque<usize>> = HashMap::new();
        let mut by_name: HashMap<&str, [VecDeque<usize>; 2]> = HashMap::new();
        for (index, call) in calls.iter().enumerate() {
            let [all, bare] = by_name.entry(call.held.name.as_ref()).or_default();
            all.push_back(index);
            match &call.held.id {
                Some(id) => by_id.entry(id.as_ref()).or_default().push_back(index),
                None => bare.push_back(index),
            }
        }
        Self { calls, answered: vec![false; calls.len()], by_id, by_name }
    }

    /// Pairs by id, then by name, then in order, and gives the outcomes that are left. An outcome whose id is another than the call's
    /// does not answer it: "functionResponse.id does not match functionCall.id"
    /// (<https://github.com/router-for-me/CLIProxyAPI/issues/5199>); one of them may lack it
    /// (<https://github.com/google-gemini/gemini-cli/issues/6974>).
    fn pair<'o>(&mut self, outcomes: &'o [Placed<'d>], out: &mut Findings) -> Vec<&'o Placed<'d>> {
        let mut left: Vec<&Placed<'d>> = outcomes.iter().filter(|outcome| !self.by_id(outcome, out)).collect();
        left.retain(|outcome| !self.by_name(&outcome.held));
        let mut next = [0, 0];
        left.retain(|outcome| !self.in_order(outcome, &mut next, out));
        left
    }

    fn by_id(&mut self, outcome: &Placed<'d>, out: &mut Findings) -> bool {
        let Some(id) = &outcome.held.id else { return false };
        let found = self.by_id.get_mut(id.as_ref()).and_then(VecDeque::pop_front);
        found.is_some_and(|index| {
            self.answer(index);
            self.name(index, outcome, out);
            true
        })
    }

    fn by_name(&mut self, outcome: &Held<'d>) -> bool {
        let Some([all, bare]) = self.by_name.get_mut(outcome.name.as_ref()) else { return false };
        let queue = if outcome.id.is_some() { bare } else { all };
        while let Some(index) = queue.pop_front() {
            if self.answered.get(index) == Some(&false) {
                self.answer(index);
                return true;
            }
        }
        false
    }

    fn in_order(&mut self, outcome: &Placed<'d>, next: &mut [usize; 2], out: &mut Findings) -> bool {
        let named = outcome.held.id.is_some();
        let [any, bare] = next;
        let from = if named { bare } else { any };
        while let Some(call) = self.calls.get(*from) {
            let index = *from;
            *from += 1;
            let free = self.answered.get(index) == Some(&false);
            if free && !(named && call.held.id.is_some()) {
                self.answer(index);
                self.name(index, outcome, out);
                return true;
            }
        }
        false
    }

    fn answer(&mut self, index: usize) {
        if let Some(answered) = self.answered.get_mut(index) {
            *answered = true;
        }
    }

    /// The name is that of the call (report B65). An empty one is told already.
    fn name(&self, index: usize, outcome: &Placed<'d>, out: &mut Findings) {
        let Some(call) = self.calls.get(index) else { return };
        let (name, of_call) = (&outcome.held.name, &call.held.name);
        if name != of_call && !name.is_empty() && !of_call.is_empty() {
            let fault = Fault::OutcomeName { name: clip(name), call: clip(of_call) };
            let key = outcome.held.key;
            outcome.at(out, |at, out| out.add(&at.key(key).key("name"), fault));
        }
    }

    /// Whether the turn has a call that this outcome would answer, if it had none.
    fn knows(&self, outcome: &Held<'d>) -> bool {
        match &outcome.id {
            Some(id) => self.by_id.contains_key(id.as_ref()),
            None => self.by_name.contains_key(outcome.name.as_ref()),
        }
    }

    fn open(&self) -> impl Iterator<Item = &'r Placed<'d>> {
        self.calls.iter().zip(&self.answered).filter(|(_, answered)| !**answered).map(|(call, _)| call)
    }
}

/// The ids of all calls of the list.
fn call_ids(contents: Value<'_>) -> HashSet<Cow<'_, str>> {
    let parts = each(contents).filter_map(|(_, content)| present(content, "parts")).flat_map(each);
    parts.filter_map(|(_, part)| text(CALL.of(part)?.1, "id")).collect()
}
