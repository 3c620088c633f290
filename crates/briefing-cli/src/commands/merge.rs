//! `briefing merge`: one thread of two.

use std::process::ExitCode;

use briefing::message::ThreadId;
use briefing_store::Store;
use serde_json::json;

use crate::args::MergeArgs;
use crate::database::{open, owner};
use crate::error::Stop;
use crate::output::json::pretty;
use crate::output::{Output, counted};
use crate::shown::{Log, ask};

pub(crate) fn run(args: MergeArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.told.quiet || args.told.json);
    let log = Log::new(open(&args.db.db)?, owner(&args.db));
    // Either may have been merged before.
    let (from, into) = (log.thread(ThreadId::new(args.from))?, log.thread(ThreadId::new(args.into))?);
    let differ = from.thread != into.thread;
    if differ {
        ask(log.store.merge(&log.owner, from.thread, into.thread))?;
    }
    let whole = log.thread(into.thread)?;
    if args.told.json {
        let told = json!({ "from": from.thread, "into": into.thread, "merged": differ, "entries": whole.entries });
        out.write(&pretty(&told))?;
    } else if differ {
        let (moved, entries) = (counted(from.entries, "entry"), counted(whole.entries, "entry"));
        out.line(format_args!("{moved} of thread {} moved to thread {}, which has {entries} now", from.thread, into.thread))?;
    } else {
        out.line(format_args!("nothing to do: both are thread {}", into.thread))?;
    }
    Ok(ExitCode::SUCCESS)
}
