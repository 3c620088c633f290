//! The program over the files of the workspace: every folder below `cases/` is a run of it, as `support::snapshots` reads them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use support::{root, snapshots};

#[test]
fn every_case_comes_out_as_it_is_written() {
    snapshots("tests/cases", |_| root());
}
