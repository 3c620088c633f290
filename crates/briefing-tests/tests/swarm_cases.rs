//! The exact swarm view against the conformance cases, the project's own and those of the folder that `BRIEFING_CASES` names,
//! and against a second telling of the original's rules on random logs.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use briefing::log::{Body, Kind};
use briefing::message::OwnerId;
use briefing::view::swarm::{ExactHistory, Finding, SwarmEntry, SwarmEvent, SwarmLog, SwarmMessage, SwarmMode, SwarmRole};
use briefing::{Bounds, Call, fit};
use briefing_store::swarm::Clients;
use briefing_store::{Durability, Settings, SqliteStore};
use jiff::Timestamp;
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Cases of the saner default, by file name, until that is built. All cases so far are of the exact view.
const SKIPPED: &[&str] = &[];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    view: String,
    name: String,
    #[serde(rename = "note")]
    _note: Option<String>,
    exact: Option<bool>,
    agent: Option<String>,
    keep: Option<f64>,
    prompt: Option<String>,
    system: Option<Vec<String>>,
    global_system: Option<Vec<String>>,
    filter: Option<String>,
    input: Option<Vec<SwarmMessage>>,
    output: Option<Value>,
    client: Option<String>,
    steps: Option<Vec<Map<String, Value>>>,
    events: Option<Value>,
}

#[test]
fn every_case_of_the_swarm_view() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/swarm");
    assert!(run_folder(&own) > 0, "no case in {}", own.display());
    if let Some(more) = std::env::var_os("BRIEFING_CASES").map(|folder| PathBuf::from(folder).join("swarm"))
        && more.is_dir()
    {
        run_folder(&more);
    }
}

fn run_folder(folder: &Path) -> usize {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let (skipped, files): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|file| SKIPPED.contains(&file.file_name().unwrap().to_str().unwrap()));
    let failures: Vec<String> = files.iter().filter_map(|file| run_file(file).err()).collect();
    println!("{} cases from {}, {} skipped: {skipped:?}", files.len(), folder.display(), skipped.len());
    assert!(failures.is_empty(), "{} of {} cases fail\n{}", failures.len(), files.len(), failures.join("\n"));
    files.len()
}

fn run_file(file: &Path) -> Result<(), String> {
    let at = |problem: String| format!("{}: {problem}", file.display());
    let text = std::fs::read_to_string(file).unwrap();
    let case: Case = serde_json::from_str(&text).map_err(|error| at(error.to_string()))?;
    if case.view != "swarm" || case.exact == Some(false) {
        return Err(at("not a case of the exact swarm view; if it is of the default, list it in SKIPPED".to_owned()));
    }
    let result = if case.steps.is_some() {
        run_steps(&case).and_then(|()| pollster::block_on(steps_over_a_store(&case)))
    } else {
        run_view(&case).and_then(|()| pollster::block_on(view_over_a_store(&case)))
    };
    result.map_err(|problem| at(format!("{}: {problem}", case.name)))
}

fn run_view(case: &Case) -> Result<(), String> {
    let mut history = ExactHistory::new(case.agent.as_deref().unwrap()).keep(case.keep.and_then(window));
    history = history.global(case.global_system.iter().flatten());
    history = filtered(history, case.filter.as_deref());
    let system: Vec<&str> = case.system.iter().flatten().map(String::as_str).collect();
    let log = case.input.as_deref().unwrap_or_default();
    log.iter().for_each(known);
    let (view, _) = history.for_agent(log, case.prompt.as_deref().unwrap_or_default(), &system);
    same("view", case.output.as_ref().unwrap_or(&json!([])), &json!(view))
}

/// A database that nothing was written to, and when things happen in it.
fn clients(folder: &Path) -> Clients {
    let settings = Settings { durability: Durability::Process, ..Settings::default() };
    let store = SqliteStore::create(&folder.join("swarm.db"), settings).unwrap();
    Clients::new(Arc::new(store), OwnerId::default())
}

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

