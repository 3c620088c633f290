//! Bounds on untrusted files.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The most bytes of a file: 10 MiB.
pub const MAX_INPUT_BYTES: usize = 10 << 20;

/// The most characters (Unicode scalar values) of a text.
pub const MAX_CHARS: usize = 50_000;

/// The most pages of a PDF that are read.
pub const MAX_PAGES: usize = 200;

/// The most rows that are read of a CSV file, or of all sheets together; rows without a value do not count.
pub const MAX_ROWS: usize = 5_000;

/// The most bytes that the entries of an archive (DOCX, XLSX, ODS) unpack to, together: 64 MiB.
pub const MAX_UNPACKED_BYTES: usize = 64 << 20;

/// The most entries of an archive.
pub const MAX_ENTRIES: usize = 10_000;

/// The longest that a file is read for, from the start of the child: 30 seconds by the clock. Its processor time has the same
/// bound.
pub const MAX_TIME: Duration = Duration::from_secs(30);

/// The most bytes of address space of the child: 512 MiB.
///
/// Measured: a PDF of 10 MiB takes 30 to 60 MiB, with 170,000 objects up to 256, with all of its text on one page up to 512; a
/// workbook that unpacks to 64 MiB of short shared strings up to 256. Usual files take less than 32.
/// The program's own size counts.
pub const MAX_MEMORY: u64 = 512 << 20;

/// The most bytes that the child may answer: 1 MiB. The text's are at most 4 a character, or 2 if it is escaped.
pub const MAX_OUTPUT_BYTES: usize = 1 << 20;

/// What a file may cost. What passes `chars`, `pages` or `rows` is left out of the text, which is [`Partial`](crate::Partial)
/// then; what passes another limit is an [`ExtractError`](crate::ExtractError), but for a DOCX that unpacks to too much, whose
/// beginning is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// See [`MAX_INPUT_BYTES`].
    pub input_bytes: usize,
    /// See [`MAX_CHARS`]. With more, `output_bytes` must be more too.
    pub chars: usize,
    /// See [`MAX_PAGES`].
    pub pages: usize,
    /// See [`MAX_ROWS`].
    pub rows: usize,
    /// See [`MAX_UNPACKED_BYTES`].
    pub unpacked_bytes: usize,
    /// See [`MAX_ENTRIES`].
    pub entries: usize,
    /// See [`MAX_TIME`].
    pub time: Duration,
    /// See [`MAX_MEMORY`]. Bytes.
    pub memory: u64,
    /// See [`MAX_OUTPUT_BYTES`].
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: MAX_INPUT_BYTES,
            chars: MAX_CHARS,
            pages: MAX_PAGES,
            rows: MAX_ROWS,
            unpacked_bytes: MAX_UNPACKED_BYTES,
            entries: MAX_ENTRIES,
            time: MAX_TIME,
            memory: MAX_MEMORY,
            output_bytes: MAX_OUTPUT_BYTES,
        }
    }
}
