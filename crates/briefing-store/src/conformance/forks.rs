//! Threads that continue from an entry of another one.

use briefing::log::{Arrival, Body, Card, Entry, Kind, Kinds, Mail, Message, Notice, Place, ResetKind, Settled};
use briefing::message::{CallId, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::Back;

use super::desk::{Desk, PERSONA, assert_fails, at, card, entry_of, ids, kinds, live, mail, plain, said, used, whole};
use super::forget::erases;
use crate::{AnchorKey, Append, Fate, Forget, Store, StoreError, Target};

/// A thread of messages at the seconds 10, 20, 30 and 40, and a fork of it from the second one.
async fn forked(desk: Desk<'_>) -> (ThreadId, ThreadId) {
    let thread = desk.thread().await;
    for second in [10, 20, 30, 40] {
        desk.say(thread, &second.to_string(), second).await;
    }
    (thread, desk.fork(thread, EntryId::new(1)).await)
}

pub(super) async fn a_fork_reads_what_was_there_and_then_its_own(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, fork) = forked(desk).await;
    let before = desk.len().await;
    assert_eq!(before, 4, "nothing is copied");
    let prefix = desk.back(whole(thread)).await[2..].to_vec();
    assert_eq!(desk.back(whole(fork)).await, prefix);
    let (there, here) = (desk.say(thread, "there", 50).await, desk.say(fork, "here", 50).await);
    assert_eq!(desk.read(thread).await, [0, 1, 2, 3, 4].map(EntryId::new));
    assert_eq!(desk.read(fork).await, [0, 1, 5].map(EntryId::new));
    assert_eq!((desk.thread_of(there).await, desk.thread_of(here).await), (Some(thread), Some(fork)));
    assert_eq!(desk.thread_of(EntryId::new(0)).await, Some(thread), "what was there stays where it is");
    // What comes later with an earlier date was not there.
    let old = |thread| Append {
        thread: Target::Thread(thread),
        ..Append::mail(plain(Mail { date: Some(at(15)), ..mail("", "", "ann") }), Arrival::Imported(at(60)))
    };
    let late = [desk.append(old(thread)).await.place.entry, desk.append(old(fork)).await.place.entry];
    assert_eq!(desk.read(thread).await, [0, 6, 1, 2, 3, 4].map(EntryId::new));
    assert_eq!(desk.read(fork).await, [0, 7, 1, 5].map(EntryId::new));
    assert_eq!(late, [6, 7].map(EntryId::new));
    // Of itself a thread has what was appended to it.
    let summary = store.thread(&owner, fork).await.unwrap().unwrap();
    assert_eq!((summary.thread, summary.entries, summary.head, summary.newest), (fork, 2, Some(late[1]), Some(at(50))));
}

pub(super) async fn a_fork_is_read_by_pages(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    for second in 0..8 {
        desk.say(thread, "x", second).await;
        desk.put(thread, used("y").by(["ann", "bo"][usize::try_from(second).unwrap() % 2]), second).await;
    }
    let fork = desk.fork(thread, EntryId::new(9)).await;
    for second in [9, 3, 10, 4, 11] {
        desk.say(fork, "x", second).await;
        desk.put(fork, used("y").by("bo"), second).await;
        desk.say(thread, "not here", second).await;
    }
    let log = store.log(&owner, EntryId::new(0), 99).await.unwrap();
    let mut all: Vec<_> = log
        .iter()
        .filter(|logged| logged.thread == fork || logged.entry.id <= EntryId::new(9))
        .map(|logged| logged.entry.clone())
        .collect();
    all.sort_by_key(|entry| std::cmp::Reverse(entry.place()));
    assert_eq!(desk.back(whole(fork)).await, all);
    let places: Vec<Option<Place>> = all.iter().map(|entry| Some(entry.place())).chain([None]).collect();
    let pairs: Vec<_> = places.iter().flat_map(|before| places.iter().map(move |after| (*before, *after))).collect();
    for kinds in [Kinds::ALL, Kind::Message.into(), Kind::ToolUse.into()] {
        for agent in [None, Some("bo")] {
            for &(before, after) in &pairs {
                let mut right = all.clone();
                right.retain(|entry| before.is_none_or(|before| entry.place() < before));
                right.retain(|entry| after.is_none_or(|after| entry.place() > after));
                right.retain(|entry| kinds.contains(Kind::of(&entry.body)));
                right.retain(|entry| {
                    let agent_of = entry.message().and_then(|message| message.agent.clone());
                    agent.is_none_or(|agent| agent_of.is_none_or(|of| &*of == agent))
                });
                let back = Back { before, after, kinds, agent, ..whole(fork) };
                assert_eq!(desk.back(back).await, right, "{back:?}");
                right.truncate(3);
                assert_eq!(desk.back(Back { count: 3, ..back }).await, right, "three of {back:?}");
            }
        }
    }
}

