//! Writing LangChain's messages as `messages_to_dict` does, with the standard content blocks of version 1 for files.

use std::collections::{HashMap, HashSet};

use briefing::message::{
    Assistant, Extra, Item, Media, MediaSource, ModelMessage, Native, Part, RawJson, Reasoning, SystemPart, Text, ToolCall,
};
use briefing::texts::file_line;
use briefing::{Wire, native_reads_as};
use briefing_json::{Document, Kind, Path, WriteJson};

use super::answer::{REASONING, SPOKEN};
use super::block::{Block, OF_ITEM, Provider, block};
use super::{GEMINI_SIGNATURES, OPENAI_ROLE};
use crate::change::WriteChange;
use crate::item::{self, Message};
use crate::opaque::{signature, thought, unsigned};
use crate::reader::{Reader, str_of};
use crate::writer::Writer;

/// The fields of Anthropic that a block keeps.
const KEPT: [&str; 2] = ["cache_control", "citations"];

/// Writes all messages.
pub(crate) fn write(messages: &[ModelMessage], out: &mut Writer) {
    for (index, message) in messages.iter().enumerate() {
        out.at(index);
        match message {
            ModelMessage::System(system) => of_kind("system", out, |out| {
                let plain = match system.parts.as_slice() {
                    [SystemPart::Text(text)] => plain(text),
                    _ => None,
                };
                content(&system.parts, plain, out, |out, part| match part {
                    SystemPart::Text(text) => text_block(text, None, None, out),
                    SystemPart::Native(inner) => native(inner, None, out),
                });
                let role = system.extra.on(Wire::OpenAiChat).find(|(name, raw)| *name == "role" && is_developer(raw));
                out.inner("additional_kwargs", |out| {
                    if let Some((_, role)) = role {
                        out.json_field(OPENAI_ROLE, role.as_str());
                    }
                });
                named(&system.extra, role.is_some().then_some("role"), out);
            }),
            ModelMessage::User(user) => of_kind("human", out, |out| {
                parts(&user.parts, out);
                out.inner("additional_kwargs", |_| {});
                named(&user.extra, None, out);
            }),
            ModelMessage::Tool(outcome) => of_kind("tool", out, |out| {
                parts(&outcome.parts, out);
                out.field("tool_call_id", outcome.call.given());
                out.field("status", if outcome.failed == Some(true) { "error" } else { "success" });
                out.inner("additional_kwargs", |_| {});
                out.fields_left_out(&outcome.extra, &[]);
            }),
            ModelMessage::Assistant(said) => of_kind("ai", out, |out| answer(said, out)),
        }
    }
}

fn of_kind(kind: &str, out: &mut Writer, write: impl FnOnce(&mut Writer)) {
    out.line(|out| {
        out.field("type", kind);
        out.inner("data", |out| {
            write(out);
            if kind != "ai" {
                out.inner("response_metadata", |_| {});
            }
            out.field("type", kind);
        });
    });
}

fn is_developer(role: &RawJson) -> bool {
    role.as_str().trim() == "\"developer\""
}

/// The name that OpenAI Chat takes; all other fields but the one that is written are told.
fn named(extra: &Extra, written: Option<&str>, out: &mut Writer) {
    let is_text = |raw: &RawJson| raw.as_str().trim_start().starts_with('"');
    let name = extra.on(Wire::OpenAiChat).find(|(name, raw)| *name == "name" && is_text(raw));
    if let Some((_, raw)) = name {
        out.json_field("name", raw.as_str());
    }
    let kept: Vec<&str> = written.into_iter().chain(name.is_some().then_some("name")).collect();
    out.fields_left_out(extra, &kept);
}

fn plain(text: &Text) -> Option<&str> {
    text.extra.is_empty().then_some(&text.text)
}

/// One plain text as a string, anything else as blocks.
fn content<T>(parts: &[T], plain: Option<&str>, out: &mut Writer, write: impl FnMut(&mut Writer, &T)) {
    out.name("content");
    match plain {
        Some(text) => out.text(text),
        None => out.array(parts, write),
    }
}

