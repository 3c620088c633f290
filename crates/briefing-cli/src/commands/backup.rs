//! `briefing backup`

use std::process::ExitCode;

use crate::args::BackupArgs;
use crate::error::Stop;
use crate::output::Output;

pub(crate) fn run(_args: BackupArgs, _out: &mut Output) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}
