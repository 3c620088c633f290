//! Scheduled work.

use briefing::message::RunId;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use super::append::Log;
use super::ids::{OwnerKey, thread_id};
use super::threads::{self, limit};
use super::time::{micros, timestamp};
use super::{leases, runs};
use crate::{RunEnd, Scheduled, StoreError, Writer};

/// The columns of scheduled work.
const COLUMNS: &str = "id, thread, persona, responsibility, at";

fn work(row: &Row<'_>) -> Result<Scheduled, rusqlite::Error> {
    Ok(Scheduled {
        run: RunId::new(row.get::<_, String>(0)?),
        thread: thread_id(row.get(1)?),
        persona: row.get::<_, String>(2)?.into(),
        responsibility: row.get(3)?,
        at: timestamp(row.get(4)?),
    })
}

fn find(connection: &Connection, owner: OwnerKey, run: &RunId) -> Result<Option<Scheduled>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM scheduled WHERE owner = ?1 AND id = ?2");
    Ok(connection.prepare_cached(&sql)?.query_one((owner.0, run.as_str()), work).optional()?)
}

pub(super) fn keep(log: &Log<'_>, new: Scheduled) -> Result<(), StoreError> {
    let thread = threads::resolve(log.tx, log.owner, new.thread)?;
    let new = Scheduled { thread: thread_id(thread), at: timestamp(micros(new.at)), ..new };
    match find(log.tx, log.owner, &new.run)? {
        Some(before) if before == new => return Ok(()),
        Some(_) => return Err(StoreError::ScheduledOtherwise { run: new.run }),
        None if runs::find(log.tx, log.owner, &new.run)?.is_some() => return Err(StoreError::RunBegun { run: new.run }),
        None => {}
    }
    log.tx
        .prepare_cached(
            "INSERT INTO scheduled (owner, id, thread, persona, responsibility, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((log.owner.0, new.run.as_str(), thread, &new.persona, &new.responsibility, micros(new.at)))?;
    Ok(())
}

pub(super) fn list(
    connection: &Connection,
    owner: OwnerKey,
    until: Option<Timestamp>,
    count: usize,
) -> Result<Vec<Scheduled>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM scheduled WHERE owner = ?1 AND at <= ?2 ORDER BY at, id LIMIT ?3");
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map((owner.0, until.map_or(i64::MAX, micros), limit(count)), work)?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The run of that id is begun and ended in one, so that nobody begins it any more.
pub(super) fn cancel(log: &Log<'_>, run: &RunId, now: Timestamp) -> Result<bool, StoreError> {
    let Some(found) = find(log.tx, log.owner, run)? else { return Ok(false) };
    if runs::find(log.tx, log.owner, run)?.is_some() {
        return Ok(false);
    }
    runs::begin(log, &found.as_run())?;
    leases::end(log, &Writer::new(run.clone()), RunEnd::Stopped, None, now)?;
    Ok(true)
}

/// The run of that id has ended.
pub(super) fn ended(log: &Log<'_>, run: &RunId) -> Result<(), StoreError> {
    log.tx.prepare_cached("DELETE FROM scheduled WHERE owner = ?1 AND id = ?2")?.execute((log.owner.0, run.as_str()))?;
    Ok(())
}

/// What a run that was split off is to do goes with it.
pub(super) fn split(tx: &Transaction<'_>, old: i64, new: i64) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE scheduled SET thread = ?2 WHERE thread = ?1
         AND EXISTS (SELECT 1 FROM runs WHERE runs.thread = ?2 AND runs.owner = scheduled.owner AND runs.id = scheduled.id)",
    )?
    .execute([old, new])?;
    Ok(())
}

/// The runs for which work is scheduled in a thread that is not there, or that have ended.
pub(super) fn misplaced(connection: &Connection, owner: OwnerKey) -> Result<Vec<RunId>, StoreError> {
    let mut statement = connection.prepare(
        "SELECT CAST(id AS BLOB) FROM scheduled WHERE owner = ?3 AND
             (NOT EXISTS (SELECT 1 FROM threads WHERE threads.thread = scheduled.thread AND merged IS NULL
                          AND threads.thread BETWEEN ?1 AND ?2)
              OR EXISTS (SELECT 1 FROM runs WHERE runs.owner = scheduled.owner AND runs.id = scheduled.id AND ended IS NOT NULL))
         ORDER BY id",
    )?;
    let ids = statement.query_map([owner.first(), owner.last(), owner.0], |row| row.get::<_, Vec<u8>>(0))?;
    ids.map(|id| Ok(RunId::new(String::from_utf8_lossy(&id?).into_owned()))).collect()
}
