//! What only one wire understands: blocks in every form that a provider takes or refuses, reasoning, and unknown fields.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{Extra, Native, RawJson, Reasoning};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::BoxedStrategy;

/// Blocks of Anthropic, as a client may send them.
pub(crate) const ANTHROPIC: [&str; 50] = [
    r#"{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"x"}]}"#,
    r#"{"type":"search_result","source":"s","title":"t","content":[],"cache_control":{"type":"ephemeral"}}"#,
    r#"{"cache_control":{"type":"ephemeral"} ,"type":"search_result","source":"s","title":"t","content":[]}"#,
    r#"{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}"#,
    r#"{"type":"server_tool_use","id":"srv_2","name":"web_search","input":{},"cache\u005fcontrol":{"type":"ephemeral"}}"#,
    r#"{"type":"server_tool_use","name":"web_search","input":{}}"#,
    r#"{"type":"server_tool_use","id":"","name":"web_search","input":{}}"#,
    r#"{"type":"server_tool_use","id":"a.b","name":"web_search","input":{}}"#,
    r#"{"type":"server_tool_use","id":5,"name":"web_search","input":{}}"#,
    r#"{"type":"mcp_tool_use","id":"mcp_1","name":"x","server_name":"s","input":{}}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":"srv_1","content":[]}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":"srv_2","content":[],"cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":"srv_9","content":[]}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":"a.b","content":[]}"#,
    r#"{"type":"web_search_tool_result","content":[]}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":null}"#,
    r#"{"type":"mcp_tool_result","tool_use_id":"mcp_1","content":[]}"#,
    r#"{"type":"image"}"#,
    r#"{"type":"image","source":null}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png"}}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/tiff","data":"AAAA"}}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/tiff","data":"AAAA","odd":1}}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA","odd":1},"title":"t"}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"!!"}}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}"#,
    r#"{"type":"image","source":{"type":"url","url":""}}"#,
    r#"{"type":"image","source":{"type":"url","url":"https://x","media_type":"image/png"},"cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"image","source":{"type":"odd"}}"#,
    r#"{"type":"document"}"#,
    r#"{"type":"document","source":{"type":"base64","media_type":"text/plain","data":"AAAA"},"title":5}"#,
    r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA","odd":1},"title":"t"}"#,
    r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"},"cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"document","source":{"type":"text","media_type":"text/html","data":"x"}}"#,
    r#"{"type":"document","source":{"type":"text","media_type":"text/plain"}}"#,
    r#"{"type":"document","source":{"type":"content","content":"x"}}"#,
    r#"{"type":"document","source":{"type":"content","content":[{"type":"text","text":"x"}]}}"#,
    r#"{"type":"document","source":{"type":"content","content":[{"type":"image"}]}}"#,
    r#"{"type":"document","source":{"type":"odd"}}"#,
    r#"{"type":"tool_reference","tool_name":"get"}"#,
    r#"{"type":"container_upload","file_id":"f"}"#,
    r#"{"type":"mid_conv_system","content":[]}"#,
    r#"{"type":"thinking","thinking":"hm","signature":"c2ln"}"#,
    r#"{"type":"thinking","thinking":"hm","signature":"c2ln","cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"thinking","thinking":"hm"}"#,
    r#"{"type":"thinking","thinking":"hm","signature":""}"#,
    r#"{"type":"redacted_thinking","data":"ZGF0YQ=="}"#,
    r#"{"type":"redacted_thinking"}"#,
    r#"{"type":"foo","text":"x ","cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"foo","id":"srv_9"}"#,
    r#"{"type":""}"#,
];

