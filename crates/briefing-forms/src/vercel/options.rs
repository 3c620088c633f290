//! `providerOptions` and `providerMetadata`: what one provider alone understands, by its name.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Extra, RawJson, Reasoning, Text};
use briefing_json::{Path, Value, WriteJson, present, quoted};

use crate::change::WriteChange;
use crate::item::{self, Message};
use crate::opaque::{self, object, redacted, thinking, thought, unsigned};
use crate::reader::{Reader, is_nothing, str_of};
use crate::writer::Writer;

/// The names under which a part keeps them, the call's own before the result's.
pub(super) const NAMES: [&str; 6] = [
    "providerOptions",
    "providerMetadata",
    "callProviderMetadata",
    "experimental_providerMetadata",
    "resultProviderMetadata",
    "toolMetadata",
];

/// The options of a part or message, whatever they are called there.
pub(super) fn of<'d>(part: Value<'d>) -> Option<Value<'d>> {
    NAMES.iter().find_map(|name| present(part, name))
}

/// A field of the first of these providers that has it.
fn field<'d>(options: Option<Value<'d>>, providers: &[&str], names: &[&str]) -> Option<Value<'d>> {
    let options = options?;
    providers.iter().find_map(|provider| {
        let fields = present(options, provider)?;
        names.iter().find_map(|name| present(fields, name))
    })
}

const CACHE: [&str; 2] = ["cacheControl", "cache_control"];

/// Anthropic's mark for its cache. Fields that are not in `used` are told.
pub(super) fn extra(options: Option<Value<'_>>, used: &[&str], at: &Path<'_>, reader: &mut Reader) -> Extra {
    let at = at.key("providerOptions");
    for (provider, fields) in options.into_iter().flat_map(Value::entries) {
        for (name, _) in fields.entries().filter(|(_, value)| !value.is_null()) {
            let known = used.contains(&name.as_ref()) || (provider == "anthropic" && CACHE.contains(&name.as_ref()));
            if !known {
                reader.left_out(&format!("{provider}.{name}"), &at);
            }
        }
    }
    let mark = field(options, &["anthropic"], &CACHE).and_then(|mark| reader.raw(mark, &at));
    Extra::new(Wire::Anthropic, mark.into_iter().map(|mark| (Arc::from("cache_control"), mark)).collect())
}

/// Reasoning, as far as it is one item.
pub(super) enum Reasoned {
    Whole(Reasoning),
    /// A summary of an item of OpenAI Responses: its id, its text, what is encrypted.
    Piece(Option<String>, String, Option<String>),
}

/// The fields of options that reasoning uses.
pub(super) const OF_REASONING: [&str; 5] =
    ["signature", "redactedData", "itemId", "reasoningEncryptedContent", "thoughtSignature"];

const OPENAI: [&str; 2] = ["openai", "azure"];
const GOOGLE: [&str; 3] = ["google", "vertex", "googleVertex"];

/// Reasoning with its signature, which says whose it is.
pub(super) fn reasoning(text: String, signature: Option<String>, options: Option<Value<'_>>) -> Option<Reasoned> {
    let names = |provider: &str| options.is_some_and(|options| present(options, provider).is_some());
    let of = |providers: &[&str], name| field(options, providers, &[name])?.as_str().map(|text| text.into_owned());
    if let Some(data) = of(&["anthropic", "bedrock"], "redactedData") {
        return redacted(&data).map(Reasoned::Whole);
    }
    let signed = signature.or_else(|| of(&["anthropic", "bedrock"], "signature"));
    if signed.is_some() || names("anthropic") {
        return thinking(&text, signed.as_deref()).map(Reasoned::Whole);
    }
    let (id, encrypted) = (of(&OPENAI, "itemId"), of(&OPENAI, "reasoningEncryptedContent"));
    if id.is_some() || encrypted.is_some() {
        return Some(Reasoned::Piece(id, text, encrypted));
    }
    if GOOGLE.into_iter().any(names) {
        return thought(&text, of(&GOOGLE, "thoughtSignature").as_deref()).map(Reasoned::Whole);
    }
    unsigned(&text).map(Reasoned::Whole)
}

