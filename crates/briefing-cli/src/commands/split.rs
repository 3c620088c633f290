//! `briefing split`

use std::process::ExitCode;

use crate::args::SplitArgs;
use crate::error::Stop;
use crate::output::Output;

pub(crate) fn run(_args: SplitArgs, _out: &mut Output) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}
