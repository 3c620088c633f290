//! The answers of runs.

use std::time::Duration;

use briefing::log::Cause;
use briefing::message::{EntryId, ModelMessage, OwnerId, RunId, ThreadId};

use super::desk::{Desk, PERSONA, assert_fails, at, live};
use crate::{Append, Fate, Forget, Key, RunEnd, Store, StoreError, Target, Writer};

fn said(text: &str, thread: ThreadId, second: i64) -> Append {
    Append::message(ModelMessage::assistant(text), Target::Thread(thread), live(second))
}

/// Appends an answer of a run.
async fn answered(desk: Desk<'_>, run: &RunId, thread: ThreadId, second: i64) -> EntryId {
    desk.append(said("answer", thread, second).answer_by(run.clone())).await.place.entry
}

async fn answers(desk: Desk<'_>, message: EntryId) -> Vec<(RunId, EntryId)> {
    desk.store.answers(desk.owner, message, PERSONA).await.unwrap()
}

async fn answer_of(desk: Desk<'_>, run: &RunId) -> Option<EntryId> {
    desk.store.answer_of(desk.owner, run).await.unwrap()
}

/// Who is not sure whether the answer was appended appends it again.
pub(super) async fn b76_a_run_has_one_answer(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let run = desk.answer("r", thread, asked).await;
    let key = Key::new("answer of r");
    let answer = |text: &str, second| said(text, thread, second).answer_by(run.clone());
    // A note is no answer.
    desk.append(said("a note", thread, 2).by(run.clone())).await;
    assert_eq!((answer_of(desk, &run).await, answers(desk, asked).await), (None, vec![]));
    let first = desk.append(answer("first", 3).key(key)).await;
    let entry = first.place.entry;
    assert_eq!((answer_of(desk, &run).await, answers(desk, asked).await), (Some(entry), vec![(run.clone(), entry)]));
    let again = desk.append(answer("again", 4).key(key)).await;
    assert_eq!((again.place, again.fate), (first.place, Fate::Before));
    let before = desk.len().await;
    let second = desk.refused(vec![said("not kept", thread, 5), answer("second", 5).key(Key::new("another"))]).await;
    assert!(matches!(&second, StoreError::Answered { run: of, entry: by } if *of == run && *by == entry), "{second}");
    assert_fails!(store.append(&owner, vec![answer("second", 5)]).await, StoreError::Answered { .. });
    assert_eq!(desk.len().await, before);
    desk.append(said("a note", thread, 6).by(run.clone())).await;
    // What another run wrote under the key is not this one's.
    let other = desk.answer("other", thread, asked).await;
    assert_eq!(desk.append(said("x", thread, 7).answer_by(other.clone()).key(key)).await.place, first.place);
    assert_eq!((answer_of(desk, &other).await, answers(desk, asked).await), (None, vec![(run, entry)]));
    let absent = RunId::new("absent");
    assert_eq!(answer_of(desk, &absent).await, None);
    let refused = store.append(&owner, vec![said("x", thread, 8).answer_by(absent.clone())]).await;
    assert_fails!(refused, StoreError::UnknownRun { run } if *run == absent);
}

pub(super) async fn who_is_fenced_off_answers_nothing(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let run = desk.answer("r", thread, asked).await;
    let lasts = Duration::from_secs(60);
    let dead = store.lease(&owner, &run, at(100), lasts).await.unwrap();
    let alive = store.lease(&owner, &run, at(160), lasts).await.unwrap();
    let late = store.append(&owner, vec![said("late", thread, 161).answer_by(&dead)]).await;
    assert_fails!(late, StoreError::Fenced { .. });
    assert_eq!(answer_of(desk, &run).await, None);
    let entry = desk.append(said("answer", thread, 161).answer_by(&alive)).await.place.entry;
    store.end_run(&owner, &Writer::from(&alive), RunEnd::Answered, None, at(162)).await.unwrap();
    let ended = store.append(&owner, vec![said("more", thread, 163).answer_by(&alive)]).await;
    assert_fails!(ended, StoreError::RunEnded { .. });
    assert_eq!(answers(desk, asked).await, [(run, entry)]);
}