/// Parts of OpenAI Chat and its dialects, as a client may send them.
pub(crate) const OPENAI: [&str; 36] = [
    r#"{"type":"refusal","refusal":"no"}"#,
    r#"{"type":"refusal"}"#,
    r#"{"type":"image_url"}"#,
    r#"{"type":"image_url","image_url":{}}"#,
    r#"{"type":"image_url","image_url":{"url":5}}"#,
    r#"{"type":"image_url","image_url":{"url":""}}"#,
    r#"{"type":"image_url","image_url":{"url":"https://x","detail":"low"},"odd":1}"#,
    r#"{"type":"image_url","image_url":"https://x"}"#,
    r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}"#,
    r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,!!"}}"#,
    r#"{"type":"image_url","image_url":{"url":"data:image/tiff;base64,AAAA"}}"#,
    r#"{"type":"image_url","image_url":{"url":"data:image/png,AAAA"}}"#,
    r#"{"type":"image_url","image_url":{"url":"data:text/plain,x"}}"#,
    r#"{"type":"image_url","image_url":{"url":"data:"}}"#,
    r#"{"type":"file"}"#,
    r#"{"type":"file","file":5}"#,
    r#"{"type":"file","file":{}}"#,
    r#"{"type":"file","file":{"file_id":"f"}}"#,
    r#"{"type":"file","file":{"file_id":"f","file_data":"data:application/pdf;base64,AAAA"}}"#,
    r#"{"type":"file","file":{"file_data":"AAAA","filename":"a.pdf"}}"#,
    r#"{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA","filename":"a.pdf","odd":1}}"#,
    r#"{"type":"file","file":{"file_data":"data:application/pdf,!!","filename":5}}"#,
    r#"{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}"#,
    r#"{"type":"input_audio","input_audio":{"data":"AA\r\nAA","format":"wav"}}"#,
    r#"{"type":"input_audio","input_audio":{"data":"!!","format":"wav"}}"#,
    r#"{"type":"input_audio","input_audio":{"data":""}}"#,
    r#"{"type":"input_audio","input_audio":"AAAA"}"#,
    r#"{"type":"input_audio"}"#,
    r#"{"type":"document_url","document_url":"https://x/y.pdf"}"#,
    r#"{"type":"document_url","document_url":5}"#,
    r#"{"type":"reference","reference_ids":[1]}"#,
    r#"{"type":"thinking","thinking":[]}"#,
    r#"{"type":"video_url","video_url":{"url":"https://x"}}"#,
    r#"{"type":"hologram","x":1}"#,
    r#"{"type":"tool_result","tool_use_id":"x"}"#,
    r#"{"type":""}"#,
];

/// Items and parts of OpenAI Responses.
pub(crate) const RESPONSES: [&str; 40] = [
    r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}}"#,
    r#"{"type":"web_search_call","status":"completed"}"#,
    r#"{"type":"tool_search_call","call_id":null,"execution":"server","arguments":{},"id":"tsc_1"}"#,
    r#"{"type":"tool_search_call","call_id":"c1","execution":"client","arguments":{}}"#,
    r#"{"type":"tool_search_output","call_id":null,"execution":"server","tools":[]}"#,
    r#"{"type":"tool_search_output","call_id":"c1","execution":"client","tools":[]}"#,
    r#"{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}"#,
    r#"{"type":"function_call_output","call_id":"c1","output":"x"}"#,
    r#"{"type":"custom_tool_call","call_id":"c1","name":"f","input":"x"}"#,
    r#"{"type":"custom_tool_call","name":"f","input":"x"}"#,
    r#"{"type":"computer_call","call_id":"c1","action":{}}"#,
    r#"{"type":"shell_call","call_id":"sh_1","id":"sc_1","action":{"commands":["ls"]},"environment":{"type":"container_reference"}}"#,
    r#"{"type":"shell_call_output","call_id":"sh_1","id":"sco_1","output":[]}"#,
    r#"{"type":"shell_call_output","call_id":"c1","output":[]}"#,
    r#"{"type":"local_shell_call_output","id":"c2","output":"x"}"#,
    r#"{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"x"}]}"#,
    r#"{"type":"computer_call_output","output":{}}"#,
    r#"{"type":"message","role":"assistant","id":"msg_1","content":[{"type":"refusal","refusal":"no"}]}"#,
    r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"},{"type":"refusal","refusal":"no"}]}"#,
    r#"{"type":"message","role":"assistant","content":[{"type":"output_text"}]}"#,
    r#"{"type":"message","role":"assistant","content":[]}"#,
    r#"{"type":"message","role":"user","content":[{"type":"refusal","refusal":"no"}]}"#,
    r#"{"type":"message","role":"assistant","content":"x"}"#,
    r#"{"type":"reasoning","id":"rs_1","summary":[]}"#,
    r#"{"type":"additional_tools","role":"developer","tools":[]}"#,
    r#"{"type":"additional_tools","role":"developer"}"#,
    r#"{"type":"item_reference","id":"msg_1"}"#,
    r#"{"type":"mcp_approval_request","id":"mcpr_1","name":"f","server_label":"s","arguments":"{}"}"#,
    r#"{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}"#,
    r#"{"type":"mcp_approval_response","approval_request_id":"mcpr_9","approve":true}"#,
    r#"{"type":"mcp_approval_response"}"#,
    r#"{"type":"compaction","id":"cmp_1","encrypted_content":"x"}"#,
    r#"{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}"#,
    r#"{"type":"input_image"}"#,
    r#"{"type":"input_image","image_url":5}"#,
    r#"{"type":"input_image","image_url":"https://x","file_id":"f"}"#,
    r#"{"type":"input_file","file_url":"data:text/plain,x"}"#,
    r#"{"type":"input_file","file_data":"AAAA","filename":"a.pdf"}"#,
    r#"{"type":"hologram","x":1}"#,
    r#"{"type":"hologram","id":"h_1","role":"assistant"}"#,
];

