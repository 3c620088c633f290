//! Work that is to be done at a time.

use std::sync::Arc;

use briefing::log::{Cause, Run};
use briefing::message::{RunId, ThreadId};
use jiff::Timestamp;

/// Scheduled work that has not ended. The id of its run is what it is known by: whoever finds it due begins the run of that id, which
/// is begun once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    /// The run that does it.
    pub run: RunId,
    /// The thread that the run belongs to.
    pub thread: ThreadId,
    /// The address of the persona that does it.
    pub persona: Arc<str>,
    /// Its name. What is to be done is looked up by that when it is due.
    pub responsibility: String,
    /// When it is due.
    pub at: Timestamp,
}

impl Scheduled {
    /// The run that does it, as it is begun.
    #[must_use]
    pub fn as_run(&self) -> Run {
        Run {
            id: self.run.clone(),
            thread: self.thread,
            cause: Cause::Responsibility(self.responsibility.clone()),
            persona: Arc::clone(&self.persona),
        }
    }
}
