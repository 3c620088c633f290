//! Erasure: complete, reported, and nothing besides.

use std::collections::BTreeMap;

use briefing::log::{Body, Cause, Erased, Kind, Settled};
use briefing::message::{EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::Back;

use super::desk::{Desk, PERSONA, assert_fails, at, card, full_mail, id, kinds, live, mail, whole};
use crate::{Append, Fate, Forget, ForgetReport, Logged, Store, StoreError};

async fn all(desk: Desk<'_>) -> Vec<Logged> {
    desk.store.log(desk.owner, EntryId::new(0), 1_000).await.unwrap()
}

/// Forgets, after a trial that must tell the same; wants exactly those entries erased, and the others as they were.
pub(super) async fn erases(desk: Desk<'_>, what: &Forget, erased: &[u64]) -> ForgetReport {
    let before = all(desk).await;
    // So that all is in the index.
    desk.find("x").await;
    let trial = desk.store.would_forget(desk.owner, what).await.unwrap();
    assert_eq!(all(desk).await, before, "a trial changes nothing");
    let report = desk.store.forget(desk.owner, what, at(5_000)).await.unwrap();
    assert_eq!(ForgetReport { scrubbed: trial.scrubbed, ..report.clone() }, trial);
    assert!(!trial.scrubbed, "a trial writes nothing");
    let after = all(desk).await;
    assert_eq!(after.len(), before.len());
    let mut kinds: BTreeMap<Kind, u64> = BTreeMap::new();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((before.entry.place(), before.thread), (after.entry.place(), after.thread));
        if !erased.contains(&before.entry.id.get()) {
            assert_eq!(before, after, "what is not forgotten stays as it is");
            continue;
        }
        *kinds.entry(Kind::of(&before.entry.body)).or_default() += 1;
        let Body::Erased(Erased { at: time, hash }) = after.entry.body else { panic!("{after:?} is not erased") };
        assert_eq!((time, after.run.as_ref()), (at(5_000), None));
        assert_ne!(hash, [0; 32]);
        assert_eq!(desk.entry(before.entry.id).await, after.entry);
        assert_eq!(desk.store.raw(desk.owner, before.entry.id).await.unwrap(), None);
    }
    assert_eq!(report.entries, kinds);
    report
}

/// Two threads: Ann and Bo with a run, a card and a file (0 to 6); Carl, whom Bo answers (7 to 9).
struct Office {
    ann: ThreadId,
    carl: ThreadId,
}

async fn office(desk: Desk<'_>) -> Office {
    let first = desk.append(Append::mail(full_mail(mail("a@x", "", "Ann@x bo"), b"raw a", b"file a"), live(10))).await;
    let ann = first.thread;
    let run = desk.answer("answer", ann, first.place.entry).await;
    desk.round(&run, 0, &["c"], 11).await;
    desk.outcome(&run, Outcome::text("c", "found"), 12).await;
    let proposed = briefing::log::Card { run: Some(run), ..card("Cancel") };
    let proposed = desk.append(Append::card(proposed, ann, live(13))).await.place.entry;
    desk.settle(proposed, Settled::Done, 14).await;
    desk.append(Append::mail(full_mail(mail("b@x", "a@x", "bo dora"), b"raw b", b"file b"), live(15))).await;
    desk.say(ann, "a note on Ann", 16).await;
    let other = desk.append(Append::mail(full_mail(mail("c@x", "", "carl bo"), b"raw c", b"file b"), live(20))).await;
    desk.mail(mail("d@x", "c@x", "bo carl"), 21).await;
    desk.say(other.thread, "a note on Carl", 22).await;
    Office { ann, carl: other.thread }
}

pub(super) async fn a_trial_tells_what_is_erased(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    office(desk).await;
    let ann = Forget::Correspondent { address: "ann@X".to_owned(), whole_threads: false };
    let report = erases(desk, &ann, &[0, 1, 2, 3, 4]).await;
    let kinds = [(Kind::Mail, 1), (Kind::Round, 1), (Kind::Outcome, 1), (Kind::Card, 1), (Kind::Notice, 1)];
    let expected = ForgetReport {
        entries: kinds.into(),
        threads: 0,
        runs: 1,
        scheduled: 0,
        requests: 0,
        raw: 1,
        attachments: 1,
        blobs: 2,
        blob_bytes: 11,
        shared_blobs: 0,
        searchable: 1,
        may_quote: 2,
        scrubbed: report.scrubbed,
        scrub_failure: report.scrub_failure.clone(),
    };
    assert_eq!(report, expected);
}

