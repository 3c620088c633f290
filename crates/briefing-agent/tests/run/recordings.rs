//! Every recorded response, whole and as a stream of it, through the loop: the log holds the same items, and the request that
//! follows passes the checkers.

use crate::encode::{FRAMINGS, events, frame};
use crate::recorded::{Recording, recordings};
use crate::support::Setup;
use briefing::Wire;
use briefing::message::Assistant;
use briefing_agent::Settings;
use briefing_agent::scripted::{Say, Script, Turn};
use briefing_store::{RunEnd, RunsOf, Store};
use briefing_wire::{Finished, Stream, parse_answer_text};

/// What the log holds of the first answer, once the run has gone on or ended.
async fn taken_in(name: &str, wire: Wire, turn: Turn) -> Assistant {
    let mut settings = Settings::default();
    settings.limits.failures = 1_000;
    let script = Script::turns([turn, Turn::say(Say::text("Done.")), Turn::say(Say::text("And done."))]);
    let desk = Setup { settings, ..Setup::on(wire) }.desk(script).await;
    let (first, _) = desk.ask("Hello").await;
    assert_eq!(first.how, RunEnd::Answered, "{name}: {:?}", first.detail);
    let (second, _) = desk.ask("Go on").await;
    assert_eq!(second.how, RunEnd::Answered, "{name}: {:?}", second.detail);
    // Each of these the checker of the wire takes.
    assert!(desk.bodies().len() >= 2, "{name}");
    assert_eq!(desk.replays().await, desk.bodies().len(), "{name}");
    let runs = desk.store.runs(&desk.owner, RunsOf::newest(10)).await.unwrap();
    let rounds = desk.store.run_rounds(&desk.owner, &runs.last().unwrap().run.id).await.unwrap();
    match rounds.first() {
        Some(round) => (*round.said).clone(),
        None => desk.said(first.answer.unwrap()).await,
    }
}

#[tokio::test]
async fn every_recorded_response_is_taken_in_and_gone_on_from() {
    let (mut whole, mut streamed) = (0, 0);
    for (seed, recording) in (0..).zip(recordings()) {
        let is_stream = recording.is_stream();
        let Recording { name, wire, response, .. } = recording;
        if is_stream {
            let mut stream = Stream::new(wire);
            stream.push(response.as_bytes());
            let Finished::Whole(known) = stream.finish() else { panic!("{name}") };
            assert_eq!(taken_in(&name, wire, Turn::stream(&*response).pieces([13, 1])).await, known.said, "{name}");
            streamed += 1;
            continue;
        }
        // Streams have no white space between values.
        let value: serde_json::Value = serde_json::from_str(&response).unwrap();
        let response = value.to_string();
        // Refusals are no answers.
        let Ok(known) = parse_answer_text(wire, &response) else { continue };
        assert_eq!(taken_in(&name, wire, Turn::json(response)).await, known.said, "{name}, whole");
        let events = events(wire, &value, seed);
        let framing = FRAMINGS[usize::try_from(seed).unwrap() % FRAMINGS.len()];
        let stream = Turn::stream(frame(&events, framing)).pieces([1, 200, 7]);
        assert_eq!(taken_in(&name, wire, stream).await, known.said, "{name}, streamed");
        whole += 1;
    }
    assert_eq!((whole, streamed), (53, 3));
}