/// Parts of Gemini.
pub(crate) const GEMINI: [&str; 30] = [
    r#"{"inlineData":{"mimeType":"audio/mpeg","data":"AA_-"}}"#,
    r#"{"inline_data":{"mime_type":"video/mp4","data":"AAAA"},"videoMetadata":{"fps":1}}"#,
    r#"{"inlineData":{"mimeType":"image/png","data":"!!"}}"#,
    r#"{"inlineData":{"mimeType":"image/png","data":""}}"#,
    r#"{"inlineData":{"mimeType":"image/gif","data":"AAAA","displayName":"a.gif"}}"#,
    r#"{"inlineData":{"data":"AAAA"}}"#,
    r#"{"inlineData":5}"#,
    r#"{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/x","mimeType":"audio/mpeg"}}"#,
    r#"{"fileData":{"fileUri":"https://youtu.be/x"}}"#,
    r#"{"file_data":{"file_uri":""}}"#,
    r#"{"fileData":{}}"#,
    r#"{"executableCode":{"language":"PYTHON","code":"1"}}"#,
    r#"{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"},"thoughtSignature":"c2ln"}"#,
    r#"{"executableCode":5}"#,
    r#"{"toolCall":{"toolType":"GOOGLE_SEARCH","id":"t1"}}"#,
    r#"{"functionCall":{"name":"f","args":{}}}"#,
    r#"{"functionResponse":{"name":"f","response":{}}}"#,
    r#"{"text":5}"#,
    r#"{"text":"x"}"#,
    r#"{"thought":true,"text":"hm","thoughtSignature":"c2ln"}"#,
    r#"{"thoughtSignature":"c2ln"}"#,
    r#"{"hologram":{"x":1}}"#,
    r#"{"hologram":1}"#,
    r#"{"hologram":{"x":1},"functionCall":{"name":"f"}}"#,
    r#"{"executableCode":{"code":"1"},"function_call":{"name":"f"}}"#,
    r#"{"executableCode":{"code":"1"},"codeExecutionResult":{"outcome":"OUTCOME_OK"}}"#,
    r#"{"text":"x","tool_call":{"id":"t1"}}"#,
    r#"{"thought":true,"text":"hm","functionCall":{"name":"f"}}"#,
    r#"{"thought":true,"text":"hm","toolResponse":{"id":"t1"}}"#,
    "{}",
];

pub(crate) fn raw(text: &str) -> RawJson {
    RawJson::new(text).unwrap()
}

/// A block as the parser makes it, or with other ideas of what it is and needs.
fn native(wire: Wire, json: &'static str) -> Vec<Native> {
    let block: serde_json::Value = serde_json::from_str(json).unwrap();
    let text = |key: &str| block.get(key).and_then(serde_json::Value::as_str);
    let first = || block.as_object().and_then(|block| block.keys().next()).map(String::as_str);
    let kind: Arc<str> = text("type").or_else(first).unwrap_or("odd").into();
    let parsed = Native { wire, kind: kind.clone(), raw: raw(json), reads_as: None, needs: text("tool_use_id").map(Arc::from) };
    let said = Native { reads_as: Some("it says \n".into()), needs: None, ..parsed.clone() };
    let needy = Native { needs: Some("srv_1".into()), ..parsed.clone() };
    vec![parsed.clone(), parsed.clone(), parsed, said, needy]
}

