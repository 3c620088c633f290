//! Reading what the model said: content, calls, and what LangChain keeps beside them.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Assistant, CallId, Extra, Input, Item, Native, Text, ToolCall};
use briefing::texts::file_line;
use briefing_json::{Kind, Path, Value, present};

use super::block::{Block, Provider, block, item_of, model_of};
use super::{GEMINI_SIGNATURES, OPENAI_ITEMS, content, name, not_here, rest};
use crate::change::ReadChange;
use crate::item::{self, Message};
use crate::opaque::{self, Pieces, field};
use crate::reader::{Fails, Read, Reader, is_nothing, object, str_of};

/// Fields of OpenAI Chat that hold reasoning, in the order in which a message holds them.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

/// Fields of OpenAI Chat that say something beside the content.
pub(super) const SPOKEN: [&str; 2] = ["refusal", "audio"];

/// Reads the body of an `ai` message.
pub(super) fn read(body: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Assistant> {
    const KNOWN: [&str; 7] =
        ["content", "content_blocks", "name", "role", "additional_kwargs", "tool_calls", "invalid_tool_calls"];
    const KWARGS: [&str; 9] = [
        "reasoning_content",
        "reasoning",
        "reasoning_details",
        "refusal",
        "audio",
        "tool_calls",
        "function_call",
        GEMINI_SIGNATURES,
        OPENAI_ITEMS,
    ];
    let metadata = present(body, "response_metadata");
    let provider = Provider::of(metadata);
    let kwargs = present(body, "additional_kwargs");
    let mut calls = Calls::read(body, kwargs, at, reader)?;
    let mut items = Vec::new();
    if let Some(kwargs) = kwargs {
        beside(kwargs, &at.key("additional_kwargs"), reader, &mut items);
    }
    items.extend(said(body, provider, &mut calls, at, reader)?);
    of_one_message(body, metadata, &mut items);
    item::join(&mut items);
    for field in SPOKEN {
        let spoken = kwargs.and_then(|kwargs| present(kwargs, field)).filter(|value| !is_nothing(*value));
        let at = at.key("additional_kwargs");
        items.extend(spoken.and_then(|value| native(value, field, &at.key(field), reader)).map(Item::Native));
    }
    items.extend(calls.rest().map(Item::Call));
    rest(body, &KNOWN, &KWARGS, at, reader);
    let extra = name(body, at, reader).map(|name| field(Wire::OpenAiChat, "name", name)).unwrap_or_default();
    Ok(Assistant { items, model: metadata.and_then(model_of).map(Arc::from), extra })
}

/// The content's blocks, each call where it stands.
fn said(body: Value<'_>, provider: Option<Provider>, calls: &mut Calls, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    let (key, content) = content(body);
    if content.is_some_and(|content| content.kind() == Kind::String && is_nothing(content)) {
        return Ok(Vec::new());
    }
    let mut pieces = Pieces::default();
    let mut items = reader.content(content, &at.key(key), Item::Text, |reader, value, at, items| {
        let found = block(value, at, provider, reader)?;
        if let Some(Block::Piece(id, text, encrypted)) = found {
            items.extend(pieces.take(id, text, encrypted).map(Item::Reasoning));
            return Ok(());
        }
        items.extend(pieces.end().map(Item::Reasoning));
        match found {
            None | Some(Block::Piece(..)) => {}
            Some(Block::Text(text)) => items.push(Item::Text(of_message(text, value, provider))),
            Some(Block::Reasoning(reasoning)) => items.push(Item::Reasoning(reasoning)),
            Some(Block::Native(native)) => items.push(Item::Native(native)),
            Some(Block::Call(call)) => items.push(Item::Call(calls.take(call))),
            Some(Block::File { image, media }) => {
                reader.note(at, ReadChange::FileAsLine);
                let what = if image { "image" } else { "document" };
                let line = file_line(what, media.filename.as_deref(), Some(media.encoded_len()));
                items.push(Item::Text(Text::new(line)));
            }
            Some(Block::Outcome(_)) => not_here(value, at, reader),
        }
        Ok(())
    })?;
    items.extend(pieces.end().map(Item::Reasoning));
    Ok(items)
}

/// The text with its message of OpenAI Responses, which LangChain tells by the message's id on each block.
fn of_message(mut text: Text, block: Value<'_>, provider: Option<Provider>) -> Text {
    let own = !matches!(provider, Some(Provider::Anthropic | Provider::Google)) && text.extra.is_empty();
    if own {
        let extras = present(block, "extras");
        let phase = str_of(block, "phase").or_else(|| str_of(extras?, "phase"));
        text.extra = Message { id: str_of(block, "id").filter(|id| id.starts_with("msg_")), phase }.extra();
    }
    text
}

/// Before its blocks had ids, a message of LangChain itself had the id of OpenAI's, and the response's beside it.
fn of_one_message(body: Value<'_>, metadata: Option<Value<'_>>, items: &mut [Item]) {
    let response = metadata.and_then(|metadata| str_of(metadata, "id")).is_some_and(|id| id.starts_with("resp_"));
    let Some(id) = str_of(body, "id").filter(|id| response && id.starts_with("msg_")) else { return };
    let message = Message { id: Some(id), phase: None };
    for item in items {
        if let Item::Text(text) = item
            && text.extra.is_empty()
        {
            text.extra = message.extra();
        }
    }
}

/// Reasoning that LangChain keeps beside the content.
fn beside(kwargs: Value<'_>, at: &Path<'_>, reader: &mut Reader, items: &mut Vec<Item>) {
    for field in REASONING {
        let Some(value) = present(kwargs, field).filter(|value| !is_nothing(*value)) else { continue };
        let at = at.key(field);
        let reasoning = if value.get("summary").is_some() || value.get("encrypted_content").is_some() {
            item_of(value, &at, reader)
        } else {
            reader.raw(value, &at).and_then(|raw| opaque::reasoning(Wire::OpenAiChat, field, raw.as_str()))
        };
        items.extend(reasoning.map(Item::Reasoning));
    }
}

/// A field of OpenAI Chat that says something. A refusal reads as what it says.
pub(super) fn native(value: Value<'_>, field: &str, at: &Path<'_>, reader: &mut Reader) -> Option<Native> {
    let raw = reader.raw(value, at)?;
    let reads_as = value.as_str().filter(|_| field == "refusal").map(|text| text.into_owned());
    Some(Native { wire: Wire::OpenAiChat, kind: field.into(), raw, reads_as, needs: None })
}

/// The calls of a message, of which the content may say where they stand.
struct Calls {
    calls: Vec<Option<ToolCall>>,
    /// Their places by id, and whether their arguments are sound.
    by_id: HashMap<(String, bool), VecDeque<usize>>,
}

fn key(call: &ToolCall) -> (String, bool) {
    (call.id.given().to_owned(), call.input.is_object())
}

impl Calls {
    fn read(body: Value<'_>, kwargs: Option<Value<'_>>, at: &Path<'_>, reader: &mut Reader) -> Read<Self> {
        let signatures = kwargs.and_then(|kwargs| present(kwargs, GEMINI_SIGNATURES));
        let signatures: HashMap<_, _> = signatures.into_iter().flat_map(Value::entries).collect();
        let of_calls = kwargs.and_then(|kwargs| present(kwargs, OPENAI_ITEMS));
        let of_calls: HashMap<_, _> = of_calls.into_iter().flat_map(Value::entries).collect();
        let mut all = Vec::new();
        for key in ["tool_calls", "invalid_tool_calls"] {
            let at = at.key(key);
            for (index, call) in present(body, key).into_iter().flat_map(Value::items).enumerate() {
                let at = at.index(index);
                object(call, &at)?;
                reader.unknown(call, &["type", "id", "name", "args", "error", "index", "extras"], &at);
                let mut call = ToolCall {
                    id: CallId::new(reader.member_or_empty(call, "id", &at)?),
                    name: reader.member_or_empty(call, "name", &at)?,
                    input: reader.input(present(call, "args"), &at.key("args"))?,
                    extra: Extra::default(),
                };
                if let Some(signature) = signatures.get(call.id.given()).copied() {
                    sign(&mut call, signature, &at, reader);
                } else if let Some(id) = of_calls.get(call.id.given()) {
                    call.extra = item::call(|name| id.as_str().filter(|_| name == "id").map(|id| id.into_owned()));
                }
                all.push(call);
            }
        }
        if let (true, Some(kwargs)) = (all.is_empty(), kwargs) {
            legacy(kwargs, &at.key("additional_kwargs"), reader, &mut all)?;
        }
        let mut by_id: HashMap<(String, bool), VecDeque<usize>> = HashMap::new();
        for (index, call) in all.iter().enumerate() {
            by_id.entry(key(call)).or_default().push_back(index);
        }
        Ok(Self { calls: all.into_iter().map(Some).collect(), by_id })
    }

    /// The listed call of that block, with the block's unknown fields if it has none; the block itself where none is listed. Of several
    /// of one id, the one that is as sound.
    fn take(&mut self, block: ToolCall) -> ToolCall {
        let (id, sound) = key(&block);
        let mut first = |sound| self.by_id.get_mut(&(id.clone(), sound)).and_then(VecDeque::pop_front);
        let listed = first(sound).or_else(|| first(!sound));
        match listed.and_then(|index| self.calls.get_mut(index)?.take()) {
            Some(listed) if listed.extra.is_empty() => ToolCall { extra: block.extra, ..listed },
            Some(listed) => listed,
            None => block,
        }
    }

    fn rest(self) -> impl Iterator<Item = ToolCall> {
        self.calls.into_iter().flatten()
    }
}

/// Gemini's signature of a call.
fn sign(call: &mut ToolCall, signature: Value<'_>, at: &Path<'_>, reader: &mut Reader) {
    let Some(raw) = reader.raw(signature, at) else { return };
    call.extra = field(Wire::Gemini, "thoughtSignature", raw);
}

/// Calls as OpenAI gave them, where LangChain did not read them itself.
fn legacy(kwargs: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ToolCall>) -> Read<()> {
    let at_calls = at.key("tool_calls");
    for (index, call) in present(kwargs, "tool_calls").into_iter().flat_map(Value::items).enumerate() {
        let at = at_calls.index(index);
        let function = present(object(call, &at)?, "function").ok_or_else(|| at.missing("function"))?;
        let id = reader.member_or_empty(call, "id", &at)?;
        out.push(function_call(id, function, &at.key("function"), reader)?);
    }
    if let (true, Some(function)) = (out.is_empty(), present(kwargs, "function_call")) {
        let at = at.key("function_call");
        reader.note(&at, ReadChange::Legacy);
        out.push(function_call(String::new(), function, &at, reader)?);
    }
    Ok(())
}

fn function_call(id: String, function: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<ToolCall> {
    object(function, at)?;
    let name = reader.member_or_empty(function, "name", at)?;
    let input: Input = reader.input(present(function, "arguments"), &at.key("arguments"))?;
    Ok(ToolCall { id: CallId::new(id), name, input, extra: Extra::default() })
}
