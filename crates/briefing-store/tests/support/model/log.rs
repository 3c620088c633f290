//! What the model keeps, and the plainest questions about it.

use std::sync::Arc;

use briefing::log::{Body, Card, Entry, Mail, MessageId, Notice, Place, Run};
use briefing::message::{EntryId, RunId, ThreadId};
use briefing_store::{AnchorKey, Key, Kind, StoreError};
use jiff::Timestamp;

/// All of one owner.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    pub(super) rows: Vec<Row>,
    /// Of each thread the one that it was merged into.
    pub(super) threads: Vec<Option<ThreadId>>,
    /// Ids that the mails of a thread refer to, and that no mail had when they came.
    pub(super) awaited: Vec<(MessageId, ThreadId)>,
    pub(super) runs: Vec<RunRow>,
    /// The runs that were imported, forgotten ones included.
    pub(super) imported: Vec<RunId>,
    /// How often an id was given to a call of a thread.
    pub(super) call_ids: Vec<(ThreadId, String, u32)>,
    /// Their threads are never merged ones, their personas in lower case.
    pub(super) anchors: Vec<(AnchorKey, Place)>,
}

/// One entry with what is kept beside it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) entry: Arc<Entry>,
    pub(super) thread: ThreadId,
    pub(super) key: Option<Key>,
    pub(super) raw: Option<Vec<u8>>,
    /// The contents of the files, in the order of the attachments.
    pub(super) files: Vec<(briefing::log::AttachmentId, Vec<u8>)>,
    /// Of a round or an outcome: the index of its run, and of the round in it.
    pub(super) run: Option<(usize, u32)>,
    /// Of an outcome: its round.
    pub(super) round: Option<EntryId>,
    /// Of a card: the run that proposed it, if there was one.
    pub(super) proposed: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct RunRow {
    pub(super) run: Run,
    pub(super) last: Timestamp,
    pub(super) wrote: Vec<EntryId>,
    pub(super) gone: bool,
}

/// Cuts off what is finer than a microsecond.
pub(super) fn cut(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap()
}

impl Row {
    pub(super) fn place(&self) -> Place {
        self.entry.place()
    }

    pub(super) fn mail(&self) -> Option<&Mail> {
        self.entry.mail().map(|mail| &**mail)
    }

    pub(super) fn card(&self) -> Option<&Card> {
        if let Body::Card(card) = &self.entry.body { Some(card) } else { None }
    }

    pub(super) fn notice(&self) -> Option<Notice> {
        if let Body::Notice(notice) = self.entry.body { Some(notice) } else { None }
    }

    pub(super) fn kind(&self) -> Kind {
        Kind::of(&self.entry.body)
    }

    pub(super) fn erased(&self) -> bool {
        self.kind() == Kind::Erased
    }

    /// The contents that it refers to, one for each reference.
    pub(super) fn contents(&self) -> impl Iterator<Item = &[u8]> {
        self.raw.as_deref().into_iter().chain(self.files.iter().map(|(_, content)| &**content))
    }
}

impl Log {
    /// The entry, or what is left of it.
    pub(super) fn row(&self, entry: EntryId) -> Option<&Row> {
        self.rows.get(usize::try_from(entry.get()).ok()?)
    }

    /// The entry, if it is not erased.
    pub(super) fn live(&self, entry: EntryId) -> Result<&Row, StoreError> {
        self.row(entry).filter(|row| !row.erased()).ok_or(StoreError::UnknownEntry { entry })
    }

    /// The thread that has the entries of that one.
    pub(super) fn resolve(&self, thread: ThreadId) -> Option<ThreadId> {
        match self.threads.get(usize::try_from(thread.get()).ok()?)? {
            None => Some(thread),
            Some(into) => self.resolve(*into),
        }
    }

    pub(super) fn known(&self, thread: ThreadId) -> Result<ThreadId, StoreError> {
        self.resolve(thread).ok_or(StoreError::UnknownThread { thread })
    }

    pub(super) fn run(&self, id: &RunId) -> Result<usize, StoreError> {
        let found = self.runs.iter().position(|run| !run.gone && run.run.id == *id);
        found.ok_or_else(|| StoreError::UnknownRun { run: id.clone() })
    }

    pub(super) fn members(&self, thread: ThreadId) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.thread == thread)
    }

    /// The newest entry of a thread by sequence number.
    pub(super) fn head(&self, thread: ThreadId) -> Option<EntryId> {
        self.members(thread).map(|row| row.entry.id).max()
    }

    pub(super) fn by_message_id(&self, id: &MessageId) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.mail().is_some_and(|mail| mail.message_id.as_ref() == Some(id)))
    }

    pub(super) fn contents(&self) -> impl Iterator<Item = Vec<u8>> {
        self.rows.iter().flat_map(|row| row.contents().map(<[u8]>::to_vec))
    }

    pub(super) fn open_thread(&mut self) -> ThreadId {
        self.threads.push(None);
        ThreadId::new(self.threads.len() as u64 - 1)
    }

    /// Appends that at the end of the log.
    pub(super) fn push(&mut self, at: Timestamp, body: Body, thread: ThreadId) -> &mut Row {
        let entry = Arc::new(Entry { id: EntryId::new(self.rows.len() as u64), at, body });
        self.rows.push(Row { entry, thread, key: None, raw: None, files: Vec::new(), run: None, round: None, proposed: None });
        self.rows.last_mut().unwrap()
    }
}
