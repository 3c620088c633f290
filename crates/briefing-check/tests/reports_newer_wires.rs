//! One test for each public fault report whose body OpenAI Responses or Gemini refuses. The bodies are hand-made after the reports,
//! in `data/reports`, named `Bxx-<wire>-<what>.json`. Gemini's model stands in the address of a
//! request; here it is a field, as the reader of proto JSON takes it.
//!
//! Reports that have a body of the older wires (`reports.rs`) and none here, and why:
//! - B03, B05, B11, B15: the body is that of B01, B02 or B13. B07 on Gemini: that of B01.
//! - B20: neither wire is known to refuse an empty outcome.
//! - B34: OpenAI Responses takes other items between a call and its output; of Gemini nothing is known.
//! - B37, B38, B39 on OpenAI Responses: any order of roles is taken.
//! - B45 on Gemini: ids have no form. B47: a call stands in one place alone. B54: empty text is taken (recorded).
//! - B58, B60, B66: Anthropic's own.

mod common;

use std::collections::BTreeSet;
use std::fs;

use briefing_check::{Fault, IdRule, Role};
use common::{assert_faults, folder, missing, orphan, violations};

const WIRES: [&str; 2] = ["openai_responses", "gemini"];

/// <https://github.com/langchain-ai/langchain/issues/33245>
#[test]
fn b01_window_begins_with_an_outcome() {
    assert_faults("B01-openai_responses-window-begins-with-an-outcome", &[("/input/0", orphan("c1"))]);
    assert_faults("B01-gemini-window-begins-with-an-outcome", &[("/contents/0/parts/0", orphan("c1"))]);
}

/// <https://github.com/langchain-ai/langchain/issues/29637>
#[test]
fn b02_outcomes_filtered_out() {
    assert_faults("B02-openai_responses-outcomes-filtered-out", &[("/input/1", missing("c1"))]);
    assert_faults("B02-gemini-outcomes-filtered-out", &[("/contents/1/parts/0", missing("c1"))]);
}

/// <https://github.com/langchain-ai/langchain/issues/38352>
#[test]
fn b07_summary_keeps_outcomes() {
    let both = [("/input/1", orphan("f9")), ("/input/2", orphan("f10"))];
    assert_faults("B07-openai_responses-summary-keeps-outcomes", &both);
}

/// <https://github.com/mastra-ai/mastra/issues/16193>
#[test]
fn b10_recall_of_half_a_round() {
    assert_faults("B10-openai_responses-recall-of-half-a-round", &[("/input/1", missing("a")), ("/input/3", missing("c"))]);
    assert_faults(
        "B10-gemini-recall-of-half-a-round",
        &[("/contents/1/parts/0", missing("a")), ("/contents/1/parts/2", missing("c"))],
    );
}

/// <https://github.com/openai/openai-agents-python/issues/4827>
#[test]
fn b12_outcome_stored_call_never() {
    assert_faults("B12-openai_responses-outcome-stored-call-never", &[("/input/1", orphan("c1"))]);
    assert_faults("B12-gemini-outcome-stored-call-never", &[("/contents/2/parts/0", orphan("c1"))]);
}

/// <https://github.com/anomalyco/opencode/issues/3230>
#[test]
fn b13_interrupted() {
    assert_faults("B13-openai_responses-interrupted", &[("/input/2", missing("t1"))]);
    assert_faults("B13-gemini-interrupted", &[("/contents/1/parts/1", missing("t1"))]);
}

/// <https://github.com/anthropics/claude-code/issues/5989>
#[test]
fn b18_one_of_two_missing() {
    assert_faults("B18-openai_responses-one-of-two-missing", &[("/input/2", missing("b"))]);
    assert_faults("B18-gemini-one-of-two-missing", &[("/contents/1/parts/1", missing("b"))]);
}

/// <https://github.com/cortexkit/magic-context/issues/512>
#[test]
fn b37_ends_on_model() {
    assert_faults("B37-gemini-ends-on-model", &[("/contents/1", Fault::Prefill)]);
}

/// <https://github.com/mastra-ai/mastra/issues/4816>
#[test]
fn b38_begins_with_a_call() {
    assert_faults("B38-gemini-begins-with-a-call", &[("/contents/0", Fault::FirstRole { role: Role::Model })]);
}

/// <https://github.com/raullenchai/Rapid-MLX/issues/1543>
#[test]
fn b39_system_in_the_middle() {
    let system = Fault::UnknownRole { role: "system".into() };
    assert_faults("B39-gemini-system-in-the-middle", &[("/contents/2/role", system)]);
}

/// <https://github.com/maximhq/bifrost/issues/5097>
#[test]
fn b45_id_characters() {
    let long = || Fault::BadCallId { id: format!("call_{}", "0123456789".repeat(6)), rule: IdRule::AtMost64 };
    assert_faults("B45-openai_responses-id-length", &[("/input/1/call_id", long()), ("/input/2/call_id", long())]);
    let item = Fault::BadItemId { id: "toolu_01".into(), prefix: "fc" };
    assert_faults("B45-openai_responses-item-id", &[("/input/1/id", item)]);
}

/// <https://github.com/bvcyber/Cyber-AutoAgent-ng/issues/72>
#[test]
fn b48_one_id_for_two_calls() {
    let repeated = || Fault::RepeatedCallId { id: "http_request".into() };
    assert_faults("B48-openai_responses-one-id-for-two-calls", &[("/input/2/call_id", repeated())]);
    assert_faults("B48-gemini-one-id-for-two-calls", &[("/contents/1/parts/1/functionCall/id", repeated())]);
    let empty = [("/input/1/call_id", Fault::EmptyCallId), ("/input/2/call_id", Fault::EmptyCallId)];
    assert_faults("B48-openai_responses-empty-ids", &empty);
}

