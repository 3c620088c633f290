//! A sealed briefing as rig's request.

use briefing::{Briefing, Call, Tool, Wire};
use briefing_wire::{ParseError, ParseFinding, Render, RenderError, WireFinding, parse_text};
use rig_core::completion::{CompletionRequest, ToolDefinition};
use rig_core::message::{Api, Message, Origin, ToolName};
use serde_json::{Map, Value};

use crate::to::{Loss, Lost, to_messages};

/// A request in rig's types, and everything that became different on the way.
#[derive(Debug, Clone)]
pub struct Converted {
    /// The request. It names no model: the one that it is sent with is that of the origin.
    pub request: CompletionRequest,
    /// What the wire made different from the briefing's messages.
    pub findings: Vec<WireFinding>,
    /// What of the rendered body was read otherwise than it was written.
    pub read: Vec<ParseFinding>,
    /// What rig's types made different from the rendered body.
    pub losses: Vec<Loss>,
}

/// Why a briefing cannot be given to rig.
#[derive(Debug, thiserror::Error)]
pub enum ToRequestError {
    /// It cannot be rendered.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The rendered body cannot be read back.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It has no message, which rig does not send.
    #[error("the briefing has no message")]
    Empty,
}

/// rig's name of a wire.
pub(crate) const fn api(wire: Wire) -> Api {
    Api::from_static(match wire {
        Wire::OpenAiChat => "openai.chat",
        Wire::OpenAiResponses => "openai.responses",
        Wire::Anthropic => "anthropic.messages",
        Wire::Gemini => "gemini.generate_content",
    })
}

/// Who a call goes to, where it goes to the wire's own provider: what only that provider understands is sent there alone. For
/// another provider that speaks the wire, give an `Origin` with the name that rig has for it (`deepseek`, `openrouter`, …).
#[must_use]
pub fn origin(call: &Call) -> Origin {
    let provider = match call.wire() {
        Wire::OpenAiChat | Wire::OpenAiResponses => "openai",
        Wire::Anthropic => "anthropic",
        Wire::Gemini => "gcp.gemini",
    };
    Origin::new(api(call.wire()), provider, call.profile().name.to_string())
}

/// The request of a briefing, for `Model::call` and `Model::stream` of the model that `origin` names.
///
/// Fields of the body beside messages and tools are `additional_params`, but for `temperature` and `max_tokens`, which rig has fields
/// for; so are tools of a provider's own.
///
/// # Errors
/// [`ToRequestError`] if the briefing does not render, or is empty.
pub fn to_request(briefing: &Briefing, origin: &Origin) -> Result<Converted, ToRequestError> {
    let rendered = briefing.render()?;
    let body = String::from_utf8_lossy(rendered.body());
    let parsed = parse_text(rendered.wire(), &body)?;
    let written = to_messages(&parsed.messages, rendered.wire(), origin);
    let Some(first) = written.messages.first() else { return Err(ToRequestError::Empty) };
    let mut request = CompletionRequest::new(Message::clone(first));
    let (mut losses, mut parameters) = (written.losses, Map::new());
    request.chat_history = written.messages;
    tools(&parsed.call, &mut request, &mut parameters, &mut losses);
    fields(&parsed.call, &mut request, &mut parameters, &mut losses);
    if !parameters.is_empty() {
        request.additional_params = Some(Value::Object(parameters));
    }
    Ok(Converted { request, findings: rendered.findings().to_vec(), read: parsed.findings, losses })
}

fn tools(call: &Call, request: &mut CompletionRequest, parameters: &mut Map<String, Value>, losses: &mut Vec<Loss>) {
    let mut native = Vec::new();
    for tool in call.declared_tools() {
        let made = match tool {
            Tool::Function { name, description, schema, extra } => {
                for (name, _) in extra.on(call.wire()).filter(|(name, raw)| !is_its_own(call.wire(), name, raw.as_str())) {
                    losses.push(Loss { message: None, lost: Lost::Field { name: name.to_owned() } });
                }
                let schema = serde_json::from_str(schema.as_str()).ok();
                let made = ToolName::new(name.as_str())
                    .ok()
                    .zip(schema)
                    .map(|(name, schema)| ToolDefinition::new(name, description.clone().unwrap_or_default(), schema));
                made.map(|made| request.tools.push(made))
            }
            Tool::Native { raw, .. } => serde_json::from_str(raw.as_str()).ok().map(|tool: Value| native.push(tool)),
        };
        if made.is_none() {
            let name = tool.name().unwrap_or_default().to_owned();
            losses.push(Loss { message: None, lost: Lost::Tool { name } });
        }
    }
    if !native.is_empty() {
        parameters.insert("tools".to_owned(), Value::Array(native));
    }
}

/// Whether rig writes the same field: that a function of Responses is not strict, and a schema of Gemini's own form as JSON Schema.
fn is_its_own(wire: Wire, name: &str, raw: &str) -> bool {
    match wire {
        Wire::OpenAiChat | Wire::Anthropic => false,
        Wire::OpenAiResponses => (name, raw) == ("strict", "false"),
        Wire::Gemini => name == "parameters",
    }
}

fn fields(call: &Call, request: &mut CompletionRequest, parameters: &mut Map<String, Value>, losses: &mut Vec<Loss>) {
    for (name, raw) in call.parameters() {
        let value: Option<Value> = serde_json::from_str(raw.as_str()).ok();
        match (&**name, value) {
            ("temperature", Some(value)) if value.is_f64() => request.temperature = value.as_f64(),
            ("max_tokens", Some(value)) if value.is_u64() => request.max_tokens = value.as_u64(),
            // Whether it streams is the choice of the function that is called; a value out of range is none of serde_json's.
            ("stream" | "stream_options", _) | (_, None) => {
                losses.push(Loss { message: None, lost: Lost::Parameter { name: name.to_string() } });
            }
            (_, Some(value)) => {
                parameters.insert(name.to_string(), value);
            }
        }
    }
}
