//! The answers of runs.

use briefing::message::{EntryId, RunId};
use rusqlite::{Connection, OptionalExtension};

use super::append::Log;
use super::ids::{OwnerKey, entry_id};
use super::rows;
use super::runs::Found;
use crate::StoreError;

/// Refuses a run that has an answer.
pub(super) fn has_none(log: &Log<'_>, run: &RunId) -> Result<(), StoreError> {
    match of_run(log.tx, log.owner, run)? {
        Some(entry) => Err(StoreError::Answered { run: run.clone(), entry }),
        None => Ok(()),
    }
}

/// Records what a run wrote as its answer.
pub(super) fn record(log: &Log<'_>, run: &Found, entry: i64) -> Result<(), StoreError> {
    log.tx.prepare_cached("UPDATE runs SET answer = ?2 WHERE run = ?1")?.execute((run.key, entry))?;
    Ok(())
}

pub(super) fn of_run(connection: &Connection, owner: OwnerKey, run: &RunId) -> Result<Option<EntryId>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT answer FROM runs WHERE owner = ?1 AND id = ?2")?;
    let found: Option<Option<i64>> = statement.query_one((owner.0, run.as_str()), |row| row.get(0)).optional()?;
    Ok(found.flatten().map(entry_id))
}

/// The answers that stand, of a persona's runs for that message. A run stands beside what it answers, wherever that is.
pub(super) fn to(
    connection: &Connection,
    owner: OwnerKey,
    message: EntryId,
    persona: &str,
) -> Result<Vec<(RunId, EntryId)>, StoreError> {
    let Some(message) = owner.entry(message) else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT runs.id, runs.answer FROM places JOIN runs USING (run) JOIN members ON members.entry = runs.answer
         WHERE places.entry = ?1 AND places.persona = ?2 AND runs.answers = ?1 AND members.kind NOT IN (?3, ?4)
         ORDER BY places.run",
    )?;
    let found = statement.query_map((message, persona.to_ascii_lowercase(), rows::ERASED, rows::POPPED), |row| {
        Ok((RunId::new(row.get::<_, String>(0)?), entry_id(row.get(1)?)))
    })?;
    Ok(found.collect::<Result<_, _>>()?)
}
