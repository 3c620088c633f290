//! Requests that were kept of runs, as `diff` takes them.

use std::path::{Path, PathBuf};

use briefing_store::Store;

use crate::agent::place::LogPlace;
use crate::error::{Failure, Kind};
use crate::input::Input;
use crate::setup::Setup;
use crate::shown::ask;

/// What stands before the name of a run.
const RUN: &str = "run:";

/// A request by its run, and its number in that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    run: String,
    number: Option<u32>,
}

/// Which of two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Sent first: without a number the last of its run.
    Older,
    /// Sent then: without a number the first of its run.
    Newer,
}

/// The request that an argument names; none for a file. Where runs are `meant`, what is no file is one.
pub(crate) fn kept(argument: &Path, meant: bool) -> Option<Named> {
    let text = argument.to_str()?;
    let named = match text.strip_prefix(RUN) {
        Some(named) => named,
        None if meant && text != "-" && !argument.exists() => text,
        None => return None,
    };
    Some(match named.rsplit_once('#').map(|(run, number)| (run, number.parse())) {
        Some((run, Ok(number))) => Named { run: run.to_owned(), number: Some(number) },
        Some((_, Err(_))) | None => Named { run: named.to_owned(), number: None },
    })
}

/// The database of a configuration, opened when the first request of it is wanted.
pub(crate) struct Kept {
    config: Option<PathBuf>,
    log: Option<LogPlace>,
}

impl Kept {
    pub(crate) fn new(config: Option<&Path>) -> Self {
        Self { config: config.map(Path::to_owned), log: None }
    }

    /// The bytes of a request.
    pub(crate) fn request(&mut self, named: &Named, side: Side) -> Result<Input, Failure> {
        let log = match self.log.take() {
            Some(log) => log,
            None => LogPlace::of(&Setup::load(self.config.as_deref())?)?,
        };
        let log = self.log.insert(log);
        let run = log.run(&named.run)?;
        let mut requests = ask(log.store.requests(&log.owner, &run.run.id))?.into_iter();
        let found = match (named.number, side) {
            (Some(number), _) => requests.find(|kept| kept.number == number),
            (None, Side::Older) => requests.next_back(),
            (None, Side::Newer) => requests.next(),
        };
        let found = found.ok_or_else(|| {
            let which = named.number.map_or_else(String::new, |number| format!(" {number}"));
            Failure::new(Kind::NoInput, format!("no request{which} is kept of run {}", named.run))
                .hint(format!("`briefing runs {}` lists its requests; they are forgotten after requests.keep_days", named.run))
        })?;
        let name = format!("{RUN}{}#{}", named.run, found.number);
        let text = String::from_utf8(found.request.body).map_err(|_| {
            Failure::new(Kind::Data, format!("{name} is not UTF-8")).hint("`briefing verify` tells what is damaged")
        })?;
        Ok(Input { name, text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_told_from_a_file() {
        let named = |run: &str, number| Some(Named { run: run.to_owned(), number });
        assert_eq!(kept(Path::new("run:12#3"), false), named("12", Some(3)));
        assert_eq!(kept(Path::new("run:019a-7"), false), named("019a-7", None));
        assert_eq!(kept(Path::new("12"), true), named("12", None));
        assert_eq!(kept(Path::new("12"), false), None);
        assert_eq!(kept(Path::new("-"), true), None);
        assert_eq!(kept(Path::new("Cargo.toml"), true), None);
    }
}
