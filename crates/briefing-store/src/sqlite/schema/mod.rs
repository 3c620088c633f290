//! The schema, as numbered migrations. A migration that was released is never changed: its checksum is kept in every database.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::StoreError;

/// One step of the schema.
struct Migration {
    name: &'static str,
    sql: &'static str,
}

const MIGRATIONS: [Migration; NEWEST as usize] = [
    Migration { name: "log", sql: include_str!("0001_log.sql") },
    Migration { name: "search", sql: include_str!("0002_search.sql") },
    Migration { name: "chat", sql: include_str!("0003_chat.sql") },
    Migration { name: "runs", sql: include_str!("0004_runs.sql") },
    Migration { name: "schedule", sql: include_str!("0005_schedule.sql") },
];

/// The newest schema: the number of the last migration.
pub(super) const NEWEST: u32 = 5;

/// By which a file tells that it is Briefing's (`PRAGMA application_id`): "BRFG".
const APPLICATION: i32 = 0x4252_4647;

/// What a file is.
pub(super) enum State {
    /// A database without anything in it.
    Empty,
    /// Another program's.
    Foreign,
    /// One of ours, at that schema.
    Ours(u32),
}

/// Tells what a file is.
pub(super) fn state(connection: &Connection) -> Result<State, rusqlite::Error> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application == APPLICATION {
        return connection.query_one("SELECT coalesce(max(number), 0) FROM migrations", [], |row| Ok(State::Ours(row.get(0)?)));
    }
    let tables: u32 = connection.query_one("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(if application == 0 && tables == 0 { State::Empty } else { State::Foreign })
}

/// Brings a database to schema `to`, each migration in a transaction of its own, and checks those that were applied before.
/// Several processes may do so at once.
pub(super) fn migrate(connection: &mut Connection, to: u32) -> Result<(), StoreError> {
    loop {
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let at = match state(&tx)? {
            State::Ours(at) => at,
            State::Foreign => return Err(StoreError::NotOurs { path: tx.path().unwrap_or_default().into() }),
            State::Empty => {
                tx.execute_batch(
                    "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum BLOB NOT NULL) STRICT",
                )?;
                tx.pragma_update(None, "application_id", APPLICATION)?;
                0
            }
        };
        check(&tx, at)?;
        let Some(next) = MIGRATIONS.get(at as usize).filter(|_| at < to) else { return Ok(tx.commit()?) };
        tx.execute_batch(next.sql)?;
        tx.execute("INSERT INTO migrations (number, name, checksum) VALUES (?1, ?2, ?3)", (at + 1, next.name, checksum(next)))?;
        tx.commit()?;
    }
}

/// Whether the migrations applied to a database are those that this program knows.
pub(super) fn check(connection: &Connection, at: u32) -> Result<(), StoreError> {
    if at > NEWEST {
        return Err(StoreError::NewerSchema { found: at, known: NEWEST });
    }
    let mut statement = connection.prepare("SELECT checksum FROM migrations WHERE number = ?1")?;
    for (number, migration) in (1..=at).zip(&MIGRATIONS) {
        let found: Vec<u8> = statement.query_one([number], |row| row.get(0)).optional()?.unwrap_or_default();
        if found != checksum(migration) {
            return Err(StoreError::OtherMigration { number });
        }
    }
    Ok(())
}

/// Whether everything that the migrations make is in a database, as they make it.
pub(super) fn is_whole(connection: &Connection) -> Result<bool, StoreError> {
    let mut new = Connection::open_in_memory()?;
    migrate(&mut new, NEWEST)?;
    Ok(objects(&new)?.is_subset(&objects(connection)?))
}

fn objects(connection: &Connection) -> Result<BTreeSet<[Option<String>; 3]>, StoreError> {
    let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema")?;
    let objects = statement.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
    Ok(objects.collect::<Result<_, _>>()?)
}

fn checksum(migration: &Migration) -> Vec<u8> {
    blake3::hash(migration.sql.as_bytes()).as_bytes().to_vec()
}
