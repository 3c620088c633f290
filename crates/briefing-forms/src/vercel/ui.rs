//! Reading `UIMessage`: a user interface keeps a whole turn in one message, its steps one behind the other.

use std::sync::Arc;

use briefing::ModelMessage;
use briefing::message::{Assistant, CallId, Extra, Input, Item, Outcome, Part, System, SystemPart, ToolCall, User};
use briefing_json::{Kind, Path, Value, present};

use super::model::{made, reasoning};
use super::part::{self, file, known, text};
use super::{options, outcome, server, ui_old};
use crate::change::ReadChange;
use crate::item;
use crate::opaque::Pieces;
use crate::reader::{Fails, Read, Reader, object, str_of};

/// Reads one message, which may be several.
pub(crate) fn read(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    const KNOWN: [&str; 9] =
        ["id", "role", "parts", "content", "createdAt", "metadata", "toolInvocations", "reasoning", "experimental_attachments"];
    let role = reader.member(message, "role", at)?.ok_or_else(|| at.missing("role"))?;
    reader.unknown(message, &KNOWN, at);
    if let Some(metadata) = present(message, "metadata") {
        reader.unknown(metadata, &["model"], &at.key("metadata"));
    }
    match role.as_str() {
        "system" => system(message, at, reader, out),
        "assistant" => assistant(message, at, reader, out),
        "data" => {
            reader.note(at, ReadChange::MessageLeftOut { kind: role });
            Ok(())
        }
        other => {
            if other != "user" {
                reader.note(&at.key("role"), ReadChange::RoleAsUser { role: role.clone() });
            }
            user(message, at, reader, out)
        }
    }
}

/// The parts; what version 4 kept as content where there are none.
fn content<'d>(message: Value<'d>) -> (&'static str, Option<Value<'d>>) {
    let parts = present(message, "parts").filter(|parts| parts.kind() != Kind::Array || parts.items().next().is_some());
    match parts {
        Some(parts) => ("parts", Some(parts)),
        None => ("content", present(message, "content")),
    }
}

fn system(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let (key, content) = content(message);
    let parts = reader.content(content, &at.key(key), SystemPart::Text, |reader, part, at, parts| {
        match reader.kind(part, at)?.as_str() {
            "text" => parts.push(SystemPart::Text(text(part, at, reader)?)),
            kind => reader.note(at, ReadChange::PartLeftOut { kind: kind.to_owned() }),
        }
        Ok(())
    })?;
    out.push(ModelMessage::System(Arc::new(System { parts, extra: Extra::default() })));
    Ok(())
}

fn user(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let (key, content) = content(message);
    let mut parts = reader.content(content, &at.key(key), Part::Text, |reader, part, at, parts| {
        match reader.kind(part, at)?.as_str() {
            "text" => parts.push(Part::Text(text(part, at, reader)?)),
            "file" => parts.extend(file(part, &["url", "data"], at, reader)),
            kind => reader.note(at, ReadChange::PartLeftOut { kind: kind.to_owned() }),
        }
        Ok(())
    })?;
    let attached = at.key("experimental_attachments");
    for (index, value) in present(message, "experimental_attachments").into_iter().flat_map(Value::items).enumerate() {
        let at = attached.index(index);
        parts.extend(file(object(value, &at)?, &["url"], &at, reader));
    }
    out.push(ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })));
    Ok(())
}

/// A step of an answer: what the model said at once, and what came of its calls.
#[derive(Default)]
pub(super) struct Step {
    pub(super) items: Vec<Item>,
    pub(super) outcomes: Vec<Outcome>,
    pieces: Pieces,
    /// Whether calls of version 4 stand in it, behind which a text begins the next step.
    called: bool,
    /// Which step version 4 says it is.
    number: Option<String>,
}

impl Step {
    /// Ends the step, if it has anything, and begins the next one.
    pub(super) fn end(&mut self, model: Option<&Arc<str>>, out: &mut Vec<ModelMessage>) {
        let mut step = std::mem::take(self);
        step.items.extend(step.pieces.end().map(Item::Reasoning));
        item::join(&mut step.items);
        if !step.items.is_empty() {
            let said = Assistant { items: step.items, model: model.cloned(), extra: Extra::default() };
            out.push(ModelMessage::Assistant(Arc::new(said)));
        }
        out.extend(step.outcomes.into_iter().map(|outcome| ModelMessage::Tool(Arc::new(outcome))));
    }
}

fn assistant(message: Value<'_>, at: &Path<'_>, reader: &mut Reader, out: &mut Vec<ModelMessage>) -> Read<()> {
    let model: Option<Arc<str>> = present(message, "metadata").and_then(|metadata| str_of(metadata, "model")).map(Arc::from);
    let (key, content) = content(message);
    if key == "content" {
        return ui_old::answer(message, model.as_ref(), at, reader, out);
    }
    let mut step = Step::default();
    reader.content(
        content,
        &at.key(key),
        |_| (),
        |reader, part, at, _| said(part, &mut step, model.as_ref(), at, reader, out),
    )?;
    step.end(model.as_ref(), out);
    Ok(())
}

