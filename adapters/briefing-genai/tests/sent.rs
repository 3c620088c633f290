//! What genai sends, seen by a server: the rendered body, whatever the list.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::{Bounds, Briefing, Wire, fit};
use briefing_adapter_tests::{Recorder, reasoned, recordings, told, violations};
use briefing_genai::{Lost, ToRequestError, adapter, exact, from_messages, to_request};
use briefing_tests::list::{calls, messages, steps};
use briefing_wire::{Render, parse_text};
use genai::chat::{ChatOptions, ChatRequest, ChatResponse};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden, ServiceTarget};
use proptest::prelude::*;
use serde_json::Value;

/// A client, and a server for each wire.
struct Line {
    runtime: tokio::runtime::Runtime,
    client: Client,
    servers: [(Wire, Recorder); 4],
}

impl Line {
    fn new() -> Self {
        let answer = |wire| recordings(wire).into_iter().find_map(|recording| recording.response).unwrap();
        let servers = Wire::ALL.map(|wire| (wire, Recorder::answering(&answer(wire))));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { runtime, client: Client::new().unwrap(), servers }
    }

    /// What was sent, and the answer.
    fn send(&self, model: ModelIden, request: ChatRequest, options: &ChatOptions) -> (String, ChatResponse) {
        let (_, server) = self.servers.iter().find(|(wire, _)| adapter(*wire) == model.adapter_kind).unwrap();
        let target = ServiceTarget { endpoint: Endpoint::from_owned(server.url()), auth: AuthData::from_single("key"), model };
        let answer = self.runtime.block_on(self.client.exec_chat(target, request, Some(options))).unwrap();
        (server.newest(), answer)
    }
}

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn rendered(briefing: &Briefing) -> String {
    String::from_utf8(briefing.render().unwrap().into_body()).unwrap()
}

#[test]
fn a_recorded_request_is_sent_valid_and_an_answer_read() {
    let line = Line::new();
    let mut sent = 0;
    for wire in Wire::ALL {
        for recording in recordings(wire) {
            let parsed = parse_text(wire, &recording.request.to_string()).unwrap();
            let briefing = fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap();
            let made = to_request(&briefing).unwrap();
            let (body, answer) = line.send(made.model, made.request, &made.options);
            assert_eq!(violations(&body, &parsed.call), [], "{}\n{body}", recording.name);
            let read = from_messages(&[genai::chat::ChatMessage::assistant(answer.content)], wire);
            assert_eq!((read.messages.len(), read.findings.len()), (1, 0), "{}", recording.name);

            if wire == Wire::Gemini {
                assert!(matches!(exact(&briefing), Err(ToRequestError::NoBody { wire: Wire::Gemini })), "{}", recording.name);
                sent += 1;
                continue;
            }
            let (model, options) = exact(&briefing).unwrap();
            let (body, _) = line.send(model, ChatRequest::default(), &options);
            let mut expected = value(&rendered(&briefing));
            expected["stream"] = false.into();
            if wire == Wire::OpenAiResponses && expected["store"].is_null() {
                expected["store"] = false.into();
            }
            expected.as_object_mut().unwrap().remove("stream_options");
            assert_eq!(value(&body), expected, "{}", recording.name);
            sent += 1;
        }
    }
    assert!(sent > 50, "only {sent} recordings");
}

/// genai has no place for the ids of reasoning.
fn without_ids(mut blocks: Vec<Value>) -> Vec<Value> {
    for block in blocks.iter_mut().filter_map(Value::as_object_mut) {
        block.remove("id");
    }
    blocks
}

proptest! {
    #[test]
    fn any_list_is_sent_valid_and_comes_back(steps in steps(20), call in calls()) {
        thread_local!(static LINE: Line = Line::new());
        let Ok(briefing) = fit(&messages(&steps), &call, &Bounds::none()) else { return Ok(()) };
        let made = to_request(&briefing).unwrap();
        // Which kinds of loss these lists have; others would be news.
        for loss in &made.losses {
            let id = if call.wire() == Wire::OpenAiResponses { "id" } else { "prefix" };
            let field = matches!(&loss.lost, Lost::Field { name } if name == id || name == "filename");
            let text = matches!(loss.lost, Lost::FileAsText | Lost::SystemAsUser | Lost::PartAsText { .. });
            let gemini = call.wire() == Wire::Gemini && matches!(loss.lost, Lost::Failed | Lost::Thought { .. });
            prop_assert!(field || text || gemini, "{loss:?}");
        }
        let body = rendered(&briefing);
        let normalised = parse_text(call.wire(), &body).unwrap().messages;
        let back = from_messages(&made.request.messages, call.wire());
        prop_assert_eq!(&back.findings, &[]);
        prop_assert_eq!(without_ids(reasoned(&back.messages)), without_ids(reasoned(&normalised)));
        if made.losses.iter().all(|loss| matches!(loss.lost, Lost::Field { .. } | Lost::Failed | Lost::Thought { .. })) {
            prop_assert_eq!(told(&back.messages), told(&normalised));
        }
        let (sent, _) = LINE.with(|line| line.send(made.model, made.request, &made.options));
        let found = violations(&sent, &call);
        prop_assert!(found.is_empty(), "{found:?}\nrendered {body}\nsent {sent}");
    }
}
