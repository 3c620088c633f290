//! What happens while a run is at work, or after it died: edits, splits, stops, and work whose time is over.

use std::sync::Arc;

use briefing::log::Arrival;
use briefing::message::EntryId;
use briefing::{ModelMessage, Responsibility, Wire};
use briefing_agent::scripted::{Refusal, Say, Script, Turn};
use briefing_agent::tool::ToolSet;
use briefing_agent::{AgentError, Ended, Event, Stop};
use briefing_store::{Append, RunEnd, RunsOf, Store};
use serde_json::json;

use crate::support::{Desk, Setup};

async fn edit(desk: &Desk, entry: EntryId, text: &str) {
    let edit = Append::edit(entry, ModelMessage::user(text), Arrival::Live(jiff::Timestamp::now()));
    desk.store.append(&desk.owner, vec![edit]).await.unwrap();
}

/// Answers an entry, and does that once the provider waits with its first answer.
async fn meanwhile(desk: &Desk, entry: EntryId, what: impl Future<Output = ()>) -> (Ended, Vec<Event>) {
    let (stop, mut events) = (Stop::new(), Vec::new());
    let mut told = |event| events.push(event);
    let answering = desk.agent.answer(desk.thread, entry, &stop, &mut told);
    let meanwhile = async {
        desk.server.stalled(1).await;
        what.await;
        desk.server.release();
    };
    let (ended, ()) = futures_util::join!(answering, meanwhile);
    (ended.unwrap(), events)
}

#[tokio::test]
async fn a_message_that_is_edited_while_it_is_answered_is_asked_anew() {
    let turns = [Turn::say(Say::text("On Monday.")).stall_after(0), Turn::say(Say::text("On Tuesday."))];
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns(turns)).await;
    let entry = desk.say("When is order 7 here?").await;
    let (ended, events) = meanwhile(&desk, entry, edit(&desk, entry, "When is order 8 here?")).await;
    assert_eq!(desk.text(ended.answer.unwrap()).await, "On Tuesday.");
    assert_eq!(events.iter().filter(|event| **event == Event::TakenBack).count(), 1);
    let bodies = desk.bodies();
    assert!(bodies[0].contains("order 7") && bodies[1].contains("order 8"), "{bodies:?}");
    assert_eq!(desk.replays().await, 2);
}

#[tokio::test]
async fn what_was_done_for_an_older_version_is_not_told_with_the_new_one() {
    let turns = [
        Turn::say(Say::calls([("call_a", "look_up", json!({"what": "order 7"}))])),
        Turn::refusal(Refusal::UnknownKey),
        Turn::say(Say::text("On Tuesday.")),
    ];
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns(turns)).await;
    let entry = desk.say("When is order 7 here?").await;
    assert_eq!(desk.try_answer(entry).await.0.unwrap().how, RunEnd::Failed);
    edit(&desk, entry, "When is order 8 here?").await;
    assert_eq!(desk.try_answer(entry).await.0.unwrap().how, RunEnd::Answered);
    let last = desk.bodies().pop().unwrap();
    assert!(last.contains("order 8") && !last.contains("order 7"), "{last}");
    assert_eq!(desk.replays().await, 3);
}

#[tokio::test]
async fn an_answer_stands_where_its_question_was_split_off_to() {
    let turns = [Turn::say(Say::text("On Monday.")).stall_after(0)];
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns(turns)).await;
    let before = desk.say("Hello").await;
    let entry = desk.say("When is order 7 here?").await;
    let split = async {
        desk.store.split(&desk.owner, entry).await.unwrap();
    };
    let (ended, _) = meanwhile(&desk, entry, split).await;
    let answer = ended.answer.unwrap();
    let thread = desk.store.thread_of(&desk.owner, entry).await.unwrap().unwrap();
    assert_eq!(desk.store.thread_of(&desk.owner, answer).await.unwrap(), Some(thread));
    assert_eq!(desk.store.thread_of(&desk.owner, before).await.unwrap(), Some(desk.thread));
    let again = desk.agent.answer(thread, entry, &Stop::new(), &mut |_| {}).await.unwrap();
    assert_eq!(again.answer, Some(answer));
}

/// A stop while a call only reads: the write behind it was never begun, and the model is not told that it may have been.
#[tokio::test]
async fn a_write_that_had_not_begun_is_told_as_broken_off() {
    let calls = [("call_a", "wait", json!({})), ("call_b", "add_note", json!({"what": "x"}))];
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns([Turn::say(Say::calls(calls))])).await;
    let (entry, stop, mut told) = (desk.say("Do both").await, Stop::new(), |_| {});
    let stopping = async {
        loop {
            let runs = desk.store.runs(&desk.owner, RunsOf::newest(1)).await.unwrap();
            match runs.first() {
                Some(run) if !desk.store.steps(&desk.owner, &run.run.id).await.unwrap().is_empty() => break stop.ask(),
                _ => tokio::task::yield_now().await,
            }
        }
    };
    let (ended, ()) = futures_util::join!(desk.agent.answer(desk.thread, entry, &stop, &mut told), stopping);
    assert_eq!(ended.unwrap().how, RunEnd::Stopped);
    assert_eq!(desk.deeds.all(), Vec::<String>::new());
    let outcomes: Vec<String> = desk.outcomes().await.into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(outcomes, [briefing::texts::OutcomeText::Interrupted.text(); 2]);
}

