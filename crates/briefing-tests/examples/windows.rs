//! Prints every window of the transcripts as a JSON line `{"wire", "request"}`, for a judge that reads standard input.

use std::io::{self, BufWriter, Write};

use briefing_tests::transcripts::windows;

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut failed = None;
    windows(3..=30, 1, |window| {
        let write = |out: &mut BufWriter<_>| {
            write!(out, r#"{{"wire":"{}","request":"#, window.request.wire())?;
            out.write_all(window.request.body())?;
            out.write_all(b"}\n")
        };
        if let Err(error) = write(&mut out) {
            failed.get_or_insert(error);
        }
    });
    failed.map_or_else(|| out.flush(), Err)
}
