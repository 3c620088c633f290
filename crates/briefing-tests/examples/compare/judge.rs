//! Puts every request of a contender before the checker of its wire, and looks at what of the window it still has.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};

use briefing_check::{Fault, Report, Rules, Violation, Wire, check};
use briefing_json::Document;
use briefing_tests::damage::{Case, cases};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::WIRES;
use crate::tally::{Seen, Tally};

/// Faults of which it is not certain that the provider itself refuses them, by wire and code. A request that has no other counts
/// as accepted, and is counted apart.
///
/// - Anthropic takes a list that begins with an assistant message since late in 2024
///   (<https://github.com/anthropics/anthropic-sdk-typescript/issues/622>); its resellers may not.
/// - Broken arguments are refused by vLLM, llama-server and other hosts of OpenAI's wires (report B50,
///   <https://github.com/OpenHands/software-agent-sdk/issues/2887>); of OpenAI itself no report is known.
/// - OpenAI Responses pairs by `call_id` wherever an output stands
///   (<https://github.com/deepseek-ai/awesome-deepseek-integration/issues/740>); an output before its call and a second one for
///   a call are refused by other hosts (<https://github.com/NousResearch/hermes-agent/issues/102629>).
/// - Gemini's reports of function names are about declarations; of the history none is known. That an outcome has its call's name
///   was measured at Gemini 3 (<https://github.com/archestra-ai/archestra/pull/7583>).
const DISPUTED: [(&str, &str); 10] = [
    ("anthropic", "first-role"),
    ("openai-chat", "arguments-not-json"),
    ("openai-chat", "arguments-not-object"),
    ("openai-responses", "arguments-not-json"),
    ("openai-responses", "arguments-not-object"),
    ("openai-responses", "outcome-before-call"),
    ("openai-responses", "repeated-call-id"),
    ("openai-responses", "repeated-outcome"),
    ("gemini", "bad-function-name"),
    ("gemini", "outcome-name"),
];

/// What a contender made of one history.
#[derive(Deserialize)]
struct Made<'line> {
    id: usize,
    setting: String,
    /// Whether the setting holds the window.
    bounded: bool,
    wire: String,
    /// The body.
    #[serde(borrow)]
    request: Option<&'line RawValue>,
    /// Why there is none.
    error: Option<String>,
}

pub(crate) fn print(contender: &str, refused: &str) -> Result<(), Box<dyn Error>> {
    let cases = cases();
    let mut refused = BufWriter::new(File::create(refused)?);
    let mut tallies: BTreeMap<(String, bool, String), Tally> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let made: Made<'_> = serde_json::from_str(&line)?;
        let case = cases.get(made.id).ok_or("no history has that id")?;
        let seen = match made.request {
            Some(request) => judged(request.get(), &made, case, &mut refused)?,
            None => Seen::Nothing(made.error.unwrap_or_default()),
        };
        tallies.entry((made.setting, made.bounded, made.wire)).or_default().add(case, seen);
    }
    refused.flush()?;
    let mut out = BufWriter::new(io::stdout().lock());
    for ((setting, bounded, wire), tally) in &tallies {
        writeln!(out, "{}", tally.line(contender, setting, *bounded, wire))?;
    }
    Ok(out.flush()?)
}

fn judged(request: &str, made: &Made<'_>, case: &Case, refused: &mut impl Write) -> Result<Seen, Box<dyn Error>> {
    let model = WIRES.into_iter().find(|(wire, _)| *wire == made.wire).ok_or("no wire has that name")?.1;
    let document = Document::parse(request)?;
    let rules = Rules::for_model(checked(&made.wire)?, model);
    let report = check(document.root(), &rules);
    let body: Value = serde_json::from_str(request)?;
    if report.violations.iter().all(|violation| disputed(&made.wire, violation, &report, &body)) {
        return Ok(seen(&body, case, !report.violations.is_empty()));
    }
    let faults: BTreeSet<&str> = report.violations.iter().map(|violation| violation.fault.code()).collect();
    let kinds: Vec<&str> = case.kinds.iter().map(|kind| kind.name()).collect();
    let line = serde_json::json!({
        "id": made.id, "kinds": kinds, "setting": made.setting, "wire": made.wire,
        "faults": told(&report), "request": made.request,
    });
    writeln!(refused, "{line}")?;
    Ok(Seen::Refused(faults.into_iter().map(str::to_owned).collect()))
}

