//! A history as OpenAI Chat messages in JSON, and what damaging it needs to find in it.

use serde_json::{Value, json};

/// A history that a request is to be made of.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// The messages, the system text first.
    pub messages: Vec<Value>,
    /// How many of the newest messages, beside the leading system text, a request may have.
    pub window: usize,
}

/// A call and its outcome, which stands right behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Round {
    /// Where the call stands.
    pub(super) call: usize,
    /// Where the outcome stands.
    pub(super) outcome: usize,
}

impl History {
    /// How many system messages lead.
    #[must_use]
    pub fn leading(&self) -> usize {
        self.messages.iter().take_while(|message| role(message) == "system").count()
    }

    /// Where the window begins, for who just counts.
    #[must_use]
    pub fn window_start(&self) -> usize {
        self.messages.len().saturating_sub(self.window).max(self.leading())
    }

    /// Whole rounds within the window.
    pub(super) fn rounds(&self) -> Vec<Round> {
        let from = self.window_start();
        let pairs = self.messages.iter().zip(self.messages.iter().skip(1)).enumerate().skip(from);
        let whole = pairs.filter(|(_, (call, outcome))| calls(call) == 1 && role(outcome) == "tool");
        whole.map(|(call, _)| Round { call, outcome: call + 1 }).collect()
    }

    /// Rounds directly behind each other within the window.
    pub(super) fn neighbours(&self) -> Vec<(Round, Round)> {
        let rounds = self.rounds();
        let pairs = rounds.iter().zip(rounds.iter().skip(1));
        pairs.filter(|(first, second)| first.outcome + 1 == second.call).map(|(first, second)| (*first, *second)).collect()
    }

    /// Where messages of that role without calls stand within the window.
    pub(super) fn said(&self, by: &str) -> Vec<usize> {
        let from = self.window_start();
        let all = self.messages.iter().enumerate().skip(from);
        all.filter(|(_, message)| role(message) == by && calls(message) == 0).map(|(at, _)| at).collect()
    }

    /// Where the first user message behind that place stands.
    pub(super) fn input_after(&self, at: usize) -> Option<usize> {
        self.messages.iter().enumerate().skip(at + 1).find(|(_, message)| role(message) == "user").map(|(at, _)| at)
    }

    pub(super) fn at(&mut self, at: usize) -> Option<&mut Value> {
        self.messages.get_mut(at)
    }

    pub(super) fn set(&mut self, at: usize, pointer: &str, value: impl Into<Value>) {
        if let Some(slot) = self.at(at).and_then(|message| message.pointer_mut(pointer)) {
            *slot = value.into();
        }
    }

    pub(super) fn insert(&mut self, at: usize, message: Value) {
        self.messages.insert(at.min(self.messages.len()), message);
    }

    /// Takes one message out; `null` if there is none.
    pub(super) fn remove(&mut self, at: usize) -> Value {
        if at < self.messages.len() { self.messages.remove(at) } else { Value::Null }
    }

    pub(super) fn id(&self, round: Round) -> String {
        let id = self.messages.get(round.outcome).and_then(|message| message.get("tool_call_id"));
        id.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    pub(super) fn set_id(&mut self, round: Round, id: &str) {
        self.set(round.call, "/tool_calls/0/id", id);
        self.set(round.outcome, "/tool_call_id", id);
    }

    pub(super) fn name(&self, round: Round) -> String {
        self.messages.get(round.call).and_then(|message| called(message).next()).unwrap_or_default().to_owned()
    }

    /// Makes one assistant message with both calls, and both outcomes behind it.
    pub(super) fn join(&mut self, first: Round, second: Round) {
        let later = self.remove(second.call);
        let call = later.pointer("/tool_calls/0").cloned();
        let calls = self.at(first.call).and_then(|message| message.get_mut("tool_calls")).and_then(Value::as_array_mut);
        if let Some((calls, call)) = calls.zip(call) {
            calls.push(call);
        }
    }
}

pub(super) fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn each_call(message: &Value) -> impl Iterator<Item = &Value> {
    message.get("tool_calls").and_then(Value::as_array).into_iter().flatten()
}

/// The ids of the message's calls.
pub(super) fn ids(message: &Value) -> impl Iterator<Item = &str> {
    each_call(message).filter_map(|call| call.get("id")?.as_str())
}

/// The names of the tools that the message calls.
pub(super) fn called(message: &Value) -> impl Iterator<Item = &str> {
    each_call(message).filter_map(|call| call.pointer("/function/name")?.as_str())
}

/// Whether its content is a text of white space, or none.
pub(super) fn is_blank(message: &Value) -> bool {
    message.get("content").and_then(Value::as_str).is_some_and(|text| text.trim().is_empty())
}

fn calls(message: &Value) -> usize {
    each_call(message).count()
}

pub(super) fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}
