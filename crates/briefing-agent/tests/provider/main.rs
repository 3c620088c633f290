//! Providers over HTTP, against a scripted one on loopback.

#![cfg(all(feature = "http", feature = "scripted"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

#[path = "../../../briefing-wire/tests/support/recorded.rs"]
mod recorded;
mod support;

mod answers;
mod faults;
mod keys;
mod models;
mod retry;
