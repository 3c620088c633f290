//! Leases: who may write for a run, and how runs end.

use std::time::Duration;

use briefing::log::Cause;
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};

use super::desk::{Desk, PERSONA, assert_fails, at, live, said};
use crate::{
    AnchorKey, Append, Ended, KeptRequest, Lease, LeaseTime, RunEnd, RunSummary, Spent, Step, Store, StoreError, Target, Writer,
};

const MINUTE: Duration = Duration::from_secs(60);

async fn lease(desk: Desk<'_>, run: &RunId, second: i64) -> Lease {
    desk.store.lease(desk.owner, run, at(second), MINUTE).await.unwrap()
}

async fn scheduled(desk: Desk<'_>, run: &str, thread: ThreadId) -> RunId {
    desk.begin(run, thread, Cause::Responsibility("digest".to_owned()), PERSONA).await
}

async fn summary(desk: Desk<'_>, run: &RunId) -> RunSummary {
    desk.store.run(desk.owner, run).await.unwrap().unwrap()
}

fn request(body: &[u8]) -> KeptRequest {
    KeptRequest {
        wire: "anthropic".to_owned(),
        model: "m".to_owned(),
        round: 0,
        body: body.to_vec(),
        receipt: "{}".to_owned(),
        inputs: "{}".to_owned(),
    }
}

pub(super) async fn one_run_has_a_thread(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let (one, two) = (scheduled(desk, "one", thread).await, scheduled(desk, "two", thread).await);
    let apart = scheduled(desk, "apart", other).await;
    let first = lease(desk, &one, 100).await;
    assert_eq!((first.run(), first.thread(), first.until()), (&one, thread, at(160)));
    for run in [&one, &two] {
        let refused = store.lease(&owner, run, at(159), MINUTE).await;
        assert_fails!(refused, StoreError::Leased { thread: of, run, until }
            if *of == thread && *run == one && *until == at(160));
    }
    assert_eq!(lease(desk, &apart, 100).await.thread(), other);
    // Clocks may differ by a minute.
    assert_fails!(store.lease(&owner, &two, at(40), MINUTE).await, StoreError::Leased { .. });
    let second = lease(desk, &two, 160).await;
    assert!(second.fence() > first.fence());
    let absent = RunId::new("absent");
    assert_fails!(store.lease(&owner, &absent, at(1), MINUTE).await, StoreError::UnknownRun { run } if *run == absent);
    assert_eq!(summary(desk, &one).await.began, Some(at(100)));
    assert_eq!(
        (summary(desk, &one).await.lease, summary(desk, &two).await.lease),
        (None, Some(LeaseTime::new(at(160), at(220))))
    );
}

pub(super) async fn the_same_run_goes_on_after_its_lease_lapsed(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let run = scheduled(desk, "run", desk.thread().await).await;
    let dead = lease(desk, &run, 100).await;
    // One that has lapsed and that nobody took still writes.
    store.append_round(&owner, &(&dead).into(), 0, Assistant::default(), at(500)).await.unwrap();
    let alive = lease(desk, &run, 500).await;
    let round = store.append_round(&owner, &(&dead).into(), 1, Assistant::default(), at(501)).await;
    assert_fails!(round, StoreError::Fenced { run: of } if *of == run);
    store.append_round(&owner, &(&alive).into(), 1, Assistant::default(), at(501)).await.unwrap();
    assert_eq!(summary(desk, &run).await.began, Some(at(100)));
}

pub(super) async fn a_lease_is_renewed_until_somebody_takes_it(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (scheduled(desk, "one", thread).await, scheduled(desk, "two", thread).await);
    let first = lease(desk, &one, 100).await;
    let longer = store.renew(&owner, &first, at(150), MINUTE).await.unwrap();
    assert_eq!(longer, Lease::new(one.clone(), thread, first.fence(), LeaseTime::new(at(150), at(210))));
    // It ends no sooner for being renewed for a shorter time, and an old copy of it is as good.
    let same = store.renew(&owner, &first, at(151), Duration::from_secs(1)).await.unwrap();
    assert_eq!(same.time(), LeaseTime::new(at(151), at(210)));
    assert_eq!(store.renew(&owner, &first, at(300), MINUTE).await.unwrap().until(), at(360));
    lease(desk, &two, 360).await;
    let refused = store.renew(&owner, &longer, at(361), MINUTE).await;
    assert_fails!(refused, StoreError::Fenced { run } if *run == one);
}

