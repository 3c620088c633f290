//! Tools and parameters: what stands before the messages.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use briefing::{Call, Tool, Wire};
use briefing_json::{Document, Kind, Value, WriteJson};

use crate::finding::WireChange;
use crate::raw::{look, text_of};
use crate::scribe::Scribe;
use crate::write::{Fields, Writer};

/// A tool as the body declares it.
#[derive(Debug)]
pub(crate) enum Declared<'a> {
    /// A function.
    Function { name: Arc<str>, description: Option<&'a str>, schema: Cow<'a, str>, fields: Fields<'a> },
    /// A tool of the provider's own, with the name that it can be chosen by.
    Raw { raw: Cow<'a, str>, name: Option<String> },
}

impl Declared<'_> {
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Function { name, .. } => Some(name),
            Self::Raw { name, .. } => name.as_deref(),
        }
    }
}

/// A top-level field of the body.
pub(crate) type Parameter<'a> = (&'a str, Cow<'a, str>);

/// The schema of a tool that has none.
const NO_SCHEMA: &str = r#"{"type":"object","properties":{}}"#;

/// The call's tools on its wire: those of other wires, second ones of one name and those beyond the limit are left out.
pub(crate) fn declared<'a>(call: &'a Call, scribe: &mut Scribe<'_>) -> Vec<Declared<'a>> {
    let (wire, most) = (scribe.wire(), scribe.profile.most_tools());
    let mut seen: HashSet<String> = HashSet::new();
    let mut kept = Vec::new();
    for tool in call.declared_tools() {
        let name = name_on(tool, wire);
        let stands = is_tool_of(tool, wire) && kept.len() < most && name.as_ref().is_none_or(|name| seen.insert(name.clone()));
        if stands {
            kept.push((tool, name));
        } else {
            scribe.note_body(WireChange::ToolLeftOut { name: name.unwrap_or_default() });
        }
    }
    // The provider's own first, so that no odd name is mapped to one of theirs.
    for (_, name) in kept.iter().filter(|(tool, _)| matches!(tool, Tool::Native { .. })) {
        name.iter().for_each(|name| scribe.names.keep(name));
    }
    let out = kept.into_iter().map(|(tool, own_name)| match tool {
        Tool::Function { name, description, schema, extra } => {
            let name = scribe.name(name);
            let schema = match schema_of_object(schema.as_str()) {
                Some(mended) => {
                    scribe.note_body(WireChange::SchemaMended { name: name.to_string() });
                    Cow::Owned(mended)
                }
                None => Cow::Borrowed(schema.as_str()),
            };
            Declared::Function { name, description: description.as_deref(), schema, fields: Fields::of(extra) }
        }
        Tool::Native { raw, .. } => {
            let name = own_name.filter(|_| wire != Wire::OpenAiChat);
            Declared::Raw { raw: Cow::Borrowed(raw.as_str()), name }
        }
    });
    out.collect()
}

/// Whether the wire takes the tool: a function, or one of the provider's own of another type.
fn is_tool_of(tool: &Tool, to: Wire) -> bool {
    let functions = match to {
        Wire::OpenAiChat | Wire::OpenAiResponses => "function",
        Wire::Anthropic => "custom",
        Wire::Gemini => return is_tool_of_gemini(tool),
    };
    match tool {
        Tool::Function { .. } => true,
        Tool::Native { wire, raw, .. } => {
            *wire == to && look(raw.as_str(), |tool| text_of(tool, "type")).is_some_and(|kind| kind != functions)
        }
    }
}

/// Gemini tells its own tools apart by the one field that they have.
fn is_tool_of_gemini(tool: &Tool) -> bool {
    match tool {
        Tool::Function { .. } => true,
        Tool::Native { wire, raw, .. } => {
            let own = |name: &str| !matches!(name, "functionDeclarations" | "function_declarations");
            let one = |tool: Value<'_>| {
                let mut names = tool.entries().map(|(name, _)| own(&name));
                Some(names.next() == Some(true) && names.next().is_none())
            };
            *wire == Wire::Gemini && look(raw.as_str(), one).unwrap_or(false)
        }
    }
}

