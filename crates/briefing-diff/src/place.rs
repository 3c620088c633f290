//! Where in the texts of two bodies two blocks begin to differ.

use briefing_json::{Kind, Pointer, Value};
use serde::Serialize;

use crate::same::{is_silent, plain_text};

/// The most characters of an excerpt.
pub const EXCERPT_CHARS: usize = 80;
/// How many of them stand before the place.
const BEFORE: usize = 24;

/// A place in the text of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// The value that differs.
    #[serde(serialize_with = "as_text")]
    pub place: Pointer,
    /// Bytes from the start of the text.
    pub offset: usize,
    /// Line, from one.
    pub line: usize,
    /// Character of the line, from one.
    pub column: usize,
    /// What stands there as it is written, at most [`EXCERPT_CHARS`] characters. It may hold anything.
    pub excerpt: String,
}

fn as_text<S: serde::Serializer>(pointer: &Pointer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(pointer.as_str())
}

/// A value by its place, and the byte in it.
#[derive(Clone)]
pub(crate) struct Site<'d> {
    pub(crate) pointer: Pointer,
    pub(crate) value: Value<'d>,
    /// Bytes from the start of the value.
    within: usize,
}

impl<'d> Site<'d> {
    pub(crate) fn new(pointer: Pointer, value: Value<'d>) -> Self {
        Self { pointer, value, within: 0 }
    }

    /// The place in the body's text.
    pub(crate) fn spot(self, text: &str) -> Spot {
        let span = self.value.span();
        let offset = span.start + self.within;
        let (line, column) = line_and_column(text, offset);
        let value = text.get(span.clone()).unwrap_or_default();
        let lead = value.get(..self.within).unwrap_or_default();
        let start = lead.char_indices().rev().nth(BEFORE - 1).map_or(0, |(at, _)| at);
        Spot {
            place: self.pointer,
            offset,
            line,
            column,
            excerpt: value.get(start..).unwrap_or_default().chars().take(EXCERPT_CHARS).collect(),
        }
    }
}

/// The line of a byte and its character in the line, from one.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    (line, 1 + before.get(start..).unwrap_or_default().chars().count())
}

/// The first values inside two blocks that are not the same: the innermost on both sides. `skip` names members that are no part
/// of the blocks.
pub(crate) fn first_difference<'d>(a: Site<'d>, b: Site<'d>, skip: impl Fn(&str) -> bool) -> (Site<'d>, Site<'d>) {
    let (a, b) = match (plain_text(a.value), plain_text(b.value)) {
        (Some(_), Some(_)) => (text_of(a), text_of(b)),
        _ => (a, b),
    };
    walk(&a, &b, &skip, true).unwrap_or((a, b))
}

