//! What holds for any pair of bodies.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use briefing_diff::{DiffError, Section, Wire, diff};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use support::*;

/// JSON whose keys and texts are those that bodies have, in places where they may be wrong.
fn wild() -> impl Strategy<Value = Value> {
    let text = select(vec![
        "user",
        "assistant",
        "system",
        "tool",
        "model",
        "text",
        "image",
        "tool_use",
        "tool_result",
        "function_call_output",
        "[continue]",
        "[confirmation] waiting: x",
        "Now 15:09:20",
        "Now 15:09:51",
        "c1",
        "",
        "é\u{0}\u{202e}",
    ]);
    let key = select(vec![
        "role",
        "content",
        "type",
        "text",
        "tool_calls",
        "tool_call_id",
        "id",
        "tool_use_id",
        "call_id",
        "output",
        "parts",
        "name",
        "functionResponse",
        "response",
        "cache_control",
        "arguments",
        "function",
        "input",
        "image_url",
        "data",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|members| Value::Object(
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>()
            )),
        ]
    })
}

fn wild_body() -> impl Strategy<Value = Value> {
    let members = select(vec![
        "messages",
        "input",
        "contents",
        "tools",
        "functions",
        "system",
        "instructions",
        "systemInstruction",
        "model",
        "thinking",
        "tool_choice",
        "generationConfig",
        "text",
    ]);
    prop::collection::vec((members, wild()), 0..6)
        .prop_map(|members| Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()))
}

/// A conversation on a wire, of texts that repeat.
fn conversation() -> impl Strategy<Value = (Wire, Vec<Value>)> {
    (select(WIRES.to_vec()), prop::collection::vec((any::<bool>(), 0..4u8), 1..20)).prop_map(|(wire, list)| {
        let message = |(ours, text): (bool, u8)| {
            if ours { assistant(wire, &format!("Text {text}")) } else { user(wire, &format!("Text {text}")) }
        };
        (wire, list.into_iter().map(message).collect())
    })
}

/// Tools of a wire, as they stand in its body.
fn tools() -> impl Strategy<Value = (Wire, Value)> {
    let names = prop::collection::vec((select(vec!["find", "keep", "send"]), 0..3u8), 1..4);
    (select(WIRES.to_vec()), names, 0..4u8).prop_map(|(wire, names, shape)| {
        let schema = |at: u8| json!({ "type": "object", "properties": { "a": { "type": "string", "maxLength": at } } });
        let mut list: Vec<Value> = names.iter().map(|(name, at)| tool(wire, name, &schema(*at))).collect();
        let hosted = match wire {
            Wire::OpenAiChat => json!({ "type": "custom", "custom": { "name": "sql" } }),
            Wire::OpenAiResponses => json!({ "type": "web_search", "filters": { "allowed_domains": ["a.b"] } }),
            Wire::Anthropic => json!({ "type": "web_search_20250305", "name": "web_search", "max_uses": 3 }),
            Wire::Gemini => {
                let search = json!({ "excludeDomains": ["a.b"] });
                return (
                    wire,
                    match shape {
                        0 => json!([{ "functionDeclarations": list }]),
                        1 => json!([{ "functionDeclarations": list, "googleSearch": search, "urlContext": { "x": 1 } }]),
                        2 => json!([{ "codeExecution": { "x": 1 }, "function_declarations": list }]),
                        _ => json!([{ "functionDeclarations": list }, { "googleSearch": search }]),
                    },
                );
            }
        };
        if shape > 1 {
            list.push(hosted);
        }
        (wire, Value::from(list))
    })
}

/// The places of everything below a value.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(index, item)| (index.to_string(), item)).collect(),
        Value::Object(members) => members.iter().map(|(key, member)| (key.clone(), member)).collect(),
        _ => Vec::new(),
    };
    for (name, inner) in inner {
        let at = format!("{at}/{name}");
        places(inner, &at, out);
        out.push(at);
    }
}

/// Takes out what stands at that place, or puts something else there.
fn change(value: &mut Value, place: &str, other: Option<Value>) {
    let (holder, name) = place.rsplit_once('/').unwrap();
    match (value.pointer_mut(holder).unwrap(), other) {
        (Value::Array(items), None) => drop(items.remove(name.parse().unwrap())),
        (Value::Object(members), None) => drop(members.remove(name)),
        (holder, Some(other)) => *holder.pointer_mut(&format!("/{name}")).unwrap() = other,
        (_, None) => unreachable!(),
    }
}

