//! mbox (RFC 4155, in its wild forms): messages one after another, each behind a `From ` line. Reads piece by piece, so a long
//! message or line is never held whole.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::error::MailboxError;
use super::{RawMessage, Source};
use crate::parse::limits::MAX_MESSAGE;

/// How many bytes of a line are looked at together.
const PIECE: usize = 64 << 10;

/// The messages of an mbox file.
#[derive(Debug)]
pub(super) struct Mbox<R = BufReader<File>> {
    path: PathBuf,
    reader: R,
    /// How many bytes were read.
    offset: u64,
    /// How many messages were begun.
    number: u64,
    /// Whether the separators carry a date, as the first one shows: then a line without one is text.
    dated: bool,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing was read.
    Start,
    /// A `From ` line was read, which began at that byte.
    Message(u64),
    /// There is no more.
    End,
}

impl Mbox {
    pub(super) fn new(path: &Path, file: File) -> Self {
        Self::over(path, BufReader::with_capacity(PIECE, file))
    }
}

impl<R: BufRead> Mbox<R> {
    fn over(path: &Path, reader: R) -> Self {
        Self { path: path.to_owned(), reader, offset: 0, number: 0, dated: false, state: State::Start }
    }

    /// Passes over blank lines to the first `From ` line.
    fn begin(&mut self) -> std::io::Result<()> {
        let mut piece = Vec::new();
        let mut at_line_start = true;
        self.state = State::End;
        while self.piece(&mut piece)? {
            let line = piece.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&piece);
            if at_line_start && line.starts_with(b"From ") {
                self.dated = is_dated(line);
                self.state = State::Message(self.offset - length(&piece));
                return self.end_line(&mut piece);
            }
            at_line_start = piece.ends_with(b"\n");
        }
        Ok(())
    }

    /// The message behind the `From ` line that was read, up to the next one.
    fn message(&mut self) -> std::io::Result<(Vec<u8>, u64)> {
        self.state = State::End;
        let mut message = Message::default();
        let mut piece = Vec::new();
        let (mut at_line_start, mut after_blank) = (true, true);
        while self.piece(&mut piece)? {
            if at_line_start && after_blank && self.separates(&piece) {
                self.state = State::Message(self.offset - length(&piece));
                self.end_line(&mut piece)?;
                break;
            }
            if at_line_start {
                after_blank = matches!(piece.as_slice(), b"\n" | b"\r\n");
                message.line(&piece, after_blank);
            } else {
                message.rest(&piece);
            }
            at_line_start = piece.ends_with(b"\n");
        }
        Ok((message.bytes, message.size))
    }

    fn separates(&self, line: &[u8]) -> bool {
        line.starts_with(b"From ") && (!self.dated || is_dated(line))
    }

    /// Reads a line, or the next [`PIECE`] bytes of it. False at the end.
    fn piece(&mut self, piece: &mut Vec<u8>) -> std::io::Result<bool> {
        piece.clear();
        while piece.len() < PIECE && !piece.ends_with(b"\n") {
            let ready = match self.reader.fill_buf() {
                Ok(ready) => ready,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let room = ready.get(..PIECE - piece.len()).unwrap_or(ready);
            let taken = room.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
            if taken.is_empty() {
                break;
            }
            piece.extend_from_slice(taken);
            let count = taken.len();
            self.reader.consume(count);
        }
        self.offset += length(piece);
        Ok(!piece.is_empty())
    }

    /// Passes over what is left of a line.
    fn end_line(&mut self, piece: &mut Vec<u8>) -> std::io::Result<()> {
        while !piece.ends_with(b"\n") && self.piece(piece)? {}
        Ok(())
    }
}

impl<R: BufRead> Iterator for Mbox<R> {
    type Item = Result<RawMessage, MailboxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.state == State::Start
            && let Err(error) = self.begin()
        {
            return Some(Err(MailboxError::io(&self.path, self.offset, &error)));
        }
        let State::Message(offset) = self.state else { return None };
        self.number += 1;
        let source = Source { path: self.path.clone(), number: self.number, offset };
        Some(match self.message() {
            Err(error) => Err(MailboxError::io(&self.path, self.offset, &error)),
            Ok((_, 0)) => Err(MailboxError::Truncated { message: source }),
            Ok((bytes, size)) => Ok(RawMessage { source, bytes, size }),
        })
    }
}

/// A message in the making.
#[derive(Debug, Default)]
struct Message {
    bytes: Vec<u8>,
    size: u64,
    /// A blank line that is held back: the one before a separator is not the message's.
    blank: Vec<u8>,
}

