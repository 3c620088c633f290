//! Where windows begin.

use briefing::message::{EntryId, OwnerId, RunId, ThreadId};

use super::desk::{Desk, assert_fails, at};
use crate::{AnchorKey, Forget, Store, StoreError};

fn key(thread: ThreadId) -> AnchorKey {
    AnchorKey { thread, persona: "Desk".to_owned(), view: "mail 50".to_owned(), model: "gpt-5".to_owned() }
}

/// A thread of five entries, at the seconds 0 to 4, and a run.
async fn five(desk: Desk<'_>) -> (ThreadId, RunId) {
    let thread = desk.thread().await;
    for second in 0..5 {
        desk.say(thread, "x", second).await;
    }
    (thread, desk.answer("r", thread, EntryId::new(0)).await)
}

pub(super) async fn an_anchor_moves_only_forward(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, run) = five(desk).await;
    let key = key(thread);
    assert_eq!(store.anchor(&owner, &key).await.unwrap(), None);
    for (to, stands) in [(2, 2), (1, 2), (2, 2), (4, 4), (0, 4)] {
        store.move_anchor(&owner, &run.clone().into(), &key, EntryId::new(to)).await.unwrap();
        assert_eq!(store.anchor(&owner, &key).await.unwrap(), Some(EntryId::new(stands)));
    }
    // Forward is by place: a later number may stand earlier.
    let late = desk.say(thread, "late mail", 1).await;
    store.move_anchor(&owner, &run.clone().into(), &key, late).await.unwrap();
    assert_eq!(store.anchor(&owner, &key).await.unwrap(), Some(EntryId::new(4)));
}

pub(super) async fn an_anchor_leads_past_what_was_erased(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, run) = five(desk).await;
    let key = key(thread);
    store.move_anchor(&owner, &run.clone().into(), &key, EntryId::new(2)).await.unwrap();
    store.forget(&owner, &Forget::Before(at(4)), at(9)).await.unwrap();
    assert_eq!(store.anchor(&owner, &key).await.unwrap(), Some(EntryId::new(4)));
    let next = desk.say(thread, "x", 3).await;
    assert_eq!(store.anchor(&owner, &key).await.unwrap(), Some(next));
    store.forget(&owner, &Forget::Thread(thread), at(9)).await.unwrap();
    assert_eq!(store.anchor(&owner, &key).await.unwrap(), None);
}

pub(super) async fn an_anchor_is_kept_for_its_key(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, run) = five(desk).await;
    let other = desk.thread().await;
    let key = key(thread);
    store.move_anchor(&owner, &run.clone().into(), &key, EntryId::new(2)).await.unwrap();
    let same = AnchorKey { persona: "DESK".to_owned(), ..key.clone() };
    assert_eq!(store.anchor(&owner, &same).await.unwrap(), Some(EntryId::new(2)));
    let others = [
        AnchorKey { thread: other, ..key.clone() },
        AnchorKey { persona: "shop".to_owned(), ..key.clone() },
        AnchorKey { view: "mail 15".to_owned(), ..key.clone() },
        AnchorKey { model: "GPT-5".to_owned(), ..key.clone() },
        AnchorKey { thread: ThreadId::new(99), ..key },
    ];
    for key in others {
        assert_eq!(store.anchor(&owner, &key).await.unwrap(), None, "{key:?}");
    }
}

pub(super) async fn an_anchor_needs_what_it_names(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, run) = five(desk).await;
    let elsewhere = desk.thread().await;
    let stranger = desk.say(elsewhere, "x", 9).await;
    let (key, entry) = (key(thread), EntryId::new(1));
    assert_fails!(store.move_anchor(&owner, &RunId::new("s").into(), &key, entry).await, StoreError::UnknownRun { .. });
    assert_fails!(
        store.move_anchor(&owner, &run.clone().into(), &key, EntryId::new(99)).await,
        StoreError::UnknownEntry { .. }
    );
    assert_fails!(store.move_anchor(&owner, &run.clone().into(), &key, stranger).await, StoreError::UnknownEntry { .. });
    let nowhere = AnchorKey { thread: ThreadId::new(99), ..key.clone() };
    assert_fails!(store.move_anchor(&owner, &run.clone().into(), &nowhere, entry).await, StoreError::UnknownThread { .. });
    assert_eq!(store.anchor(&owner, &key).await.unwrap(), None);
}
