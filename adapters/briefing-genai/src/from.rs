//! From genai's messages to Briefing's.

use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, Extra, Input, Item, Media, MediaSource, Outcome, Part, RawJson, Reasoning, System, SystemPart, Text,
    ToolCall, User,
};
use briefing::{ModelMessage, Wire, texts};
use briefing_json::Document;
use briefing_wire::{ParseFinding, parse_messages};
use genai::chat::{Binary, BinarySource, ChatMessage, ChatRequest, ChatRole, ContentPart, CustomPart, MessageContent};
use serde_json::{Value, json};

use crate::adapter;

/// Messages, and what was read otherwise than it was stored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Read {
    /// The messages, in order. Outcomes stand before what else their message said.
    pub messages: Vec<ModelMessage>,
    /// What was read otherwise, in order.
    pub findings: Vec<Finding>,
}

/// Something that was read otherwise than it was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The index among the messages given.
    pub message: usize,
    /// The index among its parts; none for the message as a whole.
    pub part: Option<usize>,
    /// What was found.
    pub found: Found,
}

/// What can be found in genai's messages.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A part that its role does not hold, such as a call of a user; genai leaves it out in silence, too.
    Misplaced,
    /// A file of an answer reads as a line, as an answer holds none.
    FileAsText,
    /// A block of another provider, or one without a meaning on its wire; it was left out.
    Unread,
    /// Something of a block was read otherwise.
    Parsed(ParseFinding),
    /// Signatures of thoughts that no thought goes with; they were left out.
    SignaturesLeftOut,
    /// Thoughts of OpenAI Responses whose ciphertexts are not there, one for each; they were left out.
    ThoughtsLeftOut,
    /// Options of a message (its mark of the cache) were left out.
    OptionsLeftOut,
}

/// A stored request: its system text, and its messages.
#[must_use]
pub fn from_request(request: &ChatRequest, wire: Wire) -> Read {
    let mut read = from_messages(&request.messages, wire);
    read.messages.splice(0..0, request.system.iter().map(ModelMessage::system));
    read
}

/// Stored messages of genai that were said on that wire: thoughts and blocks of a provider's own are read as that wire has them.
///
/// A thought and its signature become a `thinking` block on Anthropic; on OpenAI Chat a thought is `reasoning_content`. On OpenAI Responses
/// a signature is the ciphertext of reasoning, on Gemini it belongs to the text or the call behind it. JSON values are written anew, so a block of a provider's own is the same JSON and not the same bytes.
#[must_use]
pub fn from_messages(messages: &[ChatMessage], wire: Wire) -> Read {
    let mut reader = Reader { wire, read: Read::default(), message: 0 };
    for (index, message) in messages.iter().enumerate() {
        reader.message = index;
        if message.options.is_some() {
            reader.find(None, Found::OptionsLeftOut);
        }
        match message.role {
            ChatRole::System => reader.system(&message.content),
            ChatRole::User => reader.user(&message.content, true),
            ChatRole::Tool => reader.user(&message.content, false),
            ChatRole::Assistant => reader.assistant(&message.content),
        }
    }
    reader.read
}

struct Reader {
    wire: Wire,
    read: Read,
    message: usize,
}

impl Reader {
    fn find(&mut self, part: Option<usize>, found: Found) {
        self.read.findings.push(Finding { message: self.message, part, found });
    }

    fn system(&mut self, content: &MessageContent) {
        let mut parts = Vec::new();
        for (at, part) in content.iter().enumerate() {
            match part {
                ContentPart::Text(text) => parts.push(SystemPart::Text(Text::new(text))),
                ContentPart::Binary(_)
                | ContentPart::ToolCall(_)
                | ContentPart::ToolResponse(_)
                | ContentPart::ThoughtSignature(_)
                | ContentPart::ReasoningContent(_)
                | ContentPart::Custom(_) => self.find(Some(at), Found::Misplaced),
            }
        }
        self.read.messages.push(ModelMessage::System(Arc::new(System { parts, extra: Extra::default() })));
    }

    /// A user or tool message: outcomes, and behind them an input. `input` says that there is one even if it is empty.
    fn user(&mut self, content: &MessageContent, input: bool) {
        let (mut parts, mut outcomes) = (Vec::new(), Vec::new());
        for (at, part) in content.iter().enumerate() {
            match part {
                ContentPart::Text(text) => parts.push(Part::text(text)),
                ContentPart::Binary(binary) => parts.push(file(binary)),
                ContentPart::ToolResponse(response) => {
                    let made = stand_in(&response.call_id).filter(|_| self.wire == Wire::Gemini);
                    outcomes.push(Outcome::text(made.unwrap_or(&response.call_id), &response.content));
                }
                ContentPart::Custom(custom) => {
                    for message in self.custom(at, "user", custom) {
                        match message {
                            ModelMessage::User(user) => parts.extend(user.parts.iter().cloned()),
                            ModelMessage::Tool(outcome) => outcomes.push(Outcome::clone(&outcome)),
                            ModelMessage::System(_) | ModelMessage::Assistant(_) => self.find(Some(at), Found::Unread),
                        }
                    }
                }
                ContentPart::ToolCall(_) | ContentPart::ThoughtSignature(_) | ContentPart::ReasoningContent(_) => {
                    self.find(Some(at), Found::Misplaced);
                }
            }
        }
        let input = !parts.is_empty() || (input && outcomes.is_empty());
        self.read.messages.extend(outcomes.into_iter().map(|outcome| ModelMessage::Tool(Arc::new(outcome))));
        if input {
            self.read.messages.push(ModelMessage::User(Arc::new(User { parts, extra: Extra::default() })));
        }
    }

