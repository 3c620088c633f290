//! Threads that merge and split, and where windows begin in them.

use briefing::log::Place;
use briefing::message::{EntryId, RunId, ThreadId};
use briefing_store::{AnchorKey, Kind, StoreError};

use super::log::{Log, Row};

impl Log {
    /// Both are threads that were not merged.
    pub(super) fn merge(&mut self, from: ThreadId, into: ThreadId) {
        if from == into {
            return;
        }
        self.threads[usize::try_from(from.get()).unwrap()] = Some(into);
        for row in self.rows.iter_mut().filter(|row| row.thread == from) {
            row.thread = into;
        }
        for run in self.runs.iter_mut().filter(|run| run.run.thread == from) {
            run.run.thread = into;
        }
        for (_, given, times) in self.call_ids.extract_if(.., |(thread, ..)| *thread == from).collect::<Vec<_>>() {
            match self.call_ids.iter_mut().find(|(thread, id, _)| *thread == into && *id == given) {
                Some((_, _, sum)) => *sum += times,
                None => self.call_ids.push((into, given, times)),
            }
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
        if matches!(row.kind(), Kind::Round | Kind::Outcome | Kind::Notice) || row.proposed.is_some() {
            return Err(StoreError::NotABeginning { entry });
        }
        let (place, thread) = (row.place(), row.thread);
        let new = self.open_thread();
        // Runs move with what they answer, and notices with their cards; all else by its place.
        let mut moved: Vec<EntryId> = self
            .members(thread)
            .filter(|row| row.run.is_none() && row.proposed.is_none() && row.notice().is_none() && row.place() >= place)
            .map(|row| row.entry.id)
            .collect();
        loop {
            let follows =
                self.members(thread).filter(|row| match (row.notice(), row.run.map(|(run, _)| run).or(row.proposed)) {
                    (Some(notice), _) => moved.contains(&notice.card),
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
        for run in self.runs.iter_mut().filter(|run| run.run.thread == thread) {
            if run.belongs_to().iter().any(|other| moved.contains(other)) {
                run.run.thread = new;
            }
        }
        for row in self.rows.iter_mut().filter(|row| moved.contains(&row.entry.id)) {
            row.thread = new;
        }
        let counted: Vec<_> = self.call_ids.iter().filter(|(of, ..)| *of == thread).cloned().collect();
        self.call_ids.extend(counted.into_iter().map(|(_, given, times)| (new, given, times)));
        self.anchors.retain(|(key, anchor)| key.thread != thread || *anchor < place);
        self.settle_awaited();
        Ok(new)
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
        let behind = self.members(key.thread).filter(|row| !row.erased() && row.place() >= *place);
        behind.min_by_key(|row| row.place()).map(|row| row.entry.id)
    }

    pub(super) fn move_anchor(&mut self, run: &RunId, key: &AnchorKey, entry: EntryId) -> Result<(), StoreError> {
        self.run(run)?;
        let key = self.anchor_key(key)?;
        let row = self.row(entry).filter(|row| row.thread == key.thread);
        let place = row.ok_or(StoreError::UnknownEntry { entry })?.place();
        self.forward(key, place);
        Ok(())
    }

    fn forward(&mut self, key: AnchorKey, place: Place) {
        match self.anchors.iter_mut().find(|(known, _)| *known == key) {
            Some((_, known)) => *known = place.max(*known),
            None => self.anchors.push((key, place)),
        }
    }
}
