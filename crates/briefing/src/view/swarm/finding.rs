//! What became of the messages that an exact view does not tell, and what no model can be sent.

use std::fmt;

/// What became of a stored message that a view does not tell as it stands. `at` is its place in the log.
///
/// Every message behind the last reset is either told or the subject of one finding that hides it; a call that is left out
/// and a filter that fails hide no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A reset stands there: it and everything before it is hidden, whoever wrote them. Only the last one is told.
    Reset {
        /// The marker's place.
        at: usize,
    },
    /// It says nothing: no text and no call, and a payload alone does not count.
    Blank {
        /// Its place.
        at: usize,
    },
    /// A system message of another agent.
    OthersSystem {
        /// Its place.
        at: usize,
    },
    /// The filter rejected it.
    Filtered {
        /// Its place.
        at: usize,
    },
    /// The filter failed on it, so it stays.
    FilterFailed {
        /// Its place.
        at: usize,
        /// What the filter said.
        error: String,
    },
    /// Messages that the filter let through are older than the last `keep`.
    Older {
        /// How many.
        count: usize,
    },
    /// A call has no outcome in the window, so it is left out of its message.
    CallLeftOut {
        /// The place of the message that calls.
        at: usize,
        /// The call's id.
        id: Option<String>,
    },
    /// None of the calls of a message has an outcome, or its list of calls was empty from the start: the message is hidden.
    CallsGone {
        /// Its place.
        at: usize,
        /// Whether a text is lost with it.
        text: bool,
    },
    /// The outcome of no call in the window, so it is hidden.
    Orphan {
        /// Its place.
        at: usize,
        /// The id that it answers.
        id: String,
    },
}

/// What of a message in the original's shape no model can be sent as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// Somebody else than the model calls tools: the calls are left out.
    Calls {
        /// How many.
        calls: usize,
    },
    /// Something else than an outcome names the call that it answers: it is told as what it is.
    Answers,
    /// An outcome that names no call: it is told as a user line.
    OutcomeOfNoCall,
    /// An unknown role: it is told as a user line.
    Role {
        /// The role.
        role: String,
    },
    /// Pictures in another form than Base64 text of a known kind, or beside what no user said: they are left out.
    Pictures {
        /// How many.
        pictures: usize,
    },
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Calls { calls } => write!(f, "{calls} calls of somebody else than the model, left out"),
            Self::Answers => f.write_str("names a call and is no outcome"),
            Self::OutcomeOfNoCall => f.write_str("an outcome that names no call; told as a user line"),
            Self::Role { role } => write!(f, "the role {role:?} is unknown; told as a user line"),
            Self::Pictures { pictures } => write!(f, "{pictures} pictures that cannot be sent, left out"),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reset { at } => write!(f, "message {at}: a reset; nothing up to it is told"),
            Self::Blank { at } => write!(f, "message {at}: says nothing"),
            Self::OthersSystem { at } => write!(f, "message {at}: instructions to another agent"),
            Self::Filtered { at } => write!(f, "message {at}: the filter leaves it out"),
            Self::FilterFailed { at, error } => write!(f, "message {at}: the filter failed on it, so it stays: {error}"),
            Self::Older { count } => write!(f, "{count} older messages are not told"),
            Self::CallLeftOut { at, id: Some(id) } => write!(f, "message {at}: the call {id:?} has no outcome here, left out"),
            Self::CallLeftOut { at, id: None } => write!(f, "message {at}: a call without an id, left out"),
            Self::CallsGone { at, text: true } => {
                write!(f, "message {at}: none of its calls has an outcome; lost with its text")
            }
            Self::CallsGone { at, text: false } => write!(f, "message {at}: none of its calls has an outcome"),
            Self::Orphan { at, id } => write!(f, "message {at}: the outcome of {id:?}, which nothing here calls"),
        }
    }
}
