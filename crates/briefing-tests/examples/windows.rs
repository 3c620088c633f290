//! Prints every window of the transcripts, or those at every `n`th point, as lines for a judge: `windows [n]`.

use std::io;
use std::num::NonZeroUsize;

use briefing_tests::judged::Judged;
use briefing_tests::transcripts::windows;

fn main() -> io::Result<()> {
    let step = std::env::args().nth(1).map_or(Ok(NonZeroUsize::MIN), |step| step.parse()).map_err(io::Error::other)?;
    let mut judged = Judged::default();
    windows(3..=30, step.get(), |window| {
        let case = format!("transcript {}, end {}, {} messages, {}", window.transcript, window.end, window.most, window.model);
        judged.print(&case, &window.request);
    });
    judged.finish()
}
