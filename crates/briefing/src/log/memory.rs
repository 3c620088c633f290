//! A log in memory: for tests, for one-off assembly from a mailbox, and as the model that stores are held against.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use jiff::Timestamp;

use crate::log::{Arrival, AttachmentId, Body, Entry, Mail, MessageId, Place, RecordedOutcome, RecordedRound, Run};
use crate::message::{Assistant, CallId, EntryId, Item, Outcome, OwnerId, RunId, ThreadId};
use crate::ports::{Files, History, PortFuture};

/// The logs of several owners. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct MemoryLog {
    owners: Arc<RwLock<HashMap<OwnerId, OwnerLog>>>,
}

/// One owner's log: append, and read through [`History`] and [`Files`]. Cloning shares it; appends are serialised.
#[derive(Debug, Clone, Default)]
pub struct OwnerLog {
    state: Arc<RwLock<State>>,
}

/// Why something cannot be appended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// No such thread of this owner.
    #[error("no thread {thread}")]
    UnknownThread {
        /// The thread asked for.
        thread: ThreadId,
    },
    /// No such entry of this owner.
    #[error("no entry {entry}")]
    UnknownEntry {
        /// The entry asked for.
        entry: EntryId,
    },
    /// No such run of this owner.
    #[error("no run {run}")]
    UnknownRun {
        /// The run asked for.
        run: RunId,
    },
    /// A run of that id was begun before.
    #[error("run {run} was begun before")]
    RunBegun {
        /// The run.
        run: RunId,
    },
    /// The run has no call of that id.
    #[error("run {run} has no call {call}")]
    UnknownCall {
        /// The run.
        run: RunId,
        /// The call's id as it is written.
        call: String,
    },
}

#[derive(Debug, Default)]
struct State {
    entries: Vec<Arc<Entry>>,
    threads: Vec<Thread>,
    runs: Vec<RunState>,
    run_by_id: HashMap<RunId, usize>,
    runs_by_trigger: HashMap<EntryId, Vec<usize>>,
    thread_of: HashMap<EntryId, ThreadId>,
    by_message_id: HashMap<MessageId, EntryId>,
    files: HashMap<AttachmentId, Arc<[u8]>>,
}

#[derive(Debug, Default)]
struct Thread {
    mails: BTreeMap<Place, Arc<Entry>>,
    calls: HashMap<Arc<str>, u32>,
}

#[derive(Debug)]
struct RunState {
    run: Run,
    rounds: BTreeMap<(u32, EntryId), RecordedRound>,
    /// The round of each call, so that an outcome finds it without a walk.
    calls: HashMap<CallId, (u32, EntryId)>,
}

impl MemoryLog {
    /// The log of that owner; empty if nothing was ever appended.
    #[must_use]
    pub fn owner(&self, owner: &OwnerId) -> OwnerLog {
        self.owners.write().unwrap_or_else(PoisonError::into_inner).entry(owner.clone()).or_default().clone()
    }
}

impl OwnerLog {
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens an empty thread.
    pub fn new_thread(&self) -> ThreadId {
        let mut state = self.write();
        state.threads.push(Thread::default());
        ThreadId::new(state.threads.len() as u64 - 1)
    }

    /// Appends a mail to a thread and fixes its place there.
    ///
    /// # Errors
    /// [`LogError::UnknownThread`].
    pub fn append_mail(&self, thread: ThreadId, mail: Mail, arrival: Arrival) -> Result<Arc<Entry>, LogError> {
        let mut state = self.write();
        state.thread(thread)?;
        let at = state.effective_time(&mail, arrival);
        let message_id = mail.message_id.clone();
        let entry = state.push(at, Body::Mail(Arc::new(mail)));
        state.thread_of.insert(entry.id, thread);
        if let Some(message_id) = message_id {
            state.by_message_id.entry(message_id).or_insert(entry.id);
        }
        state.thread(thread)?.mails.insert(entry.place(), Arc::clone(&entry));
        Ok(entry)
    }

    /// Begins a run that answers `run.trigger`.
    ///
    /// # Errors
    /// [`LogError::UnknownEntry`] for the trigger, [`LogError::RunBegun`] for a second run of the same id.
    pub fn begin_run(&self, run: Run) -> Result<(), LogError> {
        let mut state = self.write();
        if !state.thread_of.contains_key(&run.trigger) {
            return Err(LogError::UnknownEntry { entry: run.trigger });
        }
        if state.run_by_id.contains_key(&run.id) {
            return Err(LogError::RunBegun { run: run.id });
        }
        let index = state.runs.len();
        state.run_by_id.insert(run.id.clone(), index);
        state.runs_by_trigger.entry(run.trigger).or_default().push(index);
        state.runs.push(RunState { run, rounds: BTreeMap::new(), calls: HashMap::new() });
        Ok(())
    }

    /// Records what the model of a run said at `turn`, before its calls are run. Ids that repeat in the thread get their
    /// number here; the message is returned as it is kept.
    ///
    /// # Errors
    /// [`LogError::UnknownRun`].
    pub fn append_round(&self, run: &RunId, turn: u32, mut said: Assistant) -> Result<RecordedRound, LogError> {
        let mut state = self.write();
        let index = state.run(run)?;
        let trigger = state.runs.get(index).map_or(EntryId::default(), |run| run.run.trigger);
        let at = state.newest_time();
        if let Some(thread) = state.thread_of.get(&trigger).copied() {
            state.thread(thread)?.number(&mut said);
        }
        let said = Arc::new(said);
        let entry = state.push(at, Body::Round(Arc::clone(&said))).id;
        let round = RecordedRound { trigger, entry, said, outcomes: Vec::new() };
        if let Some(run) = state.runs.get_mut(index) {
            for call in round.said.calls() {
                run.calls.entry(call.id.clone()).or_insert((turn, entry));
            }
            run.rounds.insert((turn, entry), round.clone());
        }
        Ok(round)
    }

