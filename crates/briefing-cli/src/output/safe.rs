//! Text that may be a stranger's, made safe: it cannot drive a terminal, begin a line of its own, or turn the order of what
//! stands beside it.

use std::borrow::Cow;
use std::fmt::Write;

/// What a terminal or a reader of lines would act on: control characters (C0, DEL, C1), line and paragraph separators, and
/// what turns the direction of text.
fn acts(c: char) -> bool {
    c.is_control() || turns(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text on one line, with what would act shown as `\u{1b}`. All that people are shown passes through here.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// A text of several lines, or a piece of one, whose lines stay: all else that would act is shown as by [`safe`], a tab as spaces. Where
/// it stands among lines of ours its lines must be told from those.
#[cfg(feature = "agent")]
pub(crate) fn safe_lines(text: &str) -> String {
    text.split('\n').map(|line| safe(&line.replace('\t', "    ")).into_owned()).collect::<Vec<_>>().join("\n")
}

/// JSON that says the same, with what would act escaped. JSON itself escapes C0, and outside of strings holds nothing else.
pub(crate) fn safe_json(json: String) -> String {
    let escaped = |c: char| !c.is_ascii_control() && acts(c) || c == '\u{7f}';
    if !json.contains(escaped) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if escaped(c) {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown() {
        let text = "a\u{1b}[2J\r\nb\tc\u{7f}\u{9b}d\u{2028}e\u{202e}f\u{2066}g\u{200f}\u{61c}é 漢";
        let shown = r"a\u{1b}[2J\u{d}\u{a}b\u{9}c\u{7f}\u{9b}d\u{2028}e\u{202e}f\u{2066}g\u{200f}\u{61c}é 漢";
        assert_eq!(safe(text), shown);
        assert!(matches!(safe("plain é"), Cow::Borrowed(_)));
    }

    #[cfg(feature = "agent")]
    #[test]
    fn lines_stay() {
        assert_eq!(safe_lines("a\n\tb\u{1b}[2J\r\n"), "a\n    b\\u{1b}[2J\\u{d}\n");
    }

    #[test]
    fn json_says_the_same() {
        let text = "{\n  \"a\": \"\u{7f}\u{9b}\u{2029}\u{202e}é\"\n}";
        let out = safe_json(text.to_owned());
        assert_eq!(out, "{\n  \"a\": \"\\u007f\\u009b\\u2029\\u202eé\"\n}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&out), value(text));
    }
}
