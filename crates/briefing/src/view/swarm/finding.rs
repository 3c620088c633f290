//! What became of the messages that an exact view does not tell.

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
