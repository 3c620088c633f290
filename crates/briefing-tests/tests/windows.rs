//! Every window of the real transcripts is valid: within its bound, no broken pair, accepted by the independent checker.
//!
//! Of plain slices of the same transcripts, one in six breaks a pair. All sizes at all points run where `PROPTEST_CASES` is
//! 1,000 or more; else every fifth point.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use briefing_json::Document;
use briefing_tests::transcripts::{transcripts, windows};
use common::verdict;

fn step() -> usize {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse::<u32>().ok());
    if cases.is_some_and(|cases| cases >= 1_000) { 1 } else { 5 }
}

#[test]
fn every_window_passes_the_checker() {
    let mut seen = 0;
    windows(3..=30, step(), |window| {
        let body = std::str::from_utf8(window.request.body()).unwrap();
        let document = Document::parse(body).unwrap();
        let report = verdict(&window.request);
        let at = format!("transcript {}, end {}, {} messages, {}", window.transcript, window.end, window.most, window.model);
        assert!(report.is_clean(), "{at}: {:?}\n{body}", report.violations);
        // An answer of OpenAI Responses takes an item for each of its texts and calls.
        let Some(messages) = ["messages", "contents"].iter().find_map(|list| document.root().get(list)) else {
            seen += 1;
            return;
        };
        let messages = messages.items();
        let counted =
            messages.filter(|message| message.get("role").and_then(|role| role.as_str()).is_some_and(|role| role != "system"));
        assert!(counted.count() as u64 <= window.most, "{at}: too many messages\n{body}");
        seen += 1;
    });
    assert!(seen > 10_000, "{seen} windows");
    println!("{seen} windows");
}

#[test]
fn there_are_sixty_transcripts() {
    assert_eq!(transcripts().len(), 60);
}
