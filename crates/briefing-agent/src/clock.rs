//! Time: given, so that a run can be tested without waiting.

use std::time::Duration;

use jiff::Timestamp;

use crate::BoxFuture;

/// Tells the time and waits.
pub trait Clock: Send + Sync {
    /// Now. It may jump.
    fn now(&self) -> Timestamp;

    /// Ends after that long. Dropping it costs nothing.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// The machine's clock. It sleeps by Tokio's timer, so whoever polls has a Tokio runtime.
#[cfg(feature = "http")]
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

#[cfg(feature = "http")]
impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}
