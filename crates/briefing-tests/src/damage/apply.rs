//! What each kind of damage does to a history. Each is done within the window, so that whoever cuts by count still has it.

use serde_json::{Value, json};

use super::history::{History, Round, role, user};
use super::kind::Damage;
use crate::random::Random;

/// A picture of one pixel.
const PIXEL: &str =
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

impl Damage {
    /// Does it; `None` if the history has nothing that it could be done to.
    pub(super) fn apply(self, history: &mut History, random: &mut Random) -> Option<()> {
        match self {
            Self::HeadCut => head_cut(history, random),
            Self::OutcomesFiltered => outcomes_filtered(history),
            Self::Crash => crash(history, random),
            Self::OutcomeLost => outcome_lost(history, random),
            Self::OneOfTwoLost => one_of_two_lost(history, random),
            Self::CallLost => {
                let round = round(history, random)?;
                history.remove(round.call);
                Some(())
            }
            Self::OutcomeLate => outcome_late(history, random),
            Self::OutcomeEarly => {
                let round = round(history, random)?;
                history.messages.swap(round.call, round.outcome);
                Some(())
            }
            Self::Interleaved => interleaved(history, random),
            Self::MessageTwice => message_twice(history, random),
            Self::RoundTwice => round_twice(history, random),
            Self::IdsRepeated => ids_repeated(history, random),
            Self::AnswerEmpty => answer_empty(history, random),
            Self::InputBlank => input_blank(history, random),
            Self::EndsOnAssistant => ends_on_assistant(history, random),
            Self::ArgumentsCut => arguments_cut(history, random),
            Self::ArgumentsNoObject => arguments_no_object(history, random),
            Self::OutcomeEmpty => {
                let round = round(history, random)?;
                history.set(round.outcome, "/content", "");
                Some(())
            }
            Self::ImageBetween => image_between(history, random),
            Self::ForeignIds => foreign_ids(history, random),
            Self::ForeignNames => foreign_names(history, random),
            Self::SystemLate => system_late(history, random),
        }
    }
}

fn round(history: &History, random: &mut Random) -> Option<Round> {
    random.of(&history.rounds()).copied()
}

fn neighbours(history: &History, random: &mut Random) -> Option<(Round, Round)> {
    random.of(&history.neighbours()).copied()
}

/// The store gave what follows a call; no limit beyond the store's own.
fn head_cut(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    history.input_after(round.outcome)?;
    history.messages.drain(history.leading()..round.outcome);
    history.window = history.messages.len() - history.leading();
    Some(())
}

fn outcomes_filtered(history: &mut History) -> Option<()> {
    history.rounds().first()?;
    history.messages.retain(|message| role(message) != "tool");
    Some(())
}

fn crash(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    match history.input_after(round.outcome) {
        Some(input) => drop(history.messages.drain(round.outcome..input)),
        None => {
            history.messages.truncate(round.outcome);
            history.messages.push(user("Are you still there?"));
        }
    }
    Some(())
}

/// Something is there behind it, so the log shows that the run went on.
fn outcome_lost(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    history.messages.get(round.outcome + 1)?;
    history.remove(round.outcome);
    Some(())
}

fn one_of_two_lost(history: &mut History, random: &mut Random) -> Option<()> {
    let (first, second) = neighbours(history, random)?;
    history.join(first, second);
    history.remove(first.outcome + random.below(2));
    Some(())
}

fn outcome_late(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    let input = history.input_after(round.outcome)?;
    let outcome = history.remove(round.outcome);
    // The input moved one place to the front.
    history.insert(input, outcome);
    Some(())
}

fn interleaved(history: &mut History, random: &mut Random) -> Option<()> {
    let (first, second) = neighbours(history, random)?;
    history.messages.swap(first.outcome, second.call);
    if random.below(2) == 0 {
        history.messages.swap(second.call, second.outcome);
    }
    Some(())
}

fn message_twice(history: &mut History, random: &mut Random) -> Option<()> {
    let at = *random.of(&history.said("user"))?;
    let copy = history.messages.get(at).cloned()?;
    history.insert(at, copy);
    Some(())
}

fn round_twice(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    let copy = history.messages.get(round.call..=round.outcome)?.to_vec();
    history.messages.splice(round.call..round.call, copy);
    Some(())
}

