//! One agent's hold on a client's log.

use std::sync::Arc;

use briefing::log::{Arrival, Entry, Kind, Kinds, Place};
use briefing::message::{EntryId, ModelMessage, OwnerId, ThreadId};
use briefing::ports::{Back, PortError};
use briefing::view::swarm::{ExactHistory, Finding, SwarmEntry, SwarmEvent, SwarmMessage};
use briefing::view::{HistoryView, Reading};
use briefing::{Bounds, Briefing, Call, Contribution, FitError, Line, fit_contributions};
use jiff::Timestamp;
use serde_json::Value;

use super::events::{Bus, Subscription};
use crate::{Append, Content, OwnerStore, Store, StoreError, Target};

/// How many entries are read at once.
const PAGE: usize = 500;
/// What is a client's own: messages and resets.
const PUSHED: Kinds = Kinds::of(&[Kind::Message, Kind::ToolUse, Kind::System, Kind::Reset]);

/// The logs of an owner's clients, each a thread of the client's name. Cloning shares the subscribers.
#[derive(Clone)]
pub struct Clients {
    store: Arc<dyn Store>,
    owner: OwnerId,
    bus: Arc<Bus>,
}

impl Clients {
    /// The clients of that owner.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, owner: OwnerId) -> Self {
        Self { store, owner, bus: Arc::default() }
    }

    /// The log of that client as that agent sees it: the last 15 messages, no global prompt.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn history(&self, client: &str, agent: &str) -> Result<ClientHistory, StoreError> {
        let thread = self.store.named_thread(&self.owner, &format!("swarm {client}")).await?;
        let (client, agent) = (client.to_owned(), agent.to_owned());
        let view = HistoryView::swarm(agent.as_str());
        let (clients, address) = (self.clone(), agent.clone());
        Ok(ClientHistory { clients, client, agent, thread, address, view, global: Vec::new() })
    }

    /// The pushes and pops of that client from now on, or of all, through these `Clients` and their clones.
    #[must_use]
    pub fn subscribe(&self, client: Option<&str>) -> Subscription {
        self.bus.subscribe(client)
    }
}

/// The log of one client, as one agent writes and sees it. The log is the client's: what another agent pushes is there, too.
#[derive(Clone)]
pub struct ClientHistory {
    clients: Clients,
    client: String,
    agent: String,
    thread: ThreadId,
    address: String,
    view: HistoryView,
    global: Vec<String>,
}

/// What an agent sees: its prompts, its own system messages, the dialog.
#[derive(Debug, Clone)]
pub struct AgentView {
    prompts: Contribution,
    history: Contribution,
}

/// What the original tells the agent, in its own messages.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactView {
    /// The messages.
    pub messages: Vec<SwarmMessage>,
    /// What became of those that were read and are not told. A place is one in `entries`; of older messages than those nothing is
    /// known.
    pub findings: Vec<Finding>,
    /// The entries that were read, oldest first.
    pub entries: Vec<EntryId>,
}

impl ClientHistory {
    /// The thread that is the log.
    #[must_use]
    pub fn thread(&self) -> ThreadId {
        self.thread
    }

    /// The same with another view: how much is kept, which filter, how outcomes are replayed. The agent is the view's, if it names
    /// one.
    #[must_use]
    pub fn view(mut self, change: impl FnOnce(HistoryView) -> HistoryView) -> Self {
        self.view = change(self.view);
        self
    }

    /// The same with system prompts of every agent, told behind the agent's own. Empty ones are left out.
    #[must_use]
    pub fn global(mut self, prompts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.global = prompts.into_iter().map(Into::into).collect();
        self
    }

    /// The same, also telling what runs of the persona of that address recorded; without it, of the agent's name.
    #[must_use]
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// Stores a message, and then tells the subscribers; of two pushes at once, in either order. What a person wrote takes `payload`, that of the running execution, in place
    /// of its own, even if there is none; other messages keep theirs.
    ///
    /// # Errors
    /// If it cannot be stored: there is no event then.
    pub async fn push(&self, mut message: SwarmMessage, payload: Option<Value>, now: Timestamp) -> Result<EntryId, StoreError> {
        if message.is_user_input() {
            message.payload = payload;
        }
        let content = match SwarmEntry::from(&message) {
            SwarmEntry::Message(message) => Content::Message(Box::new(message.into())),
            SwarmEntry::Reset(reset) => Content::Reset(Box::new(reset)),
        };
        let append = Append::new(content, Target::Thread(self.thread), Arrival::Live(now));
        let appended = self.clients.store.append(&self.clients.owner, vec![append]).await?;
        let nothing = || StoreError::Corrupt { detail: "an append gave back nothing".to_owned() };
        let entry = appended.first().map(|appended| appended.place.entry).ok_or_else(nothing)?;
        let event = SwarmEvent::Push { client: self.client.clone(), agent: self.agent.clone(), message };
        self.clients.bus.tell(&self.client, event);
        Ok(entry)
    }

