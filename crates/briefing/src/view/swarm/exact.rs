//! What the original tells an agent, faults included (`toArrayForAgent`).

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use crate::view::swarm::{Finding, SwarmMessage, SwarmMode, SwarmRole};

type Predicate = dyn Fn(&SwarmMessage) -> Result<bool, String> + Send + Sync;

/// The history of one agent as agent-swarm-kit 6.0.0 tells it, faults included: a message that calls in vain is lost with
/// its text, an outcome may stand before its call, a window may cut a call from its outcome.
///
/// ```
/// use briefing::view::swarm::{ExactHistory, Finding, SwarmMessage, SwarmMode, SwarmRole};
///
/// let log = [
///     SwarmMessage::new(SwarmRole::User, SwarmMode::User, "triage", "hello"),
///     SwarmMessage::new(SwarmRole::Flush, SwarmMode::Tool, "sales", ""),
///     SwarmMessage::new(SwarmRole::User, SwarmMode::User, "sales", "again"),
/// ];
/// let (view, findings) = ExactHistory::new("triage").for_agent(&log, "Be brief.", &[]);
/// assert_eq!(view.iter().filter_map(|message| message.content.as_deref()).collect::<Vec<_>>(), ["Be brief.", "again"]);
/// assert_eq!(findings, [Finding::Reset { at: 1 }]);
/// ```
#[derive(Clone)]
pub struct ExactHistory {
    agent: String,
    keep: Option<usize>,
    global: Vec<String>,
    filter: Option<Arc<Predicate>>,
}

/// How many messages of the dialog are kept, unless the history says otherwise (`CC_KEEP_MESSAGES`).
const KEEP: usize = 15;

/// A message that is still in, with its place in the log.
type Placed<'a> = (usize, Cow<'a, SwarmMessage>);

impl ExactHistory {
    /// The history of that agent: the last 15 messages, no global prompt, the default filter.
    #[must_use]
    pub fn new(agent: impl Into<String>) -> Self {
        Self { agent: agent.into(), keep: Some(KEEP), global: Vec::new(), filter: None }
    }

    /// At most the last `messages` of the dialog; none = all; 0 = nothing. Counted after the filter and before calls are
    /// matched with outcomes, so that fewer may be told; prompts and system messages are not counted.
    #[must_use]
    pub fn keep(mut self, messages: impl Into<Option<usize>>) -> Self {
        self.keep = messages.into();
        self
    }

    /// System prompts of every agent (`CC_AGENT_SYSTEM_PROMPT`), told behind the agent's prompt. Empty ones are left out.
    #[must_use]
    pub fn global(mut self, prompts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.global = prompts.into_iter().map(|prompt| prompt.as_ref().to_owned()).collect();
        self
    }

    /// Which messages of the dialog are told, in place of the default: other agents' outcomes are not, and neither are their
    /// messages that have a list of calls. If the filter fails, the message stays, with a finding. System messages never pass
    /// through it.
    #[must_use]
    pub fn filter<E: fmt::Display>(
        mut self,
        filter: impl Fn(&SwarmMessage) -> Result<bool, E> + Send + Sync + 'static,
    ) -> Self {
        self.filter = Some(Arc::new(move |message| filter(message).map_err(|error| error.to_string())));
        self
    }

    /// What the agent is told of `log`, the client's whole stored list: the prompt, the global prompts and `system` (empty ones
    /// left out), then its own system messages, then the dialog. Findings come in the order of the steps.
    #[must_use]
    pub fn for_agent(&self, log: &[SwarmMessage], prompt: &str, system: &[&str]) -> (Vec<SwarmMessage>, Vec<Finding>) {
        let mut findings = Vec::new();
        let reset = log.iter().rposition(|message| message.role.is_reset());
        findings.extend(reset.map(|at| Finding::Reset { at }));

        let mut view = self.prompts(prompt, system);
        let mut dialog = Vec::new();
        for (at, message) in log.iter().enumerate().skip(reset.map_or(0, |at| at + 1)) {
            if !message.has_text() && !message.has_calls() && !message.has_payload() {
                findings.push(Finding::Blank { at });
            } else if message.role != SwarmRole::System {
                dialog.extend(self.admit(at, message, &mut findings));
            } else if message.agent == self.agent {
                view.push(message.clone());
            } else {
                findings.push(Finding::OthersSystem { at });
            }
        }

        let older = self.keep.map_or(0, |keep| dialog.len().saturating_sub(keep));
        if older > 0 {
            findings.push(Finding::Older { count: older });
        }
        pair(dialog.get(older..).unwrap_or_default(), &mut view, &mut findings);
        (view, findings)
    }

