//! Puts every request of a contender before the checker of its wire, and looks at what of the window it still has.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};

use briefing_check::{Report, Rules, Wire, check};
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
const DISPUTED: [(&str, &str); 5] = [
    ("anthropic", "first-role"),
    ("openai-chat", "arguments-not-json"),
    ("openai-chat", "arguments-not-object"),
    ("openai-responses", "arguments-not-json"),
    ("openai-responses", "arguments-not-object"),
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
    let faults: BTreeSet<&str> = report.violations.iter().map(|violation| violation.fault.code()).collect();
    if faults.iter().all(|fault| DISPUTED.contains(&(made.wire.as_str(), *fault))) {
        return Ok(seen(&serde_json::from_str(request)?, case, !faults.is_empty()));
    }
    let kinds: Vec<&str> = case.kinds.iter().map(|kind| kind.name()).collect();
    let line = serde_json::json!({
        "id": made.id, "kinds": kinds, "setting": made.setting, "wire": made.wire,
        "faults": told(&report), "request": made.request,
    });
    writeln!(refused, "{line}")?;
    Ok(Seen::Refused(faults.into_iter().map(str::to_owned).collect()))
}

fn checked(wire: &str) -> Result<Wire, Box<dyn Error>> {
    match wire {
        "openai-chat" => Ok(Wire::OpenAiChat),
        "anthropic" => Ok(Wire::Anthropic),
        _ => Err("no checker for that wire".into()),
    }
}

fn told(report: &Report) -> Vec<String> {
    report.violations.iter().map(|violation| format!("{}: {}", violation.place.as_str(), violation.fault)).collect()
}

/// Which texts of the history a request has.
fn seen(request: &Value, case: &Case, disputed: bool) -> Seen {
    let mut body = String::new();
    strings(request, &mut body);
    let messages = &case.history.messages;
    let window: Vec<&str> = messages.iter().skip(case.history.window_start()).flat_map(texts).collect();
    let input = messages.iter().rev().find(|message| role(message) == "user" && !texts(message).is_empty());
    let outcome = messages.last().filter(|message| role(message) == "tool");
    Seen::Accepted {
        kept: window.iter().filter(|text| body.contains(**text)).count(),
        of: window.len(),
        disputed,
        newest: input.into_iter().chain(outcome).flat_map(texts).all(|text| body.contains(text)),
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
