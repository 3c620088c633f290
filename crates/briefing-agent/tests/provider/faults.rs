//! What goes wrong, and what is to be done about it.

use std::time::Duration;

use crate::support::{DELIVERIES, ask, asked, client, fault, provider, request};
use briefing::Wire;
use briefing_agent::provider::http::{Delivery, Endpoint, HttpProvider, Limits};
use briefing_agent::scripted::{Refusal, Say, Script, ScriptedServer, Turn};
use briefing_agent::{FaultKind, Provider, ProviderFault};
use briefing_wire::{CutWhy, ErrorKind, ProviderError};

const PASSING: FaultKind = FaultKind::Transient { retry_after: None };

fn after(seconds: u64) -> FaultKind {
    FaultKind::Transient { retry_after: Some(Duration::from_secs(seconds)) }
}

#[tokio::test]
async fn every_refusal_has_its_kind_on_every_wire() {
    let table = [
        (Refusal::Overflow, ErrorKind::TooLarge, FaultKind::TooLarge),
        (Refusal::RateLimited, ErrorKind::RateLimited, after(7)),
        (Refusal::Failed, ErrorKind::Unavailable, after(7)),
        (Refusal::Overloaded, ErrorKind::Unavailable, after(7)),
    ];
    for wire in Wire::ALL {
        for (refusal, error, kind) in table {
            let fault = fault(wire, Turn::refusal(refusal).header("Retry-After", "7")).await;
            let ProviderFault::Refused { error: said, .. } = &fault else { panic!("{fault:?}") };
            assert_eq!((said.kind, fault.kind()), (error, kind), "{wire:?} {fault}");
        }
        assert_eq!(fault(wire, Turn::refusal(Refusal::UnknownKey)).await.kind(), FaultKind::Permanent);
        assert_eq!(fault(wire, Turn::refusal(Refusal::NotFound)).await.kind(), FaultKind::Permanent);
    }
}

#[tokio::test]
async fn a_status_decides_where_the_body_says_nothing_known() {
    let mut kinds = Vec::new();
    for status in [400, 401, 402, 403, 404, 408, 409, 413, 422, 425, 429, 500, 502, 503, 504, 529] {
        let fault = fault(Wire::OpenAiChat, Turn::status(status, "<html>nginx</html>")).await;
        let error = ProviderError { kind: ErrorKind::Unknown, name: None, message: "<html>nginx</html>".to_owned() };
        let ProviderFault::Refused { status: told, error: said, retry_after: None } = &fault else { panic!("{fault:?}") };
        assert_eq!((*told, said), (status, &error));
        kinds.push((status, fault.kind()));
    }
    let permanent = |status| (status, FaultKind::Permanent);
    let passing = |status| (status, PASSING);
    assert_eq!(
        kinds,
        [
            permanent(400),
            permanent(401),
            permanent(402),
            permanent(403),
            permanent(404),
            passing(408),
            passing(409),
            (413, FaultKind::TooLarge),
            permanent(422),
            passing(425),
            passing(429),
            passing(500),
            passing(502),
            passing(503),
            passing(504),
            passing(529),
        ]
    );
}

