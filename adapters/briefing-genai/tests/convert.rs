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
use briefing_genai::{Converted, Finding, Found, Loss, Lost, from_messages, from_request, to_request};
use briefing_wire::parse_text;
use genai::ModelIden;
use genai::adapter::AdapterKind;
use genai::chat::{Binary, CacheControl, ChatMessage, ChatRequest, ChatRole, ContentPart, MessageContent, ToolResponse};
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
