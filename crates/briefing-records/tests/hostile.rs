//! Queries and values that would do harm.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use std::time::{Duration, Instant};

use briefing_records::{MAX_BYTES, RecordsFault};
use common::{Shop, query, text, values};
use serde_json::json;

#[test]
fn nothing_but_one_select_is_run_and_the_file_stays_as_it_is() {
    for mode in ["delete", "wal"] {
        let shop = Shop::new();
        shop.writer().query_row(&format!("pragma journal_mode = {mode}"), [], |_| Ok(())).unwrap();
        let before = shop.bytes();
        for sql in [
            "insert into customers values ('D', 'd', 1)",
            "insert into customers values ('D', 'd', 1) returning name",
            "update customers set tier = 1 returning tier",
            "delete from customers",
            "drop table customers",
            "create table a (b)",
            "create temp table a (b)",
            "create temp view a as select 1",
            "alter table customers rename to a",
            "pragma writable_schema = on",
            "pragma query_only = off",
            "pragma journal_mode = off",
            "pragma user_version = 7",
            "pragma user_version",
            "pragma table_info(customers)",
            "pragma data_version = 1",
            "select * from pragma_table_info('customers')",
            "attach 'other.db' as other",
            "attach ':memory:' as other",
            "detach main",
            "vacuum",
            "vacuum into 'copy.db'",
            "reindex",
            "analyze",
            "begin",
            "commit",
            "savepoint a",
            "select load_extension('evil')",
            "select LOAD_EXTENSION('evil', 'f') from customers",
            "select 1; drop table customers",
            "select 1; begin",
        ] {
            let fault = shop.fault(sql);
            assert!(matches!(fault, RecordsFault::NotARead), "{sql}: {fault:?}");
        }
        let two = shop.fault("select 1; select 2");
        assert!(matches!(two, RecordsFault::SeveralStatements), "{two:?}");
        assert!(matches!(shop.fault("select 1; selec 2"), RecordsFault::Query { .. }));
        // Functions that write are not there.
        for sql in ["select writefile('a', 'b')", "select readfile('/etc/passwd')", "select edit('a')"] {
            assert!(matches!(shop.fault(sql), RecordsFault::Query { .. }), "{sql}");
        }
        assert_eq!(shop.bytes(), before, "{mode}");
        let mut files: Vec<_> = std::fs::read_dir(shop.folder()).unwrap().map(|file| file.unwrap().file_name()).collect();
        files.retain(|file| !["shop.db-wal", "shop.db-shm"].iter().any(|own| file == own));
        assert_eq!(files, ["shop.db"]);
    }
}

#[test]
fn a_value_is_never_read_as_sql() {
    let shop = Shop::new();
    let asked = query("select name from customers where email = :from_address");
    let found = |address: &str| values(shop.read(&asked, &[("from_address", text(address))]).unwrap());
    for address in ["' or 1=1 --", "'; drop table customers; --", "\" or \"\" = \"", ":owner", "?1", "ann@x.example\0", "%", ""]
    {
        let expected = if address.is_empty() { vec![json!({"name": "Cy"})] } else { Vec::new() };
        assert_eq!(found(address), expected, "{address}");
    }
    assert_eq!(found("ann@x.example"), [json!({"name": "Ann"})]);
}

#[test]
fn a_query_that_never_ends_is_stopped() {
    let shop = Shop::new();
    let soon = Duration::from_millis(100);
    for sql in [
        "with recursive c (n) as (select 1 union all select n + 1 from c) select count(*) as n from c",
        "with recursive c (n) as (select 1 union all select n + 1 from c) select n from c where n < 0",
        "select count(*) as n from million a, million b, million c where a.n + b.n > c.n",
        "select a.n from million a, million b order by a.n * b.n",
    ] {
        let begun = Instant::now();
        let fault = shop.read(&query(sql).with_timeout(soon).unwrap(), &[]).unwrap_err().fault;
        assert!(matches!(fault, RecordsFault::Timeout { after } if after == soon), "{sql}: {fault:?}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{sql}");
    }
}

#[test]
fn too_many_bytes_end_the_query() {
    let shop = Shop::new();
    let fault = |sql: &str| shop.read(&query(sql).with_rows(u32::MAX).unwrap(), &[]).unwrap_err().fault;
    for sql in [
        "select n from million",
        "select null as a_column_whose_name_counts from million",
        "select printf('%.*c', 10000, 'x') as a from million",
        "select printf('%.*c', 2000000, 'x') as a",
    ] {
        assert!(matches!(fault(sql), RecordsFault::TooLarge), "{sql}: {:?}", fault(sql));
    }
    for sql in [
        "select zeroblob(100000000) as a",
        "select length(zeroblob(100000000)) as a",
        "select printf('%.*c', 100000000, 'x') as a",
        "select replace(printf('%.*c', 100000, 'x'), 'x', printf('%.*c', 100000, 'y')) as a",
        "select group_concat(printf('%.*c', 1000, 'x')) as a from million",
    ] {
        assert!(matches!(fault(sql), RecordsFault::ValueTooLarge), "{sql}: {:?}", fault(sql));
    }
    let most = shop.found(&format!("select printf('%.*c', {}, 'x') as a", MAX_BYTES - 1));
    assert_eq!(most[0]["a"].as_str().unwrap().len(), MAX_BYTES - 1);
    assert!(matches!(fault(&format!("select printf('%.*c', {MAX_BYTES}, 'x') as a")), RecordsFault::TooLarge));
}

#[test]
fn a_large_picture_beside_a_name_does_not_hide_it() {
    let shop = Shop::new();
    shop.writer()
        .execute_batch("create table staff (name text, picture blob); insert into staff values ('Mara', zeroblob(9000000))")
        .unwrap();
    assert_eq!(shop.found("select name from staff"), [json!({"name": "Mara"})]);
    assert_eq!(shop.found("select * from staff"), [json!({"name": "Mara", "picture": "(blob, 9000000 bytes)"})]);
}

#[test]
fn a_schema_that_was_tampered_with_is_an_error() {
    let shop = Shop::new();
    let writer = shop.writer();
    writer.execute_batch("create view v as select load_extension('evil') as a; create table odd (column_name int)").unwrap();
    writer
        .execute_batch(
            "pragma writable_schema = on; insert into odd values (1);
             update sqlite_schema set sql = cast(x'637265617465207461626c65206f64642028ff20696e7429' as text) where name = 'odd'",
        )
        .unwrap();
    drop(writer);
    let fault = shop.fault("select a from v");
    assert_eq!(fault.to_string(), "the query fails: unsafe use of load_extension()");
    // A column's name that is no text.
    let fault = shop.fault("select * from odd");
    assert!(matches!(fault, RecordsFault::NotARead), "{fault:?}");
    assert_eq!(shop.found("select name from customers where tier = 1"), [json!({"name": "Ann"})]);
}
