//! Runs, and what they record.

use std::sync::Arc;

use briefing::log::{Body, Cause, Kind, RecordedOutcome, RecordedRound, Run};
use briefing::message::{Assistant, EntryId, Item, Outcome, RunId, ThreadId};
use briefing_store::{ImportedRound, StoreError, Writer};
use jiff::Timestamp;

use super::log::{Log, Row, RunRow, cut};
use super::work::Work;

impl Log {
    pub(super) fn begin_run(&mut self, run: Run) -> Result<(), StoreError> {
        let thread = self.known(run.thread)?;
        if self.run(&run.id).is_ok() {
            return Err(StoreError::RunBegun { run: run.id });
        }
        let last = match &run.cause {
            Cause::Message(entry) => self.live(*entry)?.entry.at,
            Cause::Responsibility(_) => Timestamp::MIN,
        };
        let run = Run { thread, ..run };
        self.runs.push(RunRow { run, last, wrote: Vec::new(), answer: None, work: Work::default(), gone: false });
        Ok(())
    }

    pub(super) fn wrote(&mut self, writer: &Writer, entry: EntryId) -> Result<(), StoreError> {
        let run = self.admitted(writer)?;
        self.live(entry)?;
        let scheduled = matches!(self.runs[run].run.cause, Cause::Responsibility(_));
        if scheduled && !self.runs[run].wrote.contains(&entry) {
            self.is_open(run)?;
            self.runs[run].wrote.push(entry);
        }
        Ok(())
    }

    pub(super) fn append_round(
        &mut self,
        writer: &Writer,
        index: u32,
        mut said: Assistant,
        now: Timestamp,
    ) -> Result<RecordedRound, StoreError> {
        let run = self.admitted(writer)?;
        if let Some(before) = self.round(run, index) {
            let plain = |said: &Assistant| {
                let mut said = said.clone();
                for item in &mut said.items {
                    if let Item::Call(call) = item {
                        call.id = call.id.repeated(0);
                    }
                }
                said
            };
            let same = plain(&before.said) == plain(&said);
            return if same { Ok(before) } else { Err(StoreError::RoundRecorded { run: writer.run.clone(), index }) };
        }
        self.is_open(run)?;
        let thread = self.runs[run].run.thread;
        for item in &mut said.items {
            if let Item::Call(call) = item {
                call.id = call.id.repeated(self.count_call(thread, call.id.given()));
            }
        }
        let said = Arc::new(said);
        let at = self.write_time(run, now);
        let row = self.push(at, Body::Round(Arc::clone(&said)), thread);
        row.run = Some((run, index));
        Ok(RecordedRound { beside: None, entry: row.entry.id, said, outcomes: Vec::new() })
    }

    fn round(&self, run: usize, index: u32) -> Option<RecordedRound> {
        let of_it = |row: &&Row| row.run == Some((run, index));
        let (entry, said) = self.rows.iter().filter(of_it).find_map(|row| match &row.entry.body {
            Body::Round(said) => Some((row.entry.id, Arc::clone(said))),
            _ => None,
        })?;
        let outcomes = self.rows.iter().filter(of_it).filter_map(|row| match &row.entry.body {
            Body::Outcome(outcome) => Some(RecordedOutcome { entry: row.entry.id, outcome: Arc::clone(outcome) }),
            _ => None,
        });
        Some(RecordedRound { beside: None, entry, said, outcomes: outcomes.collect() })
    }

    /// How many calls of the thread were given that id before this one.
    fn count_call(&mut self, thread: ThreadId, given: &str) -> u32 {
        let before = self.calls_given(thread, given);
        self.call_ids.retain(|(of, id, _)| *of != thread || id != given);
        self.call_ids.push((thread, given.to_owned(), before + 1));
        before
    }

    /// How many calls of the thread were given that id; of a fork that has none of its own, as many as of the threads that it was
    /// forked off.
    pub(super) fn calls_given(&self, thread: ThreadId, given: &str) -> u32 {
        let of = |thread| self.call_ids.iter().find(|(of, id, _)| *of == thread && id == given).map(|(_, _, times)| *times);
        let older = || self.parts(thread).iter().skip(1).filter_map(|part| of(part.thread)).max();
        of(thread).or_else(older).unwrap_or_default()
    }