/// The unknown fields of a text of the model's: Gemini's signature, the message of OpenAI Responses, or Anthropic's mark.
pub(super) fn of_text(options: Option<Value<'_>>, at: &Path<'_>, reader: &mut Reader) -> Extra {
    let find = |name| field(options, &OPENAI, &[name])?.as_str().map(|text| text.into_owned());
    let message = Message { id: find("itemId"), phase: find("phase") };
    of_said(message.extra(), options, &["thoughtSignature", "itemId", "phase"], at, reader)
}

/// The same of a call, of which OpenAI Responses has an item.
pub(super) fn of_call(options: Option<Value<'_>>, at: &Path<'_>, reader: &mut Reader) -> Extra {
    let item = item::call(|name| {
        let name = if name == "id" { "itemId" } else { name };
        field(options, &OPENAI, &[name])?.as_str().map(|text| text.into_owned())
    });
    of_said(item, options, &["thoughtSignature", "itemId", "namespace", "status"], at, reader)
}

/// What the model said keeps the fields of one wire. Those of others are told.
fn of_said(item: Extra, options: Option<Value<'_>>, used: &[&str], at: &Path<'_>, reader: &mut Reader) -> Extra {
    let cached = extra(options, used, at, reader);
    let raw = field(options, &GOOGLE, &["thoughtSignature"]).and_then(|signature| reader.raw(signature, at));
    let signed = raw.map(|raw| opaque::field(Wire::Gemini, "thoughtSignature", raw)).unwrap_or_default();
    let mut found = [signed, item, cached].into_iter().filter(|extra| !extra.is_empty());
    let kept = found.next().unwrap_or_default();
    for other in found.filter_map(|extra| extra.wire()) {
        reader.left_out(other.name(), at);
    }
    kept
}

/// One provider's options as they are written: its name, and its fields as JSON.
pub(super) type Options = Option<(&'static str, Vec<(&'static str, String)>)>;

/// What of unknown fields a part keeps; the rest is told.
pub(super) fn kept(extra: &Extra, out: &mut Writer) -> Options {
    let mark = extra.on(Wire::Anthropic).find(|(name, raw)| *name == "cache_control" && raw.as_str().trim() != "null");
    out.fields_left_out(extra, if mark.is_some() { &["cache_control"] } else { &[] });
    mark.map(|(_, raw)| ("anthropic", vec![("cacheControl", raw.as_str().to_owned())]))
}

/// The same for a text of the model's, which Gemini may have signed, or which belongs to a message of OpenAI Responses.
pub(super) fn kept_text(text: &Text, message: Option<&Message>, out: &mut Writer) -> Options {
    let Some(message) = message else { return kept_signed(&text.extra, out) };
    for name in Message::left_out(text) {
        out.note(WriteChange::FieldLeftOut { wire: Wire::OpenAiResponses, name });
    }
    out.fields_left_out(&text.extra, &[item::MESSAGE]);
    let fields = [("itemId", &message.id), ("phase", &message.phase)];
    let fields = fields.into_iter().filter_map(|(name, text)| Some((name, quoted(text.as_deref()?))));
    Some(("openai", fields.collect()))
}

/// The same for a call.
pub(super) fn kept_call(extra: &Extra, out: &mut Writer) -> Options {
    let mut fields = item::of_call(extra);
    fields.retain(|(name, _)| *name != "status");
    if fields.is_empty() {
        return kept_signed(extra, out);
    }
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    out.fields_left_out(extra, &names);
    let named = |name| if name == "id" { "itemId" } else { "namespace" };
    Some(("openai", fields.into_iter().map(|(name, raw)| (named(name), raw.as_str().to_owned())).collect()))
}

