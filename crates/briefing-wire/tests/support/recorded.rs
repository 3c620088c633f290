//! What tests of answers read, here and in the crates above: recordings of whole exchanges, and streams, each with its golden
//! beside it.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use briefing::Wire;

/// A recorded response.
pub(crate) struct Recording {
    pub(crate) name: String,
    pub(crate) wire: Wire,
    /// The HTTP status.
    pub(crate) status: u16,
    /// The response's text; of a stream, its events.
    pub(crate) response: String,
    pub(crate) is_json: bool,
}

impl Recording {
    /// Whether it is a stream. What is neither that nor JSON is a text.
    pub(crate) fn is_stream(&self) -> bool {
        !self.is_json && self.response.starts_with("data: ")
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../briefing-wire/tests/data")
}

/// Every recorded response of the checkers' data whose wire is known.
pub(crate) fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../briefing-check/tests/data/wire");
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let document = briefing_json::Document::parse(&text).unwrap();
        let Some(wire) = wire(&document.root().get("format").unwrap().as_str().unwrap()) else { continue };
        let response = document.root().get("response").unwrap();
        let streamed = response.as_str();
        out.push(Recording {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            wire,
            status: document.root().get("status").unwrap().raw().parse().unwrap(),
            is_json: streamed.is_none(),
            response: streamed.map_or_else(|| response.raw().to_owned(), |text| text.into_owned()),
        });
    }
    out.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(out.len() >= 59);
    out
}

fn wire(format: &str) -> Option<Wire> {
    match format {
        "openai_chat" | "openai-chat" => Some(Wire::OpenAiChat),
        "openai_responses" | "openai-responses" => Some(Wire::OpenAiResponses),
        "anthropic_messages" | "anthropic" => Some(Wire::Anthropic),
        "gemini" => Some(Wire::Gemini),
        _ => None,
    }
}

/// Every recorded request that a provider accepted: its file, its wire, and the request's own text.
pub(crate) fn requests() -> Vec<(String, Wire, String)> {
    let mut out = Vec::new();
    for entry in fs::read_dir(root().join("wire")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let recording = fs::read_to_string(&path).unwrap();
        let document = briefing_json::Document::parse(&recording).unwrap();
        let wire = wire(&document.root().get("format").unwrap().as_str().unwrap()).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        out.push((name, wire, document.root().get("request").unwrap().raw().to_owned()));
    }
    out.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    assert_eq!(out.len(), 56);
    out
}

/// Every stream of `data/streams`: its path without ending, its wire, its bytes.
pub(crate) fn streams() -> Vec<(PathBuf, Wire, Vec<u8>)> {
    let mut out = Vec::new();
    for of_wire in fs::read_dir(root().join("streams")).unwrap() {
        let of_wire = of_wire.unwrap().path();
        let Some(wire) = wire(&of_wire.file_name().unwrap().to_string_lossy()) else { continue };
        for source in fs::read_dir(of_wire).unwrap() {
            let source = source.unwrap().path();
            for file in fs::read_dir(source).into_iter().flatten() {
                let path = file.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "sse" || extension == "stream") {
                    out.push((path.with_extension(""), wire, fs::read(&path).unwrap()));
                }
            }
        }
    }
    out.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(out.len() >= 20);
    out
}

/// Where the golden of a recorded response stands.
pub(crate) fn answers() -> PathBuf {
    root().join("answers")
}

/// Compares with a golden, or writes it.
pub(crate) fn golden(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        return;
    }
    let known = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(known, text, "{}", path.display());
}