/// The same over a database: everything is pushed, each message by its agent, in one moment; and the view is read out of it.
async fn view_over_a_store(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let clients = clients(folder.path());
    for message in case.input.iter().flatten() {
        let by = clients.history("client", &message.agent).await.unwrap();
        by.push(message.clone(), message.payload.clone(), now()).await.unwrap();
    }
    let agent = case.agent.as_deref().unwrap();
    let mut exact = ExactHistory::new(agent).keep(case.keep.and_then(window));
    exact = filtered(exact.global(case.global_system.iter().flatten()), case.filter.as_deref());
    let system: Vec<&str> = case.system.iter().flatten().map(String::as_str).collect();
    let history = clients.history("client", agent).await.unwrap();
    let raw = json!(history.raw().await.unwrap());
    same("raw out of the database", &json!(case.input.as_deref().unwrap_or_default()), &raw)?;
    let view = history.for_agent_exact(&exact, case.prompt.as_deref().unwrap_or_default(), &system).await.unwrap();
    same("view out of the database", case.output.as_ref().unwrap_or(&json!([])), &json!(view.messages))
}

async fn steps_over_a_store(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let (clients, client) = (clients(folder.path()), case.client.as_deref().unwrap());
    let (own, all, others) = (clients.subscribe(Some(client)), clients.subscribe(None), clients.subscribe(Some("another")));
    let mut agent = case.agent.clone().unwrap_or_default();
    for step in case.steps.iter().flatten() {
        let mut step = step.clone();
        if let Some(Value::String(named)) = step.shift_remove("agent") {
            agent = named;
        }
        let (action, wanted) = step.into_iter().next().unwrap();
        let history = clients.history(client, &agent).await.unwrap();
        match action.as_str() {
            "push" => {
                history.push(serde_json::from_value(wanted).unwrap(), None, now()).await.unwrap();
            }
            "pop" => same("popped", &wanted, &json!(history.pop(now()).await.unwrap()))?,
            "raw" => same("raw", &wanted, &json!(history.raw().await.unwrap()))?,
            "for_agent" => {
                let view = history.for_agent_exact(&ExactHistory::new(agent.as_str()), "", &[]).await.unwrap();
                same("view", &wanted, &json!(view.messages))?;
            }
            other => panic!("unknown step {other:?}"),
        }
    }
    let told: Vec<Value> = own.waiting().map(|told| event(SwarmEvent::clone(&told))).collect();
    let everybodys: Vec<Value> = all.waiting().map(|told| event(SwarmEvent::clone(&told))).collect();
    assert_eq!(
        (told.clone(), others.waiting().count()),
        (everybodys, 0),
        "who asks for all is told the same, and others nothing"
    );
    case.events.as_ref().map_or(Ok(()), |wanted| same("events", wanted, &Value::Array(told)))
}

/// A case's message has no unknown key, though the type would keep it.
fn known(message: &SwarmMessage) {
    let calls = message.tool_calls.iter().flatten();
    let unknown: Vec<&String> = calls.flat_map(|call| call.extra.keys().chain(call.function.extra.keys())).collect();
    assert!(message.extra.is_empty() && unknown.is_empty(), "unknown key in {message:?}");
}

/// The original's number: less than nothing is nothing, a part of one is everything, other parts are cut off.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a case's own number; a cast saturates")]
fn window(keep: f64) -> Option<usize> {
    if keep > 0.0 && keep < 1.0 { None } else { Some(keep as usize) }
}

fn filtered(history: ExactHistory, filter: Option<&str>) -> ExactHistory {
    match filter {
        None => history,
        Some("always false") => history.filter(|_| Ok::<_, String>(false)),
        Some("role != developer") => history.filter(|message| Ok::<_, String>(message.role != SwarmRole::Developer)),
        Some("throws") => history.filter(|_| Err("boom")),
        Some(other) => panic!("unknown filter {other:?}"),
    }
}

fn run_steps(case: &Case) -> Result<(), String> {
    let mut log = SwarmLog::new(case.client.as_deref().unwrap());
    let (mut events, mut agent) = (Vec::new(), case.agent.clone().unwrap_or_default());
    for step in case.steps.iter().flatten() {
        let mut step = step.clone();
        // A pop names no agent: it is of the one that acted last.
        if let Some(Value::String(named)) = step.shift_remove("agent") {
            agent = named;
        }
        assert_eq!(step.len(), 1, "one action a step: {step:?}");
        let (action, wanted) = step.into_iter().next().unwrap();
        match action.as_str() {
            "push" => {
                let message = serde_json::from_value(wanted).unwrap();
                known(&message);
                events.push(event(log.push(&agent, message, None)));
            }
            "pop" => {
                let (value, popped) = log.pop(&agent);
                same("popped", &wanted, &json!(value))?;
                events.push(event(popped));
            }
            "raw" => same("raw", &wanted, &json!(log.raw()))?,
            "for_agent" => {
                let (view, _) = ExactHistory::new(agent.as_str()).for_agent(log.raw(), "", &[]);
                same("view", &wanted, &json!(view))?;
            }
            other => panic!("unknown step {other:?}"),
        }
    }
    case.events.as_ref().map_or(Ok(()), |wanted| same("events", wanted, &Value::Array(events)))
}

