//! A run begins: what lapsed is settled, what died is closed or taken up, and the thread is its own.

use briefing::log::{Cause, Run};
use briefing::message::{EntryId, RunId, ThreadId};
use briefing_store::{Lease, RunSummary, Scheduled, Spent, StoreError, Writer};
use jiff::Timestamp;

use crate::assemble::About;
use crate::inner::Inner;
use crate::run::Running;
use crate::run::recover::Before;
use crate::{AgentError, Event, Stop, Told};

/// Which run is begun, or taken up.
pub(crate) enum Begins<'a> {
    /// The one for that cause whose process died; else a new one.
    For(Cause),
    /// That of scheduled work.
    Due(&'a Scheduled),
}

impl Inner {
    pub(super) async fn open<'a>(
        &'a self,
        about: About,
        begins: Begins<'_>,
        stop: &'a Stop,
        told: &'a mut Told<'_>,
    ) -> Result<(Running<'a>, Lease), AgentError> {
        let (owner, thread) = (self.owner(), about.thread());
        let chain = self.chain(&about)?;
        for notice in self.store.settle_lapsed(owner, thread, self.clock.now()).await? {
            told(Event::CardLapsed { notice });
        }
        self.settle_lost_cards().await?;
        let (run, lease, died) = self.take_thread(thread, begins, told).await?;
        let resumed = died.is_some();
        let began = died.as_ref().and_then(|run| run.began).unwrap_or(lease.time().renewed());
        let spent = died.map_or_else(Spent::default, |run| run.spent);
        told(Event::Began { run: lease.run().clone(), thread: lease.thread(), resumed });
        let run = Run { thread: lease.thread(), ..run };
        let deadline = self.settings.limits.deadline.and_then(|time| self.clock.now().checked_add(time).ok());
        let running = Running {
            inner: self,
            about,
            chain,
            run,
            writer: Writer::from(&lease),
            resumed,
            began,
            deadline,
            stop,
            told,
            round: 0,
            model: 0,
            calls: 0,
            failures: 0,
            spent,
            cost: 0,
            receipt: None,
            before: Before::default(),
            version: None,
        };
        Ok((running, lease))
    }

    /// The run with the lease of the thread, and the one that died and is gone on with, if it is one. All others that died are closed, but
    /// for scheduled ones, which stay due.
    async fn take_thread(
        &self,
        thread: ThreadId,
        begins: Begins<'_>,
        told: &mut Told<'_>,
    ) -> Result<(Run, Lease, Option<RunSummary>), AgentError> {
        let owner = self.owner();
        let mut unended = self.engine.unended(owner, thread).await?;
        let now = self.clock.now();
        if let Some((busy, lease)) = unended.iter().find_map(|run| Some((run, run.lease.filter(|lease| lease.holds_at(now))?)))
        {
            return Err(AgentError::Busy { run: busy.run.id.clone(), until: lease.until() });
        }
        let ours = |run: &RunSummary| match &begins {
            Begins::For(cause) => {
                run.due.is_none() && run.run.cause == *cause && self.is_ours(&run.run.persona) && self.is_timely(run, now)
            }
            Begins::Due(work) => run.run.id == work.run,
        };
        let died = unended.iter().position(ours).map(|at| unended.remove(at));
        // Those that began first are closed first.
        for dead in unended.iter().rev().filter(|run| run.due.is_none()) {
            self.close(dead, told).await?;
        }
        match begins {
            Begins::For(cause) => {
                if let Some(died) = died {
                    // Scheduled work that came to its end is done; this is the next.
                    let is_work = matches!(cause, Cause::Responsibility(_));
                    if is_work && self.answer_of(&died.run).await?.is_some() {
                        self.close(&died, told).await?;
                    } else if let Some(lease) = self.resume(&died.run.id).await? {
                        return Ok((died.run.clone(), lease, Some(died)));
                    }
                }
                let persona = self.persona.address().into();
                let run = Run { id: self.new_id(), thread, cause, persona };
                let lease = self.engine.begin(owner, &run, now).await?;
                Ok((run, lease, None))
            }
            Begins::Due(work) => match self.engine.begin_due(owner, work, now).await {
                Err(error @ StoreError::RunEnded { .. }) => {
                    // Another process has ended it meanwhile.
                    self.is_to_be_done(work).await?;
                    Err(error.into())
                }
                lease => Ok((work.as_run(), lease?, died)),
            },
        }
    }

    /// Whether the run of scheduled work is none yet, or one of that work that has not ended.
    pub(crate) async fn is_to_be_done(&self, work: &Scheduled) -> Result<(), AgentError> {
        let run = work.as_run();
        let Some(before) = self.store.run(self.owner(), &run.id).await? else { return Ok(()) };
        if before.run.cause != run.cause || !self.is_ours(&before.run.persona) {
            return Err(AgentError::OtherWork { run: run.id });
        }
        match &before.end {
            Some(end) => Err(AgentError::EndedBefore { run: run.id, how: end.how }),
            None => Ok(()),
        }
    }

    /// Whether a run that died is still to be gone on with. A message is answered whenever somebody comes; scheduled work whose time is
    /// over is not what is wanted now.
    fn is_timely(&self, run: &RunSummary, now: Timestamp) -> bool {
        match (&run.run.cause, run.began, self.settings.limits.deadline) {
            (Cause::Responsibility(_), Some(began), Some(time)) => began.checked_add(time).is_ok_and(|deadline| now < deadline),
            (Cause::Responsibility(_) | Cause::Message(_), ..) => true,
        }
    }

    /// The lease of a run that died; none if another process has ended it meanwhile.
    pub(super) async fn resume(&self, run: &RunId) -> Result<Option<Lease>, AgentError> {
        match self.engine.resume(self.owner(), run, self.clock.now()).await {
            Err(StoreError::RunEnded { .. }) => Ok(None),
            lease => Ok(Some(lease?)),
        }
    }

    /// Whether a thread shows an entry: one of its own, or of what it was forked off.
    pub(crate) async fn shows(&self, thread: ThreadId, entry: EntryId) -> Result<bool, AgentError> {
        use briefing::log::{Kind, Kinds};
        use briefing::ports::Back;

        let Some(found) = self.store.entry(self.owner(), entry).await? else { return Ok(false) };
        // The one behind its place, and the entry itself: read from just behind it.
        let behind = briefing::log::Place { at: found.at, entry: EntryId::new(entry.get() + 1) };
        let back = Back { thread, before: Some(behind), after: None, kinds: Kinds::of(&Kind::ALL), agent: None, count: 1 };
        let newest = self.store.read_back(self.owner(), back).await?;
        Ok(newest.first().is_some_and(|first| first.id == entry))
    }
}
