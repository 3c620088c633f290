//! The `briefing` program as a function: [`run`] reads arguments, files and standard input, and writes to standard output
//! and standard error. Everything it knows of a terminal, a clock or the file system is here; the libraries know none.
//!
//! Source order is the way of the data: `args` (as typed) and `config` (as resolved), `input`, `assembly`, `commands`,
//! `output`. Of the agent (feature `agent`): `setup`, which is `briefing.toml`, and `agent`, which is made of it.

#[cfg(feature = "agent")]
mod agent;
mod args;
mod assembly;
mod commands;
mod config;
mod database;
mod describe;
mod error;
mod explanation;
mod input;
mod output;
mod reader;
mod repair;
#[cfg(feature = "agent")]
mod setup;
mod shown;
mod stored;
#[cfg(feature = "otel")]
mod telemetry;

use std::borrow::Cow;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::error::{Failure, Kind, Stop};
use crate::output::json::pretty;
use crate::output::{Output, safe};

/// Runs the program with these arguments, the program's own name first, and gives its exit code (`sysexits.h`).
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let typed: Vec<OsString> = args.into_iter().collect();
    let args = match Args::try_parse_from(&typed) {
        Ok(args) => args,
        Err(error) => return unparsed(&error, &typed),
    };
    let programs = Programs::of(&args.command);
    #[cfg(feature = "otel")]
    let _telemetry = telemetry::Telemetry::start();
    let mut out = Output::new();
    let done = match args.command {
        #[cfg(feature = "agent")]
        Command::Init(args) => commands::init::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::Chat(args) => commands::chat::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::Ask(args) => commands::ask::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::RunOnce(args) => commands::run_once::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::Cards(args) => commands::cards::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::Runs(args) => commands::runs::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::Replay(args) => commands::replay::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::Stop(args) => commands::stop::run(args, &mut out),
        #[cfg(feature = "agent")]
        Command::Doctor(args) => commands::doctor::run(args, &mut out),
        Command::Check(args) => commands::check::run(args, &mut out),
        Command::Diff(args) => commands::diff::run(args, &mut out),
        Command::Assemble(args) => commands::assemble::run(args, &mut out),
        Command::Explain(args) => commands::explain::run(args, &mut out),
        Command::Import(args) => commands::import::run(args, &mut out),
        Command::Threads(args) => commands::threads::run(args, &mut out),
        Command::Show(args) => commands::show::run(args, &mut out),
        Command::Export(args) => commands::export::run(args, &mut out),
        Command::Forget(args) => commands::forget::run(args, &mut out),
        Command::Merge(args) => commands::merge::run(args, &mut out),
        Command::Split(args) => commands::split::run(args, &mut out),
        Command::Fork(args) => commands::fork::run(args, &mut out),
        Command::Edit(args) => commands::edit::run(args, &mut out),
        Command::Text(args) => commands::text::run(args, &mut out),
        // Nothing else is done in the process that reads a stranger's file.
        Command::ReadFile => return briefing_extract::serve(),
        Command::Backup(args) => commands::backup::run(args, &mut out),
        Command::Verify(args) => commands::verify::run(args, &mut out),
    };
    match done.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => code,
        Err(Stop::PipeClosed) => ExitCode::from(error::PIPE_CLOSED),
        Err(Stop::Failed(failure)) => {
            // What was written before the failure comes first; if that fails too, the first failure is told.
            let _ = out.flush();
            failed(&failure, programs, &mut out)
        }
    }
}

/// Which programs read the output.
#[derive(Debug, Clone, Copy)]
enum Programs {
    None,
    /// Those that take one object.
    Object,
    /// Those that take an object a line.
    #[cfg(feature = "agent")]
    Lines,
}

impl Programs {
    fn of(command: &Command) -> Self {
        #[cfg(feature = "agent")]
        if command.lines() {
            return Self::Lines;
        }
        if command.json() { Self::Object } else { Self::None }
    }
}

/// Tells a failure: to people, and to a program that reads the output.
fn failed(failure: &Failure, programs: Programs, out: &mut Output) -> ExitCode {
    out.failure(failure);
    let written = match programs {
        Programs::None => Ok(()),
        Programs::Object => out.write(&pretty(&failure.json())),
        #[cfg(feature = "agent")]
        Programs::Lines => out.write(&(output::safe_json(failure.json().to_string()) + "\n")),
    };
    let _ = written.and_then(|()| out.flush());
    ExitCode::from(failure.kind.code())
}

/// Help and version go to standard output and are no fault; the rest is a fault of usage.
fn unparsed(error: &clap::Error, typed: &[OsString]) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() && typed.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json") {
        // The first paragraph says what is wrong.
        let said = text.trim_start_matches("error: ").lines().take_while(|line| !line.is_empty());
        let said = said.map(str::trim).collect::<Vec<_>>().join(" ");
        let failure = Failure::new(Kind::Usage, said).hint("`briefing help` tells what can be given");
        let mut out = Output::new();
        let _ = out.write(&pretty(&failure.json())).and_then(|()| out.flush());
    }
    // What clap repeats of the arguments may be a file's name, and so a stranger's.
    let acts = typed.iter().any(|arg| matches!(safe(&arg.to_string_lossy()), Cow::Owned(_)));
    if acts && error.use_stderr() {
        Output::new().complaint(&text.lines().map(|line| safe(line) + "\n").collect::<String>());
        return ExitCode::from(Kind::Usage.code());
    }
    match error.print() {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(error::PIPE_CLOSED),
        _ if error.use_stderr() => ExitCode::from(Kind::Usage.code()),
        _ => ExitCode::SUCCESS,
    }
}
