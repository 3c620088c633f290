//! Every fixed text that a model may read, in one table (`docs/format.md`). Changing one is a change users are told of.

/// What stands in for an outcome that is not there, or says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutcomeText {
    /// The call was made and no outcome was ever recorded.
    NotRecorded,
    /// A person broke in before the call ended.
    Interrupted,
    /// A person or a rule refused the call.
    Refused,
    /// The call waits for a person.
    Waiting,
    /// The run was lost while the call was under way: it may or may not have had its effect.
    Lost,
    /// The tool gave nothing back.
    Empty,
    /// What the tool gave back was left out to save room.
    Cleared,
}

impl OutcomeText {
    /// The text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NotRecorded => "[no outcome was recorded for this call]",
            Self::Interrupted => "[interrupted before the call ended]",
            Self::Refused => "[this call was refused and did not run]",
            Self::Waiting => "[this call waits for a person to confirm it]",
            Self::Lost => "[the run was lost during this call; it may have had its effect]",
            Self::Empty => "[the tool returned nothing]",
            Self::Cleared => "[outcome left out to save room]",
        }
    }

    /// Whether the call counts as failed.
    #[must_use]
    pub const fn failed(self) -> Option<bool> {
        match self {
            Self::NotRecorded | Self::Interrupted | Self::Refused | Self::Lost => Some(true),
            Self::Waiting | Self::Empty | Self::Cleared => None,
        }
    }
}

/// Lines that a wire's frame needs where the conversation has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Filler {
    /// A user line before a leading assistant turn.
    Opening,
    /// A user line behind a trailing assistant turn, or between two of them.
    Continue,
    /// An assistant line between outcomes and the next input, or between two inputs.
    Between,
    /// What an assistant message reads as when all it held stays behind.
    Silent,
}

impl Filler {
    /// The text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Opening => "[the conversation so far]",
            Self::Continue => "[continue]",
            Self::Between => "[no answer]",
            Self::Silent => "[no text]",
        }
    }
}

/// What a system message reads as where only a user may speak.
#[must_use]
pub fn system_as_user(text: &str) -> String {
    format!("[system] {text}")
}

/// What a native block of another wire reads as when it says nothing of itself.
#[must_use]
pub fn native_elsewhere(kind: &str) -> String {
    format!("[{kind}: not shown to this model]")
}

/// What a file reads as where its content is not shown; its size in bytes, where that is known.
#[must_use]
pub fn file_line(what: &str, name: Option<&str>, size: Option<usize>) -> String {
    let name = crate::text::one_line(name.unwrap_or("unnamed"), 120);
    let size = size.map_or_else(|| "unknown size".to_owned(), |size| format!("{size} bytes"));
    format!("[{what}: {name}, {size}, not shown]")
}

/// What marks the place where a text was cut, with the characters it had.
#[must_use]
pub fn cut_mark(chars: usize) -> String {
    format!("\n[cut: {chars} characters in full]")
}

/// What stands before pictures that came out of a tool, on a wire whose outcomes hold text alone.
pub const PICTURES_OF_OUTCOMES: &str = "[files from the tool outcomes above]";

/// What an outcome reads as there when it held nothing but files.
pub const PICTURES_BELOW: &str = "[files: see below]";

/// What a mail ends with whose rest was too long to be kept.
pub const MAIL_CUT: &str = "[cut: the rest of this mail was not kept]";

/// The schema of a tool that the history names and the call does not declare, where a wire must declare it.
pub const SCHEMA_OF_UNDECLARED: &str = r#"{"type":"object"}"#;

/// What stands for the body of a mail that has neither one nor files, while it is answered.
pub const NO_BODY: &str = "(no text)";

/// What a piece reads as of which nothing is left but that something was hidden.
pub const REDACTED: &str = "[redacted]";

/// What an outcome reads as that was left out and can be fetched by its entry's number.
#[must_use]
pub fn outcome_reference(entry: u64) -> String {
    format!("[outcome left out to save room: outcome:{entry}]")
}

/// What begins the phrase that tells what became of a card, in every language. What a file or an action holds of it is broken.
pub const CONFIRMATION_TAG: &str = "[confirmation]";

/// What stands before the text of a file of a chat.
#[must_use]
pub fn chat_file(name: &str) -> String {
    format!("[file: {name}]")
}

/// What a picture of a chat reads as.
#[must_use]
pub fn chat_picture(name: &str) -> String {
    format!("[picture: {name}]")
}

/// What a file of a chat reads as whose share holds nothing of its text.
#[must_use]
pub fn chat_file_not_shown(name: &str) -> String {
    format!("[not shown: {name}]")
}

/// What the files of a message read as that the message has not even the room to name.
#[must_use]
pub fn chat_files_not_named(count: usize) -> String {
    format!("[not shown: {count} more]")
}

/// What a file's text ends with that held less than the file from the start.
pub const CHAT_FILE_PARTIAL: &str = "[partial: this text holds less than the file]";

/// What a file's text ends with that was cut to the file's share.
pub const CHAT_FILE_CUT: &str = "[cut: only the first part of this file is shown]";

/// What a file of a chat is called that has no name.
pub const CHAT_FILE_UNNAMED: &str = "unnamed";
