//! What a run did and asked: its steps, its requests and what it spent.

use briefing::message::RunId;
use jiff::Timestamp;
use rusqlite::Connection;

use super::append::{Hashed, Log, Shelf};
use super::files::{self, Content};
use super::ids::{OwnerKey, number};
use super::time::{micros, timestamp};
use super::{leases, rows, runs};
use crate::blobs::{BlobHash, Blobs};
use crate::{KeptRequest, RunRequest, Spent, Step, StoreError, Writer};

/// The longest key of a step.
const STEP_BYTES: usize = 200;

pub(super) fn begin_step(log: &Log<'_>, writer: &Writer, key: &str, now: Timestamp) -> Result<Step, StoreError> {
    if key.len() > STEP_BYTES {
        return Err(StoreError::TooLarge { what: "a step's key", most: STEP_BYTES });
    }
    let run = leases::admitted(log, writer)?;
    if log.tx.prepare_cached("SELECT 1 FROM steps WHERE run = ?1 AND step = ?2")?.exists((run.key, key))? {
        return Ok(Step::Again);
    }
    run.is_open(&writer.run)?;
    log.tx
        .prepare_cached(
            "INSERT INTO steps (run, number, step, at)
             SELECT ?1, coalesce(max(number) + 1, 0), ?2, ?3 FROM steps WHERE run = ?1",
        )?
        .execute((run.key, key, micros(now)))?;
    Ok(Step::First)
}

pub(super) fn steps(connection: &Connection, owner: OwnerKey, run: &RunId) -> Result<Vec<(String, Timestamp)>, StoreError> {
    let Some(run) = runs::find(connection, owner, run)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached("SELECT step, at FROM steps WHERE run = ?1 ORDER BY number")?;
    let steps = statement.query_map([run.key], |row| Ok((row.get(0)?, timestamp(row.get(1)?))))?;
    Ok(steps.collect::<Result<_, _>>()?)
}

/// The columns of [`Spent`], in the order of [`amounts`].
pub(super) const SPENT: &str = "runs.requests, runs.input, runs.output, runs.cache_read, runs.cache_written, runs.reasoning";

fn amounts(spent: Spent) -> [u64; 6] {
    let Spent { requests, input, output, cache_read, cache_written, reasoning } = spent;
    [requests, input, output, cache_read, cache_written, reasoning]
}

/// Reads them, from that column on.
pub(super) fn spent(row: &rusqlite::Row<'_>, first: usize) -> Result<Spent, rusqlite::Error> {
    let amount = |column: usize| Ok::<_, rusqlite::Error>(row.get::<_, i64>(first + column)?.cast_unsigned());
    Ok(Spent {
        requests: amount(0)?,
        input: amount(1)?,
        output: amount(2)?,
        cache_read: amount(3)?,
        cache_written: amount(4)?,
        reasoning: amount(5)?,
    })
}

pub(super) fn spend(log: &Log<'_>, writer: &Writer, more: Spent) -> Result<(), StoreError> {
    let run = leases::writes(log, writer)?;
    let before = log
        .tx
        .prepare_cached(&format!("SELECT {SPENT} FROM runs WHERE run = ?1"))?
        .query_one([run.key], |row| spent(row, 0))?;
    let mut sums = amounts(more);
    for (sum, before) in sums.iter_mut().zip(amounts(before)) {
        // A row holds no greater number.
        *sum = sum.saturating_add(before).min(i64::MAX.cast_unsigned());
    }
    let [requests, input, output, cache_read, cache_written, reasoning] = sums.map(u64::cast_signed);
    log.tx
        .prepare_cached(
            "UPDATE runs SET requests = ?2, input = ?3, output = ?4, cache_read = ?5, cache_written = ?6, reasoning = ?7
             WHERE run = ?1",
        )?
        .execute((run.key, requests, input, output, cache_read, cache_written, reasoning))?;
    Ok(())
}

/// A request's own columns.
struct RequestRow {
    number: u32,
    at: i64,
    wire: String,
    model: String,
    round: u32,
    receipt: String,
    inputs: String,
}

