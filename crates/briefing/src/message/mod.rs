//! One message as a model reads it, with a content type of its own per role.
//!
//! What a role must not hold does not compile: a system message has no image, an outcome answers exactly one call, and
//! only an assistant message has an order of items. Messages are shared, never copied: cloning one costs a counter.

mod extra;
mod ids;
mod json;
mod media;
mod native;

use std::sync::Arc;

pub use extra::{Extra, RawJson, RawJsonError};
pub use ids::{CallId, EntryId, OwnerId, RunId, ThreadId};
pub use json::{MessageJsonError, MessageJsonFault, message_to_json, messages_from_json, messages_to_json};
pub use media::{Bytes, Media, MediaSource};
pub(crate) use native::{NativeFile, NativeKind, file_in};

use crate::wire::Wire;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelMessage {
    /// Instructions.
    System(Arc<System>),
    /// What a person, or a program in their place, says to the model.
    User(Arc<User>),
    /// What the model said and called.
    Assistant(Arc<Assistant>),
    /// The outcome of one call.
    Tool(Arc<Outcome>),
}

/// Instructions to the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct System {
    /// The content, in order.
    pub parts: Vec<SystemPart>,
    /// Unknown fields of the message.
    pub extra: Extra,
}

/// A piece of a system message.
#[derive(Debug, Clone, PartialEq)]
pub enum SystemPart {
    /// Text.
    Text(Text),
    /// A block that only its provider understands.
    Native(Native),
}

/// Input to the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct User {
    /// The content, in order.
    pub parts: Vec<Part>,
    /// Unknown fields of the message.
    pub extra: Extra,
}

/// An answer of the model: text, reasoning and calls in the order the model gave them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assistant {
    /// The content, in order. May be empty only where something else says that it happened.
    pub items: Vec<Item>,
    /// The model that said it, where known.
    pub model: Option<Arc<str>>,
    /// Unknown fields of the message.
    pub extra: Extra,
}

/// The outcome of one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The call it answers.
    pub call: CallId,
    /// What came out.
    pub parts: Vec<Part>,
    /// Whether the tool failed, where that is known.
    pub failed: Option<bool>,
    /// Unknown fields of the outcome.
    pub extra: Extra,
}

/// A piece of a user message or of an outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Text.
    Text(Text),
    /// A picture.
    Image(Media),
    /// A document, such as a PDF.
    Document(Media),
    /// A block that only its provider understands.
    Native(Native),
}

/// A piece of an assistant message.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Text.
    Text(Text),
    /// Reasoning: opaque, and bound to the wire it came from.
    Reasoning(Reasoning),
    /// A tool call.
    Call(ToolCall),
    /// A block that only its provider understands.
    Native(Native),
}

/// Text with the unknown fields of its block.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Unknown fields of the block.
    pub extra: Extra,
}

/// Reasoning as its provider gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reasoning {
    /// The wire that it belongs to.
    pub wire: Wire,
    /// What the wire calls it: `thinking`, `reasoning_content`, …
    pub kind: Arc<str>,
    /// The block, byte for byte.
    pub raw: RawJson,
}

/// A block that only its provider understands: a server tool, a search result, an addition of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Native {
    /// The wire that it belongs to.
    pub wire: Wire,
    /// What the wire calls it.
    pub kind: Arc<str>,
    /// The block, byte for byte.
    pub raw: RawJson,
    /// What it reads as on another wire; `None` reads as a fixed text naming the kind.
    pub reads_as: Option<String>,
    /// The id of a block in the same message without which this one is refused.
    pub needs: Option<Arc<str>>,
}

impl Native {
    /// Whether the block holds a file in a form that Briefing does not know, such as a recording: it costs what a picture costs, not what
    /// its data would cost as text (report B69). Told by the block, not by [`Native::kind`]. A file that is text (any that is no picture,
    /// recording, film or PDF) is none: it costs what it reads as.
    #[must_use]
    pub fn is_file(&self) -> bool {
        file_in(self).is_some_and(|file| file.kind != NativeKind::Text)
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The provider's id, and its number where that repeats.
    pub id: CallId,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, as the model wrote them.
    pub input: Input,
    /// Unknown fields of the call.
    pub extra: Extra,
}

/// A call's arguments: kept as they came, so that broken ones stay representable.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    raw: Arc<str>,
    sound: bool,
}

/// How many levels an input or a raw block may nest, so that the body around it stays readable to every parser.
pub const MAX_RAW_DEPTH: usize = 100;

