//! The database as commands open it, and its failures as the program tells them.

use std::path::Path;
use std::time::Duration;

use briefing::message::OwnerId;
use briefing_store::{Settings, SqliteStore, StoreError};

use crate::args::DbArgs;
use crate::error::{Failure, Kind};

/// Opens a database that is there.
pub(crate) fn open(path: &Path) -> Result<SqliteStore, Failure> {
    SqliteStore::open(path, Settings::default()).map_err(failure)
}

/// Makes a database that is not there, to be worked with as one that is opened.
#[cfg(feature = "agent")]
pub(crate) fn make(path: &Path) -> Result<SqliteStore, Failure> {
    SqliteStore::create(path, Settings::default()).map_err(failure)
}

/// How long an import waits for its turn where several write at once: turns are not fair.
const PATIENCE: Duration = Duration::from_secs(120);

/// Opens a database to import into, or makes it.
pub(crate) fn create(path: &Path) -> Result<SqliteStore, Failure> {
    SqliteStore::create(path, Settings { patience: PATIENCE, ..Settings::default() }).map_err(failure)
}

/// Whose log it is.
pub(crate) fn owner(args: &DbArgs) -> OwnerId {
    args.owner.clone().map_or_else(OwnerId::default, OwnerId::new)
}

/// A failure of the store.
pub(crate) fn failure(error: StoreError) -> Failure {
    let kind = match &error {
        StoreError::UnknownThread { .. }
        | StoreError::UnknownEntry { .. }
        | StoreError::UnknownRun { .. }
        | StoreError::Missing { .. } => Kind::NoInput,
        StoreError::RunBegun { .. }
        | StoreError::ScheduledOtherwise { .. }
        | StoreError::Answered { .. }
        | StoreError::RunEnded { .. }
        | StoreError::Fenced { .. }
        | StoreError::Leased { .. }
        | StoreError::CardClaimed { .. }
        | StoreError::RoundRecorded { .. }
        | StoreError::TooMany { .. }
        | StoreError::TooDeep { .. }
        | StoreError::UnknownCall { .. }
        | StoreError::Moved { .. }
        | StoreError::Settled { .. }
        | StoreError::NotACard { .. }
        | StoreError::NotAMessage { .. }
        | StoreError::Forked { .. }
        | StoreError::NotABeginning { .. }
        | StoreError::FirstOfThread { .. }
        | StoreError::Merged { .. }
        | StoreError::TooLarge { .. }
        | StoreError::NewerSchema { .. }
        | StoreError::OtherMigration { .. }
        | StoreError::NotOurs { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Blob { .. } => Kind::Data,
        StoreError::Locked | StoreError::Full | StoreError::ReadOnly | StoreError::Io { .. } => Kind::Io,
        StoreError::Backend(_) => Kind::Internal,
    };
    let failure = Failure::new(kind, error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
