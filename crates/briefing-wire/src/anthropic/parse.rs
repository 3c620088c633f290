//! Reading an Anthropic body.

use std::sync::Arc;

use briefing::message::{
    Assistant, CallId, Input, Item, Outcome, Part, RawJson, Reasoning, System, SystemPart, ToolCall, User,
};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_json::{Kind, Path, Value, present};

use super::files::{document, image, written};
use crate::parse::{Fails, ParseChange, ParseFault, Read, Reader, call as read_call, list, object};

/// The schema of a tool that declares none.
const NO_SCHEMA: &str = r#"{"type":"object"}"#;

/// Reads a body.
pub(crate) fn body(body: Value<'_>, reader: &mut Reader) -> Read<(Call, Vec<ModelMessage>)> {
    let root = Path::Root;
    object(body, &root)?;
    let call = read_call(body, &["model", "messages", "tools", "system"], reader, tool)?;
    let mut out = Vec::new();
    if present(body, "system").is_some() {
        let parts = reader.content(body, "system", &root, SystemPart::Text, system_part)?;
        out.push(ModelMessage::System(Arc::new(System { parts, ..System::default() })));
    }
    let messages = present(body, "messages").ok_or_else(|| root.error(ParseFault::Missing { key: "messages" }))?;
    out.append(&mut array(messages, &root.key("messages"), reader)?);
    Ok((call, out))
}

/// Reads a list of messages.
pub(crate) fn array(messages: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    let mut out = Vec::new();
    for (index, value) in list(messages, at)?.items().enumerate() {
        message(value, &at.index(index), reader, &mut out)?;
    }
    Ok(out)
}

fn tool(tool: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Tool> {
    const KNOWN: [&str; 3] = ["name", "description", "input_schema"];
    let name = reader.member(tool, "name", at)?;
    if reader.member(tool, "type", at)?.is_none_or(|kind| kind == "custom") {
        let schema = present(tool, "input_schema").and_then(|schema| reader.raw(schema, &at.key("input_schema")));
        return Ok(Tool::Function {
            name: name.unwrap_or_default(),
            description: reader.member(tool, "description", at)?,
            schema: schema.or_else(|| RawJson::new(NO_SCHEMA).ok()).ok_or_else(|| at.wanted("a schema", tool))?,
            extra: reader.extra(tool, &KNOWN, None, at),
        });
    }
    let raw = reader.raw(tool, at).ok_or_else(|| at.wanted("a tool of fewer levels", tool))?;
    Ok(Tool::Native { wire: Wire::Anthropic, name, raw })
}

fn message(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    const KNOWN: [&str; 2] = ["role", "content"];
    object(message, at)?;
    let role = reader.member(message, "role", at)?.ok_or_else(|| at.error(ParseFault::Missing { key: "role" }))?;
    match role.as_str() {
        "user" => user(message, at, reader, out)?,
        "assistant" => {
            let items = items(message, at, reader)?;
            let extra = reader.extra(message, &KNOWN, None, at);
            out.push(ModelMessage::Assistant(Arc::new(Assistant { items, model: None, extra })));
        }
        "system" => {
            let parts = reader.content(message, "content", at, SystemPart::Text, system_part)?;
            let extra = reader.extra(message, &KNOWN, None, at);
            out.push(ModelMessage::System(Arc::new(System { parts, extra })));
        }
        _ => return Err(at.key("role").error(ParseFault::UnknownRole { role })),
    }
    Ok(())
}

/// What a user message holds: input, or the outcome of a call.
enum Given {
    Part(Part),
    Outcome(Outcome),
}

/// The outcomes of a user message, and behind them what else it holds.
fn user(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let extra = reader.unknown(message, &["role", "content"], at);
    let mut parts = Vec::new();
    let mut outcomes = false;
    for given in reader.content(message, "content", at, |text| Given::Part(Part::Text(text)), given)? {
        match given {
            Given::Part(part) => parts.push(part),
            Given::Outcome(outcome) => {
                outcomes = true;
                out.push(ModelMessage::Tool(Arc::new(outcome)));
            }
        }
    }
    if outcomes && parts.is_empty() {
        for (name, _) in extra {
            reader.note(at, ParseChange::FieldLeftOut { name: name.to_string() });
        }
    } else {
        let extra = briefing::message::Extra::new(Wire::Anthropic, extra);
        out.push(ModelMessage::User(Arc::new(User { parts, extra })));
    }
    Ok(())
}

fn system_part(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<SystemPart>> {
    let kind = reader.kind(block, at)?;
    if kind == "text" {
        return Ok(Some(SystemPart::Text(reader.text_block(block, at)?)));
    }
    Ok(reader.native(block, &kind, at).map(SystemPart::Native))
}

fn given(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Given>> {
    let kind = reader.kind(block, at)?;
    if kind == "tool_result" {
        return outcome(block, at, reader).map(|outcome| Some(Given::Outcome(outcome)));
    }
    Ok(part_of(block, &kind, at, reader)?.map(Given::Part))
}

fn part(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Part>> {
    let kind = reader.kind(block, at)?;
    part_of(block, &kind, at, reader)
}

fn part_of(block: Value<'_>, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Part>> {
    let file = match kind {
        "text" => return Ok(Some(Part::Text(reader.text_block(block, at)?))),
        "image" => image(block, at, reader).map(Part::Image),
        "document" => document(block, at, reader).map(Part::Document),
        "image_url" => reader.image_url(block, at).map(Part::Image),
        _ => None,
    };
    let native = |reader: &mut Reader| {
        let mut native = reader.native(block, kind, at)?;
        native.reads_as = (kind == "document").then(|| written(block)).flatten();
        Some(Part::Native(native))
    };
    Ok(file.or_else(|| native(reader)))
}

fn outcome(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Outcome> {
    let failed = block.get("is_error").and_then(Value::as_bool);
    let mut known = vec!["type", "tool_use_id", "content"];
    if failed.is_some() {
        known.push("is_error");
    }
    Ok(Outcome {
        call: CallId::new(reader.member_or_empty(block, "tool_use_id", at)?),
        parts: reader.content(block, "content", at, Part::Text, part)?,
        failed,
        extra: reader.extra(block, &known, None, at),
    })
}

/// Reads what a model said.
pub(crate) fn items(message: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    reader.content(message, "content", at, Item::Text, item)
}

fn item(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Item>> {
    let kind = reader.kind(block, at)?;
    Ok(match kind.as_str() {
        "text" => Some(Item::Text(reader.text_block(block, at)?)),
        "tool_use" => Some(Item::Call(call(block, at, reader)?)),
        "thinking" | "redacted_thinking" => {
            let raw = reader.raw(block, at);
            raw.map(|raw| Item::Reasoning(Reasoning { wire: Wire::Anthropic, kind: kind.into(), raw }))
        }
        _ => reader.native(block, &kind, at).map(Item::Native),
    })
}

/// Arguments: JSON, or a string of it, as OpenAI writes them.
fn input(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Input> {
    let at = at.key("input");
    Ok(match present(block, "input") {
        None => Input::new(""),
        Some(input) if input.kind() == Kind::String => Input::new(reader.text(input, &at)?),
        Some(input) => reader.input(input, &at),
    })
}

fn call(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<ToolCall> {
    Ok(ToolCall {
        id: CallId::new(reader.member_or_empty(block, "id", at)?),
        name: reader.member_or_empty(block, "name", at)?,
        input: input(block, at, reader)?,
        extra: reader.extra(block, &["type", "id", "name", "input"], None, at),
    })
}
