//! The commands over a database: every folder below `store/` is a run of them over a fresh copy of one database, as
//! `support::snapshots` reads it; what a snapshot cannot say stands here.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod shop;
mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use support::{code, program, scratch, snapshots, stderr};

fn run_in(folder: &Path, args: &[&str]) -> Output {
    program(args).current_dir(folder).output().unwrap()
}

/// What a run that succeeds writes.
fn out(folder: &Path, args: &[&str]) -> Vec<u8> {
    let output = run_in(folder, args);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{args:?}");
    output.stdout
}

fn text(folder: &Path, args: &[&str]) -> String {
    String::from_utf8(out(folder, args)).unwrap()
}

fn json_of(folder: &Path, args: &[&str]) -> Value {
    serde_json::from_slice(&out(folder, &[args, &["--json"]].concat())).unwrap()
}

#[test]
fn every_case_comes_out_as_it_is_written() {
    let shop = scratch("store-shop");
    shop::fill(&shop.join("briefing.db"));
    fs::write(shop.join("notes.txt"), "Not a database, but long enough to be looked at as one. ".repeat(20)).unwrap();
    let copies = scratch("store-cases");
    snapshots("tests/store", |case| {
        let copy = copies.join(case.file_name().unwrap());
        copy_folder(&shop, &copy);
        copy
    });
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn raw_is_the_mail_as_it_came() {
    let folder = scratch("store-raw");
    shop::fill(&folder.join("briefing.db"));
    assert_eq!(out(&folder, &["show", "--entry", "0", "--raw"]), shop::ANN);
    assert_eq!(out(&folder, &["show", "--message", "b1@y.example", "--raw"]), shop::BOB);
}

#[test]
fn mails_of_an_mbox_export_are_the_ones_that_came() {
    let folder = scratch("store-mbox");
    let mails: [&[u8]; 6] = [
        b"From: a@x\nSubject: plain\n\nFrom here\n>From there\n>>From Mon Jan 1 00:00:00 2024\n",
        b"From old@x Mon Jan  1 00:00:00 2024\nFrom: a@x\n\nkept with its envelope line\n\nFrom a@x Mon Jan  1 00:00:00 2024\n",
        b"From: \"a b\"@x\r\nSubject: =?utf-8?q?=0Aforged?=\r\n\r\nlines that end so\r\n\r\n\r\n",
        b"From: b@x\nDate: Mon, 1 Jan 0024 00:00:00 +0000\n\n\xff\xfe bytes\0 \n",
        b"\n\nFrom: c@x\n\nblank lines before\n",
        b"From: d@x\n\nthe last line has no end",
    ];
    shop::mails(&folder.join("briefing.db"), &mails);
    let output = run_in(&folder, &["export", "--mbox"]);
    assert_eq!(
        (code(&output), stderr(&output).as_str()),
        (0, "given a line end behind the last line, as an mbox needs one: 1 mail (5)\n")
    );
    fs::write(folder.join("all.mbox"), &output.stdout).unwrap();
    let read: Vec<Vec<u8>> =
        briefing_mail::read(&folder.join("all.mbox")).unwrap().map(|message| message.unwrap().bytes).collect();
    let mut expected: Vec<Vec<u8>> = mails.iter().map(|mail| mail.to_vec()).collect();
    expected[5].push(b'\n');
    assert_eq!(read, expected);
    // Imported again, into a database of its own and into the same one.
    run_in(&folder, &["import", "all.mbox", "--received", "--db", "again.db"]);
    for (entry, mail) in expected.iter().enumerate() {
        assert_eq!(&out(&folder, &["show", "--entry", &entry.to_string(), "--raw", "--db", "again.db"]), mail);
    }
    run_in(&folder, &["import", "all.mbox", "--received"]);
    assert_eq!(text(&folder, &["export"]).lines().count(), mails.len() + 1, "that whose last line had no end is another one");
    // One of them alone.
    let one = text(&folder, &["export", "--mbox", "--thread", "0"]);
    assert_eq!(
        one,
        "From a@x Fri May  1 12:00:00 2026\nFrom: a@x\nSubject: plain\n\n>From here\n>>From there\n>>>From Mon Jan 1 00:00:00 2024\n\n"
    );
}

#[test]
fn an_export_walks_over_every_page() {
    let folder = scratch("store-pages");
    let mails: Vec<Vec<u8>> = (0..205).map(|at| format!("From: a@x\nSubject: {at}\n\n{at}\n").into_bytes()).collect();
    shop::mails(&folder.join("briefing.db"), &mails.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let lines = text(&folder, &["export"]);
    let entries: Vec<Value> = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["entry"].clone()).collect();
    assert_eq!(entries, (0..205).map(Value::from).collect::<Vec<_>>());
    // The newest of a thread of several pages, and all of it.
    for at in 1..205 {
        out(&folder, &["merge", "-q", &at.to_string(), "0"]);
    }
    let shown = |limit: &str| {
        let shown = json_of(&folder, &["show", "0", "--limit", limit]);
        let entries = shown["entries"].as_array().unwrap().iter().map(|entry| entry["entry"].as_u64().unwrap());
        (shown["older"].as_u64().unwrap(), entries.collect::<Vec<_>>())
    };
    assert_eq!(shown("101"), (104, (104..205).collect()));
    assert_eq!(shown("0"), (205, Vec::new()));
    assert_eq!(shown("all"), (0, (0..205).collect()));
}

#[test]
fn what_a_stranger_wrote_does_not_act_on_a_terminal() {
    const FORGED: &str = "\u{1b}[2J\u{9b}31m\u{7f}\u{2028}\u{202e}\u{2066}\u{200f}\u{61c}";
    let folder = scratch("store-evil");
    let evil = format!(
        "From: {FORGED} <a@x>\nTo: =?utf-8?q?=1B[2J=0Aentry_9?= <b@x>\nSubject: =?utf-8?q?=1B[2J=E2=80=AE=0Aentry_9?=\nMessage-ID: <{FORGED}id@x>\n\
         Date: {FORGED}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsearched {FORGED}\nentry 9  thread 9\n  finding: none\n\
         --b\nContent-Type: {FORGED}\nContent-Disposition: attachment; filename=\"{FORGED}.txt\"\n\nfile\n--b--\n"
    );
    shop::mails(&folder.join("briefing.db"), &[evil.as_bytes()]);
    let safe =
        |text: &str| !text.contains(|c: char| (c.is_control() && c != '\n') || FORGED.contains(c) && !c.is_ascii_graphic());
    for args in [
        &["threads"][..],
        &["threads", "--search", "searched"],
        &["threads", "--search", FORGED],
        &["show", "0"],
        &["show", "--message", &format!("{FORGED}id@x")],
        &["show", "--message", FORGED],
        &["forget", "--correspondent", FORGED, "--dry-run"],
        &["export"],
        &["verify"],
        &["threads", "--db", FORGED],
        &["backup", &format!("{FORGED}.db")],
    ] {
        let mut all = vec![args.to_vec()];
        all.extend((args[0] != "export" && args[0] != "backup").then(|| [args, &["--json"]].concat()));
        for args in all {
            let output = run_in(&folder, &args);
            let (out, err) = (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output));
            assert!(safe(&out), "{args:?}: {out:?}");
            assert!(safe(&err), "{args:?}: {err:?}");
            assert!(
                !out.lines().any(|line| line.starts_with("entry 9") || line.starts_with("  finding: none")),
                "{args:?}: {out}"
            );
            if args.contains(&"--json") || args[0] == "export" {
                serde_json::from_str::<Value>(&out).unwrap();
            }
        }
    }
    let shown = json_of(&folder, &["show", "0"]);
    assert!(shown["entries"][0]["body"].as_str().unwrap().contains(FORGED));
    assert_eq!(serde_json::from_str::<Value>(&text(&folder, &["export"])).unwrap()["raw"], json!(evil));
}

