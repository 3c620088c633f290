//! `briefing show`: entries as they were stored.

use std::process::ExitCode;

use briefing::log::{Kind as EntryKind, MessageId};
use briefing::message::{EntryId, ThreadId};
use briefing_store::{Store, ThreadSummary};
use serde_json::Value;

use crate::args::{Limit, ShowArgs};
use crate::config::message_id;
use crate::database::{open, owner};
use crate::error::{Failure, Kind, Stop};
use crate::output::json::pretty;
use crate::output::object::Object;
use crate::output::{Output, count, counted, entry, threads};
use crate::shown::{Log, Raw, ask};

pub(crate) fn run(args: ShowArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    let chosen = choose(&log, &args)?;
    if args.raw {
        out.bytes(&raw(&log, &chosen.entries)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.told.json {
        out.write(&json(&log, &chosen)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((asked, summary)) = &chosen.thread {
        if *asked != summary.thread {
            out.note(format_args!("thread {asked} was merged into thread {}", summary.thread));
        }
        if chosen.older > 0 {
            out.note(format_args!("{} not shown; --limit all shows all", counted(chosen.older, "older entry")));
        }
        out.write(&format!("{}\n\n", out.paint().strong(&threads::title(summary))))?;
    }
    for (at, id) in chosen.entries.iter().enumerate() {
        if at > 0 {
            out.line("")?;
        }
        let shown = log.entry(*id)?;
        let findings = log.raw(*id)?.findings();
        out.write(&entry::text(&shown, &findings, out.paint()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What is shown.
struct Chosen {
    /// The thread that was asked for, and as it is.
    thread: Option<(ThreadId, ThreadSummary)>,
    entries: Vec<EntryId>,
    /// How many entries of the thread stand before these.
    older: u64,
}

fn choose(log: &Log, args: &ShowArgs) -> Result<Chosen, Failure> {
    let entries = match (args.thread, &args.message, args.entry) {
        (Some(thread), _, _) => return thread_of(log, ThreadId::new(thread), args.limit),
        (None, Some(id), _) => by_message_id(log, &message_id(id)?)?,
        (None, None, entry) => entry.into_iter().map(EntryId::new).collect(),
    };
    Ok(Chosen { thread: None, entries, older: 0 })
}

fn thread_of(log: &Log, asked: ThreadId, limit: Limit) -> Result<Chosen, Failure> {
    let summary = log.thread(asked)?;
    let limit = match limit {
        Limit::Mails(most) => Some(most),
        Limit::All => None,
    };
    let entries = log.newest(asked, limit)?;
    let older = summary.entries.saturating_sub(u64::try_from(entries.len()).unwrap_or(u64::MAX));
    Ok(Chosen { thread: Some((asked, summary)), entries, older })
}

fn by_message_id(log: &Log, id: &MessageId) -> Result<Vec<EntryId>, Failure> {
    let entries = ask(log.store.by_message_id(&log.owner, id))?;
    if entries.is_empty() {
        return Err(Failure::new(Kind::NoInput, format!("no mail has the id {id}"))
            .hint("`briefing threads --search TEXT` finds mails by their words"));
    }
    Ok(entries)
}

/// The bytes of the one mail.
fn raw(log: &Log, entries: &[EntryId]) -> Result<Vec<u8>, Failure> {
    let [entry] = entries else {
        let choices = entries.iter().map(|entry| format!("--entry {entry}")).collect::<Vec<_>>().join(", ");
        return Err(Failure::new(Kind::Usage, format!("{} have that id", count(entries.len(), "mail")))
            .hint(format!("choose one: {choices}")));
    };
    let kind = EntryKind::of(&log.entry(*entry)?.entry.body);
    if kind != EntryKind::Mail {
        return Err(Failure::new(Kind::NoInput, format!("entry {entry} is no mail: its kind is {}", kind.name()))
            .hint("it is shown without --raw"));
    }
    match log.raw(*entry)? {
        Raw::Kept(bytes) => Ok(bytes.to_vec()),
        Raw::None => Err(Failure::new(Kind::NoInput, format!("entry {entry} was stored without the bytes that it came in"))
            .hint("what was read of it is shown without --raw")),
        Raw::Lost(why) => {
            Err(Failure::new(Kind::Data, why).hint("restore it from a backup; what was read of it is shown without --raw"))
        }
    }
}

/// One object, in which an entry takes a line. It is whole before any of it is written, so that a failure stands alone.
fn json(log: &Log, chosen: &Chosen) -> Result<String, Failure> {
    let mut text = "{\n".to_owned();
    if let Some((_, summary)) = &chosen.thread {
        let thread = pretty(&entry::summary(summary)).replace('\n', "\n  ");
        text.push_str(&format!("  \"thread\": {},\n  \"older\": {},\n", thread.trim_end(), chosen.older));
    }
    text.push_str("  \"entries\": [");
    for (at, id) in chosen.entries.iter().enumerate() {
        let shown = log.entry(*id)?;
        let object = entry::object(&shown);
        let object =
            if EntryKind::of(&shown.entry.body) == EntryKind::Mail { with_raw(object, &log.raw(*id)?) } else { object };
        text.push_str(if at > 0 { ",\n    " } else { "\n    " });
        text.push_str(&object.end());
    }
    text.push_str("\n  ]\n}\n");
    Ok(text)
}

fn with_raw(object: Object, raw: &Raw) -> Object {
    let bytes = match raw {
        Raw::Kept(bytes) => Some(bytes.len()),
        Raw::None | Raw::Lost(_) => None,
    };
    object.field("raw_bytes", bytes).field("findings", raw.findings().into_iter().map(Value::from).collect::<Value>())
}
