//! OpenAI Chat messages as rig's own.

use std::collections::{BTreeMap, HashMap};

use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, EmptyToolName, ImageMediaType, Message, ToolCall, ToolFunction, ToolName,
    ToolResultContent, UserContent,
};
use serde::Deserialize;

/// One damaged history.
#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) id: usize,
    pub(crate) wires: BTreeMap<String, String>,
    pub(crate) window: usize,
    pub(crate) tools: Vec<String>,
    pub(crate) messages: Vec<ChatMessage>,
}

#[derive(Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(crate) enum ChatMessage {
    System {
        content: String,
    },
    User {
        content: Content,
    },
    Assistant {
        content: Option<String>,
        #[serde(default)]
        tool_calls: Vec<Call>,
    },
    Tool {
        content: String,
        tool_call_id: String,
        name: Option<String>,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Part {
    Text { text: String },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Deserialize)]
pub(crate) struct ImageUrl {
    url: String,
}

#[derive(Deserialize)]
pub(crate) struct Call {
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    arguments: String,
}

/// The leading system text, and the messages behind it. Outcomes that stand together become one user message, as rig's agent
/// stores them. An empty id becomes one of rig's own, for the call and its outcome alike.
pub(crate) fn messages(list: &[ChatMessage]) -> Result<(String, Vec<Message>), EmptyToolName> {
    let mut preamble = Vec::new();
    let mut messages: Vec<Message> = Vec::new();
    let mut without_id: Option<CallId> = None;
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut after_outcome = false;
    for message in list {
        let was_outcome = std::mem::replace(&mut after_outcome, matches!(message, ChatMessage::Tool { .. }));
        match message {
            ChatMessage::System { content } if messages.is_empty() => preamble.push(content.clone()),
            ChatMessage::System { content } => messages.push(Message::system(content)),
            ChatMessage::User { content } => messages.push(Message::User { content: user(content) }),
            ChatMessage::Assistant { content, tool_calls } => {
                let mut parts = Vec::new();
                // A message that says nothing and calls nothing holds one empty text.
                if tool_calls.is_empty() || content.as_ref().is_some_and(|text| !text.is_empty()) {
                    parts.push(AssistantContent::text(content.clone().unwrap_or_default()));
                }
                for call in tool_calls {
                    let name = ToolName::new(&call.function.name)?;
                    let id = CallId::from_wire(&call.id);
                    if call.id.is_empty() {
                        without_id = Some(id.clone());
                    }
                    names.insert(&call.id, &call.function.name);
                    let function = ToolFunction::parse(name, &call.function.arguments);
                    parts.push(AssistantContent::ToolCall(ToolCall::new(id, function)));
                }
                messages.push(Message::Assistant(AssistantMessage::new(parts)));
            }
            ChatMessage::Tool { content, tool_call_id, name } => {
                let id = without_id.take().filter(|_| tool_call_id.is_empty());
                let id = id.unwrap_or_else(|| CallId::from_wire(tool_call_id));
                let name = name.as_deref().or(names.get(tool_call_id.as_str()).copied()).unwrap_or("unknown");
                let outcome = UserContent::tool_result(id, ToolName::new(name)?, vec![ToolResultContent::text(content)]);
                match messages.last_mut() {
                    Some(Message::User { content }) if was_outcome => content.push(outcome),
                    _ => messages.push(Message::User { content: vec![outcome] }),
                }
            }
        }
    }
    Ok((preamble.join("\n\n"), messages))
}

fn user(content: &Content) -> Vec<UserContent> {
    match content {
        Content::Text(text) => vec![UserContent::text(text)],
        Content::Parts(parts) => parts.iter().map(part).collect(),
    }
}

fn part(part: &Part) -> UserContent {
    match part {
        Part::Text { text } => UserContent::text(text),
        Part::ImageUrl { image_url } => {
            let data = image_url.url.split_once(";base64,").map_or(image_url.url.as_str(), |(_, data)| data);
            UserContent::image_base64(data, Some(ImageMediaType::PNG), None)
        }
    }
}

/// Whether a user said it; outcomes are user messages, too.
pub(crate) fn is_input(message: &Message) -> bool {
    match message {
        Message::User { content } => content.iter().any(|part| !matches!(part, UserContent::ToolResult(_))),
        Message::Assistant(_) | Message::System { .. } => false,
    }
}
