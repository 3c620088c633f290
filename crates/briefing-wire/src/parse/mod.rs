//! From a body back to a call and messages.
//!
//! Nothing unreadable inside a value is fatal: a block that is not known is kept as native, an unknown field as extra, half of a
//! surrogate pair reads as U+FFFD. Only what has no meaning at all is an error, with its place.

mod call;
mod error;
mod reader;

use briefing::{Call, ModelMessage, Wire};
use briefing_json::{Document, Path, Value};

pub(crate) use call::call;
pub use error::{ParseChange, ParseError, ParseFault, ParseFinding};
pub(crate) use reader::{Fails, Nest, Read, Reader, address, array as list, base64, object, object_of};

use crate::{anthropic, gemini, openai_chat, openai_responses};

/// A body, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The model by its built-in profile, the tools, and every other top-level field as a parameter, in order.
    pub call: Call,
    /// The messages, in order. Outcomes stand before what else their user message said.
    pub messages: Vec<ModelMessage>,
    /// What was read otherwise than it was written.
    pub findings: Vec<ParseFinding>,
}

/// A list of messages, read.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedMessages {
    /// The messages, in order.
    pub messages: Vec<ModelMessage>,
    /// What was read otherwise than it was written.
    pub findings: Vec<ParseFinding>,
}

/// Reads a body of that wire. Linear in the body.
///
/// # Errors
/// [`ParseError`] for a body, a tool, a message or a part that is no object, content that is neither text nor parts, a role that
/// the wire does not know, or a body without its list (`messages`, `input`, `contents`).
pub fn parse(wire: Wire, body: Value<'_>) -> Result<Parsed, ParseError> {
    let mut reader = Reader::new(wire);
    let (call, messages) = match wire {
        Wire::OpenAiChat => openai_chat::body(body, &mut reader),
        Wire::OpenAiResponses => openai_responses::body(body, &mut reader),
        Wire::Anthropic => anthropic::body(body, &mut reader),
        Wire::Gemini => gemini::body(body, &mut reader),
    }?;
    Ok(Parsed { call, messages, findings: reader.into_findings() })
}

/// Reads the text of a body.
///
/// # Errors
/// As [`parse`], and for a text that is no JSON.
pub fn parse_text(wire: Wire, body: &str) -> Result<Parsed, ParseError> {
    parse(wire, Document::parse(body).map_err(ParseError::syntax)?.root())
}

/// Reads a list of messages of that wire, as a transcript holds it. The places of findings are in the list.
///
/// # Errors
/// As [`parse`], and for a value that is no list.
pub fn parse_messages(wire: Wire, list: Value<'_>) -> Result<ParsedMessages, ParseError> {
    let mut reader = Reader::new(wire);
    let messages = match wire {
        Wire::OpenAiChat => openai_chat::array(list, &Path::Root, &mut reader),
        Wire::OpenAiResponses => openai_responses::array(list, &Path::Root, &mut reader),
        Wire::Anthropic => anthropic::array(list, &Path::Root, &mut reader),
        Wire::Gemini => gemini::array(list, &Path::Root, &mut reader),
    }?;
    Ok(ParsedMessages { messages, findings: reader.into_findings() })
}
