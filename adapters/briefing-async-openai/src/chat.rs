//! Chat Completions.

use async_openai::types::chat::{ChatCompletionRequestMessage, ChatCompletionResponseMessage, CreateChatCompletionRequest};
use briefing::{Briefing, Wire};
use briefing_wire::{Parsed, ParsedMessages, parse_text};

use crate::{Converted, FromMessagesError, ToRequestError, convert, read_list, written};

const WIRE: Wire = Wire::OpenAiChat;

/// The request of a briefing that was fitted for OpenAI Chat Completions.
///
/// # Errors
/// [`ToRequestError`] for a briefing of another wire, one that does not render, or a body with something in it that the client's
/// types have no variant for, such as a content part of a type of its server's own.
pub fn to_request(briefing: &Briefing) -> Result<Converted<CreateChatCompletionRequest>, ToRequestError> {
    convert(briefing, WIRE)
}

/// A request as a call and messages. What was read otherwise than it was written stands in the findings.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write it, or it has no messages.
pub fn from_request(request: &CreateChatCompletionRequest) -> Result<Parsed, FromMessagesError> {
    Ok(parse_text(WIRE, &written(request)?)?)
}

/// Stored messages of the client, in order.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write one.
pub fn from_messages(messages: &[ChatCompletionRequestMessage]) -> Result<ParsedMessages, FromMessagesError> {
    read_list(WIRE, &written(messages)?)
}

/// What a model answered, as the one message to append to a history.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write it.
pub fn from_answer(answer: &ChatCompletionResponseMessage) -> Result<ParsedMessages, FromMessagesError> {
    read_list(WIRE, &written(std::slice::from_ref(answer))?)
}
