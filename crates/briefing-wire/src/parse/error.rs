//! What a body can be refused for, and what is read otherwise than it was written.

use std::fmt;

use briefing_json::{Kind, Pointer, SyntaxError};

/// Why a body cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", place_name(place))]
pub struct ParseError {
    /// The value concerned; for something missing, the value that lacks it.
    pub place: Pointer,
    /// What is wrong there.
    pub fault: ParseFault,
}

/// What is wrong at a place of a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseFault {
    /// It is no JSON.
    #[error(transparent)]
    Syntax(SyntaxError),
    /// A member is missing.
    #[error("`{key}` is missing")]
    Missing {
        /// The member.
        key: &'static str,
    },
    /// A value of another kind was wanted.
    #[error("wanted {wanted}, found {}", found.name())]
    Wanted {
        /// What was wanted.
        wanted: &'static str,
        /// What is there.
        found: Kind,
    },
    /// A role that the wire does not know.
    #[error("unknown role {role:?}")]
    UnknownRole {
        /// The role.
        role: String,
    },
}

/// Something that was read otherwise than it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseFinding {
    /// The value concerned.
    pub place: Pointer,
    /// What was done with it.
    pub change: ParseChange,
}

/// What can be read otherwise than it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseChange {
    /// Half of a surrogate pair reads as U+FFFD (report B56).
    LoneSurrogate,
    /// A value nests too deep to be kept and was left out.
    TooDeep,
    /// A call stood in the content and among the calls; it counts once (report B47).
    CallTwice {
        /// Its id.
        call: String,
    },
    /// A `function_call`, or a message of the role `function`, reads as a tool call or its outcome.
    Legacy,
    /// A field has no place beside outcomes and was left out.
    FieldLeftOut {
        /// Its name.
        name: String,
    },
}

impl ParseError {
    pub(crate) fn syntax(error: SyntaxError) -> Self {
        Self { place: Pointer::root(), fault: ParseFault::Syntax(error) }
    }
}

impl fmt::Display for ParseFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", place_name(&self.place), self.change)
    }
}

impl fmt::Display for ParseChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LoneSurrogate => f.write_str("a lone surrogate reads as U+FFFD"),
            Self::TooDeep => f.write_str("nested too deep; left out"),
            Self::CallTwice { call } => write!(f, "call {call:?} stands there twice; it counts once"),
            Self::Legacy => f.write_str("a function call of the old form reads as a tool call"),
            Self::FieldLeftOut { name } => write!(f, "field {name:?} was left out"),
        }
    }
}

fn place_name(place: &Pointer) -> &str {
    if place.as_str().is_empty() { "the body" } else { place.as_str() }
}
