//! What runs did: lists of them, rounds, steps, requests, and what they spent.

use std::time::Duration;

use briefing::log::{Cause, RecordedOutcome, RecordedRound};
use briefing::message::{Outcome, OwnerId, RunId, ThreadId};

use super::desk::{Desk, PERSONA, assert_fails, at};
use crate::{Forget, KeptRequest, RunEnd, RunNumber, RunRequest, RunSummary, RunsOf, Spent, Step, Store, StoreError, Writer};

async fn scheduled(desk: Desk<'_>, run: &str, thread: ThreadId) -> RunId {
    desk.begin(run, thread, Cause::Responsibility("digest".to_owned()), PERSONA).await
}

pub(super) async fn runs_are_listed_newest_first(store: &dyn Store) {
    let (owner, bob) = (OwnerId::default(), OwnerId::new("bob"));
    let desk = Desk { store, owner: &owner };
    let other = Desk { store, owner: &bob };
    scheduled(other, "bobs", other.thread().await).await;
    let threads = [desk.thread().await, desk.thread().await];
    for n in 0..6 {
        scheduled(desk, &format!("run{n}"), threads[n % 2]).await;
    }
    let list = |of: RunsOf| {
        let owner = owner.clone();
        async move {
            let found = store.runs(&owner, of).await.unwrap();
            found.iter().map(|run: &RunSummary| run.run.id.as_str().to_owned()).collect::<Vec<_>>()
        }
    };
    assert_eq!(list(RunsOf::newest(9)).await, ["run5", "run4", "run3", "run2", "run1", "run0"]);
    let of_one = RunsOf { thread: Some(threads[1]), ..RunsOf::newest(2) };
    assert_eq!(list(of_one).await, ["run5", "run3"]);
    assert_eq!(list(RunsOf { before: Some(RunNumber::new(3)), ..of_one }).await, ["run1"]);
    assert_eq!(list(RunsOf { thread: Some(ThreadId::new(9)), ..of_one }).await, [""; 0]);
    // Open is what was leased and has not ended.
    assert_eq!(list(RunsOf { open: true, ..RunsOf::newest(9) }).await, [""; 0]);
    for n in [0, 3, 4] {
        let run = RunId::new(format!("run{n}"));
        let lease = store.lease(&owner, &run, at(n * 100), Duration::from_secs(60)).await.unwrap();
        if n == 4 {
            store.end_run(&owner, &(&lease).into(), RunEnd::Limit, None, at(401)).await.unwrap();
        }
    }
    assert_eq!(list(RunsOf { open: true, ..RunsOf::newest(9) }).await, ["run3", "run0"]);
    assert_eq!(list(RunsOf { open: true, before: Some(RunNumber::new(3)), ..RunsOf::newest(9) }).await, ["run0"]);
    assert_eq!(list(RunsOf { open: true, ..of_one }).await, ["run3"]);
    store.merge(&owner, threads[0], threads[1]).await.unwrap();
    assert_eq!(list(RunsOf { thread: Some(threads[0]), open: true, ..RunsOf::newest(9) }).await, ["run3", "run0"]);
    assert_eq!(store.run(&bob, &RunId::new("run0")).await.unwrap(), None);
}

pub(super) async fn all_rounds_of_a_run_are_read(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let entry = desk.say(thread, "x", 1).await;
    let (run, other) = (desk.answer("run", thread, entry).await, desk.answer("other", thread, entry).await);
    let second = desk.round(&run, 7, &["b"], 2).await;
    desk.round(&other, 0, &["c"], 3).await;
    let first = desk.round(&run, 2, &["a"], 4).await;
    let id = first.said.calls().next().unwrap().id.clone();
    let outcome = desk.outcome(&run, Outcome::text(id.clone(), "done"), 5).await;
    let outcomes = vec![RecordedOutcome { entry: outcome, outcome: Outcome::text(id, "done").into() }];
    let told = store.run_rounds(&owner, &run).await.unwrap();
    assert_eq!(told, [RecordedRound { outcomes, ..first }, second]);
    assert_eq!(store.run(&owner, &run).await.unwrap().unwrap().rounds, 2);
    assert_eq!(store.run_rounds(&owner, &RunId::new("absent")).await.unwrap(), []);
    assert_eq!(store.run_rounds(&OwnerId::new("bob"), &run).await.unwrap(), []);
}

pub(super) async fn what_is_spent_adds_up(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let run = scheduled(desk, "run", desk.thread().await).await;
    let writer = Writer::new(run.clone());
    let once = Spent { requests: 1, input: 2, output: 3, cache_read: 4, cache_written: 5, reasoning: 6 };
    store.spend(&owner, &writer, once).await.unwrap();
    store.spend(&owner, &writer, Spent { input: 10, ..once }).await.unwrap();
    let spent = store.run(&owner, &run).await.unwrap().unwrap().spent;
    assert_eq!(spent, Spent { requests: 2, input: 12, output: 6, cache_read: 8, cache_written: 10, reasoning: 12 });
    let absent = RunId::new("absent");
    assert_fails!(store.spend(&owner, &absent.into(), once).await, StoreError::UnknownRun { .. });
}

