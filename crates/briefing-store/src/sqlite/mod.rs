//! The embedded backend: one SQLite database, and a folder beside it for large contents.
//!
//! Source order: the schema, keys and rows; `append` and what it calls; runs at work; reading; erasing; verifying. The operations are in
//! `store.rs`.

mod anchors;
mod answers;
mod append;
mod back;
mod backup;
mod bodies;
mod cards;
mod chat;
mod connection;
mod files;
mod forget;
mod forks;
mod ids;
mod leases;
mod moment;
mod read;
mod requests;
mod rows;
mod runs;
mod schedule;
mod schema;
mod search;
mod store;
mod summaries;
mod texts;
mod threads;
mod time;
mod verify;
mod writer;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::message::OwnerId;
use rusqlite::Connection;

use self::append::{Log, Shelf};
pub use self::backup::BackedUp;
pub use self::connection::{Durability, Settings};
use self::connection::{Readers, connect, fault, write_ahead};
use self::ids::OwnerKey;
use self::writer::{Desk, Turns};
use crate::blobs::{BlobFolder, BlobHash, Blobs};
use crate::{StoreError, StoreFuture};

/// How often a copy is begun anew, as something in it was forgotten meanwhile.
const RETRIES: usize = 5;

/// A store in one SQLite file. Several processes may use it at once; clones of an `Arc` of it, several threads.
///
/// Every operation is done whole when its future is first polled, in the thread that polls it: a read of one moment in some tens
/// of microseconds, a write when it is its turn, as long as the disk takes. A server whose threads must not wait for a disk polls
/// them on threads that may (`spawn_blocking`). A future that is dropped before it was polled has done nothing.
pub struct SqliteStore {
    path: PathBuf,
    writer: Turns,
    readers: Readers,
    blobs: Arc<dyn Blobs>,
}

