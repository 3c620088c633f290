//! Entries of a database with what belongs to them, as `show` and `export` tell them.

use std::sync::Arc;

use briefing::log::{Kinds, Place};
use briefing::message::{EntryId, OwnerId, ThreadId};
use briefing::ports::Back;
use briefing_store::{Logged, SqliteStore, Store, StoreError, StoreFuture, ThreadSummary};

use crate::database::failure;
use crate::error::Failure;

/// How many entries are read at once.
pub(crate) const PAGE: usize = 100;

/// Waits for what a store was asked. What is not there can be looked up, and the hint says how.
pub(crate) fn ask<T>(asked: StoreFuture<'_, T>) -> Result<T, Failure> {
    pollster::block_on(asked).map_err(told)
}

/// A failure of the store, with a hint for who types commands.
pub(crate) fn told(error: StoreError) -> Failure {
    let hint = match &error {
        StoreError::UnknownThread { .. } => "`briefing threads` lists them",
        StoreError::UnknownEntry { .. } => "`briefing threads` lists the threads, and `briefing show THREAD` their entries",
        StoreError::FirstOfThread { .. } => "begin with a later entry: `briefing show THREAD` lists them",
        StoreError::NotAMessage { .. } => {
            "`briefing show THREAD` lists the entries; messages of chats and transcripts can be edited"
        }
        StoreError::Forked { .. } => "begin behind the entry that it was forked off",
        StoreError::NotABeginning { .. } => "begin with the mail, the message or the card that it belongs to",
        StoreError::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => {
            "name a file that is not there, nor a folder of its name with `.blobs` behind it"
        }
        StoreError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            "check the path: its folder must be there"
        }
        _ => return failure(error),
    };
    failure(error).hint(hint)
}

/// One owner's log in a database.
pub(crate) struct Log {
    pub(crate) store: SqliteStore,
    pub(crate) owner: OwnerId,
}

/// A mail as it came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Raw {
    Kept(Arc<[u8]>),
    /// The mail was stored without it, or it is no mail.
    None,
    /// It was kept, and is missing or damaged.
    Lost(String),
}

impl Log {
    pub(crate) fn new(store: SqliteStore, owner: OwnerId) -> Self {
        Self { store, owner }
    }

    /// The thread, or the one that it was merged into.
    pub(crate) fn thread(&self, thread: ThreadId) -> Result<ThreadSummary, Failure> {
        ask(self.store.thread(&self.owner, thread))?.ok_or_else(|| told(StoreError::UnknownThread { thread }))
    }

    /// The ids of the newest entries of a thread, in its order; none: of all. Of the entries themselves, a page at a time is
    /// held.
    pub(crate) fn newest(&self, thread: ThreadId, limit: Option<usize>) -> Result<Vec<EntryId>, Failure> {
        let mut ids = Vec::new();
        let mut before: Option<Place> = None;
        loop {
            let wanted = limit.map_or(PAGE, |limit| limit.saturating_sub(ids.len()).min(PAGE));
            let back = Back { thread, before, after: None, kinds: Kinds::ALL, agent: None, count: wanted };
            let page = ask(self.store.read_back(&self.owner, back))?;
            ids.extend(page.iter().map(|entry| entry.id));
            match page.last() {
                Some(last) if page.len() == wanted => before = Some(last.place()),
                Some(_) | None => break,
            }
        }
        ids.reverse();
        Ok(ids)
    }

    /// One entry.
    pub(crate) fn entry(&self, entry: EntryId) -> Result<Logged, Failure> {
        let logged = ask(self.store.log(&self.owner, entry, 1))?.into_iter().next();
        logged.filter(|logged| logged.entry.id == entry).ok_or_else(|| told(StoreError::UnknownEntry { entry }))
    }

    /// The bytes of a mail.
    pub(crate) fn raw(&self, entry: EntryId) -> Result<Raw, Failure> {
        match pollster::block_on(self.store.raw(&self.owner, entry)) {
            Ok(Some(bytes)) => Ok(Raw::Kept(bytes)),
            Ok(None) => Ok(Raw::None),
            Err(error @ StoreError::Blob { .. }) => Ok(Raw::Lost(error.to_string())),
            Err(error) => Err(told(error)),
        }
    }
}

impl Raw {
    /// What could not be read of a mail, or not whole: found again in its bytes.
    pub(crate) fn findings(&self) -> Vec<String> {
        match self {
            Self::Kept(bytes) => briefing_mail::parse(bytes).findings.iter().map(ToString::to_string).collect(),
            Self::None => Vec::new(),
            Self::Lost(why) => vec![why.clone()],
        }
    }
}
