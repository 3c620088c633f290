//! Erasing: what is selected, what goes with it, and that no byte of it is left.

use std::collections::BTreeSet;

use briefing::message::OwnerId;
use jiff::Timestamp;
use rusqlite::Transaction;

use super::ids::{OwnerKey, thread_id};
use super::time::micros;
use super::writer::Desk;
use super::{forks, read, rows, search, threads};
use crate::blobs::{BlobHash, Blobs};
use crate::{Forget, ForgetReport, StoreError};

/// Selects what is to be erased into the table `selected`, into `gone` the runs that go with it, into `dropped` the ids of scheduled
/// ones, and into `asked` the requests.
fn select(tx: &Transaction<'_>, owner: OwnerKey, what: &Forget) -> Result<(), StoreError> {
    tx.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS selected (entry INTEGER PRIMARY KEY);
         CREATE TEMP TABLE IF NOT EXISTS gone (run INTEGER PRIMARY KEY);
         CREATE TEMP TABLE IF NOT EXISTS asked (run INTEGER, number INTEGER, PRIMARY KEY (run, number)) WITHOUT ROWID;
         CREATE TEMP TABLE IF NOT EXISTS dropped (id TEXT PRIMARY KEY) WITHOUT ROWID;
         DELETE FROM selected; DELETE FROM gone; DELETE FROM asked; DELETE FROM dropped;",
    )?;
    let (first, last) = (owner.first(), owner.last());
    match what {
        Forget::Owner => {
            tx.execute(
                "INSERT INTO selected SELECT entry FROM entries WHERE entry BETWEEN ?1 AND ?2 AND erased IS NULL",
                [first, last],
            )?;
            tx.execute("INSERT INTO gone SELECT run FROM runs WHERE owner = ?1", [owner.0])?;
            tx.execute("INSERT INTO dropped SELECT id FROM scheduled WHERE owner = ?1", [owner.0])?;
        }
        Forget::Thread(thread) => {
            let found = threads::resolve(tx, owner, *thread)?;
            if Some(found) != owner.thread(*thread) {
                return Err(StoreError::Merged { thread: *thread, into: thread_id(found) });
            }
            select_thread(tx, found)?;
        }
        Forget::Before(time) => {
            // Rounds and outcomes go with their run, notices with their card, and edits with their message.
            tx.execute(
                "INSERT INTO selected SELECT entry FROM entries
                 WHERE entry BETWEEN ?1 AND ?2 AND erased IS NULL AND at < ?3 AND kind NOT IN (2, 3, 6, 12)",
                [first, last, micros(*time)],
            )?;
            tx.execute(
                "INSERT INTO gone SELECT run FROM runs WHERE owner = ?1 AND answers IS NULL AND last_at < ?2
                 AND EXISTS (SELECT 1 FROM rounds WHERE rounds.run = runs.run) AND NOT EXISTS (SELECT 1 FROM places WHERE places.run = runs.run)",
                [owner.0, micros(*time)],
            )?;
        }
        Forget::Requests(time) => {
            tx.execute(
                "INSERT INTO asked SELECT run, number FROM requests WHERE run BETWEEN ?1 AND ?2 AND at < ?3",
                [first, last, micros(*time)],
            )?;
        }
        Forget::Correspondent { address, whole_threads } => {
            let address = address.to_ascii_lowercase();
            for thread in threads_of(tx, owner, &address)? {
                if *whole_threads {
                    select_thread(tx, thread)?;
                } else {
                    select_mails(tx, thread, &address)?;
                }
            }
        }
    }
    complete(tx)?;
    // What is to be done by a run that goes is not begun again.
    tx.execute("INSERT OR IGNORE INTO dropped SELECT id FROM scheduled JOIN runs USING (owner, id) JOIN gone USING (run)", [])?;
    select_requests(tx)
}

