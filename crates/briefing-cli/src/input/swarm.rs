//! Logs that several agents share, as agent-swarm-kit stores them: a list, JSON Lines, or a folder of `1.json`, `2.json` …

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use briefing::log::{Arrival, Body, Kind as EntryKind, Kinds};
use briefing::message::{OwnerId, ThreadId};
use briefing::ports::Back;
use briefing::view::Preset;
use briefing::view::swarm::{ExactHistory, SwarmEntry, SwarmMessage};
use briefing_json::{Kind as Json, Value};
use briefing_store::{Append, Content, ImportedMessages, SqliteStore, Store, StoreError, Target};
use jiff::Timestamp;

use crate::config::ViewOverride;
use crate::error::{Failure, Kind};
use crate::input::messages::Conversation;
use crate::input::notes::Note;
use crate::input::{MAX_INPUT, read};
use crate::output::name_of;

/// How many entries are read at once.
const PAGE: usize = 500;
/// How many agents are named where none is chosen.
const NAMED: usize = 5;
/// What an import appends, and what may be left of it.
const PUSHED: Kinds = Kinds::of(&[
    EntryKind::Message,
    EntryKind::ToolUse,
    EntryKind::System,
    EntryKind::Reset,
    EntryKind::Popped,
    EntryKind::Erased,
    EntryKind::Unreadable,
]);

/// Whether it is a message of such a log: only those name an agent.
pub(super) fn is_message(message: Value<'_>) -> bool {
    message.get("agentName").is_some_and(|name| name.kind() == Json::String)
}

/// Those messages as a conversation.
pub(super) fn conversation(messages: Value<'_>, name: &str) -> Result<Conversation, Failure> {
    let log = messages.items().enumerate().map(|(at, message)| parse(message.raw(), &format!("{name}: message {at}")));
    let log = log.collect::<Result<_, _>>()?;
    Ok(Conversation { swarm: Some(log), ..Conversation::of(Vec::new()) })
}

fn parse(json: &str, name: &str) -> Result<SwarmMessage, Failure> {
    serde_json::from_str(json).map_err(|error| {
        Failure::new(Kind::Data, format!("{name} is none of agent-swarm-kit: {error}"))
            .hint("each has role, agentName and mode, as its persistence writes them")
    })
}

/// A folder with a file a message, in the order of their numbers. The folder is called as its client.
pub(super) fn folder(path: &Path) -> Result<(String, Conversation), Failure> {
    let name = name_of(path);
    let unreadable = |error: std::io::Error| Failure::unreadable(&name, &error);
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for file in std::fs::read_dir(path).map_err(unreadable)? {
        let file = file.map_err(unreadable)?.path();
        let number = file.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        files.extend(number.filter(|_| file.extension().is_some_and(|json| json == "json")).map(|number| (number, file)));
    }
    if files.is_empty() {
        return Err(Failure::new(Kind::Data, format!("{name} holds no 1.json, 2.json …"))
            .hint("a folder is read as agent-swarm-kit keeps a client's messages; name a file otherwise"));
    }
    files.sort();
    let log = files.iter().map(|(_, file)| {
        let input = read(file, MAX_INPUT)?;
        parse(&input.text, &input.name)
    });
    let log = log.collect::<Result<_, _>>()?;
    let id = path.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    Ok((id.unwrap_or_default(), Conversation { swarm: Some(log), ..Conversation::of(Vec::new()) }))
}

/// What the agent that the view names is told of the log, exactly as the original tells it.
pub(crate) fn told(conversation: &mut Conversation, view: &ViewOverride) -> Result<(), Failure> {
    let Some(log) = conversation.swarm.take() else {
        return if view.is_empty() { Ok(()) } else { Err(no_swarm()) };
    };
    match (view.preset(), view.agent()) {
        (Some(Preset::Mail | Preset::Chat), _) => {
            Err(Failure::new(Kind::Usage, "a swarm's transcript is told by the view swarm")
                .hint("`briefing import` it, and tell its thread by another view"))
        }
        (Some(Preset::Swarm) | None, None) => Err(no_agent(&log)),
        (Some(Preset::Swarm) | None, Some(agent)) => {
            let keep = view.messages().map(|most| most.map(|most| usize::try_from(most).unwrap_or(usize::MAX)));
            let exact = ExactHistory::new(agent);
            let exact = keep.map_or(exact.clone(), |keep| exact.keep(keep));
            let (told, findings) = exact.for_agent(&log, "", &[]);
            let (messages, misfits) = SwarmMessage::all_said(&told);
            let note = |what: String| Note::Swarm { what };
            conversation.notes.extend(findings.iter().map(|finding| note(finding.to_string())));
            let misfits = misfits.iter().map(|(at, misfit)| note(format!("message {at} of those that are told: {misfit}")));
            conversation.notes.extend(misfits);
            conversation.messages = messages;
            Ok(())
        }
    }
}

