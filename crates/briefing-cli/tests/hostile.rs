//! Input that is too large for a file in the repository: an answer with a name and a place, soon, and never a panic.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::{code, program, run, run_text, scratch, stderr};

/// The output of a run that must not take long, whatever it is given.
fn soon(args: &[&str]) -> std::process::Output {
    let begun = Instant::now();
    let output = run(args);
    assert!(begun.elapsed() < Duration::from_secs(120), "{args:?} took {:?}", begun.elapsed());
    output
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn deep_json_is_refused_with_its_place() {
    for body in [format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), "{\"a\":".repeat(10_000)] {
        for args in [
            &["check"][..],
            &["check", "--fix"],
            &["assemble", "--transcript", "-"],
            &["explain", "--transcript", "-"],
            &["diff", "examples/diff/turn-1.json", "-"],
        ] {
            let output = run_text(args, body.as_bytes());
            assert_eq!(code(&output), 65, "{output:?}");
            assert!(
                stderr(&output).contains("standard input is not JSON: nested deeper than 127 levels at line 1"),
                "{output:?}"
            );
        }
    }
}

#[test]
fn a_message_of_200_megabytes_is_read_in_part() {
    let path = scratch("large").join("large.eml");
    let mut file = File::create(&path).unwrap();
    file.write_all(b"From: a@x.example\r\nTo: b@x.example\r\nSubject: large\r\nMessage-ID: <l@x.example>\r\n\r\nHello\r\n")
        .unwrap();
    file.set_len(200 << 20).unwrap();
    let output = soon(&["assemble", "--from", text(&path), "--max-chars", "4000000"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("large.eml, message 1 at byte 0: too large: 33554432 of 209715200 bytes read"),
        "{}",
        stderr(&output)
    );
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("\\n[cut: the rest of this mail was not kept]\""), "the model is told too");
}

#[test]
fn mime_of_ten_thousand_levels_is_read_in_part() {
    let mut mail = "From: a@x.example\nTo: b@x.example\nSubject: deep\n".to_owned();
    for level in 0..10_000 {
        let _ = write!(mail, "Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n");
    }
    mail.push_str("\nAt the bottom\n");
    let path = scratch("deep").join("deep.eml");
    fs::write(&path, mail).unwrap();
    let output = soon(&["assemble", "--from", text(&path)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("nested too deep"), "{}", stderr(&output));
}

#[test]
fn a_body_of_100_megabytes_is_told_and_can_be_fitted() {
    let path = scratch("body").join("body.json");
    let mut body = String::from("{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":9,\"messages\":[");
    let words = "word ".repeat(4_000);
    for turn in 0..5_000 {
        let role = if turn % 2 == 0 { "user" } else { "assistant" };
        let _ = write!(body, "{}{{\"role\":\"{role}\",\"content\":\"{words}{turn}\"}}", if turn == 0 { "" } else { "," });
    }
    body.push_str(",{\"role\":\"user\",\"content\":\"?\"}]}");
    fs::write(&path, &body).unwrap();
    let told = soon(&["check", text(&path)]);
    assert_eq!(code(&told), 65);
    let report = String::from_utf8(told.stdout).unwrap();
    assert!(report.contains("the body has 100") && report.contains("more than 33554432"), "{report}");
    let fixed = soon(&["check", "--fix", text(&path)]);
    assert_eq!((code(&fixed), fixed.stdout == body.as_bytes()), (65, true), "--fix drops nothing");
    assert!(stderr(&fixed).contains("more than 33554432"), "{}", stderr(&fixed));
    let fitted = soon(&["assemble", "--transcript", text(&path), "--as", "anthropic"]);
    assert_eq!(code(&fitted), 0, "{}", stderr(&fitted));
    assert!(fitted.stdout.len() <= 33_554_432 + 1 && fitted.stdout.len() > 30_000_000, "{}", fitted.stdout.len());
}

fn many_calls(calls: usize, id: impl Fn(usize) -> String) -> String {
    let mut body = String::from(
        "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"},{\"role\":\"assistant\",\"tool_calls\":[",
    );
    for call in 0..calls {
        let comma = if call == 0 { "" } else { "," };
        let id = id(call);
        let _ = write!(
            body,
            "{comma}{{\"id\":\"{id}\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"{{}}\"}}}}"
        );
    }
    body.push_str("]}]}");
    body
}

fn many_calls_are_answered(calls: usize, id: impl Fn(usize) -> String) {
    let path = scratch(&format!("calls-{calls}-{}", id(1))).join("calls.json");
    fs::write(&path, many_calls(calls, id)).unwrap();
    let told = soon(&["check", text(&path)]);
    assert_eq!(code(&told), 65);
    let fixed = soon(&["check", "--fix", text(&path)]);
    // No provider takes so many calls in one message, so they stand in several.
    assert_eq!(code(&fixed), 0, "{}", stderr(&fixed));
    let again = run_text(&["check"], &fixed.stdout);
    assert_eq!(code(&again), 0, "{}", String::from_utf8_lossy(&again.stdout));
    let fitted = soon(&["assemble", "-q", "--transcript", text(&path), "--max-messages", "50"]);
    assert_eq!(code(&fitted), 0, "{}", stderr(&fitted));
}

#[test]
fn very_many_calls_in_one_message_take_linear_time() {
    many_calls_are_answered(50_000, |call| format!("call_{call}"));
}

#[test]
fn very_many_calls_of_one_id_take_linear_time() {
    many_calls_are_answered(50_000, |_| "same".to_owned());
}

#[test]
#[cfg_attr(debug_assertions, ignore = "a minute without optimisation")]
fn a_million_calls_in_one_message_take_linear_time() {
    many_calls_are_answered(1_000_000, |call| format!("call_{call}"));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let mut child = program(["assemble", "--transcript", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let message = format!("{{\"role\":\"user\",\"content\":\"{}\"}}", "x".repeat(1_000));
    stdin.write_all(format!("[{}]", vec![message; 2_000].join(",")).as_bytes()).unwrap();
    drop(stdin);
    let mut stdout = child.stdout.take().unwrap();
    let mut some = [0; 10];
    stdout.read_exact(&mut some).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 141);
    assert!(!stderr(&output).contains("error"), "{}", stderr(&output));
}

#[test]
fn a_receipt_that_cannot_be_written_is_told() {
    let output = run(&["assemble", "-q", "--transcript", "examples/transcript.jsonl", "--receipt", "/nowhere/receipt.json"]);
    assert_eq!(code(&output), 74);
    assert!(stderr(&output).contains("error: io: /nowhere/receipt.json cannot be written"), "{}", stderr(&output));
}
