//! What is assembled out of a database: the thread of a mail or of a chat's message, or an imported transcript.

use std::path::Path;
use std::sync::Arc;

use briefing::Inbound;
use briefing::log::{Entry, Kind as EntryKind, Kinds, MessageId, Place};
use briefing::message::{EntryId, ModelMessage, OwnerId, ThreadId};
use briefing::ports::Back;
use briefing_store::{OwnerStore, SqliteStore, Store, StoreError};

use crate::config::{MailConfig, Which};
use crate::database::{failure, open};
use crate::error::{Failure, Kind};
use crate::input::messages::Conversation;
use crate::input::thread::AnsweredThread;
use crate::input::transcript::Transcript;
use crate::output::{count, counted, name_of};
use crate::reader::Reader;
use crate::shown::{ask, told};

/// The most messages of a transcript that are read, the newest.
const MOST: usize = 100_000;
/// How many messages are read at once where the newest of a user is looked for.
const PAGE: usize = 64;
/// What a transcript is made of.
const SAID: Kinds = Kinds::of(&[EntryKind::Message, EntryKind::ToolUse, EntryKind::System]);

/// What was chosen.
pub(crate) enum Stored {
    Answered(AnsweredThread),
    Messages(Transcript),
}

/// Something that came in, and the thread it is read in.
type Found = (Arc<Entry>, ThreadId);

/// Chooses what is answered; a thread in which nothing is told is told whole.
pub(crate) fn choose(path: &Path, thread: Option<ThreadId>, config: &MailConfig, owner: &OwnerId) -> Result<Stored, Failure> {
    let log = Log { store: Arc::new(open(path)?), owner: owner.clone(), name: name_of(path) };
    // Without a persona and a view a chat is a transcript, and nobody answers it.
    let answers_chats = config.persona.is_file() || !config.view.is_empty();
    let found = match &config.answered {
        Which::Message(id) => Some(log.by_message_id(id)?),
        Which::Entry(entry) => Some(log.by_number(*entry, thread)?),
        Which::Newest => log.newest(thread, answers_chats)?,
    };
    match (found, thread) {
        (Some((entry, thread)), _) => log.answered(entry, thread).map(Stored::Answered),
        (None, Some(thread)) => log.messages(thread).map(Stored::Messages),
        (None, None) => Err(Failure::new(Kind::NoInput, format!("{} has no inbound mail of owner {}", log.name, log.owner))
            .hint("`briefing threads` lists what it has; --thread chooses a thread, --owner whose")),
    }
}

/// One owner's log.
struct Log {
    store: Arc<SqliteStore>,
    owner: OwnerId,
    name: String,
}

impl Log {
    fn by_message_id(&self, id: &MessageId) -> Result<Found, Failure> {
        let (store, owner, name) = (&self.store, &self.owner, &self.name);
        let find = async {
            let Some(entry) = store.by_message_id(owner, id).await?.into_iter().next() else { return Ok(None) };
            Ok(store.entry(owner, entry).await?.zip(store.thread_of(owner, entry).await?))
        };
        pollster::block_on(find).map_err(failure)?.ok_or_else(|| {
            Failure::new(Kind::NoInput, format!("{name} has no message of the id {id} of owner {owner}"))
                .hint("`briefing threads --search` finds messages by their words")
        })
    }

    /// The entry of that number: in that thread, or in its own.
    fn by_number(&self, number: EntryId, thread: Option<ThreadId>) -> Result<Found, Failure> {
        let unknown = || told(StoreError::UnknownEntry { entry: number });
        let entry = ask(self.store.entry(&self.owner, number))?.ok_or_else(unknown)?;
        let Some(thread) = thread else {
            return Ok((entry, ask(self.store.thread_of(&self.owner, number))?.ok_or_else(unknown)?));
        };
        let behind = Place { at: entry.at, entry: EntryId::new(number.get().saturating_add(1)) };
        let newest = ask(self.store.read_back(&self.owner, Back { before: Some(behind), ..back(thread, Kinds::ALL, 1) }))?;
        if newest.first().is_some_and(|newest| newest.id == number) {
            return Ok((entry, thread));
        }
        Err(Failure::new(Kind::NoInput, format!("thread {thread} has no entry {number}"))
            .hint("leave --thread out, or see with `briefing show THREAD` what it has"))
    }

