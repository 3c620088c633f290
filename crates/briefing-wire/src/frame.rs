//! The list as a wire walks it: what is hoisted, what stays, which lines the order of roles needs. One place for all wires, and
//! the same rules that `fit` counted by.

use briefing::message::{Part, System, User};
use briefing::texts::Filler;
use briefing::{Briefing, ModelProfile, Round, Unit, UnitKind, Wire, filler};

use crate::anthropic::ends_in_server_tool;
use crate::openai_responses::{goes_on, is_instructions};

/// One step along the list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'a> {
    /// System text of the leading run.
    Head(&'a System),
    /// System text that stays where it stands.
    System(&'a System),
    /// System text that reads as a user line.
    Note(&'a System),
    /// An input.
    User(&'a User),
    /// What the model said, with the outcomes of its calls.
    Round(&'a Round),
    /// A line of the frame.
    Filler(Filler),
}

/// The steps of a briefing in order, each with the index of its first message.
pub(crate) fn steps(briefing: &Briefing) -> Vec<(usize, Step<'_>)> {
    let profile = briefing.call().profile();
    let goes_on = profile.wire == Wire::OpenAiResponses && goes_on(briefing.call());
    let mut walk = Walk { profile, goes_on, steps: Vec::new(), before: None, end: End::User, at: 0 };
    let mut units = briefing.units().iter().map(|placed| placed.unit()).peekable();
    let mut leading = true;
    while let Some(unit) = units.next() {
        leading &= matches!(unit, Unit::System(_));
        walk.unit(unit, leading, units.peek().copied());
    }
    walk.finish();
    walk.steps
}

/// What the list ends in so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// A user message, or outcomes.
    User,
    /// An assistant message.
    Assistant,
    /// An assistant message whose last block is of a tool that the provider runs.
    ServerTool,
}

struct Walk<'a> {
    profile: &'a ModelProfile,
    /// Whether the list goes on from what the provider keeps, so that it may be empty.
    goes_on: bool,
    steps: Vec<(usize, Step<'a>)>,
    before: Option<UnitKind>,
    end: End,
    at: usize,
}

impl<'a> Walk<'a> {
    fn unit(&mut self, unit: &'a Unit, leading: bool, next: Option<&Unit>) {
        let (step, kind, end, messages) = match unit {
            Unit::System(system) if leading => {
                self.steps.push((self.at, Step::Head(system)));
                self.at += 1;
                return;
            }
            Unit::System(system) if self.system_stays(next) => {
                self.steps.push((self.at, Step::System(system)));
                self.at += 1;
                return;
            }
            Unit::System(system) => (Step::Note(system), UnitKind::Input, End::User, 1),
            Unit::User(user) => (Step::User(user), UnitKind::Input, End::User, 1),
            Unit::Round(round) => {
                let messages = round.said().len() + round.outcomes().len();
                (Step::Round(round), unit.kind(), round_end(round), messages)
            }
        };
        self.fill(Some(kind));
        self.steps.push((self.at, step));
        self.at += messages;
        self.end = end;
        self.before = Some(match step {
            Step::Round(round) if files_move(self.profile, round) => UnitKind::Input,
            Step::Round(_) | Step::Head(_) | Step::System(_) | Step::Note(_) | Step::User(_) | Step::Filler(_) => kind,
        });
    }

    fn fill(&mut self, next: Option<UnitKind>) {
        if let Some(filler) = filler(self.before, next, self.profile) {
            self.steps.push((self.at, Step::Filler(filler)));
        }
    }

    /// Anthropic goes on by itself from the use of a tool that it runs, and from system text that stays; OpenAI from system text
    /// alone, if it is among the messages.
    fn finish(&mut self) {
        let instructions = |step: &Step<'_>| matches!(step, Step::Head(system) if is_instructions(system));
        let goes_on = match self.profile.wire {
            Wire::Anthropic => matches!(self.steps.last(), Some((_, Step::System(_)))) || self.end == End::ServerTool,
            Wire::OpenAiChat => self.before.is_none() && !self.steps.is_empty(),
            Wire::OpenAiResponses => {
                self.before.is_none() && (self.goes_on || self.steps.iter().any(|(_, step)| !instructions(step)))
            }
            Wire::Gemini => false,
        };
        if !goes_on {
            self.fill(None);
        }
    }

    /// Whether system text behind the leading run may stay. Anthropic takes it behind a user message, or behind the use of a
    /// tool that it runs, if it is last or an assistant message follows (documentation of mid-conversation system messages;
    /// vercel/ai#15674).
    fn system_stays(&self, next: Option<&Unit>) -> bool {
        if !self.profile.takes_system_anywhere() {
            return false;
        }
        match self.profile.wire {
            Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Gemini => true,
            Wire::Anthropic => self.end != End::Assistant && matches!(next, None | Some(Unit::Round(_))),
        }
    }
}

/// Whether the files of the round's outcomes stand in a user message behind it.
pub(crate) fn files_move(profile: &ModelProfile, round: &Round) -> bool {
    let file = |part: &Part| matches!(part, Part::Image(_) | Part::Document(_));
    !profile.files_in_outcomes() && round.outcomes().iter().any(|outcome| outcome.parts.iter().any(file))
}

fn round_end(round: &Round) -> End {
    match round.said().last() {
        Some(said) if round.outcomes().is_empty() && ends_in_server_tool(said) => End::ServerTool,
        Some(_) if round.outcomes().is_empty() => End::Assistant,
        Some(_) | None => End::User,
    }
}
