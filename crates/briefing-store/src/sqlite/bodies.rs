//! What entries hold, read in bulk: a fixed number of queries for each kind. What cannot be read stands at its place as that.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::log::{Body, Edit, Entry, Erased, Message, Notice, Popped, Reset};
use briefing::message::EntryId;
use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value;

use super::back::Member;
use super::ids::{OwnerKey, entry_id};
use super::time::timestamp;
use super::{chat, rows};
use crate::StoreError;

/// What is read, by entry.
type Bodies = HashMap<i64, Body>;

/// An entry of which the body is still to be read.
pub(super) struct Spine {
    entry: i64,
    at: i64,
    /// As entries have it.
    kind: i64,
    /// What became of it.
    fate: Fate,
}

enum Fate {
    Lives,
    Popped { at: i64, hash: [u8; 32] },
    Erased { at: i64, hash: [u8; 32] },
}

/// The columns of an entry, in the order that [`spine`] reads them.
pub(super) const SPINE: &str = "entry, at, kind, hash, erased, popped";

/// Reads an entry's own row.
pub(super) fn spine(row: &Row<'_>) -> Result<Spine, rusqlite::Error> {
    let fate = match (row.get(4)?, row.get(5)?) {
        (Some(at), _) => Fate::Erased { at, hash: row.get(3)? },
        (None, Some(at)) => Fate::Popped { at, hash: row.get(3)? },
        (None, None) => Fate::Lives,
    };
    Ok(Spine { entry: row.get(0)?, at: row.get(1)?, kind: row.get(2)?, fate })
}

/// One entry, whatever it holds.
pub(super) fn entry(connection: &Connection, key: i64) -> Result<Option<Arc<Entry>>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("SELECT {SPINE} FROM entries WHERE entry = ?1"))?;
    let Some(spine) = statement.query_one([key], spine).optional()? else { return Ok(None) };
    Ok(entries(connection, vec![spine])?.pop())
}

/// The entries of those members.
pub(super) fn of_members(connection: &Connection, members: &[Member]) -> Result<Vec<Arc<Entry>>, StoreError> {
    let gone = members.iter().filter(|member| matches!(member.kind, rows::ERASED | rows::POPPED));
    let gone: Vec<i64> = gone.map(|member| member.entry).collect();
    let mut tombstones = HashMap::new();
    if !gone.is_empty() {
        let sql = format!("SELECT {SPINE} FROM entries WHERE entry IN (SELECT value FROM json_each(?1))");
        let mut statement = connection.prepare_cached(&sql)?;
        for found in statement.query_map([rows::list(&gone)], spine)? {
            let found = found?;
            tombstones.insert(found.entry, found);
        }
    }
    let spines = members.iter().map(|member| {
        let lives = || Spine { entry: member.entry, at: member.at, kind: rows::of_entry(member.kind), fate: Fate::Lives };
        tombstones.remove(&member.entry).unwrap_or_else(lives)
    });
    entries(connection, spines.collect())
}

/// Entries with what they hold, in that order.
pub(super) fn entries(connection: &Connection, spines: Vec<Spine>) -> Result<Vec<Arc<Entry>>, StoreError> {
    let mut bodies = read(connection, &spines)?;
    let entries = spines.into_iter().map(|Spine { entry, at, fate, .. }| {
        let mut body = || bodies.remove(&entry).unwrap_or(Body::Unreadable);
        let body = match fate {
            Fate::Lives => body(),
            Fate::Popped { at, hash } => Body::Popped(Popped { at: timestamp(at), hash: Some(hash), body: Box::new(body()) }),
            Fate::Erased { at, hash } => Body::Erased(Erased { at: timestamp(at), hash }),
        };
        Arc::new(Entry { id: entry_id(entry), at: timestamp(at), body })
    });
    Ok(entries.collect())
}

