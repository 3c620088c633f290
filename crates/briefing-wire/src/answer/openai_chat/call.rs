//! A call while its deltas come.

use briefing::message::CallId;
use briefing_json::{Kind, Value};

use crate::answer::UnfinishedCall;
use crate::answer::grow::{Node, Object};
use crate::answer::read::is_text;
use crate::answer::stream::{Notes, StreamEvent};

/// A call so far.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) fields: Object,
    pub(super) id: String,
    /// The tool's name, as far as it came.
    pub(super) name: String,
    /// Whether its beginning was told.
    pub(super) begun: bool,
    /// The one call of the old form, a field of the message.
    pub(super) legacy: bool,
}

impl Call {
    /// What the delta adds to the function or the custom tool.
    pub(super) fn holder(&mut self, key: &str, delta: Value<'_>, at: usize, notes: &mut Notes, out: &mut Vec<StreamEvent>) {
        if !matches!(self.fields.get(key), Some(Node::Object(_))) {
            self.fields.set(key, Node::Object(Object::default()));
        }
        let Some(Node::Object(holder)) = self.fields.get_mut(key) else { return };
        let mut said = String::new();
        for (key, value) in delta.entries().filter(|(_, value)| !value.is_null()) {
            match &*key {
                // The first stands; some servers repeat it.
                "name" if is_text(value) && self.name.is_empty() => {
                    holder.merge("name", value);
                    self.name = holder.text("name");
                }
                "name" if is_text(value) => {}
                "arguments" | "input" if is_text(value) => said = holder.append(&key, value),
                // Some servers write them as JSON.
                "arguments" if value.kind() == Kind::Object => {
                    holder.set("arguments", Node::raw(value));
                    value.raw().clone_into(&mut said);
                }
                "name" | "arguments" | "input" => notes.unused(&format!("{key} of another kind")),
                _ => holder.merge(&key, value),
            }
        }
        if !(self.begun || self.name.is_empty() && said.is_empty()) {
            self.begun = true;
            out.push(StreamEvent::CallBegun { call: at, id: CallId::new(self.id.as_str()), name: self.name.clone() });
        }
        out.extend((!said.is_empty()).then_some(StreamEvent::CallInput { call: at, text: said }));
    }

    /// Writes the call. Its type is that of what it holds, whatever came as one.
    pub(super) fn write(&mut self, out: &mut String) {
        let custom = !matches!(self.fields.get("function"), Some(Node::Object(_)));
        if custom != (self.fields.text("type") == "custom") {
            self.fields.set("type", Node::Raw(if custom { "\"custom\"" } else { "\"function\"" }.to_owned()));
        }
        self.fields.write(out);
    }

    /// Whether it says which tool is called.
    pub(super) fn is_named(&self) -> bool {
        !self.name.is_empty()
    }

    pub(super) fn unfinished(self) -> UnfinishedCall {
        let input = self.input();
        UnfinishedCall { id: CallId::new(self.id), name: self.name, input }
    }

    /// The arguments so far.
    pub(super) fn input(&self) -> String {
        let holder = ["function", "custom"].iter().find_map(|key| match self.fields.get(key) {
            Some(Node::Object(holder)) => Some(holder),
            Some(Node::Raw(_) | Node::Text(_) | Node::Json(_) | Node::Array(_)) | None => None,
        });
        let input = ["arguments", "input"].iter().find_map(|key| match holder?.get(key)? {
            Node::Text(text) => Some(text.text()),
            Node::Raw(raw) => Some(raw.clone()),
            Node::Json(_) | Node::Object(_) | Node::Array(_) => None,
        });
        input.unwrap_or_default()
    }
}
