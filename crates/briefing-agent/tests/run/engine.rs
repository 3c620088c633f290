//! Another engine under the same loop: one that runs steps more than once, as engines for many nodes do.

use std::sync::Arc;
use std::time::Duration;

use briefing::Wire;
use briefing::log::Run;
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};
use briefing::texts::OutcomeText;
use briefing_agent::scripted::{Say, Script, Turn};
use briefing_agent::{Engine, EngineFuture, StepKey, Stop, StoreEngine};
use briefing_store::{Lease, RunEnd, RunSummary, Scheduled, Step, Writer};
use jiff::Timestamp;
use serde_json::json;

use crate::support::Setup;

/// Tells of every step that it was begun before, as after a node died between the beginning and the effect.
struct Repeating(StoreEngine);

impl Engine for Repeating {
    fn step<'a>(&'a self, owner: &'a OwnerId, writer: &'a Writer, key: &'a StepKey, now: Timestamp) -> EngineFuture<'a, Step> {
        Box::pin(async move {
            self.0.step(owner, writer, key, now).await?;
            self.0.step(owner, writer, key, now).await
        })
    }

    fn unended<'a>(&'a self, owner: &'a OwnerId, thread: ThreadId) -> EngineFuture<'a, Vec<RunSummary>> {
        self.0.unended(owner, thread)
    }

    fn begin<'a>(&'a self, owner: &'a OwnerId, run: &'a Run, now: Timestamp) -> EngineFuture<'a, Lease> {
        self.0.begin(owner, run, now)
    }

    fn begin_due<'a>(&'a self, owner: &'a OwnerId, work: &'a Scheduled, now: Timestamp) -> EngineFuture<'a, Lease> {
        self.0.begin_due(owner, work, now)
    }

    fn resume<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, Lease> {
        self.0.resume(owner, run, now)
    }

    fn alive<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease, now: Timestamp) -> EngineFuture<'a, Lease> {
        self.0.alive(owner, lease, now)
    }

    fn let_go<'a>(&'a self, owner: &'a OwnerId, lease: &'a Lease) -> EngineFuture<'a, ()> {
        self.0.let_go(owner, lease)
    }

    fn lasts(&self) -> Duration {
        self.0.lasts()
    }

    fn claim<'a>(&'a self, owner: &'a OwnerId, card: EntryId, now: Timestamp) -> EngineFuture<'a, ()> {
        self.0.claim(owner, card, now)
    }

    fn end<'a>(
        &'a self,
        owner: &'a OwnerId,
        writer: &'a Writer,
        how: RunEnd,
        detail: Option<&'a str>,
        now: Timestamp,
    ) -> EngineFuture<'a, ()> {
        self.0.end(owner, writer, how, detail, now)
    }

    fn stop<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, ()> {
        self.0.stop(owner, run, now)
    }

    fn schedule<'a>(&'a self, owner: &'a OwnerId, work: &'a Scheduled) -> EngineFuture<'a, ()> {
        self.0.schedule(owner, work)
    }

    fn due<'a>(&'a self, owner: &'a OwnerId, now: Timestamp, count: usize) -> EngineFuture<'a, Vec<Scheduled>> {
        self.0.due(owner, now, count)
    }

    fn cancel<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId, now: Timestamp) -> EngineFuture<'a, bool> {
        self.0.cancel(owner, run, now)
    }

    fn stopping<'a>(&'a self, owner: &'a OwnerId, run: &'a RunId) -> EngineFuture<'a, bool> {
        self.0.stopping(owner, run)
    }
}

#[tokio::test]
async fn what_writes_is_not_done_when_its_step_is_repeated() {
    let calls = [("call_a", "add_note", json!({"what": "x"})), ("call_b", "look_up", json!({"what": "order 7"}))];
    let turns = [Turn::say(Say::calls(calls)), Turn::say(Say::text("I cannot tell."))];
    let desk = Setup::on(Wire::Anthropic).desk(Script::turns(turns)).await;
    let engine = Repeating(StoreEngine::new(desk.store.clone(), StoreEngine::LASTS));
    let agent = desk.agent.clone().with_engine(Arc::new(engine));
    let entry = desk.say("Note it, and look").await;
    let ended = agent.answer(desk.thread, entry, &Stop::new(), &mut |_| {}).await.unwrap();
    assert_eq!(ended.how, RunEnd::Answered);
    assert_eq!(desk.deeds.all(), Vec::<String>::new());
    let outcomes: Vec<String> = desk.outcomes().await.into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(outcomes, [OutcomeText::Lost.text(), "found order 7"]);
    assert_eq!(desk.bodies().len(), 2);
    assert_eq!(desk.replays().await, 2);
}
