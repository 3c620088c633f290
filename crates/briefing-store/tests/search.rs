//! The search index of SQLite keeps what it has.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

use briefing::log::Arrival;
use briefing::message::{ModelMessage, OwnerId};
use briefing_store::{Append, Settings, SqliteStore, Store, Target};
use jiff::Timestamp;
use pollster::block_on;

/// An edit takes one message out of the index and puts it in again: the others, and other owners', stay where they are.
#[test]
fn an_edit_leaves_the_rest_of_the_index_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("briefing.db");
    let store = SqliteStore::create(&path, Settings::default()).unwrap();
    let (ann, bo) = (OwnerId::new("ann"), OwnerId::new("bo"));
    let live = |second| Arrival::Live(Timestamp::from_second(second).unwrap());
    let say = |owner, text: &str, second| {
        let append = Append::message(ModelMessage::user(text), Target::Referred, live(second));
        block_on(store.append(owner, vec![append])).unwrap().remove(0).place.entry
    };
    let found = |owner, word| block_on(store.search(owner, word, 9)).unwrap().len();
    let first = say(&ann, "the first word", 1);
    say(&ann, "another word", 2);
    say(&bo, "a word of somebody else", 3);
    assert_eq!((found(&ann, "word"), found(&bo, "word")), (2, 1));
    let indexed = || -> Vec<(i64, i64)> {
        let connection = rusqlite::Connection::open(&path).unwrap();
        let mut statement = connection.prepare("SELECT owner, next FROM indexed ORDER BY owner").unwrap();
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<Result<_, _>>().unwrap()
    };
    let before = indexed();
    block_on(store.append(&ann, vec![Append::edit(first, ModelMessage::user("a new text"), live(4))])).unwrap();
    assert_eq!(indexed(), before, "nothing is indexed anew");
    assert_eq!((found(&ann, "first"), found(&ann, "new"), found(&ann, "word"), found(&bo, "word")), (0, 1, 1, 1));
}
