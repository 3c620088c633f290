//! Contents in an object store.

use std::future::Future;
use std::io;
use std::sync::{Arc, mpsc};

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt};
use tokio::runtime::Handle;

use super::{BlobHash, Blobs};

/// Contents as objects under a prefix, each named by its hash: S3 and what speaks it, Google Cloud Storage, Azure, a folder.
///
/// Requests are made on the runtime of the handle, which must have a thread beside the one that asks: not the only thread of a
/// `current_thread` runtime. What is put survives as the object store promises. A prefix belongs to one database: what lies
/// there without a row is deleted when something is forgotten.
#[derive(Debug, Clone)]
pub struct ObjectBlobs {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    runtime: Handle,
}

impl ObjectBlobs {
    /// Objects of that store whose names begin with `prefix`.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: impl Into<Path>, runtime: Handle) -> Self {
        Self { store, prefix: prefix.into(), runtime }
    }

    fn path(&self, hash: BlobHash) -> Path {
        self.prefix.clone().join(hash.to_string())
    }

    /// Has it done by the runtime, and waits.
    fn ask<T, F>(&self, work: F) -> io::Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let (answer, answered) = mpsc::channel();
        self.runtime.spawn(async move {
            // Whoever asked waits for it.
            let _ = answer.send(work.await);
        });
        let done = answered.recv().map_err(|_| io::Error::other("the runtime of the object store has ended"))?;
        done.map_err(|error| match error {
            Error::NotFound { .. } => io::Error::new(io::ErrorKind::NotFound, error),
            error => io::Error::other(error),
        })
    }
}

impl Blobs for ObjectBlobs {
    fn put(&self, hash: BlobHash, content: &[u8]) -> io::Result<()> {
        let (store, path, content) = (Arc::clone(&self.store), self.path(hash), content.to_vec());
        // Objects appear whole or not at all, so putting one again mends it.
        self.ask(async move { store.put(&path, content.into()).await.map(|_| ()) })
    }

    fn get(&self, hash: BlobHash) -> io::Result<Option<Vec<u8>>> {
        let (store, path) = (Arc::clone(&self.store), self.path(hash));
        match self.ask(async move { store.get(&path).await?.bytes().await }) {
            Ok(content) => Ok(Some(content.to_vec())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn delete(&self, hash: BlobHash) -> io::Result<()> {
        let (store, path) = (Arc::clone(&self.store), self.path(hash));
        match self.ask(async move { store.delete(&path).await }) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn sweep(&self) -> io::Result<Vec<BlobHash>> {
        let (store, prefix) = (Arc::clone(&self.store), self.prefix.clone());
        let found = self.ask(async move { store.list(Some(&prefix)).try_collect::<Vec<_>>().await })?;
        let names = found.iter().filter_map(|object| object.location.filename());
        let mut hashes: Vec<BlobHash> = names.filter_map(BlobHash::from_hex).collect();
        hashes.sort_unstable();
        Ok(hashes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn a_content_is_kept_found_swept_and_deleted() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let blobs = ObjectBlobs::new(Arc::new(InMemory::new()), "mail/contents", runtime.handle().clone());
        let hash = BlobHash::of(b"content");
        assert_eq!(blobs.get(hash).unwrap(), None);
        blobs.put(hash, b"content").unwrap();
        blobs.put(hash, b"content").unwrap();
        assert_eq!(blobs.get(hash).unwrap().as_deref(), Some(&b"content"[..]));
        assert_eq!(blobs.sweep().unwrap(), [hash]);
        blobs.delete(hash).unwrap();
        blobs.delete(hash).unwrap();
        assert_eq!(blobs.sweep().unwrap(), []);
    }

    #[test]
    fn a_runtime_that_has_ended_is_an_error() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        let blobs = ObjectBlobs::new(Arc::new(InMemory::new()), "contents", runtime.handle().clone());
        drop(runtime);
        let error = blobs.put(BlobHash::of(b"content"), b"content").unwrap_err();
        assert_eq!(error.to_string(), "the runtime of the object store has ended");
    }
}
