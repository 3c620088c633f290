//! Every recorded request, rendered for its own call and for the models of every wire, is accepted by the independent checker. The
//! same bodies are judged by the vendors' own types in `scripts/judge`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use briefing_tests::recordings::{MORE_MODELS, moved, recordings};
use briefing_tests::transcripts::MODELS;
use common::verdict;

#[test]
fn every_recording_passes_the_checker_of_every_wire() {
    let recordings = recordings();
    assert_eq!(recordings.len(), 56);
    let mut seen = 0;
    moved(&recordings, |moved| {
        let at = format!("{} as {}", moved.recording.name, moved.model.unwrap_or("itself"));
        assert_eq!(verdict(&moved.request).violations, [], "{at}: {}", String::from_utf8_lossy(moved.request.body()));
        seen += 1;
    });
    assert_eq!(seen, 56 * (1 + MODELS.len() + MORE_MODELS.len()));
}
