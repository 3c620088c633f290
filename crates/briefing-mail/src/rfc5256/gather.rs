//! From links to threads (RFC 5256, 3, REFERENCES, steps 2 to 6).

use std::collections::HashMap;

use jiff::Timestamp;

use super::{BaseSubject, Forest, Message};

/// The threads, by the parent of each node: first the messages, then the dummies.
pub(super) fn forest(messages: &[Message<'_>], parents: &[Option<usize>]) -> Forest {
    let mut threads = Threads::prune(messages, parents);
    threads.sort();
    threads.gather();
    threads.sort();
    threads.finish()
}

/// A child of the root.
struct Thread {
    /// Its first node.
    node: usize,
    subject: BaseSubject,
    /// Whether it became part of another thread.
    merged: bool,
}

struct Threads<'a> {
    messages: &'a [Message<'a>],
    /// Of each node; the nodes behind the messages are dummies.
    children: Vec<Vec<usize>>,
    threads: Vec<Thread>,
}

#[expect(clippy::indexing_slicing, reason = "all lists have one item a node, a dummy that is kept has children")]
impl<'a> Threads<'a> {
    /// Steps 2 and 3: no dummies but those at the top that hold several messages together.
    fn prune(messages: &'a [Message<'a>], parents: &[Option<usize>]) -> Self {
        let is_dummy = |node: usize| node >= messages.len();
        let mut children = vec![Vec::new(); parents.len()];
        let mut homes = vec![None; parents.len()];
        let mut tops = Vec::new();
        for node in from_the_top(parents) {
            // A dummy's children are its parent's, as long as that is not the root.
            let home = parents[node].map(|parent| if is_dummy(parent) { homes[parent].unwrap_or(parent) } else { parent });
            homes[node] = home;
            match home {
                None => tops.push(node),
                Some(home) if !is_dummy(node) => children[home].push(node),
                Some(_) => {}
            }
        }
        let tops = tops.into_iter().filter_map(|node| match children[node].as_mut_slice() {
            [] if is_dummy(node) => None,
            [only] if is_dummy(node) => Some(*only),
            _ => Some(node),
        });
        let threads = tops.map(|node| Thread { node, subject: BaseSubject::default(), merged: false }).collect();
        Self { messages, children, threads }
    }

    fn is_dummy(&self, node: usize) -> bool {
        node >= self.messages.len()
    }

    /// The message that stands for a node: of a dummy, its first child.
    fn message(&self, node: usize) -> usize {
        if self.is_dummy(node) { self.children[node][0] } else { node }
    }

    /// Steps 4 and 6: by sent date, then by place in the list.
    fn sort(&mut self) {
        let dates: Vec<Timestamp> = self.messages.iter().map(Message::date).collect();
        for children in &mut self.children {
            children.sort_unstable_by_key(|&child| (dates[child], child));
        }
        let mut threads = std::mem::take(&mut self.threads);
        threads.retain(|thread| !thread.merged);
        threads.sort_by_cached_key(|thread| (dates[self.message(thread.node)], self.message(thread.node)));
        self.threads = threads;
    }

    /// Step 5: threads of the same subject become one.
    fn gather(&mut self) {
        let subjects: Vec<_> =
            self.threads.iter().map(|thread| self.messages[self.message(thread.node)].base_subject()).collect();
        self.threads.iter_mut().zip(subjects).for_each(|(thread, subject)| thread.subject = subject);
        let keys: Vec<String> = self.threads.iter().map(|thread| thread.subject.folded()).collect();
        let mut table: HashMap<&str, usize> = HashMap::new();
        for (at, key) in keys.iter().enumerate().filter(|(_, key)| !key.is_empty()) {
            let first = table.entry(key).or_insert(at);
            if self.leads(at, *first) {
                *first = at;
            }
        }
        for (at, key) in keys.iter().enumerate() {
            if let Some(&first) = table.get(key.as_str()).filter(|&&first| first != at) {
                self.merge(at, first);
            }
        }
    }

    /// Whether this thread rather than that one gets the others of the subject.
    fn leads(&self, this: usize, that: usize) -> bool {
        let (this, that) = (&self.threads[this], &self.threads[that]);
        !self.is_dummy(that.node) && (self.is_dummy(this.node) || that.subject.is_reply && !this.subject.is_reply)
    }

    /// Merges a thread into the one of the subject table.
    fn merge(&mut self, this: usize, first: usize) {
        let (node, first_node) = (self.threads[this].node, self.threads[first].node);
        self.threads[this].merged = true;
        if self.is_dummy(first_node) {
            if self.is_dummy(node) {
                let mut children = std::mem::take(&mut self.children[node]);
                self.children[first_node].append(&mut children);
            } else {
                self.children[first_node].push(node);
            }
        } else if self.threads[this].subject.is_reply && !self.threads[first].subject.is_reply {
            self.children[first_node].push(node);
        } else {
            self.threads[first].node = self.children.len();
            self.children.push(vec![first_node, node]);
        }
    }

    fn finish(self) -> Forest {
        let mut children = self.children;
        let dummies = children.split_off(self.messages.len());
        let mut dummies: Vec<Option<Vec<usize>>> = dummies.into_iter().map(Some).collect();
        let mut roots = Vec::new();
        for thread in self.threads {
            match thread.node.checked_sub(self.messages.len()) {
                None => roots.push(thread.node),
                Some(dummy) => {
                    roots.push(children.len());
                    children.push(dummies[dummy].take().unwrap_or_default());
                }
            }
        }
        Forest::new(self.messages.len(), children, roots)
    }
}

/// All nodes, each behind its parent.
#[expect(clippy::indexing_slicing, reason = "every parent is a node")]
fn from_the_top(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    for (node, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent].push(node),
            None => order.push(node),
        }
    }
    let mut done = 0;
    while let Some(&node) = order.get(done) {
        order.append(&mut children[node]);
        done += 1;
    }
    order
}
