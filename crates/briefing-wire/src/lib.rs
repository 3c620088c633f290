//! The wires: how a [`Briefing`](briefing::Briefing) is written for a provider, and how a body is read back.
//!
//! [`Render`] is the one door to a wire. It *normalises* what the wire demands (roles, ids, names, arguments; pure, each change
//! a [`WireFinding`]) and *encodes* the result; the [`Request`] owns the bytes. [`parse`] reads a body back into a
//! [`Call`](briefing::Call) and messages; what it does not know it keeps verbatim. [`parse_answer`] and [`Stream`] read what a provider
//! answers, whole and as it arrives.
//!
//! ```
//! use briefing::{Bounds, Wire, fit};
//! use briefing_wire::{Render, parse_text};
//!
//! let body = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Hello"}]}"#;
//! let parsed = parse_text(Wire::OpenAiChat, body)?;
//! let briefing = fit(&parsed.messages, &parsed.call, &Bounds::none())?;
//! assert_eq!(briefing.render()?.body(), body.as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The order of a body's fields is fixed and the list of messages comes last, so that a longer list only adds bytes at the end.

mod answer;
mod anthropic;
mod finding;
mod frame;
mod gemini;
mod ids;
mod input;
mod names;
mod openai_chat;
mod openai_responses;
mod parse;
mod raw;
mod request;
mod scribe;
mod tools;
mod write;

pub use answer::{
    Answer, AnswerError, AnswerFinding, Cut, CutWhy, ErrorKind, EventTooLarge, Finished, MAX_EVENT_BYTES, ProviderError,
    SseDecoder, SseEvent, Stop, Stream, StreamEvent, UnfinishedCall, Usage, parse_answer, parse_answer_text,
};
pub use finding::{ThinkingFault, WireChange, WireFinding};
pub use input::InputFault;
pub use parse::{ParseChange, ParseError, ParseFault, ParseFinding, Parsed, ParsedMessages, parse, parse_messages, parse_text};
pub use request::{Render, RenderError, Request};
