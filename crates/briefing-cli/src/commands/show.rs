//! `briefing show`

use std::process::ExitCode;

use crate::args::ShowArgs;
use crate::error::Stop;
use crate::output::Output;

pub(crate) fn run(_args: ShowArgs, _out: &mut Output) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}
