//! Runs a query, and turns its rows into JSON.

use briefing::ports::{Parameter, Query, Rows};
use rusqlite::types::{Null, ValueRef};
use rusqlite::{Connection, Statement};
use serde_json::{Map, Number, Value};

use crate::{MAX_BYTES, RecordsFault};

/// What the query finds on that connection.
pub(crate) fn read(connection: &Connection, query: &Query, parameters: &[(String, Parameter)]) -> Result<Rows, RecordsFault> {
    let fault = |error| RecordsFault::of(error, query.timeout());
    let mut statement = connection.prepare(query.sql()).map_err(fault)?;
    let columns = columns(&statement)?;
    if !statement.readonly() || columns.is_empty() {
        return Err(RecordsFault::NotARead);
    }
    for index in 1..=statement.parameter_count() {
        match value(&statement, index, parameters)? {
            Parameter::Text(text) => statement.raw_bind_parameter(index, text),
            Parameter::Integer(number) => statement.raw_bind_parameter(index, number),
            Parameter::Null => statement.raw_bind_parameter(index, Null),
        }
        .map_err(fault)?;
    }
    let most = usize::try_from(query.rows()).unwrap_or(usize::MAX);
    let mut found = Rows::default();
    let mut room = MAX_BYTES;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(fault)? {
        if found.records.len() == most {
            found.more = true;
            break;
        }
        let mut record = Map::with_capacity(columns.len());
        for (index, column) in columns.iter().enumerate() {
            let (value, bytes) = cell(row.get_ref(index).map_err(fault)?);
            room = room.checked_sub(column.len().saturating_add(bytes)).ok_or(RecordsFault::TooLarge)?;
            record.insert(column.clone(), value);
        }
        found.records.push(record);
    }
    Ok(found)
}

/// The names of the columns, each once.
fn columns(statement: &Statement<'_>) -> Result<Vec<String>, RecordsFault> {
    let mut columns: Vec<String> = Vec::new();
    for column in statement.column_names() {
        if columns.iter().any(|known| known == column) {
            return Err(RecordsFault::DuplicateColumn { column: column.to_owned() });
        }
        columns.push(column.to_owned());
    }
    Ok(columns)
}

/// The value for the parameter at that place. None is left out: SQLite would take null for it.
fn value<'p>(
    statement: &Statement<'_>,
    index: usize,
    parameters: &'p [(String, Parameter)],
) -> Result<&'p Parameter, RecordsFault> {
    let name = statement.parameter_name(index).unwrap_or("?");
    let known = parameters.iter().find(|(known, _)| name.strip_prefix(':') == Some(known));
    known.map(|(_, value)| value).ok_or_else(|| RecordsFault::UnknownParameter { name: name.to_owned() })
}

/// The value, and about how many bytes it takes as text.
fn cell(value: ValueRef<'_>) -> (Value, usize) {
    match value {
        ValueRef::Null => (Value::Null, 4),
        ValueRef::Integer(number) => (Value::from(number), 20),
        ValueRef::Real(number) => (Number::from_f64(number).map_or(Value::Null, Value::Number), 24),
        ValueRef::Text(text) => string(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(blob) => string(format!("(blob, {} bytes)", blob.len())),
    }
}

fn string(text: String) -> (Value, usize) {
    let bytes = text.len();
    (Value::String(text), bytes)
}
