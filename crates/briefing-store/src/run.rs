//! Runs while they work: who may write for one, how it went, what it did and what it asked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use briefing::log::{Entry, Run};
use briefing::message::{RunId, ThreadId};
use jiff::Timestamp;

/// A number that grows with every taking of a lease: who has an older one may not write any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(u64);

impl Fence {
    /// The fence of that number, as a backend gives it.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Who writes: a run, with the fence of its lease. A run that was never leased (an import) writes without one.
///
/// A run that was ever leased takes writes only with the fence that it was given last, and only while no other run has taken its
/// thread; else the write is [`StoreError::Fenced`](crate::StoreError::Fenced). A lease that has lapsed and that nobody took still writes. A run
/// that has ended takes none ([`StoreError::RunEnded`](crate::StoreError::RunEnded)), but for one that was done before and changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Writer {
    /// The run.
    pub run: RunId,
    /// The fence of its lease.
    pub fence: Option<Fence>,
}

impl Writer {
    /// A run that was never leased.
    #[must_use]
    pub const fn new(run: RunId) -> Self {
        Self { run, fence: None }
    }
}

impl From<RunId> for Writer {
    fn from(run: RunId) -> Self {
        Self::new(run)
    }
}

impl From<&Lease> for Writer {
    fn from(lease: &Lease) -> Self {
        Self { run: lease.run.clone(), fence: Some(lease.fence) }
    }
}

/// When a lease holds: while `renewed - SKEW <= now < until`.
///
/// It does not hold at a time that is well before it was renewed, because then the clock that renewed it was wrong. So a wrong clock
/// keeps nobody out of a thread any longer than a lease lasts, once it is mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTime {
    renewed: Timestamp,
    until: Timestamp,
}

impl LeaseTime {
    /// By how much the clocks of several machines may differ, and a clock may be set back, without a lease being given away.
    pub const SKEW: Duration = Duration::from_secs(60);

    /// Of a lease that was given or renewed then, until that time.
    #[must_use]
    pub const fn new(renewed: Timestamp, until: Timestamp) -> Self {
        Self { renewed, until }
    }

    /// When it was given, or renewed last.
    #[must_use]
    pub const fn renewed(self) -> Timestamp {
        self.renewed
    }

    /// From then on it has lapsed.
    #[must_use]
    pub const fn until(self) -> Timestamp {
        self.until
    }

    /// Whether it holds at that time. This is the rule by which a store gives a thread to one run at a time.
    #[must_use]
    pub fn holds_at(self, now: Timestamp) -> bool {
        let from = self.renewed.checked_sub(Self::SKEW).unwrap_or(Timestamp::MIN);
        from <= now && now < self.until
    }
}

/// The right of one run to write to its thread, until a time. A store gives it ([`Store::lease`](crate::Store::lease)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    run: RunId,
    thread: ThreadId,
    fence: Fence,
    time: LeaseTime,
}

impl Lease {
    /// That lease, as a backend gives it.
    #[must_use]
    pub const fn new(run: RunId, thread: ThreadId, fence: Fence, time: LeaseTime) -> Self {
        Self { run, thread, fence, time }
    }

    /// The run that has it.
    #[must_use]
    pub const fn run(&self) -> &RunId {
        &self.run
    }

    /// The thread that it is for, as it was when the lease was given.
    #[must_use]
    pub const fn thread(&self) -> ThreadId {
        self.thread
    }

    /// By which its writes are told from those of who had the thread before.
    #[must_use]
    pub const fn fence(&self) -> Fence {
        self.fence
    }

    /// When it holds: else somebody else may take the thread.
    #[must_use]
    pub const fn time(&self) -> LeaseTime {
        self.time
    }

    /// From then on it has lapsed.
    #[must_use]
    pub const fn until(&self) -> Timestamp {
        self.time.until
    }
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunEnd {
    /// With an answer, or with its work done.
    Answered,
    /// A person stopped it.
    Stopped,
    /// Its time was over.
    Deadline,
    /// It had as many rounds, or spent as much, as it may.
    Limit,
    /// A provider, a resolver or the store failed.
    Failed,
    /// Its process died, and another run went on.
    Lost,
}

impl RunEnd {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Answered, Self::Stopped, Self::Deadline, Self::Limit, Self::Failed, Self::Lost];

    /// Its name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Stopped => "stopped",
            Self::Deadline => "deadline",
            Self::Limit => "limit",
            Self::Failed => "failed",
            Self::Lost => "lost",
        }
    }

    /// The end of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.name() == name)
    }
}

/// That a run has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How.
    pub how: RunEnd,
    /// What is told of it beside that, such as an error.
    pub detail: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// What a run has spent, as its providers counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Spent {
    /// Requests to a provider.
    pub requests: u64,
    /// Tokens read, those of `cache_read` and `cache_written` apart or in it, as the provider counts.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read out of the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_written: u64,
    /// Tokens of reasoning.
    pub reasoning: u64,
}

impl Spent {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            requests: self.requests.saturating_add(other.requests),
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_written: self.cache_written.saturating_add(other.cache_written),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

/// The number of a run: the runs of an owner are numbered in the order in which they were begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunNumber(u64);

impl RunNumber {
    /// The run of that number.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Which runs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunsOf {
    /// Only those of this thread, or of what it was merged into.
    pub thread: Option<ThreadId>,
    /// Only those that were leased once and have not ended. An imported run was never leased.
    pub open: bool,
    /// Only those that were begun before this one: where a list goes on.
    pub before: Option<RunNumber>,
    /// At most so many: the newest.
    pub count: usize,
}

impl RunsOf {
    /// The newest runs of all threads, open or not.
    #[must_use]
    pub const fn newest(count: usize) -> Self {
        Self { thread: None, open: false, before: None, count }
    }
}

/// A run as lists show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Its number.
    pub number: RunNumber,
    /// The run.
    pub run: Run,
    /// When it was leased first; none if it never was.
    pub began: Option<Timestamp>,
    /// How it ended, if it has.
    pub end: Option<Ended>,
    /// How many rounds are recorded of it.
    pub rounds: u32,
    /// The time of its lease, if nobody else took its thread. Whether that holds is asked of a time ([`LeaseTime::holds_at`]).
    pub lease: Option<LeaseTime>,
    /// When it was due, if it is scheduled and has not ended: it is for whoever does what is due.
    pub due: Option<Timestamp>,
    /// What it has spent.
    pub spent: Spent,
}

/// Whether a step of a run is begun now, or had been begun before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// It is begun now: whoever is told this does it.
    First,
    /// It had been begun before, whoever held the lease then: it was done, or may have been.
    Again,
}

/// The exact request of a run to a provider, kept for an audit and to be replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRequest {
    /// The name of the wire.
    pub wire: String,
    /// The name of the model.
    pub model: String,
    /// The index of the round that it asked for.
    pub round: u32,
    /// The bytes that were sent.
    pub body: Vec<u8>,
    /// The receipt, as JSON.
    pub receipt: String,
    /// What else was put in to make it, as JSON.
    pub inputs: String,
}

/// A request as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRequest {
    /// Its number within the run, from 0.
    pub number: u32,
    /// When it was kept.
    pub at: Timestamp,
    /// The request.
    pub request: KeptRequest,
}

/// A card that is not settled, with where it belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingCard {
    /// The card.
    pub card: Arc<Entry>,
    /// Its thread.
    pub thread: ThreadId,
    /// When it was claimed, if it was: somebody does it, or died over it.
    pub claimed: Option<Timestamp>,
}
