//! OpenAI Responses, in two dialects: OpenAI itself, and other hosts, of which DeepSeek is recorded.
//!
//! `input` is a flat list of items. OpenAI pairs a call with its output wherever that stands behind it, and validates reasoning
//! and ids; DeepSeek takes no answer between the two.

mod content;
mod ids;
mod items;
mod pairs;
mod reasoning;
mod tools;

use briefing_json::{Kind, Path, Value, present};

use crate::fault::{Fault, Shape};
use crate::profile::{Dialect, Rules};
use crate::report::Findings;
use items::Items;
use pairs::Pairs;
use tools::Known;

pub(crate) fn check(body: Value<'_>, rules: &Rules, out: &mut Findings) {
    let root = &Path::ROOT;
    if out.shaped(root, body, Shape::Object).is_none() {
        return;
    }
    let goes_on = goes_on(body);
    if present(body, "prompt").is_none() {
        out.need(root, body, "model", Shape::String);
    }
    out.optional(root, body, "instructions", Shape::String);
    let mut known = Known::default();
    tools::declared(body, rules.dialect, &mut known, out);
    if let Some(input) = input(body, goes_on, out) {
        if rules.dialect == Dialect::OpenAi && present(body, "store").is_some_and(|store| store.as_bool() == Some(false)) {
            ids::not_stored(input, out);
        }
        let mut items = Items::new(rules, input, out, &mut known, Pairs::new(input, goes_on, rules.reused_ids));
        items.walk();
        if rules.tools_with_calls && items.has_calls() && present(body, "tools").is_none() {
            out.add(root, Fault::CallsWithoutTools);
        }
    }
    tools::choice(body, &known, rules.dialect == Dialect::OpenAi, out);
}

/// Whether the provider has items of its own that stand before the list.
fn goes_on(body: Value<'_>) -> bool {
    ["previous_response_id", "conversation", "prompt"].iter().any(|key| present(body, key).is_some())
}

/// The list, unless there is none. An absent `input` is refused, and an empty one, unless there is something to go on from:
/// "One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided."
fn input<'d>(body: Value<'d>, goes_on: bool, out: &mut Findings) -> Option<Value<'d>> {
    let root = &Path::ROOT;
    let Some(input) = present(body, "input") else {
        if !goes_on {
            out.add(root, Fault::Missing { key: "input" });
        }
        return None;
    };
    let at = root.key("input");
    let input = out.shaped(&at, input, Shape::Content)?;
    let empty = input.raw() == "\"\"" || (input.kind() == Kind::Array && input.items().next().is_none());
    if empty && !goes_on {
        out.add(&at, Fault::NoMessages);
    }
    Some(input)
}
