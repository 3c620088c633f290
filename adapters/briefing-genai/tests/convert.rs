//! What becomes of each kind of content on the way to genai and back.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::message::{Item, ModelMessage, Outcome, Part, ToolCall};
use briefing::{Bounds, Briefing, Wire, fit};
use briefing_genai::{Converted, Finding, Found, Loss, Lost, ToRequestError, exact, from_messages, from_request, to_request};
use briefing_wire::parse_text;
use genai::ModelIden;
use genai::adapter::AdapterKind;
use genai::chat::{
    Binary, CacheControl, ChatMessage, ChatRequest, ChatRole, ContentPart, MessageContent, ReasoningEffort, ToolChoice,
    ToolResponse,
};
use serde_json::{Value, json};

fn sealed(wire: Wire, body: Value) -> Briefing {
    let parsed = parse_text(wire, &body.to_string()).unwrap();
    fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap()
}

fn converted(wire: Wire, body: Value) -> Converted {
    to_request(&sealed(wire, body)).unwrap()
}

fn lost(message: Option<usize>, lost: Lost) -> Loss {
    Loss { message, lost }
}

/// genai's types have no equality of their own.
fn shown(request: &ChatRequest) -> Value {
    serde_json::to_value(request).unwrap()
}

#[test]
fn an_anthropic_body_keeps_its_order_marks_and_blocks() {
    let thinking = json!({"type": "thinking", "thinking": "Two orders.", "signature": "c2ln"});
    let failed = json!({"type": "tool_result", "tool_use_id": "toolu_2", "content": "no such order", "is_error": true});
    let pictured = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": [
        {"type": "text", "text": "packed"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
    ]});
    let made = converted(
        Wire::Anthropic,
        json!({
            "model": "claude-sonnet-4-5", "max_tokens": 2000, "temperature": 1, "thinking": {"type": "enabled", "budget_tokens": 1024},
            "system": [
                {"type": "text", "text": "Be brief."},
                {"type": "text", "text": "The menu.", "cache_control": {"type": "ephemeral", "ttl": "1h"}},
            ],
            "tools": [{"name": "find_order", "description": "Finds", "input_schema": {"type": "object"}, "strict": false}],
            "messages": [
                {"role": "user", "content": "Where are 7 and 8?"},
                {"role": "assistant", "content": [
                    thinking,
                    {"type": "tool_use", "id": "toolu_1", "name": "find_order", "input": {"number": 7}},
                    {"type": "tool_use", "id": "toolu_2", "name": "find_order", "input": {"number": 8}},
                ]},
                {"role": "user", "content": [pictured, failed]},
            ],
        }),
    );
    assert_eq!((made.findings, made.losses), (vec![], vec![]));
    let model = ModelIden::new(AdapterKind::Anthropic, "claude-sonnet-4-5");
    assert_eq!(made.model, model);
    let custom = |data: &Value| json!({"Custom": {"model_iden": model, "data": data}});
    let call = |id: &str, number: u8| json!({"ToolCall": {"call_id": id, "fn_name": "find_order", "fn_arguments": {"number": number}}});
    assert_eq!(
        shown(&made.request),
        json!({
            "messages": [
                {"role": "System", "content": [{"Text": "Be brief."}]},
                {"role": "System", "content": [{"Text": "The menu."}], "options": {"cache_control": "Ephemeral1h"}},
                {"role": "User", "content": [{"Text": "Where are 7 and 8?"}]},
                {"role": "Assistant", "content": [custom(&thinking), call("toolu_1", 7), call("toolu_2", 8)]},
                {"role": "Tool", "content": [custom(&pictured), custom(&failed)]},
            ],
            "tools": [{"name": "find_order", "description": "Finds", "schema": {"type": "object"}, "strict": false}],
        })
    );
    assert_eq!(
        made.options.extra_body,
        Some(json!({
            "model": "claude-sonnet-4-5", "max_tokens": 2000, "temperature": 1,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
        }))
    );

    let back = from_request(&made.request, Wire::Anthropic);
    let [_, _, _, ModelMessage::Assistant(said), ModelMessage::Tool(first), ModelMessage::Tool(second)] =
        back.messages.as_slice()
    else {
        panic!("{:?}", back.messages)
    };
    let Item::Reasoning(reasoning) = &said.items[0] else { panic!("{:?}", said.items) };
    assert_eq!(reasoning.raw.as_str(), thinking.to_string());
    assert!(matches!(first.parts.as_slice(), [Part::Text(_), Part::Image(_)]));
    assert_eq!((second.call.given(), second.failed), ("toolu_2", Some(true)));
    assert_eq!(back.findings, [Finding { message: 1, part: None, found: Found::OptionsLeftOut }]);
}

