//! Reading an OpenAI Responses body.

use std::collections::HashSet;
use std::sync::Arc;

use briefing::message::{
    Assistant, CallId, Extra, Input, Item, Native, Outcome, Part, RawJson, Reasoning, System, SystemPart, Text, ToolCall, User,
};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_json::{Kind, Path, Value, present};

use super::calls::{OUTPUT, TOOLS};
use super::native::{ADDITIONAL_TOOLS, APPROVAL, REFERENCE, SHELL, answered, is_hosted, is_paired};
use super::{INSTRUCTIONS, KEPT, MESSAGE, parts};
use crate::parse::{Fails, ParseFault, Read, Reader, call as read_call, list, object, object_of};
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
        let kept = |key: &&str| present(body, key).is_some();
        out.append(&mut items(input, KEPT.iter().any(kept), &at, reader)?);
    }
    Ok((call, out))
}

/// Reads a list of items.
pub(crate) fn array(input: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    items(input, false, at, reader)
}

/// Reads a list of items, which may go on from what the provider keeps.
fn items(input: Value<'_>, goes_on: bool, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    let goes_on = goes_on || list(input, at)?.items().any(refers);
    let mut items = Items { goes_on, ..Items::default() };
    for (index, value) in list(input, at)?.items().enumerate() {
        items.item(value, &at.index(index), reader)?;
    }
    items.end();
    Ok(items.out)
}

/// What the model wrote, as it stands in the output of a response.
pub(crate) fn output(output: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    let shell =
        |item: Value<'_>| text_of(item, "call_id").filter(|_| text_of(item, "type").is_some_and(|kind| kind == SHELL[1]));
    let mut items = Items { ran: list(output, at)?.items().filter_map(shell).collect(), ..Items::default() };
    for (index, value) in output.items().enumerate() {
        items.output_item(value, &at.index(index), reader)?;
    }
    Ok(items.said)
}

/// One item of the output.
pub(crate) fn output_item(item: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    let mut items = Items::default();
    items.output_item(item, at, reader)?;
    Ok(items.said)
}

