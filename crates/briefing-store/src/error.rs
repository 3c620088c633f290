//! Why a store cannot do what it was asked. Whether to try again is decided by the kind, never by a text.

use std::path::PathBuf;

use briefing::log::Settled;
use briefing::message::{EntryId, RunId, ThreadId};
use jiff::Timestamp;

/// What is told of a failed operation. A failed operation has changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No such thread of this owner.
    #[error("no thread {thread}")]
    UnknownThread {
        /// The thread asked for.
        thread: ThreadId,
    },
    /// No such entry of this owner.
    #[error("no entry {entry}")]
    UnknownEntry {
        /// The entry asked for.
        entry: EntryId,
    },
    /// No such run of this owner.
    #[error("no run {run}")]
    UnknownRun {
        /// The run asked for.
        run: RunId,
    },
    /// A run of that id was begun before.
    #[error("run {run} was begun before")]
    RunBegun {
        /// The run.
        run: RunId,
    },
    /// Other work is scheduled as the run of that id.
    #[error("run {run} is scheduled for other work, or another time")]
    ScheduledOtherwise {
        /// The run.
        run: RunId,
    },
    /// A run has ended, and writes nothing more.
    #[error("run {run} has ended")]
    RunEnded {
        /// The run.
        run: RunId,
    },
    /// Who writes for a run has its lease no more, or never had it: another process goes on, or another run.
    #[error("run {run} is written by somebody else, or its thread is")]
    Fenced {
        /// The run.
        run: RunId,
    },
    /// A run has the thread.
    #[error("run {run} has thread {thread} until {until}")]
    Leased {
        /// The thread.
        thread: ThreadId,
        /// The run that has it.
        run: RunId,
        /// When its lease lapses, unless that is renewed ([`LeaseTime`](crate::LeaseTime)).
        until: Timestamp,
    },
    /// A run has answered with another entry.
    #[error("run {run} has answered with entry {entry}")]
    Answered {
        /// The run.
        run: RunId,
        /// Its answer.
        entry: EntryId,
    },
    /// A run has another round of that index.
    #[error("run {run} has another round {index}")]
    RoundRecorded {
        /// The run.
        run: RunId,
        /// The index of the round.
        index: u32,
    },
    /// The run has no call of that id.
    #[error("run {run} has no call {call}")]
    UnknownCall {
        /// The run.
        run: RunId,
        /// The call's id as it is written.
        call: String,
    },
    /// Somebody else appended to the thread since it was read.
    #[error("thread {thread} has moved on: its newest entry is {}, not {}", head(*found), head(*expected))]
    Moved {
        /// The thread.
        thread: ThreadId,
        /// The newest entry that the writer knew.
        expected: Option<EntryId>,
        /// The newest entry there is.
        found: Option<EntryId>,
    },
    /// The card was settled before.
    #[error("card {card} was settled before: {}", settled.name())]
    Settled {
        /// The card.
        card: EntryId,
        /// How.
        settled: Settled,
    },
    /// The card was claimed before: what it proposes is being done, or was when a process died.
    #[error("card {card} was claimed at {at}")]
    CardClaimed {
        /// The card.
        card: EntryId,
        /// When.
        at: Timestamp,
    },
    /// The entry is no card.
    #[error("entry {entry} is no card")]
    NotACard {
        /// The entry.
        entry: EntryId,
    },
    /// The entry is no message that could be edited.
    #[error("entry {entry} is no message")]
    NotAMessage {
        /// The entry.
        entry: EntryId,
    },
    /// Another thread was forked off behind the entry, and reads what would move.
    #[error("thread {fork} was forked off behind entry {entry}, and reads it")]
    Forked {
        /// The entry.
        entry: EntryId,
        /// The thread that reads it.
        fork: ThreadId,
    },
    /// A thread cannot begin there: the entry goes with another one.
    #[error("entry {entry} goes with the one that it belongs to: a thread cannot begin with it")]
    NotABeginning {
        /// The entry.
        entry: EntryId,
    },
    /// Nothing stands before the entry in its thread, so there is nothing to split off.
    #[error("entry {entry} is the first of its thread already")]
    FirstOfThread {
        /// The entry.
        entry: EntryId,
    },
    /// What belonged to that thread belongs to another one: what is to be erased must be named itself.
    #[error("thread {thread} was merged into thread {into}")]
    Merged {
        /// The thread asked for.
        thread: ThreadId,
        /// The thread that has its entries now.
        into: ThreadId,
    },
    /// Something is larger than a store keeps.
    #[error("{what} is larger than {most} bytes")]
    TooLarge {
        /// What it is.
        what: &'static str,
        /// The most.
        most: usize,
    },
    /// Something nests deeper than a store keeps.
    #[error("{what} nest deeper than {most} levels")]
    TooDeep {
        /// What it is.
        what: &'static str,
        /// The most levels.
        most: usize,
    },
    /// There are more of these than a store can number.
    #[error("there can be no more {what}")]
    TooMany {
        /// What they are.
        what: &'static str,
    },
    /// Another process holds the database for longer than the setting waits. Nothing is wrong: try again.
    #[error("another process is using the database")]
    Locked,
    /// The disk is full.
    #[error("the disk is full")]
    Full,
    /// The database may not be written to.
    #[error("the database may not be written to")]
    ReadOnly,
    /// The database was made by a newer version of this program.
    #[error("the database has schema {found}, and this program knows schemas up to {known}")]
    NewerSchema {
        /// The schema found.
        found: u32,
        /// The newest one known.
        known: u32,
    },
    /// A migration that was applied is not the one that this program knows by that number.
    #[error("migration {number} of the database is not the one of this program")]
    OtherMigration {
        /// Its number.
        number: u32,
    },
    /// The file is a database of another program, or none.
    #[error("{path} is no database of Briefing", path = path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// No database is there.
    #[error("{path} does not exist", path = path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The database is damaged.
    #[error("the database is damaged: {detail}")]
    Corrupt {
        /// What was found.
        detail: String,
    },
    /// A stored file is not there, or not as it was stored.
    #[error("the stored file {hash} is missing or damaged")]
    Blob {
        /// The hash of its content.
        hash: String,
    },
    /// Reading or writing failed.
    #[error("{what}: {source}")]
    Io {
        /// What was to be read or written.
        what: String,
        /// Why it failed.
        #[source]
        source: std::io::Error,
    },
    /// The database failed in a way of its own.
    #[error("the database failed: {0}")]
    Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// Whether the same call may succeed later, with nothing else changed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Locked)
    }

    /// What a person can do about it, if anything.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Locked => "wait until it is done, and try again",
            Self::Full => "make room; nothing was lost, and nothing half written",
            Self::ReadOnly => {
                "give the user who runs this the right to write the file, its folder, and what is beside it under its name with -wal \
                 and -shm behind it"
            }
            Self::Merged { .. } => "name the thread that it was merged into, if all of that is meant",
            Self::NewerSchema { .. } => "use the newer program; it was not changed",
            Self::OtherMigration { .. } => "use the program that made it; it was not changed",
            Self::NotOurs { .. } => "name the database that `briefing import` made",
            Self::Missing { .. } => "check the path; `briefing import` makes a new one",
            Self::Corrupt { .. } => "restore a backup; `briefing verify` tells what is damaged",
            Self::Blob { .. } => "restore it from a backup; `briefing verify` lists all that are missing",
            Self::Moved { .. } => "read the thread again, and decide again",
            Self::Settled { .. } => "a card is settled once",
            Self::Fenced { .. } => "stop, and write nothing more for it: whoever has the thread goes on",
            Self::Leased { .. } => "wait until it has ended, or until then",
            _ => return None,
        })
    }
}

