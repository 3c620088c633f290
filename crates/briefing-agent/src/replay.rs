//! Replay: every request that is kept of a run, assembled again from the log as it was.

use briefing::message::{EntryId, RunId};
use briefing_store::Moment;

use crate::AgentError;
use crate::agent::Agent;
use crate::assemble::Inputs;

/// A kept request, and what is made today of what it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// Its number within the run.
    pub number: u32,
    /// The index of the round that it asked for.
    pub round: u32,
    /// The name of the wire.
    pub wire: String,
    /// The model.
    pub model: String,
    /// The bytes that were sent.
    pub kept: Vec<u8>,
    /// The bytes that are made today, or why there are none.
    pub made: Result<Vec<u8>, String>,
}

impl Replayed {
    /// Whether they are the same bytes.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.made.as_ref().is_ok_and(|made| *made == self.kept)
    }
}

impl Agent {
    /// Assembles each request that is kept of a run again: from the log as it was then, with the persona and the settings of now. Where
    /// these are what they were, and nothing was forgotten since, the bytes are the same.
    ///
    /// # Errors
    /// [`AgentError::NothingKept`]; [`AgentError::Unreadable`]; [`AgentError::Store`].
    pub async fn replay(&self, run: &RunId) -> Result<Vec<Replayed>, AgentError> {
        let inner = &*self.inner;
        let kept = inner.store.requests(inner.owner(), run).await?;
        if kept.is_empty() {
            return Err(AgentError::NothingKept { run: run.clone() });
        }
        let mut replayed = Vec::with_capacity(kept.len());
        for kept in kept {
            let inputs: Inputs = serde_json::from_str(&kept.request.inputs).map_err(|error| AgentError::Unreadable {
                run: run.clone(),
                number: kept.number,
                detail: error.to_string(),
            })?;
            let head = EntryId::new(inputs.head);
            let version = inner.version(&inputs.about, Moment::Before(head)).await?;
            let rounds = inner.rounds_before(head, &inputs.about, version, run).await?;
            let chain = inner.chain(&inputs.about)?;
            let made = inner.make(&inputs, &chain, &rounds, Moment::Before(head)).await;
            replayed.push(Replayed {
                number: kept.number,
                round: kept.request.round,
                wire: kept.request.wire,
                model: kept.request.model,
                kept: kept.request.body,
                made: made.map(|made| made.request.into_body()).map_err(|error| error.to_string()),
            });
        }
        Ok(replayed)
    }
}
