//! A database of a chat at a desk: files, tool use, confirmations, and what becomes of messages later.

use std::path::Path;

use briefing::log::{Arrival, Attachment, AttachmentId, Card, Message, Reset, ResetKind, Settled};
use briefing::message::{EntryId, ModelMessage, Outcome, OwnerId, ThreadId, ToolCall};
use briefing_store::{Append, Content, NewMail, NewMessage, Settings, SqliteStore, Store, Target};
use jiff::Timestamp;

/// The store of that file.
pub(crate) fn store(path: &Path) -> SqliteStore {
    SqliteStore::create(path, Settings::default()).unwrap()
}

/// A minute of that morning.
fn at(minute: i64) -> Arrival {
    let nine: Timestamp = "2026-05-01T09:00:00Z".parse().unwrap();
    Arrival::Live(nine + jiff::SignedDuration::from_mins(minute))
}

/// A message with those files, each with its name, its type and its bytes.
pub(crate) fn with_files(text: &str, files: &[(&str, &str, &[u8])]) -> Content {
    let mut message = Message::from(ModelMessage::user(text));
    let mut contents = Vec::new();
    for (name, media_type, bytes) in files {
        let id = AttachmentId::new(*name);
        message.attachments.push(Attachment {
            id: id.clone(),
            filename: Some((*name).to_owned()),
            media_type: (*media_type).to_owned(),
            size: Some(bytes.len() as u64),
            inline: false,
        });
        contents.push((id, bytes.to_vec()));
    }
    Content::Message(Box::new(NewMessage { message, files: contents }))
}

/// Appends to the thread, a minute later each.
pub(crate) fn append(store: &SqliteStore, thread: ThreadId, minute: i64, contents: Vec<Content>) -> Vec<u64> {
    let batch = contents.into_iter().zip(minute..);
    let batch = batch.map(|(content, minute)| Append::new(content, Target::Thread(thread), at(minute))).collect();
    let appended = pollster::block_on(store.append(&OwnerId::default(), batch)).unwrap();
    appended.iter().map(|appended| appended.place.entry.get()).collect()
}

fn said(message: impl Into<Message>) -> Content {
    Content::Message(Box::new(NewMessage::from(message.into())))
}

/// A chat of that many questions, each with its answer, and one question more.
pub(crate) fn long_chat(path: &Path, turns: u64) {
    let store = store(path);
    let thread = pollster::block_on(store.open_thread(&OwnerId::default())).unwrap();
    let turn =
        |turn| [said(ModelMessage::user(format!("question {turn}"))), said(ModelMessage::assistant(format!("answer {turn}")))];
    append(&store, thread, 0, (0..turns).flat_map(turn).chain([said(ModelMessage::user("the last question"))]).collect());
}

fn card(action: &str) -> Content {
    Content::Card(Box::new(Card {
        run: None,
        call: ToolCall::new("c9", "book", "{\"day\":12}"),
        action: action.to_owned(),
        language: "en".to_owned(),
        preview: "The 12th".to_owned(),
        fingerprint: "day-12@1".to_owned(),
        expires: None,
    }))
}

/// Thread 0 is a chat: 0 a question with a text and a picture, 1 and 2 tool use, 3 an answer, 4 a wish, 5 a card, 6 its notice, 7 an answer,
/// 8 the question that waits. Thread 1 is what becomes of messages: 9 and 10 edited by 13, 11 a reset, 12 popped; 14 is another card.
/// In thread 2 a card waits, 16, between two messages of the user. Thread 3 is a mail, 18, and a message of the user behind it.
pub(crate) fn fill(path: &Path) {
    let store = store(path);
    let owner = OwnerId::default();
    let open = || pollster::block_on(store.open_thread(&owner)).unwrap();
    let chat = open();
    let files: [(&str, &str, &[u8]); 2] = [
        ("offer.txt", "text/plain", b"Offer 12\nLemon, 5 l: 19.50 EUR\n"),
        ("dot.png", "image/png", include_bytes!("../data/dot.png")),
    ];
    let call = ToolCall::new("c1", "price", "{\"of\":\"lemon\"}");
    let mut on_the_way = Message::from(ModelMessage::calls([call]));
    on_the_way.interim = true;
    let outcome =
        Outcome::text("c1", "Lemon costs 19.50 EUR for five litres, and 4.20 EUR for half a litre, says the list of May.");
    append(
        &store,
        chat,
        0,
        vec![
            with_files("What is in the offer?", &files),
            said(on_the_way),
            said(ModelMessage::Tool(outcome.into())),
            said(ModelMessage::assistant("Lemon, for 19.50 EUR.")),
            said(ModelMessage::user("Book it for the 12th.")),
            card("Book the 12th"),
        ],
    );
    let settle = |card: u64, minute| {
        let (Arrival::Live(now) | Arrival::Imported(now)) = at(minute);
        pollster::block_on(store.settle(&owner, EntryId::new(card), Settled::Done, Some("de"), now)).unwrap();
    };
    settle(5, 6);
    append(
        &store,
        chat,
        7,
        vec![said(ModelMessage::assistant("Booked.")), said(ModelMessage::user("And who pays Lemon & Sons?"))],
    );
    let later = open();
    let by = |message: ModelMessage| said(Message::from(message).by("sales"));
    let reset = Reset {
        kind: ResetKind::Flush,
        agent: Some("sales".into()),
        reason: "asked for".to_owned(),
        extra: serde_json::Map::new(),
    };
    append(
        &store,
        later,
        10,
        vec![
            said(ModelMessage::system("Be brief.")),
            said(ModelMessage::user("Where is ordr 7?")),
            Content::Reset(Box::new(reset)),
            by(ModelMessage::assistant("I do not know.")),
        ],
    );
    let (Arrival::Live(now) | Arrival::Imported(now)) = at(20);
    pollster::block_on(store.pop(&owner, later, now)).unwrap();
    let edit = Append::edit(EntryId::new(10), ModelMessage::user("Where is order 7?"), at(21));
    pollster::block_on(store.append(&owner, vec![edit])).unwrap();
    append(&store, later, 22, vec![card("Send order 7 again")]);
    let user = |text: &str| said(ModelMessage::user(text));
    append(&store, open(), 30, vec![user("Cancel order 7."), card("Cancel order 7"), user("Well?")]);
    let raw =
        b"From: ann@x.example\nTo: me@shop.example\nSubject: Opening hours\nMessage-ID: <a1@x.example>\n\nAre you open?\n";
    let mail = NewMail { mail: briefing_mail::parse(raw).mail, raw: Some(raw.to_vec()), files: Vec::new() };
    append(&store, open(), 40, vec![Content::Mail(Box::new(mail)), user("Shall I say yes?")]);
    pollster::block_on(store.index()).unwrap();
}
