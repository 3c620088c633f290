//! The rules of OpenAI Responses that no report stands for: a minimal body, and the whole list of what is wrong with it.

mod common;

use briefing_check::{Dialect, Fault, IdRule, Role, Rules, Shape, Wire};
use briefing_json::Kind;
use common::{at, said};

fn rules(model: &str) -> Rules {
    Rules::for_model(Wire::OpenAiResponses, model)
}

/// A body around these items, with more fields.
fn body(model: &str, items: &str, more: &str) -> String {
    format!(r#"{{"model": "{model}", "input": [{items}]{more}}}"#)
}

fn faults(model: &str, items: &str) -> Vec<(String, Fault)> {
    common::faults(&rules(model), &body(model, items, ""))
}

/// Of OpenAI's own model.
fn own(items: &str) -> Vec<(String, Fault)> {
    faults("gpt-5.4", items)
}

const OWN: &str = "gpt-5.4";
const OTHER: &str = "deepseek-v4-flash";
const Q: &str = r#"{"role": "user", "content": "q"}"#;
const A: &str = r#"{"role": "assistant", "content": "a"}"#;

fn list(items: &[&str]) -> String {
    items.join(",")
}

fn call(id: &str) -> String {
    format!(r#"{{"type": "function_call", "call_id": "{id}", "name": "f", "arguments": "{{}}"}}"#)
}

fn output(id: &str) -> String {
    format!(r#"{{"type": "function_call_output", "call_id": "{id}", "output": "r"}}"#)
}

#[test]
fn the_body_has_a_model_and_input() {
    let faults = |body: &str| common::faults(&rules(OWN), body);
    assert_eq!(faults("3"), at([("", Fault::WrongType { expected: Shape::Object, found: Kind::Number })]));
    let missing = [Fault::Missing { key: "model" }, Fault::Missing { key: "input" }];
    assert_eq!(faults("{}"), at(missing.map(|fault| ("", fault))));
    assert_eq!(faults(r#"{"model": "gpt-5.4", "input": "q"}"#), []);
    let wrong = Fault::WrongType { expected: Shape::Content, found: Kind::Object };
    assert_eq!(faults(r#"{"model": "gpt-5.4", "input": {}}"#), at([("/input", wrong)]));
    let wrong = Fault::WrongType { expected: Shape::String, found: Kind::Array };
    assert_eq!(faults(r#"{"model": "gpt-5.4", "instructions": [], "input": "q"}"#), at([("/instructions", wrong)]));
}

/// "One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided."
#[test]
fn the_list_is_empty_only_where_there_is_something_to_go_on_from() {
    for empty in ["[]", "\"\""] {
        let body = |more: &str| format!(r#"{{"model": "gpt-5.4", "input": {empty}{more}}}"#);
        let none = at([("/input", Fault::NoMessages)]);
        assert_eq!(common::faults(&rules(OWN), &body("")), none);
        assert_eq!(common::faults(&rules(OWN), &body(r#", "previous_response_id": null"#)), none);
        for more in
            [r#", "previous_response_id": "resp_1""#, r#", "conversation": {"id": "conv_1"}"#, r#", "prompt": {"id": "p"}"#]
        {
            assert_eq!(common::faults(&rules(OWN), &body(more)), []);
        }
    }
    assert_eq!(common::faults(&rules(OWN), r#"{"prompt": {"id": "pmpt_1"}}"#), []);
}

#[test]
fn items_are_of_a_known_type() {
    let items =
        r#"{"type": "tool_result", "call_id": "c"}, "q", {"type": 3}, {"type": "message"}, {"role": "robot", "content": ""}"#;
    let expected = [
        ("/input/0/type", Fault::UnknownPart { kind: "tool_result".into() }),
        ("/input/1", Fault::WrongType { expected: Shape::Object, found: Kind::String }),
        ("/input/2/type", Fault::WrongType { expected: Shape::String, found: Kind::Number }),
        ("/input/3", Fault::Missing { key: "role" }),
        ("/input/4/role", Fault::UnknownRole { role: "robot".into() }),
    ];
    assert_eq!(own(items), at(expected));
    let roles = "Supported values are: 'assistant', 'system', 'developer', and 'user'.";
    assert_eq!(
        said(&rules(OWN), &body(OWN, r#"{"role": "robot", "content": ""}, {}"#, "")),
        [Some(format!("Invalid value: 'robot'. {roles}")), Some(format!("Invalid value: ''. {roles}"))]
    );
    // Other hosts may have types of their own.
    assert_eq!(faults(OTHER, r#"{"type": "tool_result", "call_id": "c"}"#), []);
    let known = r#"{"type": "web_search_call", "id": "ws_1", "status": "completed"}, {"type": "compaction", "encrypted_content": "x"},
        {"id": "msg_1"}, {"type": "item_reference", "id": "msg_2"}"#;
    assert_eq!(own(known), []);
}

#[test]
fn parts_belong_to_roles() {
    let message = |role: &str, kind: &str| format!(r#"{{"role": "{role}", "content": [{{"type": "{kind}", "text": "t"}}]}}"#);
    let refused = |kind: &str, role| at([("/input/0/content/0", Fault::PartNotAllowed { kind: kind.into(), role })]);
    for (name, role) in [("user", Role::User), ("system", Role::System), ("developer", Role::Developer)] {
        assert_eq!(own(&message(name, "input_text")), []);
        assert_eq!(own(&message(name, "output_text")), refused("output_text", role));
    }
    assert_eq!(own(&message("assistant", "output_text")), []);
    assert_eq!(own(&message("assistant", "input_text")), refused("input_text", Role::Assistant));
    let unknown = at([("/input/0/content/0", Fault::UnknownPart { kind: "text".into() })]);
    assert_eq!(own(&message("user", "text")), unknown);
    let missing = at([("/input/0/content/0", Fault::Missing { key: "text" })]);
    assert_eq!(own(r#"{"role": "user", "content": [{"type": "input_text"}]}"#), missing);
    assert_eq!(own(r#"{"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}"#), []);
    let answer = r#"{"type": "function_call_output", "call_id": "c", "output": [{"type": "output_text", "text": "t"}]}"#;
    let refused = Fault::PartNotAllowed { kind: "output_text".into(), role: Role::Tool };
    assert_eq!(own(&format!("{}, {answer}", call("c"))), at([("/input/1/output/0", refused)]));
    // What other hosts take is not known.
    assert_eq!(faults(OTHER, &message("assistant", "input_text")), []);
    assert_eq!(
        said(&rules(OWN), &body(OWN, &message("assistant", "input_text"), "")),
        [Some("Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.".into())]
    );
    assert_eq!(own(r#"{"role": "user", "content": null}"#), at([("/input/0", Fault::Missing { key: "content" })]));
}

#[test]
fn calls_and_outputs_are_paired_wherever_openai_finds_them() {
    let (a, b, out_a, out_b) = (call("a"), call("b"), output("a"), output("b"));
    assert_eq!(own(&list(&[Q, &a, A, Q, &b, &out_a, &out_b])), []);
    let missing = |id: &str| Fault::MissingOutcome { id: id.into() };
    assert_eq!(own(&list(&[Q, &a, &b, &out_b, Q])), at([("/input/1", missing("a"))]));
    let orphan = Fault::OrphanOutcome { id: "a".into() };
    assert_eq!(own(&list(&[Q, &out_a])), at([("/input/1", orphan)]));
    let before = Fault::OutcomeBeforeCall { id: "a".into() };
    assert_eq!(own(&list(&[&out_a, &a])), at([("/input/0", before), ("/input/1", missing("a"))]));
    let repeated = Fault::RepeatedOutcome { id: "a".into() };
    assert_eq!(own(&list(&[&a, &out_a, &out_a])), at([("/input/2", repeated)]));
    // What is answered is done with.
    assert_eq!(own(&list(&[&a, &out_a, &a, &out_a])), []);
    let repeated = Fault::RepeatedCallId { id: "a".into() };
    assert_eq!(own(&list(&[&a, &a, &out_a, &out_a])), at([("/input/1/call_id", repeated)]));
    assert_eq!(
        said(&rules(OWN), &body(OWN, &list(&[&a, &out_b]), "")),
        [
            Some("No tool output found for function call a.".into()),
            Some("No tool call found for function call output with call_id b.".into()),
        ]
    );
}

#[test]
fn an_output_answers_a_call_of_its_kind() {
    let pairs = [
        ("custom_tool_call", r#", "name": "p", "input": "x""#, "custom_tool_call_output", r#", "output": "r""#),
        ("computer_call", "", "computer_call_output", r#", "output": {}"#),
        ("local_shell_call", "", "local_shell_call_output", r#", "output": "r""#),
        ("shell_call", "", "shell_call_output", r#", "output": []"#),
        ("apply_patch_call", "", "apply_patch_call_output", r#", "status": "completed""#),
        ("tool_search_call", r#", "execution": "client""#, "tool_search_output", r#", "execution": "client", "tools": []"#),
    ];
    for (kind, fields, answer, answer_fields) in pairs {
        let call = format!(r#"{{"type": "{kind}", "call_id": "c"{fields}}}"#);
        let answer = format!(r#"{{"type": "{answer}", "call_id": "c"{answer_fields}}}"#);
        let missing = ("/input/0", Fault::MissingOutcome { id: "c".into() });
        let orphan = |place| (place, Fault::OrphanOutcome { id: "c".into() });
        assert_eq!(own(&format!("{call}, {answer}")), [], "{kind}");
        assert_eq!(own(&call), at([missing.clone()]), "{kind}");
        assert_eq!(own(&answer), at([orphan("/input/0")]), "{kind}");
        assert_eq!(own(&format!("{call}, {}", output("c"))), at([missing, orphan("/input/1")]), "{kind}");
    }
}

#[test]
fn a_search_of_the_provider_needs_no_output() {
    let search = |fields: &str| format!(r#"{{"type": "tool_search_call", "arguments": {{}}{fields}}}"#);
    assert_eq!(own(&search(r#", "call_id": null, "execution": "server""#)), []);
    assert_eq!(own(&search("")), []);
    let missing = at([("/input/0", Fault::Missing { key: "call_id" })]);
    assert_eq!(own(&search(r#", "execution": "client""#)), missing);
}

/// OpenAI's own types give the output of a local shell no call id, but an id.
#[test]
fn a_local_shell_call_is_named_by_either_of_its_ids() {
    let call = r#"{"type": "local_shell_call", "id": "lsh_1", "call_id": "c", "action": {}}"#;
    for id in ["lsh_1", "c"] {
        assert_eq!(own(&format!(r#"{call}, {{"type": "local_shell_call_output", "id": "{id}", "output": "r"}}"#)), []);
    }
    let other = format!(r#"{call}, {{"type": "local_shell_call_output", "id": "lsh_2", "output": "r"}}"#);
    let missing = ("/input/0", Fault::MissingOutcome { id: "c".into() });
    assert_eq!(own(&other), at([missing, ("/input/1", Fault::OrphanOutcome { id: "lsh_2".into() })]));
}

#[test]
fn outputs_may_answer_calls_that_the_provider_keeps() {
    let answer = output("c");
    for more in [r#", "previous_response_id": "resp_1""#, r#", "conversation": "conv_1""#] {
        assert_eq!(common::faults(&rules(OWN), &body(OWN, &answer, more)), []);
        // A call of the list still needs its output.
        let missing = at([("/input/0", Fault::MissingOutcome { id: "a".into() })]);
        assert_eq!(common::faults(&rules(OWN), &body(OWN, &call("a"), more)), missing);
    }
    assert_eq!(own(&format!(r#"{{"type": "item_reference", "id": "fc_1"}}, {answer}"#)), []);
    assert_eq!(own(&format!(r#"{{"id": "fc_1"}}, {answer}"#)), []);
}

/// Recorded: DeepSeek refuses an answer between a call and its output, and takes it before.
#[test]
fn other_hosts_take_no_answer_between_call_and_output() {
    let items = list(&[&call("a"), A, &output("a")]);
    let missing = ("/input/0", Fault::MissingOutcome { id: "a".into() });
    assert_eq!(faults(OTHER, &items), at([missing, ("/input/2", Fault::LateOutcome { id: "a".into() })]));
    assert_eq!(said(&rules(OTHER), &body(OTHER, &items, "")), [Some("No tool output found for tool call a.".into()), None]);
    assert_eq!(faults(OTHER, &list(&[A, &call("a"), &output("a"), A])), []);
    // Of a question there nothing is known.
    assert_eq!(faults(OTHER, &list(&[&call("a"), Q, &output("a")])), []);
    let mut strict = rules(OWN);
    strict.dialect = Dialect::Compatible;
    assert_eq!(common::faults(&strict, &body(OWN, &items, "")).len(), 2);
}

#[test]
fn calls_have_their_fields() {
    let items = r#"{"type": "function_call", "id": "call_1", "call_id": "c"}, {"type": "function_call_output", "call_id": "c"},
        {"type": "function_call", "call_id": "", "name": "", "arguments": "[]"},
        {"type": "custom_tool_call", "call_id": "d", "name": "a b"}, {"type": "custom_tool_call_output", "call_id": "d", "output": ""}"#;
    let expected = [
        ("/input/0", Fault::Missing { key: "name" }),
        ("/input/0", Fault::Missing { key: "arguments" }),
        ("/input/0/id", Fault::BadItemId { id: "call_1".into(), prefix: "fc" }),
        ("/input/1", Fault::Missing { key: "output" }),
        ("/input/2/call_id", Fault::EmptyCallId),
        ("/input/2/name", Fault::BadToolName { name: String::new(), most: 128 }),
        ("/input/2/arguments", Fault::ArgumentsNotObject { id: String::new() }),
        ("/input/3", Fault::Missing { key: "input" }),
        ("/input/3/name", Fault::BadToolName { name: "a b".into(), most: 128 }),
    ];
    assert_eq!(own(items), at(expected));
    let said = said(&rules(OWN), &body(OWN, items, ""));
    let empty = |at: &str| {
        Some(format!("Invalid '{at}': empty string. Expected a string with minimum length 1, but got an empty string instead."))
    };
    assert_eq!(said.first(), Some(&Some("Missing required parameter: 'input[0].name'.".into())));
    assert_eq!(said.get(2), Some(&Some("Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.".into())));
    assert_eq!(said.get(4..6).unwrap(), [empty("input[2].call_id"), empty("input[2].name")]);
}

#[test]
fn item_ids_are_of_their_type_and_stand_once() {
    let item = |fields: &str, id: &str| format!(r#"{{{fields}, "id": "{id}"}}"#);
    let message = r#""role": "assistant", "content": "a""#;
    let bad = |id: &str, prefix| at([("/input/0/id", Fault::BadItemId { id: id.into(), prefix })]);
    assert_eq!(own(&item(message, "msg_1")), []);
    let long = format!("msg_{}", "x".repeat(61));
    for id in ["item_1", "msg.1", "", &long] {
        assert_eq!(own(&item(message, id)), bad(id, "msg"), "{id}");
        assert_eq!(faults(OTHER, &item(message, id)), [], "{id}");
    }
    let custom = item(r#""type": "custom_tool_call", "call_id": "c", "name": "p", "input": """#, "fc_1");
    let answer = r#"{"type": "custom_tool_call_output", "call_id": "c", "output": "r"}"#;
    assert_eq!(own(&format!("{custom}, {answer}")), bad("fc_1", "ctc"));
    let twice = [item(message, "msg_1"), item(message, "msg_1")].join(",");
    assert_eq!(own(&twice), at([("/input/1/id", Fault::RepeatedItemId { id: "msg_1".into() })]));
    let words = said(&rules(OWN), &body(OWN, &[item(message, "msg.1"), item(message, &long), twice].join(","), ""));
    let expected = [
        "Invalid 'input[0].id': 'msg.1'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value \
         contained additional characters.",
        "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
        "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
    ];
    assert_eq!(words, expected.map(|text| Some(text.to_owned())));
}

#[test]
fn reasoning_is_followed_by_what_it_led_to() {
    let thought = |id: &str| format!(r#"{{"type": "reasoning", "id": "{id}", "summary": []}}"#);
    let alone = |place, id: &str| (place, Fault::ReasoningAlone { id: id.into() });
    let (rs_1, rs_2) = (thought("rs_1"), thought("rs_2"));
    let led_to = r#"{"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}"#;
    let answer = output("c");
    assert_eq!(own(&list(&[&rs_1, led_to, &answer])), []);
    assert_eq!(own(&list(&[&rs_1, &rs_2, led_to, &answer])), []);
    assert_eq!(own(&list(&[&rs_1, r#"{"id": "msg_1", "role": "assistant", "content": "a"}"#])), []);
    assert_eq!(own(&list(&[&rs_1, r#"{"type": "web_search_call", "id": "ws_1"}"#])), []);
    // At the end, before a question, before what has lost its id.
    assert_eq!(own(&list(&[Q, &rs_1])), at([alone("/input/1", "rs_1")]));
    assert_eq!(own(&list(&[&rs_1, Q])), at([alone("/input/0", "rs_1")]));
    assert_eq!(own(&list(&[&rs_1, &rs_2, A])), at([alone("/input/0", "rs_1"), alone("/input/1", "rs_2")]));
    assert_eq!(own(&list(&[&call("c"), &rs_1, &answer])), at([alone("/input/1", "rs_1")]));
    assert_eq!(own(&list(&[&rs_1, &call("c"), &answer])), at([alone("/input/0", "rs_1")]));
    // Without an id nobody looks for it, and other hosts do not look.
    assert_eq!(own(&[r#"{"type": "reasoning", "summary": [], "encrypted_content": "x"}"#, A].join(",")), []);
    assert_eq!(faults(OTHER, &list(&[&rs_1, A])), []);
    let no_summary = list(&[r#"{"type": "reasoning", "id": "rs_1"}"#, led_to, &answer]);
    assert_eq!(own(&no_summary), at([("/input/0", Fault::Missing { key: "summary" })]));
}

/// <https://github.com/vercel/ai/issues/7543>
#[test]
fn what_is_not_stored_is_not_looked_up() {
    let said = r#"{"role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "a"}]}"#;
    let thought =
        |sealed: &str| format!(r#"{{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": {sealed}}}"#);
    let found =
        |store: bool, items: &[&str]| common::faults(&rules(OWN), &body(OWN, &list(items), &format!(r#", "store": {store}"#)));
    let other = |items: &[&str]| common::faults(&rules(OTHER), &body(OTHER, &list(items), r#", "store": false"#));
    let gone = |place: &str, id: &str| vec![(place.to_owned(), Fault::NotStored { id: id.into() })];
    assert_eq!(found(true, &[Q, &thought("null"), said]), []);
    assert_eq!(found(false, &[Q, &thought("\"sealed\""), said]), []);
    assert_eq!(found(false, &[Q, &thought("null"), said]), gone("/input/1/id", "rs_1"));
    assert_eq!(found(false, &[Q, r#"{"id": "msg_0"}"#]), gone("/input/1/id", "msg_0"));
    assert_eq!(other(&[Q, &thought("null"), said]), []);
}

#[test]
fn images_and_files_have_something_to_read() {
    let user = |parts: &str| format!(r#"{{"role": "user", "content": [{parts}]}}"#);
    let place = "/input/0/content/0";
    let one = |part: &str| own(&user(part));
    let empty = |place| at([(place, Fault::EmptyMedia)]);
    for fine in [
        r#"{"type": "input_image", "image_url": "https://example.org/a.bmp"}"#,
        r#"{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}"#,
        r#"{"type": "input_image", "file_id": "file-1"}"#,
        r#"{"type": "input_file", "file_id": "file-1"}"#,
        r#"{"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}"#,
        r#"{"type": "input_file", "file_url": "https://example.org/a"}"#,
        r#"{"type": "input_file", "file_url": "https://example.mp3/a.pdf?b=c.mp3#d.mp3"}"#,
        r#"{"type": "input_file", "file_url": "https://example.mp3"}"#,
    ] {
        assert_eq!(one(fine), [], "{fine}");
    }
    for part in ["input_image", "input_file"] {
        assert_eq!(one(&format!(r#"{{"type": "{part}"}}"#)), empty(place));
        assert_eq!(one(&format!(r#"{{"type": "{part}", "file_id": ""}}"#)), empty(place));
    }
    assert_eq!(one(r#"{"type": "input_file", "file_url": ""}"#), empty(place));
    assert_eq!(one(r#"{"type": "input_file", "file_data": ""}"#), empty("/input/0/content/0/file_data"));
    let url = "/input/0/content/0/image_url";
    assert_eq!(one(r#"{"type": "input_image", "image_url": "data:image/png;base64,"}"#), empty(url));
    assert_eq!(one(r#"{"type": "input_image", "image_url": "data:image/png;base64,a b"}"#), at([(url, Fault::NotBase64)]));
    let object = Fault::WrongType { expected: Shape::String, found: Kind::Object };
    assert_eq!(one(r#"{"type": "input_image", "image_url": {"url": "x"}}"#), at([(url, object)]));
    let media = |place, found: &str| at([(place, Fault::MediaType { found: found.into() })]);
    let film = r#"{"type": "input_file", "file_data": "data:video/mp4;base64,AAAA"}"#;
    assert_eq!(one(film), media("/input/0/content/0/file_data", "video/mp4"));
    let sound = r#"{"type": "input_file", "file_url": "https://example.org/a/b.MP3?c=d"}"#;
    assert_eq!(one(sound), media("/input/0/content/0/file_url", "mp3"));
    assert_eq!(faults(OTHER, &user(sound)), []);
    let blind = faults("o3-mini", &user(r#"{"type": "input_image", "file_id": "file-1"}"#));
    assert_eq!(blind, at([(place, Fault::ImageNotSupported)]));
}

#[test]
fn tools_are_flat_and_chosen_among() {
    let tools = |model: &str, tools: &str, choice: &str| {
        common::faults(&rules(model), &body(model, Q, &format!(r#", "tools": [{tools}], "tool_choice": {choice}"#)))
    };
    let chat = r#"{"type": "function", "function": {"name": "f", "parameters": {}}}"#;
    let odd = r#"{"type": "function", "name": "f.g", "parameters": {}}, {"name": "f"}, 3"#;
    let expected = [
        ("/tools/0", Fault::Missing { key: "name" }),
        ("/tools/1/name", Fault::BadToolName { name: "f.g".into(), most: 128 }),
        ("/tools/1/parameters", Fault::SchemaNotObject { tool: "f.g".into() }),
        ("/tools/2", Fault::Missing { key: "type" }),
        ("/tools/3", Fault::WrongType { expected: Shape::Object, found: Kind::Number }),
    ];
    assert_eq!(tools(OWN, &format!("{chat}, {odd}"), "\"auto\""), at(expected));
    let f = r#"{"type": "function", "name": "f", "parameters": {"type": "object"}}"#;
    let repeated = at([("/tools/1/name", Fault::RepeatedToolName { name: "f".into() })]);
    assert_eq!(tools(OWN, &list(&[f, f]), "\"auto\""), []);
    assert_eq!(tools(OTHER, &list(&[f, f]), "\"auto\""), repeated);
    let space = format!(r#"{{"type": "namespace", "name": "n", "tools": [{}]}}"#, f.replace("\"f\"", "\"g\""));
    let all = list(&[f, &space, r#"{"type": "custom", "name": "p"}, {"type": "web_search_preview_2025_03_11"}"#]);
    for fine in [
        r#""required""#,
        r#"{"type": "function", "name": "f"}"#,
        r#"{"type": "function", "name": "g"}"#,
        r#"{"type": "custom", "name": "p"}"#,
        r#"{"type": "web_search_preview"}"#,
        r#"{"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}, {"type": "web_search_preview"}]}"#,
    ] {
        assert_eq!(tools(OWN, &all, fine), [], "{fine}");
    }
    let unknown = |place, name: &str| at([(place, Fault::UnknownToolChoice { name: name.into() })]);
    assert_eq!(tools(OWN, &all, r#"{"type": "function", "name": "h"}"#), unknown("/tool_choice/name", "h"));
    assert_eq!(tools(OWN, &all, r#"{"type": "image_generation"}"#), unknown("/tool_choice/type", "image_generation"));
    let allowed = r#"{"type": "allowed_tools", "tools": [{"type": "function", "name": "h"}]}"#;
    assert_eq!(tools(OWN, &all, allowed), unknown("/tool_choice/tools/0/name", "h"));
    assert_eq!(tools(OTHER, &all, r#"{"type": "image_generation"}"#), []);
}

#[test]
fn a_choice_is_forced_only_with_tools() {
    let choice = |choice: &str| common::faults(&rules(OWN), &body(OWN, Q, &format!(r#", "tool_choice": {choice}"#)));
    let without = at([("/tool_choice", Fault::ToolChoiceWithoutTools)]);
    assert_eq!(choice("\"required\""), without);
    assert_eq!(choice(r#"{"type": "function", "name": "f"}"#), without);
    assert_eq!(choice("\"auto\""), []);
    // Tools that the list adds count.
    let found = r#"{"role": "developer", "type": "additional_tools", "tools": [{"type": "function", "name": "f"}]}"#;
    let added = body(OWN, found, r#", "tool_choice": {"type": "function", "name": "f"}"#);
    assert_eq!(common::faults(&rules(OWN), &added), []);
}

#[test]
fn long_ids_and_strict_gateways() {
    let id = "x".repeat(65);
    let bad = |place| (place, Fault::BadCallId { id: "x".repeat(65), rule: IdRule::AtMost64 });
    let items = format!("{}, {}", call(&id), output(&id));
    assert_eq!(own(&items), at([bad("/input/0/call_id"), bad("/input/1/call_id")]));
    assert_eq!(faults(OTHER, &items), []);
    assert_eq!(own(&format!("{}, {}", call("a.b:c"), output("a.b:c"))), []);
    let mut strict = rules(OWN);
    strict.tools_with_calls = true;
    let items = format!("{}, {}", call("a"), output("a"));
    assert_eq!(common::faults(&strict, &body(OWN, &items, "")), at([("", Fault::CallsWithoutTools)]));
}
