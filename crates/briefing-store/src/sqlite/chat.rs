//! Chats: messages and their versions, resets, and what is popped.

use std::sync::Arc;

use briefing::log::{Attachment, Edit, Entry, Kind, Message, Reset};
use briefing::message::{EntryId, ThreadId, message_to_json};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::{Map, Value};

use super::append::{Hashed, Log, Shelf, content_of};
use super::back::{self, Reach};
use super::ids::{entry_id, number};
use super::threads::limit;
use super::time::micros;
use super::{bodies, rows, search, threads};
use crate::{BlobHash, NewMessage, StoreError};

/// A version of a message: its own columns.
pub(super) struct MessageRow {
    body: String,
    agent: Option<Arc<str>>,
    interim: bool,
    extra: Option<String>,
}

/// How many levels the fields of a foreign shape may nest, so that they can be read again.
const LEVELS: usize = 100;

/// Refuses what could not be read again.
fn bounded(extra: &Map<String, Value>) -> Result<(), StoreError> {
    let mut level: Vec<&Value> = extra.values().collect();
    for _ in 0..LEVELS {
        if level.is_empty() {
            return Ok(());
        }
        level = level
            .into_iter()
            .flat_map(|value| match value {
                Value::Array(values) => values.iter().collect::<Vec<_>>(),
                Value::Object(fields) => fields.values().collect(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
            })
            .collect();
    }
    if level.is_empty() { Ok(()) } else { Err(StoreError::TooDeep { what: "a message's fields", most: LEVELS }) }
}

impl MessageRow {
    pub(super) fn new(message: &Message) -> Result<Self, StoreError> {
        bounded(&message.extra)?;
        Ok(Self {
            body: message_to_json(&message.said),
            agent: message.agent.clone(),
            interim: message.interim,
            extra: rows::extra_json(&message.extra),
        })
    }

    /// The hash, with what the attachments' rows hold and the hashes of the contents. Of an edit also with what it is a version of.
    /// A message that says nothing beside its text has the hash that it had before there was more.
    pub(super) fn hash(&self, of: Option<i64>, files: &[Attachment], contents: &[Option<BlobHash>]) -> [u8; 32] {
        let of = of.map(|of| number(of).to_le_bytes());
        let body = Some(self.body.as_bytes());
        let plain = self.agent.is_none() && !self.interim && self.extra.is_none() && files.is_empty();
        if plain && of.is_none() {
            return rows::hash(rows::MESSAGE, &[body]);
        }
        let (files, contents) = (rows::files_json(files), rows::contents_json(contents));
        let rest = [
            body,
            self.agent.as_deref().map(str::as_bytes),
            Some(&[u8::from(self.interim)]),
            self.extra.as_deref().map(str::as_bytes),
            Some(files.as_bytes()),
            Some(contents.as_bytes()),
        ];
        match &of {
            None => rows::hash(rows::MESSAGE, &rest),
            Some(of) => rows::hash(rows::EDIT, &[&[Some(of.as_slice())], rest.as_slice()].concat()),
        }
    }
}

/// The columns of a version, in the order that [`message`] reads them.
pub(super) const COLUMNS: &str =
    "version.entry, version.body, version.agent, version.interim, version.extra, version.attachments";

/// How many these are.
pub(super) const COLUMN_COUNT: usize = 6;

/// Reads a version from that column on: the version's entry, the message, and how many attachments are still to be read.
pub(super) fn message(row: &Row<'_>, first: usize) -> Result<(i64, Message, u32), StoreError> {
    let entry = row.get(first)?;
    let text = |column| row.get_ref(first + column)?.as_str_or_null().map_err(rusqlite::Error::from);
    let said = text(1)?.ok_or_else(|| rows::damaged(entry, "the message"))?;
    let message = Message {
        said: rows::message(entry, said)?,
        agent: text(2)?.map(Arc::from),
        interim: row.get(first + 3)?,
        attachments: Vec::new(),
        extra: rows::extra(entry, text(4)?)?,
        edited: None,
    };
    Ok((entry, message, row.get(first + 5)?))
}

/// As what a message stands in its thread, and whose it is there.
pub(super) fn member(message: &Message) -> (i64, String) {
    let whose = || message.agent.as_deref().map_or_else(String::new, whose);
    match message.kind() {
        Kind::ToolUse => (rows::TOOL_USE, whose()),
        Kind::System => (rows::SYSTEM, whose()),
        _ => (rows::MESSAGE, String::new()),
    }
}

/// An agent as members have it: also one without a name is somebody.
pub(super) fn whose(agent: &str) -> String {
    format!("@{agent}")
}

/// The hash of the columns of a version as they are kept, with its files.
pub(super) fn hash_of(
    connection: &Connection,
    version: i64,
    of: Option<i64>,
    files: &[Attachment],
    contents: &[Option<BlobHash>],
) -> Result<[u8; 32], StoreError> {
    let mut statement = connection.prepare_cached("SELECT body, agent, interim, extra FROM messages WHERE entry = ?1")?;
    let row = statement.query_one([version], |row| {
        let agent: Option<String> = row.get(1)?;
        Ok(MessageRow { body: row.get(0)?, agent: agent.map(Arc::from), interim: row.get(2)?, extra: row.get(3)? })
    })?;
    Ok(row.hash(of, files, contents))
}

/// The message that is to be edited: its thread and its time.
pub(super) fn editable(log: &Log<'_>, of: EntryId) -> Result<(i64, i64), StoreError> {
    let unknown = StoreError::UnknownEntry { entry: of };
    let Some(key) = log.owner.entry(of) else { return Err(unknown) };
    let found = log
        .tx
        .prepare_cached("SELECT thread, at, kind FROM members WHERE entry = ?1")?
        .query_one([key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    match found {
        None => Err(unknown),
        Some((thread, at, rows::MESSAGE | rows::TOOL_USE | rows::SYSTEM)) => Ok((thread, at)),
        Some(_) => Err(StoreError::NotAMessage { entry: of }),
    }
}

impl Log<'_> {
    /// Appends a message with its files.
    pub(super) fn message(&mut self, new: &NewMessage, thread: i64, at: i64, shelf: &Shelf<'_>) -> Result<i64, StoreError> {
        let attachments = &new.message.attachments;
        let files: Vec<Option<Hashed<'_>>> = attachments.iter().map(|file| content_of(&new.files, file)).collect();
        let hashes: Vec<Option<BlobHash>> = files.iter().map(|file| file.map(|file| file.hash)).collect();
        let row = MessageRow::new(&new.message)?;
        let hash = row.hash(None, attachments, &hashes);
        let (kind, agent) = member(&new.message);
        let entry = self.push(thread, at, (kind, &agent), &hash)?;
        self.keep_version(entry, &row, attachments.len())?;
        for (position, (attachment, file)) in attachments.iter().zip(files).enumerate() {
            let content = file.map(|file| shelf.keep(self.tx, file)).transpose()?;
            self.keep_attachment(entry, position, attachment, content)?;
        }
        Ok(entry)
    }

    /// Appends a new version of a message, which stands at the message's place from now on. The contents of its files are those
    /// that came under their ids before.
    pub(super) fn edit(&mut self, edit: &Edit, thread: i64, at: i64) -> Result<i64, StoreError> {
        let of = self.owner.entry(edit.of).ok_or(StoreError::UnknownEntry { entry: edit.of })?;
        let attachments = &edit.message.attachments;
        // The index takes out the words that it has, which are those of the newest version so far.
        search::remove(self.tx, of)?;
        let row = MessageRow::new(&edit.message)?;
        let hash = row.hash(Some(of), attachments, &vec![None; attachments.len()]);
        let entry = self.push(thread, at, (rows::EDIT, ""), &hash)?;
        self.keep_version(entry, &row, attachments.len())?;
        for (position, attachment) in attachments.iter().enumerate() {
            self.keep_attachment(entry, position, attachment, None)?;
        }
        self.tx.prepare_cached("INSERT INTO edits (entry, message) VALUES (?1, ?2)")?.execute([entry, of])?;
        self.tx.prepare_cached("UPDATE messages SET edit = ?2 WHERE entry = ?1")?.execute([of, entry])?;
        search::add(self.tx, of)?;
        let (kind, agent) = member(&edit.message);
        stand_as(self, of, kind, &agent)?;
        Ok(entry)
    }

    fn keep_version(&self, entry: i64, row: &MessageRow, attachments: usize) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO messages (entry, body, agent, interim, extra, attachments) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute((entry, &row.body, row.agent.as_deref(), row.interim, &row.extra, limit(attachments)))?;
        Ok(())
    }

    /// Appends a reset.
    pub(super) fn reset(&mut self, reset: &Reset, thread: i64, at: i64) -> Result<i64, StoreError> {
        bounded(&reset.extra)?;
        let (kind, extra) = (reset.kind.name(), rows::extra_json(&reset.extra));
        let hash = reset_hash(kind, reset.agent.as_deref(), &reset.reason, extra.as_deref());
        let entry = self.push(thread, at, (rows::RESET, ""), &hash)?;
        self.tx
            .prepare_cached("INSERT INTO resets (entry, kind, agent, reason, extra) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute((entry, kind, reset.agent.as_deref(), &reset.reason, extra))?;
        Ok(entry)
    }
}

pub(super) fn reset_hash(kind: &str, agent: Option<&str>, reason: &str, extra: Option<&str>) -> [u8; 32] {
    let fields = [Some(kind), agent, Some(reason), extra].map(|field| field.map(str::as_bytes));
    rows::hash(rows::RESET, &fields)
}

/// A member is of that kind, and that agent's, from now on.
fn stand_as(log: &Log<'_>, entry: i64, kind: i64, agent: &str) -> Result<(), StoreError> {
    log.tx.prepare_cached("UPDATE members SET kind = ?2, agent = ?3 WHERE entry = ?1")?.execute((entry, kind, agent))?;
    Ok(())
}

/// Takes the newest message or reset off a thread; of a fork, off what it has of its own.
pub(super) fn pop(log: &Log<'_>, thread: ThreadId, now: Timestamp) -> Result<Option<Arc<Entry>>, StoreError> {
    let thread = threads::resolve(log.tx, log.owner, thread)?;
    let kinds = [rows::MESSAGE, rows::TOOL_USE, rows::SYSTEM, rows::RESET];
    let newest = back::walk(log.tx, &[Reach::all_of(thread)], &back::Walk::over(&kinds, 1))?;
    let Some(newest) = newest.first() else { return Ok(None) };
    let popped = bodies::entry(log.tx, newest.entry)?.ok_or(StoreError::UnknownEntry { entry: entry_id(newest.entry) })?;
    search::remove(log.tx, newest.entry)?;
    stand_as(log, newest.entry, rows::POPPED, "")?;
    log.tx.prepare_cached("UPDATE entries SET popped = ?2 WHERE entry = ?1")?.execute((newest.entry, micros(now)))?;
    Ok(Some(popped))
}
