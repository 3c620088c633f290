//! Scheduled work: what is due, and that it is done once.

use std::time::Duration;

use briefing::log::Cause;
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};

use super::desk::{Desk, PERSONA, assert_fails, at, live, mail, said};
use super::forget::erases;
use crate::{Append, Ended, Forget, RunEnd, RunsOf, Scheduled, Store, StoreError, Target};

const MINUTE: Duration = Duration::from_secs(60);

fn digest(run: &str, thread: ThreadId, second: i64) -> Scheduled {
    Scheduled { run: RunId::new(run), thread, persona: PERSONA.into(), responsibility: "digest".to_owned(), at: at(second) }
}

async fn schedule(desk: Desk<'_>, work: &Scheduled) {
    desk.store.schedule(desk.owner, work.clone()).await.unwrap();
}

/// All of it.
async fn scheduled(desk: Desk<'_>) -> Vec<Scheduled> {
    desk.store.scheduled(desk.owner, None, 1_000).await.unwrap()
}

async fn begin(desk: Desk<'_>, work: &Scheduled) -> RunId {
    desk.store.begin_run(desk.owner, work.as_run()).await.unwrap();
    work.run.clone()
}

pub(super) async fn what_is_scheduled_is_listed_by_its_time(store: &dyn Store) {
    let (owner, other) = (OwnerId::new("ann"), OwnerId::new("bob"));
    let (desk, bob) = (Desk { store, owner: &owner }, Desk { store, owner: &other });
    assert_eq!(scheduled(desk).await, []);
    let (thread, bobs) = (desk.thread().await, bob.thread().await);
    let works = [digest("c", thread, 20), digest("b", thread, 30), digest("a", thread, 30), digest("d", thread, 10)];
    for work in &works {
        schedule(desk, work).await;
    }
    schedule(bob, &digest("a", bobs, 5)).await;
    let [c, b, a, d] = works;
    assert_eq!(scheduled(desk).await, [d.clone(), c.clone(), a.clone(), b]);
    let until = |second, count| store.scheduled(&owner, Some(at(second)), count);
    assert_eq!(until(30, 3).await.unwrap(), [d.clone(), c.clone(), a]);
    assert_eq!(until(29, 9).await.unwrap(), [d.clone(), c]);
    assert_eq!(until(10, 9).await.unwrap(), [d]);
    assert_eq!((until(9, 9).await.unwrap(), until(99, 0).await.unwrap()), (vec![], vec![]));
    assert_eq!(scheduled(bob).await, [digest("a", bobs, 5)]);
    assert_eq!(desk.len().await, 0);
}

pub(super) async fn the_same_is_scheduled_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    assert_fails!(store.schedule(&owner, digest("r", ThreadId::new(9), 1)).await, StoreError::UnknownThread { .. });
    let thread = desk.thread().await;
    let work = Scheduled { at: at(10) + Duration::from_nanos(1_500), ..digest("r", thread, 10) };
    schedule(desk, &work).await;
    schedule(desk, &work).await;
    let kept = Scheduled { at: at(10) + Duration::from_micros(1), ..work.clone() };
    assert_eq!(scheduled(desk).await, std::slice::from_ref(&kept));
    let other = desk.thread().await;
    for otherwise in [
        Scheduled { at: at(11), ..work.clone() },
        Scheduled { thread: other, ..work.clone() },
        Scheduled { responsibility: "report".to_owned(), ..work.clone() },
        Scheduled { persona: "other@shop.example".into(), ..work.clone() },
    ] {
        let refused = store.schedule(&owner, otherwise).await;
        assert_fails!(refused, StoreError::ScheduledOtherwise { run } if *run == work.run);
    }
    // A run that was begun without it.
    let run = desk.begin("begun", thread, Cause::Responsibility("digest".to_owned()), PERSONA).await;
    assert_fails!(store.schedule(&owner, digest("begun", thread, 10)).await, StoreError::RunBegun { run: begun } if *begun == run);
    assert_eq!(scheduled(desk).await, [kept]);
}

pub(super) async fn what_is_scheduled_stays_until_its_run_has_ended(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two, three) = (digest("one", thread, 10), digest("two", thread, 10), digest("three", thread, 10));
    for work in [&one, &two, &three] {
        schedule(desk, work).await;
    }
    let run = begin(desk, &one).await;
    assert_fails!(store.begin_run(&owner, one.as_run()).await, StoreError::RunBegun { .. });
    let lease = store.lease(&owner, &run, at(11), MINUTE).await.unwrap();
    // One that is at work is scheduled still: its process may die.
    schedule(desk, &one).await;
    assert_eq!(scheduled(desk).await, [one.clone(), three.clone(), two.clone()]);
    assert_eq!(store.run(&owner, &run).await.unwrap().unwrap().due, Some(at(10)));
    assert_eq!(store.runs(&owner, RunsOf { open: true, ..RunsOf::newest(9) }).await.unwrap()[0].due, Some(at(10)));
    store.end_run(&owner, &(&lease).into(), RunEnd::Failed, None, at(12)).await.unwrap();
    assert_eq!(scheduled(desk).await, [three.clone(), two.clone()]);
    assert_eq!(store.run(&owner, &run).await.unwrap().unwrap().due, None);
    // Its end told once more takes nothing else, and its id is used up.
    store.end_run(&owner, &(&lease).into(), RunEnd::Failed, None, at(13)).await.unwrap();
    assert_fails!(store.schedule(&owner, one.clone()).await, StoreError::RunBegun { .. });
    let lost = begin(desk, &two).await;
    store.end_run(&owner, &lost.into(), RunEnd::Lost, None, at(14)).await.unwrap();
    assert_eq!(scheduled(desk).await, [three]);
}

