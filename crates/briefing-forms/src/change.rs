//! What is read or written otherwise than it stands there. Data; sentences are made when a finding is printed.

use std::fmt;

use briefing::Wire;
use briefing_json::Pointer;

use crate::error::place_name;

/// Something that was read otherwise than it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFinding {
    /// The value concerned.
    pub place: Pointer,
    /// What was done with it.
    pub change: ReadChange,
}

/// What can be read otherwise than it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadChange {
    /// Half of a surrogate pair reads as U+FFFD.
    LoneSurrogate,
    /// A value nests too deep to be kept and was left out.
    TooDeep,
    /// A function call, or its outcome, of the old form reads as a tool call or its outcome.
    Legacy,
    /// A field that no message has a place for was left out. Told where it is met first.
    FieldLeftOut {
        /// Its name.
        name: String,
        /// How often it was met in the list.
        times: usize,
    },
    /// A message that says nothing to a model was left out.
    MessageLeftOut {
        /// What the form calls it.
        kind: String,
    },
    /// A message of an unknown role reads as a user message.
    RoleAsUser {
        /// The role.
        role: String,
    },
    /// A part that says nothing to a model, or cannot be read, was left out.
    PartLeftOut {
        /// What the form calls it.
        kind: String,
    },
    /// A block of a kind that is not known here was kept as OpenAI Chat's own.
    UnknownBlock {
        /// Its kind.
        kind: String,
    },
    /// A call that the model had not ended yet was left out.
    CallIncomplete {
        /// Its id.
        call: String,
    },
    /// A file that the model made reads as a line.
    FileAsLine,
    /// A call of a provider's own tool, or its result, reads as a text.
    ServerToolAsText {
        /// The tool.
        tool: String,
    },
}

/// Something that a form does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFinding {
    /// The index of the message.
    pub message: usize,
    /// What became of it.
    pub change: WriteChange,
}

/// What a form may not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteChange {
    /// An unknown field of a wire was left out.
    FieldLeftOut {
        /// The wire.
        wire: Wire,
        /// The field.
        name: String,
    },
    /// Reasoning that the form has no place for was left out.
    ReasoningLeftOut {
        /// What its wire calls it.
        kind: String,
    },
    /// A native block reads as a text.
    NativeAsText {
        /// What its wire calls it.
        kind: String,
    },
    /// A file that lies in a provider's store reads as its id.
    FileAsText {
        /// The id.
        id: String,
    },
    /// Several texts became one, a blank line between them.
    TextsJoined,
    /// The name of the model that said it was left out.
    ModelLeftOut,
    /// A message without content was left out.
    EmptyLeftOut,
    /// An outcome that answers no call before it, or one that is answered already, was left out.
    OutcomeLeftOut {
        /// The id of the call.
        call: String,
    },
    /// An outcome stands with its call, which is not where it stood.
    OutcomeMoved {
        /// The id of the call.
        call: String,
    },
    /// The call that an outcome answers is not there, so its tool is not known.
    ToolUnknown {
        /// The id of the call.
        call: String,
    },
    /// That the tool failed, or did not, was left out.
    FailedLeftOut {
        /// The id of the call.
        call: String,
    },
    /// An outcome of several parts, or with files, became JSON.
    OutcomeAsJson {
        /// The id of the call.
        call: String,
    },
}

impl fmt::Display for ReadFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", place_name(&self.place), self.change)
    }
}

impl fmt::Display for ReadChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoneSurrogate => f.write_str("a lone surrogate reads as U+FFFD"),
            Self::TooDeep => f.write_str("nested too deep; left out"),
            Self::Legacy => f.write_str("a function call of the old form reads as a tool call"),
            Self::FieldLeftOut { name, times: 1 } => write!(f, "field {name:?} was left out"),
            Self::FieldLeftOut { name, times } => write!(f, "field {name:?} was left out ({times} times)"),
            Self::MessageLeftOut { kind } => write!(f, "a message of the type {kind:?} says nothing to a model; left out"),
            Self::RoleAsUser { role } => write!(f, "the role {role:?} reads as user"),
            Self::PartLeftOut { kind } => write!(f, "a {kind:?} part was left out"),
            Self::UnknownBlock { kind } => write!(f, "a block of the unknown type {kind:?} is kept for openai-chat"),
            Self::CallIncomplete { call } => write!(f, "call {call:?} is incomplete; left out"),
            Self::FileAsLine => f.write_str("a file that the model made reads as a line"),
            Self::ServerToolAsText { tool } => write!(f, "what the provider's tool {tool:?} did reads as text"),
        }
    }
}

impl fmt::Display for WriteFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message {}: {}", self.message, self.change)
    }
}

impl fmt::Display for WriteChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FieldLeftOut { wire, name } => write!(f, "field {name:?} of {wire} was left out"),
            Self::ReasoningLeftOut { kind } => write!(f, "reasoning ({kind}) was left out"),
            Self::NativeAsText { kind } => write!(f, "a {kind} block reads as text"),
            Self::FileAsText { id } => write!(f, "the file {id:?} in a provider's store reads as text"),
            Self::TextsJoined => f.write_str("several texts became one"),
            Self::ModelLeftOut => f.write_str("the model's name was left out"),
            Self::EmptyLeftOut => f.write_str("a message without content was left out"),
            Self::OutcomeLeftOut { call } => write!(f, "an outcome of call {call:?} has no place; left out"),
            Self::OutcomeMoved { call } => write!(f, "the outcome of call {call:?} stands with its call"),
            Self::ToolUnknown { call } => write!(f, "the tool of call {call:?} is not known"),
            Self::FailedLeftOut { call } => write!(f, "whether call {call:?} failed was left out"),
            Self::OutcomeAsJson { call } => write!(f, "the outcome of call {call:?} became JSON"),
        }
    }
}
