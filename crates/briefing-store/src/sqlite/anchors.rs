//! Where windows begin.

use briefing::message::{EntryId, RunId};
use rusqlite::{Connection, OptionalExtension};

use super::append::Log;
use super::ids::{OwnerKey, entry_id};
use super::{runs, threads};
use crate::{AnchorKey, StoreError};

/// The anchor, or if it was erased the next entry behind it.
pub(super) fn find(connection: &Connection, owner: OwnerKey, key: &AnchorKey) -> Result<Option<EntryId>, StoreError> {
    let Some(thread) = threads::find(connection, owner, key.thread)? else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT members.entry FROM anchors JOIN members USING (thread)
         WHERE anchors.thread = ?1 AND anchors.persona = ?2 AND anchors.view = ?3 AND anchors.model = ?4
           AND members.kind > 0 AND (members.at, members.entry) >= (anchors.at, anchors.entry)
         ORDER BY members.at, members.entry LIMIT 1",
    )?;
    let found =
        statement.query_one((thread, key.persona.to_ascii_lowercase(), &key.view, &key.model), |row| row.get(0)).optional()?;
    Ok(found.map(entry_id))
}

/// Moves an anchor forward.
pub(super) fn advance(log: &Log<'_>, run: &RunId, key: &AnchorKey, entry: EntryId) -> Result<(), StoreError> {
    let run = runs::resolve(log.tx, log.owner, run)?.key;
    let thread = threads::resolve(log.tx, log.owner, key.thread)?;
    let unknown = StoreError::UnknownEntry { entry };
    let Some(entry) = log.owner.entry(entry) else { return Err(unknown) };
    let at: Option<i64> = log
        .tx
        .prepare_cached("SELECT at FROM members WHERE entry = ?1 AND thread = ?2")?
        .query_one((entry, thread), |row| row.get(0))
        .optional()?;
    let Some(at) = at else { return Err(unknown) };
    log.tx
        .prepare_cached(
            "INSERT INTO anchors (thread, persona, view, model, at, entry, run) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET at = excluded.at, entry = excluded.entry, run = excluded.run
             WHERE (excluded.at, excluded.entry) > (at, entry)",
        )?
        .execute((thread, key.persona.to_ascii_lowercase(), &key.view, &key.model, at, entry, run))?;
    Ok(())
}
