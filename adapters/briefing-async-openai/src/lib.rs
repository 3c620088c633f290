//! Between Briefing and async-openai 0.43: a sealed briefing as a `CreateChatCompletionRequest`, and its messages as Briefing's own.
//!
//! ```
//! use briefing::{Bounds, Call, ModelMessage, Wire, fit};
//! use briefing_async_openai::{from_request, to_request};
//!
//! let messages = [ModelMessage::system("Be brief."), ModelMessage::user("Where is order 7?")];
//! let briefing = fit(&messages, &Call::model("gpt-4o", Some(Wire::OpenAiChat)), &Bounds::none().messages(20))?;
//! let converted = to_request(&briefing)?; // converted.request is what `client.chat().create(…)` takes
//! assert_eq!((converted.request.model.as_str(), converted.losses.len()), ("gpt-4o", 0));
//! assert_eq!(from_request(&converted.request)?.messages, messages);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`to_request`] goes through `render`, the one door to a wire, and reads its bytes into the client's types. Those types drop
//! fields that they do not know; each such place is a [`Loss`], and a body that they refuse is [`ToRequestError::Refused`]. The
//! other way, [`from_messages`] and [`from_request`] read what the client writes, as `briefing_wire` reads any body, and
//! [`from_answer`] reads what a model said.

mod loss;

use async_openai::types::chat::{ChatCompletionRequestMessage, ChatCompletionResponseMessage, CreateChatCompletionRequest};
use briefing::{Briefing, Wire};
use briefing_json::Document;
use briefing_wire::{
    ParseError, ParseFault, Parsed, ParsedMessages, Render, RenderError, WireFinding, parse_messages, parse_text,
};

pub use loss::{Loss, LossKind};

/// A request in the client's types, and everything that became different on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted {
    /// The request.
    pub request: CreateChatCompletionRequest,
    /// What the wire made different from the briefing's messages.
    pub findings: Vec<WireFinding>,
    /// What the client's types made different from the rendered body, in the order of the body.
    pub losses: Vec<Loss>,
}

/// Why a briefing cannot be given to the client.
#[derive(Debug, thiserror::Error)]
pub enum ToRequestError {
    /// It was fitted for another wire, whose rules are not those of the client.
    #[error("the briefing is for the wire {wire}, the client's types are for openai-chat")]
    OtherWire {
        /// The wire it was fitted for.
        wire: Wire,
    },
    /// It cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The client's types do not take the rendered body.
    #[error("async-openai's types do not take the body: {error}")]
    Refused {
        /// What its deserialiser says.
        error: serde_json::Error,
    },
}

/// Why messages of the client cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FromMessagesError {
    /// The client cannot write them.
    #[error("async-openai's types cannot be written: {error}")]
    Unwritten {
        /// What its serialiser says.
        error: serde_json::Error,
    },
    /// What it writes has no meaning on the wire.
    #[error(transparent)]
    Parse(#[from] ParseError),
}

/// The request of a briefing that was fitted for OpenAI Chat Completions.
///
/// # Errors
/// [`ToRequestError`] for a briefing of another wire, one that does not render, or a body with something in it that the client's
/// types have no variant for, such as a content part of a type of its server's own.
pub fn to_request(briefing: &Briefing) -> Result<Converted, ToRequestError> {
    match briefing.call().wire() {
        Wire::OpenAiChat => {}
        wire @ Wire::Anthropic => return Err(ToRequestError::OtherWire { wire }),
    }
    let rendered = briefing.render()?;
    let refused = |error| ToRequestError::Refused { error };
    let request: CreateChatCompletionRequest = serde_json::from_slice(rendered.body()).map_err(refused)?;
    let sent = serde_json::to_vec(&request).map_err(refused)?;
    let losses = loss::between(
        &serde_json::from_slice(rendered.body()).map_err(refused)?,
        &serde_json::from_slice(&sent).map_err(refused)?,
    );
    Ok(Converted { request, findings: rendered.findings().to_vec(), losses })
}

/// A request as a call and messages. What was read otherwise than it was written stands in the findings.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write it, or it has no messages.
pub fn from_request(request: &CreateChatCompletionRequest) -> Result<Parsed, FromMessagesError> {
    Ok(parse_text(Wire::OpenAiChat, &written(request)?)?)
}

/// Stored messages of the client, in order.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write one.
pub fn from_messages(messages: &[ChatCompletionRequestMessage]) -> Result<ParsedMessages, FromMessagesError> {
    read_list(&written(messages)?)
}

/// What a model answered, as the one message to append to a history.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write it.
pub fn from_answer(answer: &ChatCompletionResponseMessage) -> Result<ParsedMessages, FromMessagesError> {
    read_list(&written(std::slice::from_ref(answer))?)
}

fn written<T: serde::Serialize + ?Sized>(value: &T) -> Result<String, FromMessagesError> {
    serde_json::to_string(value).map_err(|error| FromMessagesError::Unwritten { error })
}

fn read_list(list: &str) -> Result<ParsedMessages, FromMessagesError> {
    let syntax = |error| ParseError { place: briefing_json::Pointer::root(), fault: ParseFault::Syntax(error) };
    let document = Document::parse(list).map_err(syntax)?;
    Ok(parse_messages(Wire::OpenAiChat, document.root())?)
}