/// What Gemini signed keeps its signature.
fn kept_signed(extra: &Extra, out: &mut Writer) -> Options {
    match opaque::signature(extra) {
        Some(raw) => {
            out.fields_left_out(extra, &["thoughtSignature"]);
            Some(("google", vec![("thoughtSignature", raw.as_str().to_owned())]))
        }
        None => kept(extra, out),
    }
}

/// Writes them under that name, if there are any.
pub(super) fn write(name: &str, options: &Options, out: &mut Writer) {
    if let Some((provider, fields)) = options {
        out.inner(name, |out| {
            out.inner(provider, |out| fields.iter().for_each(|(name, raw)| out.json_field(name, raw)));
        });
    }
}

/// A piece of reasoning as both forms write it: its text and its options. None if the forms have no place for it. Members of an item
/// that say nothing of it to the provider are told.
pub(super) fn written(reasoning: &Reasoning, out: &mut Writer) -> Option<Vec<(String, Options)>> {
    let document = briefing_json::Document::parse(reasoning.raw.as_str()).ok()?;
    let root = document.root();
    let only = |known: &[&str]| root.entries().all(|(name, _)| known.contains(&name.as_ref()));
    match (reasoning.wire, &*reasoning.kind) {
        (Wire::Anthropic, "thinking") if only(&["type", "thinking", "signature"]) => {
            let signature = str_of(root, "signature").map(|text| ("signature", quoted(&text)));
            Some(vec![(str_of(root, "thinking")?, Some(("anthropic", signature.into_iter().collect())))])
        }
        (Wire::Anthropic, "redacted_thinking") if only(&["type", "data"]) => {
            let data = vec![("redactedData", quoted(&str_of(root, "data")?))];
            Some(vec![(String::new(), Some(("anthropic", data)))])
        }
        (Wire::OpenAiChat, "reasoning_content") => Some(vec![(root.as_str()?.into_owned(), None)]),
        (Wire::Gemini, "thought") if only(&["text", "thought", "thoughtSignature"]) => {
            let signature = str_of(root, "thoughtSignature").map(|text| ("thoughtSignature", quoted(&text)));
            Some(vec![(str_of(root, "text")?, Some(("google", signature.into_iter().collect())))])
        }
        (Wire::OpenAiResponses, "reasoning") => item_of(root, out),
        (Wire::Anthropic | Wire::OpenAiChat | Wire::Gemini | Wire::OpenAiResponses, _) => None,
    }
}

/// An item of OpenAI Responses: a part for each summary, at least one. None of one with anything else to say.
fn item_of(item: Value<'_>, out: &mut Writer) -> Option<Vec<(String, Options)>> {
    const HELD: [&str; 4] = ["type", "id", "summary", "encrypted_content"];
    let (id, encrypted) = (str_of(item, "id"), str_of(item, "encrypted_content"));
    let texts: Option<Vec<String>> =
        item.get("summary").into_iter().flat_map(Value::items).map(|part| str_of(part, "text")).collect();
    let mut texts = texts?;
    let other = |name: &str, value: Value<'_>| !HELD.contains(&name) && !is_nothing(value);
    // A second part joins the first by the id alone.
    let apart = texts.len() > 1 && id.is_none();
    let more = item.entries().any(|(name, value)| name != "status" && other(&name, value));
    if apart || more || (id.is_none() && encrypted.is_none()) {
        return None;
    }
    if item.get("status").is_some_and(|status| other("status", status)) {
        out.note(WriteChange::FieldLeftOut { wire: Wire::OpenAiResponses, name: "reasoning.status".to_owned() });
    }
    if texts.is_empty() {
        texts.push(String::new());
    }
    let mut fields = Vec::new();
    fields.extend(id.map(|id| ("itemId", quoted(&id))));
    fields.extend(encrypted.map(|text| ("reasoningEncryptedContent", quoted(&text))));
    Some(texts.into_iter().map(|text| (text, Some(("openai", fields.clone())))).collect())
}

/// The raw JSON of an object with these members, where it can be sent.
pub(super) fn raw_object(members: &[(&str, String)]) -> Option<RawJson> {
    RawJson::new(object(members)).ok()
}
