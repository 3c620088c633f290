//! Resets, and what is popped.

use std::sync::Arc;

use briefing::log::{Body, Entry, Kind, Kinds, Message, Popped, Reset, ResetKind, Settled};
use briefing::message::{EntryId, ModelMessage, Outcome, OwnerId, ThreadId};
use briefing::ports::Back;
use serde_json::json;

use super::desk::{Desk, assert_fails, at, ids, kinds, live, mail, reset, said, used, whole};
use super::forget::erases;
use crate::{Append, Fate, Forget, Key, Store, StoreError, Target};

pub(super) async fn resets_are_kept_whole(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let full = Reset { extra: json!({ "a": [1, null] }).as_object().unwrap().clone(), ..reset(ResetKind::Rescue) };
    let bare = Reset { agent: None, reason: String::new(), ..reset(ResetKind::Flush) };
    let mut entries = Vec::new();
    for (n, reset) in (1..).zip([full, bare]) {
        let entry = desk.append(Append::reset(reset.clone(), thread, live(n))).await.place.entry;
        assert_eq!(*desk.entry(entry).await, Entry { id: entry, at: at(n), body: Body::Reset(reset.into()) });
        entries.insert(0, entry);
    }
    // They are no messages, and hide nothing by themselves.
    desk.say(thread, "x", 0).await;
    assert_eq!(ids(&desk.back(Back { kinds: Kind::Reset.into(), ..whole(thread) }).await), entries);
    assert_eq!(kinds(&desk.back(whole(thread)).await), [Kind::Reset, Kind::Reset, Kind::Message]);
    let keyed = Append::reset(reset(ResetKind::Flush), thread, live(3)).key(Key::new("r"));
    let first = desk.append(keyed.clone()).await;
    let again = desk.append(keyed).await;
    assert_eq!((again.place, again.fate), (first.place, Fate::Before));
    assert_eq!(store.thread(&owner, thread).await.unwrap().unwrap().head, Some(first.place.entry));
    let nowhere = Append::reset(reset(ResetKind::Flush), ThreadId::new(99), live(4));
    assert_fails!(store.append(&owner, vec![nowhere]).await, StoreError::UnknownThread { .. });
    // A thread may begin with one, and one is forgotten like anything else.
    let new = store.split(&owner, entries[0]).await.unwrap();
    assert_eq!(desk.read(new).await, [entries[0], first.place.entry]);
    let report = erases(desk, &Forget::Thread(new), &[entries[0], first.place.entry].map(EntryId::get)).await;
    assert_eq!((report.entries, report.searchable), ([(Kind::Reset, 2)].into(), 0));
}

/// What is left of `was`.
fn tombstone(was: &Entry, second: i64, found: &Entry) -> Entry {
    let Body::Popped(Popped { hash: Some(hash), .. }) = &found.body else { panic!("{found:?} is not popped with a hash") };
    assert_ne!(*hash, [0; 32]);
    let popped = Popped { at: at(second), hash: Some(*hash), body: Box::new(was.body.clone()) };
    Entry { id: was.id, at: was.at, body: Body::Popped(popped) }
}

pub(super) async fn the_newest_is_popped_whoever_wrote_it(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    assert_eq!(desk.pop(thread, 1).await, None, "nothing is there");
    let asked = desk.mail_to(thread, mail("a@x", "", "ann"), 100).await;
    let run = desk.answer("r", thread, asked).await;
    desk.round(&run, 0, &["c"], 101).await;
    desk.outcome(&run, Outcome::text("c", "x"), 102).await;
    let card = desk.card(thread, "Cancel", 103).await;
    desk.settle(card, Settled::Done, 104).await;
    assert_eq!(desk.pop(thread, 105).await, None, "neither mail, tool use of a run, card nor notice is popped");
    // By place, not by number.
    let messages = [(said("b").by("ann"), 30), (used("c").by("bo"), 40), (said("a"), 10)];
    let mut pushed = Vec::new();
    for (message, second) in messages {
        pushed.push(desk.put(thread, message, second).await);
    }
    // A reset stands behind everything, whatever the clock says.
    let flush = desk.reset(thread, ResetKind::Flush, 35).await;
    assert_eq!(desk.entry(flush).await.at, at(104));
    let system = desk.put(thread, ModelMessage::system("Be brief.").into(), 20).await;
    desk.say(other, "elsewhere", 99).await;
    let before = store.log(&owner, EntryId::new(0), 99).await.unwrap();
    let summary = store.thread(&owner, thread).await.unwrap();
    for (n, entry) in (200..).zip([flush, pushed[1], pushed[0], system, pushed[2]]) {
        let was = desk.entry(entry).await;
        assert_eq!(desk.pop(thread, n).await, Some(Arc::clone(&was)));
        let left = desk.entry(entry).await;
        assert_eq!(*left, tombstone(&was, n, &left));
        assert!(desk.back(whole(thread)).await.contains(&left), "it stays at its place");
    }
    assert_eq!(desk.pop(thread, 300).await, None, "none twice");
    assert_eq!(desk.len().await, before.len(), "nothing is appended");
    let after = store.log(&owner, EntryId::new(0), 99).await.unwrap();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((before.entry.place(), before.thread), (after.entry.place(), after.thread));
        match &after.entry.body {
            Body::Popped(popped) => assert_eq!(*popped.body, before.entry.body, "nothing is lost"),
            _ => assert_eq!(before.entry, after.entry),
        }
    }
    assert_eq!(store.thread(&owner, thread).await.unwrap(), summary, "they are still there");
    let read = desk.back(Back { kinds: Kind::Popped.into(), ..whole(thread) }).await;
    assert_eq!(ids(&read), [flush, pushed[1], pushed[0], system, pushed[2]]);
    assert_eq!(desk.read(other).await.len(), 1);
    assert_fails!(store.pop(&owner, ThreadId::new(99), at(1)).await, StoreError::UnknownThread { thread } if thread.get() == 99);
}

