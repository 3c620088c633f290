//! Which thread a mail goes to. The rule itself is [`briefing_mail::place`]'s, and tested there.

use briefing::log::{Delivery, Direction, Mail};
use briefing::message::{OwnerId, ThreadId};

use super::desk::{Desk, at, mail};
use crate::{AnchorKey, Fate, Store};

pub(super) async fn an_answer_joins_the_thread_it_refers_to(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let root = desk.mail(mail("a@x", "", "ann bo"), 1).await;
    let other = desk.mail(mail("z@x", "", "ann bo"), 1).await;
    let answer = desk.mail(mail("b@x", "a@x", "bo ann"), 2).await;
    let further = desk.mail(mail("c@x", "a@x b@x lost@x", "ANN carl"), 3).await;
    // Carl takes part by now, though the mail he answers does not name him.
    let carl = desk.mail(mail("d@x", "b@x", "carl"), 4).await;
    assert_ne!(root.thread, other.thread);
    for joined in [&answer, &further, &carl] {
        assert_eq!((joined.thread, &joined.fate), (root.thread, &Fate::New { merged: Vec::new(), reused: None }));
    }
    let entries = [&root, &answer, &further, &carl].map(|appended| appended.place.entry);
    assert_eq!(desk.read(root.thread).await, entries);
}

/// Two answers to a mail that is not there each open a thread where they name nobody in common; the mail brings them together.
async fn two_of_one(desk: Desk<'_>) -> (ThreadId, ThreadId) {
    let one = desk.mail(mail("b@x", "a@x", "ann"), 10).await;
    let two = desk.mail(mail("c@x", "a@x", "bo"), 20).await;
    assert_ne!(one.thread, two.thread);
    (one.thread, two.thread)
}

pub(super) async fn a_root_that_comes_last_merges_threads(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (one, two) = two_of_one(desk).await;
    let root = desk.mail(Mail { date: Some(at(5)), ..mail("a@x", "", "carl ann bo") }, 30).await;
    assert_eq!((root.thread, root.fate), (one, Fate::New { merged: vec![two], reused: None }));
    assert_eq!(desk.read(one).await.iter().map(|entry| entry.get()).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(store.threads(&owner, None, 10).await.unwrap().len(), 1);
    // Nobody waits any more.
    assert_eq!(desk.mail(mail("a@x", "", "eve"), 40).await.thread, ThreadId::new(2));
}

pub(super) async fn a_merged_thread_is_found_by_its_old_id(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (one, old) = two_of_one(desk).await;
    let run = desk.answer("r", old, store.by_message_id(&owner, &super::desk::id("c@x")).await.unwrap()[0]).await;
    desk.mail(mail("a@x", "", "carl ann bo"), 30).await;
    let summary = store.thread(&owner, old).await.unwrap().unwrap();
    assert_eq!((summary.thread, summary.entries), (one, 3));
    assert_eq!(desk.read(old).await, desk.read(one).await);
    let card = desk.card(old, "Cancel", 31).await;
    assert_eq!((desk.open(old).await, desk.open(one).await), (vec![card], vec![card]));
    assert_eq!(desk.thread_of(card).await, Some(one));
    let newest = store.newest_inbound(&owner, Some(old)).await.unwrap().unwrap();
    assert_eq!((newest.0.id.get(), newest.1), (2, one));
    let key = AnchorKey { thread: old, persona: "p".to_owned(), view: "mail".to_owned(), model: "m".to_owned() };
    store.move_anchor(&owner, &run.clone().into(), &key, card).await.unwrap();
    assert_eq!(store.anchor(&owner, &AnchorKey { thread: one, ..key }).await.unwrap(), Some(card));
    let round = desk.round(&run, 0, &["c"], 32).await.entry;
    assert_eq!(desk.thread_of(round).await, Some(one));
    let second = desk.answer("s", old, card).await;
    let logged = store.log(&owner, desk.round(&second, 0, &["d"], 33).await.entry, 1).await.unwrap();
    assert_eq!(logged[0].run.as_ref().unwrap().0.thread, one);
    let third = desk.thread().await;
    store.merge(&owner, old, third).await.unwrap();
    assert_eq!(desk.read(old).await.len(), 6);
    assert_eq!(store.thread(&owner, one).await.unwrap().unwrap().thread, third);
    assert_eq!(store.thread(&owner, old).await.unwrap().unwrap().thread, third);
}

pub(super) async fn a_stranger_opens_a_thread(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let root = desk.mail(mail("a@x", "", "ann bo"), 1).await;
    let stranger = desk.mail(mail("evil@y", "a@x", "eve mallory"), 2).await;
    assert_ne!(stranger.thread, root.thread);
    assert_eq!(desk.mail(mail("e2@y", "evil@y", "eve"), 3).await.thread, stranger.thread);
}

pub(super) async fn a_thread_that_is_named_is_taken(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let root = desk.mail(mail("a@x", "", "ann bo"), 1).await;
    let named = desk.thread().await;
    let entry = desk.mail_to(named, mail("b@x", "a@x", "ann bo"), 2).await;
    assert_eq!(desk.thread_of(entry).await, Some(named));
    assert_eq!(desk.mail(mail("c@x", "b@x", "ann bo"), 3).await.thread, named);
    assert_eq!(desk.read(root.thread).await, [root.place.entry]);
}

pub(super) async fn the_newest_inbound_mail_is_found(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    assert_eq!(store.newest_inbound(&owner, None).await.unwrap(), None);
    let sent = |own: &str, refers: &str| Mail { direction: Direction::Outbound(Delivery::Sent), ..mail(own, refers, "ann bo") };
    let old = desk.mail(mail("a@x", "", "ann bo"), 10).await;
    let new = desk.mail(mail("z@x", "", "carl"), 20).await;
    // Appended later, but earlier in time; and what went out is not inbound.
    desk.mail(mail("b@x", "a@x", "bo ann"), 15).await;
    desk.mail(sent("c@x", "a@x"), 99).await;
    let empty = desk.thread().await;
    let found = |thread| async move {
        let found = store.newest_inbound(&OwnerId::default(), thread).await.unwrap();
        found.map(|(entry, thread)| (entry.id.get(), thread))
    };
    assert_eq!(found(None).await, Some((1, new.thread)));
    assert_eq!(found(Some(old.thread)).await, Some((2, old.thread)));
    assert_eq!(found(Some(new.thread)).await, Some((1, new.thread)));
    assert_eq!(found(Some(empty)).await, None);
    assert_eq!(found(Some(ThreadId::new(99))).await, None);
}
