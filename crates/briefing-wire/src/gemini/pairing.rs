//! Which outcome answers which call: by the id where both have one, else by the function's name, in order.

use std::collections::{HashMap, VecDeque};

use briefing::message::CallId;

/// The calls of the model's last turn that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// Whether the list goes on from contents that the provider keeps.
    pub(super) goes_on: bool,
    calls: Vec<Open>,
    by_id: HashMap<String, usize>,
    by_name: HashMap<String, VecDeque<usize>>,
    /// Whether somebody else has spoken since.
    over: bool,
}

#[derive(Debug)]
struct Open {
    id: CallId,
    nameless: bool,
    answered: bool,
}

impl Pairing {
    /// No call yet. `goes_on`: whether the list goes on from contents that the provider keeps.
    pub(super) fn new(goes_on: bool) -> Self {
        Self { goes_on, ..Self::default() }
    }

    /// The model speaks: what follows is about calls that the list holds.
    pub(super) fn model(&mut self) {
        self.goes_on = false;
    }

    /// A call of that id, or of none.
    pub(super) fn call(&mut self, name: &str, id: &CallId, nameless: bool) {
        if std::mem::take(&mut self.over) {
            *self = Self { goes_on: self.goes_on, ..Self::default() };
        }
        let at = self.calls.len();
        if !nameless {
            self.by_id.entry(id.given().to_owned()).or_insert(at);
        }
        self.by_name.entry(name.to_owned()).or_default().push_back(at);
        self.calls.push(Open { id: id.clone(), nameless, answered: false });
    }

    /// Somebody else speaks: the model's turn is over.
    pub(super) fn turn(&mut self) {
        self.over = true;
    }

    /// The call that an outcome answers; none if no call of the turn is open for it.
    pub(super) fn answered(&mut self, name: &str, id: Option<&str>) -> Option<CallId> {
        let at = match id.and_then(|id| self.by_id.get(id)) {
            Some(at) => *at,
            None => self.next(name, id.is_some())?,
        };
        let open = self.calls.get_mut(at).filter(|open| !open.answered)?;
        open.answered = true;
        Some(open.id.clone())
    }

    /// The first open call of that function; an outcome with an id answers only one that has none.
    fn next(&mut self, name: &str, has_id: bool) -> Option<usize> {
        let places = self.by_name.get_mut(name)?;
        while let Some(at) = places.front().copied() {
            let open = self.calls.get(at)?;
            if open.answered {
                places.pop_front();
            } else {
                return (!has_id || open.nameless).then_some(at);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_on_one_side_alone_is_no_obstacle() {
        let mut pairing = Pairing::default();
        for (name, id, nameless) in [("f", "a", false), ("f", "f", true), ("g", "b", false)] {
            pairing.call(name, &id.into(), nameless);
        }
        pairing.turn();
        let given = [("g", None), ("f", Some("a")), ("f", Some("x")), ("f", None)];
        let answered = given.map(|(name, id)| pairing.answered(name, id).map(|id| id.to_string()));
        assert_eq!(answered, [Some("b".to_owned()), Some("a".to_owned()), Some("f".to_owned()), None]);
        pairing.call("h", &"c".into(), false);
        assert_eq!(pairing.answered("g", None), None);
    }
}