#[test]
fn lost_contents_are_told_and_stop_nothing() {
    let folder = scratch("store-lost");
    let long = format!("From: a@x\nSubject: long\n\n{}\n", "x".repeat(70_000));
    shop::mails(&folder.join("briefing.db"), &[long.as_bytes(), b"From: a@x\nSubject: short\n\nshort\n"]);
    fs::remove_dir_all(folder.join("briefing.db.blobs")).unwrap();
    let hash = blake3::hash(long.as_bytes()).to_hex().to_string();
    let lost = format!("the stored file {hash} is missing or damaged");
    let shown = text(&folder, &["show", "0"]);
    assert!(shown.ends_with(&format!("\n  finding: {lost}\n")), "{shown}");
    let shown = json_of(&folder, &["show", "0"]);
    assert_eq!((&shown["entries"][0]["raw_bytes"], &shown["entries"][0]["findings"]), (&Value::Null, &json!([lost])));
    for args in [&["export"][..], &["export", "--mbox"]] {
        let output = run_in(&folder, args);
        assert_eq!((code(&output), String::from_utf8(output.stdout.clone()).unwrap().contains("short")), (65, true));
        assert_eq!(
            stderr(&output),
            "error: data: missing or damaged, and not exported, are the bytes of 1 mail (0)\n\
             hint: restore them from a backup; everything else was exported\n"
        );
    }
    let output = run_in(&folder, &["show", "--entry", "0", "--raw"]);
    assert_eq!(
        (code(&output), stderr(&output)),
        (65, format!("error: data: {lost}\nhint: restore it from a backup; what was read of it is shown without --raw\n"))
    );
    let output = run_in(&folder, &["verify"]);
    assert_eq!(
        (code(&output), String::from_utf8(output.stdout).unwrap()),
        (65, format!("content {hash}: missing\n1 owner, 2 entries, 2 stored contents: 1 fault\n"))
    );
    let output = run_in(&folder, &["verify", "--json"]);
    let faults = json!([{ "code": "content-missing", "hash": hash, "text": format!("content {hash}: missing") }]);
    assert_eq!(
        (code(&output), serde_json::from_slice::<Value>(&output.stdout).unwrap()),
        (65, json!({ "owners": 1, "entries": 2, "contents": 2, "faults": faults, "more": 0 }))
    );
}

