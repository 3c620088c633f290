//! From rig's messages to Briefing's.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, CallId, Extra, Input, Item, Media, MediaSource, ModelMessage, Outcome, Part, System, SystemPart, Text,
    ToolCall, User,
};
use briefing::{Wire, texts};
use rig_core::message::{
    AssistantContent, AssistantMessage, Audio, Document, DocumentSourceKind, Image, Message, MimeType, Opaque,
    Reasoning as RigReasoning, ToolCall as RigToolCall, ToolResult, ToolResultContent, UserContent, Video,
};
use serde_json::Value;

use crate::block::{read, read_call};
use crate::request::api;

/// Messages, and what was read otherwise than it was stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read {
    /// The messages, in order. Outcomes stand before what else their message said.
    pub messages: Vec<ModelMessage>,
    /// What was read otherwise, in order.
    pub findings: Vec<Finding>,
}

/// Something that was read otherwise than it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The index among the messages given.
    pub message: usize,
    /// The index in its content; none for the message as a whole.
    pub part: Option<usize>,
    /// What was found.
    pub found: Found,
}

/// What can be found in rig's messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Reasoning that is of no wire that is known, or of none at all; it was left out.
    ReasoningLeftOut,
    /// A block of no wire that is known, or without a meaning on it; it was left out.
    BlockLeftOut,
    /// A block is kept by its text, its name and its arguments: what its provider said beside them is not known.
    ItemLeftOut,
    /// A picture of an answer reads as a line, as an answer holds none.
    FileAsText,
    /// A file without content was left out.
    FileLeftOut,
    /// Fields of a file that have no place here.
    FieldsLeftOut,
    /// The turn ended in an error or was broken off, which is not kept.
    StopLeftOut,
}

/// Stored messages of rig. What only a provider understands is read by the wire of the turn's origin; `wire` is that of turns that
/// name none, and of ids of files.
#[must_use]
pub fn from_messages(messages: &[Message], wire: Wire) -> Read {
    let mut reader = Reader { wire, read: Read::default(), message: 0, nameless: HashMap::new() };
    for (index, message) in messages.iter().enumerate() {
        reader.message = index;
        match message {
            Message::System { content } => {
                let parts = vec![SystemPart::Text(Text::new(content))];
                reader.read.messages.push(ModelMessage::System(Arc::new(System { parts, extra: Extra::default() })));
            }
            Message::User { content } => reader.user(content),
            Message::Assistant(turn) => reader.assistant(turn),
        }
    }
    reader.read
}

struct Reader {
    wire: Wire,
    read: Read,
    message: usize,
    /// What calls without an id go by, by the id that rig has for them.
    nameless: HashMap<String, CallId>,
}

impl Reader {
    fn find(&mut self, part: Option<usize>, found: Found) {
        self.read.findings.push(Finding { message: self.message, part, found });
    }