pub(super) async fn a_lease_that_is_given_back_is_free_at_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (scheduled(desk, "one", thread).await, scheduled(desk, "two", thread).await);
    let first = lease(desk, &one, 100).await;
    store.release(&owner, &first).await.unwrap();
    assert_eq!((summary(desk, &one).await.lease, summary(desk, &one).await.end), (None, None));
    // Whoever gave it back writes no more, and cannot give it back again.
    assert_fails!(store.begin_step(&owner, &(&first).into(), "x", at(101)).await, StoreError::Fenced { .. });
    assert_fails!(store.release(&owner, &first).await, StoreError::Fenced { .. });
    let second = lease(desk, &two, 101).await;
    assert_fails!(store.release(&owner, &first).await, StoreError::Fenced { .. });
    store.end_run(&owner, &(&second).into(), RunEnd::Answered, None, at(102)).await.unwrap();
    assert_fails!(store.release(&owner, &second).await, StoreError::RunEnded { .. });
    // The same run goes on.
    assert!(lease(desk, &one, 103).await.fence() > first.fence());
}

pub(super) async fn who_is_fenced_off_writes_nothing(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (scheduled(desk, "one", thread).await, scheduled(desk, "two", thread).await);
    let entry = desk.say(thread, "hello", 1).await;
    let lost = lease(desk, &one, 100).await;
    let said_before = store.append_round(&owner, &(&lost).into(), 0, said_call(), at(101)).await.unwrap();
    lease(desk, &two, 200).await;
    let len = desk.len().await;
    let key = AnchorKey { thread, persona: PERSONA.to_owned(), view: String::new(), model: "m".to_owned() };
    // With the fence that it had, and without any.
    for writer in [Writer::from(&lost), Writer::new(one.clone())] {
        let answer = said_before.said.calls().next().unwrap().id.clone();
        let message = Append::message(said("x"), Target::Thread(thread), live(201)).by(writer.clone());
        let results = [
            store.append_round(&owner, &writer, 0, said_call(), at(201)).await.map(|_| ()),
            store.append_round(&owner, &writer, 1, said_call(), at(201)).await.map(|_| ()),
            store.append_outcome(&owner, &writer, Outcome::text(answer, "x"), at(201)).await.map(|_| ()),
            store.wrote(&owner, &writer, entry).await,
            store.move_anchor(&owner, &writer, &key, entry).await,
            store.append(&owner, vec![message]).await.map(|_| ()),
            store.spend(&owner, &writer, Spent { requests: 1, ..Spent::default() }).await,
            store.begin_step(&owner, &writer, "send", at(201)).await.map(|_| ()),
            store.keep_request(&owner, &writer, request(b"x"), at(201)).await.map(|_| ()),
            store.end_run(&owner, &writer, RunEnd::Answered, None, at(201)).await,
        ];
        for result in results {
            assert_fails!(result, StoreError::Fenced { run } if *run == one);
        }
    }
    assert_eq!(desk.len().await, len);
    assert_eq!(store.anchor(&owner, &key).await.unwrap(), None);
    let left = summary(desk, &one).await;
    assert_eq!((left.rounds, left.spent, left.end), (1, Spent::default(), None));
    assert_eq!(store.steps(&owner, &one).await.unwrap(), []);
    assert_eq!(store.requests(&owner, &one).await.unwrap(), []);
}

fn said_call() -> Assistant {
    let call = briefing::message::Item::Call(super::desk::call("c"));
    Assistant { items: vec![call], ..Assistant::default() }
}

pub(super) async fn a_run_ends_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    for (n, end) in RunEnd::ALL.into_iter().enumerate() {
        let run = scheduled(desk, end.name(), thread).await;
        let held = lease(desk, &run, 100).await;
        let writer = Writer::from(&held);
        store.end_run(&owner, &writer, end, Some("as it was"), at(110)).await.unwrap();
        store.end_run(&owner, &writer, end, Some("again"), at(120)).await.unwrap();
        let ended = Ended { how: end, detail: Some("as it was".to_owned()), at: at(110) };
        let told = summary(desk, &run).await;
        assert_eq!((told.end, told.lease, told.began), (Some(ended), None, Some(at(100))));
        let other = RunEnd::ALL[(n + 1) % RunEnd::ALL.len()];
        let refused = store.end_run(&owner, &writer, other, None, at(120)).await;
        assert_fails!(refused, StoreError::RunEnded { run: of } if *of == run);
        assert_fails!(store.lease(&owner, &run, at(500), MINUTE).await, StoreError::RunEnded { .. });
        assert_fails!(store.renew(&owner, &held, at(120), MINUTE).await, StoreError::RunEnded { .. });
        assert_eq!(RunEnd::from_name(end.name()), Some(end));
    }
    assert_eq!(RunEnd::from_name("Answered"), None);
}

