//! The child of an extractor: reads one file from standard input, answers on standard output.

use std::process::ExitCode;

fn main() -> ExitCode {
    briefing_extract::serve()
}
