//! Runs the built program.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fs::File;
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
