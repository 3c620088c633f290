//! `briefing run-once`: scheduled work, once.

use std::process::ExitCode;

use briefing::Responsibility;
use briefing_agent::Stop as StopWish;
use briefing_store::Store;

use crate::agent::build::{Keys, Tools};
use crate::agent::runtime;
use crate::agent::session::Session;
use crate::agent::tell::Teller;
use crate::args::RunOnceArgs;
use crate::commands::ask::{finish, reader};
use crate::error::{Failure, Kind, Stop};
use crate::output::{Output, name_of};
use crate::setup::Setup;
use crate::shown::ask;

pub(crate) fn run(args: RunOnceArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet || args.json);
    let setup = Setup::load(args.config.config.as_deref())?;
    let runtime = runtime()?;
    let _in = runtime.enter();
    let session = runtime.block_on(Session::open(&setup, Keys::Wanted, Tools::Wanted))?;
    session.notes.iter().for_each(|note| out.note(note));
    let work = chosen(&session, &args.responsibility, &setup)?;
    // One thread for all runs of it.
    let name = format!("responsibility {}", work.name);
    let thread = ask(session.log.store.named_thread(&session.log.owner, &name))?;
    let reader = reader(args.json);
    let stop = StopWish::new();
    let mut teller = Teller::new(out, reader, stop.clone());
    let done = runtime.block_on(async {
        let mut hear = |event| teller.hear(&event);
        session.wait_for(session.agent.work(thread, work, &stop, &mut hear), &stop).await
    });
    teller.end()?;
    finish(&session, &done?, reader, out)
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
