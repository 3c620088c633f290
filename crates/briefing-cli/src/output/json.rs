//! Writing JSON: what was not changed as it was written, what was changed in the style of the rest.

use briefing_json::{Kind, Value, quote};

use crate::output::safe_json;

/// Writes JSON of our own making, two spaces a level, safe to be shown.
pub(crate) fn pretty(value: &serde_json::Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    safe_json(text)
}

/// How a text lays its values out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Style {
    /// All on one line.
    Compact,
    /// A line a value, each level moved in by this.
    Lines { indent: String },
}

impl Style {
    /// The style of that object or array.
    pub(crate) fn of(value: Value<'_>) -> Self {
        let inside = value.raw().get(1..).unwrap_or_default();
        let space: &str = inside.split(|c: char| !c.is_ascii_whitespace()).next().unwrap_or_default();
        match space.rsplit_once('\n') {
            None => Self::Compact,
            Some((_, "")) => Self::Lines { indent: "  ".to_owned() },
            Some((_, indent)) => Self::Lines { indent: indent.chars().take(16).collect() },
        }
    }

    /// Begins a line of that level.
    pub(crate) fn break_line(&self, level: usize, out: &mut Vec<u8>) {
        if let Self::Lines { indent } = self {
            out.push(b'\n');
            (0..level).for_each(|_| out.extend_from_slice(indent.as_bytes()));
        }
    }

    /// Stands between a key and its value.
    pub(crate) fn colon(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(match self {
            Self::Compact => b":",
            Self::Lines { .. } => b": ",
        });
    }

    /// Writes the value as it would stand at that level. Numbers and strings stay as they are written.
    pub(crate) fn write(&self, value: Value<'_>, level: usize, out: &mut Vec<u8>) {
        match value.kind() {
            Kind::Array => self.list(b"[]", value.items(), level, out, |item, out| self.write(item, level + 1, out)),
            Kind::Object => self.list(b"{}", value.entries(), level, out, |(key, member), out| {
                quote(&key, out);
                self.colon(out);
                self.write(member, level + 1, out);
            }),
            Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => {
                out.extend_from_slice(value.raw().as_bytes())
            }
        }
    }

    /// Writes what stands between two brackets.
    pub(crate) fn list<T>(
        &self,
        brackets: &[u8; 2],
        items: impl Iterator<Item = T>,
        level: usize,
        out: &mut Vec<u8>,
        mut write: impl FnMut(T, &mut Vec<u8>),
    ) {
        let [open, close] = *brackets;
        out.push(open);
        let mut any = false;
        for item in items {
            if any {
                out.push(b',');
            }
            any = true;
            self.break_line(level + 1, out);
            write(item, out);
        }
        if any {
            self.break_line(level, out);
        }
        out.push(close);
    }
}

/// The value without what does not matter: no white space, members sorted by key, strings with one way to escape. Two values
/// that read the same have the same; a value that says something twice, or is no text, has none.
pub(crate) fn canonical(value: Value<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    write_canonical(value, &mut out)?;
    Some(out)
}

fn write_canonical(value: Value<'_>, out: &mut Vec<u8>) -> Option<()> {
    match value.kind() {
        Kind::Null | Kind::True | Kind::False | Kind::Number => out.extend_from_slice(value.raw().as_bytes()),
        Kind::String if value.has_lone_surrogate() => return None,
        Kind::String => quote(&value.as_str()?, out),
        Kind::Array => {
            out.push(b'[');
            for item in value.items() {
                write_canonical(item, out)?;
                out.push(b',');
            }
            out.push(b']');
        }
        Kind::Object => {
            let mut members: Vec<_> = value.entries().collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            if members.windows(2).any(|pair| matches!(pair, [(one, _), (other, _)] if one == other)) {
                return None;
            }
            out.push(b'{');
            for (key, member) in members {
                // A key that is no text reads with this character.
                if key.contains(char::REPLACEMENT_CHARACTER) {
                    return None;
                }
                quote(&key, out);
                out.push(b':');
                write_canonical(member, out)?;
                out.push(b',');
            }
            out.push(b'}');
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing_json::Document;

    fn canonical_of(text: &str) -> Option<String> {
        canonical(Document::parse(text).unwrap().root()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn values_that_read_the_same_have_one_canonical_form() {
        assert_eq!(canonical_of(r#"{"b": "\u00e9", "a": [1, {}]}"#), canonical_of(r#"{"a":[1,{}],"b":"é"}"#));
        assert_ne!(canonical_of("[1, [2]]"), canonical_of("[[1], 2]"));
        assert_ne!(canonical_of("1"), canonical_of("1.0"));
        assert_eq!(canonical_of(r#"{"a": 1, "a": 2}"#), None);
        assert_eq!(canonical_of(r#""\ud83d""#), None);
        assert_eq!(canonical_of(r#"{"\ud83d": 1}"#), None);
    }

    #[test]
    fn the_style_of_a_body_is_seen_and_kept() {
        let styled = |like: &str, text: &str| {
            let (like, document) = (Document::parse(like).unwrap(), Document::parse(text).unwrap());
            let mut out = Vec::new();
            Style::of(like.root()).write(document.root(), 0, &mut out);
            String::from_utf8(out).unwrap()
        };
        let text = r#"{"a":[1.50,"\u00e9"],"b":{},"c":[]}"#;
        assert_eq!(styled("{\"x\": 1}", text), text);
        assert_eq!(
            styled("{\n\t\"x\": 1\n}", text),
            "{\n\t\"a\": [\n\t\t1.50,\n\t\t\"\\u00e9\"\n\t],\n\t\"b\": {},\n\t\"c\": []\n}"
        );
        assert_eq!(styled("{\n\"x\": 1\n}", "[1]"), "[\n  1\n]");
        assert_eq!(styled("{}", "[1]"), "[1]");
    }
}
