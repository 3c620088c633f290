//! `read_attachment`: the text of a file of the current thread, page by page; a picture; or an outcome that was left out.

use std::fmt;
use std::sync::Arc;

use briefing::log::{Attachment, Body, Kind, Kinds, Place};
use briefing::message::{Bytes, EntryId, Media, Outcome, Part, ThreadId};
use briefing::ports::{Back, FileText, Files};
use briefing::text::one_line;
use briefing::view::referred;
use briefing_store::ReadText;
use serde_json::{Map, Value};

use crate::BoxFuture;
use crate::tool::picture::{self, MAX_PICTURE};
use crate::tool::{Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// The most characters of one page.
const PAGE_CHARS: usize = 20_000;

/// How many entries are looked at for a file, at a time and in all.
const ENTRIES: usize = 200;
const MAX_ENTRIES: usize = 5_000;

/// The most characters of a name in an answer, as lists of files show it.
const NAME_CHARS: usize = 120;

/// The most files of one name that an answer lists.
const MAX_LISTED: usize = 20;

/// Reads a file of the current thread, or gives back an outcome that was left out of the request to save room. Files that stand before
/// the thread's last reset are not there; nor are those of other threads and owners.
#[derive(Clone)]
pub struct ReadAttachment {
    spec: ToolSpec,
    reader: Option<Arc<dyn ReadText>>,
}

/// A file that was found, or why there is none.
enum Found {
    One(Attachment),
    None,
    Several(Vec<Attachment>),
}

impl fmt::Debug for ReadAttachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadAttachment").field("spec", &self.spec).field("reads", &self.reader.is_some()).finish()
    }
}

impl Default for ReadAttachment {
    fn default() -> Self {
        let description = "Read a file of this thread: its text in pages of 20,000 characters, or a picture. Also gives back an \
                           outcome that was left out to save room: give its reference, such as outcome:17.";
        let schema = r#"{
  "type": "object",
  "properties": {
    "attachment": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "The id or the name of a file, as listed under its message; or outcome:NUMBER."},
    "from": {"type": "integer", "minimum": 0, "description": "Where to begin, in characters; 0 if left out."}
  },
  "required": ["attachment"],
  "additionalProperties": false
}"#;
        Self { spec: ToolSpec::built_in("read_attachment", description, schema), reader: None }
    }
}

impl ReadAttachment {
    /// The same; a file whose text was never read is read when it is asked for. The reader works where the call is polled.
    #[must_use]
    pub fn with_reader(mut self, reader: Arc<dyn ReadText>) -> Self {
        self.reader = Some(reader);
        self
    }

    async fn read(&self, input: &Map<String, Value>, cx: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        let wanted = input.get("attachment").and_then(Value::as_str).unwrap_or_default().trim();
        let from = input.get("from").and_then(Value::as_u64).unwrap_or(0);
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        if wanted.contains("outcome:")
            && let Some(outcome) = left_out(wanted, cx).await?
        {
            return Ok(of_outcome(&outcome, from));
        }
        match find(wanted, cx).await? {
            Found::One(file) => self.of_file(&file, from, cx).await,
            Found::None => Err(failed(format!(
                "[there is no file {:?} in this thread; give the id that is listed under the message]",
                one_line(wanted, NAME_CHARS)
            ))),
            Found::Several(files) => {
                let mut text = "[several files have this name; give the id of one]".to_owned();
                for file in files.iter().take(MAX_LISTED) {
                    text.push_str(&format!("\n- {} id={}", name(file), one_line(file.id.as_str(), NAME_CHARS)));
                }
                Err(failed(text))
            }
        }
    }

    async fn of_file(&self, file: &Attachment, from: usize, cx: &ToolContext) -> Result<ToolOutput, ToolFailure> {
        if file.media_type.trim_start().to_ascii_lowercase().starts_with("image/") {
            return of_picture(file, cx).await;
        }
        let store = cx.log.ports();
        let store = match &self.reader {
            Some(reader) => store.with_reader(Arc::clone(reader)),
            None => store,
        };
        let ids = [file.id.clone()];
        let texts = store.texts(&ids).await.map_err(|error| crashed(&error))?;
        if let Some((_, text)) = texts.into_iter().next() {
            return Ok(of_text(&name(file), &text, from));
        }
        let known = cx.log.texts(&ids).await.map_err(|error| ToolFailure::of_store(&error))?;
        // A text that was looked for and is none is kept as such.
        let looked_for = known.iter().any(|known| known.text.is_some());
        let why =
            if looked_for { "has no text that can be read" } else { "was not read yet, or is not kept; its text is not ready" };
        Ok(ToolOutput::text(format!("[file: {}]\n[this file {why}]", name(file))))
    }
}

impl Tool for ReadAttachment {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, input: &'a Map<String, Value>, cx: &'a ToolContext) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.read(input, cx))
    }
}

fn failed(message: String) -> ToolFailure {
    ToolFailure::Failed { message }
}

fn crashed(error: &briefing::ports::PortError) -> ToolFailure {
    tracing::warn!(%error, "a tool could not read the log");
    ToolFailure::Crashed { detail: "the log cannot be read now".to_owned() }
}

fn name(file: &Attachment) -> String {
    one_line(file.filename.as_deref().unwrap_or("unnamed"), NAME_CHARS).into_owned()
}