pub(super) async fn a_step_is_begun_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let run = scheduled(desk, "run", thread).await;
    let long = "é".repeat(100);
    for (second, key) in [(1, "send"), (2, ""), (3, long.as_str())] {
        let lease = store.lease(&owner, &run, at(second * 100), Duration::from_secs(1)).await.unwrap();
        let writer = Writer::from(&lease);
        assert_eq!(store.begin_step(&owner, &writer, key, at(second)).await.unwrap(), Step::First);
        assert_eq!(store.begin_step(&owner, &writer, key, at(50)).await.unwrap(), Step::Again);
        // Whoever held the lease then.
        assert_eq!(store.begin_step(&owner, &writer, "send", at(60)).await.unwrap(), Step::Again);
        let longer = format!("{long}x");
        let refused = store.begin_step(&owner, &writer, &longer, at(60)).await;
        assert_fails!(refused, StoreError::TooLarge { most: 200, .. });
    }
    let begun = vec![("send".to_owned(), at(1)), (String::new(), at(2)), (long.clone(), at(3))];
    assert_eq!(store.steps(&owner, &run).await.unwrap(), begun);
    let other = scheduled(desk, "other", thread).await;
    assert_eq!(store.begin_step(&owner, &other.into(), "send", at(4)).await.unwrap(), Step::First);
    assert_eq!(store.steps(&OwnerId::new("bob"), &run).await.unwrap(), []);
}

fn request(round: u32, body: &[u8]) -> KeptRequest {
    KeptRequest {
        wire: "gemini".to_owned(),
        model: "gemini-9".to_owned(),
        round,
        body: body.to_vec(),
        receipt: format!("{{\"round\":{round}}}"),
        inputs: "{\"now\":\"then\"}".to_owned(),
    }
}

async fn keep(desk: Desk<'_>, run: &RunId, round: u32, body: &[u8], second: i64) -> u32 {
    let writer = Writer::new(run.clone());
    desk.store.keep_request(desk.owner, &writer, request(round, body), at(second)).await.unwrap()
}

async fn numbers(desk: Desk<'_>, run: &RunId) -> Vec<u32> {
    desk.store.requests(desk.owner, run).await.unwrap().iter().map(|request| request.number).collect()
}

pub(super) async fn requests_are_kept_as_they_were_sent(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (run, other) = (scheduled(desk, "run", thread).await, scheduled(desk, "other", thread).await);
    let large = b"0123456789".repeat(20_000);
    let bodies: [&[u8]; 4] = [b"{}", &large, b"", b"{}"];
    for (n, body) in (0..).zip(bodies) {
        assert_eq!(keep(desk, &run, n / 2, body, i64::from(n)).await, n);
    }
    assert_eq!(keep(desk, &other, 0, &large, 9).await, 0);
    let kept = store.requests(&owner, &run).await.unwrap();
    let expected: Vec<RunRequest> = (0..)
        .zip(bodies)
        .map(|(n, body)| RunRequest { number: n, at: at(i64::from(n)), request: request(n / 2, body) })
        .collect();
    assert_eq!(kept, expected);
    assert_eq!(store.requests(&OwnerId::new("bob"), &run).await.unwrap(), []);
    assert_eq!(store.requests(&owner, &RunId::new("absent")).await.unwrap(), []);
    // Old ones go, and nothing else; the numbers go on.
    let what = Forget::Requests(at(2));
    let trial = store.would_forget(&owner, &what).await.unwrap();
    let report = store.forget(&owner, &what, at(10)).await.unwrap();
    assert_eq!((trial.requests, trial.blobs, trial.shared_blobs), (2, 0, 2), "others are of the same content");
    assert_eq!((report.requests, report.entries.len(), report.runs, report.threads), (2, 0, 0, 0));
    assert_eq!(numbers(desk, &run).await, [2, 3]);
    let report = store.forget(&owner, &Forget::Requests(at(100)), at(101)).await.unwrap();
    assert_eq!((report.requests, report.blobs, report.blob_bytes), (3, 3, 200_002));
    assert_eq!(keep(desk, &run, 5, b"{}", 102).await, 4);
    assert_eq!(store.forget(&OwnerId::new("bob"), &what, at(10)).await.unwrap().requests, 0);
}

pub(super) async fn requests_are_forgotten_with_what_they_may_hold(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let old = desk.say(thread, "secret", 1).await;
    let fork = desk.fork(thread, old).await;
    let late = desk.say(thread, "hello", 100).await;
    let apart = desk.say(other, "apart", 100).await;
    let of_fork = desk.say(fork, "go on", 100).await;
    let runs = [
        desk.answer("old", thread, old).await,
        desk.answer("late", thread, late).await,
        desk.answer("fork", fork, of_fork).await,
        desk.answer("apart", other, apart).await,
    ];
    for run in &runs {
        keep(desk, run, 0, run.as_str().as_bytes(), 200).await;
        store.begin_step(&owner, &run.clone().into(), "send", at(200)).await.unwrap();
    }
    let what = Forget::Before(at(50));
    let trial = store.would_forget(&owner, &what).await.unwrap();
    let report = store.forget(&owner, &what, at(300)).await.unwrap();
    assert_eq!((trial.requests, trial.runs, trial.blobs), (3, 1, 3));
    assert_eq!((report.requests, report.runs, report.blobs), (3, 1, 3));
    let mut left = Vec::new();
    for run in &runs {
        left.push((numbers(desk, run).await.len(), store.steps(&owner, run).await.unwrap().len()));
    }
    // The steps of a run that stays stay.
    assert_eq!(left, [(0, 0), (0, 1), (0, 1), (1, 1)]);
    let all = store.forget(&owner, &Forget::Owner, at(301)).await.unwrap();
    assert_eq!((all.requests, all.runs), (1, 3));
}
