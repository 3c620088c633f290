//! What kinds of entries there are.

use crate::log::Body;

/// What kind of entry it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A mail.
    Mail,
    /// What a run's model said and called.
    Round,
    /// An outcome of a run's call.
    Outcome,
    /// A message of a chat: an input, or an answer.
    Message,
    /// A message that is part of tool use: calls, an outcome, or what was said on the way.
    ToolUse,
    /// A message that holds instructions.
    System,
    /// A card.
    Card,
    /// The notice that settled a card.
    Notice,
    /// A reset.
    Reset,
    /// A new version of a message.
    Edit,
    /// What was popped.
    Popped,
    /// What was erased.
    Erased,
    /// What the store cannot read.
    Unreadable,
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Kinds(u16);

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Mail,
        Self::Round,
        Self::Outcome,
        Self::Message,
        Self::ToolUse,
        Self::System,
        Self::Card,
        Self::Notice,
        Self::Reset,
        Self::Edit,
        Self::Popped,
        Self::Erased,
        Self::Unreadable,
    ];

    /// The kind of that.
    #[must_use]
    pub fn of(body: &Body) -> Self {
        match body {
            Body::Mail(_) => Self::Mail,
            Body::Round(_) => Self::Round,
            Body::Outcome(_) => Self::Outcome,
            Body::Message(message) => message.kind(),
            Body::Card(_) => Self::Card,
            Body::Notice(_) => Self::Notice,
            Body::Reset(_) => Self::Reset,
            Body::Edit(_) => Self::Edit,
            Body::Popped(_) => Self::Popped,
            Body::Erased(_) => Self::Erased,
            Body::Unreadable => Self::Unreadable,
        }
    }

    /// Its name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Round => "round",
            Self::Outcome => "outcome",
            Self::Message => "message",
            Self::ToolUse => "tool-use",
            Self::System => "system",
            Self::Card => "card",
            Self::Notice => "notice",
            Self::Reset => "reset",
            Self::Edit => "edit",
            Self::Popped => "popped",
            Self::Erased => "erased",
            Self::Unreadable => "unreadable",
        }
    }
}

impl Kinds {
    /// Every kind.
    pub const ALL: Self = Self::of(&Kind::ALL);

    /// Those kinds.
    #[must_use]
    pub const fn of(kinds: &[Kind]) -> Self {
        let mut set = 0;
        let mut rest = kinds;
        while let [first, others @ ..] = rest {
            set |= 1 << *first as u16;
            rest = others;
        }
        Self(set)
    }

    /// The same with one more.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | 1 << kind as u16)
    }

    /// Whether that kind is one of them.
    #[must_use]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// The kinds, in the order of [`Kind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl From<Kind> for Kinds {
    fn from(kind: Kind) -> Self {
        Self::of(&[kind])
    }
}
