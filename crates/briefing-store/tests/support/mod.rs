//! What the test files share.

pub mod model;
