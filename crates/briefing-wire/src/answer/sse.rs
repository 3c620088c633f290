//! Server-sent events out of bytes, however these are split.
//!
//! The rules are the HTML standard's, "Interpreting an event stream": lines end in CR, LF or CRLF, one byte order mark may stand
//! first, a line that begins with a colon is a comment, several `data` lines are joined by LF, and an event that no blank line
//! ended was not sent.

/// How many bytes one event, or one element of a streamed array, may take. The largest known hold a picture.
pub const MAX_EVENT_BYTES: usize = 64 << 20;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// An event of more than [`MAX_EVENT_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream takes more than {limit} bytes")]
pub struct EventTooLarge {
    /// How many it may take.
    pub limit: usize,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// What the field `event` says; empty if there was none.
    pub name: String,
    /// The `data` lines, joined by LF. Never empty.
    pub data: String,
}

/// Decodes events incrementally. Holds at most one event and one line; linear in the bytes.
#[derive(Debug)]
pub struct SseDecoder {
    limit: usize,
    /// The beginning of a line whose end did not come yet.
    line: Vec<u8>,
    name: String,
    data: String,
    has_data: bool,
    after_cr: bool,
    begun: bool,
    replaced: u64,
    failed: bool,
}

impl Default for SseDecoder {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl SseDecoder {
    /// A decoder whose events may take so many bytes.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            name: String::new(),
            data: String::new(),
            has_data: false,
            after_cr: false,
            begun: false,
            replaced: 0,
            failed: false,
        }
    }

    /// The next event, and the bytes behind it left in `bytes`. None once they are used up; what has no end yet is kept.
    ///
    /// # Errors
    /// [`EventTooLarge`], once; the bytes that follow are ignored.
    pub fn next(&mut self, bytes: &mut &[u8]) -> Option<Result<SseEvent, EventTooLarge>> {
        while !self.failed {
            if std::mem::take(&mut self.after_cr) && !self.skip_lf(bytes) {
                return None;
            }
            let Some(at) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                return self.keep(bytes).err().map(Err);
            };
            let (line, end) = bytes.split_at(at);
            self.after_cr = end.starts_with(b"\r");
            *bytes = end.get(1..).unwrap_or_default();
            match self.end_line(line) {
                Ok(None) => {}
                Ok(Some(event)) => return Some(Ok(event)),
                Err(error) => return Some(Err(error)),
            }
        }
        *bytes = &[];
        None
    }

    /// How many lines held bytes that are no UTF-8; U+FFFD stands for these.
    #[must_use]
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Skips the LF of a CRLF. False if that is not known yet.
    fn skip_lf(&mut self, bytes: &mut &[u8]) -> bool {
        match bytes.split_first() {
            None => self.after_cr = true,
            Some((b'\n', rest)) => *bytes = rest,
            Some(_) => {}
        }
        !self.after_cr
    }

    fn keep(&mut self, bytes: &mut &[u8]) -> Result<(), EventTooLarge> {
        self.check(bytes.len())?;
        self.line.extend_from_slice(bytes);
        *bytes = &[];
        Ok(())
    }

    fn check(&mut self, more: usize) -> Result<(), EventTooLarge> {
        if self.line.len() + self.data.len() + more <= self.limit {
            return Ok(());
        }
        *self = Self { failed: true, replaced: self.replaced, ..Self::with_limit(self.limit) };
        Err(EventTooLarge { limit: self.limit })
    }

    fn end_line(&mut self, end: &[u8]) -> Result<Option<SseEvent>, EventTooLarge> {
        self.check(end.len())?;
        if self.line.is_empty() {
            return Ok(self.read_line(end));
        }
        self.line.extend_from_slice(end);
        let mut line = std::mem::take(&mut self.line);
        let event = self.read_line(&line);
        line.clear();
        self.line = line;
        Ok(event)
    }

    fn read_line(&mut self, line: &[u8]) -> Option<SseEvent> {
        let line = if std::mem::replace(&mut self.begun, true) { line } else { line.strip_prefix(MARK).unwrap_or(line) };
        if line.is_empty() {
            return self.dispatch();
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (line.get(..at).unwrap_or_default(), line.get(at + 1..).unwrap_or_default()),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                let text = String::from_utf8_lossy(value);
                self.replaced += u64::from(matches!(text, std::borrow::Cow::Owned(_)));
                self.data.push_str(&text);
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        self.has_data = false;
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        if data.is_empty() { None } else { Some(SseEvent { name, data }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut decoder = SseDecoder::default();
        let mut out = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while let Some(event) = decoder.next(&mut rest) {
                let event = event.unwrap();
                out.push((event.name, event.data));
            }
            assert_eq!(rest, b"");
        }
        out
    }

    fn pair(name: &str, data: &str) -> (String, String) {
        (name.to_owned(), data.to_owned())
    }

    const STREAM: &[u8] =
        "\u{feff}: hello\r\ndata: é\r\rdata\n\nevent:x\ndata:  a\r\ndata:b:c\rdata\nid: 5\nretry: 1\nodd\n\n\r\n\
        event: y\n\ndata: \u{feff}z\n\ndata: cut off"
            .as_bytes();

    #[test]
    fn fields_comments_and_every_line_ending() {
        assert_eq!(all(&[STREAM]), [pair("", "é"), pair("x", " a\nb:c\n"), pair("", "\u{feff}z")]);
    }

    #[test]
    fn every_split_gives_the_same() {
        let whole = all(&[STREAM]);
        for at in 0..=STREAM.len() {
            let (one, two) = STREAM.split_at(at);
            assert_eq!(all(&[one, two]), whole, "{at}");
        }
        let bytes: Vec<&[u8]> = STREAM.chunks(1).collect();
        assert_eq!(all(&bytes), whole);
    }

    #[test]
    fn what_is_no_utf8_is_replaced_and_counted() {
        let mut decoder = SseDecoder::default();
        let mut rest: &[u8] = b"data: a\xff\xc3\ndata: \xa9\n\n";
        assert_eq!(decoder.next(&mut rest).unwrap().unwrap().data, "a\u{fffd}\u{fffd}\n\u{fffd}");
        assert_eq!(decoder.replaced(), 2);
    }

    #[test]
    fn an_event_without_end_is_an_error_once() {
        let mut decoder = SseDecoder::with_limit(10);
        let mut rest: &[u8] = b"data: 12345\n\ndata: 1234\ndata: 1234567\n\ndata: x\n\n";
        assert_eq!(decoder.next(&mut rest), Some(Err(EventTooLarge { limit: 10 })));
        assert_eq!(decoder.next(&mut rest), None);
        assert_eq!(rest, b"");
        let mut decoder = SseDecoder::with_limit(10);
        let mut rest: &[u8] = b"data: 1234";
        assert_eq!(decoder.next(&mut rest), None);
        let mut rest: &[u8] = b"5";
        assert_eq!(decoder.next(&mut rest), Some(Err(EventTooLarge { limit: 10 })));
    }
}
