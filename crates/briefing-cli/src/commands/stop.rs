//! `briefing stop`: asks a run to stop, or cancels one that is scheduled and was not begun.

use std::process::ExitCode;

use briefing::message::RunId;
use briefing_store::Store;
use jiff::Timestamp;
use serde_json::json;

use crate::agent::place::LogPlace;
use crate::args::StopArgs;
use crate::error::{Failure, Stop};
use crate::output::Output;
use crate::output::json::pretty;
use crate::setup::Setup;
use crate::shown::ask;

pub(crate) fn run(args: StopArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.json);
    let log = LogPlace::of(&Setup::load(args.config.config.as_deref())?)?;
    let cancelled = cancel(&log, &args.run)?;
    let run = log.run(&args.run)?;
    let ended = run.end.as_ref().map(|end| end.how.name());
    let now = Timestamp::now();
    let at_work = run.lease.is_some_and(|lease| lease.holds_at(now));
    if ended.is_none() {
        ask(log.store.stop_run(&log.owner, &run.run.id, now))?;
    }
    if args.json {
        let (id, asked) = (run.run.id.as_str(), ended.is_none());
        let number = run.number.get();
        let told = json!({
            "run": number, "id": id, "asked": asked, "at_work": at_work, "cancelled": cancelled, "ended": ended,
        });
        out.write(&pretty(&told))?;
        return Ok(ExitCode::SUCCESS);
    }
    match ended {
        Some(_) if cancelled => out.line(format_args!("run {} is cancelled: it was not begun", run.number.get()))?,
        Some(ended) => out.line(format_args!("run {} has ended: {ended}", run.number.get()))?,
        None if at_work => out.line(format_args!("run {} is asked to stop", run.number.get()))?,
        None => out.line(format_args!(
            "run {} is not at work: its process is gone, and whoever takes it up ends it",
            run.number.get()
        ))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether that was the id of a scheduled run which was not begun, and will not be now. Such a run has no number yet.
fn cancel(log: &LogPlace, named: &str) -> Result<bool, Failure> {
    if named.parse::<u64>().is_ok() {
        return Ok(false);
    }
    ask(log.store.unschedule(&log.owner, &RunId::new(named), Timestamp::now()))
}