    fn assistant(&mut self, content: &MessageContent) {
        let mut items = self.thoughts(content);
        // Of a text or a call on Gemini, where it stands in front of it.
        let mut signature = None;
        for (at, part) in content.iter().enumerate() {
            match part {
                ContentPart::Text(text) => {
                    let extra = signed(signature.take());
                    items.push(Item::Text(Text { text: text.clone(), extra }));
                }
                ContentPart::ToolCall(call) => items.push(Item::Call(self.call(call, &mut signature))),
                ContentPart::Custom(custom) => {
                    for message in self.custom(at, "assistant", custom) {
                        match message {
                            ModelMessage::Assistant(said) => items.extend(said.items.iter().cloned()),
                            ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Tool(_) => {
                                self.find(Some(at), Found::Unread);
                            }
                        }
                    }
                }
                ContentPart::Binary(binary) => {
                    self.find(Some(at), Found::FileAsText);
                    let line = texts::file_line("file", binary.name.as_deref(), Some(binary.size()));
                    items.push(Item::Text(Text::new(line)));
                }
                ContentPart::ToolResponse(_) => self.find(Some(at), Found::Misplaced),
                ContentPart::ThoughtSignature(given) if self.wire == Wire::Gemini => {
                    let own = content.tool_calls().into_iter().filter_map(|call| call.thought_signatures.as_ref()).flatten();
                    // That of a call stands once more in front of it.
                    if own.into_iter().all(|own| own != given) && signature.replace(given.clone()).is_some() {
                        self.find(Some(at), Found::SignaturesLeftOut);
                    }
                }
                ContentPart::ReasoningContent(thought) if self.wire == Wire::Gemini => {
                    let block = json!({"text": thought, "thought": true});
                    items.extend(reasoning(self.wire, "thought", &block));
                }
                ContentPart::ReasoningContent(_) | ContentPart::ThoughtSignature(_) => {}
            }
        }
        if signature.is_some() {
            self.find(None, Found::SignaturesLeftOut);
        }
        // What a model wrote in a row is one message there.
        match self.read.messages.last_mut() {
            Some(ModelMessage::Assistant(before)) if self.wire == Wire::OpenAiResponses => {
                Arc::make_mut(before).items.append(&mut items);
            }
            Some(_) | None => {
                self.read.messages.push(ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() })));
            }
        }
    }

    /// A call, on Gemini with its signature: its own, or the one in front of it.
    fn call(&mut self, call: &genai::chat::ToolCall, signature: &mut Option<String>) -> ToolCall {
        let made = tool_call(call);
        if self.wire != Wire::Gemini {
            return made;
        }
        let own = call.thought_signatures.as_ref().and_then(|own| own.first()).cloned();
        let extra = signed(own.or_else(|| signature.take()));
        match stand_in(&call.call_id) {
            Some(name) => {
                let fields = extra.on(Wire::Gemini).map(|(name, raw)| (Arc::from(name), raw.clone()));
                let none = RawJson::new("null").ok().map(|none| (Arc::from("id"), none));
                ToolCall { id: name.into(), extra: Extra::new(Wire::Gemini, fields.chain(none).collect()), ..made }
            }
            None => ToolCall { extra, ..made },
        }
    }

    /// Reasoning of Responses: the ciphertexts, each with the shown text of the same place, where there is one for each.
    fn ciphertexts(&mut self, thoughts: &[&str], ciphertexts: &[&str]) -> Vec<Item> {
        let paired = thoughts.len() == ciphertexts.len();
        if !paired && !thoughts.is_empty() {
            self.find(None, Found::ThoughtsLeftOut);
        }
        let items = ciphertexts.iter().enumerate().filter_map(|(at, ciphertext)| {
            let shown = thoughts.get(at).filter(|_| paired).map(|text| json!({"type": "summary_text", "text": text}));
            let shown: Vec<Value> = shown.into_iter().collect();
            let block = json!({"type": "reasoning", "encrypted_content": ciphertext, "summary": shown});
            reasoning(Wire::OpenAiResponses, "reasoning", &block)
        });
        items.collect()
    }

    /// The thoughts of an answer, which stand before everything else, as genai sends them: those of Anthropic with the signature
    /// of the same place, where there is one for each; unsigned, the wire leaves them out and says so.
    fn thoughts(&mut self, content: &MessageContent) -> Vec<Item> {
        let thoughts = content.reasoning_contents();
        let mut signatures = content.thought_signatures();
        if signatures.is_empty() {
            let mirrored = content.tool_calls().into_iter().find_map(|call| call.thought_signatures.as_ref());
            signatures = mirrored.into_iter().flatten().map(String::as_str).collect();
        }
        let signed = thoughts.len() == signatures.len();
        match self.wire {
            // There they stand with what they belong to.
            Wire::Gemini => Vec::new(),
            Wire::OpenAiResponses => self.ciphertexts(&thoughts, &signatures),
            Wire::Anthropic => {
                if !signed && !signatures.is_empty() {
                    self.find(None, Found::SignaturesLeftOut);
                }
                let thoughts =
                    thoughts.into_iter().enumerate().map(|(at, thinking)| match signatures.get(at).filter(|_| signed) {
                        Some(signature) => json!({"type": "thinking", "thinking": thinking, "signature": signature}),
                        None => json!({"type": "thinking", "thinking": thinking}),
                    });
                thoughts.filter_map(|block| reasoning(self.wire, "thinking", &block)).collect()
            }
            Wire::OpenAiChat => {
                if !signatures.is_empty() {
                    self.find(None, Found::SignaturesLeftOut);
                }
                // One field, so one text, joined as genai joins it.
                let joined = (!thoughts.is_empty()).then(|| Value::String(thoughts.join("\n")));
                joined.and_then(|text| reasoning(self.wire, "reasoning_content", &text)).into_iter().collect()
            }
        }
    }

    /// A block of a provider's own, read as a message of that role with nothing else in it.
    fn custom(&mut self, at: usize, role: &str, custom: &CustomPart) -> Vec<ModelMessage> {
        let here = custom.model_iden.as_ref().is_none_or(|model| model.adapter_kind == adapter(self.wire));
        let detail = custom.typ().is_some_and(|kind| kind.starts_with("reasoning."));
        let message = match self.wire {
            Wire::OpenAiChat if detail => json!({"role": role, "content": [], "reasoning_details": [custom.data]}),
            Wire::OpenAiChat | Wire::Anthropic => json!({"role": role, "content": [custom.data]}),
            Wire::OpenAiResponses if role == "assistant" => custom.data.clone(),
            Wire::OpenAiResponses => json!({"role": role, "content": [custom.data]}),
            Wire::Gemini => json!({"role": if role == "assistant" { "model" } else { role }, "parts": [custom.data]}),
        };
        let list = Value::Array(vec![message]).to_string();
        let document = if here { Document::parse(&list).ok() } else { None };
        let Some(read) = document.and_then(|document| parse_messages(self.wire, document.root()).ok()) else {
            self.find(Some(at), Found::Unread);
            return Vec::new();
        };
        for finding in read.findings {
            self.find(Some(at), Found::Parsed(finding));
        }
        read.messages
    }
}

