//! Threads in memory: what [`place`] needs to know of the mails so far, and no more.

use std::borrow::Borrow;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use briefing::log::{Mail, MessageId};

use super::{Known, Placement, place};

/// The number of a thread. From [`group`]: from zero, in the order in which the threads first appear. From [`Threads`]: in the
/// order in which they were opened; merges leave gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadIndex(usize);

impl ThreadIndex {
    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

/// The thread of each mail, if they came in this order.
///
/// The threads are those of a log that applies [`place`] to one mail after another.
#[must_use]
pub fn group<M: Borrow<Mail>>(mails: &[M]) -> Vec<ThreadIndex> {
    let mut threads = Threads::default();
    let placed: Vec<_> = mails.iter().map(|mail| threads.add(mail.borrow())).collect();
    let mut numbers = HashMap::new();
    let mut number = |thread| {
        let next = ThreadIndex(numbers.len());
        *numbers.entry(threads.current(thread)).or_insert(next)
    };
    placed.into_iter().map(&mut number).collect()
}

/// Threads that grow mail by mail.
///
/// Keeps the ids and addresses of the mails, and nothing else. All mails together take nearly linear time in their ids and
/// addresses: a merge moves the people of the smaller thread. The questions of one mail are bounded
/// ([`MAX_REFERRED`](crate::limits::MAX_REFERRED), [`MAX_WAITING`](crate::limits::MAX_WAITING)).
#[derive(Debug, Clone, Default)]
pub struct Threads {
    ids: HashMap<MessageId, Holder>,
    numbers: HashMap<String, Person>,
    /// Of each thread the older one it was merged into, or itself.
    parents: Vec<usize>,
    /// The people of each thread; none once it is merged.
    people: Vec<HashSet<Person>>,
}

/// The number of an address.
type Person = usize;

/// Who has an id.
#[derive(Debug, Clone)]
enum Holder {
    /// A mail of that thread, or of one that was merged into it.
    Mail(usize),
    /// Nobody; these threads wait for it.
    Awaited(Vec<usize>),
}

impl Threads {
    /// Adds a mail; gives its thread as of now. Later mails may merge it into an older one, see [`current`](Self::current).
    pub fn add(&mut self, mail: &Mail) -> ThreadIndex {
        let Ok(Placement { thread, merges, awaits, people }) = place(mail, self);
        let thread = thread.map_or_else(|| self.open(), ThreadIndex::get);
        merges.into_iter().for_each(|ThreadIndex(merged)| self.merge(thread, merged));
        let people: Vec<Person> = people.into_iter().map(|address| self.number(address)).collect();
        self.people.get_mut(thread).into_iter().for_each(|set| set.extend(&people));
        for id in awaits {
            if let Holder::Awaited(threads) = self.ids.entry(id).or_insert(Holder::Awaited(Vec::new()))
                && !threads.contains(&thread)
            {
                threads.push(thread);
            }
        }
        if let Some(id) = &mail.message_id {
            let holder = self.ids.entry(id.clone()).or_insert(Holder::Mail(thread));
            if matches!(holder, Holder::Awaited(_)) {
                *holder = Holder::Mail(thread);
            }
        }
        ThreadIndex(thread)
    }

    /// The thread that a thread is part of by now.
    pub fn current(&mut self, thread: ThreadIndex) -> ThreadIndex {
        ThreadIndex(self.find(thread.0))
    }

    fn open(&mut self) -> usize {
        let thread = self.parents.len();
        self.parents.push(thread);
        self.people.push(HashSet::new());
        thread
    }

    fn number(&mut self, address: String) -> Person {
        let next = self.numbers.len();
        *self.numbers.entry(address).or_insert(next)
    }

    fn find(&mut self, thread: usize) -> usize {
        find(&mut self.parents, thread)
    }

    #[expect(clippy::indexing_slicing, reason = "both lists have one item a thread")]
    fn merge(&mut self, thread: usize, merged: usize) {
        self.parents[merged] = thread;
        let mut small = std::mem::take(&mut self.people[merged]);
        let people = &mut self.people[thread];
        if people.len() < small.len() {
            std::mem::swap(people, &mut small);
        }
        people.extend(small);
    }
}

#[expect(clippy::indexing_slicing, reason = "every parent is a thread")]
fn find(parents: &mut [usize], mut thread: usize) -> usize {
    while parents[thread] != thread {
        parents[thread] = parents[parents[thread]];
        thread = parents[thread];
    }
    thread
}

impl Known for Threads {
    type Thread = ThreadIndex;
    type Error = Infallible;

    fn thread_of(&mut self, id: &MessageId) -> Result<Option<ThreadIndex>, Infallible> {
        Ok(match self.ids.get(id) {
            Some(&Holder::Mail(thread)) => Some(ThreadIndex(self.find(thread))),
            Some(Holder::Awaited(_)) | None => None,
        })
    }

    fn waiting_for(&mut self, id: &MessageId) -> Result<Vec<ThreadIndex>, Infallible> {
        Ok(match self.ids.get_mut(id) {
            Some(Holder::Awaited(threads)) => {
                threads.iter_mut().for_each(|thread| *thread = find(&mut self.parents, *thread));
                threads.sort_unstable();
                threads.dedup();
                threads.iter().copied().map(ThreadIndex).collect()
            }
            Some(Holder::Mail(_)) | None => Vec::new(),
        })
    }

    fn admits(&mut self, thread: ThreadIndex, people: &[String]) -> Result<bool, Infallible> {
        let taking_part = self.people.get(thread.0);
        let takes_part =
            |address: &String| self.numbers.get(address).zip(taking_part).is_some_and(|(one, all)| all.contains(one));
        Ok(taking_part.is_none_or(HashSet::is_empty) || people.iter().any(takes_part))
    }
}
