//! JSON that grows while it arrives: strings are appended as they are written, so nothing is read twice.

use std::collections::HashMap;

use briefing_json::{Document, Kind, Value, quoted};

use briefing::message::MAX_RAW_DEPTH;

/// A string in pieces: what stands between its quotes, escapes and all. Two halves of a surrogate pair meet again that way.
#[derive(Debug, Default)]
pub(super) struct Grown {
    inner: String,
    /// How much of it was given as text.
    told: usize,
}

impl Grown {
    /// Appends a JSON string. Gives its text, and what waited for it; half of a surrogate pair at the end waits.
    pub(super) fn append(&mut self, piece: Value<'_>) -> String {
        let raw = piece.raw();
        let inner = raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default();
        let waits = self.told < self.inner.len();
        self.inner.push_str(inner);
        if !waits && !inner.contains('\\') {
            self.told = self.inner.len();
            return inner.to_owned();
        }
        let news = self.inner.get(self.told..).unwrap_or_default();
        let news = news.get(..news.len() - half_pair(news)).unwrap_or_default();
        self.told += news.len();
        decoded(news)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// Whether it is written as that string.
    pub(super) fn is(&self, text: Value<'_>) -> bool {
        text.raw().len() == self.inner.len() + 2 && text.raw().get(1..=self.inner.len()) == Some(self.inner.as_str())
    }

    /// The whole text.
    pub(super) fn text(&self) -> String {
        decoded(&self.inner)
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push('"');
        out.push_str(&self.inner);
        out.push('"');
    }
}

/// How many bytes the first half of a surrogate pair takes at the end of a string's inside.
fn half_pair(inner: &str) -> usize {
    let Some((before, last)) = inner.len().checked_sub(6).and_then(|at| inner.split_at_checked(at)) else { return 0 };
    let unit = last.strip_prefix("\\u").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let backslashes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if backslashes % 2 == 0 && unit.is_some_and(|unit| (0xd800..0xdc00).contains(&unit)) { last.len() } else { 0 }
}

fn decoded(inner: &str) -> String {
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    let quoted = format!("\"{inner}\"");
    Document::parse(&quoted).ok().and_then(|text| Some(text.root().as_str()?.into_owned())).unwrap_or_default()
}

/// A value that grows.
#[derive(Debug)]
pub(super) enum Node {
    /// A value as it came.
    Raw(String),
    /// A string in pieces.
    Text(Grown),
    /// JSON text in pieces, as the arguments of a call come.
    Json(String),
    /// An object whose members come one by one.
    Object(Object),
    /// An array whose elements come one by one.
    Array(Vec<Node>),
}

impl Node {
    /// The value as it came.
    pub(super) fn raw(value: Value<'_>) -> Self {
        Self::Raw(value.raw().to_owned())
    }

    /// The value; strings and what objects and arrays hold may go on.
    pub(super) fn growing(value: Value<'_>) -> Self {
        match value.kind() {
            Kind::String => {
                let mut text = Grown::default();
                text.append(value);
                Self::Text(text)
            }
            Kind::Object => Self::Object(Object::of(value)),
            Kind::Array => Self::Array(value.items().map(Self::raw).collect()),
            Kind::Null | Kind::True | Kind::False | Kind::Number => Self::raw(value),
        }
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            // A place whose value did not come.
            Self::Raw(raw) if raw.is_empty() => out.push_str("null"),
            Self::Raw(raw) => out.push_str(raw),
            Self::Text(text) => text.write(out),
            Self::Json(text) => out.push_str(&sound_json(text).unwrap_or_else(|| quoted(text))),
            Self::Object(object) => object.write(out),
            Self::Array(items) => list(out, items, |item, out| item.write(out)),
        }
    }
}

/// The text if it is JSON that may stand in a body.
fn sound_json(text: &str) -> Option<String> {
    let document = Document::parse(text).ok()?;
    (document.depth() <= MAX_RAW_DEPTH).then(|| text.to_owned())
}

