//! A store as the core reads it: for one owner.

use std::sync::Arc;

use briefing::log::{AttachmentId, Entry, Place, RecordedRound};
use briefing::message::{EntryId, OwnerId, ThreadId};
use briefing::ports::{Files, History, PortError, PortFuture};

use crate::{Kind, Store, StoreError, StoreFuture};

/// What one owner has in a store, for a [`briefing::Context`]. Cheap to clone.
#[derive(Clone)]
pub struct OwnerStore {
    store: Arc<dyn Store>,
    owner: OwnerId,
}

impl OwnerStore {
    /// Reads for that owner alone.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, owner: OwnerId) -> Self {
        Self { store, owner }
    }

    /// The owner.
    #[must_use]
    pub fn owner(&self) -> &OwnerId {
        &self.owner
    }
}

fn port<'a, T: 'a>(what: &'static str, read: StoreFuture<'a, T>) -> PortFuture<'a, T> {
    Box::pin(async move { read.await.map_err(|error| PortError { what, source: Box::new(error) }) })
}

impl History for OwnerStore {
    fn mails_before(&self, thread: ThreadId, before: Place, count: usize) -> PortFuture<'_, Vec<Arc<Entry>>> {
        port("history", self.store.read_back(&self.owner, thread, Some(before), Some(Kind::Mail), count))
    }

    fn rounds<'a>(&'a self, persona: &'a str, entries: &'a [EntryId]) -> PortFuture<'a, Vec<RecordedRound>> {
        port("tool use", self.store.rounds(&self.owner, persona, entries))
    }
}

impl Files for OwnerStore {
    /// A file whose bytes are lost or altered is absent, as the port says; [`Store::file`] tells the difference.
    fn file<'a>(&'a self, id: &'a AttachmentId) -> PortFuture<'a, Option<Arc<[u8]>>> {
        port(
            "file",
            Box::pin(async move {
                match self.store.file(&self.owner, id).await {
                    Err(StoreError::Blob { .. }) => Ok(None),
                    other => other,
                }
            }),
        )
    }
}
