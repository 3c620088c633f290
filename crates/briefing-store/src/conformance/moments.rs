//! Reading as of a moment, and cards that are claimed.

use briefing::log::{Body, Kind, Kinds, Place, Settled};
use briefing::message::{EntryId, Outcome, OwnerId, RunId, ThreadId};
use briefing::ports::Back;

use super::desk::{Desk, PERSONA, assert_fails, at, card, ids, live, said, used, whole};
use crate::{Append, Moment, Store, StoreError, WaitingCard};

async fn read(desk: Desk<'_>, head: EntryId, back: Back<'_>) -> Vec<EntryId> {
    ids(&desk.store.read_back_as_of(desk.owner, Moment::Before(head), back).await.unwrap())
}

pub(super) async fn what_came_later_is_not_there(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    assert_eq!(store.next_entry(&owner).await.unwrap(), EntryId::new(0));
    let thread = desk.thread().await;
    let asked = desk.say(thread, "order seven", 10).await;
    let run = desk.answer("run", thread, asked).await;
    let round = desk.round(&run, 0, &["c"], 11).await;
    let open = desk.card(thread, "Cancel", 12).await;
    let head = store.next_entry(&owner).await.unwrap();
    assert_eq!(head, EntryId::new(3));
    let then = store.read_back(&owner, whole(thread)).await.unwrap();
    let cards = store.open_cards(&owner, thread, None, 9).await.unwrap();
    let rounds = desk.rounds(&[asked]).await;
    // Late mail that stands before what was there, an outcome, a notice, a round, an edit.
    let late = desk.say(thread, "late", 1).await;
    let call = round.said.calls().next().unwrap().id.clone();
    let outcome = desk.outcome(&run, Outcome::text(call, "x"), 20).await;
    let notice = desk.settle(open, Settled::Done, 21).await;
    desk.round(&run, 1, &["d"], 22).await;
    let edit = desk.edit(asked, said("order eight"), 23).await;
    let moment = Moment::Before(head);
    assert_eq!(store.read_back_as_of(&owner, moment, whole(thread)).await.unwrap(), then);
    assert_eq!(store.open_cards_as_of(&owner, moment, thread, None, 9).await.unwrap(), cards);
    assert_eq!(store.rounds_as_of(&owner, moment, PERSONA, &[asked, late]).await.unwrap(), rounds);
    assert_eq!(store.notices_as_of(&owner, moment, &[open]).await.unwrap(), []);
    assert_eq!(store.entry_as_of(&owner, moment, asked).await.unwrap(), then.last().cloned());
    for gone in [late, outcome, notice, edit] {
        assert_eq!(store.entry_as_of(&owner, moment, gone).await.unwrap(), None);
    }
    // A moment to come is now.
    let to_come = Moment::Before(EntryId::new(1_000));
    assert_eq!(
        store.read_back_as_of(&owner, to_come, whole(thread)).await.unwrap(),
        store.read_back(&owner, whole(thread)).await.unwrap()
    );
    assert_eq!(read(desk, EntryId::new(0), whole(thread)).await, []);
    assert_eq!(read(desk, head, whole(ThreadId::new(9))).await, []);
}

pub(super) async fn a_message_is_of_the_kind_that_it_was(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let one = desk.put(thread, said("one"), 1).await;
    let two = desk.put(thread, used("two").by("ann"), 2).await;
    for second in 3..80 {
        desk.put(thread, used("x").by("bo"), second).await;
    }
    let between = desk.edit(one, said("one, better"), 90).await;
    let head = store.next_entry(&owner).await.unwrap();
    desk.edit(one, used("one, used").by("bo"), 91).await;
    desk.edit(two, said("two, said"), 92).await;
    let of = |kind: Kind, agent| Back { kinds: Kinds::from(kind), agent, count: 2, ..whole(thread) };
    assert_eq!(read(desk, head, of(Kind::Message, None)).await, [one]);
    assert_eq!(read(desk, head, of(Kind::ToolUse, Some("ann"))).await, [two]);
    assert_eq!(ids(&desk.back(of(Kind::Message, None)).await), [two]);
    let told = store.entry_as_of(&owner, Moment::Before(head), one).await.unwrap().unwrap();
    let Body::Message(message) = &told.body else { panic!("{told:?} is no message") };
    assert_eq!((message.edited, &message.said), (Some(between), &said("one, better").said));
    let first = store.entry_as_of(&owner, Moment::Before(between), one).await.unwrap().unwrap();
    let Body::Message(message) = &first.body else { panic!("{first:?} is no message") };
    assert_eq!((message.edited, &message.said), (None, &said("one").said));
    // What was popped since stays so.
    desk.pop(thread, 100).await.unwrap();
    let popped = read(desk, head, of(Kind::Popped, None)).await;
    assert_eq!(popped.len(), 1);
}

