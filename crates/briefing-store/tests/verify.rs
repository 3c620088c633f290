//! What `verify` finds: a database is altered by hand, and every fault is named.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]
#![cfg(unix)]

mod chat;
#[path = "support/child.rs"]
mod child;
#[path = "support/sample.rs"]
mod sample;

use std::fs;
use std::path::Path;

use briefing::log::{Arrival, Message};
use briefing::message::{EntryId, ModelMessage, RunId, ThreadId, ToolCall};
use briefing::ports::FileText;
use briefing_store::{
    AnchorKey, Append, BlobHash, Durability, Fault, Forget, KeptRequest, KeptText, Reference, Store, StoreError, Target,
    Verified,
};
use pollster::block_on;

use sample::{assert_sound, at, copy, database, letter, owner, script, store};

/// A database of four mails in two threads, the first of each answered by a run: entries 0 to 5 are in thread 0 (mail, round,
/// outcome, card, notice, mail), 6 to 11 in thread 1 (mail, mail, round, outcome, card, notice).
fn answered() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    script(4).iter().for_each(|step| assert!(!step.perform(&store)));
    let key = AnchorKey { thread: ThreadId::new(0), persona: sample::PERSONA.into(), view: "mail".into(), model: "m".into() };
    block_on(store.move_anchor(&owner(), &RunId::new("run-0").into(), &key, EntryId::new(5))).unwrap();
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

fn scheduled_misplaced(id: &str) -> Fault {
    Fault::ScheduledMisplaced { owner: owner(), run: RunId::new(id) }
}

