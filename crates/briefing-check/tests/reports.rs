//! One test for each public fault report whose body one of the two wires refuses. The bodies are in `data/reports`, named
//! `Bxx-<wire>-<what>.json`; other crates run over that folder, too.
//!
//! Reports that have no body here, and why:
//! - B08, B62, B64, B65: faults of OpenAI Responses or Gemini bodies; see `reports_newer_wires.rs`.
//! - B19: both wires take a call of a tool that is not declared; a call that stays unanswered is B13.
//! - B21, B23, B24, B26, B28: the body is that of B13. B27: that of B18.
//! - B29, B31, B32, B41, B43, B81: the body is valid, but the wrong one, or in another order.
//! - B42, B67, B69: a matter of size and counting, not of form.
//! - B57: NUL, escaped, is legal JSON and no provider is known to refuse it; databases do.
//! - B74, B76, B78, B79, B80: storage, concurrency and cache.
//! - B82, B83, B84: mail.

mod common;

use std::collections::BTreeSet;
use std::fs;

use briefing_check::{Fault, IdRule, Role, Rules, Wire, check, recognise};
use briefing_json::Document;
use common::{assert_faults, folder, missing, orphan, violations};

/// <https://github.com/langchain-ai/langchain/issues/33245>
#[test]
fn b01_window_begins_with_an_outcome() {
    assert_faults("B01-openai_chat-window-begins-with-an-outcome", &[("/messages/0", orphan("c1"))]);
    assert_faults("B01-anthropic-window-begins-with-an-outcome", &[("/messages/0/content/0", orphan("c1"))]);
}

/// <https://github.com/langchain-ai/langchain/issues/29637>
#[test]
fn b02_outcomes_filtered_out() {
    assert_faults("B02-openai_chat-outcomes-filtered-out", &[("/messages/1/tool_calls/0", missing("c1"))]);
    assert_faults("B02-anthropic-outcomes-filtered-out", &[("/messages/1/content/0", missing("c1"))]);
}

/// <https://github.com/microsoft/semantic-kernel/issues/12708>
#[test]
fn b03_count_keeps_the_outcome_alone() {
    assert_faults("B03-openai_chat-count-keeps-the-outcome-alone", &[("/messages/1", orphan("123"))]);
}

/// <https://github.com/KryptSec/oasis/pull/70>
#[test]
fn b05_sliding_window() {
    assert_faults("B05-openai_chat-sliding-window", &[("/messages/1", orphan("c1"))]);
    assert_faults("B05-anthropic-sliding-window", &[("/messages/0/content/0", orphan("c1"))]);
}

/// <https://github.com/langchain-ai/langchain/issues/38352>
#[test]
fn b07_summary_keeps_outcomes() {
    assert_faults("B07-openai_chat-summary-keeps-outcomes", &[("/messages/1", orphan("f9")), ("/messages/2", orphan("f10"))]);
    assert_faults(
        "B07-anthropic-summary-keeps-outcomes",
        &[("/messages/0/content/1", orphan("f9")), ("/messages/0/content/2", orphan("f10"))],
    );
}

/// <https://github.com/mastra-ai/mastra/issues/16193>
#[test]
fn b10_recall_of_half_a_round() {
    assert_faults(
        "B10-openai_chat-recall-of-half-a-round",
        &[("/messages/1/tool_calls/0", missing("a")), ("/messages/1/tool_calls/2", missing("c"))],
    );
    assert_faults(
        "B10-anthropic-recall-of-half-a-round",
        &[("/messages/1/content/0", missing("a")), ("/messages/1/content/2", missing("c"))],
    );
}

/// <https://github.com/openai/codex/issues/29773>
#[test]
fn b11_call_stored_outcome_never() {
    assert_faults("B11-openai_chat-call-stored-outcome-never", &[("/messages/1/tool_calls/0", missing("p1"))]);
    assert_faults("B11-anthropic-call-stored-outcome-never", &[("/messages/1/content/0", missing("p1"))]);
}

/// <https://github.com/openai/openai-agents-python/issues/4827>
#[test]
fn b12_outcome_stored_call_never() {
    assert_faults("B12-openai_chat-outcome-stored-call-never", &[("/messages/1", orphan("c1"))]);
    assert_faults("B12-anthropic-outcome-stored-call-never", &[("/messages/2/content/0", orphan("c1"))]);
}

