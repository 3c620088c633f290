//! What the tests and benchmarks of several crates share: generators of hostile lists and logs, the example data, recorded requests.

pub mod chat;
pub mod damage;
pub mod judged;
pub mod list;
pub mod log;
pub mod prefix;
pub mod random;
pub mod recordings;
pub mod synthetic;
pub mod transcripts;
pub mod watched;
