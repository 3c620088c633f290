//! What rig sends, kept by a client without a network: valid, and of what is valid everything.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::{Bounds, Briefing, Call, Wire, fit};
use briefing_adapter_tests::{reasoned, recordings, told, violations};
use briefing_rig::{Converted, Lost, from_messages, origin, to_request};
use briefing_tests::list::{calls, messages, steps};
use briefing_wire::{Render, parse_text};
use proptest::prelude::*;
use rig_core::completion::CompletionRequest;
use rig_core::http_client::DynHttpClient;
use rig_core::message::{AssistantMessage, Message};
use rig_core::providers::anthropic::wire::AnthropicConfig;
use rig_core::providers::openai::OpenAIConfig;
use rig_core::test_utils::RecordingHttpClient;

/// What rig sends to that call's model, and the turn that it reads from a recorded answer.
fn send(call: &Call, request: CompletionRequest) -> Result<(String, AssistantMessage), rig_core::ProviderError> {
    let answer = recordings(call.wire()).into_iter().find_map(|recording| recording.response).unwrap().to_string();
    let recorder = RecordingHttpClient::new(answer);
    let http = DynHttpClient::new(recorder.clone());
    let model = call.profile().name.to_string();
    let response = pollster::block_on(async {
        match call.wire() {
            Wire::OpenAiChat => OpenAIConfig::new("key").connect(http).chat(model).call(request).await,
            Wire::Anthropic => AnthropicConfig::new("key").connect(http).completion(model).call(request).await,
        }
    })?;
    let body = String::from_utf8(recorder.requests()[0].body.to_vec()).unwrap();
    Ok((body, AssistantMessage::new(response.choice).with_origin(origin(call))))
}

fn rendered(briefing: &Briefing) -> String {
    String::from_utf8(briefing.render().unwrap().into_body()).unwrap()
}

fn converted(briefing: &Briefing) -> Converted {
    to_request(briefing, &origin(briefing.call())).unwrap()
}

#[test]
fn a_recorded_request_is_sent_valid_and_an_answer_read() {
    let mut sent = 0;
    for wire in [Wire::OpenAiChat, Wire::Anthropic] {
        for recording in recordings(wire) {
            let parsed = parse_text(wire, &recording.request.to_string()).unwrap();
            let briefing = fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap();
            let (body, turn) = match send(&parsed.call, converted(&briefing).request) {
                Ok(sent) => sent,
                Err(error) => panic!("{}: {error}", recording.name),
            };
            assert_eq!(violations(&body, &parsed.call), [], "{}\n{body}", recording.name);
            let read = from_messages(&[Message::Assistant(turn)], wire);
            assert_eq!((read.messages.len(), read.findings), (1, vec![]), "{}", recording.name);
            sent += 1;
        }
    }
    assert!(sent > 20, "only {sent} recordings");
}

proptest! {
    #[test]
    fn any_list_is_sent_valid_and_comes_back(steps in steps(20), call in calls()) {
        let Ok(briefing) = fit(&messages(&steps), &call, &Bounds::none()) else { return Ok(()) };
        let made = converted(&briefing);
        prop_assert_eq!(&made.read, &[]);
        let body = rendered(&briefing);
        let normalised = parse_text(call.wire(), &body).unwrap().messages;
        let back = from_messages(&made.request.chat_history, call.wire());
        prop_assert_eq!(&back.findings, &[]);
        prop_assert_eq!(reasoned(&back.messages), reasoned(&normalised));
        // Which kinds of loss these lists have; others would be news.
        for loss in &made.losses {
            let field = matches!(&loss.lost, Lost::Field { name } if name == "prefix" || name == "filename");
            prop_assert!(field || matches!(loss.lost, Lost::FileAsText | Lost::BlockAsText { .. }), "{loss:?}");
        }
        if made.losses.iter().all(|loss| matches!(loss.lost, Lost::Field { .. })) {
            prop_assert_eq!(told(&back.messages), told(&normalised));
        }
        let (sent, _) = match send(&call, made.request) {
            Ok(sent) => sent,
            Err(error) => return Err(TestCaseError::fail(format!("{error}\n{body}"))),
        };
        let found = violations(&sent, &call);
        prop_assert!(found.is_empty(), "{found:?}\nrendered {body}\nsent {sent}");
    }
}
