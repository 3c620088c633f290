//! Mail from mailboxes into a log, and which mail of it is answered.
//!
//! Mailboxes are read twice. The first reading keeps of each mail what threads are made of, without its text; the second
//! reads the one thread that is told, and the files of the mail that is answered. So memory follows the thread, and not the
//! mailbox.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::Inbound;
use briefing::log::{Arrival, Delivery, Direction, Entry, LogError, Mail, MemoryLog, MessageId, OwnerLog};
use briefing::message::{OwnerId, ThreadId};
use briefing_mail::{MailboxError, RawMessage, Source, ThreadIndex};
use jiff::Timestamp;

use crate::error::{Failure, Kind};
use crate::input::notes::Note;
use crate::output::count;

/// What is read, and for whom.
pub(crate) struct Wanted<'a> {
    pub(crate) paths: &'a [PathBuf],
    /// The mail that is answered; none is the newest inbound.
    pub(crate) message: Option<&'a MessageId>,
    /// The persona's address; empty if nobody knows.
    pub(crate) address: &'a str,
    pub(crate) owner: &'a OwnerId,
    pub(crate) now: Timestamp,
}

/// A log with the mail that is answered.
pub(crate) struct Imported {
    pub(crate) log: OwnerLog,
    pub(crate) current: Inbound,
    /// How many mails were read.
    pub(crate) mails: usize,
    /// How many threads they make.
    pub(crate) threads: usize,
    pub(crate) notes: Vec<Note>,
}

/// Reads the mailboxes.
pub(crate) fn import(wanted: &Wanted<'_>) -> Result<Imported, Failure> {
    let mut archive = Archive::read(wanted)?;
    let threads = archive.threads();
    let (log, entries) = archive.append(&threads, &OwnerId::default(), wanted.now).map_err(internal)?;
    let chosen = archive.choose(wanted, &entries)?;
    drop(log);
    let thread = threads.get(chosen).copied();
    let files = archive.fill(|at| threads.get(at).copied() == thread, chosen);
    let (log, entries) = archive.append(&threads, wanted.owner, wanted.now).map_err(internal)?;
    files.into_iter().for_each(|(id, bytes)| log.put_file(id, bytes));
    let current = entries.get(chosen).and_then(|entry| Inbound::new(Arc::clone(entry), log.thread_of(entry.id)?));
    let current = current.ok_or_else(|| Failure::new(Kind::Internal, "the mail that is answered is not in the log"))?;
    let count = threads.iter().collect::<HashSet<_>>().len();
    Ok(Imported { log, current, mails: archive.mails.len(), threads: count, notes: archive.notes })
}

fn internal(error: LogError) -> Failure {
    Failure::new(Kind::Internal, error.to_string())
}

/// The mails in the order they were read, without their text.
struct Archive {
    mails: Vec<Mail>,
    sources: Vec<Source>,
    notes: Vec<Note>,
}

impl Archive {
    fn read(wanted: &Wanted<'_>) -> Result<Self, Failure> {
        let mut archive = Self { mails: Vec::new(), sources: Vec::new(), notes: Vec::new() };
        let mut hashes = HashSet::new();
        let mut ids = HashSet::new();
        let mut first_error = None;
        let mut duplicates: Option<(Source, usize)> = None;
        for raw in briefing_mail::read_all(wanted.paths) {
            match raw {
                Ok(raw) if hashes.insert(blake3::hash(&raw.bytes)) => archive.add(&raw, wanted.address, &mut ids),
                Ok(raw) => duplicates.get_or_insert((raw.source, 0)).1 += 1,
                Err(error) => {
                    first_error.get_or_insert_with(|| error.clone());
                    archive.notes.push(Note::Unreadable(error));
                }
            }
        }
        archive.notes.extend(duplicates.map(|(first, count)| Note::Duplicates { first, count }));
        match first_error {
            Some(error) if archive.mails.is_empty() => Err(unreadable(&error, archive.notes.len())),
            _ if archive.mails.is_empty() => Err(Failure::new(Kind::Data, "there is no mail in what was given")),
            _ => Ok(archive),
        }
    }

