//! What one owner has is not there for another: the same as absent.

use briefing::log::{AttachmentId, Cause, Kind, Kinds, ResetKind, Run, Settled};
use briefing::message::{Assistant, EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::{Back, FileText};

use super::desk::{Desk, PERSONA, assert_fails, at, full_mail, id, listed, live, mail, reset, said, whole};
use crate::{AnchorKey, Append, Fate, Forget, ForgetReport, KeptText, KnownFile, Logged, Store, StoreError};

/// What one owner has.
struct Ann {
    thread: ThreadId,
    mail: EntryId,
    card: EntryId,
    /// A card that is settled.
    settled: EntryId,
    message: EntryId,
    run: RunId,
    round: EntryId,
    file: AttachmentId,
    key: AnchorKey,
}

const SECRET: &[u8] = b"the secret plan";

async fn ann(desk: Desk<'_>) -> Ann {
    // Other numbers than those that the other owner will have.
    for _ in 0..2 {
        let thread = desk.thread().await;
        for _ in 0..3 {
            desk.say(thread, "x", 1).await;
        }
    }
    let new = full_mail(mail("secret@x", "", "ann bo"), b"secret bytes", SECRET);
    let file = new.files[0].0.clone();
    let appended = desk.append(Append::mail(new, live(2))).await;
    let (thread, mail) = (appended.thread, appended.place.entry);
    let (card, settled) = (desk.card(thread, "Cancel", 3).await, desk.card(thread, "Cancel", 3).await);
    desk.settle(settled, Settled::Done, 3).await;
    let message = desk.say(thread, "secret", 3).await;
    let text = KeptText { version: 1, text: Some(FileText { text: "the secret text".into(), partial: false }) };
    desk.store.keep_text(desk.owner, &file, text).await.unwrap();
    let run = desk.answer("run", thread, mail).await;
    let round = desk.round(&run, 0, &["c"], 4).await.entry;
    let key = AnchorKey { thread, persona: PERSONA.to_owned(), view: "mail".to_owned(), model: "m".to_owned() };
    desk.store.move_anchor(desk.owner, &run.clone().into(), &key, mail).await.unwrap();
    Ann { thread, mail, card, settled, message, run, round, file, key }
}

async fn all(store: &dyn Store, owner: &OwnerId) -> Vec<Logged> {
    store.log(owner, EntryId::new(0), 1_000).await.unwrap()
}

/// <https://github.com/odysseus-dev/odysseus/issues/1918>, <https://github.com/laravel/ai/pull/260>
pub(super) async fn b78_another_owner_reads_nothing(store: &dyn Store) {
    let (one, bob) = (OwnerId::new("ann"), OwnerId::new("bob"));
    let has = ann(Desk { store, owner: &one }).await;
    // An owner who has nothing yet, and one who has something.
    for round in 0..2 {
        for kinds in Kind::ALL.into_iter().map(Kinds::from).chain([Kinds::ALL]) {
            assert_eq!(store.read_back(&bob, Back { kinds, ..whole(has.thread) }).await.unwrap(), []);
        }
        for entry in [has.mail, has.card, has.settled, has.message, has.round] {
            assert_eq!(store.entry(&bob, entry).await.unwrap(), None);
            assert_eq!(store.thread_of(&bob, entry).await.unwrap(), None);
            assert_eq!(store.raw(&bob, entry).await.unwrap(), None);
        }
        assert_eq!(store.by_message_id(&bob, &id("secret@x")).await.unwrap(), []);
        assert_eq!(store.open_cards(&bob, has.thread, None, 9).await.unwrap(), []);
        assert_eq!(store.notices(&bob, &[has.settled]).await.unwrap(), []);
        assert_eq!(store.texts(&bob, std::slice::from_ref(&has.file)).await.unwrap(), []);
        assert_eq!(store.newest_inbound(&bob, None).await.unwrap(), None);
        assert_eq!(store.newest_inbound(&bob, Some(has.thread)).await.unwrap(), None);
        assert_eq!(store.rounds(&bob, PERSONA, &[has.mail]).await.unwrap(), []);
        assert_eq!(store.file(&bob, &has.file).await.unwrap(), None);
        assert_eq!(store.thread(&bob, has.thread).await.unwrap(), None);
        assert_eq!(store.search(&bob, "secret", 9).await.unwrap(), []);
        assert_eq!(store.anchor(&bob, &has.key).await.unwrap(), None);
        assert_eq!(store.threads(&bob, None, 9).await.unwrap().len(), round);
        assert_eq!(all(store, &bob).await.len(), round);
        let desk = Desk { store, owner: &bob };
        let thread = desk.thread().await;
        desk.say(thread, "mine", 9).await;
    }
    let other = OwnerId::new("ANN");
    assert_eq!(store.thread(&other, has.thread).await.unwrap(), None, "the case of an owner's name matters");
    assert_eq!(store.file(&one, &has.file).await.unwrap().as_deref(), Some(SECRET));
}

/// <https://github.com/odysseus-dev/odysseus/issues/1918>
pub(super) async fn b78_another_owner_changes_nothing(store: &dyn Store) {
    let (one, bob) = (OwnerId::new("ann"), OwnerId::new("bob"));
    let desk = Desk { store, owner: &bob };
    let has = ann(Desk { store, owner: &one }).await;
    let before = all(store, &one).await;
    let texts = store.texts(&one, std::slice::from_ref(&has.file)).await.unwrap();
    let own = desk.thread().await;
    let mine = desk.say(own, "mine", 1).await;
    let run = desk.answer("mine", own, mine).await;

    let append = Append::card(super::desk::card("x"), has.thread, live(5));
    let error = desk.refused(vec![append]).await;
    assert!(matches!(error, StoreError::UnknownThread { .. }), "{error:?}");
    let begin = |thread, entry| {
        let run = Run { id: RunId::new("new"), thread, cause: Cause::Message(entry), persona: PERSONA.into() };
        store.begin_run(&bob, run)
    };
    assert_fails!(begin(has.thread, mine).await, StoreError::UnknownThread { .. });
    assert_fails!(begin(own, has.mail).await, StoreError::UnknownEntry { .. });
    assert_fails!(store.wrote(&bob, &has.run.clone().into(), mine).await, StoreError::UnknownRun { .. });
    assert_fails!(store.wrote(&bob, &run.clone().into(), has.mail).await, StoreError::UnknownEntry { .. });
    let nothing = Assistant::default();
    assert_fails!(store.append_round(&bob, &has.run.clone().into(), 1, nothing, at(5)).await, StoreError::UnknownRun { .. });
    let outcome = Outcome::text("c", "x");
    assert_fails!(
        store.append_outcome(&bob, &has.run.clone().into(), outcome.clone(), at(5)).await,
        StoreError::UnknownRun { .. }
    );
    assert_fails!(store.append_outcome(&bob, &run.clone().into(), outcome, at(5)).await, StoreError::UnknownCall { .. });
    assert_fails!(store.settle(&bob, has.card, Settled::Done, None, at(5)).await, StoreError::UnknownEntry { .. });
    assert_eq!(store.settle_lapsed(&bob, has.thread, at(99_999)).await.unwrap(), []);
    assert_fails!(store.pop(&bob, has.thread, at(5)).await, StoreError::UnknownThread { .. });
    assert_fails!(store.fork(&bob, has.thread, has.message).await, StoreError::UnknownThread { .. });
    assert_fails!(store.fork(&bob, own, has.message).await, StoreError::UnknownEntry { .. });
    let edited = desk.refused(vec![Append::edit(has.message, said("mine"), live(5))]).await;
    assert!(matches!(edited, StoreError::UnknownEntry { entry } if entry == has.message), "{edited:?}");
    let flushed = desk.refused(vec![Append::reset(reset(ResetKind::Flush), has.thread, live(5))]).await;
    assert!(matches!(flushed, StoreError::UnknownThread { .. }), "{flushed:?}");
    store.keep_text(&bob, &has.file, KeptText { version: 9, text: None }).await.unwrap();
    assert_fails!(store.merge(&bob, has.thread, own).await, StoreError::UnknownThread { .. });
    assert_fails!(store.merge(&bob, own, has.thread).await, StoreError::UnknownThread { .. });
    assert_fails!(store.split(&bob, has.mail).await, StoreError::UnknownEntry { .. });
    assert_fails!(store.move_anchor(&bob, &has.run.clone().into(), &has.key, has.mail).await, StoreError::UnknownRun { .. });
    assert_fails!(store.move_anchor(&bob, &run.clone().into(), &has.key, mine).await, StoreError::UnknownThread { .. });
    let own_key = AnchorKey { thread: own, ..has.key.clone() };
    assert_fails!(store.move_anchor(&bob, &run.clone().into(), &own_key, has.mail).await, StoreError::UnknownEntry { .. });
    let thread = Forget::Thread(has.thread);
    assert_fails!(store.would_forget(&bob, &thread).await, StoreError::UnknownThread { .. });
    assert_fails!(store.forget(&bob, &thread, at(5)).await, StoreError::UnknownThread { .. });
    let bo = Forget::Correspondent { address: "bo".to_owned(), whole_threads: true };
    assert_eq!(store.would_forget(&bob, &bo).await.unwrap(), ForgetReport::default());
    store.forget(&bob, &bo, at(5)).await.unwrap();
    store.forget(&bob, &Forget::Before(at(1_000)), at(5)).await.unwrap();
    store.forget(&bob, &Forget::Owner, at(5)).await.unwrap();

    assert_eq!(all(store, &one).await, before);
    assert_eq!(store.texts(&one, std::slice::from_ref(&has.file)).await.unwrap(), texts);
    assert_eq!(store.anchor(&one, &has.key).await.unwrap(), Some(has.mail));
    assert_eq!(store.file(&one, &has.file).await.unwrap().as_deref(), Some(SECRET));
}

/// <https://github.com/ForceInjection/AI-fundamentals/issues/17>
pub(super) async fn b78_owners_do_not_share_keys_or_ids(store: &dyn Store) {
    let owners = ["ann", "bob"].map(OwnerId::new);
    for owner in &owners {
        let desk = Desk { store, owner };
        let new = full_mail(mail("same@x", "", "ann bo"), b"same bytes", SECRET);
        let file = new.files[0].0.clone();
        let appended = desk.append(Append::mail(new, live(1))).await;
        assert_eq!(appended.place.entry, EntryId::new(0), "numbers count for each owner");
        assert_eq!(appended.fate, Fate::New { merged: Vec::new(), reused: None }, "neither key nor Message-ID was there");
        let answer = desk.mail(mail("answer@x", "same@x waited@x", "ann"), 2).await;
        assert_eq!(answer.thread, appended.thread);
        let run = desk.answer("run", appended.thread, appended.place.entry).await;
        assert_eq!(desk.round(&run, 0, &["c"], 3).await.said.calls().next().unwrap().id.repeat(), 0);
        assert_eq!(store.file(owner, &file).await.unwrap().as_deref(), Some(SECRET));
    }
    let late = Desk { store, owner: &OwnerId::new("carl") }.mail(mail("waited@x", "", "ann"), 9).await;
    assert_eq!(late.fate, Fate::New { merged: Vec::new(), reused: None });
}

/// <https://github.com/odysseus-dev/odysseus/issues/1918>: an id that another owner has is not known, and says nothing of theirs.
pub(super) async fn b78_texts_of_another_owner_are_not_there(store: &dyn Store) {
    let (one, bob) = (OwnerId::new("ann"), OwnerId::new("bob"));
    let (ann, desk) = (Desk { store, owner: &one }, Desk { store, owner: &bob });
    let text = KeptText { version: 1, text: Some(FileText { text: "Ann's".into(), partial: false }) };
    let thread = ann.thread().await;
    ann.put_with(thread, said("x"), &[("same", b"of ann"), ("hers", b"hers")], 1).await;
    let thread = desk.thread().await;
    desk.put_with(thread, said("x"), &[("same", b"of bob")], 1).await;
    for id in ["same", "hers"] {
        store.keep_text(&one, &AttachmentId::new(id), text.clone()).await.unwrap();
    }
    let own = |text| KnownFile { file: listed("same", b"of bob"), text };
    assert_eq!(desk.texts(&["same", "hers"]).await, [own(None)]);
    let other = KeptText { version: 2, text: None };
    for id in ["same", "hers"] {
        store.keep_text(&bob, &AttachmentId::new(id), other.clone()).await.unwrap();
    }
    assert_eq!(desk.texts(&["hers", "same"]).await, [own(Some(other))]);
    let hers = [("same", &b"of ann"[..]), ("hers", b"hers")]
        .map(|(id, content)| KnownFile { file: listed(id, content), text: Some(text.clone()) });
    assert_eq!(ann.texts(&["same", "hers"]).await, hers);
    store.forget(&bob, &Forget::Owner, at(9)).await.unwrap();
    assert_eq!(ann.texts(&["same", "hers"]).await, hers);
}
