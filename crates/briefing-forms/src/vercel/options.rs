//! `providerOptions` and `providerMetadata`: what one provider alone understands, by its name.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Extra, RawJson, Reasoning};
use briefing_json::Value;

use crate::change::ReadChange;
use crate::home::{Home, object, quoted, redacted, thinking, thought, unsigned};
use crate::reader::{Path, Reader, present, str_of};
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

/// Reasoning with its signature, which says whose it is; none, and told, if Briefing has no such wire.
pub(super) fn reasoning(
    text: String,
    signature: Option<String>,
    options: Option<Value<'_>>,
    at: &Path<'_>,
    reader: &mut Reader,
) -> Option<Reasoned> {
    let of = |providers: &[&str], name| field(options, providers, &[name])?.as_str().map(|text| text.into_owned());
    if let Some(data) = of(&["anthropic", "bedrock"], "redactedData") {
        return redacted(&data).map(Reasoned::Whole);
    }
    let signed = signature.or_else(|| of(&["anthropic", "bedrock"], "signature"));
    if signed.is_some() || options.is_some_and(|options| present(options, "anthropic").is_some()) {
        return thinking(&text, signed.as_deref()).map(Reasoned::Whole);
    }
    let (id, encrypted) = (of(&OPENAI, "itemId"), of(&OPENAI, "reasoningEncryptedContent"));
    if id.is_some() || encrypted.is_some() {
        return if Home::OpenAiResponses.wire().is_some() {
            Some(Reasoned::Piece(id, text, encrypted))
        } else {
            elsewhere(Home::OpenAiResponses, at, reader)
        };
    }
    match of(&GOOGLE, "thoughtSignature") {
        Some(signature) => match thought(&text, Some(&signature)) {
            Some(thought) => Some(Reasoned::Whole(thought)),
            None => elsewhere(Home::Gemini, at, reader),
        },
        None => unsigned(&text).map(Reasoned::Whole),
    }
}

fn elsewhere<T>(home: Home, at: &Path<'_>, reader: &mut Reader) -> Option<T> {
    reader.note(at, ReadChange::ProviderLeftOut { provider: home.name() });
    None
}

/// The unknown fields of a call or a text: Gemini's signature, or Anthropic's mark.
pub(super) fn signed(options: Option<Value<'_>>, at: &Path<'_>, reader: &mut Reader) -> Extra {
    let cached = extra(options, &["thoughtSignature"], at, reader);
    let Some(signature) = field(options, &GOOGLE, &["thoughtSignature"]) else { return cached };
    let Some(raw) = reader.raw(signature, at) else { return cached };
    match Home::Gemini.field("thoughtSignature", &raw) {
        Some(extra) => extra,
        None => elsewhere(Home::Gemini, at, reader).unwrap_or(cached),
    }
}

/// One provider's options as they are written: its name, and its fields as JSON.
pub(super) type Options = Option<(&'static str, Vec<(&'static str, String)>)>;

/// What of unknown fields a part keeps; the rest is told.
pub(super) fn kept(extra: &Extra, out: &mut Writer) -> Options {
    let mark = extra.on(Wire::Anthropic).find(|(name, raw)| *name == "cache_control" && raw.as_str().trim() != "null");
    out.fields_left_out(extra, if mark.is_some() { &["cache_control"] } else { &[] });
    mark.map(|(_, raw)| ("anthropic", vec![("cacheControl", raw.as_str().to_owned())]))
}

/// The same for a call or a text, which Gemini may have signed.
pub(super) fn kept_signed(extra: &Extra, out: &mut Writer) -> Options {
    let signature = Home::Gemini.wire().and_then(|wire| extra.on(wire).find(|(name, _)| *name == "thoughtSignature"));
    match signature {
        Some((_, raw)) => {
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

/// A piece of reasoning as both forms write it: its text and its options. None if the forms have no place for it.
pub(super) fn written(reasoning: &Reasoning) -> Option<Vec<(String, Options)>> {
    let document = briefing_json::Document::parse(reasoning.raw.as_str()).ok()?;
    let root = document.root();
    let only = |known: &[&str]| root.entries().all(|(name, _)| known.contains(&name.as_ref()));
    match (Home::of(reasoning.wire), &*reasoning.kind) {
        (Home::Anthropic, "thinking") if only(&["type", "thinking", "signature"]) => {
            let signature = str_of(root, "signature").map(|text| ("signature", quoted(&text)));
            Some(vec![(str_of(root, "thinking")?, Some(("anthropic", signature.into_iter().collect())))])
        }
        (Home::Anthropic, "redacted_thinking") if only(&["type", "data"]) => {
            let data = vec![("redactedData", quoted(&str_of(root, "data")?))];
            Some(vec![(String::new(), Some(("anthropic", data)))])
        }
        (Home::OpenAiChat, "reasoning_content") => Some(vec![(root.as_str()?.into_owned(), None)]),
        (Home::Gemini, "thought") if only(&["text", "thought", "thoughtSignature"]) => {
            let signature = vec![("thoughtSignature", quoted(&str_of(root, "thoughtSignature")?))];
            Some(vec![(str_of(root, "text").unwrap_or_default(), Some(("google", signature)))])
        }
        (Home::OpenAiResponses, "reasoning") if only(&["type", "id", "summary", "encrypted_content"]) => item(root),
        (Home::Anthropic | Home::OpenAiChat | Home::Gemini | Home::OpenAiResponses, _) => None,
    }
}

/// An item of OpenAI Responses: a part for each summary, at least one.
fn item(item: Value<'_>) -> Option<Vec<(String, Options)>> {
    let mut fields = Vec::new();
    fields.extend(str_of(item, "id").map(|id| ("itemId", quoted(&id))));
    fields.extend(str_of(item, "encrypted_content").map(|text| ("reasoningEncryptedContent", quoted(&text))));
    if fields.is_empty() {
        return None;
    }
    let mut texts: Vec<String> =
        item.get("summary").into_iter().flat_map(Value::items).filter_map(|part| str_of(part, "text")).collect();
    // A second part joins the first by the id alone.
    if texts.len() > 1 && str_of(item, "id").is_none() {
        return None;
    }
    if texts.is_empty() {
        texts.push(String::new());
    }
    Some(texts.into_iter().map(|text| (text, Some(("openai", fields.clone())))).collect())
}

/// The raw JSON of an object with these members, where it can be sent.
pub(super) fn raw_object(members: &[(&str, String)]) -> Option<RawJson> {
    RawJson::new(object(members)).ok()
}
