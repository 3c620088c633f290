//! The mail view out of SQLite, beside the same queries run bare; appending, beside a bare insert.
//!
//! The databases are made once and kept in `target/bench-store`; with `--test` only small ones are.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::log::{
    Address, Arrival, Attachment, AttachmentId, Cause, Delivery, Direction, Entry, Mail, MessageId, Place, Run,
};
use briefing::message::{Assistant, Item, Outcome, OwnerId, RunId, ThreadId, ToolCall};
use briefing::persona::Role;
use briefing::view::HistoryView;
use briefing::{Bounds, Call, Chain, Context, Inbound, Persona, Subject, ThreadHistory};
use briefing_store::{Append, Content, Durability, ImportedRound, NewMail, OwnerStore, Settings, SqliteStore, Store, Target};
use briefing_wire::Render;
use criterion::{Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use rusqlite::Connection;

const PERSONA: &str = "sundae@scoop.example";

/// What a thread is made of.
#[derive(Clone, Copy)]
enum Shape {
    /// Mails, half of them with a round of tool use, a tenth with an attachment.
    Dense,
    /// The same, and nine hundred and ninety-five of a thousand entries are tool use of another persona.
    Sparse,
}

fn at(number: u64) -> Timestamp {
    Timestamp::from_second(1_600_000_000 + i64::try_from(number).unwrap()).unwrap()
}

fn mail(number: u64) -> NewMail {
    let inbound = number.is_multiple_of(2);
    let file = AttachmentId::new("att_1");
    let attachment = Attachment {
        id: file.clone(),
        filename: Some("invoice.pdf".to_owned()),
        media_type: "application/pdf".to_owned(),
        size: Some(13),
        inline: false,
    };
    let with_file = number.is_multiple_of(10);
    let id = |number: u64| MessageId::new(&format!("m{number}@mail.example"));
    let mail = Mail {
        direction: if inbound { Direction::Inbound } else { Direction::Outbound(Delivery::Sent) },
        message_id: id(number),
        in_reply_to: number.checked_sub(1).and_then(id).into_iter().collect(),
        references: (number.saturating_sub(5)..number).filter_map(id).collect(),
        date: Some(at(number)),
        from: vec![Address::new(if inbound { "Ann Lee <ann@customer.example>" } else { PERSONA })],
        to: vec![Address::new(if inbound { PERSONA } else { "Ann Lee <ann@customer.example>" })],
        subject: Some("Re: Order 7".to_owned()),
        body: Some("A line of a mail that is answered.\n".repeat(12).into()),
        attachments: if with_file { vec![attachment] } else { Vec::new() },
        ..Mail::default()
    };
    NewMail { mail, raw: None, files: if with_file { vec![(file, b"%PDF-1.7 file".to_vec())] } else { Vec::new() } }
}

fn rounds(number: u64) -> Vec<ImportedRound> {
    let call = ToolCall::new(format!("call_{number}"), "find_order", r#"{"number":7}"#);
    let outcome = Outcome::text(call.id.clone(), "An outcome of a tool, in a few words. ".repeat(8));
    let said = Assistant { items: vec![Item::Call(call)], ..Assistant::default() };
    vec![ImportedRound { index: 0, said, outcomes: vec![Some(outcome)] }]
}

/// A database with one thread of that many entries, and what is answered in it.
fn database(shape: Shape, entries: u64) -> (PathBuf, Arc<Entry>, ThreadId) {
    let name = match shape {
        Shape::Dense => "dense",
        Shape::Sparse => "sparse",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-store");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}-{entries}.db"));
    if !path.exists() {
        let half = path.with_extension("half");
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(half.with_extension(format!("half{suffix}")));
        }
        fill(&half, shape, entries);
        std::fs::rename(&half, &path).unwrap();
    }
    let store = SqliteStore::open(&path, settings()).unwrap();
    let (entry, thread) = pollster::block_on(store.newest_inbound(&OwnerId::default(), None)).unwrap().unwrap();
    (path, entry, thread)
}

fn settings() -> Settings {
    Settings { durability: Durability::Process, ..Settings::default() }
}

fn fill(path: &Path, shape: Shape, entries: u64) {
    eprintln!("making {}", path.display());
    let owner = OwnerId::default();
    let store = SqliteStore::create(path, settings()).unwrap();
    pollster::block_on(async {
        let thread = store.open_thread(&owner).await.unwrap();
        let mut written = 0;
        let mut number = 0_u64;
        while written < entries {
            let append = Append::new(Content::Mail(Box::new(mail(number))), Target::Thread(thread), Arrival::Live(at(number)));
            let appended = store.append(&owner, vec![append]).await.unwrap().pop().unwrap();
            written += 1;
            if number.is_multiple_of(2) {
                let run = Run {
                    id: RunId::new(format!("run {number}")),
                    thread,
                    cause: Cause::Message(appended.place.entry),
                    persona: PERSONA.into(),
                };
                store.import_run(&owner, run, rounds(number), at(number)).await.unwrap();
                written += 2;
            }
            if let Shape::Sparse = shape {
                let run = Run {
                    id: RunId::new(format!("other {number}")),
                    thread,
                    cause: Cause::Message(appended.place.entry),
                    persona: "other@scoop.example".into(),
                };
                let many = (0..498).flat_map(|_| rounds(number)).collect();
                store.import_run(&owner, run, many, at(number)).await.unwrap();
                written += 996;
            }
            number += 1;
        }
        let last = Append::new(Content::Mail(Box::new(mail(number * 2))), Target::Thread(thread), Arrival::Live(at(number)));
        store.append(&owner, vec![last]).await.unwrap();
    });
}