/// The tool's name in the body, where it has one.
fn name_on(tool: &Tool, wire: Wire) -> Option<String> {
    match (tool, wire) {
        (Tool::Native { raw, .. }, Wire::Anthropic | Wire::OpenAiResponses) => look(raw.as_str(), |tool| text_of(tool, "name")),
        (Tool::Native { .. }, Wire::Gemini) => None,
        (Tool::Native { .. }, Wire::OpenAiChat) | (Tool::Function { .. }, _) => tool.name().map(str::to_owned),
    }
}

/// The schema as one of an object; none if it is. Arguments are objects always, so nothing is lost where no type is told.
fn schema_of_object(schema: &str) -> Option<String> {
    let document = Document::parse(schema).ok()?;
    let root = document.root();
    if root.kind() != Kind::Object {
        return Some(NO_SCHEMA.to_owned());
    }
    let mut mended = schema.to_owned();
    match root.get("type") {
        Some(kind) if kind.as_str().as_deref() == Some("object") => return None,
        Some(kind) => mended.replace_range(kind.span(), "\"object\""),
        None => {
            let comma = if root.entries().next().is_some() { "," } else { "" };
            mended.insert_str(root.span().start + 1, &format!("\"type\":\"object\"{comma}"));
        }
    }
    Some(mended)
}

/// The call's parameters but for the fields that the wire writes itself.
pub(crate) fn parameters<'a>(call: &'a Call, reserved: &[&str], scribe: &mut Scribe<'_>) -> Vec<Parameter<'a>> {
    let mut out = Vec::with_capacity(call.parameters().len());
    for (name, value) in call.parameters() {
        if reserved.contains(&&**name) {
            scribe.note_body(WireChange::FieldLeftOut { name: name.to_string() });
        } else {
            out.push((&**name, Cow::Borrowed(value.as_str())));
        }
    }
    out
}

/// Makes `tool_choice` agree with the tools: its name is mapped as theirs are, and without them it is left out.
///
/// OpenAI: "'tool_choice' is only allowed when 'tools' are specified". Anthropic: "tool_choice may only be specified while
/// providing tools".
pub(crate) fn settle_choice(parameters: &mut Vec<Parameter<'_>>, tools: &[Declared<'_>], scribe: &mut Scribe<'_>) {
    let Some(at) = parameters.iter().position(|(name, _)| *name == "tool_choice") else { return };
    let Some((_, choice)) = parameters.get_mut(at) else { return };
    let wire = scribe.wire();
    let named = look(choice, |choice| is_choice(choice, wire).then(|| name_in(choice)));
    let stands = match named {
        _ if tools.is_empty() => false,
        None => false,
        Some(None) => true,
        Some(Some((name, place))) => {
            let known = scribe.names.known(&name).filter(|known| tools.iter().any(|tool| tool.name() == Some(known)));
            if let Some(known) = known.filter(|known| ***known != *name) {
                choice.to_mut().replace_range(place, &format!("\"{known}\""));
            }
            known.is_some()
        }
    };
    if !stands {
        parameters.remove(at);
        scribe.note_body(WireChange::ToolChoiceLeftOut);
    }
}

/// Whether `tool_choice` is of a form that the wire takes.
fn is_choice(choice: Value<'_>, wire: Wire) -> bool {
    match (choice.kind(), wire) {
        (Kind::Null, _) | (Kind::String | Kind::Object, Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Gemini) => true,
        (Kind::Object, Wire::Anthropic) => {
            let kind = text_of(choice, "type");
            kind.is_some_and(|kind| kind != "tool" || text_of(choice, "name").is_some())
        }
        (Kind::True | Kind::False | Kind::Number | Kind::Array, _) | (Kind::String, Wire::Anthropic) => false,
    }
}

/// The name of the tool that is chosen, and its place.
fn name_in(choice: Value<'_>) -> Option<(String, Range<usize>)> {
    let holder = choice.get("function").unwrap_or(choice);
    Some((text_of(holder, "name")?, holder.get("name")?.span()))
}

/// Writes `tools`, if there are any, each as `function` writes one that is no native tool.
pub(crate) fn write(
    out: &mut Writer,
    tools: &[Declared<'_>],
    function: impl Fn(&mut Writer, &str, Option<&str>, &str, Fields<'_>),
) {
    if tools.is_empty() {
        return;
    }
    out.name("tools");
    out.array(tools, |out, tool| match tool {
        Declared::Raw { raw, .. } => out.json(raw),
        Declared::Function { name, description, schema, fields } => {
            out.object(|out| function(out, name, *description, schema, *fields));
        }
    });
}
