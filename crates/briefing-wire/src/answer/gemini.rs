//! The chunks of a Gemini stream, put together as the response that they amount to.
//!
//! Each chunk is a response with the next parts. Neighbours that are text of the same kind are one part, but for those with a
//! `thoughtSignature`, which stay alone as Google demands. A call comes whole, or (Vertex, `streamFunctionCallArguments`) as a name
//! and then `partialArgs`, each with the path of its value.

use briefing::Wire;
use briefing::message::CallId;
use briefing_json::{Kind, Value, present, quoted};

use super::UnfinishedCall;
use super::grow::{Node, Object, list};
use super::partial_args::add;
use super::read::is_text;
use super::stop::Stop;
use super::stream::{Notes, Rebuilt, StreamEvent};
use super::usage::{Usage, usage};
use crate::gemini::kind_of;
use crate::raw::text_of;

/// The response so far.
#[derive(Debug, Default)]
pub(super) struct Response {
    id: Option<String>,
    model: Option<String>,
    usage: Option<String>,
    feedback: Option<String>,
    finish_reason: Option<String>,
    parts: Vec<Part>,
    calls: usize,
    /// Calls that another part cut off.
    unfinished: Vec<UnfinishedCall>,
    /// The last part is a call that goes on.
    open: bool,
}

#[derive(Debug)]
enum Part {
    /// Text that may go on.
    Text(Object),
    /// A part as it came.
    Raw(String),
    /// A call in pieces: the part, and which call it is.
    Call { fields: Object, call: usize, id: CallId, name: String, args: Node },
}

impl Response {
    pub(super) fn take(&mut self, chunk: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        self.id = self.id.take().or_else(|| text_of(chunk, "responseId"));
        self.model = self.model.take().or_else(|| text_of(chunk, "modelVersion"));
        let counted = present(chunk, "usageMetadata");
        let counts = counted.map(|counted| usage(Wire::Gemini, counted)).unwrap_or_default();
        if counts != Usage::default() {
            self.usage = counted.map(|counted| counted.raw().to_owned());
            out.push(StreamEvent::Usage(counts));
        }
        if let Some(feedback) = present(chunk, "promptFeedback").filter(|feedback| present(*feedback, "blockReason").is_some())
        {
            self.feedback = Some(feedback.raw().to_owned());
            out.push(StreamEvent::Stop(Stop::ContentFilter));
        }
        for candidate in chunk.get("candidates").into_iter().flat_map(Value::items) {
            if candidate.get("index").is_some_and(|index| !matches!(index.raw(), "0" | "null")) {
                notes.others = true;
            } else {
                self.candidate(candidate, notes, out);
            }
        }
    }

    fn candidate(&mut self, candidate: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        let parts = present(candidate, "content").and_then(|content| content.get("parts"));
        for part in parts.into_iter().flat_map(Value::items) {
            if part.kind() == Kind::Object {
                self.part(part, notes, out);
            } else {
                notes.unused("a part of another kind");
            }
        }
        if let Some(reason) = text_of(candidate, "finishReason") {
            out.push(StreamEvent::Stop(Stop::named(Wire::Gemini, &reason)));
            self.finish_reason = Some(reason);
        }
    }

    fn part(&mut self, part: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        if let Some(call) = present(part, "functionCall") {
            if call.kind() == Kind::Object {
                self.call(part, call, notes, out);
            } else {
                notes.unused("a call of another kind");
            }
            return;
        }
        let text = present(part, "text").filter(|text| is_text(*text));
        let Some(text) = text else {
            if present(part, "text").is_some() {
                notes.unused("text of another kind");
                return;
            }
            out.push(StreamEvent::Native { kind: kind_of(part).unwrap_or_default() });
            self.raw(part, notes);
            return;
        };
        let thought = part.get("thought").and_then(Value::as_bool) == Some(true);
        let alone = part.entries().any(|(key, _)| key != "text" && key != "thought");
        let said = if alone {
            self.raw(part, notes);
            text.as_str().unwrap_or_default().into_owned()
        } else {
            self.text(part, text, thought, notes)
        };
        out.extend((!said.is_empty()).then_some(if thought {
            StreamEvent::Reasoning { text: said }
        } else {
            StreamEvent::Text { text: said }
        }));
    }

    fn raw(&mut self, part: Value<'_>, notes: &mut Notes) {
        self.close(notes);
        self.parts.push(Part::Raw(part.raw().to_owned()));
    }

