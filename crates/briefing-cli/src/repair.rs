//! `check --fix`: a body through parse, fit and render, and back into the form in which it came.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use briefing::message::ModelMessage;
use briefing::{Bounds, Briefing, Call, Line, Profiles, Unit, Wire, fit};
use briefing_json::{Document, Kind as Json, Value, quote};
use briefing_wire::{Render, parse};

use crate::error::{Failure, Kind};
use crate::input::messages::checked_wire;
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
    let last = root.get(checked_wire(wire).list()).and_then(|messages| messages.items().last());
    let role = last.and_then(|last| last.get("role")?.as_str());
    let carried_on = role.is_some_and(|role| matches!(role.as_ref(), "assistant" | "model"));
    let call = unbounded(&parsed.call, wire, model, carried_on);
    let briefing = fit(&parsed.messages, &call, &Bounds::none()).map_err(internal)?;
    if says_nothing(&briefing, wire) {
        let what =
            if parsed.messages.is_empty() { "the body has no messages" } else { "none of the body's messages can be kept" };
        return Err(Failure::new(Kind::Data, format!("there is nothing to mend: {what}"))
            .hint("a conversation is not made up; `briefing check` without --fix tells all that is wrong"));
    }
    let request = briefing.render().map_err(internal)?;
    let read = parsed.findings.iter().map(ToString::to_string);
    let paired = briefing.receipt().lines().iter().map(|line| told(line, &parsed.messages));
    let written = request.findings().iter().map(|finding| finding.change.to_string());
    // Gemini's stands in the address of a request.
    let added =
        model.filter(|_| root.get("model").is_none() && wire != Wire::Gemini).map(|model| format!("model {model:?} was added"));
    let mut changes = counted(read.chain(paired).chain(written).chain(added));
    let rendered = String::from_utf8(request.into_body()).map_err(internal)?;
    let rendered = Document::parse(&rendered).map_err(internal)?;
    changes.extend(fields_changed(root, rendered.root()));
    let mut body = text.get(..root.span().start).unwrap_or_default().as_bytes().to_vec();
    let keep_model = root.get("model").is_some() || model.is_some();
    compose(root, rendered.root(), keep_model, &mut body);
    body.extend_from_slice(text.get(root.span().end..).unwrap_or_default().as_bytes());
    Ok(Mended { body: String::from_utf8(body).map_err(internal)?, changes })
}

/// Whether what is left is no request: nothing, or on a wire where system text is no message nothing else.
fn says_nothing(briefing: &Briefing, wire: Wire) -> bool {
    let hoisted = matches!(wire, Wire::Anthropic | Wire::Gemini);
    let is_said = |unit: &Unit| !hoisted || !matches!(unit, Unit::System(_));
    !briefing.units().iter().any(|placed| is_said(placed.unit()))
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(Kind::Internal, format!("the body cannot be written: {error}"))
}

/// What was changed beside the messages and the model.
fn fields_changed(original: Value<'_>, rendered: Value<'_>) -> Vec<String> {
    let mut times: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
    original.entries().for_each(|(key, _)| *times.entry(key).or_default() += 1);
    let again = times.iter().filter(|(_, times)| **times > 1).map(|(key, _)| format!("of several `{key}` the last was kept"));
    // The one field that Anthropic demands beside these.
    let most = rendered.get("max_tokens").filter(|_| !times.contains_key("max_tokens"));
    again.chain(most.map(|most| format!("`max_tokens` was added: {}", most.raw()))).collect()
}

/// A line of the receipt. Its index is of the list as it was read, which no reader of the body knows, so it is not told.
pub(crate) fn told(line: &Line, messages: &[ModelMessage]) -> String {
    let at = line.from.first().and_then(|entry| usize::try_from(entry.get()).ok());
    let role = at.and_then(|at| messages.get(at)).map_or("a", |message| message.role().name());
    let done = if line.rule.dropped() { "left out" } else { "changed" };
    format!("{role} message {done}: {}", line.rule)
}