pub(super) async fn an_owner_is_forgotten(store: &dyn Store) {
    let (owner, other) = (OwnerId::new("ann"), OwnerId::new("bob"));
    let (desk, bob) = (Desk { store, owner: &owner }, Desk { store, owner: &other });
    let has = office(desk).await;
    office(bob).await;
    let kept = all(bob).await;
    let report = erases(desk, &Forget::Owner, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).await;
    assert_eq!((report.threads, report.runs, report.raw, report.attachments, report.may_quote), (2, 1, 3, 3, 0));
    assert_eq!((report.blobs, report.shared_blobs), (5, 0), "whatever the other owner has");
    assert_eq!(all(bob).await, kept);
    assert_eq!(bob.find("body").await.len(), 4);
    assert_eq!(store.threads(&owner, None, 9).await.unwrap(), []);
    assert_eq!(store.by_message_id(&owner, &id("a@x")).await.unwrap(), []);
    assert_eq!(store.newest_inbound(&owner, None).await.unwrap(), None);
    assert_eq!(desk.find("body").await, []);
    assert_eq!(desk.rounds(&[EntryId::new(0)]).await, []);
    let summary = store.thread(&owner, has.ann).await.unwrap();
    let left = summary.map(|it| (it.entries, it.newest, it.subject, it.people));
    assert_eq!(left, Some((7, None, None, Vec::new())));
    // Numbers go on.
    let next = desk.mail(mail("a@x", "", "ann"), 30).await;
    assert_eq!((next.place.entry, next.fate), (EntryId::new(10), Fate::New { merged: Vec::new(), reused: None }));
    let last = erases(bob, &Forget::Owner, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).await;
    assert_eq!((last.blobs, last.shared_blobs), (5, 0));
    assert_eq!(store.verify().await.unwrap().blobs, 0);
}

pub(super) async fn a_correspondent_is_forgotten(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let has = office(desk).await;
    let file = full_mail(mail("a@x", "", ""), b"", b"file a").files[0].0.clone();
    let bo = Forget::Correspondent { address: "CARL".to_owned(), whole_threads: false };
    let report = erases(desk, &bo, &[7, 8]).await;
    assert_eq!((report.blobs, report.shared_blobs, report.may_quote), (1, 1, 1));
    assert_eq!(store.thread(&owner, has.carl).await.unwrap().unwrap().people, Vec::<String>::new());
    let carl = desk.back(whole(has.carl)).await;
    assert_eq!(kinds(&carl), [Kind::Message, Kind::Erased, Kind::Erased]);
    assert_eq!(desk.back(Back { kinds: Kind::Erased.into(), count: 1, ..whole(has.carl) }).await, carl[1..2]);
    assert_eq!(desk.back(Back { kinds: Kind::Mail.into(), ..whole(has.carl) }).await, []);
    assert_eq!(store.file(&owner, &file).await.unwrap().as_deref(), Some(&b"file a"[..]));
    let ann = Forget::Correspondent { address: "ann@x".to_owned(), whole_threads: false };
    erases(desk, &ann, &[0, 1, 2, 3, 4]).await;
    assert_eq!(store.file(&owner, &file).await.unwrap(), None);
    assert_eq!(desk.open(has.ann).await, []);
    // A part of an address is another address.
    for other in ["", "bo@", "b", "ora"] {
        erases(desk, &Forget::Correspondent { address: other.to_owned(), whole_threads: true }, &[]).await;
    }
}

pub(super) async fn a_correspondent_is_forgotten_with_threads(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    office(desk).await;
    let dora = Forget::Correspondent { address: "dora".to_owned(), whole_threads: true };
    let report = erases(desk, &dora, &[0, 1, 2, 3, 4, 5, 6]).await;
    assert_eq!((report.threads, report.may_quote, report.searchable), (1, 0, 3));
    assert_eq!((report.blobs, report.shared_blobs), (3, 1));
    assert_eq!(desk.find("note").await, [EntryId::new(9)]);
}

