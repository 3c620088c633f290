//! What a process that died left behind: how far each call is, and what becomes of it.

use std::collections::HashSet;
use std::time::Duration;

use briefing::log::RecordedRound;
use briefing::message::{CallId, EntryId, Outcome, RunId, ToolCall};
use briefing::texts::OutcomeText;
use briefing_store::{Key, Lease, RunEnd, RunSummary, StoreError, Writer};

use crate::engine::StepKey;
use crate::inner::Inner;
use crate::{AgentError, Event, Told};

/// Whoever claimed a card and did not settle it for so long died over it: longer than a confirmed card may take
/// ([`crate::cards::CARD_TIME`]).
const CLAIM_LASTS: Duration = Duration::from_secs(1_800);

/// How far a call is that has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing was begun.
    Fresh,
    /// It was begun, and may have had its effect.
    Begun,
    /// It is held as that card.
    Held(EntryId),
}

impl Stage {
    /// What is told of a call that is not done any more.
    pub(super) const fn end(self) -> OutcomeText {
        match self {
            Self::Fresh => OutcomeText::Interrupted,
            Self::Begun => OutcomeText::Lost,
            Self::Held(_) => OutcomeText::Waiting,
        }
    }
}

/// The steps of a run that had begun before this process came.
#[derive(Debug, Default)]
pub(super) struct Before(Option<HashSet<String>>);

impl Inner {
    /// What a run that died had begun.
    pub(super) async fn begun_before(&self, run: &RunId) -> Result<Before, StoreError> {
        let steps = self.store.steps(self.owner(), run).await?;
        Ok(Before(Some(steps.into_iter().map(|(key, _)| key).collect())))
    }

    /// How far a call is. Of a run that nobody began before, none is.
    pub(super) async fn stage(&self, before: &Before, key: &StepKey) -> Result<Stage, StoreError> {
        let Some(begun) = &before.0 else { return Ok(Stage::Fresh) };
        if let Some(card) = self.store.keyed(self.owner(), &card_key(key)).await? {
            return Ok(Stage::Held(card));
        }
        Ok(if begun.contains(key.as_str()) { Stage::Begun } else { Stage::Fresh })
    }

    /// Closes a run that died. If its answer was stored, it has answered.
    pub(super) async fn close(&self, dead: &RunSummary, told: &mut Told<'_>) -> Result<(), AgentError> {
        let Some(lease) = self.resume(&dead.run.id).await? else { return Ok(()) };
        let closed = self.close_leased(dead, &lease, told).await;
        if closed.is_err() {
            self.let_go(&lease).await;
        }
        closed
    }

    async fn close_leased(&self, dead: &RunSummary, lease: &Lease, told: &mut Told<'_>) -> Result<(), AgentError> {
        let (owner, id) = (self.owner(), &dead.run.id);
        let writer = Writer::from(lease);
        let before = self.begun_before(id).await?;
        let rounds = match self.store.run_rounds(owner, id).await {
            // What cannot be read cannot be gone on with; it must not keep the thread from everything else.
            Err(StoreError::Corrupt { .. }) => Vec::new(),
            rounds => rounds?,
        };
        for (round, recorded) in (0..).zip(rounds) {
            for (at, call) in unanswered(&recorded) {
                let text = self.stage(&before, &StepKey::call(id, round, at)).await?.end();
                self.store.append_outcome(owner, &writer, fixed(call.id.clone(), text), self.clock.now()).await?;
                if text == OutcomeText::Lost {
                    told(Event::CallLost { call: call.id.to_string(), tool: call.name.clone() });
                }
            }
        }
        let (how, detail) = match self.answer_of(&dead.run).await? {
            Some(_) => (RunEnd::Answered, None),
            None => (RunEnd::Lost, Some("its process died")),
        };
        Ok(self.engine.end(owner, &writer, how, detail, self.clock.now()).await?)
    }

    /// Settles cards whose claim is so old that whoever did them is gone: they may have been done.
    pub(crate) async fn settle_lost_cards(&self) -> Result<(), AgentError> {
        let now = self.clock.now();
        if let Ok(before) = now.checked_sub(CLAIM_LASTS) {
            self.store.settle_lost(self.owner(), before, now).await?;
        }
        Ok(())
    }
}

/// The calls of a round that no outcome is recorded of, with their places among the calls.
pub(super) fn unanswered(round: &RecordedRound) -> impl Iterator<Item = (usize, &ToolCall)> {
    let answered: HashSet<&CallId> = round.outcomes.iter().map(|recorded| &recorded.outcome.call).collect();
    round.said.calls().enumerate().filter(move |(_, call)| !answered.contains(&call.id))
}

/// By which the card of a call is stored once.
pub(super) fn card_key(call: &StepKey) -> Key {
    Key::new(&format!("card {call}"))
}

/// An outcome of a fixed text.
pub(super) fn fixed(call: CallId, text: OutcomeText) -> Outcome {
    Outcome { failed: text.failed(), ..Outcome::text(call, text.text()) }
}
