//! Reading as of a moment: what was appended later is not there.

use std::sync::Arc;

use briefing::log::{Body, Entry, Kind, RecordedRound};
use briefing::message::EntryId;
use briefing::ports::Back;
use rusqlite::Connection;

use super::back::{self, Member, Reach, Spot, Walk};
use super::ids::OwnerKey;
use super::threads::limit;
use super::{bodies, forks, rows, runs};
use crate::{Moment, StoreError};

/// How many members are read at once, at least: some of them may not be asked for.
const MEMBERS: usize = 64;

/// What is there of an owner as of a moment: entries before that one.
pub(super) fn next(owner: OwnerKey, moment: Moment) -> i64 {
    match moment {
        Moment::Now => i64::MAX,
        Moment::Before(entry) => owner.entry(entry).unwrap_or(i64::MAX),
    }
}

/// What a thread showed then.
fn reach(connection: &Connection, thread: i64, next: i64) -> Result<Vec<Reach>, StoreError> {
    let reach = forks::reach(connection, thread)?.into_iter();
    Ok(reach.map(|reach| Reach { next: reach.next.min(next), ..reach }).collect())
}

/// Entries of a thread, newest first.
pub(super) fn back(
    connection: &Connection,
    owner: OwnerKey,
    next: i64,
    thread: i64,
    back: &Back<'_>,
) -> Result<Vec<Arc<Entry>>, StoreError> {
    let reach = reach(connection, thread, next)?;
    let mut walk = Walk::of_any_version(owner, back);
    walk.count = back.count.max(MEMBERS);
    let mut found: Vec<Arc<Entry>> = Vec::new();
    while found.len() < back.count {
        let members = back::walk(connection, &reach, &walk)?;
        let mut entries = bodies::of_members(connection, &members)?;
        bodies::as_of(connection, owner, next, &mut entries)?;
        let asked = members.iter().zip(entries).filter(|(member, entry)| is_asked(**member, entry, back));
        found.extend(asked.map(|(_, entry)| entry));
        match members.last() {
            Some(last) if members.len() >= walk.count => walk.before = last.spot(),
            _ => break,
        }
    }
    found.truncate(back.count);
    Ok(found)
}

/// Whether a message of then is one that is asked for. Of anything else nothing has changed.
fn is_asked(member: Member, entry: &Entry, back: &Back<'_>) -> bool {
    if !back::is_message(member.kind) {
        return true;
    }
    let Body::Message(message) = &entry.body else {
        return rows::kind(member.kind).is_some_and(|kind| back.kinds.contains(kind));
    };
    let kind = message.kind();
    let of_agents = matches!(kind, Kind::ToolUse | Kind::System);
    let is_of = |agent: &str| message.agent.as_deref().is_none_or(|whose| whose == agent);
    back.kinds.contains(kind) && (!of_agents || back.agent.is_none_or(is_of))
}

/// Cards that the thread showed and that were not settled, newest first.
pub(super) fn open_cards(
    connection: &Connection,
    next: i64,
    thread: i64,
    before: Option<Spot>,
    count: usize,
) -> Result<Vec<Arc<Entry>>, StoreError> {
    // Each is a range of the index of kinds, and SQLite merges them.
    let mut statement = connection.prepare_cached(&format!(
        "SELECT at, entry, kind FROM members
         WHERE thread = ?1 AND kind = {} AND (at, entry) < (?2, ?3) AND entry < ?4
         UNION ALL
         SELECT members.at, members.entry, members.kind FROM members CROSS JOIN cards USING (entry)
         WHERE members.thread = ?1 AND members.kind = {} AND (members.at, members.entry) < (?2, ?3) AND members.entry < ?4
           AND cards.notice >= ?6
         ORDER BY at DESC, entry DESC LIMIT ?5",
        rows::OPEN_CARD,
        rows::CARD
    ))?;
    let mut found: Vec<Member> = Vec::new();
    for reach in reach(connection, thread, next)? {
        let until = before.map_or(reach.before, |before| before.min(reach.before));
        let cards = statement.query_map((reach.thread, until.0, until.1, reach.next, limit(count), next), |row| {
            Ok(Member { at: row.get(0)?, entry: row.get(1)?, kind: row.get(2)? })
        })?;
        for card in cards {
            found.push(card?);
        }
    }
    found.sort_unstable_by_key(|member| std::cmp::Reverse(member.spot()));
    found.truncate(count);
    bodies::of_members(connection, &found)
}

/// An entry as it was.
pub(super) fn entry(
    connection: &Connection,
    owner: OwnerKey,
    next: i64,
    entry: EntryId,
) -> Result<Option<Arc<Entry>>, StoreError> {
    let Some(key) = owner.entry(entry).filter(|key| *key < next) else { return Ok(None) };
    let mut found: Vec<Arc<Entry>> = bodies::entry(connection, key)?.into_iter().collect();
    bodies::as_of(connection, owner, next, &mut found)?;
    Ok(found.pop())
}

/// The rounds beside those entries, with the outcomes of then.
pub(super) fn rounds(
    connection: &Connection,
    owner: OwnerKey,
    next: i64,
    persona: &str,
    entries: &[EntryId],
) -> Result<Vec<RecordedRound>, StoreError> {
    let was = |entry: EntryId| owner.entry(entry).is_some_and(|key| key < next);
    let entries: Vec<EntryId> = entries.iter().copied().filter(|entry| was(*entry)).collect();
    let mut rounds = runs::beside(connection, owner, persona, &entries)?;
    rounds.retain(|round| was(round.entry));
    for round in &mut rounds {
        round.outcomes.retain(|outcome| was(outcome.entry));
    }
    Ok(rounds)
}
