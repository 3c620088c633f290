//! A log in memory: for tests, for one-off assembly from a mailbox, and as the model that stores are held against.

mod chat;
mod read;
mod shelves;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use jiff::Timestamp;

use crate::log::{Arrival, AttachmentId, Body, Cause, Entry, Mail, MessageId, Notice, RecordedOutcome, RecordedRound, Run};
use crate::message::{Assistant, CallId, EntryId, Item, Outcome, OwnerId, RunId, ThreadId};
use crate::ports::FileText;
use shelves::Shelves;

/// The logs of several owners. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct MemoryLog {
    owners: Arc<RwLock<HashMap<OwnerId, OwnerLog>>>,
}

/// One owner's log: append, and read through [`History`](crate::ports::History) and [`Files`](crate::ports::Files). Cloning shares
/// it; appends are serialised.
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
    /// It was settled before.
    #[error("card {card} was settled before")]
    Settled {
        /// The card.
        card: EntryId,
    },
    /// It is no card.
    #[error("entry {entry} is no card")]
    NotACard {
        /// The entry.
        entry: EntryId,
    },
    /// It is no message of a chat, or it was popped.
    #[error("entry {entry} is no message")]
    NotAMessage {
        /// The entry.
        entry: EntryId,
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
    runs_beside: HashMap<EntryId, Vec<usize>>,
    thread_of: HashMap<EntryId, ThreadId>,
    by_message_id: HashMap<MessageId, EntryId>,
    files: HashMap<AttachmentId, Arc<[u8]>>,
    texts: HashMap<AttachmentId, FileText>,
    /// The notice of each settled card.
    notices: HashMap<EntryId, Arc<Notice>>,
    /// What stands for an entry now: its newest version, or its tombstone.
    now: HashMap<EntryId, Arc<Entry>>,
}

#[derive(Debug, Default)]
struct Thread {
    shelves: Shelves,
    calls: HashMap<Arc<str>, u32>,
}

