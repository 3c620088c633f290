//! Damaged histories, made of the real transcripts by listed kinds of damage; the same ones at every run.

mod apply;
mod history;
mod kind;

use std::collections::BTreeSet;

use serde_json::Value;

pub use history::History;
pub use kind::Damage;

use crate::random::Random;
use crate::transcripts::chats;

/// How many histories are only longer than their window.
const UNDAMAGED: usize = 100;
/// How many have one kind of damage, for each kind.
const EACH: usize = 36;
/// How many have two or three kinds at once.
const SEVERAL: usize = 108;

/// One history.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The kinds of damage that were done, in order; none if it only overflows.
    pub kinds: Vec<Damage>,
    /// The history.
    pub history: History,
}

/// The tools that every request declares: all that the transcripts call, by their proper names.
#[must_use]
pub fn tools() -> BTreeSet<String> {
    chats().iter().flatten().flat_map(history::called).map(str::to_owned).collect()
}

/// The thousand histories.
#[must_use]
pub fn cases() -> Vec<Case> {
    let chats = chats();
    let mut random = Random::new(0x00b4_1ef1);
    let mut cases = Vec::new();
    cases.extend((0..UNDAMAGED).map(|_| case(&chats, &|_| Vec::new(), &mut random)));
    for kind in Damage::ALL {
        cases.extend((0..EACH).map(|_| case(&chats, &move |_| vec![kind], &mut random)));
    }
    cases.extend((0..SEVERAL).map(|_| case(&chats, &several, &mut random)));
    cases
}

/// Histories are drawn until one can be damaged so.
fn case(chats: &[Vec<Value>], draw: &dyn Fn(&mut Random) -> Vec<Damage>, random: &mut Random) -> Case {
    loop {
        let kinds = draw(random);
        let Some(mut history) = overflowing(chats, random) else { continue };
        if kinds.iter().all(|kind| kind.apply(&mut history, random).is_some()) {
            return Case { kinds, history };
        }
    }
}

/// Two or three kinds; some do not go together (no outcome is late where all were filtered out).
fn several(random: &mut Random) -> Vec<Damage> {
    let mut kinds = BTreeSet::new();
    let count = 2 + random.below(2);
    while kinds.len() < count {
        kinds.extend(random.of(&Damage::ALL));
    }
    kinds.into_iter().collect()
}

/// A transcript up to an input or an outcome, as it is when a model is asked, and a window that it overflows. Some transcripts
/// have empty outcomes or ids that repeat, which not every provider takes: as these are kinds of damage, they are not drawn.
fn overflowing(chats: &[Vec<Value>], random: &mut Random) -> Option<History> {
    let chat = random.of(chats)?;
    let ends: Vec<usize> = (10..=chat.len())
        .filter(|end| chat.get(end - 1).is_some_and(|last| matches!(history::role(last), "user" | "tool")))
        .collect();
    let end = *random.of(&ends)?;
    let messages = chat.get(..end)?.to_vec();
    let whole = messages.iter().all(|message| history::role(message) != "tool" || !history::is_blank(message));
    let mut ids = BTreeSet::new();
    if !whole || !messages.iter().flat_map(history::ids).all(|id| ids.insert(id)) {
        return None;
    }
    let window = 4 + random.below((end - 5).min(20));
    Some(History { messages, window })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_histories_the_same_at_every_run() {
        let made = cases();
        assert_eq!(made.len(), 1_000);
        assert_eq!(made, cases());
    }

    #[test]
    fn every_history_is_longer_than_its_window_unless_its_head_was_cut() {
        let short = cases().into_iter().filter(|case| case.kinds.is_empty());
        let short = short.filter(|case| case.history.messages.len() <= case.history.window + case.history.leading());
        assert_eq!(short.count(), 0);
    }

    #[test]
    fn no_damaged_history_could_have_been_drawn() {
        let chats = chats();
        let drawn = |history: &History| {
            let asks = history.messages.last().is_some_and(|last| matches!(history::role(last), "user" | "tool"));
            asks && chats.iter().any(|chat| chat.starts_with(&history.messages))
        };
        let untouched = cases().into_iter().filter(|case| !case.kinds.is_empty() && drawn(&case.history));
        assert_eq!(untouched.map(|case| case.kinds).collect::<Vec<_>>(), Vec::<Vec<Damage>>::new());
    }
}
