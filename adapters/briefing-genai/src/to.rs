//! From a sealed briefing to genai: the rendered body, read into its types.

use briefing::Briefing;
use briefing_wire::Render;
use genai::chat::{ChatOptions, ChatRequest, Tool};
use serde_json::{Map, Value};

use crate::message::{Messages, cache_control, text};
use crate::{Converted, Loss, Lost, ToRequestError, model};

/// What genai writes itself: whether it streams is the choice of the function that is called.
const ITS_OWN: [&str; 2] = ["stream", "stream_options"];

/// What is a tool of the provider's to genai's Anthropic adapter, whoever declares it.
const SEARCH: &str = "web_search";

/// The request of a briefing, for `Client::exec_chat` and its stream.
///
/// Fields of the body beside messages and tools (`temperature`, `max_tokens`, `thinking`, …) are given as `extra_body`. Blocks that
/// genai has no part for are given as they are (`ContentPart::Custom`), which its Anthropic adapter sends and its OpenAI adapter
/// does not; there they read as text.
///
/// # Errors
/// [`ToRequestError`] if the briefing does not render, or a number in the body is out of the range of an `f64`.
pub fn to_request(briefing: &Briefing) -> Result<Converted, ToRequestError> {
    let rendered = briefing.render()?;
    let mut body = object(rendered.body())?;
    let mut messages = Messages::new(rendered.wire(), model(briefing));
    messages.system(body.remove("system"));
    for (index, message) in array(body.remove("messages")).into_iter().enumerate() {
        messages.message(index, message);
    }
    let (messages, mut losses) = messages.finish();
    let tools = tools(body.remove("tools"), &mut losses);
    let parameters = parameters(body, &mut losses);
    Ok(Converted {
        model: model(briefing),
        request: ChatRequest { tools, ..ChatRequest::from_messages(messages) },
        options: ChatOptions::default().with_extra_body(parameters),
        findings: rendered.findings().to_vec(),
        losses,
    })
}

/// Options with which genai sends the rendered body itself, whatever stands in the request beside them; give it
/// `ChatRequest::default()`. The body is written anew by genai, so it is the same JSON and not the same bytes.
///
/// # Errors
/// As [`to_request`].
pub fn exact(briefing: &Briefing) -> Result<(genai::ModelIden, ChatOptions), ToRequestError> {
    let mut body = object(briefing.render()?.body())?;
    for name in ITS_OWN {
        body.remove(name);
    }
    Ok((model(briefing), ChatOptions::default().with_extra_body(Value::Object(body))))
}

fn object(body: &[u8]) -> Result<Map<String, Value>, ToRequestError> {
    serde_json::from_slice(body).map_err(|error| ToRequestError::Unheld { error })
}

pub(crate) fn array(value: Option<Value>) -> Vec<Value> {
    if let Some(Value::Array(list)) = value { list } else { Vec::new() }
}

/// The parameters; the choice of a tool goes with the tools that are there.
fn parameters(mut body: Map<String, Value>, losses: &mut Vec<Loss>) -> Value {
    let tool_lost = losses.iter().any(|loss| matches!(loss.lost, Lost::Tool { .. }));
    for name in ITS_OWN.iter().chain(tool_lost.then_some(&"tool_choice")) {
        if body.shift_remove(*name).is_some() {
            losses.push(Loss { message: None, lost: Lost::Parameter { name: (*name).to_owned() } });
        }
    }
    Value::Object(body)
}

fn tools(tools: Option<Value>, losses: &mut Vec<Loss>) -> Option<Vec<Tool>> {
    let tools = array(tools).into_iter().filter_map(|tool| {
        let name = tool_name(&tool);
        let made = if name == SEARCH { None } else { function(tool, losses) };
        if made.is_none() {
            losses.push(Loss { message: None, lost: Lost::Tool { name } });
        }
        made
    });
    let tools: Vec<Tool> = tools.collect();
    (!tools.is_empty()).then_some(tools)
}

fn tool_name(tool: &Value) -> String {
    let holder = ["function", "custom"].iter().find_map(|holder| tool.get(holder)).unwrap_or(tool);
    text(holder.get("name")).unwrap_or_default()
}

/// A function of either wire; none for any other tool.
fn function(tool: Value, losses: &mut Vec<Loss>) -> Option<Tool> {
    let Value::Object(mut outer) = tool else { return None };
    let kind = text(outer.remove("type").as_ref());
    let mut inner = match (kind.as_deref(), outer.remove("function")) {
        (Some("function"), Some(Value::Object(inner))) => inner,
        (None | Some("custom"), None) => std::mem::take(&mut outer),
        (Some(_) | None, _) => return None,
    };
    let mut made = Tool::new(text(inner.remove("name").as_ref())?);
    made.description = text(inner.remove("description").as_ref());
    made.schema = inner.remove("parameters").or_else(|| inner.remove("input_schema"));
    made.strict = inner.remove("strict").and_then(|strict| strict.as_bool());
    made.eager_input_streaming = inner.remove("eager_input_streaming").and_then(|eager| eager.as_bool());
    made.cache_control = inner.get("cache_control").and_then(cache_control);
    if made.cache_control.is_some() {
        inner.remove("cache_control");
    }
    let left = outer.into_iter().chain(inner).filter(|(_, value)| !value.is_null());
    losses.extend(left.map(|(name, _)| Loss { message: None, lost: Lost::Field { name } }));
    Some(made)
}
