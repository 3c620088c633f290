//! One message of a rendered body in genai's parts.

use briefing::texts;
use genai::ModelIden;
use genai::chat::{CacheControl, ChatMessage, ChatRole, ContentPart, CustomPart, MessageOptions, ToolCall, ToolResponse};
use serde_json::{Map, Value};

use crate::to::array;
use crate::{Loss, Lost};

/// How a body whose blocks become parts is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// OpenAI Chat.
    Chat,
    /// Anthropic Messages.
    Anthropic,
}

/// The messages so far, and what they lost.
pub(crate) struct Messages {
    form: Form,
    model: ModelIden,
    messages: Vec<ChatMessage>,
    losses: Vec<Loss>,
    at: Option<usize>,
}

impl Messages {
    pub(crate) fn new(form: Form, model: ModelIden) -> Self {
        Self { form, model, messages: Vec::new(), losses: Vec::new(), at: None }
    }

    pub(crate) fn finish(self) -> (Vec<ChatMessage>, Vec<Loss>) {
        (self.messages, self.losses)
    }

    fn lose(&mut self, lost: Lost) {
        self.losses.push(Loss { message: self.at, lost });
    }

    fn lose_fields(&mut self, fields: Map<String, Value>) {
        for (name, _) in fields.into_iter().filter(|(_, value)| !value.is_null()) {
            self.lose(Lost::Field { name });
        }
    }

    /// Anthropic's `system`: a message for each block, so that each keeps its mark of the cache.
    pub(crate) fn system(&mut self, system: Option<Value>) {
        for block in blocks(system.unwrap_or(Value::Null)) {
            let Value::Object(mut block) = block else { continue };
            let kind = text(block.remove("type").as_ref()).unwrap_or_default();
            let options = block.get("cache_control").and_then(cache_control).map(MessageOptions::from);
            if options.is_some() {
                block.remove("cache_control");
            }
            let said = match text(block.remove("text").as_ref()).filter(|_| kind == "text") {
                Some(said) => {
                    self.lose_fields(block);
                    said
                }
                None => self.as_text(&kind, None),
            };
            self.push(ChatRole::System, vec![ContentPart::Text(said)], options);
        }
    }

    pub(crate) fn message(&mut self, index: usize, message: Value) {
        self.at = Some(index);
        let Value::Object(mut fields) = message else { return };
        let role = text(fields.remove("role").as_ref()).unwrap_or_default();
        let blocks = blocks(fields.remove("content").unwrap_or(Value::Null));
        if role == "developer" {
            self.lose(Lost::Field { name: "role".to_owned() });
        }
        let (role, mut parts) = match role.as_str() {
            "system" | "developer" => self.later_system(blocks),
            "assistant" => (ChatRole::Assistant, self.said(blocks, &mut fields)),
            "tool" => (ChatRole::Tool, vec![self.outcome(blocks, &mut fields)]),
            _ => self.given(blocks),
        };
        // Calls stand behind what was said on the wire that has a field for them.
        for call in array(fields.remove("tool_calls")) {
            let call = self.openai_call(call);
            parts.extend(call);
        }
        self.lose_fields(fields);
        self.push(role, parts, None);
    }

    fn push(&mut self, role: ChatRole, parts: Vec<ContentPart>, options: Option<MessageOptions>) {
        self.messages.push(ChatMessage { role, content: parts.into(), options });
    }

    /// genai's Anthropic adapter moves every system message to the front.
    fn later_system(&mut self, blocks: Vec<Value>) -> (ChatRole, Vec<ContentPart>) {
        let texts: Vec<String> = blocks.into_iter().map(|block| self.text_of(block)).collect();
        match self.form {
            Form::Chat => (ChatRole::System, texts.into_iter().map(ContentPart::Text).collect()),
            Form::Anthropic => {
                self.lose(Lost::SystemAsUser);
                let lines = texts.iter().map(|text| ContentPart::Text(texts::system_as_user(text)));
                (ChatRole::User, lines.collect())
            }
        }
    }

    /// A user message. One of outcomes alone is genai's tool message, so that it is known again.
    fn given(&mut self, blocks: Vec<Value>) -> (ChatRole, Vec<ContentPart>) {
        let outcomes = !blocks.is_empty() && blocks.iter().all(|block| kind(block) == "tool_result");
        let parts = blocks.into_iter().map(|block| self.part(block)).collect();
        (if outcomes { ChatRole::Tool } else { ChatRole::User }, parts)
    }

