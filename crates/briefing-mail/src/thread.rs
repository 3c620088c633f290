//! Which thread a mail belongs to, by ids and people alone. The subject does not count.
//!
//! [`place`] decides for one mail, with what a log knows of those before it. [`group`] does so for a whole mailbox.

mod memory;
#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use briefing::log::{Mail, MessageId};

pub use self::memory::{ThreadIndex, Threads, group};
use crate::parse::limits::{MAX_REFERRED, MAX_WAITING};

/// What is known of the mails that came before; a log answers it. Every answer is about one owner.
///
/// [`place`] only asks. Who asked it stores what it says, before the next mail is placed; [`Placement`] tells what that is.
/// A database asks and stores in one transaction that no other writer of that owner enters.
pub trait Known {
    /// A thread. The smaller is the older.
    type Thread: Copy + Eq + Ord;
    /// Why there is no answer.
    type Error;

    /// The thread of the first mail that has that id.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    fn thread_of(&mut self, id: &MessageId) -> Result<Option<Self::Thread>, Self::Error>;

    /// The threads that wait for that id, in any order ([`Placement::awaits`]). Asked only while no mail has it, so what
    /// waited for an id that came need not be forgotten.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    fn waiting_for(&mut self, id: &MessageId) -> Result<Vec<Self::Thread>, Self::Error>;

    /// Whether one of these people (addresses in lower case) takes part in the thread, or nobody does.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    fn admits(&mut self, thread: Self::Thread, people: &[String]) -> Result<bool, Self::Error>;
}

/// Where a mail belongs, and what a log must store for those that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement<T> {
    /// The thread that it joins; none: it opens one.
    pub thread: Option<T>,
    /// Threads that turn out to be the same one, all younger, in ascending order. Their mails, their people and what they
    /// wait for become the thread's.
    pub merges: Vec<T>,
    /// The ids it refers to that no mail has, the nearest first: the thread waits for them. It may do so already. An id for
    /// which [`MAX_WAITING`] other threads wait is not among them.
    pub awaits: Vec<MessageId>,
    /// Who takes part by this mail: the addresses of From, To and Cc in lower case, sorted, once each.
    pub people: Vec<String>,
}

/// Where a mail belongs, by what is known of those before it.
///
/// 1. It joins the thread of the first known id it refers to: References from the newest to the oldest, then In-Reply-To.
/// 2. If there is none, it joins the threads that wait for one of these ids.
/// 3. If there are none, and a mail with its own Message-ID is there, it joins the thread of that one: a copy.
/// 4. The threads that wait for its own Message-ID are merged with it, unless a mail with that id is there: a root that
///    arrives last.
///
/// Whoever knows an id can refer to it. So a thread counts only if it admits the mail: one of the people in From, To or Cc
/// takes part in it, or nobody does. A thread that refuses is passed over, and the next id is tried. What comes together
/// becomes the oldest of these threads.
///
/// The order of mails does not matter where all are there, each refers to the one it answers, and shares a person with it. It
/// does elsewhere: a mail that was refused does not join later, when others bring its people in; and threads that were opened
/// for want of a mail that never comes stay apart, though a later mail refers to both.
///
/// Of the ids it refers to, [`MAX_REFERRED`] count; of the threads that wait, [`MAX_WAITING`] are asked in step 2 and
/// [`MAX_WAITING`] in step 4. So the number of questions is bounded.
///
/// # Errors
///
/// The first error of `known`.
pub fn place<K: Known>(mail: &Mail, known: &mut K) -> Result<Placement<K::Thread>, K::Error> {
    let people = people(mail);
    let mut gate = Gate { people: &people, answers: BTreeMap::new() };
    let mut joined = BTreeSet::new();
    let mut absent = Vec::new();
    for id in referred(mail) {
        match known.thread_of(id)? {
            None => absent.push((id, waiting_for(id, known)?)),
            Some(thread) if joined.is_empty() => joined = gate.admitted([thread], known)?,
            Some(_) => {}
        }
    }
    if joined.is_empty() {
        joined = gate.admitted(waiting_for_any(root(mail), &absent), known)?;
    }
    if let Some(id) = &mail.message_id {
        match known.thread_of(id)? {
            Some(thread) if joined.is_empty() => joined = gate.admitted([thread], known)?,
            Some(_) => {}
            None => joined.extend(gate.admitted(waiting_for(id, known)?, known)?),
        }
    }
    let has_room = |waiting: &BTreeSet<_>| waiting.len() < MAX_WAITING || !waiting.is_disjoint(&joined);
    let awaits = absent.iter().filter(|(_, waiting)| has_room(waiting)).map(|&(id, _)| id.clone()).collect();
    let mut joined = joined.into_iter();
    Ok(Placement { thread: joined.next(), merges: joined.collect(), awaits, people })
}

/// Who may come in where. Each thread is asked once.
struct Gate<'a, T> {
    people: &'a [String],
    answers: BTreeMap<T, bool>,
}

impl<T: Copy + Ord> Gate<'_, T> {
    /// Those of the first [`MAX_WAITING`] that admit the mail.
    fn admitted<K: Known<Thread = T>>(
        &mut self,
        threads: impl IntoIterator<Item = T>,
        known: &mut K,
    ) -> Result<BTreeSet<T>, K::Error> {
        let mut admitted = BTreeSet::new();
        for thread in threads.into_iter().take(MAX_WAITING) {
            let answer = match self.answers.entry(thread) {
                Entry::Occupied(answer) => *answer.get(),
                Entry::Vacant(answer) => *answer.insert(known.admits(thread, self.people)?),
            };
            if answer {
                admitted.insert(thread);
            }
        }
        Ok(admitted)
    }
}

fn waiting_for<K: Known>(id: &MessageId, known: &mut K) -> Result<BTreeSet<K::Thread>, K::Error> {
    Ok(known.waiting_for(id)?.into_iter().collect())
}

/// The threads that wait for one of these ids, each once: those for the root first, which every mail of a thread names, then
/// those for the nearest.
fn waiting_for_any<T: Copy + Ord>(root: Option<&MessageId>, absent: &[(&MessageId, BTreeSet<T>)]) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let root_first = absent.iter().find(|(id, _)| Some(*id) == root).into_iter().chain(absent);
    let all = root_first.flat_map(|(_, waiting)| waiting);
    all.copied().filter(|thread| seen.insert(*thread)).collect()
}

/// The ids that a mail refers to, the nearest first, each once; never its own.
fn referred(mail: &Mail) -> Vec<&MessageId> {
    let mut seen: HashSet<&MessageId> = mail.message_id.iter().collect();
    let mut references: Vec<_> = mail.references.iter().filter(|id| seen.insert(id)).collect();
    let replies: Vec<_> = mail.in_reply_to.iter().filter(|id| seen.insert(id)).take(MAX_REFERRED / 2).collect();
    let excess = (references.len() + replies.len()).saturating_sub(MAX_REFERRED);
    if excess > 0 {
        // The root and the newest decide the thread.
        references.drain(1..=excess);
    }
    references.into_iter().rev().chain(replies).collect()
}

/// The id that stands for a thread.
fn root(mail: &Mail) -> Option<&MessageId> {
    mail.references.iter().chain(&mail.in_reply_to).find(|id| Some(*id) != mail.message_id.as_ref())
}

/// Who takes part by a mail.
fn people(mail: &Mail) -> Vec<String> {
    let all = mail.from.iter().chain(&mail.to).chain(&mail.cc);
    let all = all.filter(|address| !address.email.is_empty()).map(|address| address.email.to_ascii_lowercase());
    all.collect::<BTreeSet<_>>().into_iter().collect()
}
