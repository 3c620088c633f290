//! The messages of two lists: which are the same, which stand for each other, and why the list breaks.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use serde::Serialize;

use crate::align::align;
use crate::cause::Cause;
use crate::classify::{Within, alike, is_reasoning, is_tail_line, message as altered, outcome};
use crate::prompt::{Block, Message, Pieces};

/// What became of a message. Numbers are indices in the bodies' own lists. Closed on purpose: who sorts messages by it has to place
/// each of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum MessageChange {
    /// Only the newer body has it.
    Added {
        /// Where.
        newer: usize,
    },
    /// Only the older body has it.
    Gone {
        /// Where.
        older: usize,
    },
    /// Both have it, and it does not read the same.
    Altered {
        /// Where it stood.
        older: usize,
        /// Where it stands.
        newer: usize,
    },
    /// Both have it, and it stands elsewhere among the others.
    Moved {
        /// Where it stood.
        older: usize,
        /// Where it stands.
        newer: usize,
    },
}

/// How two lists belong together. Numbers count the section's own messages.
pub(crate) struct Matched {
    same: Vec<(usize, usize)>,
    moved: Vec<(usize, usize)>,
    altered: Vec<(usize, usize)>,
    older: usize,
    newer: usize,
}

impl Matched {
    /// Costs O(n log n) in the messages, and one look at the bytes of those that are not the same.
    pub(crate) fn new(a: &Pieces<'_>, b: &Pieces<'_>) -> Self {
        let prints = |pieces: &Pieces<'_>| pieces.messages.iter().map(|message| message.print).collect::<Vec<_>>();
        let (x, y) = (prints(a), prints(b));
        let same = align(&x, &y);
        let mut matched = Self { same, moved: Vec::new(), altered: Vec::new(), older: x.len(), newer: y.len() };
        matched.find_moved(&x, &y);
        matched.find_altered(a, b);
        matched
    }

    /// The stretches between what is the same, on both sides.
    fn gaps(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let (mut a, mut b) = (0, 0);
        let ends = self.same.iter().copied().chain([(self.older, self.newer)]);
        let mut gaps = Vec::new();
        for (x, y) in ends {
            if a < x || b < y {
                gaps.push((a..x, b..y));
            }
            (a, b) = (x + 1, y + 1);
        }
        gaps
    }

    /// What is the same and left over on both sides has moved.
    fn find_moved(&mut self, x: &[u64], y: &[u64]) {
        let gaps = self.gaps();
        let mut left: HashMap<u64, VecDeque<usize>> = HashMap::new();
        for at in gaps.iter().flat_map(|(_, newer)| newer.clone()) {
            if let Some(print) = y.get(at) {
                left.entry(*print).or_default().push_back(at);
            }
        }
        for at in gaps.into_iter().flat_map(|(older, _)| older) {
            let other = x.get(at).and_then(|print| left.get_mut(print)?.pop_front());
            self.moved.extend(other.map(|other| (at, other)));
        }
    }

    /// In each gap: messages about one call stand for each other; else those of one role, in order, if there are as many on both
    /// sides or they are alike.
    fn find_altered(&mut self, a: &Pieces<'_>, b: &Pieces<'_>) {
        let moved_from: Vec<usize> = self.moved.iter().map(|(older, _)| *older).collect();
        let mut moved_to: Vec<usize> = self.moved.iter().map(|(_, newer)| *newer).collect();
        moved_to.sort_unstable();
        let stays = |moved: &[usize], at: &usize| moved.binary_search(at).is_err();
        for (older, newer) in self.gaps() {
            let older: Vec<usize> = older.filter(|at| stays(&moved_from, at)).collect();
            let newer: Vec<usize> = newer.filter(|at| stays(&moved_to, at)).collect();
            self.altered.extend(pair(a, b, &older, &newer));
        }
    }

    /// Every message that is not the same in both, by place.
    pub(crate) fn changes(&self, a: &Pieces<'_>, b: &Pieces<'_>) -> Vec<MessageChange> {
        let index = |pieces: &Pieces<'_>, at: usize| pieces.messages.get(at).map_or(at, |message| message.index);
        let (mut from, mut to) = (HashMap::new(), HashMap::new());
        for (pairs, moved) in [(&self.moved, true), (&self.altered, false)] {
            for (x, y) in pairs {
                from.insert(*x, (*y, moved));
                to.insert(*y, *x);
            }
        }
        let mut out = Vec::new();
        for (older, newer) in self.gaps() {
            for x in older {
                let at = index(a, x);
                out.push(match from.get(&x) {
                    Some((y, true)) => MessageChange::Moved { older: at, newer: index(b, *y) },
                    Some((y, false)) => MessageChange::Altered { older: at, newer: index(b, *y) },
                    None => MessageChange::Gone { older: at },
                });
            }
            let added = newer.filter(|y| !to.contains_key(y));
            out.extend(added.map(|y| MessageChange::Added { newer: index(b, y) }));
        }
        out
    }

