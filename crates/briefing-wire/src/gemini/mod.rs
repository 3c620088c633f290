//! Gemini generateContent, of the Gemini API and of Vertex AI.
//!
//! It is read in both spellings that its JSON allows (`functionCall`, `function_call`) and written in the first. The model's name
//! stands in the address of a request, not in its body.

mod encode;
mod keys;
mod list;
mod native;
mod normalise;
mod pairing;
mod parse;
mod response;
mod tools;

use std::borrow::Cow;
use std::sync::Arc;

use briefing::message::{Media, ToolCall};
use briefing::{Briefing, Wire};

use crate::finding::WireFinding;
use crate::raw::is;
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};
use crate::write::Fields;

pub(crate) use native::kind_of;
pub(crate) use parse::{array, body, said};

/// Stands for the signature of a call that another model made: the first call of each answer must have one from Gemini 3 on, and this
/// one is documented to pass ("skip_thought_signature_validator", in Base64; recordings 04 and 09, report B64).
const NO_SIGNATURE: &str = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

/// A body, normalised.
struct Body<'a> {
    parameters: Vec<Parameter<'a>>,
    tools: Vec<Declared<'a>>,
    system: Option<Content<'a>>,
    contents: Vec<Content<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Of system text, which has none.
    None,
    User,
    Model,
}

struct Content<'a> {
    role: Role,
    parts: Vec<Part<'a>>,
    fields: Fields<'a>,
}

enum Part<'a> {
    Text {
        text: Cow<'a, str>,
        fields: Fields<'a>,
    },
    /// A part that is sent byte for byte.
    Raw(&'a str),
    File(&'a Media),
    Call {
        /// None if the provider gave none.
        id: Option<Arc<str>>,
        name: Arc<str>,
        args: Cow<'a, str>,
        unsigned: bool,
        fields: Fields<'a>,
    },
    Response {
        id: Option<Arc<str>>,
        name: Arc<str>,
        response: response::Response<'a>,
        files: Vec<Part<'a>>,
        fields: Fields<'a>,
    },
}

impl Part<'_> {
    /// Whether it is a text that says nothing.
    fn is_blank(&self) -> bool {
        matches!(self, Self::Text { text, .. } if text.trim().is_empty())
    }
}

/// Writes the body of a briefing whose call is on this wire.
pub(crate) fn render(briefing: &Briefing) -> (Vec<u8>, Vec<WireFinding>) {
    let mut scribe = Scribe::new(briefing.call().profile());
    let body = normalise::body(briefing, &mut scribe);
    (encode::body(&body), scribe.into_findings())
}

/// Whether the provider gave the call no id, so that its outcome is known by its name and place.
fn is_nameless(call: &ToolCall) -> bool {
    call.extra.on(Wire::Gemini).any(|(name, raw)| name == "id" && is(raw, "null"))
}
