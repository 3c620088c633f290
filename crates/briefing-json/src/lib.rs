//! A JSON reader for bodies that may be hostile: one pass, no recursion, no copy of the input.
//!
//! It differs from `serde_json` where request bodies need it: a lone surrogate (`"\ud83d"`) is read and marked instead of
//! refused, every value knows its place and its own bytes, and nested values are never scanned twice.
//! [`Document::parse`] reads the text, [`Value`] walks it, [`quote`] writes a string,
//! [`WriteJson`] whole texts.

mod object;
mod parse;
mod path;
mod scan;
mod surrogate;
mod value;
mod write;

pub use object::WriteJson;
pub use parse::{Document, MAX_DEPTH, MAX_VALUES, SyntaxError, SyntaxFault};
pub use path::Path;
pub use surrogate::without_lone_surrogates;
pub use value::{Entries, Items, Kind, Value, present};
pub use write::{Pointer, quote, quoted, quoted_len};