    fn text(&mut self, part: Value<'_>, text: Value<'_>, thought: bool, notes: &mut Notes) -> String {
        // A stream may end with an empty text beside the reason.
        if text.raw() == "\"\"" {
            return String::new();
        }
        self.close(notes);
        if let Some(Part::Text(last)) = self.parts.last_mut()
            && matches!(last.get("thought"), Some(Node::Raw(raw)) if raw == "true") == thought
        {
            return last.append("text", text);
        }
        let mut fields = Object::flat(part);
        fields.set("text", Node::Raw("\"\"".to_owned()));
        let said = fields.append("text", text);
        self.parts.push(Part::Text(fields));
        said
    }

    fn call(&mut self, part: Value<'_>, call: Value<'_>, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        let goes_on = call.get("willContinue").and_then(Value::as_bool) == Some(true);
        let name = text_of(call, "name").filter(|name| !name.is_empty());
        if !(self.open && name.is_none()) {
            let Some(name) = name else {
                notes.unused("a call without its beginning");
                return;
            };
            self.begin(part, call, name, notes, out);
        }
        let Some(Part::Call { args, call: number, .. }) = self.parts.last_mut() else { return };
        match present(call, "args") {
            Some(whole) if whole.kind() == Kind::Object => *args = Node::raw(whole),
            Some(_) => notes.unused("arguments of another kind"),
            None => {}
        }
        for arg in call.get("partialArgs").into_iter().flat_map(Value::items) {
            if !add(args, arg) {
                notes.unused("a partial argument");
            }
        }
        self.open = goes_on;
        if !goes_on {
            let mut text = String::new();
            args.write(&mut text);
            out.push(StreamEvent::CallInput { call: *number, text });
            out.push(StreamEvent::CallDone { call: *number });
        }
    }

    fn begin(&mut self, part: Value<'_>, call: Value<'_>, name: String, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        self.close(notes);
        let number = self.calls;
        self.calls += 1;
        // A call without an id goes by its name.
        let id = CallId::new(text_of(call, "id").unwrap_or_else(|| name.clone()));
        out.push(StreamEvent::CallBegun { call: number, id: id.clone(), name: name.clone() });
        let mut function = Object::default();
        for (key, value) in call.entries().filter(|(key, _)| !matches!(&**key, "willContinue" | "partialArgs" | "args")) {
            if key != "id" || is_text(value) {
                function.set(&key, Node::raw(value));
            }
        }
        let mut fields = Object::flat(part);
        fields.set("functionCall", Node::Object(function));
        let args = Node::Object(Object::default());
        self.parts.push(Part::Call { fields, call: number, id, name, args });
        self.open = true;
    }

    /// A call that goes on, and does not: another part follows.
    fn close(&mut self, notes: &mut Notes) {
        if std::mem::take(&mut self.open) {
            notes.unused("a call that does not go on");
            self.give_up();
        }
    }

    /// The last part is a call that did not end.
    fn give_up(&mut self) {
        if let Some(Part::Call { id, name, args, .. }) = self.parts.pop() {
            let mut input = String::new();
            args.write(&mut input);
            self.unfinished.push(UnfinishedCall { id, name, input });
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.finish_reason.is_some() || self.feedback.is_some()
    }

    pub(super) fn rebuild(mut self) -> Rebuilt {
        if self.open {
            self.give_up();
        }
        let mut out = Rebuilt { unfinished: self.unfinished, ..Rebuilt::default() };
        let json = &mut out.json;
        json.push('{');
        for (key, value) in [("responseId", &self.id), ("modelVersion", &self.model)] {
            if let Some(value) = value {
                json.push_str(&format!("\"{key}\":{},", quoted(value)));
            }
        }
        for (key, raw) in [("usageMetadata", &self.usage), ("promptFeedback", &self.feedback)] {
            if let Some(raw) = raw {
                json.push_str(&format!("\"{key}\":{raw},"));
            }
        }
        json.push_str("\"candidates\":[{\"content\":{\"parts\":");
        list(json, self.parts, Part::write);
        json.push('}');
        if let Some(reason) = &self.finish_reason {
            json.push_str(&format!(",\"finishReason\":{}", quoted(reason)));
        }
        json.push_str("}]}");
        out
    }
}

impl Part {
    fn write(self, out: &mut String) {
        match self {
            Self::Raw(raw) => out.push_str(&raw),
            Self::Text(fields) => fields.write(out),
            Self::Call { mut fields, args, .. } => {
                if let Some(Node::Object(function)) = fields.get_mut("functionCall") {
                    function.set("args", args);
                }
                fields.write(out);
            }
        }
    }
}
