//! Leases: which run has a thread, and who may write for it.

use std::time::Duration;

use briefing::message::RunId;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use super::append::Log;
use super::ids::{OwnerKey, thread_id};
use super::runs::{self, Found};
use super::schedule;
use super::time::{micros, timestamp};
use crate::{Fence, Lease, LeaseTime, RunEnd, StoreError, Writer};

/// The run for which that writer may write. One that has ended changes nothing more ([`Found::is_open`]).
pub(super) fn admitted(log: &Log<'_>, writer: &Writer) -> Result<Found, StoreError> {
    let found = runs::resolve(log.tx, log.owner, &writer.run)?;
    let fenced = || Err(StoreError::Fenced { run: writer.run.clone() });
    if found.fence != writer.fence.map(|fence| fence.get().cast_signed()) {
        return fenced();
    }
    match found.fence {
        Some(fence) if found.how.is_none() && time_of(log.tx, &found, fence)?.is_none() => fenced(),
        _ => Ok(found),
    }
}

/// The same, where it changes something in any case.
pub(super) fn writes(log: &Log<'_>, writer: &Writer) -> Result<Found, StoreError> {
    let found = admitted(log, writer)?;
    found.is_open(&writer.run)?;
    Ok(found)
}

/// The time of the lease by which a run has its thread with that fence, if nobody else took that.
fn time_of(connection: &Connection, run: &Found, fence: i64) -> Result<Option<LeaseTime>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT renewed, until FROM leases WHERE thread = ?1 AND run = ?2 AND fence = ?3")?;
    Ok(statement.query_one((run.thread, run.key, fence), time).optional()?)
}

/// Reads when a lease was renewed, and until when it is.
fn time(row: &Row<'_>) -> Result<LeaseTime, rusqlite::Error> {
    Ok(LeaseTime::new(timestamp(row.get(0)?), timestamp(row.get(1)?)))
}

/// A time as it is kept.
fn kept(now: Timestamp) -> Timestamp {
    timestamp(micros(now))
}

/// The end of a lease from now on.
fn end_of(now: Timestamp, lasts: Duration) -> i64 {
    let lasts = i64::try_from(lasts.as_micros()).unwrap_or(i64::MAX);
    micros(now).saturating_add(lasts).min(micros(Timestamp::MAX))
}