/// The same queries as the view's, with every column taken out, and nothing made of them.
fn bare(connection: &Connection, thread: i64, before: (i64, i64)) -> usize {
    let mut seen = 0;
    let mut keys = Vec::new();
    let mut statement = connection
        .prepare_cached(
            "SELECT mails.entry, mails.direction, mails.message_id, mails.in_reply_to, mails.refs, mails.date, mails.sender,
             mails.recipients, mails.copies, mails.subject, mails.body, mails.attachments, members.at
             FROM members CROSS JOIN mails USING (entry)
             WHERE members.thread = ?1 AND members.kind = 1 AND (members.at, members.entry) < (?2, ?3)
             ORDER BY members.at DESC, members.entry DESC LIMIT 51",
        )
        .unwrap();
    let mut rows = statement.query((thread, before.0, before.1)).unwrap();
    while let Some(row) = rows.next().unwrap() {
        keys.push(row.get::<_, i64>(0).unwrap().to_string());
        for column in [2, 3, 4, 6, 7, 8, 9, 10] {
            seen += row.get::<_, Option<String>>(column).unwrap().map_or(0, |text| text.len());
        }
        for column in [1, 5, 11, 12] {
            seen += usize::from(row.get::<_, Option<i64>>(column).unwrap().is_some());
        }
    }
    let list = format!("[{}]", keys.join(","));
    for sql in [
        "SELECT entry, id, filename, media_type, size, inline FROM attachments
         WHERE entry IN (SELECT value FROM json_each(?1)) AND ?2 IS NOT NULL ORDER BY entry, position",
        "SELECT outcomes.round, outcomes.entry, outcomes.body FROM outcomes WHERE outcomes.run IN
             (SELECT run FROM places WHERE entry IN (SELECT value FROM json_each(?1)) AND persona = ?2)
         ORDER BY outcomes.run, outcomes.entry",
        "SELECT places.entry, rounds.entry, rounds.said FROM places JOIN rounds USING (run)
         WHERE places.entry IN (SELECT value FROM json_each(?1)) AND places.persona = ?2
         ORDER BY places.run, places.entry, rounds.turn, rounds.entry",
    ] {
        let mut statement = connection.prepare_cached(sql).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query((&list, PERSONA)).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                seen += match row.get_ref(column).unwrap() {
                    rusqlite::types::ValueRef::Text(text) => text.to_vec().len(),
                    _ => 1,
                };
            }
        }
    }
    seen
}

fn view(c: &mut Criterion) {
    let testing = std::env::args().any(|arg| arg == "--test");
    // Sparse is one own message in a thousand: a window of 50 takes 50,000 entries.
    let threads: &[(&str, Shape, u64)] = if testing {
        &[("dense", Shape::Dense, 1_000), ("sparse", Shape::Sparse, 10_000)]
    } else {
        &[
            ("dense", Shape::Dense, 1_000),
            ("dense", Shape::Dense, 1_000_000),
            ("sparse", Shape::Sparse, 60_000),
            ("sparse", Shape::Sparse, 1_000_000),
        ]
    };
    let mut group = c.benchmark_group("mail view of 50 out of SQLite");
    for &(name, shape, entries) in threads {
        // A database is made only if it is asked for.
        if std::env::var("BRIEFING_BENCH_MOST").is_ok_and(|most| most.parse().is_ok_and(|most: u64| entries > most)) {
            continue;
        }
        let (path, entry, thread) = database(shape, entries);
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path, settings()).unwrap());
        let reader = Arc::new(OwnerStore::new(store, OwnerId::default()));
        let chain = Chain::new().with(ThreadHistory::default);
        let persona = Persona::new(&Role::new().message(chain.clone()), "Sundae", PERSONA).unwrap();
        let subject = Subject::Message(Inbound::new(Arc::clone(&entry), thread).unwrap());
        let cx = Context::new(Arc::new(persona), subject, Timestamp::UNIX_EPOCH, Arc::clone(&reader) as _, reader);
        let view = HistoryView::mail();
        group.bench_function(format!("{name}, {entries} entries"), |b| {
            b.iter(|| pollster::block_on(view.read(black_box(&cx))).unwrap());
        });
        let call = Call::model("gpt-5", None);
        group.bench_function(format!("{name}, {entries} entries: view, fit, seal and render"), |b| {
            b.iter(|| pollster::block_on(chain.assemble(&cx, &call, &Bounds::none())).unwrap().render().unwrap());
        });
        let connection = Connection::open(&path).unwrap();
        let Place { at, entry } = entry.place();
        let key = |number: u64| (1_i64 << 40) | i64::try_from(number).unwrap();
        let before = (at.as_microsecond(), key(entry.get()));
        group.bench_function(format!("{name}, {entries} entries: the same queries, bare"), |b| {
            b.iter(|| bare(&connection, key(thread.get()), black_box(before)));
        });
    }
    group.finish();
}

