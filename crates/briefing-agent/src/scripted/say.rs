//! What a model says, from simple data, on any wire.

use briefing::Wire;
use serde_json::Value;

use super::wires;

/// What a model says: text and calls in order, what they cost, and whether a limit ended them.
#[derive(Debug, Clone, PartialEq)]
pub struct Say {
    pub(super) items: Vec<SaidItem>,
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) ending: Ending,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum SaidItem {
    /// Text, in the pieces that it is streamed in.
    Text(Vec<String>),
    Call(SaidCall),
}

/// What ended the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Model,
    Limit,
}

/// A call that a model makes.
#[derive(Debug, Clone, PartialEq)]
pub struct SaidCall {
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments' text, which may be broken. On Anthropic and Gemini, whole, broken text stands as a string.
    pub arguments: String,
}

impl<I: Into<String>, N: Into<String>> From<(I, N, Value)> for SaidCall {
    fn from((id, name, arguments): (I, N, Value)) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.to_string() }
    }
}

impl SaidCall {
    /// The arguments as the value that two of the wires want.
    pub(super) fn value(&self) -> Value {
        serde_json::from_str(&self.arguments).unwrap_or_else(|_| Value::String(self.arguments.clone()))
    }

    /// The arguments in the two pieces that they are streamed in.
    pub(super) fn pieces(&self) -> [&str; 2] {
        let half = briefing::text::prefix(&self.arguments, self.arguments.chars().count() / 2);
        [half, self.arguments.strip_prefix(half).unwrap_or_default()]
    }
}

impl Say {
    fn of(items: Vec<SaidItem>) -> Self {
        Self { items, input: 10, output: 5, ending: Ending::Model }
    }

    /// One text, streamed in one piece.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::texts([text])
    }

    /// One text, streamed in these pieces.
    #[must_use]
    pub fn texts<T: Into<String>>(pieces: impl IntoIterator<Item = T>) -> Self {
        Self::of(vec![SaidItem::Text(pieces.into_iter().map(Into::into).collect())])
    }

    /// Calls.
    #[must_use]
    pub fn calls<C: Into<SaidCall>>(calls: impl IntoIterator<Item = C>) -> Self {
        Self::of(Vec::new()).then_calls(calls)
    }

    /// The same with calls behind it.
    #[must_use]
    pub fn then_calls<C: Into<SaidCall>>(mut self, calls: impl IntoIterator<Item = C>) -> Self {
        self.items.extend(calls.into_iter().map(|call| SaidItem::Call(call.into())));
        self
    }

    /// The same at a cost of that many tokens; else it is 10 and 5.
    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        (self.input, self.output) = (input, output);
        self
    }

    /// The same, ended by the limit of the answer.
    #[must_use]
    pub fn cut_by_limit(mut self) -> Self {
        self.ending = Ending::Limit;
        self
    }

    /// The whole response of that wire.
    #[must_use]
    pub fn whole(&self, wire: Wire, model: &str) -> String {
        match wire {
            Wire::OpenAiChat => wires::openai_chat::whole(self, model),
            Wire::OpenAiResponses => wires::openai_responses::whole(self, model),
            Wire::Anthropic => wires::anthropic::whole(self, model),
            Wire::Gemini => wires::gemini::whole(self, model),
        }
        .to_string()
    }

    /// The same response as a stream: server-sent events.
    #[must_use]
    pub fn streamed(&self, wire: Wire, model: &str) -> String {
        match wire {
            Wire::OpenAiChat => wires::openai_chat::streamed(self, model),
            Wire::OpenAiResponses => wires::openai_responses::streamed(self, model),
            Wire::Anthropic => wires::anthropic::streamed(self, model),
            Wire::Gemini => wires::gemini::streamed(self, model),
        }
    }

    /// All text, joined.
    pub(super) fn joined(&self) -> String {
        self.items
            .iter()
            .map(|item| match item {
                SaidItem::Text(pieces) => pieces.concat(),
                SaidItem::Call(_) => String::new(),
            })
            .collect()
    }

    /// The calls in order.
    pub(super) fn made(&self) -> impl Iterator<Item = &SaidCall> {
        self.items.iter().filter_map(|item| match item {
            SaidItem::Text(_) => None,
            SaidItem::Call(call) => Some(call),
        })
    }
}
