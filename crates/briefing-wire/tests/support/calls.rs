//! Calls as no client should make them: odd schemas, tools of the provider's own that are none, too many tools, every form of
//! `tool_choice`, odd parameters.

use briefing::{Call, Tool, Wire};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

use super::lists::{MODELS, name};
use super::opaque::{extra, raw};

const SCHEMAS: [&str; 11] = [
    r#"{"type": "object", "properties": {}}"#,
    r#" { "type" : "object" } "#,
    r#"{"properties":{"a":{"type":"string"}}}"#,
    "{}",
    " { } ",
    r#"{"type":"string"}"#,
    r#"{"type":["object","null"],"x":1,"type":null}"#,
    "true",
    "[]",
    "null",
    "\"x\"",
];

/// Tools of the provider's own, and what is no tool at all.
const NATIVE: [(Wire, Option<&str>, &str); 20] = [
    (Wire::OpenAiResponses, None, r#"{"type":"web_search"}"#),
    (Wire::OpenAiResponses, Some("get"), r#"{"type":"custom","name":"get"}"#),
    (Wire::OpenAiResponses, Some("get"), r#"{"type":"function","name":"get"}"#),
    (Wire::OpenAiResponses, None, "5"),
    (Wire::Gemini, None, r#"{"googleSearch":{}}"#),
    (Wire::Gemini, None, r#"{"functionDeclarations":[{"name":"get"}]}"#),
    (Wire::Gemini, None, "{}"),
    (Wire::Gemini, None, "[]"),
    (Wire::Anthropic, Some("web_search"), r#"{"type":"web_search_20250305","name":"web_search"}"#),
    (
        Wire::Anthropic,
        Some("web_search"),
        r#"{"type":"web_search_20250305","name":"web_search","cache_control":{"type":"ephemeral"}}"#,
    ),
    (Wire::Anthropic, Some("x"), r#"{"type":"bash_20250124","name":"bash","cache_control":{"type":"ephemeral"}}"#),
    (Wire::Anthropic, Some("a b"), r#"{"type":"odd_1","name":"a b","cache_control":{"type":"ephemeral"}}"#),
    (Wire::Anthropic, None, r#"{"type":"mcp_toolset","mcp_server_name":"s"}"#),
    (Wire::Anthropic, Some("get"), r#"{"type":"custom","name":"get"}"#),
    (Wire::Anthropic, Some("get"), r#"{"name":"get"}"#),
    (Wire::Anthropic, None, "5"),
    (Wire::OpenAiChat, Some("get"), r#"{"type":"custom","custom":{"name":"get"}}"#),
    (Wire::OpenAiChat, Some("get"), r#"{"type":"function","name":"get","parameters":{}}"#),
    (Wire::OpenAiChat, None, r#"{"name":"get"}"#),
    (Wire::OpenAiChat, None, "[]"),
];

const CHOICES: [&str; 29] = [
    r#"{"type":"function","name":"get.weather"}"#,
    r#"{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"get.weather"},{"type":"function","name":"gone"},{"type":"mcp"}]}"#,
    r#"{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"gone"}]}"#,
    r#"{"type":"mcp","server_label":"s","name":"x"}"#,
    r#"{"type":"function"}"#,
    "null",
    "\"auto\"",
    "\"none\"",
    "\"required\"",
    "5",
    "[]",
    "true",
    "{}",
    r#"{"type":"auto"}"#,
    r#"{"type":"any","disable_parallel_tool_use":true}"#,
    r#"{"type":"none"}"#,
    r#"{"type":"tool"}"#,
    r#"{"type":"tool","name":5}"#,
    r#"{"type":5,"name":"get"}"#,
    r#"{"name":"get"}"#,
    r#"{"type": "tool", "name": "get"}"#,
    r#"{"type": "tool", "name": "web_search"}"#,
    r#"{"type": "tool", "name": "get.weather"}"#,
    r#"{"type":"tool","name":""}"#,
    r#"{"type":"function","function":{"name":"get"}}"#,
    r#"{"type":"function","function":{"name" : "get.weather"}}"#,
    r#"{"type":"function","function":{}}"#,
    r#"{"type":"function","function":"get"}"#,
    r#"{"type":"custom","custom":{"name":"get"}}"#,
];

const PARAMETERS: [(&str, &str); 46] = [
    ("max_output_tokens", "100"),
    ("instructions", "\"Be kind.\""),
    ("instructions", "\"\""),
    ("input", "\"x\""),
    ("previous_response_id", "\"resp_1\""),
    ("store", "false"),
    ("store", "true"),
    ("reasoning", r#"{"effort":"low"}"#),
    ("contents", "[]"),
    ("systemInstruction", "5"),
    ("generationConfig", r#"{"maxOutputTokens":10}"#),
    ("toolConfig", r#"{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["get","get.weather","none"]}}"#),
    ("tool_config", r#"{"function_calling_config":{"mode":"ANY","allowed_function_names":["get"]},"retrievalConfig":{}}"#),
    ("toolConfig", r#"{"functionCallingConfig":{"mode":"AUTO"}}"#),
    ("toolConfig", "5"),
    ("toolConfig", r#"{"functionCallingConfig":5}"#),
    ("temperature", "0.5"),
    ("max_tokens", "0"),
    ("max_tokens", "100"),
    ("max_tokens", "\"x\""),
    ("max_tokens", "null"),
    ("max_tokens", " [1] "),
    ("stream", "true"),
    ("stream", "\"yes\""),
    ("thinking", r#"{"type": "enabled", "budget_tokens": 1024}"#),
    ("thinking", r#"{"type":"enabled","budget_tokens":1}"#),
    ("thinking", r#"{"type":"enabled","budget_tokens":5000}"#),
    ("thinking", r#"{"type":"enabled","budget_tokens":1500.5}"#),
    ("thinking", r#"{"type":"enabled","budget_tokens":1e30}"#),
    ("thinking", r#"{"type":"enabled"}"#),
    ("thinking", r#"{"type":"adaptive"}"#),
    ("mcp_servers", "[1]"),
    ("max_tokens", "-1"),
    ("max_tokens", "10.5"),
    ("max_tokens", "1e4"),
    ("thinking", "5"),
    ("cache_control", r#"{"type":"ephemeral"}"#),
    ("cache_control", " null"),
    ("metadata", r#"{"user_id":"u"}"#),
    ("model", "\"other\""),
    ("messages", "[]"),
    ("tools", "[]"),
    ("system", "\"\""),
    ("role", "5"),
    ("n", "2"),
    ("odd \"name\"", "{}"),
];

/// A call of one of the models, with tools and parameters.
pub(crate) fn call() -> impl Strategy<Value = Call> {
    let goes_on = prop::bool::weighted(0.3);
    (select(&MODELS[..]), tools(), vec(select(&PARAMETERS[..]), 0..4), prop::option::of(select(&CHOICES[..])), goes_on)
        .prop_map(|((wire, model), tools, parameters, choice, goes_on)| {
            let mut call = Call::model(model, Some(wire)).tools(tools);
            match wire {
                Wire::OpenAiResponses if goes_on => call = call.parameter("conversation", raw("\"conv_1\"")),
                Wire::Gemini if goes_on => call = call.parameter("cachedContent", raw("\"cachedContents/x\"")),
                Wire::OpenAiChat | Wire::Anthropic | Wire::OpenAiResponses | Wire::Gemini => {}
            }
            for (name, value) in parameters {
                call = call.parameter(name, raw(value));
            }
            match choice {
                Some(choice) => call.parameter("tool_choice", raw(choice)),
                None => call,
            }
        })
}

fn tools() -> BoxedStrategy<Vec<Tool>> {
    let many = (function(), 126..132_usize, vec(tool(), 0..3)).prop_map(|(function, count, mut tools)| {
        tools.extend((0..count).map(|index| {
            let mut tool = function.clone();
            if let Tool::Function { name, .. } = &mut tool {
                name.push_str(&index.to_string());
            }
            tool
        }));
        tools
    });
    prop_oneof![30 => vec(tool(), 0..5), 1 => many].boxed()
}

fn tool() -> impl Strategy<Value = Tool> {
    let native =
        |(wire, name, json): (Wire, Option<&str>, &str)| Tool::Native { wire, name: name.map(str::to_owned), raw: raw(json) };
    prop_oneof![5 => function(), 3 => select(&NATIVE[..]).prop_map(native)]
}

fn function() -> impl Strategy<Value = Tool> {
    let schema = prop_oneof![3 => Just(SCHEMAS[0]), 2 => select(&SCHEMAS[..])];
    (name(), schema, extra()).prop_map(|(name, schema, extra)| Tool::Function {
        name,
        description: Some("does \"it\"".into()),
        schema: raw(schema),
        extra,
    })
}