pub(super) async fn a_thread_is_forgotten(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let has = office(desk).await;
    let report = erases(desk, &Forget::Thread(has.carl), &[7, 8, 9]).await;
    assert_eq!((report.threads, report.runs, report.raw, report.attachments), (1, 0, 1, 1));
    let absent = Forget::Thread(ThreadId::new(99));
    assert_fails!(store.would_forget(&owner, &absent).await, StoreError::UnknownThread { .. });
    assert_fails!(store.forget(&owner, &absent, at(1)).await, StoreError::UnknownThread { .. });
    // Never by the id of a thread that was merged: it may mean more than who asks thinks.
    let old = desk.thread().await;
    store.merge(&owner, old, has.ann).await.unwrap();
    let merged = store.forget(&owner, &Forget::Thread(old), at(9)).await;
    assert_fails!(merged, StoreError::Merged { thread, into } if (*thread, *into) == (old, has.ann));
    erases(desk, &Forget::Thread(has.ann), &[0, 1, 2, 3, 4, 5, 6]).await;
    // The thread is still there, and takes what comes.
    let next = desk.say(has.ann, "x", 30).await;
    assert_eq!(store.threads(&owner, None, 9).await.unwrap()[0].head, Some(next));
}

pub(super) async fn what_is_old_is_forgotten(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let has = office(desk).await;
    let digest = desk.begin("digest", has.carl, Cause::Responsibility("digest".to_owned()), PERSONA).await;
    desk.round(&digest, 0, &["d"], 5).await;
    let other = desk.begin("other", has.carl, Cause::Responsibility("digest".to_owned()), PERSONA).await;
    desk.round(&other, 0, &["e"], 5).await;
    store.wrote(&owner, &other.clone().into(), EntryId::new(9)).await.unwrap();
    erases(desk, &Forget::Before(at(5)), &[]).await;
    // One that wrote nothing goes by its own time, one that wrote something with that.
    erases(desk, &Forget::Before(at(10)), &[10]).await;
    // A run goes with what it answers, though it wrote later; a card goes with its run.
    erases(desk, &Forget::Before(at(11)), &[0, 1, 2, 3, 4]).await;
    erases(desk, &Forget::Before(at(22)), &[5, 6, 7, 8]).await;
    erases(desk, &Forget::Before(at(23)), &[9, 11]).await;
    erases(desk, &Forget::Before(at(9_000)), &[]).await;
}

pub(super) async fn a_run_goes_with_what_it_answers(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let asked = desk.mail_to(thread, mail("a@x", "", "ann"), 1).await;
    // A run may belong to another thread than what it answers.
    let first = desk.answer("first", other, asked).await;
    let round = desk.round(&first, 0, &["a"], 2).await.entry;
    let proposed = briefing::log::Card { run: Some(first), ..card("Cancel") };
    let card = desk.append(Append::card(proposed, other, live(3))).await.place.entry;
    let notice = desk.settle(card, Settled::Done, 4).await;
    // And may go on from the notice of a card that another run proposed.
    let second = desk.answer("second", other, notice).await;
    let more = desk.round(&second, 0, &["b"], 5).await.entry;
    let apart = desk.say(other, "apart", 6).await;
    let third = desk.answer("third", other, apart).await;
    desk.round(&third, 0, &["c"], 7).await;
    let ann = Forget::Correspondent { address: "ann".to_owned(), whole_threads: false };
    let report = erases(desk, &ann, &[asked, round, card, notice, more].map(EntryId::get)).await;
    assert_eq!((report.runs, report.threads, report.may_quote), (2, 1, 2));
    assert_eq!(desk.rounds(&[asked, notice]).await, []);
    assert_eq!(desk.rounds(&[apart]).await.len(), 1);
}