fn parts(parts: &[Part], out: &mut Writer) {
    let plain = match parts {
        [Part::Text(text)] => plain(text),
        _ => None,
    };
    content(parts, plain, out, |out, part| match part {
        Part::Text(text) => text_block(text, None, None, out),
        Part::Image(inner) => media("image", inner, out),
        Part::Document(inner) => media("file", inner, out),
        Part::Native(inner) => native(inner, None, out),
    });
}

/// A text; of the model's, with the signature and the message that are read back of that provider.
fn text_block(text: &Text, provider: Option<Provider>, message: Option<&Message>, out: &mut Writer) {
    out.block("text", |out| {
        out.field("text", &text.text);
        if let Some(message) = message {
            for (name, text) in [("id", &message.id), ("phase", &message.phase)] {
                if let Some(text) = text {
                    out.field(name, text);
                }
            }
            for name in Message::left_out(text) {
                out.note(WriteChange::FieldLeftOut { wire: Wire::OpenAiResponses, name });
            }
            return out.fields_left_out(&text.extra, &[item::MESSAGE]);
        }
        match signature(&text.extra).filter(|_| provider == Some(Provider::Google)) {
            Some(signature) => {
                out.inner("extras", |out| out.json_field("signature", signature.as_str()));
                out.fields_left_out(&text.extra, &["thoughtSignature"]);
            }
            None => block_fields(&text.extra, out),
        }
    });
}

/// The fields that are kept beside a block.
fn block_fields(extra: &Extra, out: &mut Writer) {
    for (name, raw) in extra.on(Wire::Anthropic).filter(|(name, raw)| KEPT.contains(name) && raw.as_str().trim() != "null") {
        out.json_field(name, raw.as_str());
    }
    out.fields_left_out(extra, if extra.wire() == Some(Wire::Anthropic) { &KEPT } else { &[] });
}

/// A file as a standard block, in Gemini's store by its address. One in Anthropic's store is Anthropic's own block, since an id says not
/// whose it is; where Gemini's is no address, a text.
fn media(kind: &str, media: &Media, out: &mut Writer) {
    if let MediaSource::File { wire: Wire::Anthropic, id } = &media.source {
        out.block(if kind == "image" { "image" } else { "document" }, |out| {
            out.inner("source", |out| {
                out.field("type", "file");
                if !media.media_type.is_empty() {
                    out.field("media_type", &media.media_type);
                }
                out.field("file_id", id);
            });
            if let Some(name) = &media.filename {
                out.field("title", name);
            }
            block_fields(&media.extra, out);
        });
        return;
    }
    if let MediaSource::File { wire: Wire::Gemini, id } = &media.source
        && !MediaSource::is_stored_at_gemini(id)
    {
        out.note(WriteChange::FileAsText { id: id.to_string() });
        let what = if kind == "image" { "image" } else { "document" };
        let line = file_line(what, Some(media.filename.as_deref().unwrap_or(id)), None);
        return text_block(&Text::new(line), None, None, out);
    }
    out.block(kind, |out| {
        match &media.source {
            MediaSource::Data(bytes) => out.field("base64", bytes.as_base64()),
            MediaSource::Url(url) | MediaSource::File { wire: Wire::Gemini, id: url } => out.field("url", url),
            MediaSource::File { id, .. } => out.field("file_id", id),
        }
        if !media.media_type.is_empty() {
            out.field("mime_type", &media.media_type);
        }
        if let Some(name) = &media.filename {
            out.field("filename", name);
        }
        block_fields(&media.extra, out);
    });
}

/// A native block as it is, where it comes back as that; else as a text.
fn native(native: &Native, provider: Option<Provider>, out: &mut Writer) {
    if comes_back(&native.raw, provider, |block| matches!(block, Block::Native(read) if read == native)) {
        out.json(native.raw.as_str());
    } else {
        out.note(WriteChange::NativeAsText { kind: native.kind.to_string() });
        text_block(&Text::new(native_reads_as(native)), None, None, out);
    }
}

/// Whether reading the block gives what is wanted.
fn comes_back(raw: &RawJson, provider: Option<Provider>, is: impl FnOnce(&Block) -> bool) -> bool {
    let Ok(document) = Document::parse(raw.as_str()) else { return false };
    document.root().kind() == Kind::Object
        && matches!(block(document.root(), &Path::Root, provider, &mut Reader::default()), Ok(Some(found)) if is(&found))
}

