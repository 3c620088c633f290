//! What the tests of the loop share: a desk with a store, a scripted provider and tools.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use briefing::log::{Arrival, Body};
use briefing::message::{Assistant, EntryId, ModelMessage, OwnerId, Part, RawJson, ThreadId};
use briefing::persona::LoadedPersona;
use briefing::{Profiles, Wire};
use briefing_agent::provider::Retry;
use briefing_agent::provider::http::{Endpoint, HttpClient, HttpProvider, HttpSettings, Proxies};
use briefing_agent::scripted::{Script, ScriptedServer};
use briefing_agent::tool::ToolSet;
use briefing_agent::{
    Agent, AgentError, BoxFuture, Clock, Effect, Ended, Event, Model, Proposal, Settings, Stop, SystemClock, Tool, ToolContext,
    ToolFailure, ToolOutput, ToolSpec,
};
use briefing_check::{Rules, check};
use briefing_json::Document;
use briefing_store::{Append, Durability, RunsOf, SqliteStore, Store, Target};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use tempfile::TempDir;

const PERSONA: &str = r#"
name = "Sundae"
address = "sundae@scoop.example"
instructions = "You help at the ice-cream shop."
grant = ["look_up", "add_note", "pay", "hang", "wait", "crash", "read_attachment", "search_threads", "note"]

[[message]]
text = "{{ persona.instructions }}"

[[message]]
history = { view = "mail", replay = "whole" }

[[responsibility]]
text = "{{ persona.instructions }}"

[[responsibility]]
role = "user"
text = "{{ responsibility.instructions }}"
"#;

/// A model of each wire.
pub(crate) fn model_name(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::OpenAiResponses => "gpt-4o",
        Wire::Anthropic => "claude-sonnet-4-5",
        Wire::Gemini => "gemini-2.5-flash",
    }
}

/// What the tools of a test did.
#[derive(Clone, Default)]
pub(crate) struct Deeds(Arc<Mutex<Vec<String>>>);

impl Deeds {
    pub(crate) fn add(&self, deed: impl Into<String>) {
        self.0.lock().unwrap().push(deed.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

type Do = dyn Fn(&Map<String, Value>) -> Result<String, ToolFailure> + Send + Sync;

/// A tool of a test.
pub(crate) struct Made {
    spec: ToolSpec,
    fingerprint: Arc<Mutex<String>>,
    does: Box<Do>,
}

impl Made {
    pub(crate) fn new(
        name: &str,
        effect: Effect,
        does: impl Fn(&Map<String, Value>) -> Result<String, ToolFailure> + Send + Sync + 'static,
    ) -> Self {
        let spec = ToolSpec {
            name: name.into(),
            description: format!("Does {name}.").into(),
            schema: RawJson::new(r#"{"type":"object","properties":{"what":{"type":"string"}}}"#).unwrap(),
            effect,
            confirm: false,
            timeout: None,
        };
        Self { spec, fingerprint: Arc::default(), does: Box::new(does) }
    }

    pub(crate) fn confirmed(mut self, fingerprint: &Arc<Mutex<String>>) -> Self {
        self.spec.confirm = true;
        self.fingerprint = Arc::clone(fingerprint);
        self
    }

    pub(crate) fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = Some(timeout);
        self
    }
}

impl Tool for Made {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn propose<'a>(
        &'a self,
        input: &'a Map<String, Value>,
        _: &'a ToolContext,
    ) -> BoxFuture<'a, Result<Proposal, ToolFailure>> {
        let preview = format!("{} {}", self.spec.name, Value::Object(input.clone()));
        let fingerprint = self.fingerprint.lock().unwrap().clone();
        Box::pin(std::future::ready(Ok(Proposal { preview, fingerprint })))
    }

    fn run<'a>(&'a self, input: &'a Map<String, Value>, _: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            if matches!(&*self.spec.name, "hang" | "wait") {
                std::future::pending::<()>().await;
            }
            (self.does)(input).map(ToolOutput::text)
        })
    }
}

/// The machine's clock, set forward by hand.
#[derive(Clone, Default)]
pub(crate) struct TestClock(Arc<AtomicI64>);

