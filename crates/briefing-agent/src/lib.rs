//! **The agent loop**: a persona answers, over any store, provider and set of tools, and every step of it is in the log before its
//! effect.
//!
//! [`Agent`] runs: it asks a [`Model`] through its [`Provider`], does the calls of the answer by the tools of a [`tool::ToolSet`], and asks
//! again until there is an answer. An [`Engine`] sees to it that one run works in a thread at a time. The loop itself needs no
//! runtime: it reads time from a [`Clock`], and is a future that anything may poll.

mod agent;
mod assemble;
mod cards;
mod clock;
mod engine;
mod error;
mod event;
mod inner;
mod model;
pub mod provider;
mod replay;
mod run;
#[cfg(feature = "scripted")]
pub mod scripted;
mod settings;
mod stop;
pub mod tool;

pub use agent::Agent;
pub use cards::Confirmed;
pub use clock::Clock;
#[cfg(feature = "http")]
pub use clock::SystemClock;
pub use engine::{Engine, EngineFuture, StepKey, StoreEngine};
pub use error::AgentError;
pub use event::{Event, Told};
pub use model::{Model, Prices};
pub use provider::{FaultKind, Provider, ProviderFault};
pub use replay::Replayed;
pub use run::Ended;
pub use settings::{Limits, Settings};
pub use stop::Stop;
pub use tool::{Effect, Proposal, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// A boxed future that any thread may poll.
pub type BoxFuture<'a, T> = futures_util::future::BoxFuture<'a, T>;
