//! Tools: declarations in lists, tools of Gemini's own beside them, and the configuration that names them.

use std::borrow::Cow;
use std::sync::Arc;

use briefing::message::RawJson;
use briefing::{Tool, Wire};
use briefing_json::{Document, Kind, Path, Value, quote};

use super::keys::{self, ALLOWED, CALLING, CONFIG, DECLARATIONS, SCHEMA};
use super::list::{elements, place};
use crate::finding::WireChange;
use crate::parse::{Fails, Read, Reader, object};
use crate::raw::look;
use crate::scribe::Scribe;
use crate::tools::{Declared, Parameter};
use crate::write::Writer;

const WIRE: Wire = Wire::Gemini;

/// The schema of a function that declares none.
const NO_SCHEMA: &str = r#"{"type":"object","properties":{}}"#;

/// The field of a declaration that holds a schema in Gemini's own form, which is written again as it came.
const OWN_SCHEMA: &str = "parameters";

/// Reads the list of tools: each function of each list of declarations, each other field of a tool as a tool of Gemini's own.
pub(super) fn read(tools: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Tool>> {
    let mut out = Vec::new();
    for (index, tool) in elements(tools, at)? {
        let at = place(at, index);
        for (name, value) in object(tool, &at)?.entries() {
            let at = at.key(&name);
            if DECLARATIONS.contains(&name.as_ref()) {
                for (index, value) in elements(value, &at)? {
                    let at = place(&at, index);
                    out.push(function(object(value, &at)?, &at, reader)?);
                }
            } else if let Some(raw) = reader.raw(value, &at) {
                let mut text = b"{".to_vec();
                quote(&name, &mut text);
                text.push(b':');
                text.extend_from_slice(raw.as_str().as_bytes());
                text.push(b'}');
                let raw = String::from_utf8(text).ok().and_then(|text| RawJson::new(text).ok());
                out.extend(raw.map(|raw| Tool::Native { wire: WIRE, name: None, raw }));
            }
        }
    }
    Ok(out)
}

fn function(function: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Tool> {
    let schema = match (keys::find(function, SCHEMA), keys::find(function, [OWN_SCHEMA, OWN_SCHEMA])) {
        (Some((name, schema)), _) => reader.raw(schema, &at.key(name)),
        (None, Some((name, schema))) => reader.raw(schema, &at.key(name)).map(|raw| lower_types(&raw).unwrap_or(raw)),
        (None, None) => None,
    };
    let mut known = vec!["name", "description", SCHEMA[0], SCHEMA[1]];
    // Where both are there, the schema in Gemini's own form is not read.
    known.extend(keys::get(function, SCHEMA).is_some().then_some(OWN_SCHEMA));
    Ok(Tool::Function {
        name: reader.member_or_empty(function, "name", at)?,
        description: reader.member(function, "description", at)?,
        schema: schema.or_else(|| RawJson::new(NO_SCHEMA).ok()).ok_or_else(|| at.wanted("a schema", function))?,
        extra: reader.extra(function, &known, None, at),
    })
}

/// The schema with its types as JSON Schema spells them: Gemini's own form has `OBJECT` for `object`. None if nothing changes.
fn lower_types(schema: &RawJson) -> Option<RawJson> {
    let mut out = String::with_capacity(schema.as_str().len());
    let document = Document::parse(schema.as_str()).ok()?;
    let mut spans = Vec::new();
    types(document.root(), &mut spans);
    if spans.is_empty() {
        return None;
    }
    let mut done = 0;
    for span in spans {
        out.push_str(schema.as_str().get(done..span.start)?);
        out.push_str(&schema.as_str().get(span.clone())?.to_ascii_lowercase());
        done = span.end;
    }
    out.push_str(schema.as_str().get(done..)?);
    RawJson::new(out).ok()
}

/// The places of types in upper case. A raw value has a bounded depth, so this ends.
fn types(value: Value<'_>, out: &mut Vec<std::ops::Range<usize>>) {
    const TYPES: [&str; 7] = ["OBJECT", "ARRAY", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "NULL"];
    match value.kind() {
        Kind::Object => {
            for (name, member) in value.entries() {
                if name == "type" && member.as_str().is_some_and(|kind| TYPES.contains(&&*kind)) {
                    out.push(member.span());
                } else {
                    types(member, out);
                }
            }
        }
        Kind::Array => value.items().for_each(|item| types(item, out)),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => {}
    }
}

/// Writes the tools: all functions in one list, behind them Gemini's own.
pub(super) fn write(out: &mut Writer, tools: &[Declared<'_>]) {
    if tools.is_empty() {
        return;
    }
    let functions = tools.iter().filter(|tool| matches!(tool, Declared::Function { .. }));
    out.name("tools");
    out.list(|out| {
        if functions.clone().next().is_some() {
            out.element(|out| {
                out.object(|out| {
                    out.name(DECLARATIONS[0]);
                    out.array(functions, declaration);
                });
            });
        }
        for tool in tools {
            if let Declared::Raw { raw, .. } = tool {
                out.element(|out| out.json(raw));
            }
        }
    });
}

fn declaration(out: &mut Writer, tool: &Declared<'_>) {
    let Declared::Function { name, description, schema, fields } = tool else { return };
    out.object(|out| {
        out.field("name", name);
        if let Some(description) = description {
            out.field("description", description);
        }
        // A schema that was mended stands in place of the one in Gemini's own form.
        let own = fields.get(WIRE, OWN_SCHEMA).is_some() && matches!(schema, Cow::Borrowed(_));
        if own {
            out.extra(*fields, &["name", "description", SCHEMA[0], SCHEMA[1]]);
        } else {
            out.json_field(SCHEMA[0], schema);
            out.extra(*fields, &["name", "description", OWN_SCHEMA, SCHEMA[0], SCHEMA[1]]);
        }
    });
}

/// Makes the configuration agree with the tools: without functions it has no place ("Function calling config is set without
/// function_declarations."), and of the names that it allows those stand that are declared, as they are written.
pub(super) fn settle_config(parameters: &mut Vec<Parameter<'_>>, tools: &[Declared<'_>], scribe: &mut Scribe<'_>) {
    let Some(at) = parameters.iter().position(|(name, _)| CONFIG.contains(name)) else { return };
    // In both spellings it is the same field.
    if let Some(again) = parameters.iter().skip(at + 1).position(|(name, _)| CONFIG.contains(name)) {
        let (name, _) = parameters.remove(at + 1 + again);
        scribe.note_body(WireChange::FieldLeftOut { name: name.to_owned() });
    }
    let Some((_, config)) = parameters.get_mut(at) else { return };
    let names: Vec<&Arc<str>> = tools
        .iter()
        .filter_map(|tool| match tool {
            Declared::Function { name, .. } => Some(name),
            Declared::Raw { .. } => None,
        })
        .collect();
    let mut change = None;
    let settled = look(config, |config| {
        let Some((key, calling)) = keys::find(config, CALLING) else { return Some(None) };
        if names.is_empty() {
            change = Some(WireChange::ToolChoiceLeftOut);
            return Some(Some(without(config, &CALLING)));
        }
        if CALLING.iter().filter(|key| config.get(key).is_some()).count() > 1 {
            return Some(Some(without(config, &CALLING)));
        }
        let (allowed_key, allowed) = keys::find(calling, ALLOWED)?;
        let given: Vec<String> = allowed.items().filter_map(|name| Some(name.as_str()?.into_owned())).collect();
        let known = |name: &String| scribe.names.known(name).filter(|known| names.contains(known)).cloned();
        let kept: Vec<Arc<str>> = given.iter().filter_map(known).collect();
        if kept.len() == given.len() && kept.iter().zip(&given).all(|(kept, given)| **kept == **given) {
            return None;
        }
        change = (kept.len() < given.len()).then_some(WireChange::ToolChoiceLeftOut);
        Some(Some(with_names(config, key, calling, allowed_key, &kept)))
    });
    match settled {
        Some(Some(text)) if text == "{}" => {
            parameters.remove(at);
        }
        Some(Some(text)) => *config = Cow::Owned(text),
        Some(None) | None => {}
    }
    if let Some(change) = change {
        scribe.note_body(change);
    }
}

/// The object without those members.
fn without(object: Value<'_>, gone: &[&str]) -> String {
    written(
        object.entries().filter(|(name, _)| !gone.contains(&&**name)).map(|(name, value)| (name, Cow::Borrowed(value.raw()))),
    )
}

fn with_names(config: Value<'_>, key: &str, calling: Value<'_>, allowed: &str, names: &[Arc<str>]) -> String {
    let mut list = b"[".to_vec();
    for name in names {
        if list.len() > 1 {
            list.push(b',');
        }
        quote(name, &mut list);
    }
    list.push(b']');
    let list = String::from_utf8(list).unwrap_or_default();
    let inner = calling.entries().filter(|(name, _)| *name != allowed || !names.is_empty());
    let inner = inner.map(|(name, value)| {
        let raw = if name == allowed { Cow::Owned(list.clone()) } else { Cow::Borrowed(value.raw()) };
        (name, raw)
    });
    let inner = written(inner);
    written(config.entries().map(|(name, value)| {
        let raw = if name == key { Cow::Owned(inner.clone()) } else { Cow::Borrowed(value.raw()) };
        (name, raw)
    }))
}

fn written<'d>(members: impl Iterator<Item = (Cow<'d, str>, Cow<'d, str>)>) -> String {
    let mut out = Writer::new(WIRE);
    out.object(|out| members.for_each(|(name, raw)| out.json_field(&name, &raw)));
    String::from_utf8(out.into_bytes()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_lowered_and_names_are_not() {
        let lowered = |text: &str| lower_types(&RawJson::new(text).unwrap()).map(|raw| raw.as_str().to_owned());
        let own = r#"{"type": "OBJECT", "properties": {"type": {"type":"STRING", "enum": ["OBJECT"]}}}"#;
        let schema = r#"{"type": "object", "properties": {"type": {"type":"string", "enum": ["OBJECT"]}}}"#;
        assert_eq!(lowered(own).as_deref(), Some(schema));
        assert_eq!(lowered(schema), None);
    }
}
