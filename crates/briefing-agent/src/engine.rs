//! The engine under the loop: who may work, what was begun, what is due, who was asked to stop.
//!
//! The loop keeps how far a run is in the log alone, and asks an engine for the rest. An engine may run a step more than once: each
//! effect has a [`StepKey`] made of its run and place, and [`Engine::step`] refuses it the second time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use briefing::log::Run;
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};
use briefing_store::{Lease, RunEnd, RunSummary, RunsOf, Scheduled, Step, Store, StoreError, Writer};
use jiff::Timestamp;

use crate::BoxFuture;

/// What an engine gives, later.
pub type EngineFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Names one effect of a run: the same however often it is tried, and no other effect's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StepKey(Arc<str>);

impl StepKey {
    /// That call of that round.
    #[must_use]
    pub fn call(run: &RunId, round: u32, call: usize) -> Self {
        Self(format!("{run}/call/{round}/{call}").into())
    }

    /// The run's answer.
    #[must_use]
    pub fn answer(run: &RunId) -> Self {
        Self(format!("{run}/answer").into())
    }

    /// As it is kept, and given to whoever has the effect.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Sees to it that one run works in a thread at a time, that no effect is begun twice, and that a run can be stopped. Everything is
/// durable when its future ends.
pub trait Engine: Send + Sync {
    /// The runs of a thread that began and have not ended, with whether one is at work; the newest first, at most a hundred.
    fn unended<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> EngineFuture<'a, Vec<RunSummary>>;

    /// Begins a run, and gives it its thread.
    ///
    /// # Errors
    /// [`StoreError::Leased`] while another run is at work there; what [`Store::begin_run`] errors with.
    fn begin<'a>(&'a self, owner: &'a OwnerId, run: &'a Run, now: Timestamp) -> EngineFuture<'a, Lease>;

    /// Begins the run of scheduled work, or goes on with it if it was begun before, and gives it its thread. Where another run has that,
    /// the work stays due.
    ///
    /// # Errors
    /// [`StoreError::Leased`] while any run, be it this one, is at work there; [`StoreError::RunEnded`] if it was done or cancelled;
    /// what [`Store::begin_run`] errors with.
    fn begin_due<'a>(&'a self, owner: &'a OwnerId, work: &'a Scheduled, now: Timestamp) -> EngineFuture<'a, Lease>;

    /// Gives a run that had begun, and whose process is gone, its thread again.
    ///
    /// # Errors
    /// [`StoreError::Leased`] while any run is at work there; [`StoreError::RunEnded`].
    fn resume<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, Lease>;

    /// The run is alive. To be told more often than [`Engine::lasts`] says.
    ///
    /// # Errors
    /// [`StoreError::Fenced`] if somebody else has the thread: the run must stop at once.
    fn alive<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease, now: Timestamp) -> EngineFuture<'a, Lease>;

    /// The run goes no further in this process and has not ended: whoever comes next may take it up at once, and need not wait until it
    /// has been without a sign of life for so long.
    ///
    /// # Errors
    /// As [`Engine::alive`].
    fn let_go<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease) -> EngineFuture<'a, ()>;

    /// How long a run keeps its thread without a sign of life.
    fn lasts(&self) -> Duration;

    /// A step begins. Whoever is told [`Step::Again`] must not have its effect once more.
    ///
    /// # Errors
    /// [`StoreError::Fenced`].
    fn step<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, key: &'a StepKey, now: Timestamp) -> EngineFuture<'a, Step>;

    /// A card's person has come: claims it, once.
    ///
    /// # Errors
    /// As [`Store::claim_card`].
    fn claim<'a>(&'a self, owner: &'a OwnerId, card: EntryId, now: Timestamp) -> EngineFuture<'a, ()>;

    /// The run has ended, and gives its thread back.
    ///
    /// # Errors
    /// As [`Store::end_run`].
    fn end<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        how: RunEnd,
        detail: Option<&'a str>,
        now: Timestamp,
    ) -> EngineFuture<'a, ()>;

    /// Asks a run to stop, from whatever process.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`].
    fn stop<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, ()>;

    /// Keeps that a run is to be begun at a time. The same once more changes nothing.
    ///
    /// # Errors
    /// As [`Store::schedule`].
    fn schedule<'a>(&'a self, owner: &'a OwnerId, work: &'a Scheduled) -> EngineFuture<'a, ()>;

    /// At most `count` scheduled runs that are due at `now` and have not ended, the one that was due first first. Those that are at work
    /// are among them.
    fn due<'a>(&'a self, owner: &'a OwnerId, now: Timestamp, count: usize) -> EngineFuture<'a, Vec<Scheduled>>;

    /// Takes back scheduled work whose run was not begun, and tells whether it did: nobody begins it any more, whoever had found it due.
    /// One that was begun is [asked to stop](Self::stop).
    fn cancel<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, bool>;

    /// Whether the run was asked to stop. Looked at between rounds, and every second beside them.
    fn stopping<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> EngineFuture<'a, bool>;
}