#[test]
fn a_backup_is_whole_and_overwrites_nothing() {
    let folder = scratch("store-backup");
    let long = format!("From: a@x\nSubject: long\n\n{}\n", "x".repeat(70_000));
    shop::mails(&folder.join("briefing.db"), &[long.as_bytes()]);
    let told = text(&folder, &["backup", "copy.db"]);
    let bytes = fs::metadata(folder.join("copy.db")).unwrap().len();
    let beside = long.len();
    assert_eq!(told, format!("{bytes} bytes written to copy.db, and 1 content ({beside} bytes) beside it\n"));
    let told = json_of(&folder, &["backup", "other.db"]);
    assert_eq!(told, json!({ "file": "other.db", "bytes": bytes, "contents": 1, "content_bytes": beside }));
    assert_eq!(out(&folder, &["export", "--db", "copy.db"]), out(&folder, &["export"]));
    let output = run_in(&folder, &["backup", "copy.db"]);
    assert_eq!(code(&output), 74);
    assert!(stderr(&output).starts_with("error: io: copy.db cannot be written"), "{}", stderr(&output));
    assert!(
        stderr(&output).ends_with("hint: name a file that is not there, nor a folder of its name with `.blobs` behind it\n"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_table_of_threads_fits_the_columns() {
    let folder = scratch("store-width");
    let mail =
        format!("From: a-long-name@shop.example\nTo: {}@x.example\nSubject: {}\n\nx\n", "b".repeat(50), "word ".repeat(40));
    shop::mails(&folder.join("briefing.db"), &[mail.as_bytes()]);
    for columns in [60, 80, 200] {
        let output = program(["threads"]).current_dir(&folder).env("COLUMNS", columns.to_string()).output().unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        let widest = table.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns && widest + 8 > columns, "{columns}: {widest}\n{table}");
    }
}

#[test]
fn what_is_forgotten_is_gone_and_stays_a_tombstone() {
    let folder = scratch("store-forget");
    shop::fill(&folder.join("briefing.db"));
    text(&folder, &["forget", "--correspondent", "BOB@y.example", "--yes"]);
    let shown = json_of(&folder, &["show", "--entry", "6"]);
    let tombstone = &shown["entries"][0];
    assert_eq!(tombstone["kind"], "erased");
    let hash = tombstone["hash"].as_str().unwrap();
    let erased = tombstone["erased_at"].as_str().unwrap();
    assert_eq!(
        text(&folder, &["show", "--entry", "6"]),
        format!("entry 6  thread 1  erased  2026-05-03T09:00:00Z  erased {}Z, was {}…\n", &erased[..19], &hash[..12])
    );
    assert_eq!(text(&folder, &["verify"]), "1 owner, 10 entries, 2 stored contents: no faults\n");
}

#[test]
fn an_entry_without_any_date_has_none() {
    let folder = scratch("store-undated");
    shop::undated(&folder.join("briefing.db"), b"From: a@x\nSubject: undated\n\nx\n");
    assert_eq!(
        text(&folder, &["threads"]),
        "thread  newest   entries  people  subject\n     0  no date        1  a@x     undated\n"
    );
    assert_eq!(json_of(&folder, &["threads"])["threads"][0]["newest"], Value::Null);
    assert!(
        text(&folder, &["show", "0"])
            .contains("\nentry 0  thread 0  mail  no date  inbound\n  From: a@x\n  Subject: undated\n\n    x\n")
    );
    assert_eq!(json_of(&folder, &["show", "0"])["entries"][0]["at"], Value::Null);
    assert!(text(&folder, &["export", "--mbox"]).starts_with("From a@x Thu Jan  1 00:00:00 1970\n"));
}

#[test]
fn a_message_id_that_two_mails_have_shows_both() {
    let folder = scratch("store-reused");
    let mails: [&[u8]; 2] = [b"From: a@x\nMessage-ID: <m@x>\n\none\n", b"From: a@x\nMessage-ID: <m@x>\n\ntwo\n"];
    shop::mails(&folder.join("briefing.db"), &mails);
    let shown = json_of(&folder, &["show", "--message", "m@x"]);
    let bodies = shown["entries"].as_array().unwrap().iter().map(|entry| entry["body"].clone()).collect::<Vec<_>>();
    assert_eq!(bodies, ["one\n", "two\n"]);
    let output = run_in(&folder, &["show", "--message", "m@x", "--raw"]);
    assert_eq!(
        (code(&output), stderr(&output).as_str()),
        (64, "error: usage: 2 mails have that id\nhint: choose one: --entry 0, --entry 1\n")
    );
}

#[test]
fn every_piece_of_a_message_is_shown() {
    let folder = scratch("store-pieces");
    let messages = r#"[
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "look"},
            {"type": "image", "media_type": "image/png", "data": "AAAA"},
            {"type": "document", "filename": "a.pdf", "media_type": "application/pdf", "url": "https://x.example/a.pdf"},
            {"type": "document", "media_type": "application/pdf", "wire": "anthropic", "file_id": "f1"}]},
        {"role": "assistant", "items": [
            {"type": "reasoning", "wire": "anthropic", "kind": "thinking", "raw": {"type": "thinking", "thinking": "hm"}},
            {"type": "native", "wire": "anthropic", "kind": "web_search", "raw": {"type": "web_search"}, "reads_as": "searched"},
            {"type": "call", "id": "c1", "name": "lookup", "input": {}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"}]"#;
    shop::chat(&folder.join("briefing.db"), messages);
    let shown = text(&folder, &["show", "0"]);
    let expected = "\
thread 0

entry 0  thread 0  system  2026-05-01T12:00:00Z  system
    Be brief.

entry 1  thread 0  message  2026-05-01T12:00:00Z  user
    look
  picture: image/png  4 bytes in Base64
  document: application/pdf  a.pdf  at https://x.example/a.pdf
  document: application/pdf  file f1 of anthropic

entry 2  thread 0  tool-use  2026-05-01T12:00:00Z  assistant
  reasoning: thinking of anthropic
  block: web_search of anthropic
    searched
  call: c1 lookup
    {}

entry 3  thread 0  tool-use  2026-05-01T12:00:00Z  tool
  of the call: c1
    found
";
    assert_eq!(shown, expected);
}

#[test]
fn contents_that_others_have_too_stay() {
    let folder = scratch("store-shared");
    let mail = |from: &str| {
        format!(
            "From: {from}\nSubject: {from}\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n\
             Content-Disposition: attachment; filename=terms.txt\n\nthe same terms\n--b--\n"
        )
    };
    let (one, other) = (mail("a@x"), mail("b@x"));
    shop::mails(&folder.join("briefing.db"), &[one.as_bytes(), other.as_bytes()]);
    // Looks for something, so that the index is complete.
    out(&folder, &["threads", "--search", "x"]);
    assert_eq!(
        text(&folder, &["forget", "--thread", "0", "--dry-run"]),
        format!(
            "would be erased: 1 mail\nthreads with nothing left: 1\nmails as they came: 1\nattachments: 1\n\
             stored contents: 1 ({} bytes)\nentries in the search index: 1\n\
             stored contents that stay, as other entries have the same: 1\n",
            one.len()
        )
    );
}

#[test]
fn an_import_ends_with_what_could_not_be_read() {
    let folder = scratch("store-import-faults");
    fs::write(folder.join("one.eml"), "From: ann@x.example\nTo: me@shop.example\nSubject: one\n\none\n").unwrap();
    let import = |sources: &[&str]| run_in(&folder, &[&["import"], sources, &["--received"]].concat());
    // Nothing is made where nothing is there.
    let output = import(&["absent.mbox"]);
    assert_eq!((code(&output), folder.join("briefing.db").exists()), (66, false), "{}", stderr(&output));
    let output = run_in(&folder, &["import", "--transcript", "absent.jsonl"]);
    assert_eq!((code(&output), folder.join("briefing.db").exists()), (66, false), "{}", stderr(&output));
    let output = import(&["absent.mbox", "one.eml"]);
    let told = stderr(&output);
    assert_eq!(code(&output), 65, "{told}");
    assert!(told.contains("briefing.db: 1 message stored, 1 source not readable\n"), "{told}");
    assert!(told.contains("error: data: 1 source could not be read; the rest is stored\n"), "{told}");
    let output = run_in(&folder, &["import", "absent.mbox", "one.eml", "--received", "--quiet"]);
    assert_eq!((code(&output), stderr(&output).lines().count()), (65, 2), "{}", stderr(&output));
    let again = import(&["one.eml"]);
    assert_eq!((code(&again), stderr(&again).as_str()), (0, "briefing.db: 1 message there before\n"));
}

#[test]
fn a_database_is_a_file_whatever_its_name() {
    let folder = scratch("store-names");
    fs::write(folder.join("one.eml"), "From: ann@x.example\nSubject: one\n\none\n").unwrap();
    for name in [":memory:", "file:x.db", "file:x.db?mode=memory"] {
        let output = run_in(&folder, &["import", "one.eml", "--received", "--db", name]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(json_of(&folder, &["threads", "--db", name])["threads"][0]["entries"], 1, "{name}");
        text(&folder, &["backup", &format!("{name}.copy"), "--db", name]);
    }
}

#[test]
fn tool_use_of_a_message_that_is_not_there_is_told_and_passed_over() {
    let folder = scratch("store-tool-use");
    fs::write(folder.join("one.eml"), "From: ann@x.example\nMessage-ID: <a@x>\nSubject: one\n\none\n").unwrap();
    let call = |id: &str, run: &str| {
        let call = json!({ "message_id": id, "run_id": run, "turn_index": 0, "position": 0, "tool_call_id": "c", "name": "find",
                           "input": {}, "result": "found" });
        format!("{call}\n")
    };
    fs::write(folder.join("tools.jsonl"), call("forgotten@x", "r1") + &call("a@x", "r2")).unwrap();
    let import = ["import", "one.eml", "--address", "me@shop.example", "--tool-use", "tools.jsonl"];
    let output = run_in(&folder, &import);
    let told = stderr(&output);
    assert_eq!(code(&output), 0, "{told}");
    assert!(told.contains("no message has the id <forgotten@x>; its run is passed over"), "{told}");
    assert!(told.ends_with("briefing.db: 1 message stored, 1 run of tool use stored\n"), "{told}");
}

#[test]
fn a_correspondent_is_an_address() {
    let folder = scratch("store-address");
    shop::mails(&folder.join("briefing.db"), &[b"From: Zoe <zoe@x.example>\nSubject: one\n\none\n"]);
    for address in ["", "nobody", "mailto:zoe@x.example", "zoe@x.example,ann@x.example"] {
        let output = run_in(&folder, &["forget", "--correspondent", address, "--dry-run"]);
        assert_eq!(code(&output), 64, "{address}: {}", stderr(&output));
    }
    for address in ["zoe@x.example", "Zoe <ZOE@x.example>", "<zoe@x.example>"] {
        let would = json_of(&folder, &["forget", "--correspondent", address, "--dry-run"]);
        assert_eq!(would["entries"], json!({ "mail": 1 }), "{address}");
    }
}
