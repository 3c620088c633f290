//! `search_threads`: finds mails and messages of this owner.

use std::sync::Arc;

use briefing::log::{Body, Entry};
use briefing::text::one_line;
use briefing_store::Hit;
use serde_json::{Map, Value};

use crate::BoxFuture;
use crate::tool::{Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// How many hits are told unless the model says otherwise.
const HITS: usize = 10;

/// The most hits.
const MAX_HITS: usize = 20;

/// The most characters of a name, of a subject, and of a snippet.
const NAME_CHARS: usize = 120;
const SUBJECT_CHARS: usize = 200;
const SNIPPET_CHARS: usize = 300;

/// Finds mails and messages in all threads of the owner: thread, date, who wrote it, subject, and a snippet.
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
            let hits = cx.store.search(&cx.owner, query, limit).await.map_err(|error| ToolFailure::of_store(&error))?;
            if hits.is_empty() {
                return Ok(ToolOutput::text("[nothing found]"));
            }
            let mut told = Vec::with_capacity(hits.len());
            for hit in hits.iter().take(limit) {
                let entry = cx.store.entry(&cx.owner, hit.entry).await.map_err(|error| ToolFailure::of_store(&error))?;
                told.push(tell(hit, entry.as_ref()));
            }
            Ok(ToolOutput::text(told.join("\n\n")))
        })
    }
}

/// A hit in at most four lines, none of which its text can forge.
fn tell(hit: &Hit, entry: Option<&Arc<Entry>>) -> String {
    // To the second, as mails read.
    let at = jiff::fmt::temporal::DateTimePrinter::new().precision(Some(0)).timestamp_to_string(&hit.at);
    let mut lines = vec![format!("thread {}, {at}", hit.thread.get())];
    match entry.map(|entry| &entry.body) {
        Some(Body::Mail(mail)) => {
            let from: Vec<String> = mail.from.iter().take(3).map(ToString::to_string).collect();
            lines.push(format!("From: {}", one_line(&from.join(", "), NAME_CHARS)));
            lines.push(format!("Subject: {}", one_line(mail.subject.as_deref().unwrap_or_default(), SUBJECT_CHARS)));
        }
        Some(Body::Message(message)) => {
            let role = message.said.role();
            let agent = message.agent.as_deref().map(|agent| format!(", {}", one_line(agent, NAME_CHARS)));
            lines.push(format!("From: {}{}", role.name(), agent.unwrap_or_default()));
        }
        Some(
            Body::Round(_)
            | Body::Outcome(_)
            | Body::Card(_)
            | Body::Notice(_)
            | Body::Reset(_)
            | Body::Edit(_)
            | Body::Popped(_)
            | Body::Erased(_)
            | Body::Unreadable,
        )
        | None => {}
    }
    lines.push(format!("> {}", one_line(&hit.excerpt, SNIPPET_CHARS)));
    lines.join("\n")
}