impl RequestRow {
    fn hash(&self, run: i64, content: &BlobHash) -> [u8; 32] {
        let (run, number, round) = (number(run).to_le_bytes(), self.number.to_le_bytes(), self.round.to_le_bytes());
        let texts = [&self.wire, &self.model, &self.receipt, &self.inputs];
        let [wire, model, receipt, inputs] = texts.map(|text| Some(text.as_bytes()));
        rows::hash(
            rows::REQUEST,
            &[
                Some(&run),
                Some(&number),
                Some(&self.at.to_le_bytes()),
                wire,
                model,
                Some(&round),
                Some(content.as_bytes()),
                receipt,
                inputs,
            ],
        )
    }
}

pub(super) fn keep(
    log: &Log<'_>,
    writer: &Writer,
    request: KeptRequest,
    now: Timestamp,
    shelf: &Shelf<'_>,
) -> Result<u32, StoreError> {
    let run = leases::writes(log, writer)?;
    let number = log
        .tx
        .prepare_cached("UPDATE runs SET kept = kept + 1 WHERE run = ?1 RETURNING kept - 1")?
        .query_one([run.key], |row| row.get(0))?;
    let KeptRequest { wire, model, round, body, receipt, inputs } = request;
    let row = RequestRow { number, at: micros(now), wire, model, round, receipt, inputs };
    let body = Hashed::new(&body);
    let hash = row.hash(run.key, &body.hash);
    let content = shelf.keep(log.tx, body)?;
    log.tx
        .prepare_cached(
            "INSERT INTO requests (run, number, at, wire, model, round, content, receipt, inputs, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute((run.key, number, row.at, &row.wire, &row.model, row.round, content, &row.receipt, &row.inputs, hash))?;
    Ok(number)
}

/// A request of which the bytes are still to be read.
pub(super) struct Found {
    row: RequestRow,
    content: Content,
}

impl Found {
    pub(super) fn whole(self, blobs: &dyn Blobs) -> Result<RunRequest, StoreError> {
        let RequestRow { number, at, wire, model, round, receipt, inputs } = self.row;
        let body = self.content.bytes(blobs)?.to_vec();
        let request = KeptRequest { wire, model, round, body, receipt, inputs };
        Ok(RunRequest { number, at: timestamp(at), request })
    }
}

fn row(row: &rusqlite::Row<'_>) -> Result<RequestRow, rusqlite::Error> {
    Ok(RequestRow {
        number: row.get(0)?,
        at: row.get(1)?,
        wire: row.get(2)?,
        model: row.get(3)?,
        round: row.get(4)?,
        receipt: row.get(5)?,
        inputs: row.get(6)?,
    })
}

const COLUMNS: &str =
    "requests.number, requests.at, requests.wire, requests.model, requests.round, requests.receipt, requests.inputs";

pub(super) fn of_run(connection: &Connection, owner: OwnerKey, run: &RunId) -> Result<Vec<Found>, StoreError> {
    let Some(run) = runs::find(connection, owner, run)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS}, blobs.hash, blobs.data FROM requests JOIN blobs ON blobs.blob = requests.content
         WHERE requests.run = ?1 ORDER BY requests.number"
    ))?;
    let found =
        statement.query_map([run.key], |found| Ok(Found { row: row(found)?, content: files::content_of(found, 7)? }))?;
    Ok(found.collect::<Result<_, _>>()?)
}

/// The requests of an owner's runs that are not what was kept, or lack their content: the run and the number.
pub(super) fn altered(connection: &Connection, owner: OwnerKey) -> Result<Vec<(i64, u32)>, StoreError> {
    let mut statement = connection.prepare(&format!(
        "SELECT {COLUMNS}, requests.run, requests.hash, blobs.hash FROM requests LEFT JOIN blobs ON blobs.blob = requests.content
         WHERE requests.run BETWEEN ?1 AND ?2 ORDER BY requests.run, requests.number"
    ))?;
    let mut rows = statement.query([owner.first(), owner.last()])?;
    let mut altered = Vec::new();
    while let Some(found) = rows.next()? {
        let run: i64 = found.get(7)?;
        let (kept, content): ([u8; 32], Option<[u8; 32]>) = (found.get(8)?, found.get(9)?);
        // A text that is none any more is altered like any other.
        let whole = row(found).ok().zip(content).is_some_and(|(row, content)| row.hash(run, &BlobHash::new(content)) == kept);
        if !whole {
            altered.push((run, found.get::<_, i64>(0).ok().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)));
        }
    }
    Ok(altered)
}
