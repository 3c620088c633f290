//! Order is total, and stored (design invariant 10).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::log::{Arrival, Kind, Mail, MemoryLog, MessageId};
use briefing::message::{OwnerId, ThreadId};
use briefing::ports::{Back, History};
use jiff::Timestamp;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn mail(id: &str, date: Option<i64>, answers: Option<&str>) -> Mail {
    Mail {
        message_id: MessageId::new(id),
        date: date.map(at),
        in_reply_to: answers.and_then(MessageId::new).into_iter().collect(),
        ..Mail::default()
    }
}

fn order(appended: Vec<(Mail, Arrival)>) -> Vec<String> {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    for (mail, arrival) in appended {
        log.append_mail(thread, mail, arrival).unwrap();
    }
    let back = Back { thread, before: None, after: None, kinds: Kind::Mail.into(), agent: None, count: 100 };
    let newest_first = pollster::block_on(log.back(back)).unwrap();
    newest_first.iter().rev().map(|entry| entry.mail().unwrap().message_id.as_ref().unwrap().as_str().to_owned()).collect()
}

#[test]
fn what_is_imported_stands_by_its_own_date_but_not_in_the_future() {
    let import = Arrival::Imported(at(1_000));
    let appended = vec![
        (mail("b", Some(20), None), import),
        (mail("a", Some(10), None), import),
        (mail("future", Some(9_999), None), import),
    ];
    assert_eq!(order(appended), ["a", "b", "future"]);
    let appended = vec![(mail("future", Some(9_999), None), import), (mail("live", None, None), Arrival::Live(at(2_000)))];
    assert_eq!(order(appended), ["future", "live"]);
}

#[test]
fn what_has_no_date_stands_where_it_stood_in_the_import() {
    let import = Arrival::Imported(at(1_000));
    let appended =
        vec![(mail("a", Some(10), None), import), (mail("none", None, None), import), (mail("b", Some(20), None), import)];
    assert_eq!(order(appended), ["a", "none", "b"]);
}

#[test]
fn an_answer_is_never_before_what_it_answers() {
    let import = Arrival::Imported(at(1_000));
    let appended = vec![(mail("a", Some(100), None), import), (mail("early", Some(50), Some("<a>")), import)];
    assert_eq!(order(appended), ["a", "early"]);
}

/// <https://github.com/mastra-ai/mastra/issues/3735>
#[test]
fn b29_equal_times_keep_the_order_of_arrival() {
    let now = Arrival::Live(at(5));
    assert_eq!(order(vec![(mail("a", None, None), now), (mail("b", None, None), now)]), ["a", "b"]);
}

#[test]
fn what_is_not_there_is_a_typed_error() {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let error = log.append_mail(ThreadId::new(7), Mail::default(), Arrival::Live(at(0))).unwrap_err();
    assert_eq!(error.to_string(), "no thread 7");
}
