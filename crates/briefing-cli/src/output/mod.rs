//! Everything that the program writes goes through [`Output`].

pub(crate) mod json;
mod paint;
pub(crate) mod receipt;
pub(crate) mod report;
pub(crate) mod table;

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(crate) use paint::Paint;

use crate::error::{Failure, Stop};

/// Standard output and standard error. Colour is used only on a terminal, and not where `NO_COLOR` is set.
pub(crate) struct Output {
    out: BufWriter<io::Stdout>,
    err: io::Stderr,
    paint: Paint,
    err_paint: Paint,
    quiet: bool,
}

/// The most characters of one line on standard error: what is quoted there may be a stranger's.
const NOTE_CHARS: usize = 2_000;

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            paint: Paint::for_stream(&io::stdout()),
            err_paint: Paint::for_stream(&io::stderr()),
            out: BufWriter::with_capacity(64 << 10, io::stdout()),
            err: io::stderr(),
            quiet: false,
        }
    }

    /// From now on notes are not written.
    pub(crate) fn quiet(&mut self, quiet: bool) {
        self.quiet = quiet;
    }

    /// The colours of standard output.
    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// The colours of standard error.
    pub(crate) fn err_paint(&self) -> Paint {
        self.err_paint
    }

    /// Writes to standard output, as it is.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), Stop> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes to standard output, as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.out.write_all(bytes).map_err(|error| Stop::written("standard output", &error))
    }

    /// Writes to standard output and ends the line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Stop> {
        writeln!(self.out, "{text}").map_err(|error| Stop::written("standard output", &error))
    }

    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        self.out.flush().map_err(|error| Stop::written("standard output", &error))
    }

    /// A line for people on standard error, unless it was silenced. Whether it can be written does not matter.
    pub(crate) fn note(&mut self, text: impl Display) {
        if !self.quiet {
            let _ = writeln!(self.err, "{}", shown(&text.to_string()));
        }
    }

    /// A text on standard error that is safe and painted already. It is never silenced.
    pub(crate) fn complaint(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
    }

    /// A failure on standard error. It is never silenced.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        let Failure { kind, message, hint } = failure;
        let _ = writeln!(self.err, "{} {kind}: {}", self.err_paint.bad("error:"), shown(message.trim_end()));
        if let Some(hint) = hint {
            let _ = writeln!(self.err, "{} {}", self.err_paint.good("hint:"), shown(hint));
        }
    }
}

/// The name of an input as messages show it.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Text that may hold anything, made safe for a terminal: line by line, without control characters, and cut.
pub(crate) fn shown(text: &str) -> String {
    let lines = briefing::text::prefix(text, NOTE_CHARS).split('\n').map(|line| briefing::text::one_line(line, NOTE_CHARS));
    lines.collect::<Vec<_>>().join("\n")
}
