//! From bytes to characters, and the one place where texts are cut.

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};

/// How far into a file its own charset is looked for, in bytes (HTML, 13.2.3.2).
const SNIFFED: usize = 1024;

/// The most characters of the name of a charset.
const MAX_LABEL: usize = 40;

/// A text that takes so many characters and no more.
///
/// Ends of lines become line feeds; control characters but that and the tab are left out.
#[derive(Debug)]
pub(crate) struct Out {
    text: String,
    room: usize,
    cut: bool,
    after_return: bool,
}

impl Out {
    pub(crate) fn new(chars: usize) -> Self {
        Self { text: String::new(), room: chars, cut: false, after_return: false }
    }

    pub(crate) fn push(&mut self, c: char) {
        let after_return = std::mem::replace(&mut self.after_return, c == '\r');
        let c = match c {
            '\n' if after_return => return,
            '\r' => '\n',
            '\n' | '\t' => c,
            _ if c.is_control() => return,
            _ => c,
        };
        match self.room.checked_sub(1) {
            Some(room) => {
                self.room = room;
                self.text.push(c);
            }
            None => self.cut = true,
        }
    }

    pub(crate) fn push_str(&mut self, text: &str) {
        for c in text.chars() {
            if self.cut {
                return;
            }
            self.push(c);
        }
    }

    /// Whether something found no room.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    #[cfg(feature = "documents")]
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// The text without spaces at the ends of its lines, with one empty line at most between others, and none at either end.
#[cfg(feature = "documents")]
pub(crate) fn tidy(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0_usize;
    for line in text.lines().map(str::trim_end) {
        if line.is_empty() {
            empty += 1;
            continue;
        }
        if !tidy.is_empty() {
            tidy.push_str(if empty > 0 { "\n\n" } else { "\n" });
        }
        empty = 0;
        tidy.push_str(line);
    }
    tidy
}

/// The characters, and whether some bytes are none.
///
/// By the mark at the beginning; else UTF-8 if all of it is; else by the charset that the text names for itself, if it is HTML
/// or XML; else UTF-8 if most of what is not ASCII is, with U+FFFD for the rest; else windows-1252.
pub(crate) fn decode(bytes: &[u8], names_charset: bool) -> (Cow<'_, str>, bool) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default());
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), false);
    }
    if let Some(encoding) = Some(bytes).filter(|_| names_charset).and_then(named) {
        return encoding.decode_without_bom_handling(bytes);
    }
    if mostly_utf8(bytes) {
        return (String::from_utf8_lossy(bytes), true);
    }
    WINDOWS_1252.decode_without_bom_handling(bytes)
}

/// The charset that HTML or XML names at its beginning: `<meta charset=…>`, `<?xml encoding=…?>`.
fn named(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..SNIFFED).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let (_, rest) = head.split_once("charset=").or_else(|| head.split_once("encoding="))?;
    let label: String = rest
        .trim_start_matches(['"', '\'', ' '])
        .chars()
        .take(MAX_LABEL)
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        .collect();
    Encoding::for_label(label.as_bytes())
}

fn mostly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad
}

#[cfg(test)]
mod tests {
    use super::{Out, decode, tidy};

    fn cut(text: &str, chars: usize) -> (String, bool) {
        let mut out = Out::new(chars);
        out.push_str(text);
        let cut = out.is_cut();
        (out.into_text(), cut)
    }

    #[test]
    fn a_text_is_cut_between_characters_and_only_if_it_has_more() {
        assert_eq!(cut("zwölf", 5), ("zwölf".to_owned(), false));
        assert_eq!(cut("zwölf", 3), ("zwö".to_owned(), true));
        assert_eq!(cut("", 0), (String::new(), false));
        assert_eq!(cut("a", 0), (String::new(), true));
    }

    #[test]
    fn line_ends_become_line_feeds_and_control_characters_go() {
        assert_eq!(cut("a\r\nb\rc\n\r\nd\te\u{7}\u{0}\u{85}f\u{1b}[0m", 99).0, "a\nb\nc\n\nd\tef[0m");
    }

    #[test]
    fn tidy_keeps_one_empty_line() {
        assert_eq!(tidy("\n\n a  \n\n \n\nb\nc\n\n"), " a\n\nb\nc");
    }

    #[test]
    fn charsets_are_told_by_mark_then_utf8_then_name_then_guess() {
        let cases: [(&[u8], bool, &str, bool); 9] = [
            (b"\xef\xbb\xbfna\xc3\xafve", false, "naïve", false),
            (b"\xff\xfea\0\xef\0", false, "aï", false),
            (b"\xfe\xff\0a\0\xef", false, "aï", false),
            (b"\xff\xfea\0\xef", false, "a\u{fffd}", true),
            ("naïve".as_bytes(), true, "naïve", false),
            (b"na\xefve \x80", false, "naïve €", false),
            (b"<?xml version='1.0' encoding='koi8-r'?>\xc1", true, "<?xml version='1.0' encoding='koi8-r'?>а", false),
            (b"<meta charset=\"iso-8859-2\">\xe6", true, "<meta charset=\"iso-8859-2\">ć", false),
            (b"\xc3\xa4\xc3\xb6\xff", false, "äö\u{fffd}", true),
        ];
        for (bytes, names_charset, text, lossy) in cases {
            assert_eq!(decode(bytes, names_charset), (text.into(), lossy), "{bytes:?}");
        }
    }
}