/// What those entries hold that are not erased. What cannot be read is left out.
fn read(connection: &Connection, spines: &[Spine]) -> Result<Bodies, StoreError> {
    const KINDS: [i64; 8] =
        [rows::MAIL, rows::ROUND, rows::OUTCOME, rows::MESSAGE, rows::CARD, rows::NOTICE, rows::RESET, rows::EDIT];
    let mut bodies = Bodies::with_capacity(spines.len());
    for kind in KINDS {
        let of_it = spines.iter().filter(|spine| spine.kind == kind && !matches!(spine.fate, Fate::Erased { .. }));
        let keys: Vec<i64> = of_it.map(|spine| spine.entry).collect();
        if !keys.is_empty() {
            read_kind(connection, kind, &keys, &mut bodies)?;
        }
    }
    Ok(bodies)
}

/// One that lies where the database is damaged must not take the others with it.
fn read_kind(connection: &Connection, kind: i64, keys: &[i64], bodies: &mut Bodies) -> Result<(), StoreError> {
    match bulk(connection, kind, keys, bodies) {
        Err(StoreError::Corrupt { .. }) if keys.len() > 1 => {
            for key in keys {
                read_kind(connection, kind, std::slice::from_ref(key), bodies)?;
            }
            Ok(())
        }
        Err(StoreError::Corrupt { .. }) => Ok(()),
        read => read,
    }
}

fn bulk(connection: &Connection, kind: i64, keys: &[i64], bodies: &mut Bodies) -> Result<(), StoreError> {
    const CARD: &str = "SELECT entry, body FROM cards WHERE entry IN (SELECT value FROM json_each(?1))";
    const ROUND: &str = "SELECT entry, said FROM rounds WHERE entry IN (SELECT value FROM json_each(?1))";
    const OUTCOME: &str = "SELECT entry, body FROM outcomes WHERE entry IN (SELECT value FROM json_each(?1))";
    let read = match kind {
        rows::MAIL => mails(connection, keys)?,
        rows::MESSAGE => messages(connection, keys)?,
        rows::EDIT => edits(connection, keys)?,
        rows::ROUND => each(connection, ROUND, keys, |key, row| Ok(Body::Round(rows::said(key, text(row, 1)?)?)))?,
        rows::OUTCOME => each(connection, OUTCOME, keys, |key, row| Ok(Body::Outcome(rows::outcome(key, text(row, 1)?)?)))?,
        rows::CARD => each(connection, CARD, keys, |key, row| Ok(Body::Card(Arc::new(rows::card(key, text(row, 1)?)?))))?,
        rows::NOTICE => each(connection, NOTICES, keys, |key, row| Ok(Body::Notice(Arc::new(notice(key, row)?))))?,
        rows::RESET => each(connection, RESETS, keys, |key, row| Ok(Body::Reset(Arc::new(reset(key, row)?))))?,
        _ => Vec::new(),
    };
    bodies.extend(read);
    Ok(())
}

pub(super) fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str, StoreError> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}

