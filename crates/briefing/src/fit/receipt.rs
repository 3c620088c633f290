//! The receipt: what was kept, dropped, cut or repaired, by which rule, at which cost, from which entry.
//!
//! It is data; sentences are made when it is printed (`print.rs`).

use std::sync::Arc;

use serde::Serialize;

use crate::fit::bounds::{Anchor, Bound};
use crate::fit::cost::Cost;
use crate::fit::unit::UnitKind;
use crate::message::EntryId;

/// What became of everything that was considered.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Receipt {
    pub(crate) kept: Vec<Kept>,
    pub(crate) lines: Vec<Line>,
    pub(crate) unvisited: Unvisited,
    pub(crate) around: Cost,
    pub(crate) total: Cost,
    #[serde(serialize_with = "limits")]
    pub(crate) most: Cost,
    pub(crate) estimator: Option<String>,
    pub(crate) changes: Vec<PrefixChange>,
    pub(crate) anchor: Option<Anchor>,
}

/// A unit that is in the briefing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    /// Where it came from.
    pub from: Origin,
    /// Its class.
    pub class: Class,
    /// What it is.
    pub kind: UnitKind,
    /// What it costs.
    pub cost: Cost,
}

/// Where a piece came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Entries of the log (or places in a plain list), oldest first.
    Entries(Vec<EntryId>),
    /// A resolver that read no entry for it.
    Resolver(Arc<str>),
}

/// Why a piece is there; decides what yields first (design invariant 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Instructions and what resolvers give unless they say otherwise. Never yields.
    Fixed,
    /// A note that must be seen.
    Pinned,
    /// The message being answered. Never yields.
    Current,
    /// This run's rounds so far.
    Run,
    /// The conversation before now.
    History,
    /// A recap of what the window left behind.
    Summary,
    /// What was found in older entries.
    Recall,
}

/// Something that was done to a piece, or a reason why it is not there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// The piece.
    pub from: Origin,
    /// What was done, and by which rule.
    pub rule: Rule,
}

/// What can become of a piece, beside being kept as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A call had no outcome; a fixed text stands for it.
    OutcomeMissing {
        /// The call.
        call: String,
    },
    /// An outcome stood elsewhere and was put behind its call.
    OutcomeMoved {
        /// The call.
        call: String,
    },
    /// The outcomes of a round stood in another order than its calls.
    OutcomesReordered,
    /// A second outcome of one call is left out.
    OutcomeRepeated {
        /// The call.
        call: String,
    },
    /// An outcome whose call is nowhere in what was read is left out.
    OutcomeWithoutCall {
        /// The call that it names.
        call: String,
    },
    /// An outcome said nothing; a fixed text stands for it.
    OutcomeEmpty {
        /// The call.
        call: String,
    },
    /// An outcome was cut.
    OutcomeCut {
        /// The call.
        call: String,
        /// Its characters in full.
        chars: u64,
        /// The characters shown.
        shown: u64,
    },
    /// An outcome was left out to save room; a fixed text stands for it.
    OutcomeCleared {
        /// The call.
        call: String,
    },
    /// Two calls had one id; the later got another.
    IdRepeated {
        /// The id given.
        call: String,
    },
    /// A picture or a document, or a file in a block of the wire's own, reads as a line.
    FileAsLine {
        /// Why.
        why: FileReason,
    },
    /// It says nothing.
    Blank,
    /// A draft, or mail that could not be sent.
    NotSent,
    /// An entry that the store cannot read: it is damaged there.
    Unreadable,
    /// A view's filter left it out.
    Filtered,
    /// A view's filter failed on it, so it stays.
    FilterFailed {
        /// What the filter said.
        error: String,
    },
    /// Something in it was hidden.
    Redacted {
        /// In how many places.
        places: u32,
    },
    /// Instructions, or what may hold tool use, where the view tells none.
    ToolUseLeftOut,
    /// Of an answer its text alone, where the view tells no tool use.
    TextAlone,
    /// A file has no text yet, so it is not told.
    FileNotReady,
    /// Pictures in a form that cannot be sent.
    PicturesLeftOut {
        /// How many.
        pictures: usize,
    },
    /// A message was edited since anything was said after it.
    Edited,
    /// A card that was settled: its notice tells how.
    CardSettled,
    /// A card that waits for a person.
    CardWaits,
    /// It is in the list already.
    Twice,
    /// It did not fit.
    Over {
        /// The bound that it would have broken.
        bound: Bound,
    },
    /// It stood before the first input of the window.
    BeforeInput,
    /// The window was full and was cut to its low mark.
    Stepped,
    /// The view's limit on the entries that it visits was reached.
    VisitLimit {
        /// How many were visited.
        visited: u64,
    },
    /// A query found more records than it may give; the first of them are there.
    RowLimit {
        /// The most that it may give.
        most: u32,
    },
}

