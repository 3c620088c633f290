//! Sizes at which anything quadratic would not come to an end.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use briefing_diff::{Cause, Diff, Wire, diff};
use serde_json::Value;
use support::*;

const MANY: usize = 100_000;

fn of(list: impl Iterator<Item = String>) -> Value {
    let list: Vec<Value> = list.map(|text| user(Wire::OpenAiChat, &text)).collect();
    chat(Wire::OpenAiChat, &list)
}

fn cause(diff: &Diff) -> &Cause {
    &diff.breaks()[0].cause
}

#[test]
fn a_hundred_thousand_messages_in_reverse() {
    let (a, b) = (of((0..MANY).map(|at| at.to_string())), of((0..MANY).rev().map(|at| at.to_string())));
    let diff = between(&a, &b);
    assert_eq!((cause(&diff), diff.messages().len()), (&Cause::Reordered, MANY - 1));
}

#[test]
fn a_hundred_thousand_messages_that_are_all_the_same_but_one() {
    let (a, b) = (of((0..MANY).map(|_| "ok".to_owned())), of((0..MANY).map(|at| if at == 7 { "no" } else { "ok" }.to_owned())));
    let diff = between(&a, &b);
    assert_eq!((cause(&diff), diff.messages().len()), (&Cause::MessageEdited, 1));
}

#[test]
fn a_hundred_thousand_messages_that_are_all_others() {
    let (a, b) = (of((0..MANY).map(|at| format!("a {at}"))), of((0..MANY / 2).map(|at| format!("b {at}"))));
    let diff = between(&a, &b);
    assert_eq!(diff.messages().len(), MANY);
}

#[test]
fn a_long_way_down_to_many_values() {
    let text = |last: &str| {
        let values = "1,".repeat(MANY);
        format!(
            r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","input":{{"{}":[{values}{last}]}}}}]}}]}}"#,
            "k".repeat(MANY)
        )
    };
    let diff = diff(&text("2"), &text("3"), estimate).unwrap();
    let spot = diff.breaks()[0].newer.as_ref().unwrap();
    assert!(spot.place.as_str().ends_with(&format!("k/{MANY}")));
    assert_eq!(spot.excerpt, "3");
}
