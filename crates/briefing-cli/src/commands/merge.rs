//! `briefing merge`

use std::process::ExitCode;

use crate::args::MergeArgs;
use crate::error::Stop;
use crate::output::Output;

pub(crate) fn run(_args: MergeArgs, _out: &mut Output) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}
