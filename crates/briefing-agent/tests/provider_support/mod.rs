//! What the tests of providers share.

#![allow(dead_code, reason = "each test uses a part of it")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use briefing::{Bounds, Call, ModelMessage, Wire, fit};
use briefing_agent::provider::http::{Delivery, Endpoint, HttpClient, HttpProvider, HttpSettings, Limits, Proxies};
use briefing_agent::scripted::{Script, ScriptedServer, Turn};
use briefing_agent::{Provider, ProviderFault};
use briefing_json::Document;
use briefing_wire::{Answer, Render, Request, StreamEvent};

pub(crate) const DELIVERIES: [Delivery; 2] = [Delivery::Streamed, Delivery::Whole];

/// A model of each wire.
pub(crate) fn model(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "gpt-4o",
        Wire::Anthropic => "claude-sonnet-4-5",
        Wire::Gemini => "gemini-2.5-flash",
    }
}

pub(crate) fn client() -> HttpClient {
    HttpClient::new(&HttpSettings { proxies: Proxies::Direct, ..HttpSettings::default() }).unwrap()
}

pub(crate) fn provider(server: &ScriptedServer, wire: Wire) -> HttpProvider {
    HttpProvider::new(&client(), Endpoint::new(wire, &server.base(wire)).unwrap())
}

/// What the provider sends for that text.
pub(crate) fn request(provider: &dyn Provider, wire: Wire, text: &str) -> Request {
    let call = provider.prepare(Call::model(model(wire), Some(wire)));
    fit(&[ModelMessage::user(text)], &call, &Bounds::none()).unwrap().render().unwrap()
}

/// Asks once. What it came to, and what was told.
pub(crate) async fn ask(provider: &HttpProvider) -> (Result<Answer, ProviderFault>, Vec<StreamEvent>) {
    let request = request(provider, provider.endpoint().wire(), "Hello");
    let mut told = Vec::new();
    let result = provider.send(&request, &mut |event| told.push(event.clone())).await;
    (result, told)
}

/// Asks a server that answers with that turn, once.
pub(crate) async fn asked(wire: Wire, delivery: Delivery, limits: Limits, turn: Turn) -> Result<Answer, ProviderFault> {
    let server = ScriptedServer::start(Script::turns([turn])).await.unwrap();
    ask(&provider(&server, wire).delivery(delivery).limits(limits)).await.0
}

/// The fault that a turn comes to.
pub(crate) async fn fault(wire: Wire, turn: Turn) -> ProviderFault {
    asked(wire, Delivery::Streamed, Limits::default(), turn).await.unwrap_err()
}

/// A recorded response.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) wire: Wire,
    pub(crate) status: u16,
    pub(crate) is_stream: bool,
    pub(crate) response: String,
}

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Every recorded response of the checkers' data.
pub(crate) fn recordings() -> Vec<Recording> {
    let mut out = Vec::new();
    for entry in fs::read_dir(beside("briefing-check/tests/data/wire")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let document = Document::parse(&text).unwrap();
        let format = document.root().get("format").unwrap().as_str().unwrap().replace('_', "-");
        let wire = Wire::ALL.into_iter().find(|wire| format.starts_with(wire.name())).unwrap();
        let response = document.root().get("response").unwrap();
        // Streams, and a body that was not read as JSON, stand as text.
        let response = response.as_str().map_or_else(|| response.raw().to_owned(), |text| text.into_owned());
        out.push(Recording {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            wire,
            status: document.root().get("status").unwrap().raw().parse().unwrap(),
            is_stream: response.starts_with("data: "),
            response,
        });
    }
    out.sort_by(|one, other| one.name.cmp(&other.name));
    out
}

/// Every stream of the wires' data.
pub(crate) fn streams() -> Vec<(PathBuf, Wire, Vec<u8>)> {
    let mut out = Vec::new();
    for wire in Wire::ALL {
        for source in fs::read_dir(beside("briefing-wire/tests/data/streams").join(wire.name())).unwrap() {
            for file in fs::read_dir(source.unwrap().path()).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "sse" || extension == "stream") {
                    let bytes = fs::read(&path).unwrap();
                    out.push((path, wire, bytes));
                }
            }
        }
    }
    out.sort_by(|one, other| one.0.cmp(&other.0));
    out
}
