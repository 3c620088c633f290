//! What the tests of the wires share.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod calls;
pub(crate) mod lists;
pub(crate) mod opaque;

use briefing::{Bounds, Briefing, Call, Dialect, ModelMessage, ModelProfile, Wire, fit};
use briefing_check::{Report, Rules, check};
use briefing_json::Document;
use briefing_wire::{Render, Request, WireChange, parse_text};
use serde_json::Value;

/// The checker's rules for a profile of the core.
pub(crate) fn rules(profile: &ModelProfile) -> Rules {
    let wire = match profile.wire {
        Wire::OpenAiChat => briefing_check::Wire::OpenAiChat,
        Wire::OpenAiResponses => briefing_check::Wire::OpenAiResponses,
        Wire::Anthropic => briefing_check::Wire::Anthropic,
        Wire::Gemini => briefing_check::Wire::Gemini,
    };
    let mut rules = Rules::for_wire(wire);
    rules.dialect = match profile.dialect {
        Dialect::Original => briefing_check::Dialect::OpenAi,
        Dialect::Mistral => briefing_check::Dialect::Mistral,
        Dialect::Compatible => briefing_check::Dialect::Compatible,
    };
    rules.prefill = profile.prefill;
    rules.system_anywhere = profile.system_anywhere;
    rules.vision = profile.vision;
    rules.empty_outcomes = false;
    rules.reused_ids = false;
    rules.thought_signatures = profile.signed_calls;
    rules.outcome_files = profile.files_in_outcomes();
    rules
}

pub(crate) fn briefing(messages: &[ModelMessage], call: &Call) -> Briefing {
    fit(messages, call, &Bounds::none()).unwrap()
}

pub(crate) fn render(messages: &[ModelMessage], call: &Call) -> Request {
    briefing(messages, call).render().unwrap()
}

pub(crate) fn text(request: &Request) -> &str {
    std::str::from_utf8(request.body()).unwrap()
}

pub(crate) fn value(request: &Request) -> Value {
    serde_json::from_slice(request.body()).unwrap()
}

/// What the wire made different.
pub(crate) fn changes(list: &[ModelMessage], call: &Call) -> Vec<WireChange> {
    render(list, call).findings().iter().map(|finding| finding.change.clone()).collect()
}

/// What the independent checker says of a body.
pub(crate) fn checked(body: &str, profile: &ModelProfile) -> Report {
    check(Document::parse(body).unwrap().root(), &rules(profile))
}

/// The body read and written again.
pub(crate) fn again(body: &str, wire: Wire) -> String {
    let parsed = parse_text(wire, body).unwrap();
    text(&render(&parsed.messages, &parsed.call)).to_owned()
}

/// The rendered `messages`.
pub(crate) fn messages(messages: &[ModelMessage], call: &Call) -> Value {
    value(&render(messages, call)).get(list_name(call.wire())).unwrap().clone()
}

/// The field of a body that holds its list.
pub(crate) fn list_name(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAiChat | Wire::Anthropic => "messages",
        Wire::OpenAiResponses => "input",
        Wire::Gemini => "contents",
    }
}
