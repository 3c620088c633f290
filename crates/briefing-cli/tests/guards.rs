//! What must not happen by itself: a card confirmed by what was typed before it, a server of tools that stops everything, a database
//! made by a look, a key written down.

#![cfg(all(feature = "agent", unix))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

#[allow(dead_code, reason = "each test uses a part of it")]
mod clerk;
mod support;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use briefing_agent::scripted::Say;
use clerk::Clerk;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use support::{code, program, scratch, stderr};

/// The program with a terminal as its standard input, and what it tells on standard error.
struct Typist {
    terminal: File,
    child: Child,
    told: Arc<Mutex<String>>,
}

impl Typist {
    fn new(args: &[&str], folder: &Path) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let stdin = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let mut command = program(args);
        command.current_dir(folder).stdin(stdin).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (told, mut pipe) = (Arc::new(Mutex::new(String::new())), child.stderr.take().unwrap());
        let hears = Arc::clone(&told);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                hears.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Self { terminal: terminal.into(), child, told }
    }

    fn types(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).unwrap();
    }

    fn told(&self) -> String {
        self.told.lock().unwrap().clone()
    }

    /// Waits until it has told that so many times.
    fn waits_for(&self, text: &str, times: usize) {
        let begun = Instant::now();
        while self.told().matches(text).count() < times {
            assert!(begun.elapsed() < Duration::from_secs(30), "no {text:?} ({times}) in {}", self.told());
            std::thread::sleep(Duration::from_millis(20));
        }
        // Somebody reads before they type.
        std::thread::sleep(Duration::from_millis(300));
    }

    fn ends(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }
}

const QUESTION: &str = "to do it, no to refuse it, Enter for later: ";

#[test]
fn what_was_typed_before_a_card_does_not_confirm_it() {
    let turns = [Say::calls([("call_1", "cancel_order", json!({ "number": 7 }))]), Say::text("Asked.")];
    let clerk = Clerk::new("typed-before", turns);
    let done = clerk.folder.join("cancelled");
    let mut typist = Typist::new(&["chat"], &clerk.folder);
    let numbers: String = (0..30).map(|number| format!("{number}\n")).collect();
    typist.types(&format!("Cancel order 7\ny\nyes\n{numbers}"));
    typist.waits_for(QUESTION, 1);
    assert!(typist.told().contains("not taken as an answer: "), "{}", typist.told());
    let card = clerk.json(&["cards"])["cards"][0]["card"].as_u64().unwrap();
    // Neither does a `y`, nor what is pasted together with more.
    typist.types("y\n");
    typist.waits_for(QUESTION, 2);
    typist.types(&format!("{card}\nand more\n"));
    typist.waits_for(QUESTION, 3);
    assert!(!done.exists(), "{}", typist.told());
    typist.types(&format!("{card}\n"));
    typist.waits_for(&format!("card {card}: done"), 1);
    assert!(done.exists());
    typist.types("/quit\n");
    assert_eq!(typist.ends(), 0);
}

#[test]
fn a_card_is_confirmed_only_where_all_of_it_was_shown() {
    let note = format!("{}END", "x".repeat(20_000));
    let turns = [Say::calls([("call_1", "cancel_order", json!({ "note": note }))]), Say::text("Asked.")];
    let clerk = Clerk::new("shown-all", turns);
    let done = clerk.folder.join("cancelled");
    let mut typist = Typist::new(&["chat"], &clerk.folder);
    typist.types("Cancel order 7\n");
    typist.waits_for("not all of it was shown", 1);
    let card = clerk.json(&["cards"])["cards"][0]["card"].as_u64().unwrap();
    typist.types(&format!("{card}\n"));
    typist.waits_for("it waits: ", 1);
    assert!(!done.exists() && !typist.told().contains("END") && !typist.told().contains(QUESTION), "{}", typist.told());
    typist.types("/cards\n");
    typist.waits_for("Enter shows page 1 of 2", 2);
    typist.types("\n");
    typist.waits_for("Enter shows page 2 of 2", 1);
    assert!(!typist.told().contains("END"));
    typist.types("\n");
    typist.waits_for(QUESTION, 1);
    assert!(typist.told().contains("END"));
    typist.types(&format!("{card}\n"));
    typist.waits_for(&format!("card {card}: done"), 1);
    assert!(done.exists());
    typist.types("/quit\n");
    assert_eq!(typist.ends(), 0);
}

