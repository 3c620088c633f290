//! Verifying: everything is read, hashed again, and held against what refers to it.

use std::collections::{BTreeSet, HashMap};

use briefing::log::Body;
use briefing::message::OwnerId;
use rusqlite::{Connection, OptionalExtension};

use super::ids::{OwnerKey, entry_id, number, owner_of, thread_id};
use super::{rows, runs, schema, search, threads};
use crate::blobs::{BlobHash, Blobs};
use crate::{Fault, Reference, StoreError, Verified};

pub(super) fn verify(connection: &Connection, blobs: &dyn Blobs) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    match look(connection, blobs, &mut verified) {
        Ok(()) => {}
        Err(StoreError::Corrupt { detail }) => verified.fault(Fault::Database { detail }),
        Err(error) => return Err(error),
    }
    Ok(verified)
}

fn look(connection: &Connection, blobs: &dyn Blobs, verified: &mut Verified) -> Result<(), StoreError> {
    database(connection, verified)?;
    if !verified.faults.is_empty() {
        // Nothing that is read from a damaged database means anything.
        return Ok(());
    }
    let mut owners = connection.prepare("SELECT owner, name, entries FROM owners ORDER BY owner")?;
    let mut owners = owners.query([])?;
    while let Some(row) = owners.next()? {
        verified.owners += 1;
        let owner = Owner { key: OwnerKey(row.get(0)?), name: OwnerId::new(row.get::<_, String>(1)?) };
        entries(connection, &owner, row.get(2)?, verified)?;
        references(connection, &owner, verified)?;
        for run in runs::altered(connection, owner.key)? {
            let detail = format!("owner {}: run {} is not what was begun", owner.name, number(run));
            verified.fault(Fault::Database { detail });
        }
        kept(connection, &owner, verified)?;
    }
    contents(connection, blobs, verified)?;
    index(connection, verified)?;
    Ok(())
}

struct Owner {
    key: OwnerKey,
    name: OwnerId,
}

fn database(connection: &Connection, verified: &mut Verified) -> Result<(), StoreError> {
    let mut statement = connection.prepare("PRAGMA integrity_check(100)")?;
    for line in statement.query_map([], |row| row.get::<_, String>(0))? {
        let detail = line?;
        if detail != "ok" {
            verified.fault(Fault::Database { detail });
        }
    }
    if verified.faults.is_empty() && !schema::is_whole(connection)? {
        verified.fault(Fault::Database { detail: "its tables are not those that were made".to_owned() });
    }
    Ok(())
}

/// Every number is there once, holds what was appended, and stands at its place.
fn entries(connection: &Connection, owner: &Owner, count: i64, verified: &mut Verified) -> Result<(), StoreError> {
    let mut statement = connection.prepare(
        "SELECT entries.entry, entries.kind, entries.hash, entries.erased IS NOT NULL, entries.at = members.at, members.kind,
             threads.merged IS NULL AND threads.owner = ?3
         FROM entries LEFT JOIN members USING (entry) LEFT JOIN threads USING (thread)
         WHERE entries.entry BETWEEN ?1 AND ?2 ORDER BY entries.entry",
    )?;
    let mut found = statement.query((owner.key.first(), owner.key.last(), owner.key.0))?;
    let mut next = 0;
    let name = || owner.name.clone();
    while let Some(row) = found.next()? {
        let key: i64 = row.get(0)?;
        let entry = entry_id(key);
        while next < number(key) {
            verified.fault(Fault::Gap { owner: name(), entry: briefing::message::EntryId::new(next) });
            next += 1;
        }
        next += 1;
        verified.entries += 1;
        let (kind, hash, erased): (i64, [u8; 32], bool) = (row.get(1)?, row.get(2)?, row.get(3)?);
        let (same_time, member, in_thread): (Option<bool>, Option<i64>, Option<bool>) = (row.get(4)?, row.get(5)?, row.get(6)?);
        let member_kind = member.map(|member| if member == rows::OPEN_CARD { rows::CARD } else { member });
        let placed = same_time == Some(true) && in_thread == Some(true);
        if !placed || member_kind != Some(if erased { rows::ERASED } else { kind }) {
            verified.fault(Fault::Misplaced { owner: name(), entry });
        }
        if erased {
            continue;
        }
        match content_hash(connection, key, kind) {
            Ok(Some(found)) if found == hash => {}
            Ok(Some(_)) => verified.fault(Fault::Altered { owner: name(), entry }),
            Ok(None) | Err(StoreError::Corrupt { .. }) => verified.fault(Fault::Unreadable { owner: name(), entry }),
            Err(error) => return Err(error),
        }
    }
    for missing in next..count.cast_unsigned() {
        verified.fault(Fault::Gap { owner: name(), entry: briefing::message::EntryId::new(missing) });
    }
    Ok(())
}

