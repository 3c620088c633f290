//! What a value can be refused for.

use briefing_json::{Kind, Pointer};

/// Why a value is no list of messages in a form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {fault}", place_name(place))]
pub struct FormError {
    /// The value concerned; for something missing, the value that lacks it.
    pub place: Pointer,
    /// What is wrong there.
    pub fault: FormFault,
}

/// What is wrong at a place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormFault {
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
}

pub(crate) fn place_name(place: &Pointer) -> &str {
    if place.as_str().is_empty() { "the list" } else { place.as_str() }
}
