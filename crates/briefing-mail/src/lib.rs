//! Mail in: parses messages, reads mailboxes, groups threads.
//!
//! ```no_run
//! # fn main() -> Result<(), briefing_mail::MailboxError> {
//! let mut mails = Vec::new();
//! for raw in briefing_mail::read("Archive.mbox".as_ref())? {
//!     match raw {
//!         Ok(raw) => mails.push(raw.parse().mail),
//!         Err(error) => eprintln!("{error}: {}", error.hint()),
//!     }
//! }
//! let threads = briefing_mail::group(&mails);
//! # Ok(())
//! # }
//! ```
//!
//! [`read`] opens an `.eml` file, an mbox file, a Maildir or a folder and yields one [`RawMessage`] at a time. [`parse`]
//! turns its bytes into the core's `Mail`, the files beside it, and what could not be read ([`Finding`]). [`place`] says
//! which thread a mail belongs to, by what a log knows ([`Known`]); [`group`] says it of a whole mailbox. [`rfc5256`] makes
//! the threads that a mail program shows. Nothing here panics, and no message takes more than linear time.

mod finding;
mod html;
mod mailbox;
mod parse;
pub mod rfc5256;
mod thread;

pub use finding::{Field, Finding, Guess, Place, Transfer};
pub use html::html_to_text;
pub use mailbox::{Found, Mailbox, MailboxError, RawMessage, Source, read, read_all};
pub use parse::{Parsed, limits, mark_outbound, parse, readable_body};
pub use thread::{Known, Placement, ThreadIndex, Threads, group, place};
