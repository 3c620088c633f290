//! Cards and notices.

use briefing::log::{Body, Card, Notice, Place, Settled};
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};

use super::desk::{Desk, assert_fails, at, card, ids, live};
use crate::{Append, Forget, Store, StoreError};

pub(super) async fn a_card_is_settled_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    for (n, settled) in Settled::ALL.into_iter().enumerate() {
        let card = desk.card(thread, "Cancel order 7", 10).await;
        let notice = desk.settle(card, settled, 20).await;
        let told = Notice { card, settled, action: "Cancel order 7".into(), language: "en".into() };
        assert_eq!(desk.entry(notice).await.body, Body::Notice(told.into()));
        assert_eq!((desk.entry(notice).await.at, desk.thread_of(notice).await), (at(20), Some(thread)));
        let again = store.settle(&owner, card, Settled::ALL[5 - n], None, at(30)).await;
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
    let settle = |entry| store.settle(&owner, entry, Settled::Done, None, at(2));
    assert_fails!(settle(said).await, StoreError::NotACard { entry } if *entry == said);
    assert_fails!(settle(EntryId::new(99)).await, StoreError::UnknownEntry { entry } if entry.get() == 99);
    let notice = desk.settle(desk.card(thread, "Cancel", 1).await, Settled::Done, 2).await;
    assert_fails!(settle(notice).await, StoreError::NotACard { .. });
}

pub(super) async fn open_cards_are_read_newest_first(store: &dyn Store) {
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
    // One that has lapsed is open until it is settled.
    assert_eq!(desk.open(thread).await, [lapsed, late, early]);
    assert_eq!(desk.open(ThreadId::new(9)).await, []);
    let read = |before, count| async move {
        let place = Some(Place { at: at(before), entry: late });
        store.open_cards(&OwnerId::default(), thread, place, count).await.unwrap()
    };
    assert_eq!(read(99_999, 1).await, [desk.entry(late).await]);
    assert_eq!(ids(&read(99_999, 9).await), [late, early]);
    assert_eq!(ids(&read(30, 9).await), [early], "not the one that stands there");
    assert_eq!(ids(&read(30, 0).await), []);
    assert_eq!(ids(&read(10, 9).await), [], "that one has a greater number");
}

pub(super) async fn a_card_is_settled_in_the_language_of_now(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two, open) =
        (desk.card(thread, "Cancel", 1).await, desk.card(thread, "Refund", 2).await, desk.card(thread, "Send", 3).await);
    let later = store.settle(&owner, two, Settled::Failed, Some("pt-BR"), at(4)).await.unwrap();
    let sooner = store.settle(&owner, one, Settled::DataChanged, None, at(5)).await.unwrap();
    let told = |card, settled, action: &str, language: &str| Notice {
        card,
        settled,
        action: action.into(),
        language: language.into(),
    };
    let (cancel, refund) = (told(one, Settled::DataChanged, "Cancel", "en"), told(two, Settled::Failed, "Refund", "pt-BR"));
    assert_eq!(desk.entry(sooner).await.body, Body::Notice(cancel.clone().into()));
    assert_eq!(desk.entry(later).await.body, Body::Notice(refund.clone().into()));
    // What is asked for decides the order; what is open, no card or not there has none.
    assert_eq!(desk.notices(&[two, open, sooner, EntryId::new(99), one]).await, [refund.clone(), cancel.clone()]);
    assert_eq!(desk.notices(&[one, two]).await, [cancel, refund]);
    assert_eq!(desk.notices(&[]).await, []);
    let logged = store.log(&owner, one, 3).await.unwrap();
    let settled: Vec<_> = logged.iter().map(|logged| logged.settled).collect();
    assert_eq!(settled, [Some(Settled::DataChanged), Some(Settled::Failed), None]);
}

