//! Chats of recognisable content for tests of the backend, and steps that write them.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::sync::Arc;

use briefing::log::{Arrival, Attachment, AttachmentId, Body, Entry, Kind, Kinds, Message, Reset, ResetKind};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Outcome, Text, ThreadId, ToolCall};
use briefing::ports::{Back, FileText};
use briefing_store::{Append, Content, KeptText, Key, NewMessage, SqliteStore, Store, StoreError, Target};
use pollster::block_on;

use crate::sample::{LARGE, Random, at, owner};

/// A file of a message, with its content.
pub fn file(name: &str, content: &[u8]) -> (Attachment, Vec<u8>) {
    let file = Attachment {
        id: AttachmentId::new(name),
        filename: Some(name.to_owned()),
        media_type: "text/plain".to_owned(),
        size: Some(content.len() as u64),
        inline: false,
    };
    (file, content.to_owned())
}

/// A message with those files.
pub fn with_files(message: Message, files: Vec<(Attachment, Vec<u8>)>) -> NewMessage {
    let contents = files.iter().map(|(file, content)| (file.id.clone(), content.clone())).collect();
    NewMessage {
        message: Message { attachments: files.into_iter().map(|(file, _)| file).collect(), ..message },
        files: contents,
    }
}

pub fn put(message: NewMessage, thread: Target, second: u64) -> Append {
    Append::new(Content::Message(Box::new(message)), thread, Arrival::Live(at(second)))
}

pub fn append(store: &SqliteStore, append: Append) -> (EntryId, ThreadId) {
    let appended = block_on(store.append(&owner(), vec![append])).unwrap();
    (appended[0].place.entry, appended[0].thread)
}

pub fn reset(agent: Option<&str>, reason: &str) -> Reset {
    Reset { kind: ResetKind::Rescue, agent: agent.map(Arc::from), reason: reason.to_owned(), extra: serde_json::Map::new() }
}

/// What a thread shows, oldest first.
pub fn read(store: &SqliteStore, thread: ThreadId, kinds: Kinds) -> Vec<Arc<Entry>> {
    let back = Back { thread, before: None, after: None, kinds, agent: None, count: usize::MAX };
    let mut read = block_on(store.read_back(&owner(), back)).unwrap();
    read.reverse();
    read
}

/// A message of each role and shape that there was before messages were told apart.
pub fn of_every_shape() -> Vec<ModelMessage> {
    let call = || ToolCall::new("c", "look_up", "{\"type\":\"call\"}");
    let items = vec![Item::Call(call()), Item::Text(Text { text: "after".to_owned(), ..Text::default() })];
    vec![
        ModelMessage::system("be short"),
        ModelMessage::user("hello {\"role\":\"tool\"}"),
        ModelMessage::assistant("hello"),
        ModelMessage::assistant(""),
        ModelMessage::calls([call()]),
        ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() })),
        ModelMessage::Tool(Arc::new(Outcome::text("c", "found"))),
    ]
}

/// Something that an application asks of its chat. Each can be asked again, whether or not it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The first message of a chat, with a small and a large file.
    Say(u64),
    /// Instructions of an agent.
    Instruct(u64),
    /// A new version of the first one.
    Edit(u64),
    /// A text of its small file.
    Keep(u64),
    Reset(u64),
    /// Takes the reset off.
    Pop(u64),
    /// A thread that goes on from the first message, with one of its own.
    Fork(u64),
}

/// The turns of those many chats.
pub fn turns(chats: u64) -> Vec<Turn> {
    use Turn::{Edit, Fork, Instruct, Keep, Pop, Reset, Say};
    (0..chats).flat_map(|n| [Say(n), Instruct(n), Edit(n), Keep(n), Reset(n), Pop(n), Fork(n)]).collect()
}

/// How many entries a chat has.
pub const ENTRIES: u64 = 5;

/// What the first message of a chat says, its newest version, its files, and the text of the small one: words of their own.
pub struct Words {
    pub first: String,
    pub edited: String,
    pub small: String,
    pub large: String,
    pub text: String,
    pub reason: String,
}

pub fn words(number: u64) -> Words {
    let mut random = Random::new(1_000 + number);
    let [first, edited, small, text, reason] = [(); 5].map(|()| random.word());
    let large = random.words(LARGE / 16 + 1).concat();
    Words { first, edited, small, large, text, reason }
}

fn small(number: u64) -> AttachmentId {
    AttachmentId::new(format!("small-{number}"))
}

fn said(number: u64) -> NewMessage {
    let words = words(number);
    let files = vec![
        file(&format!("small-{number}"), words.small.as_bytes()),
        file(&format!("large-{number}"), words.large.as_bytes()),
    ];
    with_files(ModelMessage::user(words.first).into(), files)
}

fn second_version(number: u64) -> Message {
    Message { attachments: said(number).message.attachments, ..ModelMessage::user(words(number).edited).into() }.by("clerk")
}

fn kept(number: u64) -> KeptText {
    KeptText { version: 1, text: Some(FileText { text: words(number).text.into(), partial: true }) }
}

/// The message of that key and its thread. It is appended if it is not there.
fn keyed(store: &SqliteStore, append: Append, key: &str) -> (EntryId, ThreadId, bool) {
    let appended = block_on(store.append(&owner(), vec![append.key(Key::new(key))])).unwrap().remove(0);
    (appended.place.entry, appended.thread, appended.fate == briefing_store::Fate::Before)
}