pub(super) async fn a_run_that_has_ended_repeats_but_writes_nothing(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let entry = desk.say(thread, "hello", 1).await;
    let leased = scheduled(desk, "leased", thread).await;
    let never = scheduled(desk, "never", thread).await;
    let key = AnchorKey { thread, persona: PERSONA.to_owned(), view: String::new(), model: "m".to_owned() };
    for writer in [Writer::from(&lease(desk, &leased, 100).await), Writer::new(never)] {
        let round = store.append_round(&owner, &writer, 0, said_call(), at(101)).await.unwrap();
        store.wrote(&owner, &writer, entry).await.unwrap();
        store.move_anchor(&owner, &writer, &key, entry).await.unwrap();
        assert_eq!(store.begin_step(&owner, &writer, "send", at(102)).await.unwrap(), Step::First);
        store.end_run(&owner, &writer, RunEnd::Answered, None, at(103)).await.unwrap();
        assert_eq!(store.append_round(&owner, &writer, 0, said_call(), at(104)).await.unwrap(), round);
        store.wrote(&owner, &writer, entry).await.unwrap();
        store.move_anchor(&owner, &writer, &key, entry).await.unwrap();
        assert_eq!(store.begin_step(&owner, &writer, "send", at(104)).await.unwrap(), Step::Again);
        let call = round.said.calls().next().unwrap().id.clone();
        let more = desk.say(thread, "more", 105).await;
        let message = Append::message(said("x"), Target::Thread(thread), live(106)).by(writer.clone());
        let results = [
            store.append_round(&owner, &writer, 1, said_call(), at(106)).await.map(|_| ()),
            store.append_outcome(&owner, &writer, Outcome::text(call, "x"), at(106)).await.map(|_| ()),
            store.wrote(&owner, &writer, more).await,
            store.move_anchor(&owner, &writer, &key, more).await,
            store.append(&owner, vec![message]).await.map(|_| ()),
            store.spend(&owner, &writer, Spent::default()).await,
            store.begin_step(&owner, &writer, "draft", at(106)).await.map(|_| ()),
            store.keep_request(&owner, &writer, request(b"x"), at(106)).await.map(|_| ()),
        ];
        for result in results {
            assert_fails!(result, StoreError::RunEnded { run } if *run == writer.run);
        }
    }
}

pub(super) async fn others_tell_that_a_run_is_lost(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (scheduled(desk, "one", thread).await, scheduled(desk, "two", thread).await);
    let dead = lease(desk, &one, 100).await;
    let tell = |run: &RunId, end, second| {
        let writer = Writer::new(run.clone());
        let owner = owner.clone();
        async move { store.end_run(&owner, &writer, end, None, at(second)).await }
    };
    assert_fails!(tell(&one, RunEnd::Lost, 159).await, StoreError::Leased { run, until, .. } if *run == one && *until == at(160));
    assert_fails!(tell(&one, RunEnd::Failed, 160).await, StoreError::Fenced { .. });
    lease(desk, &two, 160).await;
    // Another run has the thread, and goes on.
    tell(&one, RunEnd::Lost, 161).await.unwrap();
    tell(&one, RunEnd::Lost, 162).await.unwrap();
    assert_eq!(summary(desk, &one).await.end, Some(Ended { how: RunEnd::Lost, detail: None, at: at(161) }));
    assert_fails!(store.renew(&owner, &dead, at(163), MINUTE).await, StoreError::RunEnded { .. });
    assert_eq!(summary(desk, &two).await.lease, Some(LeaseTime::new(at(160), at(220))));
    store.end_run(&owner, &Writer::new(RunId::new("absent")), RunEnd::Lost, None, at(1)).await.unwrap_err();
}

pub(super) async fn a_run_is_asked_to_stop(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let run = scheduled(desk, "run", desk.thread().await).await;
    let held = lease(desk, &run, 100).await;
    assert!(!store.stop_asked(&owner, &run).await.unwrap());
    store.stop_run(&owner, &run, at(101)).await.unwrap();
    store.stop_run(&owner, &run, at(102)).await.unwrap();
    assert!(store.stop_asked(&owner, &run).await.unwrap());
    assert!(!store.stop_asked(&OwnerId::new("bob"), &run).await.unwrap());
    let absent = RunId::new("absent");
    assert_fails!(store.stop_run(&owner, &absent, at(1)).await, StoreError::UnknownRun { .. });
    assert!(!store.stop_asked(&owner, &absent).await.unwrap());
    store.end_run(&owner, &(&held).into(), RunEnd::Stopped, None, at(103)).await.unwrap();
    store.stop_run(&owner, &run, at(104)).await.unwrap();
}

