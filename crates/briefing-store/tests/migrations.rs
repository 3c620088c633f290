//! Databases of every schema that there ever was, opened by this program.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod chat;
#[path = "support/child.rs"]
mod child;
#[path = "support/sample.rs"]
mod sample;

use std::path::Path;

use briefing::log::{Arrival, Kind, Kinds};
use briefing::message::ModelMessage;
use briefing::ports::Back;
use briefing_store::{Append, Durability, Forget, SqliteStore, Store, StoreError, Target};
use pollster::block_on;

use child::say;
use sample::{assert_sound, at, at_schema, copy, database, entries, everything, letter, owner, script, settings, store};

const MAILS: u64 = 10;

/// The work of a child. In the parent, nothing.
#[test]
fn child() {
    let Some((role, folder)) = child::role() else { return };
    say("ready");
    child::wait();
    match role.as_str() {
        "open" => drop(open(&folder).unwrap()),
        "create" => {
            let store = store(&folder, Durability::Power);
            let letter = letter(u64::from(std::process::id()));
            block_on(store.append(&owner(), vec![letter.append()])).unwrap();
        }
        other => panic!("{other}"),
    }
}

fn open(folder: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(&database(folder), settings(Durability::Power))
}

/// A database of the newest schema, with a bit of everything.
fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    script(MAILS).iter().for_each(|step| assert!(!step.perform(&store)));
    for message in chat::of_every_shape() {
        chat::append(&store, shaped(message));
    }
    // What is erased has no kind but that.
    let gone = chat::append(&store, shaped(ModelMessage::system("gone"))).1;
    block_on(store.forget(&owner(), &Forget::Thread(gone), at(99))).unwrap();
    block_on(store.index()).unwrap();
    folder
}

/// A message in a thread of its own, which comes behind the mails.
fn shaped(message: ModelMessage) -> Append {
    Append::message(message, Target::Referred, Arrival::Live(at(50)))
}

/// How many entries those messages are.
const SHAPES: u64 = 8;

/// The schema of a database in which no other is open: its number, and all statements that make it.
fn schema(folder: &Path) -> (u32, Vec<(String, Option<String>)>) {
    let connection = rusqlite::Connection::open(database(folder)).unwrap();
    let number = connection.query_one("SELECT max(number) FROM migrations", [], |row| row.get(0)).unwrap();
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").unwrap();
    let statements = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    (number, statements)
}

fn assert_holds_everything(store: &SqliteStore) {
    let script = script(MAILS);
    assert_eq!(everything(store).len() as u64, entries(&script) + SHAPES);
    assert!(script.iter().all(|step| step.whole(store)));
    for number in 0..MAILS {
        let letter = letter(number);
        let word = letter.body.split(' ').next().unwrap();
        let hits = block_on(store.search(&owner(), word, 10)).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.entry).collect::<Vec<_>>(), [letter.whole(store).unwrap().id]);
    }
    assert_sound(store);
}

#[test]
fn every_schema_is_brought_to_the_newest() {
    let filled = filled();
    let newest = schema(filled.path());
    let log = everything(&open(filled.path()).unwrap());
    assert!(newest.0 >= 4);
    for number in 1..=newest.0 {
        let folder = tempfile::tempdir().unwrap();
        at_schema(folder.path(), number, filled.path());
        assert_eq!(schema(folder.path()).0, number);
        let store = open(folder.path()).unwrap();
        assert_eq!(everything(&store), log);
        assert_holds_everything(&store);
        // It goes on where it stopped.
        let more = letter(MAILS);
        block_on(store.append(&owner(), vec![more.append()])).unwrap();
        assert!(more.whole(&store).is_some());
        assert_sound(&store);
        drop(store);
        assert_eq!(schema(folder.path()), newest);
    }
}

#[test]
fn two_processes_migrate_at_once() {
    let filled = filled();
    let newest = schema(filled.path());
    let template = tempfile::tempdir().unwrap();
    at_schema(template.path(), 1, filled.path());
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        copy(template.path(), folder.path());
        let children = [(); 2].map(|()| child::start(&[], "open", folder.path()));
        std::thread::scope(|scope| children.into_iter().for_each(|child| drop(scope.spawn(move || child.finish()))));
        assert_holds_everything(&open(folder.path()).unwrap());
        assert_eq!(schema(folder.path()), newest);
    }
}

#[test]
fn threads_migrate_at_once() {
    let filled = filled();
    let template = tempfile::tempdir().unwrap();
    at_schema(template.path(), 1, filled.path());
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        copy(template.path(), folder.path());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_holds_everything(&open(folder.path()).unwrap()));
            }
        });
    }
}

