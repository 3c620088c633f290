//! What cases work with: one owner's part of a store, in few words.

use std::sync::Arc;

use briefing::log::{
    Address, Arrival, Attachment, AttachmentId, Body, Card, Cause, Entry, Kind, Kinds, Mail, Message, MessageId, Notice,
    RecordedRound, Reset, ResetKind, Run, Settled,
};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Outcome, OwnerId, RunId, ThreadId, ToolCall};
use briefing::ports::Back;
use jiff::Timestamp;
use serde_json::Map;

use crate::{Append, Appended, Content, Fate, KnownFile, NewMail, NewMessage, Store, StoreError, Target};

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
    let listed = listed(&format!("file-{}", crate::BlobHash::of(file)), file);
    let files = vec![(listed.id.clone(), file.to_vec())];
    NewMail { mail: Mail { attachments: vec![listed], ..mail }, raw: Some(raw.to_vec()), files }
}

/// A file of that id and content, as it is listed.
pub(super) fn listed(id: &str, content: &[u8]) -> Attachment {
    Attachment {
        id: AttachmentId::new(id),
        filename: Some("plan.txt".to_owned()),
        media_type: "text/plain".to_owned(),
        size: Some(content.len() as u64),
        inline: false,
    }
}

/// What a person said in a chat.
pub(super) fn said(text: &str) -> Message {
    ModelMessage::user(text).into()
}

/// A part of tool use.
pub(super) fn used(text: &str) -> Message {
    Message { interim: true, ..ModelMessage::assistant(text).into() }
}

pub(super) fn reset(kind: ResetKind) -> Reset {
    Reset { kind, agent: Some("triage".into()), reason: "asked for".to_owned(), extra: Map::new() }
}

/// All of a thread.
pub(super) fn whole(thread: ThreadId) -> Back<'static> {
    Back { thread, before: None, after: None, kinds: Kinds::ALL, agent: None, count: 10_000 }
}

pub(super) fn ids(entries: &[Arc<Entry>]) -> Vec<EntryId> {
    entries.iter().map(|entry| entry.id).collect()
}

pub(super) fn kinds(entries: &[Arc<Entry>]) -> Vec<Kind> {
    entries.iter().map(|entry| Kind::of(&entry.body)).collect()
}

/// An entry that holds that message.
pub(super) fn entry_of(entry: EntryId, second: i64, message: Message) -> Arc<Entry> {
    Arc::new(Entry { id: entry, at: at(second), body: Body::Message(Arc::new(message)) })
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

    /// A message of whatever kind.
    pub(super) async fn put(self, thread: ThreadId, message: Message, second: i64) -> EntryId {
        self.append(Append::message(message, Target::Thread(thread), live(second))).await.place.entry
    }

    /// A message with files and their contents.
    pub(super) async fn put_with(self, thread: ThreadId, message: Message, files: &[(&str, &[u8])], second: i64) -> EntryId {
        let attachments = files.iter().map(|(id, content)| listed(id, content)).collect();
        let contents = files.iter().map(|(id, content)| (AttachmentId::new(*id), content.to_vec())).collect();
        let new = NewMessage { message: Message { attachments, ..message }, files: contents };
        let append = Append::new(Content::Message(Box::new(new)), Target::Thread(thread), live(second));
        self.append(append).await.place.entry
    }

    pub(super) async fn reset(self, thread: ThreadId, kind: ResetKind, second: i64) -> EntryId {
        self.append(Append::reset(reset(kind), thread, live(second))).await.place.entry
    }

    /// A new version of a message.
    pub(super) async fn edit(self, of: EntryId, message: Message, second: i64) -> EntryId {
        self.append(Append::edit(of, message, live(second))).await.place.entry
    }

    pub(super) async fn pop(self, thread: ThreadId, second: i64) -> Option<Arc<Entry>> {
        self.store.pop(self.owner, thread, at(second)).await.unwrap()
    }

    pub(super) async fn fork(self, thread: ThreadId, entry: EntryId) -> ThreadId {
        self.store.fork(self.owner, thread, entry).await.unwrap()
    }

    pub(super) async fn card(self, thread: ThreadId, action: &str, second: i64) -> EntryId {
        self.append(Append::card(card(action), thread, live(second))).await.place.entry
    }

    pub(super) async fn settle(self, card: EntryId, settled: Settled, second: i64) -> EntryId {
        self.store.settle(self.owner, card, settled, None, at(second)).await.unwrap()
    }

    pub(super) async fn settle_lapsed(self, thread: ThreadId, second: i64) -> Vec<EntryId> {
        self.store.settle_lapsed(self.owner, thread, at(second)).await.unwrap()
    }

    pub(super) async fn notices(self, cards: &[EntryId]) -> Vec<Notice> {
        let notices = self.store.notices(self.owner, cards).await.unwrap();
        notices.iter().map(|notice| (**notice).clone()).collect()
    }

    /// The cards of the thread that are not settled, newest first.
    pub(super) async fn open(self, thread: ThreadId) -> Vec<EntryId> {
        ids(&self.store.open_cards(self.owner, thread, None, 10_000).await.unwrap())
    }

    pub(super) async fn texts(self, files: &[&str]) -> Vec<KnownFile> {
        let files: Vec<AttachmentId> = files.iter().map(|id| AttachmentId::new(*id)).collect();
        self.store.texts(self.owner, &files).await.unwrap()
    }

    pub(super) async fn file(self, id: &str) -> Option<Arc<[u8]>> {
        self.store.file(self.owner, &AttachmentId::new(id)).await.unwrap()
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
        self.store.append_round(self.owner, &run.clone().into(), index, said, at(second)).await.unwrap()
    }

    pub(super) async fn outcome(self, run: &RunId, outcome: Outcome, second: i64) -> EntryId {
        self.store.append_outcome(self.owner, &run.clone().into(), outcome, at(second)).await.unwrap()
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

    pub(super) async fn back(self, back: Back<'_>) -> Vec<Arc<Entry>> {
        self.store.read_back(self.owner, back).await.unwrap()
    }

    /// The thread, oldest first.
    pub(super) async fn read(self, thread: ThreadId) -> Vec<EntryId> {
        let mut read = ids(&self.back(whole(thread)).await);
        read.reverse();
        read
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
