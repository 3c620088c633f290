//! Which wire a body is written for, told by the body alone.

use briefing_json::{Kind, Value};

use crate::profile::{Wire, is_known_openai_chat};
use crate::report::text;

/// Why a body is of no wire that this crate checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unrecognised {
    /// It is no JSON object.
    #[error("the body is no JSON object")]
    NotAnObject,
    /// It has neither `messages` nor what other wires have in their place.
    #[error("the body has neither a `messages` array nor `input` or `contents`")]
    NoMessages,
    /// Its messages are those of Amazon Bedrock's Converse: parts without a type.
    #[error("this looks like a body of Amazon Bedrock's Converse, which is not checked")]
    Bedrock,
}

/// The wire of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognised {
    /// The wire.
    pub wire: Wire,
    /// Whether another may be meant: nothing in the body speaks for that wire alone, or the model is of another's provider.
    pub guessed: bool,
}

/// Tells the wire of a body: by fields and roles that only one wire has, else by the model's name.
///
/// # Errors
/// [`Unrecognised`] where there is neither a `messages` array nor `input` or `contents`, and of a body for Amazon Bedrock.
pub fn recognise(body: Value<'_>) -> Result<Recognised, Unrecognised> {
    if body.kind() != Kind::Object {
        return Err(Unrecognised::NotAnObject);
    }
    let Some(messages) = body.get("messages").filter(|messages| messages.kind() == Kind::Array) else {
        return by_list(body).ok_or(Unrecognised::NoMessages);
    };
    if body.get("model").is_none() && is_bedrock(messages) {
        return Err(Unrecognised::Bedrock);
    }
    let told = by_fields(body).or_else(|| by_messages(messages)).or_else(|| by_rare_fields(body));
    Ok(told.map_or_else(|| by_model(body), |wire| Recognised { wire, guessed: is_of_another(body, wire) }))
}

/// The wires that have another list than `messages`. A string alone in `input` may also be one to embed.
fn by_list(body: Value<'_>) -> Option<Recognised> {
    const RESPONSES: [&str; 8] =
        ["instructions", "max_output_tokens", "previous_response_id", "reasoning", "text", "include", "store", "tools"];
    if body.get("contents").is_some() {
        return Some(Recognised { wire: Wire::Gemini, guessed: false });
    }
    let input = body.get("input")?;
    let told = input.items().next().is_some() || RESPONSES.iter().any(|key| body.get(key).is_some());
    Some(Recognised { wire: Wire::OpenAiResponses, guessed: !told })
}

/// Whether the parts of the first message have no type, as Amazon Bedrock's Converse writes them. Its model stands in the
/// address.
fn is_bedrock(messages: Value<'_>) -> bool {
    const PARTS: [&str; 6] = ["text", "image", "document", "video", "toolUse", "toolResult"];
    let part = messages.items().next().and_then(|message| message.get("content")?.items().next());
    part.is_some_and(|part| part.get("type").is_none() && PARTS.iter().any(|key| part.get(key).is_some()))
}

fn by_fields(body: Value<'_>) -> Option<Wire> {
    const OPENAI: [&str; 7] = [
        "max_completion_tokens",
        "stream_options",
        "response_format",
        "parallel_tool_calls",
        "n",
        "functions",
        "reasoning_effort",
    ];
    if body.get("system").is_some() {
        return Some(Wire::Anthropic);
    }
    for tool in body.get("tools").into_iter().flat_map(Value::items) {
        if tool.get("input_schema").is_some() {
            return Some(Wire::Anthropic);
        }
        if tool.get("function").is_some() {
            return Some(Wire::OpenAiChat);
        }
    }
    OPENAI.iter().any(|key| body.get(key).is_some()).then_some(Wire::OpenAiChat)
}

/// Fields that Anthropic alone has and that a body seldom holds; whatever else speaks for a wire comes before.
fn by_rare_fields(body: Value<'_>) -> Option<Wire> {
    ["stop_sequences", "anthropic_version"].iter().any(|key| body.get(key).is_some()).then_some(Wire::Anthropic)
}

fn by_messages(messages: Value<'_>) -> Option<Wire> {
    messages.items().enumerate().find_map(|(index, message)| match text(message, "role").as_deref() {
        Some("tool" | "function" | "developer") => Some(Wire::OpenAiChat),
        Some("system") if index == 0 => Some(Wire::OpenAiChat),
        _ if message.get("tool_calls").is_some() => Some(Wire::OpenAiChat),
        _ => message.get("content").into_iter().flat_map(Value::items).find_map(by_part),
    })
}

