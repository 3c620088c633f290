//! Messages of chats: what is kept with them, their files, and their versions.

use std::sync::Arc;

use briefing::log::{Body, Edit, Kind, Mail, Message, ResetKind, Settled};
use briefing::message::{Assistant, CallId, EntryId, Item, ModelMessage, Outcome, OwnerId, Text, ThreadId, ToolCall};
use briefing::ports::Back;
use serde_json::{Map, json};

use super::desk::{
    Desk, assert_fails, at, entry_of, full_mail, ids, kinds, listed, live, mail, plain, reset, said, used, whole,
};
use super::forget::erases;
use crate::{Append, Content, Fate, Forget, Key, NewMessage, Store, StoreError, Target};

fn extra() -> Map<String, serde_json::Value> {
    let value = json!({ "role": null, "name": "Ünïcode \u{0}", "nested": [1, -2.5, { "": true }], "large": u64::MAX });
    value.as_object().unwrap().clone()
}

pub(super) async fn a_message_is_kept_whole(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let call = ToolCall::new("c", "find_order", "{\"order\": 7}");
    let calls = Assistant { items: vec![Item::Text(Text::new("One moment.")), Item::Call(call)], ..Assistant::default() };
    let calls = ModelMessage::Assistant(Arc::new(calls));
    let files = vec![
        listed("b", b"2"),
        listed("a", b"1"),
        briefing::log::Attachment { size: None, inline: true, filename: None, ..listed("b", b"2") },
    ];
    let messages = [
        (Kind::Message, Message { attachments: files, extra: extra(), ..said("Where is it?").by("triage") }),
        (Kind::Message, Message { agent: Some("".into()), ..said("") }),
        (Kind::ToolUse, Message { interim: true, extra: extra(), ..said("on the way").by("Ünï code\n") }),
        (Kind::ToolUse, Message::from(calls).by("sales")),
        (Kind::ToolUse, Message::from(ModelMessage::Tool(Arc::new(Outcome { failed: Some(true), ..Outcome::text("c", "") })))),
        (Kind::System, Message { interim: true, ..ModelMessage::system("Be brief.").into() }),
        // Of a foreign shape, what it came with decides.
        (Kind::ToolUse, Message { extra: json!({ "role": "tool" }).as_object().unwrap().clone(), ..said("") }),
        (Kind::ToolUse, Message { extra: json!({ "tool_calls": [] }).as_object().unwrap().clone(), ..said("x") }),
        (
            Kind::Message,
            Message { extra: json!({ "role": "x" }).as_object().unwrap().clone(), ..ModelMessage::system("x").into() },
        ),
    ];
    let mut right = Vec::new();
    for (n, (kind, message)) in (0..).zip(&messages) {
        assert_eq!(message.kind(), *kind);
        // What is said of an edit is not for the writer to say.
        let given = Message { edited: Some(EntryId::new(7)), ..message.clone() };
        let entry = desk.put(thread, given, n).await;
        assert_eq!(desk.entry(entry).await, entry_of(entry, n, message.clone()));
        right.insert(0, entry_of(entry, n, message.clone()));
    }
    assert_eq!(desk.back(whole(thread)).await, right);
    for kind in [Kind::Message, Kind::ToolUse, Kind::System] {
        let of_it: Vec<_> = right.iter().filter(|entry| Kind::of(&entry.body) == kind).cloned().collect();
        assert_eq!(desk.back(Back { kinds: kind.into(), ..whole(thread) }).await, of_it);
    }
    let logged = store.log(&owner, EntryId::new(0), 99).await.unwrap();
    assert_eq!(logged.iter().rev().map(|logged| Arc::clone(&logged.entry)).collect::<Vec<_>>(), right);
}

/// <https://github.com/ZJU-REAL/HugAgentOS/pull/93>: a database that takes no NUL in a text must keep it otherwise.
pub(super) async fn b57_a_nul_in_a_text_is_kept(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let odd = Message { extra: extra(), ..said("a\0b").by("tri\0age") };
    let entry = desk.put(thread, odd.clone(), 1).await;
    assert_eq!(desk.entry(entry).await, entry_of(entry, 1, odd));
    let run = desk.answer("run", thread, entry).await;
    let round = desk.round(&run, 0, &["c\0"], 2).await;
    let call = round.said.calls().next().unwrap().id.clone();
    assert_eq!(call.given(), "c\0");
    let outcome = Outcome::text(call, "a\0b");
    desk.outcome(&run, outcome.clone(), 3).await;
    let read = desk.rounds(&[entry]).await;
    let outcomes: Vec<Arc<Outcome>> =
        read.iter().flat_map(|round| &round.outcomes).map(|recorded| Arc::clone(&recorded.outcome)).collect();
    assert_eq!(outcomes, [Arc::new(outcome)]);
}

