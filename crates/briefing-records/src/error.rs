//! Why records cannot be read.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rusqlite::{ErrorCode, ffi};

use crate::{MAX_BYTES, MAX_VALUE_BYTES};

/// A query that gave nothing but a fault. Both paths are named: as it was written, and as it was looked up.
#[derive(Debug, thiserror::Error)]
#[error("{database:?} (looked up at {absolute:?}): {fault}")]
pub struct RecordsError {
    /// The database as the query names it.
    pub database: String,
    /// As looked up.
    pub absolute: PathBuf,
    /// What is wrong.
    #[source]
    pub fault: RecordsFault,
}

/// What can be wrong with a database or a query.
#[derive(Debug, thiserror::Error)]
pub enum RecordsFault {
    /// There is no such file.
    #[error("there is no such database")]
    Missing,
    /// It is a folder.
    #[error("it is a folder")]
    Folder,
    /// It is a pipe, a device or another thing without a length.
    #[error("it is no regular file")]
    NotAFile,
    /// The system refuses to tell of it.
    #[error("it cannot be read: {source}")]
    Unreadable {
        /// Why.
        #[source]
        source: io::Error,
    },
    /// SQLite cannot open it: mostly for want of rights.
    #[error("it cannot be opened: {message}")]
    CannotOpen {
        /// What SQLite says.
        message: String,
    },
    /// It can only be read by who may write beside it: it is in WAL mode and nobody has it open, or a program crashed while it
    /// wrote and its journal must be played back first.
    #[error("it cannot be read without writing beside it (WAL mode, or a journal left by a crash): {message}")]
    NeedsWriter {
        /// What SQLite says.
        message: String,
    },
    /// It is another kind of file, or an encrypted one.
    #[error("it is no SQLite database")]
    NotADatabase,
    /// It is damaged.
    #[error("it is damaged: {message}")]
    Corrupt {
        /// What SQLite says.
        message: String,
    },
    /// Another program holds it all the time.
    #[error("it was locked by another program for {after:?}")]
    Locked {
        /// How long it was waited for.
        after: Duration,
    },
    /// The query does something else than read: it writes, attaches, sets, loads code.
    #[error("the query does more than read")]
    NotARead,
    /// There is something behind the first statement.
    #[error("the query has more than one statement")]
    SeveralStatements,
    /// There is nothing but comments.
    #[error("the query has no statement")]
    NoStatement,
    /// A table that the database has not.
    #[error("the query reads {table:?}, and there is no such table")]
    NoTable {
        /// Its name.
        table: String,
    },
    /// Another fault of the query.
    #[error("the query fails: {message}{}", at.map_or(String::new(), |at| format!(" (at byte {at})")))]
    Query {
        /// What SQLite says.
        message: String,
        /// Where in the query, from zero; known for some faults only.
        at: Option<usize>,
    },
    /// A parameter for which there is no value.
    #[error("the query names {name}, for which there is no value")]
    UnknownParameter {
        /// As the query has it.
        name: String,
    },
    /// Two columns of one name: a record could hold but one of them.
    #[error("the query has two columns {column:?}")]
    DuplicateColumn {
        /// Their name.
        column: String,
    },
    /// It took too long.
    #[error("the query was stopped after {after:?}")]
    Timeout {
        /// Its limit.
        after: Duration,
    },
    /// All cells together have too many bytes.
    #[error("the records have more than {MAX_BYTES} bytes")]
    TooLarge,
    /// One value or row has too many bytes.
    #[error("a value has more than {MAX_VALUE_BYTES} bytes")]
    ValueTooLarge,
    /// Something else that SQLite says.
    #[error("SQLite: {message}")]
    Other {
        /// What it says.
        message: String,
    },
}

impl RecordsError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match &self.fault {
            RecordsFault::Missing => "a relative path is looked up below the root; see the path behind \"looked up at\"",
            RecordsFault::Folder | RecordsFault::NotAFile | RecordsFault::NotADatabase => "name the database file itself",
            RecordsFault::Unreadable { .. } | RecordsFault::CannotOpen { .. } => "see who may read the file and its folder",
            RecordsFault::NeedsWriter { .. } => {
                "make its folder writable, or have the program that writes it open it, in WAL mode for as long as it is read; \
                 a copy that nobody writes takes \"pragma journal_mode = delete\""
            }
            RecordsFault::Corrupt { .. } => "restore it, or look at it with \"pragma integrity_check\"",
            RecordsFault::Locked { .. } => "try again, or give the query a longer timeout_ms",
            RecordsFault::NotARead => "write a select",
            RecordsFault::SeveralStatements => "write one statement; give each query an entry of its own in the chain",
            RecordsFault::NoStatement => "write a select",
            RecordsFault::NoTable { .. } => "compare the query with the database's tables: select name from sqlite_schema",
            RecordsFault::Query { .. } => "try the query in the sqlite3 program",
            RecordsFault::UnknownParameter { .. } => "name values as :from_address, and put a space behind the name",
            RecordsFault::DuplicateColumn { .. } => "give one of them another name: select a.name, b.name as other",
            RecordsFault::Timeout { .. } => "add an index, narrow the query, or give it a longer timeout_ms",
            RecordsFault::TooLarge => "select fewer columns, or fewer rows: rows = 20",
            RecordsFault::ValueTooLarge => "leave that column out, or cut it: substr(column, 1, 1000)",
            RecordsFault::Other { .. } => "see what SQLite says of it",
        }
    }
}

impl RecordsFault {
    /// What SQLite's error means for a query that may take so long.
    pub(crate) fn of(error: rusqlite::Error, timeout: Duration) -> Self {
        match error {
            rusqlite::Error::SqliteFailure(code, message) => Self::of_code(code, message.unwrap_or_default(), None, timeout),
            rusqlite::Error::SqlInputError { error, msg, offset, .. } => {
                Self::of_code(error, msg, usize::try_from(offset).ok(), timeout)
            }
            rusqlite::Error::MultipleStatement => Self::SeveralStatements,
            rusqlite::Error::Empty => Self::NoStatement,
            other => Self::Other { message: other.to_string() },
        }
    }

    fn of_code(error: ffi::Error, message: String, at: Option<usize>, timeout: Duration) -> Self {
        let message = if message.is_empty() { error.to_string() } else { message };
        match error.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Locked { after: timeout },
            ErrorCode::OperationInterrupted => Self::Timeout { after: timeout },
            ErrorCode::TooBig => Self::ValueTooLarge,
            ErrorCode::NotADatabase => Self::NotADatabase,
            ErrorCode::DatabaseCorrupt => Self::Corrupt { message },
            ErrorCode::AuthorizationForStatementDenied => Self::NotARead,
            ErrorCode::ReadOnly if error.extended_code == ffi::SQLITE_READONLY => Self::NotARead,
            // The file itself is open by then: it is one of those beside it.
            ErrorCode::ReadOnly | ErrorCode::CannotOpen => Self::NeedsWriter { message },
            ErrorCode::Unknown if error.extended_code & 0xff == ffi::SQLITE_ERROR => {
                match message.strip_prefix("no such table: ") {
                    Some(table) => Self::NoTable { table: table.to_owned() },
                    // A refused function is a fault of the query to SQLite, not one of rights.
                    None if message.starts_with("not authorized") => Self::NotARead,
                    None => Self::Query { message, at },
                }
            }
            _ => Self::Other { message },
        }
    }
}
