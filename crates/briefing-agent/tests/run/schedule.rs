//! Scheduled work: done when it is due, once, by whoever looks for it.

use std::time::Duration;

use crate::support::{Desk, Setup};
use briefing::message::RunId;
use briefing::{Responsibility, Wire};
use briefing_agent::scripted::{Say, Script, Turn};
use briefing_agent::{AgentError, Ended, Engine, Event, Stop, StoreEngine};
use briefing_store::{RunEnd, Scheduled, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

const HOUR: i64 = 3_600;

fn digest() -> Responsibility {
    Responsibility { name: "digest".to_owned(), instructions: "Write the digest of the day.".to_owned() }
}

impl Desk {
    /// Schedules the digest for so many seconds from now.
    async fn schedule(&self, seconds: i64) -> Scheduled {
        let at = briefing_agent::Clock::now(&self.clock) + SignedDuration::from_secs(seconds);
        self.agent.schedule(self.thread, "digest", at).await.unwrap()
    }

    async fn work_due(&self, work: &Scheduled) -> (Result<Ended, AgentError>, Vec<Event>) {
        let mut events = Vec::new();
        let ended = self.agent.work_due(work, digest(), &Stop::new(), &mut |event| events.push(event)).await;
        (ended, events)
    }

    /// The runs that are due.
    async fn due(&self) -> Vec<RunId> {
        self.agent.due(100).await.unwrap().into_iter().map(|work| work.run).collect()
    }
}

#[tokio::test]
async fn it_is_done_once_by_two_who_find_it_due() {
    let script = Script::turns([Turn::say(Say::text("All is well."))]);
    let desk = Setup::on(Wire::OpenAiChat).desk(script).await;
    let work = desk.schedule(-1).await;
    assert_eq!(desk.due().await, std::slice::from_ref(&work.run));
    let ((one, _), (other, _)) = futures_util::join!(desk.work_due(&work), desk.work_due(&work));
    let (done, refused) = if one.is_ok() { (one, other) } else { (other, one) };
    let done = done.unwrap();
    assert_eq!((done.how, &done.run), (RunEnd::Answered, &work.run));
    assert_eq!(desk.text(done.answer.unwrap()).await, "All is well.");
    assert!(matches!(&refused, Err(AgentError::Busy { run, .. }) if *run == work.run), "{refused:?}");
    // And by nobody who found it before that.
    let (late, events) = desk.work_due(&work).await;
    assert!(matches!(&late, Err(AgentError::EndedBefore { run, how: RunEnd::Answered }) if *run == work.run), "{late:?}");
    assert_eq!((events, desk.due().await), (Vec::new(), Vec::new()));
    assert_eq!(desk.bodies().len(), 1);
    assert!(desk.bodies()[0].contains("Write the digest of the day."));
    assert_eq!(desk.replays().await, 1);
}

#[tokio::test]
async fn it_is_taken_up_after_its_process_died() {
    let script = Script::turns([
        Turn::say(Say::calls([("call_a", "add_note", json!({"what": "sales"}))])),
        Turn::say(Say::text("never to be heard")).stall_after(0),
        Turn::say(Say::text("Hello.")),
        Turn::say(Say::text("Sales are noted.")),
    ]);
    let desk = Setup::on(Wire::Anthropic).desk(script).await;
    let work = desk.schedule(-1).await;
    tokio::select! {
        done = desk.work_due(&work) => panic!("{done:?}"),
        () = desk.server.stalled(1) => {}
    }
    desk.server.release();
    assert_eq!(desk.due().await, std::slice::from_ref(&work.run));
    let (early, _) = desk.work_due(&work).await;
    assert!(matches!(early, Err(AgentError::Busy { .. })), "{early:?}");
    desk.clock.forward(61);
    // Another run of the thread does not close it.
    desk.ask("Are you there?").await;
    assert_eq!(desk.due().await, std::slice::from_ref(&work.run));
    let (done, events) = desk.work_due(&work).await;
    let done = done.unwrap();
    assert_eq!((done.how, &done.run), (RunEnd::Answered, &work.run));
    assert_eq!(events[0], Event::Began { run: work.run.clone(), thread: desk.thread, resumed: true });
    assert_eq!(desk.text(done.answer.unwrap()).await, "Sales are noted.");
    assert_eq!(desk.deeds.all(), ["add_note sales"]);
    assert_eq!(desk.bodies()[3].matches("done sales").count(), 1);
    assert_eq!(desk.due().await, []);
    assert_eq!(desk.replays().await, 4);
}

#[tokio::test]
async fn work_that_is_not_scheduled_leaves_it_alone() {
    let script = Script::turns([
        Turn::say(Say::text("never to be heard")).stall_after(0),
        Turn::say(Say::text("By hand.")),
        Turn::say(Say::text("By the clock.")),
    ]);
    let desk = Setup::on(Wire::OpenAiResponses).desk(script).await;
    let work = desk.schedule(-1).await;
    tokio::select! {
        done = desk.work_due(&work) => panic!("{done:?}"),
        () = desk.server.stalled(1) => {}
    }
    desk.server.release();
    desk.clock.forward(61);
    let by_hand = desk.agent.work(desk.thread, digest(), &Stop::new(), &mut |_| {}).await.unwrap();
    assert_eq!(desk.text(by_hand.answer.unwrap()).await, "By hand.");
    assert_ne!(by_hand.run, work.run);
    let (done, _) = desk.work_due(&work).await;
    assert_eq!(desk.text(done.unwrap().answer.unwrap()).await, "By the clock.");
}

#[tokio::test]
async fn what_was_cancelled_is_not_done() {
    let script = Script::turns([Turn::say(Say::text("never to be heard")).stall_after(0)]);
    let desk = Setup::on(Wire::OpenAiChat).desk(script).await;
    let (work, other) = (desk.schedule(-2).await, desk.schedule(-1).await);
    let cancel = |run: RunId| {
        let (engine, owner) = (desk.agent.engine().clone(), desk.owner.clone());
        async move { engine.cancel(&owner, &run, Timestamp::now()).await.unwrap() }
    };
    assert!(cancel(work.run.clone()).await);
    assert!(!cancel(work.run.clone()).await);
    assert_eq!(desk.due().await, std::slice::from_ref(&other.run));
    let (late, events) = desk.work_due(&work).await;
    assert!(matches!(&late, Err(AgentError::EndedBefore { run, how: RunEnd::Stopped }) if *run == work.run), "{late:?}");
    assert_eq!((events.len(), desk.bodies().len()), (0, 0));
    // One that is at work is asked to stop instead.
    let stopping = async {
        desk.server.stalled(1).await;
        assert!(!cancel(other.run.clone()).await);
        desk.agent.engine().stop(&desk.owner, &other.run, Timestamp::now()).await.unwrap();
        desk.server.release();
    };
    let ((ended, _), ()) = futures_util::join!(desk.work_due(&other), stopping);
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!(desk.due().await, []);
}

#[tokio::test]
async fn it_is_not_done_before_its_time() {
    let script = Script::turns([Turn::say(Say::text("First.")), Turn::say(Say::text("Second."))]);
    let desk = Setup::on(Wire::Gemini).desk(script).await;
    let (second, first) = (desk.schedule(2 * HOUR).await, desk.schedule(HOUR).await);
    assert_eq!(desk.due().await, []);
    let (early, events) = desk.work_due(&first).await;
    assert!(matches!(&early, Err(AgentError::NotDue { run, at }) if (run, *at) == (&first.run, first.at)), "{early:?}");
    assert_eq!((events.len(), desk.bodies().len()), (0, 0));
    desk.clock.forward(HOUR + 1);
    assert_eq!(desk.due().await, std::slice::from_ref(&first.run));
    desk.clock.forward(HOUR);
    assert_eq!(desk.due().await, [first.run.clone(), second.run.clone()]);
    for (work, text) in [(first, "First."), (second, "Second.")] {
        let (done, _) = desk.work_due(&work).await;
        assert_eq!(desk.text(done.unwrap().answer.unwrap()).await, text);
    }
    assert_eq!(desk.due().await, []);
}

#[tokio::test]
async fn it_is_done_by_its_own_persona_under_its_own_name() {
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns([Turn::say(Say::text("Ours."))])).await;
    let ours = desk.schedule(-1).await;
    for n in 0..9_i64 {
        let at = ours.at - SignedDuration::from_secs(n + 1);
        let other =
            Scheduled { run: RunId::new(format!("other{n}")), persona: "other@scoop.example".into(), at, ..ours.clone() };
        desk.store.schedule(&desk.owner, other.clone()).await.unwrap();
        assert!(matches!(desk.work_due(&other).await.0, Err(AgentError::OtherWork { .. })));
    }
    // What is due for others does not hide it.
    let due = desk.agent.due(1).await.unwrap();
    assert_eq!(due, desk.agent.due(100).await.unwrap());
    assert_eq!(due.iter().map(|work| &work.run).collect::<Vec<_>>(), [&ours.run]);
    assert_eq!(desk.agent.due(0).await.unwrap(), []);
    let renamed = Responsibility { name: "report".to_owned(), ..digest() };
    let refused = desk.agent.work_due(&ours, renamed, &Stop::new(), &mut |_| {}).await;
    assert!(matches!(&refused, Err(AgentError::OtherWork { run }) if *run == ours.run), "{refused:?}");
    desk.work_due(&ours).await.0.unwrap();
    assert_eq!(desk.bodies().len(), 1);
}

