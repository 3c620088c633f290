//! A key that is never shown.

use std::fmt;
use std::sync::Arc;

/// A key, or another text that proves who asks. Neither `Debug` nor `Display` shows it.
///
/// The library reads neither environment nor files: a caller who keeps a key there reads it and gives its text. White space around it,
/// such as a file's last line end, is left off.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

/// Why a text cannot be a key. It does not show the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// There is no text.
    #[error("the key is empty")]
    Empty,
    /// A character that cannot stand in a header.
    #[error("character {at} of the key cannot stand in a header")]
    NotPrintable {
        /// Which one, from one.
        at: usize,
    },
}

impl Secret {
    /// Takes the text of a key, from wherever the caller keeps it.
    ///
    /// # Errors
    /// [`SecretError`] if it cannot be sent in a header.
    pub fn new(text: &str) -> Result<Self, SecretError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SecretError::Empty);
        }
        match text.chars().position(|c| c != ' ' && !c.is_ascii_graphic()) {
            Some(at) => Err(SecretError::NotPrintable { at: at + 1 }),
            None => Ok(Self(text.into())),
        }
    }

    /// The text itself, to be sent.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret([secret])")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
