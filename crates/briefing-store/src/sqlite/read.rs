//! Reading.

use std::sync::Arc;

use briefing::log::{Body, Entry, MessageId};
use briefing::message::{EntryId, OwnerId, ThreadId};
use rusqlite::{Connection, OptionalExtension};

use super::back::{Reach, Spot};
use super::ids::{OwnerKey, entry_id, thread_id};
use super::threads::limit;
use super::time::micros;
use super::{bodies, cards, rows, runs};
use crate::{Key, Logged, StoreError};

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

/// The sequence number of the owner's next entry.
pub(super) fn next_entry(connection: &Connection, owner: OwnerKey) -> Result<EntryId, StoreError> {
    let mut statement = connection.prepare_cached("SELECT entries FROM owners WHERE owner = ?1")?;
    Ok(EntryId::new(statement.query_one([owner.0], |row| row.get::<_, i64>(0))?.cast_unsigned()))
}

/// The thread of an entry.
pub(super) fn thread_of(connection: &Connection, entry: i64) -> Result<Option<ThreadId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT thread FROM members WHERE entry = ?1")?;
    Ok(statement.query_one([entry], |row| row.get(0)).optional()?.map(thread_id))
}

/// The newest inbound mail that a thread shows.
pub(super) fn newest_inbound_of(connection: &Connection, reach: &[Reach]) -> Result<Option<Arc<Entry>>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT members.at, members.entry FROM members CROSS JOIN mails USING (entry)
         WHERE members.thread = ?1 AND members.kind = {} AND (members.at, members.entry) < (?2, ?3) AND members.entry < ?4
           AND mails.direction = 0
         ORDER BY members.at DESC, members.entry DESC LIMIT 1",
        rows::MAIL
    ))?;
    let mut newest: Option<Spot> = None;
    for Reach { thread, before, next } in reach {
        let found = statement.query_one((thread, before.0, before.1, next), |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        newest = newest.max(found);
    }
    newest.map_or(Ok(None), |(_, key)| bodies::entry(connection, key))
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
        if let Some(entry) = newest_inbound_of(connection, &[Reach::all_of(thread)])?
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
    let sql = format!("SELECT {} FROM entries WHERE entry BETWEEN ?1 AND ?2 ORDER BY entry LIMIT ?3", bodies::SPINE);
    let mut statement = connection.prepare_cached(&sql)?;
    let spines = statement.query_map((first, owner.last(), limit(count)), bodies::spine)?;
    let mut entries = bodies::entries(connection, spines.collect::<Result<_, _>>()?)?;
    bodies::as_appended(connection, &mut entries, |entry| owner.entry(entry.id).unwrap_or_default())?;
    let mut log = Vec::with_capacity(entries.len());
    for entry in entries {
        let key = owner.entry(entry.id).unwrap_or_default();
        let (run, settled) = match &entry.body {
            Body::Round(_) | Body::Outcome(_) => (runs::of_entry(connection, key)?, None),
            Body::Card(_) => (None, cards::settled_as(connection, key)?),
            Body::Mail(_)
            | Body::Message(_)
            | Body::Notice(_)
            | Body::Reset(_)
            | Body::Edit(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable => (None, None),
        };
        let thread = thread_of(connection, key)?.ok_or_else(|| rows::damaged(key, "the thread"))?;
        log.push(Logged { entry, thread, run, settled });
    }
    Ok(log)
}

/// The entry of an idempotency key.
pub(super) fn keyed(connection: &Connection, owner: OwnerKey, key: &Key) -> Result<Option<EntryId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT entry FROM keys WHERE owner = ?1 AND key = ?2")?;
    let found: Option<i64> = statement.query_one((owner.0, key.as_bytes()), |row| row.get(0)).optional()?;
    Ok(found.map(entry_id))
}
