//! Importing what was kept elsewhere: mailboxes, recorded runs, transcripts. Each can be done again: what is there is passed
//! over, and an import that was stopped goes on.

use std::sync::Arc;

use briefing::log::{Arrival, Body, Entry, Kind, Kinds, Mail, MessageId};
use briefing::message::{ModelMessage, OwnerId, ThreadId, messages_to_json};
use briefing::ports::Back;
use briefing_mail::{Finding, MailboxError, RawMessage, Source};
use jiff::Timestamp;

use crate::{Append, Fate, Key, NewMail, Store, StoreError, Target};

/// The most mails, and about the most bytes, that are appended in one transaction.
const BATCH: usize = 500;
const BATCH_BYTES: usize = 8 << 20;
/// How many entries are read at once.
const PAGE: usize = 500;
/// How many findings are told.
const FINDINGS: usize = 10_000;

/// What came of an import of mails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedMails {
    /// How many mails were read.
    pub read: u64,
    /// How many of those are new.
    pub new: u64,
    /// How many were there before, byte for byte.
    pub before: u64,
    /// How many threads turned out to be another one, and were merged into it.
    pub merged: u64,
    /// Mails whose Message-ID another one has: both are kept.
    pub reused: Vec<(Source, MessageId)>,
    /// What could not be read of a mail, or not whole: the first ten thousand.
    pub findings: Vec<(Source, Finding)>,
    /// How many more findings there are.
    pub more_findings: u64,
    /// What could not be read at all.
    pub unreadable: Vec<MailboxError>,
}

/// Appends mails in the order they are given, each to the thread that its references lead to.
///
/// `prepare` may change a mail before it is appended: it tells what was sent (`Mail::direction`). `seen` is called after each
/// mail was read, with what is known so far.
///
/// # Errors
/// The first failure of the store ends the import; what was appended until then stays. A mail or a mailbox that cannot be read
/// ends nothing.
pub async fn import_mails(
    store: &dyn Store,
    owner: &OwnerId,
    mails: impl IntoIterator<Item = Result<RawMessage, MailboxError>>,
    now: Timestamp,
    mut prepare: impl FnMut(&mut Mail),
    mut seen: impl FnMut(&Source, &ImportedMails),
) -> Result<ImportedMails, StoreError> {
    let mut imported = ImportedMails::default();
    let mut batch = Batch::default();
    for raw in mails {
        let raw = match raw {
            Ok(raw) => raw,
            Err(error) => {
                imported.unreadable.push(error);
                continue;
            }
        };
        let mut parsed = raw.parse();
        prepare(&mut parsed.mail);
        imported.read += 1;
        let room = FINDINGS.saturating_sub(imported.findings.len());
        imported.more_findings += parsed.findings.len().saturating_sub(room) as u64;
        imported.findings.extend(parsed.findings.into_iter().take(room).map(|finding| (raw.source.clone(), finding)));
        seen(&raw.source, &imported);
        batch.bytes += raw.bytes.len();
        batch.sources.push((raw.source, parsed.mail.message_id.clone()));
        let mail = NewMail { mail: parsed.mail, files: parsed.files, raw: Some(raw.bytes) };
        batch.appends.push(Append::mail(mail, Arrival::Imported(now)));
        if batch.appends.len() >= BATCH || batch.bytes >= BATCH_BYTES {
            std::mem::take(&mut batch).append(store, owner, &mut imported).await?;
        }
    }
    batch.append(store, owner, &mut imported).await?;
    Ok(imported)
}

#[derive(Default)]
struct Batch {
    appends: Vec<Append>,
    sources: Vec<(Source, Option<MessageId>)>,
    bytes: usize,
}

impl Batch {
    async fn append(self, store: &dyn Store, owner: &OwnerId, imported: &mut ImportedMails) -> Result<(), StoreError> {
        if self.appends.is_empty() {
            return Ok(());
        }
        let appended = store.append(owner, self.appends).await?;
        for (appended, (source, id)) in appended.into_iter().zip(self.sources) {
            match appended.fate {
                Fate::Before => imported.before += 1,
                Fate::New { merged, reused } => {
                    imported.new += 1;
                    imported.merged += merged.len() as u64;
                    imported.reused.extend(id.filter(|_| reused.is_some()).map(|id| (source, id)));
                }
            }
        }
        Ok(())
    }
}