pub(super) async fn a_fork_of_a_fork_reads_all_that_stood_before(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, one) = forked(desk).await;
    for second in [50, 60] {
        desk.say(one, "one", second).await;
    }
    let two = desk.fork(one, EntryId::new(4)).await;
    desk.say(two, "two", 70).await;
    // From what the fork reads of the old thread: none of its own is behind.
    let three = desk.fork(one, EntryId::new(0)).await;
    desk.say(three, "three", 80).await;
    let rest = [desk.say(thread, "x", 90).await, desk.say(one, "x", 90).await];
    assert_eq!(rest, [8, 9].map(EntryId::new));
    let right: [(ThreadId, &[u64]); 4] =
        [(thread, &[0, 1, 2, 3, 8]), (one, &[0, 1, 4, 5, 9]), (two, &[0, 1, 4, 6]), (three, &[0, 7])];
    for (thread, numbers) in right {
        assert_eq!(desk.read(thread).await, numbers.iter().copied().map(EntryId::new).collect::<Vec<_>>());
        let last = *desk.read(thread).await.last().unwrap();
        let mut same = desk.read(desk.fork(thread, last).await).await;
        assert_eq!(same, desk.read(thread).await);
        same.pop();
        let before = Some(desk.entry(last).await.place());
        let mut paged = ids(&desk.back(Back { before, ..whole(thread) }).await);
        paged.reverse();
        assert_eq!(paged, same);
    }
}

pub(super) async fn forks_end_at_a_hundred_threads(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let mut thread = desk.thread().await;
    let mut entries = vec![desk.say(thread, "0", 0).await];
    for second in 1..=99 {
        thread = desk.fork(thread, *entries.last().unwrap()).await;
        entries.push(desk.say(thread, "x", second).await);
    }
    assert_eq!(desk.read(thread).await, entries, "through a hundred threads");
    let mut last = Ok(thread);
    for _ in 0..2 {
        if let Ok(thread) = last {
            last = store.fork(&owner, thread, entries[0]).await;
        }
    }
    assert_fails!(last, StoreError::TooMany { .. });
    assert_eq!(desk.read(thread).await, entries);
}

pub(super) async fn a_fork_needs_an_entry_that_its_thread_reads(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, fork) = forked(desk).await;
    let own = desk.say(fork, "own", 50).await;
    let fails = |thread, entry| store.fork(&owner, thread, entry);
    let (absent, nowhere) = (EntryId::new(99), ThreadId::new(99));
    assert_fails!(fails(nowhere, own).await, StoreError::UnknownThread { thread } if *thread == nowhere);
    assert_fails!(fails(thread, absent).await, StoreError::UnknownEntry { entry } if *entry == absent);
    assert_fails!(fails(thread, own).await, StoreError::UnknownEntry { entry } if *entry == own);
    assert_fails!(fails(fork, EntryId::new(2)).await, StoreError::UnknownEntry { entry } if entry.get() == 2);
    let empty = desk.thread().await;
    assert_fails!(fails(empty, own).await, StoreError::UnknownEntry { .. });
    // What failed opened no thread.
    assert_eq!(desk.thread().await.get(), empty.get() + 1);
}

