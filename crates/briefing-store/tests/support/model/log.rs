//! What the model keeps, and the plainest questions about it.

use std::sync::Arc;

use briefing::log::{Attachment, Body, Card, Edit, Entry, Kind, Kinds, Mail, Message, MessageId, Notice, Place, Popped, Run};
use briefing::message::{EntryId, RunId, ThreadId};
use briefing_store::{AnchorKey, BlobHash, Key, Scheduled, StoreError};
use jiff::Timestamp;

use super::work::{Held, Work};

/// All of one owner.
#[derive(Debug, Clone, Default)]
pub(super) struct Log {
    pub(super) rows: Vec<Row>,
    /// Of each thread the one that it was merged into.
    pub(super) threads: Vec<Option<ThreadId>>,
    pub(super) forks: Vec<Fork>,
    pub(super) names: Vec<(String, ThreadId)>,
    /// Ids that the mails of a thread refer to, and that no mail had when they came.
    pub(super) awaited: Vec<(MessageId, ThreadId)>,
    pub(super) runs: Vec<RunRow>,
    pub(super) fences: u64,
    pub(super) leases: Vec<Held>,
    pub(super) scheduled: Vec<Scheduled>,
    /// The runs that were imported, forgotten ones included.
    pub(super) imported: Vec<RunId>,
    /// How often an id was given to a call of a thread.
    pub(super) call_ids: Vec<(ThreadId, String, u32)>,
    /// Their threads are never merged ones, their personas in lower case.
    pub(super) anchors: Vec<(AnchorKey, Place)>,
}

/// A thread that continues from an entry of another one.
#[derive(Debug, Clone)]
pub(super) struct Fork {
    pub(super) thread: ThreadId,
    pub(super) of: ThreadId,
    /// The last place that it reads of that.
    pub(super) place: Place,
    /// The first number that it does not read of that: what was appended since.
    pub(super) below: EntryId,
}

/// What a thread reads of one thread.
pub(super) struct Part {
    pub(super) thread: ThreadId,
    bounds: Vec<(Place, EntryId)>,
}

impl Part {
    fn has(&self, row: &Row) -> bool {
        let within = |(place, below): &(Place, EntryId)| row.place() <= *place && row.entry.id < *below;
        row.thread == self.thread && self.bounds.iter().all(within)
    }

    /// Whether it reaches at least as far as the other one.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let last = |part: &Self| {
            let place = part.bounds.iter().map(|(place, _)| *place).min();
            (place, part.bounds.iter().map(|(_, below)| *below).min())
        };
        let ((place, below), (other_place, other_below)) = (last(self), last(other));
        self.thread == other.thread
            && place.is_none_or(|place| other_place.is_some_and(|other| place >= other))
            && below.is_none_or(|below| other_below.is_some_and(|other| below >= other))
    }
}

/// One entry with what is kept beside it.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// As it was appended, or what is left of it.
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
    /// Of a card: when it was claimed.
    pub(super) claimed: Option<Timestamp>,
    /// When it was popped.
    pub(super) popped: Option<Timestamp>,
}

#[derive(Debug, Clone)]
pub(super) struct RunRow {
    pub(super) run: Run,
    pub(super) last: Timestamp,
    pub(super) wrote: Vec<EntryId>,
    pub(super) answer: Option<EntryId>,
    pub(super) work: Work,
    pub(super) gone: bool,
}

/// Cuts off what is finer than a microsecond.
pub(super) fn cut(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap()
}

impl Row {
    pub(super) fn new(entry: Arc<Entry>, thread: ThreadId) -> Self {
        Self {
            entry,
            thread,
            key: None,
            raw: None,
            files: Vec::new(),
            run: None,
            round: None,
            proposed: None,
            claimed: None,
            popped: None,
        }
    }

    pub(super) fn place(&self) -> Place {
        self.entry.place()
    }

    pub(super) fn mail(&self) -> Option<&Mail> {
        self.entry.mail().map(|mail| &**mail)
    }

    pub(super) fn card(&self) -> Option<&Card> {
        if let Body::Card(card) = &self.entry.body { Some(card) } else { None }
    }

    pub(super) fn notice(&self) -> Option<&Arc<Notice>> {
        if let Body::Notice(notice) = &self.entry.body { Some(notice) } else { None }
    }

    pub(super) fn edit(&self) -> Option<&Edit> {
        if let Body::Edit(edit) = &self.entry.body { Some(edit) } else { None }
    }

    pub(super) fn erased(&self) -> bool {
        matches!(self.entry.body, Body::Erased(_))
    }