    fn add(&mut self, raw: &RawMessage, address: &str, ids: &mut HashSet<MessageId>) {
        let parsed = raw.parse();
        let mut mail = parsed.mail;
        mark_direction(&mut mail, address);
        let source = || raw.source.clone();
        self.notes.extend(parsed.findings.into_iter().map(|finding| Note::Message { source: source(), finding }));
        if let Some(id) = &mail.message_id
            && !ids.insert(id.clone())
        {
            self.notes.push(Note::SharedId { source: source(), id: id.clone() });
        }
        mail.body = None;
        mail.attachments.clear();
        self.mails.push(mail);
        self.sources.push(source());
    }

    fn threads(&self) -> Vec<ThreadIndex> {
        briefing_mail::group(&self.mails.iter().collect::<Vec<_>>())
    }

    /// Appends every mail to a fresh log of that owner, each to its thread.
    fn append(
        &self,
        threads: &[ThreadIndex],
        owner: &OwnerId,
        now: Timestamp,
    ) -> Result<(OwnerLog, Vec<Arc<Entry>>), LogError> {
        let log = MemoryLog::default().owner(owner);
        let mut opened: HashMap<ThreadIndex, ThreadId> = HashMap::new();
        let entries = self.mails.iter().zip(threads).map(|(mail, thread)| {
            let thread = *opened.entry(*thread).or_insert_with(|| log.new_thread());
            log.append_mail(thread, mail.clone(), Arrival::Imported(now))
        });
        let entries = entries.collect::<Result<_, _>>()?;
        Ok((log, entries))
    }

    /// Which mail is answered: the one asked for, or the newest inbound.
    fn choose(&self, wanted: &Wanted<'_>, entries: &[Arc<Entry>]) -> Result<usize, Failure> {
        if let Some(id) = wanted.message {
            let found = self.mails.iter().position(|mail| mail.message_id.as_ref() == Some(id));
            return found.ok_or_else(|| self.not_found(id));
        }
        let inbound = self.mails.iter().zip(entries).enumerate().filter(|(_, (mail, _))| mail.direction == Direction::Inbound);
        let newest = inbound.max_by_key(|(_, (_, entry))| entry.place()).map(|(at, _)| at);
        newest.ok_or_else(|| {
            let none = match self.mails.len() {
                1 => "the one message is not inbound".to_owned(),
                many => format!("none of the {many} messages is inbound"),
            };
            Failure::new(Kind::Data, none)
                .hint("choose the one that is answered with --message, or check the persona's address")
        })
    }

    fn not_found(&self, id: &MessageId) -> Failure {
        let known = self.mails.iter().filter_map(|mail| mail.message_id.as_ref());
        let near: Vec<String> = known.clone().filter(|known| is_near(id, known)).take(3).map(MessageId::to_string).collect();
        let failure = Failure::new(Kind::NoInput, format!("no message has the id {id}"));
        if near.is_empty() {
            let counts = (self.mails.len(), known.count());
            let read = if counts.0 == 1 { "1 message was read".to_owned() } else { format!("{} messages were read", counts.0) };
            return failure.hint(format!("{read}, {} with a Message-ID", counts.1));
        }
        failure.hint(format!("near it are {}", near.join(", ")))
    }

    /// Reads the text of the mails that `takes` names, and gives the files of the mail at `chosen`.
    fn fill(&mut self, takes: impl Fn(usize) -> bool, chosen: usize) -> Vec<(briefing::log::AttachmentId, Vec<u8>)> {
        let mut by_file: HashMap<&Path, HashMap<u64, usize>> = HashMap::new();
        for (at, source) in self.sources.iter().enumerate().filter(|(at, _)| takes(*at)) {
            by_file.entry(&source.path).or_default().insert(source.number, at);
        }
        let mut files = Vec::new();
        let mut gone = Vec::new();
        for (path, mut numbers) in by_file {
            let messages = briefing_mail::read(path).into_iter().flatten().flatten();
            for raw in messages {
                let Some(at) = numbers.remove(&raw.source.number) else { continue };
                let parsed = raw.parse();
                if let Some(mail) = self.mails.get_mut(at) {
                    mail.body = parsed.mail.body;
                    mail.attachments = parsed.mail.attachments;
                }
                if at == chosen {
                    files = parsed.files;
                }
                if numbers.is_empty() {
                    break;
                }
            }
            gone.extend(numbers.into_values());
        }
        gone.sort_unstable();
        let gone = gone.into_iter().filter_map(|at| self.sources.get(at).cloned());
        self.notes.extend(gone.map(|source| Note::Gone { source }));
        files
    }
}

