//! Reads a file in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use briefing_mail::{html_to_text, limits as html_limits};

use crate::text::{Out, decode};
use crate::{Crash, ExtractError, Extraction, Format, Limits, Partial};
#[cfg(feature = "documents")]
use crate::{docx, pdf, sheet};

/// The text of a file, read in this process: what the child runs. Use an [`Extractor`](crate::Extractor) for files of others.
///
/// Blocks. Holds the limits on input, characters, pages, rows, entries and unpacked bytes; **not** those on time, memory and
/// output. A panic of a reader is an error, printed by the process's panic hook as any other; a stack that overflows and memory
/// that runs out end the process.
///
/// # Errors
/// [`ExtractError`]; never `TimedOut`, `Memory`, `Output`, `NoAnswer` or `Spawn`.
pub fn extract_here(format: Format, bytes: &[u8], limits: &Limits) -> Result<Extraction, ExtractError> {
    if bytes.len() > limits.input_bytes {
        return Err(ExtractError::TooLarge { bytes: bytes.len(), most: limits.input_bytes });
    }
    let read = || match format {
        Format::Text => Ok(text(bytes, limits, None)),
        Format::Csv => Ok(text(bytes, limits, Some(limits.rows))),
        Format::Html => Ok(html(bytes, limits)),
        #[cfg(feature = "documents")]
        Format::Pdf => pdf::read(bytes, limits),
        #[cfg(feature = "documents")]
        Format::Docx => docx::read(bytes, limits),
        #[cfg(feature = "documents")]
        Format::Sheet => sheet::read(bytes, limits),
        #[cfg(not(feature = "documents"))]
        Format::Pdf | Format::Docx | Format::Sheet => Err(ExtractError::Unsupported),
        Format::Picture => Ok(Extraction { text: String::new(), partial: None }),
    };
    catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(ExtractError::Crashed { how: Crash::Panic }))
}

fn text(bytes: &[u8], limits: &Limits, rows: Option<usize>) -> Extraction {
    let (text, lossy) = decode(bytes, bytes.starts_with(b"<?xml"));
    let mut out = Out::new(limits.chars);
    let mut partial = None;
    match rows {
        None => out.push_str(&text),
        Some(most) => {
            let mut lines = text.split_inclusive('\n');
            lines.by_ref().take(most).for_each(|line| out.push_str(line));
            partial = lines.next().map(|_| Partial::Rows { most });
        }
    }
    let partial = if out.is_cut() { Some(Partial::Chars { most: limits.chars }) } else { partial };
    Extraction { text: out.into_text(), partial: partial.or(lossy.then_some(Partial::Decoding)) }
}

fn html(bytes: &[u8], limits: &Limits) -> Extraction {
    let (html, lossy) = decode(bytes, true);
    let text = html_to_text(&html);
    let mut out = Out::new(limits.chars);
    out.push_str(&text);
    let partial = if out.is_cut() {
        Some(Partial::Chars { most: limits.chars })
    } else if html.len() > html_limits::MAX_HTML {
        Some(Partial::Bytes { most: html_limits::MAX_HTML })
    } else if text.len() >= html_limits::MAX_BODY {
        Some(Partial::Bytes { most: html_limits::MAX_BODY })
    } else {
        lossy.then_some(Partial::Decoding)
    };
    Extraction { text: out.into_text(), partial }
}
