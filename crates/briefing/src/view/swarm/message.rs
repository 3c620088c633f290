//! A message as agent-swarm-kit stores it.

use serde_json::{Map, Value};

/// A stored message, in the original's own shape. Nothing is checked and nothing normalised: a view decides what to make of it.
///
/// It reads from and writes to the original's JSON. A null field is the same as an absent one; of a repeated key the last wins.
#[derive(Debug, Clone, PartialEq)]
pub struct SwarmMessage {
    /// Who speaks, or which marker it is.
    pub role: SwarmRole,
    /// The agent that was active when it was pushed (`agentName`).
    pub agent: String,
    /// Where it came from.
    pub mode: SwarmMode,
    /// The text.
    pub content: Option<String>,
    /// What the application attached. No model reads it.
    pub payload: Option<Value>,
    /// Pictures, as they came.
    pub images: Option<Vec<Value>>,
    /// The calls. An empty list is not the same as none: the original treats the two differently.
    pub tool_calls: Option<Vec<SwarmCall>>,
    /// The id of the call whose outcome it is. The empty string counts as absent.
    pub tool_call_id: Option<String>,
    /// Unknown fields, in order.
    pub extra: Map<String, Value>,
}

/// Who speaks in a [`SwarmMessage`], or which marker it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SwarmRole {
    /// A person, or a program in their place.
    User,
    /// The model.
    Assistant,
    /// The outcome of a call.
    Tool,
    /// Instructions, for the agent that pushed them alone.
    System,
    /// Instructions that stand in the dialog.
    Developer,
    /// A reset after a fault of the model; the original spells it `resque`.
    Rescue,
    /// A reset on request.
    Flush,
    /// A role that the original does not know: it is read like any message of the dialog.
    Other(String),
}

/// Where a [`SwarmMessage`] came from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SwarmMode {
    /// A person.
    User,
    /// The machine: answers, outcomes, instructions, markers, continuations.
    Tool,
    /// A mode that the original does not know.
    Other(String),
}

/// A call in a [`SwarmMessage`].
#[derive(Debug, Clone, PartialEq)]
pub struct SwarmCall {
    /// The call's id. A call without one is never answered.
    pub id: Option<String>,
    /// The kind (`type`), always `function` in the original.
    pub kind: Option<String>,
    /// What is called.
    pub function: SwarmFunction,
    /// Unknown fields, in order.
    pub extra: Map<String, Value>,
}

/// What a [`SwarmCall`] calls.
#[derive(Debug, Clone, PartialEq)]
pub struct SwarmFunction {
    /// The tool's name.
    pub name: String,
    /// The arguments: an object, not its text. Null if absent.
    pub arguments: Value,
    /// Unknown fields, in order.
    pub extra: Map<String, Value>,
}

impl SwarmMessage {
    /// A message of that text, and of nothing else.
    #[must_use]
    pub fn new(role: SwarmRole, mode: SwarmMode, agent: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            role,
            agent: agent.into(),
            mode,
            content: Some(content.into()),
            payload: None,
            images: None,
            tool_calls: None,
            tool_call_id: None,
            extra: Map::new(),
        }
    }

    /// Whether a person wrote it: role and mode are both `user`. The original's user history is made of these.
    #[must_use]
    pub fn is_user_input(&self) -> bool {
        self.role == SwarmRole::User && self.mode == SwarmMode::User
    }

    /// The id of the call whose outcome it is; the empty string is none.
    pub(super) fn answers(&self) -> Option<&str> {
        self.tool_call_id.as_deref().filter(|id| !id.is_empty())
    }

    /// Whether there is a text. White space is one.
    pub(super) fn has_text(&self) -> bool {
        self.content.as_deref().is_some_and(|text| !text.is_empty())
    }

    /// Whether there is at least one call.
    pub(super) fn has_calls(&self) -> bool {
        self.tool_calls.as_deref().is_some_and(|calls| !calls.is_empty())
    }

    /// Whether there is a payload that JavaScript takes for true.
    pub(super) fn has_payload(&self) -> bool {
        match &self.payload {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(Value::Number(number)) => number.as_f64() != Some(0.0),
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Bool(true) | Value::Array(_) | Value::Object(_)) => true,
        }
    }
}

impl SwarmRole {
    /// The role of that name in the original's JSON.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            "system" => Self::System,
            "developer" => Self::Developer,
            "resque" => Self::Rescue,
            "flush" => Self::Flush,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The role's name in the original's JSON.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
            Self::Developer => "developer",
            Self::Rescue => "resque",
            Self::Flush => "flush",
            Self::Other(name) => name,
        }
    }

    /// Whether it is a marker that ends what an agent sees of the past.
    #[must_use]
    pub fn is_reset(&self) -> bool {
        match self {
            Self::Rescue | Self::Flush => true,
            Self::User | Self::Assistant | Self::Tool | Self::System | Self::Developer | Self::Other(_) => false,
        }
    }
}

impl SwarmMode {
    /// The mode of that name in the original's JSON.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "user" => Self::User,
            "tool" => Self::Tool,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The mode's name in the original's JSON.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Tool => "tool",
            Self::Other(name) => name,
        }
    }
}
