//! Chats and logs of a swarm in a database: every folder below `views/` is a run over a fresh copy of one folder, as
//! `support::snapshots` reads it; what a snapshot cannot say stands here.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod desk;
mod support;

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use briefing::Stride;
use briefing::log::{Cause, Run};
use briefing::message::{EntryId, OwnerId, RunId, ThreadId};
use briefing::view::HistoryView;
use briefing_store::swarm::Clients;
use briefing_store::{AnchorKey, Store};
use serde_json::Value;
use support::{code, program, root, scratch, snapshots, stderr};

fn run_in(folder: &Path, args: &[&str]) -> std::process::Output {
    program(args).current_dir(folder).output().unwrap()
}

/// What a run that succeeds writes.
fn text(folder: &Path, args: &[&str]) -> String {
    let output = run_in(folder, args);
    assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The texts of the messages that are assembled.
fn told(folder: &Path, args: &[&str]) -> Vec<String> {
    let list: Value =
        serde_json::from_str(&text(folder, &[&["assemble", "-q", "--db", "briefing.db"], args].concat())).unwrap();
    list.as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_case_comes_out_as_it_is_written() {
    let folder = scratch("views-desk");
    fill(&folder);
    let copies = scratch("views-cases");
    snapshots("tests/views", |case| {
        let copy = copies.join(case.file_name().unwrap());
        copy_folder(&folder, &copy);
        copy
    });
}

/// What the cases are run over.
fn fill(folder: &Path) {
    desk::fill(&folder.join("briefing.db"));
    let examples = root().join("examples");
    fs::create_dir(folder.join("examples")).unwrap();
    for name in ["chat", "swarm"] {
        copy_folder(&examples.join(name), &folder.join("examples").join(name));
    }
    for name in ["chat/chat.jsonl", "chat/persona.toml", "swarm/client-7.jsonl"] {
        let path = examples.join(name);
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    for name in ["offer.txt", "offer.docx", "other.bin", "dot.png", "personas/many-views.toml"] {
        let path = root().join("crates/briefing-cli/tests/data").join(name);
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    fs::write(folder.join("nothing.pdf"), "%PDF-1.4\nnothing\n").unwrap();
    fs::write(folder.join("empty.txt"), "").unwrap();
    let mail = "From ann@x Fri May  1 10:00:00 2026\nFrom: ann@x.example\nTo: me@shop.example\nSubject: Where is my order?\n\
                Message-ID: <a1@x.example>\nDate: Fri, 1 May 2026 10:00:00 +0000\n\nWhere is my order?\n\n";
    fs::write(folder.join("mail.mbox"), mail).unwrap();
    let message = |role: &str, agent: &str, text: &str| {
        format!(r#"{{"role":"{role}","agentName":"{agent}","mode":"user","content":"{text}"}}"#)
    };
    fs::create_dir(folder.join("client-8")).unwrap();
    for number in 1..=11 {
        let text = message("user", "sales", &format!("message {number}"));
        fs::write(folder.join(format!("client-8/{number}.json")), text).unwrap();
    }
    fs::create_dir(folder.join("empty-folder")).unwrap();
    let line = |id: &str, texts: &[&str]| {
        let messages: Vec<String> = texts.iter().map(|text| message("user", "a", text)).collect();
        format!("{{\"id\":\"{id}\",\"messages\":[{}]}}\n", messages.join(","))
    };
    fs::write(folder.join("clients.jsonl"), line("c1", &["one"]) + &line("c2", &["two"])).unwrap();
    fs::write(folder.join("clients-grown.jsonl"), line("c1", &["one", "more"]) + &line("c2", &["another"])).unwrap();
    fs::write(folder.join("broken.json"), r#"[{"role":"user","agentName":"a","mode":"user"},{"role":"user"}]"#).unwrap();
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
fn a_window_with_strides_begins_where_the_last_run_left_it_and_is_never_moved() {
    let folder = scratch("views-stride");
    let db = folder.join("briefing.db");
    desk::long_chat(&db, 12);
    let args = ["--thread", "0", "--view", "chat", "--window-messages", "15", "--stride"];
    let unanchored = told(&folder, &args);
    assert_eq!(unanchored.len(), 5, "cut to a third: {unanchored:?}");
    let store = desk::store(&db);
    let (owner, thread, run) = (OwnerId::default(), ThreadId::new(0), RunId::new("run-1"));
    let view = HistoryView::chat().messages(15).stride(Stride::default());
    let key = AnchorKey { thread, persona: String::new(), view: view.key(), model: "gpt-5".to_owned() };
    let begun = Run { id: run.clone(), thread, cause: Cause::Message(EntryId::new(24)), persona: "".into() };
    pollster::block_on(store.begin_run(&owner, begun)).unwrap();
    pollster::block_on(store.move_anchor(&owner, &run.clone().into(), &key, EntryId::new(14))).unwrap();
    let anchored = told(&folder, &args);
    assert_eq!((anchored.len(), anchored[0].as_str()), (11, "question 7"), "{anchored:?}");
    assert_eq!(told(&folder, &args), anchored);
    assert_eq!(pollster::block_on(store.anchor(&owner, &key)).unwrap(), Some(EntryId::new(14)));
    // Another window has another anchor, and one that slides has none.
    assert_eq!(told(&folder, &["--thread", "0", "--view", "chat", "--window-messages", "16", "--stride"]).len(), 6);
    assert_eq!(told(&folder, &["--thread", "0", "--view", "chat", "--window-messages", "15"]).len(), 15);
}

/// A file of Word whose text is as much as that of very many books.
fn bomb() -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("word/document.xml", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"<w:document xmlns:w=\"x\"><w:body>").unwrap();
    let blank = vec![b' '; 1 << 20];
    (0..200).for_each(|_| zip.write_all(&blank).unwrap());
    zip.finish().unwrap().into_inner()
}

#[test]
fn files_that_cannot_be_read_are_told_and_stop_nothing() {
    let folder = scratch("views-bomb");
    let store = desk::store(&folder.join("briefing.db"));
    let thread = pollster::block_on(store.open_thread(&OwnerId::default())).unwrap();
    let docx = include_bytes!("data/offer.docx");
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    let files: [(&str, &str, &[u8]); 4] = [
        ("bomb.docx", word, &bomb()),
        ("broken.pdf", "application/pdf", b"%PDF-1.4\n"),
        ("x.bin", "", b"\0"),
        ("offer.docx", word, docx),
    ];
    desk::append(&store, thread, 0, vec![desk::with_files("Read these.", &files), desk::with_files("Well?", &[])]);
    let args = ["assemble", "--db", "briefing.db", "--thread", "0", "--view", "chat"];
    let output = run_in(&folder, &args);
    let (said, out) = (stderr(&output), String::from_utf8(output.stdout.clone()).unwrap());
    assert_eq!(code(&output), 0, "{said}");
    assert!(out.contains("Lemon, 5 l: 19.50 EUR"), "{out}");
    for file in ["broken.pdf", "x.bin"] {
        assert!(said.contains(&format!("note: the file \"{file}\" is told without its text: ")), "{said}");
    }
    assert!(said.contains("note: the file \"bomb.docx\" is told in part: its first 67108864 bytes are read"), "{said}");
    assert!(!said.contains("offer.docx"), "{said}");
    // What was read once is not read again, nor tried in vain.
    let again = run_in(&folder, &args);
    assert_eq!((code(&again), again.stdout == output.stdout), (0, true));
    assert!(!stderr(&again).contains("broken.pdf"), "{}", stderr(&again));
}

#[test]
fn an_imported_log_is_the_clients_own() {
    let folder = scratch("views-swarm");
    fill(&folder);
    for transcript in ["client-8", "clients.jsonl"] {
        text(&folder, &["import", "-q", "--transcript", transcript, "--db", "swarm.db"]);
    }
    let clients = Clients::new(std::sync::Arc::new(desk::store(&folder.join("swarm.db"))), OwnerId::default());
    let raw = |client: &str| {
        let history = pollster::block_on(clients.history(client, "sales")).unwrap();
        let raw = pollster::block_on(history.raw()).unwrap();
        raw.into_iter().map(|message| message.content.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(raw("client-8"), (1..=11).map(|number| format!("message {number}")).collect::<Vec<_>>());
    assert_eq!((raw("c1"), raw("c2")), (vec!["one".to_owned()], vec!["two".to_owned()]));
}

#[test]
fn what_a_stranger_wrote_in_a_chat_does_not_act_on_a_terminal() {
    const FORGED: &str = "\u{1b}[2J\u{9b}31m\u{7f}\u{2028}\u{202e}\u{2066}\u{200f}\u{61c}\nentry 9";
    let folder = scratch("views-evil");
    let message = |role: &str, text: &str| serde_json::json!({ "role": role, "agentName": FORGED, "mode": "user", "content": text, FORGED: FORGED });
    let log =
        serde_json::json!([message("user", "before"), message("flush", FORGED), message("user", FORGED), message("user", "x")]);
    fs::write(folder.join("log.json"), log.to_string()).unwrap();
    text(&folder, &["import", "-q", "--transcript", "log.json", "--db", "briefing.db"]);
    let store = desk::store(&folder.join("briefing.db"));
    let name = format!("{FORGED}.pdf");
    let file: (&str, &str, &[u8]) = (&name, FORGED, b"%PDF-1.4\n");
    desk::append(&store, ThreadId::new(0), 1_000_000, vec![desk::with_files(FORGED, &[file])]);
    let forged = |text: &str| {
        text.contains(|c: char| (c.is_control() && c != '\n') || (!c.is_ascii() && FORGED.contains(c)))
            || text.lines().any(|line| line.starts_with("entry 9"))
    };
    for args in [
        &["show", "0"][..],
        &["show", "0", "--json"],
        &["export"],
        &["explain", "--db", "briefing.db", "--thread", "0", "--view", "chat"],
        &["explain", "--db", "briefing.db", "--thread", "0", "--view", "swarm", "--agent", FORGED],
        &["assemble", "--json", "--db", "briefing.db", "--thread", "0", "--view", "chat", "--limit", "1"],
        &["assemble", "--transcript", "log.json"],
        &["explain", "--transcript", "log.json", "--agent", FORGED],
        &["assemble", "--transcript", FORGED, "--agent", FORGED],
        &["fork", "--entry", "0", "--db", FORGED],
        &["edit", "--entry", "0", "--text", FORGED],
        &["text", FORGED],
    ] {
        let output = run_in(&folder, args);
        let (out, err) = (String::from_utf8(output.stdout.clone()).unwrap(), stderr(&output));
        assert!(!forged(&out) && !forged(&err), "{args:?}: {out:?} {err:?}");
    }
}

#[test]
fn the_hidden_reader_serves_nobody_else() {
    let output = run_in(&root(), &["read-file"]);
    assert_eq!((code(&output), output.stdout.len(), stderr(&output)), (65, 0, String::new()));
}
