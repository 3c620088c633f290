//! **Briefing** decides exactly what a language model sees.
//!
//! In the making.

mod call;
mod chain;
mod context;
mod fit;
pub mod log;
pub mod message;
pub mod persona;
pub mod ports;
mod profile;
mod resolver;
pub mod resolvers;
pub mod text;
pub mod texts;
pub mod view;
mod wire;

pub use call::{Call, Tool};
pub use chain::{AssembleError, Chain};
pub use context::{Context, Inbound, Responsibility, Subject};
pub use fit::*;
pub use message::ModelMessage;
pub use persona::Persona;
pub use profile::{ModelProfile, ProfileError, Profiles};
pub use resolver::{Contribution, ResolveError, Resolver};
pub use resolvers::{LoadFile, LoadRecord, LoadText, ThreadHistory};
pub use wire::{Dialect, UnknownWire, Wire};
