//! Threads that go on from another one. Nothing is copied: a fork reads what it has itself, and a beginning of its parent.

use briefing::message::{EntryId, ThreadId};
use rusqlite::{Connection, OptionalExtension, Transaction};

use super::append::Log;
use super::back::{Reach, Spot};
use super::ids::{entry_id, thread_id};
use super::threads;
use crate::StoreError;

/// The most threads that one reads, itself counted.
pub(super) const MOST: usize = 101;

/// A thread that was forked off another one.
struct Fork {
    thread: i64,
    parent: i64,
    at: Spot,
    next: i64,
}

const COLUMNS: &str = "thread, parent, at, entry, next";

fn fork_of(row: &rusqlite::Row<'_>) -> Result<Fork, rusqlite::Error> {
    Ok(Fork { thread: row.get(0)?, parent: row.get(1)?, at: (row.get(2)?, row.get(3)?), next: row.get(4)? })
}

impl Fork {
    fn find(connection: &Connection, thread: i64) -> Result<Option<Self>, StoreError> {
        let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM forks WHERE thread = ?1"))?;
        Ok(statement.query_one([thread], fork_of).optional()?)
    }

    /// Those of a thread, in the order they were made.
    fn all_of(connection: &Connection, parent: i64) -> Result<Vec<Self>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM forks WHERE parent = ?1 ORDER BY thread");
        let mut statement = connection.prepare_cached(&sql)?;
        Ok(statement.query_map([parent], fork_of)?.collect::<Result<_, _>>()?)
    }

    fn told(&self) -> StoreError {
        StoreError::Forked { entry: entry_id(self.at.1), fork: thread_id(self.thread) }
    }

    /// Whether it would show more than it does, if it went on from what shows that.
    fn would_show(&self, connection: &Connection, parts: &[Reach]) -> Result<bool, StoreError> {
        let reach = reach(connection, self.thread)?;
        let mut statement = connection.prepare_cached(
            "SELECT 1 FROM members WHERE thread = ?1 AND (at, entry) < (?2, ?3) AND entry < ?4
                 AND NOT ((at, entry) < (?5, ?6) AND entry < ?7) LIMIT 1",
        )?;
        for part in parts {
            let now = reach.iter().find(|shown| shown.thread == part.thread);
            let (shown, below) = now.map_or(((i64::MIN, i64::MIN), i64::MIN), |shown| (shown.before, shown.next));
            let (before, next) = (self.before().min(part.before), self.next.min(part.next));
            if statement.exists((part.thread, before.0, before.1, next, shown.0, shown.1, below))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What stands before that is what it shows of its parent.
    fn before(&self) -> Spot {
        (self.at.0, self.at.1.saturating_add(1))
    }
}

/// What a thread shows: its own members, and a beginning of each thread that it goes on from, the nearest first. None reaches
/// further than the one before it.
pub(super) fn reach(connection: &Connection, thread: i64) -> Result<Vec<Reach>, StoreError> {
    let mut reach = vec![Reach::all_of(thread)];
    let mut last = Reach::all_of(thread);
    // More are not made, so that a ring of damaged rows has an end.
    while reach.len() < MOST
        && let Some(fork) = Fork::find(connection, last.thread)?
    {
        last = Reach { thread: fork.parent, before: last.before.min(fork.before()), next: last.next.min(fork.next) };
        reach.push(last);
    }
    Ok(reach)
}

/// The place of an entry, if it is one that such a thread shows.
pub(super) fn shown(connection: &Connection, reach: &[Reach], entry: i64) -> Result<Option<Spot>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT thread, at FROM members WHERE entry = ?1")?;
    let found = statement.query_one([entry], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).optional()?;
    let Some((thread, at)) = found else { return Ok(None) };
    let shows = |reach: &Reach| reach.thread == thread && (at, entry) < reach.before && entry < reach.next;
    Ok(reach.iter().any(shows).then_some((at, entry)))
}

/// Opens a thread that goes on from an entry which `thread` shows.
pub(super) fn fork(log: &mut Log<'_>, thread: ThreadId, entry: EntryId) -> Result<i64, StoreError> {
    let parent = threads::resolve(log.tx, log.owner, thread)?;
    let reach = reach(log.tx, parent)?;
    let spot = log.owner.entry(entry).map_or(Ok(None), |key| shown(log.tx, &reach, key))?;
    let Some(spot) = spot else { return Err(StoreError::UnknownEntry { entry }) };
    if reach.len() >= MOST {
        return Err(StoreError::TooMany { what: "forks of forks" });
    }
    let next = log.next_entry().unwrap_or(i64::MAX);
    let new = log.open_thread()?;
    keep(log.tx, &Fork { thread: new, parent, at: spot, next })?;
    Ok(new)
}

