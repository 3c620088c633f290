//! Connections: one that writes, in a thread of its own, and several that read.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use futures_channel::oneshot;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::search;
use crate::blobs::Blobs;
use crate::{StoreError, StoreFuture};

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
    /// Where they lie; by default a folder beside the database, its name with `.blobs` behind it.
    pub blobs: Option<Arc<dyn Blobs>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { durability: Durability::Power, patience: Duration::from_secs(5), blob_bytes: 64 << 10, blobs: None }
    }
}

/// How many reading connections are kept open.
const READERS: usize = 8;
/// How long nothing must be written before the search index is brought up to date.
const QUIET: Duration = Duration::from_millis(250);

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
    let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
    connection.busy_timeout(settings.patience).map_err(fault)?;
    connection.set_prepared_statement_cache_capacity(128);
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

/// What a write works with.
pub(super) struct Desk {
    pub(super) connection: Connection,
    pub(super) blobs: Arc<dyn Blobs>,
    pub(super) blob_bytes: usize,
}

impl Desk {
    /// Does that in one transaction, with the contents at hand.
    pub(super) fn transact<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, &dyn Blobs, usize) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let tx = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx, self.blobs.as_ref(), self.blob_bytes)?;
        tx.commit()?;
        Ok(done)
    }
}

type Job = Box<dyn FnOnce(&mut Desk) + Send>;

/// The thread that writes. Dropping it waits for what was asked of it.
pub(super) struct Writer {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    pub(super) fn new(desk: Desk) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel();
        let thread = std::thread::Builder::new().name("briefing-store".to_owned()).spawn(move || serve(desk, &queue));
        let thread = thread.map_err(|source| StoreError::Io { what: "no thread can be started".to_owned(), source })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Asks for that. What was asked is done even if nobody waits for it.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Desk) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |desk| {
            // Nobody may be waiting any more.
            let _ = answer.send(work(desk));
        });
        let asked = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        Box::pin(async move { if asked { answered.await.unwrap_or(Err(StoreError::Closed)) } else { Err(StoreError::Closed) } })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(mut desk: Desk, queue: &mpsc::Receiver<Job>) {
    // Another process may have left something to index.
    let mut behind = true;
    loop {
        let job =
            if behind { queue.recv_timeout(QUIET) } else { queue.recv().map_err(|_| mpsc::RecvTimeoutError::Disconnected) };
        match job {
            Ok(job) => {
                job(&mut desk);
                behind = true;
            }
            // A failure here is met again, and told, by the next search.
            Err(mpsc::RecvTimeoutError::Timeout) => behind = search::catch_up(&mut desk).unwrap_or(false),
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
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
        let tx = connection.unchecked_transaction()?;
        let done = work(&tx)?;
        // What was read is read, however it ends; in a damaged database that may fail.
        let ended = tx.commit().is_ok();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if ended && idle.len() < READERS {
            idle.push(connection);
        }
        Ok(done)
    }
}
