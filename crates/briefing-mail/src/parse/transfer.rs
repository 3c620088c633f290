//! Content-Transfer-Encoding (RFC 2045, 6). What a strict decoder refuses is read leniently: a footer behind base64, a bare
//! `=` in quoted-printable.

use std::borrow::Cow;

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode_char;

use super::Findings;
use super::charset::quoted;
use super::guard::guarded;
use crate::finding::{Finding, Place, Transfer};

/// The encodings that change nothing, as they come.
const IDENTITY: [&str; 6] = ["", "7bit", "8bit", "7bits", "8bits", "binary"];

/// Whether the bytes of a part are those of its file.
pub(super) fn is_identity(encoding: Option<&[u8]>) -> bool {
    IDENTITY.contains(&word(encoding.unwrap_or_default()).replace([' ', '-', '_'], "").as_str())
}

/// The bytes of a part.
pub(super) fn decode<'a>(body: &'a [u8], encoding: Option<&[u8]>, part: usize, findings: &mut Findings) -> Cow<'a, [u8]> {
    let label = word(encoding.unwrap_or_default());
    match label.replace([' ', '-', '_'], "").as_str() {
        plain if IDENTITY.contains(&plain) => Cow::Borrowed(body),
        "base64" => Cow::Owned(base64(body, part, findings)),
        "quotedprintable" => Cow::Owned(quoted_printable(body, part, findings)),
        _ => {
            findings.push(Finding::UnknownEncoding { part, label: quoted(label.as_bytes()) });
            Cow::Borrowed(body)
        }
    }
}

/// The value without blanks, quotes, comments and what follows a semicolon, in lower case.
fn word(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    let text = text.split(['(', ';']).next().unwrap_or_default();
    text.trim().trim_matches(['"', '\'']).to_ascii_lowercase()
}

fn base64(body: &[u8], part: usize, findings: &mut Findings) -> Vec<u8> {
    if let Some(Some(bytes)) = guarded(|| base64_decode(body)) {
        return bytes;
    }
    findings.push(Finding::BadEncoding { part, encoding: Transfer::Base64 });
    let alphabet: Vec<u8> =
        body.iter().copied().filter(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')).collect();
    match guarded(|| base64_decode(&alphabet)) {
        Some(Some(bytes)) => bytes,
        _ => {
            findings.push(Finding::Unparsable { place: Place::Part(part) });
            body.to_vec()
        }
    }
}

fn quoted_printable(body: &[u8], part: usize, findings: &mut Findings) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len());
    let mut bad = false;
    for line in body.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii_end();
        let end = line.strip_suffix(b"\r\n").map_or_else(|| if line.ends_with(b"\n") { &b"\n"[..] } else { b"" }, |_| b"\r\n");
        match text.strip_suffix(b"=") {
            Some(text) => bad |= escapes(text, &mut bytes),
            None => {
                bad |= escapes(text, &mut bytes);
                bytes.extend_from_slice(end);
            }
        }
    }
    if bad {
        findings.push(Finding::BadEncoding { part, encoding: Transfer::QuotedPrintable });
    }
    bytes
}

/// Decodes the escapes of one line; whether one was none and stays as it is.
fn escapes(line: &[u8], bytes: &mut Vec<u8>) -> bool {
    let mut bad = false;
    let mut rest = line;
    while let Some((&byte, tail)) = rest.split_first() {
        let decoded = match (byte, tail) {
            (b'=', [high, low, ..]) => quoted_printable_decode_char(*high, *low),
            _ => None,
        };
        bad |= byte == b'=' && decoded.is_none();
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    bad
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, encoding: &str) -> (String, Vec<Finding>) {
        let mut findings = Findings::default();
        let bytes = decode(body.as_bytes(), Some(encoding.as_bytes()), 1, &mut findings);
        (String::from_utf8_lossy(&bytes).into_owned(), findings.0)
    }

    #[test]
    fn fits() {
        for (body, encoding, expected) in [
            ("aGVs\r\nbG8=\r\n", " Base64\r\n", "hello"),
            ("aGVs\r\nbG8", "BASE64 (yes)", "hello"),
            ("caf=C3=A9 =\r\nau lait  \r\nx", "quoted-printable", "café au lait\r\nx"),
            ("a=3Db", "\"quoted-printable\"", "a=b"),
            ("a=3Db", "quoted printable", "a=b"),
            ("a=3Db", "8 bits", "a=3Db"),
        ] {
            assert_eq!(read(body, encoding), (expected.to_owned(), vec![]), "{body:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_passed_over_and_named() {
        let bad = |encoding| vec![Finding::BadEncoding { part: 1, encoding }];
        assert_eq!(read("aGVs*bG8=\r\n", "base64"), ("hello".into(), bad(Transfer::Base64)));
        assert_eq!(read("http://x/?a=zz=", "quoted-printable"), ("http://x/?a=zz".into(), bad(Transfer::QuotedPrintable)));
        assert_eq!(
            read("x", "x-uuencode"),
            ("x".into(), vec![Finding::UnknownEncoding { part: 1, label: "x-uuencode".into() }])
        );
    }
}
