//! What a chat holds, and what a model is told of it.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::ModelMessage;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as it was given.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.into())
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id.into())
            }
        }

        impl From<u64> for $name {
            fn from(id: u64) -> Self {
                Self(id.to_string().into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id! {
    /// The application's id of a person's message. Two messages have two.
    ChatMessageId
}

id! {
    /// The application's id of a card. Two proposals of the same write have two.
    CardId
}

/// One thing that happened in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatMessage {
    /// What the person wrote.
    User {
        /// What its files refer to. Without one it has no files.
        id: Option<ChatMessageId>,
        /// The text; it may be empty.
        text: String,
    },
    /// What the model wrote.
    Assistant {
        /// The text.
        text: String,
        /// Whether it is the answer of its turn. What stands beside a call is not.
        is_final: bool,
    },
    /// A call. No later turn reads of it.
    ToolCall {
        /// The provider's id.
        id: String,
        /// The tool.
        name: String,
        /// The arguments, as they came.
        input: String,
    },
    /// What a tool gave back. No later turn reads it.
    ToolResult {
        /// The id of the call that it answers.
        id: String,
        /// What came back.
        text: String,
    },
    /// A write that waits for the person.
    Card {
        /// Its id.
        card: CardId,
        /// What is to be done, as the model knows it.
        action: String,
    },
    /// How a card ended.
    CardNotice {
        /// The card.
        card: CardId,
        /// What was to be done.
        action: String,
        /// How it ended: see [`confirmation_phrase`](super::confirmation_phrase). One that it does not know tells nothing, and
        /// its card does not wait.
        outcome: String,
    },
    /// Any other notice. No turn reads it.
    Notice {
        /// What the person was told.
        text: String,
    },
}

/// A file that belongs to a person's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatFile {
    /// The message.
    pub message: ChatMessageId,
    /// Its name, as it came. It is told on one line and with at most 120 characters.
    pub filename: String,
    /// Whether it has been read. One that has not is not told.
    pub ready: bool,
    /// What was read.
    pub content: FileContent,
}

/// What was read of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// Text.
    Text {
        /// The text; empty if the file holds none.
        text: String,
        /// Whether it holds less than its file: pages, rows or sheets were left out, or characters could not be read.
        partial: bool,
    },
    /// A picture: past its own turn, a line with its name.
    Picture,
}

/// Who a [`ChatEntry`] is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// The person, or the application in their place.
    User,
    /// The model.
    Assistant,
}

/// One message as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatEntry {
    /// Who speaks.
    pub role: ChatRole,
    /// The text.
    pub content: String,
}

impl ChatEntry {
    /// An entry of the person.
    #[must_use]
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: ChatRole::User, content: content.into() }
    }

    /// An entry of the model.
    #[must_use]
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: ChatRole::Assistant, content: content.into() }
    }
}

impl From<ChatEntry> for ModelMessage {
    fn from(entry: ChatEntry) -> Self {
        match entry.role {
            ChatRole::User => Self::user(entry.content),
            ChatRole::Assistant => Self::assistant(entry.content),
        }
    }
}
