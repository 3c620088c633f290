//! The mail view against the conformance cases: the project's own and those of the folder that `BRIEFING_CASES` names.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::log::{
    Address, Arrival, Attachment, AttachmentId, Cause, Delivery, Direction, Mail, MemoryLog, MessageId, OwnerLog,
    RecordedRound, Run,
};
use briefing::message::{Assistant, EntryId, Item, Outcome, OwnerId, Part, RunId, ThreadId, ToolCall};
use briefing::persona::Role;
use briefing::{Bounds, Call, Chain, Class, Context, Inbound, ModelMessage, Persona, Subject, ThreadHistory};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    view: String,
    name: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    #[serde(rename = "exact")]
    _exact: Option<bool>,
    messages: Vec<Message>,
    persona: String,
    current: String,
    #[serde(default)]
    options: Options,
    #[serde(default)]
    expect: Option<Expect>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Options {
    #[serde(default, deserialize_with = "given")]
    limit: Option<Option<usize>>,
    include_tool_calls: Option<bool>,
}

/// Tells a null (the whole thread) from an absent key (the default).
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<usize>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    id: String,
    direction: String,
    message_id: Option<String>,
    sent_at: Option<String>,
    from: Option<String>,
    #[serde(default)]
    to: Option<Vec<String>>,
    #[serde(default)]
    cc: Option<Vec<String>>,
    subject: Option<String>,
    text: Option<String>,
    html: Option<String>,
    #[serde(default)]
    attachments: Option<Vec<CaseAttachment>>,
    #[serde(default)]
    tool_uses: Option<Vec<ToolUse>>,
    #[serde(default)]
    runs: Option<Vec<String>>,
    status: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseAttachment {
    id: String,
    filename: Option<String>,
    content_type: Option<String>,
    size: Option<u64>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct ToolUse {
    run_id: Option<String>,
    #[serde(default)]
    turn_index: Option<u32>,
    #[serde(default)]
    position: Option<u32>,
    tool_call_id: Option<String>,
    name: String,
    #[serde(default)]
    input: Value,
    result: Option<Value>,
    persona: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Expect {
    Messages(Vec<ExpectMessage>),
    Whole(ExpectWhole),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectWhole {
    count: Option<usize>,
    first_content_has: Option<OneOrMany>,
    last_content_has: Option<OneOrMany>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn all(&self) -> &[String] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectMessage {
    role: Option<String>,
    content: Option<String>,
    content_has: Option<OneOrMany>,
    content_lacks: Option<OneOrMany>,
    content_chars_max: Option<usize>,
    content_chars_min: Option<usize>,
    tool_calls: Option<Vec<ExpectCall>>,
    tool_call_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectCall {
    id: Option<String>,
    name: Option<String>,
    input: Option<Value>,
}

#[test]
fn every_case_of_the_mail_view() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/mail");
    assert!(run_folder(&own) > 0, "no case in {}", own.display());
    if let Some(more) = std::env::var_os("BRIEFING_CASES").map(|folder| PathBuf::from(folder).join("mail"))
        && more.is_dir()
    {
        println!("{} more cases from {}", run_folder(&more), more.display());
    }
}

fn run_folder(folder: &Path) -> usize {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut failures = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let case: Case = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(case.view, "mail", "{}", file.display());
        if let Err(problem) = run_case(&case) {
            failures.push(format!("{} ({}): {problem}", file.display(), case.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    files.len()
}

fn run_case(case: &Case) -> Result<(), String> {
    let got = assemble(case);
    match &case.expect {
        None if got.is_empty() => Ok(()),
        None => Err(format!("nothing was expected, got {} messages", got.len())),
        Some(Expect::Whole(checks)) => whole(checks, &got),
        Some(Expect::Messages(expected)) => {
            if expected.len() != got.len() {
                return Err(format!("{} messages expected, got {}: {got:#?}", expected.len(), got.len()));
            }
            expected.iter().zip(&got).enumerate().try_for_each(|(index, (expected, got))| {
                one(expected, got).map_err(|problem| format!("message {index}: {problem}"))
            })
        }
    }
}

fn assemble(case: &Case) -> Vec<ModelMessage> {
    let log = MemoryLog::default().owner(&OwnerId::default());
    let thread = log.new_thread();
    let mut entries = HashMap::new();
    for message in &case.messages {
        let now = Timestamp::from_second(4_000_000_000).unwrap();
        let entry = log.append_mail(thread, mail(message), Arrival::Imported(now)).unwrap();
        tool_use(&log, message, thread, entry.id, &case.persona);
        entries.insert(message.id.clone(), entry);
    }
    let mut history = ThreadHistory::default();
    if let Some(limit) = case.options.limit {
        history = history.limit(limit);
    }
    history = history.include_tool_calls(case.options.include_tool_calls.unwrap_or(true));
    let chain = Chain::new().with(move || history.clone());
    let persona = Persona::new(&Role::new().message(chain), "Persona", case.persona.as_str()).unwrap();
    let current = Inbound::new(Arc::clone(&entries[&case.current]), thread).unwrap();
    view_of(&log, persona, current)
}

fn view_of(log: &OwnerLog, persona: Persona, current: Inbound) -> Vec<ModelMessage> {
    let (history, files) = (Arc::new(log.clone()), Arc::new(log.clone()));
    let chain = persona.message_chain().clone();
    let cx = Context::new(Arc::new(persona), Subject::Message(current), Timestamp::UNIX_EPOCH, history, files);
    let briefing = pollster::block_on(chain.assemble(&cx, &Call::model("gpt-5", None), &Bounds::none())).unwrap();
    let history = briefing.units().iter().filter(|placed| placed.class() == Class::History);
    history.flat_map(|placed| placed.unit().messages()).collect()
}

fn mail(message: &Message) -> Mail {
    let delivery = match message.status.as_deref() {
        None | Some("sent") => Delivery::Sent,
        Some("draft") => Delivery::Draft,
        Some(_) => Delivery::Failed,
    };
    let addresses = |list: &Option<Vec<String>>| list.iter().flatten().map(|text| Address::new(text)).collect();
    Mail {
        direction: if message.direction == "inbound" { Direction::Inbound } else { Direction::Outbound(delivery) },
        message_id: message.message_id.as_deref().and_then(MessageId::new),
        date: message.sent_at.as_deref().map(|text| text.parse().unwrap()),
        from: message.from.iter().map(|text| Address::new(text)).collect(),
        to: addresses(&message.to),
        cc: addresses(&message.cc),
        subject: message.subject.clone(),
        body: briefing_mail::readable_body(message.text.as_deref(), message.html.as_deref()).map(Into::into),
        attachments: message.attachments.iter().flatten().map(attachment).collect(),
        ..Mail::default()
    }
}

fn attachment(attachment: &CaseAttachment) -> Attachment {
    Attachment {
        id: AttachmentId::new(attachment.id.as_str()),
        filename: attachment.filename.clone(),
        media_type: attachment.content_type.clone().unwrap_or_default(),
        size: attachment.size,
        inline: false,
    }
}

/// Appends the rows of a mail's tool use: runs in the order they began, rounds by turn, calls by position.
fn tool_use(log: &OwnerLog, message: &Message, thread: ThreadId, trigger: EntryId, persona: &str) {
    let rows: Vec<ToolUse> = message.tool_uses.iter().flatten().cloned().collect();
    let mut runs: Vec<String> = message.runs.clone().unwrap_or_default();
    for row in &rows {
        let run = row.run_id.clone().unwrap_or_default();
        if !runs.contains(&run) {
            runs.push(run);
        }
    }
    for run in runs {
        let mut rows: Vec<&ToolUse> = rows.iter().filter(|row| row.run_id.clone().unwrap_or_default() == run).collect();
        rows.sort_by_key(|row| (row.turn_index, row.position));
        let owner = rows.iter().find_map(|row| row.persona.clone()).unwrap_or_else(|| persona.to_owned());
        let id = RunId::new(format!("{}/{run}", message.id));
        log.begin_run(Run { id: id.clone(), thread, cause: Cause::Message(trigger), persona: owner.into() }).unwrap();
        for round in rows.chunk_by(|one, other| one.turn_index == other.turn_index) {
            let items = round.iter().map(|row| {
                let given = row.tool_call_id.clone().unwrap_or_default();
                Item::Call(ToolCall::new(given, row.name.clone(), row.input.to_string()))
            });
            let said = Assistant { items: items.collect(), ..Assistant::default() };
            let recorded = log.append_round(&id, round[0].turn_index.unwrap_or(0), said, Timestamp::UNIX_EPOCH).unwrap();
            outcomes(log, &id, round, &recorded);
        }
    }
}

fn outcomes(log: &OwnerLog, run: &RunId, rows: &[&ToolUse], recorded: &RecordedRound) {
    for (row, call) in rows.iter().zip(recorded.said.calls()) {
        let text = match &row.result {
            None => continue,
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        log.append_outcome(run, Outcome::text(call.id.clone(), text), Timestamp::UNIX_EPOCH).unwrap();
    }
}

fn content(message: &ModelMessage) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.text.clone(),
        other => panic!("text expected, got {other:?}"),
    };
    match message {
        ModelMessage::System(_) => panic!("the view tells no system message"),
        ModelMessage::User(user) => user.parts.iter().map(part).collect(),
        ModelMessage::Tool(outcome) => outcome.parts.iter().map(part).collect(),
        ModelMessage::Assistant(said) => said
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Text(text) => Some(text.text.clone()),
                _ => None,
            })
            .collect(),
    }
}

fn has(content: &str, wanted: &Option<OneOrMany>) -> Result<(), String> {
    match wanted.iter().flat_map(OneOrMany::all).find(|wanted| !content.contains(wanted.as_str())) {
        None => Ok(()),
        Some(wanted) => Err(format!("{wanted:?} is not in {content:?}")),
    }
}

fn whole(checks: &ExpectWhole, got: &[ModelMessage]) -> Result<(), String> {
    if checks.count.is_some_and(|count| count != got.len()) {
        return Err(format!("{:?} messages expected, got {}", checks.count, got.len()));
    }
    has(&got.first().map(content).unwrap_or_default(), &checks.first_content_has)?;
    has(&got.last().map(content).unwrap_or_default(), &checks.last_content_has)
}

fn one(expected: &ExpectMessage, got: &ModelMessage) -> Result<(), String> {
    let text = content(got);
    if let Some(role) = &expected.role
        && role != got.role().name()
    {
        return Err(format!("role {role} expected, got {}", got.role().name()));
    }
    if let Some(wanted) = &expected.content
        && *wanted != text
    {
        return Err(format!("content {wanted:?} expected, got {text:?}"));
    }
    has(&text, &expected.content_has)?;
    if let Some(lacked) = expected.content_lacks.iter().flat_map(OneOrMany::all).find(|lacked| text.contains(lacked.as_str())) {
        return Err(format!("{lacked:?} is in {text:?}"));
    }
    let chars = text.chars().count();
    if expected.content_chars_max.is_some_and(|most| chars > most)
        || expected.content_chars_min.is_some_and(|least| chars < least)
    {
        return Err(format!("{chars} characters"));
    }
    let (calls, answers) = match got {
        ModelMessage::Assistant(said) => (said.calls().collect(), None),
        ModelMessage::Tool(outcome) => (Vec::new(), Some(outcome.call.given().to_owned())),
        ModelMessage::System(_) | ModelMessage::User(_) => (Vec::new(), None),
    };
    if expected.tool_call_id.is_some() && expected.tool_call_id != answers {
        return Err(format!("an outcome of {:?} expected, got {answers:?}", expected.tool_call_id));
    }
    compare_calls(expected.tool_calls.as_deref().unwrap_or_default(), &calls)
}

fn compare_calls(expected: &[ExpectCall], got: &[&ToolCall]) -> Result<(), String> {
    if expected.len() != got.len() {
        return Err(format!("{} calls expected, got {}", expected.len(), got.len()));
    }
    for (expected, got) in expected.iter().zip(got) {
        let same = expected.id.as_deref().is_none_or(|id| id == got.id.given())
            && expected.name.as_deref().is_none_or(|name| name == got.name)
            && expected.input.as_ref().is_none_or(|input| got.input.as_json().as_ref() == Some(input));
        if !same {
            return Err(format!("another call expected, got {got:?}"));
        }
    }
    Ok(())
}
