//! Messages of chats and transcripts, resets, and what becomes of an entry later.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::log::{Attachment, Body, Kind};
use crate::message::{EntryId, ModelMessage};

/// A message of a chat, of an imported transcript, or one that an agent pushed.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What it says, as a model reads it. The text of its files is not part of it: views add that.
    pub said: ModelMessage,
    /// The agent that wrote it, or that was active when it was written; none where one agent has the log for itself.
    pub agent: Option<Arc<str>>,
    /// Whether it was said on the way to an answer, beside calls, and is no answer itself.
    pub interim: bool,
    /// Its files, in order.
    pub attachments: Vec<Attachment>,
    /// Fields of a [`SwarmMessage`](crate::view::swarm::SwarmMessage) that the rest does not tell, such as its payload. Of them a model
    /// reads the pictures alone.
    pub extra: Map<String, Value>,
    /// The [`Edit`] whose text this is, where it was edited. The store's to set; at append it is ignored.
    pub edited: Option<EntryId>,
}

/// A marker that ends what an agent may see of the past, whoever wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reset {
    /// Why there is one.
    pub kind: ResetKind,
    /// The agent that was active.
    pub agent: Option<Arc<str>>,
    /// What is said of the reason, for people.
    pub reason: String,
    /// As in [`Message::extra`].
    pub extra: Map<String, Value>,
}

/// The two kinds of reset. Views do not tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResetKind {
    /// Somebody asked for it.
    Flush,
    /// A fault of the model was mended by it.
    Rescue,
}

/// A new version of an older message. The message reads like this from now on, at its old place; the old text stays in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Edit {
    /// The entry of the message.
    pub of: EntryId,
    /// What it says now.
    pub message: Message,
}

/// A tombstone of what was popped: no view tells it any more, and it stays in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Popped {
    /// When it was popped.
    pub at: Timestamp,
    /// The hash of what was appended (BLAKE3), where the log keeps one.
    pub hash: Option<[u8; 32]>,
    /// What it was.
    pub body: Box<Body>,
}

/// A message of nobody in particular, without files.
impl From<ModelMessage> for Message {
    fn from(said: ModelMessage) -> Self {
        Self { said, agent: None, interim: false, attachments: Vec::new(), extra: Map::new(), edited: None }
    }
}

impl Message {
    /// The same, written by that agent.
    #[must_use]
    pub fn by(mut self, agent: impl Into<Arc<str>>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// What a view takes it for: [`Kind::System`], [`Kind::ToolUse`] (calls, outcomes, and what was said on the way), or
    /// [`Kind::Message`].
    ///
    /// Of a foreign shape the role and the list of calls that it came with decide, even where they are empty or odd.
    #[must_use]
    pub fn kind(&self) -> Kind {
        let foreign_role = self.extra.get("role").and_then(Value::as_str);
        let foreign_calls = self.extra.get("tool_calls").is_some_and(|calls| !calls.is_null());
        match (&self.said, foreign_role) {
            (_, Some("tool")) | (ModelMessage::Tool(_), _) => Kind::ToolUse,
            (ModelMessage::System(_), None) => Kind::System,
            (ModelMessage::Assistant(said), _) if said.calls().next().is_some() => Kind::ToolUse,
            (ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Assistant(_), _) => {
                if self.interim || foreign_calls { Kind::ToolUse } else { Kind::Message }
            }
        }
    }
}

impl ResetKind {
    /// Its name for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flush => "flush",
            Self::Rescue => "rescue",
        }
    }
}
