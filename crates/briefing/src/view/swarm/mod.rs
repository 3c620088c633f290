//! The swarm view: one log per client, shared by several agents, as agent-swarm-kit's ClientHistory keeps it.
//!
//! [`ExactHistory`] tells what the original tells, faults included, in the original's own messages.

mod entry;
mod exact;
mod finding;
mod json;
mod log;
mod message;
mod said;

pub use entry::SwarmEntry;
pub use exact::ExactHistory;
pub use finding::{Finding, Misfit};
pub use log::{SwarmEvent, SwarmLog};
pub use message::{SwarmCall, SwarmFunction, SwarmMessage, SwarmMode, SwarmRole};
pub(crate) use said::with_pictures;
