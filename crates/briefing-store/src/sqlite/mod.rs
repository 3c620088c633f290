//! The embedded backend: one SQLite database, and a folder beside it for large contents.
//!
//! Source order: the schema, keys and rows; `append` and what it calls; reading; erasing; verifying.

mod anchors;
mod append;
mod backup;
mod cards;
mod connection;
mod files;
mod forget;
mod ids;
mod read;
mod rows;
mod runs;
mod schema;
mod search;
mod threads;
mod time;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::log::{AttachmentId, Entry, MessageId, Place, RecordedRound, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use jiff::Timestamp;
use rusqlite::{Connection, TransactionBehavior};

use self::append::{Log, Shelf};
use self::connection::{Desk, Readers, Writer, connect, fault, write_ahead};
pub use self::connection::{Durability, Settings};
use self::ids::{OwnerKey, thread_id};
use crate::blobs::{BlobFolder, Blobs};
use crate::{
    After, AnchorKey, Append, Appended, Forget, ForgetReport, Hit, ImportedRound, Kind, Logged, Store, StoreError, StoreFuture,
    ThreadSummary, Verified,
};

/// A store in one SQLite file. Several processes may use it at once; clones of an `Arc` of it, several threads.
///
/// Writes are done one after the other by a thread of the store; reads in the thread that polls, each of one moment. Dropping
/// it waits until what was asked of it is written.
pub struct SqliteStore {
    path: PathBuf,
    writer: Writer,
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
        let blobs = settings.blobs.clone().unwrap_or_else(|| Arc::new(BlobFolder::new(contents_of(path))));
        let readers = Readers::new(path, &settings);
        let desk = Desk { connection, blobs: Arc::clone(&blobs), blob_bytes: settings.blob_bytes };
        Ok(Self { path: path.to_owned(), writer: Writer::new(desk)?, readers, blobs })
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
    pub fn backup(&self, to: &Path) -> Result<(), StoreError> {
        self.readers.read(|connection| backup::copy(connection, self.blobs.as_ref(), to, &contents_of(to)))
    }

    /// Brings the search index up to date now, as a search would.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn index(&self) -> StoreFuture<'_, ()> {
        self.writer.ask(|desk| {
            while search::catch_up(desk)? {}
            Ok(())
        })
    }

    /// Writes to one owner's log, in one transaction.
    fn write<T: Send + 'static>(
        &self,
        owner: &OwnerId,
        work: impl FnOnce(&mut Log<'_>, &Shelf<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let owner = owner.clone();
        self.writer.ask(move |desk| {
            desk.transact(|tx, blobs, from| {
                let mut log = Log::open(tx, &owner)?;
                let done = work(&mut log, &Shelf { blobs, from })?;
                log.close()?;
                Ok(done)
            })
        })
    }

    /// Reads of one owner; of one who has nothing, nothing.
    fn read<T: Default + Send + 'static>(
        &self,
        owner: &OwnerId,
        work: impl FnOnce(&Connection, OwnerKey) -> Result<T, StoreError>,
    ) -> StoreFuture<'static, T> {
        let done = self.readers.read(|connection| match read::owner(connection, owner)? {
            Some(owner) => work(connection, owner),
            None => Ok(T::default()),
        });
        Box::pin(std::future::ready(done))
    }

    fn file_of(
        &self,
        owner: &OwnerId,
        find: impl FnOnce(&Connection, OwnerKey) -> Result<Option<files::Content>, StoreError>,
    ) -> StoreFuture<'static, Option<Arc<[u8]>>> {
        let blobs = self.blobs.as_ref();
        self.read(owner, |connection, owner| find(connection, owner)?.map(|content| content.bytes(blobs)).transpose())
    }
}

/// The folder of a database's large contents.
fn contents_of(path: &Path) -> PathBuf {
    backup::beside(path, ".blobs")
}

