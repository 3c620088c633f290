//! Anthropic Messages.

mod encode;
mod files;
mod marks;
mod native;
mod normalise;
mod parse;
mod thinking;

use std::borrow::Cow;
use std::sync::Arc;

use briefing::Briefing;
use briefing::message::Media;

use crate::finding::WireFinding;
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};
use crate::write::Fields;

pub(crate) use native::ends_in_server_tool;
pub(crate) use parse::{array, body, items};

/// A body, normalised.
struct Body<'a> {
    model: &'a str,
    max_tokens: Option<u32>,
    parameters: Vec<Parameter<'a>>,
    tools: Vec<Declared<'a>>,
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
    /// How many messages are history.
    history: usize,
    /// How many messages will read the same when more stand behind them.
    lasting: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    User,
    Assistant,
    System,
}

struct Message<'a> {
    role: Role,
    blocks: Vec<Block<'a>>,
    fields: Fields<'a>,
}

enum Block<'a> {
    Text { text: Cow<'a, str>, fields: Fields<'a> },
    Raw(Cow<'a, str>),
    Thinking(Cow<'a, str>),
    File { kind: FileKind, media: &'a Media, fields: Fields<'a> },
    Call { id: Arc<str>, name: Arc<str>, input: Cow<'a, str>, fields: Fields<'a> },
    Outcome { id: Arc<str>, blocks: Vec<Block<'a>>, failed: Option<bool>, fields: Fields<'a> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    Image,
    Document,
}

/// Writes the body of a briefing whose call is on this wire.
pub(crate) fn render(briefing: &Briefing) -> (Vec<u8>, Vec<WireFinding>) {
    let mut scribe = Scribe::new(briefing.call().profile());
    let mut body = normalise::body(briefing, &mut scribe);
    let left = marks::settle(&mut body, &mut scribe);
    if briefing.call().marks_cache() {
        marks::place(&mut body, left);
    }
    (encode::body(&body), scribe.into_findings())
}
