//! One thread of one owner, to which a story is appended, and what a model reads of it.

use std::sync::Arc;

use briefing::log::{
    Address, Arrival, Card, Cause, Delivery, Direction, Entry, Kinds, Mail, MemoryLog, Message, OwnerLog, RecordedRound, Run,
    Settled,
};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Outcome, OwnerId, RunId, ThreadId, ToolCall};
use briefing::persona::Role;
use briefing::ports::{Back, History};
use briefing::texts::OutcomeText;
use briefing::view::HistoryView;
use briefing::{
    AssembleError, Bounds, Briefing, Call, Chain, Context, Inbound, Line, LoadText, Origin, Persona, Piece, Rule, Subject,
    ThreadHistory,
};
use briefing_tests::log::PERSONA;
use briefing_wire::Render;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::common::holds;

/// A model of each set of rules: OpenAI's own, Mistral's order of roles, Anthropic's wire.
pub(crate) const MODELS: [&str; 3] = ["gpt-5", "mistral-large-latest", "claude-sonnet-4-5"];

/// The agent that answers.
pub(crate) const AGENT: &str = "sales";

/// What stands before the body of every mail to the persona.
pub(crate) const MAIL_TO: &str =
    "From: Ann <ann@customer.example>\nTo: sundae@scoop.example\nCc: \nDate: \nSubject: Order 7\n\n";

