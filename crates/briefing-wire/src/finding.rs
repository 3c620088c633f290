//! What a wire made different. Data; sentences are made when a finding is printed.

use std::fmt;

use briefing::texts::Filler;

use crate::input::InputFault;

/// One change that the wire demanded, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireFinding {
    /// The index among the briefing's messages; none for what concerns the body as a whole. A filler has the index of the
    /// message that it stands before, or the count of messages at the end.
    pub message: Option<usize>,
    /// What was changed.
    pub change: WireChange,
}

/// What a wire can make different.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WireChange {
    /// A call's id was of no form that the wire takes (reports B45, B48).
    IdMapped {
        /// The id in the briefing.
        from: String,
        /// The id in the body.
        to: String,
    },
    /// A tool's name was of no form that the wire takes (report B49). Told where it is met first.
    NameMapped {
        /// The name in the briefing.
        from: String,
        /// The name in the body.
        to: String,
    },
    /// A call's arguments could not be sent as they came (reports B50, B52).
    InputMended {
        /// The call's id in the briefing.
        call: String,
        /// What was wrong with them.
        why: InputFault,
    },
    /// A line was added that the wire's order of roles needs.
    Filler(Filler),
    /// Two messages became one, because the provider does not join them itself (report B36).
    Merged,
    /// The calls from here on stand in an assistant message of their own, as one may not hold so many.
    CallsSplit,
    /// The calls of a round stand behind its texts, as nothing may part a call from its outcome.
    CallsBehindText,
    /// A call of another model got the signature that stands for one it does not have (report B64).
    SignatureStandsIn {
        /// The call's id in the briefing.
        call: String,
    },
    /// System text reads as a user line, because it may not stand here (report B39).
    SystemAsUser,
    /// Reasoning of another wire, or without the seal that its provider demands, was left out.
    ReasoningLeftOut {
        /// What its wire calls it.
        kind: String,
    },
    /// A native block reads as a text, because it is of another wire, may not stand here, or is not as its kind must be.
    NativeAsText {
        /// What its wire calls it.
        kind: String,
    },
    /// A native block was left out, because what it needs is not there.
    NativeLeftOut {
        /// What its wire calls it.
        kind: String,
        /// The id that it needs.
        needs: String,
    },
    /// A text block without visible text was left out (report B54).
    BlankBlockLeftOut,
    /// Files of a round's outcomes stand in a user message behind it (report B34).
    FilesMovedBehind,
    /// A file whose data is no Base64, or whose address is a `data:` URI of anything else, reads as a line.
    FileAsText,
    /// An unknown field has no place on the wire here.
    FieldLeftOut {
        /// The field.
        name: String,
    },
    /// A tool was left out: it is of another wire or no tool of this one, its name was declared before, or there are too many.
    ToolLeftOut {
        /// Its name; empty if it has none.
        name: String,
    },
    /// The schema of a tool is not of the type `object`; it was made so.
    SchemaMended {
        /// The tool's name in the body.
        name: String,
    },
    /// The history has calls but the call has no tools; these were declared, and `tool_choice` forbids to use them.
    ToolsDeclared {
        /// Their names in the body.
        names: Vec<String>,
    },
    /// Of the tools that `tool_choice` allows, these were left out, because the request does not have them. If none is left, no tool
    /// may be used.
    ChosenToolsLeftOut {
        /// Their names, or their types if they have none.
        names: Vec<String>,
    },
    /// `tool_choice` was left out: there are no tools, or not the one that it names, or it is of no form that the wire takes.
    ToolChoiceLeftOut,
    /// `thinking` was left out, because the request would be refused for it.
    ThinkingTurnedOff {
        /// What does not agree with it.
        why: ThinkingFault,
    },
    /// White space at the end of a prefill was trimmed.
    TrailingSpaceTrimmed,
}

/// What does not agree with `thinking`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThinkingFault {
    /// The open tool turn does not begin with a thinking block (report B58).
    OpenTurn,
    /// Its budget is no whole number, below 1,024, or not below `max_tokens`.
    Budget,
    /// `tool_choice` forces a tool.
    ForcedTool,
}

impl fmt::Display for ThinkingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OpenTurn => "the open tool turn does not begin with it",
            Self::Budget => "its budget is too small, or not below max_tokens",
            Self::ForcedTool => "tool_choice forces a tool",
        })
    }
}

impl fmt::Display for WireFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message {
            Some(message) => write!(f, "message {message}: {}", self.change),
            None => self.change.fmt(f),
        }
    }
}

impl fmt::Display for WireChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdMapped { from, to } => write!(f, "call id {from:?} is sent as {to:?}"),
            Self::NameMapped { from, to } => write!(f, "tool name {from:?} is sent as {to:?}"),
            Self::InputMended { call, why } => write!(f, "arguments of call {call:?} were mended: {why}"),
            Self::Filler(filler) => write!(f, "a line was added: {:?}", filler.text()),
            Self::Merged => f.write_str("merged with the message before"),
            Self::CallsSplit => f.write_str("the calls from here on stand in a message of their own"),
            Self::CallsBehindText => f.write_str("the calls stand behind the texts of their round"),
            Self::SignatureStandsIn { call } => write!(f, "call {call:?} got the signature that stands for none"),
            Self::SystemAsUser => f.write_str("system text reads as a user line"),
            Self::ReasoningLeftOut { kind } => write!(f, "reasoning ({kind}) was left out"),
            Self::NativeAsText { kind } => write!(f, "a {kind} block reads as text"),
            Self::NativeLeftOut { kind, needs } => write!(f, "a {kind} block was left out: {needs:?} is not there"),
            Self::BlankBlockLeftOut => f.write_str("a text block without text was left out"),
            Self::FilesMovedBehind => f.write_str("files of outcomes stand in a user message behind the round"),
            Self::FileAsText => f.write_str("a file whose data is no Base64 reads as a line"),
            Self::FieldLeftOut { name } => write!(f, "field {name:?} was left out"),
            Self::ToolLeftOut { name } => write!(f, "tool {name:?} was left out"),
            Self::SchemaMended { name } => write!(f, "the schema of tool {name:?} was made one of an object"),
            Self::ToolsDeclared { names } => write!(f, "tools of the history were declared: {}", names.join(", ")),
            Self::ChosenToolsLeftOut { names } => write!(f, "{} left out of the tools that may be chosen", names.join(", ")),
            Self::ToolChoiceLeftOut => f.write_str("tool_choice was left out"),
            Self::ThinkingTurnedOff { why } => write!(f, "thinking was left out: {why}"),
            Self::TrailingSpaceTrimmed => f.write_str("white space at the end was trimmed"),
        }
    }
}