#[test]
fn what_the_openai_adapter_does_not_send_reads_as_text() {
    let made = converted(
        Wire::OpenAiChat,
        json!({
            "model": "gpt-4o", "stream": true, "tool_choice": "auto",
            "tools": [
                {"type": "function", "function": {"name": "find_order", "parameters": {"type": "object"}}},
                {"type": "custom", "custom": {"name": "shell"}},
            ],
            "messages": [
                {"role": "user", "name": "ann", "content": [
                    {"type": "text", "text": "Read this"},
                    {"type": "file", "file": {"file_id": "file-1"}},
                    {"type": "image_url", "image_url": {"url": "https://a.example/b.png", "detail": "low"}},
                    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                ]},
            ],
        }),
    );
    assert_eq!(
        made.losses,
        [
            lost(Some(0), Lost::FileAsText),
            lost(Some(0), Lost::Field { name: "detail".into() }),
            lost(Some(0), Lost::PartAsText { kind: "input_audio".into() }),
            lost(Some(0), Lost::Field { name: "name".into() }),
            lost(None, Lost::Tool { name: "shell".into() }),
            lost(None, Lost::Parameter { name: "stream".into() }),
            lost(None, Lost::Parameter { name: "tool_choice".into() }),
        ]
    );
    assert_eq!(
        shown(&made.request)["messages"][0]["content"],
        json!([
            {"Text": "Read this"},
            {"Text": "[document: document, unknown size, not shown]"},
            {"Binary": {"content_type": "image/*", "source": {"Url": "https://a.example/b.png"}}},
            {"Text": "[input_audio: not shown to this model]"},
        ])
    );
}

#[test]
fn a_refusal_reads_as_text_and_a_developer_as_the_system() {
    let made = converted(
        Wire::OpenAiChat,
        json!({"model": "gpt-4o", "messages": [
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": "Do harm"},
            {"role": "assistant", "content": null, "refusal": "I will not."},
            {"role": "user", "content": "Why?"},
        ]}),
    );
    assert_eq!(
        made.losses,
        [lost(Some(0), Lost::Field { name: "role".into() }), lost(Some(2), Lost::PartAsText { kind: "refusal".into() }),]
    );
    let messages = shown(&made.request)["messages"].clone();
    assert_eq!(messages[0], json!({"role": "System", "content": [{"Text": "Be brief."}]}));
    assert_eq!(messages[2], json!({"role": "Assistant", "content": [{"Text": "I will not."}]}));
}

#[test]
fn system_text_behind_the_first_input_is_not_moved_to_the_front() {
    let body = json!({"model": "claude-opus-4-8", "max_tokens": 10, "messages": [
        {"role": "user", "content": "Hello"},
        {"role": "system", "content": "The shop closes at six."},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "When?"},
    ]});
    let briefing = sealed(Wire::Anthropic, body);
    let made = to_request(&briefing).unwrap();
    let messages = shown(&made.request)["messages"].clone();
    assert_eq!(messages[1], json!({"role": "User", "content": [{"Text": "[system] The shop closes at six."}]}));
    assert_eq!(made.losses, [lost(Some(1), Lost::SystemAsUser)]);
}

#[test]
fn a_system_block_of_its_own_reads_as_text() {
    let body = json!({"model": "claude-opus-4-8", "max_tokens": 10, "messages": [{"role": "user", "content": "Hi"}], "system": [
        {"type": "text", "text": "Be brief.", "citations": [1]},
        {"type": "tool_addition", "tool": {"type": "tool_reference", "tool_name": "find_order"}},
    ]});
    let made = converted(Wire::Anthropic, body);
    assert_eq!(
        made.losses,
        [lost(None, Lost::Field { name: "citations".into() }), lost(None, Lost::PartAsText { kind: "tool_addition".into() }),]
    );
    assert_eq!(shown(&made.request)["messages"][1]["content"], json!([{"Text": "[tool_addition: not shown to this model]"}]));
}

#[test]
fn a_function_by_the_name_of_the_providers_search_is_left_out() {
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"name": "web_search", "input_schema": {"type": "object"}}]});
    assert_eq!(converted(Wire::Anthropic, body).losses, [lost(None, Lost::Tool { name: "web_search".into() })]);
}

fn assistant(parts: Vec<ContentPart>) -> Vec<ChatMessage> {
    vec![ChatMessage::assistant(MessageContent::from_parts(parts))]
}

