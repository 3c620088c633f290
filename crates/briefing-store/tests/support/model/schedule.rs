//! Scheduled work.

use briefing::message::{RunId, ThreadId};
use briefing_store::{RunEnd, Scheduled, StoreError, Writer};
use jiff::Timestamp;

use super::log::{Log, cut};

impl Log {
    pub(super) fn schedule(&mut self, work: Scheduled) -> Result<(), StoreError> {
        let work = Scheduled { thread: self.known(work.thread)?, at: cut(work.at), ..work };
        match self.scheduled.iter().find(|before| before.run == work.run) {
            Some(before) if *before == work => Ok(()),
            Some(_) => Err(StoreError::ScheduledOtherwise { run: work.run }),
            None if self.run(&work.run).is_ok() => Err(StoreError::RunBegun { run: work.run }),
            None => {
                self.scheduled.push(work);
                Ok(())
            }
        }
    }

    pub(super) fn list_scheduled(&self, until: Option<Timestamp>, count: usize) -> Vec<Scheduled> {
        let due = self.scheduled.iter().filter(|work| until.is_none_or(|until| work.at <= cut(until)));
        let mut due: Vec<Scheduled> = due.cloned().collect();
        due.sort_by(|one, other| (one.at, one.run.as_str()).cmp(&(other.at, other.run.as_str())));
        due.truncate(count);
        due
    }

    pub(super) fn unschedule(&mut self, run: &RunId, now: Timestamp) -> Result<bool, StoreError> {
        let found = self.scheduled.iter().find(|work| work.run == *run).cloned();
        let Some(work) = found.filter(|_| self.run(run).is_err()) else { return Ok(false) };
        self.begin_run(work.as_run())?;
        self.end_run(&Writer::new(run.clone()), RunEnd::Stopped, None, now)?;
        Ok(true)
    }

    /// What is scheduled as a run of one thread belongs to another one.
    pub(super) fn move_scheduled(&mut self, from: ThreadId, into: ThreadId, moves: impl Fn(&RunId) -> bool) {
        for work in self.scheduled.iter_mut().filter(|work| work.thread == from && moves(&work.run)) {
            work.thread = into;
        }
    }
}