/// The first message of a chat, if it is there: of the entries of an owner, the one that says it in its first version or a later.
fn first(store: &SqliteStore, number: u64) -> Option<(EntryId, ThreadId)> {
    let log = crate::sample::everything(store);
    let found = log.iter().find(|logged| match &logged.entry.body {
        Body::Message(message) => message.attachments.iter().any(|file| file.id == small(number)),
        _ => false,
    });
    found.map(|logged| (logged.entry.id, logged.thread))
}

impl Turn {
    /// Does it, if it is not done; whether it was.
    pub fn perform(self, store: &SqliteStore) -> bool {
        let thread = |number| first(store, number).unwrap().1;
        match self {
            Self::Say(number) => keyed(store, put(said(number), Target::Referred, number), &format!("say {number}")).2,
            Self::Instruct(number) => {
                let message = Message::from(ModelMessage::system("be short")).by("clerk");
                let append = put(message.into(), Target::Thread(thread(number)), number);
                keyed(store, append, &format!("instruct {number}")).2
            }
            Self::Edit(number) => {
                let of = first(store, number).unwrap().0;
                let append = Append::edit(of, second_version(number), Arrival::Live(at(number)));
                keyed(store, append, &format!("edit {number}")).2
            }
            Self::Keep(number) => {
                let before = self.whole(store);
                block_on(store.keep_text(&owner(), &small(number), kept(number))).unwrap();
                before
            }
            Self::Reset(number) => {
                let append =
                    Append::reset(reset(Some("clerk"), &words(number).reason), thread(number), Arrival::Live(at(number)));
                keyed(store, append, &format!("reset {number}")).2
            }
            Self::Pop(number) => {
                let before = self.whole(store);
                if !before {
                    let popped = block_on(store.pop(&owner(), thread(number), at(number))).unwrap().unwrap();
                    assert!(matches!(popped.body, Body::Reset(_)));
                }
                before
            }
            Self::Fork(number) => {
                let before = self.whole(store);
                if !before {
                    let (entry, thread) = first(store, number).unwrap();
                    let fork = block_on(store.fork(&owner(), thread, entry)).unwrap();
                    // A fork whose message was not written is found by nobody; it does no harm.
                    let own =
                        put(Message::from(ModelMessage::user(format!("own {number}"))).into(), Target::Thread(fork), number);
                    keyed(store, own, &format!("fork {number}"));
                }
                before
            }
        }
    }

    /// Whether it is there: whole.
    pub fn whole(self, store: &SqliteStore) -> bool {
        let log = crate::sample::everything(store);
        match self {
            Self::Say(number) => {
                let Some((entry, _)) = first(store, number) else { return false };
                let found = block_on(store.entry(&owner(), entry)).unwrap().unwrap();
                let Body::Message(message) = &found.body else { panic!("{found:?}") };
                let expected = match message.edited {
                    None => said(number).message,
                    Some(edit) => Message { edited: Some(edit), ..second_version(number) },
                };
                assert_eq!(**message, expected);
                for (id, content) in said(number).files {
                    assert_eq!(block_on(store.file(&owner(), &id)).unwrap().as_deref(), Some(content.as_slice()));
                }
                true
            }
            Self::Instruct(number) => {
                let thread = first(store, number).map(|(_, thread)| thread);
                log.iter().any(|logged| Kind::of(&logged.entry.body) == Kind::System && Some(logged.thread) == thread)
            }
            Self::Edit(number) => {
                let Some((entry, thread)) = first(store, number) else { return false };
                let edits = log.iter().filter(|logged| match &logged.entry.body {
                    Body::Edit(edit) => edit.of == entry,
                    _ => false,
                });
                let edits: Vec<_> = edits.collect();
                let found = block_on(store.entry(&owner(), entry)).unwrap().unwrap();
                let edited = found.message().unwrap().edited;
                assert!(edits.len() <= 1 && edited == edits.first().map(|logged| logged.entry.id), "half an edit");
                assert!(edits.iter().all(|logged| logged.thread == thread));
                !edits.is_empty()
            }
            Self::Keep(number) => {
                let known = block_on(store.texts(&owner(), &[small(number)])).unwrap();
                let text = known.into_iter().find_map(|known| known.text);
                assert!(text.is_none() || text == Some(kept(number)));
                text.is_some()
            }
            Self::Reset(number) | Self::Pop(number) => {
                let of = |body: &Body| matches!(body, Body::Reset(reset) if reset.reason == words(number).reason);
                log.iter().any(|logged| match &logged.entry.body {
                    Body::Popped(popped) => of(&popped.body),
                    body => matches!(self, Self::Reset(_)) && of(body),
                })
            }
            Self::Fork(number) => {
                let own = log.iter().find(|logged| match &logged.entry.body {
                    Body::Message(message) => message.said == ModelMessage::user(format!("own {number}")),
                    _ => false,
                });
                let Some(own) = own else { return false };
                let shown = read(store, own.thread, Kinds::ALL);
                let ids: Vec<EntryId> = shown.iter().map(|entry| entry.id).collect();
                assert_eq!(ids, [first(store, number).unwrap().0, own.entry.id]);
                true
            }
        }
    }
}

/// Whether an operation was refused as that.
pub fn refused<T: std::fmt::Debug>(result: Result<T, StoreError>, as_what: impl Fn(&StoreError) -> bool) {
    assert!(as_what(result.as_ref().unwrap_err()), "{result:?}");
}
