//! The tool calls that were made while answering, which a mailbox cannot hold: JSON Lines, a call a line.
//!
//! Each line names the mail that started the run (`message_id`), the run (`run_id`), the round in it (`turn_index`), the call's
//! place in its round (`position`), the call (`tool_call_id`, `name`, `input`) and its `result`, a string, or null where none
//! was recorded; `failed` where it is known.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use briefing::log::{Cause, LogError, MessageId, OwnerLog, Run};
use briefing::message::{Assistant, EntryId, Item, Outcome, RunId, ThreadId, ToolCall};
use briefing_json::{Document, Kind as Json, SyntaxError, Value};
use briefing_store::ImportedRound;
use jiff::Timestamp;

use crate::error::{Failure, Kind};
use crate::input::{Input, MAX_INPUT, json_fault, read};

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
        }
    }
}

/// The runs of a file, in the order in which they first appear.
pub(crate) struct ToolUse {
    name: String,
    runs: Vec<RunRows>,
}

/// The calls of one run.
struct RunRows {
    id: RunId,
    /// The mail that it answers.
    message_id: MessageId,
    /// The first line that tells of it.
    line: usize,
    /// By round.
    rounds: BTreeMap<u32, Vec<Row>>,
}

/// A mail that a run answers: where it stands.
pub(crate) struct Answered {
    pub(crate) entry: EntryId,
    pub(crate) thread: ThreadId,
    pub(crate) at: Timestamp,
}

impl ToolUse {
    /// Reads the file.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let Input { name, text } = read(path, MAX_INPUT)?;
        let runs = rows(&text).and_then(runs);
        runs.map(|runs| Self { name: name.clone(), runs }).map_err(|(line, fault)| told(&name, line, &fault))
    }

    /// Records the runs in a log, for the persona of that address; how many are new. The log tells where the mails stand that
    /// are answered, whether it goes on without one, and takes a whole run at a time: whether it is new.
    pub(crate) fn record(
        self,
        persona: &str,
        mut answered: impl FnMut(&MessageId) -> Result<Option<Answered>, Failure>,
        mut missing: impl FnMut(Failure) -> Result<(), Failure>,
        mut take: impl FnMut(Run, Vec<ImportedRound>, Timestamp) -> Result<bool, Failure>,
    ) -> Result<usize, Failure> {
        let mut new = 0;
        for RunRows { id, message_id, line, rounds } in self.runs {
            let Some(Answered { entry, thread, at }) = answered(&message_id)? else {
                missing(told(&self.name, line, &Fault::UnknownMessage { id: message_id }))?;
                continue;
            };
            let run = Run { id, persona: persona.into(), thread, cause: Cause::Message(entry) };
            let rounds = rounds.into_iter().map(|(index, rows)| round(index, rows)).collect();
            // When the calls were made is not known: no sooner than what they answer came.
            new += usize::from(take(run, rounds, at)?);
        }
        Ok(new)
    }

    /// Records the runs in a log in memory.
    pub(crate) fn record_in(self, log: &OwnerLog, persona: &str) -> Result<(), Failure> {
        let find = |id: &MessageId| {
            let entry = log.by_message_id(id).and_then(|entry| log.entry(entry));
            Ok(entry.and_then(|entry| Some(Answered { entry: entry.id, thread: log.thread_of(entry.id)?, at: entry.at })))
        };
        let internal = |error: LogError| Failure::new(Kind::Internal, error.to_string());
        self.record(persona, find, Err, |run, rounds, at| {
            let id = run.id.clone();
            log.begin_run(run).map_err(internal)?;
            for round in rounds {
                // The log gives ids that repeat their number, so outcomes take theirs from what it kept.
                let kept = log.append_round(&id, round.index, round.said, at).map_err(internal)?;
                for (call, outcome) in kept.said.calls().zip(round.outcomes) {
                    if let Some(outcome) = outcome {
                        let outcome = Outcome { call: call.id.clone(), ..outcome };
                        log.append_outcome(&id, outcome, at).map_err(internal)?;
                    }
                }
            }
            Ok(true)
        })?;
        Ok(())
    }
}

fn told(name: &str, line: usize, fault: &Fault) -> Failure {
    Failure::new(Kind::Data, format!("{name}, line {line}: {fault}")).hint(fault.hint())
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

/// Runs in the order in which they first appear, their rounds by turn.
fn runs(rows: Vec<Row>) -> Result<Vec<RunRows>, (usize, Fault)> {
    let mut runs: Vec<RunRows> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let at = *known.entry(row.run_id.clone()).or_insert_with(|| {
            let (id, message_id) = (RunId::new(row.run_id.clone()), row.message_id.clone());
            runs.push(RunRows { id, message_id, line: row.line, rounds: BTreeMap::new() });
            runs.len() - 1
        });
        let Some(run) = runs.get_mut(at) else { continue };
        if run.message_id != row.message_id {
            return Err((row.line, Fault::TwoMessages { run: row.run_id }));
        }
        run.rounds.entry(row.turn_index).or_default().push(row);
    }
    Ok(runs)
}

/// One round, its calls by position.
fn round(index: u32, mut rows: Vec<Row>) -> ImportedRound {
    rows.sort_by_key(|row| row.position);
    let items = rows.iter().map(|row| Item::Call(row.call.clone())).collect();
    let outcomes = rows.into_iter().map(|row| {
        let Row { call, result, failed, .. } = row;
        result.map(|result| Outcome { failed, ..Outcome::text(call.id, result) })
    });
    ImportedRound { index, said: Assistant { items, ..Assistant::default() }, outcomes: outcomes.collect() }
}
