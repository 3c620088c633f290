//! OpenAI Chat Completions, in three dialects.

mod encode;
mod native;
mod normalise;
mod parse;
mod parts;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use briefing::message::{Media, RawJson};
use briefing::{Briefing, Dialect};

use crate::finding::WireFinding;
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};
use crate::write::Fields;

pub(crate) use parse::{array, assistant, body};

/// Fields of an assistant message that hold its reasoning, each of some servers: DeepSeek and vLLM, OpenRouter.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

/// Fields of an assistant message that say something beside its content.
const SPOKEN: [&str; 2] = ["refusal", "audio"];

/// Both, in the order that they are written in.
const FIELDS: [&str; 5] = ["reasoning_content", "reasoning", "reasoning_details", "refusal", "audio"];

/// A body, normalised.
struct Body<'a> {
    model: &'a str,
    dialect: Dialect,
    parameters: Vec<Parameter<'a>>,
    tools: Vec<Declared<'a>>,
    messages: Vec<Message<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

struct Message<'a> {
    role: Role,
    parts: Vec<Part<'a>>,
    calls: Vec<Call<'a>>,
    /// Reasoning, and native content that is a field of the message.
    fields: Vec<(&'a str, &'a RawJson)>,
    /// The call that a tool message answers.
    answers: Option<Arc<str>>,
    /// Unknown fields; of several that were merged the first stands.
    extras: Vec<(&'a str, &'a RawJson)>,
    /// The names of both, as there may be very many.
    names: HashSet<&'a str>,
    /// Mistral's mark of a message that the model goes on from.
    prefix: bool,
}

enum Part<'a> {
    Text { text: Cow<'a, str>, fields: Fields<'a> },
    Image(&'a Media),
    Document(&'a Media),
    Raw(&'a RawJson),
}

struct Call<'a> {
    id: Arc<str>,
    name: Arc<str>,
    arguments: Arguments<'a>,
    fields: Fields<'a>,
}

enum Arguments<'a> {
    /// A JSON object.
    Function(Cow<'a, str>),
    /// Any text: the input of a custom tool.
    Custom(&'a str),
}

/// Writes the body of a briefing whose call is on this wire.
pub(crate) fn render(briefing: &Briefing) -> (Vec<u8>, Vec<WireFinding>) {
    let mut scribe = Scribe::new(briefing.call().profile());
    let body = normalise::body(briefing, &mut scribe);
    (encode::body(&body), scribe.into_findings())
}
