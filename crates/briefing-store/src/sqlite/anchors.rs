//! Where windows begin.

use briefing::message::EntryId;
use rusqlite::{Connection, OptionalExtension};

use super::append::Log;
use super::back::{Reach, Spot};
use super::ids::{OwnerKey, entry_id};
use super::{forks, leases, rows, threads};
use crate::{AnchorKey, StoreError, Writer};

/// The anchor, or if nothing is told of it any more (it was erased or popped, or is a card that was settled) the next entry behind it
/// that the thread shows and a view may tell.
pub(super) fn find(connection: &Connection, owner: OwnerKey, key: &AnchorKey) -> Result<Option<EntryId>, StoreError> {
    let Some(thread) = threads::find(connection, owner, key.thread)? else { return Ok(None) };
    let mut statement = connection
        .prepare_cached("SELECT at, entry FROM anchors WHERE thread = ?1 AND persona = ?2 AND view = ?3 AND model = ?4")?;
    let anchor = statement
        .query_one((thread, key.persona.to_ascii_lowercase(), &key.view, &key.model), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((at, entry)): Option<Spot> = anchor else { return Ok(None) };
    let told = [rows::MAIL, rows::ROUND, rows::OUTCOME, rows::MESSAGE, rows::TOOL_USE, rows::NOTICE, rows::OPEN_CARD];
    let told = told.map(|kind| kind.to_string()).join(", ");
    let mut next = connection.prepare_cached(&format!(
        "SELECT at, entry FROM members WHERE thread = ?1 AND (at, entry) >= (?2, ?3) AND (at, entry) < (?4, ?5) AND entry < ?6
           AND kind IN ({told}) ORDER BY at, entry LIMIT 1"
    ))?;
    let mut found: Option<Spot> = None;
    for Reach { thread, before, next: until } in forks::reach(connection, thread)? {
        let one = next.query_one((thread, at, entry, before.0, before.1, until), |row| Ok((row.get(0)?, row.get(1)?)));
        found = found.into_iter().chain(one.optional()?).min();
    }
    Ok(found.map(|(_, entry)| entry_id(entry)))
}

/// Moves an anchor forward.
pub(super) fn advance(log: &Log<'_>, writer: &Writer, key: &AnchorKey, entry: EntryId) -> Result<(), StoreError> {
    let run = leases::admitted(log, writer)?;
    let thread = threads::resolve(log.tx, log.owner, key.thread)?;
    let reach = forks::reach(log.tx, thread)?;
    let spot = log.owner.entry(entry).map_or(Ok(None), |entry| forks::shown(log.tx, &reach, entry))?;
    let Some((at, entry)) = spot else { return Err(StoreError::UnknownEntry { entry }) };
    let moved = log
        .tx
        .prepare_cached(
            "INSERT INTO anchors (thread, persona, view, model, at, entry, run) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET at = excluded.at, entry = excluded.entry, run = excluded.run
             WHERE (excluded.at, excluded.entry) > (at, entry)",
        )?
        .execute((thread, key.persona.to_ascii_lowercase(), &key.view, &key.model, at, entry, run.key))?;
    // What changes nothing may be done once more.
    if moved == 0 { Ok(()) } else { run.is_open(&writer.run) }
}
