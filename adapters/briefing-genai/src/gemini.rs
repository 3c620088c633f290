//! What of a Gemini body stands beside the messages, in genai's options: its Gemini adapter takes no fields of the caller's own.

use briefing::{Call, Tool, Wire};
use genai::chat::{ChatOptions, JsonSpec, ReasoningEffort, Tool as GenaiTool, ToolChoice, ToolConfig};
use serde_json::{Map, Value};

use crate::message::text;
use crate::{Loss, Lost};

/// What genai takes for a tool of Gemini's own, whoever declares it.
const OWN: [&str; 4] = ["googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext"];

fn lose(losses: &mut Vec<Loss>, lost: Lost) {
    losses.push(Loss { message: None, lost });
}

/// The tools: functions, and those of Gemini's own that genai knows.
pub(crate) fn tools(call: &Call, losses: &mut Vec<Loss>) -> Vec<GenaiTool> {
    let mut made = Vec::new();
    for tool in call.declared_tools() {
        let (name, tool) = match tool {
            Tool::Function { name, description, schema, extra } => {
                let kept = serde_json::from_str(schema.as_str())
                    .ok()
                    .filter(|_| !OWN.contains(&name.as_str()) && name != crate::to::SEARCH);
                // A schema in Gemini's own form is given as JSON Schema.
                for (field, _) in extra.on(Wire::Gemini).filter(|(field, _)| *field != "parameters" && kept.is_some()) {
                    lose(losses, Lost::Field { name: field.to_owned() });
                }
                let function = |schema| GenaiTool {
                    description: description.clone(),
                    schema: Some(schema),
                    ..GenaiTool::new(name.as_str())
                };
                (name.clone(), kept.map(function))
            }
            Tool::Native { raw, .. } => {
                let fields: Map<String, Value> = serde_json::from_str(raw.as_str()).unwrap_or_default();
                let (name, config) = fields.into_iter().next().unwrap_or_default();
                let known =
                    OWN.contains(&name.as_str()).then(|| GenaiTool::new(name.as_str()).with_config(ToolConfig::Custom(config)));
                (name, known)
            }
        };
        match tool {
            Some(tool) => made.push(tool),
            None => lose(losses, Lost::Tool { name }),
        }
    }
    made
}

/// The parameters.
pub(crate) fn options(call: &Call, losses: &mut Vec<Loss>) -> ChatOptions {
    let tool_lost = losses.iter().any(|loss| matches!(loss.lost, Lost::Tool { .. }));
    let mut options = ChatOptions::default();
    for (name, raw) in call.parameters() {
        let value: Value = serde_json::from_str(raw.as_str()).unwrap_or_default();
        match (&**name, value) {
            ("generationConfig" | "generation_config", Value::Object(config)) => {
                let gemini_3 = ["gemini-3", "gemma-4"].iter().any(|name| call.profile().name.contains(name));
                let schema = ["responseJsonSchema", "response_json_schema"].iter().any(|name| config.contains_key(*name));
                for (field, value) in config {
                    // genai asks for JSON wherever there is a schema, and for no other type.
                    let json =
                        matches!(field.as_str(), "responseMimeType" | "response_mime_type") && value == "application/json";
                    let kept = (schema && json) || generation(&mut options, &field, &value, gemini_3);
                    if !kept {
                        lose(losses, Lost::Parameter { name: format!("{name}.{field}") });
                    }
                }
            }
            ("toolConfig" | "tool_config", config) if !tool_lost && choice(&config).is_some() => {
                options.tool_choice = choice(&config)
            }
            // genai writes it into the address.
            ("model", Value::String(model)) if model == *call.profile().name => {}
            (_, Value::Null) => {}
            (_, _) => lose(losses, Lost::Parameter { name: name.to_string() }),
        }
    }
    options
}

/// Sets one field of `generationConfig`; false if genai has none for it, or not for the value.
fn generation(options: &mut ChatOptions, name: &str, value: &Value, gemini_3: bool) -> bool {
    match name {
        "temperature" => set(&mut options.temperature, value.as_f64()),
        "topP" | "top_p" => set(&mut options.top_p, value.as_f64()),
        "maxOutputTokens" | "max_output_tokens" => {
            set(&mut options.max_tokens, value.as_u64().and_then(|most| u32::try_from(most).ok()))
        }
        "stopSequences" | "stop_sequences" => {
            let stops = value.as_array().and_then(|stops| stops.iter().map(|stop| text(Some(stop))).collect());
            stops.map(|stops| options.stop_sequences = stops).is_some()
        }
        "responseJsonSchema" | "response_json_schema" => {
            set(&mut options.response_format, Some(JsonSpec::new("response", value.clone()).into()))
        }
        "thinkingConfig" | "thinking_config" => {
            let config = value.as_object();
            config.is_some_and(|config| config.iter().all(|(name, value)| thinking(options, name, value, gemini_3)))
        }
        _ => false,
    }
}

fn set<T>(option: &mut Option<T>, value: Option<T>) -> bool {
    *option = value;
    option.is_some()
}

/// genai gives a level to the models of the third generation, and a budget to the others.
fn thinking(options: &mut ChatOptions, name: &str, value: &Value, gemini_3: bool) -> bool {
    match (name, value) {
        ("includeThoughts" | "include_thoughts", Value::Bool(true)) => options.capture_reasoning_content = Some(true),
        ("includeThoughts" | "include_thoughts", Value::Bool(false)) => {}
        ("thinkingBudget" | "thinking_budget", Value::Number(budget)) if !gemini_3 => {
            let Some(budget) = budget.as_u64().and_then(|budget| u32::try_from(budget).ok()) else { return false };
            options.reasoning_effort = Some(ReasoningEffort::Budget(budget));
        }
        ("thinkingLevel" | "thinking_level", Value::String(level)) if gemini_3 => {
            options.reasoning_effort = Some(match level.to_ascii_uppercase().as_str() {
                "MINIMAL" => ReasoningEffort::Minimal,
                "LOW" => ReasoningEffort::Low,
                "MEDIUM" => ReasoningEffort::Medium,
                "HIGH" => ReasoningEffort::High,
                _ => return false,
            });
        }
        (_, _) => return false,
    }
    true
}

/// The choice of a tool; none for one that genai cannot say, such as one among several names.
fn choice(config: &Value) -> Option<ToolChoice> {
    let get = |value: &Value, names: [&str; 2]| names.iter().find_map(|name| value.get(*name).cloned());
    let only = |value: &Value, most: usize| value.as_object().is_some_and(|fields| fields.len() <= most);
    let calling = get(config, ["functionCallingConfig", "function_calling_config"]).filter(|_| only(config, 1))?;
    let names = get(&calling, ["allowedFunctionNames", "allowed_function_names"]);
    let names = names.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    only(&calling, 2).then_some(())?;
    match (calling.get("mode")?.as_str()?.to_ascii_uppercase().as_str(), names) {
        ("AUTO", []) => Some(ToolChoice::Auto),
        ("NONE", []) => Some(ToolChoice::None),
        ("ANY", []) => Some(ToolChoice::Required),
        ("ANY", [Value::String(name)]) => Some(ToolChoice::Tool { name: name.clone() }),
        (_, _) => None,
    }
}