fn keep(tx: &Transaction<'_>, fork: &Fork) -> Result<(), StoreError> {
    tx.prepare_cached("INSERT INTO forks (thread, parent, at, entry, next) VALUES (?1, ?2, ?3, ?4, ?5)")?.execute((
        fork.thread,
        fork.parent,
        fork.at.0,
        fork.at.1,
        fork.next,
    ))?;
    Ok(())
}

/// Whether all of `from` can go to `into` and every other thread still reads what it did.
pub(super) fn may_merge(tx: &Transaction<'_>, from: i64, into: i64) -> Result<(), StoreError> {
    let target = reach(tx, into)?;
    // Who asks for it by its number reads `into` from then on: that must show what it went on from.
    if let Some(fork) = Fork::find(tx, from)? {
        let covered = |part: &Reach| {
            target.iter().any(|other| other.thread == part.thread && other.before >= part.before && other.next >= part.next)
        };
        if !reach(tx, from)?.iter().skip(1).all(covered) {
            return Err(fork.told());
        }
    }
    // A thread may become one with a fork of its own, but not with one of a fork.
    for reach in target.iter().skip(1) {
        if let Some(fork) = Fork::find(tx, reach.thread)?.filter(|fork| fork.parent == from) {
            return Err(fork.told());
        }
    }
    for (parent, other, parts) in [(from, into, target), (into, from, vec![Reach::all_of(from)])] {
        for fork in Fork::all_of(tx, parent)?.iter().filter(|fork| fork.thread != other) {
            if fork.would_show(tx, &parts)? {
                return Err(fork.told());
            }
        }
    }
    Ok(())
}

/// What went on from `from` goes on from `into`; to be done when that has its entries.
pub(super) fn merged(tx: &Transaction<'_>, from: i64, into: i64) -> Result<(), StoreError> {
    let own = Fork::find(tx, from)?;
    let was_its_fork = Fork::find(tx, into)?.is_some_and(|fork| fork.parent == from);
    tx.prepare_cached("DELETE FROM forks WHERE thread = ?1")?.execute([from])?;
    if was_its_fork {
        // It has what it went on from, and goes on from what that did.
        tx.prepare_cached("DELETE FROM forks WHERE thread = ?1")?.execute([into])?;
        if let Some(own) = own {
            keep(tx, &Fork { thread: into, ..own })?;
        }
    }
    tx.prepare_cached("UPDATE forks SET parent = ?2 WHERE parent = ?1")?.execute([from, into])?;
    Ok(())
}

/// Whether what was split off a thread at an entry was read by none of its forks.
pub(super) fn was_unread(tx: &Transaction<'_>, old: i64, new: i64, entry: i64) -> Result<(), StoreError> {
    for fork in Fork::all_of(tx, old)? {
        if fork.would_show(tx, &[Reach::all_of(new)])? {
            return Err(StoreError::Forked { entry: entry_id(entry), fork: thread_id(fork.thread) });
        }
    }
    Ok(())
}

/// Whether a thread is read by another one.
pub(super) fn is_forked(connection: &Connection, thread: i64) -> Result<bool, StoreError> {
    Ok(connection.prepare_cached("SELECT 1 FROM forks WHERE parent = ?1 LIMIT 1")?.exists([thread])?)
}

/// The forks of an owner that do not go on from an entry which their parent shows.
pub(super) fn dangling(connection: &Connection, first: i64, last: i64) -> Result<Vec<i64>, StoreError> {
    let mut statement =
        connection.prepare(&format!("SELECT {COLUMNS} FROM forks WHERE thread BETWEEN ?1 AND ?2 ORDER BY thread"))?;
    let forks = statement.query_map([first, last], fork_of)?.collect::<Result<Vec<_>, _>>()?;
    let mut is_thread =
        connection.prepare("SELECT 1 FROM threads WHERE thread = ?1 AND merged IS NULL AND thread BETWEEN ?2 AND ?3")?;
    let mut dangling = Vec::new();
    for fork in forks {
        let reach = reach(connection, fork.thread)?;
        let whole = is_thread.exists((fork.thread, first, last))?
            && is_thread.exists((fork.parent, first, last))?
            && !reach.iter().skip(1).any(|parent| parent.thread == fork.thread)
            && shown(connection, reach.get(1..).unwrap_or_default(), fork.at.1)? == Some(fork.at)
            && fork.at.1 < fork.next;
        if !whole {
            dangling.push(fork.thread);
        }
    }
    Ok(dangling)
}
