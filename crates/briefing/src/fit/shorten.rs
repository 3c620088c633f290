//! Inside a round only the body of an outcome shrinks: cut, or cleared to a fixed text.

use std::sync::Arc;

use crate::fit::receipt::Rule;
use crate::fit::unit::Round;
use crate::message::{Extra, Outcome, Part};
use crate::text;
use crate::texts::OutcomeText;

/// How far an outcome is shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shorten {
    /// Each text to so many characters.
    Cut(usize),
    /// To the fixed text.
    Clear,
}

/// What a cut outcome of a long run keeps.
pub(crate) const CUT_TO: usize = 500;

/// The round with its outcomes shortened, and what was done to which. Outcomes that are shorter already stay.
pub(crate) fn shorten(round: &Round, how: Shorten) -> (Round, Vec<Rule>) {
    let mut rules = Vec::new();
    let outcomes = round.outcomes().iter().map(|outcome| match how {
        Shorten::Cut(limit) => cut_outcome(outcome, limit, &mut rules),
        Shorten::Clear => clear(outcome, &mut rules),
    });
    let outcomes = outcomes.collect();
    (round.with_outcomes(outcomes), rules)
}

/// The outcome with its texts cut to `limit` characters together; what stands behind the cut is left out, files stay.
pub(crate) fn cut_outcome(outcome: &Arc<Outcome>, limit: usize, rules: &mut Vec<Rule>) -> Arc<Outcome> {
    let chars = |parts: &[Part]| parts.iter().filter_map(part_text).map(|text| text.chars().count()).sum::<usize>();
    let bytes: usize = outcome.parts.iter().filter_map(part_text).map(str::len).sum();
    if bytes <= limit || chars(&outcome.parts) <= limit {
        return Arc::clone(outcome);
    }
    let mut left = Some(limit);
    let mut cut = Outcome::clone(outcome);
    cut.parts.retain_mut(|part| {
        let Part::Text(part) = part else { return true };
        let Some(room) = left else { return false };
        match text::cut(&part.text, room) {
            None => left = Some(room - part.text.chars().count()),
            Some(shown) => {
                part.text = shown;
                part.extra = Extra::default();
                left = None;
            }
        }
        true
    });
    let (chars, shown) = (chars(&outcome.parts) as u64, chars(&cut.parts) as u64);
    rules.push(Rule::OutcomeCut { call: outcome.call.to_string(), chars, shown });
    Arc::new(cut)
}

fn part_text(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) => Some(&text.text),
        Part::Image(_) | Part::Document(_) | Part::Native(_) => None,
    }
}

fn clear(outcome: &Arc<Outcome>, rules: &mut Vec<Rule>) -> Arc<Outcome> {
    let cleared = OutcomeText::Cleared.text();
    if let [Part::Text(text)] = outcome.parts.as_slice()
        && text.text.len() <= cleared.len()
    {
        return Arc::clone(outcome);
    }
    rules.push(Rule::OutcomeCleared { call: outcome.call.to_string() });
    Arc::new(Outcome { parts: vec![Part::text(cleared)], extra: Extra::default(), ..Outcome::clone(outcome) })
}
