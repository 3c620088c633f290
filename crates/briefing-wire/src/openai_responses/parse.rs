//! Reading an OpenAI Responses body.

use std::sync::Arc;

use briefing::message::{
    Assistant, CallId, Extra, Input, Item, Native, Outcome, Part, RawJson, Reasoning, System, SystemPart, Text, ToolCall, User,
};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_json::{Kind, Path, Value};

use super::calls::{OUTPUT, TOOLS};
use super::native::{ADDITIONAL_TOOLS, APPROVAL, is_paired};
use super::{INSTRUCTIONS, MESSAGE, parts};
use crate::parse::{Fails, ParseFault, Read, Reader, call as read_call, list, object, object_of, present};
use crate::raw::text_of;

const WIRE: Wire = Wire::OpenAiResponses;

/// The parameters of a function that declares none.
const NO_PARAMETERS: &str = r#"{"type":"object","properties":{}}"#;

/// Reads a body.
pub(crate) fn body(body: Value<'_>, reader: &mut Reader) -> Read<(Call, Vec<ModelMessage>)> {
    let root = Path::Root;
    object(body, &root)?;
    let instructions = text_of(body, "instructions").filter(|text| !text.trim().is_empty());
    let mut reserved = vec!["model", "input", "tools"];
    reserved.extend(instructions.is_some().then_some("instructions"));
    let call = read_call(body, &reserved, reader, tool)?;
    let mut out = Vec::new();
    if instructions.is_some() {
        let text = reader.member_or_empty(body, "instructions", &root)?;
        let role = RawJson::new(INSTRUCTIONS).ok().map(|role| (Arc::from("role"), role));
        let extra = Extra::new(WIRE, role.into_iter().collect());
        out.push(ModelMessage::System(Arc::new(System { parts: vec![SystemPart::Text(Text::new(text))], extra })));
    }
    let input = present(body, "input").ok_or_else(|| root.error(ParseFault::Missing { key: "input" }))?;
    let at = root.key("input");
    if input.kind() == Kind::String {
        out.push(ModelMessage::user(reader.text(input, &at)?));
    } else {
        out.append(&mut array(input, &at, reader)?);
    }
    Ok((call, out))
}

/// Reads a list of items.
pub(crate) fn array(input: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    let mut items = Items { out: Vec::new(), said: Vec::new() };
    for (index, value) in list(input, at)?.items().enumerate() {
        items.item(value, &at.index(index), reader)?;
    }
    items.end();
    Ok(items.out)
}

/// What the model wrote, as it stands in the output of a response.
pub(crate) fn output(output: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    let mut said = Vec::new();
    for (index, value) in list(output, at)?.items().enumerate() {
        said.append(&mut output_item(value, &at.index(index), reader)?);
    }
    Ok(said)
}

/// One item of the output.
pub(crate) fn output_item(item: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    let mut items = Items { out: Vec::new(), said: Vec::new() };
    let kind = object(item, at).map(|item| text_of(item, "type").unwrap_or_default())?;
    items.said_item(item, &kind, at, reader)?;
    Ok(items.said)
}

