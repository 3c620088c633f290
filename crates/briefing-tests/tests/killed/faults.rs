//! Each write fails once, as locked or for want of space, and nothing is lost or doubled.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use briefing::Wire;
use briefing_agent::{AgentError, Clock};
use briefing_store::{RunsOf, Settings, SqliteStore, StoreError};
use briefing_tests::watched::{Hook, Point, What, owner};
use pollster::block_on;

use crate::{WIRES, look, play, prepared};

/// Fails one write.
struct Failing {
    writes: AtomicUsize,
    at: usize,
    with: fn() -> StoreError,
}

impl Hook for Failing {
    fn before(&self, point: &Point<'_>) -> Result<(), StoreError> {
        match point.what {
            What::Write(_) if self.writes.fetch_add(1, Ordering::SeqCst) == self.at => Err((self.with)()),
            What::Write(_) | What::Ask | What::Propose(_) | What::Do(_) => Ok(()),
        }
    }
}

/// Plays until the story ends, an hour later after each failure. How often it broke off, and how many writes there were.
fn play(folder: &Path, wire: Wire, hook: &Arc<Failing>) -> (usize, usize) {
    let hooked: Arc<dyn Hook> = Arc::clone(hook) as Arc<dyn Hook>;
    for broken in 0..3 {
        let desk = play::desk(folder, &hooked, broken);
        match block_on(play::play(&desk, wire, folder, play::Order::InOrder)) {
            Ok(()) => return (broken, hook.writes.load(Ordering::SeqCst)),
            Err(AgentError::Store(StoreError::Locked | StoreError::Full)) => {
                // Nobody has to wait for the run that broke off.
                let open = RunsOf { open: true, ..RunsOf::newest(10) };
                for run in block_on(desk.store.runs(&owner(), open)).unwrap() {
                    assert!(!run.lease.is_some_and(|lease| lease.holds_at(desk.clock.now())), "{run:?}");
                }
            }
            Err(error) => panic!("{error}"),
        }
    }
    panic!("one failure broke it off more than once");
}

#[test]
fn each_write_of_a_store_fails_once() {
    let empty = tempfile::tempdir().unwrap();
    drop(SqliteStore::create(&empty.path().join(play::DATABASE), Settings::default()).unwrap());
    let failing = |at, with| Arc::new(Failing { writes: AtomicUsize::new(0), at, with });
    for wire in WIRES {
        let (broken, writes) = play(prepared(empty.path()).path(), wire, &failing(usize::MAX, || StoreError::Locked));
        assert_eq!(broken, 0);
        let mut all = 0;
        for with in [|| StoreError::Locked, || StoreError::Full] {
            for at in 0..writes {
                let folder = prepared(empty.path());
                let (broken, _) = play(folder.path(), wire, &failing(at, with));
                look::look(folder.path(), wire, broken);
                all += broken;
            }
        }
        eprintln!("{wire}: {writes} writes failed in two ways each; {all} times it broke off and was taken up");
    }
}
