//! An answer as text that a person can read and compare.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fmt::Write;

use briefing::message::{Assistant, Extra, Item};
use briefing_wire::{Answer, AnswerFinding, Cut, Finished, StreamEvent, UnfinishedCall, Usage};

/// What a stream came to.
pub(crate) fn finished(finished: &Finished) -> String {
    match finished {
        Finished::Whole(answer) => shown_answer(answer),
        Finished::Cut(Cut { said, unfinished, why, usage, id, findings }) => {
            format!("cut: {why}\n{}", lines(id.as_deref(), said, unfinished, *usage, findings))
        }
    }
}

pub(crate) fn shown_answer(answer: &Answer) -> String {
    let Answer { said, unfinished, stop, usage, id, findings } = answer;
    format!("stop: {stop:?}\n{}", lines(id.as_deref(), said, unfinished, *usage, findings))
}

fn lines(
    id: Option<&str>,
    said: &Assistant,
    unfinished: &[UnfinishedCall],
    usage: Usage,
    findings: &[AnswerFinding],
) -> String {
    let mut out = String::new();
    let Usage { input, output, cache_read, cache_written, reasoning } = usage;
    let counts =
        [("input", input), ("output", output), ("read", cache_read), ("written", cache_written), ("reasoning", reasoning)];
    let counts: Vec<String> = counts.iter().filter_map(|(name, count)| Some(format!("{name} {}", (*count)?))).collect();
    writeln!(out, "id: {}\nmodel: {}\nusage: {}", id.unwrap_or("-"), said.model.as_deref().unwrap_or("-"), counts.join(", "))
        .unwrap();
    extra(&said.extra, "", &mut out);
    for item in &said.items {
        match item {
            Item::Text(text) => {
                writeln!(out, "text {:?}", text.text).unwrap();
                extra(&text.extra, "  ", &mut out);
            }
            Item::Reasoning(reasoning) => writeln!(out, "reasoning {} {}", reasoning.kind, reasoning.raw.as_str()).unwrap(),
            Item::Call(call) => {
                writeln!(out, "call {} {} {}", call.id, call.name, call.input.raw()).unwrap();
                extra(&call.extra, "  ", &mut out);
            }
            Item::Native(native) => {
                let reads_as = native.reads_as.as_ref().map(|text| format!(" reads as {text:?}")).unwrap_or_default();
                let needs = native.needs.as_ref().map(|id| format!(" needs {id}")).unwrap_or_default();
                writeln!(out, "native {}{needs}{reads_as} {}", native.kind, native.raw.as_str()).unwrap();
            }
        }
    }
    for call in unfinished {
        writeln!(out, "unfinished {} {} {:?}", call.id, call.name, call.input).unwrap();
    }
    for finding in findings {
        writeln!(out, "finding {finding}").unwrap();
    }
    out
}

fn extra(extra: &Extra, indent: &str, out: &mut String) {
    for (name, raw) in extra.wire().into_iter().flat_map(|wire| extra.on(wire)) {
        writeln!(out, "{indent}+ {name} {}", raw.as_str()).unwrap();
    }
}

/// Events with neighbouring pieces of the same kind joined, as how they are cut is no matter.
pub(crate) fn joined(events: Vec<StreamEvent>) -> Vec<StreamEvent> {
    let mut out: Vec<StreamEvent> = Vec::new();
    for event in events {
        let goes_on = match (out.last_mut(), &event) {
            (Some(StreamEvent::Text { text }), StreamEvent::Text { text: more })
            | (Some(StreamEvent::Reasoning { text }), StreamEvent::Reasoning { text: more })
            | (Some(StreamEvent::Refusal { text }), StreamEvent::Refusal { text: more }) => {
                text.push_str(more);
                true
            }
            (Some(StreamEvent::CallInput { call, text }), StreamEvent::CallInput { call: same, text: more })
                if call == same =>
            {
                text.push_str(more);
                true
            }
            _ => false,
        };
        if !goes_on {
            out.push(event);
        }
    }
    out
}
