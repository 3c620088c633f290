//! Reading.

use std::sync::Arc;

use briefing::log::{AttachmentId, Direction, Entry, Place};
use briefing::message::{EntryId, ThreadId};
use briefing_store::{After, Kind, Logged, ThreadSummary};

use super::log::{Log, Row};

impl Log {
    pub(super) fn read_back(
        &self,
        thread: ThreadId,
        before: Option<Place>,
        kind: Option<Kind>,
        count: usize,
    ) -> Vec<Arc<Entry>> {
        let Some(thread) = self.resolve(thread) else { return Vec::new() };
        let mut found: Vec<&Row> = self.members(thread).filter(|row| kind.is_none_or(|kind| kind == row.kind())).collect();
        found.retain(|row| before.is_none_or(|before| row.place() < before));
        found.sort_by_key(|row| row.place());
        found.into_iter().rev().take(count).map(|row| Arc::clone(&row.entry)).collect()
    }

    pub(super) fn newest_inbound(&self, thread: Option<ThreadId>) -> Option<(Arc<Entry>, ThreadId)> {
        let thread = match thread {
            Some(thread) => Some(self.resolve(thread)?),
            None => None,
        };
        let rows = self.rows.iter().filter(|row| thread.is_none_or(|thread| row.thread == thread));
        let inbound = rows.filter(|row| row.mail().is_some_and(|mail| mail.direction == Direction::Inbound));
        inbound.max_by_key(|row| row.place()).map(|row| (Arc::clone(&row.entry), row.thread))
    }

    pub(super) fn file(&self, id: &AttachmentId) -> Option<Arc<[u8]>> {
        let mut files = self.rows.iter().flat_map(|row| &row.files);
        files.find(|(of, _)| of == id).map(|(_, content)| Arc::from(content.as_slice()))
    }

    /// The addresses that take part in a thread, sorted.
    pub(super) fn people(&self, thread: ThreadId) -> Vec<String> {
        let mails = self.members(thread).filter_map(Row::mail);
        let addresses = mails.flat_map(|mail| mail.from.iter().chain(&mail.to).chain(&mail.cc));
        let mut people: Vec<String> = addresses.map(|address| address.email.to_ascii_lowercase()).collect();
        people.retain(|email| !email.is_empty());
        people.sort_unstable();
        people.dedup();
        people
    }

    pub(super) fn summary(&self, thread: ThreadId) -> ThreadSummary {
        let mut people = self.people(thread);
        people.truncate(8);
        let oldest = self.members(thread).filter(|row| row.mail().is_some()).min_by_key(|row| row.place());
        ThreadSummary {
            thread,
            entries: self.members(thread).count() as u64,
            newest: self.members(thread).filter(|row| !row.erased()).map(|row| row.entry.at).max(),
            head: self.head(thread),
            subject: oldest.and_then(Row::mail).and_then(|mail| mail.subject.clone()),
            people,
        }
    }

    pub(super) fn summaries(&self, after: Option<After>, count: usize) -> Vec<ThreadSummary> {
        let open = (0..self.threads.len()).filter(|at| self.threads[*at].is_none());
        let mut all: Vec<ThreadSummary> = open.map(|at| self.summary(ThreadId::new(at as u64))).collect();
        all.retain(|summary| summary.newest.is_some());
        all.sort_by_key(|summary| (summary.newest, summary.thread));
        let behind = |summary: &ThreadSummary| {
            after.is_none_or(|after| (summary.newest, summary.thread) < (Some(after.newest), after.thread))
        };
        all.into_iter().rev().filter(behind).take(count).collect()
    }

    pub(super) fn walk(&self, first: EntryId, count: usize) -> Vec<Logged> {
        let rows = self.rows.iter().filter(|row| row.entry.id >= first).take(count);
        let logged = rows.map(|row| Logged {
            entry: Arc::clone(&row.entry),
            thread: row.thread,
            run: row.run.map(|(run, turn)| (self.runs[run].run.clone(), turn)),
            settled: self.rows.iter().filter_map(Row::notice).find(|notice| notice.card == row.entry.id).map(|it| it.settled),
        });
        logged.collect()
    }
}
