//! The swarm view: one log per client, shared by several agents, as agent-swarm-kit's ClientHistory keeps it.
//!
//! [`ExactHistory`] tells what the original tells, faults included, in the original's own messages.

mod exact;
mod finding;
mod json;
mod log;
mod message;

pub use exact::ExactHistory;
pub use finding::Finding;
pub use log::{SwarmEvent, SwarmLog};
pub use message::{SwarmCall, SwarmFunction, SwarmMessage, SwarmMode, SwarmRole};
