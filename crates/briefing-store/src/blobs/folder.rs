//! Contents as files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{BlobHash, Blobs};

/// Contents as files of a folder, each in a folder of its first two digits.
#[derive(Debug, Clone)]
pub struct BlobFolder {
    root: PathBuf,
}

impl BlobFolder {
    /// That folder. It is made when the first content comes.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn path(&self, hash: BlobHash) -> PathBuf {
        let name = hash.to_string();
        self.root.join(name.get(..2).unwrap_or_default()).join(name)
    }
}

impl Blobs for BlobFolder {
    fn put(&self, hash: BlobHash, content: &[u8]) -> io::Result<()> {
        let path = self.path(hash);
        let folder = path.parent().unwrap_or(&self.root);
        if fs::read(&path).is_ok_and(|there| there == content) {
            // Who put it there may have been killed before this.
            return sync_folder(Some(folder));
        }
        if !folder.is_dir() {
            private_folder(folder)?;
            sync_folder(Some(&self.root))?;
            sync_folder(self.root.parent())?;
        }
        let half = folder.join(format!("{hash}.{}.half", std::process::id()));
        let written = write_synced(&half, content).and_then(|()| fs::rename(&half, &path));
        if let Err(error) = written {
            let _ = fs::remove_file(&half);
            return Err(error);
        }
        sync_folder(Some(folder))
    }

    fn get(&self, hash: BlobHash) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.path(hash)) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn delete(&self, hash: BlobHash) -> io::Result<()> {
        match fs::remove_file(self.path(hash)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn sweep(&self) -> io::Result<Vec<BlobHash>> {
        let mut found = Vec::new();
        for folder in entries(&self.root)? {
            if !folder.is_dir() {
                continue;
            }
            for file in entries(&folder)? {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                match BlobHash::from_hex(&name).filter(|_| !file.is_dir()) {
                    Some(hash) => found.push(hash),
                    None if name.ends_with(".half") => fs::remove_file(&file)?,
                    None => {}
                }
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Makes what was made in a folder, or renamed, survive a loss of power. None is the root, and an empty path the current one.
pub(crate) fn sync_folder(folder: Option<&Path>) -> io::Result<()> {
    let Some(folder) = folder else { return Ok(()) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // Elsewhere a folder cannot be opened.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

    use super::*;

    #[test]
    fn a_content_is_kept_found_swept_and_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let blobs = BlobFolder::new(folder.path().join("blobs"));
        let hash = BlobHash::of(b"content");
        assert_eq!(blobs.sweep().unwrap(), []);
        assert_eq!(blobs.get(hash).unwrap(), None);
        blobs.put(hash, b"content").unwrap();
        blobs.put(hash, b"content").unwrap();
        let half = blobs.path(hash).with_extension("7.half");
        fs::write(&half, b"con").unwrap();
        assert_eq!(blobs.get(hash).unwrap().as_deref(), Some(&b"content"[..]));
        assert_eq!(blobs.sweep().unwrap(), [hash]);
        assert!(!half.exists());
        blobs.delete(hash).unwrap();
        blobs.delete(hash).unwrap();
        assert_eq!(blobs.sweep().unwrap(), []);
    }

    #[test]
    fn a_hash_is_written_and_read_as_hexadecimal_digits() {
        let hash = BlobHash::of(b"");
        assert_eq!(BlobHash::from_hex(&hash.to_string()), Some(hash));
        assert_eq!(BlobHash::from_hex("../../etc/passwd"), None);
    }
}
