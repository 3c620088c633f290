//! The first path end to end; grows into the tests of fit.
use briefing::message::ToolCall;
use briefing::{Bounds, Call, ModelMessage, fit};

#[test]
fn a_missing_outcome_is_filled_in() {
    let messages = [
        ModelMessage::system("be brief"),
        ModelMessage::user("hi"),
        ModelMessage::calls([ToolCall::new("a", "find", "{}"), ToolCall::new("b", "find", "{}")]),
        ModelMessage::outcome("b", "2"),
        ModelMessage::user("never mind"),
    ];
    let briefing = fit(&messages, &Call::model("gpt-5", None), &Bounds::none().messages(6)).unwrap();
    let out: Vec<_> = briefing.messages().collect();
    println!("{}\n{}", briefing::message::messages_to_json(&out), briefing.receipt());
    assert_eq!(out.len(), 6);
    let again = fit(&out, &Call::model("gpt-5", None), &Bounds::none().messages(6)).unwrap();
    assert_eq!(again.messages().collect::<Vec<_>>(), out);
}
