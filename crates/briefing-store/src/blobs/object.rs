//! Contents in an object store.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::abortable;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::{BlobHash, Blobs};

/// Contents as objects under a prefix, each named by its hash: S3 and what speaks it, Google Cloud Storage, Azure, a folder.
///
/// Requests are made by a thread of its own, so it can be used from any thread, whether or not that runs futures; who asks is
/// blocked until the answer is there, for a minute at most ([`with_timeout`](Self::with_timeout)). Clones share the thread, and
/// it ends with the last of them. What is put survives as the object store promises.
///
/// A prefix belongs to one database alone: what lies there without a row in it is deleted when something is forgotten.
#[derive(Clone)]
pub struct ObjectBlobs {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    timeout: Duration,
    requests: UnboundedSender<Request>,
}

/// A request, which tells its answer itself.
type Request = Pin<Box<dyn Future<Output = ()> + Send>>;

impl ObjectBlobs {
    /// How long an answer is waited for, unless it is set.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Objects of that store whose names begin with `prefix`.
    ///
    /// # Errors
    /// If its thread cannot be started.
    pub fn new(store: Arc<dyn ObjectStore>, prefix: impl Into<Path>) -> io::Result<Self> {
        let (requests, received) = unbounded_channel();
        let (starting, started) = mpsc::channel();
        thread::Builder::new().name("briefing-blobs".to_owned()).spawn(move || make(received, &starting))?;
        started.recv().map_err(|_| ended())??;
        Ok(Self { store, prefix: prefix.into(), timeout: Self::TIMEOUT, requests })
    }

    /// The same, waiting that long for each answer. One that has not come by then is [`io::ErrorKind::TimedOut`], and its
    /// request is given up; what of it was sent may still be done. Sixty seconds by default.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn path(&self, hash: BlobHash) -> Path {
        self.prefix.clone().join(hash.to_string())
    }

    /// Has it done by the thread, and waits.
    fn ask<T, F>(&self, work: F) -> io::Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let (answer, answered) = mpsc::channel();
        // A request that nobody waits for any more must not be done late: the content may have been put again meanwhile.
        let (work, given_up) = abortable(work);
        let request = async move {
            if let Ok(done) = work.await {
                // Whoever asked may have given up.
                let _ = answer.send(done);
            }
        };
        self.requests.send(Box::pin(request)).map_err(|_| ended())?;
        match answered.recv_timeout(self.timeout) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error @ Error::NotFound { .. })) => Err(io::Error::new(io::ErrorKind::NotFound, error)),
            Ok(Err(error)) => Err(io::Error::other(error)),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                given_up.abort();
                let waited = format!("the object store did not answer within {:?}", self.timeout);
                Err(io::Error::new(io::ErrorKind::TimedOut, waited))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(io::Error::other("the request to the object store panicked")),
        }
    }
}

/// Makes requests, many at once, until nobody can ask any more.
fn make(mut requests: UnboundedReceiver<Request>, starting: &mpsc::Sender<io::Result<()>>) {
    // The runtime is made and dropped here: neither may be done by a thread that runs futures.
    let built = Builder::new_current_thread().enable_all().build();
    let (runtime, started) = match built {
        Ok(runtime) => (Some(runtime), Ok(())),
        Err(error) => (None, Err(error)),
    };
    let _ = starting.send(started);
    if let Some(runtime) = runtime {
        runtime.block_on(async move {
            while let Some(request) = requests.recv().await {
                tokio::spawn(request);
            }
        });
    }
}

fn ended() -> io::Error {
    io::Error::other("the thread of the object store has ended")
}