fn reasoning(read: &[ModelMessage]) -> Vec<(String, Value)> {
    let [ModelMessage::Assistant(said)] = read else { panic!("{read:?}") };
    let kinds = said.items.iter().filter_map(|item| match item {
        Item::Reasoning(reasoning) => Some((reasoning.kind.to_string(), serde_json::from_str(reasoning.raw.as_str()).unwrap())),
        Item::Text(_) | Item::Call(_) | Item::Native(_) => None,
    });
    kinds.collect()
}

/// genai's response path gives the signature before its thought.
#[test]
fn a_stored_answer_has_its_thoughts_signed_or_not_at_all() {
    let thought = |text: &str| ContentPart::ReasoningContent(text.into());
    let signature = |text: &str| ContentPart::ThoughtSignature(text.into());
    let call = || {
        ContentPart::ToolCall(genai::chat::ToolCall {
            call_id: "toolu_1".into(),
            fn_name: "find_order".into(),
            fn_arguments: json!({"number": 7}),
            thought_signatures: None,
        })
    };
    let signed = from_messages(&assistant(vec![signature("c2ln"), thought("Hm."), call()]), Wire::Anthropic);
    assert_eq!(signed.findings, []);
    let block = json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"});
    assert_eq!(reasoning(&signed.messages), [("thinking".to_owned(), block)]);

    let unpaired =
        from_messages(&assistant(vec![signature("c2ln"), signature("Yg=="), thought("Hm."), call()]), Wire::Anthropic);
    assert_eq!(unpaired.findings, [Finding { message: 0, part: None, found: Found::SignaturesLeftOut }]);
    assert_eq!(reasoning(&unpaired.messages)[0].1, json!({"type": "thinking", "thinking": "Hm."}));

    let open = from_messages(&assistant(vec![thought("One."), thought("Two."), call()]), Wire::OpenAiChat);
    assert_eq!(reasoning(&open.messages), [("reasoning_content".to_owned(), json!("One.\nTwo."))]);
}

