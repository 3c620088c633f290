//! Facts of models: the built-in table, and the user's own.

use std::path::Path;

use briefing::Profiles;

use crate::error::{Failure, Kind};
use crate::input::{MAX_CONFIG, read};

/// The built-in table, with the user's file over it if there is one.
pub(crate) fn load(path: Option<&Path>) -> Result<Profiles, Failure> {
    let Some(path) = path else { return Ok(Profiles::built_in().clone()) };
    let input = read(path, MAX_CONFIG)?;
    Profiles::built_in().extended(&input.text).map_err(|error| {
        Failure::new(Kind::Config, format!("{}: {error}", input.name))
            .hint("a table per family of models, its keys those of crates/briefing/src/profiles.toml")
    })
}
