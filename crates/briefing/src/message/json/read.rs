//! Reading the flat form: lenient where that loses nothing, refused with a place where it would.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use briefing_json::{Document, Kind, Path, Pointer, SyntaxError, Value};

use crate::message::{
    Assistant, Bytes, CallId, Extra, Input, Item, Media, MediaSource, ModelMessage, Native, Outcome, Part, RawJson,
    RawJsonError, Reasoning, System, SystemPart, Text, ToolCall, User,
};
use crate::wire::Wire;

/// Why a text is no list of messages in the flat form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault} at {}", place_name(place))]
pub struct MessageJsonError {
    /// Where.
    pub place: Pointer,
    /// What is wrong there.
    pub fault: MessageJsonFault,
}

fn place_name(place: &Pointer) -> &str {
    if place.as_str().is_empty() { "the top" } else { place.as_str() }
}

/// What can be wrong with the flat form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageJsonFault {
    /// It is no JSON.
    Syntax(SyntaxError),
    /// A raw block that cannot be sent as it stands.
    Raw(RawJsonError),
    /// Another kind of value than is wanted here.
    Wanted(&'static str),
    /// A member is missing.
    Missing(&'static str),
    /// A role, part or item that is not known.
    Unknown {
        /// What it should have been.
        what: &'static str,
        /// What stands there.
        name: String,
    },
}

impl fmt::Display for MessageJsonFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "{error}"),
            Self::Raw(error) => write!(f, "{error}"),
            Self::Wanted(what) => write!(f, "{what} is wanted"),
            Self::Missing(member) => write!(f, "{member:?} is missing"),
            Self::Unknown { what, name } => write!(f, "{name:?} is no {what}"),
        }
    }
}

type Read<T> = Result<T, MessageJsonError>;

/// Reads an array of messages, or one message.
///
/// # Errors
/// [`MessageJsonError`] with the place of the first thing that cannot be read.
pub fn messages_from_json(text: &str) -> Result<Vec<ModelMessage>, MessageJsonError> {
    let fault = |error| MessageJsonError { place: Pointer::root(), fault: MessageJsonFault::Syntax(error) };
    let document = Document::parse(text).map_err(fault)?;
    let root = Node { value: document.root(), place: Path::Root };
    match root.value.kind() {
        Kind::Array => root.items().map(|node| node.message()).collect(),
        _ => Ok(vec![root.message()?]),
    }
}

#[derive(Clone, Copy)]
struct Node<'d, 'p> {
    value: Value<'d>,
    place: Path<'p>,
}

