//! The wires by name. How each is written is the matter of `briefing-wire`; what each *costs* and *refuses* is told here,
//! so that what fits is what is sent.

use std::fmt;
use std::str::FromStr;

/// A provider's request format. Closed on purpose: a new wire is a breaking change, as each client has to decide what it does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// OpenAI Chat Completions, and every server that speaks it.
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

/// What a server that speaks a wire does otherwise than the wire's owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// The owner's own rules.
    Original,
    /// Mistral: call ids of nine letters and digits, one system message, an answer between outcomes and the next input.
    Mistral,
    /// A server that speaks the wire; nothing is known of its own rules.
    #[default]
    Compatible,
}

impl Wire {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic, Self::Gemini];

    /// The wire's name in programs and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The wires that share a provider's file store with this one, itself among them: OpenAI's two share one.
    #[must_use]
    pub const fn shares_files_with(self, other: Self) -> bool {
        matches!(
            (self, other),
            (Self::OpenAiChat | Self::OpenAiResponses, Self::OpenAiChat | Self::OpenAiResponses)
                | (Self::Anthropic, Self::Anthropic)
                | (Self::Gemini, Self::Gemini)
        )
    }
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no wire's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no wire; known are openai-chat, openai-responses, anthropic and gemini")]
pub struct UnknownWire {
    /// The name given.
    pub name: String,
}

impl FromStr for Wire {
    type Err = UnknownWire;

    fn from_str(name: &str) -> Result<Self, UnknownWire> {
        match name {
            "openai-chat" => Ok(Self::OpenAiChat),
            "openai-responses" => Ok(Self::OpenAiResponses),
            "anthropic" => Ok(Self::Anthropic),
            "gemini" => Ok(Self::Gemini),
            _ => Err(UnknownWire { name: name.to_owned() }),
        }
    }
}
