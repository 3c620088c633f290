//! History views: policies that turn a thread into messages.

mod mail;
mod render;
pub mod swarm;

pub use mail::MailView;
pub use render::{mail_role, mail_text};

pub(crate) use mail::{OUTCOME_CHARS, current_message};
pub(crate) use render::utc;