impl TestClock {
    pub(crate) fn forward(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::now() + SignedDuration::from_secs(self.0.load(Ordering::SeqCst))
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        SystemClock.sleep(time)
    }
}

/// A desk: an agent with everything that it needs.
pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) owner: OwnerId,
    pub(crate) thread: ThreadId,
    pub(crate) server: ScriptedServer,
    pub(crate) agent: Agent,
    pub(crate) deeds: Deeds,
    pub(crate) fingerprint: Arc<Mutex<String>>,
    pub(crate) clock: TestClock,
}

/// What a desk is made of.
pub(crate) struct Setup {
    pub(crate) wires: Vec<Wire>,
    pub(crate) settings: Settings,
    pub(crate) change: fn(&mut Model),
}

impl Setup {
    pub(crate) fn on(wire: Wire) -> Self {
        Self { wires: vec![wire], settings: Settings::default(), change: |_| {} }
    }

    pub(crate) async fn desk(self, script: Script) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::create(
            &folder.path().join("briefing.db"),
            briefing_store::Settings { durability: Durability::Process, ..Default::default() },
        );
        let store = Arc::new(store.unwrap());
        let server = ScriptedServer::start(script).await.unwrap();
        let deeds = Deeds::default();
        let fingerprint = Arc::new(Mutex::new("1".to_owned()));
        let models = self.wires.iter().map(|wire| {
            let mut model = model(&server, *wire);
            (self.change)(&mut model);
            model
        });
        let persona = Arc::new(LoadedPersona::from_toml(PERSONA).unwrap().persona);
        let tools = Arc::new(tools(&deeds, &fingerprint));
        let clock = TestClock::default();
        let agent =
            Agent::new(store.clone(), persona, models.collect(), tools, Arc::new(clock.clone()), self.settings).unwrap();
        let owner = OwnerId::default();
        let thread = store.open_thread(&owner).await.unwrap();
        Desk { folder, store, owner, thread, server, agent, deeds, fingerprint, clock }
    }
}

/// A model of a wire, which that server is.
fn model(server: &ScriptedServer, wire: Wire) -> Model {
    let client = HttpClient::new(&HttpSettings { proxies: Proxies::Direct, ..HttpSettings::default() }).unwrap();
    let provider = HttpProvider::new(&client, Endpoint::new(wire, &server.base(wire)).unwrap());
    let profile = Profiles::built_in().model(model_name(wire), Some(wire));
    let retry = Retry { first: Duration::from_millis(1), most: Duration::from_millis(1), ..Retry::default() };
    Model { retry, ..Model::new(Arc::new(provider), profile) }
}

fn tools(deeds: &Deeds, fingerprint: &Arc<Mutex<String>>) -> ToolSet {
    let mut tools = ToolSet::new();
    let what = |input: &Map<String, Value>| input.get("what").and_then(Value::as_str).unwrap_or("nothing").to_owned();
    tools.add(Arc::new(Made::new("look_up", Effect::Reads, move |input| Ok(format!("found {}", what(input)))))).unwrap();
    for (name, confirmed) in [("add_note", false), ("pay", true)] {
        let deeds = deeds.clone();
        let made = Made::new(name, Effect::Writes, move |input| {
            deeds.add(format!("{name} {}", what(input)));
            Ok(format!("done {}", what(input)))
        });
        tools.add(Arc::new(if confirmed { made.confirmed(fingerprint) } else { made })).unwrap();
    }
    let hang = Made::new("hang", Effect::Writes, |_| Ok(String::new())).timeout(Duration::from_millis(20));
    tools.add(Arc::new(hang)).unwrap();
    tools.add(Arc::new(Made::new("wait", Effect::Reads, |_| Ok(String::new())))).unwrap();
    tools.add(Arc::new(Made::new("crash", Effect::Reads, |_| panic!("out of ice")))).unwrap();
    tools
}

impl Desk {
    /// Alters the database behind the store's back.
    pub(crate) fn damage(&self, sql: &str) {
        let connection = rusqlite::Connection::open(self.folder.path().join("briefing.db")).unwrap();
        assert!(connection.execute(sql, ()).unwrap() > 0);
    }