pub(super) async fn files_of_a_message_are_kept_and_forgotten_with_it(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let large = vec![7; 200_000];
    let message =
        Message { attachments: vec![listed("large", &large), listed("none", b"x"), listed("small", b"s")], ..said("look") };
    let files = vec![("small".into(), b"s".to_vec()), ("unlisted".into(), b"u".to_vec()), ("large".into(), large.clone())];
    let files = files.into_iter().map(|(id, content): (String, _)| (briefing::log::AttachmentId::new(id), content)).collect();
    let new = NewMessage { message: message.clone(), files };
    let entry = desk.append(Append::new(Content::Message(Box::new(new)), Target::Thread(thread), live(1))).await.place.entry;
    assert_eq!(desk.entry(entry).await, entry_of(entry, 1, message));
    assert_eq!(desk.file("large").await.as_deref(), Some(large.as_slice()));
    assert_eq!(desk.file("small").await.as_deref(), Some(&b"s"[..]));
    for absent in ["none", "unlisted", "nobody's"] {
        assert_eq!(desk.file(absent).await, None, "{absent}");
    }
    // A mail has one of them too, and another message has another.
    let raw = full_mail(mail("a@x", "", "ann"), &large, b"plan");
    desk.append(Append::mail(raw, live(5))).await;
    let kept = desk.put_with(thread, said("mine"), &[("mine", b"m")], 6).await;
    assert_eq!(store.verify().await.unwrap().blobs, 4);
    let report = erases(desk, &Forget::Before(at(5)), &[entry.get()]).await;
    assert_eq!((report.attachments, report.blobs, report.blob_bytes, report.shared_blobs), (3, 1, 1, 1));
    assert_eq!((desk.file("large").await, desk.file("small").await), (None, None));
    assert_eq!(desk.file("mine").await.as_deref(), Some(&b"m"[..]));
    let report = erases(desk, &Forget::Thread(thread), &[kept.get()]).await;
    assert_eq!((report.attachments, report.blobs, report.searchable), (1, 1, 1));
    assert_eq!(desk.file("mine").await, None);
}

pub(super) async fn an_edited_message_reads_as_its_newest_version(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let message = desk.put(thread, said("Order seven").by("ann"), 10).await;
    let after = desk.say(thread, "after", 20).await;
    let one = Message { extra: extra(), attachments: vec![listed("a", b"1")], ..said("Order eight") };
    let given = Message { edited: Some(after), ..one.clone() };
    let first = desk.append(Append::edit(message, given, live(30))).await;
    assert_eq!((first.thread, first.place.at), (thread, at(30)));
    assert_eq!(first.fate, Fate::New { merged: Vec::new(), reused: None });
    let first = first.place.entry;
    let of = |edit, message: &Message| Message { edited: Some(edit), ..message.clone() };
    assert_eq!(desk.entry(message).await, entry_of(message, 10, of(first, &one)));
    let edit = Edit { of: message, message: one };
    assert_eq!(desk.entry(first).await.body, Body::Edit(Arc::new(edit.clone())));
    // The newest edit stands, whatever its time; and it may be of another kind.
    let two = used("Order nine").by("sales");
    let second = desk.edit(message, two.clone(), 25).await;
    let right = [
        desk.entry(first).await,
        desk.entry(second).await,
        entry_of(after, 20, said("after")),
        entry_of(message, 10, of(second, &two)),
    ];
    assert_eq!(desk.back(whole(thread)).await, right);
    assert_eq!(desk.entry(message).await, right[3]);
    assert_eq!(desk.entry(first).await.body, Body::Edit(Arc::new(edit)));
    assert_eq!(ids(&desk.back(Back { kinds: Kind::Message.into(), ..whole(thread) }).await), [after]);
    let by = |agent: &'static str| Back { kinds: Kind::ToolUse.into(), agent: Some(agent), ..whole(thread) };
    assert_eq!(ids(&desk.back(by("sales")).await), [message]);
    assert_eq!(ids(&desk.back(by("ann")).await), []);
    assert_eq!(ids(&desk.back(Back { kinds: Kind::Edit.into(), ..whole(thread) }).await), [first, second]);
    let logged = store.log(&owner, EntryId::new(0), 99).await.unwrap();
    let mut entries: Vec<_> = logged.iter().map(|logged| Arc::clone(&logged.entry)).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.place()));
    // The log has what was appended: the first version, too.
    let original = said("Order seven").by("ann");
    let first_version = entry_of(message, 10, of(second, &original));
    assert_eq!(entries, [right[0].clone(), right[1].clone(), right[2].clone(), first_version]);
    // A clock that jumps back puts no edit before what it edits.
    let early = desk.append(Append::edit(message, said("Order ten"), live(5))).await;
    assert_eq!(early.place.at, at(10));
    assert_eq!(desk.entry(message).await, entry_of(message, 10, of(early.place.entry, &said("Order ten"))));
    assert_eq!(ids(&desk.back(Back { kinds: Kind::Message.into(), ..whole(thread) }).await), [after, message]);
}

