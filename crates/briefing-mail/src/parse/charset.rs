//! From bytes to text: the labels of the WHATWG Encoding Standard, as mail-parser knows them, and then some.

use mail_parser::decoders::charsets::map::charset_decoder;

use super::Findings;
use super::guard::guarded;
use super::limits::MAX_QUOTE;
use crate::finding::{Finding, Guess, Place};

/// How far into an HTML text its own charset is looked for (HTML, 13.2.3.2).
const SNIFFED: usize = 1024;

/// Decodes a text part. Never fails; a line feed pair stays as it is.
pub(super) fn decode(bytes: &[u8], label: Option<&str>, place: Place, findings: &mut Findings) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let label = label.map(str::trim).filter(|label| !label.is_empty());
    match label.map(|label| (label, known(label))) {
        Some((_, Some(Charset::Utf8))) => or_undecodable(bytes, String::from_utf8_lossy(bytes).into_owned(), place, findings),
        // Real mail says ASCII and sends UTF-8.
        Some((_, Some(Charset::Ascii))) => guess(bytes).0,
        Some((_, Some(Charset::Other(decode)))) => match guarded(|| decode(bytes)) {
            Some(text) => or_undecodable(bytes, text, place, findings),
            None => {
                findings.push(Finding::Unparsable { place });
                String::from_utf8_lossy(bytes).into_owned()
            }
        },
        Some((label, None)) => {
            let (text, read_as) = guess(bytes);
            findings.push(Finding::UnknownCharset { place, label: Some(quoted(label.as_bytes())), read_as });
            text
        }
        None if bytes.is_ascii() => String::from_utf8_lossy(bytes).into_owned(),
        None => {
            let (text, read_as) = guess(bytes);
            findings.push(Finding::UnknownCharset { place, label: None, read_as });
            text
        }
    }
}

/// UTF-8, and each byte that is not part of such as windows-1252, which no byte fails.
pub(super) fn guess(bytes: &[u8]) -> (String, Guess) {
    let mut text = String::with_capacity(bytes.len());
    let mut read_as = Guess::Utf8;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            read_as = Guess::Windows1252;
            text.push_str(&windows_1252(chunk.invalid()));
        }
    }
    (text, read_as)
}

/// The charset that an HTML text names for itself.
pub(super) fn named_in_html(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..SNIFFED).unwrap_or(bytes).to_ascii_lowercase();
    let head = String::from_utf8_lossy(&head);
    let (_, rest) = head.split_once("<meta")?;
    let (_, rest) = rest.split_once("charset=")?;
    let label: String = rest
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || "-_.:".contains(*c))
        .collect();
    known(&label).is_some().then_some(label)
}

/// A foreign text, short enough for a finding.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..MAX_QUOTE).unwrap_or(bytes));
    text.trim().to_owned()
}

enum Charset {
    Utf8,
    Ascii,
    Other(fn(&[u8]) -> String),
}

fn known(label: &str) -> Option<Charset> {
    match label.to_ascii_lowercase().as_str() {
        "utf-8" | "utf8" | "utf_8" | "unicode-1-1-utf-8" | "unicode11utf8" | "unicode20utf8" | "x-unicode20utf8" => {
            Some(Charset::Utf8)
        }
        "us-ascii" | "ascii" | "ansi_x3.4-1968" => Some(Charset::Ascii),
        label => charset_decoder(label.as_bytes()).map(Charset::Other),
    }
}

/// windows-1252 (WHATWG: iso-8859-1 is read as that).
fn windows_1252(bytes: &[u8]) -> String {
    match charset_decoder(b"windows-1252") {
        Some(decode) => decode(bytes),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn or_undecodable(bytes: &[u8], text: String, place: Place, findings: &mut Findings) -> String {
    if text.contains('\u{fffd}') && !contains(bytes, "\u{fffd}".as_bytes()) {
        findings.push(Finding::Undecodable { place });
    }
    text
}

fn contains(bytes: &[u8], sought: &[u8]) -> bool {
    bytes.windows(sought.len()).any(|window| window == sought)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], label: Option<&str>) -> (String, Vec<Finding>) {
        let mut findings = Findings::default();
        (decode(bytes, label, Place::Part(1), &mut findings), findings.0)
    }

    #[test]
    fn labels() {
        for (label, bytes, expected) in [
            ("ISO-8859-1", &b"\x85"[..], "…"),
            ("latin1", b"\xe9", "é"),
            ("iso-8859-2", b"\xb1\xea\xbf", "ąęż"),
            ("UTF-8", b"\xef\xbb\xbfok", "ok"),
            ("utf8", "ż".as_bytes(), "ż"),
            ("us-ascii", "ż".as_bytes(), "ż"),
            ("us-ascii", b"\x93", "\u{201c}"),
            ("koi8-r", b"\xcd", "м"),
            ("Shift_JIS", b"\x83n", "ハ"),
            ("gb2312", b"\xc4\xe3", "你"),
            ("utf-16le", b"a\0", "a"),
        ] {
            assert_eq!(read(bytes, Some(label)), (expected.to_owned(), vec![]), "{label}");
        }
    }

    #[test]
    fn what_is_not_known_is_guessed_and_named() {
        let unknown = |label: Option<&str>, read_as| {
            vec![Finding::UnknownCharset { place: Place::Part(1), label: label.map(str::to_owned), read_as }]
        };
        assert_eq!(read(b"caf\xe9", Some("bogus")), ("café".into(), unknown(Some("bogus"), Guess::Windows1252)));
        assert_eq!(read("café".as_bytes(), Some("bogus")), ("café".into(), unknown(Some("bogus"), Guess::Utf8)));
        assert_eq!(read(b"caf\xe9 \xc3\xa9", None), ("café é".into(), unknown(None, Guess::Windows1252)));
        assert_eq!(read("café".as_bytes(), None), ("café".into(), unknown(None, Guess::Utf8)));
        assert_eq!(read(b"cafe", None), ("cafe".into(), vec![]));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(read(b"a\xffb", Some("utf-8")), ("a\u{fffd}b".into(), vec![Finding::Undecodable { place: Place::Part(1) }]));
    }

    #[test]
    fn html_names_its_own() {
        assert_eq!(named_in_html(b"<META charset=\"ISO-8859-2\">").as_deref(), Some("iso-8859-2"));
        assert_eq!(named_in_html(b"<meta content='text/html; charset=koi8-r'>").as_deref(), Some("koi8-r"));
        assert_eq!(named_in_html(b"<meta charset=bogus>"), None);
    }
}
