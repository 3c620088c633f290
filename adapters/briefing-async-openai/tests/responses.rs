//! Responses: a briefing in the client's types and back, recorded requests and answers, and any list.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops at the first surprise")]

use async_openai::types::responses::{InputParam, Response};
use briefing::message::{Assistant, ModelMessage};
use briefing::{Bounds, Briefing, Wire, fit};
use briefing_adapter_tests::{reasoned, recordings, told, violations};
use briefing_async_openai::responses::{from_answer, from_items, from_request, to_request};
use briefing_async_openai::{LossKind, ToRequestError};
use briefing_tests::list::{call, call_on, messages, steps};
use briefing_wire::{Render, parse_answer_text, parse_text};
use proptest::prelude::*;
use serde_json::Value;

const WIRE: Wire = Wire::OpenAiResponses;

fn rendered(briefing: &Briefing) -> String {
    String::from_utf8(briefing.render().unwrap().into_body()).unwrap()
}

/// The client leaves out what is null.
fn without_null(mut blocks: Vec<Value>) -> Vec<Value> {
    for block in &mut blocks {
        block.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    }
    blocks
}

#[test]
fn a_recorded_request_is_sent_valid_and_its_answer_read() {
    let mut read = 0;
    for recording in recordings(WIRE) {
        let parsed = parse_text(WIRE, &recording.request.to_string()).unwrap();
        let briefing = fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap();
        let converted = to_request(&briefing).unwrap();
        assert_eq!(converted.losses, [], "{}", recording.name);
        let body = serde_json::to_string(&converted.request).unwrap();
        assert_eq!(violations(&body, &parsed.call), [], "{}\n{body}", recording.name);
        let back = from_request(&converted.request).unwrap().messages;
        let normalised = parse_text(WIRE, &rendered(&briefing)).unwrap().messages;
        assert_eq!(told(&back), told(&normalised), "{}", recording.name);
        assert_eq!(without_null(reasoned(&back)), without_null(reasoned(&normalised)), "{}", recording.name);

        let Some(response) = recording.response else { continue };
        let answer = from_answer(&serde_json::from_value::<Response>(response.clone()).unwrap()).unwrap();
        let expected = parse_answer_text(WIRE, &response.to_string()).unwrap();
        let message = |said: &Assistant| [ModelMessage::Assistant(said.clone().into())];
        assert_eq!(told(&message(&answer.said)), told(&message(&expected.said)), "{}", recording.name);
        assert_eq!((answer.stop, answer.id), (expected.stop, expected.id), "{}", recording.name);
        read += 1;
    }
    assert!(read > 5, "only {read} answers");
}

#[test]
fn what_a_provider_has_said_comes_back_in_its_place() {
    let body = r#"{"model":"gpt-5","store":false,"include":["reasoning.encrypted_content"],"input":[
        {"role":"user","content":"Where is 7?","type":"message"},
        {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2ln"},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"find_order","arguments":"{\"number\":7}"},
        {"type":"function_call_output","call_id":"c1","output":"packed"}]}"#;
    let parsed = parse_text(WIRE, body).unwrap();
    let converted = to_request(&fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap()).unwrap();
    assert_eq!((converted.findings, converted.losses), (vec![], vec![]));
    assert_eq!(from_request(&converted.request).unwrap().messages, parsed.messages);
    let InputParam::Items(items) = &converted.request.input else { panic!("{:?}", converted.request.input) };
    assert_eq!(from_items(items).unwrap().messages, parsed.messages);
}

#[test]
fn a_field_of_a_server_is_told_and_a_tool_of_it_refused() {
    let converted = |body: &str| {
        let parsed = parse_text(WIRE, body).unwrap();
        to_request(&fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap())
    };
    let known =
        converted(r#"{"model":"gpt-5","enable_thinking":true,"input":[{"role":"user","content":"Hello","name":"ann"}]}"#);
    let losses: Vec<(String, LossKind)> =
        known.unwrap().losses.into_iter().map(|loss| (loss.place.as_str().to_owned(), loss.kind)).collect();
    let dropped = |place: &str| (place.to_owned(), LossKind::Dropped);
    assert_eq!(losses, [dropped("/enable_thinking"), dropped("/input/0/name")]);
    let unknown = converted(r#"{"model":"gpt-5","tools":[{"type":"telepathy"}],"input":[{"role":"user","content":"Hello"}]}"#);
    assert!(matches!(unknown, Err(ToRequestError::Refused { .. })), "{unknown:?}");
    let other = to_request(&fit(&[ModelMessage::user("Hello")], &call("gemini-3-flash", false), &Bounds::none()).unwrap());
    assert!(matches!(other, Err(ToRequestError::OtherWire { wire: Wire::Gemini, wanted: WIRE })), "{other:?}");
}

proptest! {
    #[test]
    fn any_list_is_sent_valid_and_comes_back(
        steps in steps(25),
        model in prop::sample::select(vec!["gpt-5", "deepseek-v4-flash"]),
        tools in any::<bool>(),
    ) {
        let call = call_on(model, Some(WIRE), tools);
        let Ok(briefing) = fit(&messages(&steps), &call, &Bounds::none()) else { return Ok(()) };
        let body = rendered(&briefing);
        let converted = match to_request(&briefing) {
            Ok(converted) => converted,
            // An item of a provider's own without what the client's type demands.
            Err(ToRequestError::Refused { .. }) if body.contains(r#""type":"web_search_call","value""#) => return Ok(()),
            Err(error) => panic!("{error}\n{body}"),
        };
        prop_assert_eq!(&converted.losses, &[]);
        let sent = serde_json::to_string(&converted.request).unwrap();
        let found = violations(&sent, &call);
        prop_assert!(found.is_empty(), "{found:?}\n{sent}");
        let normalised = parse_text(WIRE, &body).unwrap().messages;
        let back = from_request(&converted.request).unwrap().messages;
        prop_assert_eq!(told(&back), told(&normalised));
        prop_assert_eq!(reasoned(&back), reasoned(&normalised));
    }
}
