//! What a provider gave and wants back as it was: reasoning, signatures, files in its store.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Extra, MediaSource, RawJson, Reasoning};
use briefing_json::quoted;

/// Reasoning of that wire; none if the text is no JSON that can be sent.
pub(crate) fn reasoning(wire: Wire, kind: &str, raw: impl Into<Arc<str>>) -> Option<Reasoning> {
    Some(Reasoning { wire, kind: kind.into(), raw: RawJson::new(raw).ok()? })
}

/// One unknown field of that wire.
pub(crate) fn field(wire: Wire, name: &str, raw: RawJson) -> Extra {
    Extra::new(wire, vec![(Arc::from(name), raw)])
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

/// Anthropic's thinking.
pub(crate) fn thinking(text: &str, signature: Option<&str>) -> Option<Reasoning> {
    let raw = texts(&[("type", Some("thinking")), ("thinking", Some(text)), ("signature", signature)]);
    reasoning(Wire::Anthropic, "thinking", raw)
}

/// Anthropic's thinking that nobody may read.
pub(crate) fn redacted(data: &str) -> Option<Reasoning> {
    reasoning(Wire::Anthropic, "redacted_thinking", texts(&[("type", Some("redacted_thinking")), ("data", Some(data))]))
}

/// Reasoning that no provider signed, as servers that speak OpenAI Chat take it back.
pub(crate) fn unsigned(text: &str) -> Option<Reasoning> {
    reasoning(Wire::OpenAiChat, "reasoning_content", quoted(text))
}

/// A thought of Gemini.
pub(crate) fn thought(text: &str, signature: Option<&str>) -> Option<Reasoning> {
    let mut members = vec![("text", quoted(text)), ("thought", "true".to_owned())];
    members.extend(signature.map(|signature| ("thoughtSignature", quoted(signature))));
    reasoning(Wire::Gemini, "thought", object(&members))
}

/// An item of reasoning of OpenAI Responses.
pub(crate) fn reasoning_item(id: Option<&str>, summary: &[String], encrypted: Option<&str>) -> Option<Reasoning> {
    let summary: Vec<String> =
        summary.iter().map(|text| texts(&[("type", Some("summary_text")), ("text", Some(text))])).collect();
    let mut members = vec![("type", quoted("reasoning"))];
    members.extend(id.map(|id| ("id", quoted(id))));
    members.push(("summary", format!("[{}]", summary.join(","))));
    members.extend(encrypted.map(|encrypted| ("encrypted_content", quoted(encrypted))));
    reasoning(Wire::OpenAiResponses, "reasoning", object(&members))
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

/// A file in a provider's store, by the id alone: an address of Gemini's, or an id of OpenAI's, which both its wires take.
pub(crate) fn stored(id: &str) -> MediaSource {
    let wire = if MediaSource::is_stored_at_gemini(id) { Wire::Gemini } else { Wire::OpenAiChat };
    MediaSource::File { wire, id: id.into() }
}

/// Gemini's signature of a call or a text.
pub(crate) fn signature(extra: &Extra) -> Option<&RawJson> {
    let signed = extra.on(Wire::Gemini).find(|(name, raw)| *name == "thoughtSignature" && raw.as_str().trim() != "null");
    signed.map(|(_, raw)| raw)
}
