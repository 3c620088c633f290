//! `briefing run-once`: scheduled work, once; or kept for a time; or all that is due.

use std::process::ExitCode;

use briefing::Responsibility;
use briefing::message::ThreadId;
use briefing_agent::{AgentError, Stop as StopWish};
use briefing_store::{Scheduled, Store};
use jiff::Timestamp;
use serde_json::json;
use tokio::runtime::Runtime;

use crate::agent::build::{Keys, Tools};
use crate::agent::place::{LogPlace, persona};
use crate::agent::runtime;
use crate::agent::session::{Session, code, failure, stoppable};
use crate::agent::tell::{self, Reader, Teller};
use crate::args::RunOnceArgs;
use crate::commands::ask::{finish, reader};
use crate::error::{Failure, Kind, Stop};
use crate::output::time::{to_second, value};
use crate::output::{Output, name_of, safe_json, shown};
use crate::setup::Setup;
use crate::shown::ask;

/// How many runs are done that are due.
const DUE: usize = 10_000;

pub(crate) fn run(args: RunOnceArgs, out: &mut Output) -> Result<ExitCode, Stop> {
    out.quiet(args.quiet || args.json);
    let setup = Setup::load(args.config.config.as_deref())?;
    let runtime = runtime()?;
    let _in = runtime.enter();
    let command = Command { setup: &setup, runtime: &runtime, reader: reader(args.json) };
    match (&args.responsibility, args.at) {
        (Some(name), None) => command.now(name, out),
        (Some(name), Some(at)) => command.later(name, at, out),
        (None, _) => command.due(out),
    }
}

/// What the command works with.
struct Command<'a> {
    setup: &'a Setup,
    runtime: &'a Runtime,
    reader: Reader,
}

