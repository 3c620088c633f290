//! Threads that merge, split and fork, and where windows begin in them.

use briefing::log::Kind;
use briefing::message::{EntryId, ThreadId};
use briefing_store::{AnchorKey, StoreError, Writer};

use super::log::{Fork, Log, Row};

impl Log {
    pub(super) fn named_thread(&mut self, name: &str) -> Result<ThreadId, StoreError> {
        if name.len() > 1_000 {
            return Err(StoreError::TooLarge { what: "a thread's name", most: 1_000 });
        }
        let known = self.names.iter().find(|(known, _)| known == name).map(|(_, thread)| *thread);
        if let Some(thread) = known {
            return self.known(thread);
        }
        let thread = self.open_thread();
        self.names.push((name.to_owned(), thread));
        Ok(thread)
    }

    /// Both are threads that were not merged. All others must read what they did before, and what was read as `from` must be read
    /// as `into`; else nothing is done.
    pub(super) fn merge(&mut self, from: ThreadId, into: ThreadId) -> Result<(), StoreError> {
        if from == into {
            return Ok(());
        }
        let (had, has) = (self.parts(from), self.parts(into));
        let lost = had.iter().skip(1).any(|part| !has.iter().any(|other| other.covers(part)));
        // A thread may become one with a fork of its own, but not with a fork of a fork.
        let mut merged = self.clone();
        if !lost && !has.iter().skip(2).any(|part| part.thread == from) {
            merged.unite(from, into);
            let others = (0..self.threads.len() as u64).map(ThreadId::new).filter(|thread| *thread != from && *thread != into);
            let mut others = others.filter(|thread| self.resolve(*thread) == Some(*thread));
            let numbers = |log: &Self, thread| log.reads(thread).iter().map(|row| row.entry.id).collect::<Vec<_>>();
            if others.all(|other| numbers(self, other) == numbers(&merged, other)) {
                *self = merged;
                return Ok(());
            }
        }
        Err(StoreError::Forked { entry: EntryId::new(0), fork: from })
    }

    fn unite(&mut self, from: ThreadId, into: ThreadId) {
        self.unite_leases(from, into);
        let own = self.forks.extract_if(.., |fork| fork.thread == from).next();
        let fork_of_it = self.forks.extract_if(.., |fork| fork.thread == into && fork.of == from).next();
        if fork_of_it.is_some() {
            self.forks.extend(own.map(|own| Fork { thread: into, ..own }));
        }
        for fork in self.forks.iter_mut().filter(|fork| fork.of == from) {
            fork.of = into;
        }
        self.threads[index(from)] = Some(into);
        for row in self.rows.iter_mut().filter(|row| row.thread == from) {
            row.thread = into;
        }
        for run in self.runs.iter_mut().filter(|run| run.run.thread == from) {
            run.run.thread = into;
        }
        self.move_scheduled(from, into, |_| true);
        for (_, given, times) in self.call_ids.extract_if(.., |(thread, ..)| *thread == from).collect::<Vec<_>>() {
            let before = self.calls_given(into, &given);
            self.call_ids.retain(|(thread, id, _)| *thread != into || *id != given);
            self.call_ids.push((into, given, before + times));
        }
        for (id, _) in self.awaited.extract_if(.., |(_, thread)| *thread == from).collect::<Vec<_>>() {
            if !self.awaited.contains(&(id.clone(), into)) {
                self.awaited.push((id, into));
            }
        }
        // Where a window began says nothing about the thread that came of it.
        self.anchors.retain(|(key, _)| key.thread != from);
    }

