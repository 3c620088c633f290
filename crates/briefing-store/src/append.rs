//! What is appended, and what became of it.

use briefing::log::{Arrival, AttachmentId, Card, Edit, Mail, Message, Place, Reset};
use briefing::message::{Assistant, EntryId, Outcome, ThreadId};

use crate::Writer;

/// One entry to append.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    /// What happened.
    pub content: Content,
    /// Where it belongs.
    pub thread: Target,
    /// How it came; decides its effective time.
    pub arrival: Arrival,
    /// If an entry of this key is there, nothing is appended, and that one is given back: whoever is not sure whether an
    /// append succeeded does it again.
    pub key: Option<Key>,
    /// The newest entry of the thread that the writer knows. If another one is there, nothing is appended. A new thread has none.
    pub expected: Expected,
    /// The run that wrote it, if one did.
    pub by: Option<By>,
}

/// The run that wrote an entry. The entry is not before what that run wrote last; of a scheduled run it is recorded, in the same
/// transaction, that it wrote this ([`crate::Store::wrote`]).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct By {
    /// Who writes.
    pub writer: Writer,
    /// What the entry is to the run.
    pub role: Role,
}

/// What an entry is to the run that wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// One of the things that it wrote, such as a card.
    Note,
    /// Its answer, which is recorded in the same transaction ([`crate::Store::answer_of`]). A run has one at most, and keeps it though
    /// it is popped or erased. Where an entry of the append's key is there, whoever wrote that, nothing is recorded.
    Answer,
}

/// What an entry holds. Rounds and outcomes are appended through their run.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A mail.
    Mail(Box<NewMail>),
    /// A message of a chat, or of an imported transcript.
    Message(Box<NewMessage>),
    /// A write that waits for a person.
    Card(Box<Card>),
    /// A marker: what stands before may not be seen any more.
    Reset(Box<Reset>),
    /// A new version of a message, which stands at the message's place from now on. It belongs to the message's thread, whatever
    /// is said of that; the edit itself stands where it was appended.
    Edit(Box<Edit>),
}

/// A message with its files.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// The message.
    pub message: Message,
    /// The contents of its files. An attachment of the message without one here is listed, and cannot be fetched.
    pub files: Vec<(AttachmentId, Vec<u8>)>,
}

/// A message without files.
impl From<Message> for NewMessage {
    fn from(message: Message) -> Self {
        Self { message, files: Vec::new() }
    }
}

/// A mail with what it was read from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewMail {
    /// The parsed mail.
    pub mail: Mail,
    /// The bytes as they came.
    pub raw: Option<Vec<u8>>,
    /// The contents of its files. An attachment of the mail without one here is listed, and cannot be fetched.
    pub files: Vec<(AttachmentId, Vec<u8>)>,
}

/// Where an entry belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// To this thread.
    Thread(ThreadId),
    /// A mail: to the thread that its references lead to ([`briefing_mail::place`]), else to a new one. Anything else: to a
    /// new one.
    Referred,
}

/// What a writer knows of the thread it appends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Nothing: append whatever is there.
    Any,
    /// This is the newest entry (by sequence number); none: the thread is empty.
    Head(Option<EntryId>),
}

/// A key that makes an append idempotent. It belongs to one owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of that text, such as the id of a delivery.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(blake3::derive_key("briefing-store 2026-11-29 key of a text", text.as_bytes()))
    }

    /// The key of those bytes, such as a mail as it came. It is never the key of a text.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(blake3::derive_key("briefing-store 2026-11-29 key of bytes", bytes))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Append {
    /// That content, appended to a thread without conditions.
    #[must_use]
    pub fn new(content: Content, thread: Target, arrival: Arrival) -> Self {
        Self { content, thread, arrival, key: None, expected: Expected::Any, by: None }
    }

    /// A mail, to the thread that its references lead to. Its key is the hash of its bytes, if it has them, so that a mail is
    /// stored once however often it is delivered.
    #[must_use]
    pub fn mail(mail: NewMail, arrival: Arrival) -> Self {
        let key = mail.raw.as_deref().map(Key::of_bytes);
        Self { key, ..Self::new(Content::Mail(Box::new(mail)), Target::Referred, arrival) }
    }

    /// A message of a chat.
    #[must_use]
    pub fn message(message: impl Into<Message>, thread: Target, arrival: Arrival) -> Self {
        Self::new(Content::Message(Box::new(message.into().into())), thread, arrival)
    }

    /// A reset.
    #[must_use]
    pub fn reset(reset: Reset, thread: ThreadId, arrival: Arrival) -> Self {
        Self::new(Content::Reset(Box::new(reset)), Target::Thread(thread), arrival)
    }

    /// A new version of the message `of`, in whatever thread that is.
    #[must_use]
    pub fn edit(of: EntryId, message: impl Into<Message>, arrival: Arrival) -> Self {
        Self::new(Content::Edit(Box::new(Edit { of, message: message.into() })), Target::Referred, arrival)
    }

    /// A card.
    #[must_use]
    pub fn card(card: Card, thread: ThreadId, arrival: Arrival) -> Self {
        Self::new(Content::Card(Box::new(card)), Target::Thread(thread), arrival)
    }

    /// The same with an idempotency key.
    #[must_use]
    pub fn key(mut self, key: Key) -> Self {
        self.key = Some(key);
        self
    }

    /// The same, written by that run, or under that lease (`&Lease`). A message or a card goes into the run's own thread then, whatever
    /// thread was named: that may have been split while the run worked.
    #[must_use]
    pub fn by(mut self, writer: impl Into<Writer>) -> Self {
        self.by = Some(By { writer: writer.into(), role: Role::Note });
        self
    }

    /// The same, written by that run, or under that lease, as its answer.
    #[must_use]
    pub fn answer_by(mut self, writer: impl Into<Writer>) -> Self {
        self.by = Some(By { writer: writer.into(), role: Role::Answer });
        self
    }

    /// The same, if that is still the newest entry of the thread.
    #[must_use]
    pub fn expecting(mut self, head: Option<EntryId>) -> Self {
        self.expected = Expected::Head(head);
        self
    }
}

/// A round of a run that was made elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedRound {
    /// Its index in the run.
    pub index: u32,
    /// What the model said.
    pub said: Assistant,
    /// The outcome of each of its calls, in the order of the calls, where it is known. Whatever call they name, they are of
    /// that one.
    pub outcomes: Vec<Option<Outcome>>,
}

/// What became of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The entry.
    pub place: Place,
    /// Its thread.
    pub thread: ThreadId,
    /// Whether it was appended now.
    pub fate: Fate,
}

/// Whether an append appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is new.
    New {
        /// Threads that turned out to be one with this one, and are merged into it.
        merged: Vec<ThreadId>,
        /// The first entry of the same Message-ID, which came with other bytes: both are kept (`MessageIdReused`).
        reused: Option<EntryId>,
    },
    /// An entry of that key was there before.
    Before,
}

impl Fate {
    /// New, and nothing else is changed by it.
    pub(crate) const NEW: Self = Self::New { merged: Vec::new(), reused: None };
}
