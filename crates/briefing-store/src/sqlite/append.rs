//! Appending: entries get their number, their time and their thread here.

use std::cell::RefCell;

use briefing::log::{Arrival, Attachment, AttachmentId, Card, Mail, MessageId, Place, Settled};
use briefing::message::{EntryId, OwnerId};
use briefing_mail::{Known, Placement, place};
use rusqlite::{OptionalExtension, Transaction};

use super::ids::{OWNERS, OwnerKey, entry_id, thread_id};
use super::rows::{self, MailRow};
use super::threads::limit;
use super::time::{micros, timestamp};
use super::{answers, back, chat, forks, leases, runs, threads};
use crate::blobs::{BlobHash, Blobs};
use crate::{Append, Appended, By, Content, Expected, Fate, Key, NewMail, Role, StoreError, Target};

/// One owner's log while it is written to: its counters, kept until the end of the transaction.
pub(super) struct Log<'t> {
    pub(super) tx: &'t Transaction<'t>,
    pub(super) owner: OwnerKey,
    entries: u64,
    threads: u64,
    last_at: Option<i64>,
}

/// Where an entry belongs, and what its coming changes there.
struct Home {
    thread: i64,
    /// Threads that become one with it.
    merges: Vec<i64>,
    /// Message-IDs that it waits for from now on.
    awaits: Vec<MessageId>,
    /// Who takes part in it from now on.
    people: Vec<String>,
    /// The time of what it is a new version of.
    not_before: i64,
}

/// A content with its hash, which is taken once.
#[derive(Clone, Copy)]
pub(super) struct Hashed<'c> {
    pub(super) hash: BlobHash,
    content: &'c [u8],
}

impl<'c> Hashed<'c> {
    pub(super) fn new(content: &'c [u8]) -> Self {
        Self { hash: BlobHash::of(content), content }
    }
}

/// Where large contents go.
pub(super) struct Shelf<'b> {
    pub(super) blobs: &'b dyn Blobs,
    /// The size from which on a content is large.
    pub(super) from: usize,
    /// The large ones that were put by this write.
    pub(super) put: &'b RefCell<Vec<BlobHash>>,
}

impl<'t> Log<'t> {
    /// The log of that owner, which is new if nothing was ever written.
    pub(super) fn open(tx: &'t Transaction<'t>, owner: &OwnerId) -> Result<Self, StoreError> {
        if let Some(log) = Self::find(tx, owner)? {
            return Ok(log);
        }
        tx.prepare_cached("INSERT INTO owners (name) VALUES (?1)")?.execute([owner.as_str()])?;
        let new = Self::find(tx, owner)?.filter(|log| log.owner.0 <= OWNERS);
        new.ok_or(StoreError::TooMany { what: "owners" })
    }

    /// The log of that owner, if anything was ever written.
    pub(super) fn find(tx: &'t Transaction<'t>, owner: &OwnerId) -> Result<Option<Self>, StoreError> {
        let mut statement = tx.prepare_cached("SELECT owner, entries, threads, last_at FROM owners WHERE name = ?1")?;
        let found = statement.query_one([owner.as_str()], |row| {
            Ok(Self {
                tx,
                owner: OwnerKey(row.get(0)?),
                entries: row.get::<_, i64>(1)?.cast_unsigned(),
                threads: row.get::<_, i64>(2)?.cast_unsigned(),
                last_at: row.get(3)?,
            })
        });
        Ok(found.optional()?)
    }

    /// Keeps the counters.
    pub(super) fn close(self) -> Result<(), StoreError> {
        let mut statement =
            self.tx.prepare_cached("UPDATE owners SET entries = ?2, threads = ?3, last_at = ?4 WHERE owner = ?1")?;
        statement.execute((self.owner.0, self.entries.cast_signed(), self.threads.cast_signed(), self.last_at))?;
        Ok(())
    }

    /// Opens a thread.
    pub(super) fn open_thread(&mut self) -> Result<i64, StoreError> {
        let thread = self.owner.key(self.threads).ok_or(StoreError::TooMany { what: "threads" })?;
        self.threads += 1;
        self.tx.prepare_cached("INSERT INTO threads (thread, owner) VALUES (?1, ?2)")?.execute((thread, self.owner.0))?;
        Ok(thread)
    }

