//! Reading back, and the log as a whole.

use briefing::log::{Place, Settled};
use briefing::message::{EntryId, ModelMessage, Outcome, OwnerId, ThreadId};

use super::desk::{Desk, at, live, mail};
use crate::{Append, Kind, Store, Target};

/// <https://github.com/mastra-ai/mastra/issues/9991>
pub(super) async fn b31_the_newest_entries_are_read(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    for n in 0..50 {
        desk.say(thread, &n.to_string(), n).await;
        desk.say(other, "between", n).await;
    }
    let read = store.read_back(&owner, thread, None, None, 5).await.unwrap();
    let numbers: Vec<u64> = read.iter().map(|entry| entry.id.get()).collect();
    assert_eq!(numbers, [98, 96, 94, 92, 90], "the newest five, the newest first");
    assert_eq!(read[0], desk.entry(EntryId::new(98)).await);
    assert_eq!(store.read_back(&owner, thread, None, None, 1_000).await.unwrap().len(), 50);
    assert_eq!(store.read_back(&owner, thread, None, None, usize::MAX).await.unwrap().len(), 50);
    assert_eq!(store.read_back(&owner, thread, None, None, 0).await.unwrap(), []);
    assert_eq!(store.read_back(&owner, ThreadId::new(99), None, None, 5).await.unwrap(), []);
    assert_eq!(store.read_back(&owner, ThreadId::new(u64::MAX), None, None, 5).await.unwrap(), []);
}

pub(super) async fn a_thread_is_read_by_pages(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    for n in 0..23 {
        desk.say(thread, "x", n % 4).await;
    }
    let whole = desk.read(thread).await;
    let mut read = Vec::new();
    let mut before = None;
    loop {
        let page = store.read_back(&owner, thread, before, None, 5).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.place());
        read.extend(page.iter().map(|entry| entry.id));
    }
    read.reverse();
    assert_eq!(read, whole);
    // A place where nothing stands, and one at the end of all time.
    let between = Place { at: at(1), entry: EntryId::new(2) };
    assert_eq!(store.read_back(&owner, thread, Some(between), None, 1).await.unwrap()[0].id, EntryId::new(1));
    let end = Place { at: jiff::Timestamp::MAX, entry: EntryId::new(u64::MAX) };
    assert_eq!(store.read_back(&owner, thread, Some(end), None, 99).await.unwrap().len(), 23);
    let start = Place { at: jiff::Timestamp::MIN, entry: EntryId::new(0) };
    assert_eq!(store.read_back(&owner, thread, Some(start), None, 99).await.unwrap(), []);
}

pub(super) async fn one_kind_is_read_alone(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let mut all: Vec<(Kind, Vec<EntryId>)> = Kind::ALL.map(|kind| (kind, Vec::new())).to_vec();
    let mut note = |kind, entry| all.iter_mut().find(|(of, _)| *of == kind).unwrap().1.insert(0, entry);
    for n in 0..3 {
        let asked = desk.mail_to(thread, mail(&format!("m{n}@x"), "", "ann"), n).await;
        note(Kind::Mail, asked);
        note(Kind::Message, desk.say(thread, "x", n).await);
        let run = desk.answer(&n.to_string(), thread, asked).await;
        let round = desk.round(&run, 0, &["c"], n).await;
        note(Kind::Round, round.entry);
        let call = round.said.calls().next().unwrap().id.clone();
        note(Kind::Outcome, desk.outcome(&run, Outcome::text(call, "x"), n).await);
        let card = desk.card(thread, "x", n).await;
        note(Kind::Card, card);
        if n == 1 {
            note(Kind::Notice, desk.settle(card, Settled::Done, n).await);
        }
    }
    for (kind, entries) in &all {
        for count in [1, 2, 9] {
            let read = store.read_back(&owner, thread, None, Some(*kind), count).await.unwrap();
            let expected: Vec<EntryId> = entries.iter().copied().take(count).collect();
            assert_eq!(read.iter().map(|entry| entry.id).collect::<Vec<_>>(), expected, "{}, {count}", kind.name());
        }
        let Some(&newest) = entries.first() else { continue };
        let before = Some(desk.entry(newest).await.place());
        let read = store.read_back(&owner, thread, before, Some(*kind), 9).await.unwrap();
        assert_eq!(read.iter().map(|entry| entry.id).collect::<Vec<_>>(), entries[1..], "{}", kind.name());
    }
}

pub(super) async fn the_log_is_walked_from_a_number(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let threads = [desk.thread().await, desk.thread().await];
    for n in 0_usize..10 {
        desk.say(threads[n % 2], "x", 100 - i64::try_from(n).unwrap()).await;
    }
    let whole = store.log(&owner, EntryId::new(0), 100).await.unwrap();
    assert_eq!(whole.iter().map(|logged| logged.entry.id.get()).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    for logged in &whole {
        assert_eq!(Some(logged.thread), desk.thread_of(logged.entry.id).await);
        assert_eq!(logged.run, None);
    }
    assert_eq!(store.log(&owner, EntryId::new(3), 4).await.unwrap(), whole[3..7]);
    assert_eq!(store.log(&owner, EntryId::new(8), 4).await.unwrap(), whole[8..]);
    assert_eq!(store.log(&owner, EntryId::new(10), 4).await.unwrap(), []);
    assert_eq!(store.log(&owner, EntryId::new(u64::MAX), 4).await.unwrap(), []);
    assert_eq!(store.log(&owner, EntryId::new(0), 0).await.unwrap(), []);
    assert_eq!(store.entry(&owner, EntryId::new(u64::MAX)).await.unwrap(), None);
    assert_eq!(store.entry(&owner, EntryId::new(10)).await.unwrap(), None);
    assert_eq!(desk.thread_of(EntryId::new(10)).await, None);
}

/// <https://github.com/langchain-ai/langgraphjs/issues/1138>
pub(super) async fn b79_a_thousand_turns_take_a_thousand_rows_each(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let say = |n: i64, message| Append::message(message, Target::Thread(thread), live(n));
    let turns = (0..1_000).flat_map(|n| [say(n, ModelMessage::user("hi")), say(n, ModelMessage::assistant("hello"))]);
    let turns: Vec<Append> = turns.collect();
    for batch in turns.chunks(200) {
        let before = desk.len().await;
        assert_eq!(store.append(&owner, batch.to_vec()).await.unwrap().len(), 200);
        assert_eq!(desk.len().await, before + 200, "what a turn adds does not grow");
    }
    assert_eq!(store.thread(&owner, thread).await.unwrap().unwrap().entries, 2_000);
    let read = store.read_back(&owner, thread, None, None, 2).await.unwrap();
    assert_eq!(read.iter().map(|entry| entry.id.get()).collect::<Vec<_>>(), [1_999, 1_998]);
}