    /// Records an outcome of a call of that run. A second outcome for one call is kept too.
    ///
    /// # Errors
    /// [`LogError::UnknownRun`]; [`LogError::UnknownCall`] if the run has no such call.
    pub fn append_outcome(&self, run: &RunId, outcome: Outcome) -> Result<EntryId, LogError> {
        let mut state = self.write();
        let index = state.run(run)?;
        let place = state.runs.get(index).and_then(|run| run.calls.get(&outcome.call)).copied();
        let place = place.ok_or_else(|| LogError::UnknownCall { run: run.clone(), call: outcome.call.to_string() })?;
        let at = state.newest_time();
        let outcome = Arc::new(outcome);
        let entry = state.push(at, Body::Outcome(Arc::clone(&outcome))).id;
        if let Some(round) = state.runs.get_mut(index).and_then(|run| run.rounds.get_mut(&place)) {
            round.outcomes.push(RecordedOutcome { entry, outcome });
        }
        Ok(entry)
    }

    /// Keeps the bytes of a file.
    pub fn put_file(&self, id: AttachmentId, bytes: impl Into<Arc<[u8]>>) {
        self.write().files.insert(id, bytes.into());
    }

    /// The entry of that id.
    #[must_use]
    pub fn entry(&self, id: EntryId) -> Option<Arc<Entry>> {
        usize::try_from(id.get()).ok().and_then(|index| self.read().entries.get(index).cloned())
    }

    /// The first entry of that Message-ID.
    #[must_use]
    pub fn by_message_id(&self, id: &MessageId) -> Option<EntryId> {
        self.read().by_message_id.get(id).copied()
    }

    /// The thread that a mail belongs to.
    #[must_use]
    pub fn thread_of(&self, entry: EntryId) -> Option<ThreadId> {
        self.read().thread_of.get(&entry).copied()
    }
}

impl State {
    fn push(&mut self, at: Timestamp, body: Body) -> Arc<Entry> {
        let entry = Arc::new(Entry { id: EntryId::new(self.entries.len() as u64), at, body });
        self.entries.push(Arc::clone(&entry));
        entry
    }

    fn thread(&mut self, id: ThreadId) -> Result<&mut Thread, LogError> {
        let index = usize::try_from(id.get()).ok();
        index.and_then(|index| self.threads.get_mut(index)).ok_or(LogError::UnknownThread { thread: id })
    }

    fn run(&self, id: &RunId) -> Result<usize, LogError> {
        self.run_by_id.get(id).copied().ok_or_else(|| LogError::UnknownRun { run: id.clone() })
    }

    /// What a run writes is never before what was written last, whatever the clock says.
    fn newest_time(&self) -> Timestamp {
        self.entries.last().map_or(Timestamp::MIN, |entry| entry.at)
    }

    fn effective_time(&self, mail: &Mail, arrival: Arrival) -> Timestamp {
        match arrival {
            Arrival::Live(now) => now,
            Arrival::Imported(now) => {
                let own = mail.date.unwrap_or_else(|| self.newest_time()).min(now);
                let answered = mail.in_reply_to.iter().chain(mail.references.last());
                let answered =
                    answered.filter_map(|id| self.by_message_id.get(id)).filter_map(|id| self.entries.get(index(*id)));
                answered.map(|entry| entry.at).fold(own, Timestamp::max)
            }
        }
    }
}

fn index(id: EntryId) -> usize {
    usize::try_from(id.get()).unwrap_or(usize::MAX)
}

impl Thread {
    /// Gives calls whose id was given before in this thread their number.
    fn number(&mut self, said: &mut Assistant) {
        for item in &mut said.items {
            if let Item::Call(call) = item {
                let given: Arc<str> = call.id.given().into();
                let seen = self.calls.entry(given).or_default();
                call.id = call.id.repeated(*seen);
                *seen += 1;
            }
        }
    }
}

impl History for OwnerLog {
    fn mails_before(&self, thread: ThreadId, before: Place, count: usize) -> PortFuture<'_, Vec<Arc<Entry>>> {
        let state = self.read();
        let thread = usize::try_from(thread.get()).ok().and_then(|index| state.threads.get(index));
        let mails =
            thread.map(|thread| thread.mails.range(..before).rev().take(count).map(|(_, entry)| Arc::clone(entry)).collect());
        Box::pin(std::future::ready(Ok(mails.unwrap_or_default())))
    }

    fn rounds<'a>(&'a self, persona: &'a str, triggers: &'a [EntryId]) -> PortFuture<'a, Vec<RecordedRound>> {
        let state = self.read();
        let mut runs: Vec<usize> = triggers.iter().filter_map(|id| state.runs_by_trigger.get(id)).flatten().copied().collect();
        runs.sort_unstable();
        let runs = runs.into_iter().filter_map(|index| state.runs.get(index));
        let own = runs.filter(|run| run.run.persona.eq_ignore_ascii_case(persona));
        let rounds = own.flat_map(|run| run.rounds.values().cloned()).collect();
        Box::pin(std::future::ready(Ok(rounds)))
    }
}

impl Files for OwnerLog {
    fn file<'a>(&'a self, id: &'a AttachmentId) -> PortFuture<'a, Option<Arc<[u8]>>> {
        Box::pin(std::future::ready(Ok(self.read().files.get(id).cloned())))
    }
}
