//! Between the original's message and an entry of the log: nothing is lost either way.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::log::{Body, Message, Reset, ResetKind};
use crate::message::ModelMessage;
use crate::view::swarm::{SwarmMessage, SwarmRole};

/// What a [`SwarmMessage`] is in the log.
#[derive(Debug, Clone, PartialEq)]
pub enum SwarmEntry {
    /// A message.
    Message(Message),
    /// A marker.
    Reset(Reset),
}

/// Fields that tell nothing but what an entry tells already are not kept twice; what they tell otherwise is kept as it came.
impl From<&SwarmMessage> for SwarmEntry {
    fn from(message: &SwarmMessage) -> Self {
        let agent: Arc<str> = message.agent.as_str().into();
        let reset = match message.role {
            SwarmRole::Flush => Some(ResetKind::Flush),
            SwarmRole::Rescue => Some(ResetKind::Rescue),
            SwarmRole::User
            | SwarmRole::Assistant
            | SwarmRole::Tool
            | SwarmRole::System
            | SwarmRole::Developer
            | SwarmRole::Other(_) => None,
        };
        if let Some(kind) = reset {
            let reason = message.content.clone().unwrap_or_default();
            let mut reset = Reset { kind, agent: Some(agent), reason, extra: Map::new() };
            reset.extra = other_fields(message, &of_reset(&reset));
            return Self::Reset(reset);
        }
        let (said, _) = message.said();
        let mut entry = Message::from(said).by(agent);
        entry.extra = other_fields(message, &of_message(&entry));
        Self::Message(entry)
    }
}

impl SwarmMessage {
    /// A message or a reset of the log in the original's shape; none of anything else. What was made of a [`SwarmMessage`] comes
    /// back as it was.
    #[must_use]
    pub fn of(body: &Body) -> Option<Self> {
        let (mut fields, extra) = match body {
            Body::Message(message) => (of_message(message), &message.extra),
            Body::Reset(reset) => (of_reset(reset), &reset.extra),
            Body::Popped(popped) => return Self::of(&popped.body),
            Body::Edit(edit) => (of_message(&edit.message), &edit.message.extra),
            Body::Mail(_)
            | Body::Round(_)
            | Body::Outcome(_)
            | Body::Card(_)
            | Body::Notice(_)
            | Body::Erased(_)
            | Body::Unreadable => return None,
        };
        fields.extend(extra.iter().map(|(key, value)| (key.clone(), value.clone())));
        serde_json::from_value(Value::Object(fields)).ok()
    }
}

/// What of a message's own JSON differs from what its entry tells; null where it lacks what that tells.
fn other_fields(message: &SwarmMessage, told: &Map<String, Value>) -> Map<String, Value> {
    let Ok(Value::Object(own)) = serde_json::to_value(message) else { return Map::new() };
    let lacks = told.keys().filter(|key| !own.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let lacks: Vec<_> = lacks.collect();
    own.into_iter().filter(|(key, value)| told.get(key) != Some(value)).chain(lacks).collect()
}

fn of_reset(reset: &Reset) -> Map<String, Value> {
    let role = match reset.kind {
        ResetKind::Flush => SwarmRole::Flush,
        ResetKind::Rescue => SwarmRole::Rescue,
    };
    fields(&role, reset.agent.as_deref(), Some(&reset.reason))
}

fn of_message(message: &Message) -> Map<String, Value> {
    let text = message.said.text();
    let has_text =
        !matches!(&message.said, ModelMessage::Assistant(said) if said.items.iter().all(|item| item.text().is_none()));
    let role = match &message.said {
        ModelMessage::System(_) => SwarmRole::System,
        ModelMessage::User(_) => SwarmRole::User,
        ModelMessage::Assistant(_) => SwarmRole::Assistant,
        ModelMessage::Tool(_) => SwarmRole::Tool,
    };
    let mut fields = fields(&role, message.agent.as_deref(), has_text.then_some(&text));
    match &message.said {
        ModelMessage::Assistant(said) => {
            let calls: Vec<Value> = said
                .calls()
                .map(|call| {
                    let input = call.input.as_json().unwrap_or_else(|| call.input.raw().into());
                    json!({
                        "id": call.id.given(),
                        "type": "function",
                        "function": { "name": call.name, "arguments": input },
                    })
                })
                .collect();
            if !calls.is_empty() {
                fields.insert("tool_calls".to_owned(), Value::Array(calls));
            }
        }
        ModelMessage::Tool(outcome) => {
            fields.insert("tool_call_id".to_owned(), outcome.call.given().into());
        }
        ModelMessage::System(_) | ModelMessage::User(_) => {}
    }
    fields
}

/// The fields that every message has; a person's mode is that of a user.
fn fields(role: &SwarmRole, agent: Option<&str>, content: Option<&String>) -> Map<String, Value> {
    let mode = if *role == SwarmRole::User { "user" } else { "tool" };
    let mut fields = Map::new();
    fields.insert("role".to_owned(), role.name().into());
    fields.insert("agentName".to_owned(), agent.unwrap_or_default().into());
    fields.insert("mode".to_owned(), mode.into());
    if let Some(content) = content {
        fields.insert("content".to_owned(), content.as_str().into());
    }
    fields
}
