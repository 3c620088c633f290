//! Ids of calls as a wire takes them: a pure function of what the provider gave and its number in the thread.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use briefing::message::CallId;
use briefing::{Dialect, ModelProfile, Wire};

/// What a call without an id is called.
const NAMELESS: &str = "call";

/// What a wire takes as the id of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdRule {
    /// `^[a-zA-Z0-9_-]+$`, at most 64: Anthropic's error text (report B45).
    Word,
    /// At most so many visible ASCII characters but quotes and backslashes. OpenAI takes 40 ("string too long. Expected a
    /// string with maximum length 40"), in Responses 64; of other servers nothing is known.
    Visible { most: usize },
    /// Nine letters and digits: mistral-common's validator.
    Nine,
}

impl IdRule {
    pub(crate) fn of(profile: &ModelProfile) -> Self {
        match (profile.wire, profile.dialect) {
            (Wire::Anthropic, _) => Self::Word,
            (Wire::OpenAiChat, Dialect::Original) => Self::Visible { most: 40 },
            (Wire::OpenAiChat, Dialect::Mistral) => Self::Nine,
            (Wire::OpenAiChat, Dialect::Compatible) | (Wire::OpenAiResponses | Wire::Gemini, _) => Self::Visible { most: 64 },
        }
    }

    fn most(self) -> usize {
        match self {
            Self::Word => 64,
            Self::Visible { most } => most,
            Self::Nine => 9,
        }
    }

    fn takes_char(self, c: char) -> bool {
        match self {
            Self::Word => c.is_ascii_alphanumeric() || matches!(c, '_' | '-'),
            Self::Visible { .. } => c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '\\'),
            Self::Nine => c.is_ascii_alphanumeric(),
        }
    }

    fn takes(self, id: &str) -> bool {
        let fits = match self {
            Self::Nine => id.len() == 9,
            Self::Word | Self::Visible { .. } => !id.is_empty() && id.len() <= self.most(),
        };
        fits && id.chars().all(|c| self.takes_char(c))
    }

    /// The id on the wire: the given one if it is valid, else one that ends in a hash of the given one and its number, so that
    /// only chance makes it another's. `attempt` makes another where chance strikes.
    fn wire_id(self, id: &CallId, attempt: u32) -> String {
        let (given, repeat) = (id.given(), id.repeat());
        if repeat == 0 && attempt == 0 && self.takes(given) {
            return given.to_owned();
        }
        let mut plain = if given.is_empty() { NAMELESS.to_owned() } else { given.to_owned() };
        if repeat > 0 {
            plain.push_str(&format!("-{}", u64::from(repeat) + 1));
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(given.as_bytes()).update(&repeat.to_le_bytes()).update(&attempt.to_le_bytes());
        let hash = hasher.finalize();
        match self {
            Self::Nine => alphanumeric(hash.as_bytes(), 9),
            Self::Word | Self::Visible { .. } => suffixed(&plain, self.most(), |c| self.takes_char(c), &hash),
        }
    }
}

/// The text with what is not taken as `_`, cut, and eight hexadecimal digits behind it.
pub(crate) fn suffixed(text: &str, most: usize, takes: impl Fn(char) -> bool, hash: &blake3::Hash) -> String {
    let mut out: String = text.chars().take(most.saturating_sub(9)).map(|c| if takes(c) { c } else { '_' }).collect();
    out.push('_');
    out.extend(hash.to_hex().chars().take(8));
    out
}

fn alphanumeric(bytes: &[u8], length: usize) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let digit = |byte: &u8| char::from(DIGITS.get(usize::from(*byte) % 62).copied().unwrap_or(b'0'));
    bytes.iter().take(length).map(digit).collect()
}

/// The ids of one request. What falls together by chance is told apart in the order of the list.
#[derive(Debug)]
pub(crate) struct Ids {
    rule: IdRule,
    known: HashMap<CallId, Arc<str>>,
    taken: HashSet<Arc<str>>,
}

impl Ids {
    pub(crate) fn new(rule: IdRule) -> Self {
        Self { rule, known: HashMap::new(), taken: HashSet::new() }
    }

    /// Takes an id for a call that the list does not hold. Whether it was free.
    pub(crate) fn reserve(&mut self, id: &str) -> bool {
        self.taken.insert(id.into())
    }

