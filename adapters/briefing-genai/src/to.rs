//! From a sealed briefing to genai: the rendered body, read into its types.

use briefing::{Briefing, Call, Tool as Declared, Wire};
use briefing_wire::{Render, Request, parse_text};
use genai::chat::{ChatOptions, ChatRequest, Tool};
use serde_json::{Map, Value};

use crate::message::{Form, Messages, cache_control, text};
use crate::{Converted, Loss, Lost, ToRequestError, gemini, model, parsed};

/// What genai writes itself: whether it streams is the choice of the function that is called.
const ITS_OWN: [&str; 2] = ["stream", "stream_options"];

/// What is a tool of the provider's to genai's adapters, whoever declares it.
pub(crate) const SEARCH: &str = "web_search";

/// The request of a briefing, for `Client::exec_chat` and its stream.
///
/// Fields of the body beside messages and tools (`temperature`, `max_tokens`, `thinking`, …) are given as `extra_body`. Blocks that
/// genai has no part for are given as they are (`ContentPart::Custom`), which its Anthropic adapter sends and the others do not; there
/// they read as text. Its Gemini adapter has no `extra_body`: what there is an option for is one, the rest is lost.
///
/// # Errors
/// [`ToRequestError`] if the briefing does not render, or a number in the body is out of the range of an `f64`.
pub fn to_request(briefing: &Briefing) -> Result<Converted, ToRequestError> {
    let rendered = briefing.render()?;
    match rendered.wire() {
        Wire::OpenAiChat => blocks(briefing, &rendered, Form::Chat),
        Wire::Anthropic => blocks(briefing, &rendered, Form::Anthropic),
        Wire::OpenAiResponses | Wire::Gemini => items(briefing, &rendered),
    }
}

fn blocks(briefing: &Briefing, rendered: &Request, form: Form) -> Result<Converted, ToRequestError> {
    let mut body = object(rendered.body())?;
    let mut messages = Messages::new(form, model(briefing));
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
        read: Vec::new(),
        losses,
    })
}

/// OpenAI Responses and Gemini, by what `briefing_wire` reads of the body.
fn items(briefing: &Briefing, rendered: &Request) -> Result<Converted, ToRequestError> {
    let body = object(rendered.body())?;
    let wire = rendered.wire();
    let read = parse_text(wire, &String::from_utf8_lossy(rendered.body()))?;
    let takes_text = |name: &str| read.call.declared_tools().iter().any(|tool| custom(tool).is_some_and(|tool| tool.0 == name));
    let parsed::Said { instructions, messages, mut losses } = parsed::messages(&read.messages, wire, &takes_text);
    let (tools, options) = if wire == Wire::Gemini {
        let tools = gemini::tools(&read.call, &mut losses);
        (tools, gemini::options(&read.call, &mut losses))
    } else {
        let tools = response_tools(&read.call, &mut losses);
        let mut rest = body;
        for name in ["input", "tools"].into_iter().chain(instructions.is_some().then_some("instructions")) {
            rest.shift_remove(name);
        }
        (tools, ChatOptions::default().with_extra_body(parameters(rest, &mut losses)))
    };
    let tools = (!tools.is_empty()).then_some(tools);
    Ok(Converted {
        model: model(briefing),
        request: ChatRequest { system: instructions, tools, ..ChatRequest::from_messages(messages) },
        options,
        findings: rendered.findings().to_vec(),
        read: read.findings,
        losses,
    })
}

/// The functions of Responses, and the tools that take text.
fn response_tools(call: &Call, losses: &mut Vec<Loss>) -> Vec<Tool> {
    let made = call.declared_tools().iter().filter_map(|tool| {
        let raw = match tool {
            Declared::Function { name, description, schema, extra } => {
                let fields =
                    extra.on(call.wire()).map(|(name, raw)| (name, raw.as_str())).chain([("parameters", schema.as_str())]);
                let fields = fields.filter_map(|(name, raw)| Some((name.to_owned(), serde_json::from_str(raw).ok()?)));
                let mut fields: Map<String, Value> = fields.collect();
                fields.insert("name".to_owned(), name.as_str().into());
                fields.extend(description.clone().map(|text| ("description".to_owned(), text.into())));
                (name != SEARCH).then(|| Value::Object(fields)).and_then(|tool| function(tool, losses))
            }
            Declared::Native { .. } => custom(tool).map(|(name, description, format)| Tool {
                description,
                custom_format: Some(format),
                ..Tool::new(name)
            }),
        };
        if raw.is_none() {
            losses.push(Loss { message: None, lost: Lost::Tool { name: tool.name().unwrap_or_default().to_owned() } });
        }
        raw
    });
    made.collect()
}

/// Name, description and format of a tool that takes text.
fn custom(tool: &Declared) -> Option<(String, Option<String>, Value)> {
    let Declared::Native { raw, .. } = tool else { return None };
    let tool: Value = serde_json::from_str(raw.as_str()).ok()?;
    (tool.get("type")? == "custom").then_some(())?;
    let format = tool.get("format").cloned().unwrap_or_else(|| serde_json::json!({"type": "text"}));
    Some((text(tool.get("name"))?, text(tool.get("description")), format))
}

/// Options with which genai sends the rendered body itself, whatever stands in the request beside them; give it
/// `ChatRequest::default()`. The body is written anew by genai, so it is the same JSON and not the same bytes; where a
/// body of OpenAI Responses does not say `store`, genai says that nothing is to be stored.
///
/// # Errors
/// As [`to_request`]; and [`ToRequestError::NoBody`] on Gemini.
pub fn exact(briefing: &Briefing) -> Result<(genai::ModelIden, ChatOptions), ToRequestError> {
    match briefing.call().wire() {
        Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => {}
        wire @ Wire::Gemini => return Err(ToRequestError::NoBody { wire }),
    }
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
