//! "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of
//! `tool_use` and `tool_result` blocks)" (report B58).

use super::{Block, Message, Role};
use crate::finding::WireChange;
use crate::raw::{look, text_of};
use crate::scribe::Scribe;
use crate::tools::Parameter;

/// Leaves `thinking` out if it is enabled and the tool turn that is open does not begin with it.
pub(super) fn settle(parameters: &mut Vec<Parameter<'_>>, messages: &[Message<'_>], scribe: &mut Scribe<'_>) {
    let Some(at) = parameters.iter().position(|(name, _)| *name == "thinking") else { return };
    let kind = parameters.get(at).and_then(|(_, value)| look(value, |value| text_of(value, "type")));
    if kind.as_deref() == Some("enabled") && lacks_thinking(messages) {
        parameters.remove(at);
        scribe.note_body(WireChange::ThinkingTurnedOff);
    }
}

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
