//! The log of one client in memory, written as the original writes it.

use serde_json::Value;

use crate::view::swarm::SwarmMessage;

/// The messages of one client, shared by all its agents. Resets are stored like any other message.
#[derive(Debug, Clone, PartialEq)]
pub struct SwarmLog {
    client: String,
    messages: Vec<SwarmMessage>,
}

/// What a [`SwarmLog`] tells after it has stored or removed something.
#[derive(Debug, Clone, PartialEq)]
pub enum SwarmEvent {
    /// A message was stored.
    Push {
        /// Whose log it is.
        client: String,
        /// The agent that pushed.
        agent: String,
        /// The message as it is stored.
        message: SwarmMessage,
    },
    /// The newest message was removed, if there was one.
    Pop {
        /// Whose log it is.
        client: String,
        /// The agent that popped.
        agent: String,
        /// What was removed.
        value: Option<SwarmMessage>,
    },
}

impl SwarmLog {
    /// The empty log of that client.
    #[must_use]
    pub fn new(client: impl Into<String>) -> Self {
        Self { client: client.into(), messages: Vec::new() }
    }

    /// Stores a message, pushed by `agent`. What a person wrote takes `payload`, that of the running execution, in place of its
    /// own, even if there is none; other messages keep theirs.
    pub fn push(&mut self, agent: &str, mut message: SwarmMessage, payload: Option<Value>) -> SwarmEvent {
        if message.is_user_input() {
            message.payload = payload;
        }
        self.messages.push(message.clone());
        SwarmEvent::Push { client: self.client.clone(), agent: agent.to_owned(), message }
    }

    /// Removes and returns the newest message, whoever wrote it: without a reset, what stood before it is told again. The event
    /// comes even if there was nothing.
    pub fn pop(&mut self, agent: &str) -> (Option<SwarmMessage>, SwarmEvent) {
        let value = self.messages.pop();
        (value.clone(), SwarmEvent::Pop { client: self.client.clone(), agent: agent.to_owned(), value })
    }

    /// Everything that is stored and not popped, resets and other agents included.
    #[must_use]
    pub fn raw(&self) -> &[SwarmMessage] {
        &self.messages
    }
}
