//! Reading `ModelMessage`, which version 4 calls `CoreMessage`.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::ModelMessage;
use briefing::message::{Assistant, CallId, Extra, Item, Outcome, Part, System, SystemPart, Text, ToolCall, User};
use briefing::texts::file_line;
use briefing_json::{Kind, Path, Value, present};

use super::options::{self, OF_REASONING, Reasoned};
use super::part::{file, known, said, text};
use super::{outcome, server};
use crate::change::ReadChange;
use crate::item;
use crate::opaque::{Pieces, redacted};
use crate::reader::{Fails, Read, Reader, is_nothing, str_of};

/// Reads one message, which may be several: one for each outcome.
pub(crate) fn read(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let role = reader.member(message, "role", at)?.ok_or_else(|| at.missing("role"))?;
    reader.unknown(message, &known(&["role", "content", "id"]), at);
    let mark = options::extra(options::of(message), &[], at, reader);
    match role.as_str() {
        "system" => system(message, mark, at, reader, out),
        "assistant" => {
            let mut items = assistant(message, at, reader)?;
            if let Some(Item::Text(last)) = items.last_mut() {
                marked(&mut last.extra, mark);
            }
            out.push(ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() })));
            Ok(())
        }
        "tool" => tool(message, mark, at, reader, out),
        other => {
            if other != "user" {
                reader.note(&at.key("role"), ReadChange::RoleAsUser { role: role.clone() });
            }
            user(message, mark, at, reader, out)
        }
    }
}

/// What a message as a whole is marked with belongs to its last part.
fn marked(last: &mut Extra, mark: Extra) {
    if last.is_empty() {
        *last = mark;
    }
}

fn system(message: Value<'_>, mark: Extra, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let content = present(message, "content");
    let mut texts = reader.content(
        content,
        &at.key("content"),
        |text| text,
        |reader, part, at, texts: &mut Vec<Text>| {
            match reader.kind(part, at)?.as_str() {
                "text" => texts.push(text(part, at, reader)?),
                kind => reader.note(at, ReadChange::PartLeftOut { kind: kind.to_owned() }),
            }
            Ok(())
        },
    )?;
    if let Some(last) = texts.last_mut() {
        marked(&mut last.extra, mark);
    }
    let parts = texts.into_iter().map(SystemPart::Text).collect();
    out.push(ModelMessage::System(Arc::new(System { parts, extra: Extra::default() })));
    Ok(())
}

fn user(message: Value<'_>, mark: Extra, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let content = present(message, "content");
    let mut parts = reader.content(content, &at.key("content"), Part::Text, |reader, part, at, parts| {
        match reader.kind(part, at)?.as_str() {
            "text" => parts.push(Part::Text(text(part, at, reader)?)),
            "image" => parts.extend(file(part, &["image"], at, reader)),
            "file" => parts.extend(file(part, &["data"], at, reader)),
            kind => reader.note(at, ReadChange::PartLeftOut { kind: kind.to_owned() }),
        }
        Ok(())
    })?;
    match parts.last_mut() {
        Some(Part::Text(text)) => marked(&mut text.extra, mark),
        Some(Part::Image(media) | Part::Document(media)) => marked(&mut media.extra, mark),
        Some(Part::Native(_)) | None => {}
    }
    out.push(ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })));
    Ok(())
}

fn tool(message: Value<'_>, mark: Extra, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let content = present(message, "content");
    // A text outside a result answers nothing.
    let plain =
        |text: Text| Outcome { call: CallId::new(""), parts: vec![Part::Text(text)], failed: None, extra: Extra::default() };
    let mut outcomes =
        reader.content(content, &at.key("content"), plain, |reader, part, at, outcomes: &mut Vec<Outcome>| {
            match reader.kind(part, at)?.as_str() {
                "tool-result" => outcomes.push(outcome::result(part, at, reader)?),
                kind => reader.note(at, ReadChange::PartLeftOut { kind: kind.to_owned() }),
            }
            Ok(())
        })?;
    if let Some(last) = outcomes.last_mut() {
        marked(&mut last.extra, mark);
    }
    out.extend(outcomes.into_iter().map(|outcome| ModelMessage::Tool(Arc::new(outcome))));
    Ok(())
}

