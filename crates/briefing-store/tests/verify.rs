//! What `verify` finds: a database is altered by hand, and every fault is named.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]
#![cfg(unix)]

#[path = "support/child.rs"]
mod child;
#[path = "support/sample.rs"]
mod sample;

use std::fs;
use std::path::Path;

use briefing::message::{EntryId, RunId, ThreadId};
use briefing_store::{AnchorKey, BlobHash, Durability, Fault, Forget, Reference, Store, Verified};
use pollster::block_on;

use sample::{assert_sound, at, copy, database, letter, owner, script, store};

/// A database of four mails in two threads, the first of each answered by a run: entries 0 to 5 are in thread 0 (mail, round,
/// outcome, card, notice, mail), 6 to 11 in thread 1 (mail, mail, round, outcome, card, notice).
fn answered() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    script(4).iter().for_each(|step| assert!(!step.perform(&store)));
    let key = AnchorKey { thread: ThreadId::new(0), persona: sample::PERSONA.into(), view: "mail".into(), model: "m".into() };
    block_on(store.move_anchor(&owner(), &RunId::new("run-0"), &key, EntryId::new(5))).unwrap();
    block_on(store.index()).unwrap();
    assert_sound(&store);
    folder
}

/// What is wrong with a copy of that database, altered by `sql`, in which `#7` is the key of the owner's number 7.
fn verified_after(template: &Path, sql: &str) -> Verified {
    let folder = tempfile::tempdir().unwrap();
    copy(template, folder.path());
    let connection = rusqlite::Connection::open(database(folder.path())).unwrap();
    connection.execute_batch(&sql.replace('#', &format!("{} + ", 1_u64 << 40))).unwrap();
    drop(connection);
    block_on(store(folder.path(), Durability::Process).verify()).unwrap()
}

fn assert_found(template: &Path, cases: &[(&str, &[Fault])]) {
    for (sql, faults) in cases {
        let verified = verified_after(template, sql);
        assert_eq!((verified.faults.as_slice(), verified.more), (*faults, 0), "{sql}");
    }
}

fn gap(number: u64) -> Fault {
    Fault::Gap { owner: owner(), entry: EntryId::new(number) }
}

fn misplaced(number: u64) -> Fault {
    Fault::Misplaced { owner: owner(), entry: EntryId::new(number) }
}

fn entry_altered(number: u64) -> Fault {
    Fault::Altered { owner: owner(), entry: EntryId::new(number) }
}

fn leftover(number: u64) -> Fault {
    Fault::Leftover { owner: owner(), entry: EntryId::new(number) }
}

fn dangling(number: u64, to: Reference) -> Fault {
    Fault::Dangling { owner: owner(), entry: EntryId::new(number), to }
}

fn run_misplaced(id: &str) -> Fault {
    Fault::RunMisplaced { owner: owner(), run: RunId::new(id) }
}

#[test]
fn numbers_that_are_missing_are_told_and_counted() {
    let template = answered();
    let miscounted = Fault::OwnerMiscounted { owner: owner() };
    assert_found(
        template.path(),
        &[
            ("UPDATE owners SET entries = 14", &[gap(12), gap(13)]),
            (
                "DELETE FROM entries WHERE entry IN (#2, #3)",
                &[gap(2), gap(3), Fault::KeyDangling { owner: owner(), entry: EntryId::new(3) }, leftover(2), leftover(3)],
            ),
            ("UPDATE owners SET entries = 11", std::slice::from_ref(&miscounted)),
            ("UPDATE owners SET entries = -1", std::slice::from_ref(&miscounted)),
            ("UPDATE owners SET threads = 3", std::slice::from_ref(&miscounted)),
            ("UPDATE owners SET threads = -1", std::slice::from_ref(&miscounted)),
            ("UPDATE owners SET runs = 1", std::slice::from_ref(&miscounted)),
            ("UPDATE owners SET runs = -1", std::slice::from_ref(&miscounted)),
            ("DELETE FROM owners", &[Fault::OwnerMissing { number: 1 }]),
        ],
    );
    // More than anybody can go through.
    let verified = verified_after(template.path(), &format!("UPDATE owners SET entries = {}", 1_u64 << 62));
    assert_eq!(verified.faults, (12..12 + Verified::MOST as u64).map(gap).collect::<Vec<_>>());
    assert_eq!(verified.more, (1 << 62) - 12 - Verified::MOST as u64);
    let two = format!("UPDATE owners SET entries = {0}; INSERT INTO owners (name, entries) VALUES ('b', {0})", i64::MAX);
    assert_eq!(verified_after(template.path(), &two).more, 2 * i64::MAX.cast_unsigned() - 12 - Verified::MOST as u64);
}

