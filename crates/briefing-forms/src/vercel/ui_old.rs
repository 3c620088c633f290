//! What `UIMessage` was in version 4: text in `content`, calls in `toolInvocations`.

use std::collections::BTreeMap;
use std::sync::Arc;

use briefing::ModelMessage;
use briefing::message::{CallId, Extra, Item, Outcome, Text, ToolCall};
use briefing_json::{Kind, Path, Value, present};

use super::outcome;
use super::ui::Step;
use crate::change::ReadChange;
use crate::opaque::{redacted, thinking, unsigned};
use crate::reader::{Read, Reader, object, str_of};

/// Reads an answer without parts: its calls, step by step, and behind them its text.
pub(super) fn answer(
    message: Value<'_>,
    model: Option<&Arc<str>>,
    at: &Path<'_>,
    reader: &mut Reader,
    out: &mut Vec<ModelMessage>,
) -> Read<()> {
    let mut steps: BTreeMap<u64, Step> = BTreeMap::new();
    let all = at.key("toolInvocations");
    for (index, value) in present(message, "toolInvocations").into_iter().flat_map(Value::items).enumerate() {
        let at = all.index(index);
        let number = object(value, &at)?.get("step").and_then(|step| step.raw().parse().ok()).unwrap_or(0);
        invocation(value, &at, reader, steps.entry(number).or_default())?;
    }
    for step in steps.values_mut() {
        step.end(model, out);
    }
    let mut last = Step::default();
    let thought = reader.member(message, "reasoning", at)?;
    last.items.extend(thought.and_then(|text| unsigned(&text)).map(Item::Reasoning));
    let content = present(message, "content").filter(|content| content.kind() != Kind::String || content.raw() != "\"\"");
    last.items.extend(reader.content(content, &at.key("content"), Item::Text, |reader, part, at, items| {
        match reader.kind(part, at)?.as_str() {
            "text" => items.push(Item::Text(Text::new(reader.member_or_empty(part, "text", at)?))),
            kind => reader.note(at, ReadChange::PartLeftOut { kind: kind.to_owned() }),
        }
        Ok(())
    })?);
    last.end(model, out);
    Ok(())
}

/// A call as version 4 kept it.
pub(super) fn invocation(value: Value<'_>, at: &Path<'_>, reader: &mut Reader, step: &mut Step) -> Read<()> {
    let id = reader.member_or_empty(value, "toolCallId", at)?;
    let state = reader.member_or_empty(value, "state", at)?;
    if state == "partial-call" {
        reader.note(at, ReadChange::CallIncomplete { call: id });
        return Ok(());
    }
    reader.unknown(value, &["toolCallId", "toolName", "state", "args", "result", "step"], at);
    let input = reader.input(present(value, "args"), &at.key("args"))?;
    let call =
        ToolCall { id: CallId::new(id), name: reader.member_or_empty(value, "toolName", at)?, input, extra: Extra::default() };
    if state == "result" {
        let parts = match present(value, "result") {
            Some(result) => outcome::value(result, &at.key("result"), reader)?,
            None => Vec::new(),
        };
        step.outcomes.push(Outcome { call: call.id.clone(), parts, failed: None, extra: Extra::default() });
    }
    step.items.push(Item::Call(call));
    Ok(())
}

/// Reasoning as version 4 kept it: pieces that may be signed or redacted.
pub(super) fn details(details: Value<'_>, at: &Path<'_>, reader: &mut Reader, items: &mut Vec<Item>) -> Read<()> {
    for (index, detail) in details.items().enumerate() {
        let at = at.index(index);
        let kind = reader.kind(detail, &at)?;
        let reasoning = if kind == "redacted" {
            redacted(&reader.member_or_empty(detail, "data", &at)?)
        } else {
            let text = reader.member_or_empty(detail, "text", &at)?;
            match str_of(detail, "signature") {
                Some(signature) => thinking(&text, Some(&signature)),
                None => unsigned(&text),
            }
        };
        items.extend(reasoning.map(Item::Reasoning));
    }
    Ok(())
}
