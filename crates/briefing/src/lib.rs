//! **Briefing** decides exactly what a language model sees.
//!
//! In the making.

mod call;
mod fit;
pub mod log;
pub mod message;
pub mod ports;
mod profile;
pub mod text;
pub mod texts;
mod wire;

pub use call::{Call, Tool};
pub use fit::*;
pub use message::ModelMessage;
pub use profile::{ModelProfile, ProfileError, Profiles};
pub use wire::{Dialect, UnknownWire, Wire};
