//! Providers that fail, in every way that they do.

use std::time::Duration;

use crate::support::Setup;
use briefing::Wire;
use briefing_agent::scripted::{Refusal, Say, Script, Turn};
use briefing_agent::{Event, Settings, Stop};
use briefing_store::RunEnd;
use serde_json::json;

fn retries(events: &[Event]) -> usize {
    events.iter().filter(|event| matches!(event, Event::Retry { .. })).count()
}

#[tokio::test]
async fn what_may_pass_is_tried_again_on_every_wire() {
    for wire in Wire::ALL {
        for fault in [
            Turn::refusal(Refusal::RateLimited).header("retry-after", "0"),
            Turn::refusal(Refusal::Failed),
            Turn::refusal(Refusal::Overloaded),
            Turn::say(Say::text("Half an ans")).cut_after(150),
        ] {
            let desk = Setup::on(wire).desk(Script::turns([fault.clone(), Turn::say(Say::text("Here I am."))])).await;
            let (ended, events) = desk.ask("Are you there?").await;
            assert_eq!((ended.how, ended.detail.clone(), retries(&events)), (RunEnd::Answered, None, 1), "{wire} {fault:?}");
            assert_eq!(desk.text(ended.answer.unwrap()).await, "Here I am.");
            assert_eq!(desk.replays().await, 1);
        }
    }
}

#[tokio::test]
async fn text_of_a_request_that_failed_is_taken_back() {
    let cut = Turn::say(Say::texts(["Half ", "an ", "answer"])).pieces([40]).cut_after(400);
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns([cut, Turn::say(Say::text("Whole."))])).await;
    let (ended, events) = desk.ask("Hello").await;
    let at = events.iter().position(|event| *event == Event::TakenBack).unwrap();
    assert!(events[..at].iter().any(|event| matches!(event, Event::Text { .. })));
    assert_eq!(desk.text(ended.answer.unwrap()).await, "Whole.");
}

#[tokio::test]
async fn an_overflow_shrinks_and_is_tried_once() {
    for wire in Wire::ALL {
        let said = "word ".repeat(400);
        let turns = [
            Turn::say(Say::text(&*said)),
            Turn::say(Say::text(&*said)),
            Turn::refusal(Refusal::Overflow),
            Turn::say(Say::text("It fits now.")),
        ];
        let desk = Setup::on(wire).desk(Script::turns(turns)).await;
        desk.ask(&said).await;
        desk.ask(&said).await;
        let (ended, events) = desk.ask("Go on").await;
        assert_eq!((ended.how, retries(&events)), (RunEnd::Answered, 0), "{wire}: {:?}", ended.detail);
        let shrunk = events.iter().filter(|event| matches!(event, Event::Shrunk { .. })).count();
        assert_eq!(shrunk, 1, "{wire}");
        let bodies = desk.bodies();
        assert!(bodies[3].len() < bodies[2].len(), "{wire}: {} then {}", bodies[2].len(), bodies[3].len());
        assert_eq!(desk.replays().await, 4, "{wire}");
    }
}

#[tokio::test]
async fn an_overflow_of_what_never_yields_fails_and_says_so() {
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns([Turn::refusal(Refusal::Overflow)])).await;
    let (ended, _) = desk.ask(&"word ".repeat(2_000)).await;
    assert_eq!(ended.how, RunEnd::Failed);
    let detail = ended.detail.unwrap();
    assert!(detail.starts_with("tokens are bounded at"), "{detail}");
}

#[tokio::test]
async fn the_next_model_goes_on_across_wires() {
    let script = Script::answering(|request| match request.wire() {
        Some(Wire::OpenAiChat) => Turn::refusal(Refusal::UnknownKey),
        Some(Wire::Gemini) => Turn::say(Say::text("Hello from the other house.")),
        _ => Turn::say(Say::calls([("call_a", "look_up", json!({"what": "ice"}))])),
    });
    let setup = Setup { wires: vec![Wire::OpenAiChat, Wire::Gemini], ..Setup::on(Wire::Gemini) };
    let desk = setup.desk(script).await;
    let (ended, events) = desk.ask("Hello").await;
    assert_eq!(ended.how, RunEnd::Answered);
    let fell: Vec<_> = events
        .iter()
        .filter_map(|event| if let Event::FellBack { from, to, .. } = event { Some((&**from, &**to)) } else { None })
        .collect();
    assert_eq!(fell, [("gpt-4o", "gemini-2.5-flash")]);
    assert_eq!(desk.bodies().len(), 2);
    assert_eq!(desk.replays().await, 2);
}

