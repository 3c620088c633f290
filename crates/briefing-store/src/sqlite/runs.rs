//! Runs, their rounds and outcomes.

use std::collections::HashMap;

use briefing::log::{Cause, RecordedOutcome, RecordedRound, Run};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Outcome, RunId, message_to_json};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use std::sync::Arc;

use super::append::Log;
use super::ids::{OwnerKey, entry_id, number};
use super::time::micros;
use super::{forks, leases, rows, summaries, threads};
use crate::{ImportedRound, Key, StoreError, Writer};

/// A run while it writes.
pub(super) struct Found {
    pub(super) key: i64,
    pub(super) thread: i64,
    last_at: i64,
    /// Of its last lease.
    pub(super) fence: Option<i64>,
    /// Its name, if it has ended.
    pub(super) how: Option<String>,
}

impl Found {
    pub(super) fn last_at(&self) -> i64 {
        self.last_at
    }

    /// Refuses what a run that has ended would change.
    pub(super) fn is_open(&self, run: &RunId) -> Result<(), StoreError> {
        if self.how.is_none() { Ok(()) } else { Err(StoreError::RunEnded { run: run.clone() }) }
    }
}

pub(super) fn find(connection: &Connection, owner: OwnerKey, id: &RunId) -> Result<Option<Found>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT run, thread, last_at, fence, how FROM runs WHERE owner = ?1 AND id = ?2")?;
    let found = statement.query_one((owner.0, id.as_str()), |row| {
        Ok(Found { key: row.get(0)?, thread: row.get(1)?, last_at: row.get(2)?, fence: row.get(3)?, how: row.get(4)? })
    });
    Ok(found.optional()?)
}

pub(super) fn resolve(connection: &Connection, owner: OwnerKey, id: &RunId) -> Result<Found, StoreError> {
    find(connection, owner, id)?.ok_or_else(|| StoreError::UnknownRun { run: id.clone() })
}

/// The key and the time of an entry that is not erased.
fn living(log: &Log<'_>, entry: EntryId) -> Result<(i64, i64), StoreError> {
    let unknown = StoreError::UnknownEntry { entry };
    let Some(key) = log.owner.entry(entry) else { return Err(unknown) };
    let mut statement = log.tx.prepare_cached("SELECT at FROM entries WHERE entry = ?1 AND erased IS NULL")?;
    let at = statement.query_one([key], |row| row.get(0)).optional()?;
    at.map(|at| (key, at)).ok_or(unknown)
}

pub(super) fn begin(log: &Log<'_>, run: &Run) -> Result<(), StoreError> {
    let thread = threads::resolve(log.tx, log.owner, run.thread)?;
    if find(log.tx, log.owner, &run.id)?.is_some() {
        return Err(StoreError::RunBegun { run: run.id.clone() });
    }
    let (answers, responsibility, last_at) = match &run.cause {
        Cause::Message(entry) => {
            let (key, at) = living(log, *entry)?;
            (Some(key), None, at)
        }
        Cause::Responsibility(name) => (None, Some(name), micros(Timestamp::MIN)),
    };
    let mut statement = log.tx.prepare_cached("UPDATE owners SET runs = runs + 1 WHERE owner = ?1 RETURNING runs - 1")?;
    let next: i64 = statement.query_one([log.owner.0], |row| row.get(0))?;
    let key = log.owner.key(next.cast_unsigned()).ok_or(StoreError::TooMany { what: "runs" })?;
    let hash = hash(run.id.as_str(), &run.persona, answers, responsibility.map(String::as_str));
    log.tx
        .prepare_cached(
            "INSERT INTO runs (run, owner, id, thread, persona, answers, responsibility, last_at, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute((key, log.owner.0, run.id.as_str(), thread, &run.persona, answers, responsibility, last_at, hash))?;
    match answers {
        Some(answers) => put_beside(log, answers, &run.persona, key).map(|_| ()),
        None => Ok(()),
    }
}

fn hash(id: &str, persona: &str, answers: Option<i64>, responsibility: Option<&str>) -> [u8; 32] {
    let answers = answers.map(|entry| number(entry).to_le_bytes());
    let answers = answers.as_ref().map(<[u8; 8]>::as_slice);
    rows::hash(rows::RUN, &[Some(id.as_bytes()), Some(persona.as_bytes()), answers, responsibility.map(str::as_bytes)])
}

/// The runs of an owner that are not what was begun.
pub(super) fn altered(connection: &Connection, owner: OwnerKey) -> Result<Vec<i64>, StoreError> {
    let mut statement =
        connection.prepare("SELECT run, id, persona, answers, responsibility, hash FROM runs WHERE run BETWEEN ?1 AND ?2")?;
    let mut rows = statement.query([owner.first(), owner.last()])?;
    let mut altered = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |column| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
        let begun = match (text(1), text(2), text(4)) {
            (Ok(Some(id)), Ok(Some(persona)), Ok(responsibility)) => hash(id, persona, row.get(3)?, responsibility),
            _ => [0; 32],
        };
        if row.get::<_, [u8; 32]>(5)? != begun {
            altered.push(row.get(0)?);
        }
    }
    Ok(altered)
}

