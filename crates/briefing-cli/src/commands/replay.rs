//! `briefing replay`: the requests of a run, made again and held against what was sent.

use std::process::ExitCode;

use briefing::Estimator;
use briefing_agent::Replayed;
use serde_json::{Value, json};

use crate::agent::build::{Keys, Tools};
use crate::agent::runtime;
use crate::agent::session::{Session, failure};
use crate::args::ReplayArgs;
use crate::commands::diff::compare;
use crate::error::Stop;
use crate::input::Input;
use crate::output::Output;
use crate::output::difference::Difference;
use crate::output::json::pretty;
use crate::setup::Setup;

/// The exit code where a request is not what it was.
const DIFFERENT: u8 = 1;

pub(crate) fn run(args: ReplayArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.json);
    let setup = Setup::load(args.config.config.as_deref())?;
    let runtime = runtime()?;
    let _in = runtime.enter();
    // What tools were declared is kept with each request.
    let session = runtime.block_on(Session::open(&setup, Keys::Unused, Tools::Unused))?;
    session.notes.iter().for_each(|note| out.note(note));
    let run = session.log.run(&args.run)?;
    let replayed = runtime.block_on(session.agent.replay(&run.run.id)).map_err(failure)?;
    let same = replayed.iter().all(Replayed::is_same);
    if args.json {
        let requests = replayed.iter().map(object).collect::<Value>();
        out.write(&pretty(&json!({ "run": run.number.get(), "id": run.run.id.as_str(), "same": same, "requests": requests })))?;
    } else {
        replayed.iter().try_for_each(|replayed| tell(replayed, out))?;
    }
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

fn title(replayed: &Replayed) -> String {
    format!("request {} (round {}, {} on {})", replayed.number, replayed.round, replayed.model, replayed.wire)
}

fn tell(replayed: &Replayed, out: &mut Output) -> Result<(), Stop> {
    let (title, kept) = (title(replayed), replayed.kept.len());
    match &replayed.made {
        _ if replayed.is_same() => out.line(format_args!("{title}: same, {kept} bytes")),
        Err(why) => out.line(format_args!("{title}: cannot be made again: {why}")),
        Ok(made) => {
            out.line(format_args!("{title}: different: {kept} bytes were sent, {} are made today", made.len()))?;
            match sides(replayed, made) {
                None => out.line("  no text in UTF-8, so nothing more can be told"),
                Some([sent, today]) => {
                    let estimator = Estimator::o200k();
                    let diff = compare(&sent, &today, &estimator)?;
                    let names = (&*sent.name, &*today.name);
                    let told = Difference { diff: &diff, older: names.0, newer: names.1, estimator: estimator.name() };
                    out.write(&told.text(out.paint()))
                }
            }
        }
    }
}

/// What was sent, and what is made today.
fn sides(replayed: &Replayed, made: &[u8]) -> Option<[Input; 2]> {
    let input = |name: &str, bytes: &[u8]| Some(Input { name: name.to_owned(), text: String::from_utf8(bytes.to_vec()).ok()? });
    Some([input("sent", &replayed.kept)?, input("today", made)?])
}

fn object(replayed: &Replayed) -> Value {
    let (made, error) = match &replayed.made {
        Ok(made) => (Some(made.len()), None),
        Err(why) => (None, Some(why)),
    };
    json!({
        "number": replayed.number,
        "round": replayed.round,
        "wire": replayed.wire,
        "model": replayed.model,
        "same": replayed.is_same(),
        "sent_bytes": replayed.kept.len(),
        "made_bytes": made,
        "error": error,
    })
}