impl SqliteStore {
    /// Opens the database at that path, and brings it to the newest schema.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::NotOurs`], [`StoreError::NewerSchema`], [`StoreError::OtherMigration`],
    /// [`StoreError::ReadOnly`] where it has to be migrated and may not be written to.
    pub fn open(path: &Path, settings: Settings) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Self::start(path, settings, false)
    }

    /// Opens the database at that path, or makes a new one there that its user alone may read.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`StoreError::Io`] if it cannot be made.
    pub fn create(path: &Path, settings: Settings) -> Result<Self, StoreError> {
        let mut options = std::fs::File::options();
        // Only a new file: to open and close one that is there would end the locks that this process has on it.
        options.create_new(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // The database's other files get the rights of this one.
        match options.open(path) {
            Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => Err(match source.kind() {
                std::io::ErrorKind::StorageFull => StoreError::Full,
                _ => StoreError::Io { what: format!("{} cannot be made", path.display()), source },
            }),
            _ => Self::start(path, settings, true),
        }
    }

    /// The same at an older schema: how migrations are tested.
    #[doc(hidden)]
    pub fn create_at_schema(path: &Path, settings: Settings, number: u32) -> Result<(), StoreError> {
        let mut connection = connect(path, &settings, true)?;
        write_ahead(&connection, settings.patience)?;
        schema::migrate(&mut connection, number)
    }

    fn start(path: &Path, settings: Settings, new: bool) -> Result<Self, StoreError> {
        let mut connection = connect(path, &settings, false)?;
        // As of one moment: another process may be making it.
        let state = connection.transaction().and_then(|tx| schema::state(&tx)).map_err(|error| fault(path, error))?;
        match state {
            schema::State::Foreign => return Err(StoreError::NotOurs { path: path.to_owned() }),
            schema::State::Empty if !new => return Err(StoreError::NotOurs { path: path.to_owned() }),
            schema::State::Ours(at) if at >= schema::NEWEST => schema::check(&connection, at)?,
            schema::State::Ours(_) | schema::State::Empty => {
                write_ahead(&connection, settings.patience)?;
                schema::migrate(&mut connection, schema::NEWEST)?;
            }
        }
        // The contents lie beside the file itself, whatever link leads to it, and wherever the process goes.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let blobs = settings.blobs.clone().unwrap_or_else(|| Arc::new(BlobFolder::new(contents_of(path))));
        let readers = Readers::new(path, &settings);
        let desk = Desk { connection, blobs: Arc::clone(&blobs), blob_bytes: settings.blob_bytes };
        Ok(Self { path: path.to_owned(), writer: Turns::new(desk)?, readers, blobs })
    }

    /// The database's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Copies the database to `to`, with all large contents in a folder beside it, as of one moment, while others go on reading
    /// and writing. Its user alone may read it. A copy that fails leaves nothing; what is at `to` is whole, and survives a loss
    /// of power. Until then it is at `to` with `.half` behind it, and a killed process leaves it there for the next copy.
    ///
    /// # Errors
    /// [`StoreError::Io`] if something is at `to` already, or it cannot be written; [`StoreError::Blob`] if a content is lost,
    /// or is forgotten meanwhile.
    pub fn backup(&self, to: &Path) -> Result<BackedUp, StoreError> {
        for _ in 0..RETRIES {
            let copied = self.readers.read(|connection| backup::copy(connection, self.blobs.as_ref(), to, &contents_of(to)));
            match copied {
                // Somebody forgot it since the copy was begun: the next one begins later.
                Err(StoreError::Blob { hash }) if !self.has_content(&hash)? => {}
                copied => return copied,
            }
        }
        Err(StoreError::Locked)
    }

    /// Whether a content is one that something refers to now.
    fn has_content(&self, hash: &str) -> Result<bool, StoreError> {
        let Some(hash) = BlobHash::from_hex(hash) else { return Ok(false) };
        self.readers.read(|connection| {
            Ok(connection.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?.exists([hash.as_bytes()])?)
        })
    }

    /// Brings the search index up to date now, as a search would.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn index(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            // Others may write in between.
            while self.writer.write(|desk| search::catch_up(desk, None))? {}
            Ok(())
        })
    }

    /// Writes to one owner's log, in one transaction.
    fn write<'a, T: Send + 'a>(
        &'a self,
        owner: &'a OwnerId,
        work: impl FnOnce(&mut Log<'_>, &Shelf<'_>) -> Result<T, StoreError> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            self.writer.write(|desk| {
                let put = RefCell::default();
                let done = desk.transact(|tx, blobs, from| {
                    let mut log = Log::open(tx, owner)?;
                    let done = work(&mut log, &Shelf { blobs, from, put: &put })?;
                    log.close()?;
                    Ok(done)
                });
                if done.is_err() {
                    desk.take_back(put.take());
                }
                done
            })
        })
    }

    /// Changes what an owner has; of one who has nothing, nothing.
    fn amend<'a, T: Default + Send + 'a>(
        &'a self,
        owner: &'a OwnerId,
        work: impl FnOnce(&mut Log<'_>) -> Result<T, StoreError> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            self.writer.write(|desk| {
                desk.transact(|tx, _, _| {
                    let Some(mut log) = Log::find(tx, owner)? else { return Ok(T::default()) };
                    let done = work(&mut log)?;
                    log.close()?;
                    Ok(done)
                })
            })
        })
    }

    /// Reads of one owner; of one who has nothing, nothing.
    fn read<'a, T: Default + Send + 'a>(
        &'a self,
        owner: &'a OwnerId,
        work: impl FnOnce(&Connection, OwnerKey) -> Result<T, StoreError> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            self.readers.read(|connection| match read::owner(connection, owner)? {
                Some(owner) => work(connection, owner),
                None => Ok(T::default()),
            })
        })
    }

    fn file_of<'a>(
        &'a self,
        owner: &'a OwnerId,
        find: impl FnOnce(&Connection, OwnerKey) -> Result<Option<files::Content>, StoreError> + Send + 'a,
    ) -> StoreFuture<'a, Option<Arc<[u8]>>> {
        let found = self.read(owner, find);
        // Not in the transaction: what lies outside may take its time.
        Box::pin(async move { found.await?.map(|content| content.bytes(self.blobs.as_ref())).transpose() })
    }
}

/// The folder of a database's large contents.
fn contents_of(path: &Path) -> PathBuf {
    backup::beside(path, ".blobs")
}