fn tool(tool: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Tool> {
    const KNOWN: [&str; 4] = ["type", "name", "description", "parameters"];
    let name = reader.member(tool, "name", at)?;
    if reader.member(tool, "type", at)?.is_some_and(|kind| kind == "function") {
        let schema = present(tool, "parameters").and_then(|schema| reader.raw(schema, &at.key("parameters")));
        let mut fields = reader.unknown(tool, &KNOWN, at);
        // What says nothing of it is strict, other than tools of other wires.
        if tool.get("strict").is_none() {
            fields.extend(RawJson::new("null").ok().map(|none| (Arc::from("strict"), none)));
        }
        return Ok(Tool::Function {
            name: name.unwrap_or_default(),
            description: reader.member(tool, "description", at)?,
            schema: schema.or_else(|| RawJson::new(NO_PARAMETERS).ok()).ok_or_else(|| at.wanted("a schema", tool))?,
            extra: Extra::new(WIRE, fields),
        });
    }
    let raw = reader.raw(tool, at).ok_or_else(|| at.wanted("a tool of fewer levels", tool))?;
    Ok(Tool::Native { wire: WIRE, name, raw })
}

/// Whether an item refers to one that the provider keeps, by its id.
fn refers(item: Value<'_>) -> bool {
    match text_of(item, "type") {
        Some(kind) => kind == REFERENCE,
        None => item.get("role").is_none() && present(item, "id").is_some(),
    }
}

/// The list while it is read: what the model wrote in a row is one message.
#[derive(Default)]
struct Items {
    /// Whether the list may go on from calls that it does not hold.
    goes_on: bool,
    /// The calls so far.
    called: HashSet<String>,
    /// Calls that the provider ran itself.
    ran: HashSet<String>,
    out: Vec<ModelMessage>,
    /// Whether the last of them holds outcomes of calls that the provider keeps.
    keeps: bool,
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
        self.keeps = false;
        self.out.push(message);
    }

    fn item(&mut self, item: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<()> {
        object(item, at)?;
        let kind = reader.member_or_empty(item, "type", at)?;
        match kind.as_str() {
            "" if refers(item) => self.said.extend(reader.native(item, REFERENCE, at).map(Item::Native)),
            "" | "message" => self.message(item, at, reader)?,
            ADDITIONAL_TOOLS => {
                let native = reader.native(item, ADDITIONAL_TOOLS, at).map(SystemPart::Native);
                let parts = native.into_iter().collect();
                self.push(ModelMessage::System(Arc::new(System { parts, extra: Extra::default() })));
            }
            APPROVAL if self.goes_on => {
                let native = reader.native(item, APPROVAL, at).map(Part::Native);
                self.kept(native);
            }
            APPROVAL => {
                let parts = reader.native(item, APPROVAL, at).map(Part::Native).into_iter().collect();
                self.push(ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })));
            }
            kind if is_paired(item, kind) && kind.ends_with("_output") => {
                let id = answered(item).unwrap_or_default();
                if self.ran.contains(&id) {
                    return self.said_item(item, kind, at, reader);
                }
                if self.goes_on && !self.called.contains(&id) {
                    let native = reader.native(item, kind, at).map(Part::Native);
                    self.kept(native);
                    return Ok(());
                }
                let outcome = outcome(item, kind, at, reader)?;
                self.push(ModelMessage::Tool(Arc::new(outcome)));
            }
            kind => self.said_item(item, kind, at, reader)?,
        }
        Ok(())
    }

    /// Whether the provider runs that call itself.
    fn runs(&self, item: Value<'_>, kind: &str) -> bool {
        is_hosted(item, kind) || kind == SHELL[0] && text_of(item, "call_id").is_some_and(|id| self.ran.contains(&id))
    }

    /// The outcome of a call that the provider keeps. Those in a row are one message, as they stand or go together.
    fn kept(&mut self, outcome: Option<Part>) {
        if let Some(ModelMessage::User(user)) = self.out.last_mut().filter(|_| self.said.is_empty() && self.keeps) {
            Arc::make_mut(user).parts.extend(outcome);
            return;
        }
        self.push(ModelMessage::User(Arc::new(User { parts: outcome.into_iter().collect(), extra: Extra::default() })));
        self.keeps = true;
    }

    /// An item of the output of a response.
    fn output_item(&mut self, item: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<()> {
        let kind = object(item, at).map(|item| text_of(item, "type").unwrap_or_default())?;
        self.said_item(item, &kind, at, reader)
    }

    /// An item that the model wrote.
    fn said_item(&mut self, item: Value<'_>, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Read<()> {
        match kind {
            "message" => self.said_message(item, at, reader)?,
            "reasoning" => {
                let raw = reader.raw(item, at);
                self.said.extend(raw.map(|raw| Item::Reasoning(Reasoning { wire: WIRE, kind: kind.into(), raw })));
            }
            kind if self.runs(item, kind) || kind.ends_with("_output") => {
                self.ran.extend(text_of(item, "call_id"));
                self.said.extend(reader.native(item, kind, at).map(Item::Native));
            }
            kind if is_paired(item, kind) => {
                let call = match kind {
                    "function_call" => function_call(item, at, reader)?,
                    kind => other_call(item, kind, at, reader)?,
                };
                self.called.insert(call.id.given().to_owned());
                self.said.push(Item::Call(call));
            }
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
        let content = present(message, "content");
        let kind = |part: Value<'_>| text_of(part, "type").unwrap_or_default();
        let is_text = |part: Value<'_>| matches!(kind(part).as_str(), "output_text" | "input_text" | "text");
        if let Some(content) = content.filter(|content| content.kind() == Kind::Array && !content.items().all(is_text)) {
            self.said.extend(spoken(message, content, at, reader).map(Item::Native));
            return Ok(());
        }
        let mut texts: Vec<Text> =
            if content.is_some() { reader.content(message, "content", at, |text| text, text)? } else { vec![] };
        // A message that says nothing is one all the same: reasoning may have led to it.
        if texts.is_empty() {
            texts.push(Text::new(""));
        }
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