pub(super) async fn a_fork_pops_what_it_has_of_its_own(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, fork) = forked(desk).await;
    assert_eq!(desk.pop(fork, 50).await, None, "what it continues from is not its own");
    let own = desk.reset(fork, ResetKind::Flush, 5).await;
    assert_eq!(desk.pop(fork, 51).await.map(|entry| entry.id), Some(own));
    assert_eq!(desk.pop(fork, 52).await, None);
    // Versions and tombstones of what both read are seen in both.
    let edit = desk.edit(EntryId::new(0), said("edited"), 60).await;
    for _ in 0..3 {
        desk.pop(thread, 61).await;
    }
    let edited = entry_of(EntryId::new(0), 10, Message { edited: Some(edit), ..said("edited") });
    let read = desk.back(whole(fork)).await;
    assert_eq!(kinds(&read), [Kind::Popped, Kind::Popped, Kind::Message]);
    assert_eq!((&read[2], &read[1]), (&edited, &desk.entry(EntryId::new(1)).await));
    assert_eq!(desk.back(Back { kinds: Kind::Edit.into(), ..whole(fork) }).await, [], "the edit was not there");
    assert_eq!(desk.back(Back { kinds: Kind::Message.into(), ..whole(thread) }).await, [edited]);
}

pub(super) async fn cards_of_what_was_there_are_open_in_a_fork(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let lapsing = |second| Append::card(Card { expires: Some(at(100)), ..card("Cancel") }, thread, live(second));
    let one = desk.append(lapsing(10)).await.place.entry;
    let two = desk.append(lapsing(20)).await.place.entry;
    let settled = desk.card(thread, "Send", 25).await;
    desk.settle(settled, Settled::Done, 26).await;
    let last = desk.say(thread, "x", 30).await;
    let behind = desk.append(lapsing(40)).await.place.entry;
    let fork = desk.fork(thread, last).await;
    let own = desk.card(fork, "Refund", 50).await;
    assert_eq!(desk.open(fork).await, [own, two, one]);
    assert_eq!(desk.open(thread).await, [behind, two, one]);
    let before = Some(Place { at: at(20), entry: two });
    assert_eq!(ids(&store.open_cards(&owner, fork, before, 9).await.unwrap()), [one]);
    let both = store.open_cards(&owner, fork, None, 2).await.unwrap();
    assert_eq!(both, [desk.entry(own).await, desk.entry(two).await]);
    // Settled in the old thread it is settled in the fork, though its notice is not read there.
    let told = desk.settle(one, Settled::Cancelled, 60).await;
    assert_eq!((desk.open(fork).await, desk.open(thread).await), (vec![own, two], vec![behind, two]));
    let notice = |card, settled| Notice { card, settled, action: "Cancel".into(), language: "en".into() };
    assert_eq!(desk.notices(&[one]).await, [notice(one, Settled::Cancelled)]);
    assert!(desk.read(thread).await.contains(&told) && !desk.read(fork).await.contains(&told));
    // And what lapses is settled where it stands.
    let lapsed = desk.settle_lapsed(fork, 100).await;
    assert_eq!(lapsed.len(), 1);
    assert_eq!(desk.thread_of(lapsed[0]).await, Some(thread));
    assert_eq!(desk.notices(&[two]).await, [notice(two, Settled::Expired)]);
    assert_eq!((desk.open(fork).await, desk.open(thread).await), (vec![own], vec![behind]));
}

