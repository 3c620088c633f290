//! Why a mailbox, or one of its messages, cannot be read.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use super::Source;

/// Why a mailbox, or one of its messages, cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailboxError {
    /// Nothing is there.
    #[error("{} does not exist", path.display())]
    NotFound {
        /// The path.
        path: PathBuf,
    },
    /// The system does not let it be read.
    #[error("{} cannot be read at byte {offset}: {kind}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// How far it was read, in bytes.
        offset: u64,
        /// What the system says.
        kind: ErrorKind,
    },
    /// An empty file, or a folder without mail.
    #[error("{} holds no mail", path.display())]
    Empty {
        /// The file or folder.
        path: PathBuf,
    },
    /// A file of another kind.
    #[error("{} is no mail: it begins like {found}", path.display())]
    NoMail {
        /// The file.
        path: PathBuf,
        /// What it begins like.
        found: Found,
    },
    /// An mbox that ends, or goes on to the next message, right behind a `From ` line.
    #[error("message {} of {} is cut off: nothing follows its From line at byte {}", message.number, message.path.display(), message.offset)]
    Truncated {
        /// The message.
        message: Source,
    },
    /// Folders in folders, more than sixteen deep.
    #[error("{} lies too deep to be searched", path.display())]
    TooDeep {
        /// The folder that was not opened.
        path: PathBuf,
    },
}

/// What a file begins like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// An mbox.
    Mbox,
    /// One message.
    Message,
    /// Nothing: no bytes, or blank lines.
    Nothing,
    /// Text that is no mail.
    Text,
    /// Something that is no text.
    Binary,
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Mbox => "an mbox",
            Self::Message => "a message",
            Self::Nothing => "nothing",
            Self::Text => "other text",
            Self::Binary => "a binary file",
        })
    }
}

impl MailboxError {
    pub(super) fn io(path: &Path, offset: u64, error: &Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound { path },
            kind => Self::Unreadable { path, offset, kind },
        }
    }

    /// What the user can do about it, one sentence.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "Check the path; a relative one is taken from the current folder.",
            Self::Unreadable { kind: ErrorKind::PermissionDenied, .. } => "Give the user who runs this the right to read it.",
            Self::Unreadable { .. } => "Copy it again from where it came; the copy or the disk is damaged.",
            Self::Empty { .. } => "Give an .eml file, an mbox file, a Maildir, or a folder that holds some.",
            Self::NoMail { found: Found::Binary, .. } => {
                "If it is an archive, unpack it first; if it is a mail program's own format, export it as mbox or .eml."
            }
            Self::NoMail { .. } => {
                "An mbox begins with a line `From …`, a message with header fields; remove what stands before them."
            }
            Self::Truncated { .. } => "The other messages were read; export the mailbox again to get this one.",
            Self::TooDeep { .. } => "Give that folder itself.",
        }
    }
}