#[test]
fn what_stands_elsewhere_than_it_should() {
    assert_found(
        answered().path(),
        &[
            ("UPDATE mails SET owner = 2 WHERE entry = #5", &[misplaced(5)]),
            (
                "UPDATE threads SET owner = 2 WHERE thread = #1",
                &[Fault::Miscounted { owner: owner(), thread: ThreadId::new(1) }],
            ),
            ("UPDATE runs SET owner = 2 WHERE run = #0", &[run_misplaced("run-0")]),
            ("UPDATE runs SET thread = #7 WHERE run = #0", &[run_misplaced("run-0")]),
            (
                "UPDATE runs SET responsibility = 'x' WHERE run = #1",
                &[Fault::RunAltered { owner: owner(), run: RunId::new("run-3") }],
            ),
            ("DELETE FROM places WHERE run = #0", &[run_misplaced("run-0")]),
            ("UPDATE places SET persona = 'x' WHERE run = #0", &[run_misplaced("run-0")]),
            ("INSERT INTO places VALUES (#40, 'me@shop.example', #0)", &[run_misplaced("run-0")]),
            ("UPDATE calls SET round = #8 WHERE run = #0", &[run_misplaced("run-0")]),
            ("UPDATE calls SET round = #40 WHERE run = #0", &[run_misplaced("run-0")]),
            ("UPDATE calls SET run = #40 WHERE run = #0", &[run_misplaced("40")]),
            ("UPDATE members SET kind = 7 WHERE entry = #3", &[misplaced(3)]),
            ("UPDATE cards SET notice = NULL WHERE entry = #3", &[misplaced(3), dangling(4, Reference::Card)]),
            ("UPDATE cards SET notice = #11 WHERE entry = #3", &[dangling(4, Reference::Card), dangling(3, Reference::Notice)]),
            ("UPDATE cards SET run = #40 WHERE entry = #3", &[dangling(3, Reference::Run)]),
            ("UPDATE keys SET entry = #40 WHERE entry = #3", &[Fault::KeyDangling { owner: owner(), entry: EntryId::new(40) }]),
            ("UPDATE anchors SET thread = #9", &[Fault::AnchorDangling { owner: owner(), thread: ThreadId::new(9) }]),
            ("UPDATE anchors SET entry = #40", &[Fault::AnchorDangling { owner: owner(), thread: ThreadId::new(0) }]),
        ],
    );
}

#[test]
fn contents_that_are_not_those_that_came() {
    let hash = BlobHash::of(&letter(1).raw()).to_string();
    assert_found(
        answered().path(),
        &[
            (
                "UPDATE mails SET raw = (SELECT sum(raw) FROM mails WHERE entry IN (#5, #6)) - raw WHERE entry IN (#5, #6)",
                &[entry_altered(5), entry_altered(6)],
            ),
            (
                "UPDATE attachments SET content = (SELECT sum(content) FROM attachments WHERE entry = #0) - content
                 WHERE entry = #0",
                &[entry_altered(0)],
            ),
            (&format!("UPDATE blobs SET refs = 7 WHERE hash = x'{hash}'"), &[Fault::BlobMiscounted { hash: hash.clone() }]),
        ],
    );
}

#[test]
fn what_is_left_of_what_was_forgotten() {
    let template = answered();
    let forgetful = store(template.path(), Durability::Process);
    block_on(forgetful.forget(&owner(), &Forget::Thread(ThreadId::new(1)), at(9))).unwrap();
    assert_sound(&forgetful);
    drop(forgetful);
    assert_found(
        template.path(),
        &[
            ("INSERT INTO mails (entry, owner, direction, attachments, body) VALUES (#6, 1, 0, 0, 'x')", &[leftover(6)]),
            (
                "INSERT INTO attachments (entry, position, id, media_type, inline) VALUES (#7, 0, 'x', 'x', 0), (#7, 1, 'y', 'x', 0)",
                &[leftover(7)],
            ),
            ("INSERT INTO rounds (entry, run, turn, said) VALUES (#8, #0, 9, 'x')", &[leftover(8)]),
            ("INSERT INTO outcomes (entry, run, round, body) VALUES (#9, #0, #1, 'x')", &[leftover(9)]),
            ("INSERT INTO messages (entry, body) VALUES (#6, 'x')", &[leftover(6)]),
            ("INSERT INTO cards (entry, body) VALUES (#10, 'x')", &[leftover(10)]),
            (
                "INSERT INTO notices (entry, card, settled) VALUES (#11, #3, 'done')",
                &[dangling(11, Reference::Card), leftover(11)],
            ),
            // Of another kind than the entry, and of none.
            ("INSERT INTO messages (entry, body) VALUES (#0, 'x')", &[leftover(0)]),
            ("INSERT INTO messages (entry, body) VALUES (#40, 'x')", &[leftover(40)]),
            // Nothing of it is erased but the mark: its people and its words are there too.
            (
                "UPDATE entries SET erased = 0 WHERE entry = #5; UPDATE members SET kind = 0 WHERE entry = #5",
                &[
                    leftover(5),
                    Fault::Miscounted { owner: owner(), thread: ThreadId::new(0) },
                    Fault::Index { owner: owner(), entry: EntryId::new(5) },
                ],
            ),
        ],
    );
}

#[test]
fn a_content_that_cannot_be_asked_for_is_not_said_to_be_altered() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    block_on(store.append(&owner(), vec![letter(4).append()])).unwrap();
    let hash = BlobHash::of(&letter(4).new_mail().files[0].1).to_string();
    let path = folder.path().join("briefing.db.blobs").join(&hash[..2]).join(&hash);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(block_on(store.verify()).unwrap().faults, [Fault::BlobUnreadable { hash }]);
}
