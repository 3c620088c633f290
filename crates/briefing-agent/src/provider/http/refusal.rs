//! A refusal: what a server says in place of an answer, and how long it asks to wait.

use std::time::Duration;

use briefing::Wire;
use briefing_json::{Document, Value};
use briefing_wire::{AnswerError, ErrorKind, ProviderError, parse_answer};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// The error that a body of an error's status tells. A body that is none of the wire, such as a proxy's page, is its own message.
pub(super) fn error(wire: Wire, body: &str) -> ProviderError {
    let read = Document::parse(body).ok().and_then(|document| parse_answer(wire, document.root()).err());
    match read {
        Some(AnswerError::Provider(error)) => error,
        Some(_) | None => ProviderError { kind: ErrorKind::Unknown, name: None, message: body.trim().to_owned() },
    }
}

/// How long a server asks to wait: by its headers, else by what Gemini says in the body.
pub(super) fn retry_after(headers: &HeaderMap, body: &str) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    // OpenAI's and Azure's, more exact than the other.
    let millis = text("retry-after-ms").and_then(|value| value.parse::<f64>().ok());
    if let Some(wait) = millis.and_then(|millis| Duration::try_from_secs_f64(millis / 1_000.0).ok()) {
        return Some(wait);
    }
    let Some(asked) = text(RETRY_AFTER.as_str()) else { return retry_delay(body) };
    if let Ok(seconds) = asked.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    // A date is told by the server's clock, so that is what it is measured by.
    let now = text(DATE.as_str()).and_then(date).unwrap_or_else(Timestamp::now);
    date(asked).map(|until| Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

fn date(text: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(text).ok()
}

/// `google.rpc.RetryInfo`: `{"error":{"details":[{"retryDelay":"34.07s"}]}}`, of a streamed request in an array.
fn retry_delay(body: &str) -> Option<Duration> {
    let document = Document::parse(body).ok()?;
    let of = |body: Value<'_>| {
        let details = body.get("error")?.get("details")?;
        let delay = details.items().find_map(|detail| detail.get("retryDelay")?.as_str())?;
        Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
    };
    of(document.root()).or_else(|| document.root().items().next().and_then(of))
}
