//! Cards and notices.

use briefing::log::{Body, Card, Notice, Settled};
use briefing::message::{EntryId, OwnerId, RunId};

use super::desk::{Desk, assert_fails, at, card, live};
use crate::{Append, Store, StoreError};

pub(super) async fn a_card_is_settled_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    for (n, settled) in Settled::ALL.into_iter().enumerate() {
        let card = desk.card(thread, "Cancel order 7", 10).await;
        let notice = desk.settle(card, settled, 20).await;
        assert_eq!(desk.entry(notice).await.body, Body::Notice(Notice { card, settled }));
        assert_eq!((desk.entry(notice).await.at, desk.thread_of(notice).await), (at(20), Some(thread)));
        let again = store.settle(&owner, card, Settled::ALL[4 - n], at(30)).await;
        assert_fails!(again, StoreError::Settled { card: of, settled: how } if *of == card && *how == settled);
        assert_eq!(desk.len().await, 2 * n + 2);
    }
    // A clock that jumps back does not put the notice before its card.
    let card = desk.card(thread, "Cancel order 8", 40).await;
    assert_eq!(desk.entry(desk.settle(card, Settled::Done, 5).await).await.at, at(40));
}

pub(super) async fn what_is_no_card_is_not_settled(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let said = desk.say(thread, "x", 1).await;
    let settle = |entry| store.settle(&owner, entry, Settled::Done, at(2));
    assert_fails!(settle(said).await, StoreError::NotACard { entry } if *entry == said);
    assert_fails!(settle(EntryId::new(99)).await, StoreError::UnknownEntry { entry } if entry.get() == 99);
    let notice = desk.settle(desk.card(thread, "Cancel", 1).await, Settled::Done, 2).await;
    assert_fails!(settle(notice).await, StoreError::NotACard { .. });
}

pub(super) async fn open_cards_stand_in_the_order_of_the_thread(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let full = Card { run: Some(RunId::new("never begun")), expires: None, ..card("line\n\"quoted\"") };
    let late = desk.append(Append::card(full.clone(), thread, live(30))).await.place.entry;
    assert_eq!(desk.entry(late).await.body, Body::Card(full.into()));
    let early = desk.card(thread, "early", 10).await;
    let settled = desk.card(thread, "settled", 20).await;
    let lapsed = desk.card(thread, "lapsed", 99_999).await;
    desk.card(other, "elsewhere", 10).await;
    desk.settle(settled, Settled::Cancelled, 40).await;
    let open = store.open_cards(&owner, thread).await.unwrap();
    // One that has lapsed is open until it is settled.
    assert_eq!(open.iter().map(|card| card.id).collect::<Vec<_>>(), [early, late, lapsed]);
    assert_eq!(open[1], desk.entry(late).await);
    assert_eq!(store.open_cards(&owner, briefing::message::ThreadId::new(9)).await.unwrap(), []);
}
