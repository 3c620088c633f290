//! Where in the text of a body a place is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use briefing_json::{Kind, Pointer, Value};

/// The byte ranges of places in a document, in their order. One walk over what lies on the way to them; a place that is not
/// there has the range of the nearest value around it.
pub(crate) fn locate(root: Value<'_>, places: &[&Pointer]) -> Vec<Range<usize>> {
    let mut found = vec![root.span(); places.len()];
    let wanted: Vec<Wanted<'_>> =
        places.iter().enumerate().map(|(at, place)| Wanted { at, rest: place.as_str().strip_prefix('/') }).collect();
    walk(root, wanted, &mut found);
    found
}

/// What of a pointer is still to be walked.
#[derive(Clone, Copy)]
struct Wanted<'p> {
    at: usize,
    rest: Option<&'p str>,
}

fn walk(value: Value<'_>, wanted: Vec<Wanted<'_>>, found: &mut [Range<usize>]) {
    let mut by_step: HashMap<Cow<'_, str>, Vec<Wanted<'_>>> = HashMap::new();
    for Wanted { at, rest } in wanted {
        if let Some(range) = found.get_mut(at) {
            *range = value.span();
        }
        let Some(rest) = rest else { continue };
        let (step, rest) = rest.split_once('/').map_or((rest, None), |(step, rest)| (step, Some(rest)));
        by_step.entry(unescaped(step)).or_default().push(Wanted { at, rest });
    }
    if by_step.is_empty() {
        return;
    }
    match value.kind() {
        Kind::Array => {
            let by_index: HashMap<usize, Vec<Wanted<'_>>> =
                by_step.into_iter().filter_map(|(step, wanted)| Some((step.parse().ok()?, wanted))).collect();
            for (index, item) in value.items().enumerate() {
                if let Some(wanted) = by_index.get(&index) {
                    walk(item, wanted.clone(), found);
                }
            }
        }
        Kind::Object => {
            // Of several members of one name the last counts, so the last is written last.
            for (key, member) in value.entries() {
                if let Some(wanted) = by_step.get(&key) {
                    walk(member, wanted.clone(), found);
                }
            }
        }
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => {}
    }
}

fn unescaped(step: &str) -> Cow<'_, str> {
    if step.contains('~') { Cow::Owned(step.replace("~1", "/").replace("~0", "~")) } else { Cow::Borrowed(step) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing_json::Document;

    #[test]
    fn places_are_found_in_one_walk() {
        let text = "{\n \"a/b\": [\n  10,\n  {\"c\": 1, \"c\": 22}\n ]\n}";
        let document = Document::parse(text).unwrap();
        let list = Pointer::root().key("a/b");
        let places = [Pointer::root(), list.index(1).key("c"), list.index(0), list.index(7), list.index(1).key("none")];
        let ranges = locate(document.root(), &places.iter().collect::<Vec<_>>());
        let found: Vec<&str> = ranges.iter().map(|range| &text[range.clone()]).collect();
        let whole_list = "[\n  10,\n  {\"c\": 1, \"c\": 22}\n ]";
        assert_eq!(found, [text, "22", "10", whole_list, "{\"c\": 1, \"c\": 22}"]);
    }
}