impl<'d> Node<'d, '_> {
    fn error(&self, fault: MessageJsonFault) -> MessageJsonError {
        MessageJsonError { place: self.place.pointer(), fault }
    }

    /// The member's elements, if it is there; an error if it is no array.
    fn array<'k>(&'k self, key: &'static str) -> Read<Option<Node<'d, 'k>>> {
        match self.get(key) {
            Some(node) if node.value.kind() != Kind::Array => Err(node.error(MessageJsonFault::Wanted("an array"))),
            node => Ok(node),
        }
    }

    fn items(&self) -> impl Iterator<Item = Node<'d, '_>> {
        self.value.items().enumerate().map(|(index, value)| Node { value, place: Path::Index(&self.place, index) })
    }

    /// The member, if it is there and not null.
    fn get<'k>(&'k self, key: &'k str) -> Option<Node<'d, 'k>> {
        self.value.get(key).filter(|value| !value.is_null()).map(|value| Node { value, place: Path::Key(&self.place, key) })
    }

    fn wanted<'k>(&'k self, key: &'static str) -> Read<Node<'d, 'k>> {
        self.get(key).ok_or_else(|| self.error(MessageJsonFault::Missing(key)))
    }

    fn string(&self) -> Read<Cow<'d, str>> {
        self.value.as_str().ok_or_else(|| self.error(MessageJsonFault::Wanted("a string")))
    }

    fn raw(&self) -> Read<RawJson> {
        RawJson::new(self.value.raw()).map_err(|error| self.error(MessageJsonFault::Raw(error)))
    }

    fn wire(&self) -> Read<Wire> {
        let name = self.string()?;
        name.parse().map_err(|_| self.error(MessageJsonFault::Unknown { what: "wire", name: name.into_owned() }))
    }

    fn boolean(&self) -> Read<bool> {
        self.value.as_bool().ok_or_else(|| self.error(MessageJsonFault::Wanted("true or false")))
    }

    fn extra(&self) -> Read<Extra> {
        let Some(extra) = self.get("extra") else { return Ok(Extra::default()) };
        let wire = extra.wanted("wire")?.wire()?;
        let fields = extra.wanted("fields")?;
        if fields.value.kind() != Kind::Object {
            return Err(fields.error(MessageJsonFault::Wanted("an object")));
        }
        let read = fields.value.entries().map(|(name, value)| {
            let raw = RawJson::new(value.raw()).map_err(|error| fields.error(MessageJsonFault::Raw(error)))?;
            Ok((Arc::from(name), raw))
        });
        Ok(Extra::new(wire, read.collect::<Read<_>>()?))
    }

    fn message(&self) -> Read<ModelMessage> {
        let role = self.wanted("role")?;
        let name = role.string()?;
        Ok(match &*name {
            "system" => ModelMessage::System(Arc::new(System { parts: self.content()?, extra: self.extra()? })),
            "user" => ModelMessage::User(Arc::new(User { parts: self.content()?, extra: self.extra()? })),
            "assistant" => ModelMessage::Assistant(Arc::new(self.assistant()?)),
            "tool" => {
                self.wanted("tool_call_id")?;
                let failed = self.get("failed").map(|node| node.boolean()).transpose()?;
                ModelMessage::Tool(Arc::new(Outcome {
                    call: self.call_id("tool_call_id")?,
                    parts: self.content()?,
                    failed,
                    extra: self.extra()?,
                }))
            }
            _ => return Err(role.error(MessageJsonFault::Unknown { what: "role", name: name.into_owned() })),
        })
    }

    fn content<T: ReadPart>(&self) -> Read<Vec<T>> {
        let Some(content) = self.get("content") else { return Ok(Vec::new()) };
        match content.value.kind() {
            Kind::String => Ok(vec![T::text(Text::new(content.string()?))]),
            Kind::Array => content.items().map(|node| T::read(&node)).collect(),
            _ => Err(content.error(MessageJsonFault::Wanted("a string or an array of parts"))),
        }
    }

    fn assistant(&self) -> Read<Assistant> {
        let calls = self.array("tool_calls")?;
        let items = match self.array("items")? {
            Some(items) => {
                if let Some(other) = calls.or(self.get("content")) {
                    return Err(other.error(MessageJsonFault::Wanted("nothing, as the message has items")));
                }
                items.items().map(|node| node.item()).collect::<Read<Vec<_>>>()?
            }
            None => {
                let texts: Vec<Text> = self.content()?;
                let texts = texts.into_iter().filter(|text| !text.text.is_empty()).map(Item::Text);
                let calls = match calls {
                    Some(calls) => calls.items().map(|node| node.call().map(Item::Call)).collect::<Read<Vec<_>>>()?,
                    None => Vec::new(),
                };
                texts.chain(calls).collect()
            }
        };
        let model = self.get("model").map(|node| node.string()).transpose()?.map(Arc::from);
        Ok(Assistant { items, model, extra: self.extra()? })
    }

    /// An id with the number that it has where it repeats.
    fn call_id(&self, key: &str) -> Read<CallId> {
        let given = self.get(key).map_or(Ok(Cow::Borrowed("")), |node| node.string())?;
        let repeat = match self.get("repeat") {
            None => 0,
            Some(node) => node.value.raw().parse().map_err(|_| node.error(MessageJsonFault::Wanted("a whole number")))?,
        };
        Ok(CallId::new(given.into_owned()).repeated(repeat))
    }

    fn text(&self) -> Read<Text> {
        Ok(Text { text: self.wanted("text")?.string()?.into_owned(), extra: self.extra()? })
    }

    fn kind(&self) -> Read<(Node<'d, '_>, Cow<'d, str>)> {
        let kind = self.wanted("type")?;
        let name = kind.string()?;
        Ok((kind, name))
    }

    fn item(&self) -> Read<Item> {
        let (kind, name) = self.kind()?;
        match &*name {
            "text" => Ok(Item::Text(self.text()?)),
            "call" => Ok(Item::Call(self.call()?)),
            "native" => Ok(Item::Native(self.native()?)),
            "reasoning" => Ok(Item::Reasoning(Reasoning {
                wire: self.wanted("wire")?.wire()?,
                kind: Arc::from(self.wanted("kind")?.string()?),
                raw: self.wanted("raw")?.raw()?,
            })),
            _ => Err(kind.error(MessageJsonFault::Unknown { what: "item", name: name.into_owned() })),
        }
    }

    fn media(&self) -> Read<Media> {
        let text = |key: &str| self.get(key).map(|node| node.string().map(Arc::<str>::from)).transpose();
        let source = match (text("data")?, text("url")?, text("file_id")?) {
            (Some(data), _, _) => MediaSource::Data(Bytes::from_base64(data)),
            (None, Some(url), _) => MediaSource::Url(url),
            (None, None, Some(id)) => MediaSource::File { wire: self.wanted("wire")?.wire()?, id },
            (None, None, None) => return Err(self.error(MessageJsonFault::Missing("data"))),
        };
        let media_type = text("media_type")?.unwrap_or_else(|| Arc::from(""));
        Ok(Media { source, media_type, filename: text("filename")?, extra: self.extra()? })
    }

    fn native(&self) -> Read<Native> {
        let text = |key: &str| self.get(key).map(|node| node.string().map(Cow::into_owned)).transpose();
        Ok(Native {
            wire: self.wanted("wire")?.wire()?,
            kind: Arc::from(self.wanted("kind")?.string()?),
            raw: self.wanted("raw")?.raw()?,
            reads_as: text("reads_as")?,
            needs: text("needs")?.map(Arc::from),
        })
    }

    fn call(&self) -> Read<ToolCall> {
        let input = match self.get("input") {
            None => Input::new("{}"),
            Some(input) if input.value.kind() == Kind::String => Input::new(input.string()?),
            Some(input) => Input::new(input.value.raw()),
        };
        Ok(ToolCall { id: self.call_id("id")?, name: self.wanted("name")?.string()?.into_owned(), input, extra: self.extra()? })
    }
}

