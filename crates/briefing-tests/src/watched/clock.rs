//! A clock that a test sets.

use std::future::poll_fn;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::Poll;
use std::time::Duration;

use briefing_agent::{BoxFuture, Clock};
use jiff::Timestamp;

/// A clock that stands still but for who waits by it: whenever somebody looks whether its wait is over, it moves on by a step.
#[derive(Debug)]
pub struct SetClock {
    micros: AtomicI64,
    step: i64,
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

impl SetClock {
    /// Stands at that second of time, and moves on by `step`.
    #[must_use]
    pub fn new(second: i64, step: Duration) -> Self {
        Self { micros: AtomicI64::new(second.saturating_mul(1_000_000)), step: micros(step) }
    }

    /// Moves it on.
    pub fn advance(&self, time: Duration) {
        self.micros.fetch_add(micros(time), Ordering::SeqCst);
    }

    fn read(&self) -> i64 {
        self.micros.load(Ordering::SeqCst)
    }
}

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_microsecond(self.read()).unwrap_or(Timestamp::MAX)
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        let until = self.read().saturating_add(micros(time));
        Box::pin(poll_fn(move |cx| {
            if self.read() >= until {
                return Poll::Ready(());
            }
            self.micros.fetch_add(self.step, Ordering::SeqCst);
            cx.waker().wake_by_ref();
            Poll::Pending
        }))
    }
}
