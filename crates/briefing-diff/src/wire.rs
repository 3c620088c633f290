//! Which provider's format a pair of bodies is in, told by the bodies alone.

use std::fmt;

use briefing_json::{Kind, Value};
use serde::Serialize;

use crate::{DiffError, Side};

/// A provider's request format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// OpenAI Chat Completions, and what speaks it.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// OpenAI Responses.
    #[serde(rename = "openai-responses")]
    OpenAiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Gemini generateContent.
    Gemini,
}

impl Wire {
    /// Its name, as the program shows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The member that holds the list of messages.
    pub(crate) const fn list(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::Anthropic => "messages",
            Self::OpenAiResponses => "input",
            Self::Gemini => "contents",
        }
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What one body alone tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Wire(Wire),
    /// `messages`, and nothing that only one of the two wires with this member has; by the model's name it is this one.
    Guess(Wire),
}

/// The wire that both bodies are in. A body of plain `messages` may be of two wires; then the other body decides.
pub(crate) fn wire_of_both(older: Value<'_>, newer: Value<'_>) -> Result<Wire, DiffError> {
    let (a, b) = (told(older, Side::Older)?, told(newer, Side::Newer)?);
    match (a, b) {
        (Told::Wire(a), Told::Wire(b)) if a == b => Ok(a),
        (Told::Guess(guess), Told::Guess(_)) => Ok(guess),
        (Told::Wire(told), Told::Guess(_)) | (Told::Guess(_), Told::Wire(told)) if told.list() == "messages" => Ok(told),
        (Told::Wire(a) | Told::Guess(a), Told::Wire(b) | Told::Guess(b)) => {
            Err(DiffError::DifferentWires { older: a, newer: b })
        }
    }
}

fn told(body: Value<'_>, side: Side) -> Result<Told, DiffError> {
    if body.kind() != Kind::Object {
        return Err(DiffError::NotAnObject { side });
    }
    let is_list = |key| body.get(key).is_some_and(|list| list.kind() == Kind::Array);
    if is_list("messages") {
        let by_model = || Told::Guess(if names_claude(body) { Wire::Anthropic } else { Wire::OpenAiChat });
        return Ok(by_fields(body).or_else(|| by_messages(body)).map_or_else(by_model, Told::Wire));
    }
    if is_list("contents") {
        return Ok(Told::Wire(Wire::Gemini));
    }
    if is_list("input") || body.get("input").is_some_and(|input| input.kind() == Kind::String) {
        return Ok(Told::Wire(Wire::OpenAiResponses));
    }
    Err(DiffError::NoMessages { side })
}

fn names_claude(body: Value<'_>) -> bool {
    let model = body.get("model").and_then(Value::as_str).unwrap_or_default();
    model.contains("claude") && !model.contains('/')
}

fn by_fields(body: Value<'_>) -> Option<Wire> {
    const ANTHROPIC: [&str; 3] = ["system", "stop_sequences", "anthropic_version"];
    const CHAT: [&str; 6] =
        ["max_completion_tokens", "stream_options", "response_format", "parallel_tool_calls", "functions", "reasoning_effort"];
    if ANTHROPIC.iter().any(|key| body.get(key).is_some()) {
        return Some(Wire::Anthropic);
    }
    let tools = body.get("tools").into_iter().flat_map(Value::items);
    let by_tool = |tool: Value<'_>| match () {
        () if tool.get("input_schema").is_some() => Some(Wire::Anthropic),
        () if tool.get("function").is_some() => Some(Wire::OpenAiChat),
        () => None,
    };
    tools.into_iter().find_map(by_tool).or_else(|| CHAT.iter().any(|key| body.get(key).is_some()).then_some(Wire::OpenAiChat))
}

fn by_messages(body: Value<'_>) -> Option<Wire> {
    let by_part = |part: Value<'_>| match part.get("type")?.as_str()?.as_ref() {
        "tool_use" | "tool_result" | "server_tool_use" | "redacted_thinking" | "image" | "document" => Some(Wire::Anthropic),
        "image_url" | "input_audio" | "file" | "refusal" => Some(Wire::OpenAiChat),
        _ => None,
    };
    body.get("messages")?.items().enumerate().find_map(|(index, message)| {
        match message.get("role").and_then(Value::as_str).as_deref() {
            Some("tool" | "function" | "developer") => Some(Wire::OpenAiChat),
            Some("system") if index == 0 => Some(Wire::OpenAiChat),
            _ if message.get("tool_calls").is_some() => Some(Wire::OpenAiChat),
            _ => message.get("content").into_iter().flat_map(Value::items).find_map(by_part),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing_json::Document;

    fn both(a: &str, b: &str) -> Result<Wire, DiffError> {
        wire_of_both(Document::parse(a).unwrap().root(), Document::parse(b).unwrap().root())
    }

    #[test]
    fn the_list_tells_the_wire_and_the_other_body_decides_a_plain_one() {
        let plain = r#"{"messages": [{"role": "user", "content": "a"}]}"#;
        let anthropic = r#"{"system": "s", "messages": []}"#;
        let chat = r#"{"messages": [{"role": "system", "content": "s"}]}"#;
        let (responses, gemini) = (r#"{"input": "a"}"#, r#"{"contents": []}"#);
        assert_eq!(both(plain, plain), Ok(Wire::OpenAiChat));
        assert_eq!(both(plain, anthropic), Ok(Wire::Anthropic));
        assert_eq!(both(chat, plain), Ok(Wire::OpenAiChat));
        assert_eq!(both(responses, responses), Ok(Wire::OpenAiResponses));
        assert_eq!(both(gemini, gemini), Ok(Wire::Gemini));
        let different = |older, newer| Err(DiffError::DifferentWires { older, newer });
        assert_eq!(both(plain, gemini), different(Wire::OpenAiChat, Wire::Gemini));
        assert_eq!(both(anthropic, chat), different(Wire::Anthropic, Wire::OpenAiChat));
        assert_eq!(both("[]", chat), Err(DiffError::NotAnObject { side: Side::Older }));
        assert_eq!(both(chat, "{}"), Err(DiffError::NoMessages { side: Side::Newer }));
    }
}
