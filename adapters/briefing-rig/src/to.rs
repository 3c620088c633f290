//! From Briefing's messages to rig's.

use std::collections::{HashMap, HashSet, VecDeque};

use briefing::message::{
    Assistant, CallId, Extra, Item, Media, MediaSource, ModelMessage, Native, Outcome, Part, RawJson, Reasoning, System,
    SystemPart, Text, ToolCall, User,
};
use briefing::texts::{self, Filler};
use briefing::{Wire, native_reads_as};
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId as RigCallId, Document, DocumentMediaType, DocumentSourceKind, Image,
    ImageDetail, ImageMediaType, Message, MimeType, Opaque, Origin, Reasoning as RigReasoning, ToolCall as RigToolCall,
    ToolFunction, ToolName, ToolResult, ToolResultContent, UserContent,
};
use serde_json::{Map, Value};

use crate::block::{
    CallKind, SIGNATURE, call_item, call_kind, fields, goes_on, join, reasoning_item, reasoning_text, text_item, value,
};

/// Messages in rig's types, and what they lost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Written {
    /// The messages, in order. Outcomes that follow each other are one user message.
    pub messages: Vec<Message>,
    /// What rig's types do not hold, in the order of the list.
    pub losses: Vec<Loss>,
}

/// Something that rig's types do not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The index among the messages given (of a request: those of the rendered body, outcomes counted one by one); none for what
    /// stands beside them.
    pub message: Option<usize>,
    /// What became of it.
    pub lost: Lost,
}

/// What rig's types can lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lost {
    /// A field that has no place there was left out.
    Field {
        /// Its name.
        name: String,
    },
    /// Reasoning of another wire was left out.
    Reasoning {
        /// What its wire calls it.
        kind: String,
    },
    /// A block reads as text.
    BlockAsText {
        /// What its wire calls it.
        kind: String,
    },
    /// A file of a type that rig has no name for, of another provider, or a document of an outcome, reads as a line.
    FileAsText,
    /// A message that says nothing says so.
    Silent,
    /// A call or an outcome of a tool without a name was left out.
    Nameless,
    /// A tool was left out.
    Tool {
        /// Its name; empty if it has none.
        name: String,
    },
    /// A parameter was left out.
    Parameter {
        /// Its name.
        name: String,
    },
}

/// The messages for the model that `origin` names, on that wire. Call ids are those given; rig maps what its providers do not take.
#[must_use]
pub fn to_messages(messages: &[ModelMessage], wire: Wire, origin: &Origin) -> Written {
    let given = messages.iter().filter_map(|message| match message {
        ModelMessage::Assistant(said) => Some(said.calls()),
        ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Tool(_) => None,
    });
    let taken = given.flatten().map(|call| call.id.to_string()).collect();
    let written = Written::default();
    let mut writer = Writer { wire, origin, written, names: HashMap::new(), nameless: HashMap::new(), taken, at: 0 };
    for (at, message) in messages.iter().enumerate() {
        writer.at = at;
        match message {
            ModelMessage::System(system) => writer.system(system),
            ModelMessage::User(user) => writer.user(user),
            ModelMessage::Assistant(said) => writer.assistant(said),
            ModelMessage::Tool(outcome) => {
                let follows = at.checked_sub(1).and_then(|before| messages.get(before));
                writer.outcome(outcome, matches!(follows, Some(ModelMessage::Tool(_))));
            }
        }
    }
    writer.written
}

struct Writer<'a> {
    wire: Wire,
    origin: &'a Origin,
    written: Written,
    /// The names of the tools that were called, by call.
    names: HashMap<CallId, ToolName>,
    /// The ids of calls that came without one and have no outcome yet, in order, by what such calls go by; and how many there were.
    nameless: HashMap<CallId, (usize, VecDeque<RigCallId>)>,
    /// The ids that are given.
    taken: HashSet<String>,
    at: usize,
}

