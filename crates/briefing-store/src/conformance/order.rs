//! Numbers and places.

use briefing::log::{Arrival, Mail, Place};
use briefing::message::{EntryId, ModelMessage, OwnerId};
use briefing::ports::Back;
use jiff::Timestamp;

use super::desk::{Desk, at, id, ids, live, mail, plain, whole};
use crate::{Append, Store, Target};

pub(super) async fn sequence_numbers_count_from_zero_without_gaps(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (one, two) = (desk.thread().await, desk.thread().await);
    assert_ne!(one, two);
    let appended = [
        desk.say(one, "a", 1).await,
        desk.say(two, "b", 1).await,
        desk.mail(mail("m@x", "", "ann"), 2).await.place.entry,
        desk.card(two, "Cancel", 3).await,
    ];
    assert_eq!(appended, [0, 1, 2, 3].map(EntryId::new));
    let batch = ["c", "d"].map(|text| Append::message(ModelMessage::user(text), Target::Thread(one), live(4)));
    let appended = store.append(&owner, batch.to_vec()).await.unwrap();
    assert_eq!(appended.iter().map(|appended| appended.place.entry.get()).collect::<Vec<_>>(), [4, 5]);
    let run = desk.answer("r", one, EntryId::new(0)).await;
    assert_eq!(desk.round(&run, 0, &["c"], 5).await.entry, EntryId::new(6));
    assert_eq!(desk.outcome(&run, briefing::message::Outcome::text("c", "done"), 5).await, EntryId::new(7));
    assert_eq!(desk.settle(EntryId::new(3), briefing::log::Settled::Done, 6).await, EntryId::new(8));
}

/// <https://github.com/mastra-ai/mastra/issues/3735>
pub(super) async fn b29_equal_timestamps_keep_the_order_of_appending(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let batch = (0..20).map(|n| Append::message(ModelMessage::user(n.to_string()), Target::Thread(thread), live(7)));
    store.append(&owner, batch.collect()).await.unwrap();
    for n in 20..40 {
        desk.say(thread, &n.to_string(), 7).await;
    }
    assert_eq!(desk.read(thread).await, (0..40).map(EntryId::new).collect::<Vec<_>>());
    let before = Some(Place { at: at(7), entry: EntryId::new(20) });
    assert_eq!(ids(&desk.back(Back { before, count: 2, ..whole(thread) }).await), [19, 18].map(EntryId::new));
}

/// Appends those mails to one thread, and gives the times they got.
async fn times(desk: Desk<'_>, mails: Vec<(Mail, Arrival)>) -> Vec<Timestamp> {
    let thread = Target::Thread(desk.thread().await);
    let appends = mails.into_iter().map(|(mail, arrival)| Append { thread, ..Append::mail(plain(mail), arrival) });
    let appended = desk.store.append(desk.owner, appends.collect()).await.unwrap();
    for appended in &appended {
        assert_eq!(desk.entry(appended.place.entry).await.place(), appended.place);
    }
    appended.iter().map(|appended| appended.place.at).collect()
}

fn dated(mail: Mail, second: i64) -> Mail {
    Mail { date: Some(at(second)), ..mail }
}

pub(super) async fn what_is_imported_stands_by_its_own_date(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let import = Arrival::Imported(at(1_000));
    let mails = vec![
        (dated(mail("b", "", "ann"), 20), import),
        (dated(mail("a", "", "ann"), 10), import),
        (dated(mail("live", "", "ann"), 15), live(2_000)),
    ];
    assert_eq!(times(desk, mails).await, [20, 10, 2_000].map(at));
    let thread = desk.thread_of(EntryId::new(0)).await.unwrap();
    assert_eq!(desk.read(thread).await, [1, 0, 2].map(EntryId::new));
}

pub(super) async fn what_is_imported_is_not_later_than_its_import(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let mails = vec![(dated(mail("future", "", "ann"), 9_999), Arrival::Imported(at(1_000)))];
    assert_eq!(times(desk, mails).await, [at(1_000)]);
}

pub(super) async fn what_is_imported_without_a_date_stands_where_it_stood(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let import = Arrival::Imported(at(1_000));
    let mails = vec![
        (mail("first", "", "ann"), import),
        (dated(mail("a", "", "ann"), 10), import),
        (mail("none", "", "ann"), import),
        (dated(mail("b", "", "ann"), 20), import),
    ];
    assert_eq!(times(desk, mails).await, [Timestamp::MIN, at(10), at(10), at(20)]);
    // A message of a transcript has no date at all. What was appended last need not be in the same thread.
    let thread = Target::Thread(desk.thread().await);
    let message = desk.append(Append::message(ModelMessage::user("hi"), thread, import)).await;
    assert_eq!(message.place.at, at(20));
    let late = desk.append(Append::message(ModelMessage::user("hi"), thread, live(5_000))).await;
    let next = desk.append(Append::message(ModelMessage::user("hi"), thread, import)).await;
    assert_eq!((late.place.at, next.place.at), (at(5_000), at(1_000)));
}

pub(super) async fn what_answers_is_not_before_what_it_answers(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let import = Arrival::Imported(at(1_000));
    let by_reply = Mail { in_reply_to: vec![id("unknown@x"), id("a@x")], ..mail("c@x", "", "ann") };
    let mails = vec![
        (dated(mail("a@x", "", "ann"), 100), import),
        (dated(mail("b@x", "", "ann"), 200), import),
        (dated(mail("early@x", "b@x a@x", "ann"), 50), import),
        (dated(by_reply, 60), import),
        // Only the last of References is what it answers.
        (dated(mail("d@x", "b@x unknown@x", "ann"), 70), import),
        (mail("jumped@x", "b@x", "ann"), live(150)),
    ];
    assert_eq!(times(desk, mails).await, [100, 200, 100, 100, 70, 200].map(at));
}

pub(super) async fn times_are_cut_to_the_microsecond(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let fine = Timestamp::new(10, 123_456_789).unwrap();
    let cut = Timestamp::new(10, 123_456_000).unwrap();
    let mail = Mail { date: Some(fine), ..mail("a@x", "", "ann") };
    assert_eq!(times(desk, vec![(mail, Arrival::Live(fine))]).await, [cut]);
    let entry = desk.entry(EntryId::new(0)).await;
    assert_eq!(entry.mail().unwrap().date, Some(cut));
    let thread = desk.thread_of(entry.id).await.unwrap();
    let run = desk.answer("r", thread, entry.id).await;
    let said = briefing::message::Assistant::default();
    let round = store.append_round(&owner, &run.clone().into(), 0, said, fine).await.unwrap();
    assert_eq!(desk.entry(round.entry).await.at, cut);
}
