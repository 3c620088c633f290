//! What a folder holds: mail files and further folders, by name.

use std::ffi::OsStr;
use std::fs::{DirEntry, read_dir};
use std::path::{Path, PathBuf};

use super::error::MailboxError;
use super::{RawMessage, maildir};

/// How deep folders may lie in folders.
pub(crate) const MAX_FOLDERS: usize = 16;

/// Something to be read.
#[derive(Debug)]
pub(super) enum Entry {
    Folder { path: PathBuf, depth: usize },
    File { path: PathBuf, trust: Trust },
    Read(Box<RawMessage>),
}

/// Why a file is taken for mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// The user named it.
    Named,
    /// Its name or place says so.
    Listed,
    /// It may be mail: if it does not look so it is passed over.
    Guessed,
}

/// The mail files and folders of a folder, sorted by name. Symbolic links are not followed, hidden files passed over, and
/// of a Maildir only its `new`, its `cur` and its subfolders are taken.
pub(super) fn entries(path: &Path, depth: usize) -> Result<Vec<Entry>, MailboxError> {
    if depth > MAX_FOLDERS {
        return Err(MailboxError::TooDeep { path: path.to_owned() });
    }
    let failed = |error: std::io::Error| MailboxError::io(path, 0, &error);
    let mut found: Vec<DirEntry> = read_dir(path).map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    found.sort_by_key(DirEntry::file_name);
    let place = maildir::place(path);
    let mut entries = Vec::new();
    for entry in found {
        let kind = entry.file_type().map_err(failed)?;
        let name = entry.file_name();
        if kind.is_dir() && place.takes_folder(&name) {
            entries.push(Entry::Folder { path: entry.path(), depth: depth + 1 });
        } else if kind.is_file()
            && !is_hidden(&name)
            && let Some(trust) = place.trust(&entry.path())
        {
            entries.push(Entry::File { path: entry.path(), trust });
        }
    }
    Ok(entries)
}

pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// How far the name of a file in a plain folder says that it is mail. None if it says that it is something else.
pub(super) fn trust_by_name(path: &Path) -> Option<Trust> {
    match path.extension().map(OsStr::to_ascii_lowercase) {
        None => Some(Trust::Guessed),
        Some(extension) => ["eml", "mbox", "mbx"].iter().any(|known| extension == *known).then_some(Trust::Listed),
    }
}
