//! LangChain's messages: `{"type", "data"}`, the constructor form of `dumpd`, and the flat one of `model_dump`.

mod answer;
mod block;
mod media;
mod write;

use std::sync::Arc;

use briefing::message::{CallId, Extra, Outcome, Part, RawJson, System, SystemPart, User};
use briefing::{ModelMessage, Wire};
use briefing_json::{Kind, Path, Value, present, quoted};

use crate::change::ReadChange;
use crate::opaque::field;
use crate::reader::{Fails, Read, Reader, object, str_of};
use block::{Block, block};
pub(crate) use write::write;

/// Where LangChain keeps the role that OpenAI gives a system message.
const OPENAI_ROLE: &str = "__openai_role__";

/// Where LangChain keeps the signatures of Gemini's calls, by the id of the call.
const GEMINI_SIGNATURES: &str = "__gemini_function_call_thought_signatures__";

/// Where LangChain kept the ids of items of OpenAI Responses that are calls, by the id of the call, before they stood in the content.
const OPENAI_ITEMS: &str = "__openai_function_call_ids__";

/// What a message says of itself to programs; no model is shown it.
const BOOKKEEPING: [&str; 8] = [
    "type",
    "id",
    "usage_metadata",
    "response_metadata",
    "example",
    "tool_call_chunks",
    "chunk_position",
    "lc_direct_tool_output",
];

/// Reads one message, which may be none or several.
pub(crate) fn read(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    if let Some(kwargs) = present(message, "kwargs").filter(|_| message.get("lc").is_some()) {
        let names = message.get("id").into_iter().flat_map(Value::items);
        let class = names.last().and_then(Value::as_str).ok_or_else(|| at.missing("id"))?;
        let at = at.key("kwargs");
        let kind = class.strip_suffix("Chunk").unwrap_or(&class);
        let kind = kind.strip_suffix("Message").unwrap_or(kind).to_ascii_lowercase();
        return of_kind(&kind, object(kwargs, &at)?, &at, reader, out);
    }
    let kind = reader.kind(message, at)?;
    let kind = kind.strip_suffix("MessageChunk").map_or_else(|| kind.clone(), str::to_ascii_lowercase);
    match present(message, "data") {
        Some(data) => {
            let at = at.key("data");
            of_kind(&kind, object(data, &at)?, &at, reader, out)
        }
        None => of_kind(&kind, message, at, reader, out),
    }
}

fn of_kind(kind: &str, body: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    match kind {
        "human" | "user" => human(body, at, reader, out),
        "system" | "developer" => system(body, kind == "developer", at, reader, out),
        "ai" | "assistant" => {
            out.push(ModelMessage::Assistant(Arc::new(answer::read(body, at, reader)?)));
            Ok(())
        }
        "tool" => tool(body, at, reader, out),
        "function" => {
            reader.note(at, ReadChange::Legacy);
            tool(body, at, reader, out)
        }
        "chat" | "generic" => chat(body, at, reader, out),
        "remove" => {
            reader.note(at, ReadChange::MessageLeftOut { kind: kind.to_owned() });
            Ok(())
        }
        _ => {
            reader.note(at, ReadChange::RoleAsUser { role: kind.to_owned() });
            human(body, at, reader, out)
        }
    }
}

/// A message of any role, told by its name.
fn chat(body: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let role = reader.member_or_empty(body, "role", at)?;
    match role.as_str() {
        "user" | "human" | "system" | "developer" | "assistant" | "ai" => of_kind(&role, body, at, reader, out),
        "model" => of_kind("ai", body, at, reader, out),
        _ => {
            reader.note(at, ReadChange::RoleAsUser { role });
            human(body, at, reader, out)
        }
    }
}

/// Content, which LangChain.js may call `content_blocks`, and where it stands.
fn content<'d>(body: Value<'d>) -> (&'static str, Option<Value<'d>>) {
    match present(body, "content") {
        None if body.get("content_blocks").is_some() => ("content_blocks", present(body, "content_blocks")),
        content => ("content", content),
    }
}

