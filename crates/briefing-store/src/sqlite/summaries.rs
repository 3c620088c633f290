//! Runs as lists show them, and all rounds of one.

use std::collections::HashMap;

use briefing::log::{Cause, RecordedOutcome, RecordedRound, Run};
use briefing::message::RunId;
use rusqlite::{Connection, OptionalExtension, Row};

use super::ids::{OwnerKey, entry_id, number, thread_id};
use super::threads::limit;
use super::time::timestamp;
use super::{bodies, requests, rows, runs, threads};
use crate::{Ended, LeaseTime, RunEnd, RunNumber, RunSummary, RunsOf, StoreError};

/// Reads a run, from that column on: [`RUN`].
pub(super) fn run(row: &Row<'_>, first: usize) -> Result<Run, rusqlite::Error> {
    let cause = match row.get::<_, Option<i64>>(first + 3)? {
        Some(answers) => Cause::Message(entry_id(answers)),
        None => Cause::Responsibility(row.get::<_, Option<String>>(first + 4)?.unwrap_or_default()),
    };
    Ok(Run {
        id: RunId::new(row.get::<_, String>(first)?),
        thread: thread_id(row.get(first + 1)?),
        persona: row.get::<_, String>(first + 2)?.into(),
        cause,
    })
}

/// The columns of a run.
pub(super) const RUN: &str = "runs.id, runs.thread, runs.persona, runs.answers, runs.responsibility";

fn columns() -> String {
    format!(
        "{RUN}, runs.run, runs.began, runs.ended, runs.how, runs.detail,
         (SELECT count(*) FROM rounds WHERE rounds.run = runs.run),
         (SELECT renewed FROM leases WHERE leases.run = runs.run), (SELECT until FROM leases WHERE leases.run = runs.run),
         (SELECT at FROM scheduled WHERE scheduled.owner = runs.owner AND scheduled.id = runs.id), {}",
        requests::SPENT
    )
}

fn summary(row: &Row<'_>) -> Result<(RunSummary, Option<String>), rusqlite::Error> {
    let time = |column| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(column)?.map(timestamp));
    let how: Option<String> = row.get(8)?;
    let end = match (time(7)?, how.as_deref().and_then(RunEnd::from_name)) {
        (Some(at), Some(how)) => Some(Ended { how, detail: row.get(9)?, at }),
        _ => None,
    };
    let summary = RunSummary {
        number: RunNumber::new(number(row.get(5)?)),
        run: run(row, 0)?,
        began: time(6)?,
        end,
        rounds: row.get(10)?,
        lease: time(11)?.zip(time(12)?).map(|(renewed, until)| LeaseTime::new(renewed, until)),
        due: time(13)?,
        spent: requests::spent(row, 14)?,
    };
    Ok((summary, how))
}

/// An end that nobody knows is damage.
fn known((summary, how): (RunSummary, Option<String>)) -> Result<RunSummary, StoreError> {
    if how.is_some() == summary.end.is_some() {
        return Ok(summary);
    }
    Err(StoreError::Corrupt { detail: format!("the end of run {} cannot be read", summary.run.id) })
}

pub(super) fn one(connection: &Connection, owner: OwnerKey, run: &RunId) -> Result<Option<RunSummary>, StoreError> {
    let sql = format!("SELECT {} FROM runs WHERE runs.owner = ?1 AND runs.id = ?2", columns());
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_one((owner.0, run.as_str()), summary).optional()?.map(known).transpose()
}

pub(super) fn list(connection: &Connection, owner: OwnerKey, of: RunsOf) -> Result<Vec<RunSummary>, StoreError> {
    let key = match of.thread {
        Some(thread) => match threads::find(connection, owner, thread)? {
            Some(thread) => thread,
            None => return Ok(Vec::new()),
        },
        None => owner.0,
    };
    // Each is a range of an index of its own.
    let range = match (of.thread, of.open) {
        (Some(_), false) => "runs.thread = ?1",
        (Some(_), true) => "runs.thread = ?1 AND runs.began IS NOT NULL AND runs.ended IS NULL",
        (None, false) => "runs.run >= ?1 << 40",
        (None, true) => "runs.owner = ?1 AND runs.began IS NOT NULL AND runs.ended IS NULL",
    };
    let sql = format!("SELECT {} FROM runs WHERE {range} AND runs.run < ?2 ORDER BY runs.run DESC LIMIT ?3", columns());
    let before = of.before.and_then(|number| owner.key(number.get())).unwrap_or(owner.last().saturating_add(1));
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_map((key, before, limit(of.count)), summary)?.collect::<Result<Vec<_>, _>>()?;
    found.into_iter().map(known).collect()
}

/// All rounds of a run in their order, in two reads.
pub(super) fn rounds(connection: &Connection, owner: OwnerKey, run: &RunId) -> Result<Vec<RecordedRound>, StoreError> {
    let Some(run) = runs::find(connection, owner, run)? else { return Ok(Vec::new()) };
    let mut outcomes: HashMap<i64, Vec<RecordedOutcome>> = HashMap::new();
    let mut statement = connection.prepare_cached("SELECT round, entry, body FROM outcomes WHERE run = ?1 ORDER BY entry")?;
    let mut found = statement.query([run.key])?;
    while let Some(row) = found.next()? {
        let entry = row.get(1)?;
        // One that cannot be read is as one that was never recorded.
        let Ok(outcome) = rows::outcome(entry, bodies::text(row, 2)?) else { continue };
        outcomes.entry(row.get(0)?).or_default().push(RecordedOutcome { entry: entry_id(entry), outcome });
    }
    let mut statement = connection.prepare_cached("SELECT entry, said FROM rounds WHERE run = ?1 ORDER BY turn")?;
    let mut found = statement.query([run.key])?;
    let mut rounds = Vec::new();
    while let Some(row) = found.next()? {
        let entry = row.get(0)?;
        rounds.push(RecordedRound {
            beside: None,
            entry: entry_id(entry),
            said: rows::said(entry, bodies::text(row, 1)?)?,
            outcomes: outcomes.remove(&entry).unwrap_or_default(),
        });
    }
    Ok(rounds)
}
