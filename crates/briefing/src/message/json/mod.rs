//! The flat JSON form: `{role, content, tool_call_id?, tool_calls?}`, with `items`, `failed` and `extra` where they matter.
//!
//! `content` is a string or an array of typed parts; a string is shorthand for one text part.

mod read;
mod write;

pub use read::{MessageJsonError, MessageJsonFault, messages_from_json};
pub use write::{message_to_json, messages_to_json};
