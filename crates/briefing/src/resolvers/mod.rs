//! The resolvers that come with the library.

mod file;
mod history;
mod parameters;
mod record;
mod text;

pub use file::{LoadFile, LoadFileError};
pub use history::ThreadHistory;
pub(crate) use parameters::{ParameterName, known_names, parameters};
pub use record::{LoadRecord, RecordError};
pub use text::{IntoText, LoadText};

use crate::message::ModelMessage;

/// The roles in which text can be contributed. Nothing untrusted is lifted to a higher one by itself: who wires the resolver
/// chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextRole {
    /// Instructions.
    #[default]
    System,
    /// Input.
    User,
}

impl TextRole {
    /// A message of that role.
    #[must_use]
    pub fn message(self, text: impl Into<String>) -> ModelMessage {
        match self {
            Self::System => ModelMessage::system(text),
            Self::User => ModelMessage::user(text),
        }
    }
}
