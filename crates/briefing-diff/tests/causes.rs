//! Every cause, on every wire where it can be. Bodies are hand-made unless they are called recorded.

#![allow(missing_docs, reason = "a test")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use briefing_diff::{Bytes, Cause, DiffError, MessageChange, Section, Side, Tokens, Wire, diff};
use serde_json::json;
use support::*;

#[test]
fn every_recorded_request_holds_against_itself() {
    for (name, body) in recorded() {
        let diff = between(&body, &body);
        assert_eq!(diff.wire(), wire_of(&name), "{name}");
        assert!(diff.held() && diff.bytes().held, "{name}");
        assert_eq!((diff.messages(), diff.parameters()), (&[][..], &[][..]), "{name}");
        assert_eq!((diff.tokens().paid, diff.tokens().paid_again), (0, 0), "{name}");
        assert!(diff.tokens().served > 0, "{name}");
    }
}

#[test]
fn every_recorded_request_holds_when_messages_are_appended() {
    for (name, body) in recorded() {
        let wire = wire_of(&name);
        let mut longer = body.clone();
        let list = messages(&mut longer, wire);
        let at = list.len();
        list.extend([assistant(wire, "Done."), user(wire, "Thanks.")]);
        let diff = between(&body, &longer);
        assert!(diff.held() && diff.bytes().held, "{name}: {:?}", diff.breaks());
        assert_eq!(diff.messages(), [MessageChange::Added { newer: at }, MessageChange::Added { newer: at + 1 }], "{name}");
        let Tokens { served, paid, paid_again } = diff.tokens();
        assert_eq!((served, paid, paid_again), (between(&body, &body).tokens().served, 4, 0), "{name}");
    }
}

#[test]
fn every_recorded_request_breaks_where_a_message_is_altered() {
    for (name, body) in recorded() {
        let wire = wire_of(&name);
        let mut other = body.clone();
        let list = messages(&mut other, wire);
        let last = list.len() - 1;
        list[last] = user(wire, "Something else altogether.");
        let diff = between(&body, &other);
        let found = &diff.breaks()[0];
        let place = &found.newer.as_ref().unwrap().place;
        assert!(place.as_str().starts_with(&format!("/{}/{last}", list_of(wire))), "{name}: {place}");
        assert_eq!(diff.breaks().len(), 1, "{name}");
    }
}

#[test]
fn every_recorded_request_names_a_tool_that_is_gone_a_step_of_its_window_and_keys_that_were_turned() {
    let mut seen = [0; 3];
    for (name, body) in recorded() {
        let wire = wire_of(&name);
        if body["tools"].as_array().is_some_and(|tools| tools.len() > 1) {
            let mut fewer = body.clone();
            fewer["tools"].as_array_mut().unwrap().pop();
            let codes: Vec<_> = causes(&body, &fewer).iter().map(Cause::code).collect();
            assert_eq!(codes, ["tools-changed"], "{name}");
            seen[0] += 1;
        }
        let mut turned = body.clone();
        if let Some(tool) = turned.pointer_mut("/tools/0").and_then(serde_json::Value::as_object_mut) {
            let members: Vec<_> = std::mem::take(tool).into_iter().rev().collect();
            let expected: &[Cause] = if members.len() > 1 { &[Cause::ReorderedKeys] } else { &[] };
            tool.extend(members);
            assert_eq!(causes(&body, &turned), expected, "{name}");
            seen[1] += expected.len();
        }
        let is_system = |message: &serde_json::Value| matches!(message["role"].as_str(), Some("system" | "developer"));
        let mut stepped = body.clone();
        let list = messages(&mut stepped, wire);
        let head = list.iter().take_while(|message| is_system(message)).count();
        // A list that begins with what the model thought loses that alone.
        let thought = list.remove(head)["type"] == "reasoning";
        list.push(user(wire, "And then?"));
        let expected = if thought { Cause::ReasoningGone } else { Cause::WindowStepped { gone: 1, came: 0 } };
        assert_eq!(causes(&body, &stepped), [expected], "{name}");
        seen[2] += 1;
    }
    assert!(seen.iter().all(|seen| *seen > 8), "{seen:?}");
}

