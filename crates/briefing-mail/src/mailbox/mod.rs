//! Reads messages from files and folders, one at a time. Nothing is loaded whole but one message, and of that no more than
//! [`MAX_MESSAGE`].

mod error;
mod folder;
mod maildir;
mod mbox;
mod sniff;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub use self::error::{Found, MailboxError};
use self::folder::{Entry, Trust};
use self::mbox::Mbox;
use crate::parse::limits::MAX_MESSAGE;
use crate::parse::{Parsed, parse_cut};

/// Where a message came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// Which message of the file, counted from one.
    pub number: u64,
    /// The byte at which it begins: in an mbox, its `From ` line.
    pub offset: u64,
}

/// A message as it lies in the mailbox, an mbox's quoting removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawMessage {
    /// Where it came from.
    pub source: Source,
    /// Its bytes, or of a longer one the first [`MAX_MESSAGE`].
    pub bytes: Vec<u8>,
    /// How many bytes it has.
    pub size: u64,
}

impl RawMessage {
    /// Reads it; see [`parse`](crate::parse()). If it is not whole, a finding says so.
    #[must_use]
    pub fn parse(&self) -> Parsed {
        parse_cut(&self.bytes, self.size)
    }
}

/// The messages of one mailbox, in order: of an mbox as they stand, of a folder by path. After an error the next item is
/// the next message that can be read.
#[derive(Debug)]
pub struct Mailbox {
    root: PathBuf,
    /// What is still to be read, the next one last.
    entries: Vec<Entry>,
    open: Option<Mbox>,
    anything: bool,
}

/// Opens a mailbox. What it is shows by itself: an `.eml` file, an mbox file, a Maildir, or a folder of these.
///
/// # Errors
///
/// If nothing is there, if it cannot be read, if it is empty, or if a file holds no mail. A folder without mail gives that
/// error as its only item.
pub fn read(path: &Path) -> Result<Mailbox, MailboxError> {
    let mut mailbox = Mailbox { root: path.to_owned(), entries: Vec::new(), open: None, anything: false };
    let meta = std::fs::metadata(path).map_err(|error| MailboxError::io(path, 0, &error))?;
    if meta.is_dir() {
        mailbox.entries.push(Entry::Folder { path: path.to_owned(), depth: 0 });
    } else if let Some(first) = mailbox.file(path, Trust::Named)? {
        mailbox.entries.push(Entry::Read(Box::new(first)));
    }
    Ok(mailbox)
}

/// The messages of several mailboxes, one mailbox after another. One that cannot be opened is an item.
pub fn read_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> impl Iterator<Item = Result<RawMessage, MailboxError>> {
    paths.into_iter().flat_map(|path| {
        let (mailbox, error) = match read(path.as_ref()) {
            Ok(mailbox) => (Some(mailbox), None),
            Err(error) => (None, Some(Err(error))),
        };
        error.into_iter().chain(mailbox.into_iter().flatten())
    })
}

impl Iterator for Mailbox {
    type Item = Result<RawMessage, MailboxError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.step();
        if next.is_none() && !std::mem::replace(&mut self.anything, true) {
            return Some(Err(MailboxError::Empty { path: self.root.clone() }));
        }
        self.anything = true;
        next
    }
}

impl Mailbox {
    fn step(&mut self) -> Option<Result<RawMessage, MailboxError>> {
        loop {
            if let Some(message) = self.open.as_mut().and_then(Iterator::next) {
                return Some(message);
            }
            self.open = None;
            match self.entries.pop()? {
                Entry::Read(message) => return Some(Ok(*message)),
                Entry::Folder { path, depth } => match folder::entries(&path, depth) {
                    Ok(entries) => self.entries.extend(entries.into_iter().rev()),
                    Err(error) => return Some(Err(error)),
                },
                Entry::File { path, trust } => match self.file(&path, trust) {
                    Ok(Some(message)) => return Some(Ok(message)),
                    Ok(None) => {}
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }

    /// Opens a file: gives its message, or makes it the open mbox, or passes over it.
    fn file(&mut self, path: &Path, trust: Trust) -> Result<Option<RawMessage>, MailboxError> {
        let failed = |error: std::io::Error| MailboxError::io(path, 0, &error);
        let mut file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut start = Vec::new();
        Read::by_ref(&mut file).take(sniff::BYTES).read_to_end(&mut start).map_err(failed)?;
        match (sniff::found(&start), trust) {
            (Found::Mbox, _) => {
                file.seek(SeekFrom::Start(0)).map_err(failed)?;
                self.open = Some(Mbox::new(path, file));
                Ok(None)
            }
            (Found::Message, _) => one(path, file, start, size).map(Some).map_err(failed),
            (_, Trust::Guessed) => Ok(None),
            (Found::Nothing, Trust::Named | Trust::Listed) => Err(MailboxError::Empty { path: path.to_owned() }),
            (found @ (Found::Text | Found::Binary), Trust::Named | Trust::Listed) => {
                Err(MailboxError::NoMail { path: path.to_owned(), found })
            }
        }
    }
}

/// The message that a file is; its first bytes were read.
fn one(path: &Path, file: File, mut bytes: Vec<u8>, size: u64) -> std::io::Result<RawMessage> {
    let room = u64::try_from(MAX_MESSAGE.saturating_sub(bytes.len())).unwrap_or(0);
    file.take(room).read_to_end(&mut bytes)?;
    let size = size.max(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    Ok(RawMessage { source: Source { path: path.to_owned(), number: 1, offset: 0 }, bytes, size })
}