impl Writer<'_> {
    fn lose(&mut self, lost: Lost) {
        self.written.losses.push(Loss { message: Some(self.at), lost });
    }

    fn lose_extra(&mut self, extra: &Extra) {
        self.lose_extra_but(extra, |_, _| false);
    }

    fn lose_extra_but(&mut self, extra: &Extra, kept: impl Fn(&str, &RawJson) -> bool) {
        for (name, _) in extra.on(self.wire).filter(|(name, raw)| !kept(name, raw)) {
            self.lose(Lost::Field { name: name.to_owned() });
        }
    }

    fn text(&mut self, text: &Text) -> String {
        self.lose_extra(&text.extra);
        text.text.clone()
    }

    fn as_text(&mut self, native: &Native) -> String {
        self.lose(Lost::BlockAsText { kind: native.kind.to_string() });
        native_reads_as(native).into_owned()
    }

    fn line(&mut self, what: &str, media: &Media) -> String {
        self.lose(Lost::FileAsText);
        texts::file_line(what, media.filename.as_deref(), Some(media.encoded_len()))
    }

    fn silent(&mut self) -> &'static str {
        self.lose(Lost::Silent);
        Filler::Silent.text()
    }

    fn system(&mut self, system: &System) {
        // rig, too, writes leading system text as the `instructions` of Responses.
        self.lose_extra_but(&system.extra, |name, raw| name == "role" && raw.as_str() == r#""instructions""#);
        let texts = system.parts.iter().map(|part| match part {
            SystemPart::Text(text) => self.text(text),
            SystemPart::Native(native) => self.as_text(native),
        });
        let content = texts.collect::<Vec<_>>().join("\n\n");
        self.written.messages.push(Message::System { content });
    }

    fn user(&mut self, user: &User) {
        self.lose_extra(&user.extra);
        let mut content: Vec<UserContent> = user.parts.iter().map(|part| self.part(part)).collect();
        if !content.iter().any(|part| !matches!(part, UserContent::Text(text) if text.text.trim().is_empty())) {
            content = vec![UserContent::text(self.silent())];
        }
        self.written.messages.push(Message::User { content });
    }

    fn part(&mut self, part: &Part) -> UserContent {
        match part {
            Part::Text(text) => UserContent::text(self.text(text)),
            Part::Native(native) => UserContent::text(self.as_text(native)),
            Part::Image(media) => match self.image(media) {
                Some(image) => UserContent::Image(image),
                None => UserContent::text(self.line("image", media)),
            },
            Part::Document(media) => match self.document(media) {
                Some(document) => UserContent::Document(document),
                None => UserContent::text(self.line("document", media)),
            },
        }
    }

    fn source(&self, media: &Media) -> Option<DocumentSourceKind> {
        match &media.source {
            MediaSource::Data(bytes) => Some(DocumentSourceKind::Base64(bytes.as_base64().to_owned())),
            MediaSource::Url(url) => Some(DocumentSourceKind::Url(url.to_string())),
            // Gemini's files go by their address.
            MediaSource::File { wire: Wire::Gemini, id } if self.wire == Wire::Gemini => {
                Some(DocumentSourceKind::Url(id.to_string()))
            }
            MediaSource::File { wire, id } if wire.shares_files_with(self.wire) => {
                Some(DocumentSourceKind::FileId(id.to_string()))
            }
            MediaSource::File { .. } => None,
        }
    }

    fn image(&mut self, media: &Media) -> Option<Image> {
        let data = self.source(media)?;
        let media_type = ImageMediaType::from_mime_type(&media.media_type);
        if media_type.is_none() && (self.wire == Wire::Gemini || matches!(data, DocumentSourceKind::Base64(_))) {
            return None;
        }
        if self.wire == Wire::Gemini && matches!(media_type, Some(ImageMediaType::GIF | ImageMediaType::SVG)) {
            return None;
        }
        let mut extra = fields(&media.extra, self.wire).unwrap_or_default();
        let holder = match self.wire {
            Wire::OpenAiChat => "image_url",
            Wire::OpenAiResponses | Wire::Anthropic | Wire::Gemini => "detail",
        };
        let detail = extra.get(holder).map(|held| held.get("detail").unwrap_or(held)).and_then(detail);
        if detail.is_some() {
            extra.remove(holder);
        }
        self.lose_names(extra, media.filename.is_some());
        // What rig says on Responses where nothing is said.
        let detail = detail.filter(|detail| self.wire != Wire::OpenAiResponses || *detail != ImageDetail::Auto);
        Some(Image { data, media_type, detail, native: None })
    }

    fn document(&mut self, media: &Media) -> Option<Document> {
        let data = self.source(media)?;
        let media_type = DocumentMediaType::from_mime_type(&media.media_type);
        let pdf = media_type == Some(DocumentMediaType::PDF);
        let taken = match (self.wire, &data) {
            (Wire::OpenAiChat | Wire::Anthropic, DocumentSourceKind::Base64(_)) => media_type.is_some(),
            (Wire::OpenAiResponses | Wire::Gemini, DocumentSourceKind::Base64(_)) => pdf,
            (Wire::Gemini, _) => media_type.is_some(),
            (Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic, _) => true,
        };
        if !taken {
            return None;
        }
        let mut extra = fields(&media.extra, self.wire).unwrap_or_default();
        let mut additional_params = None;
        match self.wire {
            Wire::Anthropic => {
                let mut params = Map::new();
                params.extend(media.filename.as_deref().map(|title| ("title".to_owned(), title.into())));
                params.extend(["context", "citations"].iter().filter_map(|name| extra.remove_entry(*name)));
                additional_params = (!params.is_empty()).then_some(Value::Object(params));
                self.lose_names(extra, false);
            }
            // The name that rig gives a document on Responses.
            Wire::OpenAiResponses => {
                self.lose_names(extra, media.filename.as_deref().is_some_and(|name| name != "document.pdf"));
            }
            Wire::OpenAiChat | Wire::Gemini => self.lose_names(extra, media.filename.is_some()),
        }
        Some(Document { data, media_type, additional_params })
    }

    fn lose_names(&mut self, extra: Map<String, Value>, filename: bool) {
        for (name, _) in extra {
            self.lose(Lost::Field { name });
        }
        if filename {
            self.lose(Lost::Field { name: "filename".to_owned() });
        }
    }

    fn outcome(&mut self, outcome: &Outcome, follows: bool) {
        let responses = self.wire == Wire::OpenAiResponses;
        self.lose_extra_but(&outcome.extra, |name, _| responses && name == "type");
        let Some(name) = self.names.get(&outcome.call).cloned() else { return self.lose(Lost::Nameless) };
        let mut content: Vec<ToolResultContent> = outcome.parts.iter().map(|part| self.result(part)).collect();
        if content.is_empty() {
            content.push(ToolResultContent::text(self.silent()));
        }
        let made = self.nameless.get_mut(&outcome.call).and_then(|(_, ids)| ids.pop_front());
        let call = made.unwrap_or_else(|| call_id(&outcome.call));
        let result = ToolResult { call, name, content, is_error: outcome.failed == Some(true) };
        let result = UserContent::ToolResult(result);
        match self.written.messages.last_mut() {
            Some(Message::User { content }) if follows => content.push(result),
            _ => self.written.messages.push(Message::User { content: vec![result] }),
        }
    }

    fn result(&mut self, part: &Part) -> ToolResultContent {
        match part {
            Part::Text(text) => ToolResultContent::text(self.text(text)),
            Part::Native(native) => ToolResultContent::text(self.as_text(native)),
            Part::Image(media) => match self.image(media) {
                Some(image) => ToolResultContent::Image(image),
                None => ToolResultContent::text(self.line("image", media)),
            },
            Part::Document(media) => ToolResultContent::text(self.line("document", media)),
        }
    }

    fn assistant(&mut self, said: &Assistant) {
        self.lose_extra(&said.extra);
        let mut content: Vec<AssistantContent> = Vec::with_capacity(said.items.len());
        for item in &said.items {
            match (item, content.last_mut()) {
                (Item::Text(text), Some(last @ AssistantContent::Text(_))) if goes_on(self.wire, text) => {
                    go_on(last, text, self.wire)
                }
                (_, _) => content.extend(self.item(item)),
            }
        }
        if !content.iter().any(|block| block.is_answer() || matches!(block, AssistantContent::Opaque(_))) {
            content.push(AssistantContent::text(self.silent()));
        }
        let origin = self.origin_of(said, &content);
        self.written.messages.push(Message::Assistant(AssistantMessage::new(content).with_origin(origin)));
    }

    /// Who said it, where that is known, or where it holds what only the model of the call understands. Of others rig sees to ids.
    fn origin_of(&self, said: &Assistant, content: &[AssistantContent]) -> Option<Origin> {
        let own = |block: &AssistantContent| block.native_item().is_some() || matches!(block, AssistantContent::Opaque(_));
        match &said.model {
            Some(model) => Some(Origin { model: model.to_string(), ..self.origin.clone() }),
            None => content.iter().any(own).then(|| self.origin.clone()),
        }
    }

    fn item(&mut self, item: &Item) -> Option<AssistantContent> {
        match item {
            Item::Text(text) => Some(self.said(text)),
            Item::Call(call) => self.call(call),
            Item::Reasoning(reasoning) => self.reasoning(reasoning),
            Item::Native(native) => Some(match (native.wire == self.wire).then(|| value(&native.raw)).flatten() {
                Some(item) if item.get("type").is_some() || self.wire == Wire::Gemini => {
                    AssistantContent::Opaque(Opaque { item, replay: true })
                }
                Some(_) | None => AssistantContent::text(self.as_text(native)),
            }),
        }
    }

    /// Text whose block has fields of its own keeps them as its item, where the wire has blocks.
    fn said(&mut self, text: &Text) -> AssistantContent {
        match text_item(self.wire, text) {
            Some(item) => AssistantContent::text(text.text.as_str()).with_native(item),
            None => AssistantContent::text(self.text(text)),
        }
    }

    fn call(&mut self, call: &ToolCall) -> Option<AssistantContent> {
        let Ok(name) = ToolName::new(call.name.as_str()) else {
            self.lose(Lost::Nameless);
            return None;
        };
        self.names.insert(call.id.clone(), name.clone());
        let extra = fields(&call.extra, self.wire);
        let kind = call_kind(self.wire, extra.as_ref());
        let function = match kind {
            CallKind::Custom => ToolFunction::new(name, serde_json::json!({"input": call.input.raw()})),
            CallKind::Function | CallKind::Other => ToolFunction::parse(name, call.input.raw()),
        };
        let item = call_item(self.wire, call, function.arguments_value(), &kind);
        if item.is_none() {
            let wire = self.wire;
            self.lose_extra_but(&call.extra, |name, _| is_rigs_own(wire, name));
        }
        let nameless = self.wire == Wire::Gemini && extra.is_some_and(|fields| fields.contains_key("id"));
        let id = if nameless { self.made_id(&call.id) } else { call_id(&call.id) };
        let made = AssistantContent::ToolCall(RigToolCall::new(id, function));
        Some(match item {
            Some(item) => made.with_native(item),
            None => made,
        })
    }

    /// An id for a call that Gemini gave none, as rig pairs by ids.
    fn made_id(&mut self, id: &CallId) -> RigCallId {
        let (count, ids) = self.nameless.entry(id.clone()).or_default();
        let made = loop {
            *count += 1;
            let made = format!("{id}-{count}");
            if !self.taken.contains(&made) {
                break RigCallId::from_wire(made);
            }
        };
        ids.push_back(made.clone());
        made
    }

    fn reasoning(&mut self, reasoning: &Reasoning) -> Option<AssistantContent> {
        let Some(block) = (reasoning.wire == self.wire).then(|| value(&reasoning.raw)).flatten() else {
            self.lose(Lost::Reasoning { kind: reasoning.kind.to_string() });
            return None;
        };
        let (text, redacted) = reasoning_text(&reasoning.kind, &block);
        let shown = RigReasoning { text, redacted, native: None };
        Some(AssistantContent::Reasoning(shown).with_native(reasoning_item(self.wire, &reasoning.kind, block)))
    }
}

/// Whether a field of a call without an item is written by rig: a signature that stands for none, and that there is no id.
fn is_rigs_own(wire: Wire, name: &str) -> bool {
    wire == Wire::Gemini && (name == "id" || SIGNATURE.contains(&name))
}

/// Adds a text to the message of Responses that it stands in, which rig has as one text.
fn go_on(message: &mut AssistantContent, text: &Text, wire: Wire) {
    let Some((mut item, part)) = message.native_item().cloned().zip(text_item(wire, text)) else { return };
    join(&mut item, &part);
    if let AssistantContent::Text(said) = message {
        let whole = format!("{}{}", said.text, text.text);
        *message = AssistantContent::text(whole).with_native(item);
    }
}

/// The id as given, and its number where it repeats. An empty one is a word, as rig would make up a random id for it.
fn call_id(id: &CallId) -> RigCallId {
    let id = id.to_string();
    RigCallId::from_wire(if id.is_empty() { "call".to_owned() } else { id })
}

fn detail(name: &Value) -> Option<ImageDetail> {
    match name.as_str()? {
        "low" => Some(ImageDetail::Low),
        "high" => Some(ImageDetail::High),
        "auto" => Some(ImageDetail::Auto),
        _ => None,
    }
}
