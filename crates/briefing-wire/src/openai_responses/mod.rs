//! OpenAI Responses: a list of items, each a message, reasoning, a call, an outcome, or something of the provider's own.

mod calls;
mod choice;
mod encode;
mod ids;
mod native;
mod normalise;
mod parse;
mod parts;
mod reasoning;

use std::borrow::Cow;
use std::sync::Arc;

use briefing::message::{Media, RawJson, System};
use briefing::{Briefing, Call, Wire};

use self::native::Whole;
use crate::finding::WireFinding;
use crate::raw::is;
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};
use crate::write::Fields;

pub(crate) use parse::{array, body, output, output_item};

/// The name under which a text keeps the fields of the message item that begins with it; `true` where it goes on with the message
/// before.
const MESSAGE: &str = "message";

/// The role that marks system text which is the body's `instructions`.
const INSTRUCTIONS: &str = "\"instructions\"";

/// A body, normalised.
struct Body<'a> {
    model: &'a str,
    parameters: Vec<Parameter<'a>>,
    tools: Vec<Declared<'a>>,
    instructions: Option<String>,
    items: Vec<Entry<'a>>,
    /// Whether what the model said carries its type, without which llama.cpp refuses it ("Cannot determine type of 'item'").
    typed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    System,
    Developer,
    User,
}

/// An item of the input.
enum Entry<'a> {
    /// A message of anyone but the model.
    Message { role: Role, parts: Vec<Part<'a>>, fields: Fields<'a> },
    /// Text that the model said: each part with its unknown fields, the first with those of the message.
    Said { parts: Vec<Said<'a>>, id: bool },
    /// Reasoning, byte for byte but for a status, which OpenAI refuses.
    Reasoning(Cow<'a, str>),
    /// Another item that is sent byte for byte.
    Whole(Whole<'a>),
    /// A call.
    Call { id: Arc<str>, name: Arc<str>, arguments: Arguments<'a>, fields: Fields<'a> },
    /// What came out of one.
    Outcome { id: Arc<str>, output: Output<'a>, fields: Fields<'a> },
}

struct Said<'a> {
    text: Cow<'a, str>,
    fields: Fields<'a>,
}

enum Part<'a> {
    Text { text: Cow<'a, str>, fields: Fields<'a> },
    Image(&'a Media),
    Document(&'a Media),
    Raw(&'a RawJson),
}

/// What a call gives its tool, by the type of its item.
enum Arguments<'a> {
    /// `function_call`: a JSON object, as a string.
    Function(Cow<'a, str>),
    /// `custom_tool_call`: any text.
    Custom(&'a str),
    /// `tool_search_call` of the client: a JSON object.
    Search(Cow<'a, str>),
    /// Any other: among the unknown fields.
    Other,
}

/// What came out, by the type of its item.
enum Output<'a> {
    /// `function_call_output`
    Function(Vec<Part<'a>>),
    /// `custom_tool_call_output`
    Custom(Vec<Part<'a>>),
    /// `tool_search_output`: the tools, as JSON.
    Search(&'a str),
    /// Any other: as JSON.
    Other(&'a RawJson),
}

/// Writes the body of a briefing whose call is on this wire.
pub(crate) fn render(briefing: &Briefing) -> (Vec<u8>, Vec<WireFinding>) {
    let mut scribe = Scribe::new(briefing.call().profile());
    let body = normalise::body(briefing, &mut scribe);
    (encode::body(&body), scribe.into_findings())
}

/// Fields of a body by which its list goes on from what the provider keeps.
const KEPT: [&str; 3] = ["previous_response_id", "conversation", "prompt"];

/// Whether the list of a call with those parameters goes on from what the provider keeps.
pub(crate) fn goes_on(call: &Call) -> bool {
    call.parameters().iter().any(|(name, value)| KEPT.contains(&&**name) && !is(value, "null"))
}

/// Whether system text is the body's `instructions`.
pub(crate) fn is_instructions(system: &System) -> bool {
    system.extra.on(Wire::OpenAiResponses).any(|(name, raw)| name == "role" && is(raw, INSTRUCTIONS))
}
