//! The rules of Gemini that no report stands for: a minimal body, and the whole list of what is wrong with it.

mod common;

use briefing_check::{Fault, Role, Rules, Shape, Wire};
use briefing_json::Kind;
use common::at;

fn rules(model: &str) -> Rules {
    Rules::for_model(Wire::Gemini, model)
}

/// A body around these contents, with more fields.
fn body(contents: &str, more: &str) -> String {
    format!(r#"{{"contents": [{contents}]{more}}}"#)
}

/// Of a model that asks for no signatures.
fn faults(contents: &str) -> Vec<(String, Fault)> {
    common::faults(&rules("gemini-2.5-pro"), &body(contents, ""))
}

fn gemini_3(contents: &str) -> Vec<(String, Fault)> {
    common::faults(&rules("gemini-3-flash-preview"), &body(contents, ""))
}

fn said(contents: &str) -> Vec<String> {
    common::said(&rules("gemini-2.5-pro"), &body(contents, "")).into_iter().map(Option::unwrap).collect()
}

const Q: &str = r#"{"role": "user", "parts": [{"text": "q"}]}"#;
const A: &str = r#"{"role": "model", "parts": [{"text": "a"}]}"#;

fn list(contents: &[&str]) -> String {
    contents.join(",")
}

fn model(parts: &str) -> String {
    format!(r#"{{"role": "model", "parts": [{parts}]}}"#)
}

fn user(parts: &str) -> String {
    format!(r#"{{"role": "user", "parts": [{parts}]}}"#)
}

fn call(name: &str) -> String {
    format!(r#"{{"functionCall": {{"name": "{name}", "args": {{}}}}}}"#)
}

fn outcome(name: &str) -> String {
    format!(r#"{{"functionResponse": {{"name": "{name}", "response": {{}}}}}}"#)
}

/// A call with an id and an outcome with another.
fn with_ids(name: &str, id: &str, named: &str, answers: &str) -> (String, String) {
    (
        format!(r#"{{"functionCall": {{"name": "{name}", "id": "{id}"}}}}"#),
        format!(r#"{{"functionResponse": {{"name": "{named}", "id": "{answers}", "response": {{}}}}}}"#),
    )
}

fn missing(id: &str) -> Fault {
    Fault::MissingOutcome { id: id.into() }
}

fn orphan(id: &str) -> Fault {
    Fault::OrphanOutcome { id: id.into() }
}

const COUNT: &str = "Please ensure that the number of function response parts is equal to the number of function call parts of the \
                     function call turn.";
const RESPONSE_TURN: &str = "Please ensure that function response turn comes immediately after a function call turn";

#[test]
fn the_body_has_contents_with_parts() {
    let faults = |body: &str| common::faults(&rules("gemini-2.5-pro"), body);
    assert_eq!(faults("3"), at([("", Fault::WrongType { expected: Shape::Object, found: Kind::Number })]));
    assert_eq!(faults("{}"), at([("", Fault::Missing { key: "contents" })]));
    assert_eq!(faults(r#"{"contents": []}"#), at([("/contents", Fault::NoMessages)]));
    let text = Fault::WrongType { expected: Shape::Array, found: Kind::String };
    assert_eq!(faults(r#"{"contents": "q"}"#), at([("/contents", text.clone())]));
    let contents = r#"3, {"role": "user"}, {"parts": []}, {"parts": "q"}"#;
    let expected = [
        ("/contents/0", Fault::WrongType { expected: Shape::Object, found: Kind::Number }),
        ("/contents/1", Fault::EmptyContent),
        ("/contents/2", Fault::EmptyContent),
        ("/contents/3/parts", text),
    ];
    assert_eq!(faults(&body(contents, "")), at(expected));
    let empty = "* GenerateContentRequest.contents[0].parts: contents.parts must not be empty.";
    assert_eq!(said(r#"{"role": "user", "parts": []}"#), [empty]);
}

/// As the reader of proto JSON has it, and the documentation's shorter examples.
#[test]
fn one_object_stands_for_a_list_of_one_and_fields_have_two_names() {
    let faults = |body: &str| common::faults(&rules("gemini-2.5-pro"), body);
    let short = r#"{"system_instruction": {"parts": {"text": "s"}}, "contents": {"role": "user", "parts": {"text": "q"}}}"#;
    assert_eq!(faults(short), []);
    let empty = r#"{"contents": {"parts": {}}}"#;
    assert_eq!(faults(empty), at([("/contents/parts", Fault::EmptyPart)]));
    let snake = r#"{"contents": [{"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": {"function_call": {"name": "f"}, "thought_signature": "AA=="}},
        {"role": "user", "parts": {"function_response": {"name": "g", "response": {}, "parts": {"inline_data":
            {"mime_type": "image/png", "data": "-_+/"}}}}}],
        "tools": {"function_declarations": {"name": "f"}},
        "tool_config": {"function_calling_config": {"allowed_function_names": ["f"]}}}"#;
    let named = Fault::OutcomeName { name: "g".into(), call: "f".into() };
    let expected = at([("/contents/2/parts/function_response/name", named)]);
    assert_eq!(common::faults(&rules("gemini-3-pro"), snake), expected);
}

#[test]
fn roles_are_user_and_model() {
    let one = |role: &str| faults(&format!(r#"{{"role": {role}, "parts": [{{"text": "q"}}]}}"#));
    for fine in ["\"user\"", "null", "\"\"", "\"function\""] {
        assert_eq!(one(fine), [], "{fine}");
    }
    for role in ["system", "assistant", "tool"] {
        let unknown = at([("/contents/0/role", Fault::UnknownRole { role: role.into() })]);
        assert_eq!(one(&format!("\"{role}\"")), unknown);
    }
    assert_eq!(said(r#"{"role": "system", "parts": [{"text": "q"}]}"#), ["Please use a valid role: user, model."]);
    assert_eq!(faults(r#"{"parts": [{"text": "q"}]}"#), []);
}

#[test]
fn a_part_has_data_of_one_kind() {
    let place = "/contents/0/parts/0";
    for fine in [
        r#"{"text": ""}"#,
        r#"{"text": "a", "thought": true, "thoughtSignature": "AA"}"#,
        r#"{"executableCode": {}}"#,
        r#"{"newKindOfData": {}}"#,
    ] {
        assert_eq!(faults(&user(fine)), [], "{fine}");
    }
    for empty in ["{}", r#"{"thought": true}"#, r#"{"thought_signature": "AA"}"#, r#"{"text": null}"#] {
        assert_eq!(faults(&user(empty)), at([(place, Fault::EmptyPart)]), "{empty}");
    }
    let mixed = r#"{"inline_data": {"mimeType": "image/png", "data": "AA"}, "text": "a"}"#;
    let second = Fault::MixedPart { key: "inline_data".into() };
    assert_eq!(faults(&user(mixed)), at([("/contents/0/parts/0/inline_data", second)]));
    let wrong = Fault::WrongType { expected: Shape::String, found: Kind::Number };
    assert_eq!(faults(&user(r#"{"text": 3}"#)), at([("/contents/0/parts/0/text", wrong)]));
    assert_eq!(
        said(&user("{}")),
        ["* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field"]
    );
}

#[test]
fn a_call_turn_is_answered_in_the_turn_behind_it() {
    let (f, g) = (call("f"), call("g"));
    let (of_f, of_g) = (outcome("f"), outcome("g"));
    let both = model(&list(&[&f, &g]));
    assert_eq!(faults(&list(&[Q, &both, &user(&list(&[&of_f, &of_g]))])), []);
    // Neighbours of one role are one turn, and `function` is no role of its own.
    let apart = list(&[Q, &model(&f), &model(&g), &user(&of_g), &user(&of_f), Q]);
    assert_eq!(faults(&apart), []);
    let older = list(&[Q, &model(&f), &format!(r#"{{"role": "function", "parts": [{of_f}]}}"#)]);
    assert_eq!(faults(&older), []);
    let one = list(&[Q, &both, &user(&of_g)]);
    assert_eq!((faults(&one), said(&one)), (at([("/contents/1/parts/0", missing("f"))]), vec![COUNT.to_owned()]));
    let none = list(&[Q, &both, Q]);
    assert_eq!(faults(&none), at([("/contents/1/parts/0", missing("f")), ("/contents/1/parts/1", missing("g"))]));
    let open = list(&[Q, &both]);
    assert_eq!(faults(&open), at([("/contents/1/parts/0", missing("f")), ("/contents/1/parts/1", missing("g"))]));
    let more = list(&[Q, &model(&f), &user(&list(&[&of_f, &of_f]))]);
    let repeated = Fault::RepeatedOutcome { id: "f".into() };
    assert_eq!((faults(&more), said(&more)), (at([("/contents/2/parts/1", repeated)]), vec![COUNT.to_owned()]));
    let late = list(&[Q, &model(&f), Q, A, &user(&of_f)]);
    assert_eq!(faults(&late), at([("/contents/1/parts/0", missing("f")), ("/contents/4/parts/0", orphan("f"))]));
    let alone = list(&[Q, A, &user(&of_f)]);
    assert_eq!((faults(&alone), said(&alone)), (at([("/contents/2/parts/0", orphan("f"))]), vec![RESPONSE_TURN.to_owned()]));
    // An outcome in a model content answers all the same.
    assert_eq!(faults(&list(&[Q, &model(&f), &model(&of_f), A])), []);
}

#[test]
fn outcomes_answer_by_id_then_by_name_then_in_order() {
    let round = |calls: &[&str], outcomes: &[&str]| faults(&list(&[Q, &model(&list(calls)), &user(&list(outcomes))]));
    let (a, of_a) = with_ids("f", "a", "f", "a");
    let (b, of_b) = with_ids("f", "b", "f", "b");
    assert_eq!(round(&[&a, &b], &[&of_b, &of_a]), []);
    // Of two ids that differ neither is the other's; one of them may be absent, and the empty one is.
    let (_, of_c) = with_ids("f", "a", "f", "c");
    assert_eq!(round(&[&a], &[&of_c]), at([("/contents/1/parts/0", missing("a")), ("/contents/2/parts/0", orphan("c"))]));
    assert_eq!(round(&[&a], &[&outcome("f")]), []);
    assert_eq!(round(&[&call("f")], &[&of_a]), []);
    let (empty, of_empty) = with_ids("f", "", "f", "");
    assert_eq!(round(&[&empty, &empty], &[&of_empty, &of_empty]), []);
    // What differs in its name alone is told by its name.
    let named = |name: &str, call: &str| Fault::OutcomeName { name: name.into(), call: call.into() };
    let (_, other) = with_ids("f", "a", "g", "a");
    let place = "/contents/2/parts/0/functionResponse/name";
    assert_eq!(round(&[&a], &[&other]), at([(place, named("g", "f"))]));
    assert_eq!(round(&[&call("f")], &[&outcome("g")]), at([(place, named("g", "f"))]));
    assert_eq!(round(&[&call("f"), &call("g")], &[&outcome("h"), &outcome("f")]), at([(place, named("h", "g"))]));
    let repeated = Fault::RepeatedCallId { id: "a".into() };
    assert_eq!(round(&[&a, &a], &[&of_a, &of_a]), at([("/contents/1/parts/1/functionCall/id", repeated)]));
    let later = list(&[Q, &model(&a), &user(&of_a), A, &user(&of_a), &model(&b), &user(&list(&[&of_b, &of_a]))]);
    let late = || Fault::LateOutcome { id: "a".into() };
    assert_eq!(faults(&later), at([("/contents/4/parts/0", late()), ("/contents/6/parts/1", late())]));
    let before = list(&[Q, A, &user(&of_a), &model(&a), &user(&of_a)]);
    assert_eq!(faults(&before), at([("/contents/2/parts/0", Fault::OutcomeBeforeCall { id: "a".into() })]));
}

#[test]
fn who_begins_and_who_ends() {
    let f = model(&call("f"));
    let begins = list(&[&f, &user(&outcome("f"))]);
    assert_eq!(faults(&begins), at([("/contents/0", Fault::FirstRole { role: Role::Model })]));
    assert_eq!(
        said(&begins),
        ["Please ensure that function call turn comes immediately after a user turn or after a function response turn."]
    );
    assert_eq!(faults(&list(&[A, Q, &f, &user(&outcome("f"))])), []);
    let twice = list(&[A, &f, &f, &user(&list(&[&outcome("f"), &outcome("f")]))]);
    assert_eq!(faults(&twice), at([("/contents/1", Fault::FirstRole { role: Role::Model })]));
    let outcome_first = list(&[&model(&outcome("f")), Q]);
    assert_eq!(faults(&outcome_first), at([("/contents/0/parts/0", orphan("f"))]));
    let ends = |model: &str, contents: &[&str]| common::faults(&rules(model), &body(&list(contents), ""));
    let prefill = |place| at([(place, Fault::Prefill)]);
    for model in ["gemini-2.5-flash", "gemini-3-flash-preview", "gemini-3.5-flash", "gemini-flash-latest"] {
        assert_eq!(ends(model, &[Q, A]), [], "{model}");
        assert_eq!(ends(model, &[A]), prefill("/contents/0"), "{model}");
    }
    for model in ["gemini-3.6-flash", "gemini-3.5-flash-lite", "gemini-4-pro"] {
        assert_eq!(ends(model, &[Q, A, A]), prefill("/contents/2"), "{model}");
    }
    assert_eq!(said(A), ["Please ensure that single turn requests end with a user role or the role field is empty."]);
    let newer = common::said(&rules("gemini-3.6-flash"), &body(&list(&[Q, A]), ""));
    let words = "Requests ending with a model turn are not supported unless the last part is a function response.";
    assert_eq!(newer, [Some(words.to_owned())]);
}

/// A `Struct` of protobuf holds doubles under names that stand once.
#[test]
fn arguments_and_outcomes_can_be_held_by_a_struct() {
    let body = |args: &str, response: &str| {
        let call = format!(r#"{{"functionCall": {{"name": "f", "args": {args}}}}}"#);
        list(&[Q, &model(&call), &user(&format!(r#"{{"functionResponse": {{"name": "f", "response": {response}}}}}"#))])
    };
    let fine = r#"{"a": {"a": [1e308, {"a": -0.5}]}, "b": {"a": 12345678901234567890123}}"#;
    assert_eq!(faults(&body(fine, fine)), []);
    let (twice, large) = (body(r#"{"a": {"b": 1, "b": 2}}"#, "{}"), body("{}", r#"{"a": [1e999]}"#));
    let name = Fault::RepeatedName { name: "b".into() };
    assert_eq!(faults(&twice), at([("/contents/1/parts/0/functionCall/args/a/b", name)]));
    assert_eq!(said(&twice), ["Invalid JSON payload received. Repeated map key: 'b' is already set."]);
    let number = Fault::NumberBeyondDouble { number: "1e999".into() };
    assert_eq!(faults(&large), at([("/contents/2/parts/0/functionResponse/response/a/0", number)]));
    assert_eq!(said(&large), ["Invalid JSON payload received. Number exceeds the range of double."]);
}

#[test]
fn calls_and_outcomes_have_names_and_objects() {
    let part = |part: &str| faults(&list(&[Q, &model(part), &user(&outcome("f"))]));
    let place = "/contents/1/parts/0/functionCall";
    assert_eq!(part(r#"{"functionCall": {"name": "f"}}"#), []);
    let array = r#"{"functionCall": {"name": "f", "id": "c", "args": []}}"#;
    let object = Fault::ArgumentsNotObject { id: "c".into() };
    assert_eq!(part(array), at([("/contents/1/parts/0/functionCall/args", object)]));
    assert_eq!(part(r#"{"functionCall": {"args": {}}}"#), at([(place, Fault::Missing { key: "name" })]));
    for fine in ["a.b:c-d_e", "_f", &"x".repeat(64)] {
        assert_eq!(faults(&list(&[Q, &model(&call(fine)), &user(&outcome(fine))])), [], "{fine}");
    }
    for bad in ["1f", "a b", "-f", &"x".repeat(65)] {
        let expected = at([
            ("/contents/1/parts/0/functionCall/name", Fault::BadFunctionName { name: bad.into() }),
            ("/contents/2/parts/0/functionResponse/name", Fault::BadFunctionName { name: bad.into() }),
        ]);
        assert_eq!(faults(&list(&[Q, &model(&call(bad)), &user(&outcome(bad))])), expected, "{bad}");
    }
    let list_of = list(&[Q, &model(&call("f")), &user(r#"{"functionResponse": {"name": "f", "response": ["r"]}}"#)]);
    let array = Fault::WrongType { expected: Shape::Object, found: Kind::Array };
    assert_eq!(faults(&list_of), at([("/contents/2/parts/0/functionResponse/response", array)]));
    assert_eq!(
        said(&list_of),
        [
            "Invalid JSON payload received. Unknown name \"response\" at 'contents[2].parts[0].function_response': Proto field is not \
          repeating, cannot start list."
        ]
    );
}

#[test]
fn gemini_3_asks_for_the_signature_of_each_step_of_the_current_turn() {
    let bare = |name: &str| model(&list(&[&call(name), &call(name)]));
    let signed =
        model(r#"{"text": "a"}, {"functionCall": {"name": "f"}, "thoughtSignature": "AA=="}, {"functionCall": {"name": "f"}}"#);
    let answered = user(&list(&[&outcome("f"), &outcome("f")]));
    assert_eq!(gemini_3(&list(&[Q, &signed, &answered, &signed, &answered])), []);
    // A turn that is over is not looked at; what a user says with an outcome begins another.
    assert_eq!(gemini_3(&list(&[Q, &bare("f"), &answered, A, Q])), []);
    assert_eq!(gemini_3(&list(&[Q, &bare("f"), &answered, Q, &signed, &answered])), []);
    let unsigned = |place| (place, Fault::MissingSignature { name: "f".into() });
    let steps = list(&[Q, &bare("f"), &answered, &bare("f"), &answered]);
    assert_eq!(gemini_3(&steps), at([unsigned("/contents/1/parts/0"), unsigned("/contents/3/parts/0")]));
    let parallel = list(&[Q, &signed, &model(&call("f")), &user(&list(&[&outcome("f"), &outcome("f"), &outcome("f")]))]);
    assert_eq!(gemini_3(&parallel), at([unsigned("/contents/2/parts/0")]));
    assert_eq!(faults(&steps), []);
    let empty = list(&[Q, &model(r#"{"functionCall": {"name": "f"}, "thoughtSignature": ""}"#), &user(&outcome("f"))]);
    assert_eq!(gemini_3(&empty), at([unsigned("/contents/1/parts/0")]));
    let said = common::said(&rules("gemini-3-flash-preview"), &body(&list(&[Q, &model(&call("f")), &user(&outcome("f"))]), ""));
    let words = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, \
                 and missing thought_signature may lead to degraded model performance. Additional data, function call \
                 `default_api:f` , position 2.";
    assert_eq!(said, [Some(words.to_owned())]);
    let broken = user(r#"{"text": "a", "thoughtSignature": "a b"}"#);
    assert_eq!(gemini_3(&broken), at([("/contents/0/parts/0/thoughtSignature", Fault::SignatureNotBase64)]));
}

#[test]
fn media_has_a_type_and_data() {
    let inline = |fields: &str| faults(&user(&format!(r#"{{"inlineData": {{{fields}}}}}"#)));
    let place = "/contents/0/parts/0/inlineData";
    for fine in ["image/png", "image/heic", "audio/mpeg", "video/mp4", "application/pdf", "text/plain"] {
        assert_eq!(inline(&format!(r#""mimeType": "{fine}", "data": "_-+/""#)), [], "{fine}");
    }
    for bad in ["image/svg+xml", "image/jpg", "png"] {
        let expected = at([("/contents/0/parts/0/inlineData/mimeType", Fault::MediaType { found: bad.into() })]);
        assert_eq!(inline(&format!(r#""mimeType": "{bad}", "data": "AA""#)), expected);
    }
    assert_eq!(inline(r#""data": "AA""#), at([(place, Fault::Missing { key: "mimeType" })]));
    for data in [r#""mimeType": "image/png""#, r#""mimeType": "image/png", "data": """#] {
        assert_eq!(inline(data), at([(place, Fault::EmptyMedia)]));
    }
    let address = r#""mimeType": "image/png", "data": "https://example.org/a.png""#;
    assert_eq!(inline(address), at([("/contents/0/parts/0/inlineData/data", Fault::NotBase64)]));
    let file = |fields: &str| faults(&user(&format!(r#"{{"fileData": {{{fields}}}}}"#)));
    assert_eq!(file(r#""fileUri": "gs://a/b.png""#), []);
    assert_eq!(file(r#""mimeType": "image/png""#), at([("/contents/0/parts/0/fileData", Fault::EmptyMedia)]));
    assert_eq!(file(r#""fileUri": """#), at([("/contents/0/parts/0/fileData/fileUri", Fault::EmptyMedia)]));
}

#[test]
fn files_in_outcomes_are_for_gemini_3() {
    let with_file = |data: &str| {
        let outcome = format!(
            r#"{{"functionResponse": {{"name": "f", "response": {{}}, "parts": [{{"inlineData": {{"mimeType": "image/png", "data": "{data}"}}}}]}}}}"#
        );
        list(&[Q, &model(r#"{"functionCall": {"name": "f"}, "thoughtSignature": "AA"}"#), &user(&outcome)])
    };
    assert_eq!(gemini_3(&with_file("AA")), []);
    let place = "/contents/2/parts/0/functionResponse/parts";
    assert_eq!(faults(&with_file("AA")), at([(place, Fault::OutcomeFilesNotSupported)]));
    assert_eq!(
        said(&with_file("AA")),
        ["Unable to submit request because `function_response.parts` is not supported for this model."]
    );
    let empty = at([("/contents/2/parts/0/functionResponse/parts/0/inlineData", Fault::EmptyMedia)]);
    assert_eq!(gemini_3(&with_file("")), empty);
}

#[test]
fn the_system_instruction_is_text() {
    let system =
        |value: &str| common::faults(&rules("gemini-2.5-pro"), &body(Q, &format!(r#", "systemInstruction": {value}"#)));
    assert_eq!(system(r#"{"role": "user", "parts": [{"text": "s"}, {"text": ""}]}"#), []);
    assert_eq!(system(r#"{"parts": [{}]}"#), at([("/systemInstruction/parts/0", Fault::EmptyPart)]));
    let file = Fault::PartNotAllowed { kind: "fileData".into(), role: Role::System };
    let expected = at([("/systemInstruction/parts/0/fileData", file)]);
    assert_eq!(system(r#"{"parts": [{"fileData": {"fileUri": "gs://a"}}]}"#), expected);
    let text = Fault::WrongType { expected: Shape::Object, found: Kind::String };
    assert_eq!(system("\"s\""), at([("/systemInstruction", text)]));
}

#[test]
fn functions_are_declared_once_and_chosen_among() {
    let with = |more: &str| common::faults(&rules("gemini-2.5-pro"), &body(Q, more));
    let tools = |declarations: &str| with(&format!(r#", "tools": [{{"functionDeclarations": [{declarations}]}}]"#));
    let place = "/tools/0/functionDeclarations/0";
    for fine in [
        r#"{"name": "f"}"#,
        r#"{"name": "f", "parameters": {"type": "OBJECT"}}"#,
        r#"{"name": "f", "parameters": {"type": "object"}}"#,
        r##"{"name": "f", "parametersJsonSchema": {"$ref": "#/$defs/a"}}"##,
    ] {
        assert_eq!(tools(fine), [], "{fine}");
    }
    let not_object = |key: &str| {
        let place = format!("/tools/0/functionDeclarations/0/{key}");
        vec![(place, Fault::SchemaNotObject { tool: "f".into() })]
    };
    assert_eq!(tools(r#"{"name": "f", "parameters": {"type": "STRING"}}"#), not_object("parameters"));
    assert_eq!(tools(r#"{"name": "f", "parameters": {"properties": {}}}"#), not_object("parameters"));
    let json = r#"{"name": "f", "parameters_json_schema": {"type": "string"}}"#;
    assert_eq!(tools(json), not_object("parameters_json_schema"));
    assert_eq!(tools("{}"), at([(place, Fault::Missing { key: "name" })]));
    let twice = with(r#", "tools": [{"functionDeclarations": [{"name": "f"}]}, {"function_declarations": [{"name": "f"}]}]"#);
    assert_eq!(twice, at([("/tools/1/function_declarations/0/name", Fault::RepeatedToolName { name: "f".into() })]));
    let config = r#", "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["f", "g"]}}"#;
    let without = at([("/toolConfig/functionCallingConfig", Fault::ToolChoiceWithoutTools)]);
    assert_eq!(with(config), without);
    assert_eq!(with(&format!(r#", "tools": [{{"googleSearch": {{}}}}]{config}"#)), without);
    let unknown = Fault::UnknownToolChoice { name: "g".into() };
    let allowed = "/toolConfig/functionCallingConfig/allowedFunctionNames/1";
    assert_eq!(
        with(&format!(r#", "tools": [{{"functionDeclarations": [{{"name": "f"}}]}}]{config}"#)),
        at([(allowed, unknown)])
    );
    let mut strict = rules("gemini-2.5-pro");
    strict.tools_with_calls = true;
    let called = list(&[Q, &model(&call("f")), &user(&outcome("f"))]);
    assert_eq!(common::faults(&strict, &body(&called, "")), at([("", Fault::CallsWithoutTools)]));
    assert_eq!(faults(&called), []);
}

#[test]
fn a_list_may_go_on_from_contents_that_the_provider_keeps() {
    let cached = |contents: &[&str], more: &str| {
        let more = format!(r#", "cachedContent": "cachedContents/1"{more}"#);
        common::faults(&rules("gemini-2.5-pro"), &body(&list(contents), &more))
    };
    let answer = user(&outcome("f"));
    let config = r#", "toolConfig": {"functionCallingConfig": {"allowedFunctionNames": ["f"]}}"#;
    assert_eq!(cached(&[&answer], config), []);
    assert_eq!(cached(&[&model(&call("f")), &answer], ""), []);
    assert_eq!(cached(&[A], ""), []);
    // Behind the model's first turn the rules are those of any list.
    assert_eq!(cached(&[Q, A, &answer], ""), at([("/contents/2/parts/0", orphan("f"))]));
    assert_eq!(cached(&[A, &answer], ""), at([("/contents/1/parts/0", orphan("f"))]));
    assert_eq!(cached(&[&model(&call("f")), Q], ""), at([("/contents/0/parts/0", missing("f"))]));
}
