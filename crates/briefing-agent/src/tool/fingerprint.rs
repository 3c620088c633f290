//! What tells one declaration of a tool, and what it touches, from another: compared, never shown.

use serde_json::Value;

/// A fingerprint that is being made of parts, each of which counts with its length.
pub(super) struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    /// Of a tool of that kind.
    pub(super) fn of(kind: &str) -> Self {
        Self(blake3::Hasher::new_derive_key("briefing-agent tool fingerprint 1")).with(kind.as_bytes())
    }

    /// With one more part.
    pub(super) fn with(mut self, part: &[u8]) -> Self {
        self.part(part);
        self
    }

    /// With a list of parts, which is another one than the same parts by themselves.
    pub(super) fn with_all<'a>(mut self, parts: impl ExactSizeIterator<Item = &'a [u8]>) -> Self {
        self.0.update(&parts.len().to_le_bytes());
        parts.for_each(|part| self.part(part));
        self
    }

    /// With a JSON text, whatever the order of its fields and its blanks. One that cannot be read counts as its bytes.
    pub(super) fn with_json(self, json: &str) -> Self {
        match serde_json::from_str::<Value>(json) {
            Ok(mut value) => {
                value.sort_all_objects();
                self.with(value.to_string().as_bytes())
            }
            Err(_) => self.with(json.as_bytes()),
        }
    }

    /// As text.
    pub(super) fn finish(self) -> String {
        self.0.finalize().to_hex().to_string()
    }

    fn part(&mut self, part: &[u8]) {
        self.0.update(&part.len().to_le_bytes()).update(part);
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn parts_do_not_run_together_and_the_order_of_fields_does_not_count() {
        let of = |parts: &[&str]| parts.iter().fold(Fingerprint::of("a"), |made, part| made.with(part.as_bytes())).finish();
        assert_ne!(of(&["b", "c"]), of(&["bc", ""]));
        assert_ne!(of(&["b"]), Fingerprint::of("a").with_all([&b"b"[..]].into_iter()).finish());
        let json = |json: &str| Fingerprint::of("a").with_json(json).finish();
        assert_eq!(json(r#"{"x": {"b": 1, "a": 2}, "a": 1}"#), json(r#"{"a":1,"x":{"a":2,"b":1}}"#));
        assert_ne!(json(r#"{"a":1}"#), json(r#"{"a":2}"#));
        assert_ne!(json("{"), json("{{"));
    }
}