/// Schedules a run of that id in that thread.
fn scheduled(thread: u64, id: &str) -> String {
    format!("INSERT INTO scheduled (owner, id, thread, persona, responsibility, at) VALUES (1, '{id}', #{thread}, 'p', 'r', 1)")
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
            (&scheduled(1, "new"), &[]),
            (&scheduled(7, "new"), &[scheduled_misplaced("new")]),
            (&format!("{}; UPDATE scheduled SET owner = 2", scheduled(1, "new")), &[Fault::OwnerMissing { number: 2 }]),
            (
                &format!("{}; UPDATE runs SET ended = 1, how = 'lost' WHERE run = #0", scheduled(0, "run-0")),
                &[scheduled_misplaced("run-0")],
            ),
            ("UPDATE runs SET ended = 1 WHERE run = #0", &[run_misplaced("run-0")]),
            ("UPDATE runs SET ended = 1, how = 'gone' WHERE run = #0", &[run_misplaced("run-0")]),
            ("UPDATE runs SET began = 1, fence = 1 WHERE run = #0", &[run_misplaced("run-0")]),
            ("INSERT INTO leases (thread, run, fence, renewed, until) VALUES (#0, #0, 1, 1, 1)", &[run_misplaced("run-0")]),
            ("INSERT INTO leases (thread, run, fence, renewed, until) VALUES (#0, #7, 1, 1, 1)", &[run_misplaced("7")]),
            (
                "UPDATE owners SET fences = 1; UPDATE runs SET began = 1, fence = 1 WHERE run = #0;
                 INSERT INTO leases (thread, run, fence, renewed, until) VALUES (#0, #0, 1, 2, 1)",
                &[run_misplaced("run-0")],
            ),
            ("UPDATE runs SET answer = #99 WHERE run = #0", &[run_misplaced("run-0")]),
            ("INSERT INTO steps (run, number, step, at) VALUES (#7, 0, 'x', 1)", &[run_misplaced("7")]),
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

/// A database of a chat: entries 0 to 6 are in thread 0 (a message with a file and a text of that, tool use and instructions of an
/// agent, two edits of the message, a reset, a message that is popped); thread 1 goes on from entry 1 with entry 7, and thread 2
/// from entry 7.
fn chatted() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    let file = chat::file("f", b"what is in it");
    let id = file.0.id.clone();
    let message = Message { interim: true, ..ModelMessage::user("hello").into() }.by("clerk");
    let first = chat::append(&store, chat::put(chat::with_files(message, vec![file]), Target::Referred, 0));
    let thread = Target::Thread(first.1);
    let calls = Message::from(ModelMessage::calls([ToolCall::new("c", "look_up", "{}")])).by("clerk");
    let system = Message::from(ModelMessage::system("be short")).by("clerk");
    let (last, _) = [calls, system].map(|message| chat::append(&store, chat::put(message.into(), thread, 1))).into();
    for word in ["once", "twice"] {
        chat::append(&store, Append::edit(first.0, ModelMessage::user(word), Arrival::Live(at(2))));
    }
    chat::append(&store, Append::reset(chat::reset(Some("clerk"), "why"), first.1, Arrival::Live(at(3))));
    chat::append(&store, Append::message(ModelMessage::user("popped"), thread, Arrival::Live(at(4))));
    block_on(store.pop(&owner(), first.1, at(5))).unwrap().unwrap();
    let text = KeptText { version: 1, text: Some(FileText { text: "read".into(), partial: false }) };
    block_on(store.keep_text(&owner(), &id, text)).unwrap();
    let fork = block_on(store.fork(&owner(), first.1, last.0)).unwrap();
    let own = chat::append(&store, Append::message(ModelMessage::user("own"), Target::Thread(fork), Arrival::Live(at(6))));
    block_on(store.fork(&owner(), fork, own.0)).unwrap();
    block_on(store.named_thread(&owner(), "client 7")).unwrap();
    block_on(store.index()).unwrap();
    assert_sound(&store);
    folder
}

fn unreadable(number: u64) -> Fault {
    Fault::Unreadable { owner: owner(), entry: EntryId::new(number) }
}

fn fork_dangling(number: u64) -> Fault {
    Fault::ForkDangling { owner: owner(), thread: ThreadId::new(number) }
}

fn indexed(number: u64) -> Fault {
    Fault::Index { owner: owner(), entry: EntryId::new(number) }
}

#[test]
fn messages_that_are_not_those_that_came() {
    assert_found(
        chatted().path(),
        &[
            ("UPDATE messages SET agent = 'other' WHERE entry = #0", &[entry_altered(0)]),
            ("UPDATE messages SET agent = NULL WHERE entry = #0", &[entry_altered(0)]),
            ("UPDATE messages SET interim = 0 WHERE entry = #0", &[entry_altered(0)]),
            ("UPDATE messages SET extra = '{\"a\":1}' WHERE entry = #0", &[entry_altered(0)]),
            ("UPDATE messages SET extra = '[' WHERE entry = #1", &[unreadable(1)]),
            ("UPDATE messages SET attachments = 0 WHERE entry = #0", &[entry_altered(0)]),
            ("UPDATE attachments SET filename = 'g' WHERE entry = #0", &[entry_altered(0)]),
            ("UPDATE messages SET agent = 'other' WHERE entry = #1", &[misplaced(1), entry_altered(1)]),
            ("UPDATE messages SET interim = 1 WHERE entry = #3", &[entry_altered(3)]),
            ("UPDATE messages SET interim = 1 WHERE entry = #4", &[misplaced(0), entry_altered(4)]),
            ("UPDATE messages SET body = 'x' WHERE entry = #4", &[unreadable(0), unreadable(4)]),
            ("UPDATE messages SET body = replace(body, 'popped', 'pooped') WHERE entry = #6", &[entry_altered(6)]),
            ("UPDATE messages SET body = 'x' WHERE entry = #6", &[unreadable(6)]),
            ("UPDATE resets SET kind = 'flush'", &[entry_altered(5)]),
            ("UPDATE resets SET agent = NULL", &[entry_altered(5)]),
            ("UPDATE resets SET kind = 'x'", &[unreadable(5)]),
            ("DELETE FROM resets", &[unreadable(5)]),
        ],
    );
}

#[test]
fn versions_and_kinds_that_do_not_agree() {
    assert_found(
        chatted().path(),
        &[
            ("UPDATE messages SET edit = #3 WHERE entry = #0", &[dangling(0, Reference::Edit)]),
            ("UPDATE messages SET edit = NULL WHERE entry = #0", &[misplaced(0), dangling(0, Reference::Edit)]),
            ("UPDATE messages SET edit = #0 WHERE entry = #1", &[dangling(1, Reference::Edit)]),
            ("UPDATE edits SET message = #40 WHERE entry = #3", &[entry_altered(3), dangling(3, Reference::Message)]),
            ("UPDATE edits SET message = #5 WHERE entry = #3", &[entry_altered(3), dangling(3, Reference::Message)]),
            ("UPDATE edits SET message = #1 WHERE entry = #3", &[entry_altered(3), dangling(1, Reference::Edit)]),
            ("UPDATE members SET thread = #1 WHERE entry = #3; UPDATE threads SET entries = CASE thread WHEN #0 THEN 6 ELSE 2 END
              WHERE thread IN (#0, #1)", &[misplaced(3)]),
            ("UPDATE members SET kind = 4 WHERE entry = #1", &[misplaced(1)]),
            ("UPDATE members SET kind = 10 WHERE entry = #1", &[misplaced(1)]),
            ("UPDATE members SET agent = '' WHERE entry = #2", &[misplaced(2)]),
            ("UPDATE members SET agent = '@clerk' WHERE entry = #0", &[misplaced(0)]),
            ("UPDATE members SET agent = '@clerk' WHERE entry = #5", &[misplaced(5)]),
            ("UPDATE members SET agent = '@clerk' WHERE entry = #6", &[misplaced(6)]),
            ("UPDATE members SET kind = 4 WHERE entry = #6", &[misplaced(6)]),
            ("UPDATE members SET kind = 13 WHERE entry = #5", &[misplaced(5)]),
            ("UPDATE entries SET popped = NULL WHERE entry = #6", &[misplaced(6), indexed(6)]),
            ("UPDATE entries SET popped = 1 WHERE entry = #7", &[misplaced(7), indexed(7)]),
        ],
    );
}

#[test]
fn forks_names_and_texts_that_lead_nowhere() {
    let altered = Fault::TextAltered { hash: BlobHash::of(b"what is in it").to_string() };
    assert_found(
        chatted().path(),
        &[
            ("UPDATE forks SET parent = #9 WHERE thread = #1", &[fork_dangling(1)]),
            ("UPDATE forks SET entry = #40 WHERE thread = #1", &[fork_dangling(1)]),
            ("UPDATE forks SET at = at + 1 WHERE thread = #1", &[fork_dangling(1)]),
            ("UPDATE forks SET next = entry WHERE thread = #1", &[fork_dangling(1)]),
            ("UPDATE forks SET thread = #9 WHERE thread = #2", &[fork_dangling(9)]),
            // Rings.
            ("UPDATE forks SET parent = #1 WHERE thread = #1", &[fork_dangling(1)]),
            (
                "UPDATE forks SET parent = #2, at = (SELECT at FROM forks WHERE thread = #2), entry = #7, next = #9 WHERE thread = #1",
                &[fork_dangling(1), fork_dangling(2)],
            ),
            ("UPDATE names SET thread = #9", &[Fault::NameDangling { owner: owner(), thread: ThreadId::new(9) }]),
            ("UPDATE texts SET blob = 9", &[Fault::TextDangling { number: 9 }]),
            ("UPDATE texts SET text = 'other'", std::slice::from_ref(&altered)),
            ("UPDATE texts SET text = NULL", std::slice::from_ref(&altered)),
            ("UPDATE texts SET version = 2", std::slice::from_ref(&altered)),
            ("UPDATE texts SET partial = 1", std::slice::from_ref(&altered)),
        ],
    );
}

#[test]
fn what_is_left_of_a_chat_that_was_forgotten() {
    let template = chatted();
    let forgetful = store(template.path(), Durability::Process);
    block_on(forgetful.forget(&owner(), &Forget::Thread(ThreadId::new(0)), at(9))).unwrap();
    assert_sound(&forgetful);
    drop(forgetful);
    assert_found(
        template.path(),
        &[
            ("INSERT INTO resets (entry, kind, reason) VALUES (#5, 'flush', 'x')", &[leftover(5)]),
            ("INSERT INTO resets (entry, kind, reason) VALUES (#7, 'flush', 'x')", &[leftover(7)]),
            ("INSERT INTO messages (entry, body) VALUES (#4, 'x')", &[leftover(4)]),
            ("INSERT INTO attachments (entry, position, id, media_type, inline) VALUES (#4, 0, 'x', 'x', 0)", &[leftover(4)]),
            ("INSERT INTO edits (entry, message) VALUES (#3, #0)", &[dangling(3, Reference::Message), leftover(3)]),
            ("UPDATE members SET agent = '@clerk' WHERE entry = #1", &[misplaced(1)]),
            ("INSERT INTO texts VALUES (1, 1, 'x', 0, x'00')", &[Fault::TextDangling { number: 1 }]),
        ],
    );
}

/// What threads show is not changed by merging others: then it is refused, or it is kept.
#[test]
fn what_forks_show_is_kept_by_merging() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    let say =
        |thread, second| chat::append(&store, Append::message(ModelMessage::user("x"), thread, Arrival::Live(at(second))));
    let ids =
        |thread| chat::read(&store, thread, briefing::log::Kinds::ALL).iter().map(|entry| entry.id.get()).collect::<Vec<_>>();
    let (zero, old) = say(Target::Referred, 10);
    say(Target::Thread(old), 20);
    let fork = block_on(store.fork(&owner(), old, zero)).unwrap();
    say(Target::Thread(fork), 30);
    // What came before the fork, and stands before where it was forked.
    let early = say(Target::Referred, 5).1;
    let again = block_on(store.fork(&owner(), old, EntryId::new(1))).unwrap();
    for (from, into) in [(early, old), (old, early)] {
        let refused = |error: &StoreError| matches!(error, StoreError::Forked { fork, .. } if *fork == again);
        chat::refused(block_on(store.merge(&owner(), from, into)), refused);
    }
    // A fork says what it went on from.
    chat::refused(block_on(store.merge(&owner(), fork, early)), |error| matches!(error, StoreError::Forked { .. }));
    let late = say(Target::Referred, 40).1;
    block_on(store.merge(&owner(), old, late)).unwrap();
    assert_eq!((ids(late), ids(fork), ids(again)), (vec![0, 1, 4], vec![0, 2], vec![0, 1]));
    // Into a fork goes what stands anywhere, as long as nobody else reads it there.
    block_on(store.merge(&owner(), early, fork)).unwrap();
    assert_eq!((ids(fork), ids(again)), (vec![3, 0, 2], vec![0, 1]));
    // A fork of a fork, and another one, would read more.
    let deep = block_on(store.fork(&owner(), fork, EntryId::new(2))).unwrap();
    chat::refused(block_on(store.merge(&owner(), late, fork)), |error| matches!(error, StoreError::Forked { .. }));
    // And back into what it went on from.
    chat::refused(block_on(store.merge(&owner(), fork, late)), |error| matches!(error, StoreError::Forked { .. }));
    assert_eq!((ids(fork), ids(deep), ids(again), ids(late)), (vec![3, 0, 2], vec![3, 0, 2], vec![0, 1], vec![0, 1, 4]));
    block_on(store.merge(&owner(), again, late)).unwrap();
    assert_eq!(ids(again), [0, 1, 4]);
    assert_sound(&store);
}

/// The connection that verified before knows the search index as it was then.
#[test]
fn verifying_again_sees_the_index_of_now() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), Durability::Process);
    let say = |word, second| {
        chat::append(&store, Append::message(ModelMessage::user(word), Target::Referred, Arrival::Live(at(second))))
    };
    let (_, (kept, _)) = (say("gone", 1), say("kept", 10));
    block_on(store.index()).unwrap();
    assert_sound(&store);
    block_on(store.forget(&owner(), &Forget::Before(at(5)), at(99))).unwrap();
    assert_sound(&store);
    chat::append(&store, Append::edit(kept, ModelMessage::user("kept too"), Arrival::Live(at(40))));
    assert_sound(&store);
}

