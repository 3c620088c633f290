//! The elements of a JSON array that arrives in pieces, as Gemini streams without `alt=sse`.

use super::sse::{EventTooLarge, MAX_EVENT_BYTES};

/// Splits an array into its elements without reading them: it counts brackets outside of strings. Linear in the bytes.
#[derive(Debug, Default)]
pub(super) struct Elements {
    element: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    ended: bool,
    replaced: u64,
}

impl Elements {
    /// The next element, and the bytes behind it left in `bytes`, the array's first bracket aside. None once they are used up.
    pub(super) fn next(&mut self, bytes: &mut &[u8]) -> Option<Result<String, EventTooLarge>> {
        while let (false, Some((byte, rest))) = (self.ended, bytes.split_first()) {
            *bytes = rest;
            match self.take(*byte) {
                Ok(false) => {}
                Ok(true) => {
                    if let Some(element) = self.element() {
                        return Some(Ok(element));
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
        *bytes = &[];
        None
    }

    /// Takes a byte. True if an element, if there is one, ends with it.
    fn take(&mut self, byte: u8) -> Result<bool, EventTooLarge> {
        if self.depth == 0 && !self.in_string && matches!(byte, b',' | b']') {
            self.ended = byte == b']';
            return Ok(true);
        }
        if self.element.is_empty() && byte.is_ascii_whitespace() {
            return Ok(false);
        }
        if self.element.len() >= MAX_EVENT_BYTES {
            *self = Self { ended: true, replaced: self.replaced, ..Self::default() };
            return Err(EventTooLarge { limit: MAX_EVENT_BYTES });
        }
        self.element.push(byte);
        self.see(byte);
        Ok(self.depth == 0 && !self.in_string && matches!(byte, b'}' | b']'))
    }

    /// How many elements held bytes that are no UTF-8.
    pub(super) fn replaced(&self) -> u64 {
        self.replaced
    }

    fn see(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            b'{' | b'[' if !self.in_string => self.depth += 1,
            b'}' | b']' if !self.in_string => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    fn element(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.element);
        if bytes.is_empty() {
            return None;
        }
        Some(String::from_utf8(bytes).unwrap_or_else(|error| {
            self.replaced += 1;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<String> {
        let mut elements = Elements::default();
        let mut out = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while let Some(element) = elements.next(&mut rest) {
                out.push(element.unwrap());
            }
        }
        out
    }

    #[test]
    fn brackets_in_strings_do_not_count_and_every_split_gives_the_same() {
        let array = r#" {"a":"]}\"é"} ,{"b":[1,{}]}
,
 5, [2], {"c"  :0}] {"behind":1}"#
            .as_bytes();
        let whole = all(&[array]);
        assert_eq!(whole, [r#"{"a":"]}\"é"}"#, r#"{"b":[1,{}]}"#, "5", "[2]", r#"{"c"  :0}"#]);
        for at in 0..=array.len() {
            let (one, two) = array.split_at(at);
            assert_eq!(all(&[one, two]), whole, "{at}");
        }
        assert_eq!(all(&[br#"{"a":1},{"b":"#]), [r#"{"a":1}"#]);
    }
}
