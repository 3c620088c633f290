//! Trying again, by a clock that does not wait.

use std::sync::Mutex;
use std::time::Duration;

use crate::support::{provider, request};
use briefing::Wire;
use briefing_agent::provider::{Retry, send_with_retries};
use briefing_agent::scripted::{Refusal, Say, Script, ScriptedServer, Turn};
use briefing_agent::{BoxFuture, Clock, ProviderFault};
use briefing_wire::{ErrorKind, ProviderError, Stop, StreamEvent};
use jiff::Timestamp;

/// A clock that jumps to where it is to sleep.
struct Jumping(Mutex<Timestamp>);

impl Clock for Jumping {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        *self.0.lock().unwrap() += time;
        Box::pin(std::future::ready(()))
    }
}

fn refused(status: u16, kind: ErrorKind, retry_after: Option<u64>) -> ProviderFault {
    let error = ProviderError { kind, name: None, message: String::new() };
    ProviderFault::Refused { status, error, retry_after: retry_after.map(Duration::from_secs) }
}

#[test]
fn waits_double_up_to_a_limit_and_are_a_share_by_the_seed() {
    let retry = Retry {
        attempts: 100,
        first: Duration::from_secs(1),
        most: Duration::from_secs(8),
        total: Duration::MAX,
        ..Retry::default()
    };
    let fault = refused(500, ErrorKind::Unknown, None);
    let waits = |seed: u64| (1..=40).map(|attempt| retry.wait(attempt, Duration::ZERO, &fault, seed).unwrap()).collect();
    let one: Vec<Duration> = waits(1);
    assert_eq!(one, waits(1));
    assert_ne!(one, waits(2));
    for (index, wait) in one.iter().enumerate() {
        let longest = Duration::from_secs(1 << index.min(3));
        assert!((longest / 2..longest).contains(wait), "{index}: {wait:?}");
    }
    // A share of the other half: over many seeds the mean is three quarters of the whole.
    let sum: Duration = (0..1_000).map(|seed| retry.wait(4, Duration::ZERO, &fault, seed).unwrap()).sum();
    assert!((5_900..6_100).contains(&(sum / 1_000).as_millis()), "{sum:?}");
    assert_eq!(one[..3], [611, 1_908, 3_585].map(Duration::from_millis));
}

#[test]
fn what_ends_the_attempts() {
    let retry = Retry { total: Duration::from_secs(100), ..Retry::default() };
    let wait = |attempt, spent, fault: &ProviderFault| retry.wait(attempt, Duration::from_secs(spent), fault, 7);
    let passing = refused(503, ErrorKind::Unavailable, None);
    assert!(wait(3, 0, &passing).is_some());
    assert_eq!(wait(4, 0, &passing), None);
    assert_eq!(wait(1, 100, &passing), None);
    let asked = |seconds| refused(429, ErrorKind::RateLimited, Some(seconds));
    let jitter = wait(1, 0, &passing).unwrap();
    assert_eq!(wait(1, 0, &asked(60)), Some(Duration::from_secs(60) + jitter));
    assert_eq!(wait(1, 0, &asked(61)), None);
    assert_eq!(wait(1, 41, &asked(60)), None);
    assert_eq!(wait(1, 0, &refused(400, ErrorKind::Invalid, Some(1))), None);
    assert_eq!(wait(1, 0, &refused(400, ErrorKind::TooLarge, None)), None);
    assert_eq!(Retry::never().wait(1, Duration::ZERO, &passing, 7), None);
}

/// What a caller hears, in order.
#[derive(Debug, PartialEq)]
enum Heard {
    Text(String),
    Retrying { attempt: u32, fault: String, ends_at: Duration },
}

async fn sent(turns: Vec<Turn>, retry: Retry) -> (Result<Stop, String>, Vec<Heard>, Vec<Duration>, usize) {
    let server = ScriptedServer::start(Script::turns(turns)).await.unwrap();
    let provider = provider(&server, Wire::Anthropic);
    let request = request(&provider, Wire::Anthropic, "Hello");
    let clock = Jumping(Mutex::new(Timestamp::UNIX_EPOCH));
    let heard = Mutex::new(Vec::new());
    let waits = Mutex::new(Vec::new());
    let result = send_with_retries(
        &provider,
        &request,
        &retry,
        &clock,
        &mut |retrying| {
            waits.lock().unwrap().push(retrying.wait);
            heard.lock().unwrap().push(Heard::Retrying {
                attempt: retrying.attempt,
                fault: retrying.fault.to_string(),
                ends_at: Duration::try_from(retrying.at.duration_since(Timestamp::UNIX_EPOCH)).unwrap(),
            });
        },
        &mut |event| {
            if let StreamEvent::Text { text } = event {
                heard.lock().unwrap().push(Heard::Text(text.clone()));
            }
        },
    )
    .await;
    let result = result.map(|answer| answer.stop).map_err(|fault| fault.to_string());
    (result, heard.into_inner().unwrap(), waits.into_inner().unwrap(), server.requests().len())
}

#[tokio::test]
async fn a_caller_hears_what_failed_before_the_next_attempt_begins() {
    let say = Say::texts(["Some ", "words"]);
    let cut = say.streamed(Wire::Anthropic, crate::support::model(Wire::Anthropic)).find("words").unwrap();
    let turns = vec![
        Turn::say(say.clone()).cut_after(cut),
        Turn::refusal(Refusal::RateLimited).header("Retry-After", "20"),
        Turn::say(say),
    ];
    let (result, heard, waits, requests) = sent(turns, Retry::default()).await;
    assert_eq!((result, requests), (Ok(Stop::End), 3));
    let [first, second] = waits[..] else { panic!("{waits:?}") };
    let limited = "the provider refused (429): rate_limit_error: This request would exceed your organization's rate limit of 50 \
                   requests per minute.";
    assert_eq!(
        heard,
        [
            Heard::Text("Some ".to_owned()),
            Heard::Retrying {
                attempt: 1,
                fault: "the answer broke off: the stream ended before the answer did".to_owned(),
                ends_at: first,
            },
            Heard::Retrying { attempt: 2, fault: limited.to_owned(), ends_at: first + second },
            Heard::Text("Some ".to_owned()),
            Heard::Text("words".to_owned()),
        ]
    );
    assert!(first < Duration::from_secs(1) && second >= Duration::from_secs(20), "{waits:?}");
}

#[tokio::test]
async fn the_last_fault_stands() {
    let failed = || Turn::refusal(Refusal::Failed);
    let fault = Err("the provider refused (500): api_error: Internal server error".to_owned());
    let (result, _, waits, requests) = sent(vec![failed(), failed(), failed(), failed()], Retry::default()).await;
    assert_eq!((result, waits.len(), requests), (fault, 3, 4));
    let long =
        Err("the provider refused (400): invalid_request_error: prompt is too long: 200251 tokens > 200000 maximum".to_owned());
    let (result, heard, _, requests) = sent(vec![failed(), Turn::refusal(Refusal::Overflow)], Retry::default()).await;
    assert_eq!((result, heard.len(), requests), (long, 1, 2));
    let (result, heard, _, requests) = sent(vec![failed().header("Retry-After", "61")], Retry::default()).await;
    assert_eq!((result.is_err(), heard.len(), requests), (true, 0, 1));
}