/// What stood before a reset is read again once it is popped: nothing but its own kind has changed.
pub(super) async fn popping_a_reset_changes_only_its_kind(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let message = desk.say(thread, "before", 1).await;
    let reset = desk.reset(thread, ResetKind::Rescue, 2).await;
    let dialog = Kinds::of(&[Kind::Message, Kind::ToolUse, Kind::System, Kind::Reset]);
    let before = desk.back(Back { kinds: dialog, ..whole(thread) }).await;
    assert_eq!(ids(&before), [reset, message]);
    assert_eq!(desk.pop(thread, 3).await, Some(Arc::clone(&before[0])));
    assert_eq!(desk.back(Back { kinds: dialog, ..whole(thread) }).await, before[1..]);
    // Another one takes its place, and the tombstone is passed over.
    let second = desk.reset(thread, ResetKind::Flush, 4).await;
    assert_eq!(desk.pop(thread, 5).await.map(|entry| entry.id), Some(second));
    assert_eq!(desk.pop(thread, 6).await.map(|entry| entry.id), Some(message));
}

pub(super) async fn an_edited_message_is_popped_with_its_newest_version(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let keyed = Append::message(said("one"), Target::Thread(thread), live(1)).key(Key::new("one"));
    let message = desk.append(keyed.clone()).await.place.entry;
    let file = desk.put_with(thread, said("two"), &[("a", b"content")], 2).await;
    let edit = desk.edit(message, said("three"), 3).await;
    let edited = desk.entry(file).await;
    assert_eq!(desk.pop(thread, 4).await, Some(edited), "an edit does not bring a message to the end");
    let newest = desk.entry(message).await;
    assert_eq!(newest.message().map(|message| (**message).clone()), Some(Message { edited: Some(edit), ..said("three") }));
    let fine = jiff::Timestamp::new(5, 1_999).unwrap();
    assert_eq!(store.pop(&owner, thread, fine).await.unwrap(), Some(Arc::clone(&newest)));
    let left = desk.entry(message).await;
    let Body::Popped(popped) = &left.body else { panic!("{left:?}") };
    assert_eq!((popped.at, &*popped.body), (jiff::Timestamp::new(5, 1_000).unwrap(), &newest.body));
    assert_eq!(kinds(&desk.back(whole(thread)).await), [Kind::Edit, Kind::Popped, Kind::Popped]);
    // What it held stays until it is forgotten: its file, its key, whoever answers it.
    assert_eq!(desk.file("a").await.as_deref(), Some(&b"content"[..]));
    let again = desk.append(keyed).await;
    assert_eq!((again.place.entry, again.fate), (message, Fate::Before));
    let run = desk.answer("r", thread, message).await;
    let round = desk.round(&run, 0, &["c"], 6).await.entry;
    assert_eq!(ids(&desk.back(Back { kinds: Kind::Round.into(), ..whole(thread) }).await), [round]);
    let report = erases(desk, &Forget::Before(at(3)), &[message, file, edit, round].map(EntryId::get)).await;
    assert_eq!(report.entries, [(Kind::Popped, 2), (Kind::Edit, 1), (Kind::Round, 1)].into());
    assert_eq!((report.attachments, report.blobs, report.searchable), (1, 1, 0));
    assert_eq!((desk.file("a").await, desk.pop(thread, 7).await), (None, None));
}
