//! The commands of the agent, against a model that is a script.

#![cfg(all(feature = "agent", unix))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod clerk;
mod support;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use briefing::Wire;
use briefing_agent::scripted::{Refusal, Say, Script, Turn};
use clerk::Clerk;
use serde_json::{Value, json};
use support::{code, program, scratch, stderr};

const EVIL: &str = "\u{1b}[2J\u{9b}31m\u{7f}\r\nforged: line\u{2028}\u{202e}\u{2066}\u{200f}\u{61c}";

fn stdout(output: &std::process::Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Runs a command with that text as standard input.
fn piped(clerk: &Clerk, args: &[&str], text: &str) -> std::process::Output {
    let mut command = program(args);
    command.current_dir(&clerk.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn is_safe(output: &str) -> bool {
    !output.contains(|c: char| (c.is_control() && c != '\n') || "\u{2028}\u{2029}\u{202e}\u{2066}\u{200f}\u{61c}".contains(c))
}

fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event"].as_str().unwrap()).collect()
}

#[test]
fn a_question_is_answered_on_standard_output_alone() {
    for wire in Wire::ALL {
        let clerk = Clerk::with(&format!("ask-{}", wire.name()), wire, Script::turns([Say::text("It leaves\ntomorrow.")]));
        let output = clerk.run(&["ask", "Where is order 7?"]);
        assert_eq!((code(&output), stdout(&output), stderr(&output)), (0, "It leaves\ntomorrow.\n".to_owned(), String::new()));
        assert!(clerk.server.requests()[0].wants_stream(), "{wire:?}");
    }
}

#[test]
fn a_question_is_piped_in_with_files() {
    let clerk = Clerk::new("ask-piped", [Say::text("Read.")]);
    fs::write(clerk.folder.join("notes.txt"), "the lids are late").unwrap();
    let output = piped(&clerk, &["ask", "-", "--file", "notes.txt"], "What do the notes say?\n");
    assert_eq!((code(&output), stdout(&output)), (0, "Read.\n".to_owned()), "{}", stderr(&output));
    let body = clerk.bodies()[0].to_string();
    assert!(body.contains("What do the notes say?") && body.contains("the lids are late"), "{body}");
    for question in ["", " \n"] {
        assert_eq!(code(&clerk.run(&["ask", question])), 64);
    }
    assert_eq!(code(&clerk.run(&["ask", "x", "--file", "not-there"])), 66);
}

#[test]
fn calls_are_told_as_they_are_done() {
    let turns = || {
        [
            Turn::say(Say::text("I look it up.").then_calls([("call_1", "find_order", json!({ "number": 7 }))])),
            Turn::say(Say::calls([("call_2", "broken", json!({})), ("call_3", "nowhere", json!({}))])),
            Turn::say(Say::text("It is packed.")),
        ]
    };
    let clerk = Clerk::new("ask-calls", turns());
    let output = clerk.run(&["ask", "Where is order 7?"]);
    assert_eq!((code(&output), stdout(&output)), (0, "It is packed.\n".to_owned()));
    let told = stderr(&output);
    assert!(
        told.contains("· find_order {\"number\":7}\n") && told.contains("·   find_order gave: {\"status\":\"packed\"}\n"),
        "{told}"
    );
    assert!(told.contains("·   broken failed: ") && told.contains("·   nowhere failed: "), "{told}");
    assert_eq!(stderr(&Clerk::new("ask-quiet", turns()).run(&["ask", "x", "-q"])), "");

    let clerk = Clerk::new("ask-json", turns());
    let events = events(&clerk.out(&["ask", "Where is order 7?", "--json"]));
    let names = names(&events);
    assert_eq!((names[0], names[1], names[names.len() - 1]), ("began", "requested", "ended"));
    for name in ["text", "called", "outcome", "spent"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(events[events.len() - 1]["how"], "answered");
}

#[test]
fn a_chat_that_is_piped_in_takes_each_line_as_a_message() {
    let clerk = Clerk::new("chat-piped", [Say::text("Tomorrow."), Say::text("Today."), Say::text("New.")]);
    let output = piped(&clerk, &["chat"], "Where is order 7?\n\nAnd\\\norder 8?\n/new\nHello\n");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output), "Tomorrow.\nToday.\nNew.\n");
    let bodies = clerk.bodies();
    let second = bodies[1]["messages"].as_array().unwrap();
    assert_eq!(second[0]["content"], "You are Sundae.");
    assert_eq!((&second[1]["content"], &second[2]["content"]), (&json!("Where is order 7?"), &json!("Tomorrow.")));
    assert_eq!(second[3]["content"], "And\norder 8?");
    assert!(!bodies[2].to_string().contains("order 7"));
    // It goes on where it was, by a name too.
    let clerk = Clerk::new("chat-named", [Say::text("one"), Say::text("two"), Say::text("three")]);
    piped(&clerk, &["chat", "--name", "orders"], "first\n");
    piped(&clerk, &["chat", "--resume"], "second\n");
    piped(&clerk, &["chat", "--name", "orders"], "third\n");
    assert_eq!(clerk.bodies()[2]["messages"].as_array().unwrap().len(), 6);
}

#[test]
fn a_message_without_an_answer_is_answered_by_retry() {
    let clerk = Clerk::new("chat-retry", [Turn::refusal(Refusal::UnknownKey), Turn::say(Say::text("Now it works."))]);
    let output = piped(&clerk, &["chat"], "Where is order 7?\n");
    assert_eq!(code(&output), 69, "{}", stderr(&output));
    assert!(stderr(&output).contains("no answer"), "{}", stderr(&output));
    let output = piped(&clerk, &["chat", "--resume"], "/retry\n/retry\n");
    assert_eq!((code(&output), stdout(&output)), (0, "Now it works.\n".to_owned()));
    assert!(stderr(&output).contains("note: it was answered before"), "{}", stderr(&output));
    let output = piped(&clerk, &["chat"], "/retry\n");
    assert!(stderr(&output).contains("nothing was said here yet"), "{}", stderr(&output));
}

#[test]
fn what_was_edited_or_answered_by_another_persona_is_answered_by_retry() {
    let clerk = Clerk::new("chat-edited", [Say::text("Tomorrow."), Say::text("Today."), Say::text("Mara knows.")]);
    piped(&clerk, &["chat"], "Where is order 7?\n");
    let entry = clerk.json(&["runs"])["runs"][0]["entry"].as_u64().unwrap().to_string();
    clerk.out(&["edit", "--entry", &entry, "--text", "Where is order 8?", "--db", "briefing.db"]);
    let output = piped(&clerk, &["chat", "--resume"], "/retry\n/retry\n");
    assert_eq!(stdout(&output), "Today.\n", "{}", stderr(&output));
    assert!(clerk.bodies()[1].to_string().contains("order 8"));
    let persona = clerk.folder.join("persona.toml");
    let other = fs::read_to_string(&persona).unwrap().replace("Sundae", "Mara").replace("sundae@", "mara@");
    fs::write(&persona, other).unwrap();
    let output = piped(&clerk, &["chat", "--resume"], "/retry\n/retry\n");
    assert_eq!(stdout(&output), "Mara knows.\n", "{}", stderr(&output));
    assert_eq!(clerk.bodies().len(), 3);
}

#[test]
fn the_exit_code_tells_how_a_run_ended() {
    let clerk = Clerk::new("ask-refused", [Turn::refusal(Refusal::UnknownKey)]);
    let output = clerk.run(&["ask", "x"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (69, ""));
    let again = || Say::calls([("call_1", "find_order", json!({ "number": 7 }))]);
    let clerk = Clerk::with("ask-limit", Wire::OpenAiChat, Script::answering(move |_| Turn::say(again())));
    let config = fs::read_to_string(clerk.folder.join("briefing.toml")).unwrap();
    fs::write(clerk.folder.join("briefing.toml"), format!("{config}\n[limits]\nrounds = 2\n")).unwrap();
    let output = clerk.run(&["ask", "x"]);
    assert_eq!(code(&output), 75, "{}", stderr(&output));
}

/// Waits until the model was asked, for some seconds.
fn is_asked(clerk: &Clerk) {
    let asked = || !clerk.server.requests().is_empty();
    (0..200).take_while(|_| !asked()).for_each(|_| std::thread::sleep(Duration::from_millis(50)));
}

#[test]
fn ctrl_c_stops_an_answer() {
    let clerk = Clerk::new("ask-stop", [Turn::say(Say::texts(["It ", "leaves ", "tomorrow"])).stall_after(200)]);
    let mut child = program(["ask", "x", "--json"]).current_dir(&clerk.folder).stdout(Stdio::piped()).spawn().unwrap();
    is_asked(&clerk);
    std::thread::sleep(Duration::from_millis(300));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(clerk.json(&["runs"])["runs"][0]["how"], "stopped");
    assert_eq!(clerk.out(&["stop", "0"]), "run 0 has ended: stopped\n");
}

/// What a program that is piped in would have said next is not said any more.
#[test]
fn a_chat_that_is_asked_to_end_ends() {
    for signal in ["-TERM", "-HUP"] {
        let turns = [Turn::say(Say::texts(["It ", "leaves"])).stall_after(200), Turn::say(Say::text("Never."))];
        let clerk = Clerk::new(&format!("chat-end{signal}"), turns);
        let mut child =
            program(["chat"]).current_dir(&clerk.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"one\ntwo\n").unwrap();
        is_asked(&clerk);
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!((clerk.bodies().len(), &clerk.json(&["runs"])["runs"][0]["how"]), (1, &json!("stopped")));
    }
}

#[test]
fn the_doctor_says_what_is_no_database() {
    let clerk = Clerk::new("doctor-folder", [Say::text("Never.")]);
    fs::create_dir(clerk.folder.join("briefing.db")).unwrap();
    let output = clerk.run(&["doctor", "--offline"]);
    assert_eq!(code(&output), 78);
    assert!(stdout(&output).contains("database: briefing.db is no file"), "{}", stdout(&output));
}

#[test]
fn a_failure_is_told_however_quiet() {
    let clerk = Clerk::new("quiet", [Turn::refusal(Refusal::UnknownKey)]);
    let output = clerk.run(&["ask", "-q", "x"]);
    assert_eq!((code(&output), stdout(&output)), (69, String::new()));
    assert!(stderr(&output).starts_with("no answer: "), "{}", stderr(&output));
}

#[test]
fn what_is_no_file_is_not_sent() {
    let clerk = Clerk::new("device", [Turn::say(Say::text("Never."))]);
    let output = clerk.run(&["ask", "x", "--file", "/dev/zero"]);
    assert_eq!(code(&output), 65);
    assert!(stderr(&output).contains("/dev/zero is no file"), "{}", stderr(&output));
}

#[test]
fn a_card_is_confirmed_once() {
    let cancel = |id: &str| Turn::say(Say::calls([(id, "cancel_order", json!({ "number": 7 }))]));
    let say = |text: &str| Turn::say(Say::text(text));
    let clerk = Clerk::new("cards", [cancel("call_1"), say("Asked."), cancel("call_2"), say("Asked again."), say("Done.")]);
    let output = clerk.run(&["ask", "Cancel order 7", "--name", "orders"]);
    assert_eq!((code(&output), stdout(&output)), (0, "Asked.\n".to_owned()), "{}", stderr(&output));
    assert!(stderr(&output).contains("waits for you: cancel_order"), "{}", stderr(&output));
    assert!(!clerk.folder.join("cancelled").exists());
    let cards = clerk.json(&["cards"]);
    let card = cards["cards"][0]["card"].as_u64().unwrap().to_string();
    assert_eq!(cards["cards"][0]["tool"], "cancel_order");
    assert!(clerk.out(&["cards"]).contains(&format!("card {card}: ")));
    assert_eq!(clerk.out(&["cards", "confirm", &card]), format!("card {card}: done\n  | cancelled\n"));
    assert_eq!(fs::read_to_string(clerk.folder.join("cancelled")).unwrap(), "{\"number\":7}");
    assert_eq!(code(&clerk.run(&["cards", "confirm", &card])), 65);
    // Another one, refused.
    clerk.out(&["ask", "Once more", "--name", "orders"]);
    let card = clerk.json(&["cards"])["cards"][0]["card"].as_u64().unwrap().to_string();
    assert_eq!(clerk.json(&["cards", "cancel", &card])["settled"], "cancelled");
    assert_eq!(clerk.json(&["cards"]), json!({ "cards": [] }));
    assert_eq!(fs::read_to_string(clerk.folder.join("cancelled")).unwrap(), "{\"number\":7}");
    clerk.out(&["ask", "And?", "--name", "orders"]);
    let told = clerk.bodies().last().unwrap().to_string();
    assert!(told.contains("[confirmation] done: cancel_order") && told.contains("[confirmation] cancelled"), "{told}");
}

#[test]
fn runs_are_listed_shown_and_made_again() {
    let turns = [
        Say::calls([("call_1", "find_order", json!({ "number": 7 }))]),
        Say::text("It is packed.").usage(120, 9),
        Say::text("You are welcome."),
    ];
    let clerk = Clerk::new("runs", turns);
    clerk.out(&["ask", "Where is order 7?", "--name", "orders"]);
    clerk.out(&["ask", "Thanks", "--name", "orders"]);
    let listed = clerk.json(&["runs"]);
    assert_eq!(listed["runs"].as_array().unwrap().len(), 2);
    let (newest, first) = (&listed["runs"][0], &listed["runs"][1]);
    assert_eq!((&newest["how"], &first["how"], &first["rounds"]), (&json!("answered"), &json!("answered"), &json!(1)));
    let number = |run: &Value| run["run"].as_u64().unwrap().to_string();
    let (first, newest) = (number(first), number(newest));
    let shown = clerk.out(&["runs", &first]);
    assert!(shown.contains("find_order {\"number\":7}") && shown.contains("gave: {\"status\":\"packed\"}"), "{shown}");
    assert_eq!(clerk.json(&["runs", &first])["requests"].as_array().unwrap().len(), 2);
    assert_eq!(clerk.json(&["runs", "--open"])["runs"], json!([]));
    assert_eq!(clerk.json(&["runs", "-n", "1"])["more"], true);

    let replayed = clerk.out(&["replay", &first]);
    assert_eq!(replayed.lines().filter(|line| line.contains(": same, ")).count(), 2, "{replayed}");
    let id = listed["runs"][1]["id"].as_str().unwrap();
    assert_eq!(clerk.json(&["replay", id])["same"], true);
    let held = clerk.run(&["diff", &format!("run:{first}#0"), &format!("run:{first}#1")]);
    assert_eq!(code(&held), 0, "{}{}", stdout(&held), stderr(&held));
    let between = clerk.run(&["diff", "--config", "briefing.toml", &first, &newest]);
    assert!(matches!(code(&between), 0 | 65), "{}", stderr(&between));
    assert!(stdout(&between).starts_with(&format!("run:{first}#1, run:{newest}#0: openai-chat")), "{}", stdout(&between));

    let persona = clerk.folder.join("persona.toml");
    let changed = fs::read_to_string(&persona).unwrap().replace("You are Sundae.", "You are Mara.");
    fs::write(&persona, changed).unwrap();
    let replayed = clerk.run(&["replay", &first]);
    assert_eq!(code(&replayed), 1);
    assert!(stdout(&replayed).contains("different") && stdout(&replayed).contains("You are Mara."), "{}", stdout(&replayed));
    for args in [&["runs", "99"][..], &["replay", "99"], &["stop", "no-such"], &["diff", "run:99", "run:99"]] {
        assert_eq!(code(&clerk.run(args)), 66, "{args:?}");
    }
}

#[test]
fn scheduled_work_is_done_by_its_name() {
    let clerk = Clerk::new("work", [Say::text("All is well.")]);
    let output = clerk.run(&["run-once", "--responsibility", "report"]);
    assert_eq!((code(&output), stdout(&output)), (0, "All is well.\n".to_owned()), "{}", stderr(&output));
    assert!(clerk.bodies()[0].to_string().contains("Write the report of the day."));
    assert_eq!(clerk.json(&["runs"])["runs"][0]["responsibility"], "report");
    let output = clerk.run(&["run-once", "--responsibility", "other", "--json"]);
    assert_eq!(code(&output), 66);
    assert_eq!(events(&stdout(&output))[0]["error"]["kind"], "no-input");
}

#[test]
fn what_a_model_and_a_tool_say_does_not_act_on_a_terminal() {
    let turns = || {
        [
            Say::text(EVIL)
                .then_calls([("call_1", EVIL, json!({ EVIL: EVIL })), ("call_2", "cancel_order", json!({ EVIL: EVIL }))]),
            Say::text(format!("{EVIL} end")),
        ]
    };
    let clerk = Clerk::new("evil", turns());
    let output = clerk.run(&["ask", EVIL]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(is_safe(&stdout(&output)), "{:?}", stdout(&output));
    assert!(
        is_safe(&stderr(&output)) && !stderr(&output).lines().any(|line| line.starts_with("forged")),
        "{:?}",
        stderr(&output)
    );
    for args in [&["runs"][..], &["runs", "0"], &["cards"], &["replay", "0"], &["runs", EVIL], &["stop", EVIL]] {
        for args in [args.to_vec(), [args, &["--json"]].concat()] {
            let output = clerk.run(&args);
            assert!(
                is_safe(&stdout(&output)) && is_safe(&stderr(&output)),
                "{args:?}: {:?} {:?}",
                stdout(&output),
                stderr(&output)
            );
            assert!(
                !stdout(&output).lines().any(|line| line.trim_start().starts_with("forged")),
                "{args:?}: {}",
                stdout(&output)
            );
        }
    }
    let clerk = Clerk::new("evil-chat", turns());
    let output = piped(&clerk, &["chat"], "x\n/cards\n");
    assert!(is_safe(&stdout(&output)) && is_safe(&stderr(&output)), "{:?} {:?}", stdout(&output), stderr(&output));
    let clerk = Clerk::new("evil-json", turns());
    let output = piped(&clerk, &["chat", "--json"], "x\n");
    assert!(is_safe(&stdout(&output)), "{:?}", stdout(&output));
    events(&stdout(&output));
}

#[test]
fn a_key_is_told_nowhere() {
    const KEY: &str = "sk-very-secret-1";
    let clerk = Clerk::new("keys", [Turn::refusal(Refusal::UnknownKey), Turn::refusal(Refusal::UnknownKey)]);
    let path = clerk.folder.join("briefing.toml");
    let config = fs::read_to_string(&path).unwrap();
    let with = |line: &str| config.replace("name = \"scripted-1\"", &format!("name = \"scripted-1\"\n{line}"));
    for line in [
        format!("key = \"{KEY}\""),
        format!("api_key = \"{KEY}\""),
        format!("headers = {{ Authorization = \"Bearer {KEY}\" }}"),
    ] {
        fs::write(&path, with(&line)).unwrap();
        for args in [&["ask", "x"][..], &["doctor", "--offline"], &["runs", "--json"]] {
            let output = clerk.run(args);
            assert_eq!(code(&output), 78, "{line}: {}", stderr(&output));
            assert!(!stdout(&output).contains(KEY) && !stderr(&output).contains(KEY), "{line}: {}", stderr(&output));
        }
    }
    fs::write(clerk.folder.join("key"), format!("{KEY}\n")).unwrap();
    fs::write(&path, with("key_file = \"key\"")).unwrap();
    let output = clerk.run(&["ask", "x"]);
    assert_eq!(code(&output), 69);
    assert!(!stderr(&output).contains(KEY));
    fs::write(&path, with("key_env = \"BRIEFING_TEST_KEY\"")).unwrap();
    let output = clerk.run(&["ask", "x"]);
    assert_eq!(code(&output), 78, "{}", stderr(&output));
    assert!(stderr(&output).contains("BRIEFING_TEST_KEY is not set"), "{}", stderr(&output));
    // What asks no model needs no key.
    clerk.out(&["runs"]);
    clerk.out(&["cards"]);
}

#[test]
fn the_doctor_tells_what_is_wrong_and_what_to_do() {
    let clerk = Clerk::new("doctor", [Say::text("yes")]);
    let looked = clerk.json(&["doctor", "--offline"]);
    assert_eq!(looked["ok"], true, "{looked:#}");
    let states = |looked: &Value| {
        let of = |finding: &Value| format!("{} {}", finding["state"].as_str().unwrap(), finding["what"].as_str().unwrap());
        looked["findings"].as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(
        states(&looked),
        [
            "ok configuration",
            "ok persona",
            "ok database",
            "ok model scripted-1",
            "ok command find_order",
            "ok command cancel_order",
            "ok command broken",
            "ok grant"
        ]
    );
    let persona = clerk.folder.join("persona.toml");
    let text = fs::read_to_string(&persona).unwrap();
    let more = "\n[[tools]]\nname = \"send_email\"\ninput_schema = '{\"type\":\"object\"}'\n";
    fs::write(&persona, text.replace("\"broken\"]", "\"send_email\", \"nothing\"]") + more).unwrap();
    let config = clerk.folder.join("briefing.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, text.replace("./find-order", "./gone")).unwrap();
    let output = clerk.run(&["doctor", "--offline"]);
    assert_eq!(code(&output), 78);
    let told = stdout(&output);
    for line in [
        "fault   command find_order: ./gone is no program that can be run\n",
        "fault   grant: nothing is granted, and is not there\n",
        "fault   grant: send_email is granted and declared under [[tools]], and nothing does it\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    // A server that is not there.
    fs::write(&config, text.replace(&clerk.server.host(), "127.0.0.1:9")).unwrap();
    let output = clerk.run(&["doctor"]);
    assert!(stdout(&output).contains("fault   model scripted-1: "), "{}", stdout(&output));
    // A bound on the cost of a model without prices.
    let unpriced = text.replace("prices = { input = 3.0, output = 15.0 }\n", "");
    fs::write(&config, format!("{unpriced}\n[limits]\ncost = 1.5\n")).unwrap();
    let output = clerk.run(&["doctor", "--offline"]);
    assert_eq!(code(&output), 78);
    assert!(stdout(&output).contains("fault   model scripted-1: limits.cost bounds"), "{}", stdout(&output));
    let output = clerk.run(&["ask", "x"]);
    assert_eq!(code(&output), 78, "{}", stderr(&output));
    assert!(stderr(&output).contains("hint: give each [[model]] its prices"), "{}", stderr(&output));
    // The file itself.
    fs::write(&config, format!("{text}\nunknown = 1\n")).unwrap();
    let output = clerk.run(&["doctor"]);
    assert!(stdout(&output).starts_with("fault   configuration: briefing.toml: "), "{}", stdout(&output));
    fs::remove_file(&config).unwrap();
    let output = clerk.run(&["doctor", "--json", "--config", "briefing.toml"]);
    assert_eq!(code(&output), 78);
}

/// A server that answers whatever it is asked with that status and body, and what it is asked.
fn answering(status: &'static str, body: &'static str) -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, asked) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && std::io::Read::read(&mut stream, &mut byte).unwrap() == 1 {
                head.push(byte[0]);
            }
            let _ = sender.send(String::from_utf8(head).unwrap());
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            let _ = stream.write_all((head + body).as_bytes());
        }
    });
    (base, asked)
}

#[test]
fn the_doctor_asks_a_server_what_models_it_has() {
    let list = r#"{"data":[{"id":"scripted-1","meta":{"n_ctx_train":8192}},{"id":"other"}]}"#;
    for (status, body, line) in [
        (
            "200 OK",
            list,
            "warning model scripted-1: BASE over openai-chat: it takes 8192 tokens, and 128000 are configured\n        do: set context = 8192 under [[model]]\n",
        ),
        (
            "200 OK",
            r#"{"data":[{"id":"other"}]}"#,
            "warning model scripted-1: BASE over openai-chat: it does not list this model\n        do: it lists other; ",
        ),
        (
            "401 Unauthorized",
            r#"{"error":"no \u001b[2J key"}"#,
            "fault   model scripted-1: BASE over openai-chat: the provider refused (401): no  [2J key\n        do: look at the key in BRIEFING_TEST_KEY\n",
        ),
        (
            "403 Forbidden",
            r#"{"error":"neither sk-1 nor gate-1 is a key"}"#,
            "the provider refused (403): neither [secret] nor [secret] is a key\n        do: look at the key in BRIEFING_TEST_KEY\n",
        ),
        ("500 Oh", "x", "fault   model scripted-1: BASE over openai-chat: the provider refused (500): x\n"),
    ] {
        let clerk = Clerk::new("doctor-models", [Say::text("unused")]);
        let (base, asked) = answering(status, body);
        let config = clerk.folder.join("briefing.toml");
        let text = fs::read_to_string(&config).unwrap().replace(&clerk.server.base(Wire::OpenAiChat), &base);
        fs::write(
            &config,
            text.replace(
                "prices",
                "key_env = \"BRIEFING_TEST_KEY\"\nheaders_env = { x-gate-key = \"BRIEFING_TEST_GATE\" }\nprices",
            ),
        )
        .unwrap();
        let mut doctor = program(["doctor"]);
        doctor.env("BRIEFING_TEST_KEY", "sk-1").env("BRIEFING_TEST_GATE", "gate-1");
        let output = doctor.current_dir(&clerk.folder).output().unwrap();
        let told = stdout(&output).replace(&base, "BASE");
        assert!(told.contains(line) && is_safe(&told) && !told.contains("sk-1") && !told.contains("gate-1"), "{told}");
        let asked = asked.recv().unwrap();
        assert!(asked.starts_with("GET /v1/models ") && asked.contains("authorization: Bearer sk-1"), "{asked}");
        assert!(asked.contains("x-gate-key: gate-1"), "{asked}");
    }
    // Without a list a few tokens are asked for, on every wire.
    for wire in Wire::ALL {
        let clerk = Clerk::with(&format!("doctor-token-{}", wire.name()), wire, Script::turns([Say::text("yes")]));
        let output = clerk.run(&["doctor"]);
        assert!(stdout(&output).contains(&format!("over {}: it answers\n", wire.name())), "{}", stdout(&output));
        let body: Value = serde_json::from_slice(&clerk.server.requests().last().unwrap().body).unwrap();
        let limit = match wire {
            Wire::OpenAiChat => body.get("max_completion_tokens").or(body.get("max_tokens")),
            Wire::OpenAiResponses => body.get("max_output_tokens"),
            Wire::Anthropic => body.get("max_tokens"),
            Wire::Gemini => body.pointer("/generationConfig/maxOutputTokens"),
        };
        assert_eq!(limit, Some(&json!(16)), "{body}");
    }
    // And `init` takes the first of the list.
    let (base, _asked) = answering("200 OK", list);
    let folder = scratch("init-served");
    let output = program(["init", "--base-url", &base]).current_dir(&folder).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let config = fs::read_to_string(folder.join("briefing.toml")).unwrap();
    assert!(config.contains("name = \"scripted-1\"") && config.contains("context = 8192"), "{config}");
}

/// Tools of a server over standard input and output: one that looks, one that puts.
const SHELF: &str = r#"#!/bin/sh
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shelf","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"look","inputSchema":{"type":"object"}},{"name":"put","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"method":"tools/call"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"on the shelf"}]}}\n' "$id" ;;
  esac
done
"#;

#[test]
fn tools_of_a_server_are_confirmed_as_it_is_said() {
    let calls = [("call_1", "shelf_look", json!({})), ("call_2", "shelf_put", json!({}))];
    let turns = || [Say::calls(calls.clone()), Say::text("Done.")];
    for (name, confirm, waiting) in [("writes", "", 1), ("all", "confirm = \"all\"", 2), ("none", "confirm = \"none\"", 0)] {
        let clerk = Clerk::new(&format!("mcp-{name}"), turns());
        fs::write(clerk.folder.join("shelf.sh"), SHELF).unwrap();
        let config = clerk.folder.join("briefing.toml");
        let server = format!(
            "\n[[mcp]]\nname = \"shelf\"\nrun = [\"sh\", \"shelf.sh\"]\nprefix = \"shelf\"\nreads = [\"look\"]\n{confirm}\n"
        );
        fs::write(&config, fs::read_to_string(&config).unwrap() + &server).unwrap();
        let persona = clerk.folder.join("persona.toml");
        let granted = fs::read_to_string(&persona).unwrap().replace("\"broken\"]", "\"shelf_look\", \"shelf_put\"]");
        fs::write(&persona, granted).unwrap();
        let output = clerk.run(&["ask", "What is on the shelf?"]);
        assert_eq!((code(&output), stdout(&output)), (0, "Done.\n".to_owned()), "{}", stderr(&output));
        let told = stderr(&output);
        assert_eq!(told.matches("waits for you: ").count(), waiting, "{told}");
        assert_eq!(told.matches("gave: on the shelf").count(), 2 - waiting, "{told}");
        if waiting == 1 {
            let card = clerk.json(&["cards"])["cards"][0]["card"].as_u64().unwrap().to_string();
            assert_eq!(clerk.json(&["cards", "confirm", &card])["said"], "on the shelf");
            let looked = stdout(&clerk.run(&["doctor"]));
            assert!(looked.contains("ok      mcp shelf: 2 tools\n"), "{looked}");
        }
    }
}

#[test]
fn a_server_of_tools_that_is_not_there_stops_nothing_else() {
    let clerk = Clerk::new("mcp-gone", [Say::text("Hello.")]);
    let config = clerk.folder.join("briefing.toml");
    let server = "\n[[mcp]]\nname = \"gone\"\nrun = [\"./gone\"]\n";
    fs::write(&config, fs::read_to_string(&config).unwrap() + server).unwrap();
    let output = clerk.run(&["ask", "Hi"]);
    assert_eq!((code(&output), stdout(&output)), (0, "Hello.\n".to_owned()));
    assert!(
        stderr(&output).contains("mcp \"gone\": ") && stderr(&output).contains("its tools are not there"),
        "{}",
        stderr(&output)
    );
    let output = clerk.run(&["doctor", "--json"]);
    assert_eq!(code(&output), 78);
}

#[test]
fn init_writes_a_configuration_that_works_and_nothing_twice() {
    let clerk = Clerk::new("init", [Say::text("Hello."), Say::text("Hello again.")]);
    let folder = scratch("init-new");
    let base = clerk.server.base(Wire::OpenAiChat);
    let run = |args: &[&str]| program(args).current_dir(&folder).env_remove("OPENAI_API_KEY").output().unwrap();
    let init = ["init", "desk", "--model", "scripted-1", "--base-url", &base, "--persona-name", "Ada \"the\" \\ é"];
    let output = run(&init);
    assert_eq!((code(&output), stdout(&output).lines().count()), (0, 3), "{}", stderr(&output));
    let desk = folder.join("desk");
    assert_eq!(fs::read_to_string(desk.join(".gitignore")).unwrap(), "briefing.db*\n");
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(desk.join("briefing.db")).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    let output = program(["ask", "Hi"]).current_dir(&desk).output().unwrap();
    assert_eq!((code(&output), stdout(&output)), (0, "Hello.\n".to_owned()), "{}", stderr(&output));
    // The configuration is found from a folder below.
    fs::create_dir(desk.join("below")).unwrap();
    let output = program(["ask", "Hi"]).current_dir(desk.join("below")).output().unwrap();
    assert_eq!((code(&output), stdout(&output)), (0, "Hello again.\n".to_owned()), "{}", stderr(&output));
    assert!(clerk.bodies()[0].to_string().contains("You are Ada"), "{}", clerk.bodies()[0]);
    for name in ["briefing.toml", "persona.toml", "briefing.db"] {
        let other = scratch("init-there");
        fs::write(other.join(name), "mine").unwrap();
        let output = program(["init", "--yes", "--no-probe"]).current_dir(&other).output().unwrap();
        assert_eq!(code(&output), 74);
        assert!(stderr(&output).contains(&format!("{name} is there already")), "{}", stderr(&output));
        assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    }
}

#[test]
fn init_takes_the_wire_whose_key_is_there() {
    for (key, wire) in [("OPENAI_API_KEY", "openai-chat"), ("ANTHROPIC_API_KEY", "anthropic"), ("GEMINI_API_KEY", "gemini")] {
        let folder = scratch(&format!("init-{wire}"));
        let mut command = program(["init", "--yes"]);
        for other in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"] {
            command.env_remove(other);
        }
        let output = command.env(key, "x").current_dir(&folder).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let config = fs::read_to_string(folder.join("briefing.toml")).unwrap();
        assert!(config.contains(&format!("wire = \"{wire}\"\nkey_env = \"{key}\"\n")), "{config}");
        let output = program(["doctor", "--offline"]).env(key, "x").current_dir(&folder).output().unwrap();
        assert_eq!(code(&output), 0, "{}", stdout(&output));
    }
}
