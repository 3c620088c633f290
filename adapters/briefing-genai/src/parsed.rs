//! The messages of a rendered body in genai's parts, for the wires whose adapter in genai sends no block of the caller's own: OpenAI
//! Responses and Gemini.

use std::collections::{HashMap, VecDeque};

use briefing::message::{Assistant, CallId, Extra, Item, Media, MediaSource, Native, Outcome, Part, Reasoning, Text, ToolCall};
use briefing::message::{ModelMessage, RawJson, System, SystemPart};
use briefing::{Wire, native_reads_as, texts};
use genai::chat::{ChatMessage, ChatRole, ContentPart, ToolCall as GenaiCall, ToolResponse};
use serde_json::Value;

use crate::message::text;
use crate::{Loss, Lost};

/// What the messages became.
#[derive(Default)]
pub(crate) struct Said {
    /// The text of Responses' `instructions`.
    pub(crate) instructions: Option<String>,
    pub(crate) messages: Vec<ChatMessage>,
    pub(crate) losses: Vec<Loss>,
}

/// The messages in genai's parts. `custom` says which tools take text.
pub(crate) fn messages(messages: &[ModelMessage], wire: Wire, custom: &dyn Fn(&str) -> bool) -> Said {
    let mut writer = Writer {
        wire,
        custom,
        said: Said::default(),
        names: HashMap::new(),
        nameless: HashMap::new(),
        made: 0,
        signed: Vec::new(),
        at: 0,
    };
    for (at, message) in messages.iter().enumerate() {
        writer.at = at;
        match message {
            ModelMessage::System(system) => writer.system(system),
            ModelMessage::User(user) => {
                writer.lose_fields(&user.extra, &[]);
                let parts = user.parts.iter().map(|part| writer.part(part)).collect();
                writer.push(ChatRole::User, parts);
            }
            ModelMessage::Assistant(said) => writer.assistant(said),
            ModelMessage::Tool(outcome) => writer.outcome(outcome),
        }
    }
    writer.said
}

struct Writer<'a> {
    wire: Wire,
    custom: &'a dyn Fn(&str) -> bool,
    said: Said,
    /// The names of the tools that were called, by call.
    names: HashMap<CallId, String>,
    /// The ids made for calls that came without one and have no outcome yet, in order, by what such calls go by.
    nameless: HashMap<CallId, VecDeque<String>>,
    made: usize,
    /// The signatures of the calls of a message: genai takes one of them in front of a text for that of the call.
    signed: Vec<String>,
    at: usize,
}

