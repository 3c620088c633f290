//! Runs at work: leases, ends, steps, requests, and what was as of a moment.

use std::sync::Arc;
use std::time::Duration;

use briefing::log::{Entry, RecordedRound, Settled};
use briefing::message::{EntryId, RunId, ThreadId};
use briefing_store::{
    Ended, Fence, KeptRequest, Lease, LeaseTime, Moment, RunEnd, RunNumber, RunRequest, RunSummary, RunsOf, Spent, Step,
    StoreError, WaitingCard, Writer,
};
use jiff::{SignedDuration, Timestamp};

use super::log::{Log, cut};

/// What a run has beside what it was begun for.
#[derive(Debug, Clone, Default)]
pub(super) struct Work {
    began: Option<Timestamp>,
    fence: Option<Fence>,
    end: Option<Ended>,
    stop: bool,
    spent: Spent,
    steps: Vec<(String, Timestamp)>,
    pub(super) requests: Vec<RunRequest>,
    kept: u32,
}

/// A lease, of the thread that the run belongs to.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) run: usize,
    fence: Fence,
    renewed: Timestamp,
    until: Timestamp,
}

impl Held {
    fn time(&self) -> LeaseTime {
        LeaseTime::new(self.renewed, self.until)
    }

    /// Neither lapsed, nor renewed by a clock that was more than a minute ahead.
    fn holds(&self, now: Timestamp) -> bool {
        let ahead = self.renewed.duration_since(now);
        now < self.until && ahead <= SignedDuration::from_secs(60)
    }
}

impl Log {
    fn held(&self, thread: ThreadId) -> Option<&Held> {
        self.leases.iter().find(|held| self.runs[held.run].run.thread == thread)
    }

    /// The run, if that writer may write for it.
    pub(super) fn admitted(&self, writer: &Writer) -> Result<usize, StoreError> {
        let at = self.run(&writer.run)?;
        let work = &self.runs[at].work;
        let held = self.leases.iter().any(|held| held.run == at && Some(held.fence) == work.fence);
        if work.fence != writer.fence || (work.fence.is_some() && work.end.is_none() && !held) {
            return Err(StoreError::Fenced { run: writer.run.clone() });
        }
        Ok(at)
    }

    pub(super) fn is_open(&self, at: usize) -> Result<(), StoreError> {
        let run = &self.runs[at];
        if run.work.end.is_none() { Ok(()) } else { Err(StoreError::RunEnded { run: run.run.id.clone() }) }
    }

    pub(super) fn writes(&self, writer: &Writer) -> Result<usize, StoreError> {
        let at = self.admitted(writer)?;
        self.is_open(at)?;
        Ok(at)
    }

    fn is_free(&self, thread: ThreadId, now: Timestamp) -> Result<(), StoreError> {
        match self.held(thread).filter(|held| held.holds(cut(now))) {
            Some(held) => Err(StoreError::Leased { thread, run: self.runs[held.run].run.id.clone(), until: held.until }),
            None => Ok(()),
        }
    }

    pub(super) fn lease(&mut self, run: &RunId, now: Timestamp, lasts: Duration) -> Result<Lease, StoreError> {
        let at = self.run(run)?;
        self.is_open(at)?;
        let thread = self.runs[at].run.thread;
        self.is_free(thread, now)?;
        self.fences += 1;
        let (fence, until) = (Fence::new(self.fences), cut(now) + lasts);
        let Log { runs, leases, .. } = self;
        leases.retain(|held| runs[held.run].run.thread != thread);
        let held = Held { run: at, fence, renewed: cut(now), until };
        let time = held.time();
        leases.push(held);
        let work = &mut self.runs[at].work;
        work.fence = Some(fence);
        work.began = work.began.or(Some(cut(now)));
        Ok(Lease::new(run.clone(), thread, fence, time))
    }

    pub(super) fn renew(&mut self, lease: &Lease, now: Timestamp, lasts: Duration) -> Result<Lease, StoreError> {
        let at = self.writes(&lease.into())?;
        let held = self.leases.iter_mut().find(|held| held.run == at).unwrap();
        let until = cut(now) + lasts;
        held.until = if cut(now) < held.renewed { until } else { held.until.max(until) };
        held.renewed = cut(now);
        Ok(Lease::new(lease.run().clone(), self.runs[at].run.thread, held.fence, held.time()))
    }

    pub(super) fn release(&mut self, lease: &Lease) -> Result<(), StoreError> {
        let at = self.writes(&lease.into())?;
        self.leases.retain(|held| held.run != at);
        Ok(())
    }

    pub(super) fn end_run(
        &mut self,
        writer: &Writer,
        how: RunEnd,
        detail: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let at = if how == RunEnd::Lost && writer.fence.is_none() {
            let at = self.run(&writer.run)?;
            if self.leases.iter().any(|held| held.run == at) {
                self.is_free(self.runs[at].run.thread, now)?;
            }
            at
        } else {
            self.admitted(writer)?
        };
        if self.runs[at].work.end.as_ref().is_some_and(|end| end.how == how) {
            return Ok(());
        }
        self.is_open(at)?;
        self.runs[at].work.end = Some(Ended { how, detail: detail.map(str::to_owned), at: cut(now) });
        self.leases.retain(|held| held.run != at);
        self.scheduled.retain(|work| work.run != writer.run);
        Ok(())
    }

    pub(super) fn stop_run(&mut self, run: &RunId) -> Result<(), StoreError> {
        let at = self.run(run)?;
        self.runs[at].work.stop |= self.runs[at].work.end.is_none();
        Ok(())
    }

    pub(super) fn stop_asked(&self, run: &RunId) -> bool {
        self.run(run).is_ok_and(|at| self.runs[at].work.stop)
    }