fn event(event: SwarmEvent) -> Value {
    match event {
        SwarmEvent::Push { client, agent, message } => {
            json!({ "type": "push", "client": client, "agent": agent, "message": message })
        }
        SwarmEvent::Pop { client, agent, value } => json!({ "type": "pop", "client": client, "agent": agent, "value": value }),
    }
}

fn same(what: &str, wanted: &Value, got: &Value) -> Result<(), String> {
    if bare(wanted) == bare(got) { Ok(()) } else { Err(format!("{what}\nexpected {wanted}\n     got {got}")) }
}

/// The value without its null fields, which are the same as absent ones.
fn bare(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.clone(), bare(value))).collect()
        }
        Value::Array(values) => values.iter().map(bare).collect(),
        other => other.clone(),
    }
}

#[test]
fn findings_tell_what_is_hidden() {
    let message =
        |role: &str, agent: &str, content: &str| json!({"role": role, "mode": "tool", "agentName": agent, "content": content});
    let with = |mut message: Value, key: &str, value: Value| {
        message[key] = value;
        message
    };
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": {}}});
    let log = json!([
        message("user", "A", "gone"),
        message("resque", "B", "reason"),
        message("user", "A", ""),
        with(message("user", "A", ""), "payload", json!({})),
        message("system", "B", "s"),
        message("tool", "B", "other's"),
        message("user", "A", "old"),
        with(message("assistant", "A", "both"), "tool_calls", json!([call("t1"), call("t2")])),
        with(message("tool", "A", "o"), "tool_call_id", json!("t1")),
        with(message("assistant", "A", "lost"), "tool_calls", json!([])),
        with(message("tool", "A", "o"), "tool_call_id", json!("t9")),
    ]);
    let log: Vec<SwarmMessage> = serde_json::from_value(log).unwrap();
    let (view, findings) = ExactHistory::new("A").keep(4).for_agent(&log, "", &[]);
    assert_eq!(view.iter().map(|message| message.content.as_deref().unwrap()).collect::<Vec<_>>(), ["both", "o"]);
    let wanted = [
        Finding::Reset { at: 1 },
        Finding::Blank { at: 2 },
        Finding::Blank { at: 3 },
        Finding::OthersSystem { at: 4 },
        Finding::Filtered { at: 5 },
        Finding::Older { count: 1 },
        Finding::CallLeftOut { at: 7, id: Some("t2".to_owned()) },
        Finding::CallsGone { at: 9, text: true },
        Finding::Orphan { at: 10, id: "t9".to_owned() },
    ];
    assert_eq!(findings, wanted);
    let (_, findings) = ExactHistory::new("A").filter(|_| Err("boom")).for_agent(&log[..1], "", &[]);
    assert_eq!(findings, [Finding::FilterFailed { at: 0, error: "boom".to_owned() }]);
}

#[test]
fn fifteen_messages_are_kept_unless_told_otherwise() {
    let message = SwarmMessage::new(SwarmRole::User, SwarmMode::User, "A", "x");
    let (view, findings) = ExactHistory::new("A").for_agent(&vec![message.clone(); 20], "", &[]);
    assert_eq!((view, findings), (vec![message; 15], vec![Finding::Older { count: 5 }]));
}

