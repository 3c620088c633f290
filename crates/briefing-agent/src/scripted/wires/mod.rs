//! What a model says, written as each provider writes it.

pub(super) mod anthropic;
pub(super) mod gemini;
pub(super) mod openai_chat;
pub(super) mod openai_responses;

use serde_json::Value;

/// An event that has no name.
fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// An event of that name, which stands in its data too.
fn named(kind: &str, data: &Value) -> String {
    format!("event: {kind}\ndata: {data}\n\n")
}