    /// The number of the next entry.
    pub(super) fn next_entry(&self) -> Option<i64> {
        self.owner.key(self.entries)
    }

    /// Gives an entry its number, and its place in a thread: as a member of that kind, and that agent's.
    pub(super) fn push(
        &mut self,
        thread: i64,
        at: i64,
        (kind, agent): (i64, &str),
        hash: &[u8; 32],
    ) -> Result<i64, StoreError> {
        let entry = self.owner.key(self.entries).ok_or(StoreError::TooMany { what: "entries" })?;
        self.entries += 1;
        self.last_at = Some(at);
        self.tx.prepare_cached("INSERT INTO entries (entry, at, kind, hash) VALUES (?1, ?2, ?3, ?4)")?.execute((
            entry,
            at,
            rows::of_entry(kind),
            hash,
        ))?;
        self.tx
            .prepare_cached("INSERT INTO members (thread, at, entry, kind, agent) VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute((thread, at, entry, kind, agent))?;
        self.tx
            .prepare_cached(
                "UPDATE threads SET entries = entries + 1, head = ?2, newest = max(coalesce(newest, ?3), ?3) WHERE thread = ?1",
            )?
            .execute((thread, entry, at))?;
        Ok(entry)
    }

    /// Appends what a caller gives, if its conditions hold.
    pub(super) fn append(&mut self, append: Append, shelf: &Shelf<'_>) -> Result<Appended, StoreError> {
        if let Some(key) = &append.key
            && let Some(before) = self.by_key(key.as_bytes())?
        {
            return Ok(before);
        }
        let by = append.by.as_ref().map(|by| self.author(by)).transpose()?;
        let own = self.effective_time(&append)?.max(by.as_ref().map_or(i64::MIN, |(run, _)| run.last_at()));
        let home = self.home(&append, by.as_ref().map(|(run, _)| run.thread))?;
        let at = own.max(home.not_before);
        // A clock that jumps back undoes no reset.
        let at = if matches!(append.content, Content::Reset(_)) { at.max(self.newest(home.thread)?) } else { at };
        if let Expected::Head(expected) = append.expected {
            self.check_head(home.thread, expected)?;
        }
        let thread = home.thread;
        let (entry, fate) = match append.content {
            Content::Mail(mail) => self.mail(*mail, home, at, shelf)?,
            Content::Message(message) => (self.message(&message, thread, at, shelf)?, Fate::NEW),
            Content::Card(card) => (self.card(&card, thread, at)?, Fate::NEW),
            Content::Reset(reset) => (self.reset(&reset, thread, at)?, Fate::NEW),
            Content::Edit(edit) => (self.edit(&edit, thread, at)?, Fate::NEW),
        };
        if let Some((run, role)) = by {
            runs::wrote_at(self, &run, entry, at)?;
            match role {
                Role::Note => {}
                Role::Answer => answers::record(self, &run, entry)?,
            }
        }
        if let Some(key) = &append.key {
            self.keep_key(key, entry)?;
        }
        Ok(Appended { place: Place { at: timestamp(at), entry: entry_id(entry) }, thread: thread_id(thread), fate })
    }

    /// The run that writes, and as what, if it may.
    fn author(&self, by: &By) -> Result<(runs::Found, Role), StoreError> {
        let run = leases::writes(self, &by.writer)?;
        match by.role {
            Role::Note => {}
            Role::Answer => answers::has_none(self, &by.writer.run)?,
        }
        Ok((run, by.role))
    }

    fn by_key(&self, key: &[u8; 32]) -> Result<Option<Appended>, StoreError> {
        let mut statement = self.tx.prepare_cached(
            "SELECT entries.entry, entries.at, members.thread FROM keys JOIN entries USING (entry) JOIN members USING (entry)
             WHERE keys.owner = ?1 AND keys.key = ?2",
        )?;
        let found = statement.query_one((self.owner.0, key), |row| {
            Ok(Appended {
                place: Place { at: timestamp(row.get(1)?), entry: entry_id(row.get(0)?) },
                thread: thread_id(row.get(2)?),
                fate: Fate::Before,
            })
        });
        Ok(found.optional()?)
    }

    /// Where it belongs. A mail takes part there in any case; only where its references lead, threads become one.
    fn home(&mut self, append: &Append, run: Option<i64>) -> Result<Home, StoreError> {
        let none = || Placement { thread: None, merges: Vec::new(), awaits: Vec::new(), people: Vec::new() };
        let mut not_before = i64::MIN;
        let mut given = append.thread;
        let placement = match &append.content {
            Content::Mail(mail) => place(&mail.mail, &mut Directory { tx: self.tx, owner: self.owner })?,
            Content::Message(_) | Content::Card(_) | Content::Reset(_) => none(),
            Content::Edit(edit) => {
                let (thread, at) = chat::editable(self, edit.of)?;
                (given, not_before) = (Target::Referred, at);
                Placement { thread: Some(thread), ..none() }
            }
        };
        let Placement { thread, merges, awaits, people } = placement;
        // What a run says stands where the run is.
        let own = run.filter(|_| matches!(append.content, Content::Message(_) | Content::Card(_)));
        let (thread, merges) = match (own, given, thread) {
            (Some(own), _, _) => (own, Vec::new()),
            // Who says where a mail belongs is believed.
            (None, Target::Thread(given), _) => (threads::resolve(self.tx, self.owner, given)?, Vec::new()),
            (None, Target::Referred, Some(thread)) => (thread, merges),
            (None, Target::Referred, None) => (self.open_thread()?, merges),
        };
        Ok(Home { thread, merges, awaits, people, not_before })
    }

    fn check_head(&self, thread: i64, expected: Option<EntryId>) -> Result<(), StoreError> {
        let found: Option<i64> =
            self.tx.prepare_cached("SELECT head FROM threads WHERE thread = ?1")?.query_one([thread], |row| row.get(0))?;
        let found = found.map(entry_id);
        if found == expected { Ok(()) } else { Err(StoreError::Moved { thread: thread_id(thread), expected, found }) }
    }

    /// The time of what arrives, or of a mail its own date, but not before what it answers (design invariant 10).
    fn effective_time(&self, append: &Append) -> Result<i64, StoreError> {
        let mail = match &append.content {
            Content::Mail(mail) => Some(&mail.mail),
            Content::Message(_) | Content::Card(_) | Content::Reset(_) | Content::Edit(_) => None,
        };
        let own = match append.arrival {
            Arrival::Live(now) => micros(now),
            Arrival::Imported(now) => {
                // No date: the place where it stood in the import.
                let date = mail.and_then(|mail| mail.date).map(micros);
                let before = || self.last_at.unwrap_or(micros(jiff::Timestamp::MIN));
                date.unwrap_or_else(before).min(micros(now))
            }
        };
        let mut at = own;
        for id in mail.into_iter().flat_map(answered) {
            if let Some((answered, _)) = first_of(self.tx, self.owner, id)? {
                at = at.max(answered);
            }
        }
        Ok(at)
    }

    /// The time of the newest entry that a thread shows.
    fn newest(&self, thread: i64) -> Result<i64, StoreError> {
        let newest = back::walk(self.tx, &forks::reach(self.tx, thread)?, &back::Walk::over(&rows::LIVING, 1))?;
        Ok(newest.first().map_or(i64::MIN, |member| member.at))
    }

    fn card(&mut self, card: &Card, thread: i64, at: i64) -> Result<i64, StoreError> {
        let body = rows::card_json(card);
        let hash = rows::hash(rows::CARD, &[Some(body.as_bytes())]);
        let entry = self.push(thread, at, (rows::OPEN_CARD, ""), &hash)?;
        let run = match &card.run {
            Some(run) => runs::find(self.tx, self.owner, run)?.map(|run| run.key),
            None => None,
        };
        self.tx.prepare_cached("INSERT INTO cards (entry, run, body) VALUES (?1, ?2, ?3)")?.execute((entry, run, body))?;
        Ok(entry)
    }

    fn mail(&mut self, new: NewMail, home: Home, at: i64, shelf: &Shelf<'_>) -> Result<(i64, Fate), StoreError> {
        let Home { thread, merges, awaits, people, .. } = home;
        let raw = new.raw.as_deref().map(Hashed::new);
        let files: Vec<Option<Hashed<'_>>> = new.mail.attachments.iter().map(|file| content_of(&new.files, file)).collect();
        let first = match &new.mail.message_id {
            Some(id) => first_of(self.tx, self.owner, id)?.map(|(_, entry)| entry),
            None => None,
        };
        let reused = match first {
            Some(first) if !self.is_raw_of(first, raw.as_ref())? => Some(entry_id(first)),
            _ => None,
        };
        let merges = self.merge(merges, thread)?;
        let row = MailRow::new(&new.mail);
        let hashes: Vec<Option<BlobHash>> = files.iter().map(|file| file.map(|file| file.hash)).collect();
        let hash = row.hash(&new.mail.attachments, raw.as_ref().map(|raw| &raw.hash), &hashes);
        let entry = self.push(thread, at, (rows::MAIL, ""), &hash)?;
        let raw = raw.map(|raw| shelf.keep(self.tx, raw)).transpose()?;
        self.keep_mail(entry, &row, new.mail.attachments.len(), raw)?;
        for (position, (attachment, file)) in new.mail.attachments.iter().zip(files).enumerate() {
            let content = file.map(|file| shelf.keep(self.tx, file)).transpose()?;
            self.keep_attachment(entry, position, attachment, content)?;
        }
        threads::take_part(self.tx, thread, &people)?;
        threads::waits(self.tx, self.owner, thread, &awaits)?;
        if let Some(id) = &new.mail.message_id {
            threads::arrived(self.tx, self.owner, id)?;
        }
        Ok((entry, Fate::New { merged: merges.into_iter().map(thread_id).collect(), reused }))
    }

    /// Makes one thread of those, but for those of which a fork would read something else then; gives the merged ones.
    fn merge(&self, merges: Vec<i64>, into: i64) -> Result<Vec<i64>, StoreError> {
        let mut merged = Vec::with_capacity(merges.len());
        for from in merges {
            match forks::may_merge(self.tx, from, into) {
                Ok(()) => merged.push(from),
                Err(StoreError::Forked { .. }) => continue,
                Err(error) => return Err(error),
            }
            threads::merge(self.tx, from, into)?;
        }
        Ok(merged)
    }

    /// Whether a mail came with just these bytes.
    fn is_raw_of(&self, entry: i64, raw: Option<&Hashed<'_>>) -> Result<bool, StoreError> {
        let Some(raw) = raw else { return Ok(false) };
        let mut same = self.tx.prepare_cached("SELECT 1 FROM mails JOIN blobs ON blob = raw WHERE entry = ?1 AND hash = ?2")?;
        Ok(same.exists((entry, raw.hash.as_bytes()))?)
    }

    fn keep_mail(&self, entry: i64, row: &MailRow, attachments: usize, raw: Option<i64>) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO mails (entry, owner, direction, message_id, in_reply_to, refs, date, sender, recipients, copies,
                 subject, body, attachments, raw) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
            )?
            .execute(rusqlite::params![
                entry,
                self.owner.0,
                row.direction,
                row.message_id,
                row.in_reply_to,
                row.refs,
                row.date,
                row.sender,
                row.recipients,
                row.copies,
                row.subject,
                row.body,
                limit(attachments),
                raw,
            ])?;
        Ok(())
    }

    /// Keeps an attachment of a mail or a message.
    pub(super) fn keep_attachment(
        &self,
        entry: i64,
        position: usize,
        file: &Attachment,
        content: Option<i64>,
    ) -> Result<(), StoreError> {
        self.tx
            .prepare_cached(
                "INSERT INTO attachments (entry, position, id, filename, media_type, size, inline, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(rusqlite::params![
                entry,
                limit(position),
                file.id.as_str(),
                file.filename,
                file.media_type,
                file.size.map(u64::cast_signed),
                file.inline,
                content,
            ])?;
        Ok(())
    }

    /// Keeps an idempotency key.
    pub(super) fn keep_key(&self, key: &Key, entry: i64) -> Result<(), StoreError> {
        self.tx.prepare_cached("INSERT INTO keys (owner, key, entry) VALUES (?1, ?2, ?3)")?.execute((
            self.owner.0,
            key.as_bytes(),
            entry,
        ))?;
        Ok(())
    }

    /// Appends the notice of a card.
    pub(super) fn notice(
        &mut self,
        thread: i64,
        card: i64,
        settled: Settled,
        language: Option<&str>,
        at: i64,
    ) -> Result<i64, StoreError> {
        let name = settled.name();
        let hash = rows::notice_hash(card, name, language);
        let entry = self.push(thread, at, (rows::NOTICE, ""), &hash)?;
        self.tx
            .prepare_cached("INSERT INTO notices (entry, card, settled, language) VALUES (?1, ?2, ?3, ?4)")?
            .execute((entry, card, name, language))?;
        Ok(entry)
    }
}

