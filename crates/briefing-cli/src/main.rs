//! The `briefing` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    briefing_cli::run(std::env::args_os())
}
