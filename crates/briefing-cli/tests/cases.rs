//! Every folder below `cases/` is a run of the program: `cmd` holds the arguments, one a line, `stdin` what is piped in, if
//! anything is; `stdout`, `stderr` and `status` what must come out, whole. `UPDATE_SNAPSHOTS=1 cargo test -p briefing-cli
//! --test cases` writes them anew: read the diff.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use support::{code, program};

#[test]
fn every_case_comes_out_as_it_is_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases.retain(|case| case.join("cmd").exists());
    assert!(!cases.is_empty(), "no case ran");
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut faults = String::new();
    for case in &cases {
        for (name, actual) in outcome(case) {
            let path = case.join(name);
            if update {
                fs::write(&path, &actual).unwrap();
            } else if fs::read(&path).ok().as_ref() != Some(&actual) {
                let expected = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
                let actual = String::from_utf8_lossy(&actual).into_owned();
                let _ = write!(faults, "\n== {}\n-- expected\n{expected}\n-- actual\n{actual}\n", path.display());
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

fn outcome(case: &Path) -> [(&'static str, Vec<u8>); 3] {
    let cmd = fs::read_to_string(case.join("cmd")).unwrap();
    let mut command = program(cmd.lines());
    let stdin = case.join("stdin");
    if stdin.exists() {
        command.stdin(fs::File::open(stdin).unwrap());
    }
    let output = command.output().unwrap();
    let status = format!("{}\n", code(&output));
    [("stdout", output.stdout), ("stderr", output.stderr), ("status", status.into_bytes())]
}