/// Whoever is not sure whether an edit was appended does it again.
pub(super) async fn b76_an_edit_of_a_key_is_appended_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let message = desk.say(thread, "one", 1).await;
    let edit = |text: &str| Append::edit(message, said(text), live(2)).key(Key::new("edit 1"));
    let first = desk.append(edit("two")).await;
    let newer = desk.edit(message, said("three"), 3).await;
    let again = desk.append(edit("two")).await;
    assert_eq!((again.place, again.thread, again.fate), (first.place, thread, Fate::Before));
    assert_eq!(desk.entry(message).await, entry_of(message, 1, Message { edited: Some(newer), ..said("three") }));
    assert_eq!(desk.len().await, 3);
    // It belongs to the message's thread, whatever is said of that.
    for target in [Target::Thread(other), Target::Thread(ThreadId::new(99)), Target::Referred] {
        let append = Append { thread: target, ..Append::edit(message, said("x"), live(4)) };
        let appended = desk.append(append).await;
        assert_eq!((appended.thread, desk.thread_of(appended.place.entry).await), (thread, Some(thread)));
    }
    assert_eq!(desk.read(other).await, []);
    assert_eq!(store.thread(&owner, ThreadId::new(2)).await.unwrap(), None);
}

pub(super) async fn b74_an_edit_moves_the_head(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (message, last) = (desk.say(thread, "one", 1).await, desk.say(thread, "x", 2).await);
    let edit = |head| Append::edit(message, said("two"), live(3)).expecting(Some(head));
    let error = desk.refused(vec![edit(message)]).await;
    let StoreError::Moved { thread: moved, expected, found } = error else { panic!("{error:?}") };
    assert_eq!((moved, expected, found), (thread, Some(message), Some(last)));
    assert_eq!(desk.entry(message).await, entry_of(message, 1, said("one")), "nothing was edited");
    let edited = desk.append(edit(last)).await.place.entry;
    let summary = store.thread(&owner, thread).await.unwrap().unwrap();
    assert_eq!((summary.entries, summary.head, summary.newest), (3, Some(edited), Some(at(3))));
    let stale = Append::message(said("y"), Target::Thread(thread), live(4)).expecting(Some(last));
    assert!(matches!(desk.refused(vec![stale]).await, StoreError::Moved { .. }));
}

pub(super) async fn only_messages_are_edited(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let erased = desk.say(thread, "erased", 1).await;
    store.forget(&owner, &Forget::Before(at(2)), at(3)).await.unwrap();
    let mailed = desk.mail_to(thread, mail("a@x", "", "ann"), 4).await;
    let run = desk.answer("r", thread, mailed).await;
    let round = desk.round(&run, 0, &["c"], 5).await.entry;
    let outcome = desk.outcome(&run, Outcome::text(CallId::new("c"), "x"), 6).await;
    let card = desk.card(thread, "Cancel", 7).await;
    let notice = desk.settle(card, Settled::Done, 8).await;
    let reset = desk.reset(thread, ResetKind::Flush, 9).await;
    let message = desk.say(thread, "message", 10).await;
    let edit = desk.edit(message, said("edited"), 11).await;
    let popped = desk.say(thread, "popped", 12).await;
    assert_eq!(desk.pop(thread, 13).await.map(|entry| entry.id), Some(popped));
    let before = store.log(&owner, EntryId::new(0), 99).await.unwrap();
    for of in [erased, mailed, round, outcome, card, notice, reset, edit, popped] {
        let append = store.append(&owner, vec![Append::edit(of, said("x"), live(20))]).await;
        assert_fails!(append, StoreError::NotAMessage { entry } if *entry == of);
    }
    let absent = store.append(&owner, vec![Append::edit(EntryId::new(99), said("x"), live(20))]).await;
    assert_fails!(absent, StoreError::UnknownEntry { entry } if entry.get() == 99);
    assert_eq!(store.log(&owner, EntryId::new(0), 99).await.unwrap(), before);
}

