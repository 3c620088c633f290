//! Importing: done again, it adds what is new; what was forgotten does not come back.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::path::{Path, PathBuf};

use briefing::log::{Arrival, Direction, Kind};
use briefing::message::{EntryId, ModelMessage, OwnerId, ThreadId, ToolCall};
use briefing_store::{
    Append, Durability, Forget, ImportedMails, ImportedMessages, Settings, SqliteStore, Store, Target, import_mails,
    import_messages,
};
use jiff::Timestamp;
use pollster::block_on;

const NOW: Timestamp = Timestamp::constant(2_000_000_000, 0);

fn store(folder: &Path) -> SqliteStore {
    let settings = Settings { durability: Durability::Process, ..Settings::default() };
    SqliteStore::create(&folder.join("briefing.db"), settings).unwrap()
}

fn shop() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop/mailbox")
}

fn import(store: &SqliteStore, paths: &[PathBuf]) -> ImportedMails {
    let mails = briefing_mail::read_all(paths);
    let mut seen = 0;
    let imported =
        block_on(import_mails(store, &OwnerId::default(), mails, NOW, |_| {}, |_, so_far| seen = so_far.read)).unwrap();
    assert_eq!(seen, imported.read);
    imported
}

#[test]
fn mailboxes_are_imported_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let owner = OwnerId::default();
    let first = import(&store, &[shop()]);
    assert_eq!(first, ImportedMails { read: 20, new: 20, ..ImportedMails::default() });
    let second = import(&store, &[shop()]);
    assert_eq!(second, ImportedMails { read: 20, before: 20, ..ImportedMails::default() });
    let threads = block_on(store.threads(&owner, None, 100)).unwrap();
    assert_eq!(threads.iter().map(|thread| thread.entries).collect::<Vec<_>>(), [7, 2, 1, 6, 4]);
    let raw: Vec<Vec<u8>> = briefing_mail::read(&shop()).unwrap().map(|raw| raw.unwrap().bytes).collect();
    for (entry, raw) in block_on(store.log(&owner, Default::default(), 100)).unwrap().iter().zip(raw) {
        assert_eq!(block_on(store.raw(&owner, entry.entry.id)).unwrap().as_deref(), Some(&*raw));
        assert_eq!(entry.entry.mail().unwrap().direction, Direction::Inbound);
    }
    assert_eq!(block_on(store.verify()).unwrap().faults, []);
}

#[test]
fn one_bad_source_stops_nothing_and_a_reused_id_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let paths = ["absent.mbox", "one.eml", "two.eml"].map(|name| folder.path().join(name));
    let mail = |body: &str| format!("From: ann@x.example\nTo: me@shop.example\nMessage-ID: <a@x>\nSubject: Order\n\n{body}\n");
    std::fs::write(&paths[1], mail("one")).unwrap();
    std::fs::write(&paths[2], mail("two")).unwrap();
    let imported = import(&store, &paths);
    assert_eq!((imported.read, imported.new, imported.unreadable.len()), (2, 2, 1));
    let reused: Vec<(PathBuf, String)> =
        imported.reused.iter().map(|(source, id)| (source.path.clone(), id.to_string())).collect();
    assert_eq!(reused, [(paths[2].clone(), "<a@x>".to_owned())]);
    assert_eq!(
        block_on(store.by_message_id(&OwnerId::default(), &briefing::log::MessageId::new("a@x").unwrap())).unwrap().len(),
        2
    );
}

fn conversation(count: usize) -> Vec<ModelMessage> {
    (0..count)
        .map(|n| {
            if n % 2 == 0 {
                ModelMessage::user(format!("question {n}"))
            } else {
                ModelMessage::assistant(format!("answer {n}"))
            }
        })
        .collect()
}

fn messages(store: &SqliteStore, id: Option<&str>, messages: &[ModelMessage]) -> ImportedMessages {
    block_on(import_messages(store, &OwnerId::default(), id, messages, NOW)).unwrap().unwrap()
}

