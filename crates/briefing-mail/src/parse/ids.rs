//! Message-IDs (RFC 5322, 3.6.4), as real clients write them: without blanks between, without brackets, with comments.

use std::collections::HashSet;

use super::Findings;
use super::limits::{MAX_ID, MAX_IDS};
use crate::finding::{Field, Finding};
use briefing::log::MessageId;

/// The ids of a field, in order, each once. What stands in angle brackets, else words that hold an `@`; comments and quoted
/// words are dropped, blanks inside an id removed, its case kept.
pub(super) fn read(field: Field, value: &[u8], findings: &mut Findings) -> Vec<MessageId> {
    let text = String::from_utf8_lossy(value);
    // A comment or quote that never ends is a smiley or a slip: it must not swallow ids.
    let tokens = tokens(&text, true).or_else(|| tokens(&text, false)).unwrap_or_default();
    let bracketed = tokens.iter().any(|token| token.bracketed);
    let mut seen = HashSet::new();
    let (mut ids, mut dropped) = (Vec::new(), 0);
    for token in tokens {
        if token.bracketed != bracketed || !bracketed && !token.text.contains('@') {
            continue;
        }
        if token.text.len() > MAX_ID {
            dropped += 1;
        } else if let Some(id) = MessageId::new(&token.text)
            && seen.insert(id.clone())
        {
            ids.push(id);
        }
    }
    if dropped > 0 {
        findings.push(Finding::IdsDropped { field, count: dropped });
    }
    if ids.len() > MAX_IDS {
        findings.push(Finding::TooManyIds { field, total: ids.len() });
        // The root and the newest decide the thread.
        ids.drain(1..=ids.len() - MAX_IDS);
    }
    ids
}

struct Token {
    text: String,
    bracketed: bool,
}

/// Where the reader stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Word,
    Bracket,
    Comment(usize),
    Quote,
}

/// The words and bracketed texts. None if a comment or a quote does not end.
fn tokens(text: &str, comments: bool) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut state = State::Word;
    let mut current = String::new();
    let mut escaped = false;
    for c in text.chars() {
        let next = match (state, c) {
            (State::Comment(_) | State::Quote, _) if std::mem::take(&mut escaped) => state,
            (State::Comment(_) | State::Quote, '\\') => {
                escaped = true;
                state
            }
            (State::Comment(1), ')') | (State::Quote, '"') => State::Word,
            (State::Comment(depth), ')') => State::Comment(depth - 1),
            (State::Comment(depth), '(') => State::Comment(depth + 1),
            (State::Comment(_) | State::Quote, _) => state,
            (_, '<') => State::Bracket,
            (State::Bracket, '>') => State::Word,
            (State::Word, '(') if comments => State::Comment(1),
            (State::Word, '"') if comments => State::Quote,
            (State::Word, ',' | ';' | '>' | '(' | ')' | '"') => State::Word,
            (State::Bracket, c) if c.is_whitespace() => state,
            (State::Word, c) if c.is_whitespace() => State::Word,
            (_, c) if c.is_control() => state,
            (_, c) => {
                current.push(c);
                continue;
            }
        };
        let ends = state != next || state == State::Word || c == '<';
        if ends && !current.is_empty() {
            tokens.push(Token { text: std::mem::take(&mut current), bracketed: state == State::Bracket });
        }
        state = next;
    }
    if !current.is_empty() {
        tokens.push(Token { text: current, bracketed: state == State::Bracket });
    }
    matches!(state, State::Word | State::Bracket).then_some(tokens)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(value: &str) -> Vec<String> {
        read(Field::References, value.as_bytes(), &mut Findings::default()).iter().map(|id| id.as_str().to_owned()).collect()
    }

    #[test]
    fn splits() {
        for (value, expected) in [
            (" <a@x>\r\n <b@x>\r\n", vec!["a@x", "b@x"]),
            ("<a@x><b@x>", vec!["a@x", "b@x"]),
            ("<a@x>,<B@X>;<a@x>", vec!["a@x", "B@X"]),
            ("a@x", vec!["a@x"]),
            ("a@x b@x", vec!["a@x", "b@x"]),
            ("Your mail of \"Mon <no@x>\" (see <not@x> (nor <this@x>)) <a@x>", vec!["a@x"]),
            ("Message from bob@x of Tuesday <a@x>", vec!["a@x"]),
            ("<long\r\n er@x>", vec!["longer@x"]),
            ("<a@x <b@x>", vec!["a@x", "b@x"]),
            ("<a@x", vec!["a@x"]),
            ("<> < > <<>>", vec![]),
            ("no id here", vec![]),
            ("<no-at-sign>", vec!["no-at-sign"]),
            ("(\\) <a@x>) <b@x>", vec!["b@x"]),
            ("Thanks :( <a@x>", vec!["a@x"]),
            ("", vec![]),
        ] {
            assert_eq!(ids(value), expected, "{value:?}");
        }
    }

    #[test]
    fn many_keep_the_first_and_the_last() {
        let value: String = (0..100_000).map(|n| format!("<{n}@x>")).collect();
        let mut findings = Findings::default();
        let ids = read(Field::References, value.as_bytes(), &mut findings);
        assert_eq!(ids.len(), MAX_IDS);
        assert_eq!(ids.first().map(MessageId::as_str), Some("0@x"));
        assert_eq!(ids.get(1).map(MessageId::as_str), Some("99001@x"));
        assert_eq!(ids.last().map(MessageId::as_str), Some("99999@x"));
        assert_eq!(findings.0, [Finding::TooManyIds { field: Field::References, total: 100_000 }]);
    }

    #[test]
    fn overlong_is_named() {
        let mut findings = Findings::default();
        let value = format!("<{}@x> <a@x>", "y".repeat(MAX_ID));
        assert_eq!(read(Field::References, value.as_bytes(), &mut findings), [MessageId::new("a@x").unwrap()]);
        assert_eq!(findings.0, [Finding::IdsDropped { field: Field::References, count: 1 }]);
    }

    proptest! {
        #[test]
        fn whatever_stands_between(ids_in in prop::collection::hash_set("[a-zA-Z0-9.$+]{1,20}@[a-z.]{1,10}", 1..20), gap in "[ \t,;]{0,3}|\r\n |\\([a-z<>@]{0,5}\\)") {
            let ids_in: Vec<String> = ids_in.into_iter().collect();
            let value: String = ids_in.iter().map(|id| format!("<{id}>{gap}")).collect();
            prop_assert_eq!(ids(&value), ids_in);
        }

        #[test]
        fn nothing_panics_and_no_bracket_stays(value in ".{0,200}") {
            for id in ids(&value) {
                prop_assert!(!id.is_empty() && !id.contains(['<', '>']) && !id.contains(char::is_whitespace));
            }
        }
    }
}