#[test]
fn two_processes_create_at_once() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let children = [(); 2].map(|()| child::start(&[], "create", folder.path()));
        std::thread::scope(|scope| children.into_iter().for_each(|child| drop(scope.spawn(move || child.finish()))));
        let store = open(folder.path()).unwrap();
        assert_eq!(everything(&store).len(), 2);
        assert_sound(&store);
    }
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let filled = filled();
    let folder = tempfile::tempdir().unwrap();
    at_schema(folder.path(), 1, filled.path());
    let altered = |sql: &str| rusqlite::Connection::open(database(folder.path())).unwrap().execute_batch(sql).unwrap();
    altered("CREATE TABLE indexed (something TEXT)");
    let before = schema(folder.path());
    let error = open(folder.path()).err().unwrap();
    assert_eq!(format!("{error:?}"), "Corrupt { detail: \"table indexed already exists\" }");
    assert_eq!(schema(folder.path()), before);
    altered("DROP TABLE indexed");
    assert_holds_everything(&open(folder.path()).unwrap());
}

#[test]
fn a_newer_schema_is_not_touched() {
    let folder = filled();
    let later = "INSERT INTO migrations SELECT max(number) + 1, 'later', x'00' FROM migrations; CREATE TABLE later (x TEXT)";
    rusqlite::Connection::open(database(folder.path())).unwrap().execute_batch(later).unwrap();
    let (found, _) = schema(folder.path());
    let before = std::fs::read(database(folder.path())).unwrap();
    let error = open(folder.path()).err().unwrap();
    assert_eq!(format!("{error:?}"), format!("NewerSchema {{ found: {found}, known: {} }}", found - 1));
    assert_eq!(std::fs::read(database(folder.path())).unwrap(), before);
}

#[test]
fn opening_again_appends_nothing() {
    let folder = filled();
    let store = open(folder.path()).unwrap();
    let again: Vec<Append> = (0..MAILS).map(|number| letter(number).append()).collect();
    block_on(store.append(&owner(), again)).unwrap();
    assert_holds_everything(&store);
}

/// What was kept as a message is instructions, tool use or a message, by what it holds: in a row of the index for each.
#[test]
fn messages_are_told_apart() {
    let filled = filled();
    let folder = tempfile::tempdir().unwrap();
    at_schema(folder.path(), 2, filled.path());
    // One that cannot be read stays where it is, and stops nothing.
    let shapes = entries(&script(MAILS));
    let damage = format!("UPDATE messages SET body = '{{\"role\": \"sys' WHERE entry = (1 << 40) + {}", shapes + 2);
    rusqlite::Connection::open(database(folder.path())).unwrap().execute_batch(&damage).unwrap();
    let store = open(folder.path()).unwrap();
    let kinds: Vec<Kind> = everything(&store)
        .iter()
        .skip(usize::try_from(shapes).unwrap())
        .map(|logged| {
            let back = |kinds: Kinds, agent| {
                let back = Back { thread: logged.thread, before: None, after: None, kinds, agent, count: 9 };
                block_on(store.read_back(&owner(), back)).unwrap()
            };
            let all = back(Kinds::ALL, None);
            assert_eq!(all, std::slice::from_ref(&logged.entry));
            let kind = Kind::of(&all[0].body);
            if kind != Kind::Unreadable {
                assert_eq!((back(kind.into(), None), back(kind.into(), Some("clerk"))), (all.clone(), all));
            }
            kind
        })
        .collect();
    use Kind::{Erased, Message, System, ToolUse, Unreadable};
    assert_eq!(kinds, [System, Message, Unreadable, Message, ToolUse, ToolUse, ToolUse, Erased]);
    let faults = block_on(store.verify()).unwrap().faults;
    assert_eq!(faults.len(), 1, "{faults:?}");
}

#[test]
fn notices_of_before_have_the_language_of_their_card() {
    let filled = filled();
    let folder = tempfile::tempdir().unwrap();
    at_schema(folder.path(), 2, filled.path());
    let store = open(folder.path()).unwrap();
    let cards: Vec<_> = everything(&store)
        .iter()
        .filter(|logged| Kind::of(&logged.entry.body) == Kind::Card)
        .map(|logged| logged.entry.id)
        .collect();
    let notices = block_on(store.notices(&owner(), &cards)).unwrap();
    assert_eq!(notices.len(), cards.len());
    for (number, notice) in (0..MAILS).step_by(3).zip(&notices) {
        assert_eq!((&*notice.action, &*notice.language), (format!("Refund order {number}").as_str(), "en"));
    }
}
