//! What a server answers, request by request.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::{Recorded, Refusal, Turn};

/// What a server answers, request by request.
pub struct Script {
    answers: Answers,
    key: Option<String>,
}

enum Answers {
    Turns(Mutex<VecDeque<Turn>>),
    Function(Box<dyn Fn(&Recorded) -> Turn + Send + Sync>),
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}

impl Script {
    /// One turn for each request, in the order in which requests are whole. A request beyond the last is refused with status 500.
    #[must_use]
    pub fn turns<T: Into<Turn>>(turns: impl IntoIterator<Item = T>) -> Self {
        let turns = turns.into_iter().map(Into::into).collect();
        Self { answers: Answers::Turns(Mutex::new(turns)), key: None }
    }

    /// What the function says to each request. It is called from many tasks at once.
    #[must_use]
    pub fn answering(turn: impl Fn(&Recorded) -> Turn + Send + Sync + 'static) -> Self {
        Self { answers: Answers::Function(Box::new(turn)), key: None }
    }

    /// The same for a server that refuses whoever does not show that key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// What is answered, and the request without its secrets.
    pub(super) fn next(&self, request: Recorded) -> (Turn, Recorded) {
        let Some(wire) = request.wire() else { return (Turn::refusal(Refusal::NotFound), request.hidden()) };
        let known = self.key.as_ref().is_none_or(|key| request.has_key(wire, key));
        let request = request.hidden();
        let turn = match &self.answers {
            _ if !known => Turn::refusal(Refusal::UnknownKey),
            Answers::Function(turn) => turn(&request),
            Answers::Turns(turns) => turns
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front()
                .unwrap_or_else(|| Turn::status(500, "the script has no more turns")),
        };
        (turn, request)
    }
}
