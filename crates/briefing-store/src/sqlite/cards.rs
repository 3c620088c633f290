//! Cards: settled once.

use std::sync::Arc;

use briefing::log::{Entry, Notice, Settled};
use briefing::message::EntryId;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::append::Log;
use super::ids::entry_id;
use super::rows;
use super::time::micros;
use crate::StoreError;

pub(super) fn settle(log: &mut Log<'_>, card: EntryId, settled: Settled, now: Timestamp) -> Result<EntryId, StoreError> {
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
    let notice = log.notice(thread, key, Notice { card, settled }, micros(now).max(at))?;
    log.tx.prepare_cached("UPDATE cards SET notice = ?2 WHERE entry = ?1")?.execute((key, notice))?;
    log.tx.prepare_cached("UPDATE members SET kind = ?2 WHERE entry = ?1")?.execute((key, rows::CARD))?;
    Ok(entry_id(notice))
}

/// How a card was settled, if it was.
pub(super) fn settled_as(connection: &Connection, card: i64) -> Result<Option<Settled>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT settled FROM cards JOIN notices ON notices.entry = cards.notice WHERE cards.entry = ?1")?;
    let name: Option<String> = statement.query_one([card], |row| row.get(0)).optional()?;
    name.map(|name| rows::settled(&name).ok_or_else(|| rows::damaged(card, "the notice"))).transpose()
}

/// The cards of a thread that are not settled.
pub(super) fn open(connection: &Connection, thread: i64) -> Result<Vec<Arc<Entry>>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT entry FROM members WHERE thread = ?1 AND kind = ?2 ORDER BY at, entry")?;
    let keys = statement.query_map((thread, rows::OPEN_CARD), |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    keys.into_iter().filter_map(|key| rows::entry(connection, key).transpose()).collect()
}
