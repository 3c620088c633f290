//! The one place where text is cut or folded. Lengths are Unicode scalar values; cuts fall between them.

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
pub fn one_line(text: &str, limit: usize) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut out = String::with_capacity(text.len().min(limit));
    let mut gap = false;
    for c in text.chars().take(limit) {
        if breaks(c) {
            gap = true;
            continue;
        }
        if gap {
            out.push(' ');
            gap = false;
        }
        out.push(c);
    }
    out
}

/// The text with LF alone as its line end.
#[must_use]
pub fn lf(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}
