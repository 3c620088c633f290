//! The loop: runs against a scripted provider on loopback.

#![cfg(all(feature = "http", feature = "scripted"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "../../../briefing-wire/tests/support/encode/mod.rs"]
mod encode;
#[path = "../../../briefing-wire/tests/support/recorded.rs"]
mod recorded;
mod support;

mod cards;
mod engine;
mod faults;
mod hostile;
mod meanwhile;
mod recordings;
mod rounds;
mod schedule;
