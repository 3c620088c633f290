//! Public fault reports about what a model is told of a conversation, each played through our log and views: what the model
//! reads on every wire, what stays stored, and what the receipt says.
//!
//! `briefing-check` holds the refused bodies of the same reports, `briefing-wire` what becomes of them on a wire. Reports that
//! are a matter of forms alone have no story here.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test stops at the first surprise"
)]

mod common;

#[path = "view_reports/desk.rs"]
mod desk;

#[path = "view_reports/confirmations.rs"]
mod confirmations;
#[path = "view_reports/order.rs"]
mod order;
#[path = "view_reports/room.rs"]
mod room;
