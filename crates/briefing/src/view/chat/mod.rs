//! The chat view: what a turn of a personal assistant may see of the turns before it, as PhoenixKitAgent's `Turns.History` tells
//! it.
//!
//! [`ChatHistory`] tells it over a slice of messages; [`build`] is its short form. What was asked, what was answered and what
//! became of each card is told; tools' data is not, since the person may have lost the right to see it.

pub(crate) mod files;
mod history;
mod message;

pub use files::user_content;
pub use history::{ChatHistory, build, confirmation_phrase};
pub use message::{CardId, ChatEntry, ChatFile, ChatMessage, ChatMessageId, ChatRole, FileContent};