    fn user(&mut self, content: &[UserContent]) {
        let mut parts = Vec::new();
        let mut outcomes = 0;
        for (at, part) in content.iter().enumerate() {
            match part {
                UserContent::Text(text) => parts.push(Part::text(&text.text)),
                UserContent::Image(image) => parts.extend(self.image(at, image)),
                UserContent::Document(document) => parts.extend(self.document(at, document)),
                UserContent::Audio(Audio { data, media_type }) => {
                    let media_type = media_type.as_ref().map_or("audio/mpeg", MimeType::to_mime_type);
                    parts.extend(self.media(at, data, media_type).map(Part::Document));
                }
                UserContent::Video(Video { data, media_type, additional_params }) => {
                    if additional_params.is_some() {
                        self.find(Some(at), Found::FieldsLeftOut);
                    }
                    let media_type = media_type.as_ref().map_or("video/mp4", MimeType::to_mime_type);
                    parts.extend(self.media(at, data, media_type).map(Part::Document));
                }
                UserContent::ToolResult(result) => {
                    outcomes += 1;
                    let outcome = self.outcome(at, result);
                    self.read.messages.push(ModelMessage::Tool(Arc::new(outcome)));
                }
            }
        }
        if !parts.is_empty() || outcomes == 0 {
            self.read.messages.push(ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })));
        }
    }

    fn outcome(&mut self, at: usize, result: &ToolResult) -> Outcome {
        let parts = result.content.iter().filter_map(|part| match part {
            ToolResultContent::Text(text) => Some(Part::text(&text.text)),
            ToolResultContent::Json { value } => Some(Part::text(value.to_string())),
            ToolResultContent::Image(image) => self.image(at, image),
        });
        let parts = parts.collect();
        let failed = result.is_error.then_some(true);
        let id = result.call.wire();
        let call = self.nameless.get(&*id).cloned().unwrap_or_else(|| CallId::new(id));
        Outcome { call, parts, failed, extra: Extra::default() }
    }

    fn image(&mut self, at: usize, image: &Image) -> Option<Part> {
        if image.native.is_some() || image.detail.is_some() {
            self.find(Some(at), Found::FieldsLeftOut);
        }
        let media_type = image.media_type.as_ref().map_or("", MimeType::to_mime_type);
        self.media(at, &image.data, media_type).map(Part::Image)
    }

    /// A document given as text is that text.
    fn document(&mut self, at: usize, document: &Document) -> Option<Part> {
        let mut params =
            if let Some(Value::Object(params)) = &document.additional_params { params.clone() } else { Default::default() };
        let title = params.remove("title").and_then(|title| title.as_str().map(Arc::from));
        if !params.is_empty() {
            self.find(Some(at), Found::FieldsLeftOut);
        }
        let media_type = document.media_type.as_ref().map_or("", MimeType::to_mime_type);
        let media = match &document.data {
            DocumentSourceKind::String(text) => Media::data("text/plain", Bytes::encode(text.as_bytes())),
            data => self.media(at, data, media_type)?,
        };
        Some(Part::Document(Media { filename: title, ..media }))
    }

    fn media(&mut self, at: usize, data: &DocumentSourceKind, media_type: &str) -> Option<Media> {
        let source = match data {
            DocumentSourceKind::Url(url) => MediaSource::Url(url.as_str().into()),
            DocumentSourceKind::Base64(data) => MediaSource::Data(Bytes::from_base64(data.as_str())),
            DocumentSourceKind::Raw(bytes) => MediaSource::Data(Bytes::encode(bytes)),
            DocumentSourceKind::FileId(id) => MediaSource::File { wire: self.wire, id: id.as_str().into() },
            DocumentSourceKind::String(text) => MediaSource::Data(Bytes::encode(text.as_bytes())),
            DocumentSourceKind::Unknown => {
                self.find(Some(at), Found::FileLeftOut);
                return None;
            }
        };
        Some(Media { source, media_type: media_type.into(), filename: None, extra: Extra::default() })
    }

    fn assistant(&mut self, turn: &AssistantMessage) {
        let wire = match &turn.origin {
            Some(origin) => Wire::ALL.into_iter().find(|wire| api(*wire) == origin.api),
            None => Some(self.wire),
        };
        let mut items = Vec::new();
        for (at, block) in turn.content.iter().enumerate() {
            let native =
                block.native_item().or(if let AssistantContent::Opaque(opaque) = block { Some(&opaque.item) } else { None });
            let whole = native.zip(wire).and_then(|(item, wire)| read(wire, item));
            match block {
                // A message of Responses may have several texts, which rig has as one.
                AssistantContent::Text(text) => match whole {
                    Some(whole) if texts_of(&whole).is_some_and(|whole| whole == text.text) => items.extend(whole),
                    Some(_) | None => {
                        self.find_item(at, native);
                        items.push(Item::Text(Text::new(&text.text)));
                    }
                },
                AssistantContent::ToolCall(call) => items.push(Item::Call(self.call(at, call, wire, native))),
                AssistantContent::Reasoning(reasoning) => self.reasoning(at, reasoning, whole, &mut items),
                AssistantContent::Opaque(opaque) => self.opaque(at, opaque, whole, &mut items),
                AssistantContent::Image(image) => {
                    self.find(Some(at), Found::FileAsText);
                    let size = if let DocumentSourceKind::Base64(data) = &image.data { Some(data.len()) } else { None };
                    items.push(Item::Text(Text::new(texts::file_line("image", None, size))));
                }
                // The enum may grow.
                _ => self.find(Some(at), Found::BlockLeftOut),
            }
        }
        if turn.stop.as_ref().is_some_and(|stop| stop.is_failure()) {
            self.find(None, Found::StopLeftOut);
        }
        let model = turn.origin.as_ref().map(|origin| Arc::from(origin.model.as_str()));
        self.read.messages.push(ModelMessage::Assistant(Arc::new(Assistant { items, model, extra: Extra::default() })));
    }

    fn find_item(&mut self, at: usize, native: Option<&Value>) {
        if native.is_some() {
            self.find(Some(at), Found::ItemLeftOut);
        }
    }

    /// A call with what its provider said beside it, if that is of a wire that is known. Arguments that were no object stay as they
    /// came.
    fn call(&mut self, at: usize, call: &RigToolCall, wire: Option<Wire>, native: Option<&Value>) -> ToolCall {
        let raw = call.function.invalid_arguments.clone();
        let input = Input::new(raw.unwrap_or_else(|| call.function.arguments_value().to_string()));
        let plain =
            ToolCall { id: CallId::new(call.id.wire()), name: call.function.name.to_string(), input, extra: Extra::default() };
        let custom = native.is_some_and(is_custom);
        match native.zip(wire).and_then(|(item, wire)| read_call(wire, item, &plain)) {
            Some(whole) if custom => whole,
            // A call that came without an id goes by what the wire has for it.
            Some(whole) if wire == Some(Wire::Gemini) && whole.extra.on(Wire::Gemini).any(|(name, _)| name == "id") => {
                self.nameless.insert(call.id.wire().into_owned(), whole.id.clone());
                ToolCall { extra: whole.extra, id: whole.id, ..plain }
            }
            Some(whole) => ToolCall { extra: whole.extra, ..plain },
            None => {
                self.find_item(at, native);
                plain
            }
        }
    }

    fn reasoning(&mut self, at: usize, reasoning: &RigReasoning, whole: Option<Vec<Item>>, items: &mut Vec<Item>) {
        let whole = whole.filter(|whole| whole.iter().all(|item| matches!(item, Item::Reasoning(_))) && !whole.is_empty());
        match whole {
            Some(whole) => items.extend(whole),
            None if reasoning.text.trim().is_empty() && !reasoning.redacted => {}
            None => self.find(Some(at), Found::ReasoningLeftOut),
        }
    }

    fn opaque(&mut self, at: usize, opaque: &Opaque, whole: Option<Vec<Item>>, items: &mut Vec<Item>) {
        match whole.filter(|_| opaque.replay) {
            Some(whole) => items.extend(whole),
            None => self.find(Some(at), Found::BlockLeftOut),
        }
    }
}

/// The items' texts, if they are nothing else.
fn texts_of(items: &[Item]) -> Option<String> {
    items.iter().map(Item::text).collect()
}

/// Whether an item is of a tool whose input is text.
fn is_custom(item: &Value) -> bool {
    item.get("type").is_some_and(|kind| kind == "custom" || kind == "custom_tool_call")
}