/// A piece of `content`; a plain string stands for one text.
trait ReadPart: Sized {
    fn text(text: Text) -> Self;
    fn read(node: &Node<'_, '_>) -> Read<Self>;
}

impl ReadPart for Text {
    fn text(text: Text) -> Self {
        text
    }

    fn read(node: &Node<'_, '_>) -> Read<Self> {
        node.text()
    }
}

impl ReadPart for SystemPart {
    fn text(text: Text) -> Self {
        Self::Text(text)
    }

    fn read(node: &Node<'_, '_>) -> Read<Self> {
        let (kind, name) = node.kind()?;
        match &*name {
            "text" => Ok(Self::Text(node.text()?)),
            "native" => Ok(Self::Native(node.native()?)),
            _ => Err(kind.error(MessageJsonFault::Unknown { what: "part of a system message", name: name.into_owned() })),
        }
    }
}

impl ReadPart for Part {
    fn text(text: Text) -> Self {
        Self::Text(text)
    }

    fn read(node: &Node<'_, '_>) -> Read<Self> {
        let (kind, name) = node.kind()?;
        match &*name {
            "text" => Ok(Self::Text(node.text()?)),
            "image" => Ok(Self::Image(node.media()?)),
            "document" => Ok(Self::Document(node.media()?)),
            "native" => Ok(Self::Native(node.native()?)),
            _ => Err(kind.error(MessageJsonFault::Unknown { what: "part", name: name.into_owned() })),
        }
    }
}
