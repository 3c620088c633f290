//! What is assembled out of a database: the thread of a mail, or an imported transcript.

use std::path::Path;
use std::sync::Arc;

use briefing::Inbound;
use briefing::log::{Body, Entry, MessageId};
use briefing::message::{EntryId, OwnerId, ThreadId};
use briefing_store::{Kind as EntryKind, OwnerStore, SqliteStore, Store};

use crate::database::{failure, open};
use crate::error::{Failure, Kind};
use crate::input::messages::Conversation;
use crate::input::persona::Answerer;
use crate::input::thread::ThreadOfMail;
use crate::input::transcript::Transcript;
use crate::output::{count, counted, name_of};

/// The most messages of a transcript that are read, the newest.
const MOST: usize = 100_000;

/// What was chosen.
pub(crate) enum Stored {
    Mail(ThreadOfMail),
    Messages(Transcript),
}

/// Chooses: the mail of that id, else the newest inbound one of that thread, or of all. A thread of messages is told whole.
pub(crate) fn choose(
    path: &Path,
    thread: Option<ThreadId>,
    message: Option<&MessageId>,
    answerer: &Answerer,
) -> Result<Stored, Failure> {
    let store: Arc<SqliteStore> = Arc::new(open(path)?);
    let owner = answerer.persona.owner().clone();
    let name = name_of(path);
    let found = match message {
        Some(id) => Some(by_message_id(&store, &owner, id, &name)?),
        None => pollster::block_on(store.newest_inbound(&owner, thread)).map_err(failure)?,
    };
    match (found, thread) {
        (Some((entry, thread)), _) => mail(store, owner, entry, thread, &name).map(Stored::Mail),
        (None, Some(thread)) => messages(&store, &owner, thread, &name).map(Stored::Messages),
        (None, None) => Err(Failure::new(Kind::NoInput, format!("{name} has no inbound mail of owner {owner}"))
            .hint("`briefing threads` lists what it has; --thread chooses a thread, --owner whose")),
    }
}

fn by_message_id(store: &SqliteStore, owner: &OwnerId, id: &MessageId, name: &str) -> Result<(Arc<Entry>, ThreadId), Failure> {
    let find = async {
        let Some(entry) = store.by_message_id(owner, id).await?.into_iter().next() else { return Ok(None) };
        Ok(store.entry(owner, entry).await?.zip(store.thread_of(owner, entry).await?))
    };
    pollster::block_on(find).map_err(failure)?.ok_or_else(|| {
        Failure::new(Kind::NoInput, format!("{name} has no message of the id {id} of owner {owner}"))
            .hint("`briefing threads --search` finds messages by their words")
    })
}

fn mail(
    store: Arc<SqliteStore>,
    owner: OwnerId,
    entry: Arc<Entry>,
    thread: ThreadId,
    name: &str,
) -> Result<ThreadOfMail, Failure> {
    let summary = pollster::block_on(store.thread(&owner, thread)).map_err(failure)?;
    let entries = summary.map_or(0, |summary| summary.entries);
    let current = Inbound::new(entry, thread);
    let current = current.ok_or_else(|| {
        Failure::new(Kind::Data, format!("the mail that is answered cannot be read in {name}"))
            .hint("`briefing verify` tells what is damaged; --message chooses another")
    })?;
    let reader = Arc::new(OwnerStore::new(Arc::clone(&store) as Arc<dyn Store>, owner.clone()));
    Ok(ThreadOfMail {
        current,
        history: Arc::clone(&reader) as _,
        files: reader,
        lookup: Box::new(move |entry: EntryId| pollster::block_on(store.entry(&owner, entry)).ok().flatten()),
        found: format!("thread {thread} of {name}, {}", counted(entries, "entry")),
        notes: Vec::new(),
    })
}

fn messages(store: &SqliteStore, owner: &OwnerId, thread: ThreadId, name: &str) -> Result<Transcript, Failure> {
    let entries = store.read_back(owner, thread, None, Some(EntryKind::Message), MOST);
    let entries = pollster::block_on(entries).map_err(failure)?;
    let messages = entries.into_iter().rev().filter_map(|entry| match &entry.body {
        Body::Message(message) => Some(message.clone()),
        Body::Mail(_)
        | Body::Round(_)
        | Body::Outcome(_)
        | Body::Card(_)
        | Body::Notice(_)
        | Body::Erased(_)
        | Body::Unreadable => None,
    });
    let messages: Vec<_> = messages.collect();
    if messages.is_empty() {
        return Err(Failure::new(Kind::NoInput, format!("{name} has nothing to answer in thread {thread} of owner {owner}"))
            .hint("`briefing threads` lists the threads"));
    }
    let chosen = format!("thread {thread} of {name}: {}", count(messages.len(), "message"));
    Ok(Transcript { conversation: Conversation { messages, call: None, notes: Vec::new() }, chosen })
}
