//! The search index: brought up to date when nothing else is to be written, and before a search.

use briefing::message::{Item, ModelMessage, OwnerId, Part, SystemPart};
use briefing::text::{one_line, prefix};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use super::ids::{OwnerKey, entry_id, number, owner_of, thread_id};
use super::threads::limit;
use super::time::timestamp;
use super::writer::Desk;
use super::{rows, verify};
use crate::{Hit, StoreError};

/// How many entries are indexed in one transaction.
const BATCH: i64 = 256;
/// The most bytes of one text that are indexed, and looked at for an excerpt.
const MOST: usize = 1 << 20;
/// How many characters of an excerpt stand before the match, and in all.
const BEFORE: usize = 40;
const EXCERPT: usize = 160;

/// Indexes some of what is not indexed yet; whether there is more.
/// Of one owner, or of any.
pub(super) fn catch_up(desk: &mut Desk, owner: Option<&OwnerId>) -> Result<bool, StoreError> {
    let behind = "SELECT owners.owner, owners.entries, coalesce(indexed.next, 0) FROM owners LEFT JOIN indexed USING (owner)
                  WHERE owners.entries > coalesce(indexed.next, 0) AND name = coalesce(?1, name) LIMIT 1";
    let owner = owner.map(OwnerId::as_str);
    let read = |connection: &Connection| {
        let mut statement = connection.prepare_cached(behind)?;
        statement.query_one([owner], |row| Ok((OwnerKey(row.get(0)?), row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))).optional()
    };
    // Looking does not lock anybody out.
    if read(&desk.connection)?.is_none() {
        return Ok(false);
    }
    let tx = desk.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some((owner, entries, next)) = read(&tx)? else { return Ok(false) };
    // Never further than there is something, whatever the owner's counter says.
    let greatest: Option<i64> = tx
        .prepare_cached("SELECT max(entry) FROM entries WHERE entry BETWEEN ?1 AND ?2")?
        .query_one([owner.first(), owner.last()], |row| row.get(0))?;
    let there = greatest.map_or(0, |greatest| number(greatest).cast_signed() + 1);
    let end = if next < there { there.min(next + BATCH) } else { entries };
    for at in next..end.min(there) {
        let Some(entry) = owner.key(at.cast_unsigned()) else { continue };
        let words = match words(&tx, entry) {
            // What cannot be read cannot be found; it stops nothing else.
            Err(StoreError::Corrupt { .. }) => continue,
            words => words?,
        };
        if let Some(words) = words {
            insert(&tx, entry, &words)?;
        }
    }
    tx.prepare_cached("INSERT INTO indexed (owner, next) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET next = excluded.next")?
        .execute((owner.0, end))?;
    tx.commit()?;
    Ok(true)
}

/// What is indexed of an entry. It must be the same when the entry is erased, so to index anything else takes a migration that
/// makes the index anew.
struct Words {
    subject: String,
    body: String,
}

fn words(connection: &Connection, entry: i64) -> Result<Option<Words>, StoreError> {
    let mail = connection
        .prepare_cached("SELECT subject, body FROM mails WHERE entry = ?1")?
        .query_one([entry], |row| {
            Ok(Words {
                subject: row.get::<_, Option<String>>(0)?.unwrap_or_default(),
                body: row.get::<_, Option<String>>(1)?.unwrap_or_default(),
            })
        })
        .optional()?;
    let words = match mail {
        Some(words) => Some(words),
        None => newest_version(connection, entry)?.map(|said| Words { subject: String::new(), body: text_of(&said) }),
    };
    Ok(words.map(|Words { subject, body }| Words { subject: shortened(subject), body: shortened(body) }))
}

/// What a message says now; nothing of one that is popped, or of what is none.
fn newest_version(connection: &Connection, entry: i64) -> Result<Option<ModelMessage>, StoreError> {
    let json: Option<String> = connection
        .prepare_cached(&format!(
            "SELECT version.body FROM entries JOIN messages USING (entry)
             JOIN messages AS version ON version.entry = coalesce(messages.edit, messages.entry)
             WHERE entries.entry = ?1 AND entries.kind = {} AND entries.popped IS NULL",
            rows::MESSAGE
        ))?
        .query_one([entry], |row| row.get(0))
        .optional()?;
    json.map(|json| rows::message(entry, &json)).transpose()
}

fn shortened(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(MOST));
    text
}

/// The text that people wrote or read: of what a tool returned, nothing.
fn text_of(message: &ModelMessage) -> String {
    let mut texts: Vec<&str> = Vec::new();
    match message {
        ModelMessage::System(system) => texts.extend(system.parts.iter().filter_map(|part| match part {
            SystemPart::Text(text) => Some(text.text.as_str()),
            SystemPart::Native(_) => None,
        })),
        ModelMessage::User(user) => texts.extend(user.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.text.as_str()),
            Part::Image(_) | Part::Document(_) | Part::Native(_) => None,
        })),
        ModelMessage::Assistant(said) => texts.extend(said.items.iter().filter_map(|item| match item {
            Item::Text(text) => Some(text.text.as_str()),
            Item::Reasoning(_) | Item::Call(_) | Item::Native(_) => None,
        })),
        ModelMessage::Tool(_) => {}
    }
    texts.join("\n")
}

