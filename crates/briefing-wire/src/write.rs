//! Writing a body, compactly, in one pass.

use briefing::Wire;
use briefing::message::{Extra, RawJson};
use briefing_json::{Document, Kind, WriteJson, quote};

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

/// A body while it is written.
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

impl WriteJson for Writer {
    fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }
}
