//! The chunks of an OpenAI Chat stream, put together as the response that they amount to.
//!
//! A chunk's `delta` holds what is added to the message; calls go by `index`. The answer has ended once a `finish_reason` came:
//! many servers that speak this wire send no `[DONE]` behind it.

mod call;
mod parts;

use std::collections::HashMap;

use briefing::Wire;
use briefing::message::Input;
use briefing_json::{Kind, Value, present, quoted};

use super::grow::{Node, Object, list};
use super::read::is_text;
use super::stop::Stop;
use super::stream::{Notes, Rebuilt, StreamEvent};
use super::usage::{Usage, usage};
use crate::raw::text_of;
use call::Call;
use parts::{add_parts, add_text, text_part};

/// Fields of the message that are whole or nothing.
const OPAQUE: [&str; 2] = ["reasoning_details", "audio"];

/// The response so far.
#[derive(Debug, Default)]
pub(super) struct Response {
    id: Option<String>,
    model: Option<String>,
    usage: Option<String>,
    finish_reason: Option<String>,
    message: Object,
    calls: Vec<Call>,
    by_index: HashMap<u64, usize>,
    by_id: HashMap<String, usize>,
    /// The place of the call of the old form.
    legacy: Option<usize>,
    closed: bool,
}

impl Response {
    pub(super) fn take(&mut self, chunk: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        keep_first(&mut self.id, chunk, "id");
        keep_first(&mut self.model, chunk, "model");
        let counted = present(chunk, "usage");
        let counts = counted.map(|counted| usage(Wire::OpenAiChat, counted)).unwrap_or_default();
        if counts != Usage::default() {
            self.usage = counted.map(|counted| counted.raw().to_owned());
            out.push(StreamEvent::Usage(counts));
        }
        for choice in chunk.get("choices").into_iter().flat_map(Value::items) {
            if choice.get("index").is_some_and(|index| !matches!(index.raw(), "0" | "null")) {
                notes.others = true;
            } else {
                self.choice(choice, notes, out);
            }
        }
    }

    fn choice(&mut self, choice: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        let delta = present(choice, "delta").or_else(|| present(choice, "message"));
        for (key, value) in delta.into_iter().flat_map(Value::entries).filter(|(_, value)| !value.is_null()) {
            if self.finish_reason.is_none() {
                self.field(&key, value, notes, out);
            } else if key != "role" && value.raw() != "\"\"" {
                // OpenRouter repeats an empty delta beside the usage.
                notes.unused("a delta after the finish reason");
            }
        }
        let reason = text_of(choice, "finish_reason").filter(|reason| !reason.is_empty() && self.finish_reason.is_none());
        if let Some(reason) = reason {
            let stop = Stop::named(Wire::OpenAiChat, &reason);
            self.tell_done(&stop, out);
            out.push(StreamEvent::Stop(stop));
            self.finish_reason = Some(reason);
        }
    }

    fn field(&mut self, key: &str, value: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        match key {
            "content" => self.content(value, notes, out),
            "refusal" | "reasoning_content" | "reasoning" if is_text(value) => {
                let text = self.message.append(key, value);
                if !text.is_empty() {
                    out.push(match key {
                        "refusal" => StreamEvent::Refusal { text },
                        _ => StreamEvent::Reasoning { text },
                    });
                }
            }
            "tool_calls" if value.kind() == Kind::Array => {
                for call in value.items() {
                    self.call(call, notes, out);
                }
            }
            "function_call" if value.kind() == Kind::Object => self.function_call(value, notes, out),
            "reasoning_details" if value.kind() == Kind::Array => self.details(value),
            "refusal" | "tool_calls" | "function_call" => notes.unused(&format!("{key} of another kind")),
            _ => self.message.merge(key, value),
        }
    }

    /// Text, or parts of which those of text go on. Mistral thinks in parts.
    fn content(&mut self, content: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        match content.kind() {
            Kind::String => {
                let text = match self.message.get_mut("content") {
                    Some(Node::Array(parts)) => add_text(parts, content),
                    _ => self.message.append("content", content),
                };
                out.extend((!text.is_empty()).then_some(StreamEvent::Text { text }));
            }
            Kind::Array => {
                if let Some(Node::Text(text)) = self.message.get_mut("content") {
                    let text = std::mem::take(text);
                    let parts = if text.is_empty() { Vec::new() } else { vec![text_part(text)] };
                    self.message.set("content", Node::Array(parts));
                }
                if self.message.get("content").is_none() {
                    self.message.set("content", Node::Array(Vec::new()));
                }
                let Some(Node::Array(parts)) = self.message.get_mut("content") else { return };
                add_parts(parts, content, notes, out);
            }
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object => notes.unused("content of another kind"),
        }
    }

    /// OpenRouter's details go by index; their texts go on.
    fn details(&mut self, details: Value<'_>) {
        if !matches!(self.message.get("reasoning_details"), Some(Node::Array(_))) {
            self.message.set("reasoning_details", Node::Array(Vec::new()));
        }
        let Some(Node::Array(known)) = self.message.get_mut("reasoning_details") else { return };
        for detail in details.items() {
            let same = known.last_mut().and_then(|last| match last {
                Node::Object(last) => goes_on(last, detail).then_some(last),
                Node::Raw(_) | Node::Text(_) | Node::Json(_) | Node::Array(_) => None,
            });
            match same {
                Some(last) => {
                    for (key, value) in detail.entries() {
                        last.merge(&key, value);
                    }
                }
                None => known.push(Node::growing(detail)),
            }
        }
    }

