//! A database of a small shop: two threads of mail with tool use and a card, a chat, and something erased.

use std::path::Path;

use briefing::log::{Arrival, Card, Cause, Delivery, Direction, Run, Settled};
use briefing::message::{Assistant, Item, ModelMessage, Outcome, OwnerId, RunId, Text, ThreadId, ToolCall};
use briefing_store::{Append, Forget, NewMail, Settings, SqliteStore, Store, Target};
use jiff::Timestamp;

/// The first mail.
pub(crate) const ANN: &[u8] = b"From: Ann Lee <ann@x.example>
To: Shop <me@shop.example>
Cc: help@shop.example
Subject: Order 7
Message-ID: <a1@x.example>
Date: Fri, 1 May 2026 10:00:00 +0000
Content-Type: multipart/mixed; boundary=part

--part
Content-Type: text/plain; charset=utf-8

Hello,

\twhere is my order?
From Tuesday on I am away.
--part
Content-Type: text/plain
Content-Disposition: attachment; filename=\"bill.txt\"

10.00
--part--
";

/// A mail that cannot be read whole, and whose last line has no end.
pub(crate) const BOB: &[u8] =
    b"From: bob@y.example\r\nTo: me@shop.example\r\nSubject: Caf\xe9\r\nMessage-ID: <b1@y.example>\r\n\
Date: someday\r\n\r\nAn order of caf\xe9, please.";

pub(crate) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn mail(raw: &[u8]) -> NewMail {
    let parsed = briefing_mail::parse(raw);
    NewMail { mail: parsed.mail, files: parsed.files, raw: Some(raw.to_vec()) }
}

/// Stores those mails, each as it came at noon of a day in May, a second later each.
pub(crate) fn mails(path: &Path, mails: &[&[u8]]) {
    let store = SqliteStore::create(path, Settings::default()).unwrap();
    let noon = at("2026-05-01T12:00:00Z");
    let batch = mails
        .iter()
        .zip(0..)
        .map(|(raw, later)| Append::mail(mail(raw), Arrival::Live(noon + jiff::SignedDuration::from_secs(later))));
    pollster::block_on(store.append(&OwnerId::default(), batch.collect())).unwrap();
}

/// Stores that mail as an import does.
pub(crate) fn undated(path: &Path, raw: &[u8]) {
    let store = SqliteStore::create(path, Settings::default()).unwrap();
    let append = Append::mail(mail(raw), Arrival::Imported(at("2026-05-01T12:00:00Z")));
    pollster::block_on(store.append(&OwnerId::default(), vec![append])).unwrap();
}

/// Stores those messages, which are in the flat JSON form, as one thread.
pub(crate) fn chat(path: &Path, messages: &str) {
    let store = SqliteStore::create(path, Settings::default()).unwrap();
    let owner = OwnerId::default();
    let thread = pollster::block_on(store.open_thread(&owner)).unwrap();
    let arrival = Arrival::Live(at("2026-05-01T12:00:00Z"));
    let messages = briefing::message::messages_from_json(messages).unwrap().into_iter();
    let batch = messages.map(|message| Append::message(message, Target::Thread(thread), arrival));
    pollster::block_on(store.append(&owner, batch.collect())).unwrap();
}

/// Entries 0 to 5 are a thread with a run and a card, 6 another mail, 7 and 8 a chat, 9 a thread that was erased.
pub(crate) fn fill(path: &Path) {
    pollster::block_on(write(path));
}

async fn write(path: &Path) {
    let store = SqliteStore::create(path, Settings::default()).unwrap();
    let owner = OwnerId::default();
    let import = Arrival::Imported(at("2026-06-01T00:00:00Z"));
    let ann = store.append(&owner, vec![Append::mail(mail(ANN), import)]).await.unwrap();
    let thread = ann[0].thread;
    let run = RunId::new("run-1");
    let begun = Run { id: run.clone(), thread, cause: Cause::Message(ann[0].place.entry), persona: "me@shop.example".into() };
    store.begin_run(&owner, begun).await.unwrap();
    let said = Assistant {
        items: vec![
            Item::Text(Text::new("I look it up.")),
            Item::Call(ToolCall::new("c1", "lookup", "{\"order\":\n 7}")),
            Item::Call(ToolCall::new("c2", "lookup", "{\"order\":")),
        ],
        model: Some("model-1".into()),
        ..Assistant::default()
    };
    let round = store.append_round(&owner, &run.clone().into(), 0, said, at("2026-05-01T10:00:01Z")).await.unwrap();
    let call = round.said.calls().next().unwrap().id.clone();
    let outcome = Outcome { failed: Some(true), ..Outcome::text(call, "no order 7\nno order 07") };
    store.append_outcome(&owner, &run.clone().into(), outcome, at("2026-05-01T10:00:02Z")).await.unwrap();
    let mut reply = mail(
        b"From: me@shop.example\nTo: ann@x.example\nSubject: Re: Order 7\nMessage-ID: <a2@shop.example>\nIn-Reply-To: <a1@x.example>\n\
Date: Fri, 1 May 2026 11:00:00 +0000\n\nIt is on its way.\n",
    );
    reply.raw = None;
    reply.mail.direction = Direction::Outbound(Delivery::Sent);
    let card = Card {
        run: Some(run),
        call: ToolCall::new("c3", "refund", "{\"order\": 7}"),
        action: "Refund order 7".to_owned(),
        language: "en".to_owned(),
        preview: "To: Ann\n10.00 EUR".to_owned(),
        fingerprint: "order-7@1".to_owned(),
        expires: Some(at("2026-05-02T00:00:00Z")),
    };
    let appended = store
        .append(
            &owner,
            vec![Append::mail(reply, import), Append::card(card, thread, Arrival::Live(at("2026-05-01T11:30:00Z")))],
        )
        .await
        .unwrap();
    store.settle(&owner, appended[1].place.entry, Settled::Done, None, at("2026-05-01T12:00:00Z")).await.unwrap();
    store.append(&owner, vec![Append::mail(mail(BOB), Arrival::Live(at("2026-05-03T09:00:00Z")))]).await.unwrap();
    let chat = |message, thread, time| Append::message(message, thread, Arrival::Live(at(time)));
    let first = chat(ModelMessage::user("What is an order?"), Target::Referred, "2026-05-04T08:00:00Z");
    let thread = store.append(&owner, vec![first]).await.unwrap()[0].thread;
    let second = chat(ModelMessage::assistant("A list\nof things."), Target::Thread(thread), "2026-05-04T08:00:05Z");
    let eve = mail(b"From: eve@z.example\nSubject: Secret\n\nsecret\n");
    store.append(&owner, vec![second, Append::mail(eve, Arrival::Live(at("2026-05-05T08:00:00Z")))]).await.unwrap();
    let forget = Forget::Thread(ThreadId::new(3));
    store.forget(&owner, &forget, at("2026-05-06T00:00:00Z")).await.unwrap();
    store.index().await.unwrap();
}
