//! "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of
//! `tool_use` and `tool_result` blocks)." (report B58)

use briefing_json::{Path, Value};

use crate::fault::{Fault, clip};
use crate::report::{Findings, text};

/// Whether thinking is on. With `adaptive` the provider does not ask for the block.
pub(super) fn is_on(body: Value<'_>) -> bool {
    body.get("thinking").and_then(|thinking| text(thinking, "type")).as_deref() == Some("enabled")
}

/// The tool turn that is open at the end of the list: everything since a user message last said something.
#[derive(Debug, Default)]
pub(super) struct OpenTurn {
    /// Its first assistant block, unless that is thinking: message, block (none if the content is a string), type.
    first: Option<(usize, Option<usize>, String)>,
    begun: bool,
    has_call: bool,
}

impl OpenTurn {
    pub(super) fn asked(&mut self) {
        *self = Self::default();
    }

    pub(super) fn assistant(&mut self, kind: &str, message: usize, item: Option<usize>) {
        self.has_call |= kind == "tool_use";
        if self.begun {
            return;
        }
        self.begun = true;
        if !matches!(kind, "thinking" | "redacted_thinking") {
            self.first = Some((message, item, clip(kind)));
        }
    }

    pub(super) fn check(&mut self, out: &mut Findings) {
        let Some((message, item, found)) = self.first.take().filter(|_| self.has_call) else { return };
        let at = Path::ROOT.key("messages");
        let at = at.index(message);
        let at = at.key("content");
        match item {
            Some(item) => out.add(&at.index(item), Fault::ThinkingNotFirst { found }),
            None => out.add(&at, Fault::ThinkingNotFirst { found }),
        }
    }
}
