//! Trees of messages, flat: however deep they are, nothing here calls itself.

use std::fmt;

/// A node of a [`Forest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(usize);

/// Threads: trees of messages. A node at the top may lack a message: it holds together what answers an absent one, or what has
/// the same subject. Two forests are equal if they have the same shape.
///
/// Written as the THREAD response of IMAP does, by numbers from one: `(1 2)((3)(4))`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forest {
    /// How many nodes have a message: the first ones, in the order of the list.
    messages: usize,
    children: Vec<Vec<NodeId>>,
    roots: Vec<NodeId>,
}

impl Forest {
    /// A forest of nodes by number: first the messages, then the nodes without.
    pub(super) fn new(messages: usize, children: Vec<Vec<usize>>, roots: Vec<usize>) -> Self {
        let nodes = |list: Vec<usize>| list.into_iter().map(NodeId).collect();
        Self { messages, children: children.into_iter().map(nodes).collect(), roots: nodes(roots) }
    }

    /// The first node of each thread, in order.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// The place of its message in the list; none if the node has no message.
    #[must_use]
    pub fn message(&self, node: NodeId) -> Option<usize> {
        (node.0 < self.messages).then_some(node.0)
    }

    /// What answers it, in order.
    #[must_use]
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        self.children.get(node.0).map(Vec::as_slice).unwrap_or_default()
    }

    /// The places of all messages of a thread, each before what answers it.
    pub fn messages(&self, root: NodeId) -> impl Iterator<Item = usize> {
        let mut open = vec![root];
        let nodes = std::iter::from_fn(move || {
            let node = open.pop()?;
            open.extend(self.children(node).iter().rev());
            Some(node)
        });
        nodes.filter_map(|node| self.message(node))
    }
}

impl fmt::Display for Forest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Step {
            Thread(NodeId),
            End,
        }
        let mut steps: Vec<Step> = self.roots.iter().rev().copied().map(Step::Thread).collect();
        while let Some(step) = steps.pop() {
            let Step::Thread(mut node) = step else {
                f.write_str(")")?;
                continue;
            };
            f.write_str("(")?;
            steps.push(Step::End);
            loop {
                let message = self.message(node);
                message.map_or(Ok(()), |at| write!(f, "{}", at + 1))?;
                let children = self.children(node);
                if message.is_some() && !children.is_empty() {
                    f.write_str(" ")?;
                }
                if let [only] = children {
                    node = *only;
                } else {
                    steps.extend(children.iter().rev().copied().map(Step::Thread));
                    break;
                }
            }
        }
        Ok(())
    }
}