/// <https://github.com/mastra-ai/mastra/issues/3735>: what repeats is told apart, in a fork too.
pub(super) async fn b29_ids_that_repeat_stay_apart_in_a_fork(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let old = desk.answer("old", thread, asked).await;
    let of = |round: &briefing::log::RecordedRound| round.said.calls().map(|call| call.id.clone()).collect::<Vec<_>>();
    let first = desk.round(&old, 0, &["c", "c"], 2).await;
    let fork = desk.fork(thread, first.entry).await;
    // A run may answer what the fork reads of the old thread.
    let new = desk.answer("new", fork, asked).await;
    let here = desk.round(&new, 0, &["c", "d"], 3).await;
    let there = desk.round(&old, 1, &["c", "d"], 4).await;
    let read = desk.back(Back { kinds: Kind::Round.into(), ..whole(fork) }).await;
    assert_eq!(ids(&read), [here.entry, first.entry]);
    let mut calls: Vec<CallId> = [&here, &first].into_iter().flat_map(of).collect();
    calls.sort_unstable();
    let c = CallId::new("c");
    assert_eq!(calls, [c.clone(), c.repeated(1), c.repeated(2), CallId::new("d")]);
    assert_eq!(of(&there), [c.repeated(2), CallId::new("d")]);
    // An outcome goes to the call of its own run.
    let outcome = desk.outcome(&new, Outcome::text(c.repeated(2), "new"), 5).await;
    assert_eq!(desk.thread_of(outcome).await, Some(fork));
    assert_eq!(desk.read(thread).await, [asked, first.entry, there.entry]);
    assert_eq!(desk.read(fork).await, [asked, first.entry, here.entry, outcome]);
    let beside: Vec<EntryId> = desk.rounds(&[asked]).await.iter().map(|round| round.entry).collect();
    assert_eq!(beside, [first.entry, there.entry, here.entry]);
}

/// <https://github.com/mastra-ai/mastra/issues/3735>: and in what is split off a fork.
pub(super) async fn b29_ids_that_repeat_stay_apart_when_a_fork_is_split(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let old = desk.answer("old", thread, asked).await;
    let last = desk.round(&old, 0, &["c", "c"], 2).await.entry;
    let fork = desk.fork(thread, last).await;
    desk.say(fork, "stays", 3).await;
    let moving = desk.say(fork, "moves", 4).await;
    let run = desk.answer("new", fork, moving).await;
    let mut calls: Vec<CallId> = Vec::new();
    for index in 0..3 {
        if index == 1 {
            assert_ne!(store.split(&owner, moving).await.unwrap(), fork);
        }
        let round = desk.round(&run, index, &["c"], 5).await;
        calls.extend(round.said.calls().map(|call| call.id.clone()));
    }
    let distinct: std::collections::BTreeSet<&CallId> = calls.iter().collect();
    assert_eq!(distinct.len(), 3, "{calls:?}");
}

/// <https://github.com/mastra-ai/mastra/issues/3735>: and in a fork that another thread joins.
pub(super) async fn b29_ids_that_repeat_stay_apart_when_a_thread_joins_a_fork(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let asked = [desk.say(thread, "x", 1).await, desk.say(other, "y", 9).await];
    let (old, joins) = (desk.answer("old", thread, asked[0]).await, desk.answer("joins", other, asked[1]).await);
    let last = desk.round(&old, 0, &["c", "c", "c"], 2).await.entry;
    desk.round(&joins, 0, &["c"], 9).await;
    let fork = desk.fork(thread, last).await;
    store.merge(&owner, other, fork).await.unwrap();
    let before: Vec<CallId> = calls(&desk.back(whole(fork)).await);
    assert_eq!(before.len(), 4);
    let next = desk.round(&joins, 1, &["c"], 10).await;
    let next: Vec<CallId> = next.said.calls().map(|call| call.id.clone()).collect();
    assert!(!before.contains(&next[0]), "{next:?} is among {before:?}");
}

/// The ids of the calls of those rounds.
fn calls(entries: &[std::sync::Arc<Entry>]) -> Vec<CallId> {
    let rounds = entries.iter().filter_map(|entry| if let Body::Round(said) = &entry.body { Some(said) } else { None });
    rounds.flat_map(|said| said.calls().map(|call| call.id.clone())).collect()
}