/// Whether it did not stand there before.
fn put_beside(log: &Log<'_>, entry: i64, persona: &str, run: i64) -> Result<bool, StoreError> {
    let mut insert =
        log.tx.prepare_cached("INSERT INTO places (entry, persona, run) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?;
    Ok(insert.execute((entry, persona.to_ascii_lowercase(), run))? > 0)
}

pub(super) fn wrote(log: &Log<'_>, writer: &Writer, entry: EntryId) -> Result<(), StoreError> {
    let found = leases::admitted(log, writer)?;
    let (entry, _) = living(log, entry)?;
    // What changes nothing may be done once more.
    if record_wrote(log, &found, entry)? { found.is_open(&writer.run) } else { Ok(()) }
}

/// A run has written an entry of its own.
pub(super) fn wrote_at(log: &Log<'_>, run: &Found, entry: i64, at: i64) -> Result<(), StoreError> {
    log.tx.prepare_cached("UPDATE runs SET last_at = ?2 WHERE run = ?1")?.execute((run.key, at))?;
    record_wrote(log, run, entry)?;
    Ok(())
}

/// Whether it was not recorded before.
fn record_wrote(log: &Log<'_>, run: &Found, entry: i64) -> Result<bool, StoreError> {
    let mut statement = log.tx.prepare_cached("SELECT persona, answers IS NULL FROM runs WHERE run = ?1")?;
    let (persona, scheduled): (String, bool) = statement.query_one([run.key], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if scheduled { put_beside(log, entry, &persona, run.key) } else { Ok(false) }
}

pub(super) fn append_round(
    log: &mut Log<'_>,
    writer: &Writer,
    turn: u32,
    mut said: Assistant,
    now: Timestamp,
) -> Result<RecordedRound, StoreError> {
    let run = leases::admitted(log, writer)?;
    if let Some(before) = round(log, &run, turn)? {
        // The numbers of repeated ids were given when it was appended.
        return if unnumbered(&before.said) == unnumbered(&said) {
            Ok(before)
        } else {
            Err(StoreError::RoundRecorded { run: writer.run.clone(), index: turn })
        };
    }
    run.is_open(&writer.run)?;
    for item in &mut said.items {
        if let Item::Call(call) = item {
            let times = count_call(log, run.thread, call.id.given())?;
            call.id = call.id.repeated(times);
        }
    }
    let said = Arc::new(said);
    let body = message_to_json(&ModelMessage::Assistant(Arc::clone(&said)));
    let hash =
        rows::hash(rows::ROUND, &[Some(&number(run.key).to_le_bytes()), Some(&turn.to_le_bytes()), Some(body.as_bytes())]);
    let entry = write(log, &run, rows::ROUND, &hash, now)?;
    log.tx
        .prepare_cached("INSERT INTO rounds (entry, run, turn, said) VALUES (?1, ?2, ?3, ?4)")?
        .execute((entry, run.key, turn, body))?;
    let mut calls = log
        .tx
        .prepare_cached("INSERT INTO calls (run, given, repeats, round) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")?;
    for call in said.calls() {
        calls.execute((run.key, call.id.given(), call.id.repeat(), entry))?;
    }
    Ok(RecordedRound { beside: None, entry: entry_id(entry), said, outcomes: Vec::new() })
}

/// The round of that index, if it is there.
fn round(log: &Log<'_>, run: &Found, turn: u32) -> Result<Option<RecordedRound>, StoreError> {
    let mut statement = log.tx.prepare_cached("SELECT entry, said FROM rounds WHERE run = ?1 AND turn = ?2")?;
    let found = statement.query_one((run.key, turn), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))).optional()?;
    let Some((entry, said)) = found else { return Ok(None) };
    let mut statement =
        log.tx.prepare_cached("SELECT entry, body FROM outcomes WHERE run = ?1 AND round = ?2 ORDER BY entry")?;
    let mut outcomes = Vec::new();
    let mut rows = statement.query((run.key, entry))?;
    while let Some(row) = rows.next()? {
        let outcome = row.get(0)?;
        let body = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        outcomes.push(RecordedOutcome { entry: entry_id(outcome), outcome: rows::outcome(outcome, body)? });
    }
    Ok(Some(RecordedRound { beside: None, entry: entry_id(entry), said: rows::said(entry, &said)?, outcomes }))
}

