//! Answers over loopback: what was recorded, and what is made, whole and streamed.

use crate::recorded::{Recording, recordings, streams};
use crate::support::{DELIVERIES, ask, asked, model, provider, request};
use briefing::message::{Item, RawJson};
use briefing::{Call, Wire};
use briefing_agent::provider::http::{Delivery, Limits};
use briefing_agent::scripted::{SaidCall, Say, Script, ScriptedServer, Turn};
use briefing_agent::{Provider, ProviderFault};
use briefing_check::{Rules, check, recognise};
use briefing_json::Document;
use briefing_wire::{AnswerError, CutWhy, Finished, Stop, Stream, StreamEvent, UnfinishedCall, Usage, parse_answer_text};
use serde_json::{Value, json};

#[tokio::test]
async fn every_recorded_response_reads_as_it_was_recorded() {
    let (mut whole, mut streamed, mut refused) = (0, 0, 0);
    for recording in recordings() {
        let is_stream = recording.is_stream();
        let Recording { name, wire, status, response, .. } = recording;
        let turn = if is_stream { Turn::stream(&*response) } else { Turn::status(status, &*response) };
        for delivery in DELIVERIES {
            let told = asked(wire, delivery, Limits::default(), turn.clone().pieces([7, 500, 1])).await;
            if is_stream {
                let mut stream = Stream::new(wire);
                stream.push(response.as_bytes());
                let Finished::Whole(known) = stream.finish() else { panic!("{name}") };
                assert_eq!(told.unwrap(), known, "{name}");
                streamed += 1;
                continue;
            }
            match parse_answer_text(wire, &response) {
                Ok(known) => {
                    assert_eq!(told.unwrap(), known, "{name}");
                    whole += 1;
                }
                Err(AnswerError::Provider(known)) => {
                    let Err(ProviderFault::Refused { status: of, error, retry_after: None }) = told else {
                        panic!("{name}: {told:?}")
                    };
                    assert_eq!((of, error), (status, known), "{name}");
                    refused += 1;
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    assert_eq!((whole, streamed, refused), (106, 6, 6));
}

#[tokio::test]
async fn every_stream_tells_what_it_holds_and_comes_to_the_same() {
    let mut seen = 0;
    for (path, wire, bytes) in streams() {
        let mut stream = Stream::new(wire);
        let known_events = stream.push(&bytes);
        let server = ScriptedServer::start(Script::turns([Turn::stream(bytes)])).await.unwrap();
        let (result, events) = ask(&provider(&server, wire)).await;
        let path = path.display();
        assert_eq!(joined(events), joined(known_events), "{path}");
        match (result, stream.finish()) {
            (Ok(told), Finished::Whole(known)) => assert_eq!(told, known, "{path}"),
            (Err(ProviderFault::Cut { cut: told }), Finished::Cut(known)) => assert_eq!(*told, known, "{path}"),
            (Err(ProviderFault::Refused { status: 200, error, retry_after: None }), Finished::Cut(known)) => {
                assert_eq!(known.why, CutWhy::Provider(error), "{path}");
            }
            (told, known) => panic!("{path}: {told:?}\n{known:?}"),
        }
        seen += 1;
    }
    assert!(seen >= 40, "{seen}");
}

/// The events, with neighbours joined that only the borders of pieces part.
fn joined(events: Vec<StreamEvent>) -> Vec<StreamEvent> {
    let mut out: Vec<StreamEvent> = Vec::new();
    for event in events {
        match (out.last_mut(), &event) {
            (Some(StreamEvent::Text { text }), StreamEvent::Text { text: more }) => text.push_str(more),
            _ => out.push(event),
        }
    }
    out
}

/// The calls, by their parts.
fn calls(items: &[Item]) -> Vec<(String, String, Option<Value>)> {
    let calls = items.iter().filter_map(|item| match item {
        Item::Call(call) => Some((call.id.to_string(), call.name.clone(), call.input.as_json())),
        Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => None,
    });
    calls.collect()
}

#[tokio::test]
async fn what_is_said_is_the_same_on_every_wire_whole_and_streamed() {
    let usage = Usage { input: Some(70), output: Some(9), ..Usage::default() };
    for wire in Wire::ALL {
        let arguments = json!({"order": 7, "city": "Zürich"});
        let say = Say::texts(["Let me ", "look."])
            .then_calls([("call_1", "look_up", arguments.clone()), ("call_2", "look_up", json!({}))])
            .usage(70, 9);
        let script = Script::turns([say.clone(), say]);
        let server = ScriptedServer::start(script).await.unwrap();
        let (streamed, told) = ask(&provider(&server, wire)).await;
        let (whole, nothing) = ask(&provider(&server, wire).delivery(Delivery::Whole)).await;
        let (streamed, whole) = (streamed.unwrap(), whole.unwrap());
        let known = vec![
            ("call_1".to_owned(), "look_up".to_owned(), Some(arguments)),
            ("call_2".to_owned(), "look_up".to_owned(), Some(json!({}))),
        ];
        assert_eq!(calls(&streamed.said.items), known, "{wire:?}");
        assert_eq!((streamed.stop.clone(), streamed.usage), (Stop::ToolUse, usage), "{wire:?}");
        assert_eq!(streamed.said.model.as_deref(), Some(model(wire)), "{wire:?}");
        assert_eq!(streamed, whole, "{wire:?}");
        let texts: Vec<&str> = told
            .iter()
            .filter_map(|event| if let StreamEvent::Text { text } = event { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(texts, ["Let me ", "look."], "{wire:?}");
        assert_eq!(nothing, [], "{wire:?}");
    }
}

#[tokio::test]
async fn what_a_limit_cut_is_no_call() {
    let broken = SaidCall { id: "call_1".to_owned(), name: "look_up".to_owned(), arguments: "{\"order\":".to_owned() };
    for wire in [Wire::OpenAiChat, Wire::OpenAiResponses] {
        let turn = Turn::say(Say::calls([broken.clone()]).cut_by_limit());
        let answer = asked(wire, Delivery::Streamed, Limits::default(), turn).await.unwrap();
        let unfinished = UnfinishedCall { id: "call_1".into(), name: "look_up".to_owned(), input: "{\"order\":".to_owned() };
        assert_eq!((answer.stop, answer.unfinished, calls(&answer.said.items)), (Stop::Length, vec![unfinished], vec![]));
    }
}

#[tokio::test]
async fn each_wire_is_asked_at_its_path_with_its_headers_and_a_body_that_its_checker_passes() {
    let mut seen = Vec::new();
    for wire in Wire::ALL {
        for delivery in DELIVERIES {
            let server = ScriptedServer::start(Script::turns([Say::text("Hi")])).await.unwrap();
            ask(&provider(&server, wire).delivery(delivery)).await.0.unwrap();
            let requests = server.requests();
            let [request] = requests.as_slice() else { panic!("{requests:?}") };
            assert_eq!(request.header("content-type"), Some("application/json"));
            let version = (wire == Wire::Anthropic).then_some("2023-06-01");
            assert_eq!(request.header("anthropic-version"), version);
            let body = String::from_utf8(request.body.clone()).unwrap();
            let document = Document::parse(&body).unwrap();
            let recognised = recognise(document.root()).unwrap().wire;
            let report = check(document.root(), &Rules::for_model(recognised, model(wire)));
            assert_eq!(report.violations, [], "{body}");
            let fields: Vec<&str> = ["stream", "stream_options"]
                .into_iter()
                .filter_map(|key| document.root().get(key).map(|value| value.raw()))
                .collect();
            seen.push(format!("{} {}", request.path, fields.join(" ")).trim().to_owned());
        }
    }
    assert_eq!(
        seen,
        [
            r#"/v1/chat/completions true {"include_usage":true}"#,
            "/v1/chat/completions",
            "/v1/responses true",
            "/v1/responses",
            "/v1/messages true",
            "/v1/messages",
            "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            "/v1beta/models/gemini-2.5-flash:generateContent",
        ]
    );
}

#[tokio::test]
async fn what_a_call_says_of_streaming_gives_way_to_the_delivery() {
    let server = ScriptedServer::start(Script::turns::<Turn>([])).await.unwrap();
    let raw = |json: &str| RawJson::new(json).unwrap();
    let call = Call::model("gpt-4o", Some(Wire::OpenAiChat))
        .parameter("stream_options", raw(r#"{"include_usage":true,"include_obfuscation":false}"#))
        .parameter("temperature", raw("0"));
    let provider = provider(&server, Wire::OpenAiChat);
    let streamed = provider.prepare(call.clone());
    assert_eq!(streamed, call.clone().parameter("stream", raw("true")));
    let bare = Call::model("gpt-4o", Some(Wire::OpenAiChat)).parameter("temperature", raw("0"));
    assert_eq!(provider.clone().delivery(Delivery::Whole).prepare(streamed), bare);
}

#[tokio::test]
async fn a_request_of_another_wire_is_not_sent() {
    let server = ScriptedServer::start(Script::turns([Say::text("Hi")])).await.unwrap();
    let gemini = request(&provider(&server, Wire::Gemini), Wire::Gemini, "Hello");
    let fault = provider(&server, Wire::Anthropic).send(&gemini, &mut |_| {}).await.unwrap_err();
    assert_eq!(fault.to_string(), "the request is written for gemini, the provider speaks anthropic");
    assert_eq!(server.requests(), []);
}

#[tokio::test]
async fn a_hundred_streams_at_once_keep_apart() {
    let script = Script::answering(|request| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let number = body.split("number ").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default().to_owned();
        Turn::say(Say::texts(["It is ", &number])).stall_after(3)
    });
    let server = ScriptedServer::start(script).await.unwrap();
    let provider = provider(&server, Wire::OpenAiResponses);
    let asking = (0..100).map(|number| {
        let provider = &provider;
        async move {
            let request = request(provider, Wire::OpenAiResponses, &format!("This is number {number}"));
            let mut text = String::new();
            let answer = provider
                .send(&request, &mut |event| {
                    if let StreamEvent::Text { text: more } = event {
                        text.push_str(more);
                    }
                })
                .await;
            (text, answer.map(|answer| answer.stop).unwrap())
        }
    });
    let released = async {
        server.stalled(100).await;
        server.release();
    };
    let (answers, ()) = futures_util::future::join(futures_util::future::join_all(asking), released).await;
    let known: Vec<(String, Stop)> = (0..100).map(|number| (format!("It is {number}"), Stop::End)).collect();
    assert_eq!(answers, known);
}
