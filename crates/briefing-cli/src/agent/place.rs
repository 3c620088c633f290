//! The database of a configuration, and what is looked up in it.

use std::sync::Arc;

use briefing::Inbound;
use briefing::log::{Entry, Kind as EntryKind};
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};
use briefing::ports::Back;
use briefing_store::{Forget, RunNumber, RunSummary, RunsOf, SqliteStore, Store};
use jiff::{SignedDuration, Timestamp};

use crate::config::{PersonaConfig, ViewOverride};
use crate::database;
use crate::error::{Failure, Kind};
use crate::input::persona::{self, Answerer};
use crate::output::name_of;
use crate::setup::Setup;
use crate::shown::ask;

/// How many threads are looked through for the newest chat.
const THREADS: usize = 200;
/// How many messages are looked through for the newest of a user.
const MESSAGES: usize = 64;

/// The database, and whose log in it.
pub(crate) struct LogPlace {
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) owner: OwnerId,
    pub(crate) name: String,
}

impl LogPlace {
    /// Opens the database for that owner, and makes it if it is not there.
    pub(crate) fn create(setup: &Setup, owner: OwnerId) -> Result<Self, Failure> {
        match setup.database.exists() {
            true => Self::open(setup, owner),
            false => Ok(Self::with(database::make(&setup.database)?, setup, owner)),
        }
    }

    /// Opens the database for that owner.
    ///
    /// # Errors
    /// It is not there, and nothing is made: what only looks leaves nothing behind.
    pub(crate) fn open(setup: &Setup, owner: OwnerId) -> Result<Self, Failure> {
        if !setup.database.exists() {
            let message = format!("the database {} is not there", name_of(&setup.database));
            return Err(Failure::new(Kind::NoInput, message)
                .hint(format!("the first question makes it; if there is one elsewhere, mend database in {}", setup.name())));
        }
        Ok(Self::with(database::open(&setup.database)?, setup, owner))
    }

    fn with(store: SqliteStore, setup: &Setup, owner: OwnerId) -> Self {
        Self { store: Arc::new(store), owner, name: name_of(&setup.database) }
    }

    /// [`open`](Self::open) for the owner of the configuration's persona.
    pub(crate) fn of(setup: &Setup) -> Result<Self, Failure> {
        let owner = self::persona(setup)?.persona.owner().clone();
        Self::open(setup, owner)
    }

    /// The run of that number or id.
    pub(crate) fn run(&self, named: &str) -> Result<RunSummary, Failure> {
        let found = match named.parse::<u64>() {
            Ok(number) => {
                let before = Some(RunNumber::new(number.saturating_add(1)));
                let newest = ask(self.store.runs(&self.owner, RunsOf { before, ..RunsOf::newest(1) }))?;
                newest.into_iter().find(|run| run.number.get() == number)
            }
            Err(_) => ask(self.store.run(&self.owner, &RunId::new(named)))?,
        };
        found.ok_or_else(|| {
            Failure::new(Kind::NoInput, format!("{} has no run {named} of owner {}", self.name, self.owner))
                .hint("`briefing runs` lists them")
        })
    }

    /// The thread of the newest chat: one in which a user has said something.
    pub(crate) fn newest_chat(&self) -> Result<ThreadId, Failure> {
        for thread in ask(self.store.threads(&self.owner, None, THREADS))? {
            if self.newest_of_user(thread.thread)?.is_some() {
                return Ok(thread.thread);
            }
        }
        Err(Failure::new(Kind::NoInput, format!("{} has no chat of owner {}", self.name, self.owner))
            .hint("begin one: without --resume"))
    }

    /// The newest message of the thread's user.
    pub(crate) fn newest_of_user(&self, thread: ThreadId) -> Result<Option<Arc<Entry>>, Failure> {
        let newest = ask(self.store.read_back(&self.owner, back(thread, MESSAGES)))?;
        Ok(newest.into_iter().find(|entry| Inbound::new(Arc::clone(entry), thread).is_some()))
    }

    /// What was answered.
    pub(crate) fn said(&self, answer: EntryId) -> Result<String, Failure> {
        let entry = ask(self.store.entry(&self.owner, answer))?;
        Ok(entry.and_then(|entry| Some(entry.message()?.said.text())).unwrap_or_default())
    }

    /// Forgets requests that were kept long enough: at most once a day, as the file is written anew for it. Where none are to be kept,
    /// all that there are.
    pub(crate) fn forget_requests(&self, setup: &Setup, now: Timestamp) -> Result<(), Failure> {
        let Ok(keep) = SignedDuration::try_from(setup.keep) else { return Ok(()) };
        let Ok(before) = now.checked_sub(keep) else { return Ok(()) };
        let late = if keep.is_zero() { SignedDuration::ZERO } else { SignedDuration::from_hours(24) };
        let Ok(due) = before.checked_sub(late) else { return Ok(()) };
        if ask(self.store.would_forget(&self.owner, &Forget::Requests(due)))?.requests > 0 {
            ask(self.store.forget(&self.owner, &Forget::Requests(before), now))?;
        }
        Ok(())
    }
}

/// The configuration's persona.
pub(crate) fn persona(setup: &Setup) -> Result<Answerer, Failure> {
    persona::load(&PersonaConfig::File(setup.persona.clone()), &ViewOverride::default(), None)
}

fn back<'a>(thread: ThreadId, count: usize) -> Back<'a> {
    Back { thread, before: None, after: None, kinds: EntryKind::Message.into(), agent: None, count }
}
