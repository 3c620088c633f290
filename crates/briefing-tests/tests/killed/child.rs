//! The story in a process of its own, which kills itself.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use briefing::Wire;
use briefing_store::StoreError;
use briefing_tests::watched::{Hook, Point};
use pollster::block_on;

use crate::play::{self, Order};

const FOLDER: &str = "BRIEFING_CHILD_FOLDER";
const WIRE: &str = "BRIEFING_CHILD_WIRE";
/// How many processes there were before.
const BEFORE: &str = "BRIEFING_CHILD_BEFORE";
/// Set where it plays in another order.
const ORDER: &str = "BRIEFING_CHILD_SECOND_FIRST";
/// The point that it kills itself at.
const POINT: &str = "BRIEFING_CHILD_POINT";
/// Holds how many points the story had.
const POINTS: &str = "points";

/// Counts points, and kills the process at one.
struct Killer {
    passed: AtomicUsize,
    at: Option<usize>,
}

impl Killer {
    fn pass(&self) {
        let point = self.passed.fetch_add(1, Ordering::SeqCst) + 1;
        if Some(point) == self.at {
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
            unreachable!("a process outlived its kill");
        }
    }
}

impl Hook for Killer {
    fn before(&self, _: &Point<'_>) -> Result<(), StoreError> {
        self.pass();
        Ok(())
    }

    fn after(&self, _: &Point<'_>, _: bool) {
        self.pass();
    }
}

/// Plays, if this process is to.
pub(crate) fn play() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let wire = std::env::var(WIRE).unwrap();
    let wire = Wire::ALL.into_iter().find(|known| known.name() == wire).unwrap();
    let before = std::env::var(BEFORE).unwrap().parse().unwrap();
    let at = std::env::var(POINT).ok().map(|at| at.parse().unwrap());
    let order = if std::env::var_os(ORDER).is_some() { Order::SecondFirst } else { Order::InOrder };
    let killer = Arc::new(Killer { passed: AtomicUsize::new(0), at });
    let hook: Arc<dyn Hook> = killer.clone();
    block_on(play::play(&play::desk(&folder, &hook, before), wire, &folder, order)).unwrap();
    std::fs::write(folder.join(POINTS), killer.passed.load(Ordering::SeqCst).to_string()).unwrap();
}

/// Plays in another process, as the next one after so many. Whether it came to its end; else it was killed.
pub(crate) fn run(folder: &Path, wire: Wire, order: Order, before: usize, at: Option<usize>) -> bool {
    use std::os::unix::process::ExitStatusExt;

    let told = File::create(folder.join(format!("told-{before}"))).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).env(WIRE, wire.name()).env(BEFORE, before.to_string());
    if order == Order::SecondFirst {
        command.env(ORDER, "");
    }
    if let Some(at) = at {
        command.env(POINT, at.to_string());
    }
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(told).status().unwrap();
    let killed = status.signal() == Some(rustix::process::Signal::KILL.as_raw());
    let mut told = std::fs::read_to_string(folder.join(format!("told-{before}"))).unwrap();
    told.truncate(4_000);
    assert!(status.success() || killed, "{status}: {told}");
    status.success()
}

/// How many points the last story that ended had.
pub(crate) fn points(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join(POINTS)).unwrap().parse().unwrap()
}

/// Appends a line to a file, and lets it reach the disk.
pub(crate) fn append(path: &Path, line: &str) {
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
    file.sync_data().unwrap();
}
