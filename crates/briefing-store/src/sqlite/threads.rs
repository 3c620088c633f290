//! Threads: who takes part, what they wait for, lists, and merging and splitting by hand.

use std::collections::BTreeSet;

use briefing::log::MessageId;
use briefing::message::ThreadId;
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::append::{Log, first_of};
use super::ids::{OwnerKey, entry_id, owner_of, thread_id};
use super::time::{micros, timestamp};
use super::{forks, leases, rows, schedule};
use crate::{After, StoreError, ThreadSummary};

/// The thread of that id, or the one that it was merged into.
pub(super) fn find(connection: &Connection, owner: OwnerKey, thread: ThreadId) -> Result<Option<i64>, StoreError> {
    let Some(key) = owner.thread(thread) else { return Ok(None) };
    let mut statement = connection.prepare_cached("SELECT coalesce(merged, thread) FROM threads WHERE thread = ?1")?;
    Ok(statement.query_one([key], |row| row.get(0)).optional()?)
}

/// The same, where it must be there.
pub(super) fn resolve(connection: &Connection, owner: OwnerKey, thread: ThreadId) -> Result<i64, StoreError> {
    find(connection, owner, thread)?.ok_or(StoreError::UnknownThread { thread })
}

/// The longest name of a thread.
const NAME_BYTES: usize = 1_000;

/// The thread of that name, which is opened if there is none.
pub(super) fn named(log: &mut Log<'_>, name: &str) -> Result<i64, StoreError> {
    if name.len() > NAME_BYTES {
        return Err(StoreError::TooLarge { what: "a thread's name", most: NAME_BYTES });
    }
    let name = blake3::hash(name.as_bytes());
    let found = log
        .tx
        .prepare_cached(
            "SELECT coalesce(threads.merged, threads.thread) FROM names JOIN threads USING (thread)
             WHERE names.owner = ?1 AND names.name = ?2",
        )?
        .query_one((log.owner.0, name.as_bytes()), |row| row.get(0))
        .optional()?;
    if let Some(thread) = found {
        return Ok(thread);
    }
    let thread = log.open_thread()?;
    log.tx.prepare_cached("INSERT INTO names (owner, name, thread) VALUES (?1, ?2, ?3)")?.execute((
        log.owner.0,
        name.as_bytes(),
        thread,
    ))?;
    Ok(thread)
}

/// These people take part from now on.
pub(super) fn take_part(tx: &Transaction<'_>, thread: i64, people: &[String]) -> Result<(), StoreError> {
    let mut statement = tx.prepare_cached("INSERT INTO people (thread, address) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    for address in people {
        statement.execute((thread, address))?;
    }
    Ok(())
}

