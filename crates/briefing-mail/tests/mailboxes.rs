//! Files and folders: what is taken for mail, in which order, and what is said of the rest.

#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use briefing_mail::{Finding, Found, MailboxError, Source, read, read_all};

/// A fresh folder of a test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mailboxes").join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn write(root: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

/// Of each item its file below the folder, and its subject or the error.
fn items(root: &Path) -> Vec<(String, Result<String, MailboxError>)> {
    read(root)
        .unwrap()
        .map(|item| match item {
            Ok(raw) => {
                let path = raw.source.path.strip_prefix(root).unwrap().display().to_string();
                (path, Ok(raw.parse().mail.subject.unwrap_or_default()))
            }
            Err(error) => (String::new(), Err(error)),
        })
        .collect()
}

fn ok(path: &str, subject: &str) -> (String, Result<String, MailboxError>) {
    (path.to_owned(), Ok(subject.to_owned()))
}

const MBOX: &str =
    "From a@x Fri Feb 22 17:06:23 2008\nSubject: one\n\n1\n\nFrom a@x Fri Feb 22 17:06:24 2008\nSubject: two\n\n2\n";

#[test]
fn a_folder() {
    let root = folder("plain");
    write(&root, "b.eml", "Subject: b\n\n");
    write(&root, "a/deep.EML", "Subject: deep\n\n");
    write(&root, "Inbox", MBOX);
    write(&root, "notes.txt", "Subject: not read\n\n");
    write(&root, "README", "Some text.");
    write(&root, ".hidden", "Subject: hidden\n\n");
    write(&root, "z.mbx", "Subject: single\n\n");
    let broken = write(&root, "broken.eml", b"\x00\x01\x02");
    assert_eq!(
        items(&root),
        [
            ok("Inbox", "one"),
            ok("Inbox", "two"),
            ok("a/deep.EML", "deep"),
            ok("b.eml", "b"),
            (String::new(), Err(MailboxError::NoMail { path: broken, found: Found::Binary })),
            ok("z.mbx", "single"),
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let root = folder("links");
    let outside = write(&folder("outside"), "secret.eml", "Subject: secret\n\n");
    write(&root, "a.eml", "Subject: a\n\n");
    std::os::unix::fs::symlink(&outside, root.join("b.eml")).unwrap();
    std::os::unix::fs::symlink(&root, root.join("loop")).unwrap();
    assert_eq!(items(&root), [ok("a.eml", "a")]);
}

#[test]
fn a_maildir() {
    let root = folder("maildir");
    write(&root, "cur/1204680122.27c448.host:2,S", "Subject: seen\n\n");
    write(&root, "new/1204680123.27c449.host", "Subject: new\n\n");
    write(&root, "tmp/1204680124.x", "Subject: not whole\n\n");
    write(&root, ".Sent/cur/1.host:2,", "Subject: sent\n\n");
    write(&root, ".Sent/new/.keep", "");
    write(&root, "dovecot.index", "Subject: no mail\n\n");
    assert_eq!(
        items(&root),
        [
            ok(".Sent/cur/1.host:2,", "sent"),
            ok("cur/1204680122.27c448.host:2,S", "seen"),
            ok("new/1204680123.27c449.host", "new"),
        ]
    );
}

#[test]
fn places_in_an_mbox() {
    let path = write(&folder("mbox"), "m.mbox", MBOX);
    let sources: Vec<Source> = read(&path).unwrap().map(|raw| raw.unwrap().source).collect();
    assert_eq!(
        sources,
        [Source { path: path.clone(), number: 1, offset: 0 }, Source { path: path.clone(), number: 2, offset: 51 }]
    );
    assert_eq!(&MBOX[51..55], "From");
}

#[test]
fn what_is_no_mailbox() {
    let root = folder("none");
    let missing = root.join("missing");
    let empty = write(&root, "empty.eml", "");
    let text = write(&root, "text.txt", "Dear diary,\n");
    let zip = write(&root, "mail.zip", b"PK\x03\x04\0\0");
    for (path, expected, says) in [
        (&missing, MailboxError::NotFound { path: missing.clone() }, "does not exist"),
        (&empty, MailboxError::Empty { path: empty.clone() }, "holds no mail"),
        (&text, MailboxError::NoMail { path: text.clone(), found: Found::Text }, "begins like other text"),
        (&zip, MailboxError::NoMail { path: zip.clone(), found: Found::Binary }, "begins like a binary file"),
    ] {
        let error = read(path).err().unwrap();
        assert_eq!(error, expected);
        assert!(error.to_string().contains(says) && error.to_string().contains(&path.display().to_string()), "{error}");
        assert!(!error.hint().is_empty());
    }
    let nothing = folder("nothing");
    assert_eq!(items(&nothing), [(String::new(), Err(MailboxError::Empty { path: nothing.clone() }))]);
}

#[test]
fn folders_too_deep() {
    let root = folder("deep");
    let path = (0..20).fold(PathBuf::new(), |path, _| path.join("d"));
    write(&root, &format!("{}/a.eml", path.display()), "Subject: a\n\n");
    let too_deep = (0..17).fold(root.clone(), |path, _| path.join("d"));
    assert_eq!(items(&root), [(String::new(), Err(MailboxError::TooDeep { path: too_deep }))]);
}

#[test]
fn several_paths() {
    let root = folder("several");
    let first = write(&root, "a.eml", "Subject: a\n\n");
    let missing = root.join("b.eml");
    let third = write(&root, "c.mbox", MBOX);
    let found: Vec<_> =
        read_all([&first, &missing, &third]).map(|item| item.map(|raw| raw.parse().mail.subject.unwrap_or_default())).collect();
    assert_eq!(
        found,
        [Ok("a".to_owned()), Err(MailboxError::NotFound { path: missing }), Ok("one".to_owned()), Ok("two".to_owned())]
    );
}

#[test]
fn a_message_of_200_megabytes_in_an_mbox() {
    let root = folder("large");
    let path = root.join("large.mbox");
    let mut file = fs::File::create(&path).unwrap();
    use std::io::Write as _;
    file.write_all(b"From a@x Fri Feb 22 17:06:23 2008\nSubject: large\n\n").unwrap();
    let block = vec![b'x'; 1 << 20];
    for _ in 0..200 {
        file.write_all(&block).unwrap();
    }
    file.write_all(b"\n\n").unwrap();
    file.write_all(MBOX.as_bytes()).unwrap();
    drop(file);
    let found: Vec<_> = read(&path)
        .unwrap()
        .map(|raw| {
            let raw = raw.unwrap();
            let parsed = raw.parse();
            (raw.bytes.len(), parsed.mail.subject.unwrap(), parsed.findings.first().cloned())
        })
        .collect();
    let too_large = Finding::TooLarge { size: (200 << 20) + 17, kept: 32 << 20 };
    assert_eq!(
        found,
        [(32 << 20, "large".to_owned(), Some(too_large)), (16, "one".to_owned(), None), (16, "two".to_owned(), None)]
    );
    fs::remove_file(path).unwrap();
}
