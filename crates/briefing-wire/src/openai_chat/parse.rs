//! Reading an OpenAI Chat body.

use std::collections::HashSet;
use std::sync::Arc;

use briefing::message::{
    Assistant, CallId, Extra, Input, Item, Outcome, Part, RawJson, Reasoning, System, SystemPart, ToolCall, User,
};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_json::{Kind, Path, Value, present};

use super::parts;
use crate::parse::{Fails, Nest, ParseChange, ParseFault, Read, Reader, call as read_call, list, object};

/// The parameters of a function that declares none.
pub(super) const NO_PARAMETERS: &str = r#"{"type":"object","properties":{}}"#;

/// Reads a body.
pub(crate) fn body(body: Value<'_>, reader: &mut Reader) -> Read<(Call, Vec<ModelMessage>)> {
    object(body, &Path::Root)?;
    let call = read_call(body, &["model", "messages", "tools"], reader, tool)?;
    let messages = present(body, "messages").ok_or_else(|| Path::Root.error(ParseFault::Missing { key: "messages" }))?;
    Ok((call, array(messages, &Path::Root.key("messages"), reader)?))
}

/// Reads a list of messages.
pub(crate) fn array(messages: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    let mut out = Vec::new();
    for (index, value) in list(messages, at)?.items().enumerate() {
        out.push(message(value, &at.index(index), reader)?);
    }
    Ok(out)
}