/// Why a file reads as a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileReason {
    /// The model takes no such thing.
    Model,
    /// The wire takes no such type there.
    Type,
    /// It is larger than one file may be.
    TooLarge,
    /// There are newer ones, and no more fit.
    TooMany,
    /// Its content is not there (any more).
    Missing,
    /// It lies in the file store of another provider.
    Elsewhere,
}

/// What was never looked at, because the walk ended before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unvisited {
    /// Everything was looked at.
    #[default]
    Nothing,
    /// So many older entries.
    Older {
        /// How many.
        entries: u64,
        /// What ended the walk.
        why: WalkEnd,
    },
    /// Older entries, uncounted: counting them would cost more than the view.
    OlderUncounted {
        /// What ended the walk.
        why: WalkEnd,
    },
}

impl Unvisited {
    /// What ended the walk, if it was ended.
    #[must_use]
    pub fn why(self) -> Option<WalkEnd> {
        match self {
            Self::Nothing => None,
            Self::Older { why, .. } | Self::OlderUncounted { why } => Some(why),
        }
    }

    /// Both together: what this walk left of what it was given, and what lies beyond that.
    pub(crate) fn and(self, beyond: Self) -> Self {
        match (self, beyond) {
            (Self::Nothing, beyond) => beyond,
            (own, Self::Nothing) => own,
            (Self::Older { entries, why }, Self::Older { entries: more, .. }) => Self::Older { entries: entries + more, why },
            (Self::Older { why, .. } | Self::OlderUncounted { why }, _) => Self::OlderUncounted { why },
        }
    }
}

/// What ended a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WalkEnd {
    /// The view's own limit.
    Limit,
    /// A reset: what stands before it may not be seen.
    Reset,
    /// The view's window.
    Window(Bound),
    /// A bound of the request.
    Bound(Bound),
    /// The window's anchor.
    Anchor,
}

/// Why the bytes of this request are not those of the one before and something behind them (design invariant 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PrefixChange {
    /// The window has moved.
    WindowStepped,
    /// An outcome came after other entries and was put behind its call.
    LateOutcome,
    /// Outcomes were cut, or files became lines, to make room.
    Shortened,
    /// What is shown whole in its own turn (files, long outcomes) reads shorter in the next.
    TurnOver,
    /// The wire declares the tools that the history names, because the call declares none.
    ToolsDeclared,
    /// Two calls had one id.
    IdRepeated,
    /// Marks for a prompt cache move along with the list; what is cached does not change by them.
    CacheMarks,
    /// A message was edited.
    Edited,
    /// A card that waits is told; once it is settled it reads otherwise.
    CardWaits,
    /// The list ends with a line that the next one will not have.
    SyntheticTail,
}

/// Limits as people read them: null where there is none.
fn limits<S: serde::Serializer>(most: &Cost, serializer: S) -> Result<S::Ok, S::Error> {
    let limit = |limit: u64| (limit < u64::MAX).then_some(limit);
    let limits = [
        ("messages", limit(most.messages)),
        ("chars", limit(most.chars)),
        ("tokens", limit(most.tokens)),
        ("images", limit(most.images)),
        ("bytes", limit(most.bytes)),
    ];
    serializer.collect_map(limits)
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

    /// The first entry.
    #[must_use]
    pub fn first(&self) -> Option<EntryId> {
        self.entries().first().copied()
    }

    /// Whether that entry is one of them.
    #[must_use]
    pub fn holds(&self, entry: EntryId) -> bool {
        self.entries().contains(&entry)
    }

    /// The same with its first entry alone: what a line about one piece of a large round names, so that lines do not grow with
    /// the square of the round.
    pub(crate) fn beginning(&self) -> Self {
        match self {
            Self::Entries(entries) => Self::Entries(entries.first().copied().into_iter().collect()),
            Self::Resolver(name) => Self::Resolver(Arc::clone(name)),
        }
    }
}

impl Receipt {
    /// The units in the briefing, in order.
    #[must_use]
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// What was done to pieces, and why others are not there; in the order in which it was found.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// What the walk never reached.
    #[must_use]
    pub fn unvisited(&self) -> Unvisited {
        self.unvisited
    }

    /// What stands around the messages: tools, parameters, lines of the frame.
    #[must_use]
    pub fn around(&self) -> Cost {
        self.around
    }

    /// Everything together. Leading system text counts in all but messages.
    #[must_use]
    pub fn total(&self) -> Cost {
        self.total
    }

    /// The limits that held; `u64::MAX` where there is none.
    #[must_use]
    pub fn most(&self) -> Cost {
        self.most
    }

    /// The estimator of the token counts, if tokens were counted.
    #[must_use]
    pub fn estimator(&self) -> Option<&str> {
        self.estimator.as_deref()
    }

    /// Known causes for which the next or the last request does not share this one's prefix.
    #[must_use]
    pub fn changes(&self) -> &[PrefixChange] {
        &self.changes
    }

    /// Where the window begins: what the next run's [`Bounds::stride`](crate::Bounds::stride) takes.
    #[must_use]
    pub fn anchor(&self) -> Option<Anchor> {
        self.anchor
    }
}
