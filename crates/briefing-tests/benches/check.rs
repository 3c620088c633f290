//! The checkers on bodies of 10 MB.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::fmt::Write as _;
use std::hint::black_box;

use briefing_check::{Rules, Wire, check};
use briefing_json::Document;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const SIZE: usize = 10 * 1024 * 1024;

/// Rounds of one call and one outcome, about 400 characters each.
fn openai_chat() -> String {
    let mut body = String::from(r#"{"model":"gpt-5","messages":[{"role":"user","content":"go"}"#);
    let text = "word ".repeat(80);
    let mut number = 0;
    while body.len() < SIZE {
        number += 1;
        write!(
            body,
            r#",{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{number}","type":"function","function":{{"name":"find","arguments":"{{\"q\":\"{text}\"}}"}}}}]}},{{"role":"tool","tool_call_id":"call_{number}","content":"{text}\n"}}"#
        )
        .unwrap();
    }
    body + "]}"
}

fn anthropic() -> String {
    let mut body = String::from(r#"{"model":"claude-sonnet-4-5","max_tokens":1,"messages":[{"role":"user","content":"go"}"#);
    let text = "word ".repeat(80);
    let mut number = 0;
    while body.len() < SIZE {
        number += 1;
        write!(
            body,
            r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{number}","name":"find","input":{{"q":"{text}"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{number}","content":"{text}\n"}}]}}"#
        )
        .unwrap();
    }
    body + "]}"
}

fn bodies(c: &mut Criterion) {
    let mut group = c.benchmark_group("check 10 MB");
    group.sample_size(20);
    for (name, body, rules) in [
        ("OpenAI Chat", openai_chat(), Rules::for_model(Wire::OpenAiChat, "gpt-5")),
        ("Anthropic", anthropic(), Rules::for_model(Wire::Anthropic, "claude-sonnet-4-5")),
    ] {
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function(name, |b| {
            b.iter(|| {
                let document = Document::parse(black_box(&body)).unwrap();
                let report = check(document.root(), &rules);
                assert!(report.is_clean(), "{:?}", report.violations.first());
            });
        });
    }
    group.finish();
}

criterion_group!(benches, bodies);
criterion_main!(benches);