pub(super) async fn what_others_have_too_stays(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let large = vec![1; 200_000];
    let one = full_mail(mail("a@x", "", "ann"), &large, b"plan");
    let two = full_mail(mail("b@x", "", "bo"), b"raw", &large);
    let (plan, same) = (one.files[0].0.clone(), two.files[0].0.clone());
    desk.append(Append::mail(one, live(1))).await;
    desk.append(Append::mail(two, live(1))).await;
    let ann = Forget::Correspondent { address: "ann".to_owned(), whole_threads: true };
    let report = erases(desk, &ann, &[0]).await;
    assert_eq!((report.blobs, report.blob_bytes, report.shared_blobs), (1, 4, 1));
    assert_eq!(store.file(&owner, &plan).await.unwrap(), None);
    assert_eq!(store.file(&owner, &same).await.unwrap().as_deref(), Some(large.as_slice()));
    let report = erases(desk, &Forget::Owner, &[1]).await;
    assert_eq!((report.blobs, report.blob_bytes, report.shared_blobs), (2, 200_003, 0));
    assert_eq!(store.file(&owner, &same).await.unwrap(), None);
}

pub(super) async fn what_was_forgotten_does_not_come_back(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let new = full_mail(mail("a@x", "", "ann"), b"raw", b"file");
    let first = desk.append(Append::mail(new.clone(), live(1))).await;
    erases(desk, &Forget::Owner, &[0]).await;
    // Its key stays, so the same archive can be imported again.
    let again = desk.append(Append::mail(new.clone(), live(2))).await;
    assert_eq!((again.place, again.fate), (first.place, Fate::Before));
    assert_eq!((desk.len().await, store.verify().await.unwrap().blobs), (1, 0));
    // Without its key it is new, and nothing knows of the first one.
    let anew = desk.append(Append { key: None, ..Append::mail(new, live(3)) }).await;
    assert_eq!((anew.place.entry, anew.fate), (EntryId::new(1), Fate::New { merged: Vec::new(), reused: None }));
    assert_ne!(anew.thread, first.thread);
}

pub(super) async fn what_is_erased_takes_nothing_more(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let asked = desk.say(thread, "x", 1).await;
    let run = desk.answer("run", thread, asked).await;
    let round = desk.round(&run, 0, &["c"], 2).await;
    let card = desk.card(thread, "Cancel", 3).await;
    let staying = desk.begin("staying", thread, Cause::Responsibility("x".to_owned()), PERSONA).await;
    desk.round(&staying, 0, &["c"], 99).await;
    erases(desk, &Forget::Before(at(50)), &[0, 1, 2]).await;
    assert_fails!(
        store.append_outcome(&owner, &run.clone().into(), Outcome::text("c", "x"), at(4)).await,
        StoreError::UnknownRun { .. }
    );
    assert_fails!(store.wrote(&owner, &run.clone().into(), asked).await, StoreError::UnknownRun { .. });
    assert_fails!(store.wrote(&owner, &staying.clone().into(), asked).await, StoreError::UnknownEntry { .. });
    assert_fails!(store.settle(&owner, card, Settled::Done, None, at(4)).await, StoreError::NotACard { .. });
    let begin = |cause| briefing::log::Run { id: RunId::new("run"), thread, cause, persona: PERSONA.into() };
    assert_fails!(store.begin_run(&owner, begin(Cause::Message(asked))).await, StoreError::UnknownEntry { .. });
    // Its id is free again.
    store.begin_run(&owner, begin(Cause::Responsibility("x".to_owned()))).await.unwrap();
    assert_ne!(desk.round(&run, 0, &["c"], 5).await.entry, round.entry);
    // A thread may begin with a tombstone.
    let new = store.split(&owner, round.entry).await.unwrap();
    assert_eq!(desk.thread_of(card).await, Some(new));
    assert_eq!(desk.thread_of(asked).await, Some(thread));
}

pub(super) async fn forgetting_nothing_changes_nothing(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let nobody = Forget::Correspondent { address: "nobody".to_owned(), whole_threads: true };
    for what in [Forget::Owner, nobody.clone(), Forget::Before(at(9_000))] {
        let report = erases(desk, &what, &[]).await;
        assert_eq!(ForgetReport { scrubbed: false, ..report }, ForgetReport::default());
    }
    let has = office(desk).await;
    let empty = desk.thread().await;
    for what in [nobody, Forget::Before(at(1)), Forget::Thread(empty)] {
        erases(desk, &what, &[]).await;
    }
    assert_eq!(store.thread(&owner, has.ann).await.unwrap().unwrap().entries, 7);
    // The second time there is nothing left.
    erases(desk, &Forget::Thread(has.ann), &[0, 1, 2, 3, 4, 5, 6]).await;
    erases(desk, &Forget::Thread(has.ann), &[]).await;
}
