//! A streamed answer: bytes in, events out, and at the end the items.

use std::collections::BTreeMap;

use briefing::Wire;
use briefing::message::{Assistant, CallId};
use briefing_json::{Document, Kind, SyntaxError, SyntaxFault, Value};

use super::elements::Elements;
use super::error::{AnswerError, AnswerFinding, ProviderError, provider_error};
use super::sse::{EventTooLarge, MAX_EVENT_BYTES, SseDecoder, SseEvent};
use super::stop::Stop;
use super::usage::Usage;
use super::{Answer, UnfinishedCall, anthropic, gemini, openai_chat, openai_responses, parse_answer_text, read};
use crate::parse::{ParseError, ParseFault};

/// How deep an event may nest: what it says must stay readable inside the response that is rebuilt.
const MAX_EVENT_DEPTH: usize = 120;

/// What arrived. Closed on purpose: a new variant is a breaking change, as each client has to decide what it does with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StreamEvent {
    /// The model says so.
    Text {
        /// The next piece, never empty.
        text: String,
    },
    /// The model reasons so, as far as the provider shows it.
    Reasoning {
        /// The next piece, never empty.
        text: String,
    },
    /// The model declines.
    Refusal {
        /// The next piece, never empty.
        text: String,
    },
    /// The model begins a call.
    CallBegun {
        /// Which call of the answer, from zero.
        call: usize,
        /// The provider's id; may be empty.
        id: CallId,
        /// The tool's name.
        name: String,
    },
    /// A call's arguments go on.
    CallInput {
        /// Which call of the answer.
        call: usize,
        /// The next piece of their text, never empty.
        text: String,
    },
    /// A call's arguments ended. It may be run once the answer is whole, not before.
    CallDone {
        /// Which call of the answer.
        call: usize,
    },
    /// A block began that only the provider understands.
    Native {
        /// What the wire calls it.
        kind: String,
    },
    /// What the answer cost up to here.
    Usage(Usage),
    /// Why the model stopped, as the wire says it.
    Stop(Stop),
    /// The stream is cut off here.
    Cut(CutWhy),
}

/// Why a streamed answer is not whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutWhy {
    /// The bytes ended before the answer did.
    #[error("the stream ended before the answer did")]
    Ended,
    /// The provider told an error in the middle of it, or in place of it.
    #[error(transparent)]
    Provider(ProviderError),
    /// An event is no JSON.
    #[error("an event of the stream is no JSON: {0}")]
    NotJson(SyntaxError),
    /// An event is JSON, but no object.
    #[error("an event of the stream is no JSON object")]
    NotAnObject,
    /// An event nests too deep.
    #[error("an event of the stream nests {depth} levels deep")]
    TooDeep {
        /// Its levels.
        depth: usize,
    },
    /// An event takes too many bytes.
    #[error(transparent)]
    TooLarge(#[from] EventTooLarge),
    /// What was streamed amounts to no response of the wire.
    #[error(transparent)]
    Unreadable(ParseError),
}

/// What a stream came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Finished {
    /// An answer that ended.
    Whole(Answer),
    /// What there is of an answer that did not end. Its calls are not for running: what would have followed is not known.
    Cut(Cut),
}

/// An answer that did not end.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// Text as far as it came, and what else ended: calls, reasoning, native blocks.
    pub said: Assistant,
    /// Calls that did not end.
    pub unfinished: Vec<UnfinishedCall>,
    /// Why there is no more.
    pub why: CutWhy,
    /// What was counted before.
    pub usage: Usage,
    /// The provider's id of the response.
    pub id: Option<String>,
    /// What was read otherwise than it was written.
    pub findings: Vec<AnswerFinding>,
}

/// Reads a streamed answer. The memory it takes is bounded by the bytes that came, the time linear in them.
///
/// The bytes are server-sent events, for Gemini also the array that it streams without `alt=sse`. A body in their place, such as an
/// error or the response of a server that does not stream, is read at the end, and no events are told of it.
///
/// ```
/// use briefing::Wire;
/// use briefing_wire::{Finished, Stream, StreamEvent};
///
/// let mut stream = Stream::new(Wire::OpenAiChat);
/// let events = stream.push(b"data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\ndata: {\"choices\":[{\"de");
/// assert_eq!(events, [StreamEvent::Text { text: "Hel".to_owned() }]);
/// stream.push(b"lta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
/// let Finished::Whole(answer) = stream.finish() else { unreachable!("it ended") };
/// assert_eq!(answer.said.items.len(), 1);
/// ```
#[derive(Debug)]
pub struct Stream {
    wire: Wire,
    framing: Framing,
    response: Response,
    notes: Notes,
    why: Option<CutWhy>,
}

/// What the bytes turn out to be.
#[derive(Debug)]
enum Framing {
    /// Only white space came.
    Unknown(SseDecoder),
    Events(SseDecoder),
    /// An array of a Gemini stream.
    Elements(Elements),
    /// A body in place of a stream: an error, or the answer of a server that does not stream.
    Body(Vec<u8>),
}

