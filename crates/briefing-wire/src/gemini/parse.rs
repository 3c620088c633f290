//! Reading a Gemini body.

use std::sync::Arc;

use briefing::message::{
    Assistant, Bytes, CallId, Extra, Input, Item, Media, MediaSource, Native, Outcome, Part, RawJson, Reasoning, System,
    SystemPart, Text, ToolCall, User,
};
use briefing::{Call, ModelMessage, Profiles, Wire};
use briefing_json::{Path, Value, present};

use super::keys::{
    self, CACHED, CALL, CODE, CODE_RESULT, DATA, FILE, INLINE, Key, RESPONSE, SYSTEM, TEXT, TOOL_CALL, TOOL_RESPONSE, TYPE, URI,
};
use super::list::{elements, place};
use super::native::kind_of;
use super::pairing::Pairing;
use super::{is_nameless, response, tools};
use crate::parse::{Fails, ParseChange, ParseFault, Read, Reader, object, object_of};
use crate::raw::{is_base64, standard_base64, text_of, without_member};

const WIRE: Wire = Wire::Gemini;

/// Reads a body. A model that it does not name is one of the newest, of which nothing is demanded that the body does not have.
pub(crate) fn body(body: Value<'_>, reader: &mut Reader) -> Read<(Call, Vec<ModelMessage>)> {
    let root = Path::Root;
    object(body, &root)?;
    let named = text_of(body, "model");
    let mut profile = Profiles::built_in().model(named.as_deref().unwrap_or("gemini"), Some(WIRE));
    if named.is_none() {
        profile.name = Arc::from("");
        profile.signed_calls = false;
        profile.prefill = true;
    }
    let mut call = Call::new(profile);
    let reserved = ["contents", "tools", SYSTEM[0], SYSTEM[1]];
    call = call.parameters_of(reader.unknown(body, &reserved, &root));
    let config = keys::get(body, ["generationConfig", "generation_config"]);
    let most = config.and_then(|config| keys::get(config, ["maxOutputTokens", "max_output_tokens"])?.raw().parse().ok());
    if let Some(most) = most {
        call = call.output_reserve(most);
    }
    if let Some(declared) = present(body, "tools") {
        call = call.tools(tools::read(declared, &root.key("tools"), reader)?);
    }
    let mut out = Vec::new();
    if let Some((name, system)) = keys::find(body, SYSTEM) {
        let at = root.key(name);
        let parts = parts(object(system, &at)?, INSIDE, &at, reader, system_part)?;
        let extra = reader.extra(system, &["parts"], None, &at);
        out.push(ModelMessage::System(Arc::new(System { parts, extra })));
    }
    let list = present(body, "contents").ok_or_else(|| root.error(ParseFault::Missing { key: "contents" }))?;
    let pairing = Pairing::new(keys::get(body, CACHED).is_some());
    contents(list, pairing, &root.key("contents"), reader, &mut out)?;
    Ok((call, out))
}

