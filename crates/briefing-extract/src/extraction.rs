//! What was read of a file.

use serde::{Deserialize, Serialize};

/// The version of the texts: the same file may give another text under another version, so what is kept by a file's hash is
/// kept by this too. Built with the feature `documents` it is a later one than without: what one could not read, the other can.
pub const VERSION: u32 = if cfg!(feature = "documents") { 2 } else { 1 };

/// The text of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extraction {
    /// The text, at most so many characters as the limit says. Lines end in a line feed; no control characters but that and the
    /// tab. Empty for a picture.
    pub text: String,
    /// Why the text holds less than the file; none if it holds all of it. Of several reasons one is told:
    /// [`Partial::Chars`] before all others, [`Partial::Decoding`] after them.
    pub partial: Option<Partial>,
}

/// Why a text holds less than its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Partial {
    /// It has more characters.
    Chars {
        /// How many are read.
        most: usize,
    },
    /// It has more pages.
    Pages {
        /// How many are read.
        read: usize,
        /// How many there are.
        of: usize,
    },
    /// It has more rows.
    Rows {
        /// How many are read.
        most: usize,
    },
    /// It is longer than its reader reads, or unpacks to more.
    Bytes {
        /// How many bytes are read.
        most: usize,
    },
    /// Parts of it, pages of a PDF or sheets of a workbook, cannot be read; all or some of their text is missing.
    Unreadable {
        /// How many.
        parts: usize,
    },
    /// It is damaged, or cut off: its text was read up to there.
    Damaged,
    /// It has pages and no text on them: mostly a scan.
    NoText,
    /// Some of its bytes are no characters; they stand as U+FFFD.
    Decoding,
}