#[test]
fn stored_calls_keep_their_ids_and_broken_arguments() {
    let call = |arguments: Value| genai::chat::ToolCall {
        call_id: "c1".into(),
        fn_name: "find_order".into(),
        fn_arguments: arguments,
        thought_signatures: None,
    };
    let stored = [
        ChatMessage::from(vec![call(json!("{\"number\": 7")), call(json!({"number": 8})), call(Value::Null)]),
        ChatMessage::from(vec![ToolResponse::new("c1", "packed")]),
    ];
    let read = from_messages(&stored, Wire::OpenAiChat);
    let calls = ["{\"number\": 7", r#"{"number":8}"#, ""].map(|input| ToolCall::new("c1", "find_order", input));
    assert_eq!(read.messages, [ModelMessage::calls(calls), ModelMessage::Tool(Outcome::text("c1", "packed").into())]);
    assert_eq!(read.findings, []);
}

#[test]
fn what_a_role_does_not_hold_is_told() {
    let picture = || ContentPart::Binary(Binary::from_base64("image/png", "AAAA", Some("a.png".into())));
    let elsewhere = ContentPart::from_custom(json!({"type": "item"}), Some(ModelIden::new(AdapterKind::OpenAIResp, "gpt-5")));
    let stored = [
        ChatMessage::new(ChatRole::System, MessageContent::from_parts(vec![ContentPart::from("Be brief."), picture()])),
        ChatMessage::user(MessageContent::from_parts(vec![ContentPart::ReasoningContent("Hm.".into()), picture(), elsewhere]))
            .with_options(CacheControl::Ephemeral),
        ChatMessage::assistant(MessageContent::from_parts(vec![picture()])),
    ];
    let read = from_messages(&stored, Wire::OpenAiChat);
    let finding = |message, part, found| Finding { message, part, found };
    assert_eq!(
        read.findings,
        [
            finding(0, Some(1), Found::Misplaced),
            finding(1, None, Found::OptionsLeftOut),
            finding(1, Some(0), Found::Misplaced),
            finding(1, Some(2), Found::Unread),
            finding(2, Some(0), Found::FileAsText),
        ]
    );
    let texts: Vec<String> = read.messages.iter().map(ModelMessage::text).collect();
    assert_eq!(texts, ["Be brief.", "", "[file: a.png, 18 bytes, not shown]"]);
}

fn sent_as(body: Value, wire: Wire) -> (Converted, Vec<ModelMessage>) {
    let parsed = parse_text(wire, &body.to_string()).unwrap();
    (to_request(&fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap()).unwrap(), parsed.messages)
}

/// genai's Responses adapter hoists the reasoning of a message, so each stands at the head of one.
#[test]
fn reasoning_of_responses_is_its_ciphertext_in_its_place() {
    let reasoning = |number: u8| json!({"type": "reasoning", "id": format!("rs_{number}"), "summary": [], "encrypted_content": format!("c2ln{number}")});
    let call = |number: u8| json!({"type": "function_call", "id": format!("fc_{number}"), "call_id": format!("c{number}"), "name": "find_order", "arguments": "{\"number\":7}"});
    let (made, _) = sent_as(
        json!({
            "model": "gpt-5", "store": false, "max_output_tokens": 900, "instructions": "Be brief.",
            "tools": [
                {"type": "function", "name": "find_order", "description": "Finds", "parameters": {"type": "object"}, "strict": false},
                {"type": "custom", "name": "patch", "format": {"type": "text"}},
                {"type": "web_search"},
            ],
            "tool_choice": "auto",
            "input": [
                {"role": "user", "content": "Where is 7?"},
                reasoning(1), call(1), reasoning(2), call(2),
                {"type": "function_call_output", "call_id": "c1", "output": "packed"},
                {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "lost"}]},
                {"type": "custom_tool_call", "call_id": "c3", "name": "patch", "input": "*** Begin"},
                {"type": "custom_tool_call_output", "call_id": "c3", "output": "done"},
            ],
        }),
        Wire::OpenAiResponses,
    );
    let id = || Lost::Field { name: "id".into() };
    assert_eq!(
        made.losses,
        [
            lost(Some(2), id()),
            lost(Some(2), id()),
            lost(Some(2), id()),
            lost(Some(2), id()),
            lost(None, Lost::Tool { name: String::new() }),
            lost(None, Lost::Parameter { name: "tool_choice".into() }),
        ]
    );
    let call = |id: &str, name: &str, arguments: Value| json!({"ToolCall": {"call_id": id, "fn_name": name, "fn_arguments": arguments}});
    let response =
        |id: &str, name: &str, text: &str| json!({"ToolResponse": {"call_id": id, "fn_name": name, "content": text}});
    assert_eq!(
        shown(&made.request),
        json!({
            "system": "Be brief.",
            "messages": [
                {"role": "User", "content": [{"Text": "Where is 7?"}]},
                {"role": "Assistant", "content": [{"ThoughtSignature": "c2ln1"}, call("c1", "find_order", json!({"number": 7}))]},
                {"role": "Assistant", "content": [{"ThoughtSignature": "c2ln2"}, call("c2", "find_order", json!({"number": 7}))]},
                {"role": "Tool", "content": [response("c1", "find_order", "packed"), response("c2", "find_order", "lost")]},
                {"role": "Assistant", "content": [call("c3", "patch", json!("*** Begin"))]},
                {"role": "Tool", "content": [response("c3", "patch", "done")]},
            ],
            "tools": [
                {"name": "find_order", "description": "Finds", "schema": {"type": "object"}, "strict": false},
                {"name": "patch", "custom_format": {"type": "text"}},
            ],
        })
    );
    assert_eq!(made.options.extra_body, Some(json!({"model": "gpt-5", "store": false, "max_output_tokens": 900})));

    let back = from_request(&made.request, Wire::OpenAiResponses);
    assert_eq!(back.findings, []);
    let [_, _, ModelMessage::Assistant(said), ..] = back.messages.as_slice() else { panic!("{:?}", back.messages) };
    let Item::Reasoning(second) = &said.items[2] else { panic!("{said:?}") };
    assert_eq!(second.raw.as_str(), json!({"type": "reasoning", "encrypted_content": "c2ln2", "summary": []}).to_string());
}

#[test]
fn what_the_responses_adapter_does_not_send_is_told() {
    let (made, _) = sent_as(
        json!({
            "model": "gpt-5",
            "input": [
                {"role": "user", "content": [
                    {"type": "input_image", "image_url": "https://a.example/b.png", "detail": "low"},
                    {"type": "input_file", "file_url": "https://a.example/b.pdf"},
                    {"type": "input_file", "filename": "c.pdf", "file_data": "data:application/pdf;base64,AAAA"},
                ]},
                {"type": "reasoning", "id": "rs_1", "summary": []},
                {"type": "web_search_call", "id": "ws_1", "status": "completed"},
                {"type": "message", "id": "msg_1", "role": "assistant", "phase": "final_answer",
                 "content": [{"type": "output_text", "text": "Done.", "annotations": []}]},
                {"role": "user", "content": "Thanks"},
            ],
        }),
        Wire::OpenAiResponses,
    );
    let field = |name: &str| Lost::Field { name: name.into() };
    assert_eq!(
        made.losses,
        [
            lost(Some(0), field("detail")),
            lost(Some(0), Lost::FileAsText),
            lost(Some(1), Lost::Thought { kind: "reasoning".into() }),
            lost(Some(1), Lost::PartAsText { kind: "web_search_call".into() }),
            lost(Some(1), field("id")),
            lost(Some(1), field("phase")),
        ]
    );
}

