//! What a query finds, and each fault of a database or a query.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use briefing::log::{Address, Arrival, Mail, MemoryLog};
use briefing::message::{ModelMessage, OwnerId};
use briefing::persona::LoadedPersona;
use briefing::ports::{Parameter, Query, Records};
use briefing::{Bounds, Call, Context, Inbound, Subject};
use briefing_records::{RecordsFault, SqliteRecords};
use common::{Shop, query, text, values};
use serde_json::json;

#[test]
fn values_read_as_json_with_the_columns_in_order() {
    let shop = Shop::new();
    assert_eq!(
        shop.found("select tier, name, email from customers order by name"),
        [
            json!({"tier": 1, "name": "Ann", "email": "ann@x.example"}),
            json!({"tier": 2, "name": "Ben", "email": "ben@x.example"}),
            json!({"tier": null, "name": "Cy", "email": ""}),
        ]
    );
    let keys =
        shop.read(&query("select tier, name from customers"), &[]).unwrap().records[0].keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys, ["tier", "name"]);
    assert_eq!(
        shop.found(
            "select 9223372036854775807 as most, 0.5 as half, 9e999 as inf, -9e999 as less, x'00ff' as raw, zeroblob(3000000) \
             as large, cast(x'61ff62' as text) as odd, 'é\u{1f366}' as cone, 'a' || char(0) || 'b' as nul"
        ),
        [json!({
            "most": 9_223_372_036_854_775_807_i64, "half": 0.5, "inf": null, "less": null, "raw": "(blob, 2 bytes)",
            "large": "(blob, 3000000 bytes)", "odd": "a\u{fffd}b", "cone": "é\u{1f366}", "nul": "a\0b",
        })]
    );
    assert_eq!(shop.found("select name from customers where 1 = 0"), [json!(null); 0]);
    assert_eq!(shop.found("select 1 as a; -- and no more\n;"), [json!({"a": 1})]);
    assert_eq!(shop.found("values (1)"), [json!({"column1": 1})]);
    assert_eq!(shop.found("with a as (select 2 as b) select b from a"), [json!({"b": 2})]);
}