fn no_swarm() -> Failure {
    Failure::new(Kind::Usage, "a view tells threads and logs of a swarm, and this transcript is told whole")
        .hint("bound it (--max-messages and the like), or `briefing import` it and tell its thread by --view")
}

fn no_agent(log: &[SwarmMessage]) -> Failure {
    let agents: BTreeSet<&str> = log.iter().map(|message| message.agent.as_str()).collect();
    let named = agents.iter().take(NAMED).map(|agent| format!("{agent:?}")).collect::<Vec<_>>().join(", ");
    let more = if agents.len() > NAMED { " and others" } else { "" };
    Failure::new(Kind::Usage, "several agents share this transcript, and none is named")
        .hint(format!("say who is told: --agent NAME; messages are by {named}{more}"))
}

/// Imports the log into the thread that [`briefing_store::swarm::Clients`] knows by `id`; one without an id is known by its content.
/// If it has grown since it was imported, what is new of it is appended. None of an empty one.
pub(crate) async fn import(
    store: &SqliteStore,
    owner: &OwnerId,
    id: Option<&str>,
    log: &[SwarmMessage],
    now: Timestamp,
) -> Result<Option<ImportedMessages>, StoreError> {
    if log.is_empty() {
        return Ok(None);
    }
    let hash = || blake3::hash(serde_json::to_string(log).unwrap_or_default().as_bytes()).to_hex().to_string();
    let Some(id) = id else { return append(store, owner, &format!("swarm {}", hash()), log, now).await };
    let imported = append(store, owner, &format!("swarm {id}"), log, now).await?;
    if imported.is_some() {
        return Ok(imported);
    }
    let own = append(store, owner, &format!("swarm {id} {}", hash()), log, now).await?;
    Ok(own.map(|own| ImportedMessages { differs: true, ..own }))
}

/// Appends what the thread of that name lacks; none if it holds another log.
async fn append(
    store: &SqliteStore,
    owner: &OwnerId,
    name: &str,
    log: &[SwarmMessage],
    now: Timestamp,
) -> Result<Option<ImportedMessages>, StoreError> {
    let thread = store.named_thread(owner, name).await?;
    let head = store.thread(owner, thread).await?.and_then(|thread| thread.head);
    let stored = stored(store, owner, thread).await?;
    let same = stored.iter().zip(log).all(|(stored, message)| stored.as_ref().is_none_or(|stored| stored == message));
    if !same {
        return Ok(None);
    }
    let rest = log.iter().skip(stored.len()).map(|message| {
        let content = match SwarmEntry::from(message) {
            SwarmEntry::Message(message) => Content::Message(Box::new(message.into())),
            SwarmEntry::Reset(reset) => Content::Reset(Box::new(reset)),
        };
        Append::new(content, Target::Thread(thread), Arrival::Live(now))
    });
    let mut rest: Vec<Append> = rest.collect();
    let new = rest.len();
    if let Some(first) = rest.first_mut() {
        *first = first.clone().expecting(head);
        store.append(owner, rest).await?;
    }
    Ok(Some(ImportedMessages { thread, new, differs: false }))
}

/// The log of a thread, oldest first; none of what was edited, popped or erased since, which may have been anything.
async fn stored(store: &SqliteStore, owner: &OwnerId, thread: ThreadId) -> Result<Vec<Option<SwarmMessage>>, StoreError> {
    let mut stored = Vec::new();
    let mut before = None;
    loop {
        let back = Back { thread, before, after: None, kinds: PUSHED, agent: None, count: PAGE };
        let page = store.read_back(owner, back).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.place());
        stored.extend(page.iter().map(|entry| match &entry.body {
            Body::Message(message) if message.edited.is_none() => SwarmMessage::of(&entry.body),
            Body::Reset(_) => SwarmMessage::of(&entry.body),
            Body::Message(_)
            | Body::Mail(_)
            | Body::Round(_)
            | Body::Outcome(_)
            | Body::Card(_)
            | Body::Notice(_)
            | Body::Edit(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable => None,
        }));
    }
    stored.reverse();
    Ok(stored)
}
