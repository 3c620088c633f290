//! Reading streamed answers: bytes a second, by wire. The streams are encoded from one long answer, some text and a call, in pieces of
//! one to seven characters, as providers send them, and arrive sixteen kilobytes at a time.

#![allow(missing_docs, reason = "criterion's macros make public items")]
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

#[path = "../../briefing-wire/tests/support/encode/mod.rs"]
mod encode;

use std::hint::black_box;

use briefing::Wire;
use briefing_wire::{Finished, Stream};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use encode::{FRAMINGS, events, frame};
use serde_json::{Value, json};

/// A response of so many sentences, and a call of as many.
fn response(wire: Wire, sentences: usize) -> Value {
    let text = "The die rolled exactly **4**, \"matching\" your guess — perfectly!\n".repeat(sentences);
    let input = json!({ "text": text });
    let usage = json!({"input_tokens": 10, "output_tokens": 20});
    match wire {
        Wire::OpenAiChat => {
            let call =
                json!({"id": "call_1", "type": "function", "function": {"name": "write", "arguments": input.to_string()}});
            let message = json!({"role": "assistant", "content": text, "tool_calls": [call]});
            json!({"id": "c", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]})
        }
        Wire::OpenAiResponses => {
            let said = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]});
            let call = json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "write", "status": "completed",
                "arguments": input.to_string()});
            json!({"id": "r", "model": "m", "status": "completed", "output": [said, call], "usage": usage})
        }
        Wire::Anthropic => {
            let call = json!({"type": "tool_use", "id": "toolu_1", "name": "write", "input": input});
            json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": text}, call],
                "stop_reason": "tool_use", "stop_sequence": null, "usage": usage})
        }
        Wire::Gemini => {
            let parts = json!([{"text": text}, {"functionCall": {"name": "write", "args": input}}]);
            json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}]})
        }
    }
}

fn streams(c: &mut Criterion) {
    let mut group = c.benchmark_group("streams");
    for wire in Wire::ALL {
        let framing = *FRAMINGS.first().unwrap();
        let bytes = frame(&events(wire, &response(wire, 500), 1), framing);
        group.throughput(Throughput::Bytes(u64::try_from(bytes.len()).unwrap()));
        group.bench_function(wire.name(), |bencher| {
            bencher.iter(|| {
                let mut stream = Stream::new(wire);
                for piece in bytes.chunks(16 << 10) {
                    black_box(stream.push(piece));
                }
                assert!(matches!(stream.finish(), Finished::Whole(_)));
            });
        });
    }
    group.finish();
}

criterion_group!(benches, streams);
criterion_main!(benches);
