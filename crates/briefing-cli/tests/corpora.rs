//! The program over the other crates' test data: whatever is in it, an answer comes and no panic.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{code, root, run, run_text, scratch, stderr};

/// Reports whose body cannot be mended without knowing what was meant, each with why.
const NOT_MENDED: [(&str, &str); 0] = [];

#[test]
fn every_reported_body_is_mended() {
    let folder = root().join("crates/briefing-check/tests/data/reports");
    let mut reports: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    reports.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    reports.sort();
    assert!(reports.len() >= 88, "only {} reports", reports.len());
    let mut faults = Vec::new();
    for report in &reports {
        let name = report.file_name().unwrap().to_str().unwrap();
        let known = NOT_MENDED.iter().any(|(known, _)| *known == name);
        if let Err(fault) = mended(report) {
            if !known {
                faults.push(format!("{name}: {fault}"));
            }
        } else {
            assert!(!known, "{name} is mended now; take it off the list");
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Mends a body, and holds the result against the checker and against itself.
fn mended(report: &Path) -> Result<(), String> {
    let path = report.to_str().unwrap();
    let before = run(&["check", path]);
    let fixed = run(&["check", "--fix", path]);
    if code(&fixed) != 0 {
        return Err(format!("--fix ends with {}: {}", code(&fixed), stderr(&fixed)));
    }
    if code(&before) == 0 && fixed.stdout != fs::read(report).unwrap() {
        return Err("a body without violations was changed".to_owned());
    }
    let again = run_text(&["check", "--fix", "-"], &fixed.stdout);
    if code(&again) != 0 || again.stdout != fixed.stdout {
        return Err(format!("mending twice is not mending once: {}", stderr(&again)));
    }
    let value: serde_json::Value = serde_json::from_slice(&fixed.stdout).map_err(|error| error.to_string())?;
    // A lone surrogate is more than serde_json takes; such a body had one before.
    if let Ok(before) = serde_json::from_slice::<serde_json::Value>(&fs::read(report).unwrap()) {
        for key in before.as_object().unwrap().keys() {
            let may_go =
                ["messages", "input", "contents", "system", "tools", "toolConfig", "tool_choice", "thinking", "functions"]
                    .contains(&key.as_str());
            if !may_go && value.get(key) != before.get(key) {
                return Err(format!("the field {key} is not what it was"));
            }
        }
    }
    Ok(())
}

/// Of the recorded requests that a provider refused, those of the four wires: `refused.toml` says which bodies are at fault, and by
/// which codes. Of the others nothing is wrong with the body.
#[test]
fn of_refused_requests_the_faults_are_named() {
    let folder = root().join("crates/briefing-check/tests/data/wire");
    let list: toml::Table = fs::read_to_string(folder.join("refused.toml")).unwrap().parse().unwrap();
    let (mut faulty, mut sound) = (0, 0);
    for refused in list["refused"].as_array().unwrap() {
        if refused["format"].as_str() == Some("bedrock_converse") {
            continue;
        }
        let text = fs::read_to_string(folder.join(refused["file"].as_str().unwrap())).unwrap();
        let text = match refused.get("line").and_then(toml::Value::as_integer) {
            Some(line) => text.lines().nth(usize::try_from(line).unwrap() - 1).unwrap(),
            None => &text,
        };
        let recorded: serde_json::Value = serde_json::from_str(text).unwrap();
        let output = run_text(&["check"], recorded["request"].to_string().as_bytes());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if refused.get("faults").is_some() {
            assert_eq!(code(&output), 65, "{refused}: {said}");
            let json = run_text(&["check", "--json"], recorded["request"].to_string().as_bytes());
            let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
            let codes: Vec<&str> =
                json["violations"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
            let wanted = refused["faults"].as_array().unwrap().iter().map(|fault| fault["code"].as_str().unwrap());
            assert_eq!(codes, wanted.collect::<Vec<_>>(), "{refused}");
            faulty += 1;
        } else {
            assert!(code(&output) == 0 && said.contains("nothing wrong with the body"), "{refused}: {said}");
            sound += 1;
        }
    }
    assert_eq!((faulty, sound), (9, 14));
}

#[test]
fn every_mailbox_of_the_mail_crate_is_read_or_named() {
    let mut files = Vec::new();
    collect(&root().join("crates/briefing-mail/tests/data"), &mut files);
    files.sort();
    assert!(files.len() >= 100, "only {} files", files.len());
    for file in &files {
        let path = file.to_str().unwrap();
        let output = run(&["assemble", "--from", path, "--address", "postmaster@localhost"]);
        let errors = stderr(&output);
        match code(&output) {
            0 => assert!(serde_json::from_slice::<serde_json::Value>(&output.stdout).is_ok(), "{path}: {output:?}"),
            65 | 66 => assert!(errors.contains(path), "{path} is not named: {errors}"),
            other => panic!("{path} ends with {other}: {errors}"),
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "eml" || extension == "mbox") {
            files.push(path);
        }
    }
}

#[test]
fn the_whole_mail_corpus_is_one_mailbox() {
    let receipt = scratch("corpus").join("receipt.json");
    let folder = "crates/briefing-mail/tests/data";
    let args = ["assemble", "--from", folder, "--as", "anthropic", "--receipt", receipt.to_str().unwrap()];
    let output = run(&args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let receipt: serde_json::Value = serde_json::from_slice(&fs::read(receipt).unwrap()).unwrap();
    assert!(receipt["kept"].as_array().is_some_and(|kept| !kept.is_empty()), "{receipt}");
    let checked = run_text(&["check"], &output.stdout);
    assert_eq!(code(&checked), 0, "{}", String::from_utf8_lossy(&checked.stdout));
}

/// Imports it, and assembles it out of the database and out of the mailbox: the same bytes.
fn same_out_of_a_database(folder: &Path, import: &[&str], assemble: &[&str]) -> Result<(), String> {
    let db = folder.join("briefing.db");
    let db = db.to_str().unwrap();
    let imported = run(&[&["import", "--db", db], import].concat());
    let wanted = run(&[&["assemble", "--from"], import, assemble].concat());
    let out = run(&[&["assemble", "--db", db], &import[1..], assemble].concat());
    if (code(&imported), code(&out), &out.stdout) == (0, code(&wanted), &wanted.stdout) {
        return Ok(());
    }
    Err(format!("{import:?}: {} {} {} {}", stderr(&imported), stderr(&out), code(&wanted), stderr(&wanted)))
}

#[test]
fn the_example_is_the_same_out_of_a_database() {
    let persona = ["examples/shop/mailbox", "--persona", "examples/shop/persona.toml"];
    let tool_use = ["--tool-use", "examples/shop/tool-use.jsonl"];
    let db = scratch("example-db").join("briefing.db");
    let db = db.to_str().unwrap();
    let imported = run(&[&["import", "--db", db], &persona[..], &tool_use].concat());
    assert_eq!(code(&imported), 0, "{}", stderr(&imported));
    for bounds in
        [&["--as", "messages"][..], &["--as", "openai-chat", "--max-messages", "9"], &["--as", "anthropic", "--limit", "3"]]
    {
        let from = run(&[&["assemble", "--from"], &persona[..], &tool_use, bounds].concat());
        let out = run(&[&["assemble", "--db", db], &persona[1..], bounds].concat());
        assert_eq!((code(&from), code(&out)), (0, 0), "{}{}", stderr(&from), stderr(&out));
        assert_eq!(String::from_utf8_lossy(&from.stdout), String::from_utf8_lossy(&out.stdout), "{bounds:?}");
    }
}

#[test]
fn every_mailbox_is_the_same_out_of_a_database() {
    let mut files = Vec::new();
    collect(&root().join("crates/briefing-mail/tests/data"), &mut files);
    files.sort();
    files.push(root().join("crates/briefing-mail/tests/data"));
    files.push(root().join("examples/shop/mailbox"));
    let mut faults = Vec::new();
    let mut read = 0;
    for file in &files {
        let path = file.to_str().unwrap();
        let address = ["--address", "postmaster@localhost"];
        if code(&run(&[&["assemble", "--from", path], &address[..]].concat())) == 0 {
            read += 1;
            faults.extend(same_out_of_a_database(&scratch("corpus-db"), &[&[path], &address[..]].concat(), &[]).err());
        }
    }
    assert!(read >= 100, "only {read} mailboxes");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