    fn part(&mut self, block: Value) -> ContentPart {
        match (self.form, kind(&block)) {
            (_, "text") => self.text_part(block),
            (Form::Anthropic, "tool_result") => response(&block).unwrap_or_else(|| self.custom(block)),
            (Form::Anthropic, "image" | "document") => binary(&block).unwrap_or_else(|| self.custom(block)),
            (Form::Anthropic, _) => self.custom(block),
            (Form::Chat, "image_url") => self.picture(block),
            (Form::Chat, "file") => self.file(block),
            (Form::Chat, "document_url") => self.file_line("document"),
            (Form::Chat, _) => ContentPart::Text(self.text_of(block)),
        }
    }

    fn said(&mut self, blocks: Vec<Value>, fields: &mut Map<String, Value>) -> Vec<ContentPart> {
        let mut parts = Vec::new();
        if let Some(reasoning) = text(fields.get("reasoning_content")) {
            fields.remove("reasoning_content");
            parts.push(ContentPart::ReasoningContent(reasoning));
        }
        if let Some(refusal) = text(fields.get("refusal")) {
            fields.remove("refusal");
            parts.push(ContentPart::Text(self.as_text("refusal", Some(refusal))));
        }
        // OpenRouter's blocks, which genai sends as they are.
        if let Some(Value::Array(details)) = fields.get("reasoning_details")
            && details.iter().all(|detail| kind(detail).starts_with("reasoning."))
        {
            parts.extend(array(fields.remove("reasoning_details")).into_iter().map(|detail| self.custom(detail)));
        }
        parts.extend(blocks.into_iter().map(|block| match (self.form, kind(&block)) {
            (_, "text") => self.text_part(block),
            (Form::Anthropic, "tool_use") => anthropic_call(&block).unwrap_or_else(|| self.custom(block)),
            (Form::Anthropic, _) => self.custom(block),
            (Form::Chat, _) => ContentPart::Text(self.text_of(block)),
        }));
        parts
    }

    fn outcome(&mut self, blocks: Vec<Value>, fields: &mut Map<String, Value>) -> ContentPart {
        let call = text(fields.remove("tool_call_id").as_ref()).unwrap_or_default();
        let texts: Vec<String> = blocks.into_iter().map(|block| self.text_of(block)).collect();
        ContentPart::ToolResponse(ToolResponse::new(call, texts.join("\n\n")))
    }

    fn openai_call(&mut self, call: Value) -> Option<ContentPart> {
        let Value::Object(mut call) = call else { return None };
        let id = text(call.remove("id").as_ref()).unwrap_or_default();
        call.remove("type");
        let (holder, key) = if call.contains_key("custom") { ("custom", "input") } else { ("function", "arguments") };
        let mut inner = if let Some(Value::Object(inner)) = call.remove(holder) { inner } else { Map::new() };
        if holder == "custom" {
            self.lose(Lost::Field { name: "custom".to_owned() });
        }
        let name = text(inner.remove("name").as_ref()).unwrap_or_default();
        let arguments = text(inner.remove(key).as_ref()).unwrap_or_default();
        // Arguments that genai cannot hold as an object stay the text that they are.
        let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
        self.lose_fields(call.into_iter().chain(inner).collect());
        Some(ContentPart::ToolCall(ToolCall { call_id: id, fn_name: name, fn_arguments: arguments, thought_signatures: None }))
    }

    fn text_part(&mut self, block: Value) -> ContentPart {
        let only_text = block.as_object().is_some_and(|block| block.len() == 2);
        match self.form {
            Form::Anthropic if !only_text => self.custom(block),
            Form::Anthropic | Form::Chat => ContentPart::Text(self.text_of(block)),
        }
    }

    /// What a block says; one that says nothing that genai sends names its kind.
    fn text_of(&mut self, block: Value) -> String {
        let Value::Object(mut block) = block else { return String::new() };
        let kind = text(block.remove("type").as_ref()).unwrap_or_default();
        let said = text(block.remove(if kind == "refusal" { "refusal" } else { "text" }).as_ref());
        if kind != "text" {
            return self.as_text(&kind, said);
        }
        self.lose_fields(block);
        said.unwrap_or_default()
    }

    fn as_text(&mut self, kind: &str, said: Option<String>) -> String {
        self.lose(Lost::PartAsText { kind: kind.to_owned() });
        said.unwrap_or_else(|| texts::native_elsewhere(kind))
    }

