//! `briefing threads`: the threads of a database, or those that hold some words.

use std::process::ExitCode;

use briefing_store::{Hit, Store, ThreadSummary};
use serde_json::{Value, json};

use crate::args::ThreadsArgs;
use crate::database::{open, owner};
use crate::error::{Failure, Stop};
use crate::output::json::pretty;
use crate::output::time::value;
use crate::output::{Output, entry, name_of, threads};
use crate::shown::{Log, ask};

pub(crate) fn run(args: ThreadsArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    match &args.search {
        None => list(&log, &args, out)?,
        Some(text) => search(&log, text, &args, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(log: &Log, args: &ThreadsArgs, out: &mut Output) -> Result<(), Stop> {
    // One more tells whether there are more.
    let mut found = ask(log.store.threads(&log.owner, None, args.max.saturating_add(1)))?;
    let (empty, more) = (found.is_empty(), found.len() > args.max);
    found.truncate(args.max);
    if args.told.json {
        let listed = found.iter().map(entry::summary).collect::<Value>();
        return out.write(&pretty(&json!({ "threads": listed, "more": more })));
    }
    if empty {
        let name = name_of(&args.db.db);
        out.note(format_args!("{name} has no threads of owner {}; `briefing import` stores some", log.owner));
        return Ok(());
    }
    out.write(&threads::table(&found, out.width(), out.paint()))?;
    if more {
        out.note(format_args!("there are more; --max shows them"));
    }
    Ok(())
}

fn search(log: &Log, text: &str, args: &ThreadsArgs, out: &mut Output) -> Result<(), Stop> {
    let mut hits = ask(log.store.search(&log.owner, text, args.max.saturating_add(1)))?;
    let (empty, more) = (hits.is_empty(), hits.len() > args.max);
    hits.truncate(args.max);
    if args.told.json {
        return out.write(&pretty(&json!({ "hits": hits.iter().map(hit).collect::<Value>(), "more": more })));
    }
    if empty {
        let why = if text.chars().any(char::is_alphanumeric) { "" } else { ": there is no word in it" };
        out.note(format_args!("no mail and no message holds all of {text:?}{why}"));
    }
    for (at, (summary, hits)) in by_thread(log, &hits)?.iter().enumerate() {
        if at > 0 {
            out.line("")?;
        }
        out.write(&threads::hits(summary, hits, out.paint()))?;
    }
    if more {
        out.note(format_args!("there are more; --max shows them"));
    }
    Ok(())
}

/// The threads of the hits, that of the best one first.
fn by_thread<'h>(log: &Log, hits: &'h [Hit]) -> Result<Vec<(ThreadSummary, Vec<&'h Hit>)>, Failure> {
    let mut threads: Vec<(ThreadSummary, Vec<&Hit>)> = Vec::new();
    for hit in hits {
        match threads.iter_mut().find(|(summary, _)| summary.thread == hit.thread) {
            Some((_, hits)) => hits.push(hit),
            None => threads.push((log.thread(hit.thread)?, vec![hit])),
        }
    }
    Ok(threads)
}

fn hit(hit: &Hit) -> Value {
    json!({ "entry": hit.entry, "thread": hit.thread, "at": value(hit.at), "excerpt": hit.excerpt })
}
