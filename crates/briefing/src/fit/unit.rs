//! Units: what is kept or dropped as one.

use std::borrow::Cow;
use std::sync::Arc;

use crate::message::{Assistant, ModelMessage, Native, Outcome, System, User};
use crate::profile::ModelProfile;
use crate::texts::{self, Filler};

/// A system message, an input, or a round.
#[derive(Debug, Clone, PartialEq)]
pub enum Unit {
    /// Instructions.
    System(Arc<System>),
    /// An input.
    User(Arc<User>),
    /// What the model said, with an outcome for each call in it.
    Round(Round),
}

/// One assistant message, or neighbours whose calls are answered together, and the outcomes of all their calls: exactly one
/// a call, in call order. Only `gather` makes one, so an unanswered call cannot be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    said: Vec<Arc<Assistant>>,
    outcomes: Vec<Arc<Outcome>>,
}

impl Round {
    /// The caller answers for one outcome per call, in call order.
    pub(crate) fn new(said: Vec<Arc<Assistant>>, outcomes: Vec<Arc<Outcome>>) -> Self {
        debug_assert!(
            said.iter().flat_map(|said| said.calls()).map(|call| &call.id).eq(outcomes.iter().map(|outcome| &outcome.call)),
            "one outcome per call, in call order"
        );
        Self { said, outcomes }
    }

    /// What the model said: at least one message.
    #[must_use]
    pub fn said(&self) -> &[Arc<Assistant>] {
        &self.said
    }

    /// The outcomes, one a call, in call order.
    #[must_use]
    pub fn outcomes(&self) -> &[Arc<Outcome>] {
        &self.outcomes
    }

    /// The same round with other bodies of its outcomes; each answers the call it answered before.
    pub(crate) fn with_outcomes(&self, outcomes: Vec<Arc<Outcome>>) -> Self {
        Self::new(self.said.clone(), outcomes)
    }
}

impl Unit {
    /// The unit's messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = ModelMessage> {
        let (alone, round) = match self {
            Self::System(system) => (Some(ModelMessage::System(Arc::clone(system))), None),
            Self::User(user) => (Some(ModelMessage::User(Arc::clone(user))), None),
            Self::Round(round) => (None, Some(round)),
        };
        let round = round.into_iter().flat_map(|round| {
            let said = round.said.iter().map(|said| ModelMessage::Assistant(Arc::clone(said)));
            said.chain(round.outcomes.iter().map(|outcome| ModelMessage::Tool(Arc::clone(outcome))))
        });
        alone.into_iter().chain(round)
    }

    /// What the unit is to its neighbours.
    #[must_use]
    pub fn kind(&self) -> UnitKind {
        match self {
            Self::System(_) => UnitKind::System,
            Self::User(_) => UnitKind::Input,
            Self::Round(round) if round.outcomes.is_empty() => UnitKind::Answer,
            Self::Round(_) => UnitKind::Round,
        }
    }
}

/// What a unit is to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// Instructions.
    System,
    /// An input.
    Input,
    /// An assistant message without calls.
    Answer,
    /// Calls and their outcomes.
    Round,
}

/// What a unit behind the leading system text is to its neighbours; nothing for system text that may stand anywhere.
#[must_use]
pub fn stands_as(unit: &Unit, profile: &ModelProfile) -> Option<UnitKind> {
    match unit.kind() {
        UnitKind::System if profile.takes_system_anywhere() => None,
        UnitKind::System => Some(UnitKind::Input),
        kind @ (UnitKind::Input | UnitKind::Answer | UnitKind::Round) => Some(kind),
    }
}

/// What of the frame stands between two neighbours (none: the beginning, or the end of the list). System text that is
/// hoisted or stands anywhere must be left out of the question.
///
/// None on both sides is a list without turns, which providers refuse ("messages: at least one message is required"); on OpenAI's
/// wires leading system text alone is enough, so there the line is counted and may not be needed.
///
/// Sources: OpenAI itself takes any order of users and assistants, so a valid list stays as it is. Anthropic and chat templates
/// refuse a leading assistant turn, and Gemini one with calls ("Please ensure that function call turn comes immediately after a user
/// turn or after a function response turn."); a trailing one is a prefill that most models refuse (report B37); Mistral refuses an
/// input right behind an outcome ("Unexpected role 'user' after role 'tool'"). Chat templates that want turns count users and
/// assistants without calls alone, so that rounds do not part two of one role ("After the optional system message, conversation roles
/// must alternate user/assistant/user/assistant/...", llama.cpp with the template of Mistral Nemo).
#[must_use]
pub fn filler(before: Option<UnitKind>, after: Option<UnitKind>, profile: &ModelProfile) -> Option<Filler> {
    let any_order = profile.takes_any_order();
    match (before, after) {
        (None, Some(UnitKind::Answer | UnitKind::Round)) if !any_order => Some(Filler::Opening),
        (None, None) => Some(Filler::Opening),
        (Some(UnitKind::Answer), None) if !any_order && !profile.prefill => Some(Filler::Continue),
        (Some(UnitKind::Round), Some(UnitKind::Input)) if profile.answers_outcomes() => Some(Filler::Between),
        (Some(UnitKind::Input), Some(UnitKind::Input)) if profile.alternates => Some(Filler::Between),
        (Some(UnitKind::Answer), Some(UnitKind::Answer | UnitKind::Round)) if profile.alternates => Some(Filler::Continue),
        (None | Some(_), None | Some(_)) => None,
    }
}

/// What a native block reads as on a wire that is not its own.
#[must_use]
pub fn native_reads_as(native: &Native) -> Cow<'_, str> {
    match &native.reads_as {
        Some(text) if !text.trim().is_empty() => Cow::Borrowed(text),
        _ => Cow::Owned(texts::native_elsewhere(&native.kind)),
    }
}
