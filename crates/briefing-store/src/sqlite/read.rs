//! Reading.

use std::sync::Arc;

use briefing::log::{Body, Entry, Mail, MessageId, Place};
use briefing::message::{EntryId, OwnerId, ThreadId};
use rusqlite::{Connection, OptionalExtension};

use super::ids::{OwnerKey, entry_id, thread_id};
use super::threads::limit;
use super::time::{micros, timestamp};
use super::{cards, rows, runs};
use crate::{Kind, Logged, StoreError};

/// The owner, if anything was ever written for it.
pub(super) fn owner(connection: &Connection, owner: &OwnerId) -> Result<Option<OwnerKey>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT owner FROM owners WHERE name = ?1")?;
    Ok(statement.query_one([owner.as_str()], |row| row.get(0)).optional()?.map(OwnerKey))
}

pub(super) fn by_message_id(connection: &Connection, owner: OwnerKey, id: &MessageId) -> Result<Vec<EntryId>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT entry FROM mails WHERE owner = ?1 AND message_id = ?2 ORDER BY entry")?;
    let entries = statement.query_map((owner.0, id.as_str()), |row| Ok(entry_id(row.get(0)?)))?;
    Ok(entries.collect::<Result<_, _>>()?)
}

/// The thread of an entry.
pub(super) fn thread_of(connection: &Connection, entry: i64) -> Result<Option<ThreadId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT thread FROM members WHERE entry = ?1")?;
    Ok(statement.query_one([entry], |row| row.get(0)).optional()?.map(thread_id))
}

/// The newest entries before a place.
pub(super) fn back(
    connection: &Connection,
    thread: i64,
    before: Option<(i64, i64)>,
    kind: Option<Kind>,
    count: usize,
) -> Result<Vec<Arc<Entry>>, StoreError> {
    let before = before.unwrap_or((i64::MAX, i64::MAX));
    match kind {
        Some(Kind::Mail) => mails_back(connection, thread, before, count),
        Some(Kind::Card) => cards_back(connection, thread, before, count),
        Some(Kind::Unreadable) => Ok(Vec::new()),
        Some(kind @ (Kind::Erased | Kind::Round | Kind::Outcome | Kind::Message | Kind::Notice)) => {
            let code = rows::code(kind);
            let sql = "SELECT entry FROM members WHERE thread = ?1 AND kind = ?5 AND (at, entry) < (?2, ?3)
                       ORDER BY at DESC, entry DESC LIMIT ?4";
            let mut statement = connection.prepare_cached(sql)?;
            let keys = statement.query_map((thread, before.0, before.1, limit(count), code), |row| row.get(0))?;
            entries(connection, keys.collect::<Result<_, _>>()?)
        }
        None => {
            let sql = "SELECT entry FROM members WHERE thread = ?1 AND (at, entry) < (?2, ?3)
                       ORDER BY at DESC, entry DESC LIMIT ?4";
            let mut statement = connection.prepare_cached(sql)?;
            let keys = statement.query_map((thread, before.0, before.1, limit(count)), |row| row.get(0))?;
            entries(connection, keys.collect::<Result<_, _>>()?)
        }
    }
}

fn entries(connection: &Connection, keys: Vec<i64>) -> Result<Vec<Arc<Entry>>, StoreError> {
    keys.into_iter().filter_map(|key| rows::entry(connection, key).transpose()).collect()
}

/// Cards, settled and not: two walks, merged.
fn cards_back(connection: &Connection, thread: i64, before: (i64, i64), count: usize) -> Result<Vec<Arc<Entry>>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT entry FROM (SELECT * FROM (SELECT at, entry FROM members
             WHERE thread = ?1 AND kind = {} AND (at, entry) < (?2, ?3) ORDER BY at DESC, entry DESC LIMIT ?4)
         UNION ALL SELECT * FROM (SELECT at, entry FROM members
             WHERE thread = ?1 AND kind = {} AND (at, entry) < (?2, ?3) ORDER BY at DESC, entry DESC LIMIT ?4))
         ORDER BY at DESC, entry DESC LIMIT ?4",
        rows::CARD,
        rows::OPEN_CARD
    ))?;
    let keys = statement.query_map((thread, before.0, before.1, limit(count)), |row| row.get(0))?;
    entries(connection, keys.collect::<Result<_, _>>()?)
}