#[test]
fn what_became_of_requests() {
    let template = answered();
    let store = store(template.path(), Durability::Process);
    let run = RunId::new("run-0");
    let large = sample::LARGE;
    for body in [b"{}".to_vec(), vec![b'x'; large]] {
        let request = KeptRequest {
            wire: "w".to_owned(),
            model: "m".to_owned(),
            round: 0,
            body,
            receipt: "{}".to_owned(),
            inputs: "{}".to_owned(),
        };
        block_on(store.keep_request(&owner(), &run.clone().into(), request, at(9))).unwrap();
    }
    assert_sound(&store);
    drop(store);
    let altered = |number| Fault::RequestAltered { owner: owner(), run: run.clone(), number };
    let hash = BlobHash::of(b"{}").to_string();
    assert_found(
        template.path(),
        &[
            ("UPDATE requests SET model = 'n' WHERE number = 1", &[altered(1)]),
            ("UPDATE requests SET receipt = '' WHERE number = 0", &[altered(0)]),
            ("UPDATE requests SET at = 1 WHERE number = 0", &[altered(0)]),
            ("DELETE FROM blobs WHERE data = x'7b7d'", &[altered(0)]),
            ("UPDATE blobs SET refs = 2 WHERE data = x'7b7d'", &[Fault::BlobMiscounted { hash: hash.clone() }]),
            ("DELETE FROM requests WHERE number = 0", &[Fault::BlobMiscounted { hash }]),
            ("UPDATE runs SET kept = 1 WHERE run = #0", &[run_misplaced("run-0")]),
        ],
    );
}