/// The thread waits for mails of those ids.
pub(super) fn waits(tx: &Transaction<'_>, owner: OwnerKey, thread: i64, ids: &[MessageId]) -> Result<(), StoreError> {
    let mut statement =
        tx.prepare_cached("INSERT INTO awaited (owner, message_id, thread) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
    for id in ids {
        statement.execute((owner.0, id.as_str(), thread))?;
    }
    Ok(())
}

/// Nobody waits for that id any more.
pub(super) fn arrived(tx: &Transaction<'_>, owner: OwnerKey, id: &MessageId) -> Result<(), StoreError> {
    tx.prepare_cached("DELETE FROM awaited WHERE owner = ?1 AND message_id = ?2")?.execute((owner.0, id.as_str()))?;
    Ok(())
}

/// Everything of `from` now belongs to `into`. What forks of either show must not change by it.
pub(super) fn merge(tx: &Transaction<'_>, from: i64, into: i64) -> Result<(), StoreError> {
    const MOVED: [&str; 9] = [
        "UPDATE members SET thread = ?2 WHERE thread = ?1",
        "UPDATE runs SET thread = ?2 WHERE thread = ?1",
        "UPDATE scheduled SET thread = ?2 WHERE thread = ?1",
        "INSERT INTO people (thread, address) SELECT ?2, address FROM people WHERE thread = ?1 ON CONFLICT DO NOTHING",
        "UPDATE OR IGNORE awaited SET thread = ?2 WHERE thread = ?1",
        "INSERT INTO call_ids (thread, given, times) SELECT ?2, given, times FROM call_ids WHERE thread = ?1
         ON CONFLICT DO UPDATE SET times = times + excluded.times",
        "UPDATE threads SET merged = ?2 WHERE merged = ?1",
        "UPDATE threads SET merged = ?2 WHERE thread = ?1",
        "UPDATE threads SET entries = threads.entries + moved.entries,
             head = nullif(max(coalesce(threads.head, -1), coalesce(moved.head, -1)), -1),
             newest = coalesce(max(threads.newest, moved.newest), threads.newest, moved.newest)
         FROM threads AS moved WHERE threads.thread = ?2 AND moved.thread = ?1",
    ];
    const LEFT: [&str; 5] = [
        "DELETE FROM people WHERE thread = ?1",
        "DELETE FROM awaited WHERE thread = ?1",
        "DELETE FROM call_ids WHERE thread = ?1",
        "DELETE FROM anchors WHERE thread = ?1",
        "UPDATE threads SET entries = 0, head = NULL, newest = NULL WHERE thread = ?1",
    ];
    // What goes to a fork is counted behind the calls that this shows.
    let older: Vec<i64> = forks::reach(tx, into)?.iter().skip(1).map(|part| part.thread).filter(|old| *old != from).collect();
    if !older.is_empty() {
        tx.prepare_cached(
            "INSERT INTO call_ids (thread, given, times) SELECT ?2, given, max(times) FROM call_ids
             WHERE thread IN (SELECT value FROM json_each(?3)) AND given IN (SELECT given FROM call_ids WHERE thread = ?1)
             GROUP BY given ON CONFLICT DO NOTHING",
        )?
        .execute((from, into, rows::list(&older)))?;
    }
    for step in MOVED {
        tx.prepare_cached(step)?.execute([from, into])?;
    }
    leases::merge(tx, from, into)?;
    for step in LEFT {
        tx.prepare_cached(step)?.execute([from])?;
    }
    forks::merged(tx, from, into)
}

/// Moves a member and what follows it to a new thread. Rounds and outcomes go with their run, a run with what it answers or
/// wrote, a notice with its card, an edit with its message.
pub(super) fn split(log: &mut Log<'_>, entry: i64) -> Result<i64, StoreError> {
    let tx = log.tx;
    let found = tx
        .prepare_cached("SELECT thread, at, kind FROM members WHERE entry = ?1")?
        .query_one([entry], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
        .optional()?;
    let (old, at) = match found {
        None => return Err(StoreError::UnknownEntry { entry: entry_id(entry) }),
        Some((_, _, rows::ROUND | rows::OUTCOME | rows::NOTICE | rows::EDIT)) => {
            return Err(StoreError::NotABeginning { entry: entry_id(entry) });
        }
        Some((_, _, rows::CARD | rows::OPEN_CARD)) if of_a_run(tx, entry)? => {
            return Err(StoreError::NotABeginning { entry: entry_id(entry) });
        }
        Some((old, at, _)) => (old, at),
    };
    let new = log.open_thread()?;
    tx.prepare_cached(&format!(
        "UPDATE members SET thread = ?2 WHERE thread = ?1 AND (at, entry) >= (?3, ?4) AND kind NOT IN ({}, {}, {}, {})
         AND entry NOT IN (SELECT cards.entry FROM cards JOIN runs USING (run))",
        rows::ROUND,
        rows::OUTCOME,
        rows::NOTICE,
        rows::EDIT
    ))?
    .execute([old, new, at, entry])?;
    const STEPS: [&str; 6] = [
        "UPDATE runs SET thread = ?2 WHERE thread = ?1 AND run IN
             (SELECT places.run FROM places JOIN members USING (entry) WHERE members.thread = ?2)",
        "UPDATE members SET thread = ?2 WHERE thread = ?1 AND entry IN
             (SELECT rounds.entry FROM rounds JOIN runs USING (run) WHERE runs.thread = ?2)",
        "UPDATE members SET thread = ?2 WHERE thread = ?1 AND entry IN
             (SELECT outcomes.entry FROM outcomes JOIN runs USING (run) WHERE runs.thread = ?2)",
        "UPDATE members SET thread = ?2 WHERE thread = ?1 AND entry IN
             (SELECT cards.entry FROM cards JOIN places USING (run) JOIN members AS beside ON beside.entry = places.entry
              WHERE beside.thread = ?2)",
        "UPDATE members SET thread = ?2 WHERE thread = ?1 AND entry IN
             (SELECT notices.entry FROM notices JOIN members AS card ON card.entry = notices.card WHERE card.thread = ?2)",
        "UPDATE members SET thread = ?2 WHERE thread = ?1 AND entry IN
             (SELECT edits.entry FROM edits JOIN members AS message ON message.entry = edits.message WHERE message.thread = ?2)",
    ];
    // A run may answer what another run wrote, or the notice of its card.
    loop {
        let mut moved = 0;
        for step in STEPS {
            moved += tx.prepare_cached(step)?.execute([old, new])?;
        }
        if moved == 0 {
            break;
        }
    }
    if !tx.prepare_cached("SELECT 1 FROM members WHERE thread = ?1 LIMIT 1")?.exists([old])? {
        return Err(StoreError::FirstOfThread { entry: entry_id(entry) });
    }
    forks::was_unread(tx, old, new, entry)?;
    leases::split(tx, old, new)?;
    schedule::split(tx, old, new)?;
    tx.prepare_cached("INSERT INTO call_ids (thread, given, times) SELECT ?2, given, times FROM call_ids WHERE thread = ?1")?
        .execute([old, new])?;
    tx.prepare_cached("DELETE FROM anchors WHERE thread = ?1 AND (at, entry) >= (?2, ?3)")?.execute([old, at, entry])?;
    for thread in [old, new] {
        recount(tx, thread)?;
        recount_mails(tx, thread)?;
    }
    Ok(new)
}

/// Whether a card is one that a run proposed.
fn of_a_run(connection: &Connection, card: i64) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM cards JOIN runs USING (run) WHERE cards.entry = ?1")?;
    Ok(statement.exists([card])?)
}

/// Counts a thread's members again.
pub(super) fn recount(tx: &Transaction<'_>, thread: i64) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE threads SET entries = counted.entries, head = counted.head, newest = counted.newest
         FROM (SELECT count(*) AS entries, max(entry) AS head, max(CASE WHEN kind > 0 THEN at END) AS newest
               FROM members WHERE thread = ?1) AS counted
         WHERE thread = ?1",
    )?
    .execute([thread])?;
    Ok(())
}

