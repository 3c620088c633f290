//! Runs the built program.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder that holds the workspace: every path of a case is relative to it.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The program in the workspace's folder, without colours and without anything of the user's environment that matters.
pub(crate) fn program<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_briefing"));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    for name in ["CLICOLOR_FORCE", "CLICOLOR", "NO_COLOR", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

/// Runs it with that file as standard input.
pub(crate) fn run_with(args: &[&str], stdin: &Path) -> Output {
    program(args).stdin(File::open(stdin).unwrap()).output().unwrap()
}

/// Runs it with that text as standard input. A program that stops reading early is no fault.
pub(crate) fn run_text(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = program(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let text = stdin.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&text)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

pub(crate) fn run(args: &[&str]) -> Output {
    program(args).output().unwrap()
}

/// The exit code; a signal (an abort, a panic in another thread) is a fault.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("ended by a signal: {output:?}"))
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A fresh folder of this test, below Cargo's own.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// Runs every folder below `folder`: `cmd` holds the arguments, one a line, a line `&&` between the commands of a case; `stdin`
/// what is piped in, if anything is; `stdout`, `stderr` and `status` what must come out, whole. `place` says where a case is
/// run. `UPDATE_SNAPSHOTS=1 cargo test -p briefing-cli` writes them anew: read the diff.
pub(crate) fn snapshots(folder: &str, place: impl Fn(&Path) -> PathBuf) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut cases: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases.retain(|case| case.join("cmd").exists());
    assert!(!cases.is_empty(), "no case ran");
    let update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let mut faults = String::new();
    for case in &cases {
        for (name, actual) in outcome(case, &place(case)) {
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

fn outcome(case: &Path, place: &Path) -> [(&'static str, Vec<u8>); 3] {
    let cmd = fs::read_to_string(case.join("cmd")).unwrap();
    let lines: Vec<&str> = cmd.lines().collect();
    let [mut stdout, mut stderr, mut status] = [const { Vec::new() }; 3];
    for args in lines.split(|line| *line == "&&") {
        let mut command = program(args);
        command.current_dir(place);
        let stdin = case.join("stdin");
        if stdin.exists() {
            command.stdin(File::open(stdin).unwrap());
        }
        let output = command.output().unwrap();
        status.extend(format!("{}\n", code(&output)).into_bytes());
        stdout.extend(output.stdout);
        stderr.extend(output.stderr);
    }
    [("stdout", stdout), ("stderr", stderr), ("status", status)]
}