/// The response that is rebuilt.
#[derive(Debug)]
enum Response {
    Chat(openai_chat::Response),
    Responses(openai_responses::Response),
    Anthropic(anthropic::Response),
    Gemini(gemini::Response),
}

/// A rebuilt response, and what of it had not ended.
#[derive(Debug, Default)]
pub(super) struct Rebuilt {
    pub(super) json: String,
    pub(super) unfinished: Vec<UnfinishedCall>,
    /// The kinds of opaque blocks that did not end.
    pub(super) left_out: Vec<String>,
}

/// What is noticed on the way.
#[derive(Debug, Default)]
pub(super) struct Notes {
    unused: BTreeMap<String, u64>,
    pub(super) others: bool,
}

impl Notes {
    /// An event, or what of it, that cannot be used.
    pub(super) fn unused(&mut self, event: &str) {
        count(&mut self.unused, event);
    }

    fn findings(self, replaced: u64, left_out: Vec<String>) -> Vec<AnswerFinding> {
        let mut out = Vec::new();
        out.extend(self.others.then_some(AnswerFinding::OtherChoices));
        out.extend((replaced > 0).then_some(AnswerFinding::InvalidUtf8 { count: replaced }));
        out.extend(self.unused.into_iter().map(|(event, count)| AnswerFinding::Unused { event, count }));
        let mut kinds = BTreeMap::new();
        for kind in &left_out {
            count(&mut kinds, kind);
        }
        out.extend(kinds.into_iter().map(|(kind, count)| AnswerFinding::LeftOut { kind, count }));
        out
    }
}

fn count(counts: &mut BTreeMap<String, u64>, name: &str) {
    if let Some(count) = counts.get_mut(name) {
        *count += 1;
    } else {
        counts.insert(name.to_owned(), 1);
    }
}

impl Stream {
    /// A stream of that wire, before its first byte.
    #[must_use]
    pub fn new(wire: Wire) -> Self {
        let response = match wire {
            Wire::OpenAiChat => Response::Chat(openai_chat::Response::default()),
            Wire::OpenAiResponses => Response::Responses(openai_responses::Response::default()),
            Wire::Anthropic => Response::Anthropic(anthropic::Response::default()),
            Wire::Gemini => Response::Gemini(gemini::Response::default()),
        };
        Self { wire, framing: Framing::Unknown(SseDecoder::default()), response, notes: Notes::default(), why: None }
    }

    /// Takes the next bytes, of any number, and tells what they bring. After [`StreamEvent::Cut`] the rest is ignored.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        let mut rest = bytes;
        while self.why.is_none() {
            self.sniff(&mut rest);
            let event = match &mut self.framing {
                Framing::Unknown(events) | Framing::Events(events) => events.next(&mut rest),
                Framing::Elements(elements) => {
                    let element = elements.next(&mut rest);
                    element.map(|element| element.map(|data| SseEvent { name: String::new(), data }))
                }
                Framing::Body(body) => keep(body, &mut rest).err().map(Err),
            };
            let taken = match event {
                None => break,
                Some(Ok(event)) => self.take(&event, &mut out),
                Some(Err(error)) => Err(CutWhy::TooLarge(error)),
            };
            if let Err(why) = taken {
                out.push(StreamEvent::Cut(why.clone()));
                self.why = Some(why);
            }
        }
        out
    }

    /// What the stream came to, now that no more bytes come: at its end, at an error, or when one no longer waits.
    #[must_use]
    pub fn finish(self) -> Finished {
        if let (Framing::Body(body), None) = (&self.framing, &self.why) {
            return whole_body(self.wire, body);
        }
        let why = self.why.or_else(|| if self.response.has_ended() { None } else { Some(CutWhy::Ended) });
        let replaced = match &self.framing {
            Framing::Unknown(events) | Framing::Events(events) => events.replaced(),
            Framing::Elements(elements) => elements.replaced(),
            Framing::Body(_) => 0,
        };
        let Rebuilt { json, unfinished, left_out } = self.response.rebuild(why.is_none());
        let findings = self.notes.findings(replaced, left_out);
        let read = Document::parse(&json).map_err(ParseError::syntax).and_then(|document| match why {
            None => read::answer(self.wire, document.root()),
            Some(_) => read::cut(self.wire, document.root()),
        });
        match (read, why) {
            (Ok(mut answer), None) => {
                answer.findings.extend(findings);
                answer.unfinished.extend(unfinished);
                Finished::Whole(answer)
            }
            (Ok(mut answer), Some(why)) => {
                answer.findings.extend(findings);
                answer.unfinished.extend(unfinished);
                Finished::Cut(Cut::of(answer, why))
            }
            (Err(error), why) => {
                Finished::Cut(Cut { unfinished, findings, ..Cut::empty(why.unwrap_or(CutWhy::Unreadable(error))) })
            }
        }
    }

    /// Decides by the first byte that is no white space, as no field of an event begins with a bracket.
    fn sniff(&mut self, bytes: &mut &[u8]) {
        let Framing::Unknown(events) = &mut self.framing else { return };
        let first = bytes.iter().position(|byte| !byte.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(byte));
        let behind = first.and_then(|first| bytes.split_at_checked(first)).map(|(_, behind)| behind);
        self.framing = match behind {
            None => return,
            Some([b'[', rest @ ..]) if self.wire == Wire::Gemini => {
                *bytes = rest;
                Framing::Elements(Elements::default())
            }
            Some([b'{' | b'[', ..]) => Framing::Body(Vec::new()),
            Some(_) => Framing::Events(std::mem::take(events)),
        };
    }

    fn take(&mut self, event: &SseEvent, out: &mut Vec<StreamEvent>) -> Result<(), CutWhy> {
        if self.response.is_closed() {
            self.notes.unused("after the end");
            return Ok(());
        }
        if event.data.trim() == "[DONE]" {
            self.response.done(out);
            return Ok(());
        }
        let document = Document::parse(&event.data).map_err(CutWhy::NotJson)?;
        if document.depth() > MAX_EVENT_DEPTH {
            return Err(CutWhy::TooDeep { depth: document.depth() });
        }
        let root = document.root();
        if root.kind() != Kind::Object {
            return Err(CutWhy::NotAnObject);
        }
        if let Some(error) = provider_error(root) {
            return Err(CutWhy::Provider(error));
        }
        self.response.take(&event.name, root, &mut self.notes, out).map_err(CutWhy::Provider)
    }
}

