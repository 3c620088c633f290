//! Verifying: everything is read, hashed again, and held against what refers to it.

use std::collections::{BTreeSet, HashMap};

use briefing::log::Body;
use briefing::message::{OwnerId, RunId};
use rusqlite::{Connection, OptionalExtension};

use super::ids::{OwnerKey, entry_id, number, owner_of, thread_id};
use super::{bodies, chat, forks, requests, rows, runs, schedule, schema, search, texts, threads};
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
        counters(connection, &owner, verified)?;
        entries(connection, &owner, row.get(2)?, verified)?;
        references(connection, &owner, verified)?;
        leftovers(connection, &owner, verified)?;
        began(connection, &owner, verified)?;
        kept(connection, &owner, verified)?;
    }
    nobodys(connection, verified)?;
    contents(connection, blobs, verified)?;
    index(connection, verified)?;
    Ok(())
}

struct Owner {
    key: OwnerKey,
    name: OwnerId,
}

fn database(connection: &Connection, verified: &mut Verified) -> Result<(), StoreError> {
    // The check of the index goes by what the connection knew of it before, if it had not to ask: it would miss what others changed.
    connection.prepare("SELECT 1 FROM search WHERE rowid = 0")?.exists([])?;
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

/// The next numbers are free. Of entries a greater one leaves a gap; of runs some may be forgotten.
fn counters(connection: &Connection, owner: &Owner, verified: &mut Verified) -> Result<(), StoreError> {
    let mut statement = connection.prepare(
        "SELECT entries < coalesce((SELECT max(entry) + 1 - ?1 FROM entries WHERE entry BETWEEN ?1 AND ?2), 0)
             OR threads <> coalesce((SELECT max(thread) + 1 - ?1 FROM threads WHERE thread BETWEEN ?1 AND ?2), 0)
             OR runs < coalesce((SELECT max(run) + 1 - ?1 FROM runs WHERE run BETWEEN ?1 AND ?2), 0)
         FROM owners WHERE owner = ?3",
    )?;
    if statement.query_one((owner.key.first(), owner.key.last(), owner.key.0), |row| row.get(0))? {
        verified.fault(Fault::OwnerMiscounted { owner: owner.name.clone() });
    }
    Ok(())
}

/// Every number is there once, holds what was appended, and stands at its place.
fn entries(connection: &Connection, owner: &Owner, count: i64, verified: &mut Verified) -> Result<(), StoreError> {
    // As what a message stands is only known when it is read.
    let mut statement = connection.prepare(
        "SELECT entries.entry, entries.kind, entries.hash, entries.erased IS NOT NULL,
             coalesce(entries.at = members.at AND threads.merged IS NULL AND threads.thread BETWEEN ?1 AND ?2
                 AND coalesce(mails.owner, ?3) = ?3
                 AND members.kind = CASE WHEN entries.erased IS NOT NULL THEN ?4
                     WHEN entries.popped IS NOT NULL THEN ?8
                     WHEN entries.kind = ?5 AND cards.notice IS NULL THEN ?6
                     WHEN entries.kind = ?7 THEN members.kind ELSE entries.kind END
                 AND (members.agent = '' OR (entries.kind = ?7 AND entries.erased IS NULL)), FALSE),
             entries.popped IS NOT NULL, coalesce(members.kind, 0), coalesce(members.agent, '')
         FROM entries LEFT JOIN members ON members.entry = entries.entry LEFT JOIN threads ON threads.thread = members.thread
             LEFT JOIN mails ON mails.entry = entries.entry LEFT JOIN cards ON cards.entry = entries.entry
         WHERE entries.entry BETWEEN ?1 AND ?2 ORDER BY entries.entry",
    )?;
    let (first, last) = (owner.key.first(), owner.key.last());
    let kinds = (rows::ERASED, rows::CARD, rows::OPEN_CARD, rows::MESSAGE, rows::POPPED);
    let mut found = statement.query((first, last, owner.key.0, kinds.0, kinds.1, kinds.2, kinds.3, kinds.4))?;
    let mut next = 0;
    let name = || owner.name.clone();
    while let Some(row) = found.next()? {
        let key: i64 = row.get(0)?;
        let entry = entry_id(key);
        verified.gaps(&owner.name, next..number(key));
        next = number(key) + 1;
        verified.entries += 1;
        let (kind, hash, erased, placed): (i64, [u8; 32], bool, bool) = (row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        let content = if erased { Ok(None) } else { content(connection, key, kind) };
        let stands = match &content {
            Ok(Some((_, body))) => stands_as(body, row.get(5)?, row.get(6)?, &row.get::<_, String>(7)?),
            _ => true,
        };
        if !placed || !stands {
            verified.fault(Fault::Misplaced { owner: name(), entry });
        }
        match content {
            _ if erased => {}
            Ok(Some((found, _))) if found == hash => {}
            Ok(Some(_)) => verified.fault(Fault::Altered { owner: name(), entry }),
            Ok(None) | Err(StoreError::Corrupt { .. }) => verified.fault(Fault::Unreadable { owner: name(), entry }),
            Err(error) => return Err(error),
        }
    }
    // A count that is too small is told with the counters.
    verified.gaps(&owner.name, next..u64::try_from(count).unwrap_or_default());
    Ok(())
}

/// Whether a message stands in its thread as what its newest version is; anything else is nobody's.
fn stands_as(body: &Body, popped: bool, kind: i64, agent: &str) -> bool {
    match body {
        Body::Message(message) if !popped => chat::member(message) == (kind, agent.to_owned()),
        _ => agent.is_empty(),
    }
}

/// Whether an entry holds what was appended, and of a message its newest version.
pub(super) fn is_sound(connection: &Connection, key: i64) -> Result<bool, StoreError> {
    let mut edit = connection
        .prepare_cached("SELECT edit, (SELECT max(entry) FROM edits WHERE message = ?1) FROM messages WHERE entry = ?1")?;
    let edits = edit.query_one([key], |row| Ok((row.get::<_, Option<i64>>(0)?, row.get::<_, Option<i64>>(1)?)));
    match edits.optional()? {
        None | Some((None, None)) => is_as_appended(connection, key),
        Some((told, newest)) if told != newest => Ok(false),
        Some((_, Some(newest))) => Ok(is_as_appended(connection, key)? && is_as_appended(connection, newest)?),
        Some(_) => Ok(false),
    }
}

fn is_as_appended(connection: &Connection, key: i64) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached("SELECT kind, hash FROM entries WHERE entry = ?1")?;
    let found = statement.query_one([key], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, [u8; 32]>(1)?))).optional()?;
    let Some((kind, hash)) = found else { return Ok(false) };
    match content(connection, key, kind) {
        Ok(found) => Ok(found.is_some_and(|(found, _)| found == hash)),
        Err(StoreError::Corrupt { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// What an entry holds now (of a popped one what it held), and the hash of that; nothing of what cannot be read.
fn content(connection: &Connection, key: i64, kind: i64) -> Result<Option<([u8; 32], Body)>, StoreError> {
    let Some(entry) = bodies::entry(connection, key)? else { return Ok(None) };
    let body = match &entry.body {
        Body::Popped(popped) => (*popped.body).clone(),
        body => body.clone(),
    };
    Ok(content_hash(connection, key, kind, &body)?.map(|hash| (hash, body)))
}

/// The hash of what an entry holds now.
fn content_hash(connection: &Connection, key: i64, kind: i64, body: &Body) -> Result<Option<[u8; 32]>, StoreError> {
    let two = |sql: &str| {
        connection.prepare_cached(sql)?.query_one([key], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
    };
    let one = |sql: &str| connection.prepare_cached(sql)?.query_one([key], |row| row.get::<_, String>(0));
    let hash = match body {
        Body::Mail(mail) => {
            let (raw, contents) = content_hashes(connection, key)?;
            rows::MailRow::new(mail).hash(&mail.attachments, raw.as_ref(), &contents)
        }
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
        Body::Message(_) => version_hash(connection, key, None)?,
        Body::Edit(_) => {
            let of =
                connection.prepare_cached("SELECT message FROM edits WHERE entry = ?1")?.query_one([key], |row| row.get(0))?;
            version_hash(connection, key, Some(of))?
        }
        Body::Reset(reset) => {
            let extra = rows::extra_json(&reset.extra);
            chat::reset_hash(reset.kind.name(), reset.agent.as_deref(), &reset.reason, extra.as_deref())
        }
        Body::Card(_) => rows::hash(kind, &[Some(one("SELECT body FROM cards WHERE entry = ?1")?.as_bytes())]),
        Body::Notice(_) => {
            let (card, settled) = two("SELECT card, settled FROM notices WHERE entry = ?1")?;
            let language: Option<String> = connection
                .prepare_cached("SELECT language FROM notices WHERE entry = ?1")?
                .query_one([key], |row| row.get(0))?;
            rows::notice_hash(card, &settled, language.as_deref())
        }
        Body::Popped(_) | Body::Erased(_) | Body::Unreadable => return Ok(None),
    };
    Ok(Some(hash))
}

/// The hash of a version of a message as it is kept.
fn version_hash(connection: &Connection, key: i64, of: Option<i64>) -> Result<[u8; 32], StoreError> {
    let told: i64 =
        connection.prepare_cached("SELECT attachments FROM messages WHERE entry = ?1")?.query_one([key], |row| row.get(0))?;
    let (mut files, mut contents) = (Vec::new(), Vec::new());
    if told > 0 {
        files = rows::attachments(connection, &[key])?.remove(&key).unwrap_or_default();
        contents = attached(connection, key)?;
    }
    chat::hash_of(connection, key, of, &files, &contents)
}

/// The hashes of a mail as it came, and of the contents of its attachments.
fn content_hashes(connection: &Connection, key: i64) -> Result<(Option<BlobHash>, Vec<Option<BlobHash>>), StoreError> {
    let raw = connection
        .prepare_cached("SELECT hash FROM mails LEFT JOIN blobs ON blob = raw WHERE entry = ?1")?
        .query_one([key], |row| Ok(row.get::<_, Option<[u8; 32]>>(0)?.map(BlobHash::new)))?;
    Ok((raw, attached(connection, key)?))
}

/// The hashes of the contents of attachments.
fn attached(connection: &Connection, key: i64) -> Result<Vec<Option<BlobHash>>, StoreError> {
    let mut contents = connection
        .prepare_cached("SELECT hash FROM attachments LEFT JOIN blobs ON blob = content WHERE entry = ?1 ORDER BY position")?;
    let hashes = contents.query_map([key], |row| Ok(row.get::<_, Option<[u8; 32]>>(0)?.map(BlobHash::new)))?;
    Ok(hashes.collect::<Result<_, _>>()?)
}

/// What entries, keys and windows refer to is there.
fn references(connection: &Connection, owner: &Owner, verified: &mut Verified) -> Result<(), StoreError> {
    const DANGLING: [(Reference, &str); 11] = [
        (Reference::Run, "SELECT entry FROM rounds WHERE run NOT IN (SELECT run FROM runs)"),
        (Reference::Run, "SELECT entry FROM outcomes WHERE run NOT IN (SELECT run FROM runs)"),
        (
            Reference::Round,
            "SELECT entry FROM outcomes WHERE NOT EXISTS
                 (SELECT 1 FROM rounds WHERE rounds.entry = outcomes.round AND rounds.run = outcomes.run)",
        ),
        (Reference::Run, "SELECT entry FROM cards WHERE run IS NOT NULL AND run NOT IN (SELECT run FROM runs)"),
        (
            Reference::Card,
            "SELECT entry FROM notices WHERE NOT EXISTS
                 (SELECT 1 FROM cards WHERE cards.entry = notices.card AND cards.notice = notices.entry)",
        ),
        (
            Reference::Notice,
            "SELECT entry FROM cards WHERE notice IS NOT NULL AND NOT EXISTS
                 (SELECT 1 FROM notices WHERE notices.entry = cards.notice AND notices.card = cards.entry)",
        ),
        (Reference::Blob, "SELECT entry FROM mails WHERE raw IS NOT NULL AND raw NOT IN (SELECT blob FROM blobs)"),
        (
            Reference::Blob,
            "SELECT entry FROM attachments WHERE content IS NOT NULL AND content NOT IN (SELECT blob FROM blobs)",
        ),
        (Reference::Run, "SELECT entry FROM places WHERE run NOT IN (SELECT run FROM runs)"),
        (
            Reference::Message,
            "SELECT entry FROM edits WHERE NOT EXISTS
                 (SELECT 1 FROM entries WHERE entries.entry = edits.message AND kind = 4 AND erased IS NULL
                      AND entries.entry >> 40 = edits.entry >> 40)",
        ),
        (
            Reference::Edit,
            "SELECT entry FROM messages WHERE edit IS NOT (SELECT max(edits.entry) FROM edits WHERE edits.message = messages.entry)",
        ),
    ];
    for (to, sql) in DANGLING {
        let mut statement = connection.prepare(&format!("{sql} AND entry BETWEEN ?1 AND ?2"))?;
        for key in statement.query_map([owner.key.first(), owner.key.last()], |row| row.get(0))? {
            verified.fault(Fault::Dangling { owner: owner.name.clone(), entry: entry_id(key?), to });
        }
    }
    let mut apart = connection.prepare(
        "SELECT edits.entry FROM edits JOIN members USING (entry) JOIN members AS message ON message.entry = edits.message
         WHERE members.thread <> message.thread AND edits.entry BETWEEN ?1 AND ?2",
    )?;
    for key in apart.query_map([owner.key.first(), owner.key.last()], |row| row.get(0))? {
        verified.fault(Fault::Misplaced { owner: owner.name.clone(), entry: entry_id(key?) });
    }
    let mut keys = connection.prepare(
        "SELECT entry FROM keys WHERE owner = ?3 AND NOT EXISTS
             (SELECT 1 FROM entries WHERE entries.entry = keys.entry AND entries.entry BETWEEN ?1 AND ?2)",
    )?;
    for key in keys.query_map([owner.key.first(), owner.key.last(), owner.key.0], |row| row.get(0))? {
        verified.fault(Fault::KeyDangling { owner: owner.name.clone(), entry: entry_id(key?) });
    }
    let mut anchors = connection.prepare(
        "SELECT DISTINCT thread FROM anchors WHERE thread BETWEEN ?1 AND ?2 AND NOT
             (EXISTS (SELECT 1 FROM threads WHERE threads.thread = anchors.thread AND threads.merged IS NULL)
              AND EXISTS (SELECT 1 FROM entries WHERE entries.entry = anchors.entry AND entries.at = anchors.at))",
    )?;
    for thread in anchors.query_map([owner.key.first(), owner.key.last()], |row| row.get(0))? {
        verified.fault(Fault::AnchorDangling { owner: owner.name.clone(), thread: thread_id(thread?) });
    }
    let mut names = connection.prepare(
        "SELECT DISTINCT thread FROM names WHERE owner = ?3 AND NOT EXISTS
             (SELECT 1 FROM threads WHERE threads.thread = names.thread AND threads.thread BETWEEN ?1 AND ?2)",
    )?;
    for thread in names.query_map([owner.key.first(), owner.key.last(), owner.key.0], |row| row.get(0))? {
        verified.fault(Fault::NameDangling { owner: owner.name.clone(), thread: thread_id(thread?) });
    }
    for thread in forks::dangling(connection, owner.key.first(), owner.key.last())? {
        verified.fault(Fault::ForkDangling { owner: owner.name.clone(), thread: thread_id(thread) });
    }
    Ok(())
}

/// Nothing is kept of an entry but what it holds, and nothing of one that is erased.
fn leftovers(connection: &Connection, owner: &Owner, verified: &mut Verified) -> Result<(), StoreError> {
    /// With the kinds of entries that have rows in it.
    const TABLES: [(&str, &str); 9] = [
        ("mails", "1"),
        ("attachments", "1, 4, 12"),
        ("rounds", "2"),
        ("outcomes", "3"),
        ("messages", "4, 12"),
        ("cards", "5"),
        ("notices", "6"),
        ("resets", "11"),
        ("edits", "12"),
    ];
    let mut left = BTreeSet::new();
    for (table, kinds) in TABLES {
        let mut statement = connection.prepare(&format!(
            "SELECT entry FROM {table} WHERE entry BETWEEN ?1 AND ?2 AND NOT EXISTS
                 (SELECT 1 FROM entries WHERE entries.entry = {table}.entry AND kind IN ({kinds}) AND erased IS NULL)"
        ))?;
        let keys = statement.query_map([owner.key.first(), owner.key.last()], |row| row.get::<_, i64>(0))?;
        left.extend(keys.collect::<Result<Vec<_>, _>>()?);
    }
    for key in left {
        verified.fault(Fault::Leftover { owner: owner.name.clone(), entry: entry_id(key) });
    }
    Ok(())
}

/// Every run is what was begun, and stands where it is looked for.
fn began(connection: &Connection, owner: &Owner, verified: &mut Verified) -> Result<(), StoreError> {
    const MISPLACED: [&str; 11] = [
        "SELECT run FROM runs WHERE owner <> ?3",
        "SELECT run FROM runs WHERE NOT EXISTS
             (SELECT 1 FROM threads WHERE threads.thread = runs.thread AND merged IS NULL AND thread BETWEEN ?1 AND ?2)",
        "SELECT run FROM runs WHERE answers IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.entry = runs.answers AND erased IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM places WHERE places.entry = runs.answers AND places.persona = lower(runs.persona)
                             AND places.run = runs.run)",
        "SELECT run FROM places WHERE (entry NOT IN (SELECT entry FROM entries)
             OR persona <> (SELECT lower(runs.persona) FROM runs WHERE runs.run = places.run))",
        "SELECT run FROM calls WHERE NOT EXISTS
             (SELECT 1 FROM rounds WHERE rounds.entry = calls.round AND rounds.run = calls.run)",
        "SELECT run FROM steps WHERE run NOT IN (SELECT run FROM runs)",
        "SELECT run FROM requests WHERE NOT EXISTS
             (SELECT 1 FROM runs WHERE runs.run = requests.run AND runs.kept > requests.number)",
        "SELECT run FROM leases WHERE NOT EXISTS
             (SELECT 1 FROM runs WHERE runs.run = leases.run AND runs.thread = leases.thread AND runs.fence = leases.fence
                  AND runs.ended IS NULL)",
        "SELECT run FROM leases WHERE renewed > until",
        "SELECT run FROM runs WHERE answer IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.entry = runs.answer AND entries.entry BETWEEN ?1 AND ?2)",
        "SELECT run FROM runs WHERE ((began IS NULL) <> (fence IS NULL) OR (ended IS NULL) <> (how IS NULL)
             OR fence > (SELECT fences FROM owners WHERE owner = ?3)
             OR how NOT IN ('answered', 'stopped', 'deadline', 'limit', 'failed', 'lost'))",
    ];
    let name = || owner.name.clone();
    for key in runs::altered(connection, owner.key)? {
        verified.fault(Fault::RunAltered { owner: name(), run: run_id(connection, key)? });
    }
    for (key, number) in requests::altered(connection, owner.key)? {
        verified.fault(Fault::RequestAltered { owner: name(), run: run_id(connection, key)?, number });
    }
    for run in schedule::misplaced(connection, owner.key)? {
        verified.fault(Fault::ScheduledMisplaced { owner: name(), run });
    }
    let mut misplaced = BTreeSet::new();
    for sql in MISPLACED {
        let mut statement = connection.prepare(&format!("{sql} AND run BETWEEN ?1 AND ?2 AND ?3 = ?3"))?;
        let keys = statement.query_map([owner.key.first(), owner.key.last(), owner.key.0], |row| row.get::<_, i64>(0))?;
        misplaced.extend(keys.collect::<Result<Vec<_>, _>>()?);
    }
    for key in misplaced {
        verified.fault(Fault::RunMisplaced { owner: name(), run: run_id(connection, key)? });
    }
    Ok(())
}

/// The id that a run has now, whatever it is; its number, if it is not there.
fn run_id(connection: &Connection, key: i64) -> Result<RunId, StoreError> {
    let mut statement = connection.prepare_cached("SELECT CAST(id AS BLOB) FROM runs WHERE run = ?1")?;
    let id: Option<Vec<u8>> = statement.query_one([key], |row| row.get(0)).optional()?;
    Ok(RunId::new(id.map_or_else(|| number(key).to_string(), |id| String::from_utf8_lossy(&id).into_owned())))
}

/// What is kept of a thread is what its entries say.
fn kept(connection: &Connection, owner: &Owner, verified: &mut Verified) -> Result<(), StoreError> {
    let mut statement = connection.prepare(
        "SELECT threads.thread, threads.entries <> coalesce(counted.entries, 0) OR threads.head IS NOT counted.head
             OR threads.newest IS NOT counted.newest
             OR threads.owner <> ?3
         FROM threads LEFT JOIN
             (SELECT thread, count(*) AS entries, max(entry) AS head, max(CASE WHEN kind > 0 THEN at END) AS newest
              FROM members WHERE thread BETWEEN ?1 AND ?2 GROUP BY thread) AS counted USING (thread)
         WHERE threads.thread BETWEEN ?1 AND ?2",
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

/// Everything is somebody's.
fn nobodys(connection: &Connection, verified: &mut Verified) -> Result<(), StoreError> {
    const KEYS: [&str; 25] = [
        "entry >> 40 AS owner FROM entries",
        "entry >> 40 FROM members",
        "entry >> 40 FROM mails",
        "entry >> 40 FROM attachments",
        "entry >> 40 FROM messages",
        "entry >> 40 FROM edits",
        "entry >> 40 FROM resets",
        "entry >> 40 FROM cards",
        "entry >> 40 FROM notices",
        "entry >> 40 FROM rounds",
        "entry >> 40 FROM outcomes",
        "entry >> 40 FROM places",
        "thread >> 40 FROM threads",
        "thread >> 40 FROM people",
        "thread >> 40 FROM anchors",
        "thread >> 40 FROM forks",
        "run >> 40 FROM runs",
        "run >> 40 FROM calls",
        "run >> 40 FROM steps",
        "run >> 40 FROM requests",
        "run >> 40 FROM leases",
        "owner FROM keys",
        "owner FROM names",
        "owner FROM scheduled",
        "owner FROM awaited",
    ];
    let all = KEYS.map(|keys| format!("SELECT {keys}")).join(" UNION ");
    let mut statement = connection
        .prepare(&format!("SELECT owner FROM ({all}) WHERE owner NOT IN (SELECT owner FROM owners) ORDER BY owner"))?;
    for number in statement.query_map([], |row| row.get(0))? {
        verified.fault(Fault::OwnerMissing { number: number? });
    }
    Ok(())
}

/// Every content is what its hash says, and referred to as often as its row says.
fn contents(connection: &Connection, blobs: &dyn Blobs, verified: &mut Verified) -> Result<(), StoreError> {
    let mut statement = connection.prepare("SELECT hash, data FROM blobs")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        verified.blobs += 1;
        let hash = BlobHash::new(row.get(0)?);
        let inside = row.get_ref(1)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        let fault = match inside {
            Some(data) => (BlobHash::of(data) != hash).then_some(Fault::BlobAltered { hash: hash.to_string() }),
            None => match blobs.get(hash) {
                Ok(Some(content)) if BlobHash::of(&content) == hash => None,
                Ok(Some(_)) => Some(Fault::BlobAltered { hash: hash.to_string() }),
                Ok(None) => Some(Fault::BlobMissing { hash: hash.to_string() }),
                Err(_) => Some(Fault::BlobUnreadable { hash: hash.to_string() }),
            },
        };
        if let Some(fault) = fault {
            verified.fault(fault);
        }
    }
    let mut miscounted = connection.prepare(
        "SELECT hash FROM blobs LEFT JOIN
             (SELECT blob, count(*) AS times FROM (SELECT raw AS blob FROM mails UNION ALL SELECT content FROM attachments UNION ALL SELECT content FROM requests)
              GROUP BY blob) USING (blob)
         WHERE refs <> coalesce(times, 0)",
    )?;
    for hash in miscounted.query_map([], |row| row.get(0))? {
        verified.fault(Fault::BlobMiscounted { hash: BlobHash::new(hash?).to_string() });
    }
    let mut texts = connection.prepare("SELECT blob FROM texts WHERE blob NOT IN (SELECT blob FROM blobs) ORDER BY blob")?;
    for number in texts.query_map([], |row| row.get(0))? {
        verified.fault(Fault::TextDangling { number: number? });
    }
    for hash in texts::altered(connection)? {
        verified.fault(Fault::TextAltered { hash: hash.to_string() });
    }
    Ok(())
}

/// What is to be indexed is, and nothing else.
fn index(connection: &Connection, verified: &mut Verified) -> Result<(), StoreError> {
    let mut wrong = BTreeSet::new();
    let mut should = connection.prepare(
        "SELECT entry FROM entries WHERE kind IN (?1, ?2) AND erased IS NULL AND popped IS NULL
             AND (entry & 0xffffffffff) < (SELECT next FROM indexed WHERE indexed.owner = entry >> 40)",
    )?;
    for key in should.query_map([rows::MAIL, rows::MESSAGE], |row| row.get(0))? {
        let key: i64 = key?;
        if !search::is_indexed(connection, key)? {
            wrong.insert(key);
        }
    }
    let mut is = connection.prepare(
        "SELECT id FROM search_docsize
         WHERE id NOT IN (SELECT entry FROM entries WHERE kind IN (?1, ?2) AND erased IS NULL AND popped IS NULL)",
    )?;
    wrong.extend(is.query_map([rows::MAIL, rows::MESSAGE], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?);
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