impl Writer<'_> {
    fn lose(&mut self, lost: Lost) {
        self.said.losses.push(Loss { message: Some(self.at), lost });
    }

    fn lose_field(&mut self, name: &str) {
        self.lose(Lost::Field { name: name.to_owned() });
    }

    /// The fields are lost but for those `kept`, and for what says nothing.
    fn lose_fields(&mut self, extra: &Extra, kept: &[&str]) {
        for (name, raw) in extra.on(self.wire) {
            if !kept.contains(&name) && !matches!(raw.as_str(), "null" | "[]" | "{}") {
                self.lose_field(name);
            }
        }
    }

    fn push(&mut self, role: ChatRole, parts: Vec<ContentPart>) {
        self.said.messages.push(ChatMessage { role, content: parts.into(), options: None });
    }

    fn as_text(&mut self, native: &Native) -> String {
        self.lose(Lost::PartAsText { kind: native.kind.to_string() });
        native_reads_as(native).into_owned()
    }

    fn line(&mut self, what: &str, media: &Media) -> String {
        self.lose(Lost::FileAsText);
        texts::file_line(what, media.filename.as_deref(), Some(media.encoded_len()))
    }

    fn system(&mut self, system: &System) {
        let role = field(&system.extra, self.wire, "role");
        let instructions = role.is_some_and(|role| role == "instructions");
        self.lose_fields(&system.extra, if instructions { &["role"] } else { &[] });
        let mut parts = Vec::with_capacity(system.parts.len());
        for part in &system.parts {
            parts.push(match part {
                SystemPart::Text(text) => {
                    self.lose_fields(&text.extra, &[]);
                    text.text.clone()
                }
                SystemPart::Native(native) => self.as_text(native),
            });
        }
        if instructions && self.said.instructions.is_none() {
            self.said.instructions = Some(parts.join("\n\n"));
        } else {
            self.push(ChatRole::System, parts.into_iter().map(ContentPart::Text).collect());
        }
    }

    fn part(&mut self, part: &Part) -> ContentPart {
        match part {
            Part::Text(text) => {
                self.lose_fields(&text.extra, &[]);
                ContentPart::Text(text.text.clone())
            }
            Part::Native(native) => ContentPart::Text(self.as_text(native)),
            Part::Image(media) => match self.file(media, true) {
                Some(part) => part,
                None => ContentPart::Text(self.line("image", media)),
            },
            Part::Document(media) => match self.file(media, false) {
                Some(part) => part,
                None => ContentPart::Text(self.line("document", media)),
            },
        }
    }

    /// A file as genai sends it. On Responses it sends no file by id, and an address only of a picture: beside that of a document it puts a
    /// name, which the provider refuses.
    fn file(&mut self, media: &Media, picture: bool) -> Option<ContentPart> {
        let known = media.media_type.starts_with("image/");
        let made = match (&media.source, self.wire) {
            (MediaSource::Data(_), _) if known != picture => None,
            (MediaSource::Data(bytes), _) => {
                let name = media.filename.as_deref().filter(|_| !picture).map(str::to_owned);
                Some(ContentPart::from_binary_base64(&*media.media_type, bytes.as_base64(), name))
            }
            (MediaSource::Url(url) | MediaSource::File { id: url, .. }, Wire::Gemini) => {
                Some(ContentPart::from_binary_url(&*media.media_type, &**url, None))
            }
            (MediaSource::Url(url), _) if picture => Some(ContentPart::from_binary_url("image/*", &**url, None)),
            (MediaSource::Url(_) | MediaSource::File { .. }, _) => None,
        };
        if made.is_some() {
            let auto = field(&media.extra, self.wire, "detail").is_some_and(|detail| detail == "auto");
            self.lose_fields(&media.extra, if auto { &["detail"] } else { &[] });
            if picture && media.filename.is_some() {
                self.lose_field("filename");
            }
        }
        made
    }

    /// Outcomes next to each other are one message.
    fn outcome(&mut self, outcome: &Outcome) {
        self.lose_fields(&outcome.extra, &["type"]);
        if outcome.failed == Some(true) {
            self.lose(Lost::Failed);
        }
        let mut texts = Vec::with_capacity(outcome.parts.len());
        for part in &outcome.parts {
            texts.push(match part {
                Part::Text(text) => text.text.clone(),
                Part::Native(native) => self.as_text(native),
                Part::Image(media) => self.line("image", media),
                Part::Document(media) => self.line("document", media),
            });
        }
        let made = self.nameless.get_mut(&outcome.call).and_then(VecDeque::pop_front);
        let id = made.unwrap_or_else(|| outcome.call.to_string());
        let response =
            ToolResponse { call_id: id, fn_name: self.names.get(&outcome.call).cloned(), content: texts.join("\n\n") };
        match self.said.messages.last_mut() {
            Some(last) if last.role == ChatRole::Tool => last.content.push(ContentPart::ToolResponse(response)),
            Some(_) | None => self.push(ChatRole::Tool, vec![ContentPart::ToolResponse(response)]),
        }
    }

    /// A message, or several: genai's Responses adapter puts the reasoning of a message in front of everything else in it, so what
    /// follows reasoning in the middle is a message of its own.
    fn assistant(&mut self, said: &Assistant) {
        self.lose_fields(&said.extra, &[]);
        let calls: Vec<&ToolCall> = said.calls().collect();
        self.signed = calls.into_iter().filter_map(|call| self.signature(&call.extra)).collect();
        let mut parts = Vec::new();
        let mut reasoning = true;
        for item in &said.items {
            match item {
                Item::Text(text) => self.text(text, &mut parts),
                Item::Call(call) => parts.push(self.call(call)),
                Item::Native(native) => parts.push(ContentPart::Text(self.as_text(native))),
                Item::Reasoning(thought) => {
                    if self.wire == Wire::OpenAiResponses && !reasoning {
                        let before = std::mem::take(&mut parts);
                        self.push(ChatRole::Assistant, before);
                    }
                    parts.extend(self.reasoning(thought));
                }
            }
            reasoning = matches!(item, Item::Reasoning(_));
        }
        if !parts.is_empty() {
            self.push(ChatRole::Assistant, parts);
        }
    }

    /// A text, on Gemini behind its signature. Of a message of Responses only the texts are left, as genai sends no id and no phase.
    fn text(&mut self, text: &Text, parts: &mut Vec<ContentPart>) {
        const MESSAGE: &str = "message";
        if self.wire == Wire::OpenAiResponses
            && let Some(Value::Object(message)) = field(&text.extra, self.wire, MESSAGE)
        {
            for (name, _) in message.iter().filter(|(name, value)| *name != "type" && !value.is_null()) {
                self.lose_field(name);
            }
        }
        let signature = self.signature(&text.extra);
        if signature.as_ref().is_some_and(|signature| self.signed.contains(signature)) {
            self.lose_field(SIGNATURE[0]);
        }
        parts.extend(signature.map(ContentPart::ThoughtSignature));
        let own: &[&str] = match self.wire {
            Wire::Gemini => &SIGNATURE,
            Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => &[MESSAGE],
        };
        self.lose_fields(&text.extra, own);
        parts.push(ContentPart::Text(text.text.clone()));
    }

    fn signature(&self, extra: &Extra) -> Option<String> {
        let here = self.wire == Wire::Gemini;
        SIGNATURE.into_iter().filter(|_| here).find_map(|name| text(field(extra, self.wire, name).as_ref()))
    }

    fn call(&mut self, call: &ToolCall) -> ContentPart {
        let signature = self.signature(&call.extra);
        let [signed, spelled] = SIGNATURE;
        let kind = field(&call.extra, self.wire, "type");
        let custom = kind.is_some_and(|kind| kind == "custom_tool_call") && (self.custom)(&call.name);
        let own: &[&str] = match self.wire {
            Wire::Gemini => &[signed, spelled],
            Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic if custom => &["type"],
            Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => &[],
        };
        self.lose_fields(&call.extra, own);
        self.names.insert(call.id.clone(), call.name.clone());
        let raw = call.input.raw();
        // Arguments that genai cannot hold as an object stay the text that they are.
        let parsed = if custom { None } else { serde_json::from_str(raw).ok() };
        ContentPart::ToolCall(GenaiCall {
            call_id: self.call_id(call),
            fn_name: call.name.clone(),
            fn_arguments: parsed.unwrap_or_else(|| Value::String(raw.to_owned())),
            thought_signatures: signature.map(|signature| vec![signature]),
        })
    }

    /// A call that Gemini gave no id has one that genai makes for it, knows again and does not send.
    fn call_id(&mut self, call: &ToolCall) -> String {
        let nameless =
            self.wire == Wire::Gemini && call.extra.on(self.wire).any(|(name, raw)| name == "id" && raw.as_str() == "null");
        if !nameless {
            return call.id.to_string();
        }
        let made = format!("call#{}#{}", call.name, self.made);
        self.made += 1;
        self.nameless.entry(call.id.clone()).or_default().push_back(made.clone());
        made
    }

    fn reasoning(&mut self, reasoning: &Reasoning) -> Option<ContentPart> {
        let block = serde_json::from_str::<Value>(reasoning.raw.as_str()).ok();
        let lost = Lost::Thought { kind: reasoning.kind.to_string() };
        if self.wire == Wire::Gemini {
            self.lose(lost);
            return block.and_then(|block| text(block.get("text"))).map(ContentPart::ReasoningContent);
        }
        let Some(ciphertext) = block.as_ref().and_then(|block| text(block.get("encrypted_content"))) else {
            self.lose(lost);
            return None;
        };
        for (name, value) in block.as_ref().and_then(Value::as_object).into_iter().flatten() {
            let known = matches!(name.as_str(), "type" | "encrypted_content");
            if !known && !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty()) {
                self.lose_field(name);
            }
        }
        Some(ContentPart::ThoughtSignature(ciphertext))
    }
}

/// Gemini's name for a signature, in both spellings.
const SIGNATURE: [&str; 2] = ["thoughtSignature", "thought_signature"];

fn field(extra: &Extra, wire: Wire, name: &str) -> Option<Value> {
    let raw: &RawJson = extra.on(wire).find(|(known, _)| *known == name)?.1;
    serde_json::from_str(raw.as_str()).ok()
}