    pub(super) fn split(&mut self, entry: EntryId) -> Result<ThreadId, StoreError> {
        let row = self.row(entry).ok_or(StoreError::UnknownEntry { entry })?;
        if self.is(row, &[Kind::Round, Kind::Outcome, Kind::Notice, Kind::Edit]) || row.proposed.is_some() {
            return Err(StoreError::NotABeginning { entry });
        }
        let (place, thread) = (row.place(), row.thread);
        let new = self.open_thread();
        // Runs move with what they answer, notices with their cards, edits with their messages; all else by its place.
        let by_place = |row: &&Row| row.run.is_none() && row.proposed.is_none() && leader(row).is_none();
        let later = self.members(thread).filter(by_place).filter(|row| row.place() >= place);
        let mut moved: Vec<EntryId> = later.map(|row| row.entry.id).collect();
        loop {
            let follows =
                self.members(thread).filter(|row| match (leader(row), row.run.map(|(run, _)| run).or(row.proposed)) {
                    (Some(leader), _) => moved.contains(&leader),
                    (None, Some(run)) => self.runs[run].belongs_to().iter().any(|other| moved.contains(other)),
                    (None, None) => false,
                });
            let more: Vec<EntryId> = follows.map(|row| row.entry.id).filter(|id| !moved.contains(id)).collect();
            if more.is_empty() {
                break;
            }
            moved.extend(more);
        }
        if self.members(thread).all(|row| moved.contains(&row.entry.id)) {
            self.threads.pop();
            return Err(StoreError::FirstOfThread { entry });
        }
        for fork in self.forks.iter().map(|fork| fork.thread).filter(|fork| self.resolve(*fork) == Some(*fork)) {
            if self.reads(fork).iter().any(|row| row.thread != fork && moved.contains(&row.entry.id)) {
                return Err(StoreError::Forked { entry, fork });
            }
        }
        let mut runs = Vec::new();
        for run in self.runs.iter_mut().filter(|run| run.run.thread == thread) {
            if run.belongs_to().iter().any(|other| moved.contains(other)) {
                run.run.thread = new;
                runs.push(run.run.id.clone());
            }
        }
        self.move_scheduled(thread, new, |run| runs.contains(run));
        for row in self.rows.iter_mut().filter(|row| moved.contains(&row.entry.id)) {
            row.thread = new;
        }
        let counted: Vec<_> = self.call_ids.iter().filter(|(of, ..)| *of == thread).cloned().collect();
        self.call_ids.extend(counted.into_iter().map(|(_, given, times)| (new, given, times)));
        self.anchors.retain(|(key, anchor)| key.thread != thread || *anchor < place);
        self.settle_awaited();
        Ok(new)
    }

    pub(super) fn fork(&mut self, thread: ThreadId, entry: EntryId) -> Result<ThreadId, StoreError> {
        let of = self.known(thread)?;
        let place = self.read_in(of, entry)?.place();
        if self.parts(of).len() > 100 {
            return Err(StoreError::TooMany { what: "forks of forks" });
        }
        let new = self.open_thread();
        self.forks.push(Fork { thread: new, of, place, below: EntryId::new(self.rows.len() as u64) });
        Ok(new)
    }

    /// The entry, if it is read in that thread.
    fn read_in(&self, thread: ThreadId, entry: EntryId) -> Result<&Row, StoreError> {
        self.reads(thread).into_iter().find(|row| row.entry.id == entry).ok_or(StoreError::UnknownEntry { entry })
    }

    /// A thread waits for nothing that none of its mails refers to any more.
    pub(super) fn settle_awaited(&mut self) {
        let Log { rows, awaited, .. } = self;
        awaited.retain(|(id, thread)| {
            let mut mails = rows.iter().filter(|row| row.thread == *thread).filter_map(Row::mail);
            mails.any(|mail| mail.references.contains(id) || mail.in_reply_to.contains(id))
        });
    }

    fn anchor_key(&self, key: &AnchorKey) -> Result<AnchorKey, StoreError> {
        Ok(AnchorKey { thread: self.known(key.thread)?, persona: key.persona.to_ascii_lowercase(), ..key.clone() })
    }

    pub(super) fn anchor(&self, key: &AnchorKey) -> Option<EntryId> {
        let key = self.anchor_key(key).ok()?;
        let (_, place) = self.anchors.iter().find(|(known, _)| *known == key)?;
        let read = self.reads(key.thread).into_iter();
        read.filter(|row| self.may_be_told(row) && row.place() >= *place).map(|row| row.entry.id).next()
    }

    /// Whether a view may begin with it.
    fn may_be_told(&self, row: &Row) -> bool {
        match self.kind(row) {
            Kind::Mail | Kind::Round | Kind::Outcome | Kind::Message | Kind::ToolUse | Kind::Notice => true,
            Kind::Card => self.notices(&[row.entry.id]).is_empty(),
            Kind::System | Kind::Reset | Kind::Edit | Kind::Popped | Kind::Erased | Kind::Unreadable => false,
        }
    }

    pub(super) fn move_anchor(&mut self, writer: &Writer, key: &AnchorKey, entry: EntryId) -> Result<(), StoreError> {
        let run = self.admitted(writer)?;
        let key = self.anchor_key(key)?;
        let place = self.read_in(key.thread, entry)?.place();
        let moves = self.anchors.iter().all(|(known, at)| *known != key || *at < place);
        if moves {
            self.is_open(run)?;
            self.anchors.retain(|(known, _)| *known != key);
            self.anchors.push((key, place));
        }
        Ok(())
    }
}

fn index(thread: ThreadId) -> usize {
    usize::try_from(thread.get()).unwrap()
}

/// What the entry goes with, if it is a notice or an edit.
fn leader(row: &Row) -> Option<EntryId> {
    row.notice().map(|notice| notice.card).or(row.edit().map(|edit| edit.of))
}
