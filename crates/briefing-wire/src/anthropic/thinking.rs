//! What must agree with `thinking` that is enabled. It is left out of a request that would be refused for it.

use super::{Block, Message, Role};
use crate::finding::{ThinkingFault, WireChange};
use crate::raw::{look, text_of};
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};

/// "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
const LEAST_BUDGET: f64 = 1_024.0;

/// No model answers so many tokens.
const MOST_BUDGET: f64 = 1e9;

/// Leaves `thinking` out if it is enabled and something does not agree with it. Gives the least `max_tokens` that does.
pub(super) fn settle(
    parameters: &mut Vec<Parameter<'_>>,
    tools: &[Declared<'_>],
    messages: &[Message<'_>],
    scribe: &mut Scribe<'_>,
) -> Option<u32> {
    let at = parameters.iter().position(|(name, value)| *name == "thinking" && is_on(value))?;
    let budget = parameters.get(at).and_then(|(_, value)| number(value, Some("budget_tokens")));
    let most = value_of(parameters, "max_tokens").and_then(|most| number(most, None));
    let choice = value_of(parameters, "tool_choice").and_then(|choice| look(choice, |choice| text_of(choice, "type")));
    // With tools a header that is no part of the body lets the budget exceed `max_tokens`.
    let servers = value_of(parameters, "mcp_servers").and_then(|list| look(list, |list| list.items().next().map(drop)));
    let may_exceed = !tools.is_empty() || servers.is_some();
    let fault = match () {
        () if budget.is_some_and(|budget| !(LEAST_BUDGET..MOST_BUDGET).contains(&budget) || budget.fract() != 0.0) => {
            Some(ThinkingFault::Budget)
        }
        () if !may_exceed && budget.zip(most).is_some_and(|(budget, most)| budget >= most) => Some(ThinkingFault::Budget),
        () if matches!(choice.as_deref(), Some("any" | "tool")) => Some(ThinkingFault::ForcedTool),
        () if lacks_thinking(messages) => Some(ThinkingFault::OpenTurn),
        () => None,
    };
    if let Some(why) = fault {
        parameters.remove(at);
        scribe.note_body(WireChange::ThinkingTurnedOff { why });
        return None;
    }
    budget.map(above)
}

fn is_on(thinking: &str) -> bool {
    look(thinking, |thinking| text_of(thinking, "type")).as_deref() == Some("enabled")
}

fn value_of<'p>(parameters: &'p [Parameter<'_>], name: &str) -> Option<&'p str> {
    parameters.iter().find(|(known, _)| *known == name).map(|(_, value)| &**value)
}

/// The number, or the object's member if it is one.
fn number(value: &str, member: Option<&str>) -> Option<f64> {
    look(value, |value| member.map_or(Some(value), |member| value.get(member))?.as_f64())
}

/// The next whole number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole, and neither negative nor too large")]
fn above(budget: f64) -> u32 {
    budget as u32 + 1
}

/// "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of
/// `tool_use` and `tool_result` blocks)" (report B58).
fn lacks_thinking(messages: &[Message<'_>]) -> bool {
    let asks = |message: &Message<'_>| {
        message.role == Role::User && message.blocks.iter().any(|block| !matches!(block, Block::Outcome { .. }))
    };
    let asked = messages.iter().rposition(asks).map_or(0, |at| at + 1);
    let open = messages.iter().skip(asked).filter(|message| message.role == Role::Assistant);
    let mut blocks = open.flat_map(|message| &message.blocks).peekable();
    let begins = matches!(blocks.peek(), Some(Block::Thinking(_)));
    !begins && blocks.any(|block| matches!(block, Block::Call { .. }))
}
