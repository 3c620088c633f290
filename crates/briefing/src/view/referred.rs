//! What a cleared outcome refers to.

use std::sync::Arc;

use crate::fit::{Line, Receipt, Rule};
use crate::log::Body;
use crate::message::{EntryId, ModelMessage, Outcome};
use crate::ports::{History, PortError};

/// The outcome that a line of a cleared one names: for a tool that a model can call to read it after all. `reference` is what the
/// model gives: `outcome:17`, or the whole line. None if it names nothing, or no outcome that `receipt`, the one of the request that
/// the model answers, tells to be cleared: so a model cannot read what it was never told of, whoever asks it to.
///
/// # Errors
/// [`PortError`] if the log cannot be read.
pub async fn referred(history: &dyn History, receipt: &Receipt, reference: &str) -> Result<Option<Arc<Outcome>>, PortError> {
    let Some(number) = reference.rsplit_once("outcome:").map(|(_, number)| number.trim_end_matches(']').trim()) else {
        return Ok(None);
    };
    let Ok(number) = number.parse() else { return Ok(None) };
    let number = EntryId::new(number);
    let cleared = |line: &Line| matches!(line.rule, Rule::OutcomeCleared { .. }) && line.from.holds(number);
    if !receipt.lines().iter().any(cleared) {
        return Ok(None);
    }
    let Some(entry) = history.entry(number).await? else { return Ok(None) };
    Ok(match &entry.body {
        Body::Outcome(outcome) => Some(Arc::clone(outcome)),
        Body::Message(message) => match &message.said {
            ModelMessage::Tool(outcome) => Some(Arc::clone(outcome)),
            ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Assistant(_) => None,
        },
        Body::Mail(_)
        | Body::Round(_)
        | Body::Card(_)
        | Body::Notice(_)
        | Body::Reset(_)
        | Body::Edit(_)
        | Body::Popped(_)
        | Body::Erased(_)
        | Body::Unreadable => None,
    })
}