pub(crate) struct Desk {
    pub(crate) log: OwnerLog,
    pub(crate) thread: ThreadId,
    clock: Timestamp,
    runs: u32,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let log = MemoryLog::default().owner(&OwnerId::default());
        let thread = log.new_thread();
        Self { log, thread, clock: Timestamp::from_second(1_770_000_000).unwrap(), runs: 0 }
    }

    fn tick(&mut self) -> Timestamp {
        self.clock += SignedDuration::from_secs(1);
        self.clock
    }

    pub(crate) fn say(&mut self, message: impl Into<Message>) -> Arc<Entry> {
        let now = self.tick();
        self.log.append_message(self.thread, message.into(), Arrival::Live(now)).unwrap()
    }

    pub(crate) fn user(&mut self, text: &str) -> Arc<Entry> {
        self.say(ModelMessage::user(text))
    }

    /// A message of the agent.
    pub(crate) fn agent(&mut self, said: ModelMessage) -> EntryId {
        self.say(Message::from(said).by(AGENT)).id
    }

    pub(crate) fn answer(&mut self, text: &str) -> EntryId {
        self.agent(ModelMessage::assistant(text))
    }

    /// A mail of a customer.
    pub(crate) fn mail(&mut self, body: &str) -> Arc<Entry> {
        let (from, to) = ("Ann <ann@customer.example>", PERSONA);
        self.append_mail(Mail { from: vec![Address::new(from)], to: vec![Address::new(to)], ..mail(body) })
    }

    /// A mail of the persona.
    pub(crate) fn reply(&mut self, body: &str) -> EntryId {
        let direction = Direction::Outbound(Delivery::Sent);
        self.append_mail(Mail { direction, from: vec![Address::new(PERSONA)], ..mail(body) }).id
    }

    fn append_mail(&mut self, mail: Mail) -> Arc<Entry> {
        let now = self.tick();
        self.log.append_mail(self.thread, mail, Arrival::Live(now)).unwrap()
    }

    /// Begins a run of the persona that answers an entry.
    pub(crate) fn begin(&mut self, answered: &Entry) -> RunId {
        self.runs += 1;
        let (id, cause) = (RunId::new(format!("run{}", self.runs)), Cause::Message(answered.id));
        self.log.begin_run(Run { id: id.clone(), thread: self.thread, cause, persona: PERSONA.into() }).unwrap();
        id
    }

    /// Records that the run's model called those tools, in its first round.
    pub(crate) fn calls(&mut self, run: &RunId, calls: impl IntoIterator<Item = ToolCall>) -> EntryId {
        let said = Assistant { items: calls.into_iter().map(Item::Call).collect(), ..Assistant::default() };
        let now = self.tick();
        self.log.append_round(run, 0, said, now).unwrap().entry
    }

    pub(crate) fn outcome(&mut self, run: &RunId, outcome: Outcome) -> EntryId {
        let now = self.tick();
        self.log.append_outcome(run, outcome, now).unwrap()
    }

    /// A card for that call: the write waits for a person.
    pub(crate) fn card(&mut self, call: &ToolCall) -> EntryId {
        let card = Card {
            run: None,
            call: call.clone(),
            action: call.name.clone(),
            language: "en".to_owned(),
            preview: "Shall I?".to_owned(),
            fingerprint: "1".to_owned(),
            expires: None,
        };
        let now = self.tick();
        self.log.append_card(self.thread, card, Arrival::Live(now)).unwrap().id
    }

    pub(crate) fn settle(&mut self, card: EntryId, settled: Settled) -> EntryId {
        let now = self.tick();
        self.log.settle(card, settled, now).unwrap().id
    }

    /// Cards that wait, newest first.
    pub(crate) fn open(&self) -> Vec<EntryId> {
        let open = pollster::block_on(self.log.open_cards(self.thread, None, usize::MAX)).unwrap();
        open.iter().map(|card| card.id).collect()
    }

    /// What is recorded of the runs that answer an entry: of each call its id, of each outcome its call and text, as they came.
    pub(crate) fn recorded(&self, answered: &Entry) -> (Vec<String>, Vec<(String, String)>) {
        let rounds = self.rounds(answered);
        let calls = rounds.iter().flat_map(|round| round.said.calls()).map(|call| call.id.to_string()).collect();
        let outcomes = rounds.iter().flat_map(|round| &round.outcomes).map(|recorded| &recorded.outcome);
        let outcomes = outcomes.map(|outcome| (outcome.call.to_string(), ModelMessage::Tool(Arc::clone(outcome)).text()));
        (calls, outcomes.collect())
    }

    fn rounds(&self, answered: &Entry) -> Vec<RecordedRound> {
        pollster::block_on(self.log.rounds(PERSONA, &[answered.id])).unwrap()
    }

    /// The entries of the rounds of the runs that answer an entry.
    pub(crate) fn stored_run(&self, answered: &Entry) -> Vec<EntryId> {
        self.rounds_so_far(answered).iter().filter_map(|piece| piece.entry).collect()
    }

    /// The rounds of the runs that answer an entry, as a run that goes on gives them.
    pub(crate) fn rounds_so_far(&self, answered: &Entry) -> Vec<Piece> {
        let rounds = self.rounds(answered).into_iter().flat_map(|round| {
            let said = Piece { message: ModelMessage::Assistant(round.said), entry: Some(round.entry) };
            let outcomes = round.outcomes.into_iter();
            let outcomes = outcomes.map(|told| Piece { message: ModelMessage::Tool(told.outcome), entry: Some(told.entry) });
            std::iter::once(said).chain(outcomes)
        });
        rounds.collect()
    }

    /// Every entry of the thread, oldest first: what is stored.
    pub(crate) fn stored(&self) -> Vec<Arc<Entry>> {
        let kinds = Kinds::ALL;
        let back = Back { thread: self.thread, before: None, after: None, kinds, agent: None, count: usize::MAX };
        let mut stored = pollster::block_on(self.log.back(back)).unwrap();
        stored.reverse();
        stored
    }

    /// What is sent to answer `current`: instructions, and the thread as the view tells it.
    pub(crate) fn brief(&self, view: &HistoryView, current: &Arc<Entry>, call: &Call, bounds: &Bounds) -> Briefing {
        self.assemble(&chain_of(view), current, &[], call, bounds).unwrap()
    }

    /// The same of any chain, in the middle of a run. Whatever comes of it, nothing that is stored changes.
    pub(crate) fn assemble(
        &self,
        chain: &Chain,
        current: &Arc<Entry>,
        rounds: &[Piece],
        call: &Call,
        bounds: &Bounds,
    ) -> Result<Briefing, AssembleError> {
        let persona = Persona::new(&Role::new().message(chain.clone()), AGENT, PERSONA).unwrap();
        let subject = Subject::Message(Inbound::new(Arc::clone(current), self.thread).unwrap());
        let ports = Arc::new(self.log.clone());
        let cx = Context::new(Arc::new(persona), subject, Timestamp::UNIX_EPOCH, ports.clone(), ports);
        let before = (self.stored(), self.open(), self.recorded(current));
        let briefing = pollster::block_on(chain.assemble_run(&cx, rounds, call, bounds));
        assert_eq!((self.stored(), self.open(), self.recorded(current)), before);
        briefing
    }
}

fn mail(body: &str) -> Mail {
    Mail { subject: Some("Order 7".to_owned()), body: Some(body.into()), ..Mail::default() }
}

