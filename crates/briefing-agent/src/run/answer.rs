//! The run's answer: stored once, under its own key.

use std::sync::Arc;

use briefing::ModelMessage;
use briefing::log::{Arrival, Body, Cause, Message, Run};
use briefing::message::{Assistant, EntryId, Item};
use briefing_store::{Append, Key, RunEnd, StoreError, Target};
use briefing_wire::Stop as StopReason;

use crate::agent::{Ended, Inner};
use crate::engine::StepKey;
use crate::run::{Halt, Running};

/// The answer of a run.
pub(super) enum Answer {
    /// It is in the log.
    Written(EntryId),
    /// It is not, and is to be stored under that key.
    Open(Key),
}

impl Inner {
    /// The answer of that run. A message that is not edited has one answer of a persona in a thread, whichever run writes it; the next
    /// one can come once that was popped or erased. Scheduled work has one for each run.
    pub(super) async fn answer_of(&self, run: &Run) -> Result<Answer, StoreError> {
        let owner = self.owner();
        let Cause::Message(message) = run.cause else {
            let key = Key::new(StepKey::answer(&run.id).as_str());
            return Ok(self.store.keyed(owner, &key).await?.map_or(Answer::Open(key), Answer::Written));
        };
        let found = self.store.entry(owner, message).await?;
        let version = found.and_then(|found| found.message()?.edited).unwrap_or(message);
        let persona = run.persona.to_ascii_lowercase();
        let mut before = 0_u64;
        loop {
            let key = Key::new(&format!("answer of {persona} to {message}/{version} in {}, {before} before", run.thread));
            let Some(entry) = self.store.keyed(owner, &key).await? else { return Ok(Answer::Open(key)) };
            let stands = self
                .store
                .entry(owner, entry)
                .await?
                .is_some_and(|entry| !matches!(entry.body, Body::Popped(_) | Body::Erased(_)));
            if stands {
                return Ok(Answer::Written(entry));
            }
            before = before.saturating_add(1);
        }
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
        let key = match inner.answer_of(&self.run).await? {
            Answer::Written(entry) => return self.answered_before(entry).await,
            Answer::Open(key) => key,
        };
        let append =
            |now| Append::message(message.clone(), Target::Thread(thread), Arrival::Live(now)).key(key).by(self.writer.clone());
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