fn blocks() -> BoxedStrategy<Native> {
    let odd = |wire, kind: &str, json: &str| Native { wire, kind: kind.into(), raw: raw(json), reads_as: None, needs: None };
    let odd = vec![
        odd(Wire::Anthropic, "odd", "5"),
        odd(Wire::Anthropic, "odd", r#"{"type":5}"#),
        odd(Wire::Anthropic, "text", r#"{"type":"text"}"#),
        odd(Wire::Anthropic, "tool_use", r#"{"type":"tool_use","id":"x","name":"y","input":{}}"#),
        odd(Wire::Anthropic, "tool_result", r#"{"type":"tool_result","tool_use_id":"x"}"#),
        odd(Wire::OpenAiChat, "refusal", "\"I will not\""),
        odd(Wire::OpenAiChat, "refusal", " null "),
        odd(Wire::OpenAiChat, "audio", r#"{"id":"audio_1"}"#),
        odd(Wire::OpenAiChat, "content", "\"x\""),
        odd(Wire::OpenAiChat, "text", r#"{"type":"text","text":5}"#),
        odd(Wire::OpenAiChat, "", "{}"),
    ];
    let anthropic = ANTHROPIC.iter().flat_map(|json| native(Wire::Anthropic, json)).collect::<Vec<_>>();
    let openai = OPENAI.iter().flat_map(|json| native(Wire::OpenAiChat, json)).collect::<Vec<_>>();
    let tools =
        |json: &str| Native { wire: Wire::OpenAiResponses, kind: "tools".into(), raw: raw(json), reads_as: None, needs: None };
    let outputs = vec![
        tools("[]"),
        tools("{}"),
        tools(r#"[{"type":"function","name":"f"}]"#),
        Native { kind: "output".into(), ..tools(r#"{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}"#) },
        Native { kind: "output".into(), ..tools("\"x\"") },
    ];
    let responses = RESPONSES.iter().flat_map(|json| native(Wire::OpenAiResponses, json)).collect::<Vec<_>>();
    let gemini = GEMINI.iter().flat_map(|json| native(Wire::Gemini, json)).collect::<Vec<_>>();
    prop_oneof![
        4 => select(anthropic),
        3 => select(openai),
        3 => select(responses),
        3 => select(gemini),
        1 => select(outputs),
        1 => select(odd),
    ]
    .boxed()
}

/// Blocks of inputs, outcomes and system text.
pub(crate) fn given() -> impl Strategy<Value = Native> {
    blocks()
}

/// Blocks of answers: more of what stands there.
pub(crate) fn spoken() -> impl Strategy<Value = Native> {
    let server: Vec<Native> =
        ANTHROPIC.iter().filter(|json| json.contains("_tool_")).flat_map(|json| native(Wire::Anthropic, json)).collect();
    let items: Vec<Native> =
        RESPONSES.iter().filter(|json| json.contains("_call")).flat_map(|json| native(Wire::OpenAiResponses, json)).collect();
    prop_oneof![2 => blocks(), 1 => select(server), 1 => select(items)]
}

pub(crate) fn reasoning() -> impl Strategy<Value = Reasoning> {
    let one = |wire, kind: &str, json: &str| Reasoning { wire, kind: kind.into(), raw: raw(json) };
    let thinking = ANTHROPIC.iter().filter(|json| json.contains("thinking"));
    let mut all: Vec<Reasoning> = thinking
        .map(|json| one(Wire::Anthropic, if json.contains("redacted") { "redacted_thinking" } else { "thinking" }, json))
        .collect();
    all.extend([
        one(Wire::Anthropic, "thinking", r#"{ "type": "thinking", "thinking": "", "signature": "c2ln" }"#),
        one(Wire::Anthropic, "thinking", r#"{"type":"thinking","signature":5}"#),
        one(Wire::Anthropic, "odd", "1"),
        one(Wire::OpenAiChat, "reasoning_content", "\"hm\""),
        one(Wire::OpenAiChat, "reasoning_details", r#"[{"type": "reasoning.text", "text": "hm"}]"#),
        one(Wire::OpenAiChat, "content", "\"hm\""),
        one(
            Wire::OpenAiResponses,
            "reasoning",
            r#"{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}"#,
        ),
        one(Wire::OpenAiResponses, "reasoning", r#"{"type":"reasoning","summary":[],"content":[]}"#),
        one(Wire::OpenAiResponses, "reasoning", r#"{"type":"message"}"#),
        one(Wire::OpenAiResponses, "reasoning", "5"),
        one(Wire::Gemini, "thought", r#"{"text": "hm", "thought": true, "thoughtSignature": "c2ln"}"#),
        one(Wire::Gemini, "thought", r#"{"thought":true}"#),
        one(Wire::Gemini, "thought", r#"{"text":"hm","thought":false}"#),
    ]);
    select(all)
}

/// None, or a few unknown fields of one wire: cache marks, and names that the wires write themselves.
pub(crate) fn extra() -> BoxedStrategy<Extra> {
    const MARK: (&str, &str) = ("cache_control", r#"{"type":"ephemeral"}"#);
    const ANTHROPIC: [(&str, &str); 14] = [
        MARK,
        ("cache_control", " null"),
        ("citations", " null"),
        ("type", "\"x\""),
        ("text", "5"),
        ("role", "\"wizard\""),
        ("content", "[]"),
        ("model", "\"m\""),
        ("messages", "[]"),
        ("id", "\"x\""),
        ("is_error", "\"maybe\""),
        ("source", r#"{"odd":1,"url":"u","data":5}"#),
        ("title", "5"),
        ("odd \"name\"", "[1, 2]"),
    ];
    const OPENAI: [(&str, &str); 21] = [
        ("name", "\"Bob\""),
        ("name", "\"Bob Smith\""),
        ("name", "\"\""),
        ("name", "5"),
        ("detail", "\"high\""),
        ("role", "\"developer\""),
        ("role", "\"wizard\""),
        ("type", "\"x\""),
        ("type", "\"custom\""),
        ("custom", r#"{"format":"f","name":5}"#),
        ("function", r#"{"strict":true,"name":5,"arguments":5}"#),
        ("image_url", r#"{"detail":"low","url":5}"#),
        ("prefix", "true"),
        ("prefix", " true"),
        ("content", "5"),
        ("model", "\"m\""),
        ("messages", "[]"),
        ("tool_calls", "[]"),
        ("refusal", "null"),
        ("refusal", "\"no\""),
        ("reasoning_content", "\"hm\""),
    ];
    const RESPONSES: [(&str, &str); 28] = [
        ("id", "\"fc_1\""),
        ("id", "\"msg_1\""),
        ("id", "5"),
        ("id", "\"\""),
        ("status", "\"completed\""),
        ("namespace", "\"get\""),
        ("type", "\"message\""),
        ("type", "\"custom_tool_call\""),
        ("type", "\"custom_tool_call_output\""),
        ("type", "\"tool_search_call\""),
        ("type", "\"tool_search_output\""),
        ("type", "\"computer_call\""),
        ("type", "\"computer_call_output\""),
        ("execution", "\"client\""),
        ("message", r#"{"id":"msg_1","type":"message","status":"completed","phase":"commentary"}"#),
        ("message", r#"{"id":"call_1","role":"user","content":5}"#),
        ("message", "{}"),
        ("message", "true"),
        ("message", "5"),
        ("annotations", "[]"),
        ("detail", "\"low\""),
        ("strict", "true"),
        ("role", "\"developer\""),
        ("role", "\"instructions\""),
        ("content", "5"),
        ("output", "5"),
        ("call_id", "5"),
        ("input", "[]"),
    ];
    const GEMINI: [(&str, &str); 16] = [
        ("thoughtSignature", "\"c2ln\""),
        ("thought_signature", "\"c2ln\""),
        ("thought", "true"),
        ("id", "null"),
        ("role", "\"user\""),
        ("parts", "[]"),
        ("text", "5"),
        ("functionCall", r#"{"name":5,"odd":1}"#),
        ("functionResponse", r#"{"willContinue":false,"response":5}"#),
        ("functionResponse", "5"),
        ("inlineData", r#"{"displayName":"a","data":5}"#),
        ("fileData", r#"{"odd":1,"fileUri":5}"#),
        ("videoMetadata", r#"{"fps":1}"#),
        ("parameters", r#"{"type":"OBJECT"}"#),
        ("parametersJsonSchema", "5"),
        ("contents", "[]"),
    ];
    let of = |wire: Wire, fields: Vec<(&str, &str)>| {
        Extra::new(wire, fields.into_iter().map(|(name, value)| (name.into(), raw(value))).collect())
    };
    prop_oneof![
        8 => Just(Extra::default()),
        2 => Just(of(Wire::Anthropic, vec![MARK])),
        2 => vec(select(&ANTHROPIC[..]), 1..3).prop_map(move |fields| of(Wire::Anthropic, fields)),
        2 => vec(select(&OPENAI[..]), 1..3).prop_map(move |fields| of(Wire::OpenAiChat, fields)),
        3 => vec(select(&RESPONSES[..]), 1..4).prop_map(move |fields| of(Wire::OpenAiResponses, fields)),
        2 => vec(select(&GEMINI[..]), 1..3).prop_map(move |fields| of(Wire::Gemini, fields)),
    ]
    .boxed()
}
