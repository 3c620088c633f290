//! What is none of the forms, and what is refused with its place.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use briefing_forms::{Form, read, recognise};
use briefing_json::Document;

fn told(text: &str) -> Option<Form> {
    recognise(Document::parse(text).unwrap().root())
}

/// Bodies that providers took, of four formats, are no stored messages, nor are their lists.
#[test]
fn no_recorded_body_is_taken_for_stored_messages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../briefing-wire/tests/data/wire");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let document = Document::parse(&text).unwrap();
        let request = document.root().get("request").unwrap();
        assert_eq!(recognise(request), None, "{}", path.display());
        for list in ["messages", "input", "contents"].iter().filter_map(|key| request.get(key)) {
            assert_eq!(recognise(list), None, "{}", path.display());
        }
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn lists_of_wires_and_of_briefing_are_no_stored_messages() {
    let others = [
        "[]",
        "7",
        r#"{"messages": 7}"#,
        r#"[{"role":"user","content":"a"}]"#,
        r#"[{"role":"user","parts":[{"text":"a"}]}]"#,
        r#"[{"role":"model","parts":[]}]"#,
        r#"[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}, {"type":"function_call","call_id":"c"}]"#,
        r#"[{"role":"user","content":[{"type":"image","source":{}}, {"type":"file","file":{}}, {"type":"image","media_type":"image/png","data":"aa"}]}]"#,
        r#"[{"role":"assistant","items":[{"type":"reasoning","wire":"anthropic","kind":"thinking","raw":{}}]}]"#,
        r#"[{"role":"tool","tool_call_id":"c","content":"a"}, {"role":"assistant","tool_calls":[{"id":"c","name":"f","input":{}}]}]"#,
        r#"[{"role":"user","agentName":"a","content":"b"}]"#,
        r#"[{"type":"event","data":{}}, {"type":"user","data":{}}, {"type":"human"}]"#,
    ];
    assert_eq!(others.map(told), [None; 12]);
}

#[test]
fn what_has_no_meaning_is_refused_with_its_place() {
    let refused = |form, text: &str| read(form, Document::parse(text).unwrap().root()).unwrap_err().to_string();
    assert_eq!(
        [
            refused(Form::LangChain, "{}"),
            refused(Form::LangChain, r#"[7]"#),
            refused(Form::LangChain, r#"{"messages":[{"data":{}}]}"#),
            refused(Form::LangChain, r#"[{"type":"human","data":{"content":7}}]"#),
            refused(Form::LangChain, r#"[{"type":"ai","data":{"content":["a",[]]}}]"#),
            refused(Form::LangChain, r#"[{"lc":1,"id":[],"kwargs":{}}]"#),
            refused(Form::VercelUi, r#"[{"parts":[]}]"#),
            refused(Form::VercelUi, r#"[{"role":"assistant","parts":[{"text":"a"}]}]"#),
            refused(Form::VercelModel, r#"[{"role":"user","content":{}}]"#),
            refused(Form::VercelModel, r#"[{"role":"tool","content":[{"type":"tool-result","output":"x"}]}]"#),
        ],
        [
            "the list: wanted an array of messages, found an object",
            "/0: wanted an object, found a number",
            "/messages/0: `type` is missing",
            "/0/data/content: wanted a string or an array of parts, found a number",
            "/0/data/content/1: wanted an object, found an array",
            "/0: `id` is missing",
            "/0: `role` is missing",
            "/0/parts/0: `type` is missing",
            "/0/content: wanted a string or an array of parts, found an object",
            "/0/content/0/output: wanted an object, found a string",
        ]
    );
}
