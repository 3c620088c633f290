//! The `briefing` program as a function: [`run`] reads arguments, files and standard input, and writes to standard output
//! and standard error. Everything it knows of a terminal, a clock or the file system is here; the libraries know none.
//!
//! Source order is the way of the data: `args` (as typed) and `config` (as resolved), `input`, `assembly`, `commands`,
//! `output`.

mod args;
mod assembly;
mod commands;
mod config;
mod describe;
mod error;
mod explanation;
mod input;
mod output;
mod repair;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::error::{Kind, Stop};
use crate::output::Output;

/// Runs the program with these arguments, the program's own name first, and gives its exit code (`sysexits.h`).
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match Args::try_parse_from(args) {
        Ok(args) => args,
        Err(error) => return unparsed(&error),
    };
    let mut out = Output::new();
    let done = match args.command {
        Command::Check(args) => commands::check::run(args, &mut out),
        Command::Assemble(args) => commands::assemble::run(args, &mut out),
        Command::Explain(args) => commands::explain::run(args, &mut out),
    };
    match done.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => code,
        Err(Stop::PipeClosed) => ExitCode::from(error::PIPE_CLOSED),
        Err(Stop::Failed(failure)) => {
            // What was written before the failure comes first; if that fails too, the first failure is told.
            let _ = out.flush();
            out.failure(&failure);
            ExitCode::from(failure.kind.code())
        }
    }
}

/// Help and version go to standard output and are no fault; the rest is a fault of usage.
fn unparsed(error: &clap::Error) -> ExitCode {
    match error.print() {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(error::PIPE_CLOSED),
        _ if error.use_stderr() => ExitCode::from(Kind::Usage.code()),
        _ => ExitCode::SUCCESS,
    }
}
