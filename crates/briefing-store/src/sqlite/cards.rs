//! Cards: settled once.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::log::{Body, Entry, Notice, Settled};
use briefing::message::{EntryId, ThreadId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::append::Log;
use super::back::{self, Member, Spot, Walk};
use super::ids::{OwnerKey, entry_id};
use super::time::micros;
use super::{bodies, forks, rows, threads};
use crate::StoreError;

/// Settles a card; in the person's language of now, or else the card's.
pub(super) fn settle(
    log: &mut Log<'_>,
    card: EntryId,
    settled: Settled,
    language: Option<&str>,
    now: Timestamp,
) -> Result<EntryId, StoreError> {
    let unknown = StoreError::UnknownEntry { entry: card };
    let Some(key) = log.owner.entry(card) else { return Err(unknown) };
    let found = log
        .tx
        .prepare_cached("SELECT thread, at, kind FROM members WHERE entry = ?1")?
        .query_one([key], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
        .optional()?;
    let (thread, at) = match found {
        None => return Err(unknown),
        Some((thread, at, rows::OPEN_CARD)) => (thread, at),
        Some((_, _, rows::CARD)) => {
            let settled = settled_as(log.tx, key)?.ok_or_else(|| rows::damaged(key, "the notice"))?;
            return Err(StoreError::Settled { card, settled });
        }
        Some(_) => return Err(StoreError::NotACard { entry: card }),
    };
    let notice = log.notice(thread, key, settled, language, micros(now).max(at))?;
    log.tx.prepare_cached("UPDATE cards SET notice = ?2 WHERE entry = ?1")?.execute((key, notice))?;
    log.tx.prepare_cached("UPDATE members SET kind = ?2 WHERE entry = ?1")?.execute((key, rows::CARD))?;
    Ok(entry_id(notice))
}

/// Settles every card that the thread shows and that has lapsed; nothing in a thread that is not there.
pub(super) fn settle_lapsed(log: &mut Log<'_>, thread: ThreadId, now: Timestamp) -> Result<Vec<EntryId>, StoreError> {
    let Some(thread) = threads::find(log.tx, log.owner, thread)? else { return Ok(Vec::new()) };
    let open = open(log.tx, thread, None, usize::MAX)?;
    let lapsed = open.iter().rev().filter(|entry| match &entry.body {
        Body::Card(card) => card.expires.is_some_and(|expires| expires <= now),
        _ => false,
    });
    lapsed.map(|card| settle(log, card.id, Settled::Expired, None, now)).collect()
}

/// How a card was settled, if it was.
pub(super) fn settled_as(connection: &Connection, card: i64) -> Result<Option<Settled>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT settled FROM cards JOIN notices ON notices.entry = cards.notice WHERE cards.entry = ?1")?;
    let name: Option<String> = statement.query_one([card], |row| row.get(0)).optional()?;
    name.map(|name| rows::settled(&name).ok_or_else(|| rows::damaged(card, "the notice"))).transpose()
}

/// Cards that the thread shows and that are not settled, newest first.
pub(super) fn open(
    connection: &Connection,
    thread: i64,
    before: Option<Spot>,
    count: usize,
) -> Result<Vec<Arc<Entry>>, StoreError> {
    let mut walk = Walk::over(&[rows::OPEN_CARD], count);
    walk.before = before.unwrap_or(walk.before);
    let found: Vec<Member> = back::walk(connection, &forks::reach(connection, thread)?, &walk)?;
    bodies::of_members(connection, &found)
}

/// The notices of those of the cards that are settled, in their order. One that cannot be read is left out.
pub(super) fn notices(connection: &Connection, owner: OwnerKey, cards: &[EntryId]) -> Result<Vec<Arc<Notice>>, StoreError> {
    let keys: Vec<i64> = cards.iter().filter_map(|card| owner.entry(*card)).collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let found = bodies::each(connection, bodies::NOTICES_OF_CARDS, &keys, bodies::notice)?;
    let found: HashMap<EntryId, Arc<Notice>> = found.into_iter().map(|(_, notice)| (notice.card, Arc::new(notice))).collect();
    Ok(cards.iter().filter_map(|card| found.get(card).cloned()).collect())
}