    /// The agent that is told.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// At most how many messages of the dialog it tells; none: all.
    #[must_use]
    pub fn kept(&self) -> Option<usize> {
        self.keep
    }

    /// The agent that is told, if the filter is the default one: of tool use nothing but its own can be told then.
    #[must_use]
    pub fn scope(&self) -> Option<&str> {
        self.filter.is_none().then_some(self.agent.as_str())
    }

    /// Whether that message would be counted towards what is kept.
    #[must_use]
    pub fn counts(&self, message: &SwarmMessage) -> bool {
        let dialog = message.role != SwarmRole::System && !message.role.is_reset();
        dialog && self.admit(0, message, &mut Vec::new()).is_some()
    }

    fn prompts(&self, prompt: &str, system: &[&str]) -> Vec<SwarmMessage> {
        let texts = std::iter::once(prompt).chain(self.global.iter().map(String::as_str)).chain(system.iter().copied());
        texts
            .filter(|text| !text.is_empty())
            .map(|text| SwarmMessage::new(SwarmRole::System, SwarmMode::Tool, self.agent.as_str(), text))
            .collect()
    }

    /// A message of the dialog, if it says something and passes the filter; an absent text becomes the empty one before.
    fn admit<'a>(&self, at: usize, message: &'a SwarmMessage, findings: &mut Vec<Finding>) -> Option<Placed<'a>> {
        if !message.has_text() && !message.has_calls() {
            findings.push(Finding::Blank { at });
            return None;
        }
        // Only a filter of one's own could see the difference before the window is known.
        let message = match (&message.content, &self.filter) {
            (Some(_), _) | (None, None) => Cow::Borrowed(message),
            (None, Some(_)) => Cow::Owned(SwarmMessage { content: Some(String::new()), ..message.clone() }),
        };
        let told = match &self.filter {
            None => Ok(self.in_scope(&message)),
            Some(filter) => filter(&message),
        };
        match told {
            Ok(true) => {}
            Ok(false) => {
                findings.push(Finding::Filtered { at });
                return None;
            }
            Err(error) => findings.push(Finding::FilterFailed { at, error }),
        }
        Some((at, message))
    }

    /// The default filter: the tool traffic of other agents is hidden, told by role or by a list of calls, even an empty one.
    fn in_scope(&self, message: &SwarmMessage) -> bool {
        message.agent == self.agent || (message.role != SwarmRole::Tool && message.tool_calls.is_none())
    }
}

/// Leaves out calls without an outcome and outcomes without a call, once in each direction: order, repeats and roles do not
/// matter, and a message that is left out still counts as having called.
fn pair(window: &[Placed<'_>], view: &mut Vec<SwarmMessage>, findings: &mut Vec<Finding>) {
    let answered: HashSet<&str> = window.iter().filter_map(|(_, message)| message.answers()).collect();
    let calls = window.iter().flat_map(|(_, message)| message.tool_calls.iter().flatten());
    let called: HashSet<&str> = calls.filter_map(|call| call.id.as_deref()).collect();
    for (at, message) in window {
        let at = *at;
        let mut message = message.clone().into_owned();
        message.content.get_or_insert_default();
        if let Some(calls) = &mut message.tool_calls {
            calls.retain(|call| {
                let kept = call.id.as_deref().is_some_and(|id| answered.contains(id));
                if !kept {
                    findings.push(Finding::CallLeftOut { at, id: call.id.clone() });
                }
                kept
            });
        }
        match message.answers() {
            Some(id) if called.contains(id) => view.push(message),
            Some(id) => findings.push(Finding::Orphan { at, id: id.to_owned() }),
            None if message.tool_calls.as_ref().is_some_and(Vec::is_empty) => {
                findings.push(Finding::CallsGone { at, text: message.has_text() });
            }
            None => view.push(message),
        }
    }
}

impl fmt::Debug for ExactHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let filter = if self.filter.is_some() { "given" } else { "default" };
        f.debug_struct("ExactHistory")
            .field("agent", &self.agent)
            .field("keep", &self.keep)
            .field("global", &self.global)
            .field("filter", &filter)
            .finish()
    }
}
