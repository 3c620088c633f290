//! What an append promises.

use std::sync::Arc;

use briefing::log::{Address, Attachment, AttachmentId, Body, Delivery, Direction, Mail};
use briefing::message::{
    Assistant, Bytes, EntryId, Input, Item, Media, MediaSource, ModelMessage, Outcome, OwnerId, Part, Text, ThreadId, ToolCall,
    User,
};
use jiff::Timestamp;

use super::desk::{Desk, assert_fails, at, full_mail, id, live, mail, plain};
use crate::{Append, Fate, Forget, Key, NewMail, Store, StoreError, Target};

/// <https://github.com/NousResearch/hermes-agent/pull/873>, <https://github.com/nanocoai/nanoclaw/issues/3457>
pub(super) async fn b76_a_second_append_of_a_key_gives_the_first(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let delivery =
        |text: &str| Append::message(ModelMessage::user(text), Target::Thread(thread), live(1)).key(Key::new("delivery 7"));
    let first = desk.append(delivery("Where is it?")).await;
    assert_eq!(first.fate, Fate::New { merged: Vec::new(), reused: None });
    desk.say(thread, "more", 2).await;
    let second = desk.append(delivery("Where is it?")).await;
    assert_eq!((second.place, second.thread, second.fate), (first.place, first.thread, Fate::Before));
    assert_eq!(desk.len().await, 2);
    assert_eq!(store.keyed(&owner, &Key::new("delivery 7")).await.unwrap(), Some(first.place.entry));
    assert_eq!(store.keyed(&owner, &Key::new("delivery 8")).await.unwrap(), None);
    assert_eq!(store.keyed(&OwnerId::new("other"), &Key::new("delivery 7")).await.unwrap(), None);

    let raw = b"Message-ID: <a@x>\n\nhello".to_vec();
    let mail = NewMail { mail: mail("a@x", "", "ann"), raw: Some(raw), files: Vec::new() };
    let first = desk.append(Append::mail(mail.clone(), live(3))).await;
    let second = desk.append(Append::mail(mail, live(4))).await;
    assert_eq!((second.place, second.thread, second.fate), (first.place, first.thread, Fate::Before));
    assert_eq!(desk.len().await, 3);
}

pub(super) async fn b76_a_key_counts_inside_its_batch_and_before_all_else(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let keyed = |text: &str| Append::message(ModelMessage::user(text), Target::Thread(thread), live(1)).key(Key::new("k"));
    let appended = store.append(&owner, vec![keyed("a").expecting(None), keyed("b")]).await.unwrap();
    assert_eq!((appended[0].place, Fate::Before), (appended[1].place, appended[1].fate.clone()));
    assert_eq!(desk.len().await, 1);
    // Who tries again has conditions that held the first time.
    let again = desk.append(keyed("a").expecting(None)).await;
    assert_eq!((again.place, again.fate), (appended[0].place, Fate::Before));
    let elsewhere = Append { thread: Target::Thread(ThreadId::new(99)), ..keyed("a") };
    assert_eq!(desk.append(elsewhere).await.thread, thread);
    // What failed left no key behind.
    let failing = Append::message(ModelMessage::user("c"), Target::Thread(thread), live(1)).key(Key::new("l")).expecting(None);
    assert_fails!(Err::<(), _>(desk.refused(vec![failing.clone()]).await), StoreError::Moved { .. });
    let retried = desk.append(Append { expected: crate::Expected::Any, ..failing }).await;
    assert_eq!(retried.fate, Fate::New { merged: Vec::new(), reused: None });
}

