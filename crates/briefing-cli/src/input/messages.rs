//! One conversation from JSON: a request body or a list of messages of any wire, Briefing's own flat list, or messages as
//! another library stored them.

use briefing::message::{ModelMessage, messages_from_json};
use briefing::view::swarm::SwarmMessage;
use briefing::{Call, Wire};
use briefing_check::{Unrecognised, recognise};
use briefing_json::{Document, Kind as Json, Value};

use crate::error::{Failure, Kind};
use crate::input::notes::Note;
use crate::input::{InputError, swarm};

/// A conversation as it was read.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) messages: Vec<ModelMessage>,
    /// What goes with them, where it was a whole body.
    pub(crate) call: Option<Call>,
    /// What several agents shared, where it was that: no model is sent it as it stands, and there are no messages then.
    pub(crate) swarm: Option<Vec<SwarmMessage>>,
    pub(crate) notes: Vec<Note>,
}

impl Conversation {
    /// Those messages, and nothing else.
    pub(crate) fn of(messages: Vec<ModelMessage>) -> Self {
        Self { messages, call: None, swarm: None, notes: Vec::new() }
    }

    /// How many messages it has.
    pub(crate) fn len(&self) -> usize {
        self.swarm.as_ref().map_or(self.messages.len(), Vec::len)
    }
}

/// How messages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Flat,
    Wire(Wire),
    Swarm,
}

/// Reads the conversation. `name` is what it is called in a failure.
pub(crate) fn conversation(value: Value<'_>, name: &str) -> Result<Conversation, Failure> {
    if let Some(form) = briefing_forms::recognise(value) {
        return stored(form, value, name);
    }
    match value.kind() {
        Json::Array => list(value, name, form(value)),
        Json::Object if is_message(value) => one(value, name),
        Json::Object => object(value, name),
        Json::Null | Json::True | Json::False | Json::Number | Json::String => {
            Err(shape(name, "it is neither an object nor a list"))
        }
    }
}

/// Messages as another library stored them.
pub(crate) fn stored(form: briefing_forms::Form, value: Value<'_>, name: &str) -> Result<Conversation, Failure> {
    let read = briefing_forms::read(form, value).map_err(|error| {
        Failure::new(Kind::Data, format!("{name}: read as {form} messages: {error}"))
            .hint("docs/forms.md tells what each form holds")
    })?;
    let notes = read.findings.into_iter().map(Note::Stored).collect();
    Ok(Conversation { notes, ..Conversation::of(read.messages) })
}

/// Whether it is one message, and no conversation.
pub(crate) fn is_message(value: Value<'_>) -> bool {
    let listed = Wire::ALL.iter().any(|wire| value.get(checked_wire(*wire).list()).is_some());
    briefing_forms::recognise_message(value).is_some()
        || value.get("role").is_some_and(|role| role.kind() == Json::String) && !listed
}

/// A message as a list of one.
fn one(message: Value<'_>, name: &str) -> Result<Conversation, Failure> {
    let text = format!("[{}]", message.raw());
    let document = Document::parse(&text).map_err(|error| InputError::json(name, error))?;
    conversation(document.root(), name)
}

fn shape(name: &str, what: &str) -> Failure {
    Failure::new(Kind::Data, format!("{name} holds no conversation: {what}")).hint(
        "wanted is a request body (OpenAI Chat or Responses, Anthropic, Gemini), a list of messages (LangChain's and the Vercel AI SDK's too), or a line {\"id\": …, \"messages\": […]}",
    )
}

fn object(value: Value<'_>, name: &str) -> Result<Conversation, Failure> {
    if let Some(messages) = value.get("messages").filter(|messages| form(*messages) == Form::Swarm) {
        return swarm::conversation(messages, name);
    }
    let wire = core_wire(recognise(value).map_err(|error| unrecognised(name, error))?.wire);
    let Some(messages) = value.get(checked_wire(wire).list()) else { return Err(shape(name, "it has no messages")) };
    if form(messages) == Form::Flat {
        return flat(messages, name);
    }
    // A line of a transcript names no model: it is no whole body. Of Gemini none does.
    let whole = ["model", "system", "instructions", "tools"].iter().any(|key| value.get(key).is_some());
    if !whole && wire != Wire::Gemini && messages.kind() == Json::Array {
        return list(messages, name, Form::Wire(wire));
    }
    let parsed = briefing_wire::parse(wire, value).map_err(|error| {
        Failure::new(Kind::Data, format!("{name}: {error}")).hint("`briefing check` tells what is wrong with it")
    })?;
    let notes = parsed.findings.into_iter().map(Note::Parsed).collect();
    Ok(Conversation { call: Some(parsed.call), notes, ..Conversation::of(parsed.messages) })
}