#[tokio::test]
async fn a_card_waits_on_while_its_tool_is_not_there() {
    let turns = [Turn::say(Say::calls([("call_a", "pay", json!({"what": "a bill"}))])), Turn::say(Say::text("It waits."))];
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns(turns)).await;
    let (_, events) = desk.ask("Pay it").await;
    let card = events.iter().find_map(|event| if let Event::Card { card, .. } = event { Some(*card) } else { None }).unwrap();
    let without = desk.agent_with(Arc::new(ToolSet::new()));
    let missing = without.confirm(card).await;
    assert!(matches!(&missing, Err(AgentError::ToolMissing { tool }) if tool == "pay"), "{missing:?}");
    assert_eq!(desk.agent.confirm(card).await.unwrap().said, "done a bill");
    assert_eq!(desk.deeds.all(), ["pay a bill"]);
}

/// A run whose rounds cannot be read is not gone on with, and keeps nobody out of its thread.
#[tokio::test]
async fn a_round_that_cannot_be_read_does_not_lock_its_thread() {
    let turns = [
        Turn::say(Say::calls([("call_a", "look_up", json!({"what": "order 7"}))])),
        Turn::say(Say::text("never")).stall_after(0),
        Turn::say(Say::text("Hello.")),
    ];
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns(turns)).await;
    let entry = desk.say("Where is order 7?").await;
    {
        let (stop, mut told) = (Stop::new(), |_| {});
        let answering = std::pin::pin!(desk.agent.answer(desk.thread, entry, &stop, &mut told));
        futures_util::future::select(answering, std::pin::pin!(desk.server.stalled(1))).await;
    }
    desk.server.release();
    desk.damage("UPDATE rounds SET said = '{'");
    desk.clock.forward(61);
    // The run itself is taken up, and ends; then the message has no answer.
    for _ in 0..2 {
        let ended = desk.try_answer(entry).await.0.unwrap();
        assert_eq!(ended.how, RunEnd::Failed);
        assert!(ended.detail.as_ref().unwrap().contains("cannot be read"), "{ended:?}");
    }
    let found = desk.store.runs(&desk.owner, RunsOf { open: true, ..RunsOf::newest(9) }).await.unwrap();
    assert_eq!(found, []);
}

/// The same where another message comes next: it is closed.
#[tokio::test]
async fn a_dead_run_that_cannot_be_read_is_closed() {
    let turns = [
        Turn::say(Say::calls([("call_a", "look_up", json!({"what": "order 7"}))])),
        Turn::say(Say::text("never")).stall_after(0),
        Turn::say(Say::text("Hello.")),
    ];
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns(turns)).await;
    let work = Responsibility { name: "stock".to_owned(), instructions: "Look at the stock.".to_owned() };
    dies(&desk, work).await;
    desk.server.release();
    desk.damage("UPDATE rounds SET said = '{'");
    desk.clock.forward(61);
    assert_eq!(desk.ask("Are you there?").await.0.how, RunEnd::Answered);
    let found = desk.store.runs(&desk.owner, RunsOf::newest(9)).await.unwrap();
    let ends: Vec<RunEnd> = found.iter().map(|run| run.end.as_ref().unwrap().how).collect();
    assert_eq!(ends, [RunEnd::Answered, RunEnd::Lost]);
}

/// Breaks off scheduled work while the provider is waited for, as when its process dies.
async fn dies(desk: &Desk, work: Responsibility) {
    let (stop, mut told) = (Stop::new(), |_| {});
    let working = std::pin::pin!(desk.agent.work(desk.thread, work, &stop, &mut told));
    let stalled = std::pin::pin!(desk.server.stalled(1));
    futures_util::future::select(working, stalled).await;
}

#[tokio::test]
async fn scheduled_work_that_died_is_gone_on_with_while_its_time_lasts() {
    for (seconds, runs) in [(61, vec![RunEnd::Answered]), (601, vec![RunEnd::Lost, RunEnd::Answered])] {
        let turns = [Turn::say(Say::text("never")).stall_after(0), Turn::say(Say::text("Order more cones."))];
        let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns(turns)).await;
        let work = || Responsibility { name: "stock".to_owned(), instructions: "Look at the stock.".to_owned() };
        dies(&desk, work()).await;
        desk.server.release();
        desk.clock.forward(seconds);
        let ended = desk.agent.work(desk.thread, work(), &Stop::new(), &mut |_| {}).await.unwrap();
        assert_eq!(desk.text(ended.answer.unwrap()).await, "Order more cones.");
        let found = desk.store.runs(&desk.owner, RunsOf::newest(9)).await.unwrap();
        let ends: Vec<RunEnd> = found.iter().rev().map(|run| run.end.as_ref().unwrap().how).collect();
        assert_eq!(ends, runs);
    }
}
