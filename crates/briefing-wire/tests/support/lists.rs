//! Lists of messages as no client should write them: odd ids, names, arguments and texts, files, reasoning and native blocks of both
//! wires, system text anywhere, rounds that are torn apart.

use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, CallId, Extra, Input, Item, MAX_INPUT_CHARS, Media, MediaSource, Native, Outcome, Part, RawJson,
    Reasoning, System, SystemPart, Text, ToolCall, User,
};
use briefing::{Call, ModelMessage, Tool, Wire};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

/// Messages that belong together: an input, system text, or a round with all its outcomes.
pub(crate) type Group = Vec<ModelMessage>;

/// A model on each wire, in each dialect, with each rule for the ends and for system text.
pub(crate) const MODELS: [(Wire, &str); 7] = [
    (Wire::OpenAiChat, "gpt-4o"),
    (Wire::OpenAiChat, "mistral-large-latest"),
    (Wire::OpenAiChat, "deepseek-chat"),
    (Wire::OpenAiChat, "some-model"),
    (Wire::Anthropic, "claude-sonnet-4-5"),
    (Wire::Anthropic, "claude-opus-4-6"),
    (Wire::Anthropic, "claude-opus-4-8"),
];

/// Whole groups, in order.
pub(crate) fn groups() -> impl Strategy<Value = Vec<Group>> {
    vec(group(), 0..7)
}

