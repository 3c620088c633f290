//! Merging and splitting by hand, lists.

use briefing::log::{Card, Cause, Mail, Settled};
use briefing::message::{EntryId, Outcome, OwnerId, RunId, ThreadId};

use super::desk::{Desk, PERSONA, assert_fails, at, card, live, mail};
use crate::{Append, Store, StoreError, ThreadSummary};

pub(super) async fn merging_puts_each_at_its_place(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (one, two) = (desk.thread().await, desk.thread().await);
    for (thread, second) in [(one, 10), (two, 20), (one, 30), (two, 5)] {
        desk.say(thread, &second.to_string(), second).await;
    }
    let before = store.log(&owner, EntryId::new(0), 10).await.unwrap();
    store.merge(&owner, two, one).await.unwrap();
    assert_eq!(desk.read(one).await, [3, 0, 1, 2].map(EntryId::new));
    assert_eq!(desk.read(two).await, desk.read(one).await);
    let after = store.log(&owner, EntryId::new(0), 10).await.unwrap();
    assert!(before.iter().zip(&after).all(|(before, after)| before.entry == after.entry), "entries are not touched");
    assert!(after.iter().all(|logged| logged.thread == one));
    // A second time, and with itself, it changes nothing.
    store.merge(&owner, two, one).await.unwrap();
    store.merge(&owner, one, two).await.unwrap();
    store.merge(&owner, one, one).await.unwrap();
    assert_eq!(store.log(&owner, EntryId::new(0), 10).await.unwrap(), after);
    let summary = store.thread(&owner, two).await.unwrap().unwrap();
    assert_eq!((summary.thread, summary.entries, summary.head), (one, 4, Some(EntryId::new(3))));
    assert_eq!(summary.newest, Some(at(30)));
    // What an append expects is the head of both.
    let next = desk.say(one, "next", 31).await;
    assert_eq!(store.thread(&owner, two).await.unwrap().unwrap().head, Some(next));
}

pub(super) async fn merging_needs_two_threads(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let absent = ThreadId::new(9);
    assert_fails!(store.merge(&owner, absent, thread).await, StoreError::UnknownThread { thread } if *thread == absent);
    assert_fails!(store.merge(&owner, thread, absent).await, StoreError::UnknownThread { thread } if *thread == absent);
    let empty = desk.thread().await;
    store.merge(&owner, empty, thread).await.unwrap();
    let summary = store.thread(&owner, empty).await.unwrap().unwrap();
    assert_eq!((summary.thread, summary.entries, summary.head, summary.newest), (thread, 0, None, None));
}

pub(super) async fn splitting_moves_what_follows(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    for second in [10, 20, 40] {
        desk.say(thread, "here", second).await;
    }
    desk.say(other, "there", 50).await;
    let late = desk.say(thread, "behind the clock", 30).await;
    let before = store.log(&owner, EntryId::new(0), 10).await.unwrap();
    // By place, not by number.
    let new = store.split(&owner, late).await.unwrap();
    assert!(new != thread && new != other);
    assert_eq!(desk.read(thread).await, [0, 1].map(EntryId::new));
    assert_eq!(desk.read(new).await, [4, 2].map(EntryId::new));
    assert_eq!(desk.read(other).await, [EntryId::new(3)]);
    let after = store.log(&owner, EntryId::new(0), 10).await.unwrap();
    assert!(before.iter().zip(&after).all(|(before, after)| before.entry == after.entry), "entries are not touched");
    let [old, young] = [thread, new].map(|thread| async move {
        store.thread(&OwnerId::default(), thread).await.unwrap().map(|it| (it.entries, it.head, it.newest))
    });
    assert_eq!(old.await, Some((2, Some(EntryId::new(1)), Some(at(20)))));
    assert_eq!(young.await, Some((2, Some(EntryId::new(4)), Some(at(40)))));
    assert_fails!(store.split(&owner, EntryId::new(0)).await, StoreError::FirstOfThread { entry } if entry.get() == 0);
    assert_eq!(desk.read(thread).await, [0, 1].map(EntryId::new));
    assert_fails!(store.split(&owner, EntryId::new(99)).await, StoreError::UnknownEntry { .. });
    // And back again.
    store.merge(&owner, new, thread).await.unwrap();
    assert_eq!(desk.read(thread).await, [0, 1, 4, 2].map(EntryId::new));
}