/// Which way a mail went. What the persona wrote went out; so did what somebody of its domain wrote, unless it is addressed to
/// the persona itself. A From is easily forged, so this is for an archive of one's own.
pub(crate) fn mark_direction(mail: &mut Mail, address: &str) {
    briefing_mail::mark_outbound(mail, address);
    let domain = |email: &str| email.rsplit_once('@').map(|(_, domain)| domain.to_ascii_lowercase());
    let own = domain(address).filter(|own| !own.is_empty());
    let author = mail.from.first().and_then(|author| domain(&author.email));
    let addressed = mail.to.iter().any(|to| to.same_mailbox(address));
    if own.is_some() && own == author && !addressed {
        mail.direction = Direction::Outbound(Delivery::Sent);
    }
}

/// Whether the user may have meant `known`.
fn is_near(asked: &MessageId, known: &MessageId) -> bool {
    let (asked, known) = (asked.as_str().to_lowercase(), known.as_str().to_lowercase());
    let shared = asked.chars().zip(known.chars()).take_while(|(one, other)| one == other).count();
    known.contains(&asked) || asked.contains(&known) || shared >= 8
}

/// What ends an import of which nothing could be read.
pub(crate) fn unreadable(error: &MailboxError, faults: usize) -> Failure {
    let kind = match error {
        MailboxError::NotFound { .. } => Kind::NoInput,
        MailboxError::Unreadable { kind: std::io::ErrorKind::PermissionDenied, .. } => Kind::NoInput,
        MailboxError::Unreadable { .. } => Kind::Io,
        MailboxError::Empty { .. }
        | MailboxError::NoMail { .. }
        | MailboxError::Truncated { .. }
        | MailboxError::TooDeep { .. } => Kind::Data,
    };
    let more = match faults {
        0 | 1 => String::new(),
        many => format!(" (and {}; no message could be read)", count(many - 1, "more fault")),
    };
    Failure::new(kind, format!("{error}{more}")).hint(as_hint(error.hint()))
}

/// A sentence as hints are written here: without a capital and a full stop.
fn as_hint(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing::log::Address;

    fn direction(from: &str, to: &str, persona: &str) -> Direction {
        let mut mail = Mail { from: vec![Address::new(from)], to: vec![Address::new(to)], ..Mail::default() };
        mark_direction(&mut mail, persona);
        mail.direction
    }

    #[test]
    fn direction_is_told_by_the_personas_address_and_domain() {
        let out = Direction::Outbound(Delivery::Sent);
        assert_eq!(direction("Sundae@scoop.example", "ines@cafe.example", "sundae@scoop.example"), out);
        assert_eq!(direction("mara@Scoop.example", "ines@cafe.example", "sundae@scoop.example"), out);
        assert_eq!(direction("mara@scoop.example", "sundae@scoop.example", "sundae@scoop.example"), Direction::Inbound);
        assert_eq!(direction("ines@cafe.example", "sundae@scoop.example", "sundae@scoop.example"), Direction::Inbound);
        assert_eq!(direction("mara", "x", ""), Direction::Inbound);
        assert_eq!(direction("", "", ""), Direction::Inbound);
    }

    #[test]
    fn near_ids_share_a_beginning_or_hold_one_another() {
        let near = |asked: &str, known: &str| is_near(&MessageId::new(asked).unwrap(), &MessageId::new(known).unwrap());
        assert!(near("4F2A9", "20260504.4f2a9@x"));
        assert!(near("20260504.4F2A9@y", "20260504.4F2A9@x"));
        assert!(!near("abc@x", "xyz@x"));
    }
}