    pub(super) fn append_outcome(&mut self, writer: &Writer, outcome: Outcome, now: Timestamp) -> Result<EntryId, StoreError> {
        let at = self.writes(writer)?;
        let round = self.rows.iter().find(|row| match &row.entry.body {
            Body::Round(said) => row.run.is_some_and(|(of, _)| of == at) && said.calls().any(|call| call.id == outcome.call),
            _ => false,
        });
        let Some((round, turn)) = round.map(|row| (row.entry.id, row.run.unwrap().1)) else {
            return Err(StoreError::UnknownCall { run: writer.run.clone(), call: outcome.call.to_string() });
        };
        let time = self.write_time(at, now);
        let thread = self.runs[at].run.thread;
        let row = self.push(time, Body::Outcome(Arc::new(outcome)), thread);
        (row.run, row.round) = (Some((at, turn)), Some(round));
        Ok(row.entry.id)
    }

    pub(super) fn import_run(&mut self, run: &Run, rounds: Vec<ImportedRound>, at: Timestamp) -> Result<bool, StoreError> {
        if self.run(&run.id).is_ok() || self.imported.contains(&run.id) {
            return Ok(false);
        }
        self.begin_run(run.clone())?;
        if !rounds.is_empty() {
            self.imported.push(run.id.clone());
        }
        let writer = Writer::new(run.id.clone());
        for ImportedRound { index, said, outcomes } in rounds {
            let recorded = self.append_round(&writer, index, said, at)?;
            for (call, outcome) in recorded.said.calls().zip(outcomes) {
                if let Some(outcome) = outcome {
                    self.append_outcome(&writer, Outcome { call: call.id.clone(), ..outcome }, at)?;
                }
            }
        }
        Ok(true)
    }

    fn write_time(&mut self, run: usize, now: Timestamp) -> Timestamp {
        let run = &mut self.runs[run];
        run.last = run.last.max(cut(now));
        run.last
    }

    pub(super) fn rounds(&self, persona: &str, entries: &[EntryId]) -> Vec<RecordedRound> {
        let mut entries = entries.to_vec();
        entries.sort_unstable();
        entries.dedup();
        let mut found = Vec::new();
        for (at, run) in self.runs.iter().enumerate() {
            if run.gone || !run.run.persona.eq_ignore_ascii_case(persona) {
                continue;
            }
            for entry in entries.iter().filter(|entry| run.stands_beside(**entry)) {
                found.extend(self.rounds_of(at).into_iter().map(|round| RecordedRound { beside: Some(*entry), ..round }));
            }
        }
        found
    }

    /// The answers to a message that stand.
    pub(super) fn answers(&self, message: EntryId, persona: &str) -> Vec<(RunId, EntryId)> {
        let to = |run: &&RunRow| {
            !run.gone && run.run.cause == Cause::Message(message) && run.run.persona.eq_ignore_ascii_case(persona)
        };
        let found = self.runs.iter().filter(to).filter_map(|run| Some((run.run.id.clone(), run.answer?)));
        found.filter(|(_, answer)| !self.is(self.row(*answer).unwrap(), &[Kind::Popped, Kind::Erased])).collect()
    }

    pub(super) fn rounds_of(&self, run: usize) -> Vec<RecordedRound> {
        let mut rounds: Vec<(u32, RecordedRound)> = Vec::new();
        for row in &self.rows {
            let Some((_, turn)) = row.run.filter(|(of, _)| *of == run) else { continue };
            let entry = row.entry.id;
            match &row.entry.body {
                Body::Round(said) => {
                    rounds.push((turn, RecordedRound { beside: None, entry, said: Arc::clone(said), outcomes: Vec::new() }));
                }
                Body::Outcome(outcome) => {
                    let round = rounds.iter_mut().find(|(_, round)| Some(round.entry) == row.round).unwrap();
                    round.1.outcomes.push(RecordedOutcome { entry, outcome: Arc::clone(outcome) });
                }
                _ => {}
            }
        }
        rounds.sort_by_key(|(turn, round)| (*turn, round.entry));
        rounds.into_iter().map(|(_, round)| round).collect()
    }
}

impl RunRow {
    fn stands_beside(&self, entry: EntryId) -> bool {
        self.run.cause == Cause::Message(entry) || self.wrote.contains(&entry)
    }

    /// The entries with which the run moves and goes: what it answers, or what scheduled work wrote.
    pub(super) fn belongs_to(&self) -> Vec<EntryId> {
        match self.run.cause {
            Cause::Message(entry) => vec![entry],
            Cause::Responsibility(_) => self.wrote.clone(),
        }
    }
}
