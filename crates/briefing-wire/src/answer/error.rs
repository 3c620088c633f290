//! What a provider says went wrong, and what is noticed while an answer is read.

use std::fmt;

use briefing_json::{Kind, Value, present};

use crate::parse::{ParseError, ParseFinding};
use crate::raw::text_of;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The provider answered with an error, whatever the status was.
    #[error(transparent)]
    Provider(ProviderError),
    /// The body is no response of its wire.
    #[error(transparent)]
    Unreadable(#[from] ParseError),
}

/// An error as a provider words it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", prefix(name.as_deref()))]
pub struct ProviderError {
    /// What kind of fault it is, which says whether to try again.
    pub kind: ErrorKind,
    /// What the provider calls it: its code, else its type or status; none if it does not say.
    pub name: Option<String>,
    /// What it says; may be empty.
    pub message: String,
}

/// Whether and how an error may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Too many requests or tokens for now: later again.
    RateLimited,
    /// The provider is busy or failed: again.
    Unavailable,
    /// The request is too large for the model: smaller again.
    TooLarge,
    /// Not allowed, not paid or not known who asks.
    Denied,
    /// No such model or resource.
    NotFound,
    /// The request is at fault.
    Invalid,
    /// Nothing known says it.
    Unknown,
}

/// What was noticed while an answer was read. What is counted is told once of each name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerFinding {
    /// A value was read otherwise than it was written. Its place is in the response; of a stream, in the whole response that
    /// it amounts to.
    Read(ParseFinding),
    /// There were more choices or candidates; the first alone was read.
    OtherChoices,
    /// So many lines or elements of the stream held bytes that are no UTF-8; U+FFFD stands for these.
    InvalidUtf8 {
        /// How many.
        count: u64,
    },
    /// So many events of a stream could not be used where they stood: of an unknown type, without their beginning, behind the
    /// end, or a second beginning.
    Unused {
        /// The event, or what of it.
        event: String,
        /// How many.
        count: u64,
    },
    /// So many blocks whose end did not come were left out, as only their provider understands them and only whole.
    LeftOut {
        /// What the wire calls them.
        kind: String,
        /// How many.
        count: u64,
    },
}

fn prefix(name: Option<&str>) -> String {
    name.map(|name| format!("{name}: ")).unwrap_or_default()
}

impl fmt::Display for AnswerFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(finding) => finding.fmt(f),
            Self::OtherChoices => f.write_str("there is more than one choice; the first was read"),
            Self::InvalidUtf8 { count } => write!(f, "{count} lines hold bytes that are no UTF-8"),
            Self::Unused { event, count } => write!(f, "{count} events {event:?} could not be used"),
            Self::LeftOut { kind, count } => write!(f, "{count} blocks {kind:?} did not end and were left out"),
        }
    }
}

/// The error that a body or an event is, if it is one: `{"error": …}` with an object or a text, Anthropic's and Responses'
/// `{"type": "error"}`, Mistral's `{"object": "error"}`, or the `{"detail": …}` of servers built on FastAPI.
pub(super) fn provider_error(body: Value<'_>) -> Option<ProviderError> {
    if body.kind() == Kind::Array {
        // Gemini wraps the error of a streamed request in an array.
        return body.items().next().filter(|first| first.kind() == Kind::Object).and_then(provider_error);
    }
    if let Some(error) = present(body, "error") {
        return Some(match error.as_str() {
            Some(text) => ProviderError { kind: kind(None, &[], &text), name: None, message: text.into_owned() },
            None => of_object(error),
        });
    }
    let is = |key: &str| text_of(body, key).is_some_and(|value| value == "error");
    if is("type") || is("object") {
        return Some(of_object(body));
    }
    let detail = present(body, "detail").filter(|_| body.entries().count() == 1)?;
    let message = detail.as_str().map_or_else(|| detail.raw().to_owned(), |text| text.into_owned());
    Some(ProviderError { kind: kind(None, &[], &message), name: None, message })
}

/// The error that an object tells.
pub(super) fn of_object(error: Value<'_>) -> ProviderError {
    let names: Vec<String> = ["code", "status", "type"]
        .iter()
        .filter_map(|key| text_of(error, key).filter(|name| !name.is_empty() && name != "error"))
        .collect();
    let status = error.get("code").and_then(|code| code.raw().parse().ok());
    let message = text_of(error, "message").unwrap_or_default();
    let details = error.get("details").into_iter().flat_map(|details| details.items());
    let reasons = details.filter_map(|detail| detail.get("reason")?.as_str());
    let kind = match reasons.into_iter().find_map(|reason| named(&reason)) {
        // Gemini calls a wrong key an invalid argument, and tells the reason beside it.
        Some(reason) => reason,
        None => kind(status, &names, &message),
    };
    let name = names.into_iter().next().or_else(|| status.map(|status: u16| status.to_string()));
    ProviderError { kind, name, message }
}

/// The names are those of the providers' lists of errors; the texts those that their overflows are told by (`provider_rejections`).
fn kind(status: Option<u16>, names: &[String], message: &str) -> ErrorKind {
    let lower = message.to_lowercase();
    let says = |texts: &[&str]| texts.iter().any(|text| lower.contains(text));
    let overflows = [
        "prompt is too long",
        "maximum context length",
        "exceeds the maximum number of tokens",
        "context window",
        // More than a minute's tokens in one request, which OpenAI and Groq call a rate limit: no waiting makes it fit.
        "request too large for",
    ];
    if says(&overflows) {
        return ErrorKind::TooLarge;
    }
    let named = names.iter().find_map(|name| named(name));
    named.or_else(|| status.map(of_status)).unwrap_or(ErrorKind::Unknown)
}

fn named(name: &str) -> Option<ErrorKind> {
    Some(match name {
        // The last is llama.cpp's: https://github.com/ggml-org/llama.cpp/pull/15780.
        "context_length_exceeded" | "request_too_large" | "string_above_max_length" | "exceed_context_size_error" => {
            ErrorKind::TooLarge
        }
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" | "too_many_requests" => ErrorKind::RateLimited,
        "overloaded_error"
        | "api_error"
        | "server_error"
        | "timeout_error"
        | "UNAVAILABLE"
        | "INTERNAL"
        | "DEADLINE_EXCEEDED"
        | "internal_server_error"
        | "server_is_overloaded"
        | "slow_down" => ErrorKind::Unavailable,
        "authentication_error"
        | "permission_error"
        | "billing_error"
        | "insufficient_quota"
        | "invalid_api_key"
        | "API_KEY_INVALID"
        | "PERMISSION_DENIED"
        | "UNAUTHENTICATED" => ErrorKind::Denied,
        "not_found_error" | "model_not_found" | "NOT_FOUND" => ErrorKind::NotFound,
        "invalid_request_error" | "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "invalid_prompt" => ErrorKind::Invalid,
        _ => return None,
    })
}

fn of_status(status: u16) -> ErrorKind {
    match status {
        401..=403 => ErrorKind::Denied,
        404 => ErrorKind::NotFound,
        413 => ErrorKind::TooLarge,
        429 => ErrorKind::RateLimited,
        400..=499 => ErrorKind::Invalid,
        500..=599 => ErrorKind::Unavailable,
        _ => ErrorKind::Unknown,
    }
}
