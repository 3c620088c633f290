//! rig's conversation memory over a store of Briefing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use briefing::log::Arrival;
use briefing::message::{EntryId, ModelMessage, OwnerId, ThreadId};
use briefing::ports::PortError;
use briefing::texts::Filler;
use briefing::view::{HistoryView, Reading, Replay};
use briefing::{Bounds, Briefing, Call, FitError, UnitKind, filler, fit_contributions, stands_as};
use briefing_store::{Append, Forget, Key, OwnerStore, Store, StoreError, Target};
use jiff::Timestamp;
use rig_core::id::ConversationId;
use rig_core::memory::{ConversationMemory, MemoryError};
use rig_core::message::{Message, Origin};
use rig_core::wasm_compat::WasmBoxedFuture;

use crate::from::{Finding, from_messages};
use crate::request::origin;
use crate::to::{Loss, to_messages};

/// For how many conversations it is remembered what was loaded last.
const REMEMBERED: usize = 4_096;

/// Something that did not come through unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryFinding {
    /// On the way into the store.
    Stored(Finding),
    /// On the way out of it.
    Loaded(Loss),
}

/// Why a conversation could not be kept or told; the source of a [`MemoryError::Backend`].
#[derive(Debug, thiserror::Error)]
pub enum MemoryFault {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store, asked by a view.
    #[error(transparent)]
    Port(#[from] PortError),
    /// What never yields breaks a bound by itself.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// What was cleared is erased from the log, but bytes of it may be left in the store's files.
    #[error("erased, but bytes may be left: {why}")]
    NotScrubbed {
        /// What the store says.
        why: String,
    },
    /// A message is not written as JSON, so it has no key.
    #[error("a message cannot be written: {error}")]
    Unwritten {
        /// What its serialiser says.
        error: serde_json::Error,
    },
}

impl From<MemoryFault> for MemoryError {
    fn from(fault: MemoryFault) -> Self {
        Self::backend(fault)
    }
}

type Hear = dyn Fn(&ConversationId, &MemoryFinding) + Send + Sync;

/// A [`ConversationMemory`] for one owner. A conversation is the thread of its name (at most 1,000 bytes), opened by whichever
/// operation names it first.
///
/// *Load* gives what a view tells of the thread within the bounds: whole rounds, every call answered, and a fixed line where the
/// provider's order of roles needs one (a history must not begin with an answer). What rig adds to a request
/// (preamble, tools, the prompt) is not counted here; leave room for it. *Append* stores each message as an entry of its own. It is
/// done once for what was loaded before: the same messages, appended again before the next load, are not stored again, so an
/// append whose error came after it was done may be tried again. (Without a load in this process, or after 4,096 other
/// conversations, what is there at the append counts as loaded.) *Clear* erases: bytes, search and all; see [`Store::forget`].
///
/// Each operation is done in the thread that polls it if the store does so, as `SqliteStore` does. A dropped future has done all
/// of it or nothing.
pub struct BriefingMemory {
    store: Arc<dyn Store>,
    owner: OwnerId,
    call: Call,
    bounds: Bounds,
    origin: Origin,
    view: HistoryView,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    hear: Option<Box<Hear>>,
    /// The newest entry of a conversation when it was loaded last.
    loaded: Mutex<HashMap<ConversationId, Option<EntryId>>>,
}

impl BriefingMemory {
    /// The conversations of that owner, for a call's model and within the bounds, told as a chat with its tool use. `clock` says when
    /// something is appended.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        owner: OwnerId,
        call: Call,
        bounds: Bounds,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        let view = HistoryView::chat().replay(Replay::Whole);
        let origin = origin(&call);
        Self { store, owner, call, bounds, origin, view, clock: Box::new(clock), hear: None, loaded: Mutex::default() }
    }

    /// The same for another provider that speaks the wire of the call: what only a provider understands is given back to the one
    /// named here.
    #[must_use]
    pub fn origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The same, told by another view.
    #[must_use]
    pub fn view(mut self, view: HistoryView) -> Self {
        self.view = view;
        self
    }

    /// The same; what rig's types or Briefing's do not hold is told to `hear`, as rig's contract has no place for it.
    #[must_use]
    pub fn on_finding(mut self, hear: impl Fn(&ConversationId, &MemoryFinding) + Send + Sync + 'static) -> Self {
        self.hear = Some(Box::new(hear));
        self
    }

    fn tell(&self, conversation: &ConversationId, findings: impl Iterator<Item = MemoryFinding>) {
        if let Some(hear) = &self.hear {
            findings.for_each(|finding| hear(conversation, &finding));
        }
    }

    async fn head(&self, thread: ThreadId) -> Result<Option<EntryId>, MemoryFault> {
        Ok(self.store.thread(&self.owner, thread).await?.and_then(|thread| thread.head))
    }

