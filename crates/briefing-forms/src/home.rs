//! The providers that the forms name, and what of theirs is opaque: signed reasoning, signatures of calls.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Extra, RawJson, Reasoning};
use briefing_json::quote;

/// The wire of a provider, whether Briefing has it or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
}

impl Home {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Briefing's wire of that name.
    pub(crate) fn wire(self) -> Option<Wire> {
        self.name().parse().ok()
    }

    /// The wire as the forms know it.
    pub(crate) fn of(wire: Wire) -> Self {
        match wire {
            Wire::OpenAiChat => Self::OpenAiChat,
            Wire::OpenAiResponses => Self::OpenAiResponses,
            Wire::Anthropic => Self::Anthropic,
            Wire::Gemini => Self::Gemini,
        }
    }

    /// Reasoning of that wire; none if Briefing has no such wire, or the text is no JSON that can be sent.
    pub(crate) fn reasoning(self, kind: &str, raw: impl Into<Arc<str>>) -> Option<Reasoning> {
        Some(Reasoning { wire: self.wire()?, kind: kind.into(), raw: RawJson::new(raw).ok()? })
    }

    /// One unknown field of that wire; none as for reasoning.
    pub(crate) fn field(self, name: &str, raw: &RawJson) -> Option<Extra> {
        Some(Extra::new(self.wire()?, vec![(Arc::from(name), raw.clone())]))
    }
}

/// A JSON object of texts, in order; what is none is left out.
pub(crate) fn texts(members: &[(&str, Option<&str>)]) -> String {
    let members: Vec<(&str, String)> = members.iter().filter_map(|(name, text)| Some((*name, quoted((*text)?)))).collect();
    object(&members)
}

/// A JSON object of values that are JSON.
pub(crate) fn object(members: &[(&str, String)]) -> String {
    let members: Vec<String> = members.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
    format!("{{{}}}", members.join(","))
}

/// The text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    quote(text, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Anthropic's thinking.
pub(crate) fn thinking(text: &str, signature: Option<&str>) -> Option<Reasoning> {
    let raw = texts(&[("type", Some("thinking")), ("thinking", Some(text)), ("signature", signature)]);
    Home::Anthropic.reasoning("thinking", raw)
}

/// Anthropic's thinking that nobody may read.
pub(crate) fn redacted(data: &str) -> Option<Reasoning> {
    Home::Anthropic.reasoning("redacted_thinking", texts(&[("type", Some("redacted_thinking")), ("data", Some(data))]))
}

/// Reasoning that no provider signed, as servers that speak OpenAI Chat take it back.
pub(crate) fn unsigned(text: &str) -> Option<Reasoning> {
    Home::OpenAiChat.reasoning("reasoning_content", quoted(text))
}

/// A thought of Gemini.
pub(crate) fn thought(text: &str, signature: Option<&str>) -> Option<Reasoning> {
    let mut members = vec![("text", quoted(text)), ("thought", "true".to_owned())];
    members.extend(signature.map(|signature| ("thoughtSignature", quoted(signature))));
    Home::Gemini.reasoning("thought", object(&members))
}

/// An item of reasoning of OpenAI Responses.
pub(crate) fn reasoning_item(id: Option<&str>, summary: &[String], encrypted: Option<&str>) -> Option<Reasoning> {
    let summary: Vec<String> =
        summary.iter().map(|text| texts(&[("type", Some("summary_text")), ("text", Some(text))])).collect();
    let mut members = vec![("type", quoted("reasoning"))];
    members.extend(id.map(|id| ("id", quoted(id))));
    members.push(("summary", format!("[{}]", summary.join(","))));
    members.extend(encrypted.map(|encrypted| ("encrypted_content", quoted(encrypted))));
    Home::OpenAiResponses.reasoning("reasoning", object(&members))
}

/// An item of reasoning of OpenAI Responses that a form keeps in pieces, one for each summary.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    open: Option<(Option<String>, Vec<String>, Option<String>)>,
}

impl Pieces {
    /// Takes a piece. One of another id ends the item before, which is given back.
    pub(crate) fn take(&mut self, id: Option<String>, text: String, encrypted: Option<String>) -> Option<Reasoning> {
        match &mut self.open {
            Some((open, texts, sealed)) if *open == id && id.is_some() => {
                texts.extend((!text.is_empty()).then_some(text));
                *sealed = sealed.take().or(encrypted);
                None
            }
            _ => {
                let before = self.end();
                self.open = Some((id, if text.is_empty() { Vec::new() } else { vec![text] }, encrypted));
                before
            }
        }
    }

    /// The item that is open, ended.
    pub(crate) fn end(&mut self) -> Option<Reasoning> {
        let (id, texts, encrypted) = self.open.take()?;
        reasoning_item(id.as_deref(), &texts, encrypted.as_deref())
    }
}