/// Reads again from a thread's mails who takes part, and what it still waits for.
pub(super) fn recount_mails(tx: &Transaction<'_>, thread: i64) -> Result<(), StoreError> {
    let owner = owner_of(thread);
    let (mut people, mut ids) = (BTreeSet::new(), BTreeSet::new());
    each_mail(tx, thread, |mail| {
        people.extend(mail.people);
        ids.extend(mail.refers);
        Ok(())
    })?;
    let mut awaited = Vec::new();
    let mut before = tx.prepare_cached("SELECT 1 FROM awaited WHERE thread = ?1 AND owner = ?2 AND message_id = ?3")?;
    for id in ids {
        if before.exists((thread, owner.0, id.as_str()))? && first_of(tx, owner, &id)?.is_none() {
            awaited.push(id);
        }
    }
    tx.prepare_cached("DELETE FROM people WHERE thread = ?1")?.execute([thread])?;
    take_part(tx, thread, &people.into_iter().collect::<Vec<_>>())?;
    tx.prepare_cached("DELETE FROM awaited WHERE thread = ?1")?.execute([thread])?;
    waits(tx, owner, thread, &awaited)
}

/// What threading knows of a mail.
pub(super) struct Threaded {
    pub(super) entry: i64,
    /// In lower case.
    pub(super) people: Vec<String>,
    pub(super) refers: Vec<MessageId>,
}