/// A folder with a card whose write takes longer than anybody waits, and the card.
fn slow_card(name: &str) -> (Clerk, u64) {
    let turns = [Say::calls([("call_1", "cancel_order", json!({ "number": 7 }))]), Say::text("Asked.")];
    let clerk = Clerk::new(name, turns);
    fs::write(clerk.folder.join("cancel-order"), "#!/bin/sh\necho $$ >begun\nexec sleep 600\n").unwrap();
    clerk.out(&["ask", "Cancel order 7"]);
    let card = clerk.json(&["cards"])["cards"][0]["card"].as_u64().unwrap();
    (clerk, card)
}

impl Typist {
    fn is_sent(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
    }
}

/// Waits until the write has begun, and gives the number of its process.
fn begun(clerk: &Clerk) -> String {
    let begun = Instant::now();
    loop {
        match fs::read_to_string(clerk.folder.join("begun")) {
            Ok(process) if process.ends_with('\n') => return process.trim().to_owned(),
            _ => assert!(begun.elapsed() < Duration::from_secs(30), "nothing has begun"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Waits until a process has ended.
fn has_ended(process: &str) {
    let begun = Instant::now();
    let runs = || Command::new("kill").args(["-0", process]).stderr(Stdio::null()).status().unwrap().success();
    while runs() {
        assert!(begun.elapsed() < Duration::from_secs(30), "process {process} still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_confirmed_write_is_broken_off_by_the_second_press() {
    let (clerk, card) = slow_card("slow-chat");
    let mut typist = Typist::new(&["chat"], &clerk.folder);
    typist.types("/cards\n");
    typist.waits_for(QUESTION, 1);
    typist.types(&format!("{card}\n"));
    let process = begun(&clerk);
    typist.is_sent("-INT");
    typist.waits_for(&format!("card {card} is being done; Ctrl-C once more breaks it off"), 1);
    assert!(!typist.told().contains("was broken off"), "{}", typist.told());
    typist.is_sent("-INT");
    typist.waits_for(&format!("card {card} was broken off while it was being done"), 1);
    has_ended(&process);
    // The chat goes on, and the card is not done again.
    typist.types("/cards\n");
    typist.waits_for("being done, or left when a process died", 1);
    typist.types("/quit\n");
    assert_eq!(typist.ends(), 0);

    let (clerk, card) = slow_card("slow-confirm");
    let typist = Typist::new(&["cards", "confirm", &card.to_string()], &clerk.folder);
    let process = begun(&clerk);
    typist.is_sent("-TERM");
    typist.waits_for("is being done; ", 1);
    typist.is_sent("-TERM");
    assert_eq!(typist.ends(), 75);
    has_ended(&process);
    assert_ne!(clerk.json(&["cards"])["cards"][0]["claimed"], Value::Null);
}

/// A server of tools that has one with a name that is taken, and leaves a file when it is started.
const TAKEN: &str = r#"#!/bin/sh
: >started
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"find_order","inputSchema":{"type":"object"}},{"name":"put","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn a_server_of_tools_stops_nothing_and_is_started_only_where_tools_are_run() {
    let turns = [Say::calls([("call_1", "cancel_order", json!({ "number": 7 }))]), Say::text("Asked.")];
    let clerk = Clerk::new("taken", turns);
    fs::write(clerk.folder.join("taken.sh"), TAKEN).unwrap();
    let config = clerk.folder.join("briefing.toml");
    let server = "\n[[mcp]]\nname = \"shelf\"\nrun = [\"sh\", \"taken.sh\"]\nreads = [\"nowhere\"]\n";
    fs::write(&config, fs::read_to_string(&config).unwrap() + server).unwrap();
    let output = clerk.run(&["ask", "Cancel order 7"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for told in ["find_order is left out: another tool is called so", "reads or confirm names nowhere"] {
        assert!(stderr(&output).contains(told), "{}", stderr(&output));
    }
    let looked = String::from_utf8(clerk.run(&["doctor"]).stdout).unwrap();
    assert!(looked.contains("warning mcp shelf: find_order is left out: "), "{looked}");
    let started = clerk.folder.join("started");
    fs::remove_file(&started).unwrap();
    assert_eq!(clerk.json(&["replay", "0"])["same"], true);
    let card = clerk.json(&["cards"])["cards"][0]["card"].as_u64().unwrap().to_string();
    assert_eq!(clerk.json(&["cards", "cancel", &card])["settled"], "cancelled");
    assert!(!started.exists());
}

/// A server of tools that answers once another one has been started, too.
const MEETING: &str = r#"#!/bin/sh
: >"started-$1"
while [ ! -e "started-$2" ]; do sleep 0.05; done
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"put","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn servers_of_tools_are_connected_to_side_by_side_and_stand_in_their_order() {
    let clerk = Clerk::new("meeting", [Say::text("Both.")]);
    fs::write(clerk.folder.join("meeting.sh"), MEETING).unwrap();
    let config = clerk.folder.join("briefing.toml");
    let server = |own: &str, other: &str| {
        format!("\n[[mcp]]\nname = \"{own}\"\nrun = [\"sh\", \"meeting.sh\", \"{own}\", \"{other}\"]\n")
    };
    let both = server("first", "second") + &server("second", "first");
    fs::write(&config, fs::read_to_string(&config).unwrap() + &both).unwrap();
    let output = clerk.run(&["ask", "Who is there?"]);
    // The tool of the first has the name.
    let told = "mcp \"second\": put is left out: another tool is called so (a prefix would tell them apart)\n";
    assert_eq!((code(&output), stderr(&output).as_str()), (0, told));
}

#[test]
fn without_certificates_only_https_fails() {
    let turns = [Say::calls([("call_1", "cancel_order", json!({ "number": 7 }))]), Say::text("Asked.")];
    let clerk = Clerk::new("no-certificates", turns);
    let bare = |args: &[&str]| {
        let mut command = program(args);
        command.env("SSL_CERT_FILE", "/nowhere").env("SSL_CERT_DIR", "/nowhere").current_dir(&clerk.folder);
        let output = command.output().unwrap();
        (code(&output), String::from_utf8_lossy(&output.stdout).into_owned(), stderr(&output))
    };
    let config = clerk.folder.join("briefing.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\n[[mcp]]\nname = \"far\"\nurl = \"https://127.0.0.1:9/mcp\"\n")).unwrap();
    let (code, answer, told) = bare(&["ask", "Cancel order 7"]);
    assert_eq!((code, answer.as_str()), (0, "Asked.\n"), "{told}");
    assert!(told.contains("mcp \"far\": ") && told.contains("127.0.0.1:9: no https: "), "{told}");
    // The other model is never asked by these.
    let base = clerk.server.base(briefing::Wire::OpenAiChat);
    fs::write(&config, text.replace(&base, "https://127.0.0.1:9/v1")).unwrap();
    let (code, _, told) = bare(&["replay", "0"]);
    assert_eq!(code, 0, "{told}");
    let card = clerk.json(&["cards"])["cards"][0]["card"].as_u64().unwrap().to_string();
    assert_eq!(bare(&["cards", "cancel", &card]).0, 0);
    let (code, _, told) = bare(&["ask", "And?"]);
    assert_eq!(code, 69, "{told}");
    assert!(told.contains("cannot reach 127.0.0.1:9 over https: ") && told.contains("No CA certificates"), "{told}");
    assert!(!told.contains("try 1 failed"), "{told}");
}

#[test]
fn what_only_looks_makes_no_database() {
    let clerk = Clerk::new("no-database", [Say::text("unused")]);
    let commands: [&[&str]; 6] =
        [&["runs"], &["cards"], &["stop", "0"], &["replay", "0"], &["cards", "confirm", "1"], &["diff", "run:0", "run:1"]];
    for args in commands {
        let output = clerk.run(args);
        assert_eq!(code(&output), 66, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("the database briefing.db is not there"), "{args:?}: {}", stderr(&output));
        assert!(!clerk.folder.join("briefing.db").exists(), "{args:?}");
    }
}

#[test]
fn a_run_tells_what_it_cost() {
    let clerk = Clerk::new("cost", [Say::text("It is packed.").usage(120, 9)]);
    clerk.out(&["ask", "Where is order 7?"]);
    assert!(clerk.out(&["runs", "0"]).contains("\ncost   0.000495 at the configured prices\n"));
    assert_eq!(clerk.json(&["runs", "0"])["cost"], json!(0.000_495));
    let config = clerk.folder.join("briefing.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("prices = { input = 3.0, output = 15.0 }\n", "")).unwrap();
    assert!(!clerk.out(&["runs", "0"]).contains("cost"));
    assert_eq!(clerk.json(&["runs", "0"])["cost"], Value::Null);
}

#[test]
fn requests_that_cannot_be_forgotten_hold_nothing_up() {
    let clerk = Clerk::new("upkeep", [Say::text("One."), Say::text("Two.")]);
    clerk.out(&["ask", "x"]);
    let database = rusqlite::Connection::open(clerk.folder.join("briefing.db")).unwrap();
    let stuck = "UPDATE requests SET at = 0;
                 CREATE TRIGGER stuck BEFORE DELETE ON requests BEGIN SELECT RAISE(ABORT, 'stuck'); END;";
    database.execute_batch(stuck).unwrap();
    let output = clerk.run(&["ask", "y"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("old requests could not be forgotten: "), "{}", stderr(&output));
}

#[test]
fn requests_that_are_not_to_be_kept_are_not() {
    let clerk = Clerk::new("keep-none", [Say::text("One."), Say::text("Two.")]);
    clerk.out(&["ask", "x"]);
    let config = clerk.folder.join("briefing.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}\n[requests]\nkeep_days = 0\n")).unwrap();
    clerk.out(&["ask", "y"]);
    for run in ["0", "1"] {
        assert_eq!(clerk.json(&["runs", run])["requests"], json!([]));
    }
}

#[test]
fn init_writes_and_tells_no_key() {
    let refused = |args: &[&str]| {
        let folder = scratch("init-key");
        let output = program([&["init", "--yes", "--no-probe"], args].concat()).current_dir(&folder).output().unwrap();
        assert_eq!(code(&output), 78, "{args:?}");
        assert!(!format!("{output:?}").contains("s3cr3t"), "{output:?}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    };
    refused(&["--key-env", "sk-s3cr3t"]);
    refused(&["--model", "x", "--base-url", "https://me:s3cr3t@host/v1"]);
    // Pasted where the variable's name is asked for.
    let folder = scratch("init-pasted");
    let mut typist = Typist::new(&["init", "--no-probe", "--model", "gpt-5"], &folder);
    typist.types("\n\n\nsk-s3cr3t\nMY_KEY\n\n");
    let told = Arc::clone(&typist.told);
    assert_eq!(typist.ends(), 0, "{}", told.lock().unwrap());
    assert!(!told.lock().unwrap().contains("s3cr3t"), "{}", told.lock().unwrap());
    let config = fs::read_to_string(folder.join("briefing.toml")).unwrap();
    assert!(config.contains("key_env = \"MY_KEY\"\n") && !config.contains("s3cr3t"), "{config}");
}

#[test]
fn what_changed_since_it_was_proposed_is_not_done() {
    let turns = [Say::calls([("call_1", "cancel_order", json!({ "number": 7 }))]), Say::text("Asked.")];
    let clerk = Clerk::new("propose", turns);
    let config = clerk.folder.join("briefing.toml");
    let text = fs::read_to_string(&config).unwrap();
    let proposing = "run = [\"./cancel-order\"]\npropose = [\"cat\", \"order.txt\"]";
    fs::write(&config, text.replace("run = [\"./cancel-order\"]", proposing)).unwrap();
    fs::write(clerk.folder.join("order.txt"), "Order 7: one lid").unwrap();
    clerk.out(&["ask", "Cancel order 7"]);
    let cards = clerk.json(&["cards"]);
    assert_eq!(cards["cards"][0]["preview"], "Order 7: one lid");
    fs::write(clerk.folder.join("order.txt"), "Order 7: two lids").unwrap();
    let card = cards["cards"][0]["card"].as_u64().unwrap().to_string();
    let output = clerk.run(&["cards", "confirm", &card]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("has changed since"), "{output:?}");
    assert!(!clerk.folder.join("cancelled").exists());
}