/// <https://github.com/anomalyco/opencode/issues/3230>
#[test]
fn b13_interrupted() {
    assert_faults("B13-openai_chat-interrupted", &[("/messages/1/tool_calls/0", missing("t1"))]);
    assert_faults("B13-anthropic-interrupted", &[("/messages/1/content/1", missing("t1"))]);
}

/// <https://github.com/aaif-goose/goose/pull/7684>
#[test]
fn b15_repair_thrown_away() {
    assert_faults("B15-openai_chat-repair-thrown-away", &[("/messages/3/tool_calls/0", missing("x2"))]);
    assert_faults("B15-anthropic-repair-thrown-away", &[("/messages/3/content/0", missing("x2"))]);
}

/// <https://github.com/anthropics/claude-code/issues/5989>
#[test]
fn b18_one_of_two_missing() {
    assert_faults("B18-openai_chat-one-of-two-missing", &[("/messages/1/tool_calls/1", missing("b"))]);
    assert_faults("B18-anthropic-one-of-two-missing", &[("/messages/1/content/1", missing("b"))]);
}

/// <https://github.com/zed-industries/zed/pull/37196>
#[test]
fn b20_empty_outcome() {
    assert_faults("B20-openai_chat-empty-outcome", &[("/messages/2/content", Fault::EmptyOutcome { id: "c1".into() })]);
    assert_faults("B20-anthropic-empty-outcome", &[("/messages/2/content/0/content", Fault::EmptyOutcome { id: "c1".into() })]);
}

/// <https://github.com/Mars-Sea/dsh-commandcode-provider/pull/33>
#[test]
fn b34_image_between_outcomes() {
    assert_faults(
        "B34-openai_chat-image-between-outcomes",
        &[("/messages/1/tool_calls/1", missing("b")), ("/messages/4", Fault::LateOutcome { id: "b".into() })],
    );
}

/// The providers take two user messages in a row: OpenAI as they are, Anthropic joins them, and mistral-common lets user follow
/// user. The chat templates of local models refuse them ("roles must alternate").
/// <https://github.com/etkecc/baibot/issues/13>
#[test]
fn b36_two_user_messages_in_a_row() {
    let body = |model: &str| {
        format!(
            r#"{{"model": "{model}", "max_tokens": 9, "messages": [{{"role": "user", "content": "a"}},
            {{"role": "user", "content": "b"}}, {{"role": "assistant", "content": "c"}}, {{"role": "user", "content": "d"}}]}}"#
        )
    };
    for model in ["gpt-4o", "mistral-large-latest", "claude-sonnet-4-5", "gemma-3"] {
        assert_eq!(violations(&body(model)), [], "{model}");
    }
    let body = body("gemma-3");
    let document = Document::parse(&body).unwrap();
    let mut rules = Rules::for_model(Wire::OpenAiChat, "gemma-3");
    rules.alternate = true;
    let report = check(document.root(), &rules);
    let [violation] = report.violations.as_slice() else { panic!("{report:?}") };
    assert_eq!(violation.to_string(), "/messages/1: role user may not follow role user");
}

/// <https://github.com/cortexkit/magic-context/issues/512>
#[test]
fn b37_ends_on_assistant() {
    assert_faults("B37-anthropic-ends-on-assistant", &[("/messages/1", Fault::Prefill)]);
    assert_faults("B37-openai_chat-mistral-ends-on-assistant", &[("/messages/1", Fault::Prefill)]);
}

/// <https://github.com/mastra-ai/mastra/issues/4816>
#[test]
fn b38_begins_with_a_call() {
    assert_faults("B38-anthropic-begins-with-a-call", &[("/messages/0", Fault::FirstRole { role: Role::Assistant })]);
}

/// <https://github.com/raullenchai/Rapid-MLX/issues/1543>
#[test]
fn b39_system_in_the_middle() {
    assert_faults(
        "B39-anthropic-system-in-the-middle",
        &[("/messages/2/role", Fault::RoleNotSupported { role: Role::System })],
    );
    assert_faults(
        "B39-openai_chat-mistral-system-in-the-middle",
        &[("/messages/3", Fault::RoleOrder { role: Role::System, after: Role::Assistant })],
    );
}