/// A store's own tables, as another program would write to them.
fn same_rows(path: &Path, synchronous: &str) -> Connection {
    drop(SqliteStore::create(path, settings()).unwrap());
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(&format!(
            "PRAGMA synchronous = {synchronous}; PRAGMA secure_delete = ON;
             INSERT INTO owners (owner, name) VALUES (1, 'default');
             INSERT INTO threads (thread, owner) VALUES (1 << 40, 1);"
        ))
        .unwrap();
    connection
}

/// What appending a mail writes, and nothing else.
fn insert_same_rows(connection: &Connection, number: u64) {
    let mail = mail(number).mail;
    let (thread, at) = (1_i64 << 40, number.cast_signed());
    let entry = thread | at;
    let hash = [0_u8; 32];
    let refs: Vec<&str> = mail.references.iter().map(MessageId::as_str).collect();
    let insert = |sql: &str, params: &[&dyn rusqlite::ToSql]| connection.prepare_cached(sql).unwrap().execute(params).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    insert("INSERT INTO entries (entry, at, kind, hash) VALUES (?1, ?2, 1, ?3)", &[&entry, &at, &hash]);
    insert("INSERT INTO members (thread, at, entry, kind) VALUES (?1, ?2, ?3, 1)", &[&thread, &at, &entry]);
    insert("UPDATE threads SET entries = entries + 1, head = ?2, newest = ?3 WHERE thread = ?1", &[&thread, &entry, &at]);
    insert(
        "INSERT INTO mails (entry, owner, direction, message_id, refs, date, sender, recipients, subject, body, attachments)
         VALUES (?1, 1, 0, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)",
        &[
            &entry,
            &mail.message_id.as_ref().map(MessageId::as_str),
            &refs.join(" "),
            &at,
            &mail.from[0].email,
            &mail.to[0].email,
            &mail.subject,
            &mail.body,
        ],
    );
    insert("UPDATE owners SET entries = ?1, last_at = ?2 WHERE owner = 1", &[&at, &at]);
    connection.execute_batch("COMMIT").unwrap();
}

fn append(c: &mut Criterion) {
    let folder = tempfile::tempdir_in(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")).unwrap();
    let mut group = c.benchmark_group("append one mail with its commit");
    for (name, durability, synchronous) in
        [("survives a loss of power", Durability::Power, "FULL"), ("survives the process", Durability::Process, "NORMAL")]
    {
        let store = SqliteStore::create(
            &folder.path().join(format!("{synchronous}.db")),
            Settings { durability, ..Settings::default() },
        );
        let store = store.unwrap();
        let owner = OwnerId::default();
        let thread = pollster::block_on(store.open_thread(&owner)).unwrap();
        let mut number = 0_u64;
        group.bench_function(name, |b| {
            b.iter(|| {
                number += 1;
                let append =
                    Append::new(Content::Mail(Box::new(mail(number))), Target::Thread(thread), Arrival::Live(at(number)));
                pollster::block_on(store.append(&owner, vec![append])).unwrap()
            });
        });
        let rows = same_rows(&folder.path().join(format!("rows-{synchronous}.db")), synchronous);
        let mut number = 0_u64;
        group.bench_function(format!("{name}: the same rows, bare"), |b| {
            b.iter(|| {
                number += 1;
                insert_same_rows(&rows, number);
            });
        });
        let bare = Connection::open(folder.path().join(format!("bare-{synchronous}.db"))).unwrap();
        bare.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = {synchronous};
             CREATE TABLE mails (entry INTEGER PRIMARY KEY, thread INTEGER, at INTEGER, message_id TEXT, refs TEXT, sender TEXT,
                 recipients TEXT, subject TEXT, body TEXT);
             CREATE INDEX by_thread ON mails (thread, at);
             CREATE UNIQUE INDEX by_message_id ON mails (message_id);"
        ))
        .unwrap();
        let mut number = 0_u64;
        group.bench_function(format!("{name}: one row of the same text, bare"), |b| {
            b.iter(|| {
                number += 1;
                let mail = mail(number).mail;
                let mut statement =
                    bare.prepare_cached("INSERT INTO mails VALUES (NULL, 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7)").unwrap();
                let refs: Vec<&str> = mail.references.iter().map(MessageId::as_str).collect();
                statement
                    .execute((
                        number.cast_signed(),
                        mail.message_id.as_ref().map(MessageId::as_str),
                        refs.join(" "),
                        &mail.from[0].email,
                        &mail.to[0].email,
                        &mail.subject,
                        &mail.body,
                    ))
                    .unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, view, append);
criterion_main!(benches);
