//! Records as text.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::fit::{Line, Origin, Rule};
use crate::ports::{Parameter, Query, Rows};
use crate::resolver::{Contribution, ResolveError, Resolver};
use crate::resolvers::TextRole;

type Block = dyn Fn(&Context) -> Result<Vec<Value>, ResolveError> + Send + Sync;
type Write = dyn Fn(&Value) -> Option<String> + Send + Sync;

/// Contributes records: pretty JSON each, or what a closure makes of each, joined by a blank line. None, or all blank,
/// contributes nothing.
///
/// The records are what a block returns, or what a query finds through the context's port. A query that finds more than its
/// limit is told in the receipt by [`Rule::RowLimit`].
///
/// ```
/// use briefing::LoadRecord;
/// use briefing::ports::{Query, QueryError};
///
/// # fn records() -> Result<LoadRecord, QueryError> {
/// let query = Query::new("shop.db", "select name, tier from customers where email = :from_address")?.with_rows(20)?;
/// # Ok(
/// LoadRecord::query(query).fields(["name", "tier"]).user()
/// # )
/// # }
/// # assert!(records().is_ok());
/// ```
#[derive(Clone)]
pub struct LoadRecord {
    role: TextRole,
    source: Source,
    fields: Option<Arc<[String]>>,
    write: Option<Arc<Write>>,
}

#[derive(Clone)]
enum Source {
    Block(Arc<Block>),
    Query(Arc<Query>),
}

/// Why records cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A block's record cannot be written as JSON.
    #[error("record {index} cannot be written as JSON: {source}")]
    NotJson {
        /// Its place among the records, from zero.
        index: usize,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The run was given nothing that reads records; see [`Context::with_records`].
    #[error("nothing reads records here: the query over {database:?} needs a records port in the context")]
    NoPort {
        /// The database's path, as written.
        database: String,
    },
    /// A value of the configuration that cannot be bound.
    #[error("config.{name} is neither a text nor a whole number, so :config_{name} cannot be bound")]
    Config {
        /// Its name in the configuration.
        name: String,
    },
}

impl LoadRecord {
    /// The records that `block` returns: a list, an option, anything that can be walked. As instructions, unless
    /// [`user`](Self::user) says otherwise.
    pub fn new<I>(block: impl Fn(&Context) -> I + Send + Sync + 'static) -> Self
    where
        I: IntoIterator,
        I::Item: Serialize,
    {
        Self::trying(move |cx| Ok(block(cx)))
    }

    /// The same by a block that can fail; its error fails the run.
    pub fn trying<I>(block: impl Fn(&Context) -> Result<I, ResolveError> + Send + Sync + 'static) -> Self
    where
        I: IntoIterator,
        I::Item: Serialize,
    {
        let value =
            |(index, record)| serde_json::to_value(record).map_err(|source| RecordError::NotJson { index, source }.into());
        let block = move |cx: &Context| block(cx)?.into_iter().enumerate().map(value).collect();
        Self::of(Source::Block(Arc::new(block)))
    }

    /// What a query finds. As instructions, unless [`user`](Self::user) says otherwise.
    ///
    /// Where nothing reads records, or reading fails, the run fails.
    #[must_use]
    pub fn query(query: Query) -> Self {
        Self::of(Source::Query(Arc::new(query)))
    }

    fn of(source: Source) -> Self {
        Self { role: TextRole::System, source, fields: None, write: None }
    }

    /// As input.
    #[must_use]
    pub fn user(mut self) -> Self {
        self.role = TextRole::User;
        self
    }

    /// Only these fields of each record, in this order; what a record lacks is left out.
    #[must_use]
    pub fn fields<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// What each record reads as, instead of its JSON; none leaves it out.
    #[must_use]
    pub fn each(mut self, write: impl Fn(&Value) -> Option<String> + Send + Sync + 'static) -> Self {
        self.write = Some(Arc::new(write));
        self
    }

    fn text(&self, record: Value) -> Option<String> {
        let record = match (&self.fields, record) {
            (Some(fields), Value::Object(mut all)) => {
                Value::Object(fields.iter().filter_map(|field| all.remove(field).map(|value| (field.clone(), value))).collect())
            }
            (_, record) => record,
        };
        let text = match (&self.write, record) {
            (Some(write), record) => write(&record),
            (None, Value::Null) => None,
            (None, Value::String(text)) => Some(text),
            (None, record) => serde_json::to_string_pretty(&record).ok(),
        };
        text.filter(|text| !text.trim().is_empty())
    }
}

/// Only the parameters that the query names are bound.
async fn find(query: &Query, cx: &Context) -> Result<Rows, ResolveError> {
    let records = cx.records().ok_or_else(|| RecordError::NoPort { database: query.database().to_owned() })?;
    let bound = query.names().iter().map(|name| Ok((name.to_string(), name.value(cx)?)));
    let bound = bound.collect::<Result<Vec<(String, Parameter)>, RecordError>>()?;
    Ok(records.select(query, &bound).await?)
}

impl Resolver for LoadRecord {
    async fn resolve(&self, cx: &Context) -> Result<Contribution, ResolveError> {
        let (records, most) = match &self.source {
            Source::Block(block) => (block(cx)?, None),
            Source::Query(query) => {
                let Rows { records, more } = find(query, cx).await?;
                (records.into_iter().map(Value::Object).collect(), more.then_some(query.rows()))
            }
        };
        let texts: Vec<String> = records.into_iter().filter_map(|record| self.text(record)).collect();
        let mut found = Contribution::from((!texts.is_empty()).then(|| self.role.message(texts.join("\n\n"))));
        let limit = |most| Line { from: Origin::Resolver(self.name().into()), rule: Rule::RowLimit { most } };
        found.lines.extend(most.map(limit));
        Ok(found)
    }
}
