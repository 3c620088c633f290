//! Mails, messages, resets, edits and cards.

use std::convert::Infallible;
use std::sync::Arc;

use briefing::log::{Arrival, Attachment, AttachmentId, Body, Cause, Edit, Mail, Message, MessageId, Place};
use briefing::message::{EntryId, ThreadId};
use briefing_mail::{Known, Placement};
use briefing_store::{Append, Appended, Content, Expected, Fate, NewMail, NewMessage, Role, StoreError, Target};
use jiff::Timestamp;

use super::log::{Log, RunRow, cut};

struct Knows<'a>(&'a Log);

impl Known for Knows<'_> {
    type Thread = ThreadId;
    type Error = Infallible;

    fn thread_of(&mut self, id: &MessageId) -> Result<Option<ThreadId>, Infallible> {
        Ok(self.0.by_message_id(id).next().map(|row| row.thread))
    }

    fn waiting_for(&mut self, id: &MessageId) -> Result<Vec<ThreadId>, Infallible> {
        Ok(self.0.awaited.iter().filter(|(awaited, _)| awaited == id).map(|(_, thread)| *thread).collect())
    }

    fn admits(&mut self, thread: ThreadId, people: &[String]) -> Result<bool, Infallible> {
        let members = self.0.people(thread);
        Ok(members.is_empty() || members.iter().any(|member| people.contains(member)))
    }
}

impl Log {
    pub(super) fn append(&mut self, append: Append) -> Result<Appended, StoreError> {
        let before = append.key.and_then(|key| self.rows.iter().find(|row| row.key == Some(key)));
        if let Some(row) = before {
            return Ok(Appended { place: row.place(), thread: row.thread, fate: Fate::Before });
        }
        let by = append.by.as_ref().map(|by| self.writes(&by.writer)).transpose()?;
        let answers = append.by.as_ref().is_some_and(|by| by.role == Role::Answer);
        if let Some(RunRow { run, answer: Some(entry), .. }) = by.map(|run| &self.runs[run]).filter(|_| answers) {
            return Err(StoreError::Answered { run: run.id.clone(), entry: *entry });
        }
        let placed = match &append.content {
            Content::Mail(new) => briefing_mail::place(&new.mail, &mut Knows(self)).unwrap_or_else(|never| match never {}),
            Content::Message(_) | Content::Card(_) | Content::Reset(_) | Content::Edit(_) => {
                Placement { thread: None, merges: Vec::new(), awaits: Vec::new(), people: Vec::new() }
            }
        };
        let of_run = by.map(|run| self.runs[run].run.thread);
        let (thread, merged) = match (&append.content, append.thread) {
            (Content::Edit(edit), _) => (self.editable(edit.of)?, Vec::new()),
            (Content::Message(_) | Content::Card(_), _) if of_run.is_some() => (of_run.unwrap(), Vec::new()),
            (_, Target::Thread(thread)) => (self.known(thread)?, Vec::new()),
            (_, Target::Referred) => (placed.thread.unwrap_or_else(|| self.open_thread()), placed.merges),
        };
        let found = self.head(thread);
        if let Expected::Head(expected) = append.expected
            && expected != found
        {
            return Err(StoreError::Moved { thread, expected, found });
        }
        let at = self.effective_time(&append.content, append.arrival);
        let at = by.map_or(at, |run| at.max(self.runs[run].last));
        // One that a fork would not read the same then stays a thread of its own.
        let merged: Vec<ThreadId> = merged.into_iter().filter(|from| self.merge(*from, thread).is_ok()).collect();
        let (place, reused) = match append.content {
            Content::Mail(new) => self.push_mail(at, *new, placed.awaits, thread),
            Content::Message(new) => (self.push_message(at, *new, thread), None),
            Content::Reset(reset) => {
                let newest = self.reads(thread).into_iter().filter(|row| !row.erased()).map(|row| row.entry.at).max();
                let at = at.max(newest.unwrap_or(at));
                (self.push(at, Body::Reset(Arc::new(*reset)), thread).place(), None)
            }
            Content::Edit(edit) => {
                let message = Message { edited: None, ..edit.message };
                (self.push(at, Body::Edit(Arc::new(Edit { message, ..*edit })), thread).place(), None)
            }
            Content::Card(mut card) => {
                card.expires = card.expires.map(cut);
                let proposed = card.run.as_ref().and_then(|run| self.run(run).ok());
                let row = self.push(at, Body::Card(Arc::new(*card)), thread);
                row.proposed = proposed;
                (row.place(), None)
            }
        };
        self.rows.last_mut().unwrap().key = append.key;
        if let Some(run) = by.map(|run| &mut self.runs[run]) {
            run.last = at;
            run.answer = run.answer.or(Some(place.entry).filter(|_| answers));
            if matches!(run.run.cause, Cause::Responsibility(_)) {
                run.wrote.push(place.entry);
            }
        }
        Ok(Appended { place, thread, fate: Fate::New { merged, reused } })
    }

