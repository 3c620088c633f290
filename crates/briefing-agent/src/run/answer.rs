//! The run's answer: stored once, under its own key.

use std::sync::Arc;

use briefing::ModelMessage;
use briefing::log::{Arrival, Cause, Message, Run};
use briefing::message::{Assistant, EntryId, Item};
use briefing_store::{Append, Key, Moment, RunEnd, Target};
use briefing_wire::Stop as StopReason;

use crate::AgentError;
use crate::assemble::About;
use crate::engine::StepKey;
use crate::inner::Inner;
use crate::run::{Ended, Halt, Running};

impl Inner {
    /// The answer of that run, if it is in the log. A message that is not edited has one answer of a persona in a thread, whichever run
    /// wrote it; the next one can come once that was popped or erased. Scheduled work has one for each run.
    pub(super) async fn answer_of(&self, run: &Run) -> Result<Option<EntryId>, AgentError> {
        let owner = self.owner();
        if let Some(answer) = self.store.answer_of(owner, &run.id).await? {
            return Ok(Some(answer));
        }
        let Cause::Message(message) = run.cause else { return Ok(None) };
        let about = About::Message { thread: run.thread.get(), entry: message.get() };
        let version = self.version(&about, Moment::Now).await?.unwrap_or(message);
        for (_, answer) in self.store.answers(owner, message, &run.persona).await? {
            // What answers an older version does not answer this one, and what another fork shows is not seen here.
            if answer > version && self.shows(run.thread, answer).await? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }
}

impl Running<'_> {
    /// Stores what the model said at last.
    pub(super) async fn answered(&mut self, said: Assistant, stop: &StopReason) -> Result<Ended, Halt> {
        if says_nothing(&said) {
            return Err(Halt::failed(format!("the model said nothing ({})", reason(stop).unwrap_or("it was done"))));
        }
        let inner = self.inner;
        let message = Message::from(ModelMessage::Assistant(Arc::new(said))).by(inner.persona.name());
        let thread = self.about.thread();
        if let Some(entry) = inner.answer_of(&self.run).await? {
            return self.answered_before(entry).await;
        }
        let key = Key::new(StepKey::answer(&self.run.id).as_str());
        let append = |now| {
            Append::message(message.clone(), Target::Thread(thread), Arrival::Live(now)).key(key).answer_by(self.writer.clone())
        };
        let appended = inner.persist(|| inner.store.append(inner.owner(), vec![append(inner.clock.now())])).await?;
        let entry = appended.first().map(|appended| appended.place.entry);
        Ok(self.end(RunEnd::Answered, reason(stop).map(str::to_owned), entry).await?)
    }

    /// The answer is in the log: another process wrote it, or another run.
    pub(super) async fn answered_before(&mut self, entry: EntryId) -> Result<Ended, Halt> {
        let detail = (!self.resumed).then(|| "it was answered before".to_owned());
        Ok(self.end(RunEnd::Answered, detail, Some(entry)).await?)
    }
}

/// Nothing that a person could read, or that only the provider can.
fn says_nothing(said: &Assistant) -> bool {
    said.items.iter().all(|item| match item {
        Item::Text(text) => text.text.trim().is_empty(),
        Item::Reasoning(_) => true,
        Item::Call(_) | Item::Native(_) => false,
    })
}

/// Why a model stopped, where it did not just end.
fn reason(stop: &StopReason) -> Option<&str> {
    match stop {
        StopReason::End | StopReason::Sequence | StopReason::ToolUse | StopReason::Paused | StopReason::Unstated => None,
        StopReason::Length => Some("cut at the model's limit"),
        StopReason::ContentFilter => Some("cut by the provider's filter"),
        StopReason::Refusal => Some("the model declined"),
        StopReason::Other(reason) => Some(reason),
    }
}
