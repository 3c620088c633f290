//! Chat templates of real models render every window without raising. Mistral's enforces alternation, the others refuse
//! orphaned outcomes.
//!
//! A template is given what servers give it: arguments as an object, content of text parts joined to one string.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::path::Path;

use briefing::message::{Assistant, Bytes, Item, Media, Outcome, Part, ToolCall};
use briefing::{Bounds, Call, Dialect, ModelMessage, ModelProfile, Wire, fit};
use briefing_tests::transcripts::transcripts;
use briefing_wire::Render;
use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, Error, ErrorKind, context};
use proptest::prelude::*;
use serde_json::{Value, json};

fn environment(template: &'static str) -> Environment<'static> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/templates").join(template);
    let source = std::fs::read_to_string(&path).unwrap();
    let mut environment = Environment::new();
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_function("raise_exception", |text: String| -> Result<String, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, text))
    });
    // As transformers registers it: with options that change nothing about whether a template raises.
    environment.add_filter("tojson", |value: minijinja::Value, options: Kwargs| -> Result<String, Error> {
        options.get::<Option<bool>>("ensure_ascii")?;
        options.get::<Option<usize>>("indent")?;
        serde_json::to_string(&value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
    });
    environment.add_function("strftime_now", |_: String| "2026-11-29");
    environment.add_template_owned("chat", source).unwrap();
    environment
}

/// The messages as a server hands them to its template.
fn served(body: &[u8]) -> Value {
    let body: Value = serde_json::from_slice(body).unwrap();
    let mut messages = body["messages"].clone();
    for message in messages.as_array_mut().unwrap() {
        let content = &message["content"];
        let text = match content {
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
            Value::String(text) => text.clone(),
            _ => String::new(),
        };
        message["content"] = json!(text);
        for call in message.get_mut("tool_calls").and_then(Value::as_array_mut).into_iter().flatten() {
            let arguments = call["function"]["arguments"].as_str().unwrap().to_owned();
            call["function"]["arguments"] = serde_json::from_str(&arguments).unwrap();
        }
    }
    messages
}

fn every_window_renders(template: &'static str, call: &Call) {
    let environment = environment(template);
    let chat = environment.get_template("chat").unwrap();
    let mut seen = 0;
    for (number, messages) in transcripts().iter().enumerate() {
        for end in 1..=messages.len() {
            for most in [3, 4, 5, 7, 10, 30] {
                let briefing = fit(&messages[..end], call, &Bounds::none().messages(most)).unwrap();
                let messages = served(briefing.render().unwrap().body());
                let rendered = chat.render(context! { messages => Serde(&messages), add_generation_prompt => true, bos_token => "<s>", eos_token => "</s>" });
                if let Err(error) = rendered {
                    panic!("{template}, transcript {number}, end {end}, {most} messages: {error:#}\n{messages:#}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen > 5_000);
}

fn compatible(name: &str) -> Call {
    Call::new(ModelProfile {
        name: name.into(),
        wire: Wire::OpenAiChat,
        dialect: Dialect::Compatible,
        ..ModelProfile::default()
    })
}

#[test]
fn mistral_nemo() {
    every_window_renders("mistralai-Mistral-Nemo-Instruct-2407.jinja", &Call::model("open-mistral-nemo", None));
}

#[test]
fn gpt_oss() {
    every_window_renders("openai-gpt-oss-120b.jinja", &Call::model("gpt-oss-120b", None));
}

#[test]
fn minimax() {
    every_window_renders("MiniMax-M2.jinja", &compatible("minimax-m2"));
}

#[test]
fn apertus() {
    every_window_renders("Apertus-8B-Instruct.jinja", &compatible("apertus-8b"));
}

/// What an agent's log can hold, in any order: runs that ended without an answer leave inputs, outcomes and answers in a row.
fn histories() -> impl Strategy<Value = Vec<ModelMessage>> {
    let picture = || Part::Image(Media::data("image/png", Bytes::encode(b"\x89PNG")));
    // The template takes ids of nine characters alone.
    let step = move |(at, kind): (usize, u8)| match kind {
        0 | 1 => vec![ModelMessage::user("Where is it?")],
        2 => vec![ModelMessage::assistant("On its way.")],
        3 => vec![ModelMessage::system("Be brief.")],
        kind => {
            let id = format!("call{at:05}");
            let call = Item::Call(ToolCall::new(&*id, "look_up", "{}"));
            let mut outcome = Outcome::text(&*id, "found");
            outcome.parts.extend((kind == 5).then(picture));
            let said = Assistant { items: vec![call], ..Assistant::default() };
            vec![ModelMessage::Assistant(said.into()), ModelMessage::Tool(outcome.into())]
        }
    };
    prop::collection::vec(0_u8..6, 0..9).prop_map(move |kinds| kinds.into_iter().enumerate().flat_map(step).collect())
}

proptest! {
    /// A server of a small model whose template wants turns, as `alternates` in a profile says.
    #[test]
    fn where_roles_must_alternate_they_do(history in histories(), prefill: bool) {
        let profile = ModelProfile { alternates: true, prefill, ..compatible("small").profile().clone() };
        let briefing = fit(&history, &Call::new(profile), &Bounds::none()).unwrap();
        let messages = served(briefing.render().unwrap().body());
        let environment = environment("mistralai-Mistral-Nemo-Instruct-2407.jinja");
        let chat = environment.get_template("chat").unwrap();
        let rendered = chat.render(context! { messages => Serde(&messages), bos_token => "<s>", eos_token => "</s>" });
        prop_assert!(rendered.is_ok(), "{:#}\n{messages:#}", rendered.unwrap_err());
        // Leading system text is not among the messages that a window counts; alone it needs no line, and one is counted.
        let counted = messages.as_array().unwrap().iter().filter(|message| message["role"] != "system").count();
        prop_assert_eq!(briefing.receipt().total().messages, counted.max(1) as u64);
    }
}

#[test]
fn a_broken_list_raises() {
    let environment = environment("mistralai-Mistral-Nemo-Instruct-2407.jinja");
    let messages = json!([{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]);
    let rendered = environment
        .get_template("chat")
        .unwrap()
        .render(context! { messages => Serde(&messages), bos_token => "", eos_token => "" });
    assert!(rendered.unwrap_err().to_string().contains("must alternate"));
}
