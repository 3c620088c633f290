//! Lists of messages as no client should write them: odd ids, names, arguments and texts, files, reasoning and native blocks of both
//! wires, system text anywhere, rounds that are torn apart.

use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, CallId, Input, Item, MAX_INPUT_CHARS, Media, MediaSource, Outcome, Part, System, SystemPart, Text,
    ToolCall, User,
};
use briefing::{ModelMessage, Wire};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

use super::opaque::{extra, given, reasoning, spoken};

/// Messages that belong together: an input, system text, or a round with all its outcomes.
pub(crate) type Group = Vec<ModelMessage>;

/// A model on each wire, in each dialect, with each rule for the ends and for system text.
pub(crate) const MODELS: [(Wire, &str); 13] = [
    (Wire::OpenAiChat, "gpt-5"),
    (Wire::OpenAiChat, "gpt-4o"),
    (Wire::OpenAiChat, "mistral-large-latest"),
    (Wire::OpenAiChat, "deepseek-chat"),
    (Wire::OpenAiChat, "some-model"),
    (Wire::OpenAiResponses, "gpt-5"),
    (Wire::OpenAiResponses, "gpt-4o"),
    (Wire::OpenAiResponses, "deepseek-v4-flash"),
    (Wire::Gemini, "gemini-3-flash-preview"),
    (Wire::Gemini, "gemini-2.5-flash"),
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

fn group() -> BoxedStrategy<Group> {
    prop_oneof![
        40 => user().prop_map(|user| vec![ModelMessage::User(Arc::new(user))]),
        12 => system().prop_map(|system| vec![ModelMessage::System(Arc::new(system))]),
        20 => answer().prop_map(|said| vec![ModelMessage::Assistant(Arc::new(said))]),
        38 => round(),
        1 => wide_round(),
    ]
    .boxed()
}

/// More calls than one message of OpenAI may hold.
fn wide_round() -> impl Strategy<Value = Group> {
    (select(vec![129_usize, 300]), id(), tool_call(), extra()).prop_map(|(count, id, call, extra)| {
        let calls: Vec<ToolCall> =
            (0..count).map(|index| ToolCall { id: CallId::new(format!("{id}{index}")), ..call.clone() }).collect();
        let ids: Vec<CallId> = calls.iter().map(|call| call.id.clone()).collect();
        let items = calls.into_iter().map(Item::Call).collect();
        let mut group = vec![ModelMessage::Assistant(Arc::new(Assistant { items, model: None, extra }))];
        group.extend(ids.into_iter().map(|id| ModelMessage::outcome(id, "ok")));
        group
    })
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

pub(crate) fn name() -> BoxedStrategy<String> {
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
        "{\"a\":[1e999]}",
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

fn text_part() -> impl Strategy<Value = Text> {
    (text(), extra()).prop_map(|(text, extra)| Text { text, extra })
}

fn media(types: &'static [&'static str]) -> impl Strategy<Value = Media> {
    let source = prop_oneof![
        4 => select(vec!["iVBORw0KGgo=", "AAAA", "", "!!"]).prop_map(|data| MediaSource::Data(Bytes::from_base64(data))),
        1 => select(vec!["https://example.org/a \"b\".png", "", "data:text/plain,x", "data:image/png;base64,AAAA"]).prop_map(|url| MediaSource::Url(url.into())),
        1 => select(Wire::ALL.to_vec()).prop_map(|wire| MediaSource::File { wire, id: "file_1".into() }),
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
        1 => media(&["image/png", "image/jpeg", "image/gif", "image/heic", "image/tiff", ""]).prop_map(Part::Image),
        1 => media(&["application/pdf", "text/plain"]).prop_map(Part::Document),
        2 => given().prop_map(Part::Native),
    ]
    .boxed()
}

fn user() -> impl Strategy<Value = User> {
    (vec(part(), 0..4), extra()).prop_map(|(parts, extra)| User { parts, extra })
}

fn system() -> impl Strategy<Value = System> {
    let part = prop_oneof![6 => text_part().prop_map(SystemPart::Text), 2 => given().prop_map(SystemPart::Native)];
    (vec(part, 0..3), extra()).prop_map(|(parts, extra)| System { parts, extra })
}

fn said() -> BoxedStrategy<Item> {
    prop_oneof![
        5 => text_part().prop_map(Item::Text),
        1 => reasoning().prop_map(Item::Reasoning),
        2 => spoken().prop_map(Item::Native),
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