/// The message's name, which OpenAI Chat alone takes.
fn name(body: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<RawJson> {
    present(body, "name").filter(|name| name.kind() == Kind::String).and_then(|name| reader.raw(name, &at.key("name")))
}

fn human(body: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let (key, content) = content(body);
    let mut outcomes = Vec::new();
    let parts = reader.content(content, &at.key(key), Part::Text, |reader, value, at, parts: &mut Vec<Part>| {
        match block(value, at, None, reader)? {
            Some(Block::Outcome(outcome)) => outcomes.push(ModelMessage::Tool(Arc::new(outcome))),
            other => parts.extend(other.and_then(|block| part(block, value, at, reader))),
        }
        Ok(())
    })?;
    rest(body, &["content", "content_blocks", "name", "role", "additional_kwargs"], &[], at, reader);
    let extra = name(body, at, reader).map(|name| field(Wire::OpenAiChat, "name", name)).unwrap_or_default();
    let only_outcomes = !outcomes.is_empty() && parts.is_empty();
    out.append(&mut outcomes);
    if !only_outcomes {
        out.push(ModelMessage::User(Arc::new(User { parts, extra })));
    }
    Ok(())
}

fn system(body: Value<'_>, developer: bool, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let (key, content) = content(body);
    let parts = reader.content(content, &at.key(key), SystemPart::Text, |reader, value, at, parts| {
        match block(value, at, None, reader)? {
            None => {}
            Some(Block::Text(text)) => parts.push(SystemPart::Text(text)),
            Some(Block::Native(native)) => parts.push(SystemPart::Native(native)),
            Some(Block::File { .. } | Block::Reasoning(_) | Block::Piece(..) | Block::Call(_) | Block::Outcome(_)) => {
                not_here(value, at, reader);
            }
        }
        Ok(())
    })?;
    rest(body, &["content", "content_blocks", "name", "role", "additional_kwargs"], &[OPENAI_ROLE], at, reader);
    let kept = present(body, "additional_kwargs").and_then(|kwargs| str_of(kwargs, OPENAI_ROLE));
    let developer = developer || kept.as_deref() == Some("developer");
    let mut fields = Vec::new();
    fields.extend(developer.then(|| RawJson::new(quoted("developer")).ok()).flatten().map(|role| (Arc::from("role"), role)));
    fields.extend(name(body, at, reader).map(|name| (Arc::from("name"), name)));
    let extra = Extra::new(Wire::OpenAiChat, fields);
    out.push(ModelMessage::System(Arc::new(System { parts, extra })));
    Ok(())
}

fn tool(body: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let (key, content) = content(body);
    let parts = reader.content(content, &at.key(key), Part::Text, |reader, value, at, parts| {
        parts.extend(block(value, at, None, reader)?.and_then(|block| part(block, value, at, reader)));
        Ok(())
    })?;
    rest(body, &["content", "content_blocks", "name", "tool_call_id", "status", "additional_kwargs"], &[], at, reader);
    out.push(ModelMessage::Tool(Arc::new(Outcome {
        call: CallId::new(reader.member_or_empty(body, "tool_call_id", at)?),
        parts,
        failed: str_of(body, "status").is_some_and(|status| status == "error").then_some(true),
        extra: Extra::default(),
    })));
    Ok(())
}

/// A part of a user message or an outcome; none of what may not stand there.
fn part(block: Block, value: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Part> {
    match block {
        Block::Text(text) => Some(Part::Text(text)),
        Block::File { image: true, media } => Some(Part::Image(media)),
        Block::File { image: false, media } => Some(Part::Document(media)),
        Block::Native(native) => Some(Part::Native(native)),
        Block::Reasoning(_) | Block::Piece(..) | Block::Call(_) | Block::Outcome(_) => {
            not_here(value, at, reader);
            None
        }
    }
}

fn not_here(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) {
    reader.note(at, ReadChange::PartLeftOut { kind: str_of(block, "type").unwrap_or_default() });
}

/// Tells of the fields that are not known, those of `additional_kwargs` included.
fn rest(body: Value<'_>, known: &[&str], kwargs_known: &[&str], at: &Path<'_>, reader: &mut Reader) {
    let known: Vec<&str> = known.iter().chain(&BOOKKEEPING).copied().collect();
    reader.unknown(body, &known, at);
    if let Some(kwargs) = present(body, "additional_kwargs") {
        reader.unknown(kwargs, kwargs_known, &at.key("additional_kwargs"));
    }
}
