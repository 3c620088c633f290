//! What becomes of each kind of content on the way to rig and back.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use briefing::message::{Item, ModelMessage, Outcome, Part};
use briefing::{Bounds, Wire, fit};
use briefing_rig::{Converted, Finding, Found, Loss, Lost, from_messages, origin, to_messages, to_request};
use briefing_wire::parse_text;
use rig_core::message::{
    AssistantContent, AssistantMessage, CallId, DocumentMediaType, ImageMediaType, Message, Origin, StopReason, ToolCall,
    ToolFunction, ToolName, ToolResultContent, UserContent,
};
use serde_json::{Value, json};

fn converted(wire: Wire, body: Value) -> Converted {
    let parsed = parse_text(wire, &body.to_string()).unwrap();
    let briefing = fit(&parsed.messages, &parsed.call, &Bounds::none()).unwrap();
    to_request(&briefing, &origin(&parsed.call)).unwrap()
}

fn name(text: &str) -> ToolName {
    ToolName::new(text).unwrap()
}

fn lost(message: Option<usize>, lost: Lost) -> Loss {
    Loss { message, lost }
}

#[test]
fn an_anthropic_body_keeps_its_order_and_its_own_blocks() {
    let thinking = json!({"type": "thinking", "thinking": "An order.", "signature": "c2ln"});
    let search = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}});
    let found = json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []});
    let tool = json!({"type": "web_search_20250305", "name": "web_search"});
    let made = converted(
        Wire::Anthropic,
        json!({
            "model": "claude-sonnet-4-5", "max_tokens": 2000, "temperature": 0.5, "top_k": 3, "system": "Be brief.",
            "tools": [{"name": "find_order", "description": "Finds", "input_schema": {"type": "object"}}, tool],
            "messages": [
                {"role": "user", "content": "Where is 7?"},
                {"role": "assistant", "content": [
                    thinking, search, found,
                    {"type": "tool_use", "id": "toolu_1", "name": "find_order", "input": {"number": 7}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "toolu_1", "is_error": true, "content": [
                        {"type": "text", "text": "late"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                    ]},
                    {"type": "document", "title": "Invoice", "citations": {"enabled": true},
                     "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}},
                ]},
            ],
        }),
    );
    assert_eq!((made.findings, made.read, made.losses), (vec![], vec![], vec![]));
    let call = ToolCall::from_wire("toolu_1", ToolFunction::new(name("find_order"), json!({"number": 7})));
    let opaque = |item: &Value| AssistantContent::Opaque(rig_core::message::Opaque { item: item.clone(), replay: true });
    let document = UserContent::Document(rig_core::message::Document {
        data: rig_core::message::DocumentSourceKind::Base64("AAAA".into()),
        media_type: Some(DocumentMediaType::PDF),
        additional_params: Some(json!({"title": "Invoice", "citations": {"enabled": true}})),
    });
    let answer = AssistantMessage::new(vec![
        AssistantContent::reasoning("An order.").with_native(thinking.clone()),
        opaque(&search),
        opaque(&found),
        AssistantContent::ToolCall(call.clone()),
    ]);
    let picture = ToolResultContent::image_base64("AAAA", Some(ImageMediaType::PNG), None);
    assert_eq!(
        made.request.chat_history,
        [
            Message::system("Be brief."),
            Message::user("Where is 7?"),
            Message::Assistant(answer.with_origin(Origin::new("anthropic.messages", "anthropic", "claude-sonnet-4-5"))),
            Message::tool_results(vec![call.error_result(vec![ToolResultContent::text("late"), picture])]),
            Message::User { content: vec![document] },
        ]
    );
    assert_eq!((made.request.temperature, made.request.max_tokens), (Some(0.5), Some(2000)));
    assert_eq!(made.request.additional_params, Some(json!({"tools": [tool], "top_k": 3})));
    let tools: Vec<(&str, &str)> =
        made.request.tools.iter().map(|tool| (tool.name.as_str(), tool.description.as_str())).collect();
    assert_eq!(tools, [("find_order", "Finds")]);

    let back = from_messages(&made.request.chat_history, Wire::Anthropic);
    assert_eq!(back.findings, [Finding { message: 4, part: Some(0), found: Found::FieldsLeftOut }]);
    let [_, _, ModelMessage::Assistant(said), ModelMessage::Tool(outcome), ModelMessage::User(user)] = back.messages.as_slice()
    else {
        panic!("{:?}", back.messages)
    };
    let kinds: Vec<&str> = said
        .items
        .iter()
        .map(|item| match item {
            Item::Reasoning(reasoning) => &*reasoning.kind,
            Item::Native(native) => &*native.kind,
            Item::Call(call) => call.name.as_str(),
            Item::Text(text) => text.text.as_str(),
        })
        .collect();
    assert_eq!(kinds, ["thinking", "server_tool_use", "web_search_tool_result", "find_order"]);
    assert!(matches!(outcome.parts.as_slice(), [Part::Text(_), Part::Image(_)]) && outcome.failed == Some(true));
    assert!(matches!(user.parts.as_slice(), [Part::Document(media)] if media.filename.as_deref() == Some("Invoice")));
}

#[test]
fn outcomes_of_one_round_are_one_user_message() {
    let calls = ["c1", "c2"].map(|id| briefing::message::ToolCall::new(id, "find_order", "{}"));
    let list = [ModelMessage::calls(calls), ModelMessage::outcome("c1", "packed"), ModelMessage::outcome("c2", "lost")];
    let written = to_messages(&list, Wire::OpenAiChat, &Origin::new("openai.chat", "openai", "gpt-4o"));
    let calls = ["c1", "c2"].map(|id| ToolCall::from_wire(id, ToolFunction::new(name("find_order"), json!({}))));
    let results = [(&calls[0], "packed"), (&calls[1], "lost")];
    let results = results.map(|(call, text)| call.result(vec![ToolResultContent::text(text)]));
    let answer = AssistantMessage::new(calls.iter().cloned().map(AssistantContent::ToolCall).collect());
    assert_eq!(written.messages, [Message::Assistant(answer), Message::tool_results(results.to_vec())]);
    assert_eq!(written.losses, []);
    assert_eq!(from_messages(&written.messages, Wire::OpenAiChat).messages, list);
}

#[test]
fn what_rig_has_no_place_for_is_told() {
    let made = converted(
        Wire::OpenAiChat,
        json!({
            "model": "gpt-4o", "stream": true, "seed": 7,
            "tools": [{"type": "function", "function": {"name": "find_order", "parameters": {"type": "object"}, "strict": true}}],
            "messages": [
                {"role": "user", "name": "ann", "content": [
                    {"type": "image_url", "image_url": {"url": "data:image/tiff;base64,AAAA"}},
                    {"type": "image_url", "image_url": {"url": "https://a.example/b.png", "detail": "low"}},
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
                    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
                ]},
            ],
        }),
    );
    let mut losses = made.losses.clone();
    losses.retain(|loss| !matches!(loss.lost, Lost::FileAsText));
    assert_eq!(
        losses,
        [
            lost(Some(0), Lost::Field { name: "name".into() }),
            lost(Some(0), Lost::Field { name: "filename".into() }),
            lost(Some(0), Lost::BlockAsText { kind: "input_audio".into() }),
            lost(None, Lost::Field { name: "function".into() }),
            lost(None, Lost::Parameter { name: "stream".into() }),
        ]
    );
    let [Message::User { content }] = made.request.chat_history.as_slice() else { panic!("{:?}", made.request.chat_history) };
    assert!(matches!(&content[0], UserContent::Text(_)), "{content:?}");
    assert!(matches!(&content[1], UserContent::Image(image) if image.detail == Some(rig_core::message::ImageDetail::Low)));
}

#[test]
fn stored_calls_keep_broken_arguments_and_items_of_their_wire() {
    let broken = ToolCall::from_wire("c1", ToolFunction::parse(name("find_order"), r#"{"number": 7"#));
    let item = json!({"type": "function", "extra_content": {"google": {"thought_signature": "c2ln"}}});
    let signed = AssistantContent::tool_call("c2", name("find_order"), json!({"number": 8})).with_native(item);
    let turn = AssistantMessage::new(vec![AssistantContent::ToolCall(broken.clone()), signed]);
    let stored = [
        Message::Assistant(turn.with_origin(Origin::new("openai.chat", "openai", "gemini-3"))),
        Message::tool_results(vec![broken.result(vec![ToolResultContent::json(json!({"state": "packed"}))])]),
    ];
    let read = from_messages(&stored, Wire::Anthropic);
    assert_eq!(read.findings, []);
    let [ModelMessage::Assistant(said), ModelMessage::Tool(outcome)] = read.messages.as_slice() else { panic!("{read:?}") };
    assert_eq!(said.model.as_deref(), Some("gemini-3"));
    let calls: Vec<_> = said.calls().collect();
    assert_eq!((calls[0].id.given(), calls[0].input.raw()), ("c1", r#"{"number": 7"#));
    let fields: Vec<&str> = calls[1].extra.on(Wire::OpenAiChat).map(|(name, _)| name).collect();
    assert_eq!((calls[1].input.raw(), fields), (r#"{"number":8}"#, vec!["extra_content"]));
    assert_eq!(**outcome, Outcome::text("c1", r#"{"state":"packed"}"#));
}

#[test]
fn what_briefing_does_not_hold_is_told() {
    let turn = AssistantMessage::new(vec![
        AssistantContent::reasoning("Hm."),
        AssistantContent::image_base64("AAAA", Some(ImageMediaType::PNG), None),
        AssistantContent::tool_call("c1", name("f"), json!({})).with_native(json!({"id": "fc_1", "type": "function_call"})),
    ]);
    let stored = [
        Message::Assistant(
            turn.with_origin(Origin::new("cohere.chat", "cohere", "command-a")).with_stop(StopReason::Aborted("off".into())),
        ),
        Message::tool_result(CallId::from_wire("c1"), name("f"), "done"),
    ];
    let read = from_messages(&stored, Wire::OpenAiChat);
    let finding = |part, found| Finding { message: 0, part, found };
    assert_eq!(
        read.findings,
        [
            finding(Some(0), Found::ReasoningLeftOut),
            finding(Some(1), Found::FileAsText),
            finding(Some(2), Found::ItemLeftOut),
            finding(None, Found::StopLeftOut),
        ]
    );
    assert_eq!(read.messages[0].text(), "[image: unnamed, 4 bytes, not shown]");
}

fn call_of(item: &Item) -> Option<&briefing::message::ToolCall> {
    if let Item::Call(call) = item { Some(call) } else { None }
}

/// The items of the one answer in a list.
fn said(messages: &[ModelMessage]) -> &[Item] {
    let answers = messages.iter().filter_map(|message| match message {
        ModelMessage::Assistant(said) => Some(said.items.as_slice()),
        ModelMessage::System(_) | ModelMessage::User(_) | ModelMessage::Tool(_) => None,
    });
    let [items] = answers.collect::<Vec<_>>()[..] else { panic!("{messages:?}") };
    items
}

#[test]
fn items_of_responses_are_native_and_come_back() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "An order."}], "encrypted_content": "c2ln"});
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed"});
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let message = json!({"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": [part("I look. "), part("Wait.")]});
    let function =
        json!({"id": "fc_1", "type": "function_call", "call_id": "c1", "name": "find_order", "arguments": "{\"number\": 7}"});
    let custom = json!({"id": "ctc_1", "type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "*** Begin"});
    let body = json!({
        "model": "gpt-5", "store": false, "instructions": "Be brief.", "temperature": 0.5,
        "tools": [
            {"type": "function", "name": "find_order", "parameters": {"type": "object"}, "strict": false},
            {"type": "custom", "name": "patch"},
        ],
        "input": [
            {"role": "user", "content": "Where is 7?"},
            reasoning, search, message, function, custom,
            {"type": "function_call_output", "call_id": "c1", "output": "packed"},
            {"type": "custom_tool_call_output", "call_id": "c2", "output": "done"},
        ],
    });
    let parsed = parse_text(Wire::OpenAiResponses, &body.to_string()).unwrap();
    let made = converted(Wire::OpenAiResponses, body);
    assert_eq!((made.findings, made.read, made.losses), (vec![], vec![], vec![]));
    let Message::Assistant(turn) = &made.request.chat_history[2] else { panic!("{:?}", made.request.chat_history) };
    assert_eq!(turn.origin, Some(Origin::new("openai.responses", "openai", "gpt-5")));
    let items: Vec<Value> = turn
        .content
        .iter()
        .map(|block| match block {
            AssistantContent::Opaque(opaque) => opaque.item.clone(),
            block => block.native_item().unwrap().clone(),
        })
        .collect();
    assert_eq!(items, [reasoning, search, message, function, custom]);
    assert!(matches!(&turn.content[2], AssistantContent::Text(text) if text.text == "I look. Wait."));

    let back = from_messages(&made.request.chat_history, Wire::OpenAiChat);
    assert_eq!(back.findings, []);
    let kinds =
        |items: &[Item]| items.iter().map(|item| format!("{item:?}").split('(').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(kinds(said(&back.messages)), kinds(said(&parsed.messages)));
    let calls = |items: &[Item]| items.iter().filter_map(call_of).cloned().collect::<Vec<_>>();
    assert_eq!(calls(said(&back.messages))[1].input, calls(said(&parsed.messages))[1].input);
    assert_eq!(back.messages[3..], [ModelMessage::outcome("c1", "packed"), ModelMessage::outcome("c2", "done")]);
}

#[test]
fn a_call_of_responses_that_rig_cannot_answer_is_a_call_of_a_function() {
    let made = converted(
        Wire::OpenAiResponses,
        json!({
            "model": "gpt-5",
            "tools": [{"type": "local_shell"}],
            "input": [
                {"role": "user", "content": "List"},
                {"type": "local_shell_call", "id": "ls_1", "call_id": "c1", "status": "completed", "action": {"type": "exec", "command": ["ls"]}},
                {"type": "local_shell_call_output", "call_id": "c1", "output": "a.txt"},
            ],
        }),
    );
    let field = |name: &str| Lost::Field { name: name.into() };
    assert!(made.losses.contains(&lost(Some(1), field("type"))), "{:?}", made.losses);
    let Message::Assistant(turn) = &made.request.chat_history[1] else { panic!("{:?}", made.request.chat_history) };
    assert!(
        matches!(turn.content.as_slice(), [call @ AssistantContent::ToolCall(_)] if call.native_item().is_none()),
        "{turn:?}"
    );
}

#[test]
fn parts_of_gemini_are_native_and_come_back() {
    let thought = json!({"text": "An order.", "thought": true});
    let body = json!({
        "model": "gemini-3-flash",
        "generationConfig": {"maxOutputTokens": 900},
        "tools": [{"functionDeclarations": [{"name": "find_order", "parameters": {"type": "OBJECT"}}]}, {"googleSearch": {}}],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Where is 7?"}]},
            {"role": "model", "parts": [
                thought,
                {"text": "I look.", "thoughtSignature": "c2ln"},
                {"functionCall": {"name": "find_order", "args": {"number": 7}}, "thoughtSignature": "-_8"},
                {"functionCall": {"name": "find_order", "args": {"number": 8}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"name": "find_order", "response": {"output": "packed"}}},
                {"functionResponse": {"name": "find_order", "response": {"error": "no such order"}}},
            ]},
        ],
    });
    let parsed = parse_text(Wire::Gemini, &body.to_string()).unwrap();
    let made = converted(Wire::Gemini, body);
    assert_eq!((made.read, made.losses), (vec![], vec![]));
    let Message::Assistant(turn) = &made.request.chat_history[2] else { panic!("{:?}", made.request.chat_history) };
    let items: Vec<&Value> = turn.content.iter().map(|block| block.native_item().unwrap()).collect();
    // A signature in the alphabet of addresses, which rig would take out, is written anew.
    assert_eq!(
        items,
        [
            &thought,
            &json!({"text": "I look.", "thoughtSignature": "c2ln"}),
            &json!({"functionCall": {"name": "find_order", "args": {"number": 7}}, "thoughtSignature": "+/8="}),
            &json!({"functionCall": {"name": "find_order", "args": {"number": 8}}}),
        ]
    );
    let Message::User { content } = &made.request.chat_history[3] else { panic!("{:?}", made.request.chat_history) };
    let answered: Vec<String> = content
        .iter()
        .map(|part| match part {
            UserContent::ToolResult(result) => result.call.wire().into_owned(),
            part => panic!("{part:?}"),
        })
        .collect();
    assert_eq!(answered, ["find_order-1", "find_order-2"]);

    let back = from_messages(&made.request.chat_history, Wire::OpenAiChat);
    assert_eq!(back.findings, []);
    let ids =
        |messages: &[ModelMessage]| said(messages).iter().filter_map(call_of).map(|call| call.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&back.messages), ids(&parsed.messages));
    assert_eq!(back.messages[3..], parsed.messages[3..]);
    let Item::Call(signed) = &said(&back.messages)[2] else { panic!("{:?}", back.messages) };
    let signature: Vec<&str> =
        signed.extra.on(Wire::Gemini).filter(|(name, _)| *name == "thoughtSignature").map(|(_, raw)| raw.as_str()).collect();
    assert_eq!(signature, ["\"+/8=\""]);
}
