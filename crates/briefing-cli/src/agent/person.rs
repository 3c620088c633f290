//! What a person types: lines of standard input.

use std::io::{self, BufRead, IsTerminal};

use tokio::sync::mpsc;

/// The most bytes of one line.
const MOST: u64 = 4 << 20;

/// Whether a person sits there, to be asked.
pub(crate) fn is_there() -> bool {
    io::stdin().is_terminal()
}

/// One line of standard input, without its end; none if there is none any more.
pub(crate) fn line() -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let mut stdin = io::Read::take(io::stdin().lock(), MOST);
    if stdin.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(Some(text.strip_suffix('\r').unwrap_or(text).to_owned()))
}

/// Lines of standard input that can be waited for: a thread of its own reads them, as nothing else can be done about a read that waits.
pub(crate) struct Lines {
    lines: mpsc::Receiver<io::Result<String>>,
}

impl Lines {
    pub(crate) fn begin() -> Self {
        let (sender, lines) = mpsc::channel(1);
        std::thread::spawn(move || {
            while let Some(line) = line().transpose() {
                let ended = line.is_err();
                if sender.blocking_send(line).is_err() || ended {
                    break;
                }
            }
        });
        Self { lines }
    }

    /// The next line; none at the end.
    pub(crate) async fn next(&mut self) -> io::Result<Option<String>> {
        self.lines.recv().await.transpose()
    }
}
