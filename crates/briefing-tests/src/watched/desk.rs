//! An agent that keeps a desk: its persona, its model, its tools, and what is asked of it.

use std::sync::Arc;
use std::time::Duration;

use briefing::log::{Arrival, Message};
use briefing::message::{EntryId, ModelMessage, OwnerId, ThreadId};
use briefing::persona::{Persona, Role};
use briefing::resolvers::{LoadText, ThreadHistory};
use briefing::view::HistoryView;
use briefing::{Chain, ModelProfile, Profiles, Responsibility, Stride, Wire};
use briefing_agent::tool::AddError;
use briefing_agent::{Agent, AgentError, Clock, Ended, Limits, Model, Settings, Stop, StoreEngine};
use briefing_store::{Append, Key, Scheduled, Store, StoreError, Target};

use super::model::name;
use super::{Effects, Hook, ScriptedModel, SetClock, tools};

/// The name of the first message's thread.
pub const FIRST: &str = "chat";
/// The name of the thread that scheduled work is kept in.
pub const SCHEDULED: &str = "work";
/// The key of the second message.
pub const SECOND: &str = "second";

/// What is asked of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Four rounds: reads side by side, writes, a card.
    First,
    /// Two rounds.
    Second,
    /// Two rounds, asked by nobody.
    Scheduled,
    /// No round.
    Further,
}

impl Question {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::First, Self::Second, Self::Scheduled, Self::Further];

    /// Its words.
    #[must_use]
    pub const fn asks(self) -> &'static str {
        match self {
            Self::First => "Please keep the desk.",
            Self::Second => "Please put up the sign.",
            Self::Scheduled => "Count what is there.",
            Self::Further => "Good night!",
        }
    }
}

/// Everything that an agent is made of.
pub struct Desk {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: Arc<SetClock>,
    /// What is done at each point of the model and the tools; a [`Watched`](super::Watched) store has its own.
    pub hook: Arc<dyn Hook>,
    /// Where effects are kept.
    pub effects: Effects,
    /// How often a wait for the model is looked at.
    pub waits: u32,
}

/// Why there is no agent.
#[derive(Debug, thiserror::Error)]
pub enum DeskFault {
    /// A tool cannot be added.
    #[error(transparent)]
    Tool(#[from] AddError),
    /// The agent cannot be made.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// Whose desk it is.
#[must_use]
pub fn owner() -> OwnerId {
    OwnerId::default()
}

/// What the model of that wire takes.
#[must_use]
pub fn profile(wire: Wire) -> ModelProfile {
    Profiles::built_in().model(name(wire), Some(wire))
}

fn persona() -> Result<Persona, AgentError> {
    let system = || LoadText::system(|_| "You keep the desk of a shop.");
    let history = || ThreadHistory::new(HistoryView::mail().messages(200).stride(Stride::default()));
    let work = || LoadText::user(|_| Question::Scheduled.asks());
    let role = Role::new()
        .grant([super::LOOK, super::PUT, super::PAY])
        .message(Chain::new().with(system).with(history))
        .responsibility(Chain::new().with(system).with(work));
    Ok(Persona::new(&role, "Desk", "desk@shop.example")?)
}

impl Desk {
    /// An agent that speaks that wire.
    ///
    /// # Errors
    /// [`DeskFault`].
    pub fn agent(&self, wire: Wire) -> Result<Agent, DeskFault> {
        let model = Model::new(Arc::new(ScriptedModel::new(Arc::clone(&self.hook), self.waits)), profile(wire));
        let settings = Settings { limits: Limits { deadline: None, ..Limits::default() }, ..Settings::default() };
        let agent = Agent::new(
            Arc::clone(&self.store),
            Arc::new(persona()?),
            vec![model],
            Arc::new(tools(&self.hook, &self.effects)?),
            Arc::clone(&self.clock) as Arc<dyn Clock>,
            settings,
        )?;
        Ok(agent)
    }

    /// How long a run keeps its thread without a sign of life.
    pub const LEASE: Duration = StoreEngine::LASTS;

    /// Appends a message of a person, once.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn ask(&self, thread: ThreadId, question: Question, key: &str) -> Result<Option<EntryId>, StoreError> {
        let message = Message::from(ModelMessage::user(question.asks()));
        let append = Append::message(message, Target::Thread(thread), Arrival::Live(self.clock.now())).key(Key::new(key));
        let appended = self.store.append(&owner(), vec![append]).await?;
        Ok(appended.first().map(|appended| appended.place.entry))
    }

    /// Answers it.
    ///
    /// # Errors
    /// As [`Agent::answer`].
    pub async fn answer(agent: &Agent, thread: ThreadId, entry: EntryId) -> Result<Ended, AgentError> {
        agent.answer(thread, entry, &Stop::new(), &mut |_| {}).await
    }

    /// Does the scheduled work.
    ///
    /// # Errors
    /// As [`Agent::work`].
    pub async fn work(agent: &Agent, thread: ThreadId) -> Result<Ended, AgentError> {
        agent.work(thread, scheduled(), &Stop::new(), &mut |_| {}).await
    }

    /// Does it as what is due.
    ///
    /// # Errors
    /// As [`Agent::work_due`].
    pub async fn work_due(agent: &Agent, work: &Scheduled) -> Result<Ended, AgentError> {
        agent.work_due(work, scheduled(), &Stop::new(), &mut |_| {}).await
    }
}

fn scheduled() -> Responsibility {
    Responsibility { name: SCHEDULED.to_owned(), instructions: Question::Scheduled.asks().to_owned() }
}
