//! The tool calls that were made while answering, which a mailbox cannot hold: JSON Lines, a call a line.
//!
//! Each line names the mail that started the run (`message_id`), the run (`run_id`), the round in it (`turn_index`), the call's
//! place in its round (`position`), the call (`tool_call_id`, `name`, `input`) and its `result`, a string, or null where none
//! was recorded; `failed` where it is known.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use briefing::log::{Cause, LogError, MessageId, OwnerLog, Run};
use briefing::message::{Assistant, EntryId, Item, Outcome, RunId, ToolCall};
use briefing_json::{Document, Kind as Json, SyntaxError, Value};

use crate::error::{Failure, Kind};
use crate::input::{MAX_INPUT, json_fault, read};

/// One call.
#[derive(Debug)]
struct Row {
    line: usize,
    message_id: MessageId,
    run_id: String,
    turn_index: u32,
    position: u32,
    call: ToolCall,
    result: Option<String>,
    failed: Option<bool>,
}

/// What can be wrong with a line.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("not JSON: {} at byte {} of the line", json_fault(.0.fault), .0.offset)]
    Syntax(SyntaxError),
    #[error("an object is wanted")]
    NotAnObject,
    #[error("{key:?} is missing")]
    Missing { key: &'static str },
    #[error("{key:?} must be {wanted}")]
    Wanted { key: &'static str, wanted: &'static str },
    #[error("no message has the id {id}")]
    UnknownMessage { id: MessageId },
    #[error("the run {run:?} answers another message in an earlier line")]
    TwoMessages { run: String },
    #[error("{0}")]
    Log(LogError),
}

impl Fault {
    fn hint(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "each line is one JSON object; write it again, or take the line out",
            Self::NotAnObject | Self::Missing { .. } | Self::Wanted { .. } => {
                "examples/shop/tool-use.jsonl shows the fields of a line"
            }
            Self::UnknownMessage { .. } => "give the mailbox that holds the message too, or take the line out",
            Self::TwoMessages { .. } => "give each run an id of its own",
            Self::Log(_) => "give each run an id of its own",
        }
    }
}

/// Reads the file into the log, for the persona of that address.
pub(crate) fn import(path: &Path, log: &OwnerLog, persona: &str) -> Result<(), Failure> {
    let input = read(path, MAX_INPUT)?;
    let failed = |(line, fault): (usize, Fault)| {
        Failure::new(Kind::Data, format!("{}, line {line}: {fault}", input.name)).hint(fault.hint())
    };
    let rows = rows(&input.text).map_err(failed)?;
    append(rows, log, persona).map_err(failed)
}

fn rows(text: &str) -> Result<Vec<Row>, (usize, Fault)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| row(index + 1, line).map_err(|fault| (index + 1, fault))).collect()
}

fn row(line: usize, text: &str) -> Result<Row, Fault> {
    let document = Document::parse(text).map_err(Fault::Syntax)?;
    let root = document.root();
    if root.kind() != Json::Object {
        return Err(Fault::NotAnObject);
    }
    let wanted = |key, wanted| Fault::Wanted { key, wanted };
    let message_id = MessageId::new(&string(root, "message_id")?).ok_or(wanted("message_id", "an id"))?;
    let call = ToolCall::new(string(root, "tool_call_id")?, string(root, "name")?, input(root)?);
    let result = match root.get("result").filter(|value| !value.is_null()) {
        None => None,
        Some(value) => Some(value.as_str().ok_or(wanted("result", "a string or null"))?.into_owned()),
    };
    let failed = match root.get("failed").filter(|value| !value.is_null()) {
        None => None,
        Some(value) => Some(value.as_bool().ok_or(wanted("failed", "true or false"))?),
    };
    Ok(Row {
        line,
        message_id,
        run_id: string(root, "run_id")?,
        turn_index: number(root, "turn_index")?,
        position: number(root, "position")?,
        call,
        result,
        failed,
    })
}

fn present<'d>(root: Value<'d>, key: &'static str) -> Result<Value<'d>, Fault> {
    root.get(key).filter(|value| !value.is_null()).ok_or(Fault::Missing { key })
}

fn string(root: Value<'_>, key: &'static str) -> Result<String, Fault> {
    let text = present(root, key)?.as_str().ok_or(Fault::Wanted { key, wanted: "a string" })?;
    Ok(text.into_owned())
}

fn number(root: Value<'_>, key: &'static str) -> Result<u32, Fault> {
    present(root, key)?.raw().parse().map_err(|_| Fault::Wanted { key, wanted: "a whole number" })
}

/// The arguments: an object as it is written; a string is arguments that came broken.
fn input(root: Value<'_>) -> Result<String, Fault> {
    let value = present(root, "input")?;
    Ok(value.as_str().map_or_else(|| value.raw().to_owned(), |text| text.into_owned()))
}

/// The rows of one run, by round.
#[derive(Default)]
struct Rounds(BTreeMap<u32, Vec<Row>>);

/// Appends runs in the order in which they first appear, their rounds by turn and their calls by position.
fn append(rows: Vec<Row>, log: &OwnerLog, persona: &str) -> Result<(), (usize, Fault)> {
    let mut runs: Vec<(RunId, EntryId, Rounds)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let line = row.line;
        let unknown = || (line, Fault::UnknownMessage { id: row.message_id.clone() });
        let trigger = log.by_message_id(&row.message_id).ok_or_else(unknown)?;
        let at = *known.entry(row.run_id.clone()).or_insert_with(|| {
            runs.push((RunId::new(row.run_id.clone()), trigger, Rounds::default()));
            runs.len() - 1
        });
        let Some((_, first, rounds)) = runs.get_mut(at) else { continue };
        if *first != trigger {
            return Err((line, Fault::TwoMessages { run: row.run_id }));
        }
        rounds.0.entry(row.turn_index).or_default().push(row);
    }
    for (id, trigger, rounds) in runs {
        let line = rounds.0.values().flatten().map(|row| row.line).min().unwrap_or_default();
        record(log, id, trigger, persona, rounds).map_err(|error| (line, Fault::Log(error)))?;
    }
    Ok(())
}

fn record(log: &OwnerLog, id: RunId, trigger: EntryId, persona: &str, rounds: Rounds) -> Result<(), LogError> {
    let (Some(entry), Some(thread)) = (log.entry(trigger), log.thread_of(trigger)) else {
        return Err(LogError::UnknownEntry { entry: trigger });
    };
    log.begin_run(Run { id: id.clone(), persona: persona.into(), thread, cause: Cause::Message(trigger) })?;
    for (turn, mut rows) in rounds.0 {
        rows.sort_by_key(|row| row.position);
        let items = rows.iter().map(|row| Item::Call(row.call.clone())).collect();
        // When the calls were made is not known: no sooner than what they answer came.
        let round = log.append_round(&id, turn, Assistant { items, ..Assistant::default() }, entry.at)?;
        // The log gives ids that repeat their number, so outcomes take theirs from what it kept.
        for (row, call) in rows.into_iter().zip(round.said.calls()) {
            if let Some(result) = row.result {
                let outcome = Outcome { failed: row.failed, ..Outcome::text(call.id.clone(), result) };
                log.append_outcome(&id, outcome, entry.at)?;
            }
        }
    }
    Ok(())
}
