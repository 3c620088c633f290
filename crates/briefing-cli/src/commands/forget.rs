//! `briefing forget`

use std::process::ExitCode;

use crate::args::ForgetArgs;
use crate::error::Stop;
use crate::output::Output;

pub(crate) fn run(_args: ForgetArgs, _out: &mut Output) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}