fn said(
    part: Value<'_>,
    step: &mut Step,
    model: Option<&Arc<str>>,
    at: &Path<'_>,
    reader: &mut Reader,
    out: &mut Vec<ModelMessage>,
) -> Read<()> {
    let kind = reader.kind(part, at)?;
    if kind == "reasoning" {
        return match present(part, "details") {
            Some(details) => ui_old::details(details, &at.key("details"), reader, &mut step.items),
            None => reasoning(part, &mut step.pieces, at, reader, &mut step.items),
        };
    }
    step.items.extend(step.pieces.end().map(Item::Reasoning));
    match kind.as_str() {
        "step-start" => step.end(model, out),
        "text" => {
            if step.called {
                step.end(model, out);
            }
            step.items.push(Item::Text(part::said(part, at, reader)?));
        }
        "file" => step.items.extend(file(part, &["url", "data"], at, reader).map(|file| made(&file, at, reader))),
        "tool-invocation" => {
            let at = at.key("toolInvocation");
            let Some(inner) = present(part, "toolInvocation") else { return Err(at.missing("toolInvocation")) };
            let number = inner.get("step").map(|step| step.raw().to_owned());
            if step.called && step.number != number {
                step.end(model, out);
            }
            (step.called, step.number) = (true, number);
            ui_old::invocation(object(inner, &at)?, &at, reader, step)?;
        }
        "dynamic-tool" => {
            let name = reader.member_or_empty(part, "toolName", at)?;
            tool(part, name, at, reader, step)?;
        }
        other => match other.strip_prefix("tool-") {
            Some(name) => tool(part, name.to_owned(), at, reader, step)?,
            None => reader.note(at, ReadChange::PartLeftOut { kind }),
        },
    }
    Ok(())
}

/// A call with its state: how far it is, and what came of it.
fn tool(part: Value<'_>, name: String, at: &Path<'_>, reader: &mut Reader, step: &mut Step) -> Read<()> {
    const KNOWN: [&str; 13] = [
        "type",
        "toolName",
        "toolCallId",
        "state",
        "title",
        "input",
        "rawInput",
        "inputEncoding",
        "output",
        "errorText",
        "providerExecuted",
        "preliminary",
        "approval",
    ];
    let id = reader.member_or_empty(part, "toolCallId", at)?;
    let state = reader.member_or_empty(part, "state", at)?;
    if state == "input-streaming" {
        reader.note(at, ReadChange::CallIncomplete { call: id });
        return Ok(());
    }
    reader.unknown(part, &known(&KNOWN), at);
    let key = if present(part, "input").is_some() { "input" } else { "rawInput" };
    let input = reader.input(present(part, key), &at.key(key))?;
    if part.get("providerExecuted").and_then(Value::as_bool) == Some(true) {
        return served(part, &id, &name, &input, &state, at, reader, step);
    }
    let approval = present(part, "approval");
    let refused = approval.and_then(|approval| approval.get("approved")).and_then(Value::as_bool) == Some(false);
    let reason = approval.and_then(|approval| str_of(approval, "reason"));
    let came = match state.as_str() {
        "output-available" => match present(part, "output") {
            Some(output) => Some((outcome::ui_output(output, &at.key("output"), reader)?, None)),
            None => Some((Vec::new(), None)),
        },
        "output-error" => Some((vec![Part::text(reader.member_or_empty(part, "errorText", at)?)], Some(true))),
        "output-denied" => Some((outcome::denied(reason), Some(true))),
        _ if refused => Some((outcome::denied(reason), Some(true))),
        _ => None,
    };
    let extra = options::of_call(options::of(part), at, reader);
    let call = ToolCall { id: CallId::new(id), name, input, extra };
    step.outcomes.extend(came.map(|(parts, failed)| Outcome { call: call.id.clone(), parts, failed, extra: Extra::default() }));
    step.items.push(Item::Call(call));
    Ok(())
}

/// A call that the provider ran itself.
#[expect(clippy::too_many_arguments, reason = "a part taken apart by who calls")]
fn served(
    part: Value<'_>,
    id: &str,
    name: &str,
    input: &Input,
    state: &str,
    at: &Path<'_>,
    reader: &mut Reader,
    step: &mut Step,
) -> Read<()> {
    step.items.push(server::call(id, name, input.raw(), at, reader));
    let key = if state == "output-error" { "errorText" } else { "output" };
    if let Some(value) = present(part, key) {
        step.items.push(server::result(id, name, value, &at.key(key), reader));
    }
    Ok(())
}
