//! OpenAI Responses.

use async_openai::types::responses::{CreateResponse, InputItem, Response};
use briefing::{Briefing, Wire};
use briefing_wire::{Answer, Parsed, ParsedMessages, parse_answer_text, parse_text};

use crate::{Converted, FromMessagesError, Loss, LossKind, ToRequestError, convert, read_list, written};

const WIRE: Wire = Wire::OpenAiResponses;

/// The request of a briefing that was fitted for OpenAI Responses.
///
/// # Errors
/// [`ToRequestError`] for a briefing of another wire, one that does not render, or a body with an item, a part or a tool that the
/// client's types have no variant for.
pub fn to_request(briefing: &Briefing) -> Result<Converted<CreateResponse>, ToRequestError> {
    let mut converted: Converted<CreateResponse> = convert(briefing, WIRE)?;
    converted.losses.retain(|loss| !is_type_of_a_message(loss));
    Ok(converted)
}

/// An item without a type is a message; the client says so.
fn is_type_of_a_message(loss: &Loss) -> bool {
    let item = loss.place.as_str().strip_prefix("/input/").and_then(|place| place.strip_suffix("/type"));
    loss.kind == LossKind::Added && item.is_some_and(|item| item.parse::<usize>().is_ok())
}

/// A request as a call and messages. What was read otherwise than it was written stands in the findings.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write it, or an item has no meaning.
pub fn from_request(request: &CreateResponse) -> Result<Parsed, FromMessagesError> {
    Ok(parse_text(WIRE, &written(request)?)?)
}

/// Stored items of the client, in order; what the model wrote in a row is one message.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write one, or it has no meaning.
pub fn from_items(items: &[InputItem]) -> Result<ParsedMessages, FromMessagesError> {
    read_list(WIRE, &written(items)?)
}

/// What a model answered: the message to append to a history, calls that did not end apart, and why it stopped.
///
/// # Errors
/// [`FromMessagesError`] if the client cannot write it, or it is an error of the provider.
pub fn from_answer(answer: &Response) -> Result<Answer, FromMessagesError> {
    Ok(parse_answer_text(WIRE, &written(answer)?)?)
}
