//! What may be a stranger's text or file does no harm: terminals, lines, inputs.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use std::fs;
use std::path::Path;

use support::{code, program, run, run_text, scratch, stderr};

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Whether nothing in it would act on a terminal or on a reader of lines.
fn is_safe(output: &str) -> bool {
    !output.contains(|c: char| (c.is_control() && c != '\n') || "\u{2028}\u{2029}\u{202e}\u{2066}\u{200f}\u{61c}".contains(c))
}

const EVIL: &str = "\u{1b}[2J\u{9b}31m\u{7f}\r\n/forged: line\u{2028}\u{202e}\u{2066}\u{200f}\u{61c}";

#[test]
fn no_output_for_people_acts_on_a_terminal() {
    let evil = serde_json::to_string(EVIL).unwrap();
    let evil = &evil[1..evil.len() - 1];
    let bodies = [
        format!(r#"{{"model":"{evil}","messages":[{{"role":"{evil}","content":"x"}}]}}"#),
        format!(
            r#"{{"model":"gpt-5","{evil}":1,"messages":[{{"role":"user","content":"{evil}"}},{{"role":"assistant","content":null,
            "tool_calls":[{{"id":"{evil}","type":"function","function":{{"name":"{evil}","arguments":"{evil}"}}}}]}},
            {{"role":"tool","tool_call_id":"{evil}{evil}","content":"{evil}"}},{{"role":"user","content":"x"}}]}}"#
        ),
        format!(
            r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"system":"{evil}","messages":[{{"role":"user","content":[
            {{"type":"{evil}"}},{{"type":"tool_result","tool_use_id":"{evil}","content":"{evil}"}}]}},
            {{"role":"user","content":"x"}}]}}"#
        ),
    ];
    for body in &bodies {
        for args in [
            &["check"][..],
            &["check", "--fix"],
            &["explain", "--transcript", "-"],
            &["assemble", "--transcript", "-", "--as", "openai-chat"],
            &["assemble", "--transcript", "-", "--as", "anthropic", "--max-messages", "1"],
        ] {
            let output = run_text(args, body.as_bytes());
            assert!(is_safe(&stderr(&output)), "{args:?}: {:?}", stderr(&output));
            assert!(!stderr(&output).lines().any(|line| line.starts_with("/forged")), "{args:?}");
            let out = String::from_utf8(output.stdout).unwrap();
            // A body is printed as it is.
            if args[0] == "explain" || args == ["check"] {
                assert!(is_safe(&out) && !out.lines().any(|line| line.starts_with("/forged")), "{args:?}: {out:?}");
            }
            let json = run_text(&[args, &["--json"]].concat(), body.as_bytes());
            let out = String::from_utf8(json.stdout).unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{args:?}: {out:?}");
            if args[0] == "explain" || args == ["check"] {
                assert!(is_safe(&out), "{args:?}: {out:?}");
            }
        }
    }
}

#[test]
fn mail_and_file_names_do_not_act_on_a_terminal() {
    let path = scratch("evil").join("a\u{1b}[2J\n\u{202e}b.eml");
    let mail = "From: \u{1b}[31m@x\nTo: b@x\nSubject: =?utf-8?q?a=1B[2J=E2=80=AEb?=\nMessage-ID: <\u{9b}c@x>\nDate: \u{1b}[2Jsoon\n\nHello\n";
    fs::write(&path, mail).unwrap();
    for args in [
        &["assemble", "--from", text(&path)][..],
        &["explain", "--from", text(&path)],
        &["explain", "--from", text(&path), "--message", EVIL],
        &["check", text(&path)],
        &["check", "--as", text(&path)],
        &["check", "x", text(&path)],
    ] {
        let output = run(args);
        assert!(is_safe(&stderr(&output)), "{args:?}: {:?}", stderr(&output));
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(args[0] == "assemble" || is_safe(&out), "{args:?}: {out:?}");
    }
}

#[test]
fn a_receipt_never_overwrites_an_input() {
    let folder = scratch("receipt");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let body = write("body.json", r#"{"model":"gpt-5","messages":[{"role":"user","content":"x"}]}"#);
    let mail = write("mail.eml", "From: a@x\nTo: b@x\nSubject: s\n\nHello\n");
    let other = folder.join("other.json");
    // What an input names, or has beside it, is no receipt either: nor is anything else that somebody keeps.
    let kept = write("kept.json", "{}");
    let profiles = write("profiles.toml", "");
    let linked = folder.join("linked.json");
    fs::hard_link(&body, &linked).unwrap();
    let (body, mail, folder_text) = (text(&body), text(&mail), text(&folder));
    let around = format!("{folder_text}/../receipt/body.json");
    let refused = [
        vec!["--transcript", body, "--receipt", body],
        vec!["--transcript", body, "--receipt", &around],
        vec!["--transcript", body, "--receipt", text(&linked)],
        vec!["--transcript", body, "--profiles", text(&profiles), "--receipt", text(&profiles)],
        vec!["--from", mail, "--receipt", mail],
        vec!["--from", folder_text, "--receipt", mail],
        vec!["--from", mail, "--receipt", text(&kept)],
    ];
    for args in refused {
        let before = fs::read(args.last().unwrap()).unwrap();
        let output = program(["assemble"].iter().chain(&args)).output().unwrap();
        assert_eq!((code(&output), output.stdout.is_empty()), (64, true), "{args:?}");
        assert!(stderr(&output).contains("error: usage: the receipt would overwrite"), "{}", stderr(&output));
        assert_eq!(fs::read(args.last().unwrap()).unwrap(), before);
    }
    #[cfg(unix)]
    {
        let mut piped = program(["assemble", "--transcript", "-", "--receipt", body]);
        let output = piped.stdin(fs::File::open(body).unwrap()).output().unwrap();
        assert_eq!(code(&output), 64, "{}", stderr(&output));
    }
    // What lies beside the mails and is none may be written, again and again.
    for _ in 0..2 {
        let output = run(&["assemble", "--from", folder_text, "--receipt", text(&other)]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
}

#[test]
fn a_table_fits_the_columns_and_keeps_every_word_of_the_reasons() {
    let args = ["explain", "--transcript", "examples/transcript.jsonl", "--max-messages", "6"];
    let table = |columns: Option<&str>| {
        let mut program = program(args);
        columns.map(|columns| program.env("COLUMNS", columns));
        String::from_utf8(program.output().unwrap().stdout).unwrap()
    };
    let rows = |out: &str| out.split("\n\n").nth(1).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    let widest = |rows: &[String]| rows.iter().map(|row| row.chars().count()).max().unwrap();
    let words = |rows: &[String]| {
        let why = rows[0].find("why").unwrap();
        let reasons = rows.iter().skip(1).flat_map(|row| {
            row.chars().skip(why).collect::<String>().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        });
        reasons.collect::<Vec<_>>()
    };
    let whole = rows(&table(None));
    assert!(widest(&whole) > 100, "{whole:#?}");
    for (columns, most) in [("100", 100), ("80", 80), ("7", 60)] {
        let narrow = rows(&table(Some(columns)));
        // Below this the two columns of text would hold nothing.
        assert!(widest(&narrow) <= most.max(72), "{columns}: {narrow:#?}");
        assert_eq!(words(&narrow), words(&whole), "{columns}: {narrow:#?}");
    }
    assert_eq!(rows(&table(Some("no number"))), whole);
}
