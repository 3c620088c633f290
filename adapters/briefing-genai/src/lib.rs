//! Between Briefing and genai 0.7: a sealed briefing as a `ChatRequest` with its options, and its messages as Briefing's own.
//!
//! ```
//! use briefing::{Bounds, Call, ModelMessage, Wire, fit};
//! use briefing_genai::{from_messages, to_request};
//!
//! let messages = [ModelMessage::system("Be brief."), ModelMessage::user("Where is order 7?")];
//! let briefing = fit(&messages, &Call::model("claude-sonnet-4-5", None), &Bounds::none().messages(20))?;
//! let converted = to_request(&briefing)?; // client.exec_chat(converted.model, converted.request, Some(&converted.options))
//! assert_eq!((converted.request.messages.len(), converted.losses.len()), (2, 0));
//! assert_eq!(from_messages(&converted.request.messages, Wire::Anthropic).messages, messages);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`to_request`] goes through `render`, the one door to a wire, and reads the body's blocks into genai's parts; what these do not
//! hold is a [`Loss`]. [`exact`] is the shorter way where nothing is to be added in between: genai then sends the rendered body
//! itself; genai's Gemini adapter takes none. The other way, [`from_messages`] reads genai's messages, with a [`Finding`] for each part that has no meaning there.

mod from;
mod gemini;
mod message;
mod parsed;
mod to;

use briefing::{Briefing, Wire};
use briefing_wire::{ParseError, ParseFinding, RenderError, WireFinding};
use genai::ModelIden;
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatRequest};

pub use from::{Finding, Found, Read, from_messages, from_request};
pub use to::{exact, to_request};

/// A request in genai's types, and everything that became different on the way.
#[derive(Debug, Clone)]
pub struct Converted {
    /// The model with the adapter of the briefing's wire; a name alone would let genai choose another.
    pub model: ModelIden,
    /// Messages and tools.
    pub request: ChatRequest,
    /// The body's other fields, as `extra_body`, which genai writes over its own; on Gemini as genai's own options.
    pub options: ChatOptions,
    /// What the wire made different from the briefing's messages.
    pub findings: Vec<WireFinding>,
    /// What of the rendered body was read otherwise than it was written, on OpenAI Responses and Gemini.
    pub read: Vec<ParseFinding>,
    /// What genai's types made different from the rendered body, in the order of the body.
    pub losses: Vec<Loss>,
}

/// Something of the rendered body that genai would not send as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The index among the body's messages, on OpenAI Responses and Gemini among those that `briefing_wire` reads of it; none for what
    /// stands beside them.
    pub message: Option<usize>,
    /// What became of it.
    pub lost: Lost,
}

/// What genai's types can lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// A field that has no place there was left out.
    Field {
        /// Its name.
        name: String,
    },
    /// A part of a kind that genai's adapter does not send reads as text.
    PartAsText {
        /// What the wire calls it.
        kind: String,
    },
    /// A file that genai's adapter does not send, such as one by id or in an outcome, reads as a line.
    FileAsText,
    /// Reasoning that genai does not send: on OpenAI Responses what has no ciphertext, on Gemini the thoughts that the provider shows.
    Thought {
        /// What the wire calls it.
        kind: String,
    },
    /// That an outcome is an error is not told.
    Failed,
    /// System text behind the first input reads as a user line: genai would move it to the front.
    SystemAsUser,
    /// A tool was left out: it is none of the call's own functions, or has the name that genai takes for the provider's search.
    Tool {
        /// Its name; empty if it has none.
        name: String,
    },
    /// A parameter was left out: genai sets it, or a tool that it may name is not there.
    Parameter {
        /// Its name.
        name: String,
    },
}

/// Why a briefing cannot be given to genai.
#[derive(Debug, thiserror::Error)]
pub enum ToRequestError {
    /// It cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The rendered body holds a number that is out of the range of genai's JSON values.
    #[error("genai's JSON values do not hold the body: {error}")]
    Unheld {
        /// What the deserialiser says.
        error: serde_json::Error,
    },
    /// The rendered body cannot be read back.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// genai's adapter for the wire sends no field that is not its own, so the rendered body cannot be given to it.
    #[error("genai's adapter for {wire} takes no body of the caller's")]
    NoBody {
        /// The wire.
        wire: Wire,
    },
}

/// genai's adapter for that wire.
#[must_use]
pub const fn adapter(wire: Wire) -> AdapterKind {
    match wire {
        Wire::OpenAiChat => AdapterKind::OpenAI,
        Wire::OpenAiResponses => AdapterKind::OpenAIResp,
        Wire::Anthropic => AdapterKind::Anthropic,
        Wire::Gemini => AdapterKind::Gemini,
    }
}

fn model(briefing: &Briefing) -> ModelIden {
    ModelIden::new(adapter(briefing.call().wire()), briefing.call().profile().name.to_string())
}