/// Indexes an entry, if those that came when it did are: one that says something else now. What cannot be read cannot be found.
pub(super) fn add(tx: &Transaction<'_>, entry: i64) -> Result<(), StoreError> {
    let mut next = tx.prepare_cached("SELECT 1 FROM indexed WHERE owner = ?1 AND next > ?2")?;
    if !next.exists((owner_of(entry).0, number(entry).cast_signed()))? {
        return Ok(());
    }
    match words(tx, entry) {
        Ok(Some(words)) => insert(tx, entry, &words),
        Ok(None) | Err(StoreError::Corrupt { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

fn insert(tx: &Transaction<'_>, entry: i64, words: &Words) -> Result<(), StoreError> {
    tx.prepare_cached("INSERT INTO search (rowid, subject, body) VALUES (?1, ?2, ?3)")?.execute((
        entry,
        &words.subject,
        &words.body,
    ))?;
    Ok(())
}

/// Takes an entry out of the index, if it is there. To be done while its text is still known.
pub(super) fn remove(tx: &Transaction<'_>, entry: i64) -> Result<bool, StoreError> {
    if !is_indexed(tx, entry)? {
        return Ok(false);
    }
    if !verify::is_sound(tx, entry)? {
        // What was indexed of it is not known any more: so nothing of the index is kept.
        tx.execute_batch("INSERT INTO search (search) VALUES ('delete-all'); DELETE FROM indexed;")?;
        return Ok(true);
    }
    let Some(words) = words(tx, entry)? else { return Ok(false) };
    tx.prepare_cached("INSERT INTO search (search, rowid, subject, body) VALUES ('delete', ?1, ?2, ?3)")?.execute((
        entry,
        &words.subject,
        &words.body,
    ))?;
    Ok(true)
}

/// Writes the index anew. Where a page of it begins, it keeps the beginning of a word that was removed.
pub(super) fn rewrite(tx: &Transaction<'_>) -> Result<(), StoreError> {
    // What is in one piece already is left alone: so another piece is put beside it first.
    tx.execute_batch(
        "INSERT INTO search (rowid, subject, body) VALUES (-1, 'x', '');
         INSERT INTO search (search) VALUES ('optimize');
         INSERT INTO search (search, rowid, subject, body) VALUES ('delete', -1, 'x', '');",
    )?;
    Ok(())
}

/// Whether an entry is in the index.
pub(super) fn is_indexed(connection: &Connection, entry: i64) -> Result<bool, StoreError> {
    Ok(connection.prepare_cached("SELECT 1 FROM search WHERE rowid = ?1")?.exists([entry])?)
}

/// The entries that hold all of it, best first.
pub(super) fn find(connection: &Connection, owner: OwnerKey, text: &str, count: usize) -> Result<Vec<Hit>, StoreError> {
    let phrases = phrases(text);
    let Some(first) = phrases.first() else { return Ok(Vec::new()) };
    let query = phrases.iter().map(|phrase| format!("\"{phrase}\"")).collect::<Vec<_>>().join(" ");
    let mut statement = connection.prepare_cached(
        "SELECT search.rowid, members.at, members.thread FROM search JOIN members ON members.entry = search.rowid
         WHERE search MATCH ?1 AND search.rowid BETWEEN ?2 AND ?3 ORDER BY search.rank, search.rowid DESC LIMIT ?4",
    )?;
    let mut found = statement.query((query, owner.first(), owner.last(), limit(count)))?;
    let mut hits = Vec::new();
    while let Some(row) = found.next()? {
        let entry: i64 = row.get(0)?;
        let text = words(connection, entry)?.map(|words| excerpt(&words, first)).unwrap_or_default();
        hits.push(Hit { entry: entry_id(entry), at: timestamp(row.get(1)?), thread: thread_id(row.get(2)?), excerpt: text });
    }
    Ok(hits)
}

/// The words, and what stands in double quotes as one phrase. Nothing is an operator, and what has no letter or digit is
/// nothing.
fn phrases(text: &str) -> Vec<String> {
    let quoted = text.split('"').enumerate();
    let phrases = quoted.flat_map(|(index, piece)| {
        if index % 2 == 1 { vec![piece.to_owned()] } else { piece.split_whitespace().map(str::to_owned).collect() }
    });
    let phrases = phrases.map(|phrase| phrase.replace('\0', " "));
    phrases.filter(|phrase| phrase.chars().any(char::is_alphanumeric)).take(64).collect()
}

/// The text around the first match, on one line.
fn excerpt(words: &Words, phrase: &str) -> String {
    let first = phrase.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    let text = match (position(&words.body, first), position(&words.subject, first)) {
        (None, Some(_)) => &words.subject,
        _ => &words.body,
    };
    let at = position(text, first).unwrap_or_default();
    let before = text.get(..at).unwrap_or_default();
    let start = before.char_indices().rev().nth(BEFORE - 1).map_or(0, |(index, _)| index);
    let line = one_line(text.get(start..).map_or("", |rest| prefix(rest, 4 * EXCERPT)), EXCERPT);
    let cut = if start > 0 { "…" } else { "" };
    format!("{cut}{}", line.trim())
}

/// Where a word stands, whatever the case of its letters.
fn position(text: &str, word: &str) -> Option<usize> {
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let starts = text.char_indices().filter(|(index, _)| {
        !text.get(..*index).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric)
    });
    starts.map(|(index, _)| index).find(|index| {
        let found = text.get(*index..).unwrap_or_default().chars().flat_map(char::to_lowercase);
        word.iter().copied().eq(found.take(word.len()))
    })
}
