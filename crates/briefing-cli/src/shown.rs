//! Entries of a database with what belongs to them, as `show` and `export` tell them.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::log::{Body, Entry, Notice, Place, Run, Settled};
use briefing::message::{EntryId, OwnerId, ThreadId};
use briefing_store::{Kind, Logged, SqliteStore, Store, StoreError, StoreFuture, ThreadSummary};

use crate::database::failure;
use crate::error::Failure;

/// How many entries are read at once.
pub(crate) const PAGE: usize = 100;

/// Waits for what a store was asked. What is not there can be looked up, and the hint says how.
pub(crate) fn ask<T>(asked: StoreFuture<'_, T>) -> Result<T, Failure> {
    pollster::block_on(asked).map_err(told)
}

/// A failure of the store, with a hint for who types commands.
pub(crate) fn told(error: StoreError) -> Failure {
    let hint = match &error {
        StoreError::UnknownThread { .. } => "`briefing threads` lists them",
        StoreError::UnknownEntry { .. } => "`briefing threads` lists the threads, and `briefing show THREAD` their entries",
        StoreError::NotABeginning { .. } => "begin with the mail, the message or the card that it belongs to",
        StoreError::Io { source, .. } if source.kind() == std::io::ErrorKind::AlreadyExists => {
            "name a file that is not there, nor a folder of its name with `.blobs` behind it"
        }
        StoreError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            "check the path: its folder must be there"
        }
        _ => return failure(error),
    };
    failure(error).hint(hint)
}

/// One owner's log in a database.
pub(crate) struct Log {
    pub(crate) store: SqliteStore,
    pub(crate) owner: OwnerId,
    /// How the cards of the thread that was asked about last were settled.
    notices: Option<(ThreadId, HashMap<EntryId, Settled>)>,
}

/// An entry with where it belongs.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) entry: Arc<Entry>,
    /// None of an erased entry that is in none any more.
    pub(crate) thread: Option<ThreadId>,
    /// Of a round or an outcome: its run, and the index of the round in it.
    pub(crate) run: Option<(Run, u32)>,
    pub(crate) state: State,
}

/// How far a card has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    NoCard,
    Open,
    Settled(Settled),
}

/// A mail as it came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Raw {
    Kept(Arc<[u8]>),
    /// The mail was stored without it, or it is no mail.
    None,
    /// It was kept, and is missing or damaged.
    Lost(String),
}

impl Log {
    pub(crate) fn new(store: SqliteStore, owner: OwnerId) -> Self {
        Self { store, owner, notices: None }
    }

    /// The thread, or the one that it was merged into.
    pub(crate) fn thread(&self, thread: ThreadId) -> Result<ThreadSummary, Failure> {
        ask(self.store.thread(&self.owner, thread))?.ok_or_else(|| told(StoreError::UnknownThread { thread }))
    }

    /// The ids of the newest entries of a thread, in its order; none: of all. Of the entries themselves, a page at a time is
    /// held.
    pub(crate) fn newest(&self, thread: ThreadId, limit: Option<usize>) -> Result<Vec<EntryId>, Failure> {
        let mut ids = Vec::new();
        let mut before: Option<Place> = None;
        loop {
            let wanted = limit.map_or(PAGE, |limit| limit.saturating_sub(ids.len()).min(PAGE));
            let page = ask(self.store.read_back(&self.owner, thread, before, None, wanted))?;
            ids.extend(page.iter().map(|entry| entry.id));
            match page.last() {
                Some(last) if page.len() == wanted => before = Some(last.place()),
                Some(_) | None => break,
            }
        }
        ids.reverse();
        Ok(ids)
    }

    /// One entry.
    pub(crate) fn entry(&mut self, entry: EntryId) -> Result<Shown, Failure> {
        let logged = ask(self.store.log(&self.owner, entry, 1))?.into_iter().next();
        let logged = logged.filter(|logged| logged.entry.id == entry);
        self.shown(logged.ok_or_else(|| told(StoreError::UnknownEntry { entry }))?)
    }

    /// An entry with how its card ended, if it is one.
    pub(crate) fn shown(&mut self, logged: Logged) -> Result<Shown, Failure> {
        let Logged { entry, thread, run } = logged;
        let state = match (&entry.body, thread) {
            (Body::Card(_), Some(thread)) => self.state(thread, entry.id)?,
            (Body::Card(_), None) => State::Open,
            (Body::Mail(_) | Body::Round(_) | Body::Outcome(_) | Body::Message(_) | Body::Notice(_) | Body::Erased(_), _) => {
                State::NoCard
            }
        };
        Ok(Shown { entry, thread, run, state })
    }

    fn state(&mut self, thread: ThreadId, card: EntryId) -> Result<State, Failure> {
        if self.notices.as_ref().is_none_or(|(known, _)| *known != thread) {
            self.notices = Some((thread, self.notices_of(thread)?));
        }
        let settled = self.notices.as_ref().and_then(|(_, notices)| notices.get(&card));
        Ok(settled.map_or(State::Open, |settled| State::Settled(*settled)))
    }

    fn notices_of(&self, thread: ThreadId) -> Result<HashMap<EntryId, Settled>, Failure> {
        let mut notices = HashMap::new();
        let mut before = None;
        loop {
            let page = ask(self.store.read_back(&self.owner, thread, before, Some(Kind::Notice), PAGE))?;
            notices.extend(page.iter().filter_map(|entry| {
                if let Body::Notice(Notice { card, settled }) = entry.body { Some((card, settled)) } else { None }
            }));
            match page.last() {
                Some(last) if page.len() == PAGE => before = Some(last.place()),
                Some(_) | None => return Ok(notices),
            }
        }
    }

    /// The bytes of a mail.
    pub(crate) fn raw(&self, entry: EntryId) -> Result<Raw, Failure> {
        match pollster::block_on(self.store.raw(&self.owner, entry)) {
            Ok(Some(bytes)) => Ok(Raw::Kept(bytes)),
            Ok(None) => Ok(Raw::None),
            Err(error @ StoreError::Blob { .. }) => Ok(Raw::Lost(error.to_string())),
            Err(error) => Err(told(error)),
        }
    }
}

impl Shown {
    pub(crate) fn kind(&self) -> Kind {
        match &self.entry.body {
            Body::Mail(_) => Kind::Mail,
            Body::Round(_) => Kind::Round,
            Body::Outcome(_) => Kind::Outcome,
            Body::Message(_) => Kind::Message,
            Body::Card(_) => Kind::Card,
            Body::Notice(_) => Kind::Notice,
            Body::Erased(_) => Kind::Erased,
        }
    }
}

impl State {
    /// Its name for programs; none of what is no card.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::NoCard => None,
            Self::Open => Some("open"),
            Self::Settled(settled) => Some(settled.name()),
        }
    }
}

impl Raw {
    /// What could not be read of a mail, or not whole: found again in its bytes.
    pub(crate) fn findings(&self) -> Vec<String> {
        match self {
            Self::Kept(bytes) => briefing_mail::parse(bytes).findings.iter().map(ToString::to_string).collect(),
            Self::None => Vec::new(),
            Self::Lost(why) => vec![why.clone()],
        }
    }
}
