//! Half a surrogate pair anywhere in a body: "no low surrogate in string" (report B56), whatever the wire.

use std::borrow::Cow;

use briefing_json::{Document, Path, Value};

use crate::fault::Fault;
use crate::report::Findings;

pub(crate) fn check(body: Value<'_>, out: &mut Findings) {
    let text = body.raw();
    if text.contains("\\ud") || text.contains("\\uD") {
        walk(body, &Path::ROOT, out);
    }
}

/// Depth is bounded by the reader.
fn walk(value: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    if value.has_lone_surrogate() {
        out.add(at, Fault::LoneSurrogate);
    }
    for (index, item) in value.items().enumerate() {
        walk(item, &at.index(index), out);
    }
    let mut end = value.span().start;
    for (key, member) in value.entries() {
        let at = at.key(&key);
        // A key that held an escape and reads with a replacement character.
        let suspicious = matches!(&key, Cow::Owned(text) if text.contains(char::REPLACEMENT_CHARACTER));
        if suspicious && key_is_broken(value, end, member) {
            out.add(&at, Fault::LoneSurrogate);
        }
        walk(member, &at, out);
        end = member.span().end;
    }
}

/// Reads the key again, from the bytes between the end of what stands before it and its member.
fn key_is_broken(object: Value<'_>, from: usize, member: Value<'_>) -> bool {
    let base = object.span().start;
    let between = object.raw().get(from - base..member.span().start - base).unwrap_or_default();
    let quoted = between.find('"').zip(between.rfind('"')).and_then(|(first, last)| between.get(first..=last));
    quoted.and_then(|key| Document::parse(key).ok()).is_some_and(|key| key.root().has_lone_surrogate())
}
