//! Entries and their place.

use std::sync::Arc;

use jiff::Timestamp;

use crate::log::{Card, Edit, Mail, Message, Notice, Popped, Reset};
use crate::message::{Assistant, EntryId, Outcome, RunId, ThreadId};

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id: the sequence number of its owner's log.
    pub id: EntryId,
    /// Its effective time, fixed at append.
    pub at: Timestamp,
    /// What happened.
    pub body: Body,
}

/// What an entry holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A mail came or went.
    Mail(Arc<Mail>),
    /// A run's model called tools.
    Round(Arc<Assistant>),
    /// A call came to an end.
    Outcome(Arc<Outcome>),
    /// A message of a chat or of an imported transcript; of an edited one, its newest version.
    Message(Arc<Message>),
    /// A write waits for a person to confirm it.
    Card(Arc<Card>),
    /// A card was settled.
    Notice(Arc<Notice>),
    /// What stands before may not be seen any more.
    Reset(Arc<Reset>),
    /// A message was edited.
    Edit(Arc<Edit>),
    /// What was here was popped.
    Popped(Popped),
    /// What was here was erased.
    Erased(Erased),
    /// What is here cannot be read: the store that holds it is damaged.
    Unreadable,
}

/// What is left of an erased entry: nothing of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erased {
    /// When it was erased.
    pub at: Timestamp,
    /// The hash of what was stored (BLAKE3).
    pub hash: [u8; 32],
}

/// A place in a thread: total, and stored. Entries of one time stand in the order they were appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The effective time.
    pub at: Timestamp,
    /// The sequence number.
    pub entry: EntryId,
}

impl Entry {
    /// The entry's place in whatever threads it belongs to.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { at: self.at, entry: self.id }
    }

    /// The mail, if it is one.
    #[must_use]
    pub fn mail(&self) -> Option<&Arc<Mail>> {
        match &self.body {
            Body::Mail(mail) => Some(mail),
            Body::Round(_)
            | Body::Outcome(_)
            | Body::Message(_)
            | Body::Card(_)
            | Body::Notice(_)
            | Body::Reset(_)
            | Body::Edit(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable => None,
        }
    }

    /// The message, if it is one.
    #[must_use]
    pub fn message(&self) -> Option<&Arc<Message>> {
        if let Body::Message(message) = &self.body { Some(message) } else { None }
    }
}

/// How an entry came to the log; decides its effective time (design invariant 10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It happened now: its effective time is its arrival.
    Live(Timestamp),
    /// It is imported now: its own date counts, but no later than the import and no earlier than what it answers.
    Imported(Timestamp),
}

/// A run as the log knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// The thread that it belongs to.
    pub thread: ThreadId,
    /// What it was begun for.
    pub cause: Cause,
    /// The address of the persona that ran: tool use of another is never replayed.
    pub persona: Arc<str>,
}

/// What a run was begun for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// The entry that it answers: its rounds are replayed right behind that.
    Message(EntryId),
    /// Scheduled work of that name. Its rounds are replayed right before the entry that it writes, once that is known.
    Responsibility(String),
}

/// One round of a run with what is recorded of its outcomes: not every call has one.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRound {
    /// The entry beside which it is replayed: the one that the run answers, or, of scheduled work, the one that it wrote; none
    /// as long as it wrote none.
    pub beside: Option<EntryId>,
    /// The entry of the assistant message.
    pub entry: EntryId,
    /// The assistant message with its calls.
    pub said: Arc<Assistant>,
    /// The recorded outcomes, in the order they came.
    pub outcomes: Vec<RecordedOutcome>,
}

/// An outcome with its entry.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedOutcome {
    /// The entry.
    pub entry: EntryId,
    /// The outcome.
    pub outcome: Arc<Outcome>,
}
