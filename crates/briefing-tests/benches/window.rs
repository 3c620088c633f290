//! gather, fit, seal and render of a window, out of short and long conversations; the mail view; tokens.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::hint::black_box;
use std::sync::Arc;

use briefing::log::{Address, Arrival, Body, Direction, Mail, MemoryLog, Message, MessageId, OwnerLog};
use briefing::message::{OwnerId, ThreadId};
use briefing::persona::Role;
use briefing::view::chat::{ChatEntry, ChatMessage, build};
use briefing::view::swarm::{ExactHistory, SwarmMessage};
use briefing::view::{HistoryView, Reading};
use briefing::{
    Bounds, Call, Chain, Context, Inbound, Language, ModelMessage, Persona, Subject, ThreadHistory, Wire, fit,
    fit_contributions,
};
use briefing_tests::synthetic::conversation;
use briefing_wire::Render;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use jiff::Timestamp;

/// 50 messages beside the system text.
fn fifty() -> Bounds {
    Bounds::none().messages(50)
}

fn window(c: &mut Criterion) {
    let call = Call::model("gpt-5", None);
    let mut group = c.benchmark_group("fit and render 50 messages");
    for count in [100, 100_000] {
        let messages = conversation(count);
        group.bench_function(format!("out of {count}"), |b| {
            b.iter(|| fit(black_box(&messages), &call, &fifty()).unwrap().render().unwrap());
        });
    }
    let messages = conversation(100_000);
    group.bench_function("out of 100000, fit alone", |b| b.iter(|| fit(black_box(&messages), &call, &fifty()).unwrap()));
    for (model, wire) in
        [("claude-sonnet-4-5", Wire::Anthropic), ("gpt-5", Wire::OpenAiResponses), ("gemini-3-flash", Wire::Gemini)]
    {
        let call = Call::model(model, Some(wire));
        group.bench_function(format!("out of 100000, {wire}"), |b| {
            b.iter(|| fit(black_box(&messages), &call, &fifty()).unwrap().render().unwrap());
        });
    }
    group.finish();
}

