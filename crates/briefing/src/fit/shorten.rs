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

/// The outcome with each of its texts cut to `limit` characters.
pub(crate) fn cut_outcome(outcome: &Arc<Outcome>, limit: usize, rules: &mut Vec<Rule>) -> Arc<Outcome> {
    let mut cut = Outcome::clone(outcome);
    let mut changed = false;
    for part in &mut cut.parts {
        let Part::Text(part) = part else { continue };
        let Some(shown) = text::cut(&part.text, limit) else { continue };
        rules.push(Rule::OutcomeCut {
            call: outcome.call.to_string(),
            chars: part.text.chars().count() as u64,
            shown: shown.chars().count() as u64,
        });
        part.text = shown;
        part.extra = Extra::default();
        changed = true;
    }
    if changed { Arc::new(cut) } else { Arc::clone(outcome) }
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
