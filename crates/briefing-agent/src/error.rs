//! Why an agent could not do what it was asked.

use std::sync::Arc;

use briefing::log::Settled;
use briefing::message::{EntryId, RunId, ThreadId};
use briefing::persona::ChainUndeclared;
use briefing_store::{RunEnd, StoreError};
use jiff::Timestamp;

/// What kept an agent from beginning, or from writing down how it ended. That a model or a tool failed is no error: the run ends and
/// says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// Another run has the thread.
    #[error("run {run} is at work in this thread until {until}")]
    Busy {
        /// The run.
        run: RunId,
        /// Until when it has the thread, unless it renews that.
        until: Timestamp,
    },
    /// Somebody else took the thread: this run has written nothing more since.
    #[error("run {run} lost its thread to another process")]
    Fenced {
        /// The run.
        run: RunId,
    },
    /// The entry is neither a mail nor what a user said.
    #[error("entry {entry} is nothing that could be answered")]
    NotAnswerable {
        /// The entry.
        entry: EntryId,
    },
    /// The thread does not show the entry.
    #[error("thread {thread} does not hold entry {entry}")]
    NotInThread {
        /// The thread.
        thread: ThreadId,
        /// The entry.
        entry: EntryId,
    },
    /// Another persona proposed what the card holds.
    #[error("card {card} is of another persona")]
    NotOurs {
        /// The card.
        card: EntryId,
    },
    /// The card was settled before, or has lapsed.
    #[error("card {card} was settled before: {}", settled.name())]
    Settled {
        /// The card.
        card: EntryId,
        /// How.
        settled: Settled,
    },
    /// The tool of a card is not there now, as when its server is down. Nothing was done, and the card waits on.
    #[error("the tool {tool} is not there now")]
    ToolMissing {
        /// The tool.
        tool: String,
    },
    /// Scheduled work is not due yet.
    #[error("run {run} is not due before {at}")]
    NotDue {
        /// The run.
        run: RunId,
        /// When it is due.
        at: Timestamp,
    },
    /// What is scheduled as that run is another persona's, or other work.
    #[error("run {run} is scheduled for another persona, or for other work")]
    OtherWork {
        /// The run.
        run: RunId,
    },
    /// The run of scheduled work has ended before, or the work was cancelled.
    #[error("run {run} has ended before: {}", how.name())]
    EndedBefore {
        /// The run.
        run: RunId,
        /// How.
        how: RunEnd,
    },
    /// No model was given.
    #[error("there is no model to be asked")]
    NoModel,
    /// There is a bound on cost, and a model of which no prices are known.
    #[error("a run's cost is bounded, and no prices are known of {model}")]
    NoPrices {
        /// The model.
        model: Arc<str>,
    },
    /// The persona has no chain for scheduled work.
    #[error(transparent)]
    Chain(#[from] ChainUndeclared),
    /// No such run, or nothing is kept of it.
    #[error("nothing is kept of run {run}")]
    NothingKept {
        /// The run.
        run: RunId,
    },
    /// What was kept with a request cannot be read.
    #[error("what was kept with request {number} of run {run} cannot be read: {detail}")]
    Unreadable {
        /// The run.
        run: RunId,
        /// The request.
        number: u32,
        /// Why.
        detail: String,
    },
    /// The store failed. The run can be taken up again.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for AgentError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Leased { run, until, .. } => Self::Busy { run, until },
            StoreError::Fenced { run } => Self::Fenced { run },
            StoreError::Settled { card, settled } => Self::Settled { card, settled },
            other => Self::Store(other),
        }
    }
}