/// The provider to name, that what is opaque is read as what it is: the first of what only that provider's packages read back, or the one
/// whose calls these are. Nobody is named for what speaks OpenAI Chat, but where the model's name would say otherwise.
fn model_provider(said: &Assistant) -> Option<&'static str> {
    let of_fields = |extra: &Extra| match extra.wire()? {
        Wire::Gemini => signature(extra).map(|_| Wire::Gemini),
        Wire::OpenAiResponses => Some(Wire::OpenAiResponses),
        Wire::OpenAiChat | Wire::Anthropic => None,
    };
    let homes = said.items.iter().filter_map(|item| match item {
        Item::Reasoning(reasoning) => Some(reasoning.wire),
        Item::Native(native) => Some(native.wire),
        Item::Text(text) => of_fields(&text.extra),
        Item::Call(_) => None,
    });
    let opaque = homes.clone().find(|home| *home != Wire::OpenAiChat);
    let of_calls = || said.calls().find_map(|call| of_fields(&call.extra));
    let misleads = || said.model.as_deref().and_then(Provider::by_name).is_some();
    match opaque.or_else(|| homes.clone().next()).or_else(of_calls)? {
        Wire::Anthropic => Some("anthropic"),
        Wire::Gemini => Some("google_genai"),
        Wire::OpenAiResponses => Some("openai"),
        Wire::OpenAiChat => misleads().then_some("openai"),
    }
}

/// What stands beside the content: reasoning in front, what else is said, the signatures of calls.
struct Beside<'a> {
    fields: Vec<(&'a str, &'a RawJson)>,
    /// What stands in the content, in order.
    items: Vec<&'a Item>,
    /// Whether a call stands before something that is said beside the content.
    after_calls: bool,
}

impl<'a> Beside<'a> {
    fn of(said: &'a Assistant) -> Self {
        let mut fields: Vec<(&str, &RawJson)> = Vec::new();
        let mut leading = 0;
        let mut next = REASONING.iter();
        for item in &said.items {
            let Item::Reasoning(Reasoning { wire: Wire::OpenAiChat, kind, raw }) = item else { break };
            if is_nothing(raw) || is_item(raw) || !next.any(|field| *field == &**kind) {
                break;
            }
            fields.push((kind, raw));
            leading += 1;
        }
        // What is spoken beside the content stands behind it and before the calls.
        let calls = said.items.iter().rev().take_while(|item| matches!(item, Item::Call(_))).count();
        let mut end = said.items.len() - calls;
        let mut last = SPOKEN.iter().rev();
        let mut spoken = Vec::new();
        while let Some(Item::Native(native)) = end.checked_sub(1).filter(|at| *at >= leading).and_then(|at| said.items.get(at))
        {
            let field = native.wire == Wire::OpenAiChat && !is_nothing(&native.raw) && native.needs.is_none();
            let is_block = comes_back(&native.raw, Some(Provider::OpenAi), |block| matches!(block, Block::Native(_)));
            if !field || is_block || !reads_plainly(native) || !last.any(|field| *field == &*native.kind) {
                break;
            }
            spoken.push((&*native.kind, &native.raw));
            end -= 1;
        }
        let inside = said.items.iter().take(end).skip(leading);
        let after_calls = !spoken.is_empty() && inside.clone().any(|item| matches!(item, Item::Call(_)));
        fields.extend(spoken.into_iter().rev());
        Self { fields, items: inside.chain(said.items.iter().skip(said.items.len() - calls)).collect(), after_calls }
    }
}

/// Whether reading gives the same text for other wires.
fn reads_plainly(native: &Native) -> bool {
    let document = Document::parse(native.raw.as_str());
    let text = document.as_ref().ok().and_then(|document| document.root().as_str());
    native.reads_as.as_deref() == text.filter(|_| &*native.kind == "refusal").as_deref()
}

fn is_nothing(raw: &RawJson) -> bool {
    Document::parse(raw.as_str()).is_ok_and(|document| crate::reader::is_nothing(document.root()))
}

