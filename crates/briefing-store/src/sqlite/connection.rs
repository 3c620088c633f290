//! Connections, and those that read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::StoreError;
use crate::blobs::Blobs;

/// What an append promises when it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// It survives a loss of power (`synchronous = FULL`).
    #[default]
    Power,
    /// It survives the end of the process; a loss of power may take the last appends, and damages nothing (`synchronous =
    /// NORMAL`).
    Process,
}

/// How a database is opened.
#[derive(Clone)]
pub struct Settings {
    /// What an append promises. [`Durability::Power`] by default.
    pub durability: Durability,
    /// How long a write waits for another process. Five seconds by default.
    pub patience: Duration,
    /// The size from which on contents lie outside the database. 64 KiB by default.
    pub blob_bytes: usize,
    /// Where they lie; by default a folder beside the database, its name with `.blobs` behind it. It belongs to this database
    /// alone: what lies there and has no row is deleted when something is forgotten.
    pub blobs: Option<Arc<dyn Blobs>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { durability: Durability::Power, patience: Duration::from_secs(5), blob_bytes: 64 << 10, blobs: None }
    }
}

/// How many reading connections are kept open.
const READERS: usize = 8;

/// Opens a connection.
pub(super) fn connect(path: &Path, settings: &Settings, create: bool) -> Result<Connection, StoreError> {
    if path.is_dir() {
        let what = format!("{} cannot be opened", path.display());
        return Err(StoreError::Io { what, source: std::io::ErrorKind::IsADirectory.into() });
    }
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if create {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    }
    let fault = |error| fault(path, error);
    // To SQLite a relative path can be more than a path: `:memory:`, `file:name?mode=memory`.
    let real = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let connection = Connection::open_with_flags(real, flags).map_err(fault)?;
    connection.busy_timeout(settings.patience).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(128);
    // Else a statement with `LIMIT ?` is prepared anew each time it is used.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(fault)?;
    let synchronous = match settings.durability {
        Durability::Power => "FULL",
        Durability::Process => "NORMAL",
    };
    connection
        .execute_batch(&format!(
            "PRAGMA trusted_schema = OFF; PRAGMA synchronous = {synchronous}; PRAGMA fullfsync = ON;
             PRAGMA checkpoint_fullfsync = ON; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY;"
        ))
        .map_err(fault)?;
    Ok(connection)
}

/// Writes go to a log beside the database from now on, so that readers and a writer do not wait for each other.
pub(super) fn write_ahead(connection: &Connection, patience: Duration) -> Result<(), StoreError> {
    let until = Instant::now() + patience;
    loop {
        let switched = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match switched.map_err(StoreError::from) {
            // Of two that switch at once each may hold what the other needs: SQLite does not wait then.
            Err(StoreError::Locked) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            done => return done,
        }
    }
}

/// A failure to open that file.
pub(super) fn fault(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotOurs { path: path.to_owned() },
        Some(ErrorCode::CannotOpen) => StoreError::Io {
            what: format!("{} cannot be opened", path.display()),
            source: std::io::Error::other("it may not be read, or its folder not be written to"),
        },
        _ => error.into(),
    }
}

/// The connections that read. One is taken for each read and given back.
pub(super) struct Readers {
    path: PathBuf,
    settings: Settings,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: &Path, settings: &Settings) -> Self {
        Self { path: path.to_owned(), settings: settings.clone(), idle: Mutex::default() }
    }

    /// Reads all of it as of one moment.
    pub(super) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let connection = connect(&self.path, &self.settings, false)?;
                connection.pragma_update(None, "query_only", true)?;
                connection
            }
        };
        connection.prepare_cached("BEGIN")?.execute([])?;
        let done = work(&connection)?;
        // What was read is read, however it ends; in a damaged database that may fail. A connection that failed is not used
        // again, and closing it ends what it began.
        let ended = connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([])).is_ok();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if ended && idle.len() < READERS {
            idle.push(connection);
        }
        Ok(done)
    }
}
