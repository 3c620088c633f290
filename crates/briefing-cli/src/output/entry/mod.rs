//! Entries of a database: for people as a head at the margin with what it holds moved in below it, for programs as an object.

mod json;
mod said;
mod text;

pub(crate) use json::{object, summary};
pub(crate) use text::text;
