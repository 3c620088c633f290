//! An agent whose process is killed, or whose store fails, before and after each of its writes, requests, tool runs and answers.
//!
//! A process of this program plays a whole story over a database: a message of four rounds with reads side by side, writes and a card,
//! the card confirmed, scheduled work, a second message. It kills itself (SIGKILL) at one point; another one plays the story again,
//! after the lease has lapsed; and what is left is looked at.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    missing_docs,
    reason = "a test stops at the first surprise, and tells how often it killed"
)]

#[path = "killed/child.rs"]
mod child;
#[path = "killed/faults.rs"]
mod faults;
#[path = "killed/log.rs"]
mod log;
#[path = "killed/look.rs"]
mod look;
#[path = "killed/play.rs"]
mod play;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use briefing::Wire;
use briefing_store::{Settings, SqliteStore};
use play::Order;

/// The wires that every point is tried on.
const WIRES: [Wire; 2] = [Wire::OpenAiChat, Wire::Anthropic];
/// So many points there are at least.
const LEAST: usize = 200;
/// Every such point is followed by a second kill.
const SECOND_KILL: usize = 5;
/// After every such kill the second message is answered before the first one.
const SECOND_FIRST: usize = 3;
/// The second process is killed at one of its first points.
const SECOND_POINTS: usize = 47;
/// How many stories are played at once.
const AT_ONCE: usize = 4;

/// The story, in a process that the test kills. In the parent, nothing.
#[test]
fn child() {
    child::play();
}

/// Where a story is killed.
struct Kill {
    wire: Wire,
    at: usize,
    again: Option<usize>,
    then: Order,
}

#[test]
fn killed_before_and_after_every_effect() {
    let empty = tempfile::tempdir().unwrap();
    drop(SqliteStore::create(&empty.path().join(play::DATABASE), Settings::default()).unwrap());
    let mut kills = Vec::new();
    for wire in WIRES {
        let folder = prepared(empty.path());
        assert!(child::run(folder.path(), wire, Order::InOrder, 0, None), "{wire}");
        look::look(folder.path(), wire, 0);
        let points = child::points(folder.path());
        eprintln!("{wire}: {points} points");
        kills.extend((1..=points).map(|at| {
            let again = (at % SECOND_KILL == 0).then(|| 1 + at * 7 % SECOND_POINTS);
            let then = if at % SECOND_FIRST == 0 { Order::SecondFirst } else { Order::InOrder };
            Kill { wire, at, again, then }
        }));
    }
    assert!(kills.len() >= LEAST, "{} points", kills.len());
    let (next, twice) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(kill) = kills.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let story = std::panic::AssertUnwindSafe(|| killed(empty.path(), kill));
                    match std::panic::catch_unwind(story) {
                        Ok(again) => twice.fetch_add(usize::from(again), Ordering::Relaxed),
                        Err(_) => {
                            failed.lock().unwrap().push(format!("{} at {} and {:?}", kill.wire, kill.at, kill.again));
                            0
                        }
                    };
                }
            });
        }
    });
    let twice = twice.into_inner();
    eprintln!("killed at {} points, {twice} of them twice", kills.len());
    assert_eq!(failed.into_inner().unwrap(), Vec::<String>::new());
    assert!(twice > 0);
}

/// A folder with an empty database.
fn prepared(empty: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(empty.join(play::DATABASE), folder.path().join(play::DATABASE)).unwrap();
    folder
}

/// Plays the story with its kills, and then to its end. Whether it was killed twice.
fn killed(empty: &Path, kill: &Kill) -> bool {
    let folder = prepared(empty);
    assert!(!child::run(folder.path(), kill.wire, Order::InOrder, 0, Some(kill.at)), "no point {}", kill.at);
    let mut kills = 1;
    if kill.again.is_some() && !child::run(folder.path(), kill.wire, kill.then, kills, kill.again) {
        kills += 1;
    }
    assert!(child::run(folder.path(), kill.wire, kill.then, kills, None), "the story does not end");
    look::look(folder.path(), kill.wire, kills);
    kills > 1
}
