//! Tools, and the choice among them.

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Kind, Path, Value, present};

use super::field::{Field, each, step};
use crate::fault::{Fault, Shape, clip};
use crate::report::{Findings, text};
use crate::tools;

const DECLARATIONS: Field = Field::new("functionDeclarations", "function_declarations");
const JSON_SCHEMA: Field = Field::new("parametersJsonSchema", "parameters_json_schema");
const CONFIG: Field = Field::new("toolConfig", "tool_config");
const CALLING: Field = Field::new("functionCallingConfig", "function_calling_config");
const ALLOWED: Field = Field::new("allowedFunctionNames", "allowed_function_names");

/// "Invalid function name. … with a maximum length of 64." (<https://github.com/kaitranntt/ccs/issues/25>)
const MAX_NAME: usize = 64;

/// Checks the tools, and tells whether there are functions among them. The provider may keep others.
pub(super) fn check(body: Value<'_>, keeps: bool, out: &mut Findings) -> bool {
    let mut names = HashSet::new();
    let mut any = false;
    let above = Path::ROOT.key("tools");
    for (index, tool) in present(body, "tools").into_iter().flat_map(each) {
        let at = step(&above, index);
        let Some((key, list)) = out.shaped(&at, tool, Shape::Object).and_then(|tool| DECLARATIONS.of(tool)) else { continue };
        let above = at.key(key);
        for (index, function) in each(list) {
            any = true;
            declared(function, &mut names, &step(&above, index), out);
        }
    }
    if !keeps {
        choice(body, any.then_some(&names), out);
    }
    any
}

/// "Duplicate function declaration found: f" (<https://github.com/owndev/Open-WebUI-Functions/issues/135>)
fn declared<'d>(function: Value<'d>, names: &mut HashSet<Cow<'d, str>>, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, function, Shape::Object).is_none() {
        return;
    }
    let Some(found) = out.need_text(at, function, "name") else { return };
    name(&found, &at.key("name"), out);
    schema(function, &found, at, out);
    tools::declare(found, names, &at.key("name"), out);
}

/// "functionDeclaration parameters schema should be of type OBJECT" (<https://github.com/spring-projects/spring-ai/issues/1373>). A
/// JSON Schema must describe an object, too, but may do so in other ways than by its type.
fn schema(function: Value<'_>, tool: &str, at: &Path<'_>, out: &mut Findings) {
    let own = out.optional(at, function, "parameters", Shape::Object).map(|schema| ("parameters", schema, true));
    let json = JSON_SCHEMA.of(function).map(|(key, schema)| (key, schema, false));
    for (key, schema, typed) in own.into_iter().chain(json) {
        let fits = match text(schema, "type") {
            Some(kind) => kind.eq_ignore_ascii_case("object"),
            None => schema.kind() == Kind::Object && !typed,
        };
        if !fits {
            out.add(&at.key(key), Fault::SchemaNotObject { tool: clip(tool) });
        }
    }
}

/// "Function calling config is set without function_declarations." (<https://github.com/AstrBotDevs/AstrBot/pull/7407>). "Function
/// names should match FunctionDeclaration.name": the reference of `allowedFunctionNames`.
fn choice(body: Value<'_>, names: Option<&HashSet<Cow<'_, str>>>, out: &mut Findings) {
    let Some((config, value)) = CONFIG.of(body) else { return };
    let at = Path::ROOT.key(config);
    let Some((calling, value)) = CALLING.of(value) else { return };
    let at = at.key(calling);
    let Some(names) = names else {
        out.add(&at, Fault::ToolChoiceWithoutTools);
        return;
    };
    let Some((allowed, list)) = ALLOWED.of(value) else { return };
    let above = at.key(allowed);
    for (index, value) in list.items().enumerate() {
        let at = above.index(index);
        let name = out.shaped(&at, value, Shape::String).and_then(Value::as_str);
        if let Some(name) = name.filter(|name| !names.contains(name)) {
            out.add(&at, Fault::UnknownToolChoice { name: clip(&name) });
        }
    }
}

/// Checks the name of a function: "Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots
/// (.), colons (:), or dashes (-), with a maximum length of 64."
pub(super) fn name(name: &str, at: &Path<'_>, out: &mut Findings) {
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let characters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-');
    if !begins || name.len() > MAX_NAME || !name.bytes().all(characters) {
        out.add(at, Fault::BadFunctionName { name: clip(name) });
    }
}