#[test]
fn the_order_of_members_and_white_space_do_not_count() {
    let a = r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}],"tools":[{"type":"function","function":{"name":"f"}}]}"#;
    let b = r#"{ "tools": [ {"type": "function", "function": {"name": "f"}} ], "model": "m",
        "messages": [ {"content": "s", "role": "system"}, {"role": "user", "content": [{"type": "text", "text": "\u0061"}]} ] }"#;
    let diff = diff(a, b, estimate).unwrap();
    assert!(diff.held(), "{:?}", diff.breaks());
    assert_eq!(diff.bytes(), Bytes { held: false, common: 1, wanted: 85, line: 1, column: 2 });
}

#[test]
fn a_prefix_ends_at_the_last_byte_of_a_block_not_of_the_list() {
    for wire in WIRES {
        let (a, b) = (two_texts(wire, "a", "b"), two_texts(wire, "a", "b"));
        let mut grown = b.clone();
        let member = if wire == Wire::Gemini { "parts" } else { "content" };
        let third = grown[member][1].clone();
        grown[member].as_array_mut().unwrap().push(third);
        let diff = between(&chat(wire, &[a]), &chat(wire, &[grown]));
        assert!(diff.held() && diff.bytes().held, "{wire}");
        let at = usize::from(wire == Wire::OpenAiChat);
        assert_eq!(diff.messages(), [MessageChange::Altered { older: at, newer: at }], "{wire}");
    }
}

#[test]
fn another_model_has_another_cache() {
    for wire in [Wire::OpenAiChat, Wire::OpenAiResponses, Wire::Anthropic] {
        let a = chat(wire, &[user(wire, "Hi")]);
        let mut b = a.clone();
        b["model"] = json!("other");
        let diff = between(&a, &b);
        let older = a["model"].as_str().map(str::to_owned);
        assert_eq!(causes(&a, &b), [Cause::ModelChanged { older, newer: Some("other".to_owned()) }], "{wire}");
        assert_eq!(diff.tokens().served, 0, "{wire}");
        assert_eq!(diff.tokens().paid, diff.tokens().paid_again, "{wire}");
    }
}

#[test]
fn tools_that_were_added_gone_altered_or_reordered_are_named() {
    for wire in WIRES {
        let schema = |kind: &str| json!({ "type": kind });
        let tools =
            |names: &[(&str, &str)]| -> Vec<_> { names.iter().map(|(name, kind)| tool(wire, name, &schema(kind))).collect() };
        let of = |names: &[(&str, &str)]| body(wire, &tools(names), "s", &[user(wire, "Hi")]);
        let a = of(&[("find", "object"), ("send", "object"), ("drop", "object")]);
        let changed = |added: &[&str], gone: &[&str], altered: &[&str], reordered| {
            let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            vec![Cause::ToolsChanged { added: names(added), gone: names(gone), altered: names(altered), reordered }]
        };
        let b = of(&[("find", "object"), ("send", "string"), ("list", "object")]);
        assert_eq!(causes(&a, &b), changed(&["list"], &["drop"], &["send"], false), "{wire}");
        let b = of(&[("send", "object"), ("find", "object"), ("drop", "object")]);
        assert_eq!(causes(&a, &b), changed(&[], &[], &[], true), "{wire}");
        let b = of(&[("find", "object"), ("send", "object"), ("drop", "object"), ("list", "object")]);
        assert_eq!(causes(&a, &b), changed(&["list"], &[], &[], false), "{wire}");
        assert_eq!(between(&a, &b).breaks()[0].older, None, "{wire}");
    }
}

#[test]
fn a_system_text_that_changed_breaks_all_messages() {
    for wire in WIRES {
        let tools = [tool(wire, "find", &json!({}))];
        let (a, b) =
            (body(wire, &tools, "Be brief.", &[user(wire, "Hi")]), body(wire, &tools, "Be thorough.", &[user(wire, "Hi")]));
        let diff = between(&a, &b);
        let (section, cause) = (diff.breaks()[0].section, diff.breaks()[0].cause.clone());
        assert_eq!((section, cause), (Section::System, Cause::SystemChanged), "{wire}");
        assert_eq!(diff.breaks().len(), 1, "{wire}");
        assert!(diff.tokens().served > 0, "{wire}");
        assert_eq!(diff.tokens().paid_again, 1, "{wire}");
    }
}