/// <https://github.com/xiaoyu-work/claw-os/issues/19>, <https://github.com/OpenHands/software-agent-sdk/issues/3147>
pub(super) async fn b74_who_expects_another_head_appends_nothing(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let (thread, other) = (desk.thread().await, desk.thread().await);
    let say = |text: &str, head| Append::message(ModelMessage::user(text), Target::Thread(thread), live(1)).expecting(head);
    let first = desk.append(say("A", None)).await.place.entry;
    desk.say(other, "elsewhere", 1).await;
    let second = desk.append(say("answer A", Some(first))).await.place.entry;
    let unrelated = Append::message(ModelMessage::user("x"), Target::Thread(other), live(1));
    let error = desk.refused(vec![unrelated, say("answer B", Some(first))]).await;
    let StoreError::Moved { thread: moved, expected, found } = error else { panic!("{error:?}") };
    assert_eq!((moved, expected, found), (thread, Some(first), Some(second)));
    assert_fails!(Err::<(), _>(desk.refused(vec![say("B", None)]).await), StoreError::Moved { expected: None, .. });
    assert_eq!(desk.len().await, 3);
    // The head is the newest by number, whatever its time; what a run writes moves it too.
    let run = desk.answer("r", thread, first).await;
    let round = desk.round(&run, 0, &["c"], 0).await.entry;
    assert_eq!(store.thread(&owner, thread).await.unwrap().unwrap().head, Some(round));
    let batch = vec![say("b", Some(round)), say("c", Some(round))];
    assert_fails!(Err::<(), _>(desk.refused(batch).await), StoreError::Moved { .. });
    desk.append(say("b", Some(round))).await;
}

pub(super) async fn a_batch_is_appended_whole_or_not_at_all(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    desk.say(thread, "before", 1).await;
    let new = Append::mail(full_mail(mail("a@x", "", "ann"), b"raw", b"file"), live(2));
    let nowhere = Append::message(ModelMessage::user("x"), Target::Thread(ThreadId::new(99)), live(2));
    let error = desk.refused(vec![new.clone(), nowhere]).await;
    assert!(matches!(error, StoreError::UnknownThread { thread } if thread == ThreadId::new(99)), "{error:?}");
    assert_eq!(desk.len().await, 1);
    assert_eq!(store.threads(&owner, None, 10).await.unwrap().len(), 1);
    assert_eq!(store.by_message_id(&owner, &id("a@x")).await.unwrap(), []);
    assert_eq!(desk.find("body").await, []);
    let appended = desk.append(new).await;
    assert_eq!(appended.place.entry, EntryId::new(1));
    assert_eq!(appended.fate, Fate::New { merged: Vec::new(), reused: None });
}

pub(super) async fn an_empty_batch_appends_nothing(store: &dyn Store) {
    assert_eq!(store.append(&OwnerId::default(), Vec::new()).await.unwrap(), []);
}

pub(super) async fn a_reused_message_id_keeps_both(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let with = |raw: &[u8], body: &str| NewMail {
        mail: Mail { body: Some(body.into()), ..mail("a@x", "", "ann") },
        raw: Some(raw.to_vec()),
        files: Vec::new(),
    };
    let first = desk.append(Append::mail(with(b"one", "one"), live(1))).await;
    let second = desk.append(Append::mail(with(b"two", "two"), live(2))).await;
    let third = desk.append(Append::mail(with(b"three", "three"), live(3))).await;
    assert_eq!(second.fate, Fate::New { merged: Vec::new(), reused: Some(first.place.entry) });
    assert_eq!(third.fate, Fate::New { merged: Vec::new(), reused: Some(first.place.entry) });
    let all = [first.place.entry, second.place.entry, third.place.entry];
    assert_eq!(store.by_message_id(&owner, &id("a@x")).await.unwrap(), all);
    for (entry, body) in all.into_iter().zip(["one", "two", "three"]) {
        assert_eq!(desk.entry(entry).await.mail().unwrap().body.as_deref(), Some(body));
    }
    // The case of an id matters.
    assert_eq!(store.by_message_id(&owner, &id("A@x")).await.unwrap(), []);
}

