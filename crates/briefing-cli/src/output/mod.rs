//! Everything that the program writes goes through [`Output`], and of that everything for people through [`safe`].

pub(crate) mod difference;
pub(crate) mod entry;
pub(crate) mod json;
pub(crate) mod mbox;
pub(crate) mod object;
mod paint;
pub(crate) mod progress;
pub(crate) mod receipt;
pub(crate) mod report;
#[cfg(feature = "agent")]
pub(crate) mod runs;
mod safe;
pub(crate) mod table;
pub(crate) mod threads;
pub(crate) mod time;

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;

pub(crate) use paint::Paint;
#[cfg(feature = "agent")]
pub(crate) use safe::safe_lines;
pub(crate) use safe::{safe, safe_json};

use crate::error::{Failure, Kind, Stop};

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

/// The least width that a table is laid out for.
const MIN_WIDTH: usize = 60;

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

    /// Whether notes are not written.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The colours of standard output.
    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// The colours of standard error.
    pub(crate) fn err_paint(&self) -> Paint {
        self.err_paint
    }

    /// How many columns a table may have: `COLUMNS`, else those of the terminal; none where it goes elsewhere.
    pub(crate) fn width(&self) -> Option<usize> {
        let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
        let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(columns, _)| usize::from(columns.0));
        said.or_else(terminal).filter(|columns| *columns > 0).map(|columns| columns.max(MIN_WIDTH))
    }

    /// Writes data, or what is safe and painted already, to standard output, as it is.
    pub(crate) fn write(&mut self, text: &str) -> Result<(), Stop> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes to standard output, as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.out.write_all(bytes).map_err(|error| Stop::written("standard output", &error))
    }

    /// A line for people on standard output.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Stop> {
        writeln!(self.out, "{}", safe(&text.to_string())).map_err(|error| Stop::written("standard output", &error))
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

    /// A line on standard error that tells a failure. It is never silenced.
    #[cfg(feature = "agent")]
    pub(crate) fn failed(&mut self, text: impl Display) {
        let _ = writeln!(self.err, "{}", shown(&text.to_string()));
    }

    /// A line on standard error that is safe and painted already, unless it was silenced.
    #[cfg(feature = "agent")]
    pub(crate) fn aside(&mut self, line: &str) {
        if !self.quiet {
            let _ = writeln!(self.err, "{line}");
        }
    }

    /// A question on standard error, whose answer stands on the same line. It is never silenced.
    #[cfg(feature = "agent")]
    pub(crate) fn prompt(&mut self, text: &str) {
        let _ = self.out.flush();
        let _ = write!(self.err, "{}", shown(text));
    }

    /// A text on standard error that is safe and painted already. It is never silenced.
    pub(crate) fn complaint(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
    }

    /// A failure on standard error. It is never silenced.
    pub(crate) fn failure(&mut self, failure: &Failure) {
        let Failure { kind, message, hint } = failure;
        let _ = writeln!(self.err, "{} {kind}: {}", self.err_paint.bad("error:"), told(*kind, message.trim_end()));
        if let Some(hint) = hint {
            let _ = writeln!(self.err, "{} {}", self.err_paint.good("hint:"), shown(hint));
        }
    }
}

/// What of a failure is told. That of a configuration may show an excerpt of the user's own file, which takes several lines:
/// all but the first are moved in, so that none can be taken for another message.
fn told(kind: Kind, message: &str) -> String {
    match kind {
        Kind::Config => message.split('\n').map(shown).collect::<Vec<_>>().join("\n  "),
        Kind::Usage | Kind::Data | Kind::NoInput | Kind::Internal | Kind::Io => shown(message),
        #[cfg(feature = "agent")]
        Kind::Unavailable | Kind::Busy => shown(message),
    }
}

/// The name of an input as messages show it.
pub(crate) fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// Text that may hold anything as a line for people: safe, and cut.
pub(crate) fn shown(text: &str) -> String {
    let cut = briefing::text::prefix(text, NOTE_CHARS);
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{more}", safe(cut))
}

/// So many of what can be counted: `1 message`, `2 messages`.
pub(crate) fn count(number: usize, what: &str) -> String {
    counted(u64::try_from(number).unwrap_or(u64::MAX), what)
}

/// The same of a number that a store or a file gives: `1 entry`, `2 entries`.
pub(crate) fn counted(number: u64, what: &str) -> String {
    match what.strip_suffix("try") {
        _ if number == 1 => format!("1 {what}"),
        Some(begin) => format!("{number} {begin}tries"),
        None => format!("{number} {what}s"),
    }
}