impl Shelf<'_> {
    /// Keeps a content once, however often it comes; gives its row. A large one is outside and safe before its row is; if it was
    /// lost there, it is mended.
    pub(super) fn keep(&self, tx: &Transaction<'_>, Hashed { hash, content }: Hashed<'_>) -> Result<i64, StoreError> {
        let known: Option<(i64, bool)> = tx
            .prepare_cached("UPDATE blobs SET refs = refs + 1 WHERE hash = ?1 RETURNING blob, data IS NULL")?
            .query_one([hash.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let inside = known.map_or(content.len() < self.from, |(_, outside)| !outside);
        if !inside {
            if known.is_none() {
                self.put.borrow_mut().push(hash);
            }
            self.blobs.put(hash, content).map_err(|source| match source.kind() {
                std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StoreError::Full,
                _ => StoreError::Io { what: format!("the content {hash} cannot be written"), source },
            })?;
        }
        if let Some((blob, _)) = known {
            return Ok(blob);
        }
        tx.prepare_cached("DELETE FROM doomed WHERE hash = ?1")?.execute([hash.as_bytes()])?;
        tx.prepare_cached("INSERT INTO blobs (hash, size, refs, data) VALUES (?1, ?2, 1, ?3)")?.execute((
            hash.as_bytes(),
            limit(content.len()),
            inside.then_some(content),
        ))?;
        Ok(tx.last_insert_rowid())
    }
}

/// The ids of the mails that a mail answers.
fn answered(mail: &Mail) -> impl Iterator<Item = &MessageId> {
    let last = mail.references.last().filter(|last| !mail.in_reply_to.contains(last));
    mail.in_reply_to.iter().chain(last)
}

/// The content that came with an attachment.
pub(super) fn content_of<'n>(files: &'n [(AttachmentId, Vec<u8>)], file: &Attachment) -> Option<Hashed<'n>> {
    files.iter().find(|(id, _)| *id == file.id).map(|(_, content)| Hashed::new(content))
}