/// What was asked for in a thread of which something goes, or in a fork that shows that, may hold it.
fn select_requests(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT OR IGNORE INTO asked
         WITH RECURSIVE touched (thread) AS (
             SELECT thread FROM members JOIN selected USING (entry)
             UNION SELECT thread FROM runs JOIN gone USING (run)
             UNION SELECT forks.thread FROM forks JOIN touched ON touched.thread = forks.parent)
         SELECT requests.run, requests.number FROM requests JOIN runs USING (run) JOIN touched USING (thread)",
        [],
    )?;
    Ok(())
}

fn threads_of(tx: &Transaction<'_>, owner: OwnerKey, address: &str) -> Result<Vec<i64>, StoreError> {
    let mut statement = tx.prepare_cached("SELECT thread FROM people WHERE address = ?1 AND thread BETWEEN ?2 AND ?3")?;
    let threads = statement.query_map((address, owner.first(), owner.last()), |row| row.get(0))?;
    Ok(threads.collect::<Result<_, _>>()?)
}

fn select_thread(tx: &Transaction<'_>, thread: i64) -> Result<(), StoreError> {
    tx.execute("INSERT OR IGNORE INTO selected SELECT entry FROM members WHERE thread = ?1 AND kind > 0", [thread])?;
    tx.execute("INSERT OR IGNORE INTO gone SELECT run FROM runs WHERE thread = ?1", [thread])?;
    tx.execute("INSERT OR IGNORE INTO dropped SELECT id FROM scheduled WHERE thread = ?1", [thread])?;
    Ok(())
}

fn select_mails(tx: &Transaction<'_>, thread: i64, address: &str) -> Result<(), StoreError> {
    let mut insert = tx.prepare_cached("INSERT OR IGNORE INTO selected VALUES (?1)")?;
    threads::each_mail(tx, thread, |mail| {
        if mail.people.iter().any(|person| person == address) {
            insert.execute([mail.entry])?;
        }
        Ok(())
    })
}

/// What goes with the selected: the runs that stand beside it, what those wrote, the notices of cards, and all versions of messages.
fn complete(tx: &Transaction<'_>) -> Result<(), StoreError> {
    const STEPS: [&str; 9] = [
        "INSERT OR IGNORE INTO gone SELECT places.run FROM places JOIN selected USING (entry)",
        "INSERT OR IGNORE INTO gone SELECT run FROM runs JOIN selected ON selected.entry = runs.answers",
        "INSERT OR IGNORE INTO selected SELECT rounds.entry FROM rounds JOIN gone USING (run)",
        "INSERT OR IGNORE INTO selected SELECT outcomes.entry FROM outcomes JOIN gone USING (run)",
        "INSERT OR IGNORE INTO selected SELECT cards.entry FROM cards JOIN gone ON gone.run = cards.run",
        "INSERT OR IGNORE INTO selected SELECT cards.notice FROM cards JOIN selected USING (entry) WHERE notice IS NOT NULL",
        "INSERT OR IGNORE INTO selected SELECT edits.message FROM edits JOIN selected USING (entry)",
        "INSERT OR IGNORE INTO selected SELECT edits.entry FROM edits JOIN selected ON selected.entry = edits.message",
        "DELETE FROM selected WHERE entry IN (SELECT entry FROM entries WHERE erased IS NOT NULL)",
    ];
    // A run may answer what another run wrote, or the notice of its card.
    loop {
        let count = || {
            tx.query_one("SELECT (SELECT count(*) FROM selected) + (SELECT count(*) FROM gone)", [], |row| row.get::<_, i64>(0))
        };
        let before = count()?;
        for step in STEPS {
            tx.execute(step, [])?;
        }
        if count()? == before {
            return Ok(());
        }
    }
}

/// Erases. The contents outside are only marked.
pub(super) fn erase(tx: &Transaction<'_>, owner: &OwnerId, what: &Forget, now: Timestamp) -> Result<ForgetReport, StoreError> {
    let Some(owner) = read::owner(tx, owner)? else { return what.of_nobody() };
    select(tx, owner, what)?;
    erase_selected(tx, owner, now)
}