/// Writes an array.
pub(super) fn list<T>(out: &mut String, items: impl IntoIterator<Item = T>, mut write: impl FnMut(T, &mut String)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

/// An object whose members come one by one, in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct Object {
    fields: Vec<(String, Node)>,
    places: HashMap<String, usize>,
}

impl Object {
    /// The object's members; strings in it may go on.
    pub(super) fn of(object: Value<'_>) -> Self {
        let mut out = Self::default();
        for (key, value) in object.entries() {
            out.set(&key, Node::growing(value));
        }
        out
    }

    /// The object's members; its own strings may go on, what is inside of other values stays as it came.
    pub(super) fn flat(object: Value<'_>) -> Self {
        let mut out = Self::default();
        for (key, value) in object.entries() {
            out.set(&key, if value.kind() == Kind::String { Node::growing(value) } else { Node::raw(value) });
        }
        out
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.fields.get(*self.places.get(key)?).map(|(_, node)| node)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.fields.get_mut(*self.places.get(key)?).map(|(_, node)| node)
    }

    /// Sets a member; a new one stands last.
    pub(super) fn set(&mut self, key: &str, node: Node) {
        if let Some(known) = self.get_mut(key) {
            *known = node;
        } else {
            self.places.insert(key.to_owned(), self.fields.len());
            self.fields.push((key.to_owned(), node));
        }
    }

    /// The member as text; empty if it is absent or no string.
    pub(super) fn text(&self, key: &str) -> String {
        match self.get(key) {
            Some(Node::Text(text)) => text.text(),
            Some(Node::Raw(_) | Node::Json(_) | Node::Object(_) | Node::Array(_)) | None => String::new(),
        }
    }

    /// Appends to a string; what is no string gives way to it.
    pub(super) fn append(&mut self, key: &str, piece: Value<'_>) -> String {
        match self.get_mut(key) {
            Some(Node::Text(text)) => text.append(piece),
            Some(Node::Raw(_) | Node::Json(_) | Node::Object(_) | Node::Array(_)) | None => {
                let mut text = Grown::default();
                let said = text.append(piece);
                self.set(key, Node::Text(text));
                said
            }
        }
    }

    /// Adds an element to an array; what is no array gives way to it.
    pub(super) fn push(&mut self, key: &str, element: Value<'_>) {
        let element = Node::raw(element);
        match self.get_mut(key) {
            Some(Node::Array(items)) => items.push(element),
            Some(Node::Raw(raw)) => {
                let known = Document::parse(raw).map(|known| known.root().items().map(Node::raw).collect::<Vec<_>>());
                let mut items = known.unwrap_or_default();
                items.push(element);
                self.set(key, Node::Array(items));
            }
            Some(Node::Text(_) | Node::Json(_) | Node::Object(_)) | None => self.set(key, Node::Array(vec![element])),
        }
    }

    /// Adds a member of a delta: strings are appended but for those that name something, arrays extended, objects merged, and
    /// of anything else the last stands. So does OpenAI's SDK (`accumulate_delta`), but for the names.
    pub(super) fn merge(&mut self, key: &str, value: Value<'_>) {
        const NAMES: [&str; 5] = ["id", "type", "role", "name", "format"];
        if value.is_null() {
            return;
        }
        match (self.get_mut(key), value.kind()) {
            (Some(Node::Text(text)), Kind::String) => {
                if text.is_empty() || !NAMES.contains(&key) {
                    text.append(value);
                }
            }
            (Some(Node::Array(items)), Kind::Array) => items.extend(value.items().map(Node::raw)),
            (Some(Node::Object(object)), Kind::Object) => {
                for (key, value) in value.entries() {
                    object.merge(&key, value);
                }
            }
            (Some(_) | None, _) => self.set(key, Node::growing(value)),
        }
    }

    /// The members, in order.
    pub(super) fn into_fields(self) -> impl Iterator<Item = (String, Node)> {
        self.fields.into_iter()
    }

    pub(super) fn write(&self, out: &mut String) {
        out.push('{');
        for (index, (key, node)) in self.fields.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            out.push_str(&quoted(key));
            out.push(':');
            node.write(out);
        }
        out.push('}');
    }
}