impl Store for SqliteStore {
    fn open_thread<'a>(&'a self, owner: &'a OwnerId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, |log, _| Ok(thread_id(log.open_thread()?)))
    }

    fn append<'a>(&'a self, owner: &'a OwnerId, batch: Vec<Append>) -> StoreFuture<'a, Vec<Appended>> {
        self.write(owner, |log, shelf| batch.into_iter().map(|append| log.append(append, shelf)).collect())
    }

    fn begin_run<'a>(&'a self, owner: &'a OwnerId, run: Run) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| runs::begin(log, &run))
    }

    fn wrote<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, entry: EntryId) -> StoreFuture<'a, ()> {
        let run = run.clone();
        self.write(owner, move |log, _| runs::wrote(log, &run, entry))
    }

    fn append_round<'a>(
        &'a self,
        owner: &'a OwnerId,
        run: &'a RunId,
        index: u32,
        said: Assistant,
        now: Timestamp,
    ) -> StoreFuture<'a, RecordedRound> {
        let run = run.clone();
        self.write(owner, move |log, _| runs::append_round(log, &run, index, said, now))
    }

    fn append_outcome<'a>(
        &'a self,
        owner: &'a OwnerId,
        run: &'a RunId,
        outcome: Outcome,
        now: Timestamp,
    ) -> StoreFuture<'a, EntryId> {
        let run = run.clone();
        self.write(owner, move |log, _| runs::append_outcome(log, &run, outcome, now))
    }

    fn import_run<'a>(
        &'a self,
        owner: &'a OwnerId,
        run: Run,
        rounds: Vec<ImportedRound>,
        at: Timestamp,
    ) -> StoreFuture<'a, bool> {
        self.write(owner, move |log, _| runs::import(log, &run, rounds, at))
    }

    fn settle<'a>(&'a self, owner: &'a OwnerId, card: EntryId, settled: Settled, now: Timestamp) -> StoreFuture<'a, EntryId> {
        self.write(owner, move |log, _| cards::settle(log, card, settled, now))
    }

    fn open_cards<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.read(owner, |connection, owner| match threads::find(connection, owner, thread)? {
            Some(thread) => cards::open(connection, thread),
            None => Ok(Vec::new()),
        })
    }

    fn entry<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<Arc<Entry>>> {
        self.read(owner, |connection, owner| owner.entry(entry).map_or(Ok(None), |key| rows::entry(connection, key)))
    }

    fn by_message_id<'a>(&'a self, owner: &'a OwnerId, id: &'a MessageId) -> StoreFuture<'a, Vec<EntryId>> {
        self.read(owner, |connection, owner| read::by_message_id(connection, owner, id))
    }

    fn thread_of<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<ThreadId>> {
        self.read(owner, |connection, owner| owner.entry(entry).map_or(Ok(None), |key| read::thread_of(connection, key)))
    }

    fn read_back<'a>(
        &'a self,
        owner: &'a OwnerId,
        thread: ThreadId,
        before: Option<Place>,
        kind: Option<Kind>,
        count: usize,
    ) -> StoreFuture<'a, Vec<Arc<Entry>>> {
        self.read(owner, |connection, owner| match threads::find(connection, owner, thread)? {
            Some(thread) => read::back(connection, thread, before.map(|place| read::place(owner, place)), kind, count),
            None => Ok(Vec::new()),
        })
    }

    fn newest_inbound<'a>(
        &'a self,
        owner: &'a OwnerId,
        thread: Option<ThreadId>,
    ) -> StoreFuture<'a, Option<(Arc<Entry>, ThreadId)>> {
        self.read(owner, |connection, owner| {
            let Some(thread) = thread else { return read::newest_inbound(connection, owner) };
            let Some(key) = threads::find(connection, owner, thread)? else { return Ok(None) };
            Ok(read::newest_inbound_of(connection, key)?.map(|entry| (entry, thread_id(key))))
        })
    }

    fn rounds<'a>(
        &'a self,
        owner: &'a OwnerId,
        persona: &'a str,
        entries: &'a [EntryId],
    ) -> StoreFuture<'a, Vec<RecordedRound>> {
        self.read(owner, |connection, owner| runs::beside(connection, owner, persona, entries))
    }

    fn file<'a>(&'a self, owner: &'a OwnerId, id: &'a AttachmentId) -> StoreFuture<'a, Option<Arc<[u8]>>> {
        self.file_of(owner, |connection, owner| files::of_attachment(connection, owner, id))
    }

    fn raw<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, Option<Arc<[u8]>>> {
        self.file_of(owner, |connection, owner| owner.entry(entry).map_or(Ok(None), |key| files::raw(connection, key)))
    }

    fn threads<'a>(&'a self, owner: &'a OwnerId, after: Option<After>, count: usize) -> StoreFuture<'a, Vec<ThreadSummary>> {
        self.read(owner, |connection, owner| threads::list(connection, owner, after, count))
    }

    fn thread<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> StoreFuture<'a, Option<ThreadSummary>> {
        self.read(owner, |connection, owner| match threads::find(connection, owner, thread)? {
            Some(thread) => threads::summary(connection, thread),
            None => Ok(None),
        })
    }

    fn search<'a>(&'a self, owner: &'a OwnerId, text: &'a str, count: usize) -> StoreFuture<'a, Vec<Hit>> {
        let indexed = self.index();
        Box::pin(async move {
            match indexed.await {
                // What is indexed can be found in a database that may not be written to.
                Ok(()) | Err(StoreError::ReadOnly) => {}
                Err(error) => return Err(error),
            }
            self.read(owner, |connection, owner| search::find(connection, owner, text, count)).await
        })
    }

    fn merge<'a>(&'a self, owner: &'a OwnerId, from: ThreadId, into: ThreadId) -> StoreFuture<'a, ()> {
        self.write(owner, move |log, _| {
            let (from, into) = (threads::resolve(log.tx, log.owner, from)?, threads::resolve(log.tx, log.owner, into)?);
            if from == into { Ok(()) } else { threads::merge(log.tx, from, into) }
        })
    }

    fn split<'a>(&'a self, owner: &'a OwnerId, entry: EntryId) -> StoreFuture<'a, ThreadId> {
        self.write(owner, move |log, _| {
            let key = log.owner.entry(entry).ok_or(StoreError::UnknownEntry { entry })?;
            Ok(thread_id(threads::split(log, key)?))
        })
    }

    fn anchor<'a>(&'a self, owner: &'a OwnerId, key: &'a AnchorKey) -> StoreFuture<'a, Option<EntryId>> {
        self.read(owner, |connection, owner| anchors::find(connection, owner, key))
    }

    fn move_anchor<'a>(
        &'a self,
        owner: &'a OwnerId,
        run: &'a RunId,
        key: &'a AnchorKey,
        entry: EntryId,
    ) -> StoreFuture<'a, ()> {
        let (run, key) = (run.clone(), key.clone());
        self.write(owner, move |log, _| anchors::advance(log, &run, &key, entry))
    }

    fn log<'a>(&'a self, owner: &'a OwnerId, first: EntryId, count: usize) -> StoreFuture<'a, Vec<Logged>> {
        self.read(owner, |connection, owner| read::log(connection, owner, first, count))
    }

    fn would_forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget) -> StoreFuture<'a, ForgetReport> {
        let (owner, what) = (owner.clone(), what.clone());
        self.writer.ask(move |desk| {
            let tx = desk.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let Some(owner) = read::owner(&tx, &owner)? else { return what.of_nobody() };
            forget::select(&tx, owner, &what)?;
            let report = forget::erase(&tx, owner, Timestamp::UNIX_EPOCH)?;
            tx.rollback()?;
            Ok(report)
        })
    }

    fn forget<'a>(&'a self, owner: &'a OwnerId, what: &'a Forget, now: Timestamp) -> StoreFuture<'a, ForgetReport> {
        let (owner, what) = (owner.clone(), what.clone());
        self.writer.ask(move |desk| {
            let mut report = desk.transact(|tx, _, _| {
                let Some(owner) = read::owner(tx, &owner)? else { return what.of_nobody() };
                forget::select(tx, owner, &what)?;
                forget::erase(tx, owner, now)
            })?;
            report.scrubbed = forget::scrub(desk);
            Ok(report)
        })
    }

    fn verify(&self) -> StoreFuture<'_, Verified> {
        let blobs = self.blobs.as_ref();
        Box::pin(std::future::ready(self.readers.read(|connection| verify::verify(connection, blobs))))
    }
}