/// Mails in one read, their attachments in another.
fn mails_back(connection: &Connection, thread: i64, before: (i64, i64), count: usize) -> Result<Vec<Arc<Entry>>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {}, members.at FROM members CROSS JOIN mails USING (entry)
         WHERE members.thread = ?1 AND members.kind = {} AND (members.at, members.entry) < (?2, ?3)
         ORDER BY members.at DESC, members.entry DESC LIMIT ?4",
        rows::MAIL_COLUMNS,
        rows::MAIL
    ))?;
    let mut found = statement.query((thread, before.0, before.1, limit(count)))?;
    let mut mails = Vec::new();
    let mut with_files = Vec::new();
    while let Some(row) = found.next()? {
        let (key, at): (i64, i64) = (row.get(0)?, row.get(12)?);
        match rows::mail(row) {
            Ok((mail, files)) => {
                with_files.extend((files > 0).then_some(key));
                mails.push((key, at, Some(mail)));
            }
            Err(StoreError::Corrupt { .. }) => mails.push((key, at, None)),
            Err(error) => return Err(error),
        }
    }
    let mut files = rows::attachments(connection, &with_files)?;
    let entries = mails.into_iter().map(|(key, at, mail)| {
        let body = mail.map_or(Body::Unreadable, |mail| {
            Body::Mail(Arc::new(Mail { attachments: files.remove(&key).unwrap_or_default(), ..mail }))
        });
        Arc::new(Entry { id: entry_id(key), at: timestamp(at), body })
    });
    Ok(entries.collect())
}

/// A place as it is kept.
pub(super) fn place(owner: OwnerKey, place: Place) -> (i64, i64) {
    (micros(place.at), owner.entry(place.entry).unwrap_or(i64::MAX))
}

/// The newest inbound mail of a thread.
pub(super) fn newest_inbound_of(connection: &Connection, thread: i64) -> Result<Option<Arc<Entry>>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT members.entry FROM members CROSS JOIN mails USING (entry)
         WHERE members.thread = ?1 AND members.kind = {} AND mails.direction = 0
         ORDER BY members.at DESC, members.entry DESC LIMIT 1",
        rows::MAIL
    ))?;
    let found: Option<i64> = statement.query_one([thread], |row| row.get(0)).optional()?;
    found.map_or(Ok(None), |key| rows::entry(connection, key))
}

/// The newest inbound mail of all: threads are visited newest first, until no later one can have a newer one.
pub(super) fn newest_inbound(connection: &Connection, owner: OwnerKey) -> Result<Option<(Arc<Entry>, ThreadId)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT thread, newest FROM threads WHERE owner = ?1 AND merged IS NULL AND newest IS NOT NULL
         ORDER BY newest DESC, thread DESC",
    )?;
    let mut threads = statement.query([owner.0])?;
    let mut best: Option<(Arc<Entry>, ThreadId)> = None;
    while let Some(row) = threads.next()? {
        let (thread, newest): (i64, i64) = (row.get(0)?, row.get(1)?);
        if best.as_ref().is_some_and(|(entry, _)| micros(entry.at) > newest) {
            break;
        }
        if let Some(entry) = newest_inbound_of(connection, thread)?
            && best.as_ref().is_none_or(|(best, _)| best.place() < entry.place())
        {
            best = Some((entry, thread_id(thread)));
        }
    }
    Ok(best)
}

/// The owner's entries by sequence number.
pub(super) fn log(connection: &Connection, owner: OwnerKey, first: EntryId, count: usize) -> Result<Vec<Logged>, StoreError> {
    let Some(first) = owner.entry(first) else { return Ok(Vec::new()) };
    let mut statement =
        connection.prepare_cached("SELECT entry FROM entries WHERE entry BETWEEN ?1 AND ?2 ORDER BY entry LIMIT ?3")?;
    let keys = statement.query_map((first, owner.last(), limit(count)), |row| row.get(0))?;
    let keys = keys.collect::<Result<Vec<i64>, _>>()?;
    let mut log = Vec::with_capacity(keys.len());
    for key in keys {
        let Some(entry) = rows::entry(connection, key)? else { continue };
        let (run, settled) = match &entry.body {
            Body::Round(_) | Body::Outcome(_) => (runs::of_entry(connection, key)?, None),
            Body::Card(_) => (None, cards::settled_as(connection, key)?),
            Body::Mail(_) | Body::Message(_) | Body::Notice(_) | Body::Erased(_) | Body::Unreadable => (None, None),
        };
        let thread = thread_of(connection, key)?.ok_or_else(|| rows::damaged(key, "the thread"))?;
        log.push(Logged { entry, thread, run, settled });
    }
    Ok(log)
}
