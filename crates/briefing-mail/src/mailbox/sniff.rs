//! What a file is, by its first bytes.

use super::error::Found;
use crate::parse::headers::{colon, line_end};
use crate::parse::line_feeds;

/// How many bytes are looked at.
pub(super) const BYTES: u64 = 8 << 10;

/// Fields of which a message has at least one.
const FIELDS: [&str; 20] = [
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "message-id",
    "received",
    "return-path",
    "delivered-to",
    "mime-version",
    "content-type",
    "references",
    "in-reply-to",
    "reply-to",
    "sender",
    "dkim-signature",
    "envelope-to",
    "x-mailer",
    "x-received",
    "content-transfer-encoding",
];

/// What the file begins like.
pub(super) fn found(start: &[u8]) -> Found {
    let start = line_feeds(start);
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii_start();
    if text.starts_with(b"From ") {
        Found::Mbox
    } else if text.is_empty() {
        Found::Nothing
    } else if begins_with_fields(text) {
        Found::Message
    } else if text.contains(&0) {
        Found::Binary
    } else {
        Found::Text
    }
}

/// Whether the first line is a header field, and one of the block is a mail's.
fn begins_with_fields(text: &[u8]) -> bool {
    let mut pos = 0;
    while let Some(end) = line_end(text, pos) {
        let line = text.get(pos..end).unwrap_or_default();
        if line.trim_ascii().is_empty() {
            return false;
        }
        match colon(line) {
            Some(at) if is_mail_field(line.get(..at).unwrap_or_default()) => return true,
            None if pos == 0 => return false,
            _ => pos = end,
        }
    }
    false
}

fn is_mail_field(name: &[u8]) -> bool {
    FIELDS.iter().any(|field| name.trim_ascii().eq_ignore_ascii_case(field.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        for (start, expected) in [
            (&b"From a@x Fri Feb 22 17:06:23 2008\n"[..], Found::Mbox),
            (b"\xef\xbb\xbf\r\nSubject: x\r\n", Found::Message),
            (b"X-Odd: y\n folded\nTo: z\n", Found::Message),
            (b"From: a@x\0", Found::Message),
            (b"X-Odd: y\rTo: z\r\rSubject: x", Found::Message),
            (b"key: value\r\rSubject: x", Found::Text),
            (b"", Found::Nothing),
            (b" \n\r\n", Found::Nothing),
            (b"Dear Ann,\nSubject: x\n", Found::Text),
            (b"key: value\n\nSubject: x\n", Found::Text),
            (b"PK\x03\x04\0\0", Found::Binary),
        ] {
            assert_eq!(found(start), expected, "{:?}", String::from_utf8_lossy(start));
        }
    }
}