/// Whether it would be read as an item of OpenAI Responses.
fn is_item(raw: &RawJson) -> bool {
    let has = |key| Document::parse(raw.as_str()).is_ok_and(|document| document.root().get(key).is_some());
    has("summary") || has("encrypted_content")
}

fn answer(said: &Assistant, out: &mut Writer) {
    let named_provider = model_provider(said);
    let provider = Provider::by_name(named_provider.or(said.model.as_deref()).unwrap_or_default());
    let beside = Beside::of(said);
    let items = placeable(beside.items, provider, out);
    let messages = match provider {
        Some(Provider::Anthropic | Provider::Google) => vec![None; items.len()],
        Some(Provider::OpenAi) | None => item::messages(items.iter().copied()),
    };
    let numbered = said.calls().any(|call| !item::of_call(&call.extra).is_empty());
    let placed = beside.after_calls || numbered || in_order(&items);
    let inside = items.iter().zip(&messages).filter(|(item, _)| placed || !matches!(item, Item::Call(_)));
    let plain = match inside.clone().collect::<Vec<_>>().as_slice() {
        [] => Some(""),
        [(Item::Text(text), _)] if !text.text.is_empty() => plain(text),
        _ => None,
    };
    out.name("content");
    match plain {
        Some(text) => out.text(text),
        None => out.array(inside, |out, (item, message)| self::item(item, message.as_ref(), provider, out)),
    }
    let signed = signatures(said);
    calls(said, &signed, out);
    let order: Vec<_> = said.calls().map(|call| call.id.given()).collect();
    let mut told = HashSet::new();
    let order: Vec<_> = order.into_iter().filter(|id| told.insert(*id)).filter_map(|id| Some((id, *signed.get(id)?))).collect();
    out.inner("additional_kwargs", |out| {
        for (field, raw) in &beside.fields {
            out.json_field(field, raw.as_str());
        }
        if !order.is_empty() {
            out.inner(GEMINI_SIGNATURES, |out| order.iter().for_each(|(id, raw)| out.json_field(id, raw.as_str())));
        }
    });
    out.inner("response_metadata", |out| {
        if let Some(model) = said.model.as_deref().filter(|model| !model.is_empty()) {
            out.field("model_name", model);
        }
        if let Some(name) = named_provider {
            out.field("model_provider", name);
        }
    });
    named(&said.extra, None, out);
}

/// Gemini's signatures by the id of the call, where all calls of that id have the same.
fn signatures(said: &Assistant) -> HashMap<&str, &RawJson> {
    let mut found: HashMap<&str, Option<&RawJson>> = HashMap::new();
    for call in said.calls() {
        let signed = signature(&call.extra);
        let first = *found.entry(call.id.given()).or_insert(signed);
        if first != signed {
            found.insert(call.id.given(), None);
        }
    }
    found.into_iter().filter_map(|(id, signed)| Some((id, signed?))).collect()
}

/// Whether the calls' places must be told: one stands before something else, or a broken one before a sound one.
fn in_order(items: &[&Item]) -> bool {
    let rank = |item: &&Item| match item {
        Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => 0,
        Item::Call(call) if call.input.is_object() => 1,
        Item::Call(_) => 2,
    };
    !items.iter().map(rank).is_sorted()
}

fn item(item: &Item, message: Option<&Message>, provider: Option<Provider>, out: &mut Writer) {
    match item {
        Item::Text(text) => text_block(text, provider, message, out),
        Item::Native(inner) => native(inner, provider, out),
        Item::Call(call) if !item::of_call(&call.extra).is_empty() => out.block("function_call", |out| {
            item::of_call(&call.extra).iter().for_each(|(name, raw)| out.json_field(name, raw.as_str()));
            out.field("call_id", call.id.given());
            out.field("name", &call.name);
            out.field("arguments", call.input.raw());
        }),
        Item::Call(call) => out.block("tool_use", |out| {
            out.field("id", call.id.given());
            out.field("name", &call.name);
            if call.input.is_object() {
                out.json_field("input", call.input.raw());
            } else {
                out.json_field("input", "{}");
                out.field("partial_json", call.input.raw());
            }
        }),
        Item::Reasoning(reasoning) => self::reasoning(reasoning, provider, out),
    }
}

