//! The damaged histories of docs/comparison.md: what Briefing renders of each passes the checker, within its window.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops at the first surprise")]

use briefing::{Bounds, Call, Wire, fit};
use briefing_check::{Rules, check, recognise};
use briefing_json::Document;
use briefing_tests::damage::{Case, cases};
use briefing_wire::{Render, parse_messages};

/// The violations of one history's request, as text.
fn violations(case: &Case, wire: Wire, model: &str) -> Vec<String> {
    let text = serde_json::to_string(&case.history.messages).unwrap();
    let document = Document::parse(&text).unwrap();
    let messages = parse_messages(Wire::OpenAiChat, document.root()).unwrap().messages;
    let window = u64::try_from(case.history.window).unwrap();
    let briefing = fit(&messages, &Call::model(model, Some(wire)), &Bounds::none().messages(window)).unwrap();
    assert!(briefing.receipt().total().messages <= window);
    let request = briefing.render().unwrap();
    let body = Document::parse(std::str::from_utf8(request.body()).unwrap()).unwrap();
    let recognised = recognise(body.root()).unwrap().wire;
    let report = check(body.root(), &Rules::for_model(recognised, model));
    report
        .violations
        .iter()
        .map(|violation| format!("{:?} {wire} {}: {}", case.kinds, violation.place, violation.fault))
        .collect()
}

#[test]
fn every_damaged_history_renders_valid_within_its_window() {
    let wires = [
        (Wire::OpenAiChat, "gpt-4o"),
        (Wire::OpenAiResponses, "gpt-4o"),
        (Wire::Anthropic, "claude-sonnet-4-5"),
        (Wire::Gemini, "gemini-2.5-flash"),
    ];
    let cases = cases();
    let found = cases.iter().flat_map(|case| wires.map(|(wire, model)| violations(case, wire, model))).flatten();
    assert_eq!(found.collect::<Vec<_>>(), Vec::<String>::new());
}