fn by_part(part: Value<'_>) -> Option<Wire> {
    match text(part, "type")?.as_ref() {
        "tool_use" | "tool_result" | "server_tool_use" | "redacted_thinking" | "image" | "document" => Some(Wire::Anthropic),
        "image_url" | "input_audio" | "file" | "refusal" | "document_url" => Some(Wire::OpenAiChat),
        _ => None,
    }
}

/// Whether the model is known on another wire than the body is written for. A gateway may take it so; its own provider does not.
fn is_of_another(body: Value<'_>, wire: Wire) -> bool {
    let model = text(body, "model").unwrap_or_default();
    match wire {
        Wire::OpenAiChat => model.starts_with("claude-"),
        Wire::Anthropic => is_known_openai_chat(&model),
        Wire::OpenAiResponses | Wire::Gemini => false,
    }
}

/// A Claude is spoken to on Anthropic's wire, unless a gateway's name stands before its own and `max_tokens` is not there:
/// gateways speak OpenAI Chat, and all of them take a Claude on it, so this stays a guess.
fn by_model(body: Value<'_>) -> Recognised {
    let model = text(body, "model").unwrap_or_default();
    if !model.contains("claude") {
        return Recognised { wire: Wire::OpenAiChat, guessed: !is_known_openai_chat(&model) };
    }
    let own = body.get("max_tokens").is_some() || !model.contains('/');
    Recognised { wire: if own { Wire::Anthropic } else { Wire::OpenAiChat }, guessed: true }
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing_json::Document;

    #[test]
    fn each_shape_is_told_from_the_others() {
        let bodies = [
            r#"{"messages": [{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]}"#,
            r#"{"messages": [{"role": "user", "content": "b"}], "system": "a"}"#,
            r#"{"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]}"#,
            r#"{"messages": [{"role": "assistant", "tool_calls": []}]}"#,
            r#"{"messages": [{"role": "user", "content": "b"}], "model": "claude-sonnet-4-5", "max_tokens": 5}"#,
            r#"{"messages": [{"role": "user", "content": "b"}], "model": "claude-sonnet-4-5"}"#,
            r#"{"messages": [{"role": "user", "content": "b"}], "model": "anthropic/claude-sonnet-4-5"}"#,
            r#"{"messages": [{"role": "user", "content": "b"}], "model": "gpt-4o", "max_tokens": 5}"#,
            r#"{"messages": []}"#,
            r#"{"input": "hello"}"#,
            r#"{"input": "hello", "instructions": "s"}"#,
            r#"{"input": [{"role": "user", "content": "q"}]}"#,
            r#"{"contents": []}"#,
            r#"{"messages": [{"role": "user", "content": [{"text": "q"}]}], "system": [], "inferenceConfig": {}}"#,
            r#"{"messages": [{"role": "user", "content": [{"text": "q"}]}], "system": [], "model": "claude-sonnet-4-5"}"#,
            r#"{"messages": [{"role": "user", "content": "b"}], "model": "m", "stop_sequences": ["x"]}"#,
            r#"{"messages": [{"role": "system", "content": "b"}], "stop_sequences": ["x"]}"#,
            r#"{"messages": [], "anthropic_version": "vertex-2023-10-16"}"#,
            r#"{"prompt": "hello"}"#,
            "[]",
        ];
        let told = |wire| Ok(Recognised { wire, guessed: false });
        let guessed = |wire| Ok(Recognised { wire, guessed: true });
        let expected = [
            told(Wire::OpenAiChat),
            told(Wire::Anthropic),
            told(Wire::Anthropic),
            told(Wire::OpenAiChat),
            guessed(Wire::Anthropic),
            guessed(Wire::Anthropic),
            guessed(Wire::OpenAiChat),
            told(Wire::OpenAiChat),
            guessed(Wire::OpenAiChat),
            guessed(Wire::OpenAiResponses),
            told(Wire::OpenAiResponses),
            told(Wire::OpenAiResponses),
            told(Wire::Gemini),
            Err(Unrecognised::Bedrock),
            told(Wire::Anthropic),
            told(Wire::Anthropic),
            told(Wire::OpenAiChat),
            told(Wire::Anthropic),
            Err(Unrecognised::NoMessages),
            Err(Unrecognised::NotAnObject),
        ];
        assert_eq!(bodies.map(|body| recognise(Document::parse(body).unwrap().root())), expected);
    }
}