/// How reasoning stands in the content.
enum Shape {
    /// As its provider's own block.
    Own,
    /// As the standard block of what nobody signed.
    Unsigned(String),
    /// As a thought of Google's: its text, its signature.
    Thought(String, Option<String>),
}

/// None where the form has no place for it.
fn shape(reasoning: &Reasoning, provider: Option<Provider>) -> Option<Shape> {
    let document = Document::parse(reasoning.raw.as_str()).ok()?;
    let root = document.root();
    let only = |known: &[&str]| root.entries().all(|(name, _)| known.contains(&name.as_ref()));
    // An item comes back without the members that are null.
    let item = reasoning.wire == Wire::OpenAiResponses && &*reasoning.kind == "reasoning" && only(&OF_ITEM);
    let same = |read: &Reasoning| read == reasoning || (item && read.wire == Wire::OpenAiResponses);
    if comes_back(&reasoning.raw, provider, |block| matches!(block, Block::Reasoning(read) if same(read))) {
        return Some(Shape::Own);
    }
    if provider == Some(Provider::Google) && only(&["text", "thought", "thoughtSignature"]) {
        let (text, signature) = (str_of(root, "text")?, str_of(root, "thoughtSignature"));
        let same =
            thought(&text, signature.as_deref()).is_some_and(|read| read.wire == reasoning.wire && read.kind == reasoning.kind);
        return same.then_some(Shape::Thought(text, signature));
    }
    let text = root.as_str()?.into_owned();
    let unsigned = unsigned(&text).is_some_and(|read| read == *reasoning);
    let taken = !matches!(provider, Some(Provider::Anthropic | Provider::Google));
    (unsigned && taken).then_some(Shape::Unsigned(text))
}

fn reasoning(reasoning: &Reasoning, provider: Option<Provider>, out: &mut Writer) {
    match shape(reasoning, provider) {
        Some(Shape::Own) => out.json(reasoning.raw.as_str()),
        Some(Shape::Unsigned(text)) => out.block("reasoning", |out| out.field("reasoning", &text)),
        Some(Shape::Thought(text, signature)) => out.block("thinking", |out| {
            out.field("thinking", &text);
            if let Some(signature) = &signature {
                out.field("signature", signature);
            }
        }),
        // What has no shape was taken out before.
        None => out.json("null"),
    }
}

/// The items that the form has a place for; the others are told.
fn placeable<'a>(items: Vec<&'a Item>, provider: Option<Provider>, out: &mut Writer) -> Vec<&'a Item> {
    let mut kept = Vec::new();
    for item in items {
        match item {
            Item::Reasoning(reasoning) if shape(reasoning, provider).is_none() => {
                out.note(WriteChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
            }
            Item::Reasoning(_) | Item::Text(_) | Item::Call(_) | Item::Native(_) => kept.push(item),
        }
    }
    kept
}

/// All calls, the broken ones in a list of their own.
fn calls(said: &Assistant, signed: &HashMap<&str, &RawJson>, out: &mut Writer) {
    out.name("tool_calls");
    out.array(said.calls().filter(|call| call.input.is_object()), |out, call| {
        out.object(|out| {
            out.field("name", &call.name);
            out.json_field("args", call.input.raw());
            out.field("id", call.id.given());
            out.field("type", "tool_call");
        });
        call_fields(call, signed, out);
    });
    out.name("invalid_tool_calls");
    out.array(said.calls().filter(|call| !call.input.is_object()), |out, call| {
        out.object(|out| {
            out.field("name", &call.name);
            out.field("args", call.input.raw());
            out.field("id", call.id.given());
            out.name("error");
            out.json("null");
            out.field("type", "invalid_tool_call");
        });
        call_fields(call, signed, out);
    });
}

fn call_fields(call: &ToolCall, signed: &HashMap<&str, &RawJson>, out: &mut Writer) {
    let mut kept: Vec<&str> = item::of_call(&call.extra).into_iter().map(|(name, _)| name).collect();
    kept.extend(signed.contains_key(call.id.given()).then_some("thoughtSignature"));
    out.fields_left_out(&call.extra, &kept);
}
