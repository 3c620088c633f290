//! Runs, rounds, outcomes.

use briefing::log::{Body, Cause, RecordedOutcome, RecordedRound, Run};
use briefing::message::{Assistant, CallId, EntryId, Item, ModelMessage, Outcome, OwnerId, RunId, ThreadId};

use super::desk::{Desk, PERSONA, assert_fails, at, call, live};
use crate::{Append, ImportedRound, Logged, Store, StoreError, Target};

pub(super) async fn a_run_is_begun_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let entry = desk.say(thread, "x", 1).await;
    let run =
        Run { id: RunId::new("r"), thread: ThreadId::new(9), cause: Cause::Message(EntryId::new(99)), persona: PERSONA.into() };
    assert_fails!(store.begin_run(&owner, run.clone()).await, StoreError::UnknownThread { thread } if thread.get() == 9);
    let run = Run { thread, ..run };
    assert_fails!(store.begin_run(&owner, run.clone()).await, StoreError::UnknownEntry { entry } if entry.get() == 99);
    let run = Run { cause: Cause::Message(entry), ..run };
    store.begin_run(&owner, run.clone()).await.unwrap();
    let second = Run { cause: Cause::Responsibility("digest".to_owned()), ..run };
    assert_fails!(store.begin_run(&owner, second).await, StoreError::RunBegun { run } if *run == RunId::new("r"));
    assert_eq!(desk.len().await, 1);
}

pub(super) async fn rounds_are_read_beside_what_they_answer(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (asked, other) = (desk.say(thread, "asked", 1).await, desk.say(thread, "other", 2).await);
    let run = desk.answer("r", thread, asked).await;
    assert_eq!(desk.rounds(&[asked]).await, []);
    // Rounds stand by their index, whenever they were recorded.
    let later = desk.round(&run, 7, &["b", "c"], 3).await;
    let first = desk.round(&run, 2, &["a"], 4).await;
    let beside = |round: &RecordedRound| RecordedRound { beside: Some(asked), ..round.clone() };
    let all = [beside(&first), beside(&later)];
    assert_eq!(desk.rounds(&[asked]).await, all);
    assert_eq!(desk.rounds(&[other, asked, EntryId::new(99), asked]).await, all);
    assert_eq!(desk.rounds(&[other]).await, []);
    assert_eq!(desk.rounds(&[]).await, []);
    assert_eq!(desk.entry(first.entry).await.body, Body::Round(first.said.clone()));
    let logged = store.log(&owner, later.entry, 1).await.unwrap();
    let begun = Run { id: run, thread, cause: Cause::Message(asked), persona: PERSONA.into() };
    let entry = desk.entry(later.entry).await;
    assert_eq!(logged, [Logged { entry, thread, run: Some((begun, 7)), settled: None }]);
}

/// <https://github.com/NousResearch/hermes-agent/pull/873>: who is not sure whether a round was recorded records it again.
pub(super) async fn b76_a_round_is_recorded_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let (one, two) = (desk.answer("one", thread, asked).await, desk.answer("two", thread, asked).await);
    desk.round(&one, 0, &["c"], 2).await;
    let round = desk.round(&two, 0, &["c"], 3).await;
    assert_eq!(ids(&round), [CallId::new("c").repeated(1)]);
    let outcome = desk.outcome(&two, Outcome::text(round.said.calls().next().unwrap().id.clone(), "done"), 4).await;
    let again = desk.round(&two, 0, &["c"], 9).await;
    assert_eq!((again.entry, &again.said), (round.entry, &round.said));
    assert_eq!(again.outcomes.iter().map(|it| it.entry).collect::<Vec<_>>(), [outcome]);
    let other = Assistant { items: vec![Item::Call(call("d"))], ..Assistant::default() };
    let refused = store.append_round(&owner, &two.clone().into(), 0, other, at(9)).await;
    assert_fails!(refused, StoreError::RoundRecorded { run, index: 0 } if *run == two);
    assert_eq!(desk.len().await, 4);
    // The next call of that id counts on from there.
    assert_eq!(ids(&desk.round(&two, 1, &["c"], 10).await), [CallId::new("c").repeated(2)]);
}