    /// Why the list breaks at the block of that index: the first at which it does.
    pub(crate) fn cause(&self, a: &Pieces<'_>, b: &Pieces<'_>, block: usize) -> Cause {
        let Some(x) = within(a, block) else { return Cause::MessageEdited };
        let Some(y) = within(b, block) else {
            let last = x.block.message + 1 == self.older;
            let tail = last && is_tail_line(x.message, x.blocks);
            return if tail { Cause::SyntheticTail } else { Cause::MessagesGone { count: self.older - x.block.message } };
        };
        let at = x.block.message.min(y.block.message);
        // The note of a card that waits is no such line where it has only come to read otherwise.
        let last = x.block.message + 1 == self.older && x.block.message == y.block.message;
        if last && is_tail_line(x.message, x.blocks) && !is_tail_line(y.message, y.blocks) {
            return Cause::SyntheticTail;
        }
        if x.block.message != y.block.message {
            return grown(x, y);
        }
        let next = self.same.get(self.same.partition_point(|pair| pair.0 < at || pair.1 < at)).copied();
        let (gone, came) = next.map_or((self.older - at, self.newer - at), |(older, newer)| (older - at, newer - at));
        let all_thought = || a.messages.iter().skip(at).take(gone).all(|message| is_reasoning(message.value));
        if gone > came && all_thought() {
            return Cause::ReasoningGone;
        }
        // Some keep a line or two before the window.
        let head = at == 0 || at <= 2 && gone >= 2;
        if next.is_some() && gone > came && head && !self.kept_elsewhere(at..at + gone) {
            return Cause::WindowStepped { gone, came };
        }
        if self.moved.iter().any(|(older, newer)| *older == at || *newer == at) {
            return Cause::Reordered;
        }
        if self.altered.contains(&(at, at)) {
            return altered(x, y);
        }
        match (gone, came) {
            (0, 1..) if outcome(within_part(y), y.message).is_some() => Cause::OutcomeLate,
            (0, 1..) => Cause::MessagesInserted { count: came },
            (0, 0) => Cause::MessageEdited,
            (1.., _) => Cause::MessagesGone { count: gone },
        }
    }

    /// Whether messages that are not at the head any more were put elsewhere rather than left behind: any of them stands among
    /// those that stayed, or most of more than a turn stand behind these. A text or two may just have been said again.
    fn kept_elsewhere(&self, older: Range<usize>) -> bool {
        let last = self.same.last().map_or(0, |(_, newer)| *newer);
        let kept = || self.moved.iter().filter(|(from, _)| older.contains(from));
        kept().any(|(_, to)| *to < last) || older.len() > 2 && 2 * kept().count() > older.len()
    }
}

/// The first block of a message that is not its head.
fn within_part<'p, 'd>(within: Within<'p, 'd>) -> &'p Block<'d> {
    within.blocks.get(1).or(within.blocks.first()).unwrap_or(within.block)
}

fn within<'p, 'd>(pieces: &'p Pieces<'d>, at: usize) -> Option<Within<'p, 'd>> {
    let block = pieces.blocks.get(at)?;
    let message = pieces.messages.get(block.message)?;
    Some(Within { block, message, blocks: pieces.of(message) })
}

/// Why a message has more or fewer blocks than it had.
fn grown(x: Within<'_, '_>, y: Within<'_, '_>) -> Cause {
    match y.block.message < x.block.message {
        true if outcome(y.block, y.message).is_some() => Cause::OutcomeLate,
        false if is_reasoning(x.block.value) => Cause::ReasoningGone,
        _ => Cause::MessageEdited,
    }
}

fn pair(a: &Pieces<'_>, b: &Pieces<'_>, older: &[usize], newer: &[usize]) -> Vec<(usize, usize)> {
    let mut calls: HashMap<String, usize> = HashMap::new();
    for at in newer {
        if let Some(call) = b.messages.get(*at).and_then(|message| answered(b, message)) {
            calls.entry(call).or_insert(*at);
        }
    }
    let mut pairs = Vec::new();
    let mut rest = Vec::new();
    for at in older {
        let call = a.messages.get(*at).and_then(|message| answered(a, message));
        match call.and_then(|call| calls.remove(&call)) {
            Some(other) => pairs.push((*at, other)),
            None => rest.push(*at),
        }
    }
    let mut taken: Vec<usize> = pairs.iter().map(|(_, newer)| *newer).collect();
    taken.sort_unstable();
    let open: Vec<usize> = newer.iter().copied().filter(|at| taken.binary_search(at).is_err()).collect();
    let even = rest.len() == open.len();
    let (mut x, mut y) = (rest.as_slice(), open.as_slice());
    while let ([one, more_a @ ..], [other, more_b @ ..]) = (x, y) {
        let fits = match (a.messages.get(*one), b.messages.get(*other)) {
            (Some(one), Some(other)) => one.role == other.role && (even || alike(one, other)),
            _ => false,
        };
        if fits {
            pairs.push((*one, *other));
        }
        (x, y) = match () {
            () if fits || x.len() == y.len() => (more_a, more_b),
            () if x.len() > y.len() => (more_a, y),
            () => (x, more_b),
        };
    }
    pairs
}

/// The first call that a message answers.
fn answered(pieces: &Pieces<'_>, message: &Message<'_>) -> Option<String> {
    pieces.of(message).iter().find_map(|block| Some(outcome(block, message)?.0))
}
