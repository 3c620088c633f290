//! The run's answer: stored once, under its own key.

use std::sync::Arc;

use briefing::ModelMessage;
use briefing::log::{Arrival, Message};
use briefing::message::{Assistant, EntryId, Item};
use briefing_store::{Append, Key, RunEnd, Target};
use briefing_wire::Stop as StopReason;

use crate::agent::Ended;
use crate::engine::StepKey;
use crate::run::{Halt, Running};

impl Running<'_> {
    fn answer_key(&self) -> Key {
        Key::new(StepKey::answer(&self.writer.run).as_str())
    }

    /// The answer, if a process that died had stored it.
    pub(super) async fn written(&self) -> Result<Option<EntryId>, Halt> {
        if !self.resumed {
            return Ok(None);
        }
        Ok(self.inner.store.keyed(self.inner.owner(), &self.answer_key()).await?)
    }

    /// Stores what the model said at last.
    pub(super) async fn answered(&mut self, said: Assistant, stop: &StopReason) -> Result<Ended, Halt> {
        if says_nothing(&said) {
            return Err(Halt::failed(format!("the model said nothing ({})", reason(stop).unwrap_or("it was done"))));
        }
        let inner = self.inner;
        let message = Message::from(ModelMessage::Assistant(Arc::new(said))).by(inner.persona.name());
        let (thread, key) = (self.about.thread(), self.answer_key());
        let append =
            |now| Append::message(message.clone(), Target::Thread(thread), Arrival::Live(now)).key(key).by(self.writer.clone());
        let appended = inner.persist(|| inner.store.append(inner.owner(), vec![append(inner.clock.now())])).await?;
        let entry = appended.first().map(|appended| appended.place.entry);
        Ok(self.end(RunEnd::Answered, reason(stop).map(str::to_owned), entry).await?)
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
        // Closed to us only across crates.
        #[allow(unreachable_patterns, reason = "the enum may grow")]
        _ => Some("stopped"),
    }
}