pub(super) async fn answers_are_those_of_a_persona_to_a_message(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (asked, other) = (desk.say(thread, "x", 1).await, desk.say(thread, "y", 2).await);
    let begin = |run: &'static str, cause, persona: &'static str| async move { desk.begin(run, thread, cause, persona).await };
    let one = begin("one", Cause::Message(asked), PERSONA).await;
    let two = begin("two", Cause::Message(asked), "DESK@Shop.Example").await;
    let silent = begin("silent", Cause::Message(asked), PERSONA).await;
    let elsewhere = begin("elsewhere", Cause::Message(other), PERSONA).await;
    let stranger = begin("stranger", Cause::Message(asked), "sales@shop.example").await;
    let scheduled = begin("scheduled", Cause::Responsibility("digest".to_owned()), PERSONA).await;
    // In the order in which they were begun, not in which they answered.
    let second = answered(desk, &two, thread, 3).await;
    let first = answered(desk, &one, thread, 4).await;
    let apart = answered(desk, &elsewhere, thread, 5).await;
    let strange = answered(desk, &stranger, thread, 6).await;
    let digest = answered(desk, &scheduled, thread, 7).await;
    store.wrote(&owner, &scheduled.clone().into(), asked).await.unwrap();
    assert_eq!(answers(desk, asked).await, [(one, first), (two, second)]);
    assert_eq!(store.answers(&owner, asked, "Sales@shop.example").await.unwrap(), [(stranger, strange)]);
    assert_eq!(answers(desk, other).await, [(elsewhere, apart)]);
    assert_eq!((answers(desk, digest).await, answers(desk, EntryId::new(99)).await), (vec![], vec![]));
    assert_eq!((answer_of(desk, &scheduled).await, answer_of(desk, &silent).await), (Some(digest), None));
    let bob = OwnerId::new("bob");
    let bobs = Desk { store, owner: &bob };
    assert_eq!((answer_of(bobs, &scheduled).await, answers(bobs, asked).await), (None, vec![]));
}

/// A run that answered and died before its end is found whatever became of its thread.
pub(super) async fn an_answer_is_found_through_merge_and_split_and_fork(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (from, into) = (desk.thread().await, desk.thread().await);
    desk.say(into, "before", 0).await;
    let asked = desk.say(from, "x", 1).await;
    let run = desk.answer("r", from, asked).await;
    let answer = answered(desk, &run, from, 2).await;
    let one = (run.clone(), answer);
    store.merge(&owner, from, into).await.unwrap();
    assert_eq!((answer_of(desk, &run).await, answers(desk, asked).await), (Some(answer), vec![one.clone()]));
    let new = store.split(&owner, answer).await.unwrap();
    assert_eq!((desk.thread_of(asked).await, desk.thread_of(answer).await), (Some(into), Some(new)));
    assert_eq!(answers(desk, asked).await, std::slice::from_ref(&one));
    // In a fork the same message can be answered anew.
    let fork = desk.fork(into, asked).await;
    let anew = desk.answer("anew", fork, asked).await;
    let other = answered(desk, &anew, fork, 3).await;
    assert_eq!(answers(desk, asked).await, [one, (anew, other)]);
}

pub(super) async fn an_answer_that_is_popped_or_erased_does_not_stand(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let (popped, erased) = (desk.answer("popped", thread, asked).await, desk.answer("erased", thread, asked).await);
    let two = answered(desk, &erased, thread, 2).await;
    let other = store.split(&owner, two).await.unwrap();
    let one = answered(desk, &popped, thread, 3).await;
    desk.pop(thread, 4).await.unwrap();
    assert_eq!(answers(desk, asked).await, [(erased.clone(), two)]);
    store.forget(&owner, &Forget::Thread(other), at(5)).await.unwrap();
    assert_eq!(answers(desk, asked).await, []);
    // It is told what they were, and none gets another one.
    assert_eq!((answer_of(desk, &popped).await, answer_of(desk, &erased).await), (Some(one), Some(two)));
    for run in [&popped, &erased] {
        let refused = store.append(&owner, vec![said("more", thread, 6).answer_by(run.clone())]).await;
        assert_fails!(refused, StoreError::Answered { .. });
    }
    let next = desk.answer("next", thread, asked).await;
    let answer = answered(desk, &next, thread, 7).await;
    assert_eq!(answers(desk, asked).await, [(next.clone(), answer)]);
    // An edited one stands.
    desk.edit(answer, ModelMessage::assistant("better").into(), 8).await;
    assert_eq!(answers(desk, asked).await, [(next.clone(), answer)]);
    // With the message its runs go.
    store.forget(&owner, &Forget::Thread(thread), at(9)).await.unwrap();
    assert_eq!((answers(desk, asked).await, answer_of(desk, &next).await), (vec![], None));
}