/// What to say of a body of no known wire.
pub(crate) fn unrecognised(name: &str, error: Unrecognised) -> Failure {
    Failure::new(Kind::Data, format!("{name}: {error}")).hint(
        "a request body is an object with `messages`, `input` or `contents`; a bare list can be wrapped: `jq '{model: \"gpt-5\", messages: .}'`",
    )
}

fn list(messages: Value<'_>, name: &str, form: Form) -> Result<Conversation, Failure> {
    let wire = match form {
        Form::Flat => return flat(messages, name),
        Form::Swarm => return swarm::conversation(messages, name),
        Form::Wire(wire) => wire,
    };
    let parsed = briefing_wire::parse_messages(wire, messages).map_err(|error| {
        Failure::new(Kind::Data, format!("{name}: {error}")).hint("`briefing check` tells what is wrong with it")
    })?;
    let notes = parsed.findings.into_iter().map(Note::Parsed).collect();
    Ok(Conversation { notes, ..Conversation::of(parsed.messages) })
}

fn flat(messages: Value<'_>, name: &str) -> Result<Conversation, Failure> {
    let messages = messages_from_json(messages.raw()).map_err(|error| {
        Failure::new(Kind::Data, format!("{name}: {error}")).hint("docs/format.md tells Briefing's own form")
    })?;
    Ok(Conversation::of(messages))
}

pub(crate) fn core_wire(wire: briefing_check::Wire) -> Wire {
    match wire {
        briefing_check::Wire::OpenAiChat => Wire::OpenAiChat,
        briefing_check::Wire::OpenAiResponses => Wire::OpenAiResponses,
        briefing_check::Wire::Anthropic => Wire::Anthropic,
        briefing_check::Wire::Gemini => Wire::Gemini,
    }
}

/// The checker's name for a wire.
pub(crate) fn checked_wire(wire: Wire) -> briefing_check::Wire {
    match wire {
        Wire::OpenAiChat => briefing_check::Wire::OpenAiChat,
        Wire::OpenAiResponses => briefing_check::Wire::OpenAiResponses,
        Wire::Anthropic => briefing_check::Wire::Anthropic,
        Wire::Gemini => briefing_check::Wire::Gemini,
    }
}

/// Tells by what only one form has, Briefing's own first; a list of plain texts reads the same in all of them.
fn form(messages: Value<'_>) -> Form {
    if messages.items().any(swarm::is_message) {
        return Form::Swarm;
    }
    if messages.items().any(is_own) {
        return Form::Flat;
    }
    Form::Wire(messages.items().find_map(wire_of).unwrap_or(Wire::OpenAiChat))
}

/// Whether a message holds what only Briefing's own form has.
fn is_own(message: Value<'_>) -> bool {
    let is = |key: &str, kinds: &[Json]| message.get(key).is_some_and(|value| kinds.contains(&value.kind()));
    let list = |key: &str| message.get(key).into_iter().flat_map(Value::items);
    is("items", &[Json::Array])
        || is("failed", &[Json::True, Json::False])
        || has_own_extra(message)
        || list("tool_calls").any(is_own_call)
        || list("content").any(is_own_part)
}

/// Fields of one wire, kept aside: `{"wire": …, "fields": {…}}`.
fn has_own_extra(value: Value<'_>) -> bool {
    let extra = value.get("extra");
    extra.is_some_and(|extra| {
        let is = |key: &str, kind| extra.get(key).is_some_and(|value| value.kind() == kind);
        is("wire", Json::String) && is("fields", Json::Object)
    })
}

fn is_own_call(call: Value<'_>) -> bool {
    let has = |key: &str| call.get(key).is_some();
    (has("name") && !has("function") && !has("arguments")) || has_own_extra(call)
}