fn head(entry: Option<EntryId>) -> String {
    entry.map_or_else(|| "none".to_owned(), |entry| entry.to_string())
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode, ffi};
        let detail = error.to_string();
        match &error {
            // Every statement is fixed: it fails to be prepared where the schema was altered.
            Error::SqlInputError { msg, .. } => Self::Corrupt { detail: msg.clone() },
            // Tables are strict, and every row asked for without a doubt is there: else something was altered.
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..)
            | Error::QueryReturnedNoRows => Self::Corrupt { detail },
            Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => Self::Locked,
                ErrorCode::DiskFull => Self::Full,
                ErrorCode::TooBig => Self::TooLarge { what: "an entry", most: 1_000_000_000 },
                ErrorCode::ReadOnly => Self::ReadOnly,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt { detail },
                ErrorCode::SystemIoFailure => match failure.extended_code {
                    // There is no room for the file that readers share.
                    ffi::SQLITE_IOERR_SHMSIZE => Self::Full,
                    ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS => Self::Corrupt { detail },
                    _ => Self::Io {
                        what: "the database cannot be read or written".to_owned(),
                        source: std::io::Error::other(error),
                    },
                },
                ErrorCode::Unknown if failure.extended_code == ffi::SQLITE_ERROR => Self::Corrupt { detail },
                _ => Self::Backend(Box::new(error)),
            },
            _ => Self::Backend(Box::new(error)),
        }
    }
}