#[tokio::test]
async fn text_of_a_model_that_failed_is_taken_back_before_the_next_one_speaks() {
    let script = Script::answering(|request| match request.wire() {
        Some(Wire::OpenAiChat) => Turn::say(Say::texts(["Half ", "an ", "answer"])).pieces([40]).cut_after(400),
        _ => Turn::say(Say::text("Whole.")),
    });
    let change = |model: &mut briefing_agent::Model| model.retry = briefing_agent::provider::Retry::never();
    let setup = Setup { wires: vec![Wire::OpenAiChat, Wire::Anthropic], change, ..Setup::on(Wire::Anthropic) };
    let (ended, events) = setup.desk(script).await.ask("Hello").await;
    assert_eq!(ended.how, RunEnd::Answered);
    let back = events.iter().position(|event| *event == Event::TakenBack).unwrap();
    let fell = events.iter().position(|event| matches!(event, Event::FellBack { .. })).unwrap();
    assert!(back < fell, "{events:?}");
    let told = events[fell..].iter().filter_map(|event| if let Event::Text { text } = event { Some(&**text) } else { None });
    assert_eq!(told.collect::<String>(), "Whole.");
}

/// What was asked is edited after it was answered: the request was made of what it said then.
#[tokio::test]
async fn a_replay_reads_the_log_as_it_was() {
    use briefing::log::Arrival;
    use briefing_store::{Append, Store};

    let script = Script::turns([Turn::say(Say::text("On Monday.")), Turn::say(Say::text("On Tuesday."))]);
    let desk = Setup::on(Wire::Anthropic).desk(script).await;
    let entry = desk.say("When is order 7 here?").await;
    desk.try_answer(entry).await.0.unwrap();
    let edited = briefing::ModelMessage::user("When is order 8 here?");
    let edit = Append::edit(entry, edited, Arrival::Live(jiff::Timestamp::now()));
    desk.store.append(&desk.owner, vec![edit]).await.unwrap();
    assert_eq!(desk.replays().await, 1);
    // Another version may have another answer; the same one has one.
    let second = desk.try_answer(entry).await.0.unwrap();
    assert_eq!(desk.text(second.answer.unwrap()).await, "On Tuesday.");
    let third = desk.try_answer(entry).await.0.unwrap();
    assert_eq!(third.answer, second.answer);
    assert_eq!(desk.replays().await, 2);
}

#[tokio::test]
async fn a_provider_that_is_down_ends_the_run_and_the_message_can_be_answered_later() {
    let mut turns = vec![Turn::say(Say::calls([("call_a", "add_note", json!({"what": "once"}))]))];
    turns.extend((0..4).map(|_| Turn::refusal(Refusal::Overloaded)));
    turns.push(Turn::say(Say::text("Back again.")));
    let desk = Setup::on(Wire::Anthropic).desk(Script::turns(turns)).await;
    let entry = desk.say("Note it").await;
    let (down, events) = desk.try_answer(entry).await;
    assert_eq!((down.unwrap().how, retries(&events)), (RunEnd::Failed, 3));
    let (ended, _) = desk.try_answer(entry).await;
    let ended = ended.unwrap();
    assert_eq!(desk.text(ended.answer.unwrap()).await, "Back again.");
    // What the first run did is not done again, and the model sees it.
    assert_eq!(desk.deeds.all(), ["add_note once"]);
    let body = desk.bodies().pop().unwrap();
    assert_eq!(body.matches("done once").count(), 1, "{body}");
    assert_eq!(desk.replays().await, 3);
}

#[tokio::test]
async fn garbage_and_silence_are_no_answers() {
    for turn in [Turn::page(), Turn::json("{}"), Turn::json("[1, 2"), Turn::stream("data: {]\n\n"), Turn::say(Say::text("  "))]
    {
        let desk = Setup::on(Wire::OpenAiChat).desk(Script::answering(move |_| turn.clone())).await;
        let (ended, _) = desk.ask("Hello").await;
        assert_eq!((ended.how, ended.answer), (RunEnd::Failed, None));
        assert!(ended.detail.is_some());
    }
}

#[tokio::test]
async fn a_stop_breaks_off_what_waits_for_the_provider() {
    let script =
        Script::turns([Turn::say(Say::text("never to be heard")).stall_after(0), Turn::say(Say::text("Hello again."))]);
    let desk = Setup::on(Wire::OpenAiChat).desk(script).await;
    let (entry, stop) = (desk.say("Hello").await, Stop::new());
    let mut told = |_| {};
    let answering = desk.agent.answer(desk.thread, entry, &stop, &mut told);
    let stopping = async {
        desk.server.stalled(1).await;
        stop.ask();
    };
    let (ended, ()) = futures_util::join!(answering, stopping);
    assert_eq!(ended.unwrap().how, RunEnd::Stopped);
    desk.server.release();
    let (ended, _) = desk.ask("Still there?").await;
    assert_eq!(ended.how, RunEnd::Answered);
    assert_eq!(desk.bodies().len(), 2);
}

#[tokio::test]
async fn a_deadline_breaks_off_too() {
    let mut settings = Settings::default();
    settings.limits.deadline = Some(Duration::from_millis(50));
    let script = Script::turns([Turn::say(Say::text("late")).stall_after(0)]);
    let desk = Setup { settings, ..Setup::on(Wire::Gemini) }.desk(script).await;
    let (ended, _) = desk.ask("Hello").await;
    assert_eq!(ended.how, RunEnd::Deadline);
}