fn tokens(c: &mut Criterion) {
    let call = Call::model("gpt-5", None);
    let messages = conversation(100_000);
    let bounds = Bounds::none().tokens(12_000);
    let mut group = c.benchmark_group("fit to 12,000 tokens");
    group.bench_function("counted before", |b| b.iter(|| fit(black_box(&messages), &call, &bounds).unwrap()));
    let mut fresh = 0_u32;
    group.bench_function("never counted", |b| {
        b.iter_batched(
            || {
                fresh += 1;

                conversation(200).into_iter().map(|message| tagged(message, fresh)).collect::<Vec<_>>()
            },
            |messages| fit(&messages, &call, &bounds).unwrap(),
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

/// The same message with a number in front of its text, so that no count of it is cached.
fn tagged(message: briefing::ModelMessage, number: u32) -> briefing::ModelMessage {
    let json = briefing::message::messages_to_json([&message]);
    let json =
        json.replace(r#""content":""#, &format!(r#""content":"{number} "#)).replace(r#""q":""#, &format!(r#""q":"{number} "#));
    briefing::message::messages_from_json(&json).unwrap().remove(0)
}

fn mail(number: i64) -> Mail {
    let from = if number % 2 == 0 { "ann@customer.example" } else { "sundae@scoop.example" };
    Mail {
        direction: if number % 2 == 0 { Direction::Inbound } else { Direction::Outbound(briefing::log::Delivery::Sent) },
        message_id: MessageId::new(&format!("m{number}@mail.example")),
        date: Timestamp::from_second(1_700_000_000 + number).ok(),
        from: vec![Address::new(from)],
        to: vec![Address::new("sundae@scoop.example")],
        subject: Some("Order 7".to_owned()),
        body: Some("word ".repeat(80).into()),
        ..Mail::default()
    }
}

fn view(c: &mut Criterion) {
    let call = Call::model("gpt-5", None);
    let mut group = c.benchmark_group("mail view of 50, fit, seal and render");
    for count in [100, 100_000] {
        let log = MemoryLog::default().owner(&OwnerId::default());
        let thread = log.new_thread();
        let mut last = None;
        for number in 0..=count {
            last = Some(
                log.append_mail(thread, mail(number), Arrival::Live(Timestamp::from_second(1_700_000_000 + number).unwrap()))
                    .unwrap(),
            );
        }
        let chain = Chain::new().with(ThreadHistory::default);
        let persona = Persona::new(&Role::new().message(chain.clone()), "Sundae", "sundae@scoop.example").unwrap();
        let current = Inbound::new(last.unwrap(), thread).unwrap();
        let (history, files) = (Arc::new(log.clone()), Arc::new(log.clone()));
        let cx = Context::new(Arc::new(persona), Subject::Message(current), Timestamp::UNIX_EPOCH, history, files);
        group.bench_function(format!("out of {count}"), |b| {
            b.iter(|| pollster::block_on(chain.assemble(&cx, &call, &Bounds::none())).unwrap().render().unwrap());
        });
    }
    group.finish();
}

/// A conversation in a log in memory, all of it one agent's.
fn conversed(count: usize) -> (OwnerLog, ThreadId) {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    for (message, second) in conversation(count).into_iter().skip(1).zip(1_700_000_000..) {
        let live = Arrival::Live(Timestamp::from_second(second).unwrap());
        log.append_message(thread, Message::from(message).by("sales"), live).unwrap();
    }
    (log, thread)
}

/// The swarm and the chat view, each keeping about fifty messages: read, fit and render.
fn chats(c: &mut Criterion) {
    let call = Call::model("gpt-5", None);
    let views = [("swarm", HistoryView::swarm("sales").messages(50)), ("chat", HistoryView::chat().chars(50 * 402))];
    for (name, view) in views {
        let mut group = c.benchmark_group(format!("{name} view of 50, fit, seal and render"));
        for count in [100, 100_000] {
            let (log, thread) = conversed(count);
            let reading =
                Reading { history: &log, files: &log, thread, before: None, address: "sales@x.example", agent: "sales" };
            group.bench_function(format!("out of {count}"), |b| {
                b.iter(|| {
                    let told = pollster::block_on(view.tell(black_box(reading))).unwrap();
                    fit_contributions([told], &call, &Bounds::none()).unwrap().render().unwrap()
                });
            });
        }
        group.finish();
    }
}

/// The pure functions, over a slice of everything there is.
fn slices(c: &mut Criterion) {
    let mut group = c.benchmark_group("50 out of a slice of 100000");
    let texts = conversation(100_000);
    let chat: Vec<ChatMessage> = texts.iter().enumerate().map(|(number, message)| chat_message(number, message)).collect();
    group.bench_function("chat::build", |b| {
        b.iter(|| build(black_box(&chat), &[], ChatEntry::user("now?"), 50 * 402, Language::English));
    });
    let swarm: Vec<SwarmMessage> = texts.iter().map(swarm_message).collect();
    let exact = ExactHistory::new("sales").keep(50);
    group.bench_function("the original's for_agent, exact", |b| b.iter(|| exact.for_agent(black_box(&swarm), "Be kind.", &[])));
    group.finish();
}

fn chat_message(number: usize, message: &ModelMessage) -> ChatMessage {
    let text = message.text();
    match message {
        ModelMessage::User(_) | ModelMessage::System(_) => ChatMessage::User { id: None, text },
        ModelMessage::Assistant(said) if said.calls().next().is_none() => ChatMessage::Assistant { text, is_final: true },
        ModelMessage::Assistant(_) => {
            ChatMessage::ToolCall { id: number.to_string(), name: "lookup".to_owned(), input: "{}".to_owned() }
        }
        ModelMessage::Tool(_) => ChatMessage::ToolResult { id: number.to_string(), text },
    }
}

fn swarm_message(message: &ModelMessage) -> SwarmMessage {
    let entry = Message::from(message.clone()).by("sales");
    SwarmMessage::of(&Body::Message(Arc::new(entry))).unwrap()
}

criterion_group!(benches, window, tokens, view, chats, slices);
criterion_main!(benches);
