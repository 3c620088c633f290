//! What cases work with: one owner's part of a store, in few words.

use std::sync::Arc;

use briefing::log::{
    Address, Arrival, Attachment, AttachmentId, Card, Cause, Entry, Mail, MessageId, RecordedRound, Run, Settled,
};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Outcome, OwnerId, RunId, ThreadId, ToolCall};
use jiff::Timestamp;

use crate::{Append, Appended, Fate, NewMail, Store, StoreError, Target};

/// The persona of all runs unless a case says otherwise.
pub(super) const PERSONA: &str = "desk@shop.example";

pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

pub(super) fn live(second: i64) -> Arrival {
    Arrival::Live(at(second))
}

pub(super) fn id(text: &str) -> MessageId {
    MessageId::new(text).unwrap()
}

/// A mail with its id, the ids it refers to (oldest first), its author and who gets it.
pub(super) fn mail(own: &str, refers: &str, people: &str) -> Mail {
    let mut people = people.split_whitespace().map(Address::new);
    Mail {
        message_id: MessageId::new(own),
        references: refers.split_whitespace().map(id).collect(),
        from: people.next().into_iter().collect(),
        to: people.collect(),
        subject: Some(format!("About {own}")),
        body: Some(format!("The body of {own}.").into()),
        ..Mail::default()
    }
}

/// A mail with its bytes and one file.
pub(super) fn full_mail(mail: Mail, raw: &[u8], file: &[u8]) -> NewMail {
    let file_id = AttachmentId::new(format!("file-{}", crate::BlobHash::of(file)));
    let attachment = Attachment {
        id: file_id.clone(),
        filename: Some("plan.txt".to_owned()),
        media_type: "text/plain".to_owned(),
        size: Some(file.len() as u64),
        inline: false,
    };
    let mail = Mail { attachments: vec![attachment], ..mail };
    NewMail { mail, raw: Some(raw.to_vec()), files: vec![(file_id, file.to_vec())] }
}

pub(super) fn plain(mail: Mail) -> NewMail {
    NewMail { mail, raw: None, files: Vec::new() }
}

pub(super) fn call(given: &str) -> ToolCall {
    ToolCall::new(given, "find_order", r#"{"order": 7}"#)
}

pub(super) fn card(action: &str) -> Card {
    Card {
        run: None,
        call: call("c"),
        action: action.to_owned(),
        language: "en".to_owned(),
        preview: "Order 7: cancelled".to_owned(),
        fingerprint: "v1".to_owned(),
        expires: Some(at(9_000)),
    }
}

/// One owner's part of a store. Every method wants its operation to succeed.
#[derive(Clone, Copy)]
pub(super) struct Desk<'s> {
    pub(super) store: &'s dyn Store,
    pub(super) owner: &'s OwnerId,
}

impl Desk<'_> {
    pub(super) async fn thread(self) -> ThreadId {
        self.store.open_thread(self.owner).await.unwrap()
    }

    pub(super) async fn append(self, append: Append) -> Appended {
        let mut appended = self.store.append(self.owner, vec![append]).await.unwrap();
        assert_eq!(appended.len(), 1);
        appended.pop().unwrap()
    }

    pub(super) async fn refused(self, batch: Vec<Append>) -> StoreError {
        self.store.append(self.owner, batch).await.unwrap_err()
    }

    /// A mail, to where it refers.
    pub(super) async fn mail(self, mail: Mail, second: i64) -> Appended {
        self.append(Append::mail(plain(mail), live(second))).await
    }

    /// A mail, to that thread.
    pub(super) async fn mail_to(self, thread: ThreadId, mail: Mail, second: i64) -> EntryId {
        let append = Append { thread: Target::Thread(thread), ..Append::mail(plain(mail), live(second)) };
        self.append(append).await.place.entry
    }

    /// A message of a chat.
    pub(super) async fn say(self, thread: ThreadId, text: &str, second: i64) -> EntryId {
        let append = Append::message(ModelMessage::user(text), Target::Thread(thread), live(second));
        let appended = self.append(append).await;
        assert_eq!(appended.thread, thread);
        assert_eq!(appended.fate, Fate::New { merged: Vec::new(), reused: None });
        appended.place.entry
    }

    pub(super) async fn card(self, thread: ThreadId, action: &str, second: i64) -> EntryId {
        self.append(Append::card(card(action), thread, live(second))).await.place.entry
    }

    pub(super) async fn settle(self, card: EntryId, settled: Settled, second: i64) -> EntryId {
        self.store.settle(self.owner, card, settled, at(second)).await.unwrap()
    }

    /// Begins a run that answers an entry.
    pub(super) async fn answer(self, run: &str, thread: ThreadId, entry: EntryId) -> RunId {
        self.begin(run, thread, Cause::Message(entry), PERSONA).await
    }

    pub(super) async fn begin(self, run: &str, thread: ThreadId, cause: Cause, persona: &str) -> RunId {
        let id = RunId::new(run);
        let run = Run { id: id.clone(), thread, cause, persona: persona.into() };
        self.store.begin_run(self.owner, run).await.unwrap();
        id
    }

    /// A round of calls of those ids.
    pub(super) async fn round(self, run: &RunId, index: u32, ids: &[&str], second: i64) -> RecordedRound {
        let items = ids.iter().map(|id| Item::Call(call(id))).collect();
        let said = Assistant { items, ..Assistant::default() };
        self.store.append_round(self.owner, run, index, said, at(second)).await.unwrap()
    }

    pub(super) async fn outcome(self, run: &RunId, outcome: Outcome, second: i64) -> EntryId {
        self.store.append_outcome(self.owner, run, outcome, at(second)).await.unwrap()
    }

    pub(super) async fn rounds(self, entries: &[EntryId]) -> Vec<RecordedRound> {
        self.store.rounds(self.owner, PERSONA, entries).await.unwrap()
    }

    pub(super) async fn entry(self, entry: EntryId) -> Arc<Entry> {
        self.store.entry(self.owner, entry).await.unwrap().unwrap()
    }

    pub(super) async fn thread_of(self, entry: EntryId) -> Option<ThreadId> {
        self.store.thread_of(self.owner, entry).await.unwrap()
    }

    /// The thread, oldest first.
    pub(super) async fn read(self, thread: ThreadId) -> Vec<EntryId> {
        let read = self.store.read_back(self.owner, thread, None, None, 10_000).await.unwrap();
        read.iter().rev().map(|entry| entry.id).collect()
    }

    /// How many entries the owner has.
    pub(super) async fn len(self) -> usize {
        self.store.log(self.owner, EntryId::new(0), 100_000).await.unwrap().len()
    }

    /// The entries that a search finds, in the order of the log.
    pub(super) async fn find(self, text: &str) -> Vec<EntryId> {
        let hits = self.store.search(self.owner, text, 1_000).await.unwrap();
        let mut found: Vec<EntryId> = hits.iter().map(|hit| hit.entry).collect();
        found.sort_unstable();
        found
    }
}

macro_rules! assert_fails {
    ($result:expr, $($pattern:tt)+) => {{
        let error = $result.unwrap_err();
        assert!(matches!(&error, $($pattern)+), "{error:?} is not {}", stringify!($($pattern)+));
    }};
}

pub(super) use assert_fails;
