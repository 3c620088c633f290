//! A thread that moves between providers: begun on any wire, continued on any other, and home again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/recorded.rs"]
mod recorded;
mod support;

use briefing::{Call, ModelMessage, Wire};
use briefing_wire::parse_text;
use support::{checked, render, text};

const MODELS: [(Wire, &str); 4] = [
    (Wire::OpenAiChat, "gpt-5"),
    (Wire::OpenAiResponses, "gpt-5"),
    (Wire::Anthropic, "claude-sonnet-4-5"),
    (Wire::Gemini, "gemini-3-flash"),
];

/// The messages of each recorded request, with their wire.
fn threads() -> Vec<(String, Wire, Vec<ModelMessage>)> {
    let messages = |(name, wire, body): (String, Wire, String)| (name, wire, parse_text(wire, &body).unwrap().messages);
    recorded::requests().into_iter().map(messages).collect()
}

/// The bytes of a body up to the last byte of the last block.
fn list_of<'b>(body: &'b str, call: &Call) -> &'b str {
    let document = briefing_json::Document::parse(body).unwrap();
    let list = document.root().get(support::list_name(call.wire())).unwrap();
    let last = list.items().last().unwrap();
    body.get(list.span().start..last.span().end).unwrap()
}

/// Every thread goes on with the turns of one of every other wire, is valid on all of them, and at home its first part is again what it
/// was, byte for byte: what cannot travel is still there.
#[test]
fn a_thread_moves_and_comes_home() {
    let threads = threads();
    let mut seen = 0;
    for (name, home, thread) in &threads {
        for (away, model) in MODELS {
            let guest = threads.iter().find(|(_, wire, _)| *wire == away).unwrap();
            let longer: Vec<ModelMessage> =
                thread.iter().cloned().chain([ModelMessage::user("go on")]).chain(turns(&guest.2)).collect();
            let call = Call::model(model, Some(away));
            let request = render(&longer, &call);
            assert_eq!(checked(text(&request), call.profile()).violations, [], "{name} on {away}");
            let (_, model) = MODELS.into_iter().find(|(wire, _)| wire == home).unwrap();
            let call = Call::model(model, Some(*home));
            let asked: Vec<ModelMessage> = thread.iter().cloned().chain([ModelMessage::user("go on")]).collect();
            let (before, after) = (render(&asked, &call), render(&longer, &call));
            assert_eq!(checked(text(&after), call.profile()).violations, [], "{name} home from {away}");
            let (before, after) = (list_of(text(&before), &call), list_of(text(&after), &call));
            assert!(after.starts_with(before), "{name} home from {away}\n{before}\n{after}");
            seen += 1;
        }
    }
    assert_eq!(seen, 4 * 56);
}

/// A thread without its system text.
fn turns(messages: &[ModelMessage]) -> impl Iterator<Item = ModelMessage> + '_ {
    messages.iter().filter(|message| !matches!(message, ModelMessage::System(_))).cloned()
}
