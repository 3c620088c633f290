//! The requests that providers accepted, recorded by pydantic-ai's tests (`briefing-wire/tests/data/wire`), and each of them moved to
//! the models of every wire.

use std::fs;
use std::path::Path;

use briefing::{Bounds, Call, Wire, fit};
use briefing_json::{Document, Value};
use briefing_wire::{Parsed, Render, Request, parse_text};

use crate::transcripts::MODELS;

/// What a thread is moved to beside [`MODELS`]: system messages in the middle, unsigned calls, a server of others.
pub const MORE_MODELS: [(&str, Wire); 3] =
    [("claude-opus-4-8", Wire::Anthropic), ("gemini-2.5-flash", Wire::Gemini), ("deepseek-v4-flash", Wire::OpenAiResponses)];

/// A recorded request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// The file's name without its ending.
    pub name: String,
    /// The wire that it was sent on.
    pub wire: Wire,
    /// The request's own text.
    pub body: String,
}

/// A recording, rendered.
#[derive(Debug)]
pub struct Moved<'r> {
    /// What was recorded.
    pub recording: &'r Recording,
    /// The model that it was moved to; none where it was rendered for its own, with its own parameters.
    pub model: Option<&'static str>,
    /// The body.
    pub request: Request,
}

/// Every recording, by name.
///
/// # Panics
/// If the data is not what it was.
#[expect(clippy::unwrap_used, clippy::panic, reason = "the data is part of the project")]
#[must_use]
pub fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../briefing-wire/tests/data/wire");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut out: Vec<Recording> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            let document = Document::parse(&text).unwrap();
            let wire = match document.root().get("format").and_then(Value::as_str).as_deref() {
                Some("openai_chat") => Wire::OpenAiChat,
                Some("openai_responses") => Wire::OpenAiResponses,
                Some("anthropic_messages") => Wire::Anthropic,
                Some("gemini") => Wire::Gemini,
                other => panic!("unknown format {other:?}"),
            };
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            Recording { name, wire, body: document.root().get("request").unwrap().raw().to_owned() }
        })
        .collect();
    out.sort_by(|one, other| one.name.cmp(&other.name));
    out
}

/// Calls `see` with each recording as it is rendered for its own call, then with its messages and tools for each model.
///
/// # Panics
/// If one cannot be read, fitted or rendered.
#[expect(clippy::panic, reason = "a recording that cannot be rendered is the failure looked for")]
pub fn moved<'r>(recordings: &'r [Recording], mut see: impl FnMut(Moved<'r>)) {
    for recording in recordings {
        let name = &recording.name;
        let Parsed { call, messages, .. } =
            parse_text(recording.wire, &recording.body).unwrap_or_else(|error| panic!("{name}: {error}"));
        let models = MODELS.into_iter().chain(MORE_MODELS);
        let others = models.map(|(model, wire)| (Some(model), Call::model(model, Some(wire)).tools(call.declared_tools())));
        for (model, call) in [(None, call.clone())].into_iter().chain(others) {
            let briefing = fit(&messages, &call, &Bounds::none());
            let request = briefing
                .map_err(|error| error.to_string())
                .and_then(|briefing| briefing.render().map_err(|error| error.to_string()));
            match request {
                Ok(request) => see(Moved { recording, model, request }),
                Err(error) => panic!("{name} as {model:?}: {error}"),
            }
        }
    }
}
