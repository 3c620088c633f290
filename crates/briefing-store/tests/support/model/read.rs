//! Reading.

use std::sync::Arc;

use briefing::log::{AttachmentId, Body, Direction, Entry, Kind};
use briefing::message::{EntryId, ThreadId};
use briefing::ports::Back;
use briefing_store::{After, KnownFile, Logged, ThreadSummary};

use super::Texts;
use super::log::{Log, Row};

impl Log {
    pub(super) fn read_back(&self, back: &Back<'_>) -> Vec<Arc<Entry>> {
        let Some(thread) = self.resolve(back.thread) else { return Vec::new() };
        let mut found: Vec<Arc<Entry>> = self.reads(thread).into_iter().map(|row| self.now(row)).collect();
        found.retain(|entry| back.before.is_none_or(|before| entry.place() < before));
        found.retain(|entry| back.after.is_none_or(|after| entry.place() > after));
        found.retain(|entry| back.kinds.contains(Kind::of(&entry.body)));
        found.retain(|entry| match (&entry.body, back.agent) {
            (Body::Message(message), Some(agent)) if message.kind() != Kind::Message => {
                message.agent.as_deref().is_none_or(|of| of == agent)
            }
            _ => true,
        });
        found.into_iter().rev().take(back.count).collect()
    }

    /// Of each of those ids the attachment as it was first listed, with the text of its content among those.
    pub(super) fn texts(&self, ids: &[AttachmentId], texts: &Texts) -> Vec<KnownFile> {
        let known = ids.iter().filter_map(|id| {
            let file = self.rows.iter().flat_map(Row::attachments).find(|file| file.id == *id)?.clone();
            let content = self.content(id);
            let kept = texts.iter().find(|(of, _)| Some(of) == content);
            Some(KnownFile { file, text: kept.map(|(_, text)| text.clone()) })
        });
        known.collect()
    }

    pub(super) fn newest_inbound(&self, thread: Option<ThreadId>) -> Option<(Arc<Entry>, ThreadId)> {
        let inbound = |row: &&Row| row.mail().is_some_and(|mail| mail.direction == Direction::Inbound);
        let Some(thread) = thread else {
            let newest = self.rows.iter().filter(inbound).max_by_key(|row| row.place())?;
            return Some((Arc::clone(&newest.entry), newest.thread));
        };
        let thread = self.resolve(thread)?;
        let newest = self.reads(thread).into_iter().rfind(inbound)?;
        Some((Arc::clone(&newest.entry), thread))
    }

    pub(super) fn file(&self, id: &AttachmentId) -> Option<Arc<[u8]>> {
        self.content(id).map(|content| Arc::from(content.as_slice()))
    }

    /// The content of the first file of that id that has one.
    pub(super) fn content(&self, id: &AttachmentId) -> Option<&Vec<u8>> {
        let mut files = self.rows.iter().flat_map(|row| &row.files);
        files.find(|(of, _)| of == id).map(|(_, content)| content)
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
            entry: self.as_appended(row),
            thread: row.thread,
            run: row.run.map(|(run, turn)| (self.runs[run].run.clone(), turn)),
            settled: self.rows.iter().filter_map(Row::notice).find(|notice| notice.card == row.entry.id).map(|it| it.settled),
        });
        logged.collect()
    }
}