/// The chain of a story: instructions and the thread.
pub(crate) fn chain_of(view: &HistoryView) -> Chain {
    instructed("Be kind.", view)
}

/// The same with other instructions.
pub(crate) fn instructed(instructions: &str, view: &HistoryView) -> Chain {
    let (text, view) = (instructions.to_owned(), view.clone());
    let instructions = move || {
        let text = text.clone();
        LoadText::system(move |_| text.clone())
    };
    Chain::new().with(instructions).with(move || ThreadHistory::new(view.clone()))
}

/// What a fixed text is recorded as, where a program closes a call.
pub(crate) fn closed(call: &ToolCall, text: OutcomeText) -> Outcome {
    Outcome { failed: text.failed(), ..Outcome::text(call.id.clone(), text.text()) }
}

pub(crate) fn line<const N: usize>(entries: [EntryId; N], rule: Rule) -> Line {
    Line { from: Origin::Entries(entries.to_vec()), rule }
}

pub(crate) fn missing(call: &ToolCall) -> Rule {
    Rule::OutcomeMissing { call: call.id.to_string() }
}

/// Of each outcome that is told whether it says that the call failed.
pub(crate) fn failed(briefing: &Briefing) -> Vec<Option<bool>> {
    let failed = |message| if let ModelMessage::Tool(outcome) = message { Some(outcome.failed) } else { None };
    briefing.messages().filter_map(failed).collect()
}

/// Asserts what each of [`MODELS`] reads, in their order, and what the receipt tells of it, which is the same for all.
#[track_caller]
pub(crate) fn assert_told(brief: impl Fn(&Call) -> Briefing, expected: [&[&str]; 3], lines: &[Line]) {
    for (model, expected) in MODELS.iter().zip(expected) {
        let briefing = brief(&Call::model(model, None));
        assert_eq!(reads(&briefing), expected, "{model}");
        assert_eq!(briefing.receipt().lines(), lines, "{model}");
    }
}

/// What the model reads: of each message of the body a line with its role, `|` between its parts; of each outcome a line. The
/// body passes the checker of its wire.
pub(crate) fn reads(briefing: &Briefing) -> Vec<String> {
    holds(briefing, briefing.call()).unwrap();
    let request = briefing.render().unwrap();
    let body: Value = serde_json::from_slice(request.body()).unwrap();
    let system = body.get("system").map(|system| format!("system: {}", parts(system).join(" | ")));
    let messages = body["messages"].as_array().unwrap().iter().flat_map(|message| {
        let mut said = parts(&message["content"]);
        said.extend(message["tool_calls"].as_array().into_iter().flatten().map(|call| {
            let function = &call["function"];
            called(&function["name"], &call["id"], function["arguments"].as_str().unwrap())
        }));
        let role = message["role"].as_str().unwrap();
        if role == "tool" {
            return vec![outcome(&message["tool_call_id"], &message["content"])];
        }
        let (outcomes, said): (Vec<String>, Vec<String>) = said.into_iter().partition(|part| part.starts_with("outcome of "));
        let said = (!said.is_empty()).then(|| format!("{role}: {}", said.join(" | ")));
        outcomes.into_iter().chain(said).collect()
    });
    system.into_iter().chain(messages).collect()
}

fn parts(content: &Value) -> Vec<String> {
    match content {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().map(part).collect(),
        other => panic!("{other}"),
    }
}

fn part(part: &Value) -> String {
    match part["type"].as_str().unwrap() {
        "text" => part["text"].as_str().unwrap().to_owned(),
        "tool_use" => called(&part["name"], &part["id"], &part["input"].to_string()),
        "tool_result" => outcome(&part["tool_use_id"], &part["content"]),
        "image_url" => format!("<{}>", part["image_url"]["url"].as_str().unwrap()),
        "image" => {
            let source = &part["source"];
            format!("<data:{};base64,{}>", source["media_type"].as_str().unwrap(), source["data"].as_str().unwrap())
        }
        other => panic!("{other}"),
    }
}

fn called(name: &Value, id: &Value, arguments: &str) -> String {
    format!("{} {} {arguments}", name.as_str().unwrap(), id.as_str().unwrap())
}

fn outcome(id: &Value, content: &Value) -> String {
    format!("outcome of {}: {}", id.as_str().unwrap(), parts(content).join(" | "))
}

/// The texts of a list, for stories of which a part is told by number.
pub(crate) fn strs(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}
