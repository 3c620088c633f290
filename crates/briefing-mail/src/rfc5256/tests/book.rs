//! REFERENCES once more, as the RFC tells it step by step, for small mailboxes: with walks, copies and recursion.

use super::*;

#[derive(Clone)]
struct Tree {
    message: Option<usize>,
    children: Vec<Tree>,
}

pub(super) fn references(messages: &[Message<'_>]) -> String {
    let (parents, dummies_from) = (parents(messages), messages.len());
    let tree = |at| tree(&parents, dummies_from, at);
    let mut roots: Vec<Tree> = (0..parents.len()).filter(|&at| parents[at].is_none()).map(tree).collect();
    // 3.
    roots = roots.into_iter().flat_map(|root| prune(root, true)).collect();
    // 4.
    roots.iter_mut().filter(|root| root.message.is_none()).for_each(|dummy| sort(messages, &mut dummy.children));
    sort(messages, &mut roots);
    // 5.
    let mut roots = gather(messages, roots);
    // 6.
    sort_all(messages, &mut roots);
    roots.iter().map(|root| format!("({})", written(root))).collect()
}

fn parents(messages: &[Message<'_>]) -> Vec<Option<usize>> {
    fn link(parents: &mut [Option<usize>], node: usize, parent: usize) {
        let above: Vec<usize> = std::iter::successors(Some(parent), |&at| parents[at]).collect();
        if !above.contains(&node) {
            parents[node] = Some(parent);
        }
    }
    let mut dummies: Vec<&MessageId> = Vec::new();
    let mut parents = vec![None; messages.len()];
    for (at, message) in messages.iter().enumerate() {
        let ids =
            if message.references.is_empty() { message.in_reply_to.iter().take(1) } else { message.references.iter().take(99) };
        let mut nodes = Vec::new();
        for id in ids {
            let known = messages.iter().position(|other| other.message_id == Some(id));
            nodes.push(known.unwrap_or_else(|| {
                let dummy = dummies.iter().position(|dummy| *dummy == id).unwrap_or_else(|| {
                    dummies.push(id);
                    parents.push(None);
                    dummies.len() - 1
                });
                messages.len() + dummy
            }));
        }
        for pair in nodes.windows(2) {
            if parents[pair[1]].is_none() {
                link(&mut parents, pair[1], pair[0]);
            }
        }
        let last = nodes.last().copied();
        if last.is_none() || parents[at] != last {
            parents[at] = None;
            last.into_iter().for_each(|parent| link(&mut parents, at, parent));
        }
    }
    parents
}

fn tree(parents: &[Option<usize>], messages: usize, at: usize) -> Tree {
    let children = (0..parents.len()).filter(|&child| parents[child] == Some(at));
    Tree { message: (at < messages).then_some(at), children: children.map(|child| tree(parents, messages, child)).collect() }
}

fn prune(mut tree: Tree, at_root: bool) -> Vec<Tree> {
    tree.children = tree.children.into_iter().flat_map(|child| prune(child, false)).collect();
    match (tree.message, tree.children.len()) {
        (None, 0) => vec![],
        (None, 2..) if at_root => vec![tree],
        (None, _) => tree.children,
        (Some(_), _) => vec![tree],
    }
}

fn first(tree: &Tree) -> usize {
    tree.message.unwrap_or_else(|| tree.children[0].message.unwrap())
}

fn sort(messages: &[Message<'_>], siblings: &mut [Tree]) {
    siblings.sort_by_key(|tree| (messages[first(tree)].date(), first(tree)));
}

fn sort_all(messages: &[Message<'_>], siblings: &mut [Tree]) {
    siblings.iter_mut().for_each(|tree| sort_all(messages, &mut tree.children));
    sort(messages, siblings);
}

/// The subject table names a place in the list of threads; a thread that was merged leaves its place empty.
fn gather(messages: &[Message<'_>], roots: Vec<Tree>) -> Vec<Tree> {
    let subject = |tree: &Tree| messages[first(tree)].base_subject().folded();
    let is_reply = |tree: &Tree| tree.message.is_some_and(|at| messages[at].base_subject().is_reply);
    let mut table: HashMap<String, usize> = HashMap::new();
    for (at, tree) in roots.iter().enumerate() {
        let Some(other) = table.get(&subject(tree)) else {
            table.insert(subject(tree), at);
            continue;
        };
        let other = &roots[*other];
        if other.message.is_some() && (tree.message.is_none() || is_reply(other) && !is_reply(tree)) {
            table.insert(subject(tree), at);
        }
    }
    let mut roots: Vec<Option<Tree>> = roots.into_iter().map(Some).collect();
    for at in 0..roots.len() {
        let key = subject(roots[at].as_ref().unwrap());
        if key.is_empty() || table[&key] == at {
            continue;
        }
        let mut current = roots[at].take().unwrap();
        let other = roots[table[&key]].as_mut().unwrap();
        match (other.message, current.message) {
            (None, None) => other.children.append(&mut current.children),
            (None, Some(_)) => other.children.push(current),
            (Some(_), _) if is_reply(&current) && !is_reply(other) => other.children.push(current),
            (Some(_), _) => *other = Tree { message: None, children: vec![other.clone(), current] },
        }
    }
    roots.into_iter().flatten().collect()
}

fn written(tree: &Tree) -> String {
    let own = tree.message.map(|at| (at + 1).to_string());
    let below = match tree.children.as_slice() {
        [] => None,
        [only] => Some(written(only)),
        many => Some(many.iter().map(|child| format!("({})", written(child))).collect()),
    };
    own.into_iter().chain(below).collect::<Vec<_>>().join(" ")
}