/// The first mail of that Message-ID: its time and its entry.
pub(super) fn first_of(tx: &Transaction<'_>, owner: OwnerKey, id: &MessageId) -> Result<Option<(i64, i64)>, StoreError> {
    let mut statement = tx.prepare_cached(
        "SELECT entries.at, entries.entry FROM mails JOIN entries USING (entry)
         WHERE mails.owner = ?1 AND mails.message_id = ?2 ORDER BY mails.entry LIMIT 1",
    )?;
    Ok(statement.query_one((owner.0, id.as_str()), |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// What threading asks about the mails that came before.
struct Directory<'t> {
    tx: &'t Transaction<'t>,
    owner: OwnerKey,
}

impl Known for Directory<'_> {
    type Thread = i64;
    type Error = StoreError;

    fn thread_of(&mut self, id: &MessageId) -> Result<Option<i64>, StoreError> {
        let mut statement = self.tx.prepare_cached(
            "SELECT members.thread FROM mails JOIN members USING (entry)
             WHERE mails.owner = ?1 AND mails.message_id = ?2 ORDER BY mails.entry LIMIT 1",
        )?;
        Ok(statement.query_one((self.owner.0, id.as_str()), |row| row.get(0)).optional()?)
    }

    fn waiting_for(&mut self, id: &MessageId) -> Result<Vec<i64>, StoreError> {
        let mut statement = self
            .tx
            .prepare_cached("SELECT thread FROM awaited WHERE owner = ?1 AND message_id = ?2 ORDER BY thread LIMIT 1000")?;
        let threads = statement.query_map((self.owner.0, id.as_str()), |row| row.get(0))?;
        Ok(threads.collect::<Result<_, _>>()?)
    }

    fn admits(&mut self, thread: i64, people: &[String]) -> Result<bool, StoreError> {
        let mut one = self.tx.prepare_cached("SELECT 1 FROM people WHERE thread = ?1 AND address = ?2")?;
        for address in people {
            if one.exists((thread, address))? {
                return Ok(true);
            }
        }
        Ok(!self.tx.prepare_cached("SELECT 1 FROM people WHERE thread = ?1 LIMIT 1")?.exists([thread])?)
    }
}