/// A clock is a year ahead, its process dies, and the clock is mended.
pub(super) async fn a_clock_that_was_wrong_locks_no_thread(store: &dyn Store) {
    const YEAR: i64 = 365 * 86_400;
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (scheduled(desk, "one", thread).await, scheduled(desk, "two", thread).await);
    let dead = lease(desk, &one, YEAR).await;
    // By that clock it holds, and by one that differs by a minute at most.
    let early = YEAR - 60;
    assert_fails!(store.lease(&owner, &two, at(early), MINUTE).await, StoreError::Leased { until, .. } if *until == at(YEAR + 60));
    let time = summary(desk, &one).await.lease.unwrap();
    assert_eq!((time, time.renewed(), time.until()), (dead.time(), at(YEAR), at(YEAR + 60)));
    let holds = [early - 1, early, YEAR, YEAR + 59, YEAR + 60].map(|second| time.holds_at(at(second)));
    assert_eq!(holds, [false, true, true, true, false]);
    let alive = lease(desk, &two, 100).await;
    assert!(alive.fence() > dead.fence());
    assert_fails!(store.renew(&owner, &dead, at(YEAR + 1), MINUTE).await, StoreError::Fenced { .. });
    // The same run goes on, and others may tell that it is lost.
    let other = scheduled(desk, "other", desk.thread().await).await;
    lease(desk, &other, YEAR).await;
    lease(desk, &other, early - 1).await;
    let lost = |second| {
        let (owner, writer) = (owner.clone(), Writer::new(other.clone()));
        async move { store.end_run(&owner, &writer, RunEnd::Lost, None, at(second)).await }
    };
    assert_fails!(lost(early - 61).await, StoreError::Leased { .. });
    lost(early - 62).await.unwrap();
}

pub(super) async fn a_renewal_follows_a_clock_that_was_set_back(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (scheduled(desk, "one", thread).await, scheduled(desk, "two", thread).await);
    let held = lease(desk, &one, 10_000).await;
    // The clock is mended while the run works: its lease lapses in time by the mended one.
    let renewed = store.renew(&owner, &held, at(100), MINUTE).await.unwrap();
    assert_eq!(renewed.time(), LeaseTime::new(at(100), at(160)));
    assert_fails!(store.lease(&owner, &two, at(159), MINUTE).await, StoreError::Leased { until, .. } if *until == at(160));
    let renewed = store.renew(&owner, &held, at(110), Duration::from_secs(1)).await.unwrap();
    assert_eq!(renewed.time(), LeaseTime::new(at(110), at(160)));
    assert_eq!(summary(desk, &one).await.lease, Some(renewed.time()));
    lease(desk, &two, 160).await;
}

pub(super) async fn leases_follow_merge_and_split(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (from, into) = (desk.thread().await, desk.thread().await);
    let entry = desk.say(from, "x", 1).await;
    let (one, two) = (desk.answer("one", from, entry).await, scheduled(desk, "two", into).await);
    let (first, second) = (lease(desk, &one, 100).await, lease(desk, &two, 50).await);
    store.merge(&owner, from, into).await.unwrap();
    // The one that ends later stays.
    assert_fails!(store.begin_step(&owner, &(&second).into(), "x", at(101)).await, StoreError::Fenced { .. });
    assert_eq!(store.renew(&owner, &first, at(101), MINUTE).await.unwrap().thread(), into);
    assert_fails!(store.lease(&owner, &two, at(102), MINUTE).await, StoreError::Leased { run, .. } if *run == one);
    desk.say(into, "before", 0).await;
    let new = store.split(&owner, entry).await.unwrap();
    assert_eq!(store.renew(&owner, &first, at(103), MINUTE).await.unwrap().thread(), new);
    assert_eq!(lease(desk, &two, 104).await.thread(), into);
    // Nobody else has a lease in what it becomes part of.
    let free = desk.thread().await;
    store.merge(&owner, new, free).await.unwrap();
    assert_eq!(store.renew(&owner, &first, at(105), MINUTE).await.unwrap().thread(), free);
    assert_eq!(desk.read(free).await, [EntryId::new(0)]);
}

pub(super) async fn what_a_run_says_stands_in_its_thread(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let old = desk.thread().await;
    desk.say(old, "before", 0).await;
    let entry = desk.say(old, "question", 1).await;
    let run = desk.answer("run", old, entry).await;
    let held = lease(desk, &run, 100).await;
    let new = store.split(&owner, entry).await.unwrap();
    let answer = Append::message(said("answer"), Target::Thread(old), live(101)).answer_by(&held);
    let answer = store.append(&owner, vec![answer]).await.unwrap().remove(0);
    assert_eq!(answer.thread, new);
    assert_eq!(desk.read(new).await, [entry, answer.place.entry]);
    assert_eq!(store.answer_of(&owner, &run).await.unwrap(), Some(answer.place.entry));
}