    fn call(&mut self, delta: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        if delta.kind() != Kind::Object {
            notes.unused("a call of another kind");
            return;
        }
        let at = self.slot(delta);
        let Some(call) = self.calls.get_mut(at) else { return };
        for (key, value) in delta.entries().filter(|(key, value)| key != "index" && !value.is_null()) {
            match &*key {
                "function" | "custom" if value.kind() == Kind::Object => call.holder(&key, value, at, notes, out),
                "id" | "type" if is_text(value) => call.fields.merge(&key, value),
                "function" | "custom" | "id" | "type" => notes.unused(&format!("{key} of another kind")),
                _ => call.fields.merge(&key, value),
            }
        }
    }

    /// The call that a delta belongs to: that of its index, else of its id, else the last. An id of its own begins another one,
    /// as some servers give every call the index 0.
    fn slot(&mut self, delta: Value<'_>) -> usize {
        let index: Option<u64> = delta.get("index").and_then(|index| index.raw().parse().ok());
        let id = text_of(delta, "id").filter(|id| !id.is_empty());
        let known = match (index, &id) {
            (Some(index), _) => self.by_index.get(&index).copied(),
            (None, Some(id)) => self.by_id.get(id).copied(),
            (None, None) => self.calls.len().checked_sub(1),
        };
        let known = known.filter(|at| {
            let call = self.calls.get(*at);
            id.as_ref().is_none_or(|id| call.is_some_and(|call| call.id.is_empty() || call.id == *id))
        });
        let at = known.unwrap_or(self.calls.len());
        if known.is_none() {
            self.calls.push(Call::default());
            if let Some(index) = index {
                self.by_index.insert(index, at);
            }
        }
        if let (Some(id), Some(call)) = (id, self.calls.get_mut(at))
            && call.id.is_empty()
        {
            call.id.clone_from(&id);
            self.by_id.insert(id, at);
        }
        at
    }

    fn function_call(&mut self, delta: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        let at = *self.legacy.get_or_insert(self.calls.len());
        if at == self.calls.len() {
            self.calls.push(Call { legacy: true, ..Call::default() });
        }
        if let Some(call) = self.calls.get_mut(at) {
            call.holder("function", delta, at, notes, out);
        }
    }

    pub(super) fn done(&mut self, out: &mut Vec<StreamEvent>) {
        if self.finish_reason.is_none() {
            self.tell_done(&Stop::Unstated, out);
        }
        self.closed = true;
    }

    /// Calls end with the answer; where the model did not choose to stop, only those that are whole.
    fn tell_done(&self, stop: &Stop, out: &mut Vec<StreamEvent>) {
        let begun = self.calls.iter().enumerate().filter(|(_, call)| call.begun);
        let done = begun.filter(|(_, call)| stop.is_chosen() || Input::new(call.input()).is_object());
        out.extend(done.map(|(call, _)| StreamEvent::CallDone { call }));
    }

    pub(super) fn has_ended(&self) -> bool {
        self.finish_reason.is_some() || self.closed
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The response. Of one that was cut off, the calls are left out, as nothing says where one ends, and what is opaque.
    pub(super) fn rebuild(self, whole: bool) -> Rebuilt {
        let mut out = Rebuilt::default();
        let ended = whole || self.has_ended();
        let (calls, unfinished): (Vec<Call>, Vec<Call>) = self.calls.into_iter().partition(|call| ended && call.is_named());
        out.unfinished = unfinished.into_iter().map(Call::unfinished).collect();
        let json = &mut out.json;
        json.push('{');
        for (key, raw) in [("id", &self.id), ("model", &self.model), ("usage", &self.usage)] {
            if let Some(raw) = raw {
                json.push_str(&format!("\"{key}\":{raw},"));
            }
        }
        json.push_str("\"choices\":[{\"index\":0,\"message\":{");
        let mut first = true;
        for (key, node) in self.message.into_fields() {
            if !ended && OPAQUE.contains(&&*key) {
                out.left_out.push(key);
                continue;
            }
            write_member(&mut first, &key, |out| node.write(out), json);
        }
        let (legacy, mut calls): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(|call| call.legacy);
        if !calls.is_empty() {
            write_member(&mut first, "tool_calls", |out| list(out, &mut calls, |call, out| call.write(out)), json);
        }
        if let Some(Node::Object(call)) = legacy.first().and_then(|call| call.fields.get("function")) {
            write_member(&mut first, "function_call", |out| call.write(out), json);
        }
        json.push('}');
        if let Some(reason) = self.finish_reason.filter(|_| ended) {
            json.push_str(&format!(",\"finish_reason\":{}", quoted(&reason)));
        }
        json.push_str("}]}");
        out
    }
}

fn write_member(first: &mut bool, key: &str, write: impl FnOnce(&mut String), out: &mut String) {
    if !std::mem::take(first) {
        out.push(',');
    }
    out.push_str(&quoted(key));
    out.push(':');
    write(out);
}

fn keep_first(known: &mut Option<String>, chunk: Value<'_>, key: &str) {
    if known.is_none() {
        *known = chunk.get(key).filter(|value| is_text(*value) && value.raw() != "\"\"").map(|value| value.raw().to_owned());
    }
}

/// Whether a detail goes on the one before it: the same index, type and id as far as both have them.
fn goes_on(last: &Object, detail: Value<'_>) -> bool {
    let same = |key: &str| match (last.get(key), present(detail, key)) {
        (None, _) | (_, None) => true,
        (Some(Node::Raw(raw)), Some(value)) => raw == value.raw(),
        (Some(Node::Text(text)), Some(value)) => text.is(value),
        (Some(Node::Json(_) | Node::Object(_) | Node::Array(_)), Some(_)) => false,
    };
    detail.kind() == Kind::Object && ["index", "type", "id"].into_iter().all(same)
}
