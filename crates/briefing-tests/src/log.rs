//! Logs as a year of use leaves them: mails with odd dates, drafts, colleagues; runs that interleave, are lost, and repeat ids.

use std::sync::Arc;

use briefing::log::{
    Address, Arrival, Attachment, AttachmentId, Cause, Delivery, Direction, Entry, Mail, MemoryLog, OwnerLog, RecordedRound,
    Run,
};
use briefing::message::{Assistant, Item, Outcome, OwnerId, RunId, ThreadId, ToolCall};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::list::text;

/// The persona's address in generated logs.
pub const PERSONA: &str = "sundae@scoop.example";

/// One thing that is appended.
#[derive(Debug, Clone)]
pub enum Event {
    /// A mail: who, the seconds since the one before (a clock may jump back), words, whether it has a date.
    Mail(u8, i16, u8, bool),
    /// A run begins on the mail appended so many mails ago; of another persona, if so.
    Begin(u8, bool),
    /// A round of one of the newest runs: ids of its calls.
    Round(u8, Vec<u8>),
    /// An outcome of a call of one of the newest rounds.
    Outcome(u8, u8, u8),
}

/// A strategy for logs.
pub fn events(most: usize) -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        5 => (any::<u8>(), any::<i16>(), any::<u8>(), any::<bool>()).prop_map(|(who, after, words, dated)| Event::Mail(who, after, words, dated)),
        2 => (0_u8..3, prop::bool::weighted(0.2)).prop_map(|(ago, other)| Event::Begin(ago, other)),
        4 => (0_u8..3, prop::collection::vec(0_u8..6, 1..4)).prop_map(|(ago, ids)| Event::Round(ago, ids)),
        6 => (0_u8..3, 0_u8..3, any::<u8>()).prop_map(|(ago, call, words)| Event::Outcome(ago, call, words)),
    ];
    prop::collection::vec(event, 1..most)
}

/// A log with one thread.
pub struct Built {
    /// The owner's log.
    pub log: OwnerLog,
    /// Its thread.
    pub thread: ThreadId,
    /// The mails, in the order of appending.
    pub mails: Vec<Arc<Entry>>,
}

/// Appends those events, and behind them one inbound mail that is to be answered.
pub fn build(events: &[Event]) -> Built {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    let mut built = Built { log, thread, mails: Vec::new() };
    let mut runs: Vec<RunId> = Vec::new();
    let mut rounds: Vec<(RunId, RecordedRound)> = Vec::new();
    let mut clock = Timestamp::from_second(1_770_000_000).unwrap_or(Timestamp::UNIX_EPOCH);
    for event in events.iter().cloned().chain([Event::Mail(0, i16::MAX, 9, false)]) {
        match event {
            Event::Mail(who, after, words, dated) => {
                clock = clock.checked_add(SignedDuration::from_secs(i64::from(after))).unwrap_or(clock);
                let mail = Mail { date: dated.then_some(clock), ..mail(who, words) };
                let arrival = if who % 2 == 0 { Arrival::Live(clock) } else { Arrival::Imported(clock) };
                built.mails.extend(built.log.append_mail(thread, mail, arrival));
            }
            Event::Begin(ago, other) => {
                let Some(trigger) = newest(&built.mails, ago) else { continue };
                let persona = if other { "other@scoop.example" } else { PERSONA };
                let run = RunId::new(format!("run{}", runs.len()));
                if built
                    .log
                    .begin_run(Run { id: run.clone(), thread, cause: Cause::Message(trigger.id), persona: persona.into() })
                    .is_ok()
                {
                    runs.push(run);
                }
            }
            Event::Round(ago, ids) => {
                let Some(run) = newest(&runs, ago) else { continue };
                let items = ids.iter().map(|id| Item::Call(ToolCall::new(call_id(*id), "find_order", "{}"))).collect();
                let turn = u32::try_from(rounds.len()).unwrap_or(0);
                let recorded = built.log.append_round(run, turn, Assistant { items, ..Assistant::default() }, clock);
                rounds.extend(recorded.map(|recorded| (run.clone(), recorded)));
            }
            Event::Outcome(ago, call, words) => {
                let Some((run, round)) = newest(&rounds, ago) else { continue };
                let Some(call) = round.said.calls().nth(usize::from(call)) else { continue };
                // A second outcome of one call is kept like the first; that it may be refused is not this test's matter.
                let _ = built.log.append_outcome(run, Outcome::text(call.id.clone(), text(words)), clock);
            }
        }
    }
    built
}

fn newest<T>(list: &[T], ago: u8) -> Option<&T> {
    list.len().checked_sub(usize::from(ago) + 1).and_then(|at| list.get(at))
}

fn call_id(kind: u8) -> String {
    match kind {
        0 => String::new(),
        1 | 2 => "call_0".to_owned(),
        3 => "y".repeat(10_000),
        _ => format!("toolu_{kind}"),
    }
}

fn mail(who: u8, words: u8) -> Mail {
    let (direction, from) = match who % 8 {
        0..=3 => (Direction::Inbound, "Ann Lee <ann@customer.example>"),
        4 | 5 => (Direction::Outbound(Delivery::Sent), PERSONA),
        6 => (Direction::Outbound(Delivery::Sent), "Bo <bo@scoop.example>"),
        _ => (Direction::Outbound(Delivery::Draft), PERSONA),
    };
    let attachment = Attachment {
        id: AttachmentId::new(format!("att_{words}")),
        filename: Some("a\nb.pdf".to_owned()),
        media_type: "application/pdf".to_owned(),
        size: Some(10),
        inline: false,
    };
    Mail {
        direction,
        from: vec![Address::new(from)],
        to: vec![Address::new(PERSONA)],
        subject: Some(text(words.wrapping_add(3))),
        body: Some(text(words).into()),
        attachments: if words.is_multiple_of(10) { vec![attachment] } else { Vec::new() },
        ..Mail::default()
    }
}
