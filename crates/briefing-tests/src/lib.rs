//! What the tests and benchmarks of several crates share: generators of hostile lists and logs, and the example data.

pub mod chat;
pub mod damage;
pub mod list;
pub mod log;
pub mod prefix;
pub mod random;
pub mod synthetic;
pub mod transcripts;