/// What a run appends beside its rounds is its own too (design invariant 10).
pub(super) async fn what_a_run_appends_is_its_own(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let run = desk.begin("r", thread, Cause::Responsibility("digest".to_owned()), PERSONA).await;
    let round = desk.round(&run, 0, &["a"], 30).await;
    let said = |text: &str, second| Append::message(ModelMessage::assistant(text), Target::Thread(thread), live(second));
    // The clock has jumped back.
    let digest = desk.append(said("digest", 20).by(run.clone())).await;
    assert_eq!(digest.place.at, at(30));
    assert_eq!(desk.rounds(&[digest.place.entry]).await, [RecordedRound { beside: Some(digest.place.entry), ..round }]);
    assert_eq!(desk.append(said("a stranger's", 20)).await.place.at, at(20));
    let later = desk.append(said("more", 40).by(run.clone())).await;
    let next = desk.round(&run, 1, &["b"], 35).await;
    assert_eq!((later.place.at, desk.entry(next.entry).await.at), (at(40), at(40)));
    let absent = RunId::new("absent");
    let error = desk.refused(vec![said("x", 1), said("y", 1).by(absent.clone())]).await;
    assert!(matches!(&error, StoreError::UnknownRun { run } if *run == absent), "{error}");
}

pub(super) async fn rounds_of_scheduled_work_stand_beside_what_it_wrote(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let run = desk.begin("r", thread, Cause::Responsibility("digest".to_owned()), PERSONA).await;
    let round = desk.round(&run, 0, &["a"], 3).await;
    assert_eq!(desk.entry(round.entry).await.at, at(3));
    let written = desk.say(thread, "digest", 4).await;
    assert_eq!(desk.rounds(&[written]).await, []);
    store.wrote(&owner, &run.clone().into(), written).await.unwrap();
    store.wrote(&owner, &run.clone().into(), written).await.unwrap();
    assert_eq!(desk.rounds(&[written]).await, [RecordedRound { beside: Some(written), ..round.clone() }]);
    let more = desk.say(thread, "more", 5).await;
    store.wrote(&owner, &run.clone().into(), more).await.unwrap();
    let both = [written, more].map(|entry| RecordedRound { beside: Some(entry), ..round.clone() });
    assert_eq!(desk.rounds(&[more, written]).await, both);
    let absent = RunId::new("absent");
    assert_fails!(store.wrote(&owner, &absent.clone().into(), written).await, StoreError::UnknownRun { run } if *run == absent);
    assert_fails!(store.wrote(&owner, &run.clone().into(), EntryId::new(99)).await, StoreError::UnknownEntry { .. });
}

pub(super) async fn rounds_follow_the_order_in_which_runs_began(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (desk.say(thread, "one", 1).await, desk.say(thread, "two", 2).await);
    let runs = [desk.answer("z", thread, two).await, desk.answer("a", thread, one).await, desk.answer("m", thread, two).await];
    let mut entries = Vec::new();
    for run in runs.iter().rev() {
        entries.insert(0, desk.round(run, 0, &["c"], 3).await.entry);
    }
    let read = desk.rounds(&[one, two]).await;
    assert_eq!(read.iter().map(|round| round.entry).collect::<Vec<_>>(), entries);
}

pub(super) async fn personas_differ_without_regard_to_case(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let mut entries = Vec::new();
    for (run, persona) in [("a", "Desk@Shop.example"), ("b", "other@shop.example"), ("c", PERSONA)] {
        let run = desk.begin(run, thread, Cause::Message(asked), persona).await;
        entries.push(desk.round(&run, 0, &[], 2).await.entry);
    }
    let of = |persona: &'static str| async move {
        let read = store.rounds(&OwnerId::default(), persona, &[asked]).await.unwrap();
        read.iter().map(|round| round.entry).collect::<Vec<_>>()
    };
    assert_eq!(of("DESK@SHOP.EXAMPLE").await, [entries[0], entries[2]]);
    assert_eq!(of("other@shop.example").await, [entries[1]]);
    assert_eq!(of("nobody@shop.example").await, []);
    let logged = store.log(&owner, entries[0], 1).await.unwrap();
    assert_eq!(&*logged[0].run.as_ref().unwrap().0.persona, "Desk@Shop.example");
}

/// The ids of a round's calls.
fn ids(round: &RecordedRound) -> Vec<CallId> {
    round.said.calls().map(|call| call.id.clone()).collect()
}