impl Message {
    /// Adds the beginning of a line, its quoting removed (mboxrd: one `>` before `From `, however many there are).
    fn line(&mut self, piece: &[u8], is_blank: bool) {
        let blank = std::mem::take(&mut self.blank);
        self.rest(&blank);
        if is_blank {
            self.blank = piece.to_owned();
            return;
        }
        let text = piece.iter().position(|&byte| byte != b'>').and_then(|at| piece.get(at..)).unwrap_or_default();
        let quoted = piece.len() > text.len() && text.starts_with(b"From ");
        self.rest(if quoted { piece.get(1..).unwrap_or_default() } else { piece });
    }

    fn rest(&mut self, piece: &[u8]) {
        self.size += length(piece);
        let room = MAX_MESSAGE.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(piece.get(..room).unwrap_or(piece));
    }
}

/// Whether a `From ` line names a month, a time and a year, as separators do and sentences do not.
fn is_dated(line: &[u8]) -> bool {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace().skip(1);
    let digits = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let (mut month, mut time, mut year) = (false, false, false);
    words.by_ref().take(16).for_each(|word| {
        month |= MONTHS.contains(&word);
        time |= word.split_once(':').is_some_and(|(hour, _)| !hour.is_empty() && hour.len() <= 2 && digits(hour));
        year |= word.len() == 4 && digits(word) && (word.starts_with("19") || word.starts_with("20"));
    });
    month && time && year
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: &str = "From a@x Fri Feb 22 17:06:23 2008";

    fn messages(text: &str) -> Vec<(u64, String)> {
        Mbox::over(Path::new("m"), text.as_bytes())
            .map(|message| message.map(|m| (m.source.offset, String::from_utf8(m.bytes).unwrap())))
            .collect::<Result<_, _>>()
            .unwrap()
    }

    fn bodies(text: &str) -> Vec<String> {
        messages(text).into_iter().map(|(_, body)| body).collect()
    }

    #[test]
    fn separators() {
        assert_eq!(
            messages(&format!("{FROM}\nA: 1\n\na\n\n{FROM} +0200\nB: 2\n\nb\n")),
            [(0, "A: 1\n\na\n".into()), (43, "B: 2\n\nb\n".into())]
        );
        assert_eq!(bodies(&format!("{FROM}\r\nA: 1\r\n\r\na\r\n\r\n{FROM}\r\nB: 2\r\n")), ["A: 1\r\n\r\na\r\n", "B: 2\r\n"]);
    }

    #[test]
    fn a_sentence_is_no_separator() {
        let text = "A: 1\n\na\n\nFrom now on at 10:30 we meet\nb\n";
        assert_eq!(bodies(&format!("{FROM}\n{text}")), [text]);
        let inline = format!("A: 1\n\na\n{FROM}\nb\n");
        assert_eq!(bodies(&format!("{FROM}\n{inline}")), [inline]);
    }

    #[test]
    fn without_dates_any_from_line_separates() {
        assert_eq!(bodies("From a\nA: 1\n\na\n\nFrom b\nB: 2\n"), ["A: 1\n\na\n", "B: 2\n"]);
    }

    #[test]
    fn quoting_is_removed_once() {
        assert_eq!(
            bodies(&format!("{FROM}\nA: 1\n\n>From me\n>>From you\n> From x\n>Fro\n>\n")),
            ["A: 1\n\nFrom me\n>From you\n> From x\n>Fro\n>\n"]
        );
    }

    #[test]
    fn blank_lines_of_the_text_stay() {
        assert_eq!(bodies(&format!("{FROM}\nA: 1\n\na\n\n\n\n{FROM}\nB: 2\n\n\nb")), ["A: 1\n\na\n\n\n", "B: 2\n\n\nb"]);
    }

    #[test]
    fn an_empty_message_is_named_and_the_next_read() {
        let items: Vec<_> = Mbox::over(Path::new("m"), format!("{FROM}\n\n{FROM}\nB: 2\n\n{FROM}").as_bytes())
            .map(|item| item.map(|message| message.bytes))
            .collect();
        let truncated = |number, offset| Err(MailboxError::Truncated { message: Source { path: "m".into(), number, offset } });
        assert_eq!(items, [truncated(1, 0), Ok(b"B: 2\n".to_vec()), truncated(3, 75)]);
    }

    #[test]
    fn a_long_message_is_cut_and_counted() {
        let mut text = format!("{FROM}\nA: 1\n\n");
        text.push_str(&"x".repeat(MAX_MESSAGE + 10));
        text.push_str(&format!("\n\n{FROM}\nB: 2\n"));
        let read: Vec<_> = Mbox::over(Path::new("m"), text.as_bytes()).map(Result::unwrap).collect();
        let sizes: Vec<_> = read.iter().map(|message| (message.bytes.len(), message.size)).collect();
        assert_eq!(sizes, [(MAX_MESSAGE, length(&vec![0; MAX_MESSAGE + 17])), (5, 5)]);
    }
}
