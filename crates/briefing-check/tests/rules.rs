//! Each rule that no report stands for: a minimal body, and the whole list of what is wrong with it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use briefing_check::{Fault, IdRule, Role, Rules, Shape, Wire, check};
use briefing_json::{Document, Kind};

fn faults(rules: &Rules, body: &str) -> Vec<(String, Fault)> {
    let document = Document::parse(body).unwrap();
    let report = check(document.root(), rules);
    report.violations.into_iter().map(|violation| (violation.place.to_string(), violation.fault)).collect()
}

/// A body of OpenAI Chat around these messages.
fn chat(model: &str, messages: &str) -> Vec<(String, Fault)> {
    faults(&Rules::for_model(Wire::OpenAiChat, model), &format!(r#"{{"model": "{model}", "messages": [{messages}]}}"#))
}

/// A body of Anthropic Messages around these messages.
fn anthropic(model: &str, messages: &str) -> Vec<(String, Fault)> {
    let body = format!(r#"{{"model": "{model}", "max_tokens": 9, "messages": [{messages}]}}"#);
    faults(&Rules::for_model(Wire::Anthropic, model), &body)
}

fn at<const N: usize>(expected: [(&str, Fault); N]) -> Vec<(String, Fault)> {
    expected.map(|(place, fault)| (place.to_owned(), fault)).into()
}

const Q: &str = r#"{"role": "user", "content": "q"}"#;
const MISSING_MODEL: Fault = Fault::Missing { key: "model" };

#[test]
fn the_body_has_its_fields() {
    let openai = Rules::for_wire(Wire::OpenAiChat);
    let anthropic = Rules::for_wire(Wire::Anthropic);
    assert_eq!(faults(&openai, "3"), at([("", Fault::WrongType { expected: Shape::Object, found: Kind::Number })]));
    assert_eq!(faults(&openai, "{}"), at([("", MISSING_MODEL), ("", Fault::Missing { key: "messages" })]));
    let missing = [MISSING_MODEL, Fault::Missing { key: "max_tokens" }, Fault::Missing { key: "messages" }];
    assert_eq!(faults(&anthropic, "{}"), at(missing.map(|fault| ("", fault))));
    for rules in [openai, anthropic] {
        let empty = faults(&rules, r#"{"model": "m", "max_tokens": 1, "messages": []}"#);
        assert_eq!(empty, at([("/messages", Fault::NoMessages)]));
        let words = faults(&rules, r#"{"model": "m", "max_tokens": 1, "messages": ["hi", {"role": "robot"}]}"#);
        let not_an_object = Fault::WrongType { expected: Shape::Object, found: Kind::String };
        let robot = Fault::UnknownRole { role: "robot".into() };
        assert_eq!(words, at([("/messages/0", not_an_object), ("/messages/1/role", robot)]));
    }
}

#[test]
fn lone_surrogates_are_found_in_keys_and_deep_values() {
    let rules = Rules::for_wire(Wire::OpenAiChat);
    let body = r#"{"model": "gpt-4o", "messages": [{"role": "user", "content": "\ud83d\ude00"}],
        "metadata": {"a\ud83d": 1, "\ufffd": ["\udc00"], "\u0041\udfff": 2}}"#;
    let expected = [
        ("/metadata/a\u{fffd}", Fault::LoneSurrogate),
        ("/metadata/\u{fffd}/0", Fault::LoneSurrogate),
        ("/metadata/A\u{fffd}", Fault::LoneSurrogate),
    ];
    assert_eq!(faults(&rules, body), at(expected));
}

#[test]
fn openai_assistant_messages_say_something() {
    let neither = |place| at([(place, Fault::NeitherContentNorCalls)]);
    for content in ["null", "\"\"", "[]"] {
        let messages = format!(r#"{Q}, {{"role": "assistant", "content": {content}}}, {Q}"#);
        let expected = if content == "\"\"" { Vec::new() } else { neither("/messages/1") };
        assert_eq!(chat("gpt-4o", &messages), expected, "{content}");
        assert_eq!(chat("qwen3", &messages), expected, "{content}");
        assert_eq!(chat("mistral-small-latest", &messages), neither("/messages/1"), "{content}");
    }
    assert_eq!(chat("gpt-4o", &format!(r#"{Q}, {{"role": "assistant", "refusal": "no"}}, {Q}"#)), []);
    let no_calls = format!(r#"{Q}, {{"role": "assistant", "content": "a", "tool_calls": []}}, {Q}"#);
    assert_eq!(chat("gpt-4o", &no_calls), at([("/messages/1/tool_calls", Fault::EmptyArray { key: "tool_calls" })]));
    assert_eq!(chat("mistral-small-latest", &no_calls), []);
    let empty_array = r#"{"role": "user", "content": []}"#;
    assert_eq!(chat("gpt-4o", empty_array), at([("/messages/0/content", Fault::EmptyContent)]));
    let null = Fault::Missing { key: "content" };
    assert_eq!(chat("gpt-4o", r#"{"role": "user", "content": null}"#), at([("/messages/0", null)]));
}

#[test]
fn outcomes_stand_once_and_behind_their_calls() {
    let call = |id: &str| {
        format!(
            r#"{{"role": "assistant", "tool_calls": [{{"id": "{id}", "type": "function", "function": {{"name": "f", "arguments": "{{}}"}}}}]}}"#
        )
    };
    let outcome = |id: &str| format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": "r"}}"#);
    let messages = [outcome("a"), call("a"), outcome("a"), outcome("a"), Q.to_owned(), outcome("a")].join(",");
    let repeated = || Fault::RepeatedOutcome { id: "a".into() };
    let before = Fault::OutcomeBeforeCall { id: "a".into() };
    assert_eq!(
        chat("gpt-4o", &messages),
        at([("/messages/0", before), ("/messages/3", repeated()), ("/messages/5", repeated())])
    );
    let spread = [call("a"), call("b"), outcome("a"), outcome("b")].join(",");
    let missing = Fault::MissingOutcome { id: "a".into() };
    let late = Fault::LateOutcome { id: "a".into() };
    assert_eq!(chat("gpt-4o", &spread), at([("/messages/0/tool_calls/0", missing), ("/messages/2", late)]));
    let unnamed = at([("/messages/0", Fault::Missing { key: "tool_call_id" })]);
    assert_eq!(chat("gpt-4o", r#"{"role": "tool", "content": "r"}"#), unnamed);
}

/// Real runs of tau-bench on OpenAI went on after both.
#[test]
fn openai_takes_empty_outcomes_and_ids_of_earlier_rounds() {
    let round = r#"{"role": "assistant", "tool_calls": [{"id": "abcdefghi", "type": "function", "function":
        {"name": "f", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "abcdefghi", "content": ""}"#;
    let messages = [Q, round, round].join(",");
    assert_eq!(chat("gpt-4o", &messages), []);
    assert_eq!(chat("mistral-small-latest", &messages), []);
    let empty = || Fault::EmptyOutcome { id: "abcdefghi".into() };
    assert_eq!(chat("glm-5", &messages), at([("/messages/2/content", empty()), ("/messages/4/content", empty())]));
}

#[test]
fn openai_tools_have_names_and_object_schemas_and_are_chosen_among() {
    let rules = Rules::for_wire(Wire::OpenAiChat);
    let body = |rest: &str| format!(r#"{{"model": "gpt-4o", "messages": [{Q}], {rest}}}"#);
    let two = body(
        r#""tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "string"}}},
        {"type": "function", "function": {"name": "f"}}, {"type": "custom", "custom": {"name": "g"}}],
        "tool_choice": {"type": "function", "function": {"name": "h"}}"#,
    );
    let expected = [
        ("/tools/0/function/parameters", Fault::SchemaNotObject { tool: "f".into() }),
        ("/tools/1/function/name", Fault::RepeatedToolName { name: "f".into() }),
        ("/tool_choice", Fault::UnknownToolChoice { name: "h".into() }),
    ];
    assert_eq!(faults(&rules, &two), at(expected));
    assert_eq!(
        faults(&rules, &body(r#""tools": [], "tool_choice": "auto""#)),
        at([("/tools", Fault::EmptyArray { key: "tools" })])
    );
    assert_eq!(faults(&rules, &body(r#""tool_choice": "auto""#)), at([("/tool_choice", Fault::ToolChoiceWithoutTools)]));
}

#[test]
fn openai_parts_belong_to_roles() {
    let image = r#"[{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]"#;
    let not_allowed = |role| Fault::PartNotAllowed { kind: "image_url".into(), role };
    let system = format!(r#"{{"role": "system", "content": {image}}}, {Q}"#);
    assert_eq!(chat("gpt-4o", &system), at([("/messages/0/content/0", not_allowed(Role::System))]));
    let user = format!(r#"{{"role": "user", "content": {image}}}"#);
    assert_eq!(chat("gpt-4o", &user), []);
    assert_eq!(chat("gpt-3.5-turbo", &user), at([("/messages/0/content/0", Fault::ImageNotSupported)]));
    let data = r#"{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,a b"}},
        {"type": "file", "file": {}}, {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}]}"#;
    let expected = [
        ("/messages/0/content/0/image_url", Fault::NotBase64),
        ("/messages/0/content/1/file", Fault::EmptyMedia),
        ("/messages/0/content/2/input_audio/data", Fault::EmptyMedia),
    ];
    assert_eq!(chat("gpt-4o", data), at(expected));
}

#[test]
fn mistral_has_an_order_of_roles() {
    let call =
        r#"{"role": "assistant", "tool_calls": [{"id": "abcdefghi", "function": {"name": "f", "arguments": {"a": 1}}}]}"#;
    let outcome = r#"{"role": "tool", "tool_call_id": "abcdefghi", "content": "r"}"#;
    let model = "mistral-small-latest";
    assert_eq!(chat(model, &[Q, call, outcome].join(",")), []);
    let order = Fault::RoleOrder { role: Role::User, after: Role::Tool };
    assert_eq!(chat(model, &[Q, call, outcome, Q].join(",")), at([("/messages/3", order)]));
    let order = Fault::RoleOrder { role: Role::Tool, after: Role::User };
    let orphan = Fault::OrphanOutcome { id: "abcdefghi".into() };
    assert_eq!(chat(model, &[Q, outcome].join(",")), at([("/messages/1", order), ("/messages/1", orphan)]));
    let prefix = r#"{"role": "assistant", "content": "a", "prefix": true}"#;
    assert_eq!(chat(model, &[Q, prefix].join(",")), []);
    assert_eq!(chat(model, &[Q, prefix, Q].join(",")), at([("/messages/1", Fault::PrefixNotLast)]));
    let developer = Fault::RoleNotSupported { role: Role::Developer };
    let messages = format!(r#"{{"role": "developer", "content": "a"}}, {Q}"#);
    assert_eq!(chat(model, &messages), at([("/messages/0/role", developer)]));
}

#[test]
fn options_make_more_hosts_strict() {
    let mut rules = Rules::for_model(Wire::OpenAiChat, "qwen3");
    let body = format!(
        r#"{{"model": "qwen3", "messages": [{Q}, {{"role": "assistant", "tool_calls": [{{"id": "functions.f:0", "function":
        {{"name": "f", "arguments": "{{}}"}}}}]}}, {{"role": "tool", "tool_call_id": "functions.f:0", "content": "r"}},
        {{"role": "system", "content": "s"}}]}}"#
    );
    assert_eq!(faults(&rules, &body), []);
    rules.system_anywhere = false;
    rules.tools_with_calls = true;
    assert_eq!(faults(&rules, &body), at([("", Fault::CallsWithoutTools), ("/messages/3", Fault::SystemPlace)]));
}

const USE: &str = r#"{"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]}"#;
const RESULT: &str = r#"{"type": "tool_result", "tool_use_id": "t1", "content": "r"}"#;

#[test]
fn anthropic_results_come_first_in_their_user_turn() {
    let not_first = |place| at([(place, Fault::OutcomeNotFirst { id: "t1".into() })]);
    let text = r#"{"type": "text", "text": "a"}"#;
    let inside = format!(r#"{Q}, {USE}, {{"role": "user", "content": [{text}, {RESULT}]}}"#);
    assert_eq!(anthropic("claude-sonnet-4-5", &inside), not_first("/messages/2/content/1"));
    let joined = format!(r#"{Q}, {USE}, {Q}, {{"role": "user", "content": [{RESULT}]}}"#);
    assert_eq!(anthropic("claude-sonnet-4-5", &joined), not_first("/messages/3/content/0"));
    let spread = format!(r#"{Q}, {USE}, {{"role": "user", "content": [{RESULT}]}}, {Q}"#);
    assert_eq!(anthropic("claude-sonnet-4-5", &spread), []);
}

#[test]
fn anthropic_blocks_belong_to_roles() {
    let messages = format!(
        r#"{{"role": "user", "content": [{{"type": "tool_use", "id": "t0", "name": "f", "input": {{}}}},
        {{"type": "image_url", "image_url": {{}}}}]}}, {{"role": "assistant", "content": [{RESULT}, {{"type": "new_block"}}]}}, {Q}"#
    );
    let not_allowed = |kind: &str, role| Fault::PartNotAllowed { kind: kind.into(), role };
    let expected = [
        ("/messages/0/content/0", not_allowed("tool_use", Role::User)),
        ("/messages/0/content/1", Fault::UnknownPart { kind: "image_url".into() }),
        ("/messages/1/content/0", not_allowed("tool_result", Role::Assistant)),
    ];
    assert_eq!(anthropic("claude-sonnet-4-5", &messages), at(expected));
}

#[test]
fn anthropic_content_is_never_empty_but_at_the_end() {
    let model = "claude-sonnet-4-5";
    let empty = |role: &str, content: &str| format!(r#"{{"role": "{role}", "content": {content}}}"#);
    for content in ["\"\"", "[]"] {
        let messages = format!("{Q}, {}, {Q}", empty("assistant", content));
        assert_eq!(anthropic(model, &messages), at([("/messages/1/content", Fault::EmptyContent)]));
        assert_eq!(anthropic(model, &format!("{Q}, {}", empty("assistant", content))), []);
        assert_eq!(anthropic(model, &empty("user", content)), at([("/messages/0/content", Fault::EmptyContent)]));
    }
    assert_eq!(anthropic(model, &empty("user", "\" \\n\"")), at([("/messages/0/content", Fault::BlankText)]));
    let blank = empty("user", r#"[{"type": "text", "text": " "}]"#);
    assert_eq!(anthropic(model, &blank), at([("/messages/0/content/0", Fault::BlankText)]));
}

#[test]
fn anthropic_goes_on_from_an_assistant_message_by_rules() {
    let end = |content: &str| format!(r#"{Q}, {{"role": "assistant", "content": {content}}}"#);
    let trailing = |place| at([(place, Fault::TrailingSpace)]);
    assert_eq!(anthropic("claude-sonnet-4-5", &end("\"a \"")), trailing("/messages/1/content"));
    let block = end(r#"[{"type": "text", "text": "a\n"}]"#);
    assert_eq!(anthropic("claude-sonnet-4-5", &block), trailing("/messages/1/content/0"));
    assert_eq!(anthropic("claude-sonnet-4-5", &end("\"a\"")), []);
    assert_eq!(anthropic("claude-sonnet-5", &end("\"a\"")), at([("/messages/1", Fault::Prefill)]));
    // A turn that the provider paused in its own tool is sent back to go on.
    let paused = end(r#"[{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}]"#);
    assert_eq!(anthropic("claude-sonnet-5", &paused), []);
}

#[test]
fn anthropic_server_results_follow_their_use() {
    let messages = r#"{"role": "user", "content": "q"}, {"role": "assistant", "content": [
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}, {"type": "text", "text": "a"}]},
        {"role": "user", "content": "b"}"#;
    let orphan = Fault::OrphanServerResult { id: "srvtoolu_1".into() };
    assert_eq!(anthropic("claude-sonnet-4-5", messages), at([("/messages/1/content/0", orphan)]));
    let to_the_user = r#"{"role": "user", "content": "q"}, {"role": "assistant", "content": [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "srvtoolu_1", "content": "r"}]}"#;
    let orphan = Fault::OrphanOutcome { id: "srvtoolu_1".into() };
    assert_eq!(anthropic("claude-sonnet-4-5", to_the_user), at([("/messages/2/content/0", orphan)]));
}

#[test]
fn anthropic_system_messages_have_their_place() {
    let system = r#"{"role": "system", "content": "s"}"#;
    let answer = r#"{"role": "assistant", "content": "a"}"#;
    let model = "claude-opus-4-8";
    let place = |place| at([(place, Fault::SystemPlace)]);
    assert_eq!(anthropic(model, &[Q, system].join(",")), []);
    assert_eq!(anthropic(model, &[Q, system, answer, Q].join(",")), []);
    assert_eq!(anthropic(model, &[system, Q].join(",")), place("/messages/0"));
    assert_eq!(anthropic(model, &[Q, system, system].join(",")), place("/messages/2"));
    assert_eq!(anthropic(model, &[Q, answer, system, Q].join(",")), place("/messages/2"));
    assert_eq!(anthropic(model, &[Q, system, Q].join(",")), place("/messages/1"));
    // Between a call and its result: one reason is enough.
    let between = format!(r#"{Q}, {USE}, {system}, {{"role": "user", "content": [{RESULT}]}}"#);
    assert_eq!(anthropic(model, &between), place("/messages/2"));
}

#[test]
fn anthropic_fields_beside_the_messages() {
    let rules = Rules::for_wire(Wire::Anthropic);
    let body = |rest: &str| format!(r#"{{"model": "m", "max_tokens": 9, "messages": [{Q}], {rest}}}"#);
    assert_eq!(faults(&rules, &body(r#""system": """#)), at([("/system", Fault::EmptyText)]));
    assert_eq!(faults(&rules, &body(r#""system": []"#)), at([("/system", Fault::EmptyArray { key: "system" })]));
    let tools = body(
        r#""tools": [{"name": "f.g", "input_schema": {}}, {"name": "f"}, {"type": "web_search_20250305", "name": "web_search"},
        {"name": "web_search", "input_schema": {"type": "object"}}], "tool_choice": {"type": "tool", "name": "x"}"#,
    );
    let expected = [
        ("/tools/0/name", Fault::BadToolName { name: "f.g".into(), most: 128 }),
        ("/tools/0/input_schema", Fault::SchemaNotObject { tool: "f.g".into() }),
        ("/tools/1", Fault::Missing { key: "input_schema" }),
        ("/tools/3/name", Fault::RepeatedToolName { name: "web_search".into() }),
        ("/tool_choice", Fault::UnknownToolChoice { name: "x".into() }),
    ];
    assert_eq!(faults(&rules, &tools), at(expected));
    let choice = body(r#""tool_choice": {"type": "auto"}"#);
    assert_eq!(faults(&rules, &choice), at([("/tool_choice", Fault::ToolChoiceWithoutTools)]));
}

#[test]
fn anthropic_takes_four_cache_marks() {
    let mark = r#"{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}"#;
    let messages = |count| format!(r#"{{"role": "user", "content": [{}]}}"#, vec![mark; count].join(","));
    assert_eq!(anthropic("claude-sonnet-4-5", &messages(4)), []);
    assert_eq!(anthropic("claude-sonnet-4-5", &messages(5)), at([("", Fault::TooManyCacheMarks { count: 5, most: 4 })]));
}

#[test]
fn anthropic_seals_and_errors() {
    let messages = r#"{"role": "user", "content": "q"}, {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "a"}, {"type": "redacted_thinking", "data": ""},
        {"type": "tool_use", "id": "a b", "name": "f", "input": "x"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a b", "is_error": true}]}"#;
    let bad = || Fault::BadCallId { id: "a b".into(), rule: IdRule::Word };
    let expected = [
        ("/messages/1/content/0", Fault::Missing { key: "signature" }),
        ("/messages/1/content/1", Fault::Missing { key: "data" }),
        ("/messages/1/content/2/id", bad()),
        ("/messages/1/content/2/input", Fault::ArgumentsNotObject { id: "a b".into() }),
        ("/messages/2/content/0", Fault::EmptyOutcome { id: "a b".into() }),
        ("/messages/2/content/0/tool_use_id", bad()),
    ];
    assert_eq!(anthropic("claude-sonnet-4-5", messages), at(expected));
}

#[test]
fn thinking_is_asked_for_at_the_start_of_the_open_tool_turn_alone() {
    let rules = Rules::for_wire(Wire::Anthropic);
    let body = |messages: &str| {
        format!(
            r#"{{"model": "m", "max_tokens": 2000, "thinking": {{"type": "enabled", "budget_tokens": 1024}},
            "messages": [{messages}]}}"#
        )
    };
    let result = |id: &str| format!(r#"{{"role": "user", "content": [{}]}}"#, RESULT.replace("t1", id));
    let thought = USE.replace(r#"[{"type""#, r#"[{"type": "thinking", "thinking": "", "signature": "s"}, {"type""#);
    let later = USE.replace("t1", "t2");
    // The second step of a loop needs none, and neither does a turn that is over.
    assert_eq!(faults(&rules, &body(&[Q, &thought, &result("t1"), &later, &result("t2")].join(","))), []);
    let over = [Q, USE, &result("t1"), r#"{"role": "assistant", "content": "a"}"#, Q].join(",");
    assert_eq!(faults(&rules, &body(&over)), []);
    let found = Fault::ThinkingNotFirst { found: "text".into() };
    let text = format!(r#"{Q}, {{"role": "assistant", "content": "a"}}, {USE}, {}"#, result("t1"));
    assert_eq!(faults(&rules, &body(&text)), at([("/messages/1/content", found)]));
}

#[test]
fn anthropic_token_numbers_leave_room_for_an_answer() {
    let rules = Rules::for_wire(Wire::Anthropic);
    let body = |most: &str, rest: &str| format!(r#"{{"model": "m", "max_tokens": {most}, "messages": [{Q}]{rest}}}"#);
    let thinking = |budget: &str| format!(r#", "thinking": {{"type": "enabled", "budget_tokens": {budget}}}"#);
    let most = |most: &str| faults(&rules, &body(most, ""));
    for fine in ["0", "1", "9.0", "1e3"] {
        assert_eq!(most(fine), [], "{fine}");
    }
    assert_eq!(most("-1"), at([("/max_tokens", Fault::TooSmall { key: "max_tokens", least: 0 })]));
    assert_eq!(most("9.5"), at([("/max_tokens", Fault::NotWhole { key: "max_tokens" })]));
    let budget = |budget: &str, rest: &str| faults(&rules, &body("2048", &(thinking(budget) + rest)));
    let place = "/thinking/budget_tokens";
    assert_eq!(budget("2047", ""), []);
    assert_eq!(budget("2048", ""), at([(place, Fault::BudgetNotBelowMax)]));
    assert_eq!(budget("1023", ""), at([(place, Fault::TooSmall { key: "budget_tokens", least: 1024 })]));
    assert_eq!(budget("1024.5", ""), at([(place, Fault::NotWhole { key: "budget_tokens" })]));
    // Interleaved thinking may exceed it, and its header is not in the body.
    let tools = r#", "tools": [{"name": "f", "input_schema": {"type": "object"}}]"#;
    assert_eq!(budget("4096", tools), []);
    for (choice, expected) in [
        (r#"{"type": "any"}"#, at([("/tool_choice", Fault::ForcedToolWithThinking)])),
        (r#"{"type": "tool", "name": "f"}"#, at([("/tool_choice", Fault::ForcedToolWithThinking)])),
        (r#"{"type": "auto"}"#, Vec::new()),
    ] {
        assert_eq!(budget("1024", &format!(r#"{tools}, "tool_choice": {choice}"#)), expected, "{choice}");
    }
}

#[test]
fn openai_message_names_have_no_space() {
    let named = |role: &str, name: &str| format!(r#"{{"role": "{role}", "content": "q", "name": "{name}"}}"#);
    for fine in ["ann", "Ünal.7", "a-b_c"] {
        assert_eq!(chat("gpt-4o", &named("user", fine)), [], "{fine}");
    }
    for bad in ["Ann Lee", "a/b", "<a>", "a|b", ""] {
        let expected = at([("/messages/0/name", Fault::BadMessageName { name: bad.into() })]);
        assert_eq!(chat("gpt-4o", &named("system", bad)), expected, "{bad}");
        assert_eq!(chat("qwen3", &named("system", bad)), [], "{bad}");
    }
}

#[test]
fn fields_that_stand_twice_are_told() {
    let body = format!(r#"{{"messages": [], "model": "gpt-4o", "user": "a", "user": "b", "messages": [{Q}]}}"#);
    let repeated = Fault::RepeatedKey { key: "messages" };
    assert_eq!(faults(&Rules::for_wire(Wire::OpenAiChat), &body), at([("/messages", repeated)]));
}

/// Whatever order the rules are asked in, a reader goes down the body once.
#[test]
fn violations_stand_in_the_order_of_the_body() {
    let body = format!(
        r#"{{"messages": [{{"role": "tool", "tool_call_id": "x", "content": "r"}}, {Q}, {{"role": "robot"}}],
        "tools": [{{"type": "function", "function": {{"name": "a b"}}}}], "model": 3}}"#
    );
    let document = Document::parse(&body).unwrap();
    let report = check(document.root(), &Rules::for_wire(Wire::OpenAiChat));
    let places: Vec<&str> = report.violations.iter().map(|violation| violation.place.as_str()).collect();
    assert_eq!(places, ["/messages/0", "/messages/2/role", "/tools/0/function/name", "/model"]);
    let texts: Vec<&str> = report.violations.iter().skip(1).map(|violation| &body[violation.span.clone()]).collect();
    assert_eq!(texts, ["\"robot\"", "\"a b\"", "3"]);
}

#[test]
fn a_report_is_capped_and_long_names_are_cut() {
    let orphans = vec![r#"{"role": "tool", "tool_call_id": "x", "content": "r"}"#; 1_500].join(",");
    let body = format!(r#"{{"model": "gpt-4o", "messages": [{orphans}]}}"#);
    let report = check(Document::parse(&body).unwrap().root(), &Rules::for_wire(Wire::OpenAiChat));
    assert_eq!((report.violations.len(), report.omitted), (briefing_check::MAX_VIOLATIONS, 500));
    let role = format!(r#"{{"role": "{}", "content": "r"}}"#, "é".repeat(1_000));
    let cut = Fault::UnknownRole { role: format!("{}…", "é".repeat(256)) };
    assert_eq!(chat("gpt-4o", &role), at([("/messages/0/role", cut)]));
}
