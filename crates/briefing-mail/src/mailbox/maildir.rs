//! Maildir: each file of `new` and `cur` is one message, its name a time and flags; `tmp` holds what is not whole yet.

use std::ffi::OsStr;
use std::path::Path;

use super::folder::{Trust, is_hidden, trust_by_name};

/// What a folder is in a Maildir.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The Maildir itself.
    Root,
    /// Its `new` or `cur`.
    Messages,
    /// Nothing of the kind.
    Plain,
}

/// What that folder is.
pub(super) fn place(path: &Path) -> Place {
    let name = path.file_name();
    if path.join("cur").is_dir() && path.join("new").is_dir() {
        Place::Root
    } else if name == Some(OsStr::new("cur")) || name == Some(OsStr::new("new")) {
        Place::Messages
    } else {
        Place::Plain
    }
}

impl Place {
    /// Whether a folder in it may hold mail. In a Maildir `.Name` is a mail folder, elsewhere it is hidden.
    pub(super) fn takes_folder(self, name: &OsStr) -> bool {
        match self {
            Self::Root => name != "tmp",
            Self::Messages | Self::Plain => !is_hidden(name),
        }
    }

    /// How far a file in it is taken for mail. None if it is not.
    pub(super) fn trust(self, path: &Path) -> Option<Trust> {
        match self {
            Self::Root => None,
            // A plain folder may be called `new`, so what does not look like mail is passed over.
            Self::Messages => Some(trust_by_name(path).unwrap_or(Trust::Guessed)),
            Self::Plain => trust_by_name(path),
        }
    }
}