#[tokio::test]
async fn what_is_said_decides_before_the_status() {
    let kind = async |status: u16, body: &str| fault(Wire::OpenAiChat, Turn::status(status, body)).await.kind();
    let quota = r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#;
    assert_eq!(kind(429, quota).await, FaultKind::Permanent);
    let groq = r#"{"error":{"message":"Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7500","type":"tokens","code":"rate_limit_exceeded"}}"#;
    assert_eq!(kind(413, groq).await, FaultKind::TooLarge);
    let llama = r#"{"error":{"code":400,"message":"request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":4390,"n_ctx":4096}}"#;
    assert_eq!(kind(400, llama).await, FaultKind::TooLarge);
    let long = r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#;
    assert_eq!(kind(500, long).await, FaultKind::TooLarge);
    // In a body of status 200 there is nothing but what is said.
    assert_eq!(kind(200, r#"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#).await, PASSING);
    assert_eq!(kind(200, r#"{"error":"no such model"}"#).await, FaultKind::Permanent);
}

#[tokio::test]
async fn how_long_to_wait_is_read_in_every_form() {
    let asked = async |headers: &[(&str, &str)], body: &str| {
        let turn = headers.iter().fold(Turn::status(429, body), |turn, (name, value)| turn.header(*name, *value));
        match fault(Wire::Gemini, turn).await {
            ProviderFault::Refused { retry_after, .. } => retry_after,
            other => panic!("{other}"),
        }
    };
    let seconds = |seconds: f64| Some(Duration::from_secs_f64(seconds));
    assert_eq!(asked(&[("Retry-After", "20")], "").await, seconds(20.0));
    assert_eq!(asked(&[("Retry-After", "0.5")], "").await, seconds(0.5));
    assert_eq!(asked(&[("retry-after-ms", "1500"), ("Retry-After", "2")], "").await, seconds(1.5));
    let now = ("Date", "Sun, 06 Nov 1994 08:49:00 GMT");
    assert_eq!(asked(&[now, ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")], "").await, seconds(37.0));
    assert_eq!(asked(&[now, ("Retry-After", "Sun, 06 Nov 1994 08:48:37 GMT")], "").await, seconds(0.0));
    assert_eq!(asked(&[("Retry-After", "soon")], "").await, None);
    assert_eq!(asked(&[("Retry-After", "-3")], "").await, None);
    let info = r#"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}"#;
    assert_eq!(asked(&[], info).await, seconds(34.5));
    assert_eq!(asked(&[], &format!("[{info}]")).await, seconds(34.5));
    assert_eq!(asked(&[("Retry-After", "1")], info).await, seconds(1.0));
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_cut_wherever_it_does() {
    for wire in Wire::ALL {
        let say = Say::text("Some words").then_calls([("call_1", "look_up", serde_json::json!({"order": 7}))]);
        for delivery in DELIVERIES {
            let length = match delivery {
                Delivery::Streamed => say.streamed(wire, "m").len(),
                Delivery::Whole => say.whole(wire, "m").len(),
            };
            for share in [0, 1, 2, 3] {
                let turn = Turn::say(say.clone()).cut_after(length * share / 4);
                let fault = asked(wire, delivery, Limits::default(), turn).await.unwrap_err();
                let ProviderFault::Cut { cut } = &fault else { panic!("{wire:?} {delivery:?} {share}: {fault:?}") };
                assert_eq!((&cut.why, fault.kind()), (&CutWhy::Ended, PASSING), "{wire:?} {delivery:?} {share}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_in_the_middle_cuts_and_one_at_the_beginning_refuses() {
    let error = "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n";
    let known = ProviderError {
        kind: ErrorKind::Unavailable,
        name: Some("overloaded_error".to_owned()),
        message: "Overloaded".to_owned(),
    };
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
    let cut = fault(Wire::OpenAiChat, Turn::stream(format!("{begun}{error}"))).await;
    let ProviderFault::Cut { cut: what } = &cut else { panic!("{cut:?}") };
    assert_eq!((&what.why, cut.kind()), (&CutWhy::Provider(known.clone()), PASSING));
    let refused = fault(Wire::OpenAiChat, Turn::stream(error)).await;
    let ProviderFault::Refused { status: 200, error, retry_after: None } = &refused else { panic!("{refused:?}") };
    assert_eq!((error, refused.kind()), (&known, PASSING));
}

#[tokio::test]
async fn what_is_no_answer_is_unreadable_and_not_asked_again() {
    let told = async |turn: Turn| {
        let fault = fault(Wire::OpenAiChat, turn).await;
        assert_eq!(fault.kind(), FaultKind::Permanent);
        fault.to_string()
    };
    let page =
        "the answer cannot be read: a page in place of an answer: <!doctype html> <html><body><h1>Welcome</h1></body></html>";
    assert_eq!(told(Turn::page()).await, page);
    assert_eq!(told(Turn::json("\n <html>")).await, "the answer cannot be read: a page in place of an answer: <html>");
    assert_eq!(told(Turn::json("{}")).await, "the answer cannot be read: the body: `choices` is missing");
    assert_eq!(
        told(Turn::stream("data: x\n\n")).await,
        "the answer cannot be read: an event of the stream is no JSON: unexpected character at line 1, byte 0"
    );
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
    // Where an answer began, what breaks it is on the way.
    assert_eq!(fault(Wire::OpenAiChat, Turn::stream(format!("{begun}data: x\n\n"))).await.kind(), PASSING);
    assert_eq!(fault(Wire::OpenAiChat, Turn::json("")).await.kind(), PASSING);
}

#[tokio::test]
async fn silence_is_told_with_the_limit_that_it_reached() {
    let short = Duration::from_millis(80);
    let long = Duration::from_secs(600);
    let first = Limits { first_byte: short, between_bytes: long, ..Limits::default() };
    let between = Limits { first_byte: long, between_bytes: short, ..Limits::default() };
    let say = Turn::say(Say::text("Some words"));
    for delivery in DELIVERIES {
        for (limits, turn) in [
            (first, say.clone().first_byte_after(long)),
            (first, say.clone().stall_after(0)),
            (between, say.clone().stall_after(20)),
        ] {
            let fault = asked(Wire::Anthropic, delivery, limits, turn).await.unwrap_err();
            let ProviderFault::TimedOut { after, .. } = &fault else { panic!("{fault:?}") };
            assert_eq!((*after, fault.kind()), (short, PASSING));
        }
    }
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let server = ScriptedServer::start(Script::turns::<Turn>([])).await.unwrap();
    let (host, provider) = (server.host(), provider(&server, Wire::OpenAiChat));
    drop(server);
    let fault = loop {
        // The port closes when the runtime comes to it.
        tokio::task::yield_now().await;
        match ask(&provider).await.0.unwrap_err() {
            ProviderFault::Refused { .. } => {}
            fault => break fault,
        }
    };
    let ProviderFault::Unreachable { host: told, detail } = &fault else { panic!("{fault:?}") };
    assert_eq!((told, fault.kind()), (&host, PASSING));
    assert!(!detail.contains("http://"), "{detail}");
}

#[tokio::test]
async fn an_answer_of_a_gigabyte_is_left_at_the_limit() {
    let limits = Limits { answer_bytes: 1 << 20, ..Limits::default() };
    for delivery in DELIVERIES {
        let server = ScriptedServer::start(Script::turns([Turn::filler(1 << 30)])).await.unwrap();
        let provider = provider(&server, Wire::Gemini).limits(limits).delivery(delivery);
        let fault = ask(&provider).await.0.unwrap_err();
        assert_eq!(fault.to_string(), "the answer takes more than 1048576 bytes");
        assert_eq!(fault.kind(), FaultKind::Permanent);
        server.left().await;
    }
    // One that tells its size is not begun.
    let turn = Turn::json(vec![b' '; 2 << 20]).stall_after(0);
    let fault = asked(Wire::Gemini, Delivery::Whole, limits, turn).await.unwrap_err();
    assert_eq!(fault.to_string(), "the answer takes more than 1048576 bytes");
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let other = ScriptedServer::start(Script::turns([Say::text("Hi")])).await.unwrap();
    for status in [301, 302, 307, 308] {
        let to = format!("{}/chat/completions?key=abc", other.base(Wire::OpenAiChat));
        let fault = fault(Wire::OpenAiChat, Turn::status(status, "").header("Location", to)).await;
        let known = format!("the provider refused ({status}): it redirects to {}, where nothing is sent", other.host());
        assert_eq!((fault.to_string(), fault.kind()), (known, FaultKind::Permanent));
    }
    assert_eq!(other.requests(), []);
}

#[tokio::test]
async fn a_future_that_is_dropped_drops_its_connection() {
    let server = ScriptedServer::start(Script::turns([Turn::say(Say::text("Some words")).stall_after(30)])).await.unwrap();
    let provider = HttpProvider::new(&client(), Endpoint::new(Wire::OpenAiChat, &server.base(Wire::OpenAiChat)).unwrap());
    let request = request(&provider, Wire::OpenAiChat, "Hello");
    let mut told = |_: &briefing_wire::StreamEvent| {};
    let asking = provider.send(&request, &mut told);
    let stalled = std::pin::pin!(server.stalled(1));
    let futures_util::future::Either::Right(((), asking)) = futures_util::future::select(asking, stalled).await else {
        panic!("it was answered")
    };
    drop(asking);
    server.left().await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_server_that_is_dropped_ends_its_connections() {
    let server = ScriptedServer::start(Script::turns([Turn::say(Say::text("Some words")).stall_after(30)])).await.unwrap();
    let provider = provider(&server, Wire::Anthropic);
    let dropped = async {
        server.stalled(1).await;
        drop(server);
    };
    let ((result, _), ()) = futures_util::future::join(ask(&provider), dropped).await;
    assert!(matches!(result, Err(ProviderFault::Cut { .. })), "{result:?}");
}

/// A server may break a stream that said all.
#[tokio::test]
async fn a_connection_that_breaks_behind_the_answer_spoils_nothing() {
    for wire in Wire::ALL {
        let say = Say::text("Some words");
        let model = crate::support::model(wire);
        let turn = Turn::say(say.clone()).cut_after(say.streamed(wire, model).len());
        let answer = asked(wire, Delivery::Streamed, Limits::default(), turn).await.unwrap();
        let whole = asked(wire, Delivery::Whole, Limits::default(), Turn::say(say)).await.unwrap();
        assert_eq!(answer, whole, "{wire:?}");
    }
}

#[tokio::test]
async fn a_connection_that_stays_open_behind_the_answer_spoils_nothing() {
    let limits = Limits { between_bytes: Duration::from_millis(80), first_byte: Duration::MAX, ..Limits::default() };
    let endless = Limits { between_bytes: Duration::MAX, ..limits };
    for wire in Wire::ALL {
        let say = Say::text("Some words");
        let length = say.streamed(wire, crate::support::model(wire)).len();
        let open = asked(wire, Delivery::Streamed, limits, Turn::say(say.clone()).stall_after(length)).await.unwrap();
        let closed = asked(wire, Delivery::Streamed, endless, Turn::say(say)).await.unwrap();
        assert_eq!(open, closed, "{wire:?}");
    }
}
