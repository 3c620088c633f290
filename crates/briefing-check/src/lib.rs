//! Independent checkers of the request bodies that model providers take.
//!
//! [`recognise`] tells by its shape which [`Wire`] a body is written for, [`Rules`] are what that wire and the declared model
//! allow, and [`check`] walks the body once and gives a [`Report`]: each [`Violation`] is a place and a typed [`Fault`].
//! Nothing here is shared with the code that writes bodies, so one cannot hide a fault of the other.
//!
//! ```
//! use briefing_check::{check, recognise, Fault, Rules};
//! use briefing_json::Document;
//!
//! let text = r#"{"model": "gpt-4o", "messages": [{"role": "tool", "tool_call_id": "c1", "content": "sunny"}]}"#;
//! let body = Document::parse(text)?;
//! let wire = recognise(body.root())?.wire;
//! let report = check(body.root(), &Rules::for_model(wire, "gpt-4o"));
//! assert_eq!(report.violations[0].fault, Fault::OrphanOutcome { id: "c1".into() });
//! assert_eq!(report.violations[0].place.as_str(), "/messages/0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where a rule comes from is said beside it: a recorded request, a provider's error text, a provider's own source or
//! documentation. A rule without any of these is not checked.

mod anthropic;
mod fault;
mod gemini;
mod keys;
mod ledger;
mod locate;
mod media;
mod openai_chat;
mod openai_responses;
mod profile;
mod provider;
mod recognise;
mod report;
mod surrogate;
mod tools;

use briefing_json::Value;

pub use fault::{Fault, IdRule, Role, Shape};
pub use profile::{Dialect, Rules, Wire};
pub use recognise::{Recognised, Unrecognised, recognise};
pub use report::{MAX_VIOLATIONS, Report, Violation};

/// Checks a body against the rules: its messages and tools, their pairing and order, files, and a few parameters. Linear in
/// the body; of the faults, the first [`MAX_VIOLATIONS`] that are found are kept.
#[must_use]
pub fn check(body: Value<'_>, rules: &Rules) -> Report {
    let mut out = report::Findings::default();
    surrogate::check(body, &mut out);
    keys::check(body, &mut out);
    match rules.wire {
        Wire::OpenAiChat => openai_chat::check(body, rules, &mut out),
        Wire::Anthropic => anthropic::check(body, rules, &mut out),
        Wire::OpenAiResponses => openai_responses::check(body, rules, &mut out),
        Wire::Gemini => gemini::check(body, rules, &mut out),
    }
    out.into_report(body)
}