    /// Removes and gives back the newest message, whoever wrote it, resets included; a tombstone stays. The event comes even if there
    /// was nothing. It has no key: who is not sure whether it was done looks at [`raw`](Self::raw).
    ///
    /// # Errors
    /// If the store fails: there is no event then.
    pub async fn pop(&self, now: Timestamp) -> Result<Option<SwarmMessage>, StoreError> {
        let popped = self.clients.store.pop(&self.clients.owner, self.thread, now).await?;
        let value = popped.and_then(|entry| SwarmMessage::of(&entry.body));
        let event = SwarmEvent::Pop { client: self.client.clone(), agent: self.agent.clone(), value: value.clone() };
        self.clients.bus.tell(&self.client, event);
        Ok(value)
    }

    /// Everything that is stored and not popped, oldest first, resets and other agents included. It grows with the log.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn raw(&self) -> Result<Vec<SwarmMessage>, StoreError> {
        let mut all = Vec::new();
        let mut before = None;
        loop {
            let page = self.back(PUSHED, None, before, None, PAGE).await?;
            let Some(last) = page.last() else { break };
            before = Some(last.place());
            all.extend(page.iter().filter_map(|entry| SwarmMessage::of(&entry.body)));
        }
        all.reverse();
        Ok(all)
    }

    /// What the agent sees now: the prompt, the global prompts and `system` (empty ones left out), its own system messages, and as
    /// much of the dialog as its view's window holds, whole rounds alone. Calls without an outcome are answered by a fixed text;
    /// nothing that was said is lost with a call.
    ///
    /// # Errors
    /// [`PortError`] if the store fails.
    pub async fn for_agent(&self, prompt: &str, system: &[&str]) -> Result<AgentView, PortError> {
        let owner = OwnerStore::new(Arc::clone(&self.clients.store), self.clients.owner.clone());
        let (agent, address) = (self.agent.as_str(), self.address.as_str());
        let reading = Reading { history: &owner, files: &owner, thread: self.thread, before: None, address, agent };
        let history = self.view.tell(reading).await?;
        let texts = std::iter::once(prompt).chain(self.global.iter().map(String::as_str)).chain(system.iter().copied());
        let prompts = Contribution::fixed(texts.filter(|text| !text.is_empty()).map(ModelMessage::system));
        Ok(AgentView { prompts, history })
    }

    /// What the original tells the agent, faults included. Reads no further back than what is kept.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn for_agent_exact(&self, exact: &ExactHistory, prompt: &str, system: &[&str]) -> Result<ExactView, StoreError> {
        let reset = self.back(Kind::Reset.into(), None, None, None, 1).await?;
        let after = reset.first().map(|entry| entry.place());
        let mut read = reset;
        read.extend(self.back(Kind::System.into(), Some(exact.agent()), None, after, usize::MAX).await?);
        let dialog = Kinds::of(&[Kind::Message, Kind::ToolUse]);
        let (mut before, mut counted) = (None, 0);
        loop {
            // Few pages, even where little of them counts.
            let left = exact.kept().map_or(PAGE, |keep| keep.saturating_sub(counted).saturating_add(1));
            let wanted = left.max(read.len()).min(PAGE);
            let page = self.back(dialog, exact.scope(), before, after, wanted).await?;
            let full = page.len() < wanted;
            before = page.last().map(|entry| entry.place()).or(before);
            let messages = page.iter().filter_map(|entry| SwarmMessage::of(&entry.body));
            counted += messages.filter(|message| exact.counts(message)).count();
            read.extend(page);
            if full || exact.kept().is_some_and(|keep| counted > keep) {
                break;
            }
        }
        read.sort_by_key(|entry| entry.place());
        let (entries, log): (Vec<EntryId>, Vec<SwarmMessage>) =
            read.iter().filter_map(|entry| Some((entry.id, SwarmMessage::of(&entry.body)?))).unzip();
        let (messages, findings) = exact.for_agent(&log, prompt, system);
        Ok(ExactView { messages, findings, entries })
    }

    async fn back(
        &self,
        kinds: Kinds,
        agent: Option<&str>,
        before: Option<Place>,
        after: Option<Place>,
        count: usize,
    ) -> Result<Vec<Arc<Entry>>, StoreError> {
        let back = Back { thread: self.thread, before, after, kinds, agent, count };
        self.clients.store.read_back(&self.clients.owner, back).await
    }

    /// Ends the agent's hold on the log. What is stored stays, and so do subscriptions.
    pub fn dispose(self) {}
}

impl AgentView {
    /// The briefing for that call, within those bounds.
    ///
    /// # Errors
    /// [`FitError`] if prompts and system messages break a bound by themselves.
    pub fn fit(&self, call: &Call, bounds: &Bounds) -> Result<Briefing, FitError> {
        fit_contributions([self.prompts.clone(), self.history.clone()], call, bounds)
    }

    /// What was done to entries while they were read, and why others are not there.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.history.lines
    }

    /// The prompts and the history, for a chain of your own.
    #[must_use]
    pub fn into_contributions(self) -> [Contribution; 2] {
        [self.prompts, self.history]
    }
}