fn reasoning(wire: Wire, kind: &str, block: &Value) -> Option<Item> {
    let raw = RawJson::new(block.to_string()).ok()?;
    Some(Item::Reasoning(Reasoning { wire, kind: kind.into(), raw }))
}

/// Arguments that were no JSON are a string in genai, and are kept as that text.
fn tool_call(call: &genai::chat::ToolCall) -> ToolCall {
    let input = match &call.fn_arguments {
        Value::String(text) => Input::new(text.as_str()),
        Value::Null => Input::new(""),
        arguments @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Input::new(arguments.to_string())
        }
    };
    ToolCall { id: call.call_id.as_str().into(), name: call.fn_name.clone(), input, extra: Extra::default() }
}

/// Gemini's signature beside what it signs.
fn signed(signature: Option<String>) -> Extra {
    let raw = signature.and_then(|signature| RawJson::new(Value::String(signature).to_string()).ok());
    Extra::new(Wire::Gemini, raw.map(|raw| (Arc::from("thoughtSignature"), raw)).into_iter().collect())
}

/// The tool's name in an id that genai makes for a call of Gemini that came without one.
fn stand_in(id: &str) -> Option<&str> {
    let (name, number) = id.strip_prefix("call#")?.rsplit_once('#')?;
    (!name.is_empty() && number.parse::<usize>().is_ok()).then_some(name)
}

fn file(binary: &Binary) -> Part {
    let source = match &binary.source {
        BinarySource::Url(url) => MediaSource::Url(url.as_str().into()),
        BinarySource::Base64(data) => MediaSource::Data(Bytes::from_base64(Arc::clone(data))),
    };
    let media_type = if binary.content_type == "image/*" { "" } else { &binary.content_type };
    let filename = binary.name.as_deref().map(Arc::from);
    let media = Media { source, media_type: media_type.into(), filename, extra: Extra::default() };
    if binary.is_image() { Part::Image(media) } else { Part::Document(media) }
}
