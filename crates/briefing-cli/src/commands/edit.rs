//! `briefing edit`: a new text for a message.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use briefing::log::{Arrival, Message};
use briefing::message::{Assistant, EntryId, Item, ModelMessage, Outcome, Part, System, SystemPart, Text, User};
use briefing_store::{Append, Store, StoreError};
use jiff::Timestamp;
use serde_json::json;

use crate::args::EditArgs;
use crate::database::{open, owner};
use crate::error::{Failure, Kind, Stop};
use crate::input::{MAX_INPUT, read};
use crate::output::Output;
use crate::output::json::pretty;
use crate::shown::{Log, ask, told};

pub(crate) fn run(args: EditArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    let of = EntryId::new(args.entry);
    // The newest version of it, and not the one that was appended.
    let entry = ask(log.store.entry(&log.owner, of))?.ok_or_else(|| told(StoreError::UnknownEntry { entry: of }))?;
    let thread = ask(log.store.thread_of(&log.owner, of))?;
    let Some(message) = entry.message() else { return Err(told(StoreError::NotAMessage { entry: of }).into()) };
    let edited = reading(message, text(args.text)?);
    let append = Append::edit(of, edited, Arrival::Live(Timestamp::now()));
    let appended = ask(log.store.append(&log.owner, vec![append]))?;
    let edit = appended.first().map(|appended| appended.place.entry);
    if args.told.json {
        out.write(&pretty(&json!({ "entry": of, "thread": thread, "edit": edit })))?;
    } else {
        let edit = edit.map(|edit| format!("; the edit is entry {edit}")).unwrap_or_default();
        let thread = thread.map(|thread| format!(" of thread {thread}")).unwrap_or_default();
        out.line(format_args!("entry {of}{thread} reads anew{edit}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What was typed, or standard input without the line end that ends it.
fn text(typed: Option<String>) -> Result<String, Failure> {
    let text = match typed {
        Some(text) => text,
        None => {
            let text = read(Path::new("-"), MAX_INPUT)?.text;
            text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text).to_owned()).unwrap_or(text)
        }
    };
    if text.trim().is_empty() {
        return Err(Failure::new(Kind::Usage, "the new text is empty").hint("`briefing forget` takes a thread away"));
    }
    Ok(text)
}

/// The message with that text in place of its own, and everything else that it holds.
fn reading(message: &Message, text: String) -> Message {
    let said = match &message.said {
        ModelMessage::System(system) => {
            let rest = system.parts.iter().filter(|part| part.text().is_none()).cloned();
            let parts = std::iter::once(SystemPart::Text(Text::new(text))).chain(rest).collect();
            ModelMessage::System(Arc::new(System { parts, ..System::clone(system) }))
        }
        ModelMessage::User(user) => ModelMessage::User(Arc::new(User { parts: parts(&user.parts, text), ..User::clone(user) })),
        ModelMessage::Tool(outcome) => {
            ModelMessage::Tool(Arc::new(Outcome { parts: parts(&outcome.parts, text), ..Outcome::clone(outcome) }))
        }
        ModelMessage::Assistant(said) => {
            ModelMessage::Assistant(Arc::new(Assistant { items: items(&said.items, text), ..Assistant::clone(said) }))
        }
    };
    let mut edited = Message { said, ..message.clone() };
    // What was kept of another text is not of this one.
    edited.extra.shift_remove("content");
    edited
}

fn parts(parts: &[Part], text: String) -> Vec<Part> {
    let rest = parts.iter().filter(|part| part.as_text().is_none()).cloned();
    std::iter::once(Part::text(text)).chain(rest).collect()
}

/// The text stands where the first one stood, else before the first call.
fn items(items: &[Item], text: String) -> Vec<Item> {
    let first = items.iter().position(|item| item.text().is_some());
    let call = || items.iter().position(|item| matches!(item, Item::Call(_)));
    let at = first.or_else(call).unwrap_or(items.len());
    let kept = |items: &[Item]| items.iter().filter(|item| item.text().is_none()).cloned().collect::<Vec<_>>();
    let mut edited = kept(items.get(..at).unwrap_or_default());
    edited.push(Item::Text(Text::new(text)));
    edited.extend(kept(items.get(at..).unwrap_or_default()));
    edited
}
