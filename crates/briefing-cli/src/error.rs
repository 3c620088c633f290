//! What ends the program early: every error of it and of the libraries is folded to a kind, a message and a hint, and the
//! exit code comes from the kind.

use std::fmt;
use std::io;

/// The exit code where the reader of our output has gone: what the shell shows for a program that SIGPIPE ended.
pub(crate) const PIPE_CLOSED: u8 = 141;

/// The exit code of a run that a person stopped: what the shell shows for a program that SIGINT ended.
#[cfg(feature = "agent")]
pub(crate) const STOPPED: u8 = 130;

/// What kind of failure it is. The codes are those of `sysexits.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The arguments do not make sense.
    Usage,
    /// The input is not what it should be.
    Data,
    /// The input is not there, or cannot be opened.
    NoInput,
    /// A model's server cannot be reached, or refuses.
    #[cfg(feature = "agent")]
    Unavailable,
    /// A fault of this program.
    Internal,
    /// Reading or writing failed.
    Io,
    /// Somebody else is at it, or a limit was met: another time it may go.
    #[cfg(feature = "agent")]
    Busy,
    /// A persona or a profile is not usable.
    Config,
}

impl Kind {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Usage => 64,
            Self::Data => 65,
            Self::NoInput => 66,
            #[cfg(feature = "agent")]
            Self::Unavailable => 69,
            Self::Internal => 70,
            Self::Io => 74,
            #[cfg(feature = "agent")]
            Self::Busy => 75,
            Self::Config => 78,
        }
    }
}

impl Kind {
    /// Its name for programs.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Data => "data",
            Self::NoInput => "no-input",
            #[cfg(feature = "agent")]
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
            Self::Io => "io",
            #[cfg(feature = "agent")]
            Self::Busy => "busy",
            Self::Config => "config",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('-', " "))
    }
}

/// A failure as it is told: `error: kind: message`, then `hint: …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The failure for programs.
    pub(crate) fn json(&self) -> serde_json::Value {
        let Self { kind, message, hint } = self;
        serde_json::json!({ "error": { "kind": kind.name(), "message": message.trim_end(), "hint": hint } })
    }

    /// A file that cannot be opened or read.
    pub(crate) fn unreadable(name: &str, error: &io::Error) -> Self {
        let (kind, what) = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => (Kind::NoInput, "does not exist".to_owned()),
            io::ErrorKind::IsADirectory => (Kind::NoInput, "is a folder".to_owned()),
            io::ErrorKind::PermissionDenied => (Kind::NoInput, "may not be read".to_owned()),
            _ => (Kind::Io, format!("cannot be read: {error}")),
        };
        let hint = match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                "check the path; a relative one is taken from the current folder"
            }
            io::ErrorKind::IsADirectory => "name a file in it",
            io::ErrorKind::PermissionDenied => "give the user who runs this the right to read it",
            _ => "copy the file again from where it came",
        };
        Self::new(kind, format!("{name} {what}")).hint(hint)
    }
}

/// Why a command did not come to its end.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The reader of our output has gone: nothing to tell.
    PipeClosed,
    /// Something failed.
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Stop {
    /// What a failure to write to `name` stops with.
    pub(crate) fn written(name: &str, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::PipeClosed;
        }
        Self::Failed(
            Failure::new(Kind::Io, format!("{name} cannot be written: {error}"))
                .hint("check the path and the space on the disk"),
        )
    }
}
