//! The agent of a configuration: what it is made of, what it tells, and what a person says to it.

pub(crate) mod build;
pub(crate) mod cards;
pub(crate) mod files;
pub(crate) mod kept;
pub(crate) mod person;
pub(crate) mod place;
pub(crate) mod session;
pub(crate) mod tell;

use tokio::runtime::{Builder, Runtime};

use crate::error::{Failure, Kind};

/// What futures of the agent are polled on.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let built = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    built.map_err(|error| Failure::new(Kind::Internal, format!("no runtime can be had: {error}")))
}
