//! What may be a key, so that none is written down or told.

use crate::error::{Failure, Kind};

/// Words in the names of what is secret.
const NAMED: [&str; 5] = ["auth", "key", "token", "secret", "cookie"];
/// How the keys of well-known providers begin.
const BEGIN: [&str; 9] = ["sk-", "sk_", "AIza", "gsk_", "hf_", "xai-", "r8_", "ghp_", "github_pat_"];

/// Whether a header by that name carries a secret.
pub(crate) fn is_named(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    NAMED.iter().any(|word| header.contains(word))
}

/// Whether a header's value looks like a secret, whatever the header is called.
pub(crate) fn is_value(value: &str) -> bool {
    let word = value.trim().rsplit(' ').next().unwrap_or_default();
    is_key(word)
        || value.trim().split_once(' ').is_some_and(|(scheme, _)| ["bearer", "basic"].contains(&&*scheme.to_lowercase()))
}

/// Whether a text of the configuration may hold one.
pub(crate) fn may_stand_in(text: &str) -> bool {
    is_named(text) || holds_key(text)
}

/// Whether a word of a text begins as the keys of well-known providers do.
pub(crate) fn holds_key(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).any(is_key)
}

/// Whether a word begins as keys do.
fn is_key(word: &str) -> bool {
    BEGIN.iter().any(|begin| word.starts_with(begin))
}

/// Whether a variable of the environment can have that name, and it is not a key that stands in its place.
pub(crate) fn is_variable(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !is_key(name)
}

/// Holds a name of a variable to what one can be. What is none may be the key itself, and is not told.
pub(crate) fn variable(place: &str, name: &str) -> Result<(), Failure> {
    if is_variable(name) {
        return Ok(());
    }
    Err(Failure::new(Kind::Config, format!("{place}: it is no name of a variable of the environment"))
        .hint("give the name of the variable, such as OPENAI_API_KEY, and never the key itself"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_carries_a_key_is_known() {
        for header in
            ["X-Auth-Token", "ocp-apim-subscription-key", "cf-aig-authorization", "Cookie", "X-Client-Secret", "x-api-key"]
        {
            assert!(is_named(header), "{header}");
        }
        for header in ["OpenAI-Organization", "anthropic-beta", "HTTP-Referer", "X-Title"] {
            assert!(!is_named(header), "{header}");
        }
        assert!(is_value("Bearer abc") && is_value("sk-1") && !is_value("https://example.com my app"));
    }

    #[test]
    fn a_key_is_no_name_of_a_variable() {
        for name in ["OPENAI_API_KEY", "_x1"] {
            assert!(is_variable(name), "{name}");
        }
        for name in ["", "sk-proj-1", "1A", "A B", "A=B", "gsk_abc", "AIzaSyA", "é"] {
            assert!(!is_variable(name), "{name}");
        }
        let failure = variable("key_env", "sk-proj-1").unwrap_err();
        assert!(!format!("{failure:?}").contains("proj"), "{failure:?}");
    }
}
