//! Databases of every schema that there ever was, opened by this program.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

#[path = "support/child.rs"]
mod child;
#[path = "support/sample.rs"]
mod sample;

use std::path::Path;

use briefing_store::{Append, Durability, SqliteStore, Store, StoreError};
use pollster::block_on;

use child::say;
use sample::{assert_sound, at_schema, copy, database, entries, everything, letter, owner, script, settings, store};

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
    block_on(store.index()).unwrap();
    folder
}

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
    assert_eq!(everything(store).len() as u64, entries(&script));
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
    assert!(newest.0 >= 2);
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
