//! Tools, `tool_choice` and the parameters that providers refuse: what becomes of each.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use briefing::message::{Extra, RawJson, User};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_wire::{ThinkingFault, WireChange};
use serde_json::{Value, json};
use std::sync::Arc;
use support::{changes, checked, render, text, value};

const MODELS: [(Wire, &str); 2] = [(Wire::OpenAiChat, "gpt-5"), (Wire::Anthropic, "claude-sonnet-4-5")];

fn raw(json: &str) -> RawJson {
    RawJson::new(json).unwrap()
}

fn function(name: &str, schema: &str) -> Tool {
    Tool::function(name, "does it", raw(schema))
}

/// The body of a call, which the checker takes, and what was changed.
fn sent(call: &Call) -> (Value, Vec<WireChange>) {
    let list = [ModelMessage::user("go")];
    let request = render(&list, call);
    assert_eq!(checked(text(&request), call.profile()).violations, [], "{}", text(&request));
    (value(&request), changes(&list, call))
}

#[test]
fn schemas_are_made_those_of_objects() {
    let schemas = [
        (r#"{"type":"object"}"#, None),
        (r#"{ "properties": {"a": true} }"#, Some(r#"{"type":"object", "properties": {"a": true} }"#)),
        ("{}", Some(r#"{"type":"object"}"#)),
        (r#"{"x":1,"type":["object","null"]}"#, Some(r#"{"x":1,"type":"object"}"#)),
        ("true", Some(r#"{"type":"object","properties":{}}"#)),
        ("[]", Some(r#"{"type":"object","properties":{}}"#)),
    ];
    for (wire, model) in MODELS {
        for (schema, mended) in schemas {
            let call = Call::model(model, Some(wire)).tools([function("get", schema)]);
            let list = [ModelMessage::user("go")];
            assert!(text(&render(&list, &call)).contains(&format!(":{}", mended.unwrap_or(schema))), "{model} {schema}");
            let expected = mended.map(|_| WireChange::SchemaMended { name: "get".into() });
            assert_eq!(sent(&call).1, Vec::from_iter(expected), "{model} {schema}");
        }
    }
}

#[test]
fn tools_that_cannot_be_are_left_out() {
    let schema = r#"{"type":"object"}"#;
    let many = (0..130).map(|index| function(&format!("t{index}"), schema)).collect::<Vec<_>>();
    let left_out = |name: &str| WireChange::ToolLeftOut { name: name.into() };
    let count = |body: &Value| body.get("tools").and_then(Value::as_array).map_or(0, Vec::len);
    let (body, found) = sent(&Call::model("gpt-5", None).tools(many.clone()));
    assert_eq!((count(&body), found), (128, vec![left_out("t128"), left_out("t129")]));
    let (body, found) = sent(&Call::model("claude-sonnet-4-5", None).tools(many));
    assert_eq!((count(&body), found), (130, vec![]));

    let twice = [function("get", schema), function("get", schema), function("a.b", schema), function("a.b", schema)];
    let native = |wire, name: Option<&str>, json: &str| Tool::Native { wire, name: name.map(str::to_owned), raw: raw(json) };
    let none = [
        (Wire::OpenAiChat, r#"{"type":"function","name":"f"}"#),
        (Wire::OpenAiChat, r#"{"name":"f"}"#),
        (Wire::Anthropic, r#"{"name":"f"}"#),
        (Wire::Anthropic, r#"{"type":"custom","name":"f"}"#),
    ];
    for (wire, model) in MODELS {
        let (body, found) = sent(&Call::model(model, Some(wire)).tools(twice.clone()));
        assert_eq!((count(&body), found.get(..2)), (2, Some(&[left_out("get"), left_out("a.b")][..])), "{model}");
        let none: Vec<Tool> = none.iter().map(|(wire, json)| native(*wire, Some("f"), json)).collect();
        let (body, found) = sent(&Call::model(model, Some(wire)).tools(none));
        assert_eq!((body.get("tools"), found), (None, vec![left_out("f"); 4]), "{model}");
    }

    // The provider's own names stay free, whatever odd names are mapped to.
    let tool = r#"{"type":"odd_1","name":"NAME"}"#;
    let call = Call::model("claude-sonnet-4-5", None);
    let mapped = sent(&call.clone().tools([function("a b", schema)])).0.pointer("/tools/0/name").unwrap().clone();
    let tool = tool.replace("NAME", mapped.as_str().unwrap());
    let own = native(Wire::Anthropic, mapped.as_str(), &tool);
    let (body, _) = sent(&call.tools([function("a b", schema), own]));
    assert_eq!((count(&body), body.pointer("/tools/1/name")), (2, Some(&mapped)));
    assert_ne!(body.pointer("/tools/0/name"), Some(&mapped));
}

#[test]
fn a_choice_that_the_wire_does_not_take_is_left_out() {
    let schema = r#"{"type":"object"}"#;
    let search = r#"{"type":"web_search_20250305","name":"web_search"}"#;
    let custom = r#"{"type":"custom","custom":{"name":"grep"}}"#;
    let tools = [
        function("get", schema),
        Tool::Native { wire: Wire::Anthropic, name: Some("web_search".into()), raw: raw(search) },
        Tool::Native { wire: Wire::OpenAiChat, name: Some("grep".into()), raw: raw(custom) },
    ];
    let stays = |call: &Call, choice: &str| {
        let (body, found) = sent(&call.clone().parameter("tool_choice", raw(choice)));
        let left_out = found.contains(&WireChange::ToolChoiceLeftOut);
        let expected: Value = serde_json::from_str(choice).unwrap();
        assert_eq!(body.get("tool_choice"), (!left_out).then_some(&expected), "{choice}");
        !left_out
    };
    let openai = Call::model("gpt-5", None).tools(tools.clone());
    let claude = Call::model("claude-sonnet-4-5", None).tools(tools);
    let forms = [
        // OpenAI, Anthropic
        ("\"auto\"", true, false),
        ("5", false, false),
        ("[]", false, false),
        ("{}", true, false),
        (r#"{"type":"auto"}"#, true, true),
        (r#"{"type":"tool"}"#, true, false),
        (r#"{"type":"tool","name":"get"}"#, true, true),
        (r#"{"type":"tool","name":"web_search"}"#, false, true),
        (r#"{"type":"tool","name":"other"}"#, false, false),
        (r#"{"type":"function","function":{"name":"get"}}"#, true, true),
        (r#"{"type":"function","function":{"name":"grep"}}"#, false, false),
        (r#"{"type":"custom","custom":{"name":"grep"}}"#, true, true),
    ];
    for (choice, on_openai, on_claude) in forms {
        assert_eq!((stays(&openai, choice), stays(&claude, choice)), (on_openai, on_claude), "{choice}");
    }
}

#[test]
fn odd_limits_and_thinking_that_would_be_refused_are_left_out() {
    let claude = Call::model("claude-sonnet-4-5", None).output_reserve(100);
    let most = |value: &str| sent(&claude.clone().parameter("max_tokens", raw(value)));
    let left_out = vec![WireChange::FieldLeftOut { name: "max_tokens".into() }];
    for odd in ["\"x\"", "null", "-1", "1.5"] {
        let (body, found) = most(odd);
        assert_eq!((body.get("max_tokens"), found), (Some(&json!(100)), left_out.clone()), "{odd}");
    }
    assert_eq!(most("0").0.get("max_tokens"), Some(&json!(0)));

    let thinking = |budget: u32| raw(&json!({"type": "enabled", "budget_tokens": budget}).to_string());
    // The limit that the body does not name leaves room for the budget.
    let (body, found) = sent(&claude.clone().parameter("thinking", thinking(2_000)));
    assert_eq!((body.get("max_tokens"), found), (Some(&json!(2_001)), vec![]));
    let off = |call: Call, why: ThinkingFault| {
        let (body, found) = sent(&call);
        assert_eq!((body.get("thinking"), found), (None, vec![WireChange::ThinkingTurnedOff { why }]));
    };
    off(claude.clone().parameter("thinking", thinking(1)), ThinkingFault::Budget);
    let limited = claude.clone().parameter("max_tokens", raw("2000"));
    off(limited.parameter("thinking", thinking(2_000)), ThinkingFault::Budget);
    let forced = claude.tools([function("get", r#"{"type":"object"}"#)]).parameter("tool_choice", raw(r#"{"type":"any"}"#));
    off(forced.parameter("thinking", thinking(2_000)), ThinkingFault::ForcedTool);
}

#[test]
fn names_of_messages_that_openai_refuses_are_left_out() {
    let named = |name: &str| {
        let mut user = User { parts: vec![briefing::message::Part::text("go")], ..User::default() };
        user.extra = Extra::new(Wire::OpenAiChat, vec![("name".into(), raw(name))]);
        [ModelMessage::User(Arc::new(user))]
    };
    let left_out = vec![WireChange::FieldLeftOut { name: "name".into() }];
    for (name, model, expected) in [
        ("\"Bob\"", "gpt-5", vec![]),
        ("\"Bob Smith\"", "gpt-5", left_out.clone()),
        ("\"\"", "gpt-5", left_out),
        ("\"Bob Smith\"", "some-model", vec![]),
    ] {
        let call = Call::model(model, Some(Wire::OpenAiChat));
        assert_eq!(changes(&named(name), &call), expected, "{name} {model}");
        assert_eq!(checked(text(&render(&named(name), &call)), call.profile()).violations, []);
    }
}

/// What an answer says beside its content stands at its place, even if it was kept as an unknown field.
#[test]
fn a_refusal_kept_as_an_unknown_field_stands_where_it_is_read() {
    let said = briefing::message::Assistant {
        items: vec![briefing::message::Item::Text(briefing::message::Text::new("t"))],
        extra: Extra::new(Wire::OpenAiChat, vec![("odd".into(), raw("1")), ("refusal".into(), raw("\"no\""))]),
        ..Default::default()
    };
    let list = [ModelMessage::user("a"), ModelMessage::Assistant(Arc::new(said)), ModelMessage::user("b")];
    let request = render(&list, &Call::model("gpt-5", None));
    assert!(text(&request).contains(r#"{"role":"assistant","content":"t","refusal":"no","odd":1}"#));
    assert_eq!(support::again(text(&request), Wire::OpenAiChat), text(&request));
}