/// <https://github.com/mastra-ai/mastra/issues/13632>
#[test]
fn b49_tool_name() {
    let bad = Fault::BadToolName { name: "browser.tabs.open".into(), most: 128 };
    assert_faults("B49-openai_responses-tool-name", &[("/input/1/name", bad)]);
    let bad = || Fault::BadFunctionName { name: "browser/tabs open".into() };
    assert_faults(
        "B49-gemini-tool-name",
        &[("/contents/1/parts/0/functionCall/name", bad()), ("/contents/2/parts/0/functionResponse/name", bad())],
    );
}

/// <https://github.com/justrach/codegraff/issues/752>
#[test]
fn b50_truncated_arguments() {
    let broken = Fault::ArgumentsNotJson { id: "c1".into() };
    assert_faults("B50-openai_responses-truncated-arguments", &[("/input/1/arguments", broken)]);
    let text = Fault::ArgumentsNotObject { id: "c1".into() };
    assert_faults("B50-gemini-truncated-arguments", &[("/contents/1/parts/0/functionCall/args", text)]);
}

/// <https://github.com/UKGovernmentBEIS/inspect_ai/pull/4683>
#[test]
fn b52_arguments_over_the_limit() {
    let body = |length: usize| {
        let arguments = format!(r#"{{\"a\":\"{}\"}}"#, "x".repeat(length - 8));
        format!(
            r#"{{"model": "gpt-5.4", "input": [{{"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{arguments}"}},
            {{"type": "function_call_output", "call_id": "c1", "output": "r"}}]}}"#
        )
    };
    assert_eq!(violations(&body(1_048_576)), []);
    let fault = Fault::ArgumentsTooLong { id: "c1".into(), characters: 1_100_000, most: 1_048_576 };
    assert_eq!(violations(&body(1_100_000)), [("/input/0/arguments".to_owned(), fault)]);
}

/// <https://github.com/anthropics/claude-code/issues/56064>
#[test]
fn b56_lone_surrogate() {
    assert_faults("B56-openai_responses-lone-surrogate", &[("/input/0/content", Fault::LoneSurrogate)]);
    assert_faults("B56-gemini-lone-surrogate", &[("/contents/0/parts/0/text", Fault::LoneSurrogate)]);
}

/// <https://github.com/openai/openai-agents-js/issues/326>, <https://github.com/openclaw/openclaw/issues/19121>
#[test]
fn b62_reasoning_alone() {
    let alone = || [("/input/1", Fault::ReasoningAlone { id: "rs_1".into() })];
    assert_faults("B62-openai_responses-reasoning-alone", &alone());
    assert_faults("B62-openai_responses-what-followed-has-lost-its-id", &alone());
}

/// <https://github.com/langgenius/dify-official-plugins/issues/2088>
#[test]
fn b64_thought_signature_lost() {
    let lost = Fault::MissingSignature { name: "get_weather".into() };
    assert_faults("B64-gemini-thought-signature-lost", &[("/contents/1/parts/0", lost)]);
}

/// The value that Google's documentation gives for calls of other models stands in recording 04.
/// <https://github.com/octos-org/octos/pull/1897>
#[test]
fn b64_the_bypass_value_is_a_signature() {
    let lost = fs::read_to_string(folder().join("B64-gemini-thought-signature-lost.json")).unwrap();
    let signed =
        lost.replacen("\"functionCall\"", "\"thoughtSignature\": \"skip_thought_signature_validator\", \"functionCall\"", 1);
    assert_eq!(violations(&signed), []);
}

/// <https://github.com/openclaw/openclaw/issues/12832>, <https://github.com/AstrBotDevs/AstrBot/issues/9876>
#[test]
fn b65_outcome_name() {
    let empty = Fault::Missing { key: "name" };
    assert_faults("B65-gemini-empty-outcome-name", &[("/contents/2/parts/0/functionResponse", empty)]);
    let id = || Fault::OutcomeName { name: "call_7".into(), call: "get_weather".into() };
    let place = "/contents/2/parts/0/functionResponse/name";
    assert_faults("B65-gemini-id-as-outcome-name", &[(place, id())]);
    assert_faults("B65-gemini-id-as-outcome-name-without-ids", &[(place, id())]);
}

/// <https://github.com/coder/coder/pull/24518>
#[test]
fn b72_empty_media() {
    assert_faults("B72-openai_responses-empty-media", &[("/input/0/content/1/image_url", Fault::EmptyMedia)]);
    assert_faults("B72-gemini-empty-media", &[("/contents/0/parts/1/inlineData", Fault::EmptyMedia)]);
}

/// <https://github.com/epam/ai-dial-chat/issues/7271>
#[test]
fn b73_media_type() {
    let film = Fault::MediaType { found: "video/mp4".into() };
    assert_faults("B73-openai_responses-media-type", &[("/input/0/content/1/image_url", film)]);
    let svg = Fault::MediaType { found: "image/svg+xml".into() };
    assert_faults("B73-gemini-media-type", &[("/contents/0/parts/1/inlineData/mimeType", svg)]);
}

/// Every body of the two wires is asserted above, is recognised as the wire in its name, and is refused.
#[test]
fn every_body_of_the_wires_is_refused() {
    let source = include_str!("reports_newer_wires.rs");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !name.split('-').nth(1).is_some_and(|wire| WIRES.contains(&wire)) {
            continue;
        }
        let body = fs::read_to_string(&path).unwrap();
        assert_ne!(violations(&body), [], "{name}");
        assert!(source.contains(&format!("\"{name}\"")), "{name} has no test");
        names.insert(name);
    }
    assert_eq!(names.len(), 37);
}