impl Command<'_> {
    fn session(&self, keys: Keys, tools: Tools) -> Result<Session, Failure> {
        self.runtime.block_on(Session::open(self.setup, keys, tools))
    }

    /// Does it now.
    fn now(&self, name: &str, out: &mut Output) -> Result<ExitCode, Stop> {
        let session = self.session(Keys::Wanted, Tools::Wanted)?;
        session.notes.iter().for_each(|note| out.note(note));
        let work = self.chosen(&session.responsibilities, name)?;
        let thread = thread_of(&session.log, name)?;
        let stop = StopWish::new();
        let mut teller = Teller::new(out, self.reader, stop.clone());
        let done = self.runtime.block_on(async {
            let mut hear = |event| teller.hear(&event);
            session.wait_for(session.agent.work(thread, work, &stop, &mut hear), &stop).await
        });
        teller.end()?;
        finish(&session, &done?, self.reader, out)
    }

    /// Keeps it for that time.
    fn later(&self, name: &str, at: Timestamp, out: &mut Output) -> Result<ExitCode, Stop> {
        let answerer = persona(self.setup)?;
        self.chosen(&answerer.responsibilities, name)?;
        // It is kept though nothing was asked yet.
        drop(LogPlace::create(self.setup, answerer.persona.owner().clone())?);
        let session = self.session(Keys::Unused, Tools::Unused)?;
        let thread = thread_of(&session.log, name)?;
        let work = self.runtime.block_on(session.agent.schedule(thread, name, at)).map_err(failure)?;
        if self.reader == Reader::Program {
            let Scheduled { run, responsibility, at, .. } = &work;
            let told = json!({
                "event": "scheduled", "run": run.as_str(), "thread": thread, "responsibility": responsibility, "due": value(*at),
            });
            out.write(&(safe_json(told.to_string()) + "\n"))?;
        } else {
            out.line(format_args!("run {} of {} is due at {}", work.run, shown(name), to_second(at)))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Does all that is due, one after the other.
    fn due(&self, out: &mut Output) -> Result<ExitCode, Stop> {
        let due = self.found_due()?;
        if due.is_empty() {
            out.note("nothing is due");
            return Ok(ExitCode::SUCCESS);
        }
        let session = self.session(Keys::Wanted, Tools::Wanted)?;
        session.notes.iter().for_each(|note| out.note(note));
        let mut last = 0;
        for work in due {
            let stop = StopWish::new();
            match self.one(&session, &work, &stop, out) {
                Ok(0) => {}
                Ok(code) => last = code,
                Err(Stop::Failed(failure)) => {
                    last = failure.kind.code();
                    tell::failure(&failure, self.reader, out)?;
                }
                Err(gone @ Stop::PipeClosed) => return Err(gone),
            }
            // A person stopped it here; else somebody stopped that run alone.
            if stop.asked() && !ask(session.log.store.stop_asked(&session.log.owner, &work.run))? {
                break;
            }
        }
        Ok(ExitCode::from(last))
    }

    /// What is due. No server of tools is started to find out that nothing is, and no database is made.
    fn found_due(&self) -> Result<Vec<Scheduled>, Failure> {
        if !self.setup.database.exists() {
            return Ok(Vec::new());
        }
        let looking = self.session(Keys::Unused, Tools::Unused)?;
        self.runtime.block_on(looking.agent.due(DUE)).map_err(failure)
    }

    /// Does scheduled work, and gives the exit code for how it ended.
    fn one(&self, session: &Session, work: &Scheduled, stop: &StopWish, out: &mut Output) -> Result<u8, Stop> {
        let responsibility = self.scheduled(session, work)?;
        out.note(format_args!("run {} of {}, due at {}", work.run, shown(&work.responsibility), to_second(work.at)));
        let mut teller = Teller::new(out, self.reader, stop.clone());
        let done = self.runtime.block_on(async {
            let mut hear = |event| teller.hear(&event);
            stoppable(session.agent.work_due(work, responsibility, stop, &mut hear), stop).await
        });
        teller.end()?;
        match done? {
            Ok(ended) => {
                finish(session, &ended, self.reader, out)?;
                Ok(code(ended.how))
            }
            // Somebody else has done it, or is doing it: that is nobody's failure.
            Err(AgentError::EndedBefore { run, how }) => {
                out.note(format_args!("run {run} has ended before: {}", how.name()));
                Ok(0)
            }
            Err(AgentError::Busy { run, .. }) if run == work.run => {
                out.note(format_args!("run {run} is at work in another process"));
                Ok(0)
            }
            Err(AgentError::Busy { run, until }) => {
                let message = format!("run {run} has the thread of run {} until {}", work.run, to_second(until));
                Err(Failure::new(Kind::Busy, message).hint("it stays due").into())
            }
            Err(error) => Err(failure(error).into()),
        }
    }

    /// What is to be done for scheduled work. If its name is gone, it stays due.
    fn scheduled(&self, session: &Session, work: &Scheduled) -> Result<Responsibility, Failure> {
        let name = &work.responsibility;
        if let Some(found) = session.responsibilities.iter().find(|known| known.name == *name) {
            return Ok(found.clone());
        }
        // A run that died and is to stop is taken up for that alone.
        if ask(session.log.store.stop_asked(&session.log.owner, &work.run))? {
            return Ok(Responsibility { name: name.clone(), instructions: String::new() });
        }
        let message =
            format!("{} has no responsibility {name:?}, which run {} is to do", name_of(&self.setup.persona), work.run);
        Err(Failure::new(Kind::NoInput, message)
            .hint(format!("declare it again, or cancel the run: `briefing stop {}`; until then it stays due", work.run)))
    }

    fn chosen(&self, responsibilities: &[Responsibility], name: &str) -> Result<Responsibility, Failure> {
        let found = responsibilities.iter().find(|work| work.name == name);
        found.cloned().ok_or_else(|| {
            let names: Vec<&str> = responsibilities.iter().map(|work| work.name.as_str()).collect();
            let file = name_of(&self.setup.persona);
            let hint = match names.as_slice() {
                [] => format!("declare it in {file}: [[responsibilities]] with name and instructions"),
                _ => format!("{file} has: {}", names.join(", ")),
            };
            Failure::new(Kind::NoInput, format!("{file} has no responsibility {name:?}")).hint(hint)
        })
    }
}

/// The one thread of all runs of a responsibility.
fn thread_of(log: &LogPlace, responsibility: &str) -> Result<ThreadId, Failure> {
    ask(log.store.named_thread(&log.owner, &format!("responsibility {responsibility}")))
}
