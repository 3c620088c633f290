//! The loop of one run: ask, record, act, record, and again, until there is an answer.
//!
//! Everything that happens is in the log before it has an effect: what the model said before its calls are done, that a call begins
//! before it does, its outcome before the model is asked again. So a process that dies anywhere leaves a log that tells what is to be
//! done next.

mod answer;
mod ask;
mod calls;
mod open;
mod recover;

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use briefing::log::Run;
use briefing::message::{EntryId, RunId};
use briefing::{Chain, Receipt};
use briefing_store::{Lease, Moment, RunEnd, Spent, StoreError, Writer};
use futures_util::future::{Either, select};
use jiff::Timestamp;
use tracing::Instrument;

use crate::assemble::About;
use crate::inner::Inner;
pub(crate) use calls::guarded;
pub(crate) use open::Begins;
use recover::Before;

use crate::{AgentError, Event, Stop, Told};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The run.
    pub run: RunId,
    /// How.
    pub how: RunEnd,
    /// What is told beside that, such as the fault of a provider.
    pub detail: Option<String>,
    /// The entry of the answer, if there is one.
    pub answer: Option<EntryId>,
    /// What the run has spent, that of a process that died included.
    pub spent: Spent,
    /// What this process spent on it, where the prices of its models are known: in their unit.
    pub cost: u64,
}

/// How often it is looked whether a run was asked to stop from elsewhere.
const LOOK: Duration = Duration::from_secs(1);

/// A run while it works.
pub(crate) struct Running<'a> {
    inner: &'a Inner,
    about: About,
    chain: Chain,
    run: Run,
    writer: Writer,
    /// Whether it goes on where a process died.
    resumed: bool,
    /// When it began: what templates call now.
    began: Timestamp,
    /// When its time is over.
    deadline: Option<Timestamp>,
    stop: &'a Stop,
    told: &'a mut Told<'a>,
    /// The index of the next round.
    round: u32,
    /// Which of the models is asked.
    model: usize,
    calls: u32,
    failures: u32,
    spent: Spent,
    cost: u64,
    /// Of the request that was answered last.
    receipt: Option<Arc<Receipt>>,
    /// What had begun before this process came.
    before: Before,
    /// The edit that the message was read with, when the model was asked last.
    version: Option<EntryId>,
}

/// Why a run goes no further.
pub(crate) enum Halt {
    /// It ends so.
    End(RunEnd, Option<String>),
    /// It cannot be written down.
    Broken(AgentError),
}

impl<E: Into<AgentError>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Broken(error.into())
    }
}

impl Halt {
    fn failed(detail: impl ToString) -> Self {
        Self::End(RunEnd::Failed, Some(detail.to_string()))
    }
}

impl Inner {
    /// Runs, with a sign of life beside the work.
    pub(crate) async fn run(
        &self,
        about: About,
        begins: Begins<'_>,
        stop: &Stop,
        told: &mut Told<'_>,
    ) -> Result<Ended, AgentError> {
        let (running, lease) = self.open(about, begins, stop, told).await?;
        let span = tracing::info_span!(
            "invoke_agent",
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = self.persona.name(),
            gen_ai.conversation.id = running.about.thread().get(),
            briefing.run = lease.run().as_str(),
        );
        // Fenced off, or asked to stop from elsewhere: either way the work is broken off, and only the first writes nothing more.
        let work = pin!(running.work().instrument(span));
        let alive = pin!(self.stay_alive(lease.clone(), stop));
        match select(work, alive).await {
            Either::Left((Err(error), _)) => {
                self.let_go(&lease).await;
                Err(error)
            }
            Either::Left((ended, _)) => ended,
            Either::Right((error, _)) => Err(error),
        }
    }

    /// Gives a thread back whose run goes no further. Where nothing can be written this cannot be, either; the lease lapses then.
    pub(super) async fn let_go(&self, lease: &Lease) {
        let _ = self.engine.let_go(self.owner(), lease).await;
    }

    /// Tells the engine that the run is alive until somebody else has its thread.
    async fn stay_alive(&self, mut lease: Lease, stop: &Stop) -> AgentError {
        // Three signs of life within a lease: one may be lost, one late.
        let pause = (self.engine.lasts() / 3).max(Duration::from_millis(1));
        let look = LOOK.min(pause);
        loop {
            let (began, mut waited) = (self.clock.now(), Duration::ZERO);
            // Whichever is first: the sleeps may take longer than they should, and the clock may be set back.
            while waited < pause && self.clock.now().duration_since(began) < pause.try_into().unwrap_or_default() {
                self.clock.sleep(look).await;
                waited += look;
                if !stop.asked() && matches!(self.engine.stopping(self.owner(), lease.run()).await, Ok(true)) {
                    stop.ask();
                }
            }
            match self.engine.alive(self.owner(), &lease, self.clock.now()).await {
                Ok(renewed) => lease = renewed,
                Err(error @ StoreError::Fenced { .. }) => return error.into(),
                // What cannot be written now may be written next time; if not, the lease lapses and the next write is refused.
                Err(_) => {}
            }
        }
    }
}