    fn push_mail(&mut self, at: Timestamp, new: NewMail, awaits: Vec<MessageId>, thread: ThreadId) -> (Place, Option<EntryId>) {
        let first = new.mail.message_id.as_ref().and_then(|id| self.by_message_id(id).next());
        let other = first.filter(|first| first.raw.is_none() || first.raw != new.raw);
        let reused = other.map(|first| first.entry.id);
        let mail = Mail { date: new.mail.date.map(cut), ..new.mail };
        let files = listed(&mail.attachments, &new.files);
        if let Some(id) = &mail.message_id {
            self.awaited.retain(|(awaited, _)| awaited != id);
        }
        for id in awaits {
            if !self.awaited.contains(&(id.clone(), thread)) {
                self.awaited.push((id, thread));
            }
        }
        let row = self.push(at, Body::Mail(Arc::new(mail)), thread);
        (row.raw, row.files) = (new.raw, files);
        (row.place(), reused)
    }

    fn push_message(&mut self, at: Timestamp, new: NewMessage, thread: ThreadId) -> Place {
        let files = listed(&new.message.attachments, &new.files);
        let message = Message { edited: None, ..new.message };
        let row = self.push(at, Body::Message(Arc::new(message)), thread);
        row.files = files;
        row.place()
    }

    /// The thread of a message, if there is one that can be edited.
    fn editable(&self, of: EntryId) -> Result<ThreadId, StoreError> {
        let row = self.row(of).ok_or(StoreError::UnknownEntry { entry: of })?;
        let message = matches!(self.now(row).body, Body::Message(_));
        if message { Ok(row.thread) } else { Err(StoreError::NotAMessage { entry: of }) }
    }

    fn effective_time(&self, content: &Content, arrival: Arrival) -> Timestamp {
        let mail = if let Content::Mail(new) = content { Some(&new.mail) } else { None };
        let own = match arrival {
            Arrival::Live(now) => now,
            Arrival::Imported(now) => {
                let stood = self.rows.last().map_or(Timestamp::MIN, |row| row.entry.at);
                mail.and_then(|mail| mail.date).unwrap_or(stood).min(now)
            }
        };
        let answered = mail.into_iter().flat_map(|mail| mail.in_reply_to.iter().chain(mail.references.last()));
        let answered = answered.filter_map(|id| self.by_message_id(id).next());
        let edited = if let Content::Edit(edit) = content { self.row(edit.of) } else { None };
        answered.chain(edited).map(|row| row.entry.at).fold(cut(own), Timestamp::max)
    }
}

/// The contents of the files that are listed, in that order.
fn listed(attachments: &[Attachment], files: &[(AttachmentId, Vec<u8>)]) -> Vec<(AttachmentId, Vec<u8>)> {
    attachments.iter().filter_map(|listed| files.iter().find(|(id, _)| *id == listed.id).cloned()).collect()
}
