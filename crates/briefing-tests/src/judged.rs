//! Requests as lines for a judge that reads standard input.

use std::io::{self, BufWriter, StdoutLock, Write};

use briefing_wire::Request;

/// Prints requests on standard output, until that fails.
#[derive(Debug)]
pub struct Judged {
    out: BufWriter<StdoutLock<'static>>,
    failed: Option<io::Error>,
}

impl Default for Judged {
    fn default() -> Self {
        Self { out: BufWriter::new(io::stdout().lock()), failed: None }
    }
}

impl Judged {
    /// Prints the line `{"wire", "case", "request"}`. The case tells a person which it is; it holds nothing that JSON escapes.
    pub fn print(&mut self, case: &str, request: &Request) {
        if self.failed.is_none() {
            self.failed = self.line(case, request).err();
        }
    }

    fn line(&mut self, case: &str, request: &Request) -> io::Result<()> {
        write!(self.out, r#"{{"wire":"{}","case":"{case}","request":"#, request.wire())?;
        // Between values only, as no string of JSON holds one: raw blocks stand as they came.
        for piece in request.body().split(|byte| matches!(byte, b'\n' | b'\r')) {
            self.out.write_all(piece)?;
        }
        self.out.write_all(b"}\n")
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// The first error of any line.
    pub fn finish(mut self) -> io::Result<()> {
        self.failed.map_or_else(|| self.out.flush(), Err)
    }
}
