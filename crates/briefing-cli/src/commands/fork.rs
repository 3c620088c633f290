//! `briefing fork`: a thread that goes on from an entry of another one.

use std::process::ExitCode;

use briefing::message::{EntryId, ThreadId};
use briefing_store::{Store, StoreError};
use serde_json::json;

use crate::args::ForkArgs;
use crate::database::{open, owner};
use crate::error::{Failure, Kind, Stop};
use crate::output::Output;
use crate::output::json::pretty;
use crate::shown::{Log, ask, told};

pub(crate) fn run(args: ForkArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    let entry = EntryId::new(args.entry);
    let own = ask(log.store.thread_of(&log.owner, entry))?.ok_or_else(|| told(StoreError::UnknownEntry { entry }))?;
    let from = match args.thread {
        Some(thread) => log.thread(ThreadId::new(thread))?.thread,
        None => own,
    };
    let forked = pollster::block_on(log.store.fork(&log.owner, from, entry));
    let new = forked.map_err(|error| match error {
        // It is there, but in another thread.
        StoreError::UnknownEntry { .. } => Failure::new(Kind::NoInput, format!("thread {from} has no entry {entry}"))
            .hint(format!("it is one of thread {own}")),
        error => told(error),
    })?;
    if args.told.json {
        out.write(&pretty(&json!({ "entry": entry, "from": from, "thread": new })))?;
    } else {
        out.line(new)?;
        out.note(format_args!("the new thread {new} goes on from entry {entry} of thread {from}"));
    }
    Ok(ExitCode::SUCCESS)
}