/// Ends when the run is to stop, or its time is over.
async fn halt(inner: &Inner, stop: &Stop, deadline: Option<Timestamp>) -> Halt {
    let over = async {
        match deadline {
            Some(deadline) => {
                let left = Duration::try_from(deadline.duration_since(inner.clock.now())).unwrap_or(Duration::ZERO);
                inner.clock.sleep(left).await;
            }
            None => std::future::pending().await,
        }
    };
    match select(pin!(stop.wait()), pin!(over)).await {
        Either::Left(_) => Halt::End(RunEnd::Stopped, None),
        Either::Right(_) => inner.late(),
    }
}

impl Inner {
    fn late(&self) -> Halt {
        let time = self.settings.limits.deadline.unwrap_or_default();
        Halt::End(RunEnd::Deadline, Some(format!("{} s were over", time.as_secs())))
    }
}

impl Running<'_> {
    async fn work(mut self) -> Result<Ended, AgentError> {
        match self.rounds().await {
            Ok(answered) => Ok(answered),
            Err(Halt::End(how, detail)) => self.end(how, detail, None).await,
            Err(Halt::Broken(error)) => Err(error),
        }
    }

    async fn rounds(&mut self) -> Result<Ended, Halt> {
        if let Some(entry) = self.inner.answer_of(&self.run).await? {
            return self.answered_before(entry).await;
        }
        if self.resumed {
            self.take_up().await?;
        }
        loop {
            self.may_go_on().await?;
            let answer = self.ask().await?;
            if answer.goes_on() {
                self.act(answer.said()).await?;
            } else if self.inner.version(&self.about, Moment::Now).await? == self.version {
                return self.answered(answer.said(), answer.stop()).await;
            } else {
                // It was edited while the model answered what it was before.
                (self.told)(Event::TakenBack);
            }
        }
    }

    /// Looked at between rounds.
    async fn may_go_on(&mut self) -> Result<(), Halt> {
        let limits = &self.inner.settings.limits;
        let over = |what: &str| Err(Halt::End(RunEnd::Limit, Some(what.to_owned())));
        if let Some(halt) = self.is_over().await? {
            return Err(halt);
        }
        if self.round >= limits.rounds {
            return over(&format!("{} rounds without an answer", limits.rounds));
        }
        if self.calls >= limits.calls {
            return over(&format!("{} calls", self.calls));
        }
        if self.failures >= limits.failures {
            return over(&format!("{} calls that failed", self.failures));
        }
        if limits.tokens.is_some_and(|most| self.spent.input.saturating_add(self.spent.output) >= most) {
            return over(&format!("{} tokens", self.spent.input.saturating_add(self.spent.output)));
        }
        if limits.cost.is_some_and(|most| self.cost >= most) {
            return over("the cost it may have");
        }
        Ok(())
    }

    /// Whether the run is to stop, or its time is over.
    async fn is_over(&mut self) -> Result<Option<Halt>, StoreError> {
        if !self.stop.asked() && self.inner.engine.stopping(self.inner.owner(), &self.run.id).await? {
            self.stop.ask();
        }
        Ok(self.halted())
    }

    /// The same, by what this process knows.
    fn halted(&self) -> Option<Halt> {
        if self.stop.asked() {
            return Some(Halt::End(RunEnd::Stopped, None));
        }
        let late = self.deadline.is_some_and(|deadline| deadline <= self.inner.clock.now());
        late.then(|| self.inner.late())
    }

    /// Writes down how it ended.
    async fn end(&mut self, how: RunEnd, detail: Option<String>, answer: Option<EntryId>) -> Result<Ended, AgentError> {
        let inner = self.inner;
        inner.persist(|| inner.engine.end(inner.owner(), &self.writer, how, detail.as_deref(), inner.clock.now())).await?;
        (self.told)(Event::Ended { how, detail: detail.clone(), answer, spent: self.spent });
        Ok(Ended { run: self.run.id.clone(), how, detail, answer, spent: self.spent, cost: self.cost })
    }
}

/// How often a write that must not be lost is tried while the database is locked or full, and how long is waited between.
const PERSIST: (u32, Duration) = (20, Duration::from_millis(500));

impl Inner {
    /// Writes what has happened already, and so is worth waiting for.
    pub(crate) async fn persist<'a, T>(
        &self,
        mut write: impl FnMut() -> crate::BoxFuture<'a, Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let mut tries = PERSIST.0;
        loop {
            match write().await {
                Err(StoreError::Locked | StoreError::Full) if tries > 0 => {
                    tries -= 1;
                    self.clock.sleep(PERSIST.1).await;
                }
                done => return done,
            }
        }
    }
}

/// The text of what is told of one thing in an event: bounded.
pub(crate) fn told_text(text: &str) -> String {
    /// Characters of a text in an event.
    const MOST: usize = 4_000;
    text.chars().take(MOST).collect()
}