/// What a model said, without the numbers of repeated ids.
fn unnumbered(said: &Assistant) -> Assistant {
    let mut said = said.clone();
    for item in &mut said.items {
        if let Item::Call(call) = item {
            call.id = call.id.repeated(0);
        }
    }
    said
}

/// Records a whole run, unless it was begun before, or was imported and is forgotten.
pub(super) fn import(log: &mut Log<'_>, run: &Run, rounds: Vec<ImportedRound>, at: Timestamp) -> Result<bool, StoreError> {
    let key = Key::new(&format!("run {}", run.id));
    let known =
        log.tx.prepare_cached("SELECT 1 FROM keys WHERE owner = ?1 AND key = ?2")?.exists((log.owner.0, key.as_bytes()))?;
    if known || find(log.tx, log.owner, &run.id)?.is_some() {
        return Ok(false);
    }
    begin(log, run)?;
    let first = log.next_entry();
    let writer = Writer::new(run.id.clone());
    for round in rounds {
        let recorded = append_round(log, &writer, round.index, round.said, at)?;
        for (call, outcome) in recorded.said.calls().zip(round.outcomes) {
            if let Some(outcome) = outcome {
                append_outcome(log, &writer, Outcome { call: call.id.clone(), ..outcome }, at)?;
            }
        }
    }
    // The key stays when the run is forgotten, with the tombstone of the first that it wrote.
    if let Some(first) = first.filter(|first| log.next_entry() != Some(*first)) {
        log.keep_key(&key, first)?;
    }
    Ok(true)
}

/// How many calls of the thread were given that id before. The first of a fork goes on from the threads that it goes on from, so
/// that no number stands twice in what it shows.
fn count_call(log: &Log<'_>, thread: i64, given: &str) -> Result<u32, StoreError> {
    let hash = blake3::hash(given.as_bytes());
    let hash = hash.as_bytes().first_chunk::<16>();
    let mut again =
        log.tx.prepare_cached("UPDATE call_ids SET times = times + 1 WHERE thread = ?1 AND given = ?2 RETURNING times - 1")?;
    if let Some(times) = again.query_one((thread, hash), |row| row.get(0)).optional()? {
        return Ok(times);
    }
    let mut before: u32 = 0;
    let mut others = log.tx.prepare_cached("SELECT times FROM call_ids WHERE thread = ?1 AND given = ?2")?;
    for reach in forks::reach(log.tx, thread)?.iter().skip(1) {
        let times: Option<u32> = others.query_one((reach.thread, hash), |row| row.get(0)).optional()?;
        before = before.max(times.unwrap_or_default());
    }
    log.tx.prepare_cached("INSERT INTO call_ids (thread, given, times) VALUES (?1, ?2, ?3)")?.execute((
        thread,
        hash,
        before.saturating_add(1),
    ))?;
    Ok(before)
}