pub(super) async fn forgetting_the_old_thread_empties_what_a_fork_reads_of_it(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, fork) = forked(desk).await;
    let own = desk.say(fork, "own", 50).await;
    let other = desk.fork(thread, EntryId::new(3)).await;
    erases(desk, &Forget::Thread(thread), &[0, 1, 2, 3]).await;
    let read = desk.back(whole(fork)).await;
    assert_eq!(kinds(&read), [Kind::Message, Kind::Erased, Kind::Erased]);
    for entry in &read[1..] {
        assert!(matches!(entry.body, Body::Erased(_)));
    }
    assert_eq!(read[0], desk.entry(own).await);
    assert_eq!(kinds(&desk.back(whole(other)).await), [Kind::Erased; 4]);
    // What a fork has of its own is forgotten by its own name.
    let more = desk.say(thread, "more", 60).await;
    erases(desk, &Forget::Thread(fork), &[own.get()]).await;
    assert_eq!(kinds(&desk.back(whole(fork)).await), [Kind::Erased; 3]);
    assert_eq!(desk.read(thread).await.last(), Some(&more));
}

pub(super) async fn what_a_fork_reads_is_not_split_off(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, fork) = forked(desk).await;
    let own = [desk.say(fork, "own", 50).await, desk.say(fork, "own", 60).await];
    let refused = store.split(&owner, EntryId::new(1)).await;
    assert_fails!(refused, StoreError::Forked { entry, fork: reader } if (entry.get(), *reader) == (1, fork));
    assert_eq!(desk.read(thread).await, [0, 1, 2, 3].map(EntryId::new));
    // Behind the place where it was forked, and of its own, it can be split.
    let rest = store.split(&owner, EntryId::new(2)).await.unwrap();
    assert_eq!(
        (desk.read(thread).await, desk.read(rest).await),
        ([0, 1].map(EntryId::new).to_vec(), [2, 3].map(EntryId::new).to_vec())
    );
    let new = store.split(&owner, own[1]).await.unwrap();
    assert_eq!((desk.read(fork).await, desk.read(new).await), (vec![EntryId::new(0), EntryId::new(1), own[0]], vec![own[1]]));
    assert_fails!(store.split(&owner, own[0]).await, StoreError::FirstOfThread { .. });
    // A run that moves may have rounds further up, which a fork reads.
    let run = desk.begin("r", rest, briefing::log::Cause::Responsibility("digest".to_owned()), PERSONA).await;
    let round = desk.round(&run, 0, &["c"], 35).await.entry;
    let digest = desk.append(Append::message(said("digest"), Target::Thread(rest), live(70)).by(run)).await.place.entry;
    let reader = desk.fork(rest, EntryId::new(3)).await;
    assert_eq!(desk.read(reader).await, [EntryId::new(2), round, EntryId::new(3)]);
    assert_fails!(store.split(&owner, digest).await, StoreError::Forked { fork, .. } if *fork == reader);
    assert_eq!(desk.read(rest).await, [EntryId::new(2), round, EntryId::new(3), digest]);
}

pub(super) async fn a_fork_follows_a_thread_that_was_merged(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, fork) = forked(desk).await;
    let own = desk.say(fork, "own", 50).await;
    let into = desk.thread().await;
    store.merge(&owner, thread, into).await.unwrap();
    assert_eq!(desk.read(fork).await, [EntryId::new(0), EntryId::new(1), own]);
    let again = desk.fork(thread, EntryId::new(3)).await;
    assert_eq!(desk.read(again).await, [0, 1, 2, 3].map(EntryId::new));
    desk.say(into, "x", 15).await;
    assert_eq!(desk.read(fork).await, [EntryId::new(0), EntryId::new(1), own]);
    // Merged with what it was forked off, it is one thread with that.
    store.merge(&owner, into, fork).await.unwrap();
    assert_eq!(desk.read(fork).await, [0, 5, 1, 2, 3, 4].map(EntryId::new));
    assert_eq!(desk.read(thread).await, desk.read(fork).await);
}

