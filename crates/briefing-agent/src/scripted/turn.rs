//! One answer of a server, and how it comes.

use std::sync::Arc;
use std::time::Duration;

use briefing::Wire;

use super::{Recorded, Refusal, Say};

/// One answer of a server, and how it comes.
#[derive(Debug, Clone)]
pub struct Turn {
    body: TurnBody,
    status: Option<u16>,
    headers: Vec<(String, String)>,
    pub(super) pace: Pace,
}

#[derive(Debug, Clone)]
enum TurnBody {
    Say(Say),
    Refusal(Refusal),
    Bytes { kind: &'static str, bytes: Arc<[u8]> },
    Filler { bytes: u64 },
}

/// How a body comes.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace {
    /// The sizes of the pieces, over and over; none: the whole at once.
    pub(super) sizes: Vec<usize>,
    /// The time between two pieces.
    pub(super) pause: Duration,
    /// The time before anything comes.
    pub(super) first_byte: Duration,
    pub(super) breaks: Breaks,
}

/// What breaks a body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum Breaks {
    #[default]
    Never,
    /// The connection is closed after that many bytes.
    CutAfter(usize),
    /// Nothing more comes after that many bytes until the server lets it.
    StallAfter(usize),
}

/// A response, ready to be written.
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) kind: &'static str,
    pub(super) content: Content,
}

pub(super) enum Content {
    Bytes(Arc<[u8]>),
    Filler(u64),
}

/// The type of a stream.
pub(super) const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

impl From<Say> for Turn {
    fn from(say: Say) -> Self {
        Self::say(say)
    }
}

impl From<Refusal> for Turn {
    fn from(refusal: Refusal) -> Self {
        Self::refusal(refusal)
    }
}

impl Turn {
    fn new(body: TurnBody) -> Self {
        Self { body, status: None, headers: Vec::new(), pace: Pace::default() }
    }

    fn bytes(kind: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(TurnBody::Bytes { kind, bytes: bytes.into().into() })
    }

    /// A model's words, on the wire and in the delivery that the request asks for.
    #[must_use]
    pub fn say(say: Say) -> Self {
        Self::new(TurnBody::Say(say))
    }

    /// A whole body of JSON, whatever the request asks for.
    #[must_use]
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::bytes(JSON, body)
    }

    /// The bytes of a stream, whatever the request asks for.
    #[must_use]
    pub fn stream(bytes: impl Into<Vec<u8>>) -> Self {
        Self::bytes(EVENTS, bytes)
    }

    /// A proxy's page, with status 200.
    #[must_use]
    pub fn page() -> Self {
        Self::bytes("text/html", "<!doctype html>\n<html><body><h1>Welcome</h1></body></html>\n")
    }

    /// A status with a body; with text that is no JSON, as a proxy gives it.
    #[must_use]
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status: Some(status), ..Self::json(body) }
    }

    /// A refusal as the provider of the wire words it.
    #[must_use]
    pub fn refusal(refusal: Refusal) -> Self {
        Self::new(TurnBody::Refusal(refusal))
    }

    /// A stream of that many bytes that says nothing. They are made while they are sent.
    #[must_use]
    pub fn filler(bytes: u64) -> Self {
        Self::new(TurnBody::Filler { bytes })
    }

    /// The same with one more header, such as `Retry-After`. Neither may hold a line end.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The same in pieces of these sizes in bytes, over and over.
    #[must_use]
    pub fn pieces(mut self, sizes: impl Into<Vec<usize>>) -> Self {
        self.pace.sizes = sizes.into();
        self
    }

    /// The same with a pause between two pieces.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pace.pause = pause;
        self
    }

    /// The same, beginning only after that long.
    #[must_use]
    pub fn first_byte_after(mut self, wait: Duration) -> Self {
        self.pace.first_byte = wait;
        self
    }

    /// The same, cut off: the connection is closed after that many bytes of the body.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.pace.breaks = Breaks::CutAfter(bytes);
        self
    }

    /// The same, stalled: after that many bytes of the body nothing comes until [`release`](super::ScriptedServer::release).
    #[must_use]
    pub fn stall_after(mut self, bytes: usize) -> Self {
        self.pace.breaks = Breaks::StallAfter(bytes);
        self
    }

    /// What is written to that request. Where its wire is not known it is answered as of OpenAI Chat.
    pub(super) fn response(&self, request: &Recorded) -> Response {
        let wire = request.wire().unwrap_or(Wire::OpenAiChat);
        let (status, kind, content) = match &self.body {
            TurnBody::Say(say) if request.wants_stream() => {
                (200, EVENTS, Content::Bytes(say.streamed(wire, &request.model()).into_bytes().into()))
            }
            TurnBody::Say(say) => (200, JSON, Content::Bytes(say.whole(wire, &request.model()).into_bytes().into())),
            TurnBody::Refusal(refusal) => {
                let (status, body) = refusal.said(wire);
                (status, JSON, Content::Bytes(body.to_string().into_bytes().into()))
            }
            TurnBody::Bytes { kind, bytes } => (200, *kind, Content::Bytes(Arc::clone(bytes))),
            TurnBody::Filler { bytes } => (200, EVENTS, Content::Filler(*bytes)),
        };
        Response { status: self.status.unwrap_or(status), headers: self.headers.clone(), kind, content }
    }
}