pub(super) fn append_outcome(
    log: &mut Log<'_>,
    writer: &Writer,
    outcome: Outcome,
    now: Timestamp,
) -> Result<EntryId, StoreError> {
    let found = leases::writes(log, writer)?;
    let (given, repeats) = (outcome.call.given(), outcome.call.repeat());
    let round: Option<i64> = log
        .tx
        .prepare_cached("SELECT round FROM calls WHERE run = ?1 AND given = ?2 AND repeats = ?3")?
        .query_one((found.key, given, repeats), |row| row.get(0))
        .optional()?;
    let Some(round) = round else {
        return Err(StoreError::UnknownCall { run: writer.run.clone(), call: outcome.call.to_string() });
    };
    let body = message_to_json(&ModelMessage::Tool(Arc::new(outcome)));
    let hash = rows::hash(rows::OUTCOME, &[Some(&number(round).to_le_bytes()), Some(body.as_bytes())]);
    let entry = write(log, &found, rows::OUTCOME, &hash, now)?;
    log.tx
        .prepare_cached("INSERT INTO outcomes (entry, run, round, body) VALUES (?1, ?2, ?3, ?4)")?
        .execute((entry, found.key, round, body))?;
    Ok(entry_id(entry))
}

/// What a run writes has the time of now, and never one before what it wrote last.
fn write(log: &mut Log<'_>, run: &Found, kind: i64, hash: &[u8; 32], now: Timestamp) -> Result<i64, StoreError> {
    let at = micros(now).max(run.last_at);
    let entry = log.push(run.thread, at, (kind, ""), hash)?;
    log.tx.prepare_cached("UPDATE runs SET last_at = ?2 WHERE run = ?1")?.execute((run.key, at))?;
    Ok(entry)
}

/// The rounds of a persona's runs beside those entries, in two bulk reads.
pub(super) fn beside(
    connection: &Connection,
    owner: OwnerKey,
    persona: &str,
    entries: &[EntryId],
) -> Result<Vec<RecordedRound>, StoreError> {
    let keys: Vec<i64> = entries.iter().filter_map(|entry| owner.entry(*entry)).collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let (keys, persona) = (rows::list(&keys), persona.to_ascii_lowercase());
    let outcomes = outcomes(connection, &keys, &persona)?;
    let mut statement = connection.prepare_cached(
        "SELECT places.entry, rounds.entry, rounds.said FROM places JOIN rounds USING (run)
         WHERE places.entry IN (SELECT value FROM json_each(?1)) AND places.persona = ?2
         ORDER BY places.run, places.entry, rounds.turn, rounds.entry",
    )?;
    let mut found = statement.query((&keys, &persona))?;
    let mut rounds = Vec::new();
    while let Some(row) = found.next()? {
        let entry = row.get(1)?;
        rounds.push(RecordedRound {
            beside: Some(entry_id(row.get(0)?)),
            entry: entry_id(entry),
            said: rows::said(entry, row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
            // A run that stands beside two entries tells its outcomes beside both.
            outcomes: outcomes.get(&entry).cloned().unwrap_or_default(),
        });
    }
    Ok(rounds)
}

fn outcomes(connection: &Connection, keys: &str, persona: &str) -> Result<HashMap<i64, Vec<RecordedOutcome>>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT outcomes.round, outcomes.entry, outcomes.body FROM outcomes WHERE outcomes.run IN
             (SELECT run FROM places WHERE entry IN (SELECT value FROM json_each(?1)) AND persona = ?2)
         ORDER BY outcomes.run, outcomes.entry",
    )?;
    let mut found = statement.query((keys, persona))?;
    let mut outcomes: HashMap<i64, Vec<RecordedOutcome>> = HashMap::new();
    while let Some(row) = found.next()? {
        let entry = row.get(1)?;
        // One that cannot be read is as one that was never recorded.
        let Ok(outcome) = rows::outcome(entry, row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?) else { continue };
        outcomes.entry(row.get(0)?).or_default().push(RecordedOutcome { entry: entry_id(entry), outcome });
    }
    Ok(outcomes)
}

/// The run of a round or an outcome, and the index of the round.
pub(super) fn of_entry(connection: &Connection, entry: i64) -> Result<Option<(Run, u32)>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {}, rounds.turn FROM rounds JOIN runs USING (run)
         WHERE rounds.entry = coalesce((SELECT round FROM outcomes WHERE entry = ?1), ?1)",
        summaries::RUN
    ))?;
    Ok(statement.query_one([entry], |row| Ok((summaries::run(row, 0)?, row.get(5)?))).optional()?)
}
