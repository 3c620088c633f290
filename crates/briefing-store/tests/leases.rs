//! Leases between two stores on one file, as two processes have them: whoever takes a thread is alone there.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::path::Path;
use std::sync::Barrier;
use std::time::Duration;

use briefing::log::{Cause, Run, Settled};
use briefing::message::{Assistant, EntryId, OwnerId, RunId, ThreadId};
use briefing_store::{
    Durability, KeptRequest, Lease, Moment, OwnerStore, RunEnd, Settings, SqliteStore, Step, Store, StoreError, Writer,
};
use jiff::Timestamp;
use pollster::block_on;
use proptest::prelude::*;

const RACES: usize = 30;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn open(folder: &Path) -> SqliteStore {
    let settings = Settings { durability: Durability::Process, patience: Duration::from_mins(1), ..Settings::default() };
    SqliteStore::create(&folder.join("briefing.db"), settings).unwrap()
}

fn begin(store: &dyn Store, id: &str, thread: ThreadId) -> RunId {
    let (id, cause) = (RunId::new(id), Cause::Responsibility("digest".to_owned()));
    let run = Run { id: id.clone(), thread, cause, persona: "desk@shop.example".into() };
    block_on(store.begin_run(&OwnerId::default(), run)).unwrap();
    id
}

/// Does that in both stores at once.
fn race<T: Send>(stores: &[SqliteStore; 2], work: impl Fn(&SqliteStore, usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let threads: Vec<_> = stores
            .iter()
            .enumerate()
            .map(|(at, store)| {
                scope.spawn({
                    let (start, work) = (&start, &work);
                    move || {
                        start.wait();
                        work(store, at)
                    }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn of_two_who_take_a_thread_at_once_one_gets_it() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [open(folder.path()), open(folder.path())];
    let owner = OwnerId::default();
    for number in 0..RACES {
        let thread = block_on(stores[0].open_thread(&owner)).unwrap();
        let runs = ["a", "b"].map(|name| begin(&stores[0], &format!("{name}{number}"), thread));
        let results =
            race(&stores, |store, at| block_on(store.lease(&owner, &runs[at], self::at(100), Duration::from_mins(1))));
        let taken: Vec<&Lease> = results.iter().filter_map(|result| result.as_ref().ok()).collect();
        assert_eq!(taken.len(), 1);
        let refused =
            results.iter().filter(|result| matches!(result, Err(StoreError::Leased { run, .. }) if run == taken[0].run()));
        assert_eq!(refused.count(), 1);
        // What one does once, the other does not do again.
        let writer = Writer::from(taken[0]);
        let steps = race(&stores, |store, _| block_on(store.begin_step(&owner, &writer, "send", at(101))).unwrap());
        assert_eq!(steps.iter().filter(|step| **step == Step::First).count(), 1);
    }
    assert_eq!(block_on(stores[0].verify()).unwrap().faults, []);
}

#[test]
fn of_two_who_claim_a_card_at_once_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let stores = [open(folder.path()), open(folder.path())];
    let owner = OwnerId::default();
    let thread = block_on(stores[0].open_thread(&owner)).unwrap();
    for number in 0..RACES {
        let card = briefing::log::Card {
            run: None,
            call: briefing::message::ToolCall::new("c", "cancel", "{}"),
            action: "Cancel".to_owned(),
            language: "en".to_owned(),
            preview: String::new(),
            fingerprint: String::new(),
            expires: None,
        };
        let append = briefing_store::Append::card(card, thread, briefing::log::Arrival::Live(at(1)));
        let card = block_on(stores[number % 2].append(&owner, vec![append])).unwrap()[0].place.entry;
        // A person cancels it while it is claimed: one of the two.
        let results = race(&stores, |store, who| match who {
            0 => block_on(store.claim_card(&owner, card, at(2))),
            _ => block_on(store.settle(&owner, card, Settled::Cancelled, None, at(2))).map(|_| ()),
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    }
    assert_eq!(block_on(stores[0].verify()).unwrap().faults, []);
}

#[test]
fn a_store_of_one_owner_is_read_as_of_a_moment() {
    use briefing::ports::History;
    let folder = tempfile::tempdir().unwrap();
    let store = std::sync::Arc::new(open(folder.path()));
    let owner = OwnerId::default();
    let thread = block_on(store.open_thread(&owner)).unwrap();
    let say = |text: &str| {
        let message = briefing::ModelMessage::user(text);
        let target = briefing_store::Target::Thread(thread);
        let append = briefing_store::Append::message(message, target, briefing::log::Arrival::Live(at(1)));
        block_on(store.append(&owner, vec![append])).unwrap()[0].place.entry
    };
    let first = say("first");
    let head = block_on(store.next_entry(&owner)).unwrap();
    let second = say("second");
    let now = OwnerStore::new(store.clone(), owner.clone());
    let then = now.clone().as_of(head);
    let entry = |history: &OwnerStore, entry| block_on(History::entry(history, entry)).unwrap().map(|entry| entry.id);
    assert_eq!((entry(&now, second), entry(&then, second)), (Some(second), None));
    assert_eq!((entry(&then, first), Moment::Before(head)), (Some(first), Moment::Before(EntryId::new(1))));
}

/// What two runs try at their thread, by a clock that goes as it likes.
#[derive(Debug, Clone)]
enum Try {
    Lease(usize, u8, u8),
    Renew(usize, u8, u8),
    Write(usize, u8),
    End(usize, u8),
}

fn tries() -> impl Strategy<Value = Vec<Try>> {
    // At times the clock is wrong by more than clocks may differ.
    let (run, time) = (|| 0_usize..2, || prop_oneof![3 => 0_u8..40, 1 => 80_u8..110]);
    let one = prop_oneof![
        4 => (run(), time(), 0_u8..10).prop_map(|(run, at, lasts)| Try::Lease(run, at, lasts)),
        2 => (0_usize..9, time(), 0_u8..10).prop_map(|(lease, at, lasts)| Try::Renew(lease, at, lasts)),
        5 => (0_usize..9, time()).prop_map(|(lease, at)| Try::Write(lease, at)),
        1 => (0_usize..9, time()).prop_map(|(lease, at)| Try::End(lease, at)),
    ];
    prop::collection::vec(one, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Whatever is tried: a lease is given only where none holds, and only who has the newest one writes.
    #[test]
    fn only_who_has_the_newest_lease_writes(tries in tries()) {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let owner = OwnerId::default();
        let thread = block_on(store.open_thread(&owner)).unwrap();
        let runs = ["a", "b"].map(|name| begin(&store, name, thread));
        let mut leases: Vec<Lease> = Vec::new();
        // The newest lease, while it was not given back; and which runs have ended.
        let (mut newest, mut ended) = (None::<Lease>, [false; 2]);
        let index = |lease: &Lease| usize::from(lease.run().as_str() == "b");
        let mut writes = 0;
        for one in tries {
            let seconds = |lasts: u8| Duration::from_secs(u64::from(lasts));
            match one {
                Try::Lease(run, now, lasts) => {
                    let now = at(i64::from(now));
                    let early = now.checked_add(Duration::from_mins(1)).unwrap();
                    let free = newest
                        .as_ref()
                        .is_none_or(|lease| lease.until() <= now || early < lease.time().renewed());
                    let taken = block_on(store.lease(&owner, &runs[run], now, seconds(lasts)));
                    prop_assert_eq!(taken.is_ok(), free && !ended[run]);
                    if let Ok(lease) = taken {
                        prop_assert!(leases.iter().all(|older| older.fence() < lease.fence()));
                        leases.push(lease.clone());
                        newest = Some(lease);
                    }
                }
                Try::Renew(of, now, lasts) if !leases.is_empty() => {
                    let lease = &leases[of % leases.len()];
                    let renewed = block_on(store.renew(&owner, lease, at(i64::from(now)), seconds(lasts)));
                    let is_newest = newest.as_ref().is_some_and(|newest| newest.fence() == lease.fence());
                    prop_assert_eq!(renewed.is_ok(), is_newest);
                    if let Ok(renewed) = renewed {
                        let before = newest.unwrap().time();
                        let set_back = renewed.time().renewed() < before.renewed();
                        prop_assert!(set_back || before.until() <= renewed.until());
                        prop_assert!(renewed.time().holds_at(at(i64::from(now))) || lasts == 0);
                        newest = Some(renewed);
                    }
                }
                Try::Write(of, now) if !leases.is_empty() => {
                    let lease = &leases[of % leases.len()];
                    writes += 1;
                    let said = Assistant::default();
                    let written = block_on(store.append_round(&owner, &lease.into(), writes, said, at(i64::from(now))));
                    let is_newest = newest.as_ref().is_some_and(|newest| newest.fence() == lease.fence());
                    prop_assert_eq!(written.is_ok(), is_newest);
                }
                Try::End(of, now) if !leases.is_empty() => {
                    let lease = &leases[of % leases.len()];
                    let done = block_on(store.end_run(&owner, &lease.into(), RunEnd::Answered, None, at(i64::from(now))));
                    let is_newest = newest.as_ref().is_some_and(|newest| newest.fence() == lease.fence());
                    if is_newest {
                        prop_assert!(done.is_ok());
                        ended[index(lease)] = true;
                        newest = None;
                    } else if !ended[index(lease)] {
                        let fenced = matches!(done, Err(StoreError::Fenced { .. }));
                        prop_assert!(fenced);
                    }
                }
                Try::Renew(..) | Try::Write(..) | Try::End(..) => {}
            }
        }
        prop_assert_eq!(block_on(store.verify()).unwrap().faults, []);
    }
}

#[test]
fn a_request_that_was_kept_is_in_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let owner = OwnerId::default();
    let run = begin(&store, "run", block_on(store.open_thread(&owner)).unwrap());
    let request = KeptRequest {
        wire: "anthropic".to_owned(),
        model: "m".to_owned(),
        round: 0,
        body: vec![b'x'; 100_000],
        receipt: "{}".to_owned(),
        inputs: "{}".to_owned(),
    };
    block_on(store.keep_request(&owner, &run.clone().into(), request.clone(), at(1))).unwrap();
    let copy = folder.path().join("copy.db");
    assert_eq!(store.backup(&copy).unwrap().content_bytes, 100_000);
    let copy = SqliteStore::open(&copy, Settings::default()).unwrap();
    let kept = block_on(copy.requests(&owner, &run)).unwrap();
    assert_eq!(kept.into_iter().map(|kept| kept.request).collect::<Vec<_>>(), [request]);
    assert_eq!(block_on(copy.verify()).unwrap().faults, []);
}
