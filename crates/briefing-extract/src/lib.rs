//! The text of attached files: plain text, CSV, HTML, PDF, DOCX and spreadsheets.
//!
//! ```no_run
//! use briefing_extract::{Extractor, Format};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::read("offer.pdf")?;
//! let extractor = Extractor::new("/usr/bin/briefing", ["extract-file"]);
//! if let Some(format) = Format::of(Some("offer.pdf"), "application/pdf", &file) {
//!     let extraction = extractor.extract(format, &file)?;
//!     println!("{} (less than the file: {:?})", extraction.text, extraction.partial);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Format::of`] says whether a file has text to be had. [`Extractor`] gives its bytes to a child process, and that process
//! runs [`serve`]: it bounds its own memory, time and files, reads the file by [`extract_here`], and answers. Readers of PDF
//! and of old spreadsheets panic, loop and swell on hostile files; here that ends the child and is an [`ExtractError`].
//!
//! The same bytes give the same text and the same [`Partial`], unless a file is so near to the limits of time or memory that
//! the machine decides. [`VERSION`] changes whenever texts do.
//!
//! On Unix the child's limits are set by the system; elsewhere only those on time, input and output hold.

#[cfg(feature = "documents")]
mod archive;
#[cfg(feature = "documents")]
mod docx;
mod error;
mod extraction;
mod extractor;
mod format;
mod here;
mod limits;
#[cfg(feature = "documents")]
mod pdf;
mod running;
mod serve;
#[cfg(feature = "documents")]
mod sheet;
mod text;
mod wire;

pub use error::{Crash, ExtractError};
pub use extraction::{Extraction, Partial, VERSION};
pub use extractor::Extractor;
pub use format::Format;
pub use here::extract_here;
pub use limits::{
    Limits, MAX_CHARS, MAX_ENTRIES, MAX_INPUT_BYTES, MAX_MEMORY, MAX_OUTPUT_BYTES, MAX_PAGES, MAX_ROWS, MAX_TIME,
    MAX_UNPACKED_BYTES,
};
pub use serve::serve;