fn erase_selected(tx: &Transaction<'_>, owner: OwnerKey, now: Timestamp) -> Result<ForgetReport, StoreError> {
    let mut report = ForgetReport::default();
    let count = |sql: &str| tx.query_one(sql, [], |row| Ok(row.get::<_, i64>(0)?.cast_unsigned()));
    let kinds = "SELECT coalesce(members.kind, entries.kind), count(*)
                 FROM entries JOIN selected USING (entry) LEFT JOIN members USING (entry) GROUP BY 1";
    for row in tx.prepare(kinds)?.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))? {
        let (code, count) = row?;
        // A card is counted as one, settled or not.
        if let Some(kind) = rows::kind(code) {
            *report.entries.entry(kind).or_default() += count.cast_unsigned();
        }
    }
    report.runs = count("SELECT count(*) FROM gone")?;
    report.scheduled = count("SELECT count(*) FROM dropped")?;
    report.requests = count("SELECT count(*) FROM asked")?;
    report.raw = count("SELECT count(*) FROM mails JOIN selected USING (entry) WHERE raw IS NOT NULL")?;
    report.attachments = count("SELECT count(*) FROM attachments JOIN selected USING (entry)")?;
    let affected = "SELECT DISTINCT thread FROM members JOIN selected USING (entry)
                    UNION SELECT DISTINCT thread FROM runs JOIN gone USING (run)";
    let affected = tx.prepare(affected)?.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
    for entry in selected(tx)? {
        report.searchable += u64::from(search::remove(tx, entry)?);
    }
    drop_blobs(tx, owner, &mut report)?;
    tx.execute_batch(
        "DELETE FROM mails WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM attachments WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM messages WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM edits WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM resets WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM cards WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM notices WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM rounds WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM outcomes WHERE entry IN (SELECT entry FROM selected);
         DELETE FROM requests WHERE (run, number) IN (SELECT run, number FROM asked);
         DELETE FROM leases WHERE run IN (SELECT run FROM gone);
         DELETE FROM steps WHERE run IN (SELECT run FROM gone);
         DELETE FROM calls WHERE run IN (SELECT run FROM gone);
         DELETE FROM places WHERE run IN (SELECT run FROM gone);
         DELETE FROM runs WHERE run IN (SELECT run FROM gone);
         UPDATE members SET kind = 0, agent = '' WHERE entry IN (SELECT entry FROM selected);",
    )?;
    tx.execute("DELETE FROM scheduled WHERE owner = ?1 AND id IN (SELECT id FROM dropped)", [owner.0])?;
    tx.execute("UPDATE entries SET erased = ?1 WHERE entry IN (SELECT entry FROM selected)", [micros(now)])?;
    for thread in affected {
        let left = close_thread(tx, thread)?;
        report.may_quote += left;
        report.threads += u64::from(left == 0);
    }
    Ok(report)
}