/// Goes over the mails of a thread. What cannot be read of one is as if it were not there.
pub(super) fn each_mail(
    connection: &Connection,
    thread: i64,
    mut each: impl FnMut(Threaded) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT mails.entry, in_reply_to, refs, sender, recipients, copies FROM members JOIN mails USING (entry)
         WHERE members.thread = ?1 AND members.kind = 1",
    )?;
    let mut rows = statement.query([thread])?;
    while let Some(row) = rows.next()? {
        let entry: i64 = row.get(0)?;
        let text = |column| row.get::<_, Option<String>>(column);
        let mut refers = Vec::new();
        for json in [text(1)?, text(2)?].into_iter().flatten() {
            refers.extend(rows::read_ids(&json).unwrap_or_default());
        }
        let mut people = Vec::new();
        for json in [text(3)?, text(4)?, text(5)?].into_iter().flatten() {
            let all = rows::read_addresses(&json).unwrap_or_default();
            people.extend(all.into_iter().map(|one| one.email.to_ascii_lowercase()).filter(|email| !email.is_empty()));
        }
        each(Threaded { entry, people, refers })?;
    }
    Ok(())
}

/// Threads that have something, the newest first.
pub(super) fn list(
    connection: &Connection,
    owner: OwnerKey,
    after: Option<After>,
    count: usize,
) -> Result<Vec<ThreadSummary>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT thread FROM threads WHERE owner = ?1 AND merged IS NULL AND newest IS NOT NULL AND (newest, thread) < (?2, ?3)
         ORDER BY newest DESC, thread DESC LIMIT ?4",
    )?;
    let (newest, thread) = match after {
        None => (i64::MAX, i64::MAX),
        Some(after) => (micros(after.newest), owner.thread(after.thread).unwrap_or(i64::MAX)),
    };
    let threads = statement.query_map((owner.0, newest, thread, limit(count)), |row| row.get(0))?;
    let threads = threads.collect::<Result<Vec<i64>, _>>()?;
    threads.into_iter().filter_map(|thread| summary(connection, thread).transpose()).collect()
}

/// A count as SQL takes it.
pub(super) fn limit(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// One thread.
pub(super) fn summary(connection: &Connection, thread: i64) -> Result<Option<ThreadSummary>, StoreError> {
    let found = connection
        .prepare_cached("SELECT entries, head, newest FROM threads WHERE thread = ?1")?
        .query_one([thread], |row| {
            Ok(ThreadSummary {
                thread: thread_id(thread),
                entries: row.get::<_, i64>(0)?.cast_unsigned(),
                head: row.get::<_, Option<i64>>(1)?.map(entry_id),
                newest: row.get::<_, Option<i64>>(2)?.map(timestamp),
                subject: None,
                people: Vec::new(),
            })
        })
        .optional()?;
    let Some(mut summary) = found else { return Ok(None) };
    let mut subject = connection.prepare_cached(
        "SELECT subject FROM members JOIN mails USING (entry) WHERE thread = ?1 AND kind = 1 ORDER BY at, members.entry LIMIT 1",
    )?;
    summary.subject = subject.query_one([thread], |row| row.get(0)).optional()?.flatten();
    let mut people = connection.prepare_cached("SELECT address FROM people WHERE thread = ?1 ORDER BY address LIMIT 8")?;
    summary.people = people.query_map([thread], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(Some(summary))
}
