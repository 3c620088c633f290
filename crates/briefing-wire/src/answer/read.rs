//! Reading a whole response into items.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Assistant, Extra, Input, Item, ToolCall};
use briefing_json::{Document, Kind, Path, Value, present};

use super::error::AnswerFinding;
use super::stop::Stop;
use super::usage::{Usage, usage};
use super::{Answer, UnfinishedCall};
use crate::parse::{Fails, ParseFault, Read, Reader, list, object};
use crate::raw::{look, text_of};
use crate::{anthropic, gemini, openai_chat, openai_responses};

/// What is read of a response, before its calls are looked at.
struct Parts {
    said: Assistant,
    stop: Stop,
    usage: Usage,
    id: Option<String>,
    model: Option<String>,
    others: bool,
}

/// Reads a response that ended.
pub(super) fn answer(wire: Wire, body: Value<'_>) -> Read<Answer> {
    let mut answer = so_far(wire, body)?;
    let limit = if answer.stop.is_chosen() { Limit::Nothing } else { Limit::Broken };
    (answer.said, answer.unfinished) = without_unfinished(answer.said, limit);
    let calls = answer.said.calls().next().is_some();
    if answer.stop == Stop::End && calls {
        answer.stop = Stop::ToolUse;
    }
    Ok(answer)
}

/// Reads a response that was cut off: a call whose arguments are no JSON object did not end, whatever stood behind it.
pub(super) fn cut(wire: Wire, body: Value<'_>) -> Read<Answer> {
    let mut answer = so_far(wire, body)?;
    (answer.said, answer.unfinished) = without_unfinished(answer.said, Limit::Broken);
    Ok(answer)
}

fn so_far(wire: Wire, body: Value<'_>) -> Read<Answer> {
    let mut reader = Reader::new(wire);
    let parts = match wire {
        Wire::OpenAiChat => chat(body, &mut reader)?,
        Wire::OpenAiResponses => responses(body, &mut reader)?,
        Wire::Anthropic => messages(body, &mut reader)?,
        Wire::Gemini => generated(body, &mut reader)?,
    };
    let mut findings: Vec<_> = reader.into_findings().into_iter().map(AnswerFinding::Read).collect();
    findings.extend(parts.others.then_some(AnswerFinding::OtherChoices));
    let said = Assistant { model: parts.model.filter(|model| !model.is_empty()).map(Arc::from), ..parts.said };
    let Parts { stop, usage, id, .. } = parts;
    Ok(Answer { said, unfinished: Vec::new(), stop, usage, id, findings })
}

fn chat(body: Value<'_>, reader: &mut Reader) -> Read<Parts> {
    let root = Path::Root;
    object(body, &root)?;
    let choices = present(body, "choices").ok_or_else(|| root.error(ParseFault::Missing { key: "choices" }))?;
    let at = root.key("choices");
    let first = list(choices, &at)?.items().next().ok_or_else(|| at.error(ParseFault::Missing { key: "0" }))?;
    let at = at.index(0);
    object(first, &at)?;
    let message = present(first, "message").ok_or_else(|| at.error(ParseFault::Missing { key: "message" }))?;
    let said = openai_chat::assistant(object(message, &at.key("message"))?, &at.key("message"), reader)?;
    let reason = text_of(first, "finish_reason").unwrap_or_default();
    let mut stop = Stop::named(Wire::OpenAiChat, &reason);
    if stop == Stop::End && refuses(&said.items) {
        stop = Stop::Refusal;
    }
    Ok(Parts {
        said: without_blank_fields(said),
        stop,
        usage: present(body, "usage").map_or_else(Usage::default, |value| usage(Wire::OpenAiChat, value)),
        id: text_of(body, "id"),
        model: text_of(body, "model"),
        others: choices.items().count() > 1,
    })
}

fn messages(body: Value<'_>, reader: &mut Reader) -> Read<Parts> {
    let root = Path::Root;
    object(body, &root)?;
    if present(body, "content").is_none() {
        return Err(root.error(ParseFault::Missing { key: "content" }));
    }
    let items = anthropic::items(body, &root, reader)?;
    let items = items.into_iter().map(|item| match item {
        Item::Call(call) => Item::Call(with_text_input(call)),
        Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => item,
    });
    let reason = text_of(body, "stop_reason").unwrap_or_default();
    Ok(Parts {
        said: Assistant { items: items.collect(), ..Assistant::default() },
        stop: Stop::named(Wire::Anthropic, &reason),
        usage: present(body, "usage").map_or_else(Usage::default, |value| usage(Wire::Anthropic, value)),
        id: text_of(body, "id"),
        model: text_of(body, "model"),
        others: false,
    })
}

