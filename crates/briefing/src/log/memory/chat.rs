//! Chats in the log in memory: messages, resets, cards, edits, what is popped.

use std::sync::Arc;

use jiff::Timestamp;

use crate::log::{Arrival, Body, Card, Edit, Entry, Kind, LogError, Message, Notice, OwnerLog, Popped, Reset, Settled};
use crate::message::{EntryId, ThreadId};

impl OwnerLog {
    /// Appends a message to a thread. Its time is its arrival, or, imported, the place where it stood in the import.
    ///
    /// # Errors
    /// [`LogError::UnknownThread`].
    pub fn append_message(&self, thread: ThreadId, message: Message, arrival: Arrival) -> Result<Arc<Entry>, LogError> {
        self.append(thread, Body::Message(Arc::new(Message { edited: None, ..message })), arrival)
    }

    /// Appends a reset to a thread. It stands behind everything there, even if a clock has jumped back.
    ///
    /// # Errors
    /// [`LogError::UnknownThread`].
    pub fn append_reset(&self, thread: ThreadId, reset: Reset, arrival: Arrival) -> Result<Arc<Entry>, LogError> {
        self.append(thread, Body::Reset(Arc::new(reset)), arrival)
    }

    /// Appends a card to a thread.
    ///
    /// # Errors
    /// [`LogError::UnknownThread`].
    pub fn append_card(&self, thread: ThreadId, card: Card, arrival: Arrival) -> Result<Arc<Entry>, LogError> {
        self.append(thread, Body::Card(Arc::new(card)), arrival)
    }

    fn append(&self, thread: ThreadId, body: Body, arrival: Arrival) -> Result<Arc<Entry>, LogError> {
        let mut state = self.write();
        let newest = state.thread(thread)?.shelves.newest(&Kind::ALL).map_or(Timestamp::MIN, |entry| entry.at);
        let own = match arrival {
            Arrival::Live(now) => now,
            Arrival::Imported(now) => state.entries.last().map_or(Timestamp::MIN, |entry| entry.at).min(now),
        };
        // A clock that jumps back undoes no reset.
        let at = if matches!(body, Body::Reset(_)) { own.max(newest) } else { own };
        let entry = state.push(at, body);
        state.thread_of.insert(entry.id, thread);
        state.thread(thread)?.shelves.put(&entry);
        Ok(entry)
    }

    /// Settles a card, once: its notice is appended to the card's thread.
    ///
    /// # Errors
    /// [`LogError::UnknownEntry`], [`LogError::NotACard`], [`LogError::Settled`].
    pub fn settle(&self, card: EntryId, settled: Settled, now: Timestamp) -> Result<Arc<Entry>, LogError> {
        let mut state = self.write();
        let entry = state.entry(card).cloned().ok_or(LogError::UnknownEntry { entry: card })?;
        let Body::Card(body) = &entry.body else { return Err(LogError::NotACard { entry: card }) };
        if state.notices.contains_key(&card) {
            return Err(LogError::Settled { card });
        }
        let thread = state.thread_of.get(&card).copied().ok_or(LogError::UnknownEntry { entry: card })?;
        let (action, language) = (body.action.as_str().into(), body.language.as_str().into());
        let notice = Arc::new(Notice { card, settled, action, language });
        let told = state.push(now.max(entry.at), Body::Notice(Arc::clone(&notice)));
        state.notices.insert(card, notice);
        state.thread_of.insert(told.id, thread);
        let shelves = &mut state.thread(thread)?.shelves;
        shelves.open.remove(&entry.place());
        shelves.put(&told);
        Ok(told)
    }

    /// Gives a message a new version, which stands at its place from now on.
    ///
    /// # Errors
    /// [`LogError::UnknownEntry`], [`LogError::NotAMessage`].
    pub fn edit(&self, of: EntryId, message: Message, now: Timestamp) -> Result<Arc<Entry>, LogError> {
        let mut state = self.write();
        let old = state.entry(of).cloned().ok_or(LogError::UnknownEntry { entry: of })?;
        let thread = state.thread_of.get(&of).copied().filter(|_| matches!(old.body, Body::Message(_)));
        let thread = thread.ok_or(LogError::NotAMessage { entry: of })?;
        let message = Message { edited: None, ..message };
        let edit = state.push(now.max(old.at), Body::Edit(Arc::new(Edit { of, message: message.clone() })));
        let new = Message { edited: Some(edit.id), ..message };
        let new = Arc::new(Entry { id: of, at: old.at, body: Body::Message(Arc::new(new)) });
        state.thread_of.insert(edit.id, thread);
        state.now.insert(of, Arc::clone(&new));
        let shelves = &mut state.thread(thread)?.shelves;
        shelves.take(&old);
        shelves.put(&new);
        shelves.put(&edit);
        Ok(edit)
    }

    /// Takes the newest message or reset off a thread, whoever wrote it, and gives it back; a tombstone stays.
    ///
    /// # Errors
    /// [`LogError::UnknownThread`].
    pub fn pop(&self, thread: ThreadId, now: Timestamp) -> Result<Option<Arc<Entry>>, LogError> {
        let mut state = self.write();
        let shelves = &mut state.thread(thread)?.shelves;
        let newest = shelves.newest(&[Kind::Message, Kind::ToolUse, Kind::System, Kind::Reset]).cloned();
        let Some(entry) = newest else { return Ok(None) };
        shelves.take(&entry);
        let popped = Popped { at: now, hash: None, body: Box::new(entry.body.clone()) };
        let tombstone = Arc::new(Entry { id: entry.id, at: entry.at, body: Body::Popped(popped) });
        shelves.put(&tombstone);
        state.now.insert(entry.id, tombstone);
        Ok(Some(entry))
    }
}