/// A clock in the system text: nothing was ever read from the cache.
/// <https://github.com/Mintplex-Labs/anything-llm/issues/6398>, <https://github.com/earendil-works/pi/issues/2013>,
/// <https://github.com/goruck/home-generative-agent/issues/617>
#[test]
fn b80_a_clock_in_the_system_text_is_called_a_clock() {
    for wire in WIRES {
        let of = |now: &str| body(wire, &[], &format!("Now: {now}. You are Sundae."), &[user(wire, "Hi")]);
        let (a, b) = (of("15:09:20"), of("15:09:51"));
        let clock = Cause::Clock { older: "15:09:20".to_owned(), newer: "15:09:51".to_owned() };
        assert_eq!(causes(&a, &b), [clock], "{wire}");
        let spot = between(&a, &b).breaks()[0].newer.clone().unwrap();
        assert_eq!(&b.to_string()[spot.offset..spot.offset + 2], "51", "{wire}");
        assert!(spot.excerpt.starts_with("\"Now: 15:09:51"), "{wire}");
    }
    for (name, a) in recorded().into_iter().filter(|(name, _)| name.starts_with("gemini")) {
        let with = |now: &str| {
            let mut body = a.clone();
            body["systemInstruction"] = json!({ "parts": [{ "text": format!("It is {now}.") }] });
            body
        };
        let clock = Cause::Clock { older: "4".to_owned(), newer: "5".to_owned() };
        assert_eq!(
            causes(&with("Monday, 4 May 2026"), &with("Tuesday, 5 May 2026")),
            [Cause::Clock { older: "Monday".to_owned(), newer: "Tuesday".to_owned() }],
            "{name}"
        );
        assert_eq!(causes(&with("4 May 2026"), &with("5 May 2026")), [clock], "{name}");
    }
}

/// A window that slides by one message each turn.
/// <https://github.com/crystal-autobot/autobot/pull/143>, <https://github.com/nearai/ironclaw/issues/6985>
#[test]
fn b81_a_window_that_slides_breaks_at_its_head() {
    for wire in WIRES {
        let turn = |at: usize| [user(wire, &format!("Question {at}?")), assistant(wire, &format!("Answer {at}."))];
        let window = |turns: std::ops::Range<usize>| chat(wire, &turns.flat_map(turn).collect::<Vec<_>>());
        let diff = between(&window(0..10), &window(1..11));
        assert_eq!(diff.breaks().len(), 1, "{wire}");
        assert_eq!(diff.breaks()[0].cause, Cause::WindowStepped { gone: 2, came: 0 }, "{wire}");
        let at = usize::from(wire == Wire::OpenAiChat);
        let expected = [
            MessageChange::Gone { older: at },
            MessageChange::Gone { older: at + 1 },
            MessageChange::Added { newer: at + 18 },
            MessageChange::Added { newer: at + 19 },
        ];
        assert_eq!(diff.messages(), expected, "{wire}");
        // All but the new turn were in the older body.
        assert_eq!(diff.tokens().paid - diff.tokens().paid_again, estimate("Question 10?") + estimate("Answer 10."), "{wire}");
    }
}

#[test]
fn a_window_that_steps_behind_a_line_of_its_own_is_a_step() {
    for wire in WIRES {
        let a = [user(wire, "One"), assistant(wire, "1"), user(wire, "Two"), assistant(wire, "2")];
        let b = [user(wire, "[the conversation so far]"), a[3].clone(), user(wire, "Three")];
        assert_eq!(causes(&chat(wire, &a), &chat(wire, &b)), [Cause::WindowStepped { gone: 3, came: 1 }], "{wire}");
    }
}

