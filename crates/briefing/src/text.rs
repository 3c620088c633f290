//! The one place where text is cut or folded. Lengths are Unicode scalar values; cuts fall between them.

use std::borrow::Cow;

/// Keeps `text` if it has at most `limit` characters, else a prefix and a mark that names its full length, together within
/// `limit`. A limit too small for the mark keeps the prefix alone. None if nothing had to be cut.
#[must_use]
pub fn cut(text: &str, limit: usize) -> Option<String> {
    // A character has at least one byte, so a text of few bytes needs no counting.
    if text.len() <= limit {
        return None;
    }
    let chars = text.chars().count();
    if chars <= limit {
        return None;
    }
    let mark = crate::texts::cut_mark(chars);
    let room = limit.saturating_sub(mark.chars().count());
    Some(if room == 0 { prefix(text, limit).to_owned() } else { format!("{}{mark}", prefix(text, room)) })
}

/// The first `limit` characters.
#[must_use]
pub fn prefix(text: &str, limit: usize) -> &str {
    let end = text.char_indices().nth(limit).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// The text on one line: runs of control characters become one space, so that a value cannot forge a line; at most `limit`
/// characters.
#[must_use]
pub fn one_line(text: &str, limit: usize) -> Cow<'_, str> {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.len() <= limit && !text.contains(breaks) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len().min(4 * limit));
    let mut gap = false;
    for c in text.chars().take(limit) {
        if breaks(c) {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push(' ');
        }
        out.push(c);
    }
    Cow::Owned(out)
}

/// The text with LF alone as its line end.
#[must_use]
pub fn lf(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}
