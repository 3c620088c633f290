//! Real and broken messages, summed up a line each and compared whole with `tests/golden`. `UPDATE_GOLDEN=1` writes anew.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use briefing_mail::{Mailbox, Parsed, html_to_text, read};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

fn check_golden(name: &str, found: &str) {
    let path = here("golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, found).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, golden, "{} differs; UPDATE_GOLDEN=1 writes it anew", path.display());
}

fn summary(parsed: &Parsed) -> String {
    let mail = &parsed.mail;
    let addresses = |list: &[briefing::log::Address]| list.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let attachments: Vec<String> = mail
        .attachments
        .iter()
        .map(|file| {
            let inline = if file.inline { " inline" } else { "" };
            format!(
                "{} {:?} {} {:?}{inline}",
                file.id,
                file.filename.as_deref().unwrap_or_default(),
                file.media_type,
                file.size
            )
        })
        .collect();
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            writeln!(text, "  {name}: {value}").unwrap();
        }
    };
    line("id", mail.message_id.as_ref().map(ToString::to_string).unwrap_or_default());
    line("reply to", mail.in_reply_to.iter().map(ToString::to_string).collect());
    line("references", mail.references.iter().map(ToString::to_string).collect());
    line("date", mail.date.map(|date| date.to_string()).unwrap_or_default());
    line("from", addresses(&mail.from));
    line("to", addresses(&mail.to));
    line("cc", addresses(&mail.cc));
    line("subject", mail.subject.as_ref().map(|subject| format!("{subject:?}")).unwrap_or_default());
    line("body", mail.body.as_ref().map(|body| format!("{} {:?}", body.chars().count(), start(body))).unwrap_or_default());
    attachments.into_iter().for_each(|file| line("file", file));
    parsed.findings.iter().for_each(|finding| line("finding", format!("{finding:?}")));
    text
}

fn start(body: &str) -> String {
    body.split_whitespace().take(8).collect::<Vec<_>>().join(" ")
}

/// All messages under a folder, each named by file and number.
fn summaries(mailbox: Mailbox, root: &Path) -> String {
    let mut text = String::new();
    let mut count = 0;
    for item in mailbox {
        count += 1;
        match item {
            Ok(raw) => {
                let path = raw.source.path.strip_prefix(root).unwrap().display();
                let parsed = raw.parse();
                assert_eq!(parsed.mail.attachments.len(), parsed.files.len());
                write!(text, "{path} {}\n{}", raw.source.number, summary(&parsed)).unwrap();
            }
            Err(error) => writeln!(text, "{}", error.to_string().replace(&root.display().to_string(), "")).unwrap(),
        }
    }
    assert!(count > 0, "no message under {}", root.display());
    text
}

fn check_corpus(name: &str) {
    let root = here("data").join(name);
    check_golden(&format!("{name}.txt"), &summaries(read(&root).unwrap(), &root));
}

#[test]
fn mail_parser() {
    check_corpus("mail-parser");
}

#[test]
fn mikel_mail() {
    check_corpus("mikel-mail");
}

#[test]
fn imaptest() {
    check_corpus("imaptest");
}

/// Replies of mail programs, as text.
#[test]
fn talon_html() {
    let mut count = 0;
    for file in std::fs::read_dir(here("data/talon/html_replies")).unwrap() {
        let path = file.unwrap().path();
        let html = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        check_golden(&format!("html/{name}.txt"), &html_to_text(&html));
        count += 1;
    }
    assert_eq!(count, 6);
}