pub(super) fn take(log: &Log<'_>, run: &RunId, now: Timestamp, lasts: Duration) -> Result<Lease, StoreError> {
    let found = runs::resolve(log.tx, log.owner, run)?;
    found.is_open(run)?;
    held(log.tx, &found, now)?;
    let fence: i64 = log
        .tx
        .prepare_cached("UPDATE owners SET fences = fences + 1 WHERE owner = ?1 RETURNING fences")?
        .query_one([log.owner.0], |row| row.get(0))?;
    let time = LeaseTime::new(kept(now), timestamp(end_of(now, lasts)));
    log.tx
        .prepare_cached("INSERT OR REPLACE INTO leases (thread, run, fence, renewed, until) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute((found.thread, found.key, fence, micros(time.renewed()), micros(time.until())))?;
    log.tx.prepare_cached("UPDATE runs SET fence = ?2, began = coalesce(began, ?3) WHERE run = ?1")?.execute((
        found.key,
        fence,
        micros(now),
    ))?;
    Ok(Lease::new(run.clone(), thread_id(found.thread), Fence::new(fence.cast_unsigned()), time))
}

/// Refuses a thread that some run has now.
fn held(tx: &Transaction<'_>, found: &Found, now: Timestamp) -> Result<(), StoreError> {
    let mut statement =
        tx.prepare_cached("SELECT renewed, until, runs.id FROM leases JOIN runs USING (run) WHERE leases.thread = ?1")?;
    let held = statement.query_one([found.thread], |row| Ok((time(row)?, row.get::<_, String>(2)?))).optional()?;
    match held {
        Some((time, run)) if time.holds_at(kept(now)) => {
            Err(StoreError::Leased { thread: thread_id(found.thread), run: RunId::new(run), until: time.until() })
        }
        _ => Ok(()),
    }
}

pub(super) fn renew(log: &Log<'_>, old: &Lease, now: Timestamp, lasts: Duration) -> Result<Lease, StoreError> {
    let found = writes(log, &old.into())?;
    // What a clock said that was set back since does not count.
    let time = log
        .tx
        .prepare_cached(
            "UPDATE leases SET renewed = ?2, until = CASE WHEN ?2 < renewed THEN ?3 ELSE max(until, ?3) END WHERE run = ?1
             RETURNING renewed, until",
        )?
        .query_one((found.key, micros(now), end_of(now, lasts)), time)?;
    Ok(Lease::new(old.run().clone(), thread_id(found.thread), old.fence(), time))
}

pub(super) fn release(log: &Log<'_>, lease: &Lease) -> Result<(), StoreError> {
    let found = writes(log, &lease.into())?;
    log.tx.prepare_cached("DELETE FROM leases WHERE run = ?1")?.execute([found.key])?;
    Ok(())
}

pub(super) fn end(log: &Log<'_>, writer: &Writer, end: RunEnd, detail: Option<&str>, now: Timestamp) -> Result<(), StoreError> {
    let found = match (end, writer.fence) {
        (RunEnd::Lost, None) => told_lost(log, &writer.run, now)?,
        _ => admitted(log, writer)?,
    };
    if found.how.as_deref() == Some(end.name()) {
        return Ok(());
    }
    found.is_open(&writer.run)?;
    log.tx.prepare_cached("UPDATE runs SET ended = ?2, how = ?3, detail = ?4 WHERE run = ?1")?.execute((
        found.key,
        micros(now),
        end.name(),
        detail,
    ))?;
    log.tx.prepare_cached("DELETE FROM leases WHERE run = ?1")?.execute([found.key])?;
    schedule::ended(log, &writer.run)
}

/// The run that somebody else tells to be lost: it must not have its thread now.
fn told_lost(log: &Log<'_>, run: &RunId, now: Timestamp) -> Result<Found, StoreError> {
    let found = runs::resolve(log.tx, log.owner, run)?;
    if let Some(fence) = found.fence
        && time_of(log.tx, &found, fence)?.is_some()
    {
        held(log.tx, &found, now)?;
    }
    Ok(found)
}

pub(super) fn stop(log: &Log<'_>, run: &RunId, now: Timestamp) -> Result<(), StoreError> {
    let found = runs::resolve(log.tx, log.owner, run)?;
    log.tx
        .prepare_cached("UPDATE runs SET stop = ?2 WHERE run = ?1 AND stop IS NULL AND ended IS NULL")?
        .execute((found.key, micros(now)))?;
    Ok(())
}

pub(super) fn stop_asked(connection: &Connection, owner: OwnerKey, run: &RunId) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM runs WHERE owner = ?1 AND id = ?2 AND stop IS NOT NULL")?;
    Ok(statement.exists((owner.0, run.as_str()))?)
}

/// One thread of two: of two leases the one that ends later stays, and whose run has the other is fenced off.
pub(super) fn merge(tx: &Transaction<'_>, from: i64, into: i64) -> Result<(), StoreError> {
    const STEPS: [&str; 3] = [
        "DELETE FROM leases WHERE thread = ?2 AND until < (SELECT until FROM leases WHERE thread = ?1)",
        "UPDATE OR IGNORE leases SET thread = ?2 WHERE thread = ?1",
        "DELETE FROM leases WHERE thread = ?1 AND ?2 = ?2",
    ];
    for step in STEPS {
        tx.prepare_cached(step)?.execute([from, into])?;
    }
    Ok(())
}

/// A run that was split off takes its lease along.
pub(super) fn split(tx: &Transaction<'_>, old: i64, new: i64) -> Result<(), StoreError> {
    let moved = "UPDATE leases SET thread = ?2 WHERE thread = ?1 AND run IN (SELECT run FROM runs WHERE thread = ?2)";
    tx.prepare_cached(moved)?.execute([old, new])?;
    Ok(())
}
