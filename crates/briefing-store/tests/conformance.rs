//! Every backend passes the suite, and so does the model that they are held against.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr, missing_docs, reason = "tests")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use briefing_store::conformance::CASES;
use briefing_store::{Settings, SqliteStore, Store};
use support::model::Model;

/// Holds new stores against all cases, and names those that failed.
fn hold(make: impl Fn(&std::path::Path) -> Box<dyn Store>) {
    let failed: Vec<&str> = CASES
        .iter()
        .filter(|case| {
            let folder = tempfile::tempdir().unwrap();
            let store = make(folder.path());
            catch_unwind(AssertUnwindSafe(|| pollster::block_on(case.run(store.as_ref())))).is_err()
        })
        .map(|case| case.name)
        .collect();
    assert!(!CASES.is_empty());
    assert_eq!(failed, [""; 0], "{} of {} cases fail", failed.len(), CASES.len());
}

#[test]
fn the_model_conforms() {
    hold(|_| Box::new(Model::default()));
}

#[test]
fn sqlite_conforms() {
    hold(|folder| Box::new(SqliteStore::create(&folder.join("briefing.db"), Settings::default()).unwrap()));
}