#[test]
fn an_outcome_that_was_cut_or_cleared_is_told_apart() {
    for wire in WIRES {
        let long = "S-1043 is held. ".repeat(40);
        let of = |text: &str| {
            chat(wire, &[user(wire, "Where?"), call(wire, "c1", "{}"), outcome(wire, "c1", text), user(wire, "And?")])
        };
        let cut = format!("{}\n[cut: 640 characters in full]", &long[..64]);
        assert_eq!(causes(&of(&long), &of(&cut)), [Cause::OutcomeCut { older: 640, newer: 94 }], "{wire}");
        for cleared in ["[outcome left out to save room: outcome:7]", "[Old tool result content cleared]", ""] {
            assert_eq!(causes(&of(&long), &of(cleared)), [Cause::OutcomeCleared], "{wire}");
        }
        assert_eq!(causes(&of(&long), &of("S-1058 was delivered.")), [Cause::MessageEdited], "{wire}");
    }
}

#[test]
fn an_outcome_that_came_late_is_told() {
    for wire in WIRES {
        let of = |text: &str| {
            chat(wire, &[user(wire, "Where?"), call(wire, "c1", "{}"), outcome(wire, "c1", text), user(wire, "And?")])
        };
        assert_eq!(causes(&of("[no outcome was recorded for this call]"), &of("held")), [Cause::OutcomeLate], "{wire}");
        let without = chat(wire, &[user(wire, "Where?"), call(wire, "c1", "{}"), user(wire, "And?")]);
        assert_eq!(causes(&without, &of("held")), [Cause::OutcomeLate], "{wire}");
    }
}

#[test]
fn outcomes_in_another_order_are_reordered() {
    for wire in WIRES {
        let calls = [call(wire, "c1", "{}"), call(wire, "c2", "{}")];
        let outcomes = [outcome(wire, "c1", "first"), outcome(wire, "c2", "second")];
        let of = |order: [usize; 2]| {
            chat(wire, &[&calls[..], &order.map(|at| outcomes[at].clone()), &[user(wire, "And?")]].concat())
        };
        assert_eq!(causes(&of([0, 1]), &of([1, 0])), [Cause::Reordered], "{wire}");
    }
    // In one message, as Anthropic wants them.
    let of = |ids: [&str; 2]| {
        let blocks = ids.map(|id| json!({ "type": "tool_result", "tool_use_id": id, "content": id }));
        chat(Wire::Anthropic, &[json!({ "role": "user", "content": blocks })])
    };
    assert_eq!(causes(&of(["c1", "c2"]), &of(["c2", "c1"])), [Cause::Reordered]);
}

#[test]
fn a_file_that_became_a_line_is_told() {
    for wire in WIRES {
        let rest = [assistant(wire, "A cat."), picture(wire, "And this?")];
        let of = |first| chat(wire, &[&[first][..], &rest].concat());
        let line = two_texts(wire, "[image: cat.png, 8 bytes, not shown]", "See this.");
        let merged = user(wire, "[image: cat.png, 8 bytes, not shown] See this.");
        assert_eq!(causes(&of(picture(wire, "See this.")), &of(line)), [Cause::FileBecameLine], "{wire}");
        assert_eq!(causes(&of(picture(wire, "See this.")), &of(merged)), [Cause::FileBecameLine], "{wire}");
    }
}

/// <https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-invalidates-the-cache>
#[test]
fn the_first_picture_breaks_all_messages_of_anthropic_alone() {
    for wire in WIRES {
        let without = [user(wire, "Hi"), assistant(wire, "Hello.")];
        let with = [&without[..], &[picture(wire, "See this.")]].concat();
        let expected = if wire == Wire::Anthropic { vec![Cause::PicturesToggled { came: true }] } else { Vec::new() };
        assert_eq!(causes(&chat(wire, &without), &chat(wire, &with)), expected, "{wire}");
        let more = [&with[..], &[picture(wire, "And this.")]].concat();
        assert_eq!(causes(&chat(wire, &with), &chat(wire, &more)), [], "{wire}");
    }
}

