//! Which mails belong to one thread, by their ids alone. The subject does not count.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use briefing::log::{Mail, MessageId};

/// The number of a thread within one grouping, from zero, in the order in which the threads first appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadIndex(usize);

impl ThreadIndex {
    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

/// The thread of each mail.
///
/// A mail joins the thread of the first id it refers to that one of these mails has: References from the newest to the
/// oldest, then In-Reply-To. If none has any, all mails that name the same root (the first of References, else of
/// In-Reply-To) share a thread, though the root is not there. A mail that neither refers nor is referred to stands alone.
///
/// Whoever knows an id can refer to it, so a mail joins only if its sender or a recipient takes part in that thread (From,
/// To or Cc of a mail in it), or if the mail it refers to names nobody. Where a root is absent, or an id repeats, those join
/// that name a person in common.
///
/// The grouping does not depend on the order of the mails. Takes nearly linear time in ids and addresses.
#[must_use]
pub fn group<M: Borrow<Mail>>(mails: &[M]) -> Vec<ThreadIndex> {
    let mails: Vec<&Mail> = mails.iter().map(Borrow::borrow).collect();
    let people = people(&mails);
    let holders = holders(&mails);
    let targets: Vec<Option<usize>> = mails.iter().map(|mail| referred(mail).find_map(|id| holders.get(id).copied())).collect();
    let mut threads = Threads::new(people, targets);
    threads.share(&mails);
    for mail in 0..mails.len() {
        threads.refer(mail);
    }
    threads.numbers()
}

/// The ids that a mail refers to, the nearest first; never its own.
fn referred(mail: &Mail) -> impl Iterator<Item = &MessageId> {
    mail.references.iter().rev().chain(&mail.in_reply_to).filter(|id| Some(*id) != mail.message_id.as_ref())
}

/// The id that stands for a thread whose mails are not here.
fn root(mail: &Mail) -> Option<&MessageId> {
    mail.references.iter().chain(&mail.in_reply_to).find(|id| Some(*id) != mail.message_id.as_ref())
}

fn addresses(mail: &Mail) -> impl Iterator<Item = String> {
    let all = mail.from.iter().chain(&mail.to).chain(&mail.cc);
    all.filter(|address| !address.email.is_empty()).map(|address| address.email.to_ascii_lowercase())
}

/// The people of each mail, by number.
fn people(mails: &[&Mail]) -> Vec<Vec<usize>> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut number = |address| {
        let next = numbers.len();
        *numbers.entry(address).or_insert(next)
    };
    let people = mails.iter().map(|mail| {
        let set: HashSet<usize> = addresses(mail).map(&mut number).collect();
        set.into_iter().collect()
    });
    people.collect()
}

/// Which mail an id means. If several have it the oldest is meant; those alike in date and people share a thread anyway.
fn holders<'m>(mails: &[&'m Mail]) -> HashMap<&'m MessageId, usize> {
    let mut holders: HashMap<&MessageId, (usize, &Mail)> = HashMap::new();
    for (at, mail) in mails.iter().enumerate() {
        let Some(id) = &mail.message_id else { continue };
        let holder = holders.entry(id).or_insert((at, mail));
        if older(mail, holder.1) == Ordering::Less {
            *holder = (at, mail);
        }
    }
    holders.into_iter().map(|(id, (at, _))| (id, at)).collect()
}

fn older(one: &Mail, other: &Mail) -> Ordering {
    let by_date = one.date.is_none().cmp(&other.date.is_none()).then(one.date.cmp(&other.date));
    let sorted = |mail| {
        let mut all: Vec<String> = addresses(mail).collect();
        all.sort();
        all.dedup();
        all
    };
    by_date.then_with(|| sorted(one).cmp(&sorted(other)))
}

/// Disjoint sets of mails, each with the people who take part and the mails that wait for one of them.
struct Threads {
    parents: Vec<usize>,
    /// The people of each mail.
    own: Vec<Vec<usize>>,
    /// The mail that each refers to.
    targets: Vec<Option<usize>>,
    /// The people of each thread, kept at its root.
    people: Vec<HashSet<usize>>,
    /// By person: the mails that refer into this thread and name that person, who does not take part yet.
    waiting: Vec<HashMap<usize, Vec<usize>>>,
}

#[expect(clippy::indexing_slicing, reason = "all lists have one item a mail, and every index is a mail's")]
impl Threads {
    fn new(own: Vec<Vec<usize>>, targets: Vec<Option<usize>>) -> Self {
        let people = own.iter().map(|people| people.iter().copied().collect()).collect();
        let waiting = own.iter().map(|_| HashMap::new()).collect();
        Self { parents: (0..own.len()).collect(), own, targets, people, waiting }
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    /// Joins the mails that have one id, or that refer to one absent root, and name a person in common or nobody at all.
    fn share(&mut self, mails: &[&Mail]) {
        let mut first: HashMap<(&MessageId, Option<usize>), usize> = HashMap::new();
        for (at, mail) in mails.iter().enumerate() {
            let root = if self.targets[at].is_none() { root(mail) } else { None };
            for id in mail.message_id.iter().chain(root) {
                let people = self.own[at].clone();
                let nobody = people.is_empty().then_some(None);
                for person in people.into_iter().map(Some).chain(nobody) {
                    let other = *first.entry((id, person)).or_insert(at);
                    self.join(at, other);
                }
            }
        }
    }

    /// Joins a mail to the thread it refers to, now or once one of its people takes part there.
    fn refer(&mut self, mail: usize) {
        let Some(target) = self.targets[mail] else { return };
        let thread = self.find(target);
        if self.own[target].is_empty() || self.own[mail].iter().any(|person| self.people[thread].contains(person)) {
            return self.join(mail, target);
        }
        for &person in &self.own[mail] {
            self.waiting[thread].entry(person).or_default().push(mail);
        }
    }

    /// Makes one thread of two, and lets those join who waited for that.
    fn join(&mut self, one: usize, other: usize) {
        let mut pairs = vec![(one, other)];
        while let Some((one, other)) = pairs.pop() {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                continue;
            }
            let size = |at: usize| self.people[at].len() + self.waiting[at].len();
            let (large, small) = if size(one) < size(other) { (other, one) } else { (one, other) };
            let released = self.merge(large, small);
            pairs.extend(released.into_iter().filter_map(|mail| self.targets[mail].map(|target| (mail, target))));
        }
    }

    fn merge(&mut self, large: usize, small: usize) -> Vec<usize> {
        self.parents[small] = large;
        let mut released = Vec::new();
        for person in std::mem::take(&mut self.people[small]) {
            if self.people[large].insert(person) {
                released.extend(self.waiting[large].remove(&person).unwrap_or_default());
            }
        }
        for (person, mut mails) in std::mem::take(&mut self.waiting[small]) {
            if self.people[large].contains(&person) {
                released.append(&mut mails);
            } else {
                let kept = self.waiting[large].entry(person).or_default();
                if kept.len() < mails.len() {
                    std::mem::swap(kept, &mut mails);
                }
                kept.append(&mut mails);
            }
        }
        released
    }

    fn numbers(mut self) -> Vec<ThreadIndex> {
        let mut numbers = HashMap::new();
        let roots: Vec<usize> = (0..self.parents.len()).map(|at| self.find(at)).collect();
        roots
            .into_iter()
            .map(|root| {
                let next = numbers.len();
                *numbers.entry(root).or_insert(ThreadIndex(next))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
