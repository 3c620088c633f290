//! The THREAD scripts of imaptest (Dovecot's test suite for IMAP servers, `data/imaptest/thread*`): every answer must be the
//! expected one.
//!
//! A script begins with headers. `messages: all` puts all messages of the mbox into the mailbox; `state: created` leaves it
//! empty, and each `append` adds the next one. The internal date of a message is that of its `From ` line.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use std::path::{Path, PathBuf};

use briefing::log::Mail;
use briefing_mail::rfc5256::{Message, ordered_subject, references};
use jiff::Timestamp;
use jiff::fmt::strtime;
use jiff::tz::Offset;

/// A message with its internal date.
type Stored = (Mail, Timestamp);

/// The date of a `From user@domain  Fri Feb 22 23:00:00 2008 +0200` line. Without an offset it is taken for UTC.
fn internal_date(line: &str) -> Timestamp {
    let date = line.split_whitespace().skip(2).collect::<Vec<_>>().join(" ");
    match strtime::parse("%a %b %d %H:%M:%S %Y %z", &date) {
        Ok(time) => time.to_timestamp().unwrap(),
        Err(_) => {
            Offset::UTC.to_timestamp(strtime::parse("%a %b %d %H:%M:%S %Y", &date).unwrap().to_datetime().unwrap()).unwrap()
        }
    }
}

fn messages(mbox: &Path) -> Vec<Stored> {
    let text = std::fs::read_to_string(mbox).unwrap();
    let stored = briefing_mail::read(mbox).unwrap().map(|raw| {
        let raw = raw.unwrap();
        let offset = usize::try_from(raw.source.offset).unwrap();
        (raw.parse().mail, internal_date(text[offset..].lines().next().unwrap()))
    });
    stored.collect()
}

/// A mailbox in the hands of a script.
struct Mailbox {
    messages: Vec<Stored>,
    /// What `append` adds, the next one first.
    source: std::vec::IntoIter<Stored>,
    deleted: Vec<usize>,
}

impl Mailbox {
    fn new(headers: &str, messages: Vec<Stored>) -> Self {
        let (messages, source) = match headers.lines().find(|line| !line.starts_with("capabilities:")) {
            Some("messages: all") => (messages, vec![]),
            Some("state: created") => (vec![], messages),
            other => panic!("an unknown header: {other:?}"),
        };
        Self { messages, source: source.into_iter(), deleted: vec![] }
    }

    /// Runs a command; gives the answer of THREAD.
    fn run(&mut self, command: &str) -> Option<String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["append"] => self.messages.push(self.source.next().unwrap()),
            ["select", "$mailbox"] => {}
            ["store", numbers, "+flags", r"\deleted"] => {
                self.deleted.extend(numbers.split(',').map(|number| number.parse::<usize>().unwrap()));
            }
            ["expunge"] => {
                let deleted = std::mem::take(&mut self.deleted);
                let mut number = 0;
                self.messages.retain(|_| {
                    number += 1;
                    !deleted.contains(&number)
                });
            }
            ["thread", algorithm, "us-ascii", "all"] => {
                let messages: Vec<Message<'_>> = self.messages.iter().map(|(mail, date)| Message::new(mail, *date)).collect();
                return Some(match *algorithm {
                    "references" => references(&messages).to_string(),
                    "orderedsubject" => ordered_subject(&messages).to_string(),
                    other => panic!("an unknown algorithm: {other}"),
                });
            }
            _ => panic!("an unknown command: {command}"),
        }
        None
    }
}

/// Runs a script; gives how many answers it compared.
fn run(script: &Path) -> usize {
    let text = std::fs::read_to_string(script).unwrap();
    let (headers, commands) = text.split_once("\n\n").unwrap();
    let mut mailbox = Mailbox::new(headers, messages(&script.with_extension("mbox")));
    let mut compared = 0;
    let mut lines = commands.lines().filter(|line| !line.is_empty());
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("ok ").unwrap_or_else(|| panic!("{}: {line}", script.display()));
        if let Some(answer) = mailbox.run(command) {
            let expected = lines.next().unwrap().to_lowercase();
            assert_eq!(format!("* thread {answer}"), expected, "{}, answer {}", script.display(), compared + 1);
            compared += 1;
        }
    }
    compared
}

#[test]
fn every_thread_script() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/imaptest");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_script =
        |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("thread") && path.extension().is_none();
    let compared: Vec<usize> = files.filter(is_script).map(|script| run(&script)).collect();
    assert_eq!((compared.len(), compared.iter().sum::<usize>()), (10, 16));
}
