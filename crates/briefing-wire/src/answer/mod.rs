//! What providers answer: whole responses and streams, back into items.
//!
//! [`parse_answer`] reads a whole response. A [`Stream`] takes a streamed one byte by byte if need be, tells what arrives, and at
//! its end rebuilds the whole response that was streamed and reads that: so whole and streamed are the same items.

mod anthropic;
mod elements;
mod error;
mod gemini;
mod grow;
mod openai_chat;
mod openai_responses;
mod partial_args;
mod read;
mod sse;
mod stop;
mod stream;
mod usage;

use briefing::Wire;
use briefing::message::{Assistant, CallId};
use briefing_json::{Document, Value};

pub use error::{AnswerError, AnswerFinding, ErrorKind, ProviderError};
pub use sse::{EventTooLarge, MAX_EVENT_BYTES, SseDecoder, SseEvent};
pub use stop::Stop;
pub use stream::{Cut, CutWhy, Finished, Stream, StreamEvent};
pub use usage::Usage;

use crate::parse::ParseError;

/// An answer that ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// What the model said, in order, and the model that the response names. Every call in it ended.
    pub said: Assistant,
    /// Calls that the model began and was stopped in, as by its limit. There is nothing to run.
    pub unfinished: Vec<UnfinishedCall>,
    /// Why the model stopped.
    pub stop: Stop,
    /// What it cost.
    pub usage: Usage,
    /// The provider's id of the response.
    pub id: Option<String>,
    /// What was read otherwise than it was written.
    pub findings: Vec<AnswerFinding>,
}

/// A call whose arguments did not end. It is no [`ToolCall`](briefing::message::ToolCall), so nothing can run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedCall {
    /// The provider's id; may be empty.
    pub id: CallId,
    /// The tool's name, as far as it came.
    pub name: String,
    /// The arguments, as far as they came.
    pub input: String,
}

/// Reads a whole response of that wire. Linear in the body.
///
/// # Errors
/// [`AnswerError::Provider`] for an error that stands in place of a response, [`AnswerError::Unreadable`] for a body that is no
/// response of the wire.
pub fn parse_answer(wire: Wire, body: Value<'_>) -> Result<Answer, AnswerError> {
    match error::provider_error(body) {
        Some(error) => Err(AnswerError::Provider(error)),
        None => read::answer(wire, body).map_err(AnswerError::Unreadable),
    }
}

/// Reads the text of a whole response.
///
/// # Errors
/// As [`parse_answer`], and for a text that is no JSON.
pub fn parse_answer_text(wire: Wire, body: &str) -> Result<Answer, AnswerError> {
    parse_answer(wire, Document::parse(body).map_err(ParseError::syntax)?.root())
}
