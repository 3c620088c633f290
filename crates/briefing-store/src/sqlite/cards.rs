//! Cards: settled once.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::log::{Body, Entry, Notice, Settled};
use briefing::message::{EntryId, ThreadId};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};

use super::append::Log;
use super::back::{self, Member, Spot, Walk};
use super::ids::{OwnerKey, entry_id, thread_id};
use super::threads::limit;
use super::time::{micros, timestamp};
use super::{bodies, forks, rows, threads};
use crate::{StoreError, WaitingCard};

/// Settles a card; in the person's language of now, or else the card's.
pub(super) fn settle(
    log: &mut Log<'_>,
    card: EntryId,
    settled: Settled,
    language: Option<&str>,
    now: Timestamp,
) -> Result<EntryId, StoreError> {
    let open = find_open(log, card)?;
    match (settled, open.claimed) {
        // It is being done.
        (Settled::Cancelled | Settled::Expired, Some(at)) => {
            return Err(StoreError::CardClaimed { card, at: timestamp(at) });
        }
        (Settled::Cancelled | Settled::Expired, None)
        | (Settled::Done | Settled::DataChanged | Settled::Failed | Settled::Lost, _) => {}
    }
    let notice = log.notice(open.thread, open.key, settled, language, micros(now).max(open.at))?;
    log.tx.prepare_cached("UPDATE cards SET notice = ?2 WHERE entry = ?1")?.execute((open.key, notice))?;
    log.tx.prepare_cached("UPDATE members SET kind = ?2 WHERE entry = ?1")?.execute((open.key, rows::CARD))?;
    Ok(entry_id(notice))
}

/// A card that is not settled.
struct Open {
    key: i64,
    thread: i64,
    at: i64,
    claimed: Option<i64>,
}

fn find_open(log: &Log<'_>, card: EntryId) -> Result<Open, StoreError> {
    let unknown = StoreError::UnknownEntry { entry: card };
    let Some(key) = log.owner.entry(card) else { return Err(unknown) };
    let found = log
        .tx
        .prepare_cached(
            "SELECT members.thread, members.at, cards.claimed, members.kind FROM members LEFT JOIN cards USING (entry)
             WHERE members.entry = ?1",
        )?
        .query_one([key], |row| {
            let open = Open { key, thread: row.get(0)?, at: row.get(1)?, claimed: row.get(2)? };
            Ok((open, row.get::<_, i64>(3)?))
        })
        .optional()?;
    match found {
        None => Err(unknown),
        Some((open, rows::OPEN_CARD)) => Ok(open),
        Some((_, rows::CARD)) => {
            let settled = settled_as(log.tx, key)?.ok_or_else(|| rows::damaged(key, "the notice"))?;
            Err(StoreError::Settled { card, settled })
        }
        Some(_) => Err(StoreError::NotACard { entry: card }),
    }
}

/// Whether what is to be claimed was claimed, or lapsed.
pub(super) enum Claim {
    Claimed,
    Lapsed,
}

/// Claims a card; one that has lapsed is settled.
pub(super) fn claim(log: &mut Log<'_>, card: EntryId, now: Timestamp) -> Result<Claim, StoreError> {
    let open = find_open(log, card)?;
    if let Some(at) = open.claimed {
        return Err(StoreError::CardClaimed { card, at: timestamp(at) });
    }
    let entry = bodies::entry(log.tx, open.key)?;
    if entry.is_some_and(|entry| has_lapsed(&entry, now)) {
        settle(log, card, Settled::Expired, None, now)?;
        return Ok(Claim::Lapsed);
    }
    log.tx.prepare_cached("UPDATE cards SET claimed = ?2 WHERE entry = ?1")?.execute((open.key, micros(now)))?;
    Ok(Claim::Claimed)
}

fn has_lapsed(entry: &Entry, now: Timestamp) -> bool {
    match &entry.body {
        Body::Card(card) => card.expires.is_some_and(|expires| expires <= now),
        _ => false,
    }
}

/// Cards of all threads of an owner that are not settled, the one that was appended last first.
pub(super) fn waiting(connection: &Connection, owner: OwnerKey, count: usize) -> Result<Vec<WaitingCard>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT members.at, cards.entry, members.kind, members.thread, cards.claimed FROM cards CROSS JOIN members USING (entry)
         WHERE cards.notice IS NULL AND cards.entry BETWEEN ?1 AND ?2 ORDER BY cards.entry DESC LIMIT ?3",
    )?;
    let found = statement.query_map((owner.first(), owner.last(), limit(count)), |row| {
        let member = Member { at: row.get(0)?, entry: row.get(1)?, kind: row.get(2)? };
        Ok((member, (row.get(3)?, row.get::<_, Option<i64>>(4)?)))
    })?;
    let (members, rest): (Vec<_>, Vec<_>) = found.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let cards = bodies::of_members(connection, &members)?.into_iter().zip(rest);
    let waiting =
        cards.map(|(card, (thread, claimed))| WaitingCard { card, thread: thread_id(thread), claimed: claimed.map(timestamp) });
    Ok(waiting.collect())
}

/// Settles every card that the thread shows and that has lapsed and is not claimed; nothing in a thread that is not there.
pub(super) fn settle_lapsed(log: &mut Log<'_>, thread: ThreadId, now: Timestamp) -> Result<Vec<EntryId>, StoreError> {
    let Some(thread) = threads::find(log.tx, log.owner, thread)? else { return Ok(Vec::new()) };
    let open = open(log.tx, thread, None, usize::MAX)?;
    let mut notices = Vec::new();
    for card in open.iter().rev().filter(|entry| has_lapsed(entry, now)) {
        match settle(log, card.id, Settled::Expired, None, now) {
            Ok(notice) => notices.push(notice),
            Err(StoreError::CardClaimed { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(notices)
}

/// Settles every card that was claimed before that time and can be read.
pub(super) fn settle_lost(log: &mut Log<'_>, before: Timestamp, now: Timestamp) -> Result<Vec<EntryId>, StoreError> {
    let claimed: Vec<i64> = log
        .tx
        .prepare_cached(
            "SELECT entry FROM cards WHERE notice IS NULL AND claimed < ?3 AND entry BETWEEN ?1 AND ?2 ORDER BY entry",
        )?
        .query_map((log.owner.first(), log.owner.last(), micros(before)), |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut notices = Vec::new();
    for card in claimed {
        match settle(log, entry_id(card), Settled::Lost, None, now) {
            Ok(notice) => notices.push(notice),
            // It stays claimed, and keeps nobody from anything else.
            Err(StoreError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(notices)
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

/// The notices before `next` of those of the cards that are settled, in their order. One that cannot be read is left out.
pub(super) fn notices(
    connection: &Connection,
    owner: OwnerKey,
    next: i64,
    cards: &[EntryId],
) -> Result<Vec<Arc<Notice>>, StoreError> {
    let keys: Vec<i64> = cards.iter().filter_map(|card| owner.entry(*card)).collect();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let found = bodies::each(connection, bodies::NOTICES_OF_CARDS, &keys, bodies::notice)?;
    let found = found.into_iter().filter(|(notice, _)| *notice < next);
    let found: HashMap<EntryId, Arc<Notice>> = found.map(|(_, notice)| (notice.card, Arc::new(notice))).collect();
    Ok(cards.iter().filter_map(|card| found.get(card).cloned()).collect())
}