fn entries(store: &SqliteStore, kind: Kind) -> usize {
    let log = block_on(store.log(&OwnerId::default(), Default::default(), 1_000)).unwrap();
    log.iter().filter(|logged| Kind::of(&logged.entry.body) == kind).count()
}

#[test]
fn a_conversation_that_has_grown_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let thread = ThreadId::new(0);
    assert_eq!(messages(&store, Some("run-7"), &conversation(4)), ImportedMessages { thread, new: 4, differs: false });
    assert_eq!(messages(&store, Some("run-7"), &conversation(4)), ImportedMessages { thread, new: 0, differs: false });
    assert_eq!(messages(&store, Some("run-7"), &conversation(9)), ImportedMessages { thread, new: 5, differs: false });
    // An older copy adds nothing.
    assert_eq!(messages(&store, Some("run-7"), &conversation(4)), ImportedMessages { thread, new: 0, differs: false });
    let changed = [vec![ModelMessage::user("something else")], conversation(3)].concat();
    let other = messages(&store, Some("run-7"), &changed);
    assert_eq!((other.new, other.differs), (4, true));
    assert_eq!(messages(&store, Some("run-7"), &changed).new, 0);
    // Without an id the content tells.
    let nameless = messages(&store, None, &conversation(3));
    assert_eq!((nameless.new, messages(&store, None, &conversation(3)).new), (3, 0));
    assert!(block_on(import_messages(&store, &OwnerId::default(), None, &[], NOW)).unwrap().is_none());
    assert_eq!(entries(&store, Kind::Message), 9 + 4 + 3);
}

#[test]
fn a_forgotten_conversation_does_not_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let owner = OwnerId::default();
    let thread = messages(&store, Some("run-7"), &conversation(4)).thread;
    block_on(store.forget(&owner, &Forget::Thread(thread), NOW)).unwrap();
    assert_eq!(messages(&store, Some("run-7"), &conversation(4)), ImportedMessages { thread, new: 0, differs: false });
    // What it has grown by is new.
    assert_eq!(messages(&store, Some("run-7"), &conversation(5)), ImportedMessages { thread, new: 1, differs: false });
    assert_eq!((entries(&store, Kind::Message), entries(&store, Kind::Erased)), (1, 4));
    assert_eq!(block_on(store.verify()).unwrap().faults, []);
}

#[test]
fn a_conversation_that_was_changed_since_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let owner = OwnerId::default();
    let mut conversation = conversation(3);
    conversation.push(ModelMessage::calls([ToolCall::new("c", "look_up", "{}")]));
    let thread = messages(&store, Some("run-7"), &conversation).thread;
    // A version and a tombstone stand for what was imported.
    let edit = Append::edit(EntryId::new(1), ModelMessage::assistant("better"), Arrival::Live(NOW));
    block_on(store.append(&owner, vec![edit])).unwrap();
    block_on(store.pop(&owner, thread, NOW)).unwrap().unwrap();
    assert_eq!(messages(&store, Some("run-7"), &conversation), ImportedMessages { thread, new: 0, differs: false });
    conversation.push(ModelMessage::assistant("done"));
    assert_eq!(messages(&store, Some("run-7"), &conversation), ImportedMessages { thread, new: 1, differs: false });
    // Neither a message of the thread's own that is something else goes by.
    let own = Append::message(ModelMessage::user("mine"), Target::Thread(thread), Arrival::Live(NOW));
    block_on(store.append(&owner, vec![own])).unwrap();
    conversation.push(ModelMessage::user("theirs"));
    assert!(messages(&store, Some("run-7"), &conversation).differs);
    assert_eq!((entries(&store, Kind::Popped), entries(&store, Kind::Edit)), (1, 1));
    assert_eq!(block_on(store.verify()).unwrap().faults, []);
}
