//! A copy of everything, made while others go on writing.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{Settings, connect};
use crate::StoreError;
use crate::blobs::{BlobFolder, BlobHash, Blobs, sync_folder};

/// What a copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackedUp {
    /// The bytes of its database.
    pub bytes: u64,
    /// How many large contents lie beside it.
    pub contents: u64,
    /// The bytes of those.
    pub content_bytes: u64,
}

/// Copies what `connection` sees to `to`, with the large contents in `folder`. The copy gets its name when it is whole: what a
/// killed process left is under another one, and is taken away by the next copy to the same place.
pub(super) fn copy(connection: &Connection, blobs: &dyn Blobs, to: &Path, folder: &Path) -> Result<BackedUp, StoreError> {
    let failed = |source| StoreError::Io { what: format!("{} cannot be written", to.display()), source };
    let half = Half { to, database: beside(to, ".half"), journal: beside(to, ".half-journal"), folder };
    let unfinished = half.database.exists();
    if to.exists() || (folder.exists() && !unfinished) {
        return Err(failed(io::Error::new(io::ErrorKind::AlreadyExists, "something is there already")));
    }
    // Held until the copy is closed: SQLite's locks on a file end when any handle of it is closed.
    let lock = half.open(unfinished).map_err(failed)?;
    let copied = fill(connection, blobs, &half);
    let name = || fs::rename(&half.database, to).and_then(|()| sync_folder(to.parent()));
    let named = copied.and_then(|copied| name().map(|()| copied).map_err(failed));
    if named.is_err() {
        half.remove();
    }
    drop(lock);
    named
}

/// A path with something behind its name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// A copy that is not whole yet.
struct Half<'p> {
    to: &'p Path,
    database: PathBuf,
    journal: PathBuf,
    folder: &'p Path,
}

impl Half<'_> {
    /// Makes the file, which its user alone may read, and takes away what a killed process left.
    fn open(&self, unfinished: bool) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.database)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => io::ErrorKind::ResourceBusy.into(),
            TryLockError::Error(error) => error,
        })?;
        if self.to.exists() {
            // Another copy was made whole in this moment.
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if unfinished {
            let gone = |removed: io::Result<()>| match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
            gone(fs::remove_file(&self.journal))?;
            gone(fs::remove_dir_all(self.folder))?;
            file.set_len(0)?;
        }
        Ok(file)
    }

    fn remove(&self) {
        let _ = fs::remove_dir_all(self.folder);
        let _ = fs::remove_file(&self.journal);
        let _ = fs::remove_file(&self.database);
    }
}

fn fill(connection: &Connection, blobs: &dyn Blobs, half: &Half<'_>) -> Result<BackedUp, StoreError> {
    // Fixes the moment: what is written from now on is not in the copy, and does not make it begin anew.
    let _: i64 = connection.query_one("SELECT count(*) FROM migrations", [], |row| row.get(0))?;
    let mut copy = connect(&half.database, &Settings::default(), false)?;
    let backup = rusqlite::backup::Backup::new(connection, &mut copy)?;
    backup.run_to_completion(4096, Duration::ZERO, None)?;
    drop(backup);
    let bytes = copy.query_one("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", [], |row| row.get(0));
    let mut copied = BackedUp { bytes: bytes.map(i64::cast_unsigned)?, contents: 0, content_bytes: 0 };
    let folder = BlobFolder::new(half.folder);
    let mut outside = connection.prepare("SELECT hash FROM blobs WHERE data IS NULL")?;
    for hash in outside.query_map([], |row| row.get(0))? {
        let hash = BlobHash::new(hash?);
        let io = |source| StoreError::Io { what: format!("the content {hash} cannot be copied"), source };
        let content = blobs.get(hash).map_err(io)?.filter(|content| BlobHash::of(content) == hash);
        let content = content.ok_or_else(|| StoreError::Blob { hash: hash.to_string() })?;
        folder.put(hash, &content).map_err(io)?;
        copied.contents += 1;
        copied.content_bytes += content.len() as u64;
    }
    Ok(copied)
}