/// Groups whose messages were then dropped, repeated and moved.
pub(crate) fn torn() -> impl Strategy<Value = Vec<ModelMessage>> {
    let tear = vec((0..4_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..4);
    (groups(), tear).prop_map(|(groups, tears)| {
        let mut list: Vec<ModelMessage> = groups.into_iter().flatten().collect();
        for (how, one, other) in tears {
            if list.is_empty() {
                break;
            }
            let (one, other) = (one.index(list.len()), other.index(list.len()));
            match how {
                0 => drop(list.remove(one)),
                1 => list.insert(other, list.get(one).cloned().unwrap_or_else(|| ModelMessage::user(""))),
                _ => list.swap(one, other),
            }
        }
        list
    })
}

/// A call of one of the models, with tools and parameters.
pub(crate) fn call() -> impl Strategy<Value = Call> {
    (select(&MODELS[..]), vec(tool(), 0..3), any::<bool>(), select(vec!["auto", "none", "named", ""])).prop_map(
        |((wire, model), tools, thinking, choice)| {
            let mut call = Call::model(model, Some(wire)).parameter("temperature", raw("0.5"));
            if thinking && wire == Wire::Anthropic {
                call = call.parameter("thinking", raw(r#"{"type": "enabled", "budget_tokens": 1024}"#));
            }
            let named = tools.first().and_then(Tool::name).unwrap_or("get").to_owned();
            let choice = match (choice, wire) {
                ("named", Wire::Anthropic) => Some(serde_json::json!({"type": "tool", "name": named})),
                ("named", Wire::OpenAiChat) => Some(serde_json::json!({"type": "function", "function": {"name": named}})),
                ("", _) => None,
                (kind, Wire::Anthropic) => Some(serde_json::json!({ "type": kind })),
                (kind, Wire::OpenAiChat) => Some(kind.into()),
            };
            if let Some(choice) = choice {
                call = call.parameter("tool_choice", raw(&choice.to_string()));
            }
            call.tools(tools)
        },
    )
}

fn raw(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

fn tool() -> impl Strategy<Value = Tool> {
    let function = (name(), extra()).prop_map(|(name, extra)| Tool::Function {
        name,
        description: Some("does \"it\"".into()),
        schema: raw(r#"{"type": "object", "properties": {}}"#),
        extra,
    });
    let native = Just(Tool::Native {
        wire: Wire::Anthropic,
        name: Some("web_search".into()),
        raw: raw(r#"{"type":"web_search_20250305","name":"web_search"}"#),
    });
    prop_oneof![6 => function, 1 => native]
}

fn group() -> BoxedStrategy<Group> {
    prop_oneof![
        4 => user().prop_map(|user| vec![ModelMessage::User(Arc::new(user))]),
        1 => system().prop_map(|system| vec![ModelMessage::System(Arc::new(system))]),
        2 => answer().prop_map(|said| vec![ModelMessage::Assistant(Arc::new(said))]),
        4 => round(),
    ]
    .boxed()
}

pub(crate) fn text() -> BoxedStrategy<String> {
    let odd = [
        "",
        " ",
        "\n\t",
        "\u{a0}",
        "\u{200b}",
        "\0",
        "a\0b",
        "hello",
        "hello \n",
        "\"quoted\" \\ back",
        "é",
        "😀\u{fe0f}",
        "\u{feff}x",
        "\u{85}",
        "\u{2028}",
        "{\"a\":1}",
        "[system] x",
    ];
    prop_oneof![6 => select(odd.map(String::from).to_vec()), 1 => ".{0,40}", 1 => any::<String>()].boxed()
}

fn id() -> BoxedStrategy<String> {
    let odd = [
        "",
        "c1",
        "c1-2",
        "call_1",
        "call_2",
        "a.b",
        "a:b",
        "a_b",
        "functions.write:0",
        "6IgxW8LfZ",
        "toolu_01XhRHVXkKSCMGnaoHjpKax8",
        "\0",
        "é",
        "a b",
        "\"",
    ];
    prop_oneof![8 => select(odd.map(String::from).to_vec()), 1 => "[a-z.:]{30,90}", 1 => any::<String>()].boxed()
}

fn name() -> BoxedStrategy<String> {
    let odd = ["", "tool", "get", "get.weather", "get:weather", "get_weather", "get-weather", "web_search", "é", "a b"];
    prop_oneof![8 => select(odd.map(String::from).to_vec()), 1 => "[a-z.]{60,140}", 1 => any::<String>()].boxed()
}

fn input() -> BoxedStrategy<Input> {
    let deep = format!("{}{}", "[".repeat(110), "]".repeat(110));
    let deepest = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let odd = [
        "",
        "{}",
        " {\"a\" : [1, 2.50]}\n",
        "[1]",
        "null",
        "\"x\"",
        "{\"a\":\"\\ud83d\"}",
        "{\"\\ude00\":1}",
        "\"\\ud83d\"",
        "{\"command\":\"ls",
        "\\\\\\\"\"\u{1}",
        "{\"a\":\"\\u0000\"}",
        "not json",
        "{}{}",
        "{\"a\":1,\"a\":2}",
        "12e400",
        &deep,
        &deepest,
    ];
    let odd: Vec<Input> = odd.iter().map(|raw| Input::new(*raw)).collect();
    prop_oneof![12 => select(odd), 2 => any::<String>().prop_map(Input::new), 1 => "[\"\\\\\u{1}]{0,300}".prop_map(Input::new)]
        .boxed()
}

/// Arguments beyond what providers take. Slow to make, so they are no part of [`input`].
pub(crate) fn long_input() -> Input {
    Input::new(format!("{{\"a\":\"{}\"}}", "x\\\"é".repeat(MAX_INPUT_CHARS / 3)))
}

fn extra() -> BoxedStrategy<Extra> {
    let anthropic =
        [("cache_control", r#"{"type":"ephemeral"}"#), ("citations", " null"), ("type", "\"x\""), ("odd \"name\"", "[1, 2]")];
    let openai = [
        ("name", "\"Bob\""),
        ("detail", "\"high\""),
        ("role", "\"developer\""),
        ("prefix", "true"),
        ("content", "5"),
        ("refusal", "null"),
    ];
    let fields = |wire: Wire, (name, value): (&str, &str)| Extra::new(wire, vec![(name.into(), raw(value))]);
    let anthropic: Vec<Extra> = anthropic.iter().map(|field| fields(Wire::Anthropic, *field)).collect();
    let openai: Vec<Extra> = openai.iter().map(|field| fields(Wire::OpenAiChat, *field)).collect();
    prop_oneof![6 => Just(Extra::default()), 1 => select(anthropic), 1 => select(openai)].boxed()
}

fn text_part() -> impl Strategy<Value = Text> {
    (text(), extra()).prop_map(|(text, extra)| Text { text, extra })
}

fn media(types: &'static [&'static str]) -> impl Strategy<Value = Media> {
    let source = prop_oneof![
        4 => select(vec!["iVBORw0KGgo=", "AAAA", "", "!!"]).prop_map(|data| MediaSource::Data(Bytes::from_base64(data))),
        1 => select(vec!["https://example.org/a \"b\".png", ""]).prop_map(|url| MediaSource::Url(url.into())),
        1 => select(vec![Wire::Anthropic, Wire::OpenAiChat]).prop_map(|wire| MediaSource::File { wire, id: "file_1".into() }),
    ];
    (source, select(types), prop::option::of(select(vec!["a.pdf", "x \"y\"\n.png", ""])), extra()).prop_map(
        |(source, media_type, name, extra)| Media {
            source,
            media_type: media_type.into(),
            filename: name.map(Arc::from),
            extra,
        },
    )
}

fn part() -> BoxedStrategy<Part> {
    prop_oneof![
        6 => text_part().prop_map(Part::Text),
        1 => media(&["image/png", "image/jpeg", "image/tiff", ""]).prop_map(Part::Image),
        1 => media(&["application/pdf", "text/plain"]).prop_map(Part::Document),
        1 => given().prop_map(Part::Native),
    ]
    .boxed()
}

fn user() -> impl Strategy<Value = User> {
    (vec(part(), 0..4), extra()).prop_map(|(parts, extra)| User { parts, extra })
}

fn system() -> impl Strategy<Value = System> {
    let part = prop_oneof![6 => text_part().prop_map(SystemPart::Text), 1 => given().prop_map(SystemPart::Native)];
    (vec(part, 0..3), extra()).prop_map(|(parts, extra)| System { parts, extra })
}

fn native(wire: Wire, kind: &str, json: &str, needs: Option<&str>) -> Native {
    Native { wire, kind: kind.into(), raw: raw(json), reads_as: None, needs: needs.map(Arc::from) }
}

/// Blocks of inputs and outcomes.
fn given() -> impl Strategy<Value = Native> {
    let search = r#"{"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]}"#;
    let audio = r#"{"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}"#;
    select(vec![
        native(Wire::Anthropic, "search_result", search, None),
        native(Wire::Anthropic, "search_result", search, Some("srv_9")),
        native(
            Wire::Anthropic,
            "server_tool_use",
            r#"{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}"#,
            None,
        ),
        native(Wire::Anthropic, "odd", "5", None),
        native(Wire::OpenAiChat, "input_audio", audio, None),
        native(Wire::OpenAiChat, "refusal", "\"no\"", None),
        native(Wire::OpenAiChat, "", "{}", None),
    ])
}

/// Blocks of answers.
fn spoken() -> impl Strategy<Value = Native> {
    let result = r#"{"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}"#;
    select(vec![
        native(
            Wire::Anthropic,
            "server_tool_use",
            r#"{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}"#,
            None,
        ),
        native(Wire::Anthropic, "web_search_tool_result", result, Some("srv_1")),
        native(Wire::Anthropic, "tool_use", r#"{"type":"tool_use","id":"x","name":"y","input":{}}"#, None),
        native(Wire::Anthropic, "tool_result", r#"{"type":"tool_result","tool_use_id":"x"}"#, None),
        native(Wire::OpenAiChat, "refusal", "\"I will not\"", None),
        native(Wire::OpenAiChat, "refusal", r#"{"type":"refusal","refusal":"no"}"#, None),
        native(Wire::OpenAiChat, "content", "\"x\"", None),
        native(Wire::OpenAiChat, "image_url", r#"{"type":"image_url","image_url":{"url":"https://x"}}"#, None),
    ])
}

fn reasoning() -> impl Strategy<Value = Reasoning> {
    let one = |wire, kind: &str, json: &str| Reasoning { wire, kind: kind.into(), raw: raw(json) };
    select(vec![
        one(Wire::Anthropic, "thinking", r#"{"type":"thinking","thinking":"","signature":"c2ln"}"#),
        one(Wire::Anthropic, "thinking", r#"{ "type": "thinking", "thinking": "hm", "signature": "" }"#),
        one(Wire::Anthropic, "redacted_thinking", r#"{"type":"redacted_thinking","data":"ZGF0YQ=="}"#),
        one(Wire::Anthropic, "odd", "1"),
        one(Wire::OpenAiChat, "reasoning_content", "\"hm\""),
        one(Wire::OpenAiChat, "reasoning_details", r#"[{"type": "reasoning.text", "text": "hm"}]"#),
        one(Wire::OpenAiChat, "content", "\"hm\""),
    ])
}

fn said() -> BoxedStrategy<Item> {
    prop_oneof![
        5 => text_part().prop_map(Item::Text),
        1 => reasoning().prop_map(Item::Reasoning),
        1 => spoken().prop_map(Item::Native),
    ]
    .boxed()
}

fn answer() -> impl Strategy<Value = Assistant> {
    (vec(said(), 0..4), extra()).prop_map(|(items, extra)| Assistant { items, model: None, extra })
}

fn tool_call() -> impl Strategy<Value = ToolCall> {
    (id(), name(), input(), extra()).prop_map(|(id, name, input, extra)| ToolCall { id: CallId::new(id), name, input, extra })
}

/// One assistant message, or two, and an outcome for each call.
fn round() -> BoxedStrategy<Group> {
    let one = (vec(said(), 0..3), vec(tool_call(), 1..4), extra());
    let outcome = (vec(part(), 0..3), prop::option::of(any::<bool>()), extra());
    (vec(one, 1..3), vec(outcome, 6))
        .prop_map(|(said, outcomes)| {
            let mut group = Vec::new();
            let mut calls = Vec::new();
            for (mut items, said_calls, extra) in said {
                calls.extend(said_calls.iter().map(|call| call.id.clone()));
                items.extend(said_calls.into_iter().map(Item::Call));
                group.push(ModelMessage::Assistant(Arc::new(Assistant { items, model: None, extra })));
            }
            for (call, (parts, failed, extra)) in calls.into_iter().zip(outcomes) {
                group.push(ModelMessage::Tool(Arc::new(Outcome { call, parts, failed, extra })));
            }
            group
        })
        .boxed()
}
