//! Between Briefing and async-openai 0.43: a sealed briefing as a `CreateChatCompletionRequest` or a `CreateResponse`, and their
//! messages as Briefing's own.
//!
//! ```
//! use briefing::{Bounds, Call, ModelMessage, Wire, fit};
//! use briefing_async_openai::{chat, responses};
//!
//! let messages = [ModelMessage::system("Be brief."), ModelMessage::user("Where is order 7?")];
//! let on = |wire| fit(&messages, &Call::model("gpt-5", Some(wire)), &Bounds::none().messages(20));
//!
//! let converted = chat::to_request(&on(Wire::OpenAiChat)?)?; // converted.request is what `client.chat().create(…)` takes
//! assert_eq!((converted.request.model.as_str(), converted.losses.len()), ("gpt-5", 0));
//! assert_eq!(chat::from_request(&converted.request)?.messages, messages);
//!
//! let converted = responses::to_request(&on(Wire::OpenAiResponses)?)?; // and this what `client.responses().create(…)` takes
//! assert_eq!((converted.request.model.as_deref(), converted.losses.len()), (Some("gpt-5"), 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Either `to_request` goes through `render`, the one door to a wire, and reads its bytes into the client's types. Those types drop
//! fields that they do not know; each such place is a [`Loss`], and a body that they refuse is [`ToRequestError::Refused`]. The
//! other way, `from_messages`, `from_items` and `from_request` read what the client writes, as `briefing_wire` reads any body, and
//! `from_answer` reads what a model said.

pub mod chat;
mod loss;
pub mod responses;

use briefing::{Briefing, Wire};
use briefing_json::Document;
use briefing_wire::{AnswerError, ParseError, ParseFault, ParsedMessages, Render, RenderError, WireFinding, parse_messages};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use loss::{Loss, LossKind};

/// A request in the client's types, and everything that became different on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted<R> {
    /// The request.
    pub request: R,
    /// What the wire made different from the briefing's messages.
    pub findings: Vec<WireFinding>,
    /// What the client's types made different from the rendered body, in the order of the body.
    pub losses: Vec<Loss>,
}

/// Why a briefing cannot be given to the client.
#[derive(Debug, thiserror::Error)]
pub enum ToRequestError {
    /// It was fitted for another wire, whose rules are not those of the request. The client has no types for Anthropic and Gemini.
    #[error("the briefing is for the wire {wire}, the request for {wanted}")]
    OtherWire {
        /// The wire it was fitted for.
        wire: Wire,
        /// The wire of the request.
        wanted: Wire,
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
    /// The answer is none that ended, such as an error.
    #[error(transparent)]
    Answer(#[from] AnswerError),
}

/// The request of a briefing for that wire.
fn convert<R: Serialize + DeserializeOwned>(briefing: &Briefing, wanted: Wire) -> Result<Converted<R>, ToRequestError> {
    let wire = briefing.call().wire();
    if wire != wanted {
        return Err(ToRequestError::OtherWire { wire, wanted });
    }
    let rendered = briefing.render()?;
    let refused = |error| ToRequestError::Refused { error };
    let request: R = serde_json::from_slice(rendered.body()).map_err(refused)?;
    let sent = serde_json::to_vec(&request).map_err(refused)?;
    let losses = loss::between(
        &serde_json::from_slice(rendered.body()).map_err(refused)?,
        &serde_json::from_slice(&sent).map_err(refused)?,
    );
    Ok(Converted { request, findings: rendered.findings().to_vec(), losses })
}

fn written<T: Serialize + ?Sized>(value: &T) -> Result<String, FromMessagesError> {
    serde_json::to_string(value).map_err(|error| FromMessagesError::Unwritten { error })
}

fn read_list(wire: Wire, list: &str) -> Result<ParsedMessages, FromMessagesError> {
    let syntax = |error| ParseError { place: briefing_json::Pointer::root(), fault: ParseFault::Syntax(error) };
    let document = Document::parse(list).map_err(syntax)?;
    Ok(parse_messages(wire, document.root())?)
}