/// The engine of one node: the store itself. A run has its thread by a lease that lapses when its process dies.
#[derive(Clone)]
pub struct StoreEngine {
    store: Arc<dyn Store>,
    lasts: Duration,
}

impl StoreEngine {
    /// How long a lease lasts, if nothing else is said.
    pub const LASTS: Duration = Duration::from_secs(60);

    /// The store as an engine. A run whose process died can go on after `lasts`.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, lasts: Duration) -> Self {
        Self { store, lasts }
    }
}

impl Engine for StoreEngine {
    fn unended<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> EngineFuture<'a, Vec<RunSummary>> {
        self.store.runs(owner, RunsOf { thread: Some(thread), open: true, ..RunsOf::newest(100) })
    }

    fn begin<'a>(&'a self, owner: &'a OwnerId, run: &'a Run, now: Timestamp) -> EngineFuture<'a, Lease> {
        Box::pin(async move {
            self.store.begin_run(owner, run.clone()).await?;
            let lease = self.store.lease(owner, &run.id, now, self.lasts).await;
            if let Err(error) = &lease {
                // Nothing is lost if this cannot be written: a run that never had a lease is not taken up.
                let why = match error {
                    StoreError::Leased { .. } => "another run had the thread",
                    _ => "its thread could not be leased",
                };
                let _ = self.store.end_run(owner, &run.id.clone().into(), RunEnd::Lost, Some(why), now).await;
            }
            lease
        })
    }

    fn begin_due<'a>(&'a self, owner: &'a OwnerId, work: &'a Scheduled, now: Timestamp) -> EngineFuture<'a, Lease> {
        Box::pin(async move {
            match self.store.begin_run(owner, work.as_run()).await {
                Ok(()) | Err(StoreError::RunBegun { .. }) => {}
                Err(error) => return Err(error),
            }
            // If another was quicker, the run stays begun: whoever finds it due next goes on from here.
            self.store.lease(owner, &work.run, now, self.lasts).await
        })
    }

    fn resume<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, Lease> {
        self.store.lease(owner, run, now, self.lasts)
    }

    fn alive<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease, now: Timestamp) -> EngineFuture<'a, Lease> {
        self.store.renew(owner, lease, now, self.lasts)
    }

    fn let_go<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease) -> EngineFuture<'a, ()> {
        self.store.release(owner, lease)
    }

    fn lasts(&self) -> Duration {
        self.lasts
    }

    fn step<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, key: &'a StepKey, now: Timestamp) -> EngineFuture<'a, Step> {
        self.store.begin_step(owner, writer, key.as_str(), now)
    }

    fn claim<'a>(&'a self, owner: &'a OwnerId, card: EntryId, now: Timestamp) -> EngineFuture<'a, ()> {
        self.store.claim_card(owner, card, now)
    }

    fn end<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        how: RunEnd,
        detail: Option<&'a str>,
        now: Timestamp,
    ) -> EngineFuture<'a, ()> {
        self.store.end_run(owner, writer, how, detail, now)
    }

    fn stop<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, ()> {
        self.store.stop_run(owner, run, now)
    }

    fn schedule<'a>(&'a self, owner: &'a OwnerId, work: &'a Scheduled) -> EngineFuture<'a, ()> {
        self.store.schedule(owner, work.clone())
    }

    fn due<'a>(&'a self, owner: &'a OwnerId, now: Timestamp, count: usize) -> EngineFuture<'a, Vec<Scheduled>> {
        self.store.scheduled(owner, Some(now), count)
    }

    fn cancel<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, bool> {
        self.store.unschedule(owner, run, now)
    }

    fn stopping<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> EngineFuture<'a, bool> {
        self.store.stop_asked(owner, run)
    }
}
