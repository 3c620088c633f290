//! What is erased, and the report of it.

use std::collections::BTreeMap;

use briefing::log::Kind;
use briefing::message::ThreadId;
use jiff::Timestamp;

use crate::StoreError;

/// What is to be erased. Nothing of it can be had back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Forget {
    /// Everything of the owner.
    Owner,
    /// Every mail that this address wrote or got (From, To, Cc), with the runs that answered it.
    Correspondent {
        /// The address; the case of letters does not matter.
        address: String,
        /// Whether everything else in the threads that it takes part in goes too: others may quote it.
        whole_threads: bool,
    },
    /// Everything of one thread, which must not be one that was merged into another. Of one that was forked off another, what it has
    /// of its own; what forks show of it goes with it.
    Thread(ThreadId),
    /// Every entry with an effective time before this one. Runs go with what they answer. What is scheduled and was not begun stays.
    Before(Timestamp),
    /// The requests that were kept of runs before this time, and nothing else.
    Requests(Timestamp),
}

impl Forget {
    /// The report for an owner who has nothing.
    pub(crate) fn of_nobody(&self) -> Result<ForgetReport, StoreError> {
        match self {
            Self::Thread(thread) => Err(StoreError::UnknownThread { thread: *thread }),
            Self::Owner | Self::Correspondent { .. } | Self::Before(_) | Self::Requests(_) => Ok(ForgetReport::default()),
        }
    }
}

/// What was erased, or of a trial, what would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetReport {
    /// The entries by kind. A tombstone with a hash stays of each.
    pub entries: BTreeMap<Kind, u64>,
    /// The threads that have nothing left.
    pub threads: u64,
    /// The runs.
    pub runs: u64,
    /// The scheduled runs: of threads that go whole, and of runs that go.
    pub scheduled: u64,
    /// The requests that were kept of runs: of those that go, and of every run of a thread in which something is erased, or of a fork
    /// that shows it.
    pub requests: u64,
    /// The mails as they came.
    pub raw: u64,
    /// The attachments.
    pub attachments: u64,
    /// The stored contents (raw mails, files and requests) that nothing else of the owner refers to.
    pub blobs: u64,
    /// The bytes of those.
    pub blob_bytes: u64,
    /// Contents that stay, as other entries of the owner have the same.
    pub shared_blobs: u64,
    /// The entries in the search index.
    pub searchable: u64,
    /// The entries that stay in threads where something was erased: they may quote it.
    pub may_quote: u64,
    /// Whether the database was written anew, so that no byte of it is left in the file, and the contents outside are deleted.
    /// Not of a trial; not if another process was reading, the disk has no room for a second copy, or a content could not be
    /// deleted: then forget again, with nothing to erase, once that is over.
    pub scrubbed: bool,
    /// Why not, if it was tried.
    pub scrub_failure: Option<String>,
}
