//! What a tool may read of the log.

use std::fmt;
use std::sync::Arc;

use briefing::log::{AttachmentId, Entry};
use briefing::message::{EntryId, OwnerId, ThreadId};
use briefing::ports::Back;
use briefing_store::{Hit, KnownFile, Logged, OwnerStore, RunSummary, RunsOf, Store, StoreError, ThreadSummary};

/// The log of one owner, to be read: nothing of another's, and nothing is written. Cheap to clone.
///
/// Each reading is one of [`Store`], which tells more of it, and errors with [`StoreError`] if the store cannot be read.
#[derive(Clone)]
pub struct OwnerLog {
    store: Arc<dyn Store>,
    owner: OwnerId,
}

impl fmt::Debug for OwnerLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnerLog").field("owner", &self.owner).finish_non_exhaustive()
    }
}

#[expect(clippy::missing_errors_doc, reason = "the type says when they error")]
impl OwnerLog {
    /// The log of that owner.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, owner: OwnerId) -> Self {
        Self { store, owner }
    }

    /// Whose it is.
    #[must_use]
    pub fn owner(&self) -> &OwnerId {
        &self.owner
    }

    /// The same as the core reads it: its history and files.
    #[must_use]
    pub fn ports(&self) -> OwnerStore {
        OwnerStore::new(Arc::clone(&self.store), self.owner.clone())
    }

    /// The best hits for words that all occur: [`Store::search`].
    pub async fn search(&self, text: &str, count: usize) -> Result<Vec<Hit>, StoreError> {
        self.store.search(&self.owner, text, count).await
    }

    /// One entry: [`Store::entry`].
    pub async fn entry(&self, entry: EntryId) -> Result<Option<Arc<Entry>>, StoreError> {
        self.store.entry(&self.owner, entry).await
    }

    /// One entry with its thread and run: [`Store::log`].
    pub async fn logged(&self, entry: EntryId) -> Result<Option<Logged>, StoreError> {
        let logged = self.store.log(&self.owner, entry, 1).await?;
        Ok(logged.into_iter().next().filter(|logged| logged.entry.id == entry))
    }

    /// Entries of a thread, the newest first: [`Store::read_back`].
    pub async fn read_back(&self, back: Back<'_>) -> Result<Vec<Arc<Entry>>, StoreError> {
        self.store.read_back(&self.owner, back).await
    }

    /// What a thread is called now, and how it stands: [`Store::thread`].
    pub async fn thread(&self, thread: ThreadId) -> Result<Option<ThreadSummary>, StoreError> {
        self.store.thread(&self.owner, thread).await
    }

    /// Runs, the newest first: [`Store::runs`].
    pub async fn runs(&self, of: RunsOf) -> Result<Vec<RunSummary>, StoreError> {
        self.store.runs(&self.owner, of).await
    }

    /// What is known of the texts of files: [`Store::texts`].
    pub async fn texts(&self, ids: &[AttachmentId]) -> Result<Vec<KnownFile>, StoreError> {
        self.store.texts(&self.owner, ids).await
    }

    /// The content of a file: [`Store::file`].
    pub async fn file(&self, id: &AttachmentId) -> Result<Option<Arc<[u8]>>, StoreError> {
        self.store.file(&self.owner, id).await
    }
}
