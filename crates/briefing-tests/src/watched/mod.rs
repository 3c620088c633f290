//! An agent whose every effect is a point at which a test steps in: to kill the process, to fail a write, to let somebody else go
//! first.
//!
//! [`Watched`] is the store, [`ScriptedModel`] the model, [`tools`] what it may do; each asks a [`Hook`] before and after. [`Desk`] makes
//! an agent of them, whose model says the same whenever it is asked the same.

mod clock;
mod desk;
mod model;
mod store;
mod tools;

use briefing_store::{StoreError, Writer};

pub use clock::SetClock;
pub use desk::{Desk, DeskFault, FIRST, Question, SCHEDULED, SECOND, owner, profile};
pub use model::ScriptedModel;
pub use store::Watched;
pub use tools::{Effects, LOOK, PAY, PUT, tools};

/// What a test does at each point.
pub trait Hook: Send + Sync {
    /// It is about to be done. What is given back is what a write fails with, undone.
    ///
    /// # Errors
    /// Whatever the test wants a write to fail with; elsewhere it is not looked at.
    fn before(&self, point: &Point<'_>) -> Result<(), StoreError> {
        let _ = point;
        Ok(())
    }

    /// It was done; or refused, or had been done before.
    fn after(&self, point: &Point<'_>, done: bool) {
        let _ = (point, done);
    }
}

/// One effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point<'a> {
    /// What is done.
    pub what: What,
    /// The run that writes, where it is a run's write.
    pub writer: Option<&'a Writer>,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A write of the store: the operation's name.
    Write(&'static str),
    /// The model is asked.
    Ask,
    /// That tool looks at what a call would touch.
    Propose(&'static str),
    /// That tool does what it does.
    Do(&'static str),
}

impl What {
    const fn point(self) -> Point<'static> {
        Point { what: self, writer: None }
    }
}

/// Nothing is done at any point.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Hook for Unwatched {}
