//! The kinds of damage, and the public reports that tell of each.

/// One kind of damage that systems in use do to their histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Damage {
    /// The store's own limit cut the head of the history inside an exchange.
    HeadCut,
    /// Outcomes were filtered out by role; their calls are there.
    OutcomesFiltered,
    /// The process ended between a call and its outcome; then the user wrote again.
    Crash,
    /// An outcome was lost; what followed is there.
    OutcomeLost,
    /// Of two calls made at once one has no outcome.
    OneOfTwoLost,
    /// An outcome was stored, its call was not.
    CallLost,
    /// An outcome was stored behind the user's next message.
    OutcomeLate,
    /// An outcome was stored before its call.
    OutcomeEarly,
    /// Two runs wrote into one thread: call, call, outcome, outcome.
    Interleaved,
    /// The user's message was stored twice.
    MessageTwice,
    /// A call and its outcome were stored twice.
    RoundTwice,
    /// Ids of calls repeat across turns.
    IdsRepeated,
    /// An assistant message was interrupted before its first word.
    AnswerEmpty,
    /// A user's message has no words.
    InputBlank,
    /// The history ends on an assistant message that was interrupted.
    EndsOnAssistant,
    /// A call's arguments were cut by the output limit.
    ArgumentsCut,
    /// A call's arguments are no object.
    ArgumentsNoObject,
    /// An outcome is empty.
    OutcomeEmpty,
    /// The user's picture came in between a call and its outcome.
    ImageBetween,
    /// Ids as another provider writes them.
    ForeignIds,
    /// Names of tools as another provider or server writes them.
    ForeignNames,
    /// A system message stands in the middle.
    SystemLate,
}

impl Damage {
    /// Every kind.
    pub const ALL: [Self; 22] = [
        Self::HeadCut,
        Self::OutcomesFiltered,
        Self::Crash,
        Self::OutcomeLost,
        Self::OneOfTwoLost,
        Self::CallLost,
        Self::OutcomeLate,
        Self::OutcomeEarly,
        Self::Interleaved,
        Self::MessageTwice,
        Self::RoundTwice,
        Self::IdsRepeated,
        Self::AnswerEmpty,
        Self::InputBlank,
        Self::EndsOnAssistant,
        Self::ArgumentsCut,
        Self::ArgumentsNoObject,
        Self::OutcomeEmpty,
        Self::ImageBetween,
        Self::ForeignIds,
        Self::ForeignNames,
        Self::SystemLate,
    ];

    /// The kind's name in the histories and in the tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HeadCut => "head cut",
            Self::OutcomesFiltered => "outcomes filtered",
            Self::Crash => "crash after a call",
            Self::OutcomeLost => "outcome lost",
            Self::OneOfTwoLost => "one of two outcomes lost",
            Self::CallLost => "call lost",
            Self::OutcomeLate => "outcome late",
            Self::OutcomeEarly => "outcome early",
            Self::Interleaved => "two runs interleaved",
            Self::MessageTwice => "message twice",
            Self::RoundTwice => "round twice",
            Self::IdsRepeated => "ids repeated",
            Self::AnswerEmpty => "empty answer",
            Self::InputBlank => "blank input",
            Self::EndsOnAssistant => "ends on an assistant",
            Self::ArgumentsCut => "arguments cut",
            Self::ArgumentsNoObject => "arguments no object",
            Self::OutcomeEmpty => "empty outcome",
            Self::ImageBetween => "image in between",
            Self::ForeignIds => "foreign ids",
            Self::ForeignNames => "foreign names",
            Self::SystemLate => "late system message",
        }
    }
}