    /// The files that it lists.
    pub(super) fn attachments(&self) -> &[Attachment] {
        match &self.entry.body {
            Body::Mail(mail) => &mail.attachments,
            Body::Message(message) => &message.attachments,
            Body::Edit(edit) => &edit.message.attachments,
            Body::Round(_)
            | Body::Outcome(_)
            | Body::Card(_)
            | Body::Notice(_)
            | Body::Reset(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable => &[],
        }
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

    /// How the entry reads now.
    pub(super) fn now(&self, row: &Row) -> Arc<Entry> {
        let mut body = row.entry.body.clone();
        let edits = self.rows.iter().filter(|other| other.edit().is_some_and(|edit| edit.of == row.entry.id));
        if let Some(newest) = edits.max_by_key(|edit| edit.entry.id) {
            let message = newest.edit().unwrap().message.clone();
            body = Body::Message(Arc::new(Message { edited: Some(newest.entry.id), ..message }));
        }
        if let Some(at) = row.popped {
            let hash = Some(*BlobHash::of(format!("{:?}", row.entry).as_bytes()).as_bytes());
            body = Body::Popped(Popped { at, hash, body: Box::new(body) });
        }
        Arc::new(Entry { body, ..*row.entry })
    }

    /// The same as it was appended: of an edited message the first version.
    pub(super) fn as_appended(&self, row: &Row) -> Arc<Entry> {
        let first = |now: &Message| {
            let Body::Message(first) = &row.entry.body else { unreachable!("only messages are edited") };
            Body::Message(Arc::new(Message { edited: now.edited, ..Message::clone(first) }))
        };
        let now = self.now(row);
        let body = match &now.body {
            Body::Message(message) => first(message),
            Body::Popped(popped) => match &*popped.body {
                Body::Message(message) => Body::Popped(Popped { body: Box::new(first(message)), ..popped.clone() }),
                _ => return now,
            },
            _ => return now,
        };
        Arc::new(Entry { body, ..*now })
    }

    pub(super) fn kind(&self, row: &Row) -> Kind {
        Kind::of(&self.now(row).body)
    }

    pub(super) fn is(&self, row: &Row, kinds: &[Kind]) -> bool {
        Kinds::of(kinds).contains(self.kind(row))
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

    /// The thread, and those that it was forked off, the nearest first; of each the places and the numbers up to which it is read.
    pub(super) fn parts(&self, thread: ThreadId) -> Vec<Part> {
        let mut parts = vec![Part { thread, bounds: Vec::new() }];
        while let Some(last) = parts.last()
            && let Some(fork) = self.forks.iter().find(|fork| fork.thread == last.thread)
        {
            let mut bounds = last.bounds.clone();
            bounds.push((fork.place, fork.below));
            parts.push(Part { thread: self.resolve(fork.of).unwrap(), bounds });
        }
        parts
    }

    /// What is read of a thread, in order: its own entries, and of the threads that it was forked off what was there by then.
    pub(super) fn reads(&self, thread: ThreadId) -> Vec<&Row> {
        let parts = self.parts(thread);
        let mut found: Vec<&Row> = self.rows.iter().filter(|row| parts.iter().any(|part| part.has(row))).collect();
        found.sort_by_key(|row| row.place());
        found
    }

    /// The newest entry of a thread by sequence number.
    pub(super) fn head(&self, thread: ThreadId) -> Option<EntryId> {
        self.members(thread).map(|row| row.entry.id).max()
    }

    pub(super) fn by_message_id(&self, id: &MessageId) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.mail().is_some_and(|mail| mail.message_id.as_ref() == Some(id)))
    }

    pub(super) fn contents(&self) -> impl Iterator<Item = Vec<u8>> {
        let bodies = self.runs.iter().flat_map(|run| &run.work.requests).map(|kept| kept.request.body.clone());
        self.rows.iter().flat_map(|row| row.contents().map(<[u8]>::to_vec)).chain(bodies)
    }

    pub(super) fn open_thread(&mut self) -> ThreadId {
        self.threads.push(None);
        ThreadId::new(self.threads.len() as u64 - 1)
    }

    /// Appends that at the end of the log.
    pub(super) fn push(&mut self, at: Timestamp, body: Body, thread: ThreadId) -> &mut Row {
        let entry = Arc::new(Entry { id: EntryId::new(self.rows.len() as u64), at, body });
        self.rows.push(Row::new(entry, thread));
        self.rows.last_mut().unwrap()
    }
}
