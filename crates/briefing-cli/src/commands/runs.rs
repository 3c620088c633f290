//! `briefing runs`: what the agent did, as a list; or one run whole.

use std::process::ExitCode;

use briefing::message::ThreadId;
use briefing_store::{RunRequest, RunsOf, Spent, Store};

use crate::agent::build::prices;
use crate::agent::place::LogPlace;
use crate::args::RunsArgs;
use crate::error::Stop;
use crate::output::Output;
use crate::output::json::pretty;
use crate::output::runs::{self, Whole};
use crate::setup::Setup;
use crate::shown::ask;

pub(crate) fn run(args: RunsArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.json);
    let setup = Setup::load(args.config.config.as_deref())?;
    let log = LogPlace::of(&setup)?;
    match &args.run {
        Some(run) => one(&log, &setup, run, args.json, out)?,
        None if args.scheduled => scheduled(&log, &args, out)?,
        None => list(&log, &args, out)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(log: &LogPlace, args: &RunsArgs, out: &mut Output) -> Result<(), Stop> {
    // One more tells whether there are more.
    let newest = RunsOf::newest(args.max.saturating_add(1));
    let of = RunsOf { thread: args.thread.map(ThreadId::new), open: args.open, ..newest };
    let mut found = ask(log.store.runs(&log.owner, of))?;
    let more = found.len() > args.max;
    found.truncate(args.max);
    if args.json {
        return out.write(&pretty(&runs::list(&found, more)));
    }
    if found.is_empty() {
        out.note("there are no such runs");
        return Ok(());
    }
    out.write(&runs::table(&found, out.paint()))?;
    if more {
        out.note("there are more; -n shows them");
    }
    Ok(())
}

fn scheduled(log: &LogPlace, args: &RunsArgs, out: &mut Output) -> Result<(), Stop> {
    let mut found = ask(log.store.scheduled(&log.owner, None, args.max.saturating_add(1)))?;
    let more = found.len() > args.max;
    found.truncate(args.max);
    if args.json {
        return out.write(&pretty(&runs::scheduled_list(&found, more)));
    }
    if found.is_empty() {
        out.note("nothing is scheduled");
        return Ok(());
    }
    out.write(&runs::scheduled_table(&found, out.paint()))?;
    if more {
        out.note("there are more; -n shows them");
    }
    Ok(())
}

fn one(log: &LogPlace, setup: &Setup, named: &str, json: bool, out: &mut Output) -> Result<(), Stop> {
    let summary = log.run(named)?;
    let id = &summary.run.id;
    let rounds = ask(log.store.run_rounds(&log.owner, id))?;
    let steps = ask(log.store.steps(&log.owner, id))?;
    let requests = ask(log.store.requests(&log.owner, id))?;
    let cost = cost(setup, &requests, &summary.spent);
    let whole = Whole { rounds, steps, requests, cost, summary };
    if json { out.write(&pretty(&runs::object(&whole))) } else { out.write(&runs::text(&whole, out.paint())) }
}

/// What a run cost. What it spent is counted over all models, so it is known where those that it asked have one price: by its kept
/// requests, and where none is kept, of a configuration with one model.
fn cost(setup: &Setup, requests: &[RunRequest], spent: &Spent) -> Option<u64> {
    let priced = |name: &str| prices(setup.models.iter().find(|model| model.name() == name)?);
    let mut of = match (requests, setup.models.as_slice()) {
        ([], [only]) => vec![prices(only)],
        (requests, _) => requests.iter().map(|kept| priced(&kept.request.model)).collect(),
    };
    of.dedup();
    match of.as_slice() {
        [Some(one)] => Some(one.cost(spent)),
        _ => None,
    }
}
