//! The words that faults are told in: roles, rules for ids, JSON types.

use std::fmt;

use briefing_json::Kind;

/// The most characters of a foreign id, name or type that a fault repeats; longer ones are cut and end in `…`.
const MAX_SHOWN: usize = 256;

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// `system`
    System,
    /// `developer`
    Developer,
    /// `user`
    User,
    /// `assistant`
    Assistant,
    /// `tool`
    Tool,
    /// `function`, OpenAI's older form of `tool`
    Function,
    /// `model`, Gemini's word for `assistant`
    Model,
}

impl Role {
    /// The role of that name on the wires that name roles as OpenAI does.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "system" => Self::System,
            "developer" => Self::Developer,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            "function" => Self::Function,
            _ => return None,
        })
    }

    /// The role as the wires write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::Function => "function",
            Self::Model => "model",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a call's id must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdRule {
    /// Anything: no rule is known.
    Any,
    /// At most 40 characters. OpenAI Chat.
    AtMost40,
    /// At most 64 characters. OpenAI Responses.
    AtMost64,
    /// Letters, digits, `_` and `-`. Anthropic.
    Word,
    /// Exactly nine letters or digits. Mistral.
    Nine,
}

impl IdRule {
    pub(crate) fn takes(self, id: &str) -> bool {
        match self {
            Self::Any => true,
            Self::AtMost40 => id.len() <= 40 || id.chars().count() <= 40,
            Self::AtMost64 => id.len() <= 64 || id.chars().count() <= 64,
            Self::Word => id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')),
            Self::Nine => id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
    }
}

impl fmt::Display for IdRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "an id",
            Self::AtMost40 => "at most 40 characters long",
            Self::AtMost64 => "at most 64 characters long",
            Self::Word => "made of a-z, A-Z, 0-9, _ and - alone",
            Self::Nine => "nine of a-z, A-Z and 0-9",
        })
    }
}

/// The JSON types that may stand at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An object.
    Object,
    /// An array.
    Array,
    /// A string.
    String,
    /// A number.
    Number,
    /// A string, or an array of parts.
    Content,
    /// A string or an object.
    StringOrObject,
}

impl Shape {
    pub(crate) fn takes(self, kind: Kind) -> bool {
        match self {
            Self::Object => kind == Kind::Object,
            Self::Array => kind == Kind::Array,
            Self::String => kind == Kind::String,
            Self::Number => kind == Kind::Number,
            Self::Content => matches!(kind, Kind::String | Kind::Array),
            Self::StringOrObject => matches!(kind, Kind::String | Kind::Object),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Content => "a string or an array",
            Self::StringOrObject => "a string or an object",
        })
    }
}

/// Foreign text as a fault repeats it: cut on a character boundary.
pub(crate) fn clip(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