#[derive(Debug)]
struct RunState {
    run: Run,
    /// The time of what it wrote last; at first of what it was begun for.
    last: Timestamp,
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
        state.thread(thread)?.shelves.put(&entry);
        Ok(entry)
    }

    /// Begins a run.
    ///
    /// # Errors
    /// [`LogError::UnknownThread`] or [`LogError::UnknownEntry`] for what it belongs to, [`LogError::RunBegun`] for a second run
    /// of the same id.
    pub fn begin_run(&self, run: Run) -> Result<(), LogError> {
        let mut state = self.write();
        state.thread(run.thread)?;
        if state.run_by_id.contains_key(&run.id) {
            return Err(LogError::RunBegun { run: run.id });
        }
        let at = state.runs.len();
        let last = match &run.cause {
            Cause::Responsibility(_) => Timestamp::MIN,
            Cause::Message(entry) => {
                let answered = state.entries.get(index(*entry)).ok_or(LogError::UnknownEntry { entry: *entry })?.at;
                state.runs_beside.entry(*entry).or_default().push(at);
                answered
            }
        };
        state.run_by_id.insert(run.id.clone(), at);
        state.runs.push(RunState { run, last, rounds: BTreeMap::new(), calls: HashMap::new() });
        Ok(())
    }

    /// Tells which entry a scheduled run wrote: its rounds are replayed right before that. Of a run that answers a message nothing
    /// changes: its rounds stand beside that.
    ///
    /// # Errors
    /// [`LogError::UnknownRun`]; [`LogError::UnknownEntry`].
    pub fn wrote(&self, run: &RunId, entry: EntryId) -> Result<(), LogError> {
        let mut state = self.write();
        let at = state.run(run)?;
        if state.entries.get(index(entry)).is_none() {
            return Err(LogError::UnknownEntry { entry });
        }
        if state.runs.get(at).is_some_and(|run| matches!(run.run.cause, Cause::Message(_))) {
            return Ok(());
        }
        let beside = state.runs_beside.entry(entry).or_default();
        if !beside.contains(&at) {
            beside.push(at);
        }
        Ok(())
    }

    /// Records what the model of a run said in the round of that index, before its calls are run. Ids that repeat in the thread
    /// get their number here; the round is returned as it is kept. Its time is `now`, or that of what the run wrote last if a
    /// clock has jumped back.
    ///
    /// # Errors
    /// [`LogError::UnknownRun`].
    pub fn append_round(
        &self,
        run: &RunId,
        round: u32,
        mut said: Assistant,
        now: Timestamp,
    ) -> Result<RecordedRound, LogError> {
        let mut state = self.write();
        let at = state.run(run)?;
        if let Some(thread) = state.runs.get(at).map(|run| run.run.thread) {
            state.thread(thread)?.number(&mut said);
        }
        let time = state.write_time(at, now);
        let said = Arc::new(said);
        let entry = state.push(time, Body::Round(Arc::clone(&said))).id;
        let recorded = RecordedRound { beside: None, entry, said, outcomes: Vec::new() };
        if let Some(run) = state.runs.get_mut(at) {
            for call in recorded.said.calls() {
                run.calls.entry(call.id.clone()).or_insert((round, entry));
            }
            run.rounds.insert((round, entry), recorded.clone());
        }
        Ok(recorded)
    }

    /// Records an outcome of a call of that run. A second outcome for one call is kept too.
    ///
    /// # Errors
    /// [`LogError::UnknownRun`]; [`LogError::UnknownCall`] if the run has no such call.
    pub fn append_outcome(&self, run: &RunId, outcome: Outcome, now: Timestamp) -> Result<EntryId, LogError> {
        let mut state = self.write();
        let at = state.run(run)?;
        let place = state.runs.get(at).and_then(|run| run.calls.get(&outcome.call)).copied();
        let place = place.ok_or_else(|| LogError::UnknownCall { run: run.clone(), call: outcome.call.to_string() })?;
        let time = state.write_time(at, now);
        let outcome = Arc::new(outcome);
        let entry = state.push(time, Body::Outcome(Arc::clone(&outcome))).id;
        if let Some(round) = state.runs.get_mut(at).and_then(|run| run.rounds.get_mut(&place)) {
            round.outcomes.push(RecordedOutcome { entry, outcome });
        }
        Ok(entry)
    }

    /// Keeps the bytes of a file.
    pub fn put_file(&self, id: AttachmentId, bytes: impl Into<Arc<[u8]>>) {
        self.write().files.insert(id, bytes.into());
    }

    /// Keeps the text of a file.
    pub fn put_text(&self, id: AttachmentId, text: FileText) {
        self.write().texts.insert(id, text);
    }

    /// The entry of that id: of an edited message its newest version, of a popped one its tombstone.
    #[must_use]
    pub fn entry(&self, id: EntryId) -> Option<Arc<Entry>> {
        self.read().entry(id).cloned()
    }

    /// The first entry of that Message-ID.
    #[must_use]
    pub fn by_message_id(&self, id: &MessageId) -> Option<EntryId> {
        self.read().by_message_id.get(id).copied()
    }

    /// The thread that an entry belongs to; none for what a run wrote.
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

    fn entry(&self, id: EntryId) -> Option<&Arc<Entry>> {
        self.now.get(&id).or_else(|| self.entries.get(index(id)))
    }

    fn thread(&mut self, id: ThreadId) -> Result<&mut Thread, LogError> {
        let index = usize::try_from(id.get()).ok();
        index.and_then(|index| self.threads.get_mut(index)).ok_or(LogError::UnknownThread { thread: id })
    }

    fn run(&self, id: &RunId) -> Result<usize, LogError> {
        self.run_by_id.get(id).copied().ok_or_else(|| LogError::UnknownRun { run: id.clone() })
    }

    /// The time of what a run writes now: never before what it wrote last.
    fn write_time(&mut self, run: usize, now: Timestamp) -> Timestamp {
        let Some(run) = self.runs.get_mut(run) else { return now };
        run.last = run.last.max(now);
        run.last
    }

    /// The time of a mail: its arrival or its own date, but not before what it answers.
    fn effective_time(&self, mail: &Mail, arrival: Arrival) -> Timestamp {
        let own = match arrival {
            Arrival::Live(now) => now,
            Arrival::Imported(now) => {
                // No date: the place where it stood in the import.
                let before = || self.entries.last().map_or(Timestamp::MIN, |entry| entry.at);
                mail.date.unwrap_or_else(before).min(now)
            }
        };
        let answered = mail.in_reply_to.iter().chain(mail.references.last());
        let answered = answered.filter_map(|id| self.by_message_id.get(id)).filter_map(|id| self.entries.get(index(*id)));
        answered.map(|entry| entry.at).fold(own, Timestamp::max)
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