/// Another run takes the thread in the very moment in which it is begun.
#[tokio::test]
async fn it_stays_due_where_another_run_was_quicker() {
    let desk = Setup::on(Wire::OpenAiChat).desk(Script::turns([Turn::say(Say::text("Later."))])).await;
    let (work, now) = (desk.schedule(-1).await, Timestamp::now());
    let engine = StoreEngine::new(desk.store.clone(), Duration::from_secs(60));
    let other = Scheduled { run: RunId::new("other"), ..work.clone() }.as_run();
    let lease = engine.begin(&desk.owner, &other, now).await.unwrap();
    let refused = engine.begin_due(&desk.owner, &work, now).await;
    assert!(matches!(&refused, Err(StoreError::Leased { run, .. }) if *run == other.id), "{refused:?}");
    assert_eq!(desk.due().await, std::slice::from_ref(&work.run));
    let (busy, _) = desk.work_due(&work).await;
    assert!(matches!(&busy, Err(AgentError::Busy { run, .. }) if *run == other.id), "{busy:?}");
    engine.end(&desk.owner, &(&lease).into(), RunEnd::Answered, None, now).await.unwrap();
    let (done, _) = desk.work_due(&work).await;
    assert_eq!(done.unwrap().run, work.run);
    assert_eq!(desk.due().await, []);
}
