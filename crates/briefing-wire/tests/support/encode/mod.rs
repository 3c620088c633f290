//! Encoders of streams, written after the providers' documentation and apart from what reads them: a whole response becomes the
//! events that a provider would have streamed it as.

#![allow(dead_code, reason = "each test uses a part of it")]
#![expect(clippy::indexing_slicing, reason = "a test fails by panicking")]

pub(crate) mod anthropic;
pub(crate) mod gemini;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;

use briefing::Wire;
use serde_json::Value;

/// An event: its name, or none, and its data.
pub(crate) type Event = (Option<String>, String);

/// Cuts texts into pieces of one to seven characters, by a seed.
pub(crate) struct Cutter(u64);

impl Cutter {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap()
    }

    pub(crate) fn cut(&mut self, text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let mut out = Vec::new();
        let mut rest = chars.as_slice();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((1 + self.next() % 7).min(rest.len()));
            out.push(piece.iter().collect());
            rest = behind;
        }
        out
    }
}

/// How events are framed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Framing {
    pub(crate) end: &'static str,
    /// A byte order mark, comments, retry times and ids.
    pub(crate) noise: bool,
}

pub(crate) const FRAMINGS: [Framing; 4] = [
    Framing { end: "\n", noise: false },
    Framing { end: "\r\n", noise: true },
    Framing { end: "\r", noise: true },
    Framing { end: "\n", noise: true },
];

/// The events of a whole response.
pub(crate) fn events(wire: Wire, response: &Value, seed: u64) -> Vec<Event> {
    let mut cutter = Cutter::new(seed);
    match wire {
        Wire::OpenAiChat => openai_chat::events(response, &mut cutter),
        Wire::OpenAiResponses => openai_responses::events(response, &mut cutter),
        Wire::Anthropic => anthropic::events(response, &mut cutter),
        Wire::Gemini => gemini::events(response, &mut cutter),
    }
}

/// The bytes of events.
pub(crate) fn frame(events: &[Event], Framing { end, noise }: Framing) -> Vec<u8> {
    let mut out = String::from(if noise { "\u{feff}" } else { "" });
    for (index, (name, data)) in events.iter().enumerate() {
        if noise && index % 3 == 0 {
            out.push_str(&format!(": keep-alive é{end}{end}retry: 10{end}id: {index}{end}"));
        }
        if let Some(name) = name {
            out.push_str(&format!("event: {name}{end}"));
        }
        out.push_str(&format!("data: {data}{end}{end}"));
    }
    out.into_bytes()
}

/// Another order of an object's members would be another raw block; so a copy keeps the order and takes some away.
pub(crate) fn without(object: &Value, keys: &[&str]) -> Value {
    let mut copy = object.clone();
    copy.as_object_mut().unwrap().retain(|key, _| !keys.contains(&key.as_str()));
    copy
}
