//! `briefing run-once`: scheduled work, once.

use std::io::IsTerminal;
use std::process::ExitCode;

use briefing::Responsibility;
use briefing_agent::Stop as StopWish;
use briefing_store::{RunEnd, Store};

use crate::agent::build::Keys;
use crate::agent::runtime;
use crate::agent::session::{Session, code, stoppable};
use crate::agent::tell::{Reader, Teller};
use crate::args::RunOnceArgs;
use crate::commands::ask::tell_end;
use crate::error::{Failure, Kind, Stop};
use crate::output::{Output, name_of, safe_lines};
use crate::setup::Setup;
use crate::shown::ask;

pub(crate) fn run(args: RunOnceArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet || args.json);
    let setup = Setup::load(args.config.config.as_deref())?;
    let runtime = runtime()?;
    let _in = runtime.enter();
    let session = runtime.block_on(Session::open(&setup, Keys::Wanted))?;
    session.notes.iter().for_each(|note| out.note(note));
    let work = chosen(&session, &args.responsibility, &setup)?;
    // One thread for all runs of it.
    let name = format!("responsibility {}", work.name);
    let thread = ask(session.log.store.named_thread(&session.log.owner, &name))?;
    let reader = match (args.json, std::io::stdout().is_terminal()) {
        (true, _) => Reader::Program,
        (false, true) => Reader::Person,
        (false, false) => Reader::Script,
    };
    let stop = StopWish::new();
    let mut teller = Teller::new(out, reader, stop.clone());
    let done = runtime.block_on(async {
        let mut hear = |event| teller.hear(&event);
        stoppable(session.agent.work(thread, work, &stop, &mut hear), &stop).await
    });
    teller.end()?;
    let done = done?;
    if reader == Reader::Script
        && done.how == RunEnd::Answered
        && let Some(answer) = done.answer
    {
        out.write(&safe_lines(session.log.said(answer)?.trim_end()))?;
        out.write("\n")?;
    }
    tell_end(&done, out);
    Ok(ExitCode::from(code(done.how)))
}

fn chosen(session: &Session, name: &str, setup: &Setup) -> Result<Responsibility, Failure> {
    let found = session.responsibilities.iter().find(|work| work.name == name);
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = session.responsibilities.iter().map(|work| work.name.as_str()).collect();
        let file = name_of(&setup.persona);
        let hint = match names.as_slice() {
            [] => format!("declare it in {file}: [[responsibilities]] with name and instructions"),
            _ => format!("{file} has: {}", names.join(", ")),
        };
        Failure::new(Kind::NoInput, format!("{file} has no responsibility {name:?}")).hint(hint)
    })
}
