//! What of Gemini is read, and as what it is written again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;

use briefing::message::{
    Assistant, Extra, Item, Media, MediaSource, Native, Outcome, Part, RawJson, Reasoning, Text, ToolCall, User,
};
use briefing::{Call, ModelMessage, Tool, Wire};
use briefing_wire::{Finished, InputFault, Render, Stream, StreamEvent, WireChange, parse_text};
use serde_json::{Value, json};
use support::{again, changes, checked, messages, render, text, value};

fn gemini() -> Call {
    Call::model("gemini-2.5-flash", Some(Wire::Gemini))
}

fn raw(json: &str) -> RawJson {
    RawJson::new(json).unwrap()
}

fn contents(contents: &str) -> String {
    format!(r#"{{"contents":[{contents}]}}"#)
}

/// A list whose answer is one part of the model's.
fn said(part: &str) -> String {
    contents(&format!(r#"{{"role":"user","parts":[{{"text":"go"}}]}},{{"role":"model","parts":[{part}]}}"#))
}

/// What the body's second content becomes, and what was told when it was read.
fn answer(part: &str) -> (Value, Vec<String>) {
    let body = said(part);
    let parsed = parse_text(Wire::Gemini, &body).unwrap();
    let request = render(&parsed.messages, &parsed.call);
    assert_eq!(checked(text(&request), parsed.call.profile()).violations, []);
    let told = parsed.findings.iter().map(ToString::to_string).collect();
    (value(&request).pointer("/contents/1/parts").unwrap().clone(), told)
}

fn left_out(name: &str) -> Vec<String> {
    vec![format!("/contents/1/parts/0: field {name:?} was left out")]
}

#[test]
fn of_several_kinds_of_data_the_first_stands_and_the_others_are_told() {
    let call = json!([{"functionCall": {"name": "rm", "args": {}}}]);
    let both = r#"{"executableCode":{"language":"PYTHON","code":"1"},"functionCall":{"name":"rm"}}"#;
    assert_eq!(answer(both), (call.clone(), left_out("executableCode")));
    let spellings = r#"{"functionCall":{"name":"rm"},"function_call":{"name":"ls"}}"#;
    assert_eq!(answer(spellings), (call, left_out("function_call")));
    assert_eq!(answer(r#"{"text":"a","tool_call":{"id":"t1"}}"#), (json!([{"text": "a"}]), left_out("tool_call")));
    let codes = r#"{"codeExecutionResult":{"outcome":"OUTCOME_OK"},"executableCode":{"code":"1"}}"#;
    assert_eq!(answer(codes), (json!([{"executableCode": {"code": "1"}}]), left_out("codeExecutionResult")));
    // What is not known stays beside what is.
    let newer = r#"{"executableCode":{"code":"1"},"hologram":{"x":1}}"#;
    assert_eq!(answer(newer), (json!([{"executableCode": {"code": "1"}, "hologram": {"x": 1}}]), vec![]));
}

/// The stream tells of the call first, and so does the answer.
#[test]
fn a_call_that_is_marked_as_a_thought_is_a_call() {
    let part = r#"{"thought":true,"text":"hm","functionCall":{"name":"rm","args":{"a":1}}}"#;
    let parsed = parse_text(Wire::Gemini, &said(part)).unwrap();
    let ModelMessage::Assistant(said) = &parsed.messages[1] else { panic!("{:?}", parsed.messages) };
    assert_eq!(said.calls().map(|call| &*call.name).collect::<Vec<_>>(), ["rm"]);
    let told: Vec<String> = parsed.findings.iter().map(ToString::to_string).collect();
    assert_eq!(told, [left_out("thought"), left_out("text")].concat());
    let chunk = format!(r#"data: {{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}]}}"#);
    let mut stream = Stream::new(Wire::Gemini);
    let events = stream.push(format!("{chunk}\n\n").as_bytes());
    assert!(events.iter().any(|event| matches!(event, StreamEvent::CallDone { .. })), "{events:?}");
    let Finished::Whole(answer) = stream.finish() else { panic!() };
    assert_eq!(answer.said.calls().count(), 1);
}

#[test]
fn a_thought_of_several_kinds_is_its_text() {
    let thought = r#"{"thought":true,"text":"hm","inlineData":{"mimeType":"image/png","data":"AAAA"}},{"text":"done"}"#;
    assert_eq!(answer(thought), (json!([{"thought": true, "text": "hm"}, {"text": "done"}]), left_out("inlineData")));
    // From elsewhere, too, it may be no other thing.
    let raw = raw(r#"{"thought":true,"text":"hm","function_call":{"name":"rm"}}"#);
    let reasoning = Reasoning { wire: Wire::Gemini, kind: "thought".into(), raw };
    let items = vec![Item::Reasoning(reasoning), Item::Text(Text::new("done"))];
    let list = [ModelMessage::user("go"), ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() }))];
    assert_eq!(messages(&list, &gemini())[1]["parts"], json!([{"text": "done"}]));
    assert_eq!(changes(&list, &gemini()), [WireChange::ReasoningLeftOut { kind: "thought".into() }]);
}

#[test]
fn a_native_part_of_several_kinds_reads_as_text() {
    let code = r#""executableCode":{"code":"1"}"#;
    for other in [r#""functionCall":{"name":"rm"}"#, r#""tool_response":{"id":"t"}"#, code, r#""executable_code":{"code":"2"}"#]
    {
        let native = |json: &str| Native {
            wire: Wire::Gemini,
            kind: "executableCode".into(),
            raw: raw(json),
            reads_as: None,
            needs: None,
        };
        let list = |json: &str| {
            let items = vec![Item::Native(native(json))];
            [ModelMessage::user("go"), ModelMessage::Assistant(Arc::new(Assistant { items, ..Assistant::default() }))]
        };
        let told = [WireChange::NativeAsText { kind: "executableCode".into() }];
        assert_eq!(changes(&list(&format!("{{{code},{other}}}")), &gemini()), told, "{other}");
        assert_eq!(changes(&list(&format!("{{{other},{code}}}")), &gemini()), told, "{other}");
    }
    let hidden = r#"{"hologram":{"x":1},"functionCall":{"name":"rm"}}"#;
    let native = Native { wire: Wire::Gemini, kind: "hologram".into(), raw: raw(hidden), reads_as: None, needs: None };
    let said = Assistant { items: vec![Item::Native(native)], ..Assistant::default() };
    let list = [ModelMessage::user("go"), ModelMessage::Assistant(Arc::new(said))];
    assert_eq!(changes(&list, &gemini()), [WireChange::NativeAsText { kind: "hologram".into() }]);
}

/// Inside an outcome and in system text no outcome stands, so text is looked for first.
#[test]
fn what_is_told_is_what_was_left_out() {
    let system = r#"{"systemInstruction":{"parts":[{"functionResponse":{"name":"f"},"text":"Be brief."}]},"contents":[{"parts":[{"text":"go"}]}]}"#;
    let parsed = parse_text(Wire::Gemini, system).unwrap();
    assert_eq!(value(&render(&parsed.messages, &parsed.call))["systemInstruction"], json!({"parts": [{"text": "Be brief."}]}));
    let told: Vec<String> = parsed.findings.iter().map(ToString::to_string).collect();
    assert_eq!(told, [r#"/systemInstruction/parts/0: field "functionResponse" was left out"#]);
}

/// "Gemini models do not support GIF images": <https://github.com/microsoft/vscode/issues/286628>; SVG: report B73
#[test]
fn types_that_gemini_refuses_read_as_text_as_data_and_by_address() {
    let stays = |part: &str| {
        let body = contents(&format!(r#"{{"role":"user","parts":[{part}]}}"#));
        let parsed = parse_text(Wire::Gemini, &body).unwrap();
        let request = render(&parsed.messages, &parsed.call);
        assert_eq!(checked(text(&request), parsed.call.profile()).violations, []);
        text(&request) == body
    };
    let data = |media_type: &str| format!(r#"{{"inlineData":{{"mimeType":"{media_type}","data":"AAAA"}}}}"#);
    let address = |media_type: &str| format!(r#"{{"fileData":{{"mimeType":"{media_type}","fileUri":"https://x.example/a"}}}}"#);
    for refused in ["image/svg+xml", "image/SVG+xml; charset=utf-8", "image/gif", "image/jpg", "png"] {
        assert_eq!((stays(&data(refused)), stays(&address(refused))), (false, false), "{refused}");
    }
    for fine in ["audio/mpeg", "video/mp4", "text/plain", "image/hologram"] {
        assert_eq!((stays(&data(fine)), stays(&address(fine))), (true, true), "{fine}");
    }
    assert!(stays(r#"{"fileData":{"fileUri":"https://youtu.be/x"}}"#));
    // From other wires it is a line.
    let source = MediaSource::Url("https://x.example/a.gif".into());
    let gif = Media { source, media_type: "image/gif".into(), filename: None, extra: Extra::default() };
    let user = User { parts: vec![Part::text("look"), Part::Image(gif)], extra: Extra::default() };
    let sent = messages(&[ModelMessage::User(Arc::new(user))], &gemini());
    assert_eq!(sent[0]["parts"][1], json!({"text": "[image: unnamed, unknown size, not shown]"}));
}

fn round(input: &str, output: &str) -> [ModelMessage; 3] {
    let call = ToolCall::new("c1", "f", input);
    [ModelMessage::user("go"), ModelMessage::calls([call]), ModelMessage::outcome("c1", output)]
}

/// A `Struct` of proto JSON has names that stand once, and numbers that are doubles.
#[test]
fn what_no_struct_can_hold_is_sent_as_text() {
    let odd = [r#"{"a":1,"a":2}"#, r#"{"a":{"b":[1e999]}}"#, r#"{"a":[{"b":1,"\u0062":2}]}"#];
    for odd in odd {
        let list = round(odd, odd);
        let sent = messages(&list, &gemini());
        assert_eq!(sent[1]["parts"][0]["functionCall"]["args"], json!({"invalid_json": odd}));
        assert_eq!(sent[2]["parts"][0]["functionResponse"]["response"], json!({"output": odd}));
        assert_eq!(checked(text(&render(&list, &gemini())), gemini().profile()).violations, []);
        assert_eq!(changes(&list, &gemini()), [WireChange::InputMended { call: "c1".into(), why: InputFault::NotJson }]);
        // Other wires take the same text.
        assert_eq!(changes(&list, &Call::model("gpt-5", Some(Wire::OpenAiResponses))), []);
    }
    let list = round("[1e999]", "ok");
    let sent = messages(&list, &gemini());
    assert_eq!(sent[1]["parts"][0]["functionCall"]["args"], json!({"invalid_json": "[1e999]"}));
    // From a body of Gemini, too.
    let body = contents(
        r#"{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1,"a":2}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1e999}}}]}"#,
    );
    let written = again(&body, Wire::Gemini);
    assert!(written.contains(r#""args":{"invalid_json":"{\"a\":1,\"a\":2}"}"#), "{written}");
    assert!(written.contains(r#""response":{"output":"{\"a\":1e999}"}"#), "{written}");
    assert_eq!(again(&written, Wire::Gemini), written);
    // The outcome of a call that the provider keeps stands as it came, or as text.
    let kept = r#"{"cachedContent":"c","contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"a":1,"a":2}}}]}]}"#;
    let parsed = parse_text(Wire::Gemini, kept).unwrap();
    assert_eq!(changes(&parsed.messages, &parsed.call), [WireChange::NativeAsText { kind: "functionResponse".into() }]);
}

/// The second call of one name has no id that is sent, so none is mapped.
#[test]
fn calls_without_ids_have_no_ids_that_are_mapped() {
    let round = r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"ok"}}}]}"#;
    let body = contents(&format!(r#"{{"role":"user","parts":[{{"text":"go"}}]}},{round},{round}"#));
    let parsed = parse_text(Wire::Gemini, &body).unwrap();
    let request = render(&parsed.messages, &parsed.call);
    assert_eq!((text(&request), request.findings()), (&*body, &[][..]));
}

/// An outcome's texts become one, which has no place for their fields.
#[test]
fn fields_of_texts_in_outcomes_are_told() {
    let mut list = round("{}", "ok").to_vec();
    let field = Extra::new(Wire::Gemini, vec![("partMetadata".into(), raw("{}"))]);
    let text = Part::Text(Text { text: "ok".into(), extra: field });
    list[2] =
        ModelMessage::Tool(Arc::new(Outcome { call: "c1".into(), parts: vec![text], failed: None, extra: Extra::default() }));
    assert_eq!(changes(&list, &gemini()), [WireChange::FieldLeftOut { name: "partMetadata".into() }]);
}

/// The configuration as it is sent with two functions declared, and what is told.
fn config(name: &str, config: &str) -> (Option<Value>, Vec<WireChange>) {
    let tools = ["ls", "rm all"].map(|name| Tool::function(name, "does", raw(r#"{"type":"object"}"#)));
    let call = gemini().tools(tools.to_vec()).parameter(name, raw(config));
    let request = render(&[ModelMessage::user("go")], &call);
    assert_eq!(checked(text(&request), call.profile()).violations, []);
    let changes = request.findings().iter().map(|finding| finding.change.clone());
    let of_names = |change: &WireChange| !matches!(change, WireChange::NameMapped { .. });
    (value(&request).get(name).cloned(), changes.filter(of_names).collect())
}

/// Names that are allowed are a fence: if none of them is left, nothing may be called.
#[test]
fn where_no_allowed_name_is_left_nothing_is_allowed() {
    let left_out = || vec![WireChange::ToolChoiceLeftOut];
    let calling = |calling: Value| Some(json!({"functionCallingConfig": calling}));
    let none = || calling(json!({"mode": "NONE"}));
    for gone in [r#"["gone"]"#, r#"["gone","lost"]"#, "[5]", r#""gone""#] {
        let given = format!(r#"{{"functionCallingConfig":{{"mode":"ANY","allowedFunctionNames":{gone}}}}}"#);
        assert_eq!(config("toolConfig", &given), (none(), left_out()), "{gone}");
    }
    let snake = r#"{"function_calling_config":{"allowed_function_names":["gone"],"mode":"ANY"},"retrievalConfig":{}}"#;
    let sent = json!({"function_calling_config": {"mode": "NONE"}, "retrievalConfig": {}});
    assert_eq!(config("tool_config", snake), (Some(sent), left_out()));
    // What is left is the fence, under the names that are declared.
    let some = r#"{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["gone","ls"]}}"#;
    assert_eq!(config("toolConfig", some), (calling(json!({"mode": "ANY", "allowedFunctionNames": ["ls"]})), left_out()));
    let mapped = r#"{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["rm all"]}}"#;
    let (sent, told) = config("toolConfig", mapped);
    let name = sent.unwrap()["functionCallingConfig"]["allowedFunctionNames"][0].clone();
    assert!(name.as_str().unwrap().starts_with("rm_all_"), "{name}");
    assert_eq!(told, []);
    let one = r#"{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":"ls"}}"#;
    assert_eq!(config("toolConfig", one), (calling(json!({"mode": "ANY", "allowedFunctionNames": ["ls"]})), vec![]));
    for same in
        [r#"{"mode":"ANY","allowedFunctionNames":["ls"]}"#, r#"{"mode":"ANY","allowedFunctionNames":[]}"#, r#"{"mode":"ANY"}"#]
    {
        let given = format!(r#"{{"functionCallingConfig":{same}}}"#);
        assert_eq!(config("toolConfig", &given), (Some(serde_json::from_str(&given).unwrap()), vec![]));
    }
}

/// Of a field in both spellings one stands, so that no fence is lost.
#[test]
fn of_both_spellings_of_a_configuration_one_stands() {
    let twice = r#"{"function_calling_config":{"mode":"AUTO"},"functionCallingConfig":{"mode":"ANY","allowed_function_names":["gone"],"allowedFunctionNames":["ls"]}}"#;
    let (sent, told) = config("toolConfig", twice);
    let fence = json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["ls"]}});
    assert_eq!(sent, Some(fence.clone()));
    let field = |name: &str| WireChange::FieldLeftOut { name: name.into() };
    assert_eq!(told, [field("function_calling_config"), field("allowed_function_names")]);
    let call = gemini()
        .tools(vec![Tool::function("ls", "lists", raw(r#"{"type":"object"}"#))])
        .parameter("tool_config", raw("null"))
        .parameter("toolConfig", raw(&fence.to_string()));
    let request = render(&[ModelMessage::user("go")], &call);
    assert_eq!((value(&request)["toolConfig"].clone(), value(&request).get("tool_config")), (fence, None));
    assert_eq!(changes(&[ModelMessage::user("go")], &call), [field("tool_config")]);
}

/// Names are looked up, not searched for: this took minutes.
#[test]
fn many_allowed_names_are_settled_at_once() {
    let names: Vec<String> = (0..20_000).map(|index| format!("f{index}")).collect();
    let tools = names.iter().map(|name| Tool::function(name.as_str(), "does", raw(r#"{"type":"object"}"#)));
    let allowed = json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": names}}).to_string();
    let call = gemini().tools(tools.collect::<Vec<_>>()).parameter("toolConfig", raw(&allowed));
    let began = std::time::Instant::now();
    let request = render(&[ModelMessage::user("go")], &call);
    assert!(began.elapsed().as_secs() < 4, "{:?}", began.elapsed());
    assert_eq!(value(&request)["toolConfig"].to_string(), allowed);
}

/// Outcomes stand right behind their calls; what stood before them is told to have moved.
#[test]
fn what_stands_before_an_outcome_keeps_its_place_until_it_is_fitted() {
    let call = r#"{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]}"#;
    let outcome = r#"{"functionResponse":{"id":"c1","name":"f","response":{"output":"ok"}}}"#;
    let body =
        contents(&format!(r#"{call},{{"role":"user","parts":[{{"text":"by the way"}},{outcome},{{"text":"now"}}],"odd":1}}"#));
    let parsed = parse_text(Wire::Gemini, &body).unwrap();
    let read = &parsed.messages[2..];
    assert!(matches!(read, [ModelMessage::User(_), ModelMessage::Tool(_), ModelMessage::User(_)]), "{read:?}");
    assert_eq!(parsed.findings, []);
    let briefing = support::briefing(&parsed.messages, &parsed.call);
    let told: Vec<String> = briefing.receipt().lines().iter().map(|line| line.rule.to_string()).collect();
    assert_eq!(told, [r#"the outcome of "c1" stood elsewhere and was put behind its call"#]);
    let sent = format!(
        r#"{call},{{"role":"user","parts":[{outcome}]}},{{"role":"user","parts":[{{"text":"by the way"}}],"odd":1}},{{"role":"user","parts":[{{"text":"now"}}]}}"#
    );
    assert_eq!(text(&briefing.render().unwrap()), contents(&sent));
    // Behind them nothing moves.
    let body = contents(&format!(r#"{call},{{"role":"user","parts":[{outcome},{{"text":"now"}}]}}"#));
    let parsed = parse_text(Wire::Gemini, &body).unwrap();
    assert_eq!(support::briefing(&parsed.messages, &parsed.call).receipt().lines().len(), 0);
}

/// A string in place of an object is what the tool said, not what it said in quotes.
#[test]
fn a_response_that_is_a_string_is_the_text() {
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":"ok"}}]}]}"#;
    let sent: serde_json::Value = serde_json::from_str(&support::again(body, Wire::Gemini)).unwrap();
    assert_eq!(sent.pointer("/contents/2/parts/0/functionResponse/response"), Some(&serde_json::json!({"output": "ok"})));
}
