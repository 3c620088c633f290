//! A JSON text while it is written, and what is told of it.

use briefing::message::Extra;
use briefing_json::quote;

use crate::Written;
use crate::change::{WriteChange, WriteFinding};

/// Writes compactly, a message a line. Commas see to themselves: no value ends in an opening bracket.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    out: Vec<u8>,
    findings: Vec<WriteFinding>,
    /// The message that is being written.
    message: usize,
}

impl Writer {
    pub(crate) fn finish(self) -> Written {
        let lines = if self.out.is_empty() { String::new() } else { String::from_utf8(self.out).unwrap_or_default() + "\n" };
        Written { json: format!("[\n{lines}]\n"), findings: self.findings }
    }

    /// Goes on with the message of that index.
    pub(crate) fn at(&mut self, message: usize) {
        self.message = message;
    }

    pub(crate) fn note(&mut self, change: WriteChange) {
        self.findings.push(WriteFinding { message: self.message, change });
    }

    /// A message of the form, on a line of its own.
    pub(crate) fn line(&mut self, write: impl FnOnce(&mut Self)) {
        self.push(if self.out.is_empty() { "" } else { ",\n" });
        self.object(write);
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// A value that is JSON already.
    pub(crate) fn json(&mut self, text: &str) {
        self.push(text.trim_matches([' ', '\t', '\n', '\r']));
    }

    pub(crate) fn text(&mut self, text: &str) {
        quote(text, &mut self.out);
    }

    fn comma(&mut self, unless: u8) {
        if self.out.last() != Some(&unless) {
            self.out.push(b',');
        }
    }

    /// A member's name; its value follows.
    pub(crate) fn name(&mut self, name: &str) {
        self.comma(b'{');
        quote(name, &mut self.out);
        self.out.push(b':');
    }

    pub(crate) fn field(&mut self, name: &str, text: &str) {
        self.name(name);
        self.text(text);
    }

    pub(crate) fn json_field(&mut self, name: &str, value: &str) {
        self.name(name);
        self.json(value);
    }

    pub(crate) fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.out.push(b'{');
        write(self);
        self.out.push(b'}');
    }

    /// A member that is an object.
    pub(crate) fn inner(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.name(name);
        self.object(write);
    }

    pub(crate) fn array<T>(&mut self, items: impl IntoIterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.out.push(b'[');
        for item in items {
            self.comma(b'[');
            write(self, item);
        }
        self.out.push(b']');
    }

    /// A block of that type.
    pub(crate) fn block(&mut self, kind: &str, write: impl FnOnce(&mut Self)) {
        self.object(|out| {
            out.field("type", kind);
            write(out);
        });
    }

    /// Tells of the unknown fields that `kept` does not name.
    pub(crate) fn fields_left_out(&mut self, extra: &Extra, kept: &[&str]) {
        let Some(wire) = extra.wire() else { return };
        for (name, _) in extra.on(wire).filter(|(name, _)| !kept.contains(name)) {
            self.note(WriteChange::FieldLeftOut { wire, name: name.to_owned() });
        }
    }
}
