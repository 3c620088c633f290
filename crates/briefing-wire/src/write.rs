//! Writing a body, compactly, in one pass.

use briefing::Wire;
use briefing::message::{Extra, RawJson};
use briefing_json::{Document, Kind, quote};

use crate::raw::is;

/// Unknown fields as they are written: all of them, or all but one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fields<'a> {
    extra: Option<&'a Extra>,
    without: Option<&'static str>,
    /// Whether a cache mark is added that was not among them.
    marked: bool,
}

/// The field that marks a block for Anthropic's prompt cache.
pub(crate) const MARK: &str = "cache_control";

/// The fields of a text block.
pub(crate) const TEXT: [&str; 2] = ["type", "text"];

impl<'a> Fields<'a> {
    pub(crate) fn of(extra: &'a Extra) -> Self {
        Self { extra: Some(extra), without: None, marked: false }
    }

    pub(crate) fn on(self, wire: Wire) -> impl Iterator<Item = (&'a str, &'a RawJson)> {
        let fields = self.extra.into_iter().flat_map(move |extra| extra.on(wire));
        fields.filter(move |(name, _)| self.without != Some(name))
    }

    /// Whether none is written beside a text.
    pub(crate) fn is_plain(self, wire: Wire) -> bool {
        !self.marked && self.on(wire).all(|(name, _)| TEXT.contains(&name))
    }

    /// Whether they hold a cache mark.
    pub(crate) fn marked(self, wire: Wire) -> bool {
        self.marked || self.on(wire).any(|(name, raw)| name == MARK && !is(raw, "null"))
    }

    /// The same with a cache mark.
    pub(crate) fn mark(self) -> Self {
        Self { marked: true, without: Some(MARK), ..self }
    }

    /// The field of that name, if it is one of them.
    pub(crate) fn get(self, wire: Wire, name: &str) -> Option<&'a RawJson> {
        self.on(wire).find(|(known, _)| *known == name).map(|(_, raw)| raw)
    }

    /// The same but for that field. Of several that are taken out the last counts.
    pub(crate) fn without(self, name: &'static str) -> Self {
        Self { without: Some(name), ..self }
    }
}

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

    /// An array, element by element.
    pub(crate) fn list(&mut self, write: impl FnOnce(&mut Self)) {
        self.out.push(b'[');
        write(self);
        self.out.push(b']');
    }

    /// An element of an array.
    pub(crate) fn element(&mut self, write: impl FnOnce(&mut Self)) {
        self.comma(b'[');
        write(self);
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
    pub(crate) fn extra(&mut self, fields: Fields<'_>, known: &[&str]) {
        for (name, raw) in fields.on(self.wire).filter(|(name, _)| !known.contains(name)) {
            self.json_field(name, raw.as_str());
        }
        if fields.marked {
            self.json_field(MARK, r#"{"type":"ephemeral"}"#);
        }
    }

    /// Unknown fields of the object that the unknown field `nest` stands for (see `Reader::nested`).
    pub(crate) fn nested_extra(&mut self, fields: Fields<'_>, nest: &str, known: &[&str]) {
        for (_, raw) in fields.on(self.wire).filter(|(name, _)| *name == nest) {
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
