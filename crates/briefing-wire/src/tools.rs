//! Tools and parameters: what stands before the messages.

use std::borrow::Cow;
use std::sync::Arc;

use briefing::message::RawJson;
use briefing::{Call, Tool};

use crate::finding::WireChange;
use crate::raw::{look, text_of};
use crate::scribe::Scribe;
use crate::write::{Fields, Writer};

/// A tool as the body declares it.
#[derive(Debug)]
pub(crate) enum Declared<'a> {
    /// A function.
    Function { name: Arc<str>, description: Option<&'a str>, schema: &'a str, fields: Fields<'a> },
    /// A tool of the provider's own.
    Raw(&'a RawJson),
}

/// A top-level field of the body.
pub(crate) type Parameter<'a> = (&'a str, Cow<'a, str>);

/// The call's tools on its wire: those of other wires and second ones of one name are left out.
pub(crate) fn declared<'a>(call: &'a Call, scribe: &mut Scribe<'_>) -> Vec<Declared<'a>> {
    let mut out = Vec::new();
    for tool in call.declared_tools() {
        let name = tool.name().unwrap_or_default();
        let elsewhere = matches!(tool, Tool::Native { wire, .. } if *wire != scribe.wire());
        if elsewhere || (tool.name().is_some() && scribe.names.known(name).is_some()) {
            scribe.note_body(WireChange::ToolLeftOut { name: name.to_owned() });
            continue;
        }
        out.push(match tool {
            Tool::Function { name, description, schema, extra } => {
                let (name, description) = (scribe.name(name), description.as_deref());
                Declared::Function { name, description, schema: schema.as_str(), fields: Fields::of(extra) }
            }
            Tool::Native { name, raw, .. } => {
                name.iter().for_each(|name| scribe.names.keep(name));
                Declared::Raw(raw)
            }
        });
    }
    out
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
    let named = look(choice, |choice| {
        let holder = choice.get("function").unwrap_or(choice);
        Some((text_of(holder, "name")?, holder.get("name")?.span()))
    });
    let known = named.as_ref().map(|(name, _)| scribe.names.known(name).cloned());
    match (named, known) {
        _ if tools.is_empty() => {}
        (Some((name, place)), Some(Some(wire))) => {
            if *wire != *name {
                choice.to_mut().replace_range(place, &format!("\"{wire}\""));
            }
            return;
        }
        (Some(_), _) => {}
        (None, _) => return,
    }
    parameters.remove(at);
    scribe.note_body(WireChange::ToolChoiceLeftOut);
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
        Declared::Raw(raw) => out.json(raw.as_str()),
        Declared::Function { name, description, schema, fields } => {
            out.object(|out| function(out, name, *description, schema, *fields));
        }
    });
}
