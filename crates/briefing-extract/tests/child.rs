//! Children that are no extractors. One test, so that no other's child is there when it looks for what is left.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops at the first surprise")]

mod common;

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use briefing_extract::{Crash, ExtractError, Extractor, Format, Limits};
use common::{lines, pages, pdf, whole};

/// What a child that hangs is given.
const SHORT: Duration = Duration::from_millis(300);

/// The processes whose parent is this one, living or not reaped.
fn left() -> Vec<String> {
    let me = std::process::id().to_string();
    let stats = fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter(|stat| stat.rsplit(')').next().unwrap().split_whitespace().nth(1) == Some(&me)).collect()
}

/// How many processes are left that a child of this test has started.
fn sleepers() -> usize {
    let lines = fs::read_dir("/proc").unwrap().flatten();
    let lines = lines.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.starts_with(b"sleep\x007713")).count()
}

fn shell(script: &str, time: Duration) -> Result<String, ExtractError> {
    let extractor = Extractor::new("/bin/sh", ["-c", script]).limits(Limits { time, ..Limits::default() });
    let start = Instant::now();
    // More than a pipe holds, so that a child that does not read makes the writer wait.
    let result = extractor.extract(Format::Text, &vec![b'a'; 1 << 20]).map(|extraction| extraction.text);
    assert!(start.elapsed() < time + Duration::from_secs(5), "{script}: {:?}", start.elapsed());
    assert_eq!(left(), [""; 0], "{script}");
    result
}

fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn whatever_the_child_does_it_ends_and_is_told() {
    let timed_out = |script: &str| {
        let error = shell(script, SHORT).unwrap_err();
        assert!(matches!(error, ExtractError::TimedOut { after: SHORT }), "{script}: {error:?}");
    };
    let shell = |script: &str| shell(script, Duration::from_secs(20));
    let no_answer = |script: &str| {
        let error = shell(script).unwrap_err();
        assert!(matches!(error, ExtractError::NoAnswer), "{script}: {error:?}");
    };
    let crashed = |script: &str, expected: Crash| {
        let error = shell(script).unwrap_err();
        assert!(matches!(error, ExtractError::Crashed { how } if how == expected), "{script}: {error:?}");
    };
    // Hangs: with its output open, closed, or held by a process that it left behind.
    timed_out("exec sleep 7713");
    timed_out("exec sleep 7713 >&- 2>&- <&-");
    timed_out("sleep 7713 & sleep 7713");
    timed_out("trap '' TERM INT HUP; while :; do :; done");
    no_answer("sleep 7713 & exit 0");
    assert_eq!(sleepers(), 0);
    // Prints what is no answer.
    no_answer("exit 0");
    no_answer("echo hello");
    no_answer("echo '{\"extraction\":{\"text\":\"a\\u001bb\",\"partial\":null}}'");
    no_answer("printf '{\"extraction\":{\"text\":\"'; head -c 100000 /dev/zero | tr '\\0' a; printf '\",\"partial\":null}}'");
    // An answer counts though its child did not read, and whatever it says besides.
    let answer = "echo '{\"extraction\":{\"text\":\"hi\",\"partial\":null}}'";
    assert_eq!(shell(answer).unwrap(), "hi");
    assert_eq!(shell(&format!("head -c 1000000 /dev/zero >&2; {answer}")).unwrap(), "hi");
    // Ends badly.
    crashed("exit 3", Crash::Code(3));
    crashed(&format!("{answer}; exit 3"), Crash::Code(3));
    crashed("kill -SEGV $$", Crash::Signal(11));
    crashed("kill -KILL $$", Crash::Signal(9));
    let error = shell("echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$").unwrap_err();
    assert!(matches!(error, ExtractError::Memory { .. }), "{error:?}");
    // Prints without end.
    let before = peak_memory();
    for script in ["exec head -c 1073741824 /dev/zero", "exec cat /dev/zero", "head -c 1048577 /dev/zero", "cat"] {
        let error = shell(script).unwrap_err();
        assert!(matches!(error, ExtractError::Output { most: 1_048_576 }), "{script}: {error:?}");
    }
    assert!(peak_memory() < before + 32 * 1024, "{before} {} KiB", peak_memory());
    spawn_errors();
    several_at_once();
    assert_eq!(left(), [""; 0]);
    assert_eq!(sleepers(), 0);
}

fn spawn_errors() {
    for program in ["/no/such/program", "/etc/passwd"] {
        let error = Extractor::new(program, [""; 0]).extract(Format::Text, b"a").unwrap_err();
        assert!(matches!(error, ExtractError::Spawn { .. }), "{error:?}");
        assert!(!error.is_transient());
    }
    let limits = Limits { input_bytes: 3, ..Limits::default() };
    let error = Extractor::new("/no/such/program", [""; 0]).limits(limits).extract(Format::Text, b"four").unwrap_err();
    assert!(matches!(error, ExtractError::TooLarge { bytes: 4, most: 3 }), "{error:?}");
}

fn several_at_once() {
    let extractor = common::extractor();
    let file = pdf(&pages(&[&lines(&["text"])]));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(extractor.extract(Format::Pdf, &file).unwrap(), whole("text")));
        }
    });
}