/// Reads rows that begin with their entry. One that cannot be read is passed over.
pub(super) fn each<T>(
    connection: &Connection,
    sql: &str,
    keys: &[i64],
    mut one: impl FnMut(i64, &Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<(i64, T)>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([rows::list(keys)])?;
    let mut read = Vec::with_capacity(keys.len());
    while let Some(row) = rows.next()? {
        let key = row.get(0)?;
        match one(key, row) {
            Ok(found) => read.push((key, found)),
            Err(StoreError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

fn mails(connection: &Connection, keys: &[i64]) -> Result<Vec<(i64, Body)>, StoreError> {
    let sql = format!("SELECT {} FROM mails WHERE entry IN (SELECT value FROM json_each(?1))", rows::MAIL_COLUMNS);
    let read = each(connection, &sql, keys, |_, row| rows::mail(row))?;
    let with_files: Vec<i64> = read.iter().filter(|(_, (_, files))| *files > 0).map(|(key, _)| *key).collect();
    let mut files = rows::attachments(connection, &with_files)?;
    let mails = read.into_iter().map(|(key, (mut mail, _))| {
        mail.attachments = files.remove(&key).unwrap_or_default();
        (key, Body::Mail(Arc::new(mail)))
    });
    Ok(mails.collect())
}

/// Messages with what their newest versions say.
fn messages(connection: &Connection, keys: &[i64]) -> Result<Vec<(i64, Body)>, StoreError> {
    let sql = format!(
        "SELECT messages.entry, {}, messages.edit FROM messages
         JOIN messages AS version ON version.entry = coalesce(messages.edit, messages.entry)
         WHERE messages.entry IN (SELECT value FROM json_each(?1))",
        chat::COLUMNS
    );
    let versions = versions(connection, &sql, keys)?.into_iter();
    let messages = versions.map(|(key, edit, mut message)| {
        message.edited = edit.map(entry_id);
        (key, Body::Message(Arc::new(message)))
    });
    Ok(messages.collect())
}

/// The same entries as they were appended: of each edited message its first version.
pub(super) fn as_appended(
    connection: &Connection,
    entries: &mut [Arc<Entry>],
    key: impl Fn(&Entry) -> i64,
) -> Result<(), StoreError> {
    let edited: Vec<i64> = entries.iter().filter(|entry| edited(&entry.body).is_some()).map(|entry| key(entry)).collect();
    if edited.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "SELECT version.entry, {}, version.edit FROM messages AS version
         WHERE version.entry IN (SELECT value FROM json_each(?1))",
        chat::COLUMNS
    );
    let first: HashMap<i64, Message> = versions(connection, &sql, &edited)?
        .into_iter()
        .map(|(key, edit, message)| (key, Message { edited: edit.map(entry_id), ..message }))
        .collect();
    for entry in entries {
        let Some(message) = first.get(&key(entry)) else { continue };
        *entry = with_version(entry, Body::Message(Arc::new(message.clone())));
    }
    Ok(())
}

/// The same message with what another version of it says.
fn with_version(entry: &Entry, version: Body) -> Arc<Entry> {
    let body = match &entry.body {
        Body::Popped(popped) => Body::Popped(Popped { body: Box::new(version), ..popped.clone() }),
        _ => version,
    };
    Arc::new(Entry { id: entry.id, at: entry.at, body })
}

/// The same entries as they were before `next`: of each message that was edited later the version of then.
pub(super) fn as_of(connection: &Connection, owner: OwnerKey, next: i64, entries: &mut [Arc<Entry>]) -> Result<(), StoreError> {
    let key = |entry: EntryId| owner.entry(entry).unwrap_or_default();
    let later = |entry: &Entry| edited(&entry.body).is_some_and(|edit| key(edit) >= next);
    let mut then: HashMap<i64, i64> =
        entries.iter().filter(|entry| later(entry)).map(|entry| (key(entry.id), key(entry.id))).collect();
    if then.is_empty() {
        return Ok(());
    }
    let messages: Vec<i64> = then.keys().copied().collect();
    let mut statement = connection.prepare_cached(
        "SELECT message, max(entry) FROM edits WHERE message IN (SELECT value FROM json_each(?1)) AND entry < ?2 GROUP BY message",
    )?;
    for edit in statement.query_map((rows::list(&messages), next), |row| Ok((row.get(0)?, row.get(1)?)))? {
        let (message, version) = edit?;
        then.insert(message, version);
    }
    let sql = format!(
        "SELECT version.entry, {}, version.edit FROM messages AS version
         WHERE version.entry IN (SELECT value FROM json_each(?1))",
        chat::COLUMNS
    );
    let wanted: Vec<i64> = then.values().copied().collect();
    let versions: HashMap<i64, Message> =
        versions(connection, &sql, &wanted)?.into_iter().map(|(version, _, message)| (version, message)).collect();
    for entry in entries {
        let Some(version) = then.get(&key(entry.id)) else { continue };
        let edited = (*version != key(entry.id)).then(|| entry_id(*version));
        let message = versions.get(version).map(|message| Message { edited, ..message.clone() });
        *entry = with_version(entry, message.map_or(Body::Unreadable, |message| Body::Message(Arc::new(message))));
    }
    Ok(())
}

/// The edit of a message, popped or not.
fn edited(body: &Body) -> Option<EntryId> {
    match body {
        Body::Message(message) => message.edited,
        Body::Popped(popped) => edited(&popped.body),
        _ => None,
    }
}

fn edits(connection: &Connection, keys: &[i64]) -> Result<Vec<(i64, Body)>, StoreError> {
    let sql = format!(
        "SELECT edits.entry, {}, edits.message FROM edits JOIN messages AS version ON version.entry = edits.entry
         WHERE edits.entry IN (SELECT value FROM json_each(?1))",
        chat::COLUMNS
    );
    let versions = versions(connection, &sql, keys)?.into_iter();
    let edits = versions.filter_map(|(key, of, message)| Some((key, Edit { of: entry_id(of?), message })));
    Ok(edits.map(|(key, edit)| (key, Body::Edit(Arc::new(edit)))).collect())
}

/// Versions of messages, with their files and the number behind their columns.
fn versions(connection: &Connection, sql: &str, keys: &[i64]) -> Result<Vec<(i64, Option<i64>, Message)>, StoreError> {
    let read = each(connection, sql, keys, |_, row| {
        let (version, message, files) = chat::message(row, 1)?;
        Ok((version, message, files, row.get(1 + chat::COLUMN_COUNT)?))
    })?;
    let with_files: Vec<i64> =
        read.iter().filter(|(_, (_, _, files, _))| *files > 0).map(|(_, (version, ..))| *version).collect();
    let mut files = rows::attachments(connection, &with_files)?;
    let versions = read.into_iter().map(|(key, (version, mut message, _, number))| {
        message.attachments = files.remove(&version).unwrap_or_default();
        (key, number, message)
    });
    Ok(versions.collect())
}

const RESETS: &str = "SELECT entry, kind, agent, reason, extra FROM resets WHERE entry IN (SELECT value FROM json_each(?1))";

fn reset(key: i64, row: &Row<'_>) -> Result<Reset, StoreError> {
    let maybe = |column| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
    Ok(Reset {
        kind: rows::reset_kind(text(row, 1)?).ok_or_else(|| rows::damaged(key, "the reset"))?,
        agent: maybe(2)?.map(Arc::from),
        reason: text(row, 3)?.to_owned(),
        extra: rows::extra(key, maybe(4)?)?,
    })
}

const NOTICES: &str = "SELECT notices.entry, notices.card, notices.settled, notices.language, cards.body
     FROM notices LEFT JOIN cards ON cards.entry = notices.card WHERE notices.entry IN (SELECT value FROM json_each(?1))";

/// The notices of cards, in columns as [`notice`] reads them.
pub(super) const NOTICES_OF_CARDS: &str = "SELECT notices.entry, notices.card, notices.settled, notices.language, cards.body
     FROM cards JOIN notices ON notices.entry = cards.notice WHERE cards.entry IN (SELECT value FROM json_each(?1))";

/// Reads a notice with what its card says of it; of one whose card is not there, only what it has itself.
pub(super) fn notice(key: i64, row: &Row<'_>) -> Result<Notice, StoreError> {
    let fault = || rows::damaged(key, "the notice");
    let maybe = |column| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
    let card: Value = maybe(4)?.map_or(Ok(Value::Null), serde_json::from_str).map_err(|_| fault())?;
    let of_card = |name: &str| card.get(name).and_then(Value::as_str).unwrap_or_default();
    Ok(Notice {
        card: entry_id(row.get(1)?),
        settled: rows::settled(text(row, 2)?).ok_or_else(fault)?,
        action: of_card("action").into(),
        language: maybe(3)?.unwrap_or_else(|| of_card("language")).into(),
    })
}
