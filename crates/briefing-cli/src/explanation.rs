//! The receipt as rows: a row a piece, in the order of the list, with what was done to it.

use std::collections::HashMap;

use briefing::log::Place;
use briefing::message::EntryId;
use briefing::{Briefing, Class, Cost, Line, Origin, Unvisited};

use crate::describe::Material;

/// One piece.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Where it came from: entries, or the resolver that made it.
    pub(crate) place: String,
    pub(crate) what: String,
    pub(crate) fate: Fate,
    /// What was done to it, or why it is not there.
    pub(crate) why: Vec<String>,
    key: Option<Place>,
}

/// What became of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A model sees it.
    Kept { class: Class, cost: Cost },
    /// A model does not see it.
    LeftOut,
}

/// The rows of that briefing.
pub(crate) fn rows(briefing: &Briefing, material: &Material) -> Vec<Row> {
    let receipt = briefing.receipt();
    let (dropped, changed): (Vec<&Line>, Vec<&Line>) = receipt.lines().iter().partition(|line| line.rule.dropped());
    let mut kept: Vec<Row> = Vec::new();
    let mut index = Index::default();
    for (entry, placed) in receipt.kept().iter().zip(briefing.units()) {
        index.add(&entry.from, kept.len());
        kept.push(Row {
            place: place(&entry.from),
            what: material.unit(&entry.from, placed.unit()),
            fate: Fate::Kept { class: entry.class, cost: entry.cost },
            why: Vec::new(),
            key: material.place(&entry.from),
        });
    }
    let mut left_out: Vec<Row> = Vec::new();
    for line in dropped {
        index.add(&line.from, kept.len() + left_out.len());
        left_out.push(left_out_row(line, material));
    }
    for line in changed {
        let why = line.rule.to_string();
        match index.find(&line.from) {
            Some(at) => {
                let row = kept.get_mut(at).or_else(|| left_out.get_mut(at - receipt.kept().len()));
                row.into_iter().for_each(|row| row.why.push(why.clone()));
            }
            None => left_out.push(left_out_row(line, material)),
        }
    }
    merged(kept, left_out, receipt.unvisited())
}

fn left_out_row(line: &Line, material: &Material) -> Row {
    Row {
        place: place(&line.from),
        what: material.entry(&line.from),
        fate: Fate::LeftOut,
        why: vec![line.rule.to_string()],
        key: material.place(&line.from),
    }
}

fn place(from: &Origin) -> String {
    match from {
        Origin::Resolver(name) => name.to_string(),
        Origin::Entries(_) => from.to_string().trim_start_matches("entry ").to_owned(),
    }
}

/// Which row holds an entry, or is the first of a resolver.
#[derive(Default)]
struct Index {
    entries: HashMap<EntryId, usize>,
    resolvers: HashMap<String, usize>,
}

impl Index {
    fn add(&mut self, from: &Origin, row: usize) {
        match from {
            Origin::Entries(entries) => entries.iter().for_each(|entry| {
                self.entries.entry(*entry).or_insert(row);
            }),
            Origin::Resolver(name) => {
                self.resolvers.entry(name.to_string()).or_insert(row);
            }
        }
    }

    fn find(&self, from: &Origin) -> Option<usize> {
        match from {
            Origin::Entries(_) => self.entries.get(&from.first()?).copied(),
            Origin::Resolver(name) => self.resolvers.get(&**name).copied(),
        }
    }
}

/// Puts what was left out where it would have stood: mails by their place; what has none before the window, which it was cut
/// from. What the walk never reached comes first of all history.
fn merged(kept: Vec<Row>, mut left_out: Vec<Row>, unvisited: Unvisited) -> Vec<Row> {
    left_out.sort_by_key(|row| row.key);
    let older = (unvisited != Unvisited::Nothing).then(|| Row {
        place: "older".to_owned(),
        what: String::new(),
        fate: Fate::LeftOut,
        why: vec![unvisited.to_string()],
        key: None,
    });
    let mut waiting = older.into_iter().chain(left_out).peekable();
    let mut rows = Vec::new();
    let mut in_history = false;
    for row in kept {
        in_history |= !matches!(row.fate, Fate::Kept { class: Class::Fixed, .. });
        if in_history {
            while let Some(before) = waiting.next_if(|left_out| left_out.key < row.key.or(left_out.key)) {
                rows.push(before);
            }
        }
        rows.push(row);
    }
    rows.extend(waiting);
    rows
}