proptest! {
    #[test]
    fn every_change_of_the_tools_is_a_break(
        (wire, tools) in tools(),
        at in any::<prop::sample::Index>(),
        other in prop::option::of(select(vec![json!("other"), json!(7), json!([1]), json!({ "b": true })])),
        whole in 0..8u8,
    ) {
        let of = |tools: &Value| {
            let mut body = chat(wire, &[user(wire, "Hi")]);
            body["tools"] = tools.clone();
            body
        };
        let mut changed = tools.clone();
        if whole == 0 {
            changed = other.unwrap_or_default();
        } else {
            let mut all = Vec::new();
            places(&tools, "", &mut all);
            change(&mut changed, &all[at.index(all.len())], other);
        }
        for (older, newer) in [(&tools, &changed), (&changed, &tools)] {
            let found = between(&of(older), &of(newer));
            prop_assert!(!found.held(), "{older} and {newer}");
            prop_assert_eq!(found.breaks()[0].section, Section::Tools);
        }
    }

    #[test]
    fn no_pair_panics_and_tokens_add_up(a in wild_body(), b in wild_body()) {
        match diff(&a.to_string(), &b.to_string(), estimate) {
            Ok(found) => {
                let alone = diff(&b.to_string(), &b.to_string(), estimate).unwrap();
                prop_assert_eq!(found.tokens().served + found.tokens().paid, alone.tokens().served);
                prop_assert!(found.tokens().paid_again <= found.tokens().paid);
                prop_assert!(!found.held() || found.tokens().paid_again == 0);
                let sections: Vec<Section> = found.breaks().iter().map(|found| found.section).collect();
                prop_assert!(sections.is_sorted());
            }
            Err(DiffError::NoMessages { .. } | DiffError::Bedrock { .. } | DiffError::DifferentWires { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn a_body_holds_against_itself(a in wild_body()) {
        if let Ok(found) = diff(&a.to_string(), &a.to_string(), estimate) {
            prop_assert!(found.held() && found.bytes().held);
            prop_assert_eq!(found.messages(), &[]);
            prop_assert_eq!(found.parameters(), &[]);
            prop_assert_eq!(found.tokens().paid, 0);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(a in ".{0,60}", b in ".{0,60}") {
        prop_assert!(diff(&a, &b, estimate).is_err());
    }

    #[test]
    fn what_is_appended_holds((wire, list) in conversation(), more in prop::collection::vec(0..4u8, 0..6)) {
        let longer: Vec<Value> = list.iter().cloned().chain(more.iter().map(|text| user(wire, &format!("Text {text}")))).collect();
        let found = between(&chat(wire, &list), &chat(wire, &longer));
        prop_assert!(found.held() && found.bytes().held, "{:?}", found.breaks());
        prop_assert_eq!(found.messages().len(), more.len());
        prop_assert_eq!(found.tokens().paid_again, 0);
    }

    #[test]
    fn a_message_that_is_altered_breaks_there((wire, list) in conversation(), at in any::<prop::sample::Index>()) {
        let at = at.index(list.len());
        let mut other = list.clone();
        other[at] = user(wire, "Something else.");
        let (a, b) = (chat(wire, &list), chat(wire, &other));
        let found = between(&a, &b);
        prop_assert_eq!(found.breaks().len(), 1);
        let index = at + usize::from(wire == Wire::OpenAiChat);
        let spots = [&found.breaks()[0].older, &found.breaks()[0].newer];
        for (spot, body) in spots.into_iter().zip([&a, &b]) {
            let spot = spot.as_ref().unwrap();
            let place = spot.place.as_str();
            let prefix = format!("/{}/{index}/", list_of(wire));
            prop_assert!(place.starts_with(&prefix), "{}", place);
            prop_assert!(body.pointer(place).is_some());
        }
        prop_assert!(found.bytes().common < found.bytes().wanted);
    }

    #[test]
    fn every_message_is_told_once((wire, a) in conversation(), b in prop::collection::vec(0..4u8, 1..20)) {
        let b: Vec<Value> = b.iter().map(|text| user(wire, &format!("Text {text}"))).collect();
        let found = between(&chat(wire, &a), &chat(wire, &b));
        let (mut older, mut newer) = (Vec::new(), Vec::new());
        for change in found.messages() {
            let told = json!(change);
            older.extend(told.get("older").and_then(Value::as_u64));
            newer.extend(told.get("newer").and_then(Value::as_u64));
        }
        // What is not told is the same, and as much of it on both sides.
        prop_assert_eq!(a.len() - older.len(), b.len() - newer.len());
        for told in [&mut older, &mut newer] {
            let before = told.len();
            told.sort_unstable();
            told.dedup();
            prop_assert_eq!(told.len(), before);
        }
    }
}
