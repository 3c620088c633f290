//! Anthropic Messages.

mod encode;
mod files;
mod normalise;
mod parse;
mod thinking;

use std::borrow::Cow;
use std::sync::Arc;

use briefing::Briefing;
use briefing::message::{Extra, Media, RawJson};

use crate::finding::WireFinding;
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};

pub(crate) use parse::{array, body};

/// A body, normalised.
struct Body<'a> {
    model: &'a str,
    max_tokens: Option<u32>,
    parameters: Vec<Parameter<'a>>,
    tools: Vec<Declared<'a>>,
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
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
    extra: Option<&'a Extra>,
}

enum Block<'a> {
    Text { text: Cow<'a, str>, extra: Option<&'a Extra> },
    Raw(&'a RawJson),
    Thinking(&'a RawJson),
    Image(&'a Media),
    Document(&'a Media),
    Call { id: Arc<str>, name: Arc<str>, input: Cow<'a, str>, extra: &'a Extra },
    Outcome { id: Arc<str>, blocks: Vec<Block<'a>>, failed: Option<bool>, extra: &'a Extra },
}

/// Writes the body of a briefing whose call is on this wire.
pub(crate) fn render(briefing: &Briefing) -> (Vec<u8>, Vec<WireFinding>) {
    let mut scribe = Scribe::new(briefing.call().profile());
    let body = normalise::body(briefing, &mut scribe);
    (encode::body(&body), scribe.into_findings())
}