pub(super) async fn splitting_takes_runs_and_notices_along(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let first = desk.say(thread, "first", 10).await;
    let slow = desk.answer("slow", thread, first).await;
    let quick = desk.begin("quick", thread, Cause::Responsibility("digest".to_owned()), PERSONA).await;
    let digest = desk.round(&quick, 0, &["c"], 15).await.entry;
    let card = desk.card(thread, "Cancel", 16).await;
    let second = desk.say(thread, "second", 20).await;
    let third = desk.answer("third", thread, second).await;
    store.wrote(&owner, &quick.clone().into(), second).await.unwrap();
    // Late for what stays, early for what goes.
    let late = desk.round(&slow, 0, &["a"], 30).await.entry;
    let ended = desk.outcome(&slow, Outcome::text("a", "done"), 31).await;
    let settled = desk.settle(card, Settled::Done, 32).await;
    let moved = desk.round(&third, 0, &["b"], 33).await.entry;
    for entry in [late, ended, settled] {
        assert_fails!(store.split(&owner, entry).await, StoreError::NotABeginning { .. });
    }
    let new = store.split(&owner, second).await.unwrap();
    assert_eq!(desk.read(thread).await, [first, card, late, ended, settled]);
    assert_eq!(desk.read(new).await, [digest, second, moved]);
    // A run goes on where it is.
    let next = [desk.round(&slow, 1, &["d"], 40).await.entry, desk.round(&third, 1, &["e"], 41).await.entry];
    assert_eq!([desk.thread_of(next[0]).await, desk.thread_of(next[1]).await], [Some(thread), Some(new)]);
    let rounds = desk.rounds(&[second]).await;
    assert_eq!(rounds.iter().map(|round| round.entry).collect::<Vec<_>>(), [digest, moved, next[1]]);
    // With the card goes its notice, and with that the run that goes on from it.
    let after = desk.answer("after", thread, settled).await;
    let done = desk.round(&after, 0, &["f"], 42).await.entry;
    let newer = store.split(&owner, card).await.unwrap();
    assert_eq!(desk.read(newer).await, [card, settled, done]);
    assert_eq!(desk.read(thread).await, [first, late, ended, next[0]]);
}

/// A card of a run goes where the run goes, whatever its place.
pub(super) async fn splitting_keeps_cards_with_their_run(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (first, second) = (desk.say(thread, "first", 10).await, desk.say(thread, "second", 20).await);
    let (stays, goes) = (desk.answer("stays", thread, first).await, desk.answer("goes", thread, second).await);
    let of = |run: &RunId| Card { run: Some(run.clone()), ..card("Cancel") };
    let late = desk.append(Append::card(of(&stays), thread, live(30))).await.place.entry;
    let early = desk.append(Append::card(of(&goes), thread, live(15))).await.place.entry;
    assert_fails!(store.split(&owner, late).await, StoreError::NotABeginning { .. });
    let new = store.split(&owner, second).await.unwrap();
    assert_eq!((desk.read(thread).await, desk.read(new).await), (vec![first, late], vec![early, second]));
    assert_eq!((desk.open(thread).await, desk.open(new).await), (vec![late], vec![early]));
}

pub(super) async fn splitting_tells_who_takes_part_where(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let root = desk.mail(mail("a@x", "lost@x", "ann bo"), 10).await;
    let guest = desk.mail(mail("b@x", "a@x gone@x", "bo carl"), 20).await;
    assert_eq!(guest.thread, root.thread);
    let new = store.split(&owner, guest.place.entry).await.unwrap();
    let people = |thread| async move { store.thread(&OwnerId::default(), thread).await.unwrap().unwrap().people };
    assert_eq!(people(root.thread).await, ["ann", "bo"]);
    assert_eq!(people(new).await, ["bo", "carl"]);
    // Carl is no part of the old thread, Ann none of the new one.
    assert_ne!(desk.mail(mail("c@x", "a@x", "carl"), 30).await.thread, root.thread);
    assert_ne!(desk.mail(mail("d@x", "b@x", "ann"), 30).await.thread, new);
    assert_eq!(desk.mail(mail("e@x", "b@x", "carl"), 30).await.thread, new);
    // The old thread waits only for what its own mails refer to, the new one for nothing.
    let gone = desk.mail(mail("gone@x", "", "bo"), 40).await;
    assert!(gone.thread != root.thread && gone.thread != new);
    assert_eq!(desk.mail(mail("lost@x", "", "bo"), 40).await.thread, root.thread);
}