    fn custom(&self, data: Value) -> ContentPart {
        ContentPart::Custom(CustomPart { model_iden: Some(self.model.clone()), data })
    }

    fn picture(&mut self, block: Value) -> ContentPart {
        let Value::Object(mut block) = block else { return ContentPart::Text(String::new()) };
        let mut image = if let Some(Value::Object(image)) = block.remove("image_url") { image } else { Map::new() };
        let url = text(image.remove("url").as_ref()).unwrap_or_default();
        block.remove("type");
        self.lose_fields(block.into_iter().chain(image).collect());
        match data_uri(&url) {
            Some((media_type, data)) => ContentPart::from_binary_base64(media_type, data, None),
            None => ContentPart::from_binary_url("image/*", url, None),
        }
    }

    fn file(&mut self, block: Value) -> ContentPart {
        let Value::Object(mut block) = block else { return ContentPart::Text(String::new()) };
        let mut file = if let Some(Value::Object(file)) = block.remove("file") { file } else { Map::new() };
        let name = text(file.remove("filename").as_ref());
        let Some((media_type, data)) = text(file.remove("file_data").as_ref()).and_then(|uri| owned(data_uri(&uri))) else {
            return self.file_line(name.as_deref().unwrap_or("document"));
        };
        block.remove("type");
        self.lose_fields(block.into_iter().chain(file).collect());
        ContentPart::from_binary_base64(media_type, data, name)
    }

    fn file_line(&mut self, name: &str) -> ContentPart {
        self.lose(Lost::FileAsText);
        ContentPart::Text(texts::file_line("document", Some(name), None))
    }
}

/// A content as blocks: a string is one text block, null is none.
fn blocks(content: Value) -> Vec<Value> {
    match content {
        Value::String(text) => vec![serde_json::json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

fn kind(block: &Value) -> &str {
    block.get("type").and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

fn data_uri(url: &str) -> Option<(&str, &str)> {
    url.strip_prefix("data:")?.split_once(";base64,")
}

fn owned(pair: Option<(&str, &str)>) -> Option<(String, String)> {
    pair.map(|(one, other)| (one.to_owned(), other.to_owned()))
}

/// genai's names of Anthropic's two lifetimes.
pub(crate) fn cache_control(mark: &Value) -> Option<CacheControl> {
    let mark = mark.as_object()?;
    let kind = mark.get("type")?.as_str()?;
    match (kind, mark.len(), mark.get("ttl").and_then(Value::as_str)) {
        ("ephemeral", 1, None) => Some(CacheControl::Ephemeral),
        ("ephemeral", 2, Some("5m")) => Some(CacheControl::Ephemeral5m),
        ("ephemeral", 2, Some("1h")) => Some(CacheControl::Ephemeral1h),
        (_, _, _) => None,
    }
}

/// The members of a block, if there are those and no others.
fn members<'a, const N: usize>(block: &'a Value, names: [&str; N]) -> Option<[&'a Value; N]> {
    let block = block.as_object().filter(|block| block.len() == N)?;
    let found: Vec<&Value> = names.iter().filter_map(|name| block.get(*name)).collect();
    found.try_into().ok()
}

/// An outcome of one text; with files, marks or a fault it goes as it is.
fn response(block: &Value) -> Option<ContentPart> {
    let [_, call, content] = members(block, ["type", "tool_use_id", "content"])?;
    Some(ContentPart::ToolResponse(ToolResponse::new(call.as_str()?, content.as_str()?)))
}

fn binary(block: &Value) -> Option<ContentPart> {
    let [kind, source] = members(block, ["type", "source"])?;
    let [form, media_type, data] = members(source, ["type", "media_type", "data"])?;
    let media_type = media_type.as_str()?;
    let pictured = media_type.starts_with("image/") == (kind == "image");
    (form == "base64" && pictured).then_some(())?;
    Some(ContentPart::from_binary_base64(media_type, data.as_str()?, None))
}

fn anthropic_call(block: &Value) -> Option<ContentPart> {
    let [_, id, name, input] = members(block, ["type", "id", "name", "input"])?;
    Some(ContentPart::ToolCall(ToolCall {
        call_id: id.as_str()?.to_owned(),
        fn_name: name.as_str()?.to_owned(),
        fn_arguments: input.clone(),
        thought_signatures: None,
    }))
}
