//! A shop's database in a folder of its own, and what a query finds in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use briefing::ports::{Parameter, Query, Rows};
use briefing_records::{RecordsError, RecordsFault, SqliteRecords};
use rusqlite::Connection;
use serde_json::Value;

pub(crate) struct Shop {
    folder: tempfile::TempDir,
}

const TABLES: &str = "
    create table customers (name text, email text, tier integer);
    insert into customers values ('Ann', 'ann@x.example', 1), ('Ben', 'ben@x.example', 2), ('Cy', '', null);
    create table million (n integer);
    with recursive c (n) as (select 1 union all select n + 1 from c where n < 1000000) insert into million select n from c;
";

impl Shop {
    pub(crate) fn new() -> Self {
        let shop = Self { folder: tempfile::tempdir().unwrap() };
        shop.writer().execute_batch(TABLES).unwrap();
        shop
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("shop.db")
    }

    /// Another program.
    pub(crate) fn writer(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap()
    }

    pub(crate) fn read(&self, query: &Query, bound: &[(&str, Parameter)]) -> Result<Rows, RecordsError> {
        let bound: Vec<_> = bound.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        SqliteRecords::new(self.folder()).read(query, &bound)
    }

    pub(crate) fn found(&self, sql: &str) -> Vec<Value> {
        values(self.read(&query(sql), &[]).unwrap())
    }

    pub(crate) fn fault(&self, sql: &str) -> RecordsFault {
        self.read(&query(sql), &[]).unwrap_err().fault
    }
}

pub(crate) fn query(sql: &str) -> Query {
    Query::new("shop.db", sql).unwrap().with_timeout(Duration::from_secs(20)).unwrap()
}

pub(crate) fn values(rows: Rows) -> Vec<Value> {
    rows.records.into_iter().map(Value::Object).collect()
}

pub(crate) fn text(text: &str) -> Parameter {
    Parameter::Text(text.to_owned())
}