/// <https://github.com/maximhq/bifrost/issues/5097>
#[test]
fn b45_id_characters() {
    let bad_id = |rule| Fault::BadCallId { id: "functions.write:0".into(), rule };
    let long = || Fault::BadCallId { id: format!("call_{}", "0123456789".repeat(4)), rule: IdRule::AtMost40 };
    assert_faults(
        "B45-anthropic-id-characters",
        &[("/messages/1/content/0/id", bad_id(IdRule::Word)), ("/messages/2/content/0/tool_use_id", bad_id(IdRule::Word))],
    );
    assert_faults(
        "B45-openai_chat-mistral-id-characters",
        &[("/messages/1/tool_calls/0/id", bad_id(IdRule::Nine)), ("/messages/2/tool_call_id", bad_id(IdRule::Nine))],
    );
    assert_faults(
        "B45-openai_chat-id-length",
        &[("/messages/1/tool_calls/0/id", long()), ("/messages/2/tool_call_id", long())],
    );
}

/// <https://github.com/BerriAI/litellm/issues/23510>
#[test]
fn b47_same_call_twice() {
    assert_faults("B47-anthropic-same-call-twice", &[("/messages/1/content/1/id", Fault::RepeatedCallId { id: "x".into() })]);
    assert_faults(
        "B47-openai_chat-call-in-both-fields",
        &[("/messages/1/content/0", Fault::UnknownPart { kind: "tool_use".into() })],
    );
}

/// <https://github.com/bvcyber/Cyber-AutoAgent-ng/issues/72>
#[test]
fn b48_one_id_for_two_calls() {
    assert_faults(
        "B48-openai_chat-one-id-for-two-calls",
        &[("/messages/1/tool_calls/1/id", Fault::RepeatedCallId { id: "http_request".into() })],
    );
    assert_faults(
        "B48-anthropic-one-id-for-two-calls",
        &[("/messages/3/content/0/id", Fault::RepeatedCallId { id: "http_request".into() })],
    );
    assert_faults(
        "B48-openai_chat-empty-ids",
        &[("/messages/1/tool_calls/0/id", Fault::EmptyCallId), ("/messages/2/tool_call_id", Fault::EmptyCallId)],
    );
    assert_faults(
        "B48-anthropic-empty-ids",
        &[("/messages/1/content/0/id", Fault::EmptyCallId), ("/messages/2/content/0/tool_use_id", Fault::EmptyCallId)],
    );
}

/// <https://github.com/mastra-ai/mastra/issues/13632>
#[test]
fn b49_tool_name() {
    assert_faults(
        "B49-openai_chat-tool-name",
        &[("/messages/1/tool_calls/0/function/name", Fault::BadToolName { name: "browser.tabs.open".into(), most: 64 })],
    );
    assert_faults(
        "B49-anthropic-tool-name",
        &[("/messages/1/content/0/name", Fault::BadToolName { name: "browser.tabs.open".into(), most: 128 })],
    );
}

/// <https://github.com/justrach/codegraff/issues/752>
#[test]
fn b50_truncated_arguments() {
    assert_faults(
        "B50-openai_chat-truncated-arguments",
        &[("/messages/1/tool_calls/0/function/arguments", Fault::ArgumentsNotJson { id: "c1".into() })],
    );
    assert_faults(
        "B50-anthropic-truncated-arguments",
        &[("/messages/1/content/0/input", Fault::ArgumentsNotObject { id: "c1".into() })],
    );
}

/// Anthropic is not known to have such a limit.
/// <https://github.com/UKGovernmentBEIS/inspect_ai/pull/4683>
#[test]
fn b52_arguments_over_the_limit() {
    let body = |length: usize| {
        let arguments = format!(r#"{{\"a\":\"{}\"}}"#, "x".repeat(length - 8));
        format!(
            r#"{{"model": "gpt-4o", "messages": [{{"role": "user", "content": "q"}}, {{"role": "assistant", "tool_calls": [
            {{"id": "c1", "type": "function", "function": {{"name": "f", "arguments": "{arguments}"}}}}]}},
            {{"role": "tool", "tool_call_id": "c1", "content": "r"}}]}}"#
        )
    };
    assert_eq!(violations(&body(1_048_576)), []);
    let fault = Fault::ArgumentsTooLong { id: "c1".into(), characters: 1_100_000, most: 1_048_576 };
    assert_eq!(violations(&body(1_100_000)), [("/messages/1/tool_calls/0/function/arguments".to_owned(), fault)]);
}

