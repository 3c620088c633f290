//! `briefing diff` of two requests of one conversation: the next turn, a window that stepped, and a clock in the system text.

#![allow(clippy::unwrap_used, missing_docs, clippy::print_stdout, reason = "a benchmark stops at the first surprise")]

use briefing::{Bounds, Call, ModelMessage, Wire, fit};
use briefing_tests::synthetic::conversation;
use briefing_wire::Render;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

fn body(messages: &[ModelMessage], model: &str, wire: Wire) -> String {
    let request = fit(messages, &Call::model(model, Some(wire)), &Bounds::none()).unwrap().render().unwrap();
    String::from_utf8(request.into_body()).unwrap()
}

fn diff(c: &mut Criterion) {
    let messages = conversation(10_000);
    let all = messages.len();
    let mut group = c.benchmark_group("diff of 10,000 messages");
    group.sample_size(20);
    for (model, wire) in [
        ("gpt-5", Wire::OpenAiChat),
        ("gpt-5", Wire::OpenAiResponses),
        ("claude-sonnet-4-5", Wire::Anthropic),
        ("gemini-3-flash", Wire::Gemini),
    ] {
        let older = body(messages.get(..all - 4).unwrap(), model, wire);
        let newer = body(&messages, model, wire);
        let stepped = body(messages.get(2_000..).unwrap(), model, wire);
        group.throughput(Throughput::Bytes((older.len() + newer.len()) as u64));
        let words = |text: &str| text.len() as u64 / 4;
        group.bench_function(format!("{wire}, the next turn"), |b| {
            b.iter(|| briefing_diff::diff(black_box(&older), black_box(&newer), words).unwrap());
        });
        group.bench_function(format!("{wire}, a window that stepped"), |b| {
            b.iter(|| briefing_diff::diff(black_box(&older), black_box(&stepped), words).unwrap());
        });
    }
    group.finish();
}

criterion_group!(benches, diff);
criterion_main!(benches);
