//! The fields beside the messages: model, `max_tokens`, the thinking budget, system, tools.

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Kind, Path, Value};

use super::blocks::{CacheMarks, MAX_NAME, text_block};
use super::thinking;
use crate::fault::{Fault, Shape, clip};
use crate::report::{Findings, text};
use crate::tools;

pub(super) fn fields(body: Value<'_>, marks: &mut CacheMarks, out: &mut Findings) {
    let root = &Path::ROOT;
    out.need(root, body, "model", Shape::String);
    out.need(root, body, "max_tokens", Shape::Number);
    marks.count(body);
    system(body, marks, out);
    let list = out.optional(root, body, "tools", Shape::Array);
    let mut names = HashSet::new();
    let at = root.key("tools");
    for (index, tool) in list.into_iter().flat_map(Value::items).enumerate() {
        marks.count(tool);
        declared(tool, &mut names, &at.index(index), out);
    }
    choice(body, &names, out);
    limits(body, out);
}

/// The least thinking budget: "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
/// (<https://github.com/themaximalist/llm.js/issues/30>).
const LEAST_BUDGET: u32 = 1_024;

/// Checks `max_tokens` and the thinking budget. A `max_tokens` of 0 is valid: it fills the cache and answers nothing
/// (Anthropic's SDK; <https://github.com/stdapi-ai/stdapi.ai/issues/266>).
fn limits(body: Value<'_>, out: &mut Findings) {
    let root = &Path::ROOT;
    let most = whole(body, "max_tokens", 0, root, out);
    let Some(thinking) = body.get("thinking").filter(|_| thinking::is_on(body)) else { return };
    let at = root.key("thinking");
    let budget = whole(thinking, "budget_tokens", LEAST_BUDGET, &at, out);
    // With tools a header that the body does not show (interleaved thinking) lets the budget exceed it.
    let tools = ["tools", "mcp_servers"].iter().any(|key| body.get(key).is_some_and(|list| list.items().next().is_some()));
    if !tools && budget.zip(most).is_some_and(|(budget, most)| budget >= most) {
        out.add(&at.key("budget_tokens"), Fault::BudgetNotBelowMax);
    }
}

/// The number of that name, if it is whole and large enough; a fault if it is not.
fn whole(object: Value<'_>, key: &'static str, least: u32, at: &Path<'_>, out: &mut Findings) -> Option<f64> {
    let number = object.get(key)?.as_f64()?;
    let at = at.key(key);
    if number.fract() != 0.0 {
        out.add(&at, Fault::NotWhole { key });
    } else if number < f64::from(least) {
        out.add(&at, Fault::TooSmall { key, least });
    } else {
        return Some(number);
    }
    None
}

fn system(body: Value<'_>, marks: &mut CacheMarks, out: &mut Findings) {
    let Some(system) = out.optional(&Path::ROOT, body, "system", Shape::Content) else { return };
    let at = Path::ROOT.key("system");
    if system.raw() == "\"\"" {
        out.add(&at, Fault::EmptyText);
    }
    if system.kind() == Kind::Array && system.items().next().is_none() {
        out.add(&at, Fault::EmptyArray { key: "system" });
    }
    for (index, block) in system.items().enumerate() {
        let at = at.index(index);
        marks.count(block);
        if out.shaped(&at, block, Shape::Object).is_some() && text(block, "type").as_deref() == Some("text") {
            text_block(block, true, &at, out);
        }
    }
}

fn declared<'d>(tool: Value<'d>, names: &mut HashSet<Cow<'d, str>>, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, tool, Shape::Object).is_none() {
        return;
    }
    // The provider's own tools have a dated type and no schema; a toolset has no name either.
    let own = text(tool, "type").is_none_or(|kind| kind == "custom");
    if !own {
        if let Some(name) = text(tool, "name") {
            tools::declare(name, names, &at.key("name"), out);
        }
        return;
    }
    let name = out.need_text(at, tool, "name");
    if let Some(schema) = out.need(at, tool, "input_schema", Shape::Object) {
        tools::schema(schema, name.as_deref().unwrap_or_default(), &at.key("input_schema"), out);
    }
    if let Some(name) = name {
        tools::name(&name, MAX_NAME, &at.key("name"), out);
        tools::declare(name, names, &at.key("name"), out);
    }
}

fn choice(body: Value<'_>, names: &HashSet<Cow<'_, str>>, out: &mut Findings) {
    let Some(choice) = out.optional(&Path::ROOT, body, "tool_choice", Shape::Object) else { return };
    let at = Path::ROOT.key("tool_choice");
    let Some(kind) = out.need_text(&at, choice, "type") else { return };
    // <https://github.com/mastra-ai/mastra/issues/7507>
    if matches!(kind.as_ref(), "any" | "tool") && thinking::is_on(body) {
        out.add(&at, Fault::ForcedToolWithThinking);
    }
    if kind != "none" && body.get("tools").is_none() {
        out.add(&at, Fault::ToolChoiceWithoutTools);
    } else if kind == "tool"
        && let Some(name) = out.need_text(&at, choice, "name")
        && !names.contains(&name)
    {
        out.add(&at, Fault::UnknownToolChoice { name: clip(&name) });
    }
}
