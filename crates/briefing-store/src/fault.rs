//! What is wrong in a store, as [`crate::Store::verify`] finds it.

use std::fmt;

use briefing::message::{EntryId, OwnerId, ThreadId};

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The database itself is damaged, in SQLite's words.
    Database {
        /// What it says.
        detail: String,
    },
    /// An entry does not hold what was appended.
    Altered {
        /// The owner.
        owner: OwnerId,
        /// The entry.
        entry: EntryId,
    },
    /// An entry cannot be read.
    Unreadable {
        /// The owner.
        owner: OwnerId,
        /// The entry.
        entry: EntryId,
    },
    /// A sequence number is missing.
    Gap {
        /// The owner.
        owner: OwnerId,
        /// The number that is missing.
        entry: EntryId,
    },
    /// An entry is in no thread, or in one that does not exist, or stands there at another time than its own.
    Misplaced {
        /// The owner.
        owner: OwnerId,
        /// The entry.
        entry: EntryId,
    },
    /// What is kept of a thread beside its entries (count, head, newest, people) is not what its entries say.
    Miscounted {
        /// The owner.
        owner: OwnerId,
        /// The thread.
        thread: ThreadId,
    },
    /// An entry refers to something that is not there.
    Dangling {
        /// The owner.
        owner: OwnerId,
        /// The entry that refers.
        entry: EntryId,
        /// To what.
        to: Reference,
    },
    /// The content of a stored file is missing.
    BlobMissing {
        /// Its hash.
        hash: String,
    },
    /// The content of a stored file is not what its hash says.
    BlobAltered {
        /// Its hash.
        hash: String,
    },
    /// The search index misses an entry, or has one that is not there.
    Index {
        /// The owner.
        owner: OwnerId,
        /// The entry.
        entry: EntryId,
    },
}

/// What an entry can refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// A run.
    Run,
    /// The round of an outcome.
    Round,
    /// The card of a notice.
    Card,
    /// A stored content.
    Blob,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database { detail } => write!(f, "the database is damaged: {detail}"),
            Self::Altered { owner, entry } => write!(f, "owner {owner}, entry {entry}: not what was appended"),
            Self::Unreadable { owner, entry } => write!(f, "owner {owner}, entry {entry}: cannot be read"),
            Self::Gap { owner, entry } => write!(f, "owner {owner}: entry {entry} is missing"),
            Self::Misplaced { owner, entry } => write!(f, "owner {owner}, entry {entry}: not at its place in a thread"),
            Self::Miscounted { owner, thread } => {
                write!(f, "owner {owner}, thread {thread}: its count, head, time or people are not what its entries say")
            }
            Self::Dangling { owner, entry, to } => {
                let what = match to {
                    Reference::Run => "run",
                    Reference::Round => "round",
                    Reference::Card => "card",
                    Reference::Blob => "content",
                };
                write!(f, "owner {owner}, entry {entry}: its {what} is not there")
            }
            Self::BlobMissing { hash } => write!(f, "content {hash}: missing"),
            Self::BlobAltered { hash } => write!(f, "content {hash}: not what its hash says"),
            Self::Index { owner, entry } => write!(f, "owner {owner}, entry {entry}: the search index is wrong about it"),
        }
    }
}

/// What was looked at, and what is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many owners.
    pub owners: u64,
    /// How many entries.
    pub entries: u64,
    /// How many stored contents.
    pub blobs: u64,
    /// What is wrong: the first [`Verified::MOST`].
    pub faults: Vec<Fault>,
    /// How many more faults there are.
    pub more: u64,
}

impl Verified {
    /// How many faults are told.
    pub const MOST: usize = 1_000;

    pub(crate) fn fault(&mut self, fault: Fault) {
        if self.faults.len() < Self::MOST { self.faults.push(fault) } else { self.more += 1 }
    }
}
