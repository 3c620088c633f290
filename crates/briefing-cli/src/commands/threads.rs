//! `briefing threads`

use std::process::ExitCode;

use crate::args::ThreadsArgs;
use crate::error::Stop;
use crate::output::Output;

pub(crate) fn run(_args: ThreadsArgs, _out: &mut Output) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}