fn tool(tool: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Tool> {
    const KNOWN: [&str; 3] = ["name", "description", "parameters"];
    let kind = reader.member(tool, "type", at)?;
    let function = present(tool, "function").filter(|_| kind.as_deref().is_none_or(|kind| kind == "function"));
    if let Some(function) = function {
        let inner = at.key("function");
        object(function, &inner)?;
        let schema = present(function, "parameters").and_then(|schema| reader.raw(schema, &inner.key("parameters")));
        let nest = Nest { name: "function", inner: function, known: &KNOWN };
        return Ok(Tool::Function {
            name: reader.member_or_empty(function, "name", &inner)?,
            description: reader.member(function, "description", &inner)?,
            schema: schema.or_else(|| RawJson::new(NO_PARAMETERS).ok()).ok_or_else(|| at.wanted("a schema", function))?,
            extra: reader.extra(tool, &["type", "function"], Some(nest), at),
        });
    }
    let holder = present(tool, "custom").unwrap_or(tool);
    let name = holder.get("name").and_then(Value::as_str).map(|name| name.into_owned());
    let raw = reader.raw(tool, at).ok_or_else(|| at.wanted("a tool of fewer levels", tool))?;
    Ok(Tool::Native { wire: Wire::OpenAiChat, name, raw })
}

fn message(message: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<ModelMessage> {
    object(message, at)?;
    let role = reader.member(message, "role", at)?.ok_or_else(|| at.error(ParseFault::Missing { key: "role" }))?;
    Ok(match role.as_str() {
        "system" => system(message, None, at, reader)?,
        "developer" => system(message, RawJson::new("\"developer\"").ok(), at, reader)?,
        "user" => {
            let parts = reader.content(message, "content", at, Part::Text, parts::part)?;
            ModelMessage::User(Arc::new(User { parts, extra: reader.extra(message, &["role", "content"], None, at) }))
        }
        "assistant" => ModelMessage::Assistant(Arc::new(assistant(message, at, reader)?)),
        "tool" => {
            let call = CallId::new(reader.member_or_empty(message, "tool_call_id", at)?);
            outcome(message, call, &["role", "content", "tool_call_id"], at, reader)?
        }
        "function" => {
            reader.note(at, ParseChange::Legacy);
            outcome(message, CallId::new(""), &["role", "content", "name"], at, reader)?
        }
        _ => return Err(at.key("role").error(ParseFault::UnknownRole { role })),
    })
}

fn system(message: Value<'_>, role: Option<RawJson>, at: &Path<'_>, reader: &mut Reader) -> Read<ModelMessage> {
    let parts: Vec<SystemPart> = reader.content(message, "content", at, SystemPart::Text, parts::system)?;
    let mut fields = reader.unknown(message, &["role", "content"], at);
    fields.extend(role.map(|role| (Arc::from("role"), role)));
    Ok(ModelMessage::System(Arc::new(System { parts, extra: Extra::new(Wire::OpenAiChat, fields) })))
}

fn outcome(message: Value<'_>, call: CallId, known: &[&str], at: &Path<'_>, reader: &mut Reader) -> Read<ModelMessage> {
    let parts: Vec<Part> = reader.content(message, "content", at, Part::Text, parts::part)?;
    let extra = reader.extra(message, known, None, at);
    Ok(ModelMessage::Tool(Arc::new(Outcome { call, parts, failed: None, extra })))
}

/// Reads what a model said.
pub(crate) fn assistant(message: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Assistant> {
    let mut known = vec!["role", "content", "tool_calls", "function_call"];
    let mut items = Vec::new();
    for field in super::REASONING {
        let raw = present(message, field).and_then(|value| reader.raw(value, &at.key(field)));
        if let Some(raw) = raw {
            known.push(field);
            items.push(Item::Reasoning(Reasoning { wire: Wire::OpenAiChat, kind: field.into(), raw }));
        }
    }
    let calls = calls(message, at, reader)?;
    let ids: HashSet<&CallId> = calls.iter().map(|call| &call.id).collect();
    for item in reader.content(message, "content", at, Item::Text, parts::item)? {
        match &item {
            Item::Call(call) if ids.contains(&call.id) => {
                reader.note(at, ParseChange::CallTwice { call: call.id.to_string() });
            }
            Item::Call(_) | Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => items.push(item),
        }
    }
    for field in super::SPOKEN {
        let native = present(message, field).and_then(|value| parts::native(value, field, &at.key(field), reader));
        if let Some(native) = native {
            known.push(field);
            items.push(Item::Native(native));
        }
    }
    items.extend(calls.into_iter().map(Item::Call));
    Ok(Assistant { items, model: None, extra: reader.extra(message, &known, None, at) })
}

fn calls(message: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ToolCall>> {
    let mut out = Vec::new();
    if let Some(calls) = present(message, "tool_calls") {
        let at = at.key("tool_calls");
        for (index, value) in list(calls, &at)?.items().enumerate() {
            out.push(tool_call(value, &at.index(index), reader)?);
        }
    }
    if let Some(function) = present(message, "function_call") {
        let at = at.key("function_call");
        reader.note(&at, ParseChange::Legacy);
        object(function, &at)?;
        let name = reader.member_or_empty(function, "name", &at)?;
        let input = input(function, "arguments", &at, reader)?;
        out.push(ToolCall { id: CallId::new(""), name, input, extra: Extra::default() });
    }
    Ok(out)
}

fn tool_call(call: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<ToolCall> {
    object(call, at)?;
    let id = CallId::new(reader.member_or_empty(call, "id", at)?);
    let custom = call.get("type").and_then(Value::as_str).is_some_and(|kind| kind == "custom");
    let (holder, key, known) =
        if custom { ("custom", "input", ["id", "custom"]) } else { ("function", "arguments", ["id", "function"]) };
    let at_inner = at.key(holder);
    let inner = present(call, holder).ok_or_else(|| at.error(ParseFault::Missing { key: holder }))?;
    object(inner, &at_inner)?;
    let mut known = known.to_vec();
    if !custom {
        known.push("type");
    }
    let nest = Nest { name: holder, inner, known: &["name", key] };
    Ok(ToolCall {
        id,
        name: reader.member_or_empty(inner, "name", &at_inner)?,
        input: input(inner, key, &at_inner, reader)?,
        extra: reader.extra(call, &known, Some(nest), at),
    })
}

/// Arguments: a string of JSON, or (Mistral takes it) the JSON itself.
fn input(function: Value<'_>, key: &'static str, at: &Path<'_>, reader: &mut Reader) -> Read<Input> {
    let at = at.key(key);
    Ok(match present(function, key) {
        None => Input::new(""),
        Some(value) if value.kind() == Kind::String => Input::new(reader.text(value, &at)?),
        Some(value) => reader.input(value, &at),
    })
}
