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
    /// It has `input` instead of `messages`.
    #[error("this looks like an OpenAI Responses body: `input` instead of `messages`")]
    OpenAiResponses,
    /// It has `contents` instead of `messages`.
    #[error("this looks like a Gemini body: `contents` instead of `messages`")]
    Gemini,
    /// It has no `messages` array, and nothing that other wires have in its place.
    #[error("the body has no `messages` array")]
    NoMessages,
}

/// The wire of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognised {
    /// The wire.
    pub wire: Wire,
    /// Whether nothing in the body speaks for that wire alone: another may be meant.
    pub guessed: bool,
}

/// Tells the wire of a body: by fields and roles that only one wire has, else by the model's name.
///
/// # Errors
/// [`Unrecognised`] where there is no `messages` array.
pub fn recognise(body: Value<'_>) -> Result<Recognised, Unrecognised> {
    if body.kind() != Kind::Object {
        return Err(Unrecognised::NotAnObject);
    }
    let Some(messages) = body.get("messages").filter(|messages| messages.kind() == Kind::Array) else {
        let has = |key| body.get(key).is_some();
        return Err(match () {
            () if has("input") => Unrecognised::OpenAiResponses,
            () if has("contents") => Unrecognised::Gemini,
            () => Unrecognised::NoMessages,
        });
    };
    let told = by_fields(body).or_else(|| by_messages(messages));
    Ok(told.map_or_else(|| by_model(body), |wire| Recognised { wire, guessed: false }))
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
            r#"{"contents": []}"#,
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
            Err(Unrecognised::OpenAiResponses),
            Err(Unrecognised::Gemini),
            Err(Unrecognised::NoMessages),
            Err(Unrecognised::NotAnObject),
        ];
        assert_eq!(bodies.map(|body| recognise(Document::parse(body).unwrap().root())), expected);
    }
}