    /// The id on the wire.
    pub(crate) fn wire(&mut self, id: &CallId) -> Arc<str> {
        if let Some(known) = self.known.get(id) {
            return Arc::clone(known);
        }
        let mut attempt = 0;
        let fresh = loop {
            let fresh: Arc<str> = self.rule.wire_id(id, attempt).into();
            if self.taken.insert(Arc::clone(&fresh)) {
                break fresh;
            }
            attempt += 1;
        };
        self.known.insert(id.clone(), Arc::clone(&fresh));
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wired(rule: IdRule, ids: &[CallId]) -> Vec<String> {
        let mut map = Ids::new(rule);
        ids.iter().map(|id| map.wire(id).to_string()).collect()
    }

    #[test]
    fn valid_ids_stay_as_they_are() {
        let ids = ["toolu_01-A", "call_rI3WKPYvVwlOgCGRjsPP2hEx"].map(CallId::from);
        assert_eq!(wired(IdRule::Word, &ids), ["toolu_01-A", "call_rI3WKPYvVwlOgCGRjsPP2hEx"]);
        assert_eq!(wired(IdRule::Visible { most: 40 }, &ids), ["toolu_01-A", "call_rI3WKPYvVwlOgCGRjsPP2hEx"]);
        assert_eq!(wired(IdRule::Visible { most: 64 }, &["functions.write:0".into()]), ["functions.write:0"]);
        assert_eq!(wired(IdRule::Nine, &["6IgxW8LfZ".into()]), ["6IgxW8LfZ"]);
    }

    #[test]
    fn empty_ids_and_repeats_end_in_a_hash_and_stay_when_read_again() {
        let x = CallId::from("http_request");
        let ids = [CallId::from(""), CallId::from("").repeated(1), x.clone(), x.repeated(1)];
        let mapped = wired(IdRule::Word, &ids);
        assert_eq!(mapped, ["call_71e0a991", "call-2_1a0d1201", "http_request", "http_request-2_aa575137"]);
        let again: Vec<CallId> = mapped.iter().map(|id| CallId::from(id.as_str())).collect();
        assert_eq!(wired(IdRule::Word, &again), mapped);
    }

    /// The id does not depend on what else is in the window, whatever the others are.
    #[test]
    fn an_id_is_a_pure_function_of_the_given_one_and_its_number() {
        let a = CallId::from("a");
        let given = ["a-2", "", "call", "call_1", "a.b", "é"].map(CallId::from);
        let ids: Vec<CallId> =
            given.iter().flat_map(|id| [id.clone(), id.repeated(1)]).chain([a.clone(), a.repeated(1)]).collect();
        for rule in [IdRule::Word, IdRule::Visible { most: 40 }, IdRule::Visible { most: 64 }, IdRule::Nine] {
            let together = wired(rule, &ids);
            let alone: Vec<String> = ids.iter().flat_map(|id| wired(rule, std::slice::from_ref(id))).collect();
            assert_eq!(together, alone, "{rule:?}");
            assert_eq!(together.iter().collect::<HashSet<_>>().len(), ids.len(), "{rule:?}");
        }
    }

    #[test]
    fn mapped_ids_stay_distinct_and_are_pure() {
        let ids = ["a.b", "a:b", "a_b"].map(CallId::from);
        let mapped = wired(IdRule::Word, &ids);
        assert_eq!(mapped, wired(IdRule::Word, &ids));
        assert_eq!(mapped, ["a_b_cf0c43b0", "a_b_3eb10579", "a_b"]);
        let long = CallId::from("x".repeat(70));
        let [one] = <[String; 1]>::try_from(wired(IdRule::Word, &[long])).unwrap();
        assert_eq!(one.len(), 64);
    }

    #[test]
    fn mistral_ids_are_nine_letters_and_digits() {
        let x = CallId::from("call_1");
        let ids = [x.clone(), x.repeated(1), CallId::from("")];
        let mapped = wired(IdRule::Nine, &ids);
        assert!(mapped.iter().all(|id| IdRule::Nine.takes(id)), "{mapped:?}");
        assert_eq!(mapped.iter().collect::<HashSet<_>>().len(), 3);
    }

    /// A given id that is another's form on the wire: the last fence.
    #[test]
    fn what_falls_together_is_told_apart_in_order() {
        let ids = ["a.b", "a_b_cf0c43b0"].map(CallId::from);
        assert_eq!(wired(IdRule::Word, &ids), ["a_b_cf0c43b0", "a_b_cf0c43b0_8256984f"]);
    }
}