/// The string of a plain text block.
fn text_of(site: Site<'_>) -> Site<'_> {
    match site.value.get("text") {
        Some(text) => Site::new(site.pointer.key("text"), text),
        None => site,
    }
}

type Pair<'d> = (Site<'d>, Site<'d>);

fn walk<'d>(a: &Site<'d>, b: &Site<'d>, skip: &dyn Fn(&str) -> bool, outermost: bool) -> Option<Pair<'d>> {
    match (a.value.kind(), b.value.kind()) {
        (Kind::Object, Kind::Object) => members(a, b, skip, outermost),
        (Kind::Array, Kind::Array) => elements(a, b),
        (Kind::String, Kind::String) => strings(a, b),
        _ => (a.value.raw() != b.value.raw()).then(|| (a.clone(), b.clone())),
    }
}

fn strings<'d>(a: &Site<'d>, b: &Site<'d>) -> Option<Pair<'d>> {
    let (x, y) = (a.value.raw(), b.value.raw());
    if x == y || a.value.as_str() == b.value.as_str() && !a.value.has_lone_surrogate() {
        return None;
    }
    let within = common(x, y);
    let at = |site: &Site<'d>| Site { within, ..site.clone() };
    Some((at(a), at(b)))
}

/// How many bytes two texts begin with in common, up to the end of a character.
pub(crate) fn common(a: &str, b: &str) -> usize {
    let equal = a.bytes().zip(b.bytes()).take_while(|(one, other)| one == other).count();
    (0..=equal).rev().find(|at| a.is_char_boundary(*at)).unwrap_or_default()
}

fn elements<'d>(a: &Site<'d>, b: &Site<'d>) -> Option<Pair<'d>> {
    let (mut x, mut y) = (a.value.items(), b.value.items());
    for index in 0.. {
        let inside = |site: &Site<'d>, value| Site::new(site.pointer.index(index), value);
        match (x.next(), y.next()) {
            (Some(one), Some(other)) => {
                if let Some(found) = walk(&inside(a, one), &inside(b, other), &|_| false, false) {
                    return Some(found);
                }
            }
            (Some(one), None) => return Some((inside(a, one), b.clone())),
            (None, Some(other)) => return Some((a.clone(), inside(b, other))),
            (None, None) => break,
        }
    }
    None
}

fn members<'d>(a: &Site<'d>, b: &Site<'d>, skip: &dyn Fn(&str) -> bool, outermost: bool) -> Option<Pair<'d>> {
    let heard = |(key, value): &(std::borrow::Cow<'d, str>, Value<'d>)| !(outermost && (is_silent(key, *value) || skip(key)));
    let mut x = a.value.entries().filter(heard);
    let mut y = b.value.entries().filter(heard);
    loop {
        let inside = |site: &Site<'d>, key: &str, value| Site::new(site.pointer.key(key), value);
        match (x.next(), y.next()) {
            (Some((key, one)), Some((name, other))) => {
                let (one, other) = (inside(a, &key, one), inside(b, &name, other));
                if key != name {
                    return Some((one, other));
                }
                // A string that stands for one text block is compared with that block's text.
                let texts = key == "content" && one.value.kind() != other.value.kind();
                let found =
                    if texts { content(&one, &other) } else { walk(&one, &other, &|_| false, outermost && key == "content") };
                if found.is_some() {
                    return found;
                }
            }
            (Some((key, one)), None) => return Some((inside(a, &key, one), b.clone())),
            (None, Some((name, other))) => return Some((a.clone(), inside(b, &name, other))),
            (None, None) => return None,
        }
    }
}

/// A string and a list of blocks.
fn content<'d>(a: &Site<'d>, b: &Site<'d>) -> Option<Pair<'d>> {
    let first = |site: &Site<'d>| match site.value.items().next() {
        Some(block) => text_of(Site::new(site.pointer.index(0), block)),
        None => site.clone(),
    };
    walk(&first(a), &first(b), &|_| false, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing_json::Document;

    fn spots(a: &str, b: &str) -> (Spot, Spot) {
        let (x, y) = (Document::parse(a).unwrap(), Document::parse(b).unwrap());
        let root = Pointer::root();
        let (one, other) =
            first_difference(Site::new(root.clone(), x.root()), Site::new(root, y.root()), |key| key == "skipped");
        (one.spot(a), other.spot(b))
    }

    fn spot(place: &str, offset: usize, line: usize, column: usize, excerpt: &str) -> Spot {
        let place = place.split('/').skip(1).fold(Pointer::root(), |pointer, step| pointer.key(step));
        Spot { place, offset, line, column, excerpt: excerpt.to_owned() }
    }

    #[test]
    fn the_innermost_difference_is_told_on_both_sides() {
        let a = "{\"skipped\": 1,\n \"a\": [1, {\"é\": \"où\", \"b\": \"x1\"}]}";
        let b = "{\"a\": [1, {\"é\": \"où\", \"b\": \"x22\"}]}";
        assert_eq!(spots(a, b), (spot("/a/1/b", 46, 2, 30, "\"x1\""), spot("/a/1/b", 31, 1, 30, "\"x22\"")));
    }

    #[test]
    fn what_one_side_lacks_is_told_by_what_surrounds_it() {
        assert_eq!(spots("{\"a\":1}", "{\"a\":1,\"b\":2}"), (spot("", 0, 1, 1, "{\"a\":1}"), spot("/b", 11, 1, 12, "2")));
        assert_eq!(spots("[1,2]", "[1]"), (spot("/1", 3, 1, 4, "2"), spot("", 0, 1, 1, "[1]")));
    }

    #[test]
    fn an_excerpt_is_short_and_cut_between_characters() {
        let text = |end: &str| format!("\"{}{end}{}\"", "é".repeat(500), "ß".repeat(500));
        let (one, _) = spots(&text("x"), &text("y"));
        assert_eq!(one.excerpt, format!("{}x{}", "é".repeat(BEFORE), "ß".repeat(EXCERPT_CHARS - BEFORE - 1)));
        assert_eq!((one.offset, one.column), (1001, 502));
    }
}
