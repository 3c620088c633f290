//! Lone surrogates, which other readers of JSON refuse.

/// A JSON text with each lone surrogate escape as U+FFFD, every other byte as it stands; none if it has none. Of what is no JSON
/// the answer means nothing.
#[must_use]
pub fn without_lone_surrogates(json: &str) -> Option<String> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return None;
    }
    let mut out = String::with_capacity(json.len());
    let mut lone = false;
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (unit(escape, 0), unit(escape, 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => Some(12),
            (Some(0xd800..=0xdfff), _) => None,
            (Some(_), _) => Some(6),
            (None, _) => Some(2),
        };
        lone |= length.is_none();
        out.push_str(length.map_or("\\ufffd", |length| escape.get(..length).unwrap_or(escape)));
        rest = escape.get(length.unwrap_or(6)..).unwrap_or_default();
    }
    out.push_str(rest);
    lone.then_some(out)
}

/// The code unit of a `\uXXXX` escape at that byte.
fn unit(escape: &str, at: usize) -> Option<u32> {
    u32::from_str_radix(escape.get(at..at + 6)?.strip_prefix("\\u")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        assert_eq!(without_lone_surrogates(r#"{"a": "\ud83d\ude00 \\ud83d \u00e9"}"#), None);
        let mended = without_lone_surrogates(r#"["\ud83d", "\uDE00x", "\ud83d\ud83d\ude00", "\\\ud83d"]"#).unwrap();
        assert_eq!(mended, r#"["\ufffd", "\ufffdx", "\ufffd\ud83d\ude00", "\\\ufffd"]"#);
    }
}
