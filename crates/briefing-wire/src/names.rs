//! Names of tools as a wire takes them: one map for the tools of the call and for the history.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use briefing::Wire;

use crate::ids::suffixed;

/// What a tool without a name is called.
const NAMELESS: &str = "tool";

/// The names of one request (report B49).
#[derive(Debug)]
pub(crate) struct Names {
    rule: NameRule,
    known: HashMap<String, Arc<str>>,
    taken: HashSet<Arc<str>>,
}

/// What a wire takes as the name of a tool.
#[derive(Debug, Clone, Copy)]
enum NameRule {
    /// `^[a-zA-Z0-9_-]{1,most}$`: of OpenAI Chat 64 by its documentation and mistral-common, of Responses 128 by its
    /// reference, of Anthropic 128 by its schema.
    Word { most: usize },
    /// "Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or
    /// dashes (-), with a maximum length of 64" (Gemini's error text).
    Gemini,
}

impl NameRule {
    fn most(self) -> usize {
        match self {
            Self::Word { most } => most,
            Self::Gemini => 64,
        }
    }

    fn takes_char(self, c: char) -> bool {
        match self {
            Self::Word { .. } => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            Self::Gemini => c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':'),
        }
    }

    fn begins(self, name: &str) -> bool {
        match self {
            Self::Word { .. } => !name.is_empty(),
            Self::Gemini => name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'),
        }
    }

    fn takes(self, name: &str) -> bool {
        self.begins(name) && name.len() <= self.most() && name.chars().all(|c| self.takes_char(c))
    }
}

impl Names {
    pub(crate) fn new(wire: Wire) -> Self {
        let rule = match wire {
            Wire::OpenAiChat => NameRule::Word { most: 64 },
            Wire::OpenAiResponses | Wire::Anthropic => NameRule::Word { most: 128 },
            Wire::Gemini => NameRule::Gemini,
        };
        Self { rule, known: HashMap::new(), taken: HashSet::new() }
    }

    /// The name on the wire if the name was met before.
    pub(crate) fn known(&self, name: &str) -> Option<&Arc<str>> {
        self.known.get(name)
    }

    /// Notes the name of a tool that stands in the body as it is. Calls of one that is not valid have another.
    pub(crate) fn keep(&mut self, name: &str) {
        let kept: Arc<str> = name.into();
        self.taken.insert(Arc::clone(&kept));
        if self.rule.takes(name) {
            self.known.insert(name.to_owned(), kept);
        }
    }

    /// The name on the wire: itself if it is valid, else one that ends in a hash of it. What falls together by chance is told
    /// apart in the order it is met in, tools first.
    pub(crate) fn wire(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.known.get(name) {
            return Arc::clone(known);
        }
        let mut attempt = 0;
        let fresh = loop {
            let fresh: Arc<str> = self.mapped(name, attempt).into();
            if self.taken.insert(Arc::clone(&fresh)) {
                break fresh;
            }
            attempt += 1;
        };
        self.known.insert(name.to_owned(), Arc::clone(&fresh));
        fresh
    }

    fn mapped(&self, name: &str, attempt: u32) -> String {
        if attempt == 0 && self.rule.takes(name) {
            return name.to_owned();
        }
        let plain = if name.is_empty() { NAMELESS } else { name };
        let begun = if self.rule.begins(plain) || !plain.starts_with(|c| self.rule.takes_char(c)) { "" } else { "_" };
        let mut hasher = blake3::Hasher::new();
        hasher.update(name.as_bytes()).update(&attempt.to_le_bytes());
        suffixed(&format!("{begun}{plain}"), self.rule.most(), |c| self.rule.takes_char(c), &hasher.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_names_stay_and_odd_ones_are_mapped_and_distinct() {
        let mut names = Names::new(Wire::OpenAiChat);
        let odd = ["get_weather-2", "browser.tabs.open", "browser:tabs:open", "", "tool", "browser.tabs.open"];
        let mapped = odd.map(|name| names.wire(name).to_string());
        assert_eq!(mapped[0], "get_weather-2");
        assert!(mapped[1].starts_with("browser_tabs_open_"), "{mapped:?}");
        assert_ne!(mapped[1], mapped[2]);
        assert!(mapped[3].starts_with("tool_"), "{mapped:?}");
        assert_eq!(mapped[4], "tool");
        assert_eq!(mapped[5], mapped[1]);
    }

    #[test]
    fn a_tool_keeps_its_odd_name_but_calls_of_it_do_not() {
        let mut names = Names::new(Wire::Anthropic);
        ["a b", "ok"].iter().for_each(|name| names.keep(name));
        assert_eq!(["a b", "ok"].map(|name| names.known(name).map(|name| &**name)), [None, Some("ok")]);
        assert!(names.wire("a b").starts_with("a_b_"));
    }

    #[test]
    fn gemini_takes_dots_and_colons_but_no_digit_first() {
        let mut names = Names::new(Wire::Gemini);
        let mapped = ["browser.tabs:open", "_x", "2fa", "-x", ".x", "é"].map(|name| names.wire(name).to_string());
        assert_eq!(mapped[..2], ["browser.tabs:open", "_x"]);
        assert!(mapped[2..].iter().all(|name| name.starts_with('_') && NameRule::Gemini.takes(name)), "{mapped:?}");
    }

    #[test]
    fn long_names_are_cut_to_what_the_wire_takes() {
        let long = "n".repeat(100);
        assert_eq!(Names::new(Wire::Anthropic).wire(&long).len(), 100);
        assert_eq!(Names::new(Wire::OpenAiChat).wire(&long).len(), 64);
    }
}
