//! The 60 real transcripts, and every window of them.

use briefing::{Bounds, Call, ModelMessage, Wire, fit};
use briefing_json::{Document, Kind};
use briefing_wire::{Render, Request, parse_messages};

const TRANSCRIPTS: &str = include_str!("../data/transcripts/tau-bench-airline.jsonl");

/// The models whose rules a window is rendered by: each wire, and the Mistral dialect.
pub const MODELS: [(&str, Wire); 5] = [
    ("gpt-5", Wire::OpenAiChat),
    ("gpt-5", Wire::OpenAiResponses),
    ("claude-sonnet-4-5", Wire::Anthropic),
    ("gemini-3-flash", Wire::Gemini),
    ("mistral-large-latest", Wire::OpenAiChat),
];

/// Each transcript's messages.
///
/// # Panics
/// If the data is not what it was.
#[expect(clippy::unwrap_used, reason = "the data is part of the project")]
pub fn transcripts() -> Vec<Vec<ModelMessage>> {
    let lines = TRANSCRIPTS.lines().map(|line| {
        let document = Document::parse(line).unwrap();
        let messages = document.root().get("messages").filter(|messages| messages.kind() == Kind::Array).unwrap();
        parse_messages(Wire::OpenAiChat, messages).unwrap().messages
    });
    lines.collect()
}

/// Each transcript's messages as they are in the data: JSON of OpenAI Chat.
///
/// # Panics
/// If the data is not what it was.
#[expect(clippy::unwrap_used, reason = "the data is part of the project")]
pub fn chats() -> Vec<Vec<serde_json::Value>> {
    #[derive(serde::Deserialize)]
    struct Transcript {
        messages: Vec<serde_json::Value>,
    }
    TRANSCRIPTS.lines().map(|line| serde_json::from_str::<Transcript>(line).unwrap().messages).collect()
}

/// One window, rendered.
#[derive(Debug)]
pub struct Window {
    /// The transcript's number.
    pub transcript: usize,
    /// How many of its messages are there.
    pub end: usize,
    /// The bound on messages.
    pub most: u64,
    /// The model.
    pub model: &'static str,
    /// The body.
    pub request: Request,
}

/// Calls `see` with every window of `most` messages (a system text beside them) that ends at every `step`th point of every
/// transcript, for each model.
///
/// # Panics
/// If a window cannot be fitted or rendered.
#[expect(clippy::panic, reason = "a window that cannot be rendered is the failure looked for")]
pub fn windows(most: impl Iterator<Item = u64> + Clone, step: usize, mut see: impl FnMut(Window)) {
    let calls = MODELS.map(|(model, wire)| (model, Call::model(model, Some(wire))));
    for (transcript, messages) in transcripts().iter().enumerate() {
        for end in (1..=messages.len()).step_by(step) {
            for most in most.clone() {
                for (model, call) in &calls {
                    let list = messages.get(..end).unwrap_or_default();
                    let briefing = fit(list, call, &Bounds::none().messages(most));
                    let request = briefing
                        .map_err(|error| error.to_string())
                        .and_then(|briefing| briefing.render().map_err(|error| error.to_string()));
                    match request {
                        Ok(request) => see(Window { transcript, end, most, model, request }),
                        Err(error) => panic!("transcript {transcript}, end {end}, {most} messages, {model}: {error}"),
                    }
                }
            }
        }
    }
}