/// Beside the codes of [`DISPUTED`]: a call of OpenAI Responses whose output stands before it, and calls at the end of a list of
/// Gemini. Reports tell of calls that something else than their outcomes follows.
fn disputed(wire: &str, violation: &Violation, report: &Report, body: &Value) -> bool {
    let at_the_end = || {
        let index = violation.place.as_str().strip_prefix("/contents/").and_then(|rest| rest.split('/').next()?.parse().ok());
        index.is_some_and(|index: usize| index >= trailing_turn(body))
    };
    DISPUTED.contains(&(wire, violation.fault.code()))
        || match (&violation.fault, wire) {
            (Fault::MissingOutcome { id }, "openai-responses") => {
                let early = Fault::OutcomeBeforeCall { id: id.clone() };
                report.violations.iter().any(|other| other.fault == early)
            }
            (Fault::MissingOutcome { .. }, "gemini") => at_the_end(),
            _ => false,
        }
}

/// The index at which the model's turn begins that a list of Gemini ends on.
fn trailing_turn(body: &Value) -> usize {
    let contents = body.get("contents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    contents.iter().rposition(|content| role(content) != "model").map_or(0, |last| last + 1)
}

fn checked(wire: &str) -> Result<Wire, Box<dyn Error>> {
    match wire {
        "openai-chat" => Ok(Wire::OpenAiChat),
        "openai-responses" => Ok(Wire::OpenAiResponses),
        "anthropic" => Ok(Wire::Anthropic),
        "gemini" => Ok(Wire::Gemini),
        _ => Err("no checker for that wire".into()),
    }
}

fn told(report: &Report) -> Vec<String> {
    report.violations.iter().map(|violation| format!("{}: {}", violation.place.as_str(), violation.fault)).collect()
}

/// Which texts of the history a request has. An outcome that is JSON may stand in it as the value, as Gemini's outcomes are objects.
fn seen(request: &Value, case: &Case, disputed: bool) -> Seen {
    let mut body = String::new();
    strings(request, &mut body);
    let mut values = Vec::new();
    responses(request, &mut values);
    let has = |text: &str| {
        body.contains(text) || serde_json::from_str(text).is_ok_and(|value: Value| values.iter().any(|other| **other == value))
    };
    let messages = &case.history.messages;
    let window: Vec<&str> = messages.iter().skip(case.history.window_start()).flat_map(texts).collect();
    let input = messages.iter().rev().find(|message| role(message) == "user" && !texts(message).is_empty());
    let outcome = messages.last().filter(|message| role(message) == "tool");
    Seen::Accepted {
        kept: window.iter().filter(|text| has(text)).count(),
        of: window.len(),
        disputed,
        newest: input.into_iter().chain(outcome).flat_map(texts).all(has),
    }
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// The texts of a user, assistant or tool message that are not blank, without white space around them.
fn texts(message: &Value) -> Vec<&str> {
    if role(message) == "system" {
        return Vec::new();
    }
    let texts: Vec<&str> = match message.get("content") {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => Vec::new(),
    };
    texts.into_iter().map(str::trim).filter(|text| !text.is_empty()).collect()
}

/// Every string of the body, one to a line that no text has.
fn strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\0');
        }
        Value::Array(items) => items.iter().for_each(|item| strings(item, out)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Every object under the name `response`, and what is in it.
fn responses<'body>(value: &'body Value, out: &mut Vec<&'body Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| responses(item, out)),
        Value::Object(fields) => {
            if let Some(response @ Value::Object(inner)) = fields.get("response") {
                out.push(response);
                out.extend(inner.values());
            }
            fields.values().for_each(|field| responses(field, out));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