/// Reads a list of contents.
pub(crate) fn array(list: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<ModelMessage>> {
    let mut out = Vec::new();
    contents(list, Pairing::default(), at, reader, &mut out)?;
    Ok(out)
}

/// What the model wrote, as it stands in a candidate's content.
pub(crate) fn said(content: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Item>> {
    parts(content, SAID, at, reader, item)
}

fn contents(
    list: Value<'_>,
    mut pairing: Pairing,
    at: &Path<'_>,
    reader: &mut Reader,
    out: &mut Vec<ModelMessage>,
) -> Read<()> {
    for (index, value) in elements(list, at)? {
        let at = place(at, index);
        object(value, &at)?;
        let role = reader.member(value, "role", &at)?;
        match role.as_deref() {
            Some("user" | "function") | None => {
                pairing.turn();
                user(value, &mut pairing, &at, reader, out)?;
            }
            Some("model") => {
                let items = parts(value, SAID, &at, reader, item)?;
                pairing.model();
                for call in items.iter().filter_map(call_of) {
                    pairing.call(&call.name, &call.id, is_nameless(call));
                }
                let extra = reader.extra(value, &["role", "parts"], None, &at);
                out.push(ModelMessage::Assistant(Arc::new(Assistant { items, model: None, extra })));
            }
            Some("system") => {
                let parts = parts(value, INSIDE, &at, reader, system_part)?;
                let extra = reader.extra(value, &["role", "parts"], None, &at);
                out.push(ModelMessage::System(Arc::new(System { parts, extra })));
            }
            Some(role) => return Err(at.key("role").error(ParseFault::UnknownRole { role: role.to_owned() })),
        }
    }
    Ok(())
}

fn call_of(item: &Item) -> Option<&ToolCall> {
    match item {
        Item::Call(call) => Some(call),
        Item::Text(_) | Item::Reasoning(_) | Item::Native(_) => None,
    }
}

/// What a part may be, in the order that it is looked for: of the user's; inside an outcome and in system text, where no outcome
/// stands; and of the model's.
const GIVEN: &[Key] = &[RESPONSE, TEXT, INLINE, FILE, CALL, CODE, CODE_RESULT, TOOL_CALL, TOOL_RESPONSE];
const INSIDE: &[Key] = &[TEXT, INLINE, FILE, RESPONSE, CALL, CODE, CODE_RESULT, TOOL_CALL, TOOL_RESPONSE];
const SAID: &[Key] = &DATA;

fn parts<T>(
    content: Value<'_>,
    order: &[Key],
    at: &Path<'_>,
    reader: &mut Reader,
    mut part: impl FnMut(Value<'_>, &Path<'_>, &mut Reader) -> Read<Option<T>>,
) -> Read<Vec<T>> {
    let Some(parts) = present(content, "parts") else { return Ok(Vec::new()) };
    let at = at.key("parts");
    let mut out = Vec::new();
    for (index, value) in elements(parts, &at)? {
        let at = place(&at, index);
        out.extend(part(object(value, &at)?, &at, reader)?);
        // A part is one thing: what else it claims to be is told.
        for name in keys::claims(value, order).skip(1) {
            reader.note(&at, ParseChange::FieldLeftOut { name: name.to_owned() });
        }
    }
    Ok(out)
}

/// What a user content holds: input, or the outcome of a call.
enum Given {
    Part(Part),
    Outcome(Outcome),
}

/// The outcomes of a user content and what else it holds, in its order: what stands before an outcome is input of its own. `fit` puts
/// the outcomes behind their calls, and tells that.
fn user(
    content: Value<'_>,
    pairing: &mut Pairing,
    at: &Path<'_>,
    reader: &mut Reader,
    out: &mut Vec<ModelMessage>,
) -> Read<()> {
    let mut extra = Some(reader.unknown(content, &["role", "parts"], at));
    let mut input = |parts: Vec<Part>| {
        let extra = Extra::new(WIRE, extra.take().unwrap_or_default());
        ModelMessage::User(Arc::new(User { parts, extra }))
    };
    let mut rest = Vec::new();
    let mut outcomes = false;
    for given in parts(content, GIVEN, at, reader, |part, at, reader| given(part, pairing, at, reader))? {
        match given {
            Given::Part(part) => rest.push(part),
            Given::Outcome(outcome) => {
                outcomes = true;
                if !rest.is_empty() {
                    out.push(input(std::mem::take(&mut rest)));
                }
                out.push(ModelMessage::Tool(Arc::new(outcome)));
            }
        }
    }
    if !outcomes || !rest.is_empty() {
        out.push(input(rest));
    }
    for (name, _) in extra.into_iter().flatten() {
        reader.note(at, ParseChange::FieldLeftOut { name: name.to_string() });
    }
    Ok(())
}

fn system_part(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<SystemPart>> {
    match text(part, at, reader)? {
        Some(text) => Ok(Some(SystemPart::Text(text))),
        None => Ok(native(part, INSIDE, at, reader).map(SystemPart::Native)),
    }
}

fn given(part: Value<'_>, pairing: &mut Pairing, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Given>> {
    match keys::find(part, RESPONSE) {
        Some((name, response)) => outcome(part, (name, response), pairing, at, reader),
        None => Ok(part_of(part, GIVEN, at, reader)?.map(Given::Part)),
    }
}

fn part_of(part: Value<'_>, order: &[Key], at: &Path<'_>, reader: &mut Reader) -> Read<Option<Part>> {
    if let Some(text) = text(part, at, reader)? {
        return Ok(Some(Part::Text(text)));
    }
    match file(part, at, reader) {
        Some((media, true)) => Ok(Some(Part::Document(media))),
        Some((media, false)) => Ok(Some(Part::Image(media))),
        None => Ok(native(part, order, at, reader).map(Part::Native)),
    }
}

fn text(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Text>> {
    let Some(text) = reader.member(part, "text", at)? else { return Ok(None) };
    Ok(Some(Text { text, extra: reader.extra(part, &["text"], None, at) }))
}

fn native(part: Value<'_>, order: &[Key], at: &Path<'_>, reader: &mut Reader) -> Option<Native> {
    let kind = keys::claims(part, order).next().map(str::to_owned).or_else(|| kind_of(part)).unwrap_or_default();
    Some(Native { wire: WIRE, kind: kind.into(), raw: alone(part, order, at, reader)?, reads_as: None, needs: None })
}

/// The part as it came, but as one thing.
fn alone(part: Value<'_>, order: &[Key], at: &Path<'_>, reader: &mut Reader) -> Option<RawJson> {
    let raw = reader.raw(part, at)?;
    keys::claims(part, order)
        .skip(1)
        .try_fold(raw, |raw, other| without_member(raw.as_str(), other).and_then(|one| RawJson::new(one).ok()))
}

/// What the model wrote: a call, else a thought, else text. So reads the stream, too.
fn item(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Item>> {
    let thought = part.get("thought").and_then(Value::as_bool) == Some(true);
    if let Some((name, call)) = keys::find(part, CALL) {
        if thought {
            reader.note(at, ParseChange::FieldLeftOut { name: "thought".to_owned() });
        }
        return Ok(Some(Item::Call(function_call(part, name, call, at, reader)?)));
    }
    if thought {
        let raw = alone(part, SAID, at, reader);
        return Ok(raw.map(|raw| Item::Reasoning(Reasoning { wire: WIRE, kind: "thought".into(), raw })));
    }
    match text(part, at, reader)? {
        Some(text) => Ok(Some(Item::Text(text))),
        None => Ok(native(part, SAID, at, reader).map(Item::Native)),
    }
}

/// A call without an id goes by its name, and is written without one.
fn function_call(part: Value<'_>, key: &'static str, call: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<ToolCall> {
    let inner = at.key(key);
    object(call, &inner)?;
    let name = reader.member_or_empty(call, "name", &inner)?;
    let id = reader.member(call, "id", &inner)?;
    let args = present(call, "args").map_or_else(|| Input::new("{}"), |args| reader.input(args, &inner.key("args")));
    let mut fields = around(part, (key, CALL), call, &["name", "id", "args"], at, reader);
    fields.extend(RawJson::new("null").ok().filter(|_| id.is_none()).map(|none| (Arc::from("id"), none)));
    let extra = Extra::new(WIRE, fields);
    Ok(ToolCall { id: CallId::new(id.unwrap_or_else(|| name.clone())), name, input: args, extra })
}

/// An outcome; of a call that the provider keeps, a part of its own.
fn outcome(
    part: Value<'_>,
    (key, given): (&'static str, Value<'_>),
    pairing: &mut Pairing,
    at: &Path<'_>,
    reader: &mut Reader,
) -> Read<Option<Given>> {
    let inner = at.key(key);
    object(given, &inner)?;
    let name = reader.member_or_empty(given, "name", &inner)?;
    let id = reader.member(given, "id", &inner)?;
    let call = pairing.answered(&name, id.as_deref());
    if call.is_none() && pairing.goes_on {
        return Ok(native(part, GIVEN, at, reader).map(Part::Native).map(Given::Part));
    }
    let (mut out, mut failed) = (Vec::new(), None);
    if let Some(response) = present(given, "response") {
        let (text, error) = response::read(response);
        failed = error.then_some(true);
        let text = match text {
            Some(text) => text,
            None => reader.raw(response, &inner.key("response")).map(|raw| raw.as_str().to_owned()).unwrap_or_default(),
        };
        out.push(Part::text(text));
    }
    out.append(&mut parts(given, INSIDE, &inner, reader, |part, at, reader| part_of(part, INSIDE, at, reader))?);
    let fields = around(part, (key, RESPONSE), given, &["name", "id", "response", "parts"], at, reader);
    let extra = Extra::new(WIRE, fields);
    let call = call.unwrap_or_else(|| CallId::new(id.unwrap_or(name)));
    Ok(Some(Given::Outcome(Outcome { call, parts: out, failed, extra })))
}

/// The unknown fields of a part and of the object in it, that under the name that is written.
fn around(
    part: Value<'_>,
    (key, written): (&'static str, Key),
    inner: Value<'_>,
    known: &[&str],
    at: &Path<'_>,
    reader: &mut Reader,
) -> Vec<(Arc<str>, RawJson)> {
    let mut fields = reader.unknown(part, &[key], at);
    let inside = reader.unknown(inner, known, &at.key(key));
    fields.extend(object_of(&inside).map(|raw| (Arc::from(written[0]), raw)));
    fields
}

/// A picture or (true) a document, if it is written in a known form.
fn file(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<(Media, bool)> {
    if let Some((key, data)) = keys::find(part, INLINE) {
        let media_type = keys::text(data, TYPE)?;
        let base64 = standard_base64(&text_of(data, "data")?);
        let document = kind_of_file(&media_type).filter(|_| is_base64(&base64))?;
        let source = MediaSource::Data(Bytes::from_base64(base64));
        let known = ["data", TYPE[0], TYPE[1]];
        let extra = Extra::new(WIRE, around(part, (key, INLINE), data, &known, at, reader));
        return Some((Media { source, media_type: media_type.into(), filename: None, extra }, document));
    }
    let (key, data) = keys::find(part, FILE)?;
    let (media_type, uri) = (keys::text(data, TYPE)?, keys::text(data, URI)?);
    let document = kind_of_file(&media_type)?;
    let source = if MediaSource::is_stored_at_gemini(&uri) {
        MediaSource::File { wire: WIRE, id: uri.into() }
    } else {
        MediaSource::Url(uri.into())
    };
    let known = [URI[0], URI[1], TYPE[0], TYPE[1]];
    let extra = Extra::new(WIRE, around(part, (key, FILE), data, &known, at, reader));
    Some((Media { source, media_type: media_type.into(), filename: None, extra }, document))
}

/// Whether files of the type are documents (true) or pictures; none for what is neither, such as a recording.
fn kind_of_file(media_type: &str) -> Option<bool> {
    match media_type {
        "application/pdf" => Some(true),
        "image/png" | "image/jpeg" | "image/webp" | "image/heic" | "image/heif" => Some(false),
        _ => None,
    }
}
