//! Tools, which are flat here, and the choice among them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use briefing_json::{Kind, Path, Value, present};

use crate::fault::{Fault, Shape, clip};
use crate::profile::Dialect;
use crate::report::{Findings, text};
use crate::tools;

/// The longest name of a function: OpenAI's reference of the API. The recorded answers name a pattern alone.
pub(super) const MAX_NAME: usize = 128;

/// What a choice may name.
#[derive(Debug, Default)]
pub(super) struct Known<'d> {
    /// Functions and custom tools, those of namespaces and those that the list adds as well.
    names: HashSet<Cow<'d, str>>,
    /// The types of all tools.
    types: BTreeSet<Cow<'d, str>>,
    any: bool,
}

impl Known<'_> {
    /// Whether there is a tool of that type. Types of tools are dated, and those of choices need not be; the computer has several.
    fn has_type(&self, kind: &str) -> bool {
        let base = kind.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let least: Cow<'_, str> = Cow::Borrowed(base);
        let found = self.types.range(least..).next().is_some_and(|known| known.starts_with(base));
        found || kind.starts_with("computer")
    }
}

/// Checks `tools`.
pub(super) fn declared<'d>(body: Value<'d>, dialect: Dialect, known: &mut Known<'d>, out: &mut Findings) {
    if let Some(list) = out.optional(&Path::ROOT, body, "tools", Shape::Array) {
        checked(list, dialect, known, &Path::ROOT.key("tools"), out);
    }
}

/// Checks the tools that an item adds: those of `additional_tools`, and those that a search found.
pub(super) fn added<'d>(item: Value<'d>, dialect: Dialect, known: &mut Known<'d>, at: &Path<'_>, out: &mut Findings) {
    if let Some(list) = out.optional(at, item, "tools", Shape::Array) {
        checked(list, dialect, known, &at.key("tools"), out);
    }
}

fn checked<'d>(list: Value<'d>, dialect: Dialect, known: &mut Known<'d>, at: &Path<'_>, out: &mut Findings) {
    let mut names = HashSet::new();
    for (index, tool) in list.items().enumerate() {
        declared_tool(tool, dialect, known, &mut names, &at.index(index), out);
    }
    known.any |= list.items().next().is_some();
    known.names.extend(names);
}

fn declared_tool<'d>(
    tool: Value<'d>,
    dialect: Dialect,
    known: &mut Known<'d>,
    names: &mut HashSet<Cow<'d, str>>,
    at: &Path<'_>,
    out: &mut Findings,
) {
    if out.shaped(at, tool, Shape::Object).is_none() {
        return;
    }
    let Some(kind) = out.need_text(at, tool, "type") else { return };
    match kind.as_ref() {
        "function" => function(tool, dialect, names, at, out),
        "custom" => drop(out.need_text(at, tool, "name").map(|name| names.insert(name))),
        "namespace" => namespace(tool, dialect, known, at, out),
        // A tool of the host's own.
        _ => {}
    }
    known.types.insert(kind);
}

/// "Missing required parameter: 'tools[0].name'." is the answer to a tool in the shape of OpenAI Chat, too. Two functions of one
/// name are taken by OpenAI (<https://github.com/openai/openai-agents-python/issues/4116>), not by DeepSeek
/// (<https://github.com/liliMozi/openhanako/issues/789>).
fn function<'d>(tool: Value<'d>, dialect: Dialect, names: &mut HashSet<Cow<'d, str>>, at: &Path<'_>, out: &mut Findings) {
    let Some(name) = out.need_text(at, tool, "name") else { return };
    tools::name(&name, MAX_NAME, &at.key("name"), out);
    // <https://github.com/ComposioHQ/composio/issues/1829>
    if let Some(schema) = out.optional(at, tool, "parameters", Shape::Object) {
        tools::schema(schema, &name, &at.key("parameters"), out);
    }
    if dialect == Dialect::OpenAi {
        names.insert(name);
    } else {
        tools::declare(name, names, &at.key("name"), out);
    }
}

/// A namespace has a name, and tools of its own.
fn namespace<'d>(tool: Value<'d>, dialect: Dialect, known: &mut Known<'d>, at: &Path<'_>, out: &mut Findings) {
    out.need(at, tool, "name", Shape::String);
    let mut names = HashSet::new();
    let list = out.optional(at, tool, "tools", Shape::Array);
    let above = at.key("tools");
    for (index, member) in list.into_iter().flat_map(Value::items).enumerate() {
        let at = above.index(index);
        if text(member, "type").as_deref() == Some("function") {
            function(member, dialect, &mut names, &at, out);
        } else if let Some(name) = text(member, "name") {
            names.insert(name);
        }
    }
    known.names.extend(names);
}

/// Checks `tool_choice`: "Tool choice 'required' must be specified with 'tools' parameter.", "Tool choice 'web_search' not found in
/// 'tools' parameter."
pub(super) fn choice(body: Value<'_>, known: &Known<'_>, own: bool, out: &mut Findings) {
    let root = &Path::ROOT;
    let Some(choice) = out.optional(root, body, "tool_choice", Shape::StringOrObject).filter(|_| own) else { return };
    let at = root.key("tool_choice");
    // A prompt that the provider keeps may bring tools.
    if !known.any {
        let forced = choice.kind() == Kind::Object || choice.as_str().as_deref() == Some("required");
        if forced && present(body, "prompt").is_none() {
            out.add(&at, Fault::ToolChoiceWithoutTools);
        }
    } else if choice.kind() == Kind::Object {
        chosen(choice, known, &at, out);
    }
}

fn chosen(choice: Value<'_>, known: &Known<'_>, at: &Path<'_>, out: &mut Findings) {
    let Some(kind) = out.need_text(at, choice, "type") else { return };
    match kind.as_ref() {
        "function" | "custom" => {
            let Some(name) = out.need_text(at, choice, "name") else { return };
            if !known.names.contains(&name) {
                out.add(&at.key("name"), Fault::UnknownToolChoice { name: clip(&name) });
            }
        }
        "allowed_tools" => {
            let above = at.key("tools");
            let list = out.optional(at, choice, "tools", Shape::Array);
            for (index, tool) in list.into_iter().flat_map(Value::items).enumerate() {
                let at = above.index(index);
                if text(tool, "type").is_some_and(|kind| kind != "allowed_tools") {
                    chosen(tool, known, &at, out);
                }
            }
        }
        kind if !known.has_type(kind) => {
            out.add(&at.key("type"), Fault::UnknownToolChoice { name: clip(kind) });
        }
        _ => {}
    }
}
