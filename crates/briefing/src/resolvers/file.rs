//! A file's text.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::context::Context;
use crate::resolver::{Contribution, ResolveError, Resolver};
use crate::resolvers::TextRole;

type Block = dyn Fn(&Context) -> Result<String, ResolveError> + Send + Sync;

/// Contributes a file's text, untrimmed; a blank file contributes nothing. A byte order mark is not part of the text.
///
/// The file is read when the chain runs, blocking: prompts are small and local.
#[derive(Clone)]
pub struct LoadFile {
    role: TextRole,
    path: PathSource,
}

#[derive(Clone)]
enum PathSource {
    /// Written by whoever wired the chain: relative to the root, or absolute as is.
    Fixed(PathBuf),
    /// Made of data: it stays inside the root, whatever it says.
    Block(Arc<Block>),
}

/// The largest file that is read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Why a file contributes nothing but an error. Both paths are named: as it was given, and as it was looked up.
#[derive(Debug, thiserror::Error)]
pub enum LoadFileError {
    /// The path is empty.
    #[error("the path of a file is empty")]
    EmptyPath,
    /// There is no such file.
    #[error("no file {path:?} (looked up at {absolute:?})")]
    Missing {
        /// As given.
        path: PathBuf,
        /// As looked up.
        absolute: PathBuf,
    },
    /// It is a folder.
    #[error("{path:?} is a folder (looked up at {absolute:?})")]
    Folder {
        /// As given.
        path: PathBuf,
        /// As looked up.
        absolute: PathBuf,
    },
    /// It cannot be read.
    #[error("cannot read {path:?} (looked up at {absolute:?}): {source}")]
    Unreadable {
        /// As given.
        path: PathBuf,
        /// As looked up.
        absolute: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is no UTF-8 text.
    #[error("{path:?} is not UTF-8 at byte {offset} (looked up at {absolute:?})")]
    NotUtf8 {
        /// As given.
        path: PathBuf,
        /// As looked up.
        absolute: PathBuf,
        /// The first byte that is no text.
        offset: usize,
    },
    /// It is larger than 16 MiB.
    #[error("{path:?} has {bytes} bytes, more than 16 MiB (looked up at {absolute:?})")]
    TooLarge {
        /// As given.
        path: PathBuf,
        /// As looked up.
        absolute: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// A path made of data leads out of the root.
    #[error("{path:?} leads out of the root (looked up at {absolute:?})")]
    OutsideRoot {
        /// As given.
        path: PathBuf,
        /// As looked up.
        absolute: PathBuf,
    },
}

impl LoadFile {
    /// The file of that path, as instructions.
    pub fn system(path: impl Into<PathBuf>) -> Self {
        Self::new(TextRole::System, path)
    }

    /// The file of that path, as input.
    pub fn user(path: impl Into<PathBuf>) -> Self {
        Self::new(TextRole::User, path)
    }

    /// The file of that path.
    pub fn new(role: TextRole, path: impl Into<PathBuf>) -> Self {
        Self { role, path: PathSource::Fixed(path.into()) }
    }

    /// The file whose path a block returns; it cannot leave the root.
    pub fn block(role: TextRole, block: impl Fn(&Context) -> Result<String, ResolveError> + Send + Sync + 'static) -> Self {
        Self { role, path: PathSource::Block(Arc::new(block)) }
    }
}

impl Resolver for LoadFile {
    async fn resolve(&self, cx: &Context) -> Result<Contribution, ResolveError> {
        let text = match &self.path {
            PathSource::Fixed(path) => read(path, &lookup(path, cx.root())?)?,
            PathSource::Block(block) => {
                let path = PathBuf::from(block(cx)?);
                read(&path, &confined(&path, cx.root())?)?
            }
        };
        Ok((!text.trim().is_empty()).then(|| self.role.message(text)).into())
    }
}

fn lookup(path: &Path, root: &Path) -> Result<PathBuf, LoadFileError> {
    if path.as_os_str().is_empty() { Err(LoadFileError::EmptyPath) } else { Ok(root.join(path)) }
}

/// The file's real path, if it lies below the root's real path: links are followed before the question is asked.
fn confined(path: &Path, root: &Path) -> Result<PathBuf, LoadFileError> {
    let absolute = lookup(path, root)?;
    let fail = |source: io::Error| io_error(path, &absolute, source);
    let real_root = root.canonicalize().map_err(fail)?;
    let outside = || LoadFileError::OutsideRoot { path: path.into(), absolute: absolute.clone() };
    // What is not there must not tell whether it is: only below the root is "missing" an answer.
    match absolute.canonicalize() {
        Ok(real) if real.starts_with(&real_root) => Ok(real),
        Ok(_) => Err(outside()),
        Err(_) if path.is_absolute() || path.components().any(|part| part == std::path::Component::ParentDir) => Err(outside()),
        Err(error) => Err(fail(error)),
    }
}

fn io_error(path: &Path, absolute: &Path, source: io::Error) -> LoadFileError {
    let (path, absolute) = (path.to_owned(), absolute.to_owned());
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LoadFileError::Missing { path, absolute },
        io::ErrorKind::IsADirectory => LoadFileError::Folder { path, absolute },
        _ => LoadFileError::Unreadable { path, absolute, source },
    }
}

fn read(path: &Path, absolute: &Path) -> Result<String, LoadFileError> {
    let fail = |source: io::Error| io_error(path, absolute, source);
    let meta = std::fs::metadata(absolute).map_err(fail)?;
    let (path, absolute) = (path.to_owned(), absolute.to_owned());
    if meta.is_dir() {
        return Err(LoadFileError::Folder { path, absolute });
    }
    if !meta.is_file() {
        let source = io::Error::other("it is no regular file");
        return Err(LoadFileError::Unreadable { path, absolute, source });
    }
    if meta.len() > MAX_BYTES {
        return Err(LoadFileError::TooLarge { path, absolute, bytes: meta.len() });
    }
    let bytes = std::fs::read(&absolute).map_err(|source| io_error(&path, &absolute, source))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
        Err(error) => Err(LoadFileError::NotUtf8 { path, absolute, offset: error.utf8_error().valid_up_to() }),
    }
}
