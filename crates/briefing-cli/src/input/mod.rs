//! Reading what the user names: text with a cap on its size, and every fault told with the file and the place.

pub(crate) mod database;
pub(crate) mod mailbox;
pub(crate) mod messages;
pub(crate) mod notes;
pub(crate) mod persona;
pub(crate) mod profiles;
pub(crate) mod swarm;
pub(crate) mod thread;
pub(crate) mod tool_use;
pub(crate) mod transcript;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use briefing_json::{SyntaxError, SyntaxFault};

use crate::error::{Failure, Kind};
use crate::output::name_of;

/// The most bytes of a body or a transcript. Eight times what any provider takes.
pub(crate) const MAX_INPUT: u64 = 512 << 20;

/// The most bytes of a persona's or a profiles' file.
pub(crate) const MAX_CONFIG: u64 = 16 << 20;

/// A text with the name of where it came from.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Why an input is no text that can be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("{name} cannot be read")]
    Unreadable { name: String, source: io::Error },
    #[error("{name} is larger than {most} bytes")]
    TooLarge { name: String, most: u64 },
    #[error("{name} is empty")]
    Empty { name: String },
    #[error("{name} is UTF-16, not UTF-8")]
    Utf16 { name: String },
    #[error("{name} is not UTF-8 at line {line}, byte {offset}")]
    NotUtf8 { name: String, line: usize, offset: usize },
    #[error("{name} is not JSON: {error}")]
    Json { name: String, error: SyntaxError },
}

impl InputError {
    /// The fault of a text of that name.
    pub(crate) fn json(name: &str, error: SyntaxError) -> Self {
        match error.fault {
            SyntaxFault::Empty => Self::Empty { name: name.to_owned() },
            _ => Self::Json { name: name.to_owned(), error },
        }
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "check the path",
            Self::TooLarge { .. } => "split it; no provider takes a tenth of that",
            Self::Empty { .. } => "was the program that writes it run? Give a file, or pipe it in",
            Self::Utf16 { .. } => "write it as UTF-8; older PowerShell does with `| Out-File -Encoding utf8`",
            Self::NotUtf8 { .. } => "JSON is UTF-8: convert it, for instance with `iconv -f latin1 -t utf-8`",
            Self::Json { error, .. } => json_hint(error.fault),
        }
    }
}

/// What is wrong with a text that is no JSON, without its place.
pub(crate) fn json_fault(fault: SyntaxFault) -> &'static str {
    match fault {
        SyntaxFault::Empty => "there is nothing",
        SyntaxFault::Truncated => "it ends in the middle of a value",
        SyntaxFault::Unexpected => "unexpected character",
        SyntaxFault::ControlCharacter => "raw control character in a string",
        SyntaxFault::Escape => "unknown escape in a string",
        SyntaxFault::Trailing => "something follows the value",
        SyntaxFault::TooDeep => "nested too deep",
        SyntaxFault::TooLarge => "too large",
    }
}

fn json_hint(fault: SyntaxFault) -> &'static str {
    match fault {
        SyntaxFault::Empty => "give a JSON value",
        SyntaxFault::Truncated => "it was cut off: write or copy it again",
        SyntaxFault::Unexpected => "JSON has double quotes, no comments, and no comma before a closing bracket",
        SyntaxFault::ControlCharacter => "a line break in a string is written \\n, a tab \\t",
        SyntaxFault::Escape => "a backslash in a string is written \\\\",
        SyntaxFault::Trailing => {
            "one JSON value is wanted; of JSON Lines give one line, such as `head -n 1 FILE | briefing check`"
        }
        SyntaxFault::TooDeep => "nothing that a provider takes nests that deep",
        SyntaxFault::TooLarge => "split it",
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Unreadable { name, source } => Self::unreadable(&name, &source),
            _ => Self::new(Kind::Data, error.to_string()).hint(error.hint()),
        }
    }
}

/// Reads a file, or standard input for `-`. A byte order mark is not part of the text.
pub(crate) fn read(path: &Path, most: u64) -> Result<Input, InputError> {
    let name = name_of(path);
    let bytes = match bytes(path, most) {
        Ok(bytes) => bytes,
        Err(source) => return Err(InputError::Unreadable { name, source }),
    };
    if bytes.len() as u64 > most {
        return Err(InputError::TooLarge { name, most });
    }
    let mut text = text(&name, bytes)?;
    if text.starts_with(MARK) {
        text.drain(..MARK.len_utf8());
    }
    Ok(Input { name, text })
}

fn bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    Ok(Box::new(File::open(path)?))
}

/// Whether `file` is there and is what is read as `input`: that very file, whatever it is called, or a mail in that folder.
pub(crate) fn is_read_from(file: &Path, input: &Path) -> bool {
    let (Ok(own), Ok(path)) = (std::fs::metadata(file), file.canonicalize()) else { return false };
    if !own.is_file() {
        return false;
    }
    let standard_input = if cfg!(unix) { Path::new("/dev/stdin") } else { input };
    let input = if input == Path::new("-") { standard_input } else { input };
    let Ok(meta) = std::fs::metadata(input) else { return false };
    let inside = || input.canonicalize().is_ok_and(|folder| path.starts_with(folder));
    let mail = || briefing_mail::read(file).is_ok_and(|mut mails| mails.any(|mail| mail.is_ok()));
    if meta.is_dir() {
        inside() && mail()
    } else {
        is_same(&own, &meta) || input.canonicalize().is_ok_and(|input| input == path)
    }
}

/// Whether both are of one file: also by another name, or another link to it.
#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// The bytes as text.
pub(crate) fn text(name: &str, bytes: Vec<u8>) -> Result<String, InputError> {
    let name = || name.to_owned();
    if bytes.is_empty() {
        return Err(InputError::Empty { name: name() });
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(InputError::Utf16 { name: name() });
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count();
            Err(InputError::NotUtf8 { name: name(), line, offset })
        }
    }
}

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The text without its byte order mark.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}