/// The hash of what an entry holds now.
fn content_hash(connection: &Connection, key: i64, kind: i64) -> Result<Option<[u8; 32]>, StoreError> {
    let Some(entry) = rows::entry(connection, key)? else { return Ok(None) };
    let two = |sql: &str| {
        connection.prepare_cached(sql)?.query_one([key], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
    };
    let one = |sql: &str| connection.prepare_cached(sql)?.query_one([key], |row| row.get::<_, String>(0));
    let hash = match &entry.body {
        Body::Mail(mail) => rows::MailRow::new(mail).hash(&mail.attachments),
        Body::Round(_) => {
            let (run, turn): (i64, u32) = connection
                .prepare_cached("SELECT run, turn FROM rounds WHERE entry = ?1")?
                .query_one([key], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let said = one("SELECT said FROM rounds WHERE entry = ?1")?;
            rows::hash(kind, &[Some(&number(run).to_le_bytes()), Some(&turn.to_le_bytes()), Some(said.as_bytes())])
        }
        Body::Outcome(_) => {
            let (round, body) = two("SELECT round, body FROM outcomes WHERE entry = ?1")?;
            rows::hash(kind, &[Some(&number(round).to_le_bytes()), Some(body.as_bytes())])
        }
        Body::Message(_) => rows::hash(kind, &[Some(one("SELECT body FROM messages WHERE entry = ?1")?.as_bytes())]),
        Body::Card(_) => rows::hash(kind, &[Some(one("SELECT body FROM cards WHERE entry = ?1")?.as_bytes())]),
        Body::Notice(_) => {
            let (card, settled) = two("SELECT card, settled FROM notices WHERE entry = ?1")?;
            rows::hash(kind, &[Some(&number(card).to_le_bytes()), Some(settled.as_bytes())])
        }
        Body::Erased(_) => return Ok(None),
    };
    Ok(Some(hash))
}

/// What entries refer to is there.
fn references(connection: &Connection, owner: &Owner, verified: &mut Verified) -> Result<(), StoreError> {
    const DANGLING: [(Reference, &str); 8] = [
        (Reference::Run, "SELECT entry FROM rounds WHERE run NOT IN (SELECT run FROM runs)"),
        (Reference::Run, "SELECT entry FROM outcomes WHERE run NOT IN (SELECT run FROM runs)"),
        (
            Reference::Round,
            "SELECT entry FROM outcomes WHERE NOT EXISTS
                 (SELECT 1 FROM rounds WHERE rounds.entry = outcomes.round AND rounds.run = outcomes.run)",
        ),
        (Reference::Card, "SELECT entry FROM notices WHERE card NOT IN (SELECT entry FROM cards)"),
        (Reference::Card, "SELECT entry FROM cards WHERE notice IS NOT NULL AND notice NOT IN (SELECT entry FROM notices)"),
        (Reference::Blob, "SELECT entry FROM mails WHERE raw IS NOT NULL AND raw NOT IN (SELECT blob FROM blobs)"),
        (
            Reference::Blob,
            "SELECT entry FROM attachments WHERE content IS NOT NULL AND content NOT IN (SELECT blob FROM blobs)",
        ),
        (Reference::Run, "SELECT entry FROM places WHERE run NOT IN (SELECT run FROM runs)"),
    ];
    for (to, sql) in DANGLING {
        let mut statement = connection.prepare(&format!("{sql} AND entry BETWEEN ?1 AND ?2"))?;
        for key in statement.query_map([owner.key.first(), owner.key.last()], |row| row.get(0))? {
            verified.fault(Fault::Dangling { owner: owner.name.clone(), entry: entry_id(key?), to });
        }
    }
    Ok(())
}

/// What is kept of a thread is what its entries say.
fn kept(connection: &Connection, owner: &Owner, verified: &mut Verified) -> Result<(), StoreError> {
    let mut statement = connection.prepare(
        "SELECT threads.thread, threads.entries <> coalesce(counted.entries, 0) OR threads.head IS NOT counted.head
             OR threads.newest IS NOT counted.newest
         FROM threads LEFT JOIN
             (SELECT thread, count(*) AS entries, max(entry) AS head, max(CASE WHEN kind > 0 THEN at END) AS newest
              FROM members WHERE thread BETWEEN ?1 AND ?2 GROUP BY thread) AS counted USING (thread)
         WHERE threads.owner = ?3",
    )?;
    let mut found = statement.query([owner.key.first(), owner.key.last(), owner.key.0])?;
    while let Some(row) = found.next()? {
        let (thread, miscounted): (i64, bool) = (row.get(0)?, row.get(1)?);
        if miscounted || !has_its_people(connection, thread)? {
            verified.fault(Fault::Miscounted { owner: owner.name.clone(), thread: thread_id(thread) });
        }
    }
    Ok(())
}

/// Erasing by correspondent finds threads by these.
fn has_its_people(connection: &Connection, thread: i64) -> Result<bool, StoreError> {
    let mut people = BTreeSet::new();
    threads::each_mail(connection, thread, |mail| {
        people.extend(mail.people);
        Ok(())
    })?;
    let mut kept = connection.prepare_cached("SELECT address FROM people WHERE thread = ?1")?;
    let kept = kept.query_map([thread], |row| row.get(0))?.collect::<Result<BTreeSet<String>, _>>()?;
    Ok(people == kept)
}

/// Every content is what its hash says, and referred to as often as its row says.
fn contents(connection: &Connection, blobs: &dyn Blobs, verified: &mut Verified) -> Result<(), StoreError> {
    let mut statement = connection.prepare("SELECT hash, data FROM blobs")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        verified.blobs += 1;
        let hash = BlobHash::new(row.get(0)?);
        let inside = row.get_ref(1)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        let same = match inside {
            Some(data) => Some(BlobHash::of(data) == hash),
            None => match blobs.get(hash) {
                Ok(content) => content.map(|content| BlobHash::of(&content) == hash),
                Err(_) => Some(false),
            },
        };
        match same {
            Some(true) => {}
            Some(false) => verified.fault(Fault::BlobAltered { hash: hash.to_string() }),
            None => verified.fault(Fault::BlobMissing { hash: hash.to_string() }),
        }
    }
    let mut miscounted = connection.prepare(
        "SELECT hash FROM blobs LEFT JOIN
             (SELECT blob, count(*) AS times FROM (SELECT raw AS blob FROM mails UNION ALL SELECT content FROM attachments)
              GROUP BY blob) USING (blob)
         WHERE refs <> coalesce(times, 0)",
    )?;
    for hash in miscounted.query_map([], |row| row.get(0))? {
        let detail = format!("the content {} is referred to more or less often than is written", BlobHash::new(hash?));
        verified.fault(Fault::Database { detail });
    }
    Ok(())
}

/// What is to be indexed is, and nothing else.
fn index(connection: &Connection, verified: &mut Verified) -> Result<(), StoreError> {
    let mut wrong = BTreeSet::new();
    let mut should = connection.prepare(
        "SELECT entry FROM (SELECT entry FROM mails UNION ALL SELECT entry FROM messages)
         WHERE (entry & 0xffffffffff) < (SELECT next FROM indexed WHERE indexed.owner = entry >> 40)",
    )?;
    for key in should.query_map([], |row| row.get(0))? {
        let key: i64 = key?;
        if !search::is_indexed(connection, key)? {
            wrong.insert(key);
        }
    }
    let mut is = connection.prepare(
        "SELECT id FROM search_docsize WHERE id NOT IN (SELECT entry FROM mails UNION ALL SELECT entry FROM messages)",
    )?;
    wrong.extend(is.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?);
    wrong.extend(miscounted(connection)?);
    for key in wrong {
        let name: Option<String> = connection
            .prepare_cached("SELECT name FROM owners WHERE owner = ?1")?
            .query_one([owner_of(key).0], |row| row.get(0))
            .optional()?;
        verified.fault(Fault::Index { owner: OwnerId::new(name.unwrap_or_default()), entry: entry_id(key) });
    }
    Ok(())
}

/// The entries of which the index has more or fewer words than it says it has. SQLite's own check of it ends before that.
fn miscounted(connection: &Connection) -> Result<BTreeSet<i64>, StoreError> {
    connection.execute_batch(
        "PRAGMA query_only = OFF; CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, search, instance);
         PRAGMA query_only = ON",
    )?;
    let mut counted: HashMap<i64, [u64; 2]> = HashMap::new();
    let mut words = connection.prepare("SELECT doc, col = 'body' FROM temp.words")?;
    let mut words = words.query([])?;
    while let Some(row) = words.next()? {
        let [subject, body] = counted.entry(row.get(0)?).or_default();
        *(if row.get(1)? { body } else { subject }) += 1;
    }
    let mut wrong = BTreeSet::new();
    let mut said = connection.prepare("SELECT id, sz FROM search_docsize")?;
    let mut said = said.query([])?;
    while let Some(row) = said.next()? {
        let entry = row.get(0)?;
        if numbers(row.get_ref(1)?.as_blob().unwrap_or_default()) != counted.remove(&entry).unwrap_or_default() {
            wrong.insert(entry);
        }
    }
    wrong.extend(counted.into_keys());
    Ok(wrong)
}

/// Two of SQLite's numbers of variable length: seven bits a byte, the highest first. None of these is so long that the ninth
/// byte, which has eight, is needed.
fn numbers(mut bytes: &[u8]) -> [u64; 2] {
    [(); 2].map(|()| {
        let mut number = 0_u64;
        while let Some((byte, rest)) = bytes.split_first() {
            bytes = rest;
            number = (number << 7) | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    })
}