pub(super) async fn a_search_finds_the_newest_version(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let message = desk.say(thread, "the blue lamp", 1).await;
    desk.say(thread, "the red lamp", 2).await;
    // Whether it was indexed before it was edited, or not.
    assert_eq!(desk.find("blue").await, [message]);
    desk.edit(message, said("the green lamp"), 3).await;
    assert_eq!((desk.find("blue").await, desk.find("green").await), (Vec::new(), vec![message]));
    let late = desk.say(thread, "the white chair", 4).await;
    desk.edit(late, said("the black chair"), 5).await;
    desk.edit(late, said("the grey chair"), 6).await;
    for (word, found) in [("white", None), ("black", None), ("grey", Some(late)), ("green", Some(message))] {
        assert_eq!(desk.find(word).await, Vec::from_iter(found), "{word}");
    }
    let hits = store.search(&owner, "grey", 9).await.unwrap();
    assert_eq!(hits.iter().map(|hit| (hit.entry, hit.thread, hit.at)).collect::<Vec<_>>(), [(late, thread, at(4))]);
    assert!(hits[0].excerpt.contains("grey"), "{:?}", hits[0].excerpt);
    // What is popped is found no more.
    desk.append(Append::reset(reset(ResetKind::Flush), thread, live(7))).await;
    assert_eq!(desk.find("asked").await, []);
    desk.pop(thread, 8).await;
    assert_eq!(desk.find("chair").await, [late]);
    desk.pop(thread, 9).await;
    assert_eq!(desk.find("chair").await, []);
    assert_eq!(desk.find("lamp").await.len(), 2);
}

pub(super) async fn every_version_is_forgotten_with_its_message(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let message = desk.put_with(thread, said("first"), &[("a", b"content")], 1).await;
    let kept = desk.say(thread, "kept", 10).await;
    let one = desk.edit(message, Message { attachments: vec![listed("a", b"content")], ..said("second") }, 20).await;
    let mail = desk.append(Append { thread: Target::Thread(other), ..Append::mail(plain(Mail::default()), live(20)) }).await;
    let two = desk.edit(message, said("third"), 30).await;
    // No version lists it any more, and it is in the log all the same.
    assert_eq!(desk.file("a").await.as_deref(), Some(&b"content"[..]));
    let report = erases(desk, &Forget::Before(at(5)), &[message, one, two].map(EntryId::get)).await;
    let entries = [(Kind::Message, 1), (Kind::Edit, 2)];
    assert_eq!((report.entries, report.threads, report.may_quote), (entries.into(), 0, 1));
    assert_eq!((report.attachments, report.blobs, report.searchable), (2, 1, 1));
    for word in ["first", "second", "third"] {
        assert_eq!(desk.find(word).await, [], "{word}");
    }
    assert_eq!((desk.find("kept").await, desk.file("a").await), (vec![kept], None));
    assert_eq!(desk.texts(&["a"]).await, []);
    let read = desk.back(whole(thread)).await;
    assert_eq!(kinds(&read), [Kind::Erased, Kind::Erased, Kind::Message, Kind::Erased]);
    assert_eq!(desk.thread_of(mail.place.entry).await, Some(other));
    // An edit is no beginning of a thread, and goes where its message goes.
    let edit = desk.edit(kept, said("kept too"), 40).await;
    assert_fails!(store.split(&owner, edit).await, StoreError::NotABeginning { entry } if *entry == edit);
    let new = store.split(&owner, kept).await.unwrap();
    assert_eq!((desk.read(new).await, desk.thread_of(edit).await), (vec![kept, one, two, edit], Some(new)));
    let front = desk.say(new, "front", 2).await;
    let back = desk.edit(front, said("front too"), 50).await;
    let newest = store.split(&owner, kept).await.unwrap();
    assert_eq!((desk.read(new).await, desk.read(newest).await), (vec![front, back], vec![kept, one, two, edit]));
    let edited = Message { edited: Some(edit), ..said("kept too") };
    assert_eq!(desk.entry(kept).await, entry_of(kept, 10, edited));
}
