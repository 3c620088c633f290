//! Tools: declarations in lists, tools of Gemini's own beside them, and the configuration that names them.

use std::borrow::Cow;
use std::collections::HashSet;

use briefing::message::RawJson;
use briefing::{Tool, Wire};
use briefing_json::{Document, Kind, Path, Value, WriteJson, quote};

use super::keys::{self, ALLOWED, CALLING, CONFIG, DECLARATIONS, Key, SCHEMA};
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
/// function_declarations."), and of the names that it allows those stand that are declared, as they are written. If none of them is
/// declared, none may be called.
pub(super) fn settle_config(parameters: &mut Vec<Parameter<'_>>, tools: &[Declared<'_>], scribe: &mut Scribe<'_>) {
    let is_config = |(name, _): &Parameter<'_>| CONFIG.contains(name);
    let says = |parameter: &Parameter<'_>| is_config(parameter) && parameter.1.trim() != "null";
    let Some(mut at) = parameters.iter().position(says).or_else(|| parameters.iter().position(is_config)) else { return };
    // In both spellings it is the same field.
    while let Some(again) = (0..parameters.len()).find(|again| *again != at && parameters.get(*again).is_some_and(is_config)) {
        let (name, _) = parameters.remove(again);
        at -= usize::from(again < at);
        scribe.note_body(WireChange::FieldLeftOut { name: name.to_owned() });
    }
    let Some((_, config)) = parameters.get_mut(at) else { return };
    let names: HashSet<&str> = tools
        .iter()
        .filter_map(|tool| match tool {
            Declared::Function { name, .. } => Some(&**name),
            Declared::Raw { .. } => None,
        })
        .collect();
    let Some((text, told)) = look(config, |config| settled(config, &names, scribe)) else { return };
    if text == "{}" {
        parameters.remove(at);
    } else {
        *config = Cow::Owned(text);
    }
    told.into_iter().for_each(|change| scribe.note_body(change));
}

/// The configuration as it is written, and what is told of it; none if nothing changes.
fn settled(config: Value<'_>, names: &HashSet<&str>, scribe: &Scribe<'_>) -> Option<(String, Vec<WireChange>)> {
    let calling = keys::get(config, CALLING)?;
    if names.is_empty() {
        return Some((without(config, &CALLING), vec![WireChange::ToolChoiceLeftOut]));
    }
    let allowed = Allowed::of(calling, names, scribe);
    let mut told: Vec<WireChange> =
        second_spelling(config, CALLING).into_iter().chain(second_spelling(calling, ALLOWED)).collect();
    if told.is_empty() && matches!(allowed, Allowed::AsItCame) {
        return None;
    }
    let inner = match &allowed {
        Allowed::AsItCame => written(members(calling, ALLOWED, None)),
        Allowed::Names { list, all } => {
            told.extend((!all).then_some(WireChange::ToolChoiceLeftOut));
            written(members(calling, ALLOWED, Some(list)))
        }
        Allowed::None => {
            told.push(WireChange::ToolChoiceLeftOut);
            let others = members(calling, ALLOWED, None).filter(|(name, _)| name != "mode" && !ALLOWED.contains(&&**name));
            written(std::iter::once((Cow::Borrowed("mode"), Cow::Borrowed("\"NONE\""))).chain(others))
        }
    };
    let inner = (inner != calling.raw()).then_some(inner);
    Some((written(members(config, CALLING, inner.as_deref())), told))
}

/// What becomes of the names that may be called.
enum Allowed {
    /// All are declared, or none is named.
    AsItCame,
    /// These are declared; `all`: no other was named.
    Names { list: String, all: bool },
    /// None of those that are named is declared.
    None,
}

impl Allowed {
    fn of(calling: Value<'_>, names: &HashSet<&str>, scribe: &Scribe<'_>) -> Self {
        let Some(allowed) = keys::get(calling, ALLOWED) else { return Self::AsItCame };
        let given: Vec<Value<'_>> = if allowed.kind() == Kind::Array { allowed.items().collect() } else { vec![allowed] };
        let (mut list, mut kept, mut same) = (b"[".to_vec(), 0, allowed.kind() == Kind::Array);
        for name in given.iter().filter_map(|name| name.as_str()) {
            let Some(known) = scribe.names.known(&name).filter(|known| names.contains(&***known)) else { continue };
            if kept > 0 {
                list.push(b',');
            }
            quote(known, &mut list);
            kept += 1;
            same &= **known == *name;
        }
        list.push(b']');
        let list = String::from_utf8(list).unwrap_or_default();
        match () {
            () if same && kept == given.len() => Self::AsItCame,
            () if kept == 0 => Self::None,
            () => Self::Names { list, all: kept == given.len() },
        }
    }
}

/// That a field stands in its other spelling, too, which is left out.
fn second_spelling(object: Value<'_>, key: Key) -> Option<WireChange> {
    let [one, other] = key;
    let both = object.get(one).is_some() && object.get(other).is_some();
    let stands = keys::find(object, key).map(|(name, _)| name).filter(|_| both)?;
    Some(WireChange::FieldLeftOut { name: if stands == one { other } else { one }.to_owned() })
}

/// The members of an object with that one written once, and as `instead` if there is such.
fn members<'d>(
    object: Value<'d>,
    key: Key,
    instead: Option<&'d str>,
) -> impl Iterator<Item = (Cow<'d, str>, Cow<'d, str>)> + 'd {
    let stands = keys::get(object, key).map(|value| value.span());
    object.entries().filter_map(move |(name, value)| {
        if !key.contains(&name.as_ref()) {
            return Some((name, Cow::Borrowed(value.raw())));
        }
        let raw = instead.unwrap_or_else(|| value.raw());
        (stands.is_none() || stands == Some(value.span())).then_some((name, Cow::Borrowed(raw)))
    })
}

/// The object without those members.
fn without(object: Value<'_>, gone: &[&str]) -> String {
    written(
        object.entries().filter(|(name, _)| !gone.contains(&&**name)).map(|(name, value)| (name, Cow::Borrowed(value.raw()))),
    )
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
