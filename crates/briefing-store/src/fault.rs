//! What is wrong in a store, as [`crate::Store::verify`] finds it.

use std::fmt;
use std::ops::Range;

use briefing::message::{EntryId, OwnerId, RunId, ThreadId};

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The database itself is damaged, in SQLite's words.
    Database {
        /// What it says.
        detail: String,
    },
    /// Something belongs to an owner that is not there.
    OwnerMissing {
        /// The owner's number. Its name is lost.
        number: i64,
    },
    /// The numbers that an owner's next entry, thread and run get are taken, or cannot be.
    OwnerMiscounted {
        /// The owner.
        owner: OwnerId,
    },
    /// An entry does not hold what was appended: its own text, or the contents that it has.
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
    /// An entry is in no thread, or in one that does not exist, or stands there at another time or as another kind than its own (a
    /// card: settled or not; a message: what its newest version is), or as another agent's, or is kept as another owner's, or it is
    /// an edit in another thread than its message.
    Misplaced {
        /// The owner.
        owner: OwnerId,
        /// The entry.
        entry: EntryId,
    },
    /// What is kept of a thread beside its entries (owner, count, head, newest, people) is not what its entries say.
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
    /// Something is kept of an entry that is erased, or is not there, or is of another kind: text that was to be forgotten.
    Leftover {
        /// The owner.
        owner: OwnerId,
        /// The entry.
        entry: EntryId,
    },
    /// A key leads to an entry that is not there.
    KeyDangling {
        /// The owner.
        owner: OwnerId,
        /// The entry.
        entry: EntryId,
    },
    /// A run is not what was begun.
    RunAltered {
        /// The owner.
        owner: OwnerId,
        /// The run, by the id that it has now.
        run: RunId,
    },
    /// A run is in no thread, or is kept as another owner's, or does not stand beside what it answers or wrote, or one of its
    /// calls leads to no round of it; or its lease is none that was given, its end none that is known; or a step, a request or a lease
    /// is kept of a run that is not there.
    RunMisplaced {
        /// The owner.
        owner: OwnerId,
        /// The run; its number, if it is not there.
        run: RunId,
    },
    /// A run is scheduled in a thread that is not there, or has ended.
    ScheduledMisplaced {
        /// The owner.
        owner: OwnerId,
        /// The run.
        run: RunId,
    },
    /// A request of a run is not what was kept, or what was sent is not there.
    RequestAltered {
        /// The owner.
        owner: OwnerId,
        /// The run; its number, if it is not there.
        run: RunId,
        /// The number of the request.
        number: u32,
    },
    /// A window begins in a thread, or at an entry, that is not there.
    AnchorDangling {
        /// The owner.
        owner: OwnerId,
        /// The thread.
        thread: ThreadId,
    },
    /// A name leads to a thread that is not there.
    NameDangling {
        /// The owner.
        owner: OwnerId,
        /// The thread.
        thread: ThreadId,
    },
    /// A thread goes on from an entry that is not there, or that its parent does not show.
    ForkDangling {
        /// The owner.
        owner: OwnerId,
        /// The thread that was forked off.
        thread: ThreadId,
    },
    /// The text that was read out of a content is not what was kept.
    TextAltered {
        /// The hash of the content.
        hash: String,
    },
    /// A text is kept of a content that is not there: it was to be forgotten.
    TextDangling {
        /// The number of the content. Its hash is lost.
        number: i64,
    },
    /// The content of a stored file is missing.
    BlobMissing {
        /// Its hash.
        hash: String,
    },
    /// The content of a stored file could not be asked for. It may be there: verify again.
    BlobUnreadable {
        /// Its hash.
        hash: String,
    },
    /// The content of a stored file is not what its hash says.
    BlobAltered {
        /// Its hash.
        hash: String,
    },
    /// The content of a stored file is referred to more or less often than is kept of it.
    BlobMiscounted {
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
    /// The notice of a card.
    Notice,
    /// The message of an edit.
    Message,
    /// The newest edit of a message.
    Edit,
    /// A stored content.
    Blob,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database { detail } => write!(f, "the database is damaged: {detail}"),
            Self::OwnerMissing { number } => write!(f, "owner number {number}: not there, and has something"),
            Self::OwnerMiscounted { owner } => {
                write!(f, "owner {owner}: its next entry, thread or run has a number that cannot be")
            }
            Self::Altered { owner, entry } => write!(f, "owner {owner}, entry {entry}: not what was appended"),
            Self::Unreadable { owner, entry } => write!(f, "owner {owner}, entry {entry}: cannot be read"),
            Self::Gap { owner, entry } => write!(f, "owner {owner}: entry {entry} is missing"),
            Self::Misplaced { owner, entry } => write!(f, "owner {owner}, entry {entry}: not at its place in a thread"),
            Self::Miscounted { owner, thread } => {
                write!(f, "owner {owner}, thread {thread}: its owner, count, head, time or people are not what its entries say")
            }
            Self::Dangling { owner, entry, to } => {
                let what = match to {
                    Reference::Run => "run",
                    Reference::Round => "round",
                    Reference::Card => "card",
                    Reference::Notice => "notice",
                    Reference::Message => "message",
                    Reference::Edit => "newest edit",
                    Reference::Blob => "content",
                };
                write!(f, "owner {owner}, entry {entry}: its {what} is not there")
            }
            Self::Leftover { owner, entry } => {
                write!(f, "owner {owner}, entry {entry}: something is left of what is erased or was never there")
            }
            Self::KeyDangling { owner, entry } => {
                write!(f, "owner {owner}, entry {entry}: a key leads to it, and it is not there")
            }
            Self::RunAltered { owner, run } => write!(f, "owner {owner}, run {run}: not what was begun"),
            Self::RunMisplaced { owner, run } => {
                write!(
                    f,
                    "owner {owner}, run {run}: not at its place beside an entry, or its lease, end, steps or requests are wrong"
                )
            }
            Self::ScheduledMisplaced { owner, run } => {
                write!(f, "owner {owner}, run {run}: scheduled in a thread that is not there, or though it has ended")
            }
            Self::RequestAltered { owner, run, number } => {
                write!(f, "owner {owner}, run {run}: request {number} is not what was kept")
            }
            Self::AnchorDangling { owner, thread } => {
                write!(f, "owner {owner}, thread {thread}: a window begins in it where nothing is")
            }
            Self::NameDangling { owner, thread } => {
                write!(f, "owner {owner}, thread {thread}: a name leads to it, and it is not there")
            }
            Self::ForkDangling { owner, thread } => {
                write!(f, "owner {owner}, thread {thread}: it goes on from an entry that is not there")
            }
            Self::TextAltered { hash } => write!(f, "content {hash}: its text is not what was kept"),
            Self::TextDangling { number } => write!(f, "content number {number}: not there, and has a text"),
            Self::BlobMissing { hash } => write!(f, "content {hash}: missing"),
            Self::BlobUnreadable { hash } => write!(f, "content {hash}: cannot be read"),
            Self::BlobAltered { hash } => write!(f, "content {hash}: not what its hash says"),
            Self::BlobMiscounted { hash } => write!(f, "content {hash}: referred to more or less often than is kept of it"),
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
        if self.faults.len() < Self::MOST {
            self.faults.push(fault);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Each of those numbers is missing. They may be more than can be gone through.
    pub(crate) fn gaps(&mut self, owner: &OwnerId, numbers: Range<u64>) {
        let mut untold = numbers;
        let room = Self::MOST.saturating_sub(self.faults.len());
        let told = untold.by_ref().take(room).map(|number| Fault::Gap { owner: owner.clone(), entry: EntryId::new(number) });
        self.faults.extend(told);
        self.more = self.more.saturating_add(untold.end.saturating_sub(untold.start));
    }
}