#[test]
fn reasoning_that_is_not_sent_any_more_is_told() {
    let thought = |wire| match wire {
        Wire::OpenAiChat => vec![json!({ "role": "assistant", "content": "A cat.", "reasoning_content": "It has whiskers." })],
        Wire::OpenAiResponses => vec![json!({ "type": "reasoning", "summary": [] }), assistant(wire, "A cat.")],
        Wire::Anthropic => vec![json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": "It has whiskers.", "signature": "c2ln" }, { "type": "text", "text": "A cat." }] })],
        Wire::Gemini => vec![json!({ "role": "model", "parts": [
            { "text": "It has whiskers.", "thought": true }, { "text": "A cat." }] })],
    };
    for wire in WIRES {
        let of = |answer: &[_]| chat(wire, &[&[user(wire, "What is it?")][..], answer, &[user(wire, "And now?")]].concat());
        assert_eq!(causes(&of(&thought(wire)), &of(&[assistant(wire, "A cat.")])), [Cause::ReasoningGone], "{wire}");
    }
    // A recorded request of DeepSeek, whose reasoning stands beside the content.
    let (_, deepseek) = recorded().into_iter().find(|(name, _)| name == "openai_chat_pos_00").unwrap();
    let mut without = deepseek.clone();
    for message in messages(&mut without, Wire::OpenAiChat) {
        message.as_object_mut().unwrap().shift_remove("reasoning_content");
    }
    assert_eq!(causes(&deepseek, &without), [Cause::ReasoningGone]);
}

#[test]
fn a_card_that_was_settled_is_told() {
    for wire in WIRES {
        let of =
            |state: &str| chat(wire, &[user(wire, &format!("[confirmation] {state}: send the mail")), user(wire, "Well?")]);
        assert_eq!(causes(&of("waiting"), &of("done")), [Cause::CardSettled], "{wire}");
        assert_eq!(causes(&of("wartet"), &of("erledigt")), [Cause::CardSettled], "{wire}");
    }
}

#[test]
fn a_line_that_only_an_end_needs_is_told() {
    for wire in WIRES {
        let (ask, answer) = (user(wire, "Hi"), assistant(wire, "Hello."));
        for line in ["[continue]", "[confirmation] waiting: send the mail"] {
            let a = chat(wire, &[ask.clone(), answer.clone(), user(wire, line)]);
            let b = chat(wire, &[ask.clone(), answer.clone(), user(wire, "And?"), assistant(wire, "So.")]);
            assert_eq!(causes(&a, &b), [Cause::SyntheticTail], "{wire}");
            let ended = chat(wire, &[ask.clone(), answer.clone()]);
            assert_eq!(causes(&a, &ended), [Cause::SyntheticTail], "{wire}");
        }
    }
}

#[test]
fn keys_in_another_order_are_a_cause_of_their_own() {
    for wire in WIRES {
        let schema = |text: &str| serde_json::from_str(text).unwrap();
        let (one, other) = (schema(r#"{"type":"object","properties":{}}"#), schema(r#"{"properties":{},"type":"object"}"#));
        let of = |schema| body(wire, &[tool(wire, "find", schema)], "s", &[user(wire, "Hi")]);
        assert_eq!(causes(&of(&one), &of(&other)), [Cause::ReorderedKeys], "{wire}");
        let of = |arguments: &str| chat(wire, &[call(wire, "c1", arguments), outcome(wire, "c1", "held")]);
        assert_eq!(causes(&of(r#"{"a":1,"b":2}"#), &of(r#"{"b":2,"a":1}"#)), [Cause::ReorderedKeys], "{wire}");
    }
}

#[test]
fn every_member_of_a_tool_of_gemini_is_a_tool_and_its_place_is_told() {
    let of = |tools: serde_json::Value| {
        let mut body = chat(Wire::Gemini, &[user(Wire::Gemini, "Hi")]);
        body["tools"] = tools;
        body
    };
    let changed = |added: &[&str], gone: &[&str], altered: &[&str]| {
        let [added, gone, altered] = [added, gone, altered].map(|names| names.iter().map(ToString::to_string).collect());
        [Cause::ToolsChanged { added, gone, altered, reordered: false }]
    };
    let find = json!([{ "name": "find" }]);
    let both = of(json!([{ "functionDeclarations": find, "googleSearch": {}, "a/b": null }]));
    let alone = of(json!([{ "functionDeclarations": find }]));
    assert_eq!(causes(&both, &alone), changed(&[], &["googleSearch"], &[]));
    assert_eq!(causes(&alone, &both), changed(&["googleSearch"], &[], &[]));
    let bound = of(json!([{ "functionDeclarations": find, "googleSearch": { "excludeDomains": ["a.b"] } }]));
    let diff = between(&both, &bound);
    assert_eq!(diff.breaks()[0].cause, changed(&[], &[], &["googleSearch"])[0]);
    assert_eq!(diff.breaks()[0].older.as_ref().unwrap().place.as_str(), "/tools/0/googleSearch");
    // How they are put into objects is not what they say.
    let apart = of(json!([{ "functionDeclarations": find }, { "googleSearch": {} }]));
    assert_eq!(causes(&both, &apart), []);
    // Both spellings of one member are read.
    let twice = of(json!([{ "functionDeclarations": find, "function_declarations": [{ "name": "keep" }] }]));
    assert_eq!(causes(&alone, &twice), changed(&["keep"], &[], &[]));
    assert_eq!(causes(&alone, &of(json!({ "googleSearch": {} }))).len(), 1, "a list that is none");
}

#[test]
fn messages_that_came_between_went_or_read_otherwise_are_told_apart() {
    for wire in WIRES {
        let list: Vec<_> =
            (0..8)
                .map(|at| {
                    if at % 2 == 0 { user(wire, &format!("Question {at}?")) } else { assistant(wire, &format!("Answer {at}.")) }
                })
                .collect();
        let of = |list: &[_]| chat(wire, list);
        let inserted = [&list[..5], &[user(wire, "By the way: 7.")], &list[5..]].concat();
        assert_eq!(causes(&of(&list), &of(&inserted)), [Cause::MessagesInserted { count: 1 }], "{wire}");
        let gone = [&list[..5], &list[7..]].concat();
        assert_eq!(causes(&of(&list), &of(&gone)), [Cause::MessagesGone { count: 2 }], "{wire}");
        assert_eq!(causes(&of(&list), &of(&list[..6])), [Cause::MessagesGone { count: 2 }], "{wire}");
        let edited = [&list[..4], &[user(wire, "Question four, put better?")], &list[5..]].concat();
        assert_eq!(causes(&of(&list), &of(&edited)), [Cause::MessageEdited], "{wire}");
        let swapped = [&list[..2], &list[4..6], &list[2..4], &list[6..]].concat();
        assert_eq!(causes(&of(&list), &of(&swapped)), [Cause::Reordered], "{wire}");
    }
}

#[test]
fn marks_of_caches_that_move_are_no_break() {
    let mark = json!({ "type": "ephemeral" });
    let marked = |text: &str| json!({ "role": "user", "content": [{ "type": "text", "text": text, "cache_control": mark }] });
    let (ask, answer) = (user(Wire::Anthropic, "Hi"), assistant(Wire::Anthropic, "Hello."));
    let a = chat(Wire::Anthropic, &[marked("Hi")]);
    let b = chat(Wire::Anthropic, &[ask, answer, marked("And?")]);
    let diff = between(&a, &b);
    assert!(diff.held());
    let texts = |pointers: &[briefing_json::Pointer]| pointers.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&diff.marks().older), ["/messages/0/content/0"]);
    assert_eq!(texts(&diff.marks().newer), ["/messages/2/content/0"]);
}

#[test]
fn what_cannot_be_compared_is_an_error() {
    let chat = r#"{"messages": [{"role": "system", "content": "s"}]}"#;
    assert!(matches!(diff("{", chat, estimate), Err(DiffError::Syntax { side: Side::Older, .. })));
    assert_eq!(diff(chat, "[]", estimate), Err(DiffError::NotAnObject { side: Side::Newer }));
    assert_eq!(diff("{}", chat, estimate), Err(DiffError::NoMessages { side: Side::Older }));
    let different = DiffError::DifferentWires { older: Wire::OpenAiChat, newer: Wire::Gemini };
    assert_eq!(diff(chat, r#"{"contents": []}"#, estimate), Err(different));
}