#[test]
fn parameters_are_bound_by_name() {
    let shop = Shop::new();
    let sql = "select name, :owner as owner, typeof(:subject) as subject, :thread + 1 as thread from customers \
               where email = :from_address";
    let bound = [
        ("from_address", text("ben@x.example")),
        ("owner", text("o'b")),
        ("subject", Parameter::Null),
        ("thread", Parameter::Integer(6)),
    ];
    assert_eq!(
        values(shop.read(&query(sql), &bound).unwrap()),
        [json!({"name": "Ben", "owner": "o'b", "subject": "null", "thread": 7})]
    );
    let listed = shop.read(
        &query("select name from customers where email in (select value from json_each(:to_addresses))"),
        &[("to_addresses", text(r#"["ann@x.example","ben@x.example"]"#))],
    );
    assert_eq!(values(listed.unwrap()), [json!({"name": "Ann"}), json!({"name": "Ben"})]);
}

#[test]
fn no_more_rows_than_the_limit_are_read_and_a_cut_is_known() {
    let shop = Shop::new();
    let limited = |sql: &str, rows| shop.read(&query(sql).with_rows(rows).unwrap(), &[]).unwrap();
    let begun = Instant::now();
    let cut = limited("select n from million", 2);
    assert_eq!((values(cut.clone()), cut.more), (vec![json!({"n": 1}), json!({"n": 2})], true));
    assert!(begun.elapsed() < Duration::from_secs(5), "it read on");
    let exact = limited("select name from customers", 3);
    assert_eq!((exact.records.len(), exact.more), (3, false));
    // The row behind the limit is not read as text.
    let large = limited("select 'a' as a union all select printf('%.*c', 2000000, 'x')", 1);
    assert_eq!((values(large.clone()), large.more), (vec![json!({"a": "a"})], true));
}

#[test]
fn a_path_is_relative_to_the_root_or_absolute_and_never_a_uri() {
    let shop = Shop::new();
    let at = |root: &std::path::Path, database: &str| {
        let query = Query::new(database, "select 1 as a").unwrap();
        SqliteRecords::new(root).read(&query, &[]).map(values).map_err(|error| error.to_string())
    };
    let absolute = shop.path().display().to_string();
    assert_eq!(at("/no/such/root".as_ref(), &absolute), Ok(vec![json!({"a": 1})]));
    assert_eq!(at(shop.folder(), "./shop.db"), Ok(vec![json!({"a": 1})]));
    let shown = |database: &str| shop.folder().join(database).display().to_string();
    for missing in [":memory:", "file::memory:", "shop.db?mode=rwc", "no.db", "shop.db/x", " shop.db"] {
        let expected = format!("{missing:?} (looked up at {:?}): there is no such database", shown(missing));
        assert_eq!(at(shop.folder(), missing), Err(expected));
    }
    // A name that SQLite would take for something else is a file like any other.
    std::fs::copy(shop.path(), shop.folder().join("file:a?mode=rwc")).unwrap();
    assert_eq!(at(shop.folder(), "file:a?mode=rwc"), Ok(vec![json!({"a": 1})]));
    assert!(!shop.folder().join("no.db").exists());
}

/// The fault's text, with the hint.
fn told(shop: &Shop, database: &str, sql: &str) -> (String, &'static str) {
    let query = Query::new(database, sql).unwrap().with_timeout(Duration::from_millis(50)).unwrap();
    let error = SqliteRecords::new(shop.folder()).read(&query, &[]).unwrap_err();
    let shown = shop.folder().join(database).display().to_string();
    let text = error.to_string();
    let fault = text.strip_prefix(&format!("{database:?} (looked up at {shown:?}): ")).unwrap_or_else(|| panic!("{text}"));
    (fault.to_owned(), error.hint())
}

#[test]
fn each_fault_names_the_database_and_has_a_hint() {
    let shop = Shop::new();
    let folder = shop.folder();
    std::fs::create_dir(folder.join("folder")).unwrap();
    std::fs::write(folder.join("text.db"), "no database, but long enough to be read as one: ".repeat(20)).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    let fault = |database: &str, sql: &str| told(&shop, database, sql).0;
    let own = |sql: &str| fault("shop.db", sql);
    assert_eq!(fault("no.db", "select 1"), "there is no such database");
    assert_eq!(fault("folder", "select 1"), "it is a folder");
    assert_eq!(fault("socket", "select 1"), "it is no regular file");
    drop(socket);
    assert_eq!(fault("text.db", "select * from a"), "it is no SQLite database");
    assert_eq!(own("selec 1"), "the query fails: near \"selec\": syntax error (at byte 0)");
    assert_eq!(own("select nam from customers"), "the query fails: no such column: nam (at byte 7)");
    assert_eq!(own("select 1 from clients"), "the query reads \"clients\", and there is no such table");
    assert_eq!(own("select abs(-9223372036854775807 - 1)"), "the query fails: integer overflow");
    assert_eq!(own("select name, name from customers"), "the query has two columns \"name\"");
    assert_eq!(own("select * from customers a, customers b"), "the query has two columns \"name\"");
    assert_eq!(own("select :owner"), "the query names :owner, for which there is no value");
    assert_eq!(own("select :owner::text"), "the query names :owner::text, for which there is no value");
    assert_eq!(own("-- nothing"), "the query has no statement");
    for (database, sql) in [("no.db", "select 1"), ("shop.db", "selec 1"), ("shop.db", "select 1; select 2")] {
        assert!(!told(&shop, database, sql).1.is_empty());
    }
}

#[test]
fn a_damaged_database_is_said_to_be() {
    let shop = Shop::new();
    let mut bytes = shop.bytes();
    bytes[4096..].fill(0xaa);
    std::fs::write(shop.path(), bytes).unwrap();
    let fault = shop.fault("select * from customers");
    assert!(matches!(&fault, RecordsFault::Corrupt { message } if message.contains("malformed")), "{fault:?}");
    std::fs::write(shop.path(), []).unwrap();
    assert_eq!(shop.fault("select * from customers").to_string(), "the query reads \"customers\", and there is no such table");
}

#[test]
fn a_database_that_is_written_meanwhile_can_be_read() {
    for mode in ["delete", "wal"] {
        let shop = Shop::new();
        let writer = shop.writer();
        writer.query_row(&format!("pragma journal_mode = {mode}"), [], |_| Ok(())).unwrap();
        writer.execute_batch("begin immediate; update customers set tier = 9").unwrap();
        assert_eq!(shop.found("select max(tier) as tier from customers"), [json!({"tier": 2})], "{mode}");
        writer.execute_batch("commit").unwrap();
        assert_eq!(shop.found("select max(tier) as tier from customers"), [json!({"tier": 9})], "{mode}");
    }
}

#[test]
fn a_database_that_stays_locked_is_waited_for_as_long_as_the_query_may_take() {
    let shop = Shop::new();
    let writer = shop.writer();
    writer.execute_batch("begin exclusive").unwrap();
    let begun = Instant::now();
    let (fault, _) = told(&shop, "shop.db", "select * from customers");
    assert_eq!(fault, "it was locked by another program for 50ms");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_wal_database_where_nothing_can_be_written_says_what_it_needs() {
    let shop = Shop::new();
    let writer = shop.writer();
    writer.query_row("pragma journal_mode = wal", [], |_| Ok(())).unwrap();
    writer.execute_batch("update customers set tier = 7").unwrap();
    let copy = tempfile::tempdir().unwrap();
    let copied = |end: &str| {
        std::fs::copy(format!("{}{end}", shop.path().display()), copy.path().join(format!("shop.db{end}"))).unwrap()
    };
    copied("");
    copied("-wal");
    // A link to nowhere stands for a folder without the right to write, which root would have all the same.
    let memory = copy.path().join("shop.db-shm");
    std::os::unix::fs::symlink("/no/such/folder/shm", &memory).unwrap();
    let read = || SqliteRecords::new(copy.path()).read(&query("select max(tier) as tier from customers"), &[]);
    let error = read().unwrap_err();
    assert_eq!(
        error.fault.to_string(),
        "it cannot be read without writing beside it (WAL mode, or a journal left by a crash): unable to open database file"
    );
    assert!(error.hint().starts_with("make its folder writable"));
    std::fs::remove_file(&memory).unwrap();
    copied("-shm");
    assert_eq!(values(read().unwrap()), [json!({"tier": 7})]);
}

#[test]
fn a_database_whose_writer_crashed_is_not_played_back() {
    let shop = Shop::new();
    let writer = shop.writer();
    writer.execute_batch("pragma cache_size = 10; begin; update million set n = -n").unwrap();
    let copy = tempfile::tempdir().unwrap();
    for end in ["", "-journal"] {
        std::fs::copy(format!("{}{end}", shop.path().display()), copy.path().join(format!("shop.db{end}"))).unwrap();
    }
    let before = std::fs::read(copy.path().join("shop.db")).unwrap();
    let error = SqliteRecords::new(copy.path()).read(&query("select max(n) as n from million"), &[]).unwrap_err();
    assert!(matches!(error.fault, RecordsFault::NeedsWriter { .. }), "{error}");
    assert_eq!(std::fs::read(copy.path().join("shop.db")).unwrap(), before);
}

#[test]
fn a_database_in_utf_16_reads_as_one_in_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    let writer = rusqlite::Connection::open(folder.path().join("shop.db")).unwrap();
    writer
        .execute_batch("pragma encoding = 'UTF-16le'; create table a (n); insert into a values ('é\u{1f366}'), ('b')")
        .unwrap();
    let bound = [("subject".to_owned(), text("é\u{1f366}"))];
    let rows = SqliteRecords::new(folder.path()).read(&query("select n from a where n = :subject"), &bound).unwrap();
    assert_eq!(values(rows), [json!({"n": "é\u{1f366}"})]);
}

#[test]
fn full_text_and_other_tables_of_sqlite_itself_can_be_read() {
    let shop = Shop::new();
    shop.writer()
        .execute_batch("create virtual table menu using fts5(name); insert into menu values ('lemon ice'), ('mint')")
        .unwrap();
    assert_eq!(shop.found("select name from menu where menu match 'ice'"), [json!({"name": "lemon ice"})]);
    assert_eq!(shop.found("select count(*) as n from sqlite_schema where name = 'customers'"), [json!({"n": 1})]);
}

#[test]
fn a_persona_reads_its_customer() {
    let shop = Shop::new();
    let file = "name = \"S\"\naddress = \"s@x.example\"\n[[message]]\nrole = \"user\"\n\
                record = { database = \"shop.db\", query = \"select name, tier from customers where email = :from_address\" }";
    let persona = LoadedPersona::from_toml(file).unwrap().persona;
    let chain = persona.message_chain().clone();
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    let mail = Mail { from: vec![Address::new("ann@x.example")], body: Some("hi".into()), ..Mail::default() };
    let entry = log.append_mail(thread, mail, Arrival::Live(jiff::Timestamp::UNIX_EPOCH)).unwrap();
    let subject = Subject::Message(Inbound::new(entry, thread).unwrap());
    let ports = Arc::new(log);
    let cx = Context::new(Arc::new(persona), subject, jiff::Timestamp::UNIX_EPOCH, ports.clone(), ports);
    let assembled = |root: &str| {
        let records: Arc<dyn Records> = Arc::new(SqliteRecords::new(root));
        let cx = cx.clone().with_records(records);
        pollster::block_on(chain.assemble(&cx, &Call::model("gpt-5", None), &Bounds::none()))
    };
    let briefing = assembled(&shop.folder().display().to_string()).unwrap();
    assert_eq!(briefing.messages().next(), Some(ModelMessage::user("{\n  \"name\": \"Ann\",\n  \"tier\": 1\n}")));
    assert_eq!(
        assembled("/no/root").unwrap_err().to_string(),
        "the resolver LoadRecord failed: cannot read records: \"shop.db\" (looked up at \"/no/root/shop.db\"): there is no such \
         database"
    );
}