    /// The same persona over the same store with other tools.
    pub(crate) fn agent_with(&self, tools: Arc<ToolSet>) -> Agent {
        let persona = Arc::new(LoadedPersona::from_toml(PERSONA).unwrap().persona);
        let (models, clock) = (vec![model(&self.server, Wire::OpenAiChat)], Arc::new(self.clock.clone()));
        Agent::new(self.store.clone(), persona, models, tools, clock, Settings::default()).unwrap()
    }

    pub(crate) async fn say(&self, text: &str) -> EntryId {
        let append = Append::message(ModelMessage::user(text), Target::Thread(self.thread), Arrival::Live(self.clock.now()));
        self.store.append(&self.owner, vec![append]).await.unwrap()[0].place.entry
    }

    pub(crate) async fn try_answer(&self, entry: EntryId) -> (Result<Ended, AgentError>, Vec<Event>) {
        let mut events = Vec::new();
        let ended = self.agent.answer(self.thread, entry, &Stop::new(), &mut |event| events.push(event)).await;
        (ended, events)
    }

    /// Says that and has it answered.
    pub(crate) async fn ask(&self, text: &str) -> (Ended, Vec<Event>) {
        let entry = self.say(text).await;
        let (ended, events) = self.try_answer(entry).await;
        (ended.unwrap(), events)
    }

    /// What the model said in an entry.
    pub(crate) async fn said(&self, entry: EntryId) -> Assistant {
        match &self.store.entry(&self.owner, entry).await.unwrap().unwrap().body {
            Body::Message(message) if let ModelMessage::Assistant(said) = &message.said => (**said).clone(),
            other => panic!("{other:?}"),
        }
    }

    /// The text of an entry.
    pub(crate) async fn text(&self, entry: EntryId) -> String {
        ModelMessage::Assistant(Arc::new(self.said(entry).await)).text()
    }

    /// The bodies that were sent, each of which the checker of its wire takes.
    pub(crate) fn bodies(&self) -> Vec<String> {
        let checked = self.server.requests().into_iter().map(|request| {
            let body = String::from_utf8(request.body.clone()).unwrap();
            let (document, model) = (Document::parse(&body).unwrap(), request.model());
            let wire = match request.wire().unwrap() {
                Wire::OpenAiChat => briefing_check::Wire::OpenAiChat,
                Wire::OpenAiResponses => briefing_check::Wire::OpenAiResponses,
                Wire::Anthropic => briefing_check::Wire::Anthropic,
                Wire::Gemini => briefing_check::Wire::Gemini,
            };
            let report = check(document.root(), &Rules::for_model(wire, &model));
            assert!(report.is_clean(), "{body}\n{report:?}");
            body
        });
        checked.collect()
    }

    /// Every request that is kept is made again, byte for byte, and is what was sent.
    pub(crate) async fn replays(&self) -> usize {
        let mut replayed = 0;
        for run in self.store.runs(&self.owner, RunsOf::newest(1_000)).await.unwrap() {
            match self.agent.replay(&run.run.id).await {
                Ok(requests) => {
                    for request in requests {
                        let made = request.made.as_ref().map(|made| String::from_utf8_lossy(made).into_owned());
                        assert_eq!(made.unwrap(), String::from_utf8_lossy(&request.kept), "request {}", request.number);
                        replayed += 1;
                    }
                }
                Err(AgentError::NothingKept { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        replayed
    }

    /// The outcomes of all runs, in order: the call's id and what it says.
    pub(crate) async fn outcomes(&self) -> Vec<(String, Option<bool>, String)> {
        let mut outcomes = Vec::new();
        for run in self.store.runs(&self.owner, RunsOf::newest(1_000)).await.unwrap().iter().rev() {
            for round in self.store.run_rounds(&self.owner, &run.run.id).await.unwrap() {
                for recorded in &round.outcomes {
                    let texts: Vec<_> = recorded.outcome.parts.iter().filter_map(Part::as_text).collect();
                    outcomes.push((recorded.outcome.call.to_string(), recorded.outcome.failed, texts.join("\n")));
                }
            }
        }
        outcomes
    }
}
