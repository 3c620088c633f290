//! What both wires demand of the tools of a call and of the names and ids in a history.

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Document, Kind, Path, Value};

use crate::fault::{Fault, IdRule, clip};
use crate::report::{Findings, text};

/// The most characters of arguments that OpenAI takes as input, though it may put out more (report B52).
pub(crate) const MAX_ARGUMENTS: usize = 1_048_576;

/// Checks one name, of a tool or of a call: `^[a-zA-Z0-9_-]{1,most}$` (report B49).
pub(crate) fn name(name: &str, most: usize, at: &Path<'_>, out: &mut Findings) {
    let fits = !name.is_empty() && name.len() <= most;
    if !fits || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        out.add(at, Fault::BadToolName { name: clip(name), most });
    }
}

/// Checks one id, of a call or of an outcome (reports B45, B48).
pub(crate) fn id(id: &str, rule: IdRule, at: &Path<'_>, out: &mut Findings) {
    if id.is_empty() {
        out.add(at, Fault::EmptyCallId);
    } else if !rule.takes(id) {
        out.add(at, Fault::BadCallId { id: clip(id), rule });
    }
}

/// Notes a tool's name; a fault if another tool has it.
pub(crate) fn declare<'d>(name: Cow<'d, str>, names: &mut HashSet<Cow<'d, str>>, at: &Path<'_>, out: &mut Findings) {
    let shown = names.contains(&name).then(|| clip(&name));
    if let Some(name) = shown {
        out.add(at, Fault::RepeatedToolName { name });
    } else {
        names.insert(name);
    }
}

/// Checks a tool's input schema: an object that describes an object.
pub(crate) fn schema(schema: Value<'_>, tool: &str, at: &Path<'_>, out: &mut Findings) {
    if text(schema, "type").as_deref() != Some("object") {
        out.add(at, Fault::SchemaNotObject { tool: clip(tool) });
    }
}

/// Checks a call's arguments that are written as a string: a JSON object, not too long (reports B50, B52).
pub(crate) fn arguments(arguments: &str, id: &str, most: Option<usize>, at: &Path<'_>, out: &mut Findings) {
    if let Some(most) = most.filter(|most| arguments.len() > *most) {
        let characters = arguments.chars().count();
        if characters > most {
            out.add(at, Fault::ArgumentsTooLong { id: clip(id), characters, most });
            return;
        }
    }
    if arguments == "{}" {
        return;
    }
    match Document::parse(arguments) {
        Ok(document) if document.root().kind() == Kind::Object => {}
        Ok(_) => out.add(at, Fault::ArgumentsNotObject { id: clip(id) }),
        Err(_) => out.add(at, Fault::ArgumentsNotJson { id: clip(id) }),
    }
}
