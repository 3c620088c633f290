//! **The agent loop**: a persona answers, over any store, provider and set of tools, and every step of it is in the log before its
//! effect.
//!
//! [`Provider`] sends a sealed request and gives an answer; [`Tool`] does what a model asks for. The loop itself needs no runtime: it
//! reads time from a [`Clock`], and is a future that anything may poll.

mod clock;
pub mod provider;
#[cfg(feature = "scripted")]
pub mod scripted;
pub mod tool;

pub use clock::Clock;
#[cfg(feature = "http")]
pub use clock::SystemClock;
pub use provider::{FaultKind, Provider, ProviderFault};
pub use tool::{Effect, Proposal, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// A boxed future that any thread may poll.
pub type BoxFuture<'a, T> = futures_util::future::BoxFuture<'a, T>;
