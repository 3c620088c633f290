//! Keys that a stranger was sent, and may repeat.

use std::borrow::Cow;
use std::sync::Arc;

/// Texts shorter than this are no keys, and stand in whatever else is said too.
const LEAST: usize = 4;

/// The keys that a stranger was sent, so that what it says is told without them.
#[derive(Clone, Default)]
pub(crate) struct Hidden(Vec<Arc<str>>);

impl Hidden {
    /// Hides what is secret of a header's value: of `Bearer …` the last word.
    pub(crate) fn hide(&mut self, value: &str) {
        let word = value.trim().rsplit(' ').next().unwrap_or_default();
        if word.len() >= LEAST {
            self.0.push(word.into());
            // Where one key begins another, the longer one is looked for first.
            self.0.sort_by_key(|word| std::cmp::Reverse(word.len()));
        }
    }

    /// The text without any of them. Before it is cut: of a key that is cut in two, a part would be told.
    pub(crate) fn redacted<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(text);
        for word in &self.0 {
            if out.contains(&**word) {
                out = Cow::Owned(out.replace(&**word, "[secret]"));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Hidden;

    #[test]
    fn keys_are_left_out_whole_and_short_texts_stay() {
        let mut hidden = Hidden::default();
        ["Bearer tok-1", "tok-12", "on"].iter().for_each(|value| hidden.hide(value));
        assert_eq!(hidden.redacted("tok-12 and tok-1 are on"), "[secret] and [secret] are on");
    }
}
