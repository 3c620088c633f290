//! Whole responses, read: every recorded one beside its golden, and what providers answer in place of one.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/recorded.rs"]
mod recorded;
#[path = "support/shown.rs"]
mod shown;

use briefing::Wire;
use briefing_json::Document;
use briefing_wire::{AnswerError, ErrorKind, ProviderError, Stop, UnfinishedCall, parse_answer, parse_answer_text};
use recorded::{answers, golden, recordings};
use shown::shown_answer;

#[test]
fn every_recorded_response_reads_as_its_golden() {
    for recording in recordings().iter().filter(|recording| recording.is_json) {
        let shown = match parse_answer_text(recording.wire, &recording.response) {
            Ok(answer) => shown_answer(&answer),
            Err(error) => format!("error: {error}\n{error:?}\n"),
        };
        golden(&answers().join(format!("{}.txt", recording.name)), &shown);
    }
}

fn provider(wire: Wire, body: &str) -> ProviderError {
    match parse_answer_text(wire, body).unwrap_err() {
        AnswerError::Provider(error) => error,
        other => panic!("{other}"),
    }
}

fn error(kind: ErrorKind, name: Option<&str>, message: &str) -> ProviderError {
    ProviderError { kind, name: name.map(str::to_owned), message: message.to_owned() }
}

