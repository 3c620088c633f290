//! What can be asked.

use std::sync::Arc;

use briefing::log::{Body, Entry, Run, Settled};
use briefing::message::{EntryId, ThreadId};
use jiff::Timestamp;

/// What kind of entry it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// [`briefing::log::Body::Mail`].
    Mail,
    /// [`briefing::log::Body::Round`].
    Round,
    /// [`briefing::log::Body::Outcome`].
    Outcome,
    /// [`briefing::log::Body::Message`].
    Message,
    /// [`briefing::log::Body::Card`].
    Card,
    /// [`briefing::log::Body::Notice`].
    Notice,
    /// [`briefing::log::Body::Erased`].
    Erased,
    /// [`briefing::log::Body::Unreadable`]: told of what a store gives, never asked for.
    Unreadable,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 8] =
        [Self::Mail, Self::Round, Self::Outcome, Self::Message, Self::Card, Self::Notice, Self::Erased, Self::Unreadable];

    /// The kind of that.
    #[must_use]
    pub const fn of(body: &Body) -> Self {
        match body {
            Body::Mail(_) => Self::Mail,
            Body::Round(_) => Self::Round,
            Body::Outcome(_) => Self::Outcome,
            Body::Message(_) => Self::Message,
            Body::Card(_) => Self::Card,
            Body::Notice(_) => Self::Notice,
            Body::Erased(_) => Self::Erased,
            Body::Unreadable => Self::Unreadable,
        }
    }

    /// Its name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Round => "round",
            Self::Outcome => "outcome",
            Self::Message => "message",
            Self::Card => "card",
            Self::Notice => "notice",
            Self::Erased => "erased",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A thread as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadSummary {
    /// Its id.
    pub thread: ThreadId,
    /// How many entries it has, erased ones included.
    pub entries: u64,
    /// The newest effective time of what is not erased; none if there is nothing.
    pub newest: Option<Timestamp>,
    /// The newest entry by sequence number: what an append expects.
    pub head: Option<EntryId>,
    /// The subject of its oldest mail, if it has one.
    pub subject: Option<String>,
    /// The addresses that take part, at most eight, sorted.
    pub people: Vec<String>,
}

/// Where a list of threads goes on: behind this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct After {
    /// Its newest effective time.
    pub newest: Timestamp,
    /// Its id.
    pub thread: ThreadId,
}

impl ThreadSummary {
    /// The list goes on behind this thread.
    #[must_use]
    pub fn after(&self) -> After {
        After { newest: self.newest.unwrap_or(Timestamp::MIN), thread: self.thread }
    }
}

/// An entry that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The entry.
    pub entry: EntryId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its effective time.
    pub at: Timestamp,
    /// The words around the first match, on one line.
    pub excerpt: String,
}

/// An entry with where it belongs, as an export walks over them.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// The entry.
    pub entry: Arc<Entry>,
    /// Its thread.
    pub thread: ThreadId,
    /// Of a round or an outcome: its run, and the index of the round in it.
    pub run: Option<(Run, u32)>,
    /// Of a card: how it was settled, if it was.
    pub settled: Option<Settled>,
}

/// Whose window anchor: it is kept per thread, persona, view and model profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AnchorKey {
    /// The thread.
    pub thread: ThreadId,
    /// The address of the persona.
    pub persona: String,
    /// The view and its options, as one text.
    pub view: String,
    /// The name of the model profile.
    pub model: String,
}
