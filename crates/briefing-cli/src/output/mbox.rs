//! mboxrd: mails one after another, each behind a line `From SENDER DATE`, a blank line behind each.

use briefing::log::{Entry, Mail};
use jiff::Timestamp;

/// Stands for a sender that cannot be written in a `From ` line.
const NOBODY: &str = "MAILER-DAEMON";
/// The longest address in a `From ` line (RFC 5321, 4.5.3.1.3, without its brackets).
const MAX_SENDER: usize = 254;

/// A mail as it stands in an mbox: lines that would read as a `From ` line, quoted or not, are quoted once more. Read back, the
/// bytes are the same; only a last line without an end has got one.
pub(crate) fn message(entry: &Entry, mail: &Mail, raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() + 128);
    out.extend_from_slice(separator(entry.at, mail).as_bytes());
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        let text = line.iter().position(|byte| *byte != b'>').and_then(|at| line.get(at..)).unwrap_or_default();
        if text.starts_with(b"From ") {
            out.push(b'>');
        }
        out.extend_from_slice(line);
    }
    if !is_ended(raw) {
        out.push(b'\n');
    }
    out.push(b'\n');
    out
}

/// Whether its last line has an end, so that it comes back from an mbox as it is.
pub(crate) fn is_ended(raw: &[u8]) -> bool {
    raw.ends_with(b"\n")
}

/// The sender and the time at which the log has it, as `asctime` writes it. Readers know the line by a year of four digits that
/// begins with 19 or 20.
fn separator(at: Timestamp, mail: &Mail) -> String {
    let sender = mail.from.first().map(|from| from.email.as_str());
    let plain =
        |sender: &&str| !sender.is_empty() && sender.len() <= MAX_SENDER && sender.bytes().all(|byte| byte.is_ascii_graphic());
    let sender = sender.filter(plain).unwrap_or(NOBODY);
    let year = at.strftime("%Y").to_string();
    let known = year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
    let at = if known { at } else { Timestamp::UNIX_EPOCH };
    format!("From {sender} {}\n", at.strftime("%a %b %e %H:%M:%S %Y"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing::log::{Address, Body};
    use briefing::message::EntryId;

    fn line(from: &str, at: &str) -> String {
        let mail = Mail { from: vec![Address { name: None, email: from.to_owned() }], ..Mail::default() };
        separator(at.parse().unwrap(), &mail)
    }

    #[test]
    fn the_separator_names_a_sender_and_a_time_that_every_reader_knows() {
        assert_eq!(line("ann@x.example", "2026-05-04T07:08:09.5Z"), "From ann@x.example Mon May  4 07:08:09 2026\n");
        let epoch = "Thu Jan  1 00:00:00 1970\n";
        assert_eq!(line("a b@x", "0876-01-01T00:00:00Z"), format!("From MAILER-DAEMON {epoch}"));
        assert_eq!(line("", "-009000-01-01T00:00:00Z"), format!("From MAILER-DAEMON {epoch}"));
        assert_eq!(line(&"a".repeat(255), "2099-12-31T00:00:00Z"), "From MAILER-DAEMON Thu Dec 31 00:00:00 2099\n");
        assert_eq!(line("a@x", "2100-01-01T00:00:00Z"), format!("From a@x {epoch}"));
        assert_eq!(separator(Timestamp::MIN, &Mail::default()), format!("From MAILER-DAEMON {epoch}"));
    }

    #[test]
    fn lines_that_read_as_separators_are_quoted() {
        let entry = Entry { id: EntryId::new(0), at: Timestamp::UNIX_EPOCH, body: Body::Mail(Mail::default().into()) };
        let written = |raw: &str| String::from_utf8(message(&entry, &Mail::default(), raw.as_bytes())).unwrap();
        let head = "From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n";
        assert_eq!(
            written("A: 1\r\n\nFrom a\n>>From b\n> From c\nFromage\n"),
            format!("{head}A: 1\r\n\n>From a\n>>>From b\n> From c\nFromage\n\n")
        );
        assert_eq!((written("A: 1"), written("")), (format!("{head}A: 1\n\n"), format!("{head}\n\n")));
    }
}
