//! What the test files share.

pub(crate) mod model;
