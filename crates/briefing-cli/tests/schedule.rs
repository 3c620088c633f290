//! Scheduled runs: kept, listed, done when they are due, cancelled.

#![cfg(all(feature = "agent", unix))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "what fails here fails the test")]

mod clerk;
mod support;

use std::fs;
use std::process::Output;

use briefing_agent::scripted::{Refusal, Say, Turn};
use clerk::Clerk;
use serde_json::{Value, json};
use support::{code, program, stderr};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Schedules the report, and gives the id of its run.
fn schedule(clerk: &Clerk, at: &str) -> String {
    let told = clerk.json(&["run-once", "--responsibility", "report", "--at", at]);
    assert_eq!((told["event"].as_str(), told["responsibility"].as_str()), (Some("scheduled"), Some("report")));
    told["run"].as_str().unwrap().to_owned()
}

fn scheduled(clerk: &Clerk) -> Vec<String> {
    let told = clerk.json(&["runs", "--scheduled"]);
    told["scheduled"].as_array().unwrap().iter().map(|work| work["run"].as_str().unwrap().to_owned()).collect()
}

const PAST: &str = "2026-01-01T08:00:00+02:00";
const LATER: &str = "2026-01-01T09:00:00+02:00";
const FUTURE: &str = "2126-01-01T08:00:00Z";

#[test]
fn what_is_due_is_done_once() {
    let clerk = Clerk::new("due", [Say::text("The first."), Say::text("The second.")]);
    let output = clerk.run(&["run-once", "--due"]);
    assert_eq!((code(&output), stderr(&output)), (0, "nothing is due\n".to_owned()), "there is no database yet");
    assert!(!clerk.folder.join("briefing.db").exists());
    let (second, first, future) = (schedule(&clerk, LATER), schedule(&clerk, PAST), schedule(&clerk, FUTURE));
    assert_eq!(scheduled(&clerk), [first.clone(), second.clone(), future.clone()]);
    assert_eq!(clerk.json(&["runs"])["runs"], json!([]));
    let output = clerk.run(&["run-once", "--due", "--quiet"]);
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (0, "The first.\nThe second.\n".to_owned(), String::new()));
    let runs = clerk.json(&["runs"])["runs"].clone();
    assert_eq!((runs[1]["id"].as_str(), runs[0]["id"].as_str()), (Some(&*first), Some(&*second)));
    assert_eq!((&runs[0]["how"], &runs[0]["responsibility"]), (&json!("answered"), &json!("report")));
    assert!(clerk.bodies()[0].to_string().contains("Write the report of the day."));
    let output = clerk.run(&["run-once", "--due"]);
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (0, String::new(), "nothing is due\n".to_owned()));
    assert_eq!((scheduled(&clerk), clerk.bodies().len()), (vec![future], 2));
}

#[test]
fn a_time_without_an_offset_is_of_the_systems_zone() {
    let clerk = Clerk::new("due-local", [Say::text("unasked")]);
    let args = ["run-once", "--responsibility", "report", "--at", "2126-12-01T08:00"];
    let output = program(args).current_dir(&clerk.folder).env("TZ", "EET-2").output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let [id] = &scheduled(&clerk)[..] else { panic!("one is scheduled") };
    assert_eq!(stdout(&output), format!("run {id} of report is due at 2126-12-01T06:00:00Z\n"));
    let table = clerk.out(&["runs", "--scheduled"]);
    assert!(table.contains("due") && table.contains("2126-12-01 06:00") && table.contains("sundae@scoop.example"), "{table}");
    for wrong in [
        &["run-once", "--responsibility", "report", "--at", "tomorrow"][..],
        &["run-once", "--at", FUTURE],
        &["run-once", "--at", FUTURE, "--due"],
        &["run-once", "--responsibility", "report", "--due"],
        &["run-once"],
        &["runs", "--scheduled", "--open"],
    ] {
        assert_eq!(code(&clerk.run(wrong)), 64, "{wrong:?}");
    }
    let unknown = ["run-once", "--responsibility", "other", "--at", FUTURE];
    assert_eq!(code(&clerk.run(&unknown)), 66);
    assert_eq!(scheduled(&clerk).len(), 1);
}

#[test]
fn a_scheduled_run_is_cancelled() {
    let clerk = Clerk::new("due-cancelled", [Say::text("unasked")]);
    let (id, other) = (schedule(&clerk, PAST), schedule(&clerk, PAST));
    assert_eq!(clerk.out(&["stop", &id]), "run 0 is cancelled: it was not begun\n");
    assert_eq!(clerk.out(&["stop", &id]), "run 0 has ended: stopped\n");
    assert_eq!(scheduled(&clerk), std::slice::from_ref(&other));
    let told = clerk.json(&["stop", &other]);
    assert_eq!(told, json!({ "run": 1, "id": other, "asked": false, "at_work": false, "cancelled": true, "ended": "stopped" }));
    assert_eq!((stdout(&clerk.run(&["run-once", "--due"])), clerk.bodies().len()), (String::new(), 0));
    assert!(clerk.out(&["runs", "0"]).contains("began  never\nend    stopped\n"));
    assert_eq!(code(&clerk.run(&["stop", "no-such"])), 66);
}

#[test]
fn one_that_cannot_be_done_does_not_keep_the_others() {
    let turns = [Turn::refusal(Refusal::UnknownKey), Turn::say(Say::text("The last."))];
    let clerk = Clerk::new("due-others", turns);
    let persona = clerk.folder.join("persona.toml");
    let text = fs::read_to_string(&persona).unwrap();
    let renamed = text.replace("name = \"report\"", "name = \"digest\"");
    fs::write(&persona, &renamed).unwrap();
    let told = clerk.json(&["run-once", "--responsibility", "digest", "--at", PAST]);
    let gone = told["run"].as_str().unwrap();
    fs::write(&persona, &text).unwrap();
    let (failing, last) = (schedule(&clerk, LATER), schedule(&clerk, "2026-01-02T08:00:00Z"));
    // Another persona of the same owner leaves them alone.
    fs::write(&persona, text.replace("sundae@scoop.example", "cone@scoop.example")).unwrap();
    assert_eq!(stderr(&clerk.run(&["run-once", "--due"])), "nothing is due\n");
    fs::write(&persona, &text).unwrap();
    let output = clerk.run(&["run-once", "--due", "--json"]);
    assert_eq!(code(&output), 69, "{}", stderr(&output));
    let lines: Vec<Value> = stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["error"]["kind"], "no-input");
    assert!(lines[0]["error"]["hint"].as_str().unwrap().contains(&format!("`briefing stop {gone}`")), "{}", lines[0]);
    let ended = lines.iter().filter(|line| line["event"] == "ended").map(|line| line["how"].as_str().unwrap());
    assert_eq!(ended.collect::<Vec<_>>(), ["failed", "answered"]);
    let began = lines.iter().filter(|line| line["event"] == "began").map(|line| line["run"].as_str().unwrap());
    assert_eq!(began.collect::<Vec<_>>(), [failing, last]);
    assert_eq!(scheduled(&clerk), [gone]);
    let output = clerk.run(&["run-once", "--due"]);
    assert_eq!(code(&output), 66);
    assert!(stderr(&output).contains("has no responsibility \"digest\""), "{}", stderr(&output));
    assert_eq!(clerk.bodies().len(), 2);
}