fn responses(body: Value<'_>, reader: &mut Reader) -> Read<Parts> {
    let root = Path::Root;
    object(body, &root)?;
    let output = present(body, "output").ok_or_else(|| root.error(ParseFault::Missing { key: "output" }))?;
    let items = openai_responses::output(output, &root.key("output"), reader)?;
    let mut stop = Stop::of_response(body);
    if stop == Stop::End && refuses(&items) {
        stop = Stop::Refusal;
    }
    Ok(Parts {
        said: Assistant { items, ..Assistant::default() },
        stop,
        usage: present(body, "usage").map_or_else(Usage::default, |value| usage(Wire::OpenAiResponses, value)),
        id: text_of(body, "id"),
        model: text_of(body, "model"),
        others: false,
    })
}

/// A response without candidates is an answer, too, if it says why the prompt was blocked.
fn generated(body: Value<'_>, reader: &mut Reader) -> Read<Parts> {
    let root = Path::Root;
    object(body, &root)?;
    let at = root.key("candidates");
    let blocked = present(body, "promptFeedback").and_then(|feedback| present(feedback, "blockReason")).is_some();
    let candidates = present(body, "candidates").map(|candidates| list(candidates, &at)).transpose()?;
    let first = candidates.and_then(|candidates| candidates.items().next());
    let mut items = Vec::new();
    let mut stop = if blocked { Stop::ContentFilter } else { Stop::Unstated };
    match first {
        Some(first) => {
            let at = at.index(0);
            let content = present(object(first, &at)?, "content");
            let inner = at.key("content");
            items = content.map_or_else(|| Ok(Vec::new()), |content| gemini::said(object(content, &inner)?, &inner, reader))?;
            let reason = text_of(first, "finishReason").unwrap_or_default();
            if !blocked || !reason.is_empty() {
                stop = Stop::named(Wire::Gemini, &reason);
            }
        }
        None if blocked => {}
        None => return Err(root.error(ParseFault::Missing { key: "candidates" })),
    }
    Ok(Parts {
        said: Assistant { items, ..Assistant::default() },
        stop,
        usage: present(body, "usageMetadata").map_or_else(Usage::default, |value| usage(Wire::Gemini, value)),
        id: text_of(body, "responseId"),
        model: text_of(body, "modelVersion"),
        others: candidates.is_some_and(|candidates| candidates.items().count() > 1),
    })
}

fn refuses(items: &[Item]) -> bool {
    items.iter().any(|item| matches!(item, Item::Native(native) if &*native.kind == "refusal"))
}

/// Arguments that are no JSON stand in a rebuilt response as the string that they are.
fn with_text_input(call: ToolCall) -> ToolCall {
    if !call.input.raw().trim_start().starts_with('"') {
        return call;
    }
    let text = Document::parse(call.input.raw()).ok().and_then(|text| Some(text.root().as_str()?.into_owned()));
    ToolCall { input: text.map_or_else(|| call.input.clone(), Input::new), ..call }
}

/// The message without fields that say nothing, as `"refusal": null` and `"annotations": []`: some servers refuse them.
fn without_blank_fields(said: Assistant) -> Assistant {
    let Some(wire) = said.extra.wire() else { return said };
    let says = |raw: &str| !matches!(raw, "null" | "[]");
    let kept = said.extra.on(wire).filter(|(_, raw)| says(raw.as_str().trim()));
    let extra = Extra::new(wire, kept.map(|(name, raw)| (Arc::from(name), raw.clone())).collect());
    Assistant { extra, ..said }
}

/// What keeps a call from having ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Nothing,
    /// Its arguments are no JSON object. Of a custom tool's text one cannot tell; it did not end if it is last.
    Broken,
}

fn without_unfinished(said: Assistant, limit: Limit) -> (Assistant, Vec<UnfinishedCall>) {
    let last = said.items.len().saturating_sub(1);
    let ended = |index: usize, call: &ToolCall| match (field(call, "status").as_deref(), limit) {
        (Some("incomplete"), _) => false,
        (_, Limit::Nothing) => true,
        (status, Limit::Broken) if is_custom(call) => index < last || status == Some("completed"),
        (_, Limit::Broken) => call.input.is_object(),
    };
    let mut items = Vec::with_capacity(said.items.len());
    let mut unfinished = Vec::new();
    for (index, item) in said.items.into_iter().enumerate() {
        match item {
            Item::Call(call) if !ended(index, &call) => {
                unfinished.push(UnfinishedCall { id: call.id, name: call.name, input: call.input.raw().to_owned() });
            }
            Item::Call(_) | Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => items.push(item),
        }
    }
    (Assistant { items, ..said }, unfinished)
}

fn is_custom(call: &ToolCall) -> bool {
    field(call, "type").is_some_and(|kind| matches!(kind.as_str(), "custom" | "custom_tool_call"))
}

/// A field of the call that its wire has besides, if it is a string.
fn field(call: &ToolCall, name: &str) -> Option<String> {
    let (_, raw) = call.extra.on(call.extra.wire()?).find(|(known, _)| *known == name)?;
    look(raw.as_str(), |value| value.as_str().map(|text| text.into_owned()))
}

/// Whether the value is a string.
pub(super) fn is_text(value: Value<'_>) -> bool {
    value.kind() == Kind::String
}
