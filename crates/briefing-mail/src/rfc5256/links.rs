//! Who answers whom (RFC 5256, 3, REFERENCES, step 1).

use std::collections::HashMap;

use briefing::log::MessageId;

use super::Message;

/// The parent of each node: first the messages, then one node for each id that no message has.
pub(super) fn parents(messages: &[Message<'_>]) -> Vec<Option<usize>> {
    let mut nodes: HashMap<&MessageId, usize> = HashMap::new();
    for (at, message) in messages.iter().enumerate() {
        if let Some(id) = message.message_id {
            // A repeated id is the first message's.
            nodes.entry(id).or_insert(at);
        }
    }
    let mut links = Links::new(messages.len());
    for (at, message) in messages.iter().enumerate() {
        let mut last = None;
        for id in message.links() {
            let node = *nodes.entry(id).or_insert_with(|| links.add());
            // A: each is the parent of the next, unless that has one.
            if let Some(parent) = last
                && links.parent(node).is_none()
            {
                links.link(node, parent);
            }
            last = Some(node);
        }
        // B: what the message itself says is right.
        if links.parent(at) != last {
            links.cut(at);
            if let Some(parent) = last {
                links.link(at, parent);
            }
        }
    }
    links.parents
}

/// The number that stands for no node.
const NONE: usize = usize::MAX;

/// Trees that are linked and cut, and never become a loop.
///
/// Beside the parents a link-cut tree (Sleator and Tarjan, 1983; here with splay trees): it finds the root of a node in
/// logarithmic time on average, so that a loop is found without a walk through a thread that may be very deep.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) parents: Vec<Option<usize>>,
    /// The nodes above and below on the same path, as a splay tree.
    branches: Vec<[usize; 2]>,
    /// The parent in the splay tree; of its root, the node above the path.
    uppers: Vec<usize>,
}

const ABOVE: usize = 0;
const BELOW: usize = 1;

#[expect(clippy::indexing_slicing, reason = "all lists have one item a node, and NONE is never looked up")]
impl Links {
    pub(super) fn new(nodes: usize) -> Self {
        Self { parents: vec![None; nodes], branches: vec![[NONE; 2]; nodes], uppers: vec![NONE; nodes] }
    }

    /// A new node.
    fn add(&mut self) -> usize {
        self.parents.push(None);
        self.branches.push([NONE; 2]);
        self.uppers.push(NONE);
        self.parents.len() - 1
    }

    fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    /// Gives a parent to a node that has none, unless that makes a loop.
    pub(super) fn link(&mut self, node: usize, parent: usize) {
        if self.root(parent) == node {
            return;
        }
        self.parents[node] = Some(parent);
        self.expose(node);
        self.uppers[node] = parent;
    }

    /// Takes the parent from a node, if it has one.
    pub(super) fn cut(&mut self, node: usize) {
        self.parents[node] = None;
        self.expose(node);
        let above = std::mem::replace(&mut self.branches[node][ABOVE], NONE);
        if above != NONE {
            self.uppers[above] = NONE;
        }
    }

    pub(super) fn root(&mut self, node: usize) -> usize {
        self.expose(node);
        let mut top = node;
        while self.branches[top][ABOVE] != NONE {
            top = self.branches[top][ABOVE];
        }
        self.splay(top);
        top
    }

    /// Makes the way from the root to the node one path, which ends there, with the node on top of its splay tree.
    fn expose(&mut self, node: usize) {
        let (mut at, mut last) = (node, NONE);
        while at != NONE {
            self.splay(at);
            self.branches[at][BELOW] = last;
            last = at;
            at = self.uppers[at];
        }
        self.splay(node);
    }

    /// On which side of its splay parent a node hangs; none if it is on top.
    fn side(&self, node: usize) -> Option<usize> {
        let upper = self.uppers[node];
        if upper == NONE { None } else { self.branches[upper].iter().position(|&branch| branch == node) }
    }

    fn splay(&mut self, node: usize) {
        while let Some(side) = self.side(node) {
            let upper = self.uppers[node];
            if let Some(upper_side) = self.side(upper) {
                self.rotate(if side == upper_side { upper } else { node });
            }
            self.rotate(node);
        }
    }

    fn rotate(&mut self, node: usize) {
        let Some(side) = self.side(node) else { return };
        let upper = self.uppers[node];
        let top = self.uppers[upper];
        if let Some(upper_side) = self.side(upper) {
            self.branches[top][upper_side] = node;
        }
        let inner = std::mem::replace(&mut self.branches[node][1 - side], upper);
        self.branches[upper][side] = inner;
        if inner != NONE {
            self.uppers[inner] = upper;
        }
        self.uppers[upper] = node;
        self.uppers[node] = top;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn root(parents: &[Option<usize>], mut node: usize) -> usize {
        while let Some(parent) = parents[node] {
            node = parent;
        }
        node
    }

    proptest! {
        #[test]
        fn links_and_cuts_are_those_of_a_walk(steps in prop::collection::vec((0..12_usize, 0..12_usize, prop::bool::weighted(0.8)), 0..100)) {
            let mut links = Links::new(12);
            let mut parents = vec![None; 12];
            for (node, parent, link) in steps {
                if !link {
                    links.cut(node);
                    parents[node] = None;
                } else if parents[node].is_none() {
                    links.link(node, parent);
                    if root(&parents, parent) != node {
                        parents[node] = Some(parent);
                    }
                }
                prop_assert_eq!(&links.parents, &parents);
                prop_assert_eq!(links.root(parent), root(&parents, parent));
            }
        }
    }
}
