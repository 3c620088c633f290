//! Tools: what a model may ask for. A tool says what it takes, whether it changes anything, and whether a person must agree.

#[cfg(all(unix, feature = "command"))]
mod command;
#[cfg(all(unix, feature = "command"))]
mod fingerprint;
#[cfg(all(unix, feature = "command"))]
mod group;
mod log;
#[cfg(all(unix, feature = "mcp"))]
pub mod mcp;
mod note;
mod picture;
mod read_attachment;
mod schema;
mod search_threads;
mod set;
mod work;

use std::sync::Arc;
use std::time::Duration;

use briefing::Receipt;
use briefing::message::{Part, RawJson, RunId, ThreadId};
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::BoxFuture;

#[cfg(all(unix, feature = "command"))]
pub use command::{CommandLimits, CommandTool};
pub use log::OwnerLog;
pub use note::Note;
pub use read_attachment::ReadAttachment;
pub use schema::{MAX_PROBLEMS, MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH, Problem, SchemaFault};
pub use search_threads::SearchThreads;
pub use set::{
    AddError, BrokenInput, CallFault, Checked, GrantedNames, MAX_INPUT_BYTES, MAX_INPUT_DEPTH, MAX_NAME_CHARS, ToolSet, is_name,
};

/// Does what a model asks for.
///
/// Its input was checked against its schema before it is called. What it gives back is data for the model, never instructions. It is
/// called once for each call that the log does not show to have begun; of [`Effect::Reads`] also again, after a crash.
pub trait Tool: Send + Sync {
    /// What the model and the loop are told of it.
    fn spec(&self) -> &ToolSpec;

    /// What a person is shown before they confirm a call, and what the call touches as it is now. Asked for where
    /// [`ToolSpec::confirm`] is set: when the call is made, and again at the click, where another fingerprint means that the data
    /// changed and nothing is done. It must change nothing. By default the arguments, and nothing touched.
    fn propose<'a>(
        &'a self,
        input: &'a Map<String, Value>,
        cx: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Proposal, ToolFailure>> {
        let _ = cx;
        let preview = serde_json::to_string_pretty(input).unwrap_or_default();
        Box::pin(std::future::ready(Ok(Proposal { preview, fingerprint: String::new() })))
    }

    /// Does it. Dropping the future (deadline, stop) must end whatever it began, processes included.
    ///
    /// # Errors
    /// [`ToolFailure`], told to the model as a failed outcome.
    fn run<'a>(&'a self, input: &'a Map<String, Value>, cx: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>>;
}

/// What is told of a tool.
#[derive(Debug, Clone)]
pub struct ToolSpec {
    /// Its name, as the model calls it and as it is granted.
    pub name: Arc<str>,
    /// What the model is told of it.
    pub description: Arc<str>,
    /// The JSON Schema of its input.
    pub schema: RawJson,
    /// Whether it changes anything.
    pub effect: Effect,
    /// Whether a person must confirm each call.
    pub confirm: bool,
    /// How long one call may take; none: as long as the run has.
    pub timeout: Option<Duration>,
}

/// Whether a tool changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It only reads: its calls of one round run side by side, and one that a crash broke off is done again.
    Reads,
    /// It changes something: its calls run one after the other, and one that a crash broke off is never done again.
    Writes,
}

/// What a person is asked to confirm.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proposal {
    /// What they are shown.
    pub preview: String,
    /// What the write touches, as it is now, as any text: compared and never shown. Empty: it touches nothing that could change.
    pub fingerprint: String,
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput {
    /// The parts of its outcome.
    pub parts: Vec<Part>,
}

/// Why a call did not do what was asked. The text is told to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolFailure {
    /// The tool itself says so, or it was never begun.
    #[error("{message}")]
    Failed {
        /// What it says.
        message: String,
    },
    /// It took too long and was ended.
    #[error("the tool took longer than {} s and was ended; it may have had its effect", after.as_secs())]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// It gave back more than it may, and was ended.
    #[error("the tool gave back more than {limit} bytes and was ended; it may have had its effect")]
    TooMuch {
        /// The limit in bytes.
        limit: u64,
    },
    /// It crashed, or went while it had the call.
    #[error("the tool crashed and may have had its effect: {detail}")]
    Crashed {
        /// How.
        detail: String,
    },
}

/// What a call may know of the run that it belongs to.
#[derive(Clone)]
pub struct ToolContext {
    /// The persona's address, by which its runs are known.
    pub persona: Arc<str>,
    /// The persona's name, by which its messages are known.
    pub agent: Arc<str>,
    /// The thread.
    pub thread: ThreadId,
    /// The run.
    pub run: RunId,
    /// The same for the same call of the same run, however often it is tried, and for no other: what an effect is refused by the
    /// second time.
    pub key: Arc<str>,
    /// When the call began.
    pub now: Timestamp,
    /// The receipt of the request that the model answered with this call: what it was told was left out. None where there is no
    /// request, as when a person confirms a card.
    pub receipt: Option<Arc<Receipt>>,
    /// The log of whose run it is.
    pub log: OwnerLog,
}

impl ToolContext {
    /// Whether it is a run of this persona, by the address that the run is kept with.
    #[must_use]
    pub fn is_own_run(&self, persona: &str) -> bool {
        persona.eq_ignore_ascii_case(&self.persona)
    }

    /// Whether it is a message of this persona, by the name that the message is kept with, as views read it. One without a name is
    /// whoever's the thread is.
    #[must_use]
    pub fn is_own_message(&self, agent: Option<&str>) -> bool {
        agent.is_none_or(|agent| *agent == *self.agent)
    }
}

impl ToolSpec {
    /// A tool of this library: it reads, and nobody needs to confirm it.
    #[expect(clippy::expect_used, reason = "the schemas are constants of this module, and tests compile each of them")]
    fn built_in(name: &str, description: &str, schema: &str) -> Self {
        let schema = RawJson::new(schema).expect("the schema of a built-in tool is JSON");
        Self {
            name: name.into(),
            description: description.into(),
            schema,
            effect: Effect::Reads,
            confirm: false,
            timeout: None,
        }
    }
}

impl ToolFailure {
    /// Whether the tool may have done what it was asked for, in part or in whole: it was broken off, and nobody knows. One that itself
    /// says that it failed has not; so has one that was never begun. Of a proposal it says nothing: that changes nothing.
    #[must_use]
    pub fn may_have_done(&self) -> bool {
        match self {
            Self::Failed { .. } => false,
            Self::TimedOut { .. } | Self::TooMuch { .. } | Self::Crashed { .. } => true,
        }
    }

    /// The store could not be read. What it says is for the log; the model is told no more than that.
    fn of_store(error: &briefing_store::StoreError) -> Self {
        tracing::warn!(%error, "a tool could not read the store");
        Self::Crashed { detail: "the store cannot be read now".to_owned() }
    }
}

impl ToolOutput {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::text(text)] }
    }
}