/// How many characters of arguments are sent: below the 1,048,576 that providers take as input, though they may put out more
/// (report B52).
pub const MAX_INPUT_CHARS: usize = 1_000_000;

/// How many characters are shown of arguments that are longer than [`MAX_INPUT_CHARS`].
pub const INPUT_SHOWN: usize = 1_000;

impl Input {
    /// Takes the arguments as they came. Anything is representable.
    #[must_use]
    pub fn new(raw: impl Into<Arc<str>>) -> Self {
        let raw = raw.into();
        let sound = briefing_json::Document::parse(&raw).is_ok_and(|document| {
            let root = document.root();
            root.kind() == briefing_json::Kind::Object && document.depth() <= MAX_RAW_DEPTH && !document.has_lone_surrogate()
        });
        Self { raw, sound }
    }

    /// The arguments as they came.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Whether they are a JSON object that every provider can read as it stands.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.sound
    }

    /// The arguments as JSON. None if they are not an object.
    #[must_use]
    pub fn as_json(&self) -> Option<serde_json::Value> {
        if self.sound { serde_json::from_str(&self.raw).ok() } else { None }
    }
}

/// The four roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// [`ModelMessage::System`]
    System,
    /// [`ModelMessage::User`]
    User,
    /// [`ModelMessage::Assistant`]
    Assistant,
    /// [`ModelMessage::Tool`]
    Tool,
}

impl Role {
    /// The role's name in the flat JSON form.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

impl ModelMessage {
    /// A system message of one text.
    #[must_use]
    pub fn system(text: impl Into<String>) -> Self {
        Self::System(Arc::new(System { parts: vec![SystemPart::Text(Text::new(text))], extra: Extra::default() }))
    }

    /// A user message of one text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::User(Arc::new(User { parts: vec![Part::text(text)], extra: Extra::default() }))
    }

    /// An assistant message of one text.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(Arc::new(Assistant { items: vec![Item::Text(Text::new(text))], ..Assistant::default() }))
    }

    /// An assistant message of calls alone.
    #[must_use]
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self::Assistant(Arc::new(Assistant { items: calls.into_iter().map(Item::Call).collect(), ..Assistant::default() }))
    }

    /// The outcome of a call, as one text.
    #[must_use]
    pub fn outcome(call: impl Into<CallId>, text: impl Into<String>) -> Self {
        Self::Tool(Arc::new(Outcome::text(call, text)))
    }

    /// Its text parts, joined by a blank line: what of it is plain text.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = match self {
            Self::System(system) => system.parts.iter().filter_map(SystemPart::text).collect(),
            Self::User(user) => user.parts.iter().filter_map(Part::as_text).collect(),
            Self::Tool(outcome) => outcome.parts.iter().filter_map(Part::as_text).collect(),
            Self::Assistant(said) => said.items.iter().filter_map(Item::text).collect(),
        };
        texts.join("\n\n")
    }

    /// The message's role.
    #[must_use]
    pub fn role(&self) -> Role {
        match self {
            Self::System(_) => Role::System,
            Self::User(_) => Role::User,
            Self::Assistant(_) => Role::Assistant,
            Self::Tool(_) => Role::Tool,
        }
    }
}

impl Assistant {
    /// The message's calls, in order.
    pub fn calls(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        self.items.iter().filter_map(|item| match item {
            Item::Call(call) => Some(call),
            Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => None,
        })
    }
}

impl Outcome {
    /// An outcome of one text.
    #[must_use]
    pub fn text(call: impl Into<CallId>, text: impl Into<String>) -> Self {
        Self { call: call.into(), parts: vec![Part::text(text)], failed: None, extra: Extra::default() }
    }
}

impl Text {
    /// Text without unknown fields.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), extra: Extra::default() }
    }
}

impl Part {
    /// A text part without unknown fields.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text::new(text))
    }
}

impl ToolCall {
    /// A call with its id, name and arguments as they came.
    #[must_use]
    pub fn new(id: impl Into<CallId>, name: impl Into<String>, input: impl Into<Arc<str>>) -> Self {
        Self { id: id.into(), name: name.into(), input: Input::new(input), extra: Extra::default() }
    }
}

impl SystemPart {
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(&text.text) } else { None }
    }
}

impl Part {
    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(&text.text) } else { None }
    }
}

impl Item {
    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(&text.text) } else { None }
    }
}
