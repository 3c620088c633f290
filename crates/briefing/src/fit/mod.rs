//! From contributions to a briefing: gather pairs, `fit` drops whole units until every bound holds, seal freezes.
//!
//! Source order is the way of the data: [`gather`](self), [`Unit`], [`Cost`] and [`Bounds`], the plan, [`Briefing`] and its
//! [`Receipt`].

mod bounds;
mod cost;
mod files;
mod gather;
mod history;
mod plan;
mod print;
mod receipt;
mod run;
mod seal;
mod shorten;
mod tokens;
mod unit;
mod waiting;

use std::sync::Arc;

pub use bounds::{Anchor, Bound, Bounds, Edge, Stride};
pub use cost::Cost;
pub use gather::Piece;
pub use plan::{FitError, Share, ShareSize};
pub use receipt::{Class, FileReason, Kept, Line, Origin, PrefixChange, Receipt, Rule, Unvisited, WalkEnd};
pub use seal::{Briefing, Placed};
pub use tokens::{CountTokens, Estimator};
pub use unit::{Round, Unit, UnitKind, filler, native_reads_as, stands_as};
pub use waiting::WaitingCard;

pub(crate) use bounds::Limits;
pub(crate) use files::{FileGate, sendable};
pub(crate) use gather::{Gather, Gathered, is_input};
pub(crate) use plan::{Material, Section, Told, plan};
pub(crate) use shorten::cut_outcome;

use crate::call::Call;
use crate::message::{EntryId, ModelMessage};

/// Makes a briefing of a plain list of messages: the whole product for a user who keeps their own history.
///
/// The leading system messages are instructions and never yield; nor does the last user message. What follows it are this
/// run's rounds so far; the rest is history, of which the newest units that fit are kept. The list is read from its end,
/// and no further than the window needs. Synchronous and pure.
///
/// # Errors
/// [`FitError::TooLarge`] if what never yields breaks a bound by itself.
pub fn fit(messages: &[ModelMessage], call: &Call, bounds: &Bounds) -> Result<Briefing, FitError> {
    let list: Arc<str> = Arc::from("list");
    let leading = messages.iter().take_while(|message| matches!(message, ModelMessage::System(_))).count();
    let piece =
        |(index, message): (usize, &ModelMessage)| Piece { message: message.clone(), entry: Some(EntryId::new(index as u64)) };
    let head = messages.iter().enumerate().take(leading).rev().map(piece);
    let (fixed, mut lines) = Section::gathered(Class::Fixed, None, head, Arc::clone(&list));
    let current_at = messages.iter().skip(leading).rposition(is_input).map(|at| EntryId::new((leading + at) as u64));
    let mut walk = Gather::new(messages.iter().enumerate().skip(leading).rev().map(piece), list);
    let mut run = Vec::new();
    let mut current = None;
    while let (None, Some(at)) = (&current, current_at) {
        let Some(gathered) = walk.next() else { break };
        match &gathered.from {
            Origin::Entries(entries) if entries.first() == Some(&at) => current = Some(gathered),
            Origin::Entries(_) | Origin::Resolver(_) => run.push(gathered),
        }
    }
    lines.reverse();
    plan(
        Material {
            before: vec![fixed],
            history: walk,
            after: Vec::new(),
            current,
            run,
            lines,
            older: Unvisited::Nothing,
            told: Told::default(),
        },
        Arc::new(call.clone()),
        bounds,
    )
}
