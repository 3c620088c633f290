//! Records as text.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::resolver::{Contribution, ResolveError, Resolver};
use crate::resolvers::TextRole;

type Block = dyn Fn(&Context) -> Result<Vec<Value>, ResolveError> + Send + Sync;
type Write = dyn Fn(&Value) -> Option<String> + Send + Sync;

/// Contributes records: pretty JSON each, or what a closure makes of each, joined by a blank line. None, or all blank,
/// contributes nothing.
#[derive(Clone)]
pub struct LoadRecord {
    role: TextRole,
    block: Arc<Block>,
    fields: Option<Arc<[String]>>,
    write: Option<Arc<Write>>,
}

/// A record that cannot be read as JSON.
#[derive(Debug, thiserror::Error)]
#[error("record {index} cannot be written as JSON: {source}")]
pub struct RecordError {
    /// Its place among the records, from zero.
    pub index: usize,
    /// Why.
    #[source]
    pub source: serde_json::Error,
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
        let value = |(index, record)| serde_json::to_value(record).map_err(|source| RecordError { index, source }.into());
        let block = move |cx: &Context| block(cx)?.into_iter().enumerate().map(value).collect();
        Self { role: TextRole::System, block: Arc::new(block), fields: None, write: None }
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

impl Resolver for LoadRecord {
    async fn resolve(&self, cx: &Context) -> Result<Contribution, ResolveError> {
        let texts: Vec<String> = (self.block)(cx)?.into_iter().filter_map(|record| self.text(record)).collect();
        Ok((!texts.is_empty()).then(|| self.role.message(texts.join("\n\n"))).into())
    }
}
