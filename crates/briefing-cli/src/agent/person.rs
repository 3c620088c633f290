//! What a person types: lines of standard input.

use std::io::{self, BufRead, IsTerminal};
use std::time::Duration;

use tokio::sync::mpsc;

/// The most bytes of one line.
const MOST: u64 = 4 << 20;
/// How long no line may have come for the lines that were typed before to be at their end: what is pasted comes faster.
const QUIET: Duration = Duration::from_millis(150);

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

    /// Drops all that was typed so far, read or not, and tells how many lines were read of it. What is typed from now on may be an
    /// answer to a question; what came before may not.
    pub(crate) async fn drop_typed(&mut self) -> usize {
        let mut dropped = 0;
        // What the terminal holds is on its way here, so the first line is waited for: it tells that there was one. At the end of the
        // input nothing comes any more.
        while let Ok(Some(_)) = tokio::time::timeout(QUIET, self.lines.recv()).await {
            dropped += 1;
            forget_unread();
        }
        forget_unread();
        dropped
    }
}

/// Drops what the terminal holds and nobody has read.
fn forget_unread() {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_typed_before_is_dropped() {
        let (sender, lines) = mpsc::channel(1);
        let mut lines = Lines { lines };
        let typing = tokio::spawn(async move {
            for line in ["y", "yes", "5"] {
                sender.send(Ok(line.to_owned())).await.unwrap();
            }
            tokio::time::sleep(QUIET * 4).await;
            sender.send(Ok("later".to_owned())).await.unwrap();
        });
        assert_eq!(lines.drop_typed().await, 3);
        assert_eq!(lines.next().await.unwrap(), Some("later".to_owned()));
        typing.await.unwrap();
        assert_eq!(lines.drop_typed().await, 0);
        assert_eq!(lines.next().await.unwrap(), None);
    }
}