/// Each text once, with how often it came.
pub(crate) fn counted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for text in texts {
        let count = counts.entry(text.clone()).or_default();
        *count += 1;
        if *count == 1 {
            order.push(text);
        }
    }
    let count = |text: &String| counts.get(text).copied().unwrap_or(1);
    order.iter().map(|text| if count(text) > 1 { format!("{text} ({} times)", count(text)) } else { text.clone() }).collect()
}

/// The same call for the model whose rules count, with no bound on the body's size. A request stays one: the model goes on
/// from an assistant message only where the body asked for that.
fn unbounded(call: &Call, wire: Wire, model: Option<&str>, carried_on: bool) -> Call {
    let named = call.profile().name.clone();
    let mut profile = Profiles::built_in().model(model.unwrap_or(&named), Some(wire));
    if !named.is_empty() {
        profile.name = named;
    }
    profile.max_request_bytes = u64::MAX;
    profile.prefill &= carried_on;
    let same = Call::new(profile).tools(call.declared_tools()).output_reserve(call.reserved_output());
    call.parameters().iter().fold(same, |same, (name, value)| same.parameter(Arc::clone(name), value.clone()))
}

/// Writes the rendered body with the fields in the order of the original, in its style, and what reads the same as there byte
/// for byte as it stands there.
fn compose(original: Value<'_>, rendered: Value<'_>, keep_model: bool, out: &mut Vec<u8>) {
    let style = Style::of(original);
    let mut seen: HashSet<String> = HashSet::new();
    let again = original.entries().any(|(key, _)| !seen.insert(key.into_owned()));
    let added = rendered.entries().filter(|(key, _)| !seen.contains(&**key) && (keep_model || key != "model"));
    let added: Vec<(Cow<'_, str>, Value<'_>)> = added.collect();
    let written: HashMap<Cow<'_, str>, Value<'_>> = rendered.entries().collect();
    let kept = original.entries().map(|(key, before)| written.get(&key).map(|after| (key, before, *after)));
    match kept.clone().collect::<Option<Vec<_>>>() {
        Some(all) if added.is_empty() && !again => {
            splice(
                original,
                all.iter().map(|(_, before, after)| (*before, *after)),
                |pair, out| member(pair, &style, out),
                out,
            );
        }
        _ => {
            // Of several members of one name the last counts.
            let last: HashMap<Cow<'_, str>, Value<'_>> = original.entries().collect();
            seen.clear();
            let kept = kept.flatten().filter(|(key, _, _)| seen.insert(key.clone().into_owned()));
            let kept = kept.map(|(key, _, after)| (last.get(&key).copied(), key, after));
            let fields = kept.chain(added.into_iter().map(|(key, after)| (None, key, after)));
            style.list(b"{}", fields, 0, out, |(before, key, after), out| {
                quote(&key, out);
                style.colon(out);
                match before {
                    Some(before) => member((before, after), &style, out),
                    None => style.write(after, 1, out),
                }
            });
        }
    }
}

/// Copies `whole` with each of its values, given in order, written anew.
fn splice<'d>(
    whole: Value<'d>,
    pairs: impl Iterator<Item = (Value<'d>, Value<'d>)>,
    mut write: impl FnMut((Value<'d>, Value<'d>), &mut Vec<u8>),
    out: &mut Vec<u8>,
) {
    let base = whole.span().start;
    let mut done = 0;
    for (before, after) in pairs {
        out.extend_from_slice(whole.raw().get(done..before.span().start - base).unwrap_or_default().as_bytes());
        write((before, after), out);
        done = before.span().end - base;
    }
    out.extend_from_slice(whole.raw().get(done..).unwrap_or_default().as_bytes());
}

fn member((before, after): (Value<'_>, Value<'_>), style: &Style, out: &mut Vec<u8>) {
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
    let element = |item, out: &mut Vec<u8>| match hash(item).and_then(|hash| known.get(&hash)) {
        Some(raw) => out.extend_from_slice(raw.as_bytes()),
        None => list.write(item, 2, out),
    };
    if before.items().count() == after.items().count() {
        splice(before, before.items().zip(after.items()), |(_, item), out| element(item, out), out);
    } else {
        list.list(b"[]", after.items(), 1, out, element);
    }
}
