//! What a prompt cache serves: bytes of one request that are the prefix of the next (design invariant 7).

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use briefing::log::{Address, Arrival, Direction, Mail, MemoryLog};
use briefing::message::OwnerId;
use briefing::persona::Role;
use briefing::{
    Bounds, Call, Chain, Context, Inbound, LoadText, ModelMessage, Persona, PrefixChange, Stride, Subject, ThreadHistory, fit,
};
use briefing_tests::prefix::{Asked, Window, call, replayed};
use briefing_tests::transcripts::MODELS;
use briefing_wire::{Render, Request};
use jiff::Timestamp;

/// Strides at the default marks keep at least 95% of a request, and 90% of its messages, when one is made at every message of the
/// transcripts; a sliding window keeps much less. `examples/prefix.rs` prints the whole table.
#[test]
fn strides_keep_the_prefix_on_every_wire() {
    for (model, wire) in MODELS {
        let (whole, messages) = replayed(&call(model, wire), Window::Strides(30), Asked::EveryMessage);
        assert!(whole.kept() >= 0.95 && messages.kept() >= 0.90, "{wire}: {} {}", whole.kept(), messages.kept());
        let (_, sliding) = replayed(&call(model, wire), Window::Sliding(20), Asked::EveryMessage);
        assert!(sliding.kept() < 0.75, "{wire}: {}", sliding.kept());
    }
}

/// <https://github.com/crystal-autobot/autobot/pull/143>, <https://github.com/nearai/ironclaw/issues/6985>
#[test]
fn b81_a_window_steps_in_chunks_and_keeps_its_prefix_between() {
    let list: Vec<ModelMessage> = (0..40)
        .map(|index| {
            if index % 2 == 0 { ModelMessage::user(format!("u{index}")) } else { ModelMessage::assistant(format!("a{index}")) }
        })
        .collect();
    let call = Call::model("gpt-5", None);
    let (mut anchor, mut before): (_, Option<Vec<u8>>) = (None, None);
    let mut stepped = Vec::new();
    for end in 1..=list.len() {
        let bounds = Bounds::none().messages(20).stride(Stride::low(0.5), anchor);
        let briefing = fit(list.get(..end).unwrap(), &call, &bounds).unwrap();
        anchor = briefing.receipt().anchor();
        let body = open(briefing.render().unwrap());
        let moved = briefing.receipt().changes().contains(&PrefixChange::WindowStepped);
        let held = before.is_none_or(|before| body.starts_with(&before));
        assert_eq!(held, !moved, "at {end}");
        stepped.extend(moved.then_some((end, briefing.units().len())));
        before = Some(body);
    }
    // Past 20 the history is cut to half of what it may hold, and fills again.
    assert_eq!(stepped, [(21, 10), (32, 11)]);
}

/// The body up to the last byte of its last message.
fn open(request: Request) -> Vec<u8> {
    let mut body = request.into_body();
    body.truncate(body.len() - "]}".len());
    body
}

/// A system text that tells the time, and a text that tells it behind the history: the first breaks the prefix of every turn, the second
/// stands where the next turn's bytes are new anyway. <https://github.com/Mintplex-Labs/anything-llm/issues/6398>
#[test]
fn b80_a_clock_belongs_behind_the_history() {
    let clock = |cx: &Context| Some(format!("Now: {}", cx.now()));
    let in_front = Chain::new().with(move || LoadText::system(clock)).with(ThreadHistory::default);
    let behind =
        Chain::new().with(|| LoadText::system(|_| "Be kind.")).with(ThreadHistory::default).with(move || LoadText::user(clock));
    let shared = |chain: &Chain| {
        let [one, other] = [2, 3].map(|mails| turn(chain, mails));
        one.iter().zip(&other).take_while(|(one, other)| one == other).count()
    };
    let history = br#"{"role":"user","content":"From: ann@x.example"#;
    assert!(shared(&in_front) < 80, "{}", shared(&in_front));
    let body = turn(&behind, 2);
    let told = body.windows(history.len()).position(|bytes| bytes == history).unwrap();
    assert!(shared(&behind) > told + 2 * history.len(), "{} of {}", shared(&behind), body.len());
}

/// The body that answers the newest of so many mails, each an hour after the one before.
fn turn(chain: &Chain, mails: i64) -> Vec<u8> {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    let mut newest = None;
    for number in 0..mails {
        let mail = Mail {
            direction: Direction::Inbound,
            from: vec![Address::new("ann@x.example")],
            to: vec![Address::new("sundae@x.example")],
            body: Some(format!("question {number}").into()),
            ..Mail::default()
        };
        newest = Some(log.append_mail(thread, mail, Arrival::Live(at(number))).unwrap());
    }
    let persona = Persona::new(&Role::new().message(chain.clone()), "Sundae", "sundae@x.example").unwrap();
    let current = Inbound::new(newest.unwrap(), thread).unwrap();
    let ports = Arc::new(log);
    let cx = Context::new(Arc::new(persona), Subject::Message(current), at(mails), ports.clone(), ports);
    let briefing = pollster::block_on(chain.assemble(&cx, &Call::model("gpt-5", None), &Bounds::none())).unwrap();
    open(briefing.render().unwrap())
}

fn at(hour: i64) -> Timestamp {
    Timestamp::from_second(1_770_000_000 + 3_600 * hour).unwrap()
}
