//! Opens a database so that nothing but reading is possible.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use briefing::ports::Query;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use crate::{MAX_VALUE_BYTES, RecordsFault};

/// Steps of SQLite's machine between two looks at the time.
const STEPS: i32 = 1000;

/// Opens it for that query; its time begins now.
pub(crate) fn open(path: &Path, query: &Query) -> Result<Connection, RecordsFault> {
    let deadline = Instant::now().checked_add(query.timeout());
    look(path)?;
    // Without SQLITE_OPEN_URI, and behind an absolute path: see `SqliteRecords::read`.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection =
        Connection::open_with_flags(path, flags).map_err(|error| RecordsFault::CannotOpen { message: error.to_string() })?;
    guard(&mut connection, query.timeout(), deadline).map_err(|error| RecordsFault::of(error, query.timeout()))?;
    Ok(connection)
}

/// Only a look: to open and close the file by hand would drop the locks that SQLite holds on it elsewhere in this process.
fn look(path: &Path) -> Result<(), RecordsFault> {
    let meta = std::fs::metadata(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => RecordsFault::Missing,
        _ => RecordsFault::Unreadable { source },
    })?;
    if meta.is_dir() {
        Err(RecordsFault::Folder)
    } else if meta.is_file() {
        Ok(())
    } else {
        Err(RecordsFault::NotAFile)
    }
}

fn guard(connection: &mut Connection, timeout: Duration, deadline: Option<Instant>) -> rusqlite::Result<()> {
    connection.busy_timeout(timeout.min(Duration::from_secs(24 * 3600)))?;
    connection.progress_handler(STEPS, deadline.map(|deadline| move || Instant::now() >= deadline))?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A schema is a stranger's too: its views and columns get no functions with effects.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.authorizer(Some(authorize))
}

/// Reading is allowed, and nothing else, however it is written.
fn authorize(asked: AuthContext<'_>) -> Authorization {
    match asked.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => Authorization::Allow,
        // Full-text tables ask this of themselves while they are read; it sets nothing.
        AuthAction::Pragma { pragma_name: "data_version", pragma_value: None } => Authorization::Allow,
        _ => Authorization::Deny,
    }
}