fn keep(body: &mut Vec<u8>, rest: &mut &[u8]) -> Result<(), EventTooLarge> {
    let bytes = std::mem::take(rest);
    if body.len() + bytes.len() > MAX_EVENT_BYTES {
        return Err(EventTooLarge { limit: MAX_EVENT_BYTES });
    }
    body.extend_from_slice(bytes);
    Ok(())
}

/// A body in place of a stream.
fn whole_body(wire: Wire, body: &[u8]) -> Finished {
    let text = String::from_utf8_lossy(body);
    match parse_answer_text(wire, text.trim_start_matches('\u{feff}')) {
        Ok(answer) => Finished::Whole(answer),
        Err(AnswerError::Provider(error)) => Finished::Cut(Cut::empty(CutWhy::Provider(error))),
        Err(AnswerError::Unreadable(error)) => {
            let truncated = matches!(&error.fault, ParseFault::Syntax(error) if error.fault == SyntaxFault::Truncated);
            Finished::Cut(Cut::empty(if truncated { CutWhy::Ended } else { CutWhy::Unreadable(error) }))
        }
    }
}

impl Cut {
    fn of(answer: Answer, why: CutWhy) -> Self {
        let Answer { said, unfinished, stop: _, usage, id, findings } = answer;
        Self { said, unfinished, why, usage, id, findings }
    }

    fn empty(why: CutWhy) -> Self {
        let said = Assistant::default();
        Self { said, unfinished: Vec::new(), why, usage: Usage::default(), id: None, findings: Vec::new() }
    }
}

impl Response {
    fn take(
        &mut self,
        name: &str,
        event: Value<'_>,
        notes: &mut Notes,
        out: &mut Vec<StreamEvent>,
    ) -> Result<(), ProviderError> {
        match self {
            Self::Chat(chat) => chat.take(event, notes, out),
            Self::Responses(response) => return response.take(name, event, notes, out),
            Self::Anthropic(message) => message.take(name, event, notes, out),
            Self::Gemini(response) => response.take(event, notes, out),
        }
        Ok(())
    }

    /// The text `[DONE]` came.
    fn done(&mut self, out: &mut Vec<StreamEvent>) {
        match self {
            Self::Chat(chat) => chat.done(out),
            Self::Responses(_) | Self::Anthropic(_) | Self::Gemini(_) => {}
        }
    }

    /// Whether the answer is whole.
    fn has_ended(&self) -> bool {
        match self {
            Self::Chat(chat) => chat.has_ended(),
            Self::Responses(response) => response.has_ended(),
            Self::Anthropic(message) => message.has_ended(),
            Self::Gemini(response) => response.has_ended(),
        }
    }

    /// Whether nothing may follow.
    fn is_closed(&self) -> bool {
        match self {
            Self::Chat(chat) => chat.is_closed(),
            Self::Responses(response) => response.has_ended(),
            Self::Anthropic(message) => message.has_ended(),
            // What was counted may still come.
            Self::Gemini(_) => false,
        }
    }

    fn rebuild(self, whole: bool) -> Rebuilt {
        match self {
            Self::Chat(chat) => chat.rebuild(whole),
            Self::Responses(response) => response.rebuild(whole),
            Self::Anthropic(message) => message.rebuild(whole),
            Self::Gemini(response) => response.rebuild(),
        }
    }
}
