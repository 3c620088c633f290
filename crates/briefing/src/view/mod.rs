//! History views: policies that turn a thread into messages.
//!
//! A [`HistoryView`] is four parts, of which three presets are made: which entries are *selected*, how much of them the *window*
//! holds, how tool use is *replayed*, and how a message is *rendered*. `docs/views.md` shows them side by side.

pub mod chat;
mod current;
mod parts;
mod read;
mod redact;
mod referred;
mod render;
mod say;
pub mod swarm;

pub use parts::{Filter, HistoryView, Preset, Replay, Tools, Window};
pub use read::Reading;
pub use redact::Redactor;
pub use referred::referred;
pub use render::{mail_role, mail_text};

pub(crate) use current::current_message;
pub(crate) use parts::OUTCOME_CHARS;
pub(crate) use render::utc;
