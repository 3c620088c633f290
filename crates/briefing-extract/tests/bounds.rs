//! What the child does to itself, and what it says to one that is no extractor.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test stops at the first surprise")]

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_briefing-extract");

fn header(bytes: usize) -> String {
    format!(
        "{{\"format\":\"text\",\"limits\":{{\"input_bytes\":100,\"chars\":10,\"pages\":1,\"rows\":1,\"unpacked_bytes\":1,\
         \"entries\":1,\"time\":{{\"secs\":2,\"nanos\":1}},\"memory\":268435456,\"output_bytes\":1}},\"bytes\":{bytes}}}\n"
    )
}

/// What it prints and its exit code, for this input and then its end.
fn run(input: &[u8]) -> (String, Option<i32>) {
    let mut command = Command::new(PROGRAM);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stderr, b"");
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[test]
fn its_limits_are_set_before_it_reads_the_file() {
    let mut child = Command::new(PROGRAM).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(header(3).as_bytes()).unwrap();
    let path = format!("/proc/{}/limits", child.id());
    let expected = [
        "Max cpu time 3 4 seconds",
        "Max file size 0 0 bytes",
        "Max core file size 0 0 bytes",
        "Max processes 0 0 processes",
        "Max open files 3 3 files",
        "Max address space 268435456 268435456 bytes",
    ];
    let mut found = Vec::new();
    for _ in 0..1_000 {
        sleep(Duration::from_millis(10));
        let limits = fs::read_to_string(&path).unwrap();
        found = limits.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
        if expected.iter().all(|line| found.iter().any(|found| found == line)) {
            input.write_all(b"a\xc3\xa9").unwrap();
            drop(input);
            let mut output = String::new();
            child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
            assert_eq!(output, "{\"extraction\":{\"text\":\"aé\",\"partial\":null}}");
            assert!(child.wait().unwrap().success());
            return;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("{found:#?}");
}

#[test]
fn input_that_is_none_ends_it() {
    let refused = (String::new(), Some(65));
    assert_eq!(run(b""), refused);
    assert_eq!(run(b"hello\n"), refused);
    assert_eq!(run(header(3).trim_end().as_bytes()), refused);
    assert_eq!(run(&[b'{'; 100_000]), refused);
    assert_eq!(run((header(3) + "ab").as_bytes()), refused);
    let too_large = "{\"too_large\":{\"bytes\":101,\"most\":100}}".to_owned();
    assert_eq!(run(header(101).as_bytes()), (too_large, Some(0)));
}