#[test]
fn a_message_keeps_what_it_does_not_know() {
    let text = concat!(
        r#"{"role":"function","agentName":"A","mode":"cron","content":"x","images":["b64",{"n":1}],"#,
        r#""tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":{"b":1,"a":[null]},"strict":true},"index":0}],"#,
        r#""tool_call_id":"","zeta":1,"alpha":{"k":null},"nothing":null}"#
    );
    let message: SwarmMessage = serde_json::from_str(text).unwrap();
    assert_eq!(message.role, SwarmRole::Other("function".to_owned()));
    assert_eq!(serde_json::to_string(&message).unwrap(), text);
    let refused = serde_json::from_str::<SwarmMessage>(r#"{"role":"user","mode":"user","content":"x"}"#).unwrap_err();
    assert!(refused.to_string().contains("agentName"), "{refused}");
}

#[test]
fn what_a_person_wrote_takes_the_payload_of_the_execution() {
    let pushed = |mode: &str, given: Value| {
        let message = json!({"role": "user", "mode": mode, "agentName": "A", "content": "x", "payload": {"own": 1}});
        let mut log = SwarmLog::new("c");
        log.push("A", serde_json::from_value(message).unwrap(), Some(given).filter(|given| !given.is_null()));
        log.raw()[0].payload.clone()
    };
    assert_eq!(pushed("user", json!({"run": 2})), Some(json!({"run": 2})));
    assert_eq!(pushed("user", Value::Null), None);
    assert_eq!(pushed("tool", json!({"run": 2})), Some(json!({"own": 1})));
}

/// The original's rules told once more, on plain JSON: buckets that a reset empties, and each pair looked up in the window.
fn reference(log: &[Value], agent: &str, keep: Option<usize>, filter: Option<&str>, prompts: &[&str]) -> Vec<Value> {
    let (mut common, mut system): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for message in log {
        let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
        if message["role"] == "flush" || message["role"] == "resque" {
            common.clear();
            system.clear();
        } else if calls > 0 || truthy(&message["content"]) || truthy(&message["payload"]) {
            if message["role"] == "system" { system.push(message.clone()) } else { common.push(message.clone()) }
        }
    }
    system.retain(|message| message["agentName"] == agent);
    common.retain(|message| {
        truthy(&message["content"]) || message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty())
    });
    common.retain(|message| match filter {
        Some("always false") => false,
        Some("role != developer") => message["role"] != "developer",
        Some(_) => true,
        None if message["agentName"] == agent => true,
        None => message["role"] != "tool" && message["tool_calls"].is_null(),
    });
    while keep.is_some_and(|keep| common.len() > keep) {
        common.remove(0);
    }
    let window = common.clone();
    let answered = |id: &Value| truthy(id) && window.iter().any(|message| message["tool_call_id"] == *id);
    let called = |id: &Value| {
        window.iter().filter_map(|message| message["tool_calls"].as_array()).flatten().any(|call| call["id"] == *id)
    };
    for message in &mut common {
        if !truthy(&message["content"]) {
            message["content"] = json!("");
        }
        if let Some(calls) = message["tool_calls"].as_array_mut() {
            calls.retain(|call| answered(&call["id"]));
        }
    }
    common.retain(|message| {
        let id = &message["tool_call_id"];
        if truthy(id) { called(id) } else { message["tool_calls"].as_array().is_none_or(|calls| !calls.is_empty()) }
    });
    let prompts = prompts.iter().filter(|text| !text.is_empty());
    let prompts = prompts.map(|text| json!({"role": "system", "mode": "tool", "agentName": agent, "content": text}));
    prompts.chain(system).chain(common).collect()
}

fn truthy(value: &Value) -> bool {
    ![Value::Null, json!(false), json!(0), json!("")].contains(value)
}

/// A message of a few names and ids, so that they meet; each field may be absent, null or empty.
fn message() -> impl Strategy<Value = Value> {
    let one_of = |values: Vec<Value>| prop::sample::select(values);
    let role = prop_oneof![
        12 => prop::sample::select(vec!["user", "assistant", "tool", "tool", "assistant", "system", "developer", "function"]),
        1 => prop::sample::select(vec!["flush", "resque"]),
    ];
    let id = || prop::sample::select(vec![json!("t1"), json!("t2"), json!("t3"), json!(""), Value::Null]);
    let call = (id(), 0_u8..3).prop_map(
        |(id, given)| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": {"given": given}}}),
    );
    let calls = prop_oneof![
        3 => Just(Value::Null),
        1 => Just(json!([])),
        4 => prop::collection::vec(call, 1..4).prop_map(Value::Array),
    ];
    let content = one_of(vec![json!("x"), json!("y"), json!("x"), json!(" "), json!(""), Value::Null]);
    let payload = one_of(vec![Value::Null, Value::Null, json!({}), json!({"k": 1}), json!(0), json!(false), json!("")]);
    let answers = prop_oneof![1 => Just(Value::Null), 1 => id()];
    (role, one_of(vec![json!("A"), json!("A"), json!("B")]), any::<bool>(), content, payload, calls, answers, any::<bool>())
        .prop_map(|(role, agent, user, content, payload, calls, answers, nulls)| {
            let mode = if user { "user" } else { "tool" };
            let message = json!({
                "role": role, "mode": mode, "agentName": agent, "content": content, "payload": payload,
                "tool_calls": calls, "tool_call_id": answers, "odd": role,
            });
            if nulls { message } else { bare(&message) }
        })
}