pub(super) async fn what_was_taken_back_is_not_begun(store: &dyn Store) {
    let (owner, other) = (OwnerId::default(), OwnerId::new("bob"));
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (digest("one", thread, 10), digest("two", thread, 10));
    for work in [&one, &two] {
        schedule(desk, work).await;
    }
    assert!(!store.unschedule(&other, &one.run, at(5)).await.unwrap());
    assert!(!store.unschedule(&owner, &RunId::new("absent"), at(5)).await.unwrap());
    assert!(store.unschedule(&owner, &one.run, at(5)).await.unwrap());
    assert!(!store.unschedule(&owner, &one.run, at(6)).await.unwrap());
    assert_eq!(scheduled(desk).await, std::slice::from_ref(&two));
    // Who had found it before does not begin it.
    assert_fails!(store.begin_run(&owner, one.as_run()).await, StoreError::RunBegun { .. });
    assert_fails!(store.lease(&owner, &one.run, at(11), MINUTE).await, StoreError::RunEnded { .. });
    let summary = store.run(&owner, &one.run).await.unwrap().unwrap();
    assert_eq!((summary.run, summary.began), (one.as_run(), None));
    assert_eq!(summary.end, Some(Ended { how: RunEnd::Stopped, detail: None, at: at(5) }));
    // One that was begun is asked to stop instead.
    begin(desk, &two).await;
    assert!(!store.unschedule(&owner, &two.run, at(12)).await.unwrap());
    assert_eq!(scheduled(desk).await, [two]);
}

pub(super) async fn scheduled_work_follows_merge_and_split(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (from, into) = (desk.thread().await, desk.thread().await);
    desk.say(from, "before", 1).await;
    let (one, two) = (digest("one", from, 10), digest("two", from, 10));
    for work in [&one, &two] {
        schedule(desk, work).await;
    }
    store.merge(&owner, from, into).await.unwrap();
    let moved = |thread| [&one, &two].map(|work| Scheduled { thread, ..work.clone() });
    assert_eq!(scheduled(desk).await, moved(into));
    // It is the same by the old thread's id.
    schedule(desk, &one).await;
    let run = begin(desk, &one).await;
    assert_eq!(store.run(&owner, &run).await.unwrap().unwrap().run.thread, into);
    let wrote = Append::message(said("digest"), Target::Thread(into), live(11)).by(run.clone());
    let wrote = desk.append(wrote).await.place.entry;
    let new = store.split(&owner, wrote).await.unwrap();
    assert_eq!(store.run(&owner, &run).await.unwrap().unwrap().run.thread, new);
    let [_, two] = moved(into);
    assert_eq!(scheduled(desk).await, [Scheduled { thread: new, ..one }, two]);
}

pub(super) async fn scheduled_work_is_forgotten_with_its_thread_and_its_run(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (ann, bo, work) = (desk.thread().await, desk.thread().await, desk.thread().await);
    desk.mail_to(ann, mail("a@x", "", "ann"), 1).await;
    desk.mail_to(bo, mail("b@x", "", "bo"), 2).await;
    let [of_ann, of_bo] = [digest("ann", ann, 10), digest("bo", bo, 10)];
    let [begun, waits, last] = [digest("begun", work, 10), digest("waits", work, 10), digest("x", ann, 10)];
    for work in [&of_ann, &of_bo, &begun, &waits] {
        schedule(desk, work).await;
    }
    let run = begin(desk, &begun).await;
    desk.round(&run, 0, &["c"], 11).await;
    let mails = Forget::Correspondent { address: "ann".to_owned(), whole_threads: false };
    assert_eq!(erases(desk, &mails, &[0]).await.scheduled, 0);
    // A run that died goes by its time, and is not begun again. What was not begun has no time that has passed.
    let report = erases(desk, &Forget::Before(at(50)), &[1, 2]).await;
    assert_eq!((report.runs, report.scheduled), (1, 1));
    assert_eq!(scheduled(desk).await, [of_ann.clone(), of_bo.clone(), waits.clone()]);
    assert_eq!(erases(desk, &Forget::Thread(ann), &[]).await.scheduled, 1);
    assert_eq!(scheduled(desk).await, [of_bo, waits]);
    desk.mail_to(bo, mail("c@x", "", "bo"), 60).await;
    let threads = Forget::Correspondent { address: "bo".to_owned(), whole_threads: true };
    assert_eq!(erases(desk, &threads, &[3]).await.scheduled, 1);
    schedule(desk, &last).await;
    assert_eq!(erases(desk, &Forget::Owner, &[]).await.scheduled, 2);
    assert_eq!(scheduled(desk).await, []);
    // Its id is free again.
    schedule(desk, &of_ann).await;
    assert_eq!(desk.read(ann).await, [EntryId::new(0)]);
}
