//! Prints each recorded request as it is rendered for its own call and for the models of every wire, as lines for a judge.

use std::io;

use briefing_tests::judged::Judged;
use briefing_tests::recordings::{moved, recordings};

fn main() -> io::Result<()> {
    let mut judged = Judged::default();
    moved(&recordings(), |moved| {
        let case = format!("{} as {}", moved.recording.name, moved.model.unwrap_or("itself"));
        judged.print(&case, &moved.request);
    });
    judged.finish()
}