pub(super) async fn threads_are_listed_newest_first_by_pages(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let mut threads = Vec::new();
    for second in [10, 30, 20, 30, 30] {
        let thread = desk.thread().await;
        desk.say(thread, "x", second).await;
        threads.push(thread);
    }
    // One that has nothing is not listed.
    let empty = desk.thread().await;
    let newest_first: Vec<ThreadId> = [4, 3, 1, 2, 0].map(|at| threads[at]).to_vec();
    for size in [1, 2, 5, 9] {
        let mut after = None;
        let mut read = Vec::new();
        loop {
            let page = store.threads(&owner, after, size).await.unwrap();
            assert!(page.len() <= size);
            let Some(last) = page.last() else { break };
            after = Some(last.after());
            read.extend(page.iter().map(|summary| summary.thread));
        }
        assert_eq!(read, newest_first, "{size} a page");
    }
    assert_eq!(store.threads(&owner, None, 0).await.unwrap(), []);
    desk.say(empty, "x", 20).await;
    let all = store.threads(&owner, None, 10).await.unwrap();
    assert_eq!(all.iter().map(|summary| summary.thread).collect::<Vec<_>>(), [4, 3, 1, 5, 2, 0].map(ThreadId::new));
}

pub(super) async fn a_summary_tells_of_its_thread(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let nothing = ThreadSummary { thread, entries: 0, newest: None, head: None, subject: None, people: Vec::new() };
    assert_eq!(store.thread(&owner, thread).await.unwrap(), Some(nothing.clone()));
    assert_eq!(store.thread(&owner, ThreadId::new(9)).await.unwrap(), None);
    desk.say(thread, "x", 99).await;
    desk.mail_to(thread, mail("b@x", "", "Zoe@x.example h g f e"), 20).await;
    let older = Mail { subject: Some("The oldest".to_owned()), ..mail("a@x", "", "d c b a zoe@X.example") };
    let head = desk.mail_to(thread, older, 10).await;
    let summary = ThreadSummary {
        thread,
        entries: 3,
        newest: Some(at(99)),
        head: Some(head),
        subject: Some("The oldest".to_owned()),
        people: ["a", "b", "c", "d", "e", "f", "g", "h"].map(str::to_owned).to_vec(),
    };
    assert_eq!(store.thread(&owner, thread).await.unwrap(), Some(summary.clone()));
    assert_eq!(store.threads(&owner, None, 1).await.unwrap(), [summary]);
}

pub(super) async fn a_name_leads_to_one_thread(store: &dyn Store) {
    let (owner, other) = (OwnerId::default(), OwnerId::new("other"));
    let desk = Desk { store, owner: &owner };
    let named = |name: &'static str| async move { store.named_thread(&OwnerId::default(), name).await.unwrap() };
    let first = named("swarm 1").await;
    assert_eq!(desk.read(first).await, []);
    let said = desk.say(first, "x", 1).await;
    assert_eq!((named("swarm 1").await, desk.read(first).await), (first, vec![said]));
    let others = [named("Swarm 1").await, named("").await, named("swarm 1 ").await, desk.thread().await];
    assert_eq!([first, others[0], others[1], others[2], others[3]], [0, 1, 2, 3, 4].map(ThreadId::new));
    // Another owner has the name for itself.
    Desk { store, owner: &other }.thread().await;
    assert_eq!(store.named_thread(&other, "swarm 1").await.unwrap(), ThreadId::new(1));
    let long = "ü".repeat(500);
    let longest = store.named_thread(&owner, &long).await.unwrap();
    assert_eq!(store.named_thread(&owner, &long).await.unwrap(), longest);
    let longer = store.named_thread(&owner, &format!("{long}x")).await;
    assert_fails!(longer, StoreError::TooLarge { most: 1_000, .. });
    // It leads to the thread that its own was merged into, and stays when that is forgotten.
    store.merge(&owner, first, others[3]).await.unwrap();
    assert_eq!(named("swarm 1").await, others[3]);
    store.forget(&owner, &crate::Forget::Owner, at(9)).await.unwrap();
    assert_eq!(named("swarm 1").await, others[3]);
}
