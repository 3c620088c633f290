//! What a view or a resolver may read. A store implements these for one owner; the core knows nothing of how.
//!
//! Every port is bound to one owner when it is made, so what another owner keeps cannot be asked for: it is absent.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::log::{AttachmentId, Entry, Kinds, Notice, Place, RecordedRound};
use crate::message::{EntryId, ThreadId};
use crate::resolvers::{ParameterName, known_names, parameters};

/// A boxed future, as ports return them: no runtime is assumed.
pub type PortFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, PortError>> + Send + 'a>>;

/// A port could not read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {what}: {source}")]
pub struct PortError {
    /// What was to be read: `history`, `tool use`, `file`, `records`.
    pub what: &'static str,
    /// Why it failed.
    #[source]
    pub source: Box<dyn Error + Send + Sync>,
}

/// Reads threads, newest first.
///
/// A thread that was forked off another one reads as one: up to where it was forked, what the other one holds, then its own.
pub trait History: Send + Sync {
    /// Entries of a thread, newest first; an unknown thread is empty. Takes time by how many are asked for, not by how many there
    /// are: kinds and agents that are not asked for are not visited.
    fn back<'a>(&'a self, back: Back<'a>) -> PortFuture<'a, Vec<Arc<Entry>>>;

    /// At most `count` cards of the thread that stand before `before` (none: all of it) and are not settled, newest first.
    fn open_cards(&self, thread: ThreadId, before: Option<Place>, count: usize) -> PortFuture<'_, Vec<Arc<Entry>>>;

    /// The notices of those of the cards that are settled, wherever they stand. One bulk read.
    fn notices<'a>(&'a self, cards: &'a [EntryId]) -> PortFuture<'a, Vec<Arc<Notice>>>;

    /// The rounds of that persona's runs that stand beside one of `entries`: runs in the order they began, the rounds of each in
    /// order, whatever the order of `entries`. One bulk read.
    fn rounds<'a>(&'a self, persona: &'a str, entries: &'a [EntryId]) -> PortFuture<'a, Vec<RecordedRound>>;

    /// The entry of that id, of whatever kind.
    fn entry(&self, entry: EntryId) -> PortFuture<'_, Option<Arc<Entry>>>;
}

/// What is read of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Back<'a> {
    /// The thread.
    pub thread: ThreadId,
    /// Only what stands before this place.
    pub before: Option<Place>,
    /// Only what stands behind this place.
    pub after: Option<Place>,
    /// Only these kinds.
    pub kinds: Kinds,
    /// Of [`Kind::ToolUse`](crate::log::Kind::ToolUse) and [`Kind::System`](crate::log::Kind::System), only this agent's and
    /// nobody's.
    pub agent: Option<&'a str>,
    /// At most so many: the newest.
    pub count: usize,
}

/// Reads stored files.
pub trait Files: Send + Sync {
    /// The bytes, or none if they are not (or no longer) there.
    fn file<'a>(&'a self, id: &'a AttachmentId) -> PortFuture<'a, Option<Arc<[u8]>>>;

    /// The texts of those of the files that are ready to be read, in any order. One bulk read. Nothing, unless the port knows of
    /// texts.
    fn texts<'a>(&'a self, ids: &'a [AttachmentId]) -> PortFuture<'a, Vec<(AttachmentId, FileText)>> {
        let _ = ids;
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// What is readable of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileText {
    /// The text; may be empty.
    pub text: Arc<str>,
    /// Whether it holds less than the file.
    pub partial: bool,
}

/// Reads records out of databases that others keep.
pub trait Records: Send + Sync {
    /// What the query finds with these values bound to its parameters, each by its name without the colon. One bulk read: at
    /// most [`Query::rows`] records, within [`Query::timeout`]. Each record has the query's columns in their order.
    ///
    /// It only reads, and a value never becomes part of the query's text.
    fn select<'a>(&'a self, query: &'a Query, parameters: &'a [(String, Parameter)]) -> PortFuture<'a, Rows>;
}

/// A value that is bound to a parameter of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parameter {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// The run has no such value.
    Null,
}

/// What a query found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rows {
    /// The records, in the query's order.
    pub records: Vec<serde_json::Map<String, serde_json::Value>>,
    /// Whether there were more than the query's limit on rows.
    pub more: bool,
}