fn tool(tool: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Tool> {
    const KNOWN: [&str; 4] = ["type", "name", "description", "parameters"];
    let name = reader.member(tool, "name", at)?;
    if reader.member(tool, "type", at)?.is_some_and(|kind| kind == "function") {
        let schema = present(tool, "parameters").and_then(|schema| reader.raw(schema, &at.key("parameters")));
        return Ok(Tool::Function {
            name: name.unwrap_or_default(),
            description: reader.member(tool, "description", at)?,
            schema: schema.or_else(|| RawJson::new(NO_PARAMETERS).ok()).ok_or_else(|| at.wanted("a schema", tool))?,
            extra: reader.extra(tool, &KNOWN, None, at),
        });
    }
    let raw = reader.raw(tool, at).ok_or_else(|| at.wanted("a tool of fewer levels", tool))?;
    Ok(Tool::Native { wire: WIRE, name, raw })
}

/// The list while it is read: what the model wrote in a row is one message.
struct Items {
    out: Vec<ModelMessage>,
    said: Vec<Item>,
}

impl Items {
    fn end(&mut self) {
        if !self.said.is_empty() {
            let items = std::mem::take(&mut self.said);
            self.out.push(ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() })));
        }
    }

    fn push(&mut self, message: ModelMessage) {
        self.end();
        self.out.push(message);
    }

    fn item(&mut self, item: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<()> {
        object(item, at)?;
        let kind = reader.member_or_empty(item, "type", at)?;
        match kind.as_str() {
            "" | "message" => self.message(item, at, reader)?,
            ADDITIONAL_TOOLS => {
                let native = reader.native(item, ADDITIONAL_TOOLS, at).map(SystemPart::Native);
                let parts = native.into_iter().collect();
                self.push(ModelMessage::System(Arc::new(System { parts, extra: Extra::default() })));
            }
            APPROVAL => {
                let parts = reader.native(item, APPROVAL, at).map(Part::Native).into_iter().collect();
                self.push(ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })));
            }
            kind if is_paired(item, kind) && kind.ends_with("_output") => {
                let outcome = outcome(item, kind, at, reader)?;
                self.push(ModelMessage::Tool(Arc::new(outcome)));
            }
            kind => self.said_item(item, kind, at, reader)?,
        }
        Ok(())
    }

    /// An item that the model wrote.
    fn said_item(&mut self, item: Value<'_>, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Read<()> {
        match kind {
            "message" => self.said_message(item, at, reader)?,
            "reasoning" => {
                let raw = reader.raw(item, at);
                self.said.extend(raw.map(|raw| Item::Reasoning(Reasoning { wire: WIRE, kind: kind.into(), raw })));
            }
            "function_call" => self.said.push(Item::Call(function_call(item, at, reader)?)),
            kind if is_paired(item, kind) => self.said.push(Item::Call(other_call(item, kind, at, reader)?)),
            kind => self.said.extend(reader.native(item, kind, at).map(Item::Native)),
        }
        Ok(())
    }

    fn message(&mut self, message: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<()> {
        let role = reader.member(message, "role", at)?.ok_or_else(|| at.error(ParseFault::Missing { key: "role" }))?;
        match role.as_str() {
            "user" => {
                let parts = reader.content(message, "content", at, Part::Text, parts::part)?;
                let extra = reader.extra(message, &["role", "content"], None, at);
                self.push(ModelMessage::User(Arc::new(User { parts, extra })));
            }
            "system" | "developer" => {
                let parts = reader.content(message, "content", at, SystemPart::Text, parts::system)?;
                let mut fields = reader.unknown(message, &["role", "content"], at);
                let developer = if role == "developer" { RawJson::new("\"developer\"").ok() } else { None };
                fields.extend(developer.map(|role| (Arc::from("role"), role)));
                self.push(ModelMessage::System(Arc::new(System { parts, extra: Extra::new(WIRE, fields) })));
            }
            "assistant" => self.said_message(message, at, reader)?,
            _ => return Err(at.key("role").error(ParseFault::UnknownRole { role })),
        }
        Ok(())
    }

    /// A message of the model: its texts, or the whole as a block if it holds anything else.
    fn said_message(&mut self, message: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<()> {
        let Some(content) = present(message, "content") else { return Ok(()) };
        let kind = |part: Value<'_>| text_of(part, "type").unwrap_or_default();
        let text_alone = content.items().all(|part| matches!(kind(part).as_str(), "output_text" | "input_text" | "text"));
        if content.kind() == Kind::Array && !text_alone {
            self.said.extend(spoken(message, content, at, reader).map(Item::Native));
            return Ok(());
        }
        let texts: Vec<Text> = reader.content(message, "content", at, |text| text, text)?;
        let fields = reader.unknown(message, &["role", "content"], at);
        for (index, mut text) in texts.into_iter().enumerate() {
            let mark = if index == 0 { object_of(&fields) } else { RawJson::new("true").ok() };
            let own = text.extra.on(WIRE).map(|(name, raw)| (Arc::from(name), raw.clone()));
            let all = own.chain(mark.map(|mark| (Arc::from(MESSAGE), mark))).collect();
            text.extra = Extra::new(WIRE, all);
            self.said.push(Item::Text(text));
        }
        Ok(())
    }
}

fn text(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Text>> {
    object(part, at)?;
    let text = reader.member_or_empty(part, "text", at)?;
    Ok(Some(Text { text, extra: reader.extra(part, &["type", "text", MESSAGE], None, at) }))
}

/// A message with more than text, such as a refusal, reads as what it says.
fn spoken(message: Value<'_>, content: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Native> {
    let refuses = content.items().any(|part| text_of(part, "type").as_deref() == Some("refusal"));
    let mut native = reader.native(message, if refuses { "refusal" } else { "message" }, at)?;
    let said = |part: Value<'_>| text_of(part, "text").or_else(|| text_of(part, "refusal"));
    native.reads_as = Some(content.items().filter_map(said).collect::<Vec<_>>().join("\n\n"));
    Some(native)
}

fn function_call(call: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<ToolCall> {
    Ok(ToolCall {
        id: CallId::new(reader.member_or_empty(call, "call_id", at)?),
        name: reader.member_or_empty(call, "name", at)?,
        input: input(call, "arguments", at, reader)?,
        extra: reader.extra(call, &["type", "call_id", "name", "arguments"], None, at),
    })
}

/// A call of another type: a tool of the caller's that takes any text, or one of OpenAI's own that the caller runs. It is written as
/// it came if its outcome is, so that all its fields are kept; elsewhere it reads as a call with what it asks for.
fn other_call(call: Value<'_>, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Read<ToolCall> {
    let id = CallId::new(reader.member_or_empty(call, "call_id", at)?);
    let (name, input, known): (String, Input, &[&str]) = match kind {
        "custom_tool_call" => {
            (reader.member_or_empty(call, "name", at)?, input(call, "input", at, reader)?, &["call_id", "name", "input"])
        }
        "tool_search_call" => ("tool_search".to_owned(), input(call, "arguments", at, reader)?, &["call_id", "arguments"]),
        _ => {
            let asks =
                ["action", "operation", "arguments", "input"].into_iter().find_map(|key| Some((key, present(call, key)?)));
            let input = asks.map_or_else(|| Input::new("{}"), |(key, asks)| reader.input(asks, &at.key(key)));
            (kind.trim_end_matches("_call").to_owned(), input, &["call_id"])
        }
    };
    Ok(ToolCall { id, name, input, extra: reader.extra(call, known, None, at) })
}

/// Arguments: a string of JSON, or the JSON itself.
fn input(call: Value<'_>, key: &'static str, at: &Path<'_>, reader: &mut Reader) -> Read<Input> {
    let at = at.key(key);
    Ok(match present(call, key) {
        None => Input::new(""),
        Some(value) if value.kind() == Kind::String => Input::new(reader.text(value, &at)?),
        Some(value) => reader.input(value, &at),
    })
}

fn outcome(item: Value<'_>, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Read<Outcome> {
    let native = |value: Option<Value<'_>>, kind: &str, key: &str, reader: &mut Reader| {
        let native = value.and_then(|value| reader.native(value, kind, &at.key(key)));
        native.map(Part::Native).into_iter().collect::<Vec<Part>>()
    };
    let id = if present(item, "call_id").is_some() { "call_id" } else { "id" };
    let call = CallId::new(reader.member_or_empty(item, id, at)?);
    let (parts, known): (Vec<Part>, &[&str]) = match kind {
        "function_call_output" => (content(item, at, reader)?, &["type", "call_id", "output"]),
        "custom_tool_call_output" => (content(item, at, reader)?, &["call_id", "output"]),
        "tool_search_output" => {
            let mut parts = native(present(item, "tools"), TOOLS, "tools", reader);
            if let [Part::Native(found)] = parts.as_mut_slice() {
                found.reads_as = Some(names_of(item.get("tools")));
            }
            (parts, &["call_id", "tools"])
        }
        _ => {
            let mut parts = native(present(item, "output"), OUTPUT, "output", reader);
            if let [Part::Native(output)] = parts.as_mut_slice() {
                output.reads_as = Some(output.raw.as_str().to_owned());
            }
            (parts, &["call_id", "output"])
        }
    };
    Ok(Outcome { call, parts, failed: None, extra: reader.extra(item, known, None, at) })
}

/// The output of a function: text or parts. Anything else is kept as the JSON that it is.
fn content(item: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Part>> {
    match present(item, "output") {
        Some(value) if !matches!(value.kind(), Kind::String | Kind::Array) => Ok(vec![Part::text(value.raw())]),
        Some(_) | None => reader.content(item, "output", at, Part::Text, parts::part),
    }
}

fn names_of(tools: Option<Value<'_>>) -> String {
    let names: Vec<String> = tools.into_iter().flat_map(Value::items).filter_map(|tool| text_of(tool, "name")).collect();
    if names.is_empty() { "[no tools found]".to_owned() } else { format!("[tools found: {}]", names.join(", ")) }
}
