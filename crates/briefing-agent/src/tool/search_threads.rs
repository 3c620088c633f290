//! `search_threads`: finds mails and messages of this owner.

use std::collections::HashMap;
use std::sync::Arc;

use briefing::log::{Body, Entry, Kind, Kinds, Place};
use briefing::message::ThreadId;
use briefing::ports::Back;
use briefing::text::one_line;
use briefing_store::{Hit, RunsOf, StoreError};
use serde_json::{Map, Value};

use crate::BoxFuture;
use crate::tool::{Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// How many hits are told unless the model says otherwise.
const HITS: usize = 10;

/// The most hits.
const MAX_HITS: usize = 20;

/// How many hits are looked through for those that may be told.
const SEARCHED: usize = 200;

/// How many runs and messages of a thread are looked at for who answers in it: the newest.
const LOOKED_AT: usize = 200;

/// The most characters of a name, of a subject, and of a snippet.
const NAME_CHARS: usize = 120;
const SUBJECT_CHARS: usize = 200;
const SNIPPET_CHARS: usize = 300;

/// Finds mails and messages of the owner: thread, date, who wrote it, subject, and a snippet. What stands before the last reset of its
/// thread is not found, nor are messages that another agent wrote or that stand in a thread where others alone answer. Mails are found
/// whoever answers them.
#[derive(Debug, Clone)]
pub struct SearchThreads {
    spec: ToolSpec,
}

impl Default for SearchThreads {
    fn default() -> Self {
        let description = "Find earlier mails and messages that hold all the given words, best match first.";
        let schema = r#"{
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "Words that all must occur; \"words in quotes\" next to each other."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "At most so many; 10 if left out."}
  },
  "required": ["query"],
  "additionalProperties": false
}"#;
        Self { spec: ToolSpec::built_in("search_threads", description, schema) }
    }
}

impl Tool for SearchThreads {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, input: &'a Map<String, Value>, cx: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(async move {
            let query = input.get("query").and_then(Value::as_str).unwrap_or_default();
            let limit = input.get("limit").and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
            let limit = limit.unwrap_or(HITS).clamp(1, MAX_HITS);
            let told = search(query, limit, cx).await.map_err(|error| ToolFailure::of_store(&error))?;
            Ok(ToolOutput::text(if told.is_empty() { "[nothing found]".to_owned() } else { told.join("\n\n") }))
        })
    }
}

/// What the run's persona may see of a thread.
struct Seen {
    /// Only what stands behind this place.
    reset: Option<Place>,
    /// Its messages too, not its mails alone.
    messages: bool,
}

/// The best hits that may be told.
async fn search(query: &str, limit: usize, cx: &ToolContext) -> Result<Vec<String>, StoreError> {
    let mut threads: HashMap<ThreadId, Seen> = HashMap::new();
    let mut told = Vec::new();
    for hit in cx.log.search(query, SEARCHED).await? {
        if told.len() == limit {
            break;
        }
        let Some(entry) = cx.log.entry(hit.entry).await? else { continue };
        let seen = match threads.entry(hit.thread) {
            std::collections::hash_map::Entry::Occupied(seen) => seen.into_mut(),
            std::collections::hash_map::Entry::Vacant(room) => room.insert(seen(hit.thread, cx).await?),
        };
        let behind = seen.reset.is_none_or(|reset| entry.place() > reset);
        let own = match &entry.body {
            Body::Message(message) => seen.messages && cx.is_own_message(message.agent.as_deref()),
            Body::Mail(_)
            | Body::Round(_)
            | Body::Outcome(_)
            | Body::Card(_)
            | Body::Notice(_)
            | Body::Reset(_)
            | Body::Edit(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable => true,
        };
        if behind && own {
            told.push(tell(&hit, &entry));
        }
    }
    Ok(told)
}

async fn seen(thread: ThreadId, cx: &ToolContext) -> Result<Seen, StoreError> {
    let back = |kind, count| Back { thread, before: None, after: None, kinds: Kinds::of(&[kind]), agent: None, count };
    let reset = cx.log.read_back(back(Kind::Reset, 1)).await?.first().map(|entry| entry.place());
    // A thread that was merged is known by its old number too.
    if cx.log.thread(cx.thread).await?.is_some_and(|current| current.thread == thread) {
        return Ok(Seen { reset, messages: true });
    }
    let runs = cx.log.runs(RunsOf { thread: Some(thread), ..RunsOf::newest(LOOKED_AT) }).await?;
    let messages = cx.log.read_back(back(Kind::Message, LOOKED_AT)).await?;
    let mut wrote = messages.iter().filter_map(|entry| match &entry.body {
        Body::Message(message) => message.agent.as_deref(),
        Body::Mail(_)
        | Body::Round(_)
        | Body::Outcome(_)
        | Body::Card(_)
        | Body::Notice(_)
        | Body::Reset(_)
        | Body::Edit(_)
        | Body::Popped(_)
        | Body::Erased(_)
        | Body::Unreadable => None,
    });
    let own =
        runs.iter().any(|run| cx.is_own_run(&run.run.persona)) || wrote.clone().any(|agent| cx.is_own_message(Some(agent)));
    // Nobody has answered yet: it is nobody's chat.
    let nobodys = runs.is_empty() && wrote.next().is_none();
    Ok(Seen { reset, messages: own || nobodys })
}

/// A hit in at most four lines, none of which its text can forge.
fn tell(hit: &Hit, entry: &Arc<Entry>) -> String {
    // To the second, as mails read.
    let at = jiff::fmt::temporal::DateTimePrinter::new().precision(Some(0)).timestamp_to_string(&hit.at);
    let mut lines = vec![format!("thread {}, {at}", hit.thread.get())];
    match &entry.body {
        Body::Mail(mail) => {
            let from: Vec<String> = mail.from.iter().take(3).map(ToString::to_string).collect();
            lines.push(format!("From: {}", one_line(&from.join(", "), NAME_CHARS)));
            lines.push(format!("Subject: {}", one_line(mail.subject.as_deref().unwrap_or_default(), SUBJECT_CHARS)));
        }
        Body::Message(message) => {
            let role = message.said.role();
            let agent = message.agent.as_deref().map(|agent| format!(", {}", one_line(agent, NAME_CHARS)));
            lines.push(format!("From: {}{}", role.name(), agent.unwrap_or_default()));
        }
        Body::Round(_)
        | Body::Outcome(_)
        | Body::Card(_)
        | Body::Notice(_)
        | Body::Reset(_)
        | Body::Edit(_)
        | Body::Popped(_)
        | Body::Erased(_)
        | Body::Unreadable => {}
    }
    lines.push(format!("> {}", one_line(&hit.excerpt, SNIPPET_CHARS)));
    lines.join("\n")
}