fn selected(tx: &Transaction<'_>) -> Result<Vec<i64>, StoreError> {
    let mut statement = tx.prepare("SELECT entry FROM selected")?;
    Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Takes the references of the selected from their contents; those that nobody refers to any more go, and what was read of them.
fn drop_blobs(tx: &Transaction<'_>, owner: OwnerKey, report: &mut ForgetReport) -> Result<(), StoreError> {
    tx.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS unreferred (blob INTEGER PRIMARY KEY, times INTEGER NOT NULL);
         DELETE FROM unreferred;
         INSERT INTO unreferred SELECT blob, count(*) FROM
             (SELECT raw AS blob FROM mails JOIN selected USING (entry) WHERE raw IS NOT NULL
              UNION ALL SELECT content FROM attachments JOIN selected USING (entry) WHERE content IS NOT NULL
              UNION ALL SELECT content FROM requests JOIN asked USING (run, number)) GROUP BY blob;
         UPDATE blobs SET refs = refs - times FROM unreferred WHERE unreferred.blob = blobs.blob;",
    )?;
    // Told is what the owner has, whatever others have: nobody is to learn what they keep.
    let counted = "WITH kept AS
                       (SELECT raw AS blob FROM mails WHERE entry BETWEEN ?1 AND ?2 AND entry NOT IN (SELECT entry FROM selected)
                        UNION SELECT content FROM attachments
                        WHERE entry BETWEEN ?1 AND ?2 AND entry NOT IN (SELECT entry FROM selected)
                        UNION SELECT content FROM requests
                        WHERE run BETWEEN ?1 AND ?2 AND (run, number) NOT IN (SELECT run, number FROM asked))
                   SELECT count(kept.blob), count(*) - count(kept.blob), coalesce(sum(size) FILTER (WHERE kept.blob IS NULL), 0)
                   FROM unreferred JOIN blobs USING (blob) LEFT JOIN kept USING (blob)";
    let counted: (i64, i64, i64) =
        tx.query_one(counted, [owner.first(), owner.last()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let (shared, gone, bytes) = counted;
    (report.shared_blobs, report.blobs) = (shared.cast_unsigned(), gone.cast_unsigned());
    report.blob_bytes = bytes.cast_unsigned();
    tx.execute_batch(
        "INSERT OR IGNORE INTO doomed SELECT hash FROM blobs JOIN unreferred USING (blob) WHERE refs = 0 AND data IS NULL;
         DELETE FROM texts WHERE blob IN (SELECT blob FROM blobs JOIN unreferred USING (blob) WHERE refs = 0);
         DELETE FROM blobs WHERE refs = 0 AND blob IN (SELECT blob FROM unreferred);",
    )?;
    Ok(())
}

/// Brings what is kept of a thread in line with what is left of it; how much that is.
fn close_thread(tx: &Transaction<'_>, thread: i64) -> Result<u64, StoreError> {
    threads::recount(tx, thread)?;
    threads::recount_mails(tx, thread)?;
    let left: i64 = tx.query_one("SELECT count(*) FROM members WHERE thread = ?1 AND kind > 0", [thread], |row| row.get(0))?;
    if left == 0 {
        // The numbers that a fork gives go on from those of its parent.
        if !forks::is_forked(tx, thread)? {
            tx.execute("DELETE FROM call_ids WHERE thread = ?1", [thread])?;
        }
        tx.execute("DELETE FROM anchors WHERE thread = ?1", [thread])?;
    }
    Ok(left.cast_unsigned())
}

/// Writes the search index and the database anew, empties its log, and deletes the contents outside that nothing refers to.
pub(super) fn scrub(desk: &mut Desk) -> Result<(), StoreError> {
    desk.transact(|tx, blobs, _| {
        search::rewrite(tx)?;
        sweep(tx, blobs)
    })?;
    // Balancing a tree can leave old bytes between the rows of a page: only a page that is written anew has none.
    // The copy that is made for it may be larger than the memory.
    desk.connection.execute_batch("PRAGMA temp_store = FILE")?;
    let written = desk.connection.execute_batch("VACUUM");
    desk.connection.execute_batch("PRAGMA temp_store = MEMORY")?;
    written?;
    let busy: i64 = desk.connection.query_one("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy == 0 { Ok(()) } else { Err(StoreError::Locked) }
}

/// Deletes what lies outside without a row. The database is locked for writing, so nobody is putting a content there now.
pub(super) fn sweep(tx: &Transaction<'_>, blobs: &dyn Blobs) -> Result<(), StoreError> {
    let failed = |source| StoreError::Io { what: "a forgotten content cannot be deleted".to_owned(), source };
    let mut known = tx.prepare("SELECT 1 FROM blobs WHERE hash = ?1 AND data IS NULL")?;
    let mut unreferred: BTreeSet<BlobHash> = BTreeSet::new();
    for hash in blobs.sweep().map_err(failed)? {
        if !known.exists([hash.as_bytes()])? {
            unreferred.insert(hash);
        }
    }
    let mut doomed = tx.prepare("SELECT hash FROM doomed")?;
    for hash in doomed.query_map([], |row| row.get(0))? {
        let hash = BlobHash::new(hash?);
        if !known.exists([hash.as_bytes()])? {
            unreferred.insert(hash);
        }
    }
    for hash in unreferred {
        blobs.delete(hash).map_err(failed)?;
    }
    tx.execute("DELETE FROM doomed", [])?;
    Ok(())
}