fn is_own_part(part: Value<'_>) -> bool {
    let has = |key: &str| part.get(key).is_some();
    let media = || !has("source") && ["media_type", "data", "url", "file_id"].iter().any(|key| has(key));
    let own = match part.get("type").and_then(Value::as_str).as_deref() {
        Some("native") => true,
        Some("image" | "document") => media(),
        Some(_) | None => false,
    };
    own || has_own_extra(part)
}

/// The wire that alone has what the message holds.
fn wire_of(message: Value<'_>) -> Option<Wire> {
    if message.get("parts").is_some_and(|parts| parts.kind() == Json::Array) {
        return Some(Wire::Gemini);
    }
    if is_item(message) {
        return Some(Wire::OpenAiResponses);
    }
    if message.get("tool_calls").is_some_and(|calls| calls.items().next().is_some()) {
        return Some(Wire::OpenAiChat);
    }
    message.get("content")?.items().find_map(|part| match part.get("type")?.as_str()?.as_ref() {
        "image" | "document" | "tool_use" | "tool_result" | "thinking" | "redacted_thinking" | "server_tool_use" => {
            Some(Wire::Anthropic)
        }
        "input_text" | "input_image" | "input_file" | "output_text" => Some(Wire::OpenAiResponses),
        "image_url" | "input_audio" | "file" | "refusal" => Some(Wire::OpenAiChat),
        _ => None,
    })
}

/// Whether it is an item of OpenAI Responses that is no message: it has a type, and no role.
fn is_item(item: Value<'_>) -> bool {
    let kind = item.get("type").and_then(Value::as_str);
    item.get("role").is_none()
        && kind.is_some_and(|kind| kind == "reasoning" || kind.ends_with("_call") || kind.ends_with("_call_output"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use briefing_json::Document;

    #[test]
    fn each_form_is_told_from_the_others() {
        let forms = [
            r#"[{"role": "user", "content": "a"}]"#,
            r#"[{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "input": {}}]}]"#,
            r#"[{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}]"#,
            r#"[{"role": "user", "content": [{"type": "image", "data": "aa", "media_type": "image/png"}]}]"#,
            r#"[{"role": "user", "content": [{"type": "image", "source": {}}]}]"#,
            r#"[{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "tool_result", "tool_use_id": "1"}]}]"#,
            r#"[{"role": "assistant", "items": []}]"#,
            r#"[{"role": "tool", "tool_call_id": "1", "content": "r", "failed": false}]"#,
            r#"[{"role": "user", "content": "a", "extra": {"wire": "openai-chat", "fields": {"name": "ann"}}}]"#,
            r#"[{"role": "user", "content": "a", "extra": {"source": "web"}}]"#,
            r#"[{"role": "user", "content": [{"type": "text", "text": "a", "extra": {"wire": "anthropic", "fields": {}}}]}]"#,
            r#"[{"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": "{}"}]}]"#,
            r#"[{"role": "user", "content": [{"type": "document", "url": "https://x"}]}]"#,
            r#"[{"role": "user", "content": [{"type": "image_url"}]}, {"role": "assistant", "items": [], "failed": 3}]"#,
            r#"[{"role": "user", "content": "a"}, {"role": "tool", "agentName": "b", "items": []}]"#,
            r#"[{"role": "user", "parts": [{"text": "a"}]}]"#,
            r#"[{"role": "user", "content": "a"}, {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}]"#,
            r#"[{"role": "user", "content": [{"type": "input_text", "text": "a"}]}]"#,
            "[]",
        ]
        .map(|text| form(Document::parse(text).unwrap().root()));
        let (chat, anthropic) = (Form::Wire(Wire::OpenAiChat), Form::Wire(Wire::Anthropic));
        let own = Form::Flat;
        let (gemini, responses) = (Form::Wire(Wire::Gemini), Form::Wire(Wire::OpenAiResponses));
        let expected = [
            chat,
            own,
            chat,
            own,
            anthropic,
            anthropic,
            own,
            own,
            own,
            chat,
            own,
            chat,
            own,
            own,
            Form::Swarm,
            gemini,
            responses,
            responses,
            chat,
        ];
        assert_eq!(forms, expected);
    }
}
