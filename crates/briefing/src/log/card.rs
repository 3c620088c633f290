//! Writes that a person must confirm, and how that ended.

use std::sync::Arc;

use jiff::Timestamp;

use crate::message::{EntryId, RunId, ToolCall};

/// A write that a tool proposed: held until a person confirms it, never by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// The run that proposed it.
    pub run: Option<RunId>,
    /// The call, with its arguments.
    pub call: ToolCall,
    /// The name by which the model knows what is to be done: what confirmation lines tell.
    pub action: String,
    /// The person's language, such as `en`.
    pub language: String,
    /// What the person is shown before they confirm.
    pub preview: String,
    /// What the write touches, as it was when it was proposed: if that has changed, it is not done.
    pub fingerprint: String,
    /// When it lapses.
    pub expires: Option<Timestamp>,
}

/// How a card was settled. A card is settled once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Notice {
    /// The card.
    pub card: EntryId,
    /// How it ended.
    pub settled: Settled,
    /// The card's action; empty if the card was erased.
    pub action: Arc<str>,
    /// The person's language when it was settled.
    pub language: Arc<str>,
}

/// How a card ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Settled {
    /// Confirmed and done.
    Done,
    /// A person said no.
    Cancelled,
    /// Nobody answered in time.
    Expired,
    /// What it touches changed before it was confirmed.
    DataChanged,
    /// Confirmed, and it failed.
    Failed,
    /// Confirmed, and the process died while it was done: it may or may not have been done.
    Lost,
}

impl Settled {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Done, Self::Cancelled, Self::Expired, Self::DataChanged, Self::Failed, Self::Lost];

    /// Its name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::DataChanged => "data-changed",
            Self::Failed => "failed",
            Self::Lost => "lost",
        }
    }
}
