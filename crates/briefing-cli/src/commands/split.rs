//! `briefing split`: two threads of one.

use std::process::ExitCode;

use briefing::message::EntryId;
use briefing_store::{Store, StoreError};
use serde_json::json;

use crate::args::SplitArgs;
use crate::database::{open, owner};
use crate::error::Stop;
use crate::output::json::pretty;
use crate::output::{Output, counted};
use crate::shown::{Log, ask, told};

pub(crate) fn run(args: SplitArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    let entry = EntryId::new(args.entry);
    let from = ask(log.store.thread_of(&log.owner, entry))?.ok_or_else(|| told(StoreError::UnknownEntry { entry }))?;
    let new = ask(log.store.split(&log.owner, entry))?;
    let (stayed, moved) = (log.thread(from)?.entries, log.thread(new)?.entries);
    if args.told.json {
        let told = json!({ "entry": entry, "from": from, "thread": new, "moved": moved, "stayed": stayed });
        out.write(&pretty(&told))?;
    } else {
        let (moved, stayed) = (counted(moved, "entry"), counted(stayed, "entry"));
        out.line(format_args!(
            "{moved}, from entry {entry} on, moved to the new thread {new}; {stayed} left in thread {from}"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
