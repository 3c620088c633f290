//! Lists of messages, and JSON that looks like stored ones.

use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, CallId, Extra, Item, Media, MediaSource, Native, Outcome, Part, RawJson, Reasoning, System, SystemPart,
    Text, ToolCall, User,
};
use briefing::{ModelMessage, Wire};
use briefing_forms::{Form, read};
use briefing_json::Document;
use proptest::collection::vec as several;
use proptest::prelude::*;
use proptest::sample::select;

/// What was written, read.
pub(crate) fn messages(form: Form, json: &str) -> Vec<ModelMessage> {
    read(form, Document::parse(json).unwrap().root()).unwrap().messages
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-z <>\"\\\\é\\n]{1,8}", 1 => Just(String::new()), 1 => Just("data:x".to_owned())]
}

fn name() -> impl Strategy<Value = String> {
    select(vec!["find", "web_search", "invocation", "a-b", "", "call"]).prop_map(str::to_owned)
}

fn id() -> impl Strategy<Value = String> {
    select(vec!["c1", "c2", "c3", "", "srvtoolu_1"]).prop_map(str::to_owned)
}

fn raw(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

fn extra() -> impl Strategy<Value = Extra> {
    prop_oneof![
        6 => Just(Extra::default()),
        1 => Just(Extra::new(Wire::Anthropic, vec![("cache_control".into(), raw(r#"{"type":"ephemeral"}"#))])),
        1 => Just(Extra::new(Wire::Anthropic, vec![("citations".into(), raw("[1]"))])),
        1 => Just(Extra::new(Wire::OpenAiChat, vec![("name".into(), raw("\"ann\"")), ("x".into(), raw("{}"))])),
        1 => Just(Extra::new(Wire::Gemini, vec![("thoughtSignature".into(), raw("\"c2ln\""))])),
        1 => of_responses().prop_map(|fields| {
            Extra::new(Wire::OpenAiResponses, fields.iter().map(|(name, json)| (Arc::from(*name), raw(json))).collect())
        }),
        1 => Just(Extra::new(Wire::OpenAiChat, vec![("role".into(), raw("\"developer\""))])),
    ]
}

/// Fields of a text or a call of OpenAI Responses.
fn of_responses() -> impl Strategy<Value = &'static [(&'static str, &'static str)]> {
    const FIELDS: [&[(&str, &str)]; 7] = [
        &[("message", r#"{"type":"message","id":"msg_1"}"#)],
        &[("message", r#"{"type":"message","id":"msg_2","phase":"final_answer"}"#)],
        &[("message", r#"{"type":"message","id":"msg_3","status":"completed"}"#), ("annotations", "[]")],
        &[("message", "true")],
        &[("id", "\"fc_1\""), ("namespace", "\"n\"")],
        &[("id", "\"fc_2\""), ("status", "\"completed\"")],
        &[("type", "\"custom_tool_call\""), ("id", "\"ctc_1\"")],
    ];
    select(FIELDS.to_vec())
}

fn plain() -> impl Strategy<Value = Text> {
    (text(), extra()).prop_map(|(text, extra)| Text { text, extra })
}

fn input() -> impl Strategy<Value = String> {
    select(vec!["{}", r#"{"a":1}"#, r#"{"a":{"b":[1,"x"]}}"#, "", "{\"a\":", "[1]", "\"x\"", " {\"a\": 1} "])
        .prop_map(str::to_owned)
}

fn media() -> impl Strategy<Value = Media> {
    let source = prop_oneof![
        Just(MediaSource::Data(Bytes::from_base64("aGk="))),
        Just(MediaSource::Url("https://shop.example/a".into())),
        Just(MediaSource::File { wire: Wire::OpenAiChat, id: "file-1".into() }),
        Just(MediaSource::File { wire: Wire::OpenAiChat, id: "other".into() }),
        Just(MediaSource::File { wire: Wire::Anthropic, id: "file_1".into() }),
        Just(MediaSource::File { wire: Wire::OpenAiResponses, id: "file-2".into() }),
        Just(MediaSource::File { wire: Wire::Gemini, id: "https://generativelanguage.googleapis.com/v1beta/files/a".into() }),
        Just(MediaSource::File { wire: Wire::Gemini, id: "files/a".into() }),
    ];
    let typed = select(vec!["", "image/png", "application/pdf", "text/plain", "audio/wav"]);
    (source, typed, proptest::option::of(select(vec!["a.png", ""])), extra()).prop_map(|(source, typed, name, extra)| Media {
        source,
        media_type: typed.into(),
        filename: name.map(Arc::from),
        extra,
    })
}

fn native() -> impl Strategy<Value = Native> {
    let known = [
        (
            Wire::Anthropic,
            "server_tool_use",
            r#"{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"q":1}}"#,
            None,
        ),
        (
            Wire::Anthropic,
            "web_search_tool_result",
            r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"page_age":null,"url":"u"}]}"#,
            Some("srvtoolu_1"),
        ),
        (
            Wire::Anthropic,
            "web_search_tool_result",
            r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":"x"}"#,
            None,
        ),
        (Wire::Anthropic, "search_result", r#"{"type":"search_result","x":1}"#, None),
        (Wire::Anthropic, "odd", r#"{"type":"odd"}"#, None),
        (Wire::OpenAiChat, "input_audio", r#"{"type":"input_audio","input_audio":{}}"#, None),
        (Wire::OpenAiChat, "refusal", "\"No.\"", None),
        (Wire::OpenAiChat, "audio", r#"{"id":"a"}"#, None),
        (Wire::OpenAiChat, "text", r#"{"type":"text","text":"x"}"#, None),
        (Wire::OpenAiChat, "x", "null", None),
        (Wire::OpenAiResponses, "web_search_call", r#"{"type":"web_search_call","id":"ws_1"}"#, None),
        (Wire::OpenAiResponses, "compaction", r#"{"type":"compaction","encrypted_content":"e"}"#, None),
        (Wire::OpenAiResponses, "message", r#"{"type":"message","id":"msg_1"}"#, None),
        (Wire::Gemini, "executableCode", r#"{"executableCode":{"code":"1"}}"#, None),
    ];
    select(known.to_vec()).prop_map(|(wire, kind, json, needs)| Native {
        wire,
        kind: kind.into(),
        raw: raw(json),
        reads_as: (json == "\"No.\"").then(|| "No.".to_owned()),
        needs: needs.map(Arc::from),
    })
}

fn reasoning() -> impl Strategy<Value = Reasoning> {
    let known = [
        (Wire::Anthropic, "thinking", r#"{"type":"thinking","thinking":"t","signature":"s"}"#),
        (Wire::Anthropic, "thinking", r#"{"type":"thinking","thinking":"t"}"#),
        (Wire::Anthropic, "thinking", r#"{"signature":"s","type":"thinking","thinking":"t","x":1}"#),
        (Wire::Anthropic, "redacted_thinking", r#"{"type":"redacted_thinking","data":"d"}"#),
        (Wire::Anthropic, "odd", r#"{"type":"odd"}"#),
        (Wire::OpenAiChat, "reasoning_content", "\"why\""),
        (Wire::OpenAiChat, "reasoning_content", "\"\""),
        (Wire::OpenAiChat, "reasoning", "\"why\""),
        (Wire::OpenAiChat, "reasoning_details", r#"[{"type":"x"}]"#),
        (Wire::OpenAiChat, "reasoning", r#"{"summary":[]}"#),
        (Wire::OpenAiChat, "odd", "1"),
        (
            Wire::OpenAiResponses,
            "reasoning",
            r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"e"}"#,
        ),
        (Wire::OpenAiResponses, "reasoning", r#"{"type":"reasoning","id":"rs_2","summary":[]}"#),
        (Wire::OpenAiResponses, "reasoning", r#"{"type":"reasoning","summary":[],"encrypted_content":"e"}"#),
        (Wire::OpenAiResponses, "reasoning", r#"{"type":"reasoning","id":"rs_3","summary":[],"status":"completed"}"#),
        (
            Wire::OpenAiResponses,
            "reasoning",
            r#"{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"t"}]}"#,
        ),
        (Wire::Gemini, "thought", r#"{"text":"t","thought":true,"thoughtSignature":"c2ln"}"#),
        (Wire::Gemini, "thought", r#"{"text":"t","thought":true}"#),
        (Wire::Gemini, "thought", r#"{"text":"t","thought":true,"x":1}"#),
    ];
    select(known.to_vec()).prop_map(|(wire, kind, json)| Reasoning { wire, kind: kind.into(), raw: raw(json) })
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        4 => plain().prop_map(Part::Text),
        1 => media().prop_map(Part::Image),
        1 => media().prop_map(Part::Document),
        1 => native().prop_map(Part::Native),
    ]
}

fn item() -> impl Strategy<Value = Item> {
    let call = (id(), name(), input(), extra())
        .prop_map(|(id, name, input, extra)| Item::Call(ToolCall { extra, ..ToolCall::new(id, name, input) }));
    prop_oneof![
        3 => plain().prop_map(Item::Text),
        3 => call,
        1 => reasoning().prop_map(Item::Reasoning),
        1 => native().prop_map(Item::Native),
    ]
}

fn message() -> impl Strategy<Value = ModelMessage> {
    let system_part = prop_oneof![4 => plain().prop_map(SystemPart::Text), 1 => native().prop_map(SystemPart::Native)];
    let model = proptest::option::of(select(vec!["gpt-5", "claude-x", "m"]));
    prop_oneof![
        (several(system_part, 0..3), extra())
            .prop_map(|(parts, extra)| ModelMessage::System(Arc::new(System { parts, extra }))),
        (several(part(), 0..4), extra()).prop_map(|(parts, extra)| ModelMessage::User(Arc::new(User { parts, extra }))),
        (several(item(), 0..5), model, extra()).prop_map(|(items, model, extra)| {
            ModelMessage::Assistant(Arc::new(Assistant { items, model: model.map(Arc::from), extra }))
        }),
        (id(), several(part(), 0..3), any::<Option<bool>>(), extra()).prop_map(|(id, parts, failed, extra)| {
            ModelMessage::Tool(Arc::new(Outcome { call: CallId::new(id), parts, failed, extra }))
        }),
    ]
}

pub(crate) fn list() -> impl Strategy<Value = Vec<ModelMessage>> {
    proptest::collection::vec(message(), 0..6)
}

/// The list as it comes back where nothing is told: that a tool did not fail is not kept, nor white space around arguments; a
/// picture is one by its type; a file in OpenAI's store is OpenAI Chat's; a system message without content is an empty text; and a user interface keeps outcomes in the order of their calls.
pub(crate) fn plainly(form: Form, list: &[ModelMessage]) -> Vec<ModelMessage> {
    let mut out: Vec<ModelMessage> = Vec::new();
    for message in list {
        out.push(match message {
            ModelMessage::System(said) if said.parts.is_empty() && form == Form::VercelModel => ModelMessage::system(""),
            ModelMessage::System(_) => message.clone(),
            ModelMessage::User(user) => {
                let parts = user.parts.iter().map(|part| picture(form, &in_one_store(part))).collect();
                ModelMessage::User(Arc::new(User { parts, extra: user.extra.clone() }))
            }
            ModelMessage::Tool(outcome) => {
                let mut outcome = (**outcome).clone();
                outcome.failed = outcome.failed.filter(|failed| *failed);
                // An outcome's parts say whether they are pictures, as LangChain's do.
                outcome.parts = outcome.parts.iter().map(|part| picture(Form::LangChain, &in_one_store(part))).collect();
                ModelMessage::Tool(Arc::new(outcome))
            }
            ModelMessage::Assistant(said) => {
                let mut said = (**said).clone();
                for item in &mut said.items {
                    if let Item::Call(call) = item
                        && call.input.is_object()
                    {
                        call.input = briefing::message::Input::new(call.input.raw().trim());
                    }
                }
                ModelMessage::Assistant(Arc::new(said))
            }
        });
    }
    if form == Form::VercelUi {
        in_call_order(&mut out);
    }
    out
}

/// Sorts each run of outcomes by the first call of the message before it that has the id and is not answered yet.
fn in_call_order(list: &mut [ModelMessage]) {
    let mut calls: Vec<String> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    let mut start = 0;
    for index in 0..=list.len() {
        match list.get(index) {
            Some(ModelMessage::Tool(outcome)) => {
                let place = calls.iter().position(|id| id == outcome.call.given()).unwrap_or(usize::MAX);
                if let Some(call) = calls.get_mut(place) {
                    *call = "(answered)".to_owned();
                }
                places.push(place);
            }
            other => {
                let run = list.get(start..index).unwrap().to_vec();
                let mut order: Vec<(usize, ModelMessage)> = places.drain(..).zip(run).collect();
                order.sort_by_key(|(place, _)| *place);
                calls = match other {
                    Some(ModelMessage::Assistant(said)) => said.calls().map(|call| call.id.given().to_owned()).collect(),
                    _ => Vec::new(),
                };
                for (slot, (_, message)) in list.get_mut(start..index).unwrap().iter_mut().zip(order) {
                    *slot = message;
                }
                start = index + 1;
            }
        }
    }
}

/// Whether a result of a provider's own tool stands in the list.
pub(crate) fn served(list: &[ModelMessage]) -> bool {
    let is_result = |item: &Item| matches!(item, Item::Native(native) if native.needs.is_some());
    list.iter().any(|message| matches!(message, ModelMessage::Assistant(said) if said.items.iter().any(is_result)))
}

/// OpenAI's two wires share a store.
fn in_one_store(part: &Part) -> Part {
    let mut part = part.clone();
    if let Part::Image(media) | Part::Document(media) = &mut part
        && let MediaSource::File { wire: wire @ Wire::OpenAiResponses, .. } = &mut media.source
    {
        *wire = Wire::OpenAiChat;
    }
    part
}

/// A file of the SDK is a picture if its type says so; `ModelMessage` has a part for pictures, which hold no name.
fn picture(form: Form, part: &Part) -> Part {
    let typed = |media: &Media| !media.media_type.is_empty() && !media.media_type.starts_with("image/");
    match part {
        Part::Document(media) if media.media_type.starts_with("image/") => Part::Image(media.clone()),
        Part::Image(media) if form == Form::VercelUi && typed(media) => Part::Document(media.clone()),
        Part::Image(media) if form == Form::VercelModel && media.filename.is_some() && typed(media) => {
            Part::Document(media.clone())
        }
        other => other.clone(),
    }
}

/// JSON out of the forms' own words.
pub(crate) fn value() -> impl Strategy<Value = String> {
    const WORDS: [&str; 54] = [
        "type",
        "role",
        "content",
        "parts",
        "data",
        "human",
        "ai",
        "tool",
        "system",
        "user",
        "assistant",
        "text",
        "tool_calls",
        "name",
        "args",
        "id",
        "input",
        "output",
        "value",
        "tool-call",
        "tool-result",
        "toolCallId",
        "toolName",
        "reasoning",
        "thinking",
        "signature",
        "image",
        "file",
        "url",
        "base64",
        "mediaType",
        "providerOptions",
        "anthropic",
        "step-start",
        "state",
        "output-available",
        "result",
        "additional_kwargs",
        "tool_use",
        "providerExecuted",
        "srvtoolu_1",
        "web_search",
        "kwargs",
        "lc",
        "openai",
        "google",
        "itemId",
        "msg_1",
        "rs_1",
        "encrypted_content",
        "summary",
        "extras",
        "thoughtSignature",
        "function_call",
    ];
    let word = || select(WORDS.to_vec()).prop_map(|word| format!("{word:?}"));
    let leaf = prop_oneof![6 => word(), 1 => select(vec!["null", "true", "1", "\"\\ud83d\"", "\"\"", "{}", "[]"]).prop_map(str::to_owned)];
    let inner = leaf.prop_recursive(6, 60, 6, move |inner| {
        let member = (word(), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            3 => proptest::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    });
    let body = (select(vec!["human", "ai", "tool", "system"]), inner.clone(), inner.clone());
    let langchain = body.prop_map(|(kind, content, extra)| {
        format!(r#"{{"type":"{kind}","data":{{"content":[{content}],"tool_calls":[{{"name":"f","args":{extra},"id":"c1"}}],"additional_kwargs":{extra}}}}}"#)
    });
    let vercel = (select(vec!["user", "assistant", "tool", "system"]), select(vec!["parts", "content"]), block(inner.clone()))
        .prop_map(|(role, key, block)| format!(r#"{{"role":"{role}","{key}":[{block}]}}"#));
    proptest::collection::vec(prop_oneof![1 => inner, 4 => langchain, 4 => vercel], 0..4)
        .prop_map(|list| format!("[{}]", list.join(",")))
}

fn block(inner: impl Strategy<Value = String> + Clone) -> impl Strategy<Value = String> {
    let kinds =
        vec!["text", "reasoning", "tool-call", "tool-result", "tool-f", "file", "image", "dynamic-tool", "tool-web_search"];
    let states = vec!["output-available", "output-error", "output-denied", "input-available"];
    (select(kinds), select(states), inner.clone(), inner, any::<bool>()).prop_map(|(kind, state, one, other, executed)| {
        format!(
            r#"{{"type":"{kind}","text":"t","toolCallId":"srvtoolu_1","toolName":"web_search","state":"{state}","input":{one},"output":{other},"providerExecuted":{executed},"errorText":"e","data":"aGk=","mediaType":"image/png"}}"#
        )
    })
}
