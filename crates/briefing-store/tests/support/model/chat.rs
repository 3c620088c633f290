//! Cards and how they end, and what is popped.

use std::sync::Arc;

use briefing::log::{Body, Card, Entry, Kind, Notice, Place, Settled};
use briefing::message::{EntryId, ThreadId};
use briefing_store::StoreError;
use jiff::Timestamp;

use super::log::{Log, Row, cut};

impl Log {
    pub(super) fn settle(
        &mut self,
        card: EntryId,
        settled: Settled,
        language: Option<&str>,
        now: Timestamp,
    ) -> Result<EntryId, StoreError> {
        let row = self.row(card).ok_or(StoreError::UnknownEntry { entry: card })?;
        let Card { action, language: own, .. } = row.card().ok_or(StoreError::NotACard { entry: card })?;
        if let Some(before) = self.notice_of(card) {
            return Err(StoreError::Settled { card, settled: before.settled });
        }
        if let (Settled::Cancelled | Settled::Expired, Some(at)) = (settled, row.claimed) {
            return Err(StoreError::CardClaimed { card, at });
        }
        let (action, language) = (action.as_str().into(), language.unwrap_or(own).into());
        let (at, thread) = (row.entry.at.max(cut(now)), row.thread);
        let notice = Notice { card, settled, action, language };
        Ok(self.push(at, Body::Notice(Arc::new(notice)), thread).entry.id)
    }

    pub(super) fn settle_lapsed(&mut self, thread: ThreadId, now: Timestamp) -> Result<Vec<EntryId>, StoreError> {
        let mut open = self.open_cards(thread, None, usize::MAX);
        open.reverse();
        open.retain(|entry| self.row(entry.id).is_some_and(|row| row.claimed.is_none()));
        let lapsed = open.iter().filter(|entry| match &entry.body {
            Body::Card(card) => card.expires.is_some_and(|expires| expires <= cut(now)),
            _ => false,
        });
        lapsed.map(|card| self.settle(card.id, Settled::Expired, None, now)).collect()
    }

    pub(super) fn settle_lost(&mut self, before: Timestamp, now: Timestamp) -> Result<Vec<EntryId>, StoreError> {
        let is_old = |row: &&Row| row.claimed.is_some_and(|claimed| claimed < cut(before)) && !row.erased();
        let claimed: Vec<EntryId> = self.rows.iter().filter(is_old).map(|row| row.entry.id).collect();
        let open: Vec<EntryId> = claimed.into_iter().filter(|card| self.notice_of(*card).is_none()).collect();
        open.into_iter().map(|card| self.settle(card, Settled::Lost, None, now)).collect()
    }

    fn notice_of(&self, card: EntryId) -> Option<&Arc<Notice>> {
        self.rows.iter().filter_map(Row::notice).find(|notice| notice.card == card)
    }

    pub(super) fn notices(&self, cards: &[EntryId]) -> Vec<Arc<Notice>> {
        cards.iter().filter_map(|card| self.notice_of(*card)).cloned().collect()
    }

    pub(super) fn open_cards(&self, thread: ThreadId, before: Option<Place>, count: usize) -> Vec<Arc<Entry>> {
        let Some(thread) = self.resolve(thread) else { return Vec::new() };
        let cards = self.reads(thread).into_iter().rev().filter(|row| row.card().is_some());
        let open = cards.filter(|row| self.notice_of(row.entry.id).is_none());
        let open = open.filter(|row| before.is_none_or(|before| row.place() < before));
        open.take(count).map(|row| Arc::clone(&row.entry)).collect()
    }

    pub(super) fn pop(&mut self, thread: ThreadId, now: Timestamp) -> Result<Option<Arc<Entry>>, StoreError> {
        let thread = self.known(thread)?;
        let takes = |row: &&Row| self.is(row, &[Kind::Message, Kind::ToolUse, Kind::System, Kind::Reset]);
        let newest = self.members(thread).filter(takes).max_by_key(|row| row.place());
        let Some(entry) = newest.map(|row| self.now(row)) else { return Ok(None) };
        let row = self.rows.iter_mut().find(|row| row.entry.id == entry.id).unwrap();
        row.popped = Some(cut(now));
        Ok(Some(entry))
    }
}