/// <https://github.com/mastra-ai/mastra/issues/3735>: what repeats is told apart by a number that is fixed at append.
pub(super) async fn b29_ids_that_repeat_in_a_thread_are_numbered(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let asked = desk.say(thread, "x", 1).await;
    let (one, two) = (desk.answer("one", thread, asked).await, desk.answer("two", thread, asked).await);
    let c = CallId::new("c");
    assert_eq!(ids(&desk.round(&one, 0, &["c", "d"], 2).await), [c.clone(), CallId::new("d")]);
    assert_eq!(ids(&desk.round(&two, 0, &["c", "c", ""], 3).await), [c.repeated(1), c.repeated(2), CallId::new("")]);
    let last = desk.round(&one, 1, &["c", "C", ""], 4).await;
    assert_eq!(ids(&last), [c.repeated(3), CallId::new("C"), CallId::new("").repeated(1)]);
    assert_eq!(desk.entry(last.entry).await.body, Body::Round(last.said));
    let elsewhere = desk.begin("three", other, Cause::Responsibility("x".to_owned()), PERSONA).await;
    assert_eq!(ids(&desk.round(&elsewhere, 0, &["c"], 5).await), [c]);
}

pub(super) async fn ids_stay_apart_across_merge_and_split(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let asked = [desk.say(thread, "a", 1).await, desk.say(other, "b", 2).await];
    let runs = [desk.answer("one", thread, asked[0]).await, desk.answer("two", other, asked[1]).await];
    let mut seen: Vec<Vec<CallId>> = vec![Vec::new(), Vec::new()];
    for (run, seen) in runs.iter().zip(&mut seen) {
        seen.extend(ids(&desk.round(run, 0, &["c"], 3).await));
        assert_eq!(*seen, [CallId::new("c")]);
    }
    store.merge(&owner, other, thread).await.unwrap();
    // What stands there keeps its id; what comes has one that nothing in the thread has.
    let kept = desk.rounds(&asked).await;
    assert_eq!(kept.iter().flat_map(ids).collect::<Vec<_>>(), [CallId::new("c"), CallId::new("c")]);
    for (run, seen) in runs.iter().zip(&mut seen) {
        seen.extend(ids(&desk.round(run, 1, &["c"], 4).await));
    }
    assert!(seen[0][1] != seen[1][1] && seen[0][1] != seen[0][0] && seen[1][1] != seen[0][0], "{seen:?}");
    store.split(&owner, asked[1]).await.unwrap();
    for (run, seen) in runs.iter().zip(&mut seen) {
        let new = ids(&desk.round(run, 2, &["c"], 5).await);
        assert!(!seen.contains(&new[0]), "{new:?} is among {seen:?}");
    }
    // An outcome goes to its own run's call, even where two have the same id.
    let outcome = desk.outcome(&runs[1], Outcome::text("c", "two"), 6).await;
    let beside = desk.rounds(&[asked[1]]).await;
    assert_eq!(beside[0].outcomes.iter().map(|outcome| outcome.entry).collect::<Vec<_>>(), [outcome]);
}

pub(super) async fn outcomes_go_to_their_round(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let (run, other) = (desk.answer("r", thread, asked).await, desk.answer("s", thread, asked).await);
    let first = desk.round(&run, 0, &["a", "b"], 2).await;
    let second = desk.round(&run, 1, &["a"], 3).await;
    desk.round(&other, 0, &["o"], 3).await;
    let a = CallId::new("a");
    let outcomes = [
        Outcome { failed: Some(true), ..Outcome::text(a.repeated(1), "second") },
        Outcome::text("b", "b"),
        Outcome::text("a", "first"),
        Outcome::text("b", "b again"),
    ];
    let mut recorded = Vec::new();
    for outcome in outcomes {
        let entry = desk.outcome(&run, outcome.clone(), 4).await;
        assert_eq!(desk.entry(entry).await.body, Body::Outcome(outcome.clone().into()));
        recorded.push(RecordedOutcome { entry, outcome: outcome.into() });
    }
    let read = desk.rounds(&[asked]).await;
    assert_eq!(read[0], RecordedRound { beside: Some(asked), outcomes: recorded[1..].to_vec(), ..first });
    assert_eq!(read[1], RecordedRound { beside: Some(asked), outcomes: recorded[..1].to_vec(), ..second });
    let logged = store.log(&owner, recorded[0].entry, 1).await.unwrap();
    assert_eq!(
        (logged[0].thread, logged[0].run.as_ref().map(|(run, index)| (run.id.as_str(), *index))),
        (thread, Some(("r", 1)))
    );
    let fails = |run: &'static str, call: CallId| async move {
        store.append_outcome(&OwnerId::default(), &RunId::new(run).into(), Outcome::text(call, "x"), at(5)).await
    };
    assert_fails!(fails("r", a.repeated(2)).await, StoreError::UnknownCall { call, .. } if call == "a#3");
    assert_fails!(fails("r", CallId::new("o")).await, StoreError::UnknownCall { .. });
    assert_fails!(fails("absent", a.clone()).await, StoreError::UnknownRun { .. });
    let nothing = briefing::message::Assistant::default();
    assert_fails!(
        store.append_round(&owner, &RunId::new("absent").into(), 0, nothing, at(5)).await,
        StoreError::UnknownRun { run } if run.as_str() == "absent"
    );
    assert_eq!(desk.len().await, 8);
}