/// What came of an import of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportedMessages {
    /// Its thread.
    pub thread: ThreadId,
    /// How many messages are new.
    pub new: usize,
    /// Whether another conversation of the same id was there, and neither is a beginning of the other: this one has a thread of
    /// its own.
    pub differs: bool,
}

/// Appends a conversation to a thread of its own; if it has grown since it was imported under the same id, what is new of it.
/// Without an id, it is known by its content. None of an empty one.
///
/// # Errors
/// If the store fails; what was appended until then stays, and doing it again completes it.
pub async fn import_messages(
    store: &dyn Store,
    owner: &OwnerId,
    id: Option<&str>,
    messages: &[ModelMessage],
    now: Timestamp,
) -> Result<Option<ImportedMessages>, StoreError> {
    let content = || blake3::hash(messages_to_json(messages).as_bytes()).to_hex().to_string();
    let Some(id) = id else { return begin(store, owner, &content(), messages, now).await };
    match begin(store, owner, id, messages, now).await? {
        Some(imported) if imported.differs => {
            let own = begin(store, owner, &format!("{id} {}", content()), messages, now).await?;
            Ok(own.map(|own| ImportedMessages { differs: true, ..own }))
        }
        imported => Ok(imported),
    }
}

async fn begin(
    store: &dyn Store,
    owner: &OwnerId,
    name: &str,
    messages: &[ModelMessage],
    now: Timestamp,
) -> Result<Option<ImportedMessages>, StoreError> {
    let Some((first, _)) = messages.split_first() else { return Ok(None) };
    let append = |message: &ModelMessage, thread| Append::message(message.clone(), thread, Arrival::Live(now));
    let first = append(first, Target::Referred).key(Key::new(&format!("transcript {name}")));
    let Some(first) = store.append(owner, vec![first]).await?.pop() else { return Ok(None) };
    let thread = first.thread;
    let head = store.thread(owner, thread).await?.and_then(|thread| thread.head);
    // What was forgotten or popped of it stays that: its tombstones stand in its place. So does what was edited.
    let stored = stored(store, owner, thread).await?;
    let same = stored.iter().zip(messages).all(|(entry, message)| match &entry.body {
        Body::Message(stored) => stored.edited.is_some() || stored.said == *message,
        Body::Popped(_) | Body::Erased(_) => true,
        Body::Mail(_)
        | Body::Round(_)
        | Body::Outcome(_)
        | Body::Card(_)
        | Body::Notice(_)
        | Body::Reset(_)
        | Body::Edit(_)
        | Body::Unreadable => false,
    });
    if !same {
        return Ok(Some(ImportedMessages { thread, new: 0, differs: true }));
    }
    let rest = messages.iter().skip(stored.len()).map(|message| append(message, Target::Thread(thread)));
    let rest: Vec<Append> =
        rest.enumerate().map(|(index, append)| if index == 0 { append.expecting(head) } else { append }).collect();
    let new = rest.len() + usize::from(first.fate != Fate::Before);
    if !rest.is_empty() {
        store.append(owner, rest).await?;
    }
    Ok(Some(ImportedMessages { thread, new, differs: false }))
}

/// The messages of a thread, and what is left of those that were popped or erased, oldest first.
async fn stored(store: &dyn Store, owner: &OwnerId, thread: ThreadId) -> Result<Vec<Arc<Entry>>, StoreError> {
    const KINDS: Kinds = Kinds::of(&[Kind::Message, Kind::ToolUse, Kind::System, Kind::Popped, Kind::Erased, Kind::Unreadable]);
    let mut stored = Vec::new();
    let mut before = None;
    loop {
        let back = Back { thread, before, after: None, kinds: KINDS, agent: None, count: PAGE };
        let page = store.read_back(owner, back).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.place());
        stored.extend(page.into_iter().filter(|entry| match &entry.body {
            Body::Popped(popped) => matches!(*popped.body, Body::Message(_) | Body::Unreadable),
            _ => true,
        }));
    }
    stored.reverse();
    Ok(stored)
}
