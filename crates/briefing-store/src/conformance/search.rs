//! Search.

use briefing::log::Mail;
use briefing::message::{EntryId, OwnerId};

use super::desk::{Desk, at, mail};
use crate::Store;

async fn with_texts(desk: Desk<'_>, texts: &[&str]) {
    let thread = desk.thread().await;
    for text in texts {
        desk.say(thread, text, 1).await;
    }
}

pub(super) async fn all_words_must_be_there(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let order = Mail {
        subject: Some("Order seven".to_owned()),
        body: Some("The blue lamp\nhas arrived.".into()),
        ..mail("a@x", "", "ann")
    };
    let appended = desk.mail(order, 7).await;
    with_texts(desk, &["the red lamp", "lampshade"]).await;
    assert_eq!(desk.find("lamp").await, [0, 1].map(EntryId::new));
    assert_eq!(desk.find("blue lamp").await, [EntryId::new(0)]);
    assert_eq!(desk.find("lamp  SEVEN").await, [EntryId::new(0)], "in the subject and in the body");
    assert_eq!(desk.find("blue red").await, []);
    assert_eq!(store.search(&owner, "lamp", 1).await.unwrap().len(), 1);
    assert_eq!(store.search(&owner, "lamp", 0).await.unwrap(), []);
    let hits = store.search(&owner, "arrived", 9).await.unwrap();
    assert_eq!((hits[0].entry, hits[0].thread, hits[0].at), (appended.place.entry, appended.thread, at(7)));
    assert!(hits[0].excerpt.contains("arrived") && !hits[0].excerpt.contains('\n'), "{:?}", hits[0].excerpt);
    let other = desk.thread().await;
    store.merge(&owner, appended.thread, other).await.unwrap();
    assert_eq!(store.search(&owner, "arrived", 9).await.unwrap()[0].thread, other);
}

pub(super) async fn quoted_words_stand_together(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    with_texts(desk, &["the blue lamp is here", "the lamp is blue", "blue, lamp"]).await;
    assert_eq!(desk.find("\"blue lamp\"").await, [0, 2].map(EntryId::new));
    assert_eq!(desk.find("\"lamp blue\"").await, []);
    assert_eq!(desk.find("\"blue lamp\" here").await, [EntryId::new(0)]);
    assert_eq!(desk.find("\"the blue\" \"lamp is\"").await, [EntryId::new(0)]);
}

pub(super) async fn nothing_is_an_operator(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    with_texts(desk, &["near order and", "ordering", "order not or subject", "lamp"]).await;
    let all = [0, 2].map(EntryId::new);
    for text in
        ["order*", "^order", "-order", "(order", "order)", "order;", "\"order", "order\"", "'order'", "\"\"order", "{order:"]
    {
        assert_eq!(desk.find(text).await, all, "{text}");
    }
    assert_eq!(desk.find("order AND near").await, [EntryId::new(0)]);
    assert_eq!(desk.find("order OR lamp").await, []);
    assert_eq!(desk.find("order NOT lamp").await, []);
    assert_eq!(desk.find("NEAR(order and)").await, [EntryId::new(0)]);
    assert_eq!(desk.find("subject:order").await, []);
    for nothing in ["", " ", "\"", "\"\"", "\"\"\"", "*", "-", "()", "\0", "' OR 1=1 --", "\u{1f366}"] {
        assert_eq!(desk.find(nothing).await, [], "{nothing}");
    }
}

pub(super) async fn marks_and_case_do_not_count(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    with_texts(desk, &["Herr Müller aus Köln", "Crème brûlée", "muller"]).await;
    assert_eq!(desk.find("MULLER").await, [0, 2].map(EntryId::new));
    assert_eq!(desk.find("müller").await, [0, 2].map(EntryId::new));
    assert_eq!(desk.find("koln").await, [EntryId::new(0)]);
    assert_eq!(desk.find("creme BRÛLEE").await, [EntryId::new(1)]);
}
