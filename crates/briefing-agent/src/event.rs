//! What a run tells while it works: in process as values, for programs as JSON lines.

use std::sync::Arc;
use std::time::Duration;

use briefing::message::{EntryId, RunId, ThreadId};
use briefing_store::{RunEnd, Spent};
use jiff::Timestamp;
use serde::Serialize;

/// One step of a run. Told after it is in the log, if it is anything that the log holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The run has the thread.
    Began {
        /// The run.
        run: RunId,
        /// Its thread.
        thread: ThreadId,
        /// Whether it goes on where a process died.
        resumed: bool,
    },
    /// A call of a process that died came to its end as lost.
    CallLost {
        /// The call's id.
        call: String,
        /// The tool.
        tool: String,
    },
    /// A card lapsed before anybody looked at it.
    CardLapsed {
        /// The notice.
        notice: EntryId,
    },
    /// A request goes out.
    Requested {
        /// The index of the round that it asks for.
        round: u32,
        /// The model.
        model: Arc<str>,
        /// The bytes of its body.
        bytes: u64,
        /// Its tokens, by the estimator.
        tokens: u64,
    },
    /// The model says so.
    Text {
        /// The next piece.
        text: String,
    },
    /// The model reasons so.
    Reasoning {
        /// The next piece.
        text: String,
    },
    /// What was told of this round's text is void: its request failed and is sent again.
    TakenBack,
    /// A request failed, and is tried again.
    Retry {
        /// Which try failed, from 1.
        attempt: u32,
        /// Why.
        fault: String,
        /// How long until the next one.
        #[serde(serialize_with = "as_millis", rename = "wait_ms")]
        wait: Duration,
    },
    /// The provider said that the request is too large: it is made smaller.
    Shrunk {
        /// The bound on tokens that holds now.
        tokens: u64,
    },
    /// The model failed, and the next one of the list goes on.
    FellBack {
        /// The model that failed.
        from: Arc<str>,
        /// The next one.
        to: Arc<str>,
        /// Why.
        fault: String,
    },
    /// What an answer cost.
    Spent {
        /// By the provider's own counts.
        #[serde(serialize_with = "as_spent")]
        spent: Spent,
    },
    /// A call is in the log, and about to be looked at.
    Called {
        /// Its id.
        call: String,
        /// The tool.
        tool: String,
        /// The arguments, as the model wrote them.
        input: String,
    },
    /// A call came to its end.
    Outcome {
        /// Its id.
        call: String,
        /// The tool.
        tool: String,
        /// Whether it failed, where that is known.
        failed: Option<bool>,
        /// Its text.
        text: String,
    },
    /// A call waits for a person.
    Card {
        /// The card.
        card: EntryId,
        /// What is to be done.
        action: String,
        /// What the person is shown.
        preview: String,
        /// When it lapses.
        #[serde(serialize_with = "as_time")]
        expires: Option<Timestamp>,
    },
    /// The run has ended.
    Ended {
        /// How.
        #[serde(serialize_with = "as_end")]
        how: RunEnd,
        /// What is told beside that.
        detail: Option<String>,
        /// The entry of the answer, if there is one.
        answer: Option<EntryId>,
        /// What the run has spent.
        #[serde(serialize_with = "as_spent")]
        spent: Spent,
    },
}

/// Hears what a run does, in order. It is called where the run is polled, so it must not wait.
pub type Told<'a> = dyn FnMut(Event) + Send + 'a;

fn as_millis<S: serde::Serializer>(wait: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
}

fn as_end<S: serde::Serializer>(how: &RunEnd, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(how.name())
}

fn as_spent<S: serde::Serializer>(spent: &Spent, serializer: S) -> Result<S::Ok, S::Error> {
    use serde::ser::SerializeStruct;
    let Spent { requests, input, output, cache_read, cache_written, reasoning } = *spent;
    let mut fields = serializer.serialize_struct("Spent", 6)?;
    fields.serialize_field("requests", &requests)?;
    fields.serialize_field("input", &input)?;
    fields.serialize_field("output", &output)?;
    fields.serialize_field("cache_read", &cache_read)?;
    fields.serialize_field("cache_written", &cache_written)?;
    fields.serialize_field("reasoning", &reasoning)?;
    fields.end()
}

fn as_time<S: serde::Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.collect_str(time),
        None => serializer.serialize_none(),
    }
}
