//! What a set of tools declares, and what it says of calls.

use std::sync::Arc;

use crate::support::{object, spec};
use briefing::message::ToolCall;
use briefing_agent::tool::{
    AddError, CallFault, Checked, MAX_INPUT_BYTES, Note, ReadAttachment, SchemaFault, SearchThreads, ToolSet,
};
use briefing_agent::{BoxFuture, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};
use serde_json::{Map, Value, json};

struct Fake(ToolSpec);

impl Tool for Fake {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn run<'a>(&'a self, _: &'a Map<String, Value>, _: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(std::future::ready(Ok(ToolOutput::default())))
    }
}

const ORDER: &str = r#"{"type":"object","properties":{"number":{"type":"integer","minimum":1}},"required":["number"],"additionalProperties":false}"#;
const ANY: &str = r#"{"type":"object"}"#;

fn add(set: &mut ToolSet, name: &str, schema: &str) -> Result<(), AddError> {
    set.add(Arc::new(Fake(spec(name, schema))))
}

fn set() -> ToolSet {
    let mut set = ToolSet::new();
    add(&mut set, "find_order", ORDER).unwrap();
    add(&mut set, "refund", ORDER).unwrap();
    add(&mut set, "note", ANY).unwrap();
    set
}

fn granted(name: &str) -> bool {
    name != "refund"
}

fn checked(set: &ToolSet, name: &str, input: &str) -> Result<(Arc<str>, Map<String, Value>), String> {
    match set.check(&ToolCall::new("c1", name, input), granted) {
        Checked::Ready { tool, input } => Ok((Arc::clone(&tool.spec().name), input)),
        Checked::Refused(fault) => Err(fault.to_string()),
    }
}

