//! How much of a request is the same prefix as of the one before, in the same thread: what a prompt cache serves.

use std::collections::BTreeSet;

use briefing::message::RawJson;
use briefing::{Bounds, Call, ModelMessage, Stride, Tool, Wire, fit};
use briefing_json::Document;
use briefing_wire::Render;

use crate::transcripts::transcripts;

/// A window that overflows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Filled to a high mark, then cut to the default low mark, a third of it.
    Strides(u64),
    /// The newest messages.
    Sliding(u64),
}

/// When a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// After each message, whoever said it.
    EveryMessage,
    /// Before each answer of the model: what an agent does.
    EveryAnswer,
}

/// Bytes of requests. Each transcript's first request has none before it and does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Those with which a request and the one before it begin alike.
    pub same: u64,
    /// All of the requests before.
    pub before: u64,
    /// All of the requests.
    pub sent: u64,
}

impl Share {
    /// How much of what was sent before is there again, as a prefix: 1 unless the window steps or slides.
    #[must_use]
    pub fn kept(self) -> f64 {
        share(self.same, self.before)
    }

    /// How much of what is sent was sent before: what a cache serves. Never 1, as something is new each time.
    #[must_use]
    pub fn served(self) -> f64 {
        share(self.same, self.sent)
    }

    fn add(&mut self, same: usize, before: usize, sent: usize) {
        self.same += same as u64;
        self.before += before as u64;
        self.sent += sent as u64;
    }
}

#[expect(clippy::cast_precision_loss, reason = "byte counts are far below 2^52")]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The call of a model with every tool that the transcripts use.
///
/// # Panics
/// Never: the schema is JSON.
#[must_use]
#[expect(clippy::expect_used, reason = "the schema is JSON")]
pub fn call(model: &str, wire: Wire) -> Call {
    let all = transcripts();
    let names = all.iter().flatten().flat_map(|message| match message {
        ModelMessage::Assistant(said) => said.calls().map(|call| call.name.clone()).collect(),
        ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Tool(_) => Vec::new(),
    });
    let names: BTreeSet<String> = names.collect();
    let schema = RawJson::new(r#"{"type":"object"}"#).expect("it is JSON");
    let tools: Vec<Tool> =
        names.into_iter().map(|name| Tool::function(name, "A tool of the airline.", schema.clone())).collect();
    Call::model(model, Some(wire)).tools(tools)
}

/// A body up to the last byte of its last block, and where its messages begin behind the leading system text.
struct Sent {
    body: Vec<u8>,
    head: usize,
}

/// Every transcript replayed through that window, each time with what there is so far. The share with all that stands before the
/// messages (tools, system text), and the share of the messages alone.
///
/// # Panics
/// If a turn cannot be fitted or rendered.
#[must_use]
pub fn replayed(call: &Call, window: Window, asked: Asked) -> (Share, Share) {
    let (mut whole, mut messages) = (Share::default(), Share::default());
    for transcript in transcripts() {
        let mut anchor = None;
        let mut before: Option<Sent> = None;
        for end in (1..=transcript.len()).filter(|end| asked == Asked::EveryMessage || answers(&transcript, *end)) {
            let bounds = match window {
                Window::Strides(most) => Bounds::none().messages(most).stride(Stride::default(), anchor),
                Window::Sliding(most) => Bounds::none().messages(most),
            };
            let (sent, next) = turn(transcript.get(..end).unwrap_or_default(), call, &bounds);
            anchor = next;
            if let Some(before) = &before {
                let same = before.body.iter().zip(&sent.body).take_while(|(one, other)| one == other).count();
                whole.add(same, before.body.len(), sent.body.len());
                let behind = |sent: &Sent| sent.body.len() - sent.head;
                messages.add(same.saturating_sub(sent.head), behind(before), behind(&sent));
            }
            before = Some(sent);
        }
    }
    (whole, messages)
}

/// Whether the next message is the model's answer.
fn answers(transcript: &[ModelMessage], end: usize) -> bool {
    matches!(transcript.get(end), Some(ModelMessage::Assistant(_)))
}

#[expect(clippy::expect_used, reason = "a turn that cannot be rendered is the failure looked for")]
fn turn(messages: &[ModelMessage], call: &Call, bounds: &Bounds) -> (Sent, Option<briefing::Anchor>) {
    let briefing = fit(messages, call, bounds).expect("it fits");
    let request = briefing.render().expect("it renders");
    let text = std::str::from_utf8(request.body()).expect("a body is text");
    let document = Document::parse(text).expect("a body is JSON");
    let list = ["messages", "input", "contents"].iter().find_map(|name| document.root().get(name)).expect("it has a list");
    let is_system = |role: &str| matches!(role, "system" | "developer");
    let system = |item: &briefing_json::Value<'_>| {
        let role = item.get("role").and_then(briefing_json::Value::as_str);
        role.is_some_and(|role| is_system(&role)) && matches!(call.wire(), Wire::OpenAiChat | Wire::OpenAiResponses)
    };
    let head = list.items().find(|item| !system(item)).map_or(list.span().end, |item| item.span().start);
    let end = list.items().last().map_or(list.span().end, |item| item.span().end);
    let body = text.as_bytes().get(..end).unwrap_or_default().to_vec();
    (Sent { head: head.min(body.len()), body }, briefing.receipt().anchor())
}