    pub(super) fn spend(&mut self, writer: &Writer, more: Spent) -> Result<(), StoreError> {
        let at = self.writes(writer)?;
        let spent = &mut self.runs[at].work.spent;
        let sum = |before: u64, more: u64| before.saturating_add(more).min(i64::MAX as u64);
        *spent = Spent {
            requests: sum(spent.requests, more.requests),
            input: sum(spent.input, more.input),
            output: sum(spent.output, more.output),
            cache_read: sum(spent.cache_read, more.cache_read),
            cache_written: sum(spent.cache_written, more.cache_written),
            reasoning: sum(spent.reasoning, more.reasoning),
        };
        Ok(())
    }

    pub(super) fn begin_step(&mut self, writer: &Writer, key: &str, now: Timestamp) -> Result<Step, StoreError> {
        if key.len() > 200 {
            return Err(StoreError::TooLarge { what: "a step's key", most: 200 });
        }
        let at = self.admitted(writer)?;
        if self.runs[at].work.steps.iter().any(|(begun, _)| begun == key) {
            return Ok(Step::Again);
        }
        self.is_open(at)?;
        self.runs[at].work.steps.push((key.to_owned(), cut(now)));
        Ok(Step::First)
    }

    pub(super) fn keep_request(&mut self, writer: &Writer, request: KeptRequest, now: Timestamp) -> Result<u32, StoreError> {
        let at = self.writes(writer)?;
        let work = &mut self.runs[at].work;
        let number = work.kept;
        work.kept += 1;
        work.requests.push(RunRequest { number, at: cut(now), request });
        Ok(number)
    }

    pub(super) fn summary_of(&self, at: usize) -> RunSummary {
        let run = &self.runs[at];
        RunSummary {
            number: RunNumber::new(at as u64),
            run: run.run.clone(),
            began: run.work.began,
            end: run.work.end.clone(),
            rounds: u32::try_from(self.rounds_of(at).len()).unwrap(),
            lease: self.leases.iter().find(|held| held.run == at).map(Held::time),
            due: self.scheduled.iter().find(|work| work.run == run.run.id).map(|work| work.at),
            spent: run.work.spent,
        }
    }

    pub(super) fn list_runs(&self, of: RunsOf) -> Vec<RunSummary> {
        let thread = match of.thread.map(|thread| self.resolve(thread)) {
            Some(None) => return Vec::new(),
            Some(thread) => thread,
            None => None,
        };
        let all = (0..self.runs.len()).rev().filter(|at| !self.runs[*at].gone).map(|at| self.summary_of(at));
        let all = all.filter(|run| thread.is_none_or(|thread| run.run.thread == thread));
        let all = all.filter(|run| !of.open || (run.began.is_some() && run.end.is_none()));
        all.filter(|run| of.before.is_none_or(|before| run.number < before)).take(of.count).collect()
    }

    pub(super) fn run_rounds(&self, run: &RunId) -> Vec<RecordedRound> {
        self.run(run).map(|at| self.rounds_of(at)).unwrap_or_default()
    }

    pub(super) fn steps(&self, run: &RunId) -> Vec<(String, Timestamp)> {
        self.run(run).map(|at| self.runs[at].work.steps.clone()).unwrap_or_default()
    }

    pub(super) fn requests(&self, run: &RunId) -> Vec<RunRequest> {
        self.run(run).map(|at| self.runs[at].work.requests.clone()).unwrap_or_default()
    }

    /// Whether it is claimed; else it had lapsed.
    pub(super) fn claim(&mut self, card: EntryId, now: Timestamp) -> Result<bool, StoreError> {
        let row = self.row(card).ok_or(StoreError::UnknownEntry { entry: card })?;
        let expires = row.card().ok_or(StoreError::NotACard { entry: card })?.expires;
        if let Some(notice) = self.notices(&[card]).first() {
            return Err(StoreError::Settled { card, settled: notice.settled });
        }
        if let Some(at) = row.claimed {
            return Err(StoreError::CardClaimed { card, at });
        }
        if expires.is_some_and(|expires| expires <= cut(now)) {
            self.settle(card, Settled::Expired, None, now)?;
            return Ok(false);
        }
        self.rows.iter_mut().find(|row| row.entry.id == card).unwrap().claimed = Some(cut(now));
        Ok(true)
    }

    pub(super) fn waiting_cards(&self, count: usize) -> Vec<WaitingCard> {
        let open = self.rows.iter().rev().filter(|row| row.card().is_some() && self.notices(&[row.entry.id]).is_empty());
        let waiting = open.map(|row| WaitingCard { card: Arc::clone(&row.entry), thread: row.thread, claimed: row.claimed });
        waiting.take(count).collect()
    }

    /// One of two leases stays where one thread is made of two.
    pub(super) fn unite_leases(&mut self, from: ThreadId, into: ThreadId) {
        let (Some(one), Some(other)) = (self.held(from), self.held(into)) else { return };
        let gone = if other.until < one.until { other.run } else { one.run };
        self.leases.retain(|held| held.run != gone);
    }

    /// What there was then, with what was popped and erased since.
    pub(super) fn then(&self, moment: Moment) -> Self {
        let mut then = self.clone();
        if let Moment::Before(head) = moment {
            then.rows.retain(|row| row.entry.id < head);
        }
        then
    }

    pub(super) fn rounds_then(&self, moment: Moment, persona: &str, entries: &[EntryId]) -> Vec<RecordedRound> {
        let then = self.then(moment);
        let entries: Vec<EntryId> = entries.iter().copied().filter(|entry| then.row(*entry).is_some()).collect();
        then.rounds(persona, &entries)
    }

    pub(super) fn entry(&self, entry: EntryId) -> Option<Arc<Entry>> {
        self.row(entry).map(|row| self.now(row))
    }
}
