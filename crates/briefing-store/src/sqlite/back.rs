//! Walks from the newest member of a thread back. What is not asked for is not visited: a range of an index for each kind, of tool
//! use and instructions for each agent too, and SQLite merges them as they are read.

use std::sync::Arc;

use briefing::log::{Entry, Kind, Kinds, Place};
use briefing::ports::Back;
use rusqlite::{Connection, ToSql};

use super::ids::OwnerKey;
use super::threads::limit;
use super::time::micros;
use super::{bodies, chat, forks, rows};
use crate::StoreError;

/// A place as it is kept: the time and the entry.
pub(super) type Spot = (i64, i64);

/// Before and behind everything.
const FIRST: Spot = (i64::MIN, i64::MIN);
const LAST: Spot = (i64::MAX, i64::MAX);

/// An entry at its place in a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) at: i64,
    pub(super) entry: i64,
    /// As members have it.
    pub(super) kind: i64,
}

impl Member {
    pub(super) fn spot(self) -> Spot {
        (self.at, self.entry)
    }
}

/// What a thread shows of a thread: of its own all, of one that it was forked off a beginning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub(super) thread: i64,
    /// What stands before that.
    pub(super) before: Spot,
    /// Of entries before that one.
    pub(super) next: i64,
}

impl Reach {
    pub(super) fn all_of(thread: i64) -> Self {
        Self { thread, before: LAST, next: i64::MAX }
    }
}

/// What is looked for.
pub(super) struct Walk {
    ranges: Vec<Range>,
    agent: String,
    pub(super) before: Spot,
    pub(super) after: Spot,
    pub(super) count: usize,
}

/// A range of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Range {
    /// Every member.
    All,
    /// The members of a kind.
    Kind(i64),
    /// Those of them that are nobody's, or the agent's.
    Nobodys(i64),
    Agents(i64),
}

impl Walk {
    /// Over members of those kinds.
    pub(super) fn over(kinds: &[i64], count: usize) -> Self {
        Self {
            ranges: kinds.iter().copied().map(Range::Kind).collect(),
            agent: String::new(),
            before: LAST,
            after: FIRST,
            count,
        }
    }

    fn new(owner: OwnerKey, back: &Back<'_>) -> Self {
        Self {
            ranges: ranges(back.kinds, back.agent),
            agent: back.agent.map_or_else(String::new, chat::whose),
            before: back.before.map_or(LAST, |place| spot(owner, place)),
            after: back.after.map_or(FIRST, |place| spot(owner, place)),
            count: back.count,
        }
    }

    /// The same over messages of every kind and agent, if some are asked for: what their versions of then were is seen only when they
    /// are read.
    pub(super) fn of_any_version(owner: OwnerKey, back: &Back<'_>) -> Self {
        let mut ranges = ranges(back.kinds, None);
        if ranges.iter().any(|range| matches!(range, Range::Kind(code) if is_message(*code))) {
            ranges.retain(|range| !matches!(range, Range::Kind(code) if is_message(*code)));
            ranges.extend([rows::MESSAGE, rows::TOOL_USE, rows::SYSTEM].map(Range::Kind));
        }
        Self { ranges, agent: String::new(), ..Self::new(owner, back) }
    }

    /// The query, the same for the same ranges.
    fn sql(&self) -> String {
        let terms: Vec<String> = self.ranges.iter().map(|range| range.sql()).collect();
        format!("{} ORDER BY at DESC, entry DESC LIMIT ?7", terms.join(" UNION ALL "))
    }

    fn names_agent(&self) -> bool {
        self.ranges.iter().any(|range| matches!(range, Range::Agents(_)))
    }
}

impl Range {
    fn sql(self) -> String {
        // A kind is written out: only then SQLite sees that the index of agents has it.
        let of = match self {
            Self::All => String::new(),
            Self::Kind(kind) => format!("AND kind = {kind}"),
            Self::Nobodys(kind) => format!("AND kind = {kind} AND agent = ''"),
            Self::Agents(kind) => format!("AND kind = {kind} AND agent = ?8"),
        };
        format!(
            "SELECT at, entry, kind FROM members
             WHERE thread = ?1 {of} AND (at, entry) < (?2, ?3) AND (at, entry) > (?4, ?5) AND entry < ?6"
        )
    }
}

/// Whether a member is a message: what kind of it, and whose, its newest version says.
pub(super) fn is_message(code: i64) -> bool {
    matches!(code, rows::MESSAGE | rows::TOOL_USE | rows::SYSTEM)
}

fn ranges(kinds: Kinds, agent: Option<&str>) -> Vec<Range> {
    if agent.is_none() && Kind::ALL.into_iter().all(|kind| kinds.contains(kind) || rows::codes(kind).is_empty()) {
        return vec![Range::All];
    }
    let mut ranges = Vec::new();
    for code in kinds.iter().flat_map(rows::codes).copied() {
        match (code, agent) {
            (rows::TOOL_USE | rows::SYSTEM, Some(_)) => ranges.extend([Range::Nobodys(code), Range::Agents(code)]),
            _ => ranges.push(Range::Kind(code)),
        }
    }
    ranges
}

/// A place as it is kept.
pub(super) fn spot(owner: OwnerKey, place: Place) -> Spot {
    (micros(place.at), owner.entry(place.entry).unwrap_or(i64::MAX))
}

/// Entries of a thread, newest first.
pub(super) fn read(
    connection: &Connection,
    owner: OwnerKey,
    thread: i64,
    back: &Back<'_>,
) -> Result<Vec<Arc<Entry>>, StoreError> {
    let walk = Walk::new(owner, back);
    let found = self::walk(connection, &forks::reach(connection, thread)?, &walk)?;
    bodies::of_members(connection, &found)
}

/// Members that the thread shows, newest first.
pub(super) fn walk(connection: &Connection, reach: &[Reach], walk: &Walk) -> Result<Vec<Member>, StoreError> {
    let mut found: Vec<Member> = Vec::new();
    if walk.ranges.is_empty() || walk.count == 0 {
        return Ok(found);
    }
    let sql = walk.sql();
    for reach in reach {
        let before = walk.before.min(reach.before);
        // What the next ones show stands further back.
        let full = found.len() >= walk.count && found.last().is_some_and(|last| last.spot() >= before);
        if full || before <= walk.after {
            break;
        }
        let merged = !found.is_empty();
        collect(connection, &sql, walk, reach, before, &mut found)?;
        if merged {
            found.sort_unstable_by_key(|member| std::cmp::Reverse(member.spot()));
            found.truncate(walk.count);
        }
    }
    Ok(found)
}

fn collect(
    connection: &Connection,
    sql: &str,
    walk: &Walk,
    reach: &Reach,
    before: Spot,
    found: &mut Vec<Member>,
) -> Result<(), StoreError> {
    let count = limit(walk.count);
    let mut values: Vec<&dyn ToSql> =
        vec![&reach.thread, &before.0, &before.1, &walk.after.0, &walk.after.1, &reach.next, &count];
    if walk.names_agent() {
        values.push(&walk.agent);
    }
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(values.as_slice())?;
    while let Some(row) = rows.next()? {
        found.push(Member { at: row.get(0)?, entry: row.get(1)?, kind: row.get(2)? });
    }
    Ok(())
}