#[test]
fn a_signature_of_gemini_stays_with_its_text_and_its_call() {
    let (made, messages) = sent_as(
        json!({
            "model": "gemini-3-flash",
            "generationConfig": {"temperature": 0.5, "maxOutputTokens": 900, "topK": 3, "stopSequences": ["END"],
                "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": true}},
            "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["find_order"]}},
            "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
            "tools": [{"functionDeclarations": [{"name": "find_order", "parameters": {"type": "OBJECT"}}]}, {"googleSearch": {}}],
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "Where is 7?"}]},
                {"role": "model", "parts": [
                    {"text": "I look.", "thoughtSignature": "c2ln"},
                    {"functionCall": {"name": "find_order", "args": {"number": 7}}, "thoughtSignature": "Yg=="},
                    {"functionCall": {"name": "find_order", "args": {"number": 8}}},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "find_order", "response": {"output": "packed"}}},
                    {"functionResponse": {"name": "find_order", "response": {"error": "no such order"}}},
                ]},
            ],
        }),
        Wire::Gemini,
    );
    let parameter = |name: &str| lost(None, Lost::Parameter { name: name.into() });
    let losses = [lost(Some(4), Lost::Failed), parameter("generationConfig.topK"), parameter("safetySettings")];
    assert_eq!(made.read, []);
    assert_eq!(made.losses, losses);
    let response = |number: u8, text: &str| json!({"ToolResponse": {"call_id": format!("call#find_order#{number}"), "fn_name": "find_order", "content": text}});
    assert_eq!(
        shown(&made.request),
        json!({
            "messages": [
                {"role": "System", "content": [{"Text": "Be brief."}]},
                {"role": "User", "content": [{"Text": "Where is 7?"}]},
                {"role": "Assistant", "content": [
                    {"ThoughtSignature": "c2ln"}, {"Text": "I look."},
                    {"ToolCall": {"call_id": "call#find_order#0", "fn_name": "find_order", "fn_arguments": {"number": 7}, "thought_signatures": ["Yg=="]}},
                    {"ToolCall": {"call_id": "call#find_order#1", "fn_name": "find_order", "fn_arguments": {"number": 8}}},
                ]},
                {"role": "Tool", "content": [response(0, "packed"), response(1, "no such order")]},
            ],
            "tools": [{"name": "find_order", "schema": {"type": "object"}}, {"name": "googleSearch", "config": {}}],
        })
    );
    let options = made.options;
    assert_eq!(
        (options.temperature, options.max_tokens, options.capture_reasoning_content),
        (Some(0.5), Some(900), Some(true))
    );
    assert_eq!(options.stop_sequences, ["END"]);
    assert!(matches!(options.reasoning_effort, Some(ReasoningEffort::Low)));
    assert!(matches!(options.tool_choice, Some(ToolChoice::Tool { name }) if name == "find_order"));

    let back = from_request(&made.request, Wire::Gemini);
    assert_eq!(back.findings, []);
    assert_eq!(back.messages[..3], messages[..3]);
    assert_eq!(back.messages[3], messages[3]);
    assert_eq!(back.messages[4].text(), "no such order");
}

#[test]
fn a_signature_that_nothing_follows_is_told() {
    let signature = |text: &str| ContentPart::ThoughtSignature(text.into());
    let read = from_messages(
        &assistant(vec![signature("Yg=="), signature("c2ln"), ContentPart::from("Hm."), signature("Yw==")]),
        Wire::Gemini,
    );
    let finding = |part| Finding { message: 0, part, found: Found::SignaturesLeftOut };
    assert_eq!(read.findings, [finding(Some(1)), finding(None)]);
    let thoughts = from_messages(
        &assistant(vec![ContentPart::ReasoningContent("Hm.".into()), ContentPart::from("Hello")]),
        Wire::OpenAiResponses,
    );
    assert_eq!(thoughts.findings, [Finding { message: 0, part: None, found: Found::ThoughtsLeftOut }]);
    assert_eq!(thoughts.messages, [ModelMessage::assistant("Hello")]);
}

#[test]
fn the_gemini_adapter_takes_no_body() {
    let refused = exact(&sealed(Wire::Gemini, json!({"contents": [{"role": "user", "parts": [{"text": "Hello"}]}]})));
    assert!(matches!(refused, Err(ToRequestError::NoBody { wire: Wire::Gemini })), "{refused:?}");
}