pub(super) async fn a_mail_is_kept_as_it_came(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let listed = |id: &str, filename: Option<&str>, size| Attachment {
        id: AttachmentId::new(id),
        filename: filename.map(str::to_owned),
        media_type: "application/pdf".to_owned(),
        size,
        inline: size.is_none(),
    };
    let mail = Mail {
        direction: Direction::Outbound(Delivery::Draft),
        message_id: Some(id("odd \"id\"@x")),
        in_reply_to: vec![id("b@x"), id("a@x")],
        references: vec![id("r@x"), id("r@x"), id("b@x")],
        date: Some(at(77)),
        from: vec![Address::new("Ann \"A\" Lee <ann@x.example>"), Address { name: Some(String::new()), email: String::new() }],
        to: vec![Address::new("bo@x.example")],
        cc: vec![Address { name: None, email: "not an address".to_owned() }],
        subject: Some("Ünïcode\r\n \u{0}and more".to_owned()),
        body: Some("line\r\nline\n\u{1f366}".into()),
        attachments: vec![
            listed("two", Some("b.pdf"), Some(3)),
            listed("one", None, None),
            listed("none", Some("../../a"), Some(u64::MAX >> 1)),
        ],
    };
    let files = vec![(AttachmentId::new("one"), b"1".to_vec()), (AttachmentId::new("two"), b"22".to_vec())];
    let raw = b"\xff\x00raw".to_vec();
    let new = NewMail { mail: mail.clone(), raw: Some(raw.clone()), files };
    let full = desk.append(Append::mail(new, live(100))).await.place.entry;
    let bare = desk.append(Append::mail(NewMail::default(), live(101))).await.place.entry;
    assert_eq!(desk.entry(full).await.body, Body::Mail(Arc::new(mail)));
    assert_eq!(desk.entry(bare).await.body, Body::Mail(Arc::new(Mail::default())));
    let file = |id: &'static str| async move { store.file(&OwnerId::default(), &AttachmentId::new(id)).await.unwrap() };
    assert_eq!(file("one").await.as_deref(), Some(&b"1"[..]));
    assert_eq!(file("two").await.as_deref(), Some(&b"22"[..]));
    assert_eq!(file("none").await, None);
    assert_eq!(file("nobody's").await, None);
    assert_eq!(store.raw(&owner, full).await.unwrap().as_deref(), Some(raw.as_slice()));
    assert_eq!(store.raw(&owner, bare).await.unwrap(), None);
    assert_eq!(store.raw(&owner, EntryId::new(99)).await.unwrap(), None);
}

pub(super) async fn equal_contents_are_kept_once(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let large = vec![7; 300_000];
    for (id, raw) in [("a@x", &b"one"[..]), ("b@x", b"two"), ("c@x", &large)] {
        desk.append(Append::mail(full_mail(mail(id, "", "ann"), raw, &large), live(1))).await;
    }
    assert_eq!(store.verify().await.unwrap().blobs, 3);
    let file = full_mail(Mail::default(), b"", &large).files[0].0.clone();
    assert_eq!(store.file(&owner, &file).await.unwrap().as_deref(), Some(large.as_slice()));
    assert_eq!(store.raw(&owner, EntryId::new(2)).await.unwrap().as_deref(), Some(large.as_slice()));
    store.forget(&owner, &Forget::Owner, at(2)).await.unwrap();
    assert_eq!(store.verify().await.unwrap().blobs, 0);
}

pub(super) async fn messages_are_kept_as_they_came(store: &dyn Store) {
    let owner = OwnerId::default();
    let desk = Desk { store, owner: &owner };
    let thread = desk.thread().await;
    let broken = ToolCall { input: Input::new("{broken"), ..ToolCall::new("id", "odd name", "") };
    let picture = Media { source: MediaSource::Url("https://x.example/a.png".into()), ..image() };
    let messages = [
        ModelMessage::system("Be brief.\r\n"),
        ModelMessage::User(Arc::new(User {
            parts: vec![Part::text("look"), Part::Image(image()), Part::Document(picture)],
            ..User::default()
        })),
        ModelMessage::Assistant(Arc::new(Assistant {
            items: vec![Item::Text(Text::new("one")), Item::Call(broken), Item::Text(Text::new("two"))],
            ..Assistant::default()
        })),
        ModelMessage::Tool(Arc::new(Outcome { failed: Some(true), ..Outcome::text("id", "") })),
        ModelMessage::assistant(""),
    ];
    for message in &messages {
        let appended = desk.append(Append::message(message.clone(), Target::Thread(thread), live(1))).await;
        assert_eq!(desk.entry(appended.place.entry).await.body, Body::Message(Arc::new(message.clone().into())));
    }
    let alone = desk.append(Append::message(messages[0].clone(), Target::Referred, live(1))).await;
    assert_ne!(alone.thread, thread);
    let undated =
        Append { arrival: briefing::log::Arrival::Imported(Timestamp::MAX), ..Append::mail(plain(Mail::default()), live(0)) };
    desk.append(undated).await;
}

fn image() -> Media {
    Media::data("image/png", Bytes::encode(b"pixels"))
}