/// A query over the records of a database. Its parameters were found and known when it was made.
///
/// What a query may name (`:from_address`), each null where the run lacks it:
///
/// | parameter | value |
/// |---|---|
/// | `from_address`, `from_name` | the first author of the message being answered, as it came |
/// | `to_addresses` | its recipients' addresses: a JSON list, as `json_each(:to_addresses)` takes it |
/// | `subject`, `message_id` | its subject; its Message-ID without brackets |
/// | `thread` | the number of its thread |
/// | `persona_name`, `persona_address`, `owner` | the persona and whose it is |
/// | `now` | when the run began: RFC 3339 in UTC, to the second |
/// | `correlation_id` | the id that logs of several systems share |
/// | `responsibility` | the name of the scheduled work |
/// | `config_NAME` | the text or whole number of that name in the application's configuration |
///
/// An empty text of the message reads as null, so that it does not find the records that have none. The case of an address is
/// the sender's: compare it by `collate nocase`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    database: String,
    sql: String,
    names: Vec<ParameterName>,
    rows: u32,
    timeout: Duration,
}

/// Why a query cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// No database is named.
    #[error("the database's path is empty")]
    NoDatabase,
    /// The query says nothing.
    #[error("the query is empty")]
    Empty,
    /// It holds a NUL character, at which databases stop reading.
    #[error("the query holds a NUL character")]
    Nul,
    /// It is written as a template.
    #[error("a query is no template: name a value as :from_address, without {{{{ }}}} and without quotes")]
    Template,
    /// A parameter that nothing is known of.
    #[error("no parameter :{name}; known are {}", known_names())]
    UnknownParameter {
        /// Its name.
        name: String,
    },
    /// A parameter in another notation.
    #[error("{found} in a query: only parameters by name are taken, as :from_address")]
    OtherParameter {
        /// What stands there.
        found: String,
    },
    /// A limit of no rows.
    #[error("rows: at least 1 is wanted")]
    NoRows,
    /// No time to read in.
    #[error("timeout_ms: at least 1 is wanted")]
    NoTime,
}

impl Query {
    /// The most records that are read unless the query says otherwise.
    pub const ROWS: u32 = 100;

    /// How long a query may take unless it says otherwise.
    pub const TIMEOUT: Duration = Duration::from_secs(2);

    /// A query over that database, with the usual limits. What a path is relative to is the port's to say.
    ///
    /// # Errors
    /// [`QueryError`]: nothing is asked, or a parameter is not written as `:name`, or is not in the table above.
    pub fn new(database: impl Into<String>, sql: impl Into<String>) -> Result<Self, QueryError> {
        let (database, sql) = (database.into(), sql.into());
        if database.trim().is_empty() {
            return Err(QueryError::NoDatabase);
        }
        if sql.trim().is_empty() {
            return Err(QueryError::Empty);
        }
        if sql.contains('\0') || database.contains('\0') {
            return Err(QueryError::Nul);
        }
        if sql.contains("{{") {
            return Err(QueryError::Template);
        }
        let names = parameters(&sql)?;
        Ok(Self { database, sql, names, rows: Self::ROWS, timeout: Self::TIMEOUT })
    }

    /// The same with another limit on rows.
    ///
    /// # Errors
    /// [`QueryError::NoRows`] for none.
    pub fn with_rows(self, rows: u32) -> Result<Self, QueryError> {
        if rows == 0 { Err(QueryError::NoRows) } else { Ok(Self { rows, ..self }) }
    }

    /// The same with another limit on time.
    ///
    /// # Errors
    /// [`QueryError::NoTime`] for none.
    pub fn with_timeout(self, timeout: Duration) -> Result<Self, QueryError> {
        if timeout.is_zero() { Err(QueryError::NoTime) } else { Ok(Self { timeout, ..self }) }
    }

    /// The database's path, as written.
    #[must_use]
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The text, as written.
    #[must_use]
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The most records that are read.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// How long it may take.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Whether it names what stands in the message being answered: a stranger's text.
    #[must_use]
    pub fn reads_message(&self) -> bool {
        self.names.iter().any(ParameterName::is_of_message)
    }

    /// Its parameters, each once, in the order in which they first stand.
    pub(crate) fn names(&self) -> &[ParameterName] {
        &self.names
    }
}
