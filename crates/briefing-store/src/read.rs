//! What can be asked.

use std::sync::Arc;

use briefing::log::{Attachment, Entry, Run, Settled};
use briefing::message::{EntryId, ThreadId};
use briefing::ports::FileText;
use jiff::Timestamp;

/// As of when a log is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// As it is.
    Now,
    /// As it was when this was the owner's next entry ([`Store::next_entry`](crate::Store::next_entry)). What was appended from then on is
    /// not there: neither entries, rounds and outcomes, nor what they did to older ones. A card that was settled later is open, and a
    /// message that was edited later reads as before.
    ///
    /// What was popped or erased since stays so, threads that were merged or split since are as they are now, and a scheduled run that
    /// was told to have [written](crate::Store::wrote) an older entry stands beside that.
    Before(EntryId),
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

/// A file with what was kept of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// The file, as the first entry that holds it tells it.
    pub file: Attachment,
    /// What was kept, if anything.
    pub text: Option<KeptText>,
}

/// What was read out of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptText {
    /// The version of what read it: a later one may read more.
    pub version: u32,
    /// The text; none if there is none to be had: kept, so that nobody tries in vain again.
    pub text: Option<FileText>,
}
