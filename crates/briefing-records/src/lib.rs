//! Records out of SQLite files, for personas whose chain queries them: the core's [`Records`] port.
//!
//! ```
//! use std::sync::Arc;
//!
//! use briefing::Context;
//! use briefing_records::SqliteRecords;
//!
//! fn with_shop(cx: Context) -> Context {
//!     cx.with_records(Arc::new(SqliteRecords::new("/srv/scoop")))
//! }
//! ```
//!
//! [`SqliteRecords`] opens the database afresh for each query, read only, runs one statement that only reads, and closes it.
//! Every value is bound. A query ends by its own limits on rows and time, or by [`MAX_BYTES`]. [`RecordsError`] names the
//! database and what is wrong with it or the query.
//!
//! The database's main file is never written. SQLite may put its own two files (`-wal`, `-shm`) beside one in WAL mode.

mod error;
mod open;
mod read;

use std::path::PathBuf;

use briefing::ports::{Parameter, PortError, PortFuture, Query, Records, Rows};

pub use error::{RecordsError, RecordsFault};

/// The most bytes that the cells of one query may have together, as text, each with its column's name: 1 MiB.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The most bytes of one value or one row inside SQLite, read or made on the way: 16 MiB. What is larger ends the query.
pub const MAX_VALUE_BYTES: i32 = 16 * 1024 * 1024;

/// Reads records out of SQLite files.
///
/// A database's path is relative to the root, or absolute as is. It is written by whoever wrote the persona; nothing of a
/// message becomes part of it. Files are not bound to an owner: what a query may see of a file that several owners share is the
/// query's to say (`where owner = :owner`).
#[derive(Debug, Clone)]
pub struct SqliteRecords {
    root: PathBuf,
}

impl SqliteRecords {
    /// Relative paths are looked up below `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// What the query finds. Text that is no UTF-8 has a mark where it is not; a blob reads as `(blob, N bytes)`; a number that
    /// JSON has not is null.
    ///
    /// Blocks until it is done, at most about the query's timeout: the time is looked at between the steps of the query, so
    /// one step over a large value may take longer, and waiting for a lock counts apart.
    ///
    /// # Errors
    /// [`RecordsError`]. Nothing was changed, whatever the query says.
    pub fn read(&self, query: &Query, parameters: &[(String, Parameter)]) -> Result<Rows, RecordsError> {
        let absolute = self.root.join(query.database());
        // SQLite takes "file:…" for a URI and ":memory:" for no file; a path from the root of the file system is neither.
        let absolute = std::path::absolute(&absolute).unwrap_or(absolute);
        let found = open::open(&absolute, query).and_then(|connection| read::read(&connection, query, parameters));
        found.map_err(|fault| RecordsError { database: query.database().to_owned(), absolute, fault })
    }
}

/// Reads when the future is polled, blocking: records are small and local.
impl Records for SqliteRecords {
    fn select<'a>(&'a self, query: &'a Query, parameters: &'a [(String, Parameter)]) -> PortFuture<'a, Rows> {
        let port = |error| PortError { what: "records", source: Box::new(error) };
        Box::pin(async move { self.read(query, parameters).map_err(port) })
    }
}