impl fmt::Debug for ObjectBlobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { store, prefix, timeout, requests: _ } = self;
        f.debug_struct("ObjectBlobs")
            .field("store", &format_args!("{store}"))
            .field("prefix", &format_args!("{prefix}"))
            .field("timeout", timeout)
            .finish_non_exhaustive()
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

    use std::time::Instant;

    use briefing::log::{Arrival, AttachmentId};
    use briefing::message::OwnerId;
    use futures_util::StreamExt;
    use futures_util::stream::{self, BoxStream};
    use jiff::Timestamp;
    use object_store::memory::InMemory;
    use object_store::{
        CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, PutMultipartOptions, PutOptions,
        PutPayload, PutResult,
    };
    use pollster::block_on;

    use super::*;
    use crate::{Append, Forget, ForgetReport, NewMail, Settings, SqliteStore, Store, Verified};

    fn in_memory(prefix: &str) -> ObjectBlobs {
        ObjectBlobs::new(Arc::new(InMemory::new()), prefix).unwrap()
    }

    #[test]
    fn a_content_is_kept_found_swept_and_deleted() {
        let blobs = in_memory("mail/contents");
        let hash = BlobHash::of(b"content");
        assert_eq!(blobs.get(hash).unwrap(), None);
        blobs.put(hash, b"content").unwrap();
        blobs.put(hash, b"content").unwrap();
        assert_eq!(blobs.get(hash).unwrap().as_deref(), Some(&b"content"[..]));
        assert_eq!(blobs.clone().sweep().unwrap(), [hash]);
        blobs.delete(hash).unwrap();
        blobs.delete(hash).unwrap();
        assert_eq!(blobs.sweep().unwrap(), []);
        assert_eq!(format!("{blobs:?}"), "ObjectBlobs { store: InMemory, prefix: mail/contents, timeout: 60s, .. }");
    }

    #[test]
    fn the_only_thread_of_a_runtime_may_ask() {
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let blobs = in_memory("contents").with_timeout(Duration::from_secs(20));
            blobs.put(BlobHash::of(b"content"), b"content").unwrap();
            assert_eq!(blobs.sweep().unwrap(), [BlobHash::of(b"content")]);
        });
    }

    /// A store that never answers.
    #[derive(Debug)]
    struct Silent;

    impl fmt::Display for Silent {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Silent")
        }
    }

    /// What a method of the trait gives back.
    type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

    fn never<'a, T: Send + 'a>() -> Answer<'a, T> {
        Box::pin(std::future::pending())
    }

    impl ObjectStore for Silent {
        fn put_opts<'l0, 'l1, 'a>(&'l0 self, _: &'l1 Path, _: PutPayload, _: PutOptions) -> Answer<'a, PutResult>
        where
            'l0: 'a,
            'l1: 'a,
        {
            never()
        }

        fn put_multipart_opts<'l0, 'l1, 'a>(
            &'l0 self,
            _: &'l1 Path,
            _: PutMultipartOptions,
        ) -> Answer<'a, Box<dyn MultipartUpload>>
        where
            'l0: 'a,
            'l1: 'a,
        {
            never()
        }

        fn get_opts<'l0, 'l1, 'a>(&'l0 self, _: &'l1 Path, _: GetOptions) -> Answer<'a, GetResult>
        where
            'l0: 'a,
            'l1: 'a,
        {
            never()
        }

        fn delete_stream(&self, _: BoxStream<'static, Result<Path, Error>>) -> BoxStream<'static, Result<Path, Error>> {
            stream::pending().boxed()
        }

        fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta, Error>> {
            stream::pending().boxed()
        }

        fn list_with_delimiter<'l0, 'l1, 'a>(&'l0 self, _: Option<&'l1 Path>) -> Answer<'a, ListResult>
        where
            'l0: 'a,
            'l1: 'a,
        {
            never()
        }

        fn copy_opts<'l0, 'l1, 'l2, 'a>(&'l0 self, _: &'l1 Path, _: &'l2 Path, _: CopyOptions) -> Answer<'a, ()>
        where
            'l0: 'a,
            'l1: 'a,
            'l2: 'a,
        {
            never()
        }
    }

    #[test]
    fn a_store_that_never_answers_is_waited_for_no_longer_than_set() {
        let silent = Arc::new(Silent);
        let blobs = ObjectBlobs::new(silent.clone(), "contents").unwrap().with_timeout(Duration::from_millis(20));
        let hash = BlobHash::of(b"content");
        let told = [
            blobs.put(hash, b"content").unwrap_err(),
            blobs.get(hash).unwrap_err(),
            blobs.delete(hash).unwrap_err(),
            blobs.sweep().unwrap_err(),
        ]
        .map(|error| (error.kind(), error.to_string()));
        let expected = (io::ErrorKind::TimedOut, "the object store did not answer within 20ms".to_owned());
        assert_eq!(told, [(); 4].map(|()| expected.clone()));
        // What was given up is not held.
        let start = Instant::now();
        while Arc::strong_count(&silent) > 2 {
            assert!(start.elapsed() < Duration::from_secs(20));
            thread::yield_now();
        }
    }

    #[test]
    fn a_request_that_panics_is_an_error_of_its_own_alone() {
        let blobs = in_memory("contents");
        let error = blobs.ask::<(), _>(async { unreachable!() }).unwrap_err();
        assert_eq!(error.to_string(), "the request to the object store panicked");
        assert_eq!(blobs.sweep().unwrap(), []);
    }

    #[test]
    fn the_thread_ends_with_the_last_clone() {
        struct Held(#[expect(dead_code, reason = "it is dropped")] Arc<()>);
        let (held, blobs) = (Arc::new(()), in_memory("contents"));
        let request = Held(Arc::clone(&held));
        let forever = Box::pin(async move {
            let _request = request;
            std::future::pending::<()>().await;
        });
        blobs.requests.send(forever).unwrap();
        drop(blobs.clone());
        assert_eq!(blobs.sweep().unwrap(), []);
        assert_eq!(Arc::strong_count(&held), 2);
        drop(blobs);
        let start = Instant::now();
        while Arc::strong_count(&held) > 1 {
            assert!(start.elapsed() < Duration::from_secs(20));
            thread::yield_now();
        }
    }

    #[test]
    fn a_database_keeps_reads_verifies_and_forgets_there() {
        let (folder, blobs) = (tempfile::tempdir().unwrap(), in_memory("contents"));
        let settings = Settings { blob_bytes: 1024, blobs: Some(Arc::new(blobs.clone())), ..Settings::default() };
        let store = SqliteStore::create(&folder.path().join("briefing.db"), settings).unwrap();
        let (owner, now) = (OwnerId::default(), Timestamp::UNIX_EPOCH);
        let content = "large ".repeat(1000);
        let raw = format!(
            "From: ann@x.example\r\nTo: me@shop.example\r\nSubject: Order 7\r\nMIME-Version: 1.0\r\n\
             Content-Type: text/plain\r\nContent-Disposition: attachment; filename=order.txt\r\n\r\n{content}"
        );
        let parsed = briefing_mail::parse(raw.as_bytes());
        let (id, file): (AttachmentId, Vec<u8>) = parsed.files.first().cloned().unwrap();
        let mail = NewMail { mail: parsed.mail, files: parsed.files, raw: Some(raw.clone().into_bytes()) };
        block_on(store.append(&owner, vec![Append::mail(mail, Arrival::Live(now))])).unwrap();
        let mut lies = [BlobHash::of(raw.as_bytes()), BlobHash::of(&file)];
        lies.sort_unstable();
        assert_eq!(blobs.sweep().unwrap(), lies);
        assert_eq!(block_on(store.file(&owner, &id)).unwrap().as_deref(), Some(file.as_slice()));
        let sound = Verified { owners: 1, entries: 1, blobs: 2, ..Verified::default() };
        assert_eq!(block_on(store.verify()).unwrap(), sound);
        let report = block_on(store.forget(&owner, &Forget::Owner, now)).unwrap();
        assert!(matches!(report, ForgetReport { scrubbed: true, blobs: 2, .. }), "{report:?}");
        assert_eq!(blobs.sweep().unwrap(), []);
        assert_eq!(block_on(store.file(&owner, &id)).unwrap(), None);
        assert_eq!(block_on(store.verify()).unwrap(), Verified { blobs: 0, ..sound });
    }
}