pub(super) async fn what_has_lapsed_is_settled_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let lapsing = |expires: Option<i64>| Card { expires: expires.map(at), language: "de".to_owned(), ..card("Cancel") };
    let put = |thread, expires, second| async move {
        let append = Append::card(lapsing(expires), thread, live(second));
        Desk { store, owner: &OwnerId::default() }.append(append).await.place.entry
    };
    let late = put(thread, Some(50), 30).await;
    let early = put(thread, Some(60), 10).await;
    let (not_yet, never) = (put(thread, Some(61), 11).await, put(thread, None, 12).await);
    let done = put(thread, Some(20), 13).await;
    let future = put(thread, Some(40), 90).await;
    let elsewhere = put(other, Some(1), 1).await;
    desk.settle(done, Settled::Done, 14).await;
    assert_eq!(desk.settle_lapsed(thread, 39).await, []);
    let before = desk.len().await;
    let notices = desk.settle_lapsed(thread, 60).await;
    assert_eq!(notices, [0, 1, 2].map(|n| EntryId::new(before as u64 + n)), "in the order of the thread");
    let told = |card| Notice { card, settled: Settled::Expired, action: "Cancel".into(), language: "de".into() };
    assert_eq!(desk.notices(&[early, late, future]).await, [early, late, future].map(told));
    for (notice, (card, second)) in notices.iter().zip([(early, 60), (late, 60), (future, 90)]) {
        let entry = desk.entry(*notice).await;
        assert_eq!((&entry.body, entry.at), (&Body::Notice(told(card).into()), at(second)));
        assert_eq!(desk.thread_of(*notice).await, Some(thread));
    }
    assert_eq!(desk.open(thread).await, [never, not_yet]);
    assert_eq!(desk.settle_lapsed(thread, 60).await, []);
    assert_fails!(
        store.settle(&owner, early, Settled::Done, None, at(61)).await,
        StoreError::Settled { settled: Settled::Expired, .. }
    );
    assert_eq!(desk.settle_lapsed(thread, 61).await.len(), 1);
    assert_eq!((desk.open(thread).await, desk.open(other).await), (vec![never], vec![elsewhere]));
    assert_eq!(desk.settle_lapsed(ThreadId::new(99), 61).await, []);
    // What is finer than a microsecond does not count.
    let fine = |nanos| jiff::Timestamp::new(70, nanos).unwrap();
    let exact = Card { expires: Some(fine(1_900)), ..card("Exact") };
    let exact = desk.append(Append::card(exact, thread, live(62))).await.place.entry;
    assert_eq!(store.settle_lapsed(&owner, thread, fine(999)).await.unwrap(), []);
    assert_eq!(store.settle_lapsed(&owner, thread, fine(1_000)).await.unwrap().len(), 1);
    assert_eq!(desk.notices(&[exact]).await.len(), 1);
}

pub(super) async fn who_claimed_a_card_and_is_gone_lost_it(store: &dyn Store) {
    let (owner, other) = (OwnerId::default(), OwnerId::new("other"));
    let desk = Desk { store, owner: &owner };
    let (one, two) = (desk.thread().await, desk.thread().await);
    let (first, second, waits, done) = (
        desk.card(one, "A", 1).await,
        desk.card(two, "B", 2).await,
        desk.card(one, "C", 3).await,
        desk.card(one, "D", 4).await,
    );
    for (card, second) in [(second, 50), (first, 60), (done, 10)] {
        store.claim_card(&owner, card, at(second)).await.unwrap();
    }
    desk.settle(done, Settled::Done, 11).await;
    assert_eq!(store.settle_lost(&owner, at(50), at(99)).await.unwrap(), []);
    assert_eq!(store.settle_lost(&other, at(99), at(99)).await.unwrap(), []);
    let lost = store.settle_lost(&owner, at(61), at(100)).await.unwrap();
    assert_eq!(lost.len(), 2);
    let told = desk.notices(&[first, second]).await.into_iter().map(|notice| (notice.card, notice.settled));
    assert_eq!(told.collect::<Vec<_>>(), [(first, Settled::Lost), (second, Settled::Lost)]);
    assert_eq!((desk.open(one).await, desk.open(two).await), (vec![waits], vec![]));
    assert_eq!(store.settle_lost(&owner, at(61), at(101)).await.unwrap(), []);
}

/// A notice goes with its card, so no action of it can be told any more.
pub(super) async fn nothing_is_told_of_a_card_that_was_erased(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let card = desk.card(thread, "Cancel", 1).await;
    let notice = store.settle(&owner, card, Settled::Done, Some("de"), at(9)).await.unwrap();
    let stays = desk.card(thread, "Refund", 5).await;
    desk.settle(stays, Settled::Done, 6).await;
    store.forget(&owner, &Forget::Before(at(5)), at(20)).await.unwrap();
    for erased in [card, notice] {
        assert!(matches!(desk.entry(erased).await.body, Body::Erased(_)));
    }
    let told = Notice { card: stays, settled: Settled::Done, action: "Refund".into(), language: "en".into() };
    assert_eq!(desk.notices(&[card, stays]).await, [told]);
    assert_eq!(desk.open(thread).await, []);
    assert_eq!(desk.settle_lapsed(thread, 99_999).await, []);
}