fn assistant(message: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    let content = present(message, "content");
    if content.is_some_and(|content| content.kind() == Kind::String && is_nothing(content)) {
        return Ok(Vec::new());
    }
    let mut pieces = Pieces::default();
    let mut names = HashMap::new();
    let mut items = reader.content(content, &at.key("content"), Item::Text, |reader, part, at, items| {
        let kind = reader.kind(part, at)?;
        if kind == "reasoning" {
            return reasoning(part, &mut pieces, at, reader, items);
        }
        items.extend(pieces.end().map(Item::Reasoning));
        match kind.as_str() {
            "text" => items.push(Item::Text(said(part, at, reader)?)),
            "redacted-reasoning" => items.extend(redacted(&reader.member_or_empty(part, "data", at)?).map(Item::Reasoning)),
            "file" => items.extend(file(part, &["data"], at, reader).map(|file| made(&file, at, reader))),
            "tool-call" => items.push(call(part, &mut names, at, reader)?),
            "tool-result" => items.push(served(part, &names, at, reader)?),
            _ => reader.note(at, ReadChange::PartLeftOut { kind }),
        }
        Ok(())
    })?;
    items.extend(pieces.end().map(Item::Reasoning));
    item::join(&mut items);
    Ok(items)
}

/// A `reasoning` part of either form.
pub(super) fn reasoning(
    part: Value<'_>,
    pieces: &mut Pieces,
    at: &Path<'_>,
    reader: &mut Reader,
    items: &mut Vec<Item>,
) -> Read<()> {
    let text = reader.member(part, "text", at)?;
    let text = text.map_or_else(|| reader.member_or_empty(part, "reasoning", at), Ok)?;
    reader.unknown(part, &known(&["type", "text", "reasoning", "details", "signature", "state", "id"]), at);
    let given = options::of(part);
    options::extra(given, &OF_REASONING, at, reader);
    match options::reasoning(text, str_of(part, "signature"), given) {
        Some(Reasoned::Piece(id, text, encrypted)) => {
            items.extend(pieces.take(id, text, encrypted).map(Item::Reasoning));
        }
        other => {
            items.extend(pieces.end().map(Item::Reasoning));
            items.extend(other.and_then(|other| match other {
                Reasoned::Whole(reasoning) => Some(Item::Reasoning(reasoning)),
                Reasoned::Piece(..) => None,
            }));
        }
    }
    Ok(())
}

/// A file that the model made reads as a line.
pub(super) fn made(file: &Part, at: &Path<'_>, reader: &mut Reader) -> Item {
    reader.note(at, ReadChange::FileAsLine);
    let (what, media) = match file {
        Part::Image(media) => ("image", Some(media)),
        Part::Document(media) => ("document", Some(media)),
        Part::Text(_) | Part::Native(_) => ("document", None),
    };
    let name = media.and_then(|media| media.filename.as_deref());
    Item::Text(Text::new(file_line(what, name, media.map(|media| media.encoded_len()))))
}

fn call(part: Value<'_>, names: &mut HashMap<String, String>, at: &Path<'_>, reader: &mut Reader) -> Read<Item> {
    let id = reader.member_or_empty(part, "toolCallId", at)?;
    let name = reader.member_or_empty(part, "toolName", at)?;
    let key = if part.get("input").is_some() { "input" } else { "args" };
    let input = reader.input(present(part, key), &at.key(key))?;
    reader.unknown(
        part,
        &known(&["type", "toolCallId", "toolName", "input", "args", "providerExecuted", "invalid", "error"]),
        at,
    );
    if part.get("providerExecuted").and_then(Value::as_bool) == Some(true) {
        options::extra(options::of(part), &[], at, reader);
        names.insert(id.clone(), name.clone());
        return Ok(server::call(&id, &name, input.raw(), at, reader));
    }
    let extra = options::of_call(options::of(part), at, reader);
    Ok(Item::Call(ToolCall { id: CallId::new(id), name, input, extra }))
}

/// A result in the assistant's own message: the provider ran the tool.
fn served(part: Value<'_>, names: &HashMap<String, String>, at: &Path<'_>, reader: &mut Reader) -> Read<Item> {
    let id = reader.member_or_empty(part, "toolCallId", at)?;
    let name = reader.member(part, "toolName", at)?.or_else(|| names.get(&id).cloned()).unwrap_or_default();
    let output = present(part, "output").or_else(|| present(part, "result"));
    let value = output.and_then(|output| present(output, "value")).or(output).unwrap_or(part);
    Ok(server::result(&id, &name, value, at, reader))
}
