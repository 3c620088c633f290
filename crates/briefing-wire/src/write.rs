//! Writing a body, compactly, in one pass.

use briefing::Wire;
use briefing::message::{Extra, RawJson};
use briefing_json::{Document, Kind, quote};

/// A JSON text while it is written. Commas see to themselves: no value ends in an opening bracket.
pub(crate) struct Writer {
    out: Vec<u8>,
    wire: Wire,
}

impl Writer {
    pub(crate) fn new(wire: Wire) -> Self {
        Self { out: Vec::with_capacity(4096), wire }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    fn push(&mut self, text: &str) {
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

    /// A `data:` URI of Base64 data.
    pub(crate) fn data_uri(&mut self, media_type: &str, data: &str) {
        self.out.push(b'"');
        let mut inside = Vec::new();
        quote(media_type, &mut inside);
        self.push("data:");
        self.out.extend_from_slice(inside.get(1..inside.len() - 1).unwrap_or_default());
        self.push(";base64,");
        self.push(data);
        self.out.push(b'"');
    }

    /// Unknown fields of this wire, but for those whose names are known here.
    pub(crate) fn extra(&mut self, extra: &Extra, known: &[&str]) {
        for (name, raw) in extra.on(self.wire).filter(|(name, _)| !known.contains(name)) {
            self.json_field(name, raw.as_str());
        }
    }

    /// Unknown fields of the object that the unknown field `nest` stands for (see `Reader::nested`).
    pub(crate) fn nested_extra(&mut self, extra: &Extra, nest: &str, known: &[&str]) {
        for (_, raw) in extra.on(self.wire).filter(|(name, _)| *name == nest) {
            self.members(raw, known);
        }
    }

    fn members(&mut self, raw: &RawJson, known: &[&str]) {
        let Ok(document) = Document::parse(raw.as_str()) else { return };
        if document.root().kind() == Kind::Object {
            for (name, value) in document.root().entries().filter(|(name, _)| !known.contains(&name.as_ref())) {
                self.json_field(&name, value.raw());
            }
        }
    }
}