pub(super) async fn a_run_writes_no_earlier_than_it_wrote_before(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 100).await;
    let (run, other) = (desk.answer("r", thread, asked).await, desk.answer("s", thread, asked).await);
    let mut entries = Vec::new();
    for (index, second) in [(0, 50), (1, 200), (2, 150)] {
        entries.push(desk.round(&run, index, &["c"], second).await.entry);
    }
    entries.push(desk.outcome(&run, Outcome::text("c", "x"), 10).await);
    entries.push(desk.round(&other, 0, &["c"], 120).await.entry);
    let mut times = Vec::new();
    for entry in entries {
        times.push(desk.entry(entry).await.at);
    }
    assert_eq!(times, [100, 200, 200, 200, 120].map(at));
}

/// <https://github.com/nanocoai/nanoclaw/issues/3457>: what is imported twice is there once.
pub(super) async fn b76_a_whole_run_is_imported_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 10).await;
    let other = desk.answer("other", thread, asked).await;
    desk.round(&other, 0, &["c"], 11).await;
    let round = |index, ids: &[&str], outcomes| {
        let items = ids.iter().map(|id| Item::Call(call(id))).collect();
        ImportedRound { index, said: Assistant { items, ..Assistant::default() }, outcomes }
    };
    let known = |text: &str| Some(Outcome::text("whatever", text));
    let rounds =
        vec![round(1, &["d"], Vec::new()), round(0, &["c", "c", "e"], vec![None, known("c"), known("e"), known("too many")])];
    let run = Run { id: RunId::new("r"), thread, cause: Cause::Message(asked), persona: PERSONA.into() };
    let nowhere = Run { thread: ThreadId::new(9), ..run.clone() };
    let nothing = Run { cause: Cause::Message(EntryId::new(99)), ..run.clone() };
    assert_fails!(store.import_run(&owner, nowhere.clone(), rounds.clone(), at(5)).await, StoreError::UnknownThread { .. });
    assert_fails!(store.import_run(&owner, nothing, rounds.clone(), at(5)).await, StoreError::UnknownEntry { .. });
    assert_eq!(desk.len().await, 2);
    assert!(store.import_run(&owner, run.clone(), rounds.clone(), at(5)).await.unwrap());
    assert_eq!(desk.len().await, 6);
    assert!(!store.import_run(&owner, run, rounds.clone(), at(6)).await.unwrap());
    assert!(!store.import_run(&owner, nowhere, rounds, at(6)).await.unwrap());
    assert_eq!(desk.len().await, 6);
    let read = desk.rounds(&[asked]).await;
    let c = CallId::new("c");
    assert_eq!(
        read.iter().map(ids).collect::<Vec<_>>()[1..],
        [vec![c.repeated(1), c.repeated(2), "e".into()], vec!["d".into()]]
    );
    let outcomes: Vec<(CallId, u64)> = read[1].outcomes.iter().map(|it| (it.outcome.call.clone(), it.entry.get())).collect();
    assert_eq!(outcomes, [(c.repeated(2), 4), ("e".into(), 5)]);
    assert_eq!(desk.entry(EntryId::new(5)).await.at, at(10), "not before what it answers");
    // It goes on like any other.
    assert_eq!(desk.round(&RunId::new("r"), 2, &["d"], 7).await.entry, EntryId::new(6));
}
