//! Texts of files, read in a process of their own: this program again, as `briefing read-file`.

use std::error::Error;
use std::sync::{Mutex, PoisonError};

use briefing::log::Attachment;
use briefing::ports::FileText;
use briefing_extract::{ExtractError, Extraction, Extractor, Format, Partial, VERSION};
use briefing_store::ReadText;

use crate::input::notes::Note;
use crate::output::count;

/// The hidden subcommand that serves this program.
const SERVES: &str = "read-file";

/// Reads one file.
///
/// # Errors
/// As [`Extractor::extract`].
pub(crate) fn extract(format: Format, content: &[u8]) -> Result<Extraction, ExtractError> {
    let program = std::env::current_exe().map_err(|source| ExtractError::Spawn { source })?;
    Extractor::new(program, [SERVES]).extract(format, content)
}

/// Why a text holds less than its file.
pub(crate) fn missing(partial: Partial) -> String {
    match partial {
        Partial::Chars { most } => format!("its first {most} characters are read"),
        Partial::Pages { read, of } => format!("its first {read} of {of} pages are read"),
        Partial::Rows { most } => format!("its first {most} rows are read"),
        Partial::Bytes { most } => format!("its first {most} bytes are read"),
        Partial::Unreadable { parts } => format!("{} of it cannot be read", count(parts, "part")),
        Partial::Damaged => "it is damaged, or cut off: it is read up to there".to_owned(),
        Partial::NoText => "it has pages and no text on them: mostly a scan".to_owned(),
        Partial::Decoding => "some of its bytes are no characters".to_owned(),
    }
}

/// Reads the files of a chat that were not read before, and keeps what is to be told of those that have no text.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    unread: Mutex<Vec<Note>>,
}

impl Reader {
    /// What could not be read, to be told once.
    pub(crate) fn notes(&self) -> Vec<Note> {
        std::mem::take(&mut *self.unread.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, file: &Attachment, note: impl FnOnce(String) -> Note) {
        let note = note(file.filename.clone().unwrap_or_else(|| file.id.to_string()));
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }
}

impl ReadText for Reader {
    fn version(&self) -> u32 {
        VERSION
    }

    fn read(&self, file: &Attachment, content: &[u8]) -> Result<Option<FileText>, Box<dyn Error + Send + Sync>> {
        let format = Format::of(file.filename.as_deref(), &file.media_type, content);
        let Some(format) = format.filter(|format| *format != Format::Picture) else {
            // A picture is shown, and needs no text.
            if format.is_none() {
                self.note(file, |file| Note::NoText { file, why: ExtractError::Unsupported.to_string() });
            }
            return Ok(None);
        };
        match extract(format, content) {
            Ok(Extraction { text, partial }) => {
                if let Some(partial) = partial {
                    self.note(file, |file| Note::PartOfText { file, why: missing(partial) });
                }
                Ok(Some(FileText { text: text.into(), partial: partial.is_some() }))
            }
            Err(error) => {
                self.note(file, |file| Note::NoText { file, why: error.to_string() });
                if error.is_of_file() { Ok(None) } else { Err(Box::new(error)) }
            }
        }
    }
}
