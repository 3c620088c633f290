//! Where in the texts of two bodies two blocks begin to differ.

use std::borrow::Cow;

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
    let mut path = Vec::new();
    match walk((a.value, b.value), &skip, true, &mut path) {
        Some((x, y)) => (x.site(&a.pointer, &path), y.site(&b.pointer, &path)),
        None => (a, b),
    }
}

/// The string of a plain text block.
fn text_of(site: Site<'_>) -> Site<'_> {
    match site.value.get("text") {
        Some(text) => Site::new(site.pointer.key("text"), text),
        None => site,
    }
}

/// A step down into a value. Pointers are made of them once something is found: they can be as long as the body.
enum Step<'d> {
    Key(Cow<'d, str>),
    Index(usize),
}

impl Step<'_> {
    fn below(&self, pointer: &Pointer) -> Pointer {
        match self {
            Self::Key(key) => pointer.key(key),
            Self::Index(index) => pointer.index(*index),
        }
    }
}

/// Where one side of a walk ends: the value, the steps that lead there from where both sides still went the same way, and the
/// byte in it.
struct End<'d> {
    value: Value<'d>,
    steps: Vec<Step<'d>>,
    within: usize,
}

impl<'d> End<'d> {
    fn at(value: Value<'d>) -> Self {
        Self { value, steps: Vec::new(), within: 0 }
    }

    fn below(step: Step<'d>, value: Value<'d>) -> Self {
        Self { value, steps: vec![step], within: 0 }
    }

    fn site(self, base: &Pointer, path: &[Step<'d>]) -> Site<'d> {
        let pointer = path.iter().chain(&self.steps).fold(base.clone(), |pointer, step| step.below(&pointer));
        Site { pointer, value: self.value, within: self.within }
    }
}

type Ends<'d> = Option<(End<'d>, End<'d>)>;

fn walk<'d>(
    (a, b): (Value<'d>, Value<'d>),
    skip: &dyn Fn(&str) -> bool,
    outermost: bool,
    path: &mut Vec<Step<'d>>,
) -> Ends<'d> {
    match (a.kind(), b.kind()) {
        (Kind::Object, Kind::Object) => members((a, b), skip, outermost, path),
        (Kind::Array, Kind::Array) => elements((a, b), path),
        (Kind::String, Kind::String) => strings(a, b),
        _ => (a.raw() != b.raw()).then(|| (End::at(a), End::at(b))),
    }
}

fn strings<'d>(a: Value<'d>, b: Value<'d>) -> Ends<'d> {
    if a.raw() == b.raw() || a.as_str() == b.as_str() && !a.has_lone_surrogate() {
        return None;
    }
    let within = common(a.raw(), b.raw());
    let end = |value| End { within, ..End::at(value) };
    Some((end(a), end(b)))
}

/// How many bytes two texts begin with in common, up to the end of a character.
pub(crate) fn common(a: &str, b: &str) -> usize {
    let equal = a.bytes().zip(b.bytes()).take_while(|(one, other)| one == other).count();
    (0..=equal).rev().find(|at| a.is_char_boundary(*at)).unwrap_or_default()
}

/// One step down on both sides: the way is kept if something is found there.
fn inside<'d>(step: Step<'d>, path: &mut Vec<Step<'d>>, look: impl FnOnce(&mut Vec<Step<'d>>) -> Ends<'d>) -> Ends<'d> {
    path.push(step);
    let found = look(path);
    if found.is_none() {
        path.pop();
    }
    found
}

fn elements<'d>((a, b): (Value<'d>, Value<'d>), path: &mut Vec<Step<'d>>) -> Ends<'d> {
    let (mut x, mut y) = (a.items(), b.items());
    for index in 0.. {
        match (x.next(), y.next()) {
            (Some(one), Some(other)) => {
                let found = inside(Step::Index(index), path, |path| walk((one, other), &|_| false, false, path));
                if found.is_some() {
                    return found;
                }
            }
            (Some(one), None) => return Some((End::below(Step::Index(index), one), End::at(b))),
            (None, Some(other)) => return Some((End::at(a), End::below(Step::Index(index), other))),
            (None, None) => break,
        }
    }
    None
}

fn members<'d>(
    (a, b): (Value<'d>, Value<'d>),
    skip: &dyn Fn(&str) -> bool,
    outermost: bool,
    path: &mut Vec<Step<'d>>,
) -> Ends<'d> {
    let heard = |(key, value): &(Cow<'d, str>, Value<'d>)| !(outermost && (is_silent(key, *value) || skip(key)));
    let mut x = a.entries().filter(heard);
    let mut y = b.entries().filter(heard);
    loop {
        match (x.next(), y.next()) {
            (Some((key, one)), Some((name, other))) => {
                if key != name {
                    return Some((End::below(Step::Key(key), one), End::below(Step::Key(name), other)));
                }
                let is_content = outermost && key == "content";
                let found = inside(Step::Key(key), path, |path| match is_content && one.kind() != other.kind() {
                    true => content(one, other),
                    false => walk((one, other), &|_| false, is_content, path),
                });
                if found.is_some() {
                    return found;
                }
            }
            (Some((key, one)), None) => return Some((End::below(Step::Key(key), one), End::at(b))),
            (None, Some((name, other))) => return Some((End::at(a), End::below(Step::Key(name), other))),
            (None, None) => return None,
        }
    }
}

/// A string that stands for one text block, and a list of blocks.
fn content<'d>(a: Value<'d>, b: Value<'d>) -> Ends<'d> {
    let first = |value: Value<'d>| match value.items().next() {
        Some(block) => match plain_text(block).filter(|_| block.kind() == Kind::Object) {
            Some(text) => (text, vec![Step::Index(0), Step::Key(Cow::Borrowed("text"))]),
            None => (block, vec![Step::Index(0)]),
        },
        None => (value, Vec::new()),
    };
    let ((one, to_one), (other, to_other)) = (first(a), first(b));
    // Where the first blocks read the same, a further one makes the difference.
    let texts = if one.kind() == Kind::String && other.kind() == Kind::String { strings(one, other) } else { None };
    let (x, y) = texts.unwrap_or((End::at(one), End::at(other)));
    Some((End { steps: to_one, ..x }, End { steps: to_other, ..y }))
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