#[test]
fn an_error_in_place_of_a_response_is_typed_however_it_is_worded() {
    let chat = |body: &str| provider(Wire::OpenAiChat, body);
    assert_eq!(
        chat(r#"{"error":{"message":"m","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}"#),
        error(ErrorKind::TooLarge, Some("context_length_exceeded"), "m")
    );
    assert_eq!(chat(r#"{"error":"no such model"}"#), error(ErrorKind::Unknown, None, "no such model"));
    assert_eq!(
        chat(r#"{"object":"error","message":"m","type":"invalid_request_error","code":400}"#),
        error(ErrorKind::Invalid, Some("invalid_request_error"), "m")
    );
    assert_eq!(chat(r#"{"detail":"Not Found"}"#), error(ErrorKind::Unknown, None, "Not Found"));
    assert_eq!(chat(r#"{"error":{"code":502,"message":"m"}}"#), error(ErrorKind::Unavailable, Some("502"), "m"));
    assert_eq!(
        chat(r#"[{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}]"#),
        error(ErrorKind::RateLimited, Some("RESOURCE_EXHAUSTED"), "m")
    );
    assert_eq!(
        provider(
            Wire::Anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}"#
        ),
        error(ErrorKind::Unavailable, Some("overloaded_error"), "Overloaded")
    );
    let long = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200251 tokens > 200000 maximum"}}"#;
    assert_eq!(provider(Wire::Anthropic, long).kind, ErrorKind::TooLarge);
}

/// As llama.cpp words it, from <https://github.com/ggml-org/llama.cpp/issues/19774>: status 400, its number beside its name.
#[test]
fn a_context_of_llama_cpp_that_is_exceeded_is_too_large() {
    let message = "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it";
    let body = format!(
        r#"{{"error":{{"code":400,"message":"{message}","type":"exceed_context_size_error","n_prompt_tokens":4390,"n_ctx":4096}}}}"#
    );
    assert_eq!(provider(Wire::OpenAiChat, &body), error(ErrorKind::TooLarge, Some("exceed_context_size_error"), message));
}

/// As Gemini words it, from <https://github.com/google-gemini/gemini-cli/issues/25198>: status 400, and an invalid argument by its name.
#[test]
fn a_key_that_gemini_does_not_know_is_denied() {
    let body = r#"{"error":{"code":400,"message":"API Key not found. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[
        {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"},
        {"@type":"type.googleapis.com/google.rpc.LocalizedMessage","locale":"en-US","message":"API Key not found."}]}}"#;
    let message = "API Key not found. Please pass a valid API key.";
    assert_eq!(provider(Wire::Gemini, body), error(ErrorKind::Denied, Some("INVALID_ARGUMENT"), message));
}

/// As OpenAI words it, from <https://github.com/Aider-AI/aider/issues/1880>.
#[test]
fn a_request_of_more_than_a_minutes_tokens_is_too_large_and_no_rate_limit() {
    let message = "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 36278. The \
                   input or output tokens must be reduced in order to run successfully. Visit \
                   https://platform.openai.com/account/rate-limits to learn more.";
    let body = format!(r#"{{"error":{{"message":"{message}","type":"tokens","param":null,"code":"rate_limit_exceeded"}}}}"#);
    assert_eq!(provider(Wire::OpenAiChat, &body), error(ErrorKind::TooLarge, Some("rate_limit_exceeded"), message));
}

/// The refusals of `provider_rejections.jsonl`, as the providers worded them.
#[test]
fn every_recorded_rejection_is_an_error_of_its_provider() {
    let list = include_str!("../../briefing-check/tests/data/wire/provider_rejections.jsonl");
    let mut seen = 0;
    for line in list.lines() {
        let document = Document::parse(line).unwrap();
        let root = document.root();
        let Some(response) = root.get("response").filter(|response| response.get("error").is_some()) else { continue };
        let AnswerError::Provider(error) = parse_answer(Wire::OpenAiChat, response).unwrap_err() else { panic!("{line}") };
        assert_ne!(error.message, "", "{line}");
        assert_ne!(error.kind, ErrorKind::Unknown, "{line}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn what_is_no_response_is_an_error_with_its_place() {
    let message = |wire: Wire, body: &str| parse_answer_text(wire, body).unwrap_err().to_string();
    let chat = |body: &str| message(Wire::OpenAiChat, body);
    assert_eq!(chat("<html>"), "the body: unexpected character at line 1, byte 0");
    assert_eq!(chat("[]"), "the body: wanted an object, found an array");
    assert_eq!(chat("{}"), "the body: `choices` is missing");
    assert_eq!(chat(r#"{"choices":[]}"#), "/choices: `0` is missing");
    assert_eq!(chat(r#"{"choices":[{}]}"#), "/choices/0: `message` is missing");
    assert_eq!(message(Wire::Anthropic, "{}"), "the body: `content` is missing");
    assert_eq!(message(Wire::Anthropic, r#"{"content":[5]}"#), "/content/0: wanted an object, found a number");
}

fn stop(wire: Wire, body: &str) -> Stop {
    parse_answer_text(wire, body).unwrap().stop
}

#[test]
fn why_a_model_stopped_is_told_in_the_same_words_on_every_wire() {
    let chat = |reason: &str| {
        stop(Wire::OpenAiChat, &format!(r#"{{"choices":[{{"message":{{"content":"x"}},"finish_reason":{reason}}}]}}"#))
    };
    assert_eq!(
        ["\"stop\"", "\"length\"", "\"content_filter\"", "null", "\"odd\""].map(chat),
        [Stop::End, Stop::Length, Stop::ContentFilter, Stop::Unstated, Stop::Other("odd".to_owned())]
    );
    let refusal = r#"{"choices":[{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}"#;
    assert_eq!(stop(Wire::OpenAiChat, refusal), Stop::Refusal);
    let call = r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}"#;
    assert_eq!(stop(Wire::OpenAiChat, call), Stop::ToolUse);
    let anthropic = |reason: &str| stop(Wire::Anthropic, &format!(r#"{{"content":[],"stop_reason":"{reason}"}}"#));
    let reasons =
        ["end_turn", "stop_sequence", "max_tokens", "model_context_window_exceeded", "tool_use", "refusal", "pause_turn"];
    assert_eq!(
        reasons.map(anthropic),
        [Stop::End, Stop::Sequence, Stop::Length, Stop::Length, Stop::ToolUse, Stop::Refusal, Stop::Paused]
    );
}

/// A call that the limit cut off is no call; one whose broken arguments the model meant so is, so that it can be told.
#[test]
fn a_call_that_was_cut_off_cannot_be_run() {
    let body = |reason: &str| {
        format!(
            r#"{{"choices":[{{"message":{{"tool_calls":[{{"id":"a","function":{{"name":"f","arguments":"{{}}"}}}},{{"id":"b","function":{{"name":"g","arguments":"{{\"x\":"}}}}]}},"finish_reason":"{reason}"}}]}}"#
        )
    };
    let calls = |reason: &str| {
        let answer = parse_answer_text(Wire::OpenAiChat, &body(reason)).unwrap();
        let ids: Vec<String> = answer.said.calls().map(|call| call.id.to_string()).collect();
        (ids, answer.unfinished)
    };
    let unfinished = UnfinishedCall { id: "b".into(), name: "g".to_owned(), input: "{\"x\":".to_owned() };
    assert_eq!(calls("length"), (vec!["a".to_owned()], vec![unfinished]));
    assert_eq!(calls("tool_calls"), (vec!["a".to_owned(), "b".to_owned()], vec![]));
}