proptest! {
    /// Every message comes back out of an entry as it went in, and its kind is one that the original's default filter tells apart.
    #[test]
    fn a_message_comes_back_from_the_log_as_it_was(message in message()) {
        let message: SwarmMessage = serde_json::from_value(message).unwrap();
        let body = match SwarmEntry::from(&message) {
            SwarmEntry::Message(entry) => Body::Message(Arc::new(entry)),
            SwarmEntry::Reset(reset) => Body::Reset(Arc::new(reset)),
        };
        let back = SwarmMessage::of(&body).unwrap();
        prop_assert_eq!(bare(&json!(back)), bare(&json!(message)));
        let traffic = message.role == SwarmRole::Tool || message.tool_calls.is_some();
        match Kind::of(&body) {
            Kind::Reset => prop_assert!(message.role.is_reset()),
            // A system message is one whatever it calls.
            Kind::System => prop_assert!(message.role == SwarmRole::System),
            Kind::ToolUse => prop_assert!(traffic && message.role != SwarmRole::System),
            kind => prop_assert!(kind == Kind::Message && !traffic && message.role != SwarmRole::System),
        }
    }

    /// The way to a model is total: every exact view, faults included, becomes a list that fits.
    #[test]
    fn every_exact_view_can_be_sent(log in prop::collection::vec(message(), 0..30)) {
        let log: Vec<SwarmMessage> = serde_json::from_value(Value::Array(log)).unwrap();
        let (view, _) = ExactHistory::new("A").for_agent(&log, "Be kind.", &[]);
        let (said, misfits) = SwarmMessage::all_said(&view);
        prop_assert_eq!(said.len(), view.len());
        prop_assert!(misfits.iter().all(|(at, _)| *at < view.len()));
        prop_assert!(fit(&said, &Call::model("gpt-5", None), &Bounds::none()).is_ok());
    }

    /// Every random log is told as the second telling tells it, and every message is told or accounted for.
    #[test]
    fn for_agent_tells_what_the_reference_tells(
        log in prop::collection::vec(message(), 0..30),
        agent in prop::sample::select(vec!["A", "B", "C"]),
        keep in prop::option::weighted(0.8, 0_usize..20),
        filter in prop::sample::select(vec![None, None, None, Some("always false"), Some("role != developer"), Some("throws")]),
        prompts in prop::collection::vec(prop::sample::select(vec!["", "P", "Q"]), 5),
    ) {
        let stored: Vec<SwarmMessage> = serde_json::from_value(json!(log)).unwrap();
        prop_assert_eq!(bare(&json!(stored)), bare(&json!(log)));
        let history = filtered(ExactHistory::new(agent).keep(keep).global(&prompts[1..3]), filter);
        let (view, findings) = history.for_agent(&stored, prompts[0], &prompts[3..]);
        let wanted = reference(&log, agent, keep, filter, &prompts);
        prop_assert_eq!(bare(&json!(view)), bare(&json!(wanted)));

        let hidden: usize = findings.iter().map(|finding| match finding {
            Finding::Reset { at } => at + 1,
            Finding::Older { count } => *count,
            Finding::Blank { .. } | Finding::OthersSystem { .. } | Finding::Filtered { .. } => 1,
            Finding::CallsGone { .. } | Finding::Orphan { .. } => 1,
            Finding::FilterFailed { .. } | Finding::CallLeftOut { .. } => 0,
        }).sum();
        let prompts = prompts.iter().filter(|text| !text.is_empty()).count();
        prop_assert_eq!(log.len(), hidden + view.len() - prompts);
    }
}