    fn remember(&self, conversation: &ConversationId, head: Option<EntryId>) {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.len() >= REMEMBERED && !loaded.contains_key(conversation) {
            loaded.clear();
        }
        loaded.insert(conversation.clone(), head);
    }

    fn remembered(&self, conversation: &ConversationId) -> Option<Option<EntryId>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(conversation).copied()
    }

    async fn loaded(&self, conversation: &ConversationId) -> Result<Vec<Message>, MemoryFault> {
        let thread = self.store.named_thread(&self.owner, conversation.as_str()).await?;
        let head = self.head(thread).await?;
        let ports = OwnerStore::new(Arc::clone(&self.store), self.owner.clone());
        let reading = Reading { history: &ports, files: &ports, thread, before: None, address: "", agent: "" };
        let told = self.view.tell(reading).await?;
        let messages = framed(&fit_contributions([told], &self.call, &self.bounds)?);
        let written = to_messages(&messages, self.call.wire(), &self.origin);
        self.tell(conversation, written.losses.into_iter().map(MemoryFinding::Loaded));
        self.remember(conversation, head);
        Ok(written.messages)
    }

    async fn appended(&self, conversation: &ConversationId, messages: Vec<Message>) -> Result<(), MemoryFault> {
        let thread = self.store.named_thread(&self.owner, conversation.as_str()).await?;
        let head = match self.remembered(conversation) {
            Some(head) => head,
            None => self.head(thread).await?,
        };
        self.remember(conversation, head);
        let batch = batch_key(conversation, head, &messages)?;
        let read = from_messages(&messages, self.call.wire());
        let now = (self.clock)();
        let entries = read.messages.into_iter().enumerate().map(|(index, message)| {
            let key = Key::new(&format!("{batch} {index}"));
            Append::message(message, Target::Thread(thread), Arrival::Live(now)).key(key)
        });
        self.store.append(&self.owner, entries.collect()).await?;
        self.tell(conversation, read.findings.into_iter().map(MemoryFinding::Stored));
        Ok(())
    }

    async fn cleared(&self, conversation: &ConversationId) -> Result<(), MemoryFault> {
        let thread = self.store.named_thread(&self.owner, conversation.as_str()).await?;
        let report = self.store.forget(&self.owner, &Forget::Thread(thread), (self.clock)()).await?;
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).remove(conversation);
        match report.scrub_failure {
            Some(why) => Err(MemoryFault::NotScrubbed { why }),
            None => Ok(()),
        }
    }
}

/// The messages, with the lines that the wire's order of roles needs between them and before the prompt that rig puts behind.
fn framed(briefing: &Briefing) -> Vec<ModelMessage> {
    let profile = briefing.call().profile();
    let line = |filler: Filler| match filler {
        Filler::Opening | Filler::Continue => ModelMessage::user(filler.text()),
        Filler::Between | Filler::Silent => ModelMessage::assistant(filler.text()),
    };
    let (mut messages, mut before, mut leading) = (Vec::new(), None, true);
    for placed in briefing.units() {
        leading &= placed.unit().kind() == UnitKind::System;
        if let Some(kind) = stands_as(placed.unit(), profile).filter(|_| !leading) {
            messages.extend(filler(before, Some(kind), profile).map(line));
            before = Some(kind);
        }
        messages.extend(placed.unit().messages());
    }
    messages.extend(filler(before, Some(UnitKind::Input), profile).map(line));
    messages
}

/// The key of a whole append: the conversation, what was there when it was loaded, and the messages.
fn batch_key(conversation: &ConversationId, head: Option<EntryId>, messages: &[Message]) -> Result<String, MemoryFault> {
    let messages = serde_json::to_vec(messages).map_err(|error| MemoryFault::Unwritten { error })?;
    let mut hasher = blake3::Hasher::new_derive_key("briefing-rig 2026-11-30 key of an append");
    hasher.update(&(conversation.as_str().len() as u64).to_le_bytes()).update(conversation.as_str().as_bytes());
    hasher.update(&head.map_or(u64::MAX, EntryId::get).to_le_bytes()).update(&messages);
    Ok(hasher.finalize().to_hex().to_string())
}

impl ConversationMemory for BriefingMemory {
    fn load<'a>(&'a self, conversation_id: &'a ConversationId) -> WasmBoxedFuture<'a, Result<Vec<Message>, MemoryError>> {
        Box::pin(async move { Ok(self.loaded(conversation_id).await?) })
    }

    fn append<'a>(
        &'a self,
        conversation_id: &'a ConversationId,
        messages: Vec<Message>,
    ) -> WasmBoxedFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move { Ok(self.appended(conversation_id, messages).await?) })
    }

    fn clear<'a>(&'a self, conversation_id: &'a ConversationId) -> WasmBoxedFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move { Ok(self.cleared(conversation_id).await?) })
    }
}
