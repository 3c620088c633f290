//! The one connection that writes, and the thread that brings the search index up to date while nobody else does.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::search;
use crate::StoreError;
use crate::blobs::{BlobHash, Blobs};

/// How long nothing must be written before the search index is brought up to date.
const QUIET: Duration = Duration::from_millis(250);

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

    /// Deletes what a write that failed has put outside. What cannot be deleted now is when something is forgotten.
    pub(super) fn take_back(&mut self, put: Vec<BlobHash>) {
        for hash in put {
            let _ = self.transact(|tx, blobs, _| {
                if !tx.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?.exists([hash.as_bytes()])? {
                    let _ = blobs.delete(hash);
                }
                Ok(())
            });
        }
    }
}

/// Lets writers take turns.
pub(super) struct Turns {
    shared: Arc<Shared>,
    indexer: Option<JoinHandle<()>>,
}

struct Shared {
    desk: Mutex<Desk>,
    pulse: Mutex<Pulse>,
    changed: Condvar,
}

/// What the thread that indexes waits for.
#[derive(Clone, Copy)]
struct Pulse {
    /// How often something was written.
    writes: u64,
    closed: bool,
}

impl Turns {
    pub(super) fn new(desk: Desk) -> Result<Self, StoreError> {
        let pulse = Mutex::new(Pulse { writes: 0, closed: false });
        let shared = Arc::new(Shared { desk: Mutex::new(desk), pulse, changed: Condvar::new() });
        let own = Arc::clone(&shared);
        let indexer = std::thread::Builder::new().name("briefing-index".to_owned()).spawn(move || own.index());
        let indexer = indexer.map_err(|source| StoreError::Io { what: "no thread can be started".to_owned(), source })?;
        Ok(Self { shared, indexer: Some(indexer) })
    }

    /// Does that when it is its turn.
    pub(super) fn write<T>(&self, work: impl FnOnce(&mut Desk) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let done = work(&mut self.shared.desk());
        self.shared.pulse().writes += 1;
        self.shared.changed.notify_one();
        done
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        self.shared.pulse().closed = true;
        self.shared.changed.notify_one();
        if let Some(indexer) = self.indexer.take() {
            let _ = indexer.join();
        }
    }
}

impl Shared {
    // A write that panicked was rolled back, so the desk is as it was.
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pulse(&self) -> MutexGuard<'_, Pulse> {
        self.pulse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Indexes whenever nothing was written for a while, until the store is closed.
    fn index(&self) {
        // Another process may have left something to index.
        let mut behind = true;
        let mut seen = 0;
        loop {
            let pulse = self.pulse();
            let waits = |pulse: &mut Pulse| !pulse.closed && pulse.writes == seen;
            let now = if behind {
                *self.changed.wait_timeout_while(pulse, QUIET, waits).unwrap_or_else(PoisonError::into_inner).0
            } else {
                *self.changed.wait_while(pulse, waits).unwrap_or_else(PoisonError::into_inner)
            };
            if now.closed {
                return;
            }
            if now.writes != seen {
                (seen, behind) = (now.writes, true);
                continue;
            }
            // A failure here is met again, and told, by the next search.
            behind = search::catch_up(&mut self.desk(), None).unwrap_or(false);
        }
    }
}