    /// The newest inbound mail of that thread, or of all; with `chats`, the message of the thread's user if that is newer.
    fn newest(&self, thread: Option<ThreadId>, chats: bool) -> Result<Option<Found>, Failure> {
        let mail = ask(self.store.newest_inbound(&self.owner, thread))?;
        let Some(thread) = thread.filter(|_| chats) else { return Ok(mail) };
        let message = self.newest_message(thread, mail.as_ref().map(|(mail, _)| mail.place()))?;
        Ok(message.map(|message| (message, thread)).or(mail))
    }

    /// The newest message of the thread's user behind that place. One that stands before a reset is not answered any more: nobody who
    /// answers may see it.
    fn newest_message(&self, thread: ThreadId, after: Option<Place>) -> Result<Option<Arc<Entry>>, Failure> {
        let mut before = None;
        loop {
            let asked = Back { before, after, ..back(thread, EntryKind::Message.into(), PAGE) };
            let page = ask(self.store.read_back(&self.owner, asked))?;
            let Some(last) = page.last().map(|entry| entry.place()) else { return Ok(None) };
            before = Some(last);
            if let Some(found) = page.into_iter().find(|entry| Inbound::new(Arc::clone(entry), thread).is_some()) {
                let reset = Back { after: Some(found.place()), ..back(thread, EntryKind::Reset.into(), 1) };
                return match ask(self.store.read_back(&self.owner, reset))?.first() {
                    None => Ok(Some(found)),
                    Some(reset) => Err(Failure::new(
                        Kind::NoInput,
                        format!("nothing was said in thread {thread} since its reset (entry {})", reset.id),
                    )
                    .hint("--entry answers an earlier message all the same")),
                };
            }
        }
    }

    fn answered(self, entry: Arc<Entry>, thread: ThreadId) -> Result<AnsweredThread, Failure> {
        let Self { store, owner, name } = self;
        let summary = ask(store.thread(&owner, thread))?;
        // A fork may have none of its own.
        let entries = summary.map(|summary| summary.entries).filter(|entries| *entries > 0);
        let entries = entries.map(|entries| format!(", {}", counted(entries, "entry"))).unwrap_or_default();
        let (number, kind) = (entry.id, EntryKind::of(&entry.body));
        let current = Inbound::new(entry, thread).ok_or_else(|| not_answered(number, kind, &name))?;
        let reader = Arc::new(Reader::default());
        let reads = OwnerStore::new(Arc::clone(&store) as Arc<dyn Store>, owner.clone());
        let reads = Arc::new(reads.with_reader(Arc::clone(&reader) as _));
        let (looked_up, whose) = (Arc::clone(&store), owner.clone());
        Ok(AnsweredThread {
            current,
            history: Arc::clone(&reads) as _,
            files: reads,
            lookup: Box::new(move |entry| pollster::block_on(looked_up.entry(&whose, entry)).ok().flatten()),
            anchors: Some(Box::new(move |key| ask(store.anchor(&owner, key)))),
            reader: Some(reader),
            found: format!("thread {thread} of {name}{entries}"),
            notes: Vec::new(),
        })
    }

    fn messages(&self, thread: ThreadId) -> Result<Transcript, Failure> {
        let (owner, name) = (&self.owner, &self.name);
        let entries = ask(self.store.read_back(owner, back(thread, SAID, MOST)))?;
        let messages = entries.iter().rev().filter_map(|entry| entry.message()).map(|message| message.said.clone());
        let messages: Vec<ModelMessage> = messages.collect();
        if messages.is_empty() {
            let nothing = format!("{name} has nothing to answer in thread {thread} of owner {owner}");
            return Err(Failure::new(Kind::NoInput, nothing).hint("`briefing threads` lists the threads"));
        }
        let chosen = format!("thread {thread} of {name}: {}", count(messages.len(), "message"));
        Ok(Transcript { conversation: Conversation::of(messages), chosen })
    }
}

fn back<'a>(thread: ThreadId, kinds: Kinds, count: usize) -> Back<'a> {
    Back { thread, before: None, after: None, kinds, agent: None, count }
}

/// What cannot be answered.
fn not_answered(entry: EntryId, kind: EntryKind, name: &str) -> Failure {
    if kind == EntryKind::Unreadable {
        return Failure::new(Kind::Data, format!("what is answered, entry {entry}, cannot be read in {name}"))
            .hint("`briefing verify` tells what is damaged; --entry chooses another");
    }
    let what = if kind == EntryKind::Message { "the assistant's answer" } else { kind.name() };
    Failure::new(Kind::Data, format!("entry {entry} is no mail and no user's message that could be answered, but: {what}"))
        .hint("`briefing show THREAD` lists the entries")
}