pub(super) async fn a_fork_reads_as_of_a_moment(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let (one, two) = (desk.say(thread, "one", 1).await, desk.card(thread, "Cancel", 2).await);
    let fork = desk.fork(thread, two).await;
    let three = desk.say(fork, "three", 3).await;
    let head = store.next_entry(&owner).await.unwrap();
    desk.say(fork, "four", 4).await;
    desk.settle(two, Settled::Done, 5).await;
    assert_eq!(read(desk, head, whole(fork)).await, [three, two, one]);
    assert_eq!(read(desk, two, whole(fork)).await, [one]);
    let open = store.open_cards_as_of(&owner, Moment::Before(head), fork, None, 1).await.unwrap();
    assert_eq!(ids(&open), [two]);
    let before = Some(Place { at: at(2), entry: two });
    assert_eq!(store.open_cards_as_of(&owner, Moment::Before(head), fork, before, 9).await.unwrap(), []);
    assert_eq!(store.open_cards(&owner, fork, None, 9).await.unwrap(), []);
}

pub(super) async fn a_card_is_claimed_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    for settled in Settled::ALL {
        let card = desk.card(thread, "Cancel", 1).await;
        store.claim_card(&owner, card, at(2)).await.unwrap();
        let again = store.claim_card(&owner, card, at(3)).await;
        assert_fails!(again, StoreError::CardClaimed { card: of, at: when } if *of == card && *when == at(2));
        assert_eq!(desk.open(thread).await, [card]);
        let done = store.settle(&owner, card, settled, None, at(4)).await;
        match settled {
            Settled::Cancelled | Settled::Expired => {
                assert_fails!(done, StoreError::CardClaimed { card: of, .. } if *of == card);
                desk.settle(card, Settled::Lost, 5).await;
            }
            Settled::Done | Settled::DataChanged | Settled::Failed | Settled::Lost => assert!(done.is_ok()),
        }
        assert_fails!(store.claim_card(&owner, card, at(6)).await, StoreError::Settled { .. });
    }
    let message = desk.say(thread, "x", 7).await;
    assert_fails!(store.claim_card(&owner, message, at(8)).await, StoreError::NotACard { .. });
    assert_fails!(store.claim_card(&owner, EntryId::new(999), at(8)).await, StoreError::UnknownEntry { .. });
    let card = desk.card(thread, "Cancel", 9).await;
    assert_fails!(store.claim_card(&OwnerId::new("bob"), card, at(9)).await, StoreError::UnknownEntry { .. });
}

pub(super) async fn what_has_lapsed_is_not_claimed(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let lapses = || briefing::log::Card { run: Some(RunId::new("r")), expires: Some(at(50)), ..card("Cancel") };
    let put = |second| desk.append(Append::card(lapses(), thread, live(second)));
    let (early, late, open) = (put(1).await.place.entry, put(2).await.place.entry, put(3).await.place.entry);
    store.claim_card(&owner, early, at(49)).await.unwrap();
    let refused = store.claim_card(&owner, late, at(50)).await;
    assert_fails!(refused, StoreError::Settled { card, settled: Settled::Expired } if *card == late);
    let notices = desk.notices(&[late]).await;
    assert_eq!(notices.iter().map(|notice| notice.settled).collect::<Vec<_>>(), [Settled::Expired]);
    // The one that is claimed is being done.
    let settled = desk.settle_lapsed(thread, 60).await;
    assert_eq!((settled.len(), desk.notices(&[open]).await.len()), (1, 1));
    assert_eq!(desk.open(thread).await, [early]);
    desk.settle(early, Settled::Done, 61).await;
}

pub(super) async fn waiting_cards_of_all_threads_are_found(store: &dyn Store) {
    let (owner, bob) = (OwnerId::default(), OwnerId::new("bob"));
    let desk = Desk { store, owner: &owner };
    let (one, two) = (desk.thread().await, desk.thread().await);
    let (first, second) = (desk.card(one, "Cancel", 9).await, desk.card(two, "Refund", 2).await);
    let (third, gone) = (desk.card(one, "Call", 3).await, desk.card(two, "Done", 4).await);
    desk.settle(gone, Settled::Done, 5).await;
    store.claim_card(&owner, second, at(6)).await.unwrap();
    let mut expected = Vec::new();
    for (entry, thread, claimed) in [(third, one, None), (second, two, Some(at(6))), (first, one, None)] {
        expected.push(WaitingCard { card: desk.entry(entry).await, thread, claimed });
    }
    assert_eq!(store.waiting_cards(&owner, 9).await.unwrap(), expected);
    assert_eq!(store.waiting_cards(&owner, 2).await.unwrap(), expected[..2]);
    assert_eq!(store.waiting_cards(&bob, 9).await.unwrap(), []);
}
