//! Why a file gave no text.

use std::fmt::{self, Display};
use std::io;
use std::time::Duration;

/// The most characters of the detail of [`ExtractError::Broken`].
const MAX_DETAIL: usize = 200;

/// Why a file gave no text.
#[derive(Debug, thiserror::Error)]
pub enum ExtractError {
    /// The file has too many bytes.
    #[error("the file has {bytes} bytes, more than {most}")]
    TooLarge {
        /// How many it has.
        bytes: usize,
        /// How many it may have.
        most: usize,
    },
    /// The archive unpacks to too many bytes.
    #[error("the file unpacks to more than {most} bytes")]
    UnpacksTooLarge {
        /// How many it may unpack to.
        most: usize,
    },
    /// The archive has too many entries.
    #[error("the file has {entries} entries, more than {most}")]
    TooManyEntries {
        /// How many it has.
        entries: usize,
        /// How many it may have.
        most: usize,
    },
    /// The file is not what it says, or damaged beyond reading.
    #[error("the file cannot be read: {detail}")]
    Broken {
        /// What the reader says: foreign text, one line, at most 200 characters.
        detail: String,
    },
    /// The file opens with a password only.
    #[error("the file is encrypted")]
    Encrypted,
    /// The file is of a kind that is not read: a presentation, an old Word file.
    #[error("the file is of a kind that is not read")]
    Unsupported,
    /// It took too long.
    #[error("reading the file was stopped after {after:?}")]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// It took too much memory.
    #[error("reading the file takes more than {most} bytes of memory")]
    Memory {
        /// The limit.
        most: u64,
    },
    /// The child printed too much.
    #[error("the reader printed more than {most} bytes")]
    Output {
        /// The limit.
        most: usize,
    },
    /// The reader failed on the file.
    #[error("the reader failed on the file: {how}")]
    Crashed {
        /// How it ended.
        how: Crash,
    },
    /// The child ended well and gave no answer: the program is no extractor, or one of another version.
    #[error("the program gave no answer that an extractor gives")]
    NoAnswer,
    /// The child could not be started.
    #[error("the extractor could not be started: {source}")]
    Spawn {
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// How a reader ended before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// By a panic.
    Panic,
    /// By this signal.
    Signal(i32),
    /// With this exit code.
    Code(i32),
    /// In a way the system does not tell.
    Unknown,
}

impl ExtractError {
    /// Whether the same file may give a text at another time. All other errors are the file's, or those of how the program
    /// was set up.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Spawn { source } => !matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied),
            Self::TooLarge { .. }
            | Self::UnpacksTooLarge { .. }
            | Self::TooManyEntries { .. }
            | Self::Broken { .. }
            | Self::Encrypted
            | Self::Unsupported
            | Self::TimedOut { .. }
            | Self::Memory { .. }
            | Self::Output { .. }
            | Self::Crashed { .. }
            | Self::NoAnswer => false,
        }
    }

    /// Whether it is the file's fault, and not that of how the program was set up: only then it is worth keeping that the file has no
    /// text.
    #[must_use]
    pub fn is_of_file(&self) -> bool {
        !matches!(self, Self::Spawn { .. } | Self::NoAnswer)
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } | Self::UnpacksTooLarge { .. } | Self::TooManyEntries { .. } => {
                "send a smaller file, or one without its pictures"
            }
            Self::Broken { .. } => "open the file in its program and save it anew",
            Self::Encrypted => "send the file without its password",
            Self::Unsupported if cfg!(feature = "documents") => "save the file as PDF, DOCX or XLSX",
            Self::Unsupported => {
                "text, CSV and HTML are read; PDF, DOCX and spreadsheets by a program built with the feature documents"
            }
            Self::TimedOut { .. } | Self::Memory { .. } | Self::Output { .. } | Self::Crashed { .. } => {
                "print the file to a new PDF, or send its text"
            }
            Self::NoAnswer => "see that the extractor's program and arguments are those of this version",
            Self::Spawn { .. } => "see that the extractor's program is there and may be run",
        }
    }

    /// What a reader says of a file it cannot read, bounded.
    pub(crate) fn broken(detail: impl Display) -> Self {
        Self::Broken { detail: bounded(&detail.to_string()) }
    }
}

/// One line of at most [`MAX_DETAIL`] characters.
pub(crate) fn bounded(detail: &str) -> String {
    detail.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_DETAIL).collect()
}

impl Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic => f.write_str("panic"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Unknown => f.write_str("for an unknown reason"),
        }
    }
}
