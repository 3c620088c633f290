//! Contents by their hash: the port for those too large for the database, and what implements it.

mod folder;
#[cfg(feature = "object-store")]
mod object;

use std::fmt;
use std::io;

pub use self::folder::BlobFolder;
pub(crate) use self::folder::sync_folder;
#[cfg(feature = "object-store")]
pub use self::object::ObjectBlobs;

/// The hash of a content (BLAKE3): its name wherever it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobHash([u8; 32]);

impl BlobHash {
    /// The hash of that content.
    #[must_use]
    pub fn of(content: &[u8]) -> Self {
        Self(*blake3::hash(content).as_bytes())
    }

    /// The hash of those 32 bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Keeps contents outside the database. Called while the database is locked for writing, so an implementation is never asked
/// to put and delete at once by one store.
///
/// What lies there belongs to one database alone. What has no row in it is deleted when something is forgotten: two databases
/// that shared one place would delete each other's contents.
pub trait Blobs: Send + Sync {
    /// Keeps a content; one that is there and damaged is mended. After this returns it survives a loss of power.
    ///
    /// # Errors
    /// If it cannot be written; then nothing of that name may be seen.
    fn put(&self, hash: BlobHash, content: &[u8]) -> io::Result<()>;

    /// The content, or none if it is not there.
    ///
    /// # Errors
    /// If it cannot be read.
    fn get(&self, hash: BlobHash) -> io::Result<Option<Vec<u8>>>;

    /// Deletes a content. One that is not there is no error.
    ///
    /// # Errors
    /// If it cannot be deleted.
    fn delete(&self, hash: BlobHash) -> io::Result<()>;

    /// The hashes of all contents that are there, and deletes what a killed writer left half written.
    ///
    /// # Errors
    /// If they cannot be listed.
    fn sweep(&self) -> io::Result<Vec<BlobHash>>;
}
