//! What changes of other members do, as the providers say.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use briefing_diff::{Cause, Change, Effect, ParameterChange, RULES, Section, Wire};
use serde_json::{Value, json};
use support::*;

/// A body with that parameter, and the same with another value of it.
fn with(wire: Wire, name: &str, values: [Value; 2]) -> [Value; 2] {
    values.map(|value| {
        let mut body = chat(wire, &[user(wire, "Hi")]);
        match name.split_once('.') {
            Some((member, inner)) => body[member][inner] = value,
            None => body[name] = value,
        }
        body
    })
}

#[test]
fn every_line_of_the_table_does_what_it_says() {
    for rule in RULES {
        for wire in rule.wires {
            let [a, b] = with(*wire, rule.name, [json!("one"), json!("two")]);
            let diff = between(&a, &b);
            let change = ParameterChange {
                name: rule.name.to_owned(),
                change: Change::Altered,
                effect: rule.effect,
                source: Some(rule.source),
            };
            assert_eq!(diff.parameters(), [change], "{wire} {}", rule.name);
            let found: Vec<_> = diff.breaks().iter().map(|found| (found.section, found.cause.clone())).collect();
            let expected: Vec<_> = match rule.effect {
                Effect::Breaks(section) => vec![(section, Cause::ParameterChanged { name: rule.name.to_owned() })],
                _ => Vec::new(),
            };
            assert_eq!(found, expected, "{wire} {}", rule.name);
            assert!(rule.source.starts_with("https://"));
        }
    }
}

#[test]
fn what_a_break_of_messages_leaves_is_served() {
    let [a, b] = with(Wire::Anthropic, "tool_choice", [json!({ "type": "auto" }), json!({ "type": "any" })]);
    let diff = between(&a, &b);
    assert_eq!(diff.breaks()[0].section, Section::Messages);
    assert_eq!(diff.breaks()[0].newer.as_ref().map(|spot| spot.place.to_string()).as_deref(), Some("/tool_choice"));
    assert!(diff.tokens().served > 0);
    assert_eq!((diff.tokens().paid, diff.tokens().paid_again), (1, 1));
}

#[test]
fn what_no_provider_speaks_of_is_listed_as_such() {
    for wire in WIRES {
        let [a, b] = with(wire, "x_trace", [json!(1), json!(2)]);
        let diff = between(&a, &b);
        assert!(diff.held(), "{wire}");
        let change =
            |name: &str, change| ParameterChange { name: name.to_owned(), change, effect: Effect::Undocumented, source: None };
        assert_eq!(diff.parameters(), [change("x_trace", Change::Altered)], "{wire}");
        let none = chat(wire, &[user(wire, "Hi")]);
        assert_eq!(between(&a, &none).parameters(), [change("x_trace", Change::Gone)], "{wire}");
        assert_eq!(between(&none, &a).parameters(), [change("x_trace", Change::Added)], "{wire}");
    }
}
