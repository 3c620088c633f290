//! Telling the forms apart, and from the lists that wires and Briefing itself take.

use briefing_json::{Kind, Value};

use crate::Form;

/// LangChain's types of messages; LangChain.js calls `chat` `generic`.
const LANGCHAIN_TYPES: [&str; 14] = [
    "human",
    "ai",
    "system",
    "tool",
    "function",
    "chat",
    "generic",
    "remove",
    "HumanMessageChunk",
    "AIMessageChunk",
    "SystemMessageChunk",
    "ToolMessageChunk",
    "FunctionMessageChunk",
    "ChatMessageChunk",
];

/// Where lists of messages lie in an object: plainly, in a state of LangGraph's server, in a checkpoint.
const HOLDERS: [&[&str]; 3] = [&["messages"], &["values", "messages"], &["channel_values", "messages"]];

/// The keys that lead to the array of messages; none if there is none.
pub(crate) fn holder(value: Value<'_>) -> Option<&'static [&'static str]> {
    if value.kind() == Kind::Array {
        return Some(&[]);
    }
    HOLDERS.into_iter().find(|keys| inside(value, keys).kind() == Kind::Array)
}

/// The value that the keys lead to; as far as they do.
pub(crate) fn inside<'d>(value: Value<'d>, keys: &[&str]) -> Value<'d> {
    keys.iter().fold(value, |value, key| value.get(key).unwrap_or(value))
}

/// Tells the form of a list of messages, by what only that form has. A list that a wire takes, or Briefing's own form, is none of
/// them; nor is a list of plain texts by role, which reads the same in all.
#[must_use]
pub fn recognise(value: Value<'_>) -> Option<Form> {
    inside(value, holder(value)?).items().find_map(recognise_message)
}

/// Tells the form of one message, by what only that form has.
#[must_use]
pub fn recognise_message(message: Value<'_>) -> Option<Form> {
    if is_langchain(message) {
        return Some(Form::LangChain);
    }
    message.get("role").filter(|role| role.kind() == Kind::String)?;
    if is_ui(message) {
        return Some(Form::VercelUi);
    }
    let told = has(message, "providerOptions", Kind::Object) || list(message, "content").any(is_model_part);
    told.then_some(Form::VercelModel)
}

fn is_langchain(message: Value<'_>) -> bool {
    if message.get("role").is_some() {
        return false;
    }
    let lists = ["lc", "id", "kwargs"].iter().all(|key| message.get(key).is_some());
    if lists && is(message, "type", "constructor") {
        return true;
    }
    let kind = message.get("type").and_then(Value::as_str);
    let known = kind.is_some_and(|kind| LANGCHAIN_TYPES.contains(&kind.as_ref()));
    known && (has(message, "data", Kind::Object) || message.get("content").is_some() || message.get("content_blocks").is_some())
}

/// A UIMessage has parts that name their type, which Gemini's have not; one of version 4 has calls or files beside its text.
fn is_ui(message: Value<'_>) -> bool {
    let named = has(message, "parts", Kind::Array) && {
        let mut parts = list(message, "parts").peekable();
        match parts.peek() {
            None => has(message, "id", Kind::String),
            Some(_) => parts.all(|part| has(part, "type", Kind::String)),
        }
    };
    named || has(message, "toolInvocations", Kind::Array) || has(message, "experimental_attachments", Kind::Array)
}

fn is_model_part(part: Value<'_>) -> bool {
    let Some(kind) = part.get("type").and_then(Value::as_str) else { return false };
    let beside = |key: &str| part.get(key).is_some();
    match kind.as_ref() {
        "tool-call" | "tool-result" | "tool-approval-request" | "tool-approval-response" | "redacted-reasoning" => true,
        "image" => beside("image"),
        "file" => beside("data") && (beside("mediaType") || beside("mimeType")),
        "reasoning" => has(part, "text", Kind::String),
        _ => has(part, "providerOptions", Kind::Object),
    }
}

fn has(object: Value<'_>, key: &str, kind: Kind) -> bool {
    object.get(key).is_some_and(|value| value.kind() == kind)
}

fn is(object: Value<'_>, key: &str, text: &str) -> bool {
    object.get(key).and_then(Value::as_str).is_some_and(|found| found == text)
}

fn list<'d>(object: Value<'d>, key: &str) -> impl Iterator<Item = Value<'d>> {
    object.get(key).into_iter().flat_map(Value::items)
}
