//! What a view or a resolver may read. A store implements these for one owner; the core knows nothing of how.
//!
//! Every port is bound to one owner when it is made, so what another owner keeps cannot be asked for: it is absent.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::log::{AttachmentId, Entry, Place, RecordedRound};
use crate::message::{EntryId, ThreadId};

/// A boxed future, as ports return them: no runtime is assumed.
pub type PortFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, PortError>> + Send + 'a>>;

/// A port could not read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {what}: {source}")]
pub struct PortError {
    /// What was to be read: `history`, `tool use`, `file`.
    pub what: &'static str,
    /// Why it failed.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

/// Reads threads, newest first.
pub trait History: Send + Sync {
    /// At most `count` mails of the thread that stand before `before`, newest first. An unknown thread is empty.
    fn mails_before(&self, thread: ThreadId, before: Place, count: usize) -> PortFuture<'_, Vec<Arc<Entry>>>;

    /// The rounds of that persona's runs that stand beside one of `entries`: runs in the order they began, the rounds of each in
    /// order, whatever the order of `entries`. One bulk read.
    fn rounds<'a>(&'a self, persona: &'a str, entries: &'a [EntryId]) -> PortFuture<'a, Vec<RecordedRound>>;
}

/// Reads the bytes of stored files.
pub trait Files: Send + Sync {
    /// The bytes, or none if they are not (or no longer) there.
    fn file<'a>(&'a self, id: &'a AttachmentId) -> PortFuture<'a, Option<Arc<[u8]>>>;
}