/// The file of that id, else the one of that name, in what may be seen of the thread.
async fn find(wanted: &str, cx: &ToolContext) -> Result<Found, ToolFailure> {
    let kinds = Kinds::of(&[Kind::Mail, Kind::Message, Kind::ToolUse, Kind::Reset]);
    let mut named: Vec<Attachment> = Vec::new();
    let mut before: Option<Place> = None;
    let mut visited = 0;
    while visited < MAX_ENTRIES {
        let back = Back { thread: cx.thread, before, after: None, kinds, agent: None, count: ENTRIES };
        let entries = cx.log.read_back(back).await.map_err(|error| ToolFailure::of_store(&error))?;
        for entry in &entries {
            let files: &[Attachment] = match &entry.body {
                Body::Mail(mail) => &mail.attachments,
                Body::Message(message) => &message.attachments,
                // What stands before may not be seen.
                Body::Reset(_) => return Ok(only(named)),
                Body::Round(_)
                | Body::Outcome(_)
                | Body::Card(_)
                | Body::Notice(_)
                | Body::Edit(_)
                | Body::Popped(_)
                | Body::Erased(_)
                | Body::Unreadable => &[],
            };
            for file in files {
                if file.id.as_str() == wanted {
                    return Ok(Found::One(file.clone()));
                }
                let is_named = file.filename.as_deref() == Some(wanted) || name(file) == wanted;
                if is_named && named.len() <= MAX_LISTED && !named.iter().any(|known| known.id == file.id) {
                    named.push(file.clone());
                }
            }
        }
        visited += entries.len();
        before = entries.last().map(|entry| entry.place());
        if entries.len() < ENTRIES {
            break;
        }
    }
    Ok(only(named))
}

fn only(mut named: Vec<Attachment>) -> Found {
    match (named.pop(), named.is_empty()) {
        (None, _) => Found::None,
        (Some(file), true) => Found::One(file),
        (Some(file), false) => {
            named.push(file);
            Found::Several(named)
        }
    }
}

async fn of_picture(file: &Attachment, cx: &ToolContext) -> Result<ToolOutput, ToolFailure> {
    let line = |why: &str| Ok(ToolOutput::text(format!("[picture: {}]\n[{why}]", name(file))));
    let most = MAX_PICTURE / 4 * 3;
    let too_large = |size: u64| size > u64::try_from(most).unwrap_or(u64::MAX);
    if file.size.is_some_and(too_large) {
        return line("too large to be shown");
    }
    let content = match cx.log.file(&file.id).await {
        Ok(content) => content,
        Err(briefing_store::StoreError::Blob { .. }) => None,
        Err(error) => return Err(ToolFailure::of_store(&error)),
    };
    let Some(content) = content else { return line("not kept") };
    if content.len() > most {
        return line("too large to be shown");
    }
    let bytes = Bytes::encode(&content);
    let Some(media_type) = picture::media_type(bytes.as_base64()) else { return line("of a kind that cannot be shown") };
    let media = Media { filename: Some(name(file).into()), ..Media::data(media_type, bytes) };
    Ok(ToolOutput { parts: vec![Part::text(format!("[picture: {}]", name(file))), Part::Image(media)] })
}

fn of_text(name: &str, text: &FileText, from: usize) -> ToolOutput {
    let partial = if text.partial { "\n[partial: this text holds less than the file]" } else { "" };
    ToolOutput::text(format!("[file: {name}]\n{}{partial}", page(&text.text, from)))
}

/// A page of a text, with a line that says how to go on.
fn page(text: &str, from: usize) -> String {
    let all = text.chars().count();
    if all == 0 {
        return "[empty]".to_owned();
    }
    if from >= all {
        return format!("[the text ends at character {all}]");
    }
    let told: String = text.chars().skip(from).take(PAGE_CHARS).collect();
    let end = from + told.chars().count();
    if end < all {
        format!("{told}\n[characters {from} to {end} of {all}; call again with \"from\": {end} to go on]")
    } else {
        told
    }
}

/// The outcome that a reference names, if the request told the model that it is left out, and it is this persona's in this thread.
async fn left_out(reference: &str, cx: &ToolContext) -> Result<Option<Arc<Outcome>>, ToolFailure> {
    let Some(receipt) = &cx.receipt else { return Ok(None) };
    let store = cx.log.ports();
    let Some(outcome) = referred(&store, receipt, reference).await.map_err(|error| crashed(&error))? else { return Ok(None) };
    // As `referred` reads it.
    let number = reference.rsplit_once("outcome:").and_then(|(_, number)| number.trim_end_matches(']').trim().parse().ok());
    let Some(entry) = number.map(EntryId::new) else { return Ok(None) };
    Ok(is_own(entry, cx).await?.then_some(outcome))
}

async fn is_own(entry: EntryId, cx: &ToolContext) -> Result<bool, ToolFailure> {
    let of_store = |error| ToolFailure::of_store(&error);
    let Some(logged) = cx.log.logged(entry).await.map_err(of_store)? else { return Ok(false) };
    let own = match (&logged.run, &logged.entry.body) {
        (Some((run, _)), _) => cx.is_own_run(&run.persona),
        (None, Body::Message(message)) => cx.is_own_message(message.agent.as_deref()),
        (None, _) => false,
    };
    // A thread that was merged is known by its old number too.
    let thread: Option<ThreadId> = cx.log.thread(cx.thread).await.map_err(of_store)?.map(|thread| thread.thread);
    Ok(own && thread == Some(logged.thread))
}

fn of_outcome(outcome: &Outcome, from: usize) -> ToolOutput {
    let parts = outcome.parts.iter().map(|part| match part {
        Part::Text(text) => Part::text(page(&text.text, from)),
        Part::Image(_) | Part::Document(_) | Part::Native(_) => part.clone(),
    });
    ToolOutput { parts: parts.collect() }
}
