//! Tools, and the calls of an assistant message.

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Kind, Path, Value, present};

use super::{Chat, MAX_NAME, id_rule};
use crate::fault::{Fault, Shape, clip};
use crate::ledger::Spot;
use crate::profile::Dialect;
use crate::report::{Findings, text};
use crate::tools;

/// How many calls a message, and how many tools a request may have: "Invalid 'messages[2].tool_calls': array too long. Expected
/// an array with maximum length 128" (<https://github.com/openai/openai-dotnet/issues/317>).
const MAX_ELEMENTS: usize = 128;

/// Checks `tools` and `tool_choice`.
pub(super) fn declared(body: Value<'_>, dialect: Dialect, out: &mut Findings) {
    let root = &Path::ROOT;
    let list = out.optional(root, body, "tools", Shape::Array);
    let mut names = HashSet::new();
    if let Some(list) = list {
        let at = root.key("tools");
        bounded(list, "tools", dialect, &at, out);
        for (index, tool) in list.items().enumerate() {
            declared_tool(tool, &mut names, &at.index(index), out);
        }
    }
    choice(body, list, &names, dialect, out);
}

fn declared_tool<'d>(tool: Value<'d>, names: &mut HashSet<Cow<'d, str>>, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, tool, Shape::Object).is_none() {
        return;
    }
    // A custom tool or one of the host's own has another shape.
    if text(tool, "type").is_some_and(|kind| kind != "function") {
        return;
    }
    let Some(function) = out.need(at, tool, "function", Shape::Object) else { return };
    let at = at.key("function");
    let Some(name) = out.need_text(&at, function, "name") else { return };
    tools::name(&name, MAX_NAME, &at.key("name"), out);
    if let Some(schema) = out.optional(&at, function, "parameters", Shape::Object) {
        tools::schema(schema, &name, &at.key("parameters"), out);
    }
    tools::declare(name, names, &at.key("name"), out);
}

fn choice(body: Value<'_>, list: Option<Value<'_>>, names: &HashSet<Cow<'_, str>>, dialect: Dialect, out: &mut Findings) {
    let root = &Path::ROOT;
    let Some(choice) = out.optional(root, body, "tool_choice", Shape::StringOrObject) else { return };
    let at = root.key("tool_choice");
    if list.is_none() && dialect == Dialect::OpenAi {
        out.add(&at, Fault::ToolChoiceWithoutTools);
        return;
    }
    let Some(name) = choice.get("function").and_then(|function| text(function, "name")) else { return };
    if !names.contains(&name) {
        out.add(&at, Fault::UnknownToolChoice { name: clip(&name) });
    }
}

/// An array that OpenAI wants neither empty nor longer than 128. Other hosts take both.
fn bounded(list: Value<'_>, key: &'static str, dialect: Dialect, at: &Path<'_>, out: &mut Findings) {
    if dialect != Dialect::OpenAi {
        return;
    }
    match list.items().count() {
        0 => out.add(at, Fault::EmptyArray { key }),
        count if count > MAX_ELEMENTS => out.add(at, Fault::TooMany { key, count, most: MAX_ELEMENTS }),
        _ => {}
    }
}

impl<'d> Chat<'_, 'd> {
    pub(super) fn calls(&mut self, calls: Value<'d>, message: usize, at: &Path<'_>) {
        bounded(calls, "tool_calls", self.rules.dialect, at, self.out);
        for (item, call) in calls.items().enumerate() {
            self.call(call, Spot { message, item }, &at.index(item));
        }
    }

    fn call(&mut self, call: Value<'d>, spot: Spot, at: &Path<'_>) {
        if self.out.shaped(at, call, Shape::Object).is_none() {
            return;
        }
        let id = self.out.need_text(at, call, "id");
        if let Some(id) = &id {
            tools::id(id, id_rule(self.rules.dialect), &at.key("id"), self.out);
            if let Some(fault) = self.ledger.call(id.clone(), spot) {
                self.out.add(&at.key("id"), fault);
            }
        }
        let kind = text(call, "type");
        if kind.is_none() && self.rules.dialect == Dialect::OpenAi {
            self.out.add(at, Fault::Missing { key: "type" });
        }
        if kind.as_deref().is_none_or(|kind| kind == "function") {
            self.function(call, &id.unwrap_or_default(), at);
        }
    }

    fn function(&mut self, call: Value<'d>, id: &str, at: &Path<'_>) {
        let Some(function) = self.out.need(at, call, "function", Shape::Object) else { return };
        let at = at.key("function");
        if let Some(name) = self.out.need_text(&at, function, "name") {
            tools::name(&name, MAX_NAME, &at.key("name"), self.out);
        }
        // Mistral takes the object itself, too.
        let dialect = self.rules.dialect;
        if dialect == Dialect::Mistral && present(function, "arguments").is_some_and(|value| value.kind() == Kind::Object) {
            return;
        }
        if let Some(arguments) = self.out.need_text(&at, function, "arguments") {
            let most = (dialect == Dialect::OpenAi).then_some(tools::MAX_ARGUMENTS);
            tools::arguments(&arguments, id, most, &at.key("arguments"), self.out);
        }
    }
}