fn fault(schema: &str) -> Result<(), SchemaFault> {
    match add(&mut ToolSet::new(), "tool", schema) {
        Ok(()) => Ok(()),
        Err(AddError::Schema { fault, .. }) => Err(fault),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_name_is_valid_and_belongs_to_one_tool() {
    let mut set = set();
    assert_eq!(add(&mut set, "note", ANY), Err(AddError::Twice { name: "note".into() }));
    for name in ["", "find order", "größe", "a.b", &"x".repeat(65)] {
        assert_eq!(add(&mut set, name, ANY), Err(AddError::Name { name: name.to_owned() }));
    }
    add(&mut set, &"x".repeat(64), ANY).unwrap();
    assert_eq!(set.tools().count(), 4);
}

#[test]
fn what_is_granted_is_declared_in_order() {
    let declared = set().declare(granted);
    let function = |name: &str, schema: &str| {
        let spec = spec(name, schema);
        briefing::Tool::function(name, &*spec.description, spec.schema)
    };
    assert_eq!(declared, [function("find_order", ORDER), function("note", ANY)]);
}

#[test]
fn a_call_that_can_run_has_its_input() {
    let set = set();
    assert_eq!(checked(&set, "find_order", r#"{"number":7}"#), Ok(("find_order".into(), object(json!({"number": 7})))));
    assert_eq!(checked(&set, "note", " \n"), Ok(("note".into(), Map::new())));
}

#[test]
fn an_unknown_tool_and_one_that_is_not_granted_read_the_same() {
    let set = set();
    let told = |name: &str| format!("[not run: there is no tool {name:?}; there are find_order, note]");
    assert_eq!(checked(&set, "pay", "{}"), Err(told("pay")));
    assert_eq!(checked(&set, "refund", "{}"), Err(told("refund")));
    let refused = |name: &str| match set.check(&ToolCall::new("c1", name, "{}"), granted) {
        Checked::Ready { .. } => panic!("{name} cannot run"),
        Checked::Refused(fault) => fault,
    };
    assert!(matches!(refused("refund"), CallFault::NotGranted { .. }));
    assert!(matches!(refused("pay"), CallFault::UnknownTool { .. }));
}

#[test]
fn at_most_twenty_names_are_told_and_a_name_forges_no_line() {
    let mut set = ToolSet::new();
    for number in 0..30 {
        add(&mut set, &format!("t{number}"), ANY).unwrap();
    }
    let names: Vec<String> = (0..20).map(|number| format!("t{number}")).collect();
    let long = format!("a\nb{}", "x".repeat(1_000));
    let shown = format!("a b{}", "x".repeat(61));
    let expected = format!("[not run: there is no tool {shown:?}; there are {} and 10 more]", names.join(", "));
    assert_eq!(checked(&set, &long, "{}"), Err(expected));
    assert_eq!(checked(&ToolSet::new(), "a", "{}"), Err("[not run: there is no tool \"a\"; there are none]".to_owned()));
}

#[test]
fn a_broken_input_is_told() {
    let set = set();
    let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(64), "]".repeat(64));
    let deeper = format!(r#"{{"a":{}{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
    let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_INPUT_BYTES));
    let told = |input: &str| checked(&set, "note", input).unwrap_err();
    assert_eq!(told("{\n\"a\":"), "[not run: the input is no JSON (line 2); call again with one JSON object]");
    assert_eq!(told("[1]"), "[not run: the input is not a JSON object; call again with one]");
    assert_eq!(told("null"), "[not run: the input is not a JSON object; call again with one]");
    assert_eq!(told(&deep), "[not run: the input nests deeper than 64 levels; call again with a flatter one]");
    assert_eq!(told(&deeper), "[not run: the input nests deeper than 64 levels; call again with a flatter one]");
    assert_eq!(told(&large), "[not run: the input takes more than 262144 bytes; call again with a shorter one]");
    let surrogate = "[not run: the input holds half of a surrogate pair; call again with whole characters]";
    assert_eq!(told(r#"{"a":"\ud83d"}"#), surrogate);
    assert_eq!(told(r#"{"a":1e999}"#), "[not run: the input is no JSON (line 1); call again with one JSON object]");
}

#[test]
fn problems_are_told_with_their_places() {
    let set = set();
    assert_eq!(
        checked(&set, "find_order", r#"{"number":0,"x":1}"#).unwrap_err(),
        "[not run: the input is not as the tool wants it; mend this and call again]\n\
         /number: the value is less than the minimum of 1\n\
         the input: Additional properties are not allowed ('x' was unexpected)"
    );
}

#[test]
fn problems_are_few_and_short() {
    let mut set = ToolSet::new();
    add(&mut set, "tool", r#"{"type":"object","additionalProperties":{"enum":["y"]}}"#).unwrap();
    let members: Vec<String> =
        (0..50).map(|number| format!(r#""{number}{}":"{}""#, "k".repeat(1_000), "v".repeat(1_000))).collect();
    let call = ToolCall::new("c1", "tool", format!("{{{}}}", members.join(",")));
    let Checked::Refused(CallFault::InvalidInput { problems }) = set.check(&call, |_| true) else { panic!("it is invalid") };
    let lengths: Vec<(usize, bool)> =
        problems.iter().map(|problem| (problem.pointer.chars().count(), problem.text.chars().count() <= 200)).collect();
    assert_eq!(lengths, [(200, true); 5]);
}

#[test]
fn a_schema_that_cannot_be_used_is_refused() {
    let reference = |reference: &str| Err(SchemaFault::ForeignReference { reference: reference.to_owned() });
    let of = |reference: &str| fault(&json!({"type": "object", "properties": {"a": {"$ref": reference}}}).to_string());
    for foreign in ["https://x.example/schema.json", "file:///etc/passwd", "other.json#/a", "#anchor", "#/no/such/place"] {
        assert_eq!(of(foreign), reference(foreign));
    }
    assert_eq!(fault(r#"{"type":"string"}"#), Err(SchemaFault::NotOfObjects));
    assert_eq!(fault("true"), Err(SchemaFault::NotOfObjects));
    let nested = r##"{"type":"object","properties":{"a":{"$id":"https://x.example/","$ref":"#"}}}"##;
    assert_eq!(fault(nested), Err(SchemaFault::Unsupported { keyword: "$id" }));
    let deep = format!(r#"{{"type":"object","not":{}true{}}}"#, r#"{"not":"#.repeat(80), "}".repeat(80));
    assert_eq!(fault(&deep), Err(SchemaFault::TooDeep));
    let large = format!(r#"{{"type":"object","description":"{}"}}"#, "x".repeat(200_000));
    assert_eq!(fault(&large), Err(SchemaFault::TooLarge { bytes: large.len() }));
    assert!(matches!(fault(r#"{"type":"object","required":7}"#), Err(SchemaFault::Invalid { .. })));
    assert!(matches!(fault(r#"{"type":"object","properties":{"a":{"pattern":"(?=a)b"}}}"#), Err(SchemaFault::Invalid { .. })));
    assert!(matches!(
        fault(r#"{"type":"object","properties":{"a":{"pattern":"((a{1000}){1000}){1000}"}}}"#),
        Err(SchemaFault::Invalid { .. })
    ));
    assert!(matches!(fault(r#"{"type":"object","$schema":"https://x.example/meta"}"#), Err(SchemaFault::Invalid { .. })));
}

#[test]
fn a_reference_inside_and_a_tree_are_followed() {
    let mut set = ToolSet::new();
    let schema = r##"{"type":"object","$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":
        {"name":{"type":"string"},"under":{"type":"array","items":{"$ref":"#/$defs/tree"}}},"required":["name"]}}}"##;
    add(&mut set, "tree", schema).unwrap();
    checked(&set, "tree", r#"{"name":"a","under":[{"name":"b","under":[{"name":"c"}]}]}"#).unwrap();
    assert_eq!(
        checked(&set, "tree", r#"{"name":"a","under":[{"name":"b","under":[{}]}]}"#).unwrap_err(),
        "[not run: the input is not as the tool wants it; mend this and call again]\n\
         /under/0/under/0: \"name\" is a required property"
    );
}

#[test]
fn a_deep_input_fits_on_the_stack() {
    let mut set = ToolSet::new();
    add(&mut set, "deep", r##"{"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false}"##).unwrap();
    let input = |inside: &str| format!("{}{inside}{}", r#"{"a":"#.repeat(60), "}".repeat(60));
    checked(&set, "deep", &input("{}")).unwrap();
    checked(&set, "deep", &input(r#"{"b":1}"#)).unwrap_err();
}

#[test]
fn a_schema_that_fans_out_is_refused() {
    let defs: Map<String, Value> = (0..40)
        .map(|number| {
            let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
            (format!("d{number}"), json!({"anyOf": [next, next]}))
        })
        .chain([("d40".to_owned(), json!({"type": "string"}))])
        .collect();
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    assert_eq!(fault(&schema.to_string()), Err(SchemaFault::TooComplex));
    let chain: Map<String, Value> = (0..1_000)
        .map(|number| (format!("d{number}"), json!({"$ref": format!("#/$defs/d{}", (number + 1) % 1_000)})))
        .collect();
    let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": chain});
    assert_eq!(fault(&schema.to_string()), Err(SchemaFault::TooComplex));
}

#[test]
fn an_input_that_a_hostile_schema_would_check_forever_is_refused() {
    let mut set = ToolSet::new();
    // Twice as long for each level of the input.
    let doubling = r##"{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}},"required":["a"]}"##;
    add(&mut set, "doubling", doubling).unwrap();
    let circle = r##"{"type":"object","anyOf":[{"$ref":"#"}]}"##;
    add(&mut set, "circle", circle).unwrap();
    let input = format!("{}{}", r#"{"a":"#.repeat(50) + "{}", "}".repeat(50));
    let told = "[not run: the input is too complex to be checked; call again with a simpler one]";
    assert_eq!(checked(&set, "doubling", &input).unwrap_err(), told);
    assert_eq!(checked(&set, "circle", "{}").unwrap_err(), told);
}

#[test]
fn a_hostile_pattern_takes_linear_time() {
    let mut set = ToolSet::new();
    add(&mut set, "tool", r#"{"type":"object","properties":{"a":{"pattern":"^(a|a)*(a|a)*(a|a)*$"}}}"#).unwrap();
    let input = format!(r#"{{"a":"{}b"}}"#, "a".repeat(50_000));
    assert_eq!(
        checked(&set, "tool", &input).unwrap_err(),
        "[not run: the input is not as the tool wants it; mend this and call again]\n\
         /a: the value does not match \"^(a|a)*(a|a)*(a|a)*$\""
    );
}

proptest::proptest! {
    #[test]
    fn any_call_is_answered(name in ".{0,80}", input in "[\\[\\]{}:,\"\\\\ud8a1-]{0,40}") {
        let set = set();
        for name in [name.as_str(), "find_order"] {
            if let Err(told) = checked(&set, name, &input) {
                assert!(told.starts_with("[not run: ") && told.chars().count() < 1_500, "{told}");
            }
        }
    }
}

#[test]
fn the_built_in_tools_make_a_set() {
    let mut set = ToolSet::new();
    set.add(Arc::new(ReadAttachment::default())).unwrap();
    set.add(Arc::new(SearchThreads::default())).unwrap();
    set.add(Arc::new(Note::default())).unwrap();
    let names: Vec<&str> = set.tools().map(|tool| &*tool.spec().name).collect();
    assert_eq!(names, ["read_attachment", "search_threads", "note"]);
    checked(&set, "note", &json!({"text": "x".repeat(2_000)}).to_string()).unwrap();
    checked(&set, "note", &json!({"text": "x".repeat(2_001)}).to_string()).unwrap_err();
    checked(&set, "search_threads", r#"{"query":"a","limit":21}"#).unwrap_err();
}
