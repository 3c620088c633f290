//! What a round costs beside the provider's own time: a run of five requests, four of them answered with a call, over a database on
//! disk, in threads of different lengths. The model answers at once; each figure is of one run, so a round is a fifth of it.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use briefing::log::Arrival;
use briefing::message::{ModelMessage, OwnerId, RawJson, ThreadId};
use briefing::persona::{Persona, Role};
use briefing::resolvers::{LoadText, ThreadHistory};
use briefing::view::HistoryView;
use briefing::{Chain, Profiles, Stride, Wire};
use briefing_agent::scripted::Say;
use briefing_agent::tool::ToolSet;
use briefing_agent::{
    Agent, BoxFuture, Clock, Effect, Limits, Model, Provider, ProviderFault, Settings, Stop, Tool, ToolContext, ToolFailure,
    ToolOutput, ToolSpec,
};
use briefing_store::{Append, Durability, SqliteStore, Store, Target};
use briefing_wire::{Answer, Request, StreamEvent, parse_answer_text};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

const ROUNDS: usize = 5;

/// Answers with calls, and every fifth time with a text.
#[derive(Default)]
struct AtOnce(AtomicUsize);

impl Provider for AtOnce {
    fn send<'a>(
        &'a self,
        request: &'a Request,
        _: &'a mut (dyn FnMut(&StreamEvent) + Send),
    ) -> BoxFuture<'a, Result<Answer, ProviderFault>> {
        let at = self.0.fetch_add(1, Ordering::Relaxed);
        let say = if at % ROUNDS == ROUNDS - 1 {
            Say::text("It was sent on Monday, and should be there by now.")
        } else {
            Say::calls([(format!("call_{at}"), "look_up", json!({"what": "order 7"}))])
        };
        let answer = parse_answer_text(request.wire(), &say.whole(request.wire(), "gpt-4o")).unwrap();
        Box::pin(std::future::ready(Ok(answer)))
    }
}

struct LookUp(ToolSpec);

impl Tool for LookUp {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn run<'a>(&'a self, _: &'a Map<String, Value>, _: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(std::future::ready(Ok(ToolOutput::text("Order 7: 40 tubs, sent on Monday, not yet delivered. ".repeat(10)))))
    }
}

struct Now;

impl Clock for Now {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

fn agent(store: &Arc<SqliteStore>) -> Agent {
    let view = HistoryView::mail().messages(60).stride(Stride::default());
    let chain = Chain::new()
        .with(|| LoadText::system(|_| "You answer the questions of a shop's customers. ".repeat(20)))
        .with(move || ThreadHistory::new(view.clone()));
    let persona = Persona::new(&Role::new().grant(["look_up"]).message(chain), "Desk", "desk@shop.example").unwrap();
    let mut tools = ToolSet::new();
    let schema = RawJson::new(r#"{"type":"object","properties":{"what":{"type":"string"}},"required":["what"]}"#).unwrap();
    let (name, description) = ("look_up".into(), "Looks an order up.".into());
    let spec = ToolSpec { name, description, schema, effect: Effect::Reads, confirm: false, timeout: None };
    tools.add(Arc::new(LookUp(spec))).unwrap();
    let model = Model::new(Arc::new(AtOnce::default()), Profiles::built_in().model("gpt-4o", Some(Wire::OpenAiChat)));
    let settings = Settings { limits: Limits { deadline: None, ..Limits::default() }, ..Settings::default() };
    let store: Arc<dyn Store> = store.clone();
    Agent::new(store, Arc::new(persona), vec![model], Arc::new(tools), Arc::new(Now), settings).unwrap()
}

async fn say(store: &SqliteStore, thread: ThreadId, messages: Vec<ModelMessage>) -> briefing::message::EntryId {
    let append = |message| Append::message(message, Target::Thread(thread), Arrival::Live(Timestamp::now()));
    let appended = store.append(&OwnerId::default(), messages.into_iter().map(append).collect()).await.unwrap();
    appended.last().unwrap().place.entry
}

fn rounds(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a run of five rounds");
    group.sample_size(30);
    for (name, durability) in [("power", Durability::Power), ("process", Durability::Process)] {
        for length in [10_usize, 10_000] {
            let folder = tempfile::tempdir().unwrap();
            let settings = briefing_store::Settings { durability, ..Default::default() };
            let store = Arc::new(SqliteStore::create(&folder.path().join("briefing.db"), settings).unwrap());
            let agent = agent(&store);
            let thread = pollster::block_on(async {
                let thread = store.open_thread(&OwnerId::default()).await.unwrap();
                let pair = |at| {
                    let asked = format!("Question {at}: where is my order of ice cream, and when will it be here?");
                    let said = format!("Answer {at}: it is on its way, and will be there on the day that we agreed on.");
                    [ModelMessage::user(asked), ModelMessage::assistant(said)]
                };
                say(&store, thread, (0..length / 2).flat_map(pair).collect()).await;
                thread
            });
            group.bench_function(format!("{name}, {length} messages"), |bencher| {
                bencher.iter_batched(
                    || pollster::block_on(say(&store, thread, vec![ModelMessage::user("Where is order 7?")])),
                    |entry| {
                        let ended = pollster::block_on(agent.answer(thread, entry, &Stop::new(), &mut |_| {})).unwrap();
                        assert!(ended.answer.is_some(), "{ended:?}");
                    },
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

criterion_group!(benches, rounds);
criterion_main!(benches);
