//! The test program, started again as another process that a test can kill.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const ROLE: &str = "BRIEFING_CHILD_ROLE";
const FOLDER: &str = "BRIEFING_CHILD_FOLDER";
/// What a line of the child begins with; the test harness writes others.
const MARK: &str = "> ";

/// A running child.
pub struct Child {
    process: std::process::Child,
    lines: BufReader<ChildStdout>,
    ready: Instant,
}

/// What this process is to do, if it is a child, and in which folder.
pub fn role() -> Option<(String, PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(FOLDER)?.into()))
}

/// Tells the parent.
pub fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // The harness may have written half a line.
    out.write_all(format!("\n{MARK}{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Waits until the parent lets it go on.
pub fn wait() {
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Starts the test `child` of this program in another process, by way of `wrapper` (a command that takes a command), and
/// waits until it says `ready`.
pub fn start(wrapper: &[&str], role: &str, folder: &Path) -> Child {
    let program = std::env::current_exe().unwrap();
    let mut command = match wrapper.split_first() {
        None => Command::new(&program),
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(&program);
            command
        }
    };
    command.args(["child", "--exact", "--nocapture", "--test-threads=1"]).env(ROLE, role).env(FOLDER, folder);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap());
    let mut child = Child { process, lines, ready: Instant::now() };
    assert_eq!(child.line().as_deref(), Some("ready"), "{role}");
    child.ready = Instant::now();
    child
}

impl Child {
    /// The next line that it says; none at its end.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        while self.lines.read_line(&mut line).unwrap() > 0 {
            // A line that the kill cut off was not said.
            if let Some(said) = line.strip_prefix(MARK).and_then(|line| line.strip_suffix('\n')) {
                return Some(said.to_owned());
            }
            line.clear();
        }
        None
    }

    fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.line()).collect()
    }

    /// Kills it that long after it was ready; what it had said until then.
    pub fn kill(mut self, after: Duration) -> Vec<String> {
        std::thread::sleep(after.saturating_sub(self.ready.elapsed()));
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.rest()
    }

    /// Waits for its end: what it said, and whether it ended well.
    pub fn end(mut self) -> (Vec<String>, bool) {
        drop(self.process.stdin.take());
        (self.rest(), self.process.wait().unwrap().success())
    }

    /// Lets it go on, and waits for its good end: what it said, and how long after it was ready it ended.
    pub fn finish(self) -> (Vec<String>, Duration) {
        let ready = self.ready;
        let (said, well) = self.end();
        assert!(well, "{said:?}");
        (said, ready.elapsed())
    }
}