/// Threads are not made one where a third one would read something else then.
pub(super) async fn merging_changes_nothing_of_what_forks_read(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, one) = forked(desk).await;
    let own = desk.say(one, "one", 50).await;
    let reader = desk.fork(one, own).await;
    let other = desk.thread().await;
    let early = desk.say(other, "early", 5).await;
    let late = desk.fork(other, early).await;
    let two = desk.fork(thread, EntryId::new(3)).await;
    let threads = [thread, one, two, reader, other, late];
    let mut reads = Vec::new();
    for thread in threads {
        reads.push(desk.read(thread).await);
    }
    assert_eq!(reads[3], [EntryId::new(0), EntryId::new(1), own]);
    // By its old number what it was forked off would be lost, of one and of two; its fork would read more of what both were forked
    // off; and a fork would read the early one, which was there before it.
    let refused = [(one, other), (two, other), (one, two), (other, thread)];
    for (from, into) in refused {
        assert_fails!(store.merge(&owner, from, into).await, StoreError::Forked { .. });
    }
    for (thread, reads) in threads.into_iter().zip(&reads) {
        assert_eq!(desk.read(thread).await, *reads, "nothing has changed");
    }
    // A thread that was forked off this one joins it, as nothing reads it.
    store.merge(&owner, two, thread).await.unwrap();
    assert_eq!(desk.read(two).await, desk.read(thread).await);
    assert_eq!((desk.read(reader).await, desk.read(late).await), (reads[3].clone(), reads[5].clone()));
}

/// A mail that leads to both makes them one only where no fork would read something else then.
pub(super) async fn a_mail_merges_no_thread_that_a_fork_would_read(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let one = desk.mail(mail("b@x", "a@x", "ann"), 10).await;
    let two = desk.mail(mail("c@x", "a@x", "bo"), 20).await;
    let fork = desk.fork(two.thread, two.place.entry).await;
    let root = desk.mail(mail("a@x", "", "carl ann bo"), 30).await;
    assert_eq!((root.thread, root.fate), (one.thread, Fate::New { merged: Vec::new(), reused: None }));
    assert_eq!(desk.read(one.thread).await, [one.place.entry, root.place.entry]);
    assert_eq!((desk.read(two.thread).await, desk.read(fork).await), (vec![two.place.entry], vec![two.place.entry]));
}

/// A window of a fork may begin in what it reads of the old thread.
pub(super) async fn an_anchor_of_a_fork_may_stand_in_what_was_there(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, fork) = forked(desk).await;
    let own = desk.say(fork, "own", 50).await;
    let run = desk.answer("r", fork, own).await;
    let key = |thread| AnchorKey { thread, persona: PERSONA.to_owned(), view: "chat".to_owned(), model: "m".to_owned() };
    let move_to = |entry| {
        let (run, key): (RunId, AnchorKey) = (run.clone(), key(fork));
        async move { store.move_anchor(&OwnerId::default(), &run.clone().into(), &key, entry).await }
    };
    move_to(EntryId::new(1)).await.unwrap();
    assert_eq!(store.anchor(&owner, &key(fork)).await.unwrap(), Some(EntryId::new(1)));
    assert_eq!(store.anchor(&owner, &key(thread)).await.unwrap(), None);
    assert_fails!(move_to(EntryId::new(2)).await, StoreError::UnknownEntry { .. });
    // Past what was erased, to the fork's own.
    store.forget(&owner, &Forget::Before(at(45)), at(90)).await.unwrap();
    assert_eq!(store.anchor(&owner, &key(fork)).await.unwrap(), Some(own));
    move_to(own).await.unwrap();
    assert_eq!(store.anchor(&owner, &key(fork)).await.unwrap(), Some(own));
}
