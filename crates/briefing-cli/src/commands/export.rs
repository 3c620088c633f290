//! `briefing export`

use std::process::ExitCode;

use crate::args::ExportArgs;
use crate::error::Stop;
use crate::output::Output;

pub(crate) fn run(_args: ExportArgs, _out: &mut Output) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}
