//! `check --fix`: a body through parse, fit and render, and back into the form in which it came.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::message::ModelMessage;
use briefing::{Bounds, Call, Profiles, Wire, fit};
use briefing_json::{Document, Kind as Json, Value, quote};
use briefing_wire::{Render, parse};

use crate::error::{Failure, Kind};
use crate::output::json::{Style, canonical};

/// A body that was mended.
#[derive(Debug)]
pub(crate) struct Mended {
    pub(crate) body: String,
    /// What was changed, in the order of the way: reading, pairing, writing.
    pub(crate) changes: Vec<String>,
}

/// Mends the body that is `document`, read from `text`, by the rules of the model that it names or of `model`. Nothing is
/// left out to save room; top-level fields stay, known or not.
pub(crate) fn mend(document: &Document<'_>, text: &str, wire: Wire, model: Option<&str>) -> Result<Mended, Failure> {
    let root = document.root();
    let parsed = parse(wire, root).map_err(|error| {
        Failure::new(Kind::Data, format!("the body cannot be mended: {error}"))
            .hint("`briefing check` without --fix tells all that is wrong; mend that place by hand")
    })?;
    let call = unbounded(&parsed.call, wire, model);
    let briefing = fit(&parsed.messages, &call, &Bounds::none()).map_err(internal)?;
    let request = briefing.render().map_err(internal)?;
    let mut changes: Vec<String> = parsed.findings.iter().map(ToString::to_string).collect();
    let named = |from: &briefing::Origin| {
        let at = from.first().and_then(|entry| usize::try_from(entry.get()).ok());
        at.and_then(|at| parsed.messages.get(at)).map_or("message", |message| role(message))
    };
    changes.extend(briefing.receipt().lines().iter().map(|line| format!("{} {}", named(&line.from), line)));
    changes.extend(request.findings().iter().map(ToString::to_string));
    let rendered = String::from_utf8(request.into_body()).map_err(internal)?;
    let rendered = Document::parse(&rendered).map_err(internal)?;
    let mut body = text.get(..root.span().start).unwrap_or_default().as_bytes().to_vec();
    let keep_model = root.get("model").is_some() || model.is_some();
    compose(root, rendered.root(), keep_model, &mut body);
    body.extend_from_slice(text.get(root.span().end..).unwrap_or_default().as_bytes());
    Ok(Mended { body: String::from_utf8(body).map_err(internal)?, changes })
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Internal, format!("the body cannot be written: {error}"))
}

fn role(message: &ModelMessage) -> &'static str {
    message.role().name()
}

/// The same call for the model whose rules count, with no bound on the body's size.
fn unbounded(call: &Call, wire: Wire, model: Option<&str>) -> Call {
    let named = call.profile().name.clone();
    let mut profile = Profiles::built_in().model(model.unwrap_or(&named), Some(wire));
    if !named.is_empty() {
        profile.name = named;
    }
    profile.max_request_bytes = u64::MAX;
    let same = Call::new(profile).tools(call.declared_tools()).output_reserve(call.reserved_output());
    call.parameters().iter().fold(same, |same, (name, value)| same.parameter(Arc::clone(name), value.clone()))
}

/// Writes the rendered body with the fields in the order of the original, in its style, and what reads the same as there byte
/// for byte as it stands there.
fn compose(original: Value<'_>, rendered: Value<'_>, keep_model: bool, out: &mut Vec<u8>) {
    let style = Style::of(original);
    let mut fields: Vec<(String, Value<'_>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (key, _) in original.entries() {
        if let Some(value) = rendered.get(&key)
            && !known.contains_key(&*key)
        {
            known.insert(key.clone().into_owned(), fields.len());
            fields.push((key.into_owned(), value));
        }
    }
    let added = rendered.entries().filter(|(key, _)| !known.contains_key(&**key) && (keep_model || key != "model"));
    fields.extend(added.map(|(key, value)| (key.into_owned(), value)));
    style.list(b"{}", fields.into_iter(), 0, out, |(key, value), out| {
        quote(&key, out);
        style.colon(out);
        match original.get(&key) {
            Some(before) => member(before, value, &style, out),
            None => style.write(value, 1, out),
        }
    });
}

fn member(before: Value<'_>, after: Value<'_>, style: &Style, out: &mut Vec<u8>) {
    match canonical(before) {
        Some(same) if canonical(after).as_ref() == Some(&same) => out.extend_from_slice(before.raw().as_bytes()),
        _ if before.kind() == Json::Array && after.kind() == Json::Array => elements(before, after, style, out),
        _ => style.write(after, 1, out),
    }
}

/// An array some of whose elements were changed: those that were not stay as they are written.
fn elements(before: Value<'_>, after: Value<'_>, style: &Style, out: &mut Vec<u8>) {
    let hash = |value: Value<'_>| canonical(value).map(|bytes| blake3::hash(&bytes));
    let known: HashMap<blake3::Hash, &str> = before.items().filter_map(|item| Some((hash(item)?, item.raw()))).collect();
    let list = match Style::of(before) {
        Style::Compact => Style::Compact,
        Style::Lines { .. } => style.clone(),
    };
    list.list(b"[]", after.items(), 1, out, |item, out| match hash(item).and_then(|hash| known.get(&hash)) {
        Some(raw) => out.extend_from_slice(raw.as_bytes()),
        None => list.write(item, 2, out),
    });
}
