//! Rounds: what a run records, what the next request shows of it, on every wire.

use crate::support::Setup;
use briefing::Wire;
use briefing_agent::Event;
use briefing_agent::scripted::{Say, Script, Turn};
use briefing_store::RunEnd;
use serde_json::json;

#[tokio::test]
async fn a_second_message_shows_the_rounds_of_the_first_on_every_wire() {
    for wire in Wire::ALL {
        let script = Script::turns([
            Turn::say(Say::calls([
                ("call_a", "look_up", json!({"what": "order 7"})),
                ("call_b", "look_up", json!({"what": "order 8"})),
            ])),
            Turn::say(Say::calls([("call_c", "add_note", json!({"what": "call Ann"}))])),
            Turn::say(Say::text("Both were sent.").usage(100, 5)),
            Turn::say(Say::text("On Monday.")),
        ]);
        let desk = Setup::on(wire).desk(script).await;
        let (ended, events) = desk.ask("Where are orders 7 and 8?").await;
        assert_eq!((ended.how, ended.detail.clone()), (RunEnd::Answered, None), "{wire}");
        assert_eq!(desk.text(ended.answer.unwrap()).await, "Both were sent.");
        assert_eq!(desk.deeds.all(), ["add_note call Ann"]);
        let told: String =
            events.iter().filter_map(|event| if let Event::Text { text } = event { Some(&**text) } else { None }).collect();
        assert_eq!(told, "Both were sent.");
        assert_eq!(
            events.last(),
            Some(&Event::Ended { how: ended.how, detail: None, answer: ended.answer, spent: ended.spent })
        );

        let (second, _) = desk.ask("And when?").await;
        assert_eq!(desk.text(second.answer.unwrap()).await, "On Monday.");
        let bodies = desk.bodies();
        assert_eq!(bodies.len(), 4);
        for said in ["found order 7", "found order 8", "done call Ann", "Both were sent.", "And when?"] {
            assert!(bodies[3].contains(said), "{wire}: {said} is not in {}", bodies[3]);
        }
        assert_eq!(desk.replays().await, 4, "{wire}");
        assert_eq!(ended.spent.requests, 3);
    }
}

/// A run may be spawned on a runtime of many threads.
#[tokio::test]
async fn a_run_may_move_between_threads() {
    let desk = Setup::on(Wire::Gemini).desk(Script::turns([Turn::say(Say::text("Here."))])).await;
    let (agent, thread, entry) = (desk.agent.clone(), desk.thread, desk.say("Hello").await);
    let run = tokio::spawn(async move { agent.answer(thread, entry, &briefing_agent::Stop::new(), &mut |_| {}).await });
    assert_eq!(run.await.unwrap().unwrap().how, RunEnd::Answered);
}