/// <https://github.com/anthropics/anthropic-sdk-python/issues/461>
#[test]
fn b54_empty_text() {
    assert_faults("B54-anthropic-empty-text", &[("/messages/1/content/0", Fault::EmptyText)]);
    assert_faults(
        "B54-anthropic-cache-mark-on-empty-text",
        &[("/messages/2/content/0", Fault::EmptyText), ("/messages/2/content/0/cache_control", Fault::CacheMarkOnEmptyText)],
    );
}

/// <https://github.com/anthropics/claude-code/issues/56064>
#[test]
fn b56_lone_surrogate() {
    assert_faults("B56-openai_chat-lone-surrogate", &[("/messages/0/content", Fault::LoneSurrogate)]);
    assert_faults("B56-anthropic-lone-surrogate", &[("/messages/0/content", Fault::LoneSurrogate)]);
}

/// <https://github.com/alibaba/open-code-review/issues/811>
#[test]
fn b58_thinking_lost() {
    assert_faults(
        "B58-anthropic-thinking-lost",
        &[("/messages/1/content/0", Fault::ThinkingNotFirst { found: "tool_use".into() })],
    );
}

/// <https://github.com/eclipse-theia/theia/issues/18044>
#[test]
fn b60_empty_thinking_with_a_signature_is_valid() {
    let body = r#"{"model": "claude-sonnet-4-5", "max_tokens": 2048, "thinking": {"type": "enabled", "budget_tokens": 1024},
        "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "", "signature": "s"}, {"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "r"}]}]}"#;
    assert_eq!(violations(body), []);
}

/// <https://github.com/aws/amazon-q-developer-cli/issues/3912>
#[test]
fn b66_image_over_the_encoded_limit() {
    let body = |bytes: usize| {
        let data = "A".repeat(bytes);
        format!(
            r#"{{"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{{"role": "user", "content": [{{"type": "image",
            "source": {{"type": "base64", "media_type": "image/jpeg", "data": "{data}"}}}}]}}]}}"#
        )
    };
    let most = 5 * 1024 * 1024;
    assert_eq!(violations(&body(most)), []);
    let fault = Fault::ImageTooLarge { bytes: 8_000_000, most };
    assert_eq!(violations(&body(8_000_000)), [("/messages/0/content/0/source/data".to_owned(), fault)]);
}

/// <https://github.com/coder/coder/pull/24518>
#[test]
fn b72_empty_media() {
    assert_faults("B72-openai_chat-empty-media", &[("/messages/0/content/1/image_url", Fault::EmptyMedia)]);
    assert_faults("B72-anthropic-empty-media", &[("/messages/0/content/1/source/data", Fault::EmptyMedia)]);
}

/// <https://github.com/epam/ai-dial-chat/issues/7271>
#[test]
fn b73_media_type() {
    assert_faults(
        "B73-openai_chat-media-type",
        &[("/messages/0/content/1/image_url", Fault::MediaType { found: "video/mp4".into() })],
    );
    assert_faults(
        "B73-anthropic-media-type",
        &[("/messages/0/content/1/source/media_type", Fault::MediaType { found: "video/mp4".into() })],
    );
}

/// Every body of the folder is asserted above, is recognised as the wire in its name, and is refused.
#[test]
fn every_body_of_the_folder_is_refused() {
    let source = include_str!("reports.rs");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let body = fs::read_to_string(&path).unwrap();
        let wire = match recognise(Document::parse(&body).unwrap().root()).unwrap().wire {
            Wire::OpenAiChat => "openai_chat",
            Wire::Anthropic => "anthropic",
            // `reports_newer_wires.rs`
            Wire::OpenAiResponses | Wire::Gemini => continue,
        };
        assert_eq!(name.split('-').nth(1), Some(wire), "{name}");
        assert_ne!(violations(&body), [], "{name}");
        assert!(source.contains(&format!("\"{name}\"")), "{name} has no test");
        names.insert(name);
    }
    assert_eq!(names.len(), 51);
}