/// One id for two rounds, or the tool's name as the id of every call.
fn ids_repeated(history: &mut History, random: &mut Random) -> Option<()> {
    let rounds = history.rounds();
    if random.below(2) == 0 {
        let names: Vec<String> = rounds.iter().map(|round| history.name(*round)).collect();
        names.iter().enumerate().find(|(at, name)| names.iter().take(*at).any(|other| other == *name))?;
        rounds.iter().zip(&names).for_each(|(round, name)| history.set_id(*round, name));
    } else {
        let later = 1 + random.below(rounds.len().checked_sub(1).filter(|others| *others > 0)?);
        let earlier = history.id(*rounds.get(random.below(later))?);
        history.set_id(*rounds.get(later)?, &earlier);
    }
    Some(())
}

fn answer_empty(history: &mut History, random: &mut Random) -> Option<()> {
    let at = *random.of(&history.said("assistant"))?;
    let content = match random.below(3) {
        0 => Value::Null,
        1 => "".into(),
        _ => "\n\n".into(),
    };
    history.set(at, "/content", content);
    Some(())
}

fn input_blank(history: &mut History, random: &mut Random) -> Option<()> {
    let mut inputs = history.said("user");
    // The last one is what the request is made for.
    inputs.pop();
    let at = *random.of(&inputs)?;
    history.set(at, "/content", if random.below(2) == 0 { "" } else { " " });
    Some(())
}

/// Cut within a word or behind one, as a stream is.
fn ends_on_assistant(history: &mut History, random: &mut Random) -> Option<()> {
    let said = history.said("assistant");
    let at = *random.of(&said)?;
    let text = history.messages.get(at)?.get("content")?.as_str()?;
    let spaces: Vec<usize> = text.match_indices(' ').map(|(at, _)| at).collect();
    let space = *random.of(&spaces)?;
    let cut = text.get(..space + random.below(2))?.to_owned();
    history.set(at, "/content", cut);
    history.messages.truncate(at + 1);
    Some(())
}

fn arguments_cut(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    let pointer = "/tool_calls/0/function/arguments";
    let arguments = history.messages.get(round.call)?.pointer(pointer)?.as_str()?;
    let ends: Vec<usize> = arguments.char_indices().map(|(at, _)| at).filter(|at| *at > 0).collect();
    let cut = arguments.get(..*random.of(&ends)?)?.to_owned();
    history.set(round.call, pointer, cut);
    history.set(round.outcome, "/content", "Error: the arguments are not valid JSON");
    Some(())
}

fn arguments_no_object(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    let arguments = *random.of(&["", "null", "[]", "\"all\""])?;
    history.set(round.call, "/tool_calls/0/function/arguments", arguments);
    Some(())
}

fn image_between(history: &mut History, random: &mut Random) -> Option<()> {
    let image = json!({ "role": "user", "content": [
        { "type": "text", "text": "here is a picture of it" },
        { "type": "image_url", "image_url": { "url": PIXEL } },
    ] });
    let pair = neighbours(history, random);
    let at = match pair.filter(|_| random.below(2) == 0) {
        // Behind the first of two outcomes.
        Some((first, second)) => {
            history.join(first, second);
            first.outcome + 1
        }
        None => round(history, random)?.outcome,
    };
    history.insert(at, image);
    Some(())
}

fn foreign_ids(history: &mut History, random: &mut Random) -> Option<()> {
    let rounds = history.rounds();
    rounds.first()?;
    let style = random.below(4);
    for (number, round) in rounds.into_iter().enumerate() {
        let (id, name) = (history.id(round), history.name(round));
        let foreign = match style {
            0 => format!("functions.{name}:{number}"),
            1 => format!("{id}|fc_{}", "0123456789abcdef".repeat(4)),
            2 => format!("{name}/{number} {id}"),
            _ => String::new(),
        };
        history.set_id(round, &foreign);
    }
    Some(())
}

fn foreign_names(history: &mut History, random: &mut Random) -> Option<()> {
    let round = round(history, random)?;
    let name = history.name(round);
    let foreign = match random.below(3) {
        0 => format!("airline.{name}"),
        1 => format!("mcp__{}__{name}", "reservation-and-customer-service-of-the-airline".repeat(2)),
        _ => format!("{name} (airline)"),
    };
    history.set(round.call, "/tool_calls/0/function/name", foreign.as_str());
    history.set(round.outcome, "/name", foreign);
    Some(())
}

fn system_late(history: &mut History, random: &mut Random) -> Option<()> {
    let at = *random.of(&history.said("user"))?;
    history.insert(at, json!({ "role": "system", "content": "From here on answer in at most two sentences." }));
    Some(())
}
