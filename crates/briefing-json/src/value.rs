//! Walking a parsed document.

use std::borrow::Cow;
use std::ops::Range;

use crate::parse::{Document, Node};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number, kept as its text.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// What a value of this kind is called in messages: `a string`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// The member, unless it is absent or null.
#[must_use]
pub fn present<'d>(object: Value<'d>, key: &str) -> Option<Value<'d>> {
    object.get(key).filter(|value| !value.is_null())
}

/// One value of a [`Document`]: a cheap, copyable cursor.
#[derive(Debug, Clone, Copy)]
pub struct Value<'d> {
    doc: &'d Document<'d>,
    at: usize,
}

impl<'d> Value<'d> {
    pub(crate) fn new(doc: &'d Document<'_>, at: usize) -> Self {
        Self { doc, at }
    }

    fn node(self) -> Node {
        const END: Node = Node { start: 0, end: 0, next: 0, kind: Kind::Null, escaped: false };
        self.doc.nodes.get(self.at).copied().unwrap_or(END)
    }

    /// What the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The bytes of the text that the value stands at.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        let node = self.node();
        node.start as usize..node.end as usize
    }

    /// The value as it is written, byte for byte.
    #[must_use]
    pub fn raw(self) -> &'d str {
        self.doc.text.get(self.span()).unwrap_or_default()
    }

    /// A string's text: borrowed unless it holds escapes; a lone surrogate reads as U+FFFD. `None` if it is no string.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        let node = self.node();
        if node.kind != Kind::String {
            return None;
        }
        let inner = self.raw().get(1..)?.strip_suffix('"')?;
        Some(if node.escaped { Cow::Owned(decode(inner).0) } else { Cow::Borrowed(inner) })
    }

    /// Whether the value is a string with half of a surrogate pair in it: no valid text, and refused by providers.
    #[must_use]
    pub fn has_lone_surrogate(self) -> bool {
        let node = self.node();
        let surrogate = |raw: &str| raw.contains("\\ud") || raw.contains("\\uD");
        node.kind == Kind::String && node.escaped && surrogate(self.raw()) && decode(self.raw()).1
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            Kind::Null | Kind::Number | Kind::String | Kind::Array | Kind::Object => None,
        }
    }

    /// The number, if it is one that `f64` can hold.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// The elements of an array; of anything else, none.
    #[must_use]
    pub fn items(self) -> Items<'d> {
        let (at, end) = if self.kind() == Kind::Array { self.inside() } else { (0, 0) };
        Items { doc: self.doc, at, end }
    }

    /// The members of an object in the order they are written; of anything else, none.
    #[must_use]
    pub fn entries(self) -> Entries<'d> {
        let (at, end) = if self.kind() == Kind::Object { self.inside() } else { (0, 0) };
        Entries(Items { doc: self.doc, at, end })
    }

    /// The members of an object with their keys as values, which know where they stand.
    pub fn members(self) -> impl Iterator<Item = (Value<'d>, Value<'d>)> {
        let mut inside = self.entries().0;
        std::iter::from_fn(move || Some((inside.next()?, inside.next()?)))
    }

    fn inside(self) -> (usize, usize) {
        (self.at + 1, self.node().next as usize)
    }

    /// The member of that name; of several, the last, as most readers take it.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'d>> {
        let mut members = self.entries().0;
        let mut found = None;
        while let (Some(name), Some(value)) = (members.next(), members.next()) {
            if name.is_text(key) {
                found = Some(value);
            }
        }
        found
    }

    /// Whether it is a string of that text. An escape takes two to six bytes for one of its own, so most names need no decoding.
    fn is_text(self, text: &str) -> bool {
        let node = self.node();
        let raw = self.raw();
        let inner = raw.len().saturating_sub(2);
        if !node.escaped {
            return inner == text.len() && raw.get(1..=inner) == Some(text);
        }
        inner > text.len() && inner <= 6 * text.len() && self.as_str().is_some_and(|decoded| decoded == text)
    }
}

/// The elements of an array.
#[derive(Debug, Clone)]
pub struct Items<'d> {
    doc: &'d Document<'d>,
    at: usize,
    end: usize,
}

impl<'d> Iterator for Items<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.at >= self.end {
            return None;
        }
        let value = Value { doc: self.doc, at: self.at };
        self.at = value.node().next as usize;
        Some(value)
    }
}

/// The members of an object.
#[derive(Debug, Clone)]
pub struct Entries<'d>(Items<'d>);

impl<'d> Iterator for Entries<'d> {
    type Item = (Cow<'d, str>, Value<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.0.next()?.as_str()?;
        Some((key, self.0.next()?))
    }
}

/// Decodes the escapes of a string that the parser has accepted, and tells whether a surrogate stood alone.
fn decode(text: &str) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let mut lone = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let (decoded, length) = match escape.as_bytes().get(1) {
            Some(b'u') => unicode(escape),
            Some(b'n') => (Some('\n'), 2),
            Some(b't') => (Some('\t'), 2),
            Some(b'r') => (Some('\r'), 2),
            Some(b'b') => (Some('\u{8}'), 2),
            Some(b'f') => (Some('\u{c}'), 2),
            Some(byte) => (Some(char::from(*byte)), 2),
            None => (None, 1),
        };
        lone |= decoded.is_none();
        out.push(decoded.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    (out, lone)
}

/// The character of a `\uXXXX` escape (or pair of them) and its length in bytes; none for a lone surrogate.
fn unicode(escape: &str) -> (Option<char>, usize) {
    let unit = |at: usize| {
        let digits = escape.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    };
    match unit(0) {
        Some(high @ 0xd800..=0xdbff) => match unit(6) {
            Some(low @ 0xdc00..=0xdfff) => (char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)), 12),
            _ => (None, 6),
        },
        Some(code) => (char::from_u32(code), 6),
        None => (None, 6),
    }
}
