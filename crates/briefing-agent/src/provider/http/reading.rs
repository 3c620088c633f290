//! A body, piece by piece, within limits.

use std::ops::Deref;
use std::time::Duration;

use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::Limits;

/// A wait that is as good as without end.
const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);

/// When that long is over.
pub(super) fn within(wait: Duration) -> Instant {
    Instant::now() + wait.min(YEAR)
}

/// Reads a response's body.
pub(super) struct Reading {
    response: Response,
    limits: Limits,
    /// When the next byte must have come.
    deadline: Instant,
    /// The limit that the deadline stands for.
    wait: Duration,
    taken: u64,
}

/// Why there is no more.
pub(super) enum Ended {
    /// The connection broke.
    Broken,
    /// Nothing came for so long.
    TimedOut { after: Duration },
    /// More came than may.
    TooLarge,
}

impl Reading {
    /// A body whose first byte must come before the deadline.
    pub(super) fn new(response: Response, deadline: Instant, limits: Limits) -> Self {
        Self { response, limits, deadline, wait: limits.first_byte, taken: 0 }
    }

    /// The next bytes; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Ended> {
        if self.response.content_length().is_some_and(|bytes| self.taken.saturating_add(bytes) > self.limits.answer_bytes) {
            return Err(Ended::TooLarge);
        }
        let bytes = match timeout_at(self.deadline, self.response.chunk()).await {
            Err(_) => return Err(Ended::TimedOut { after: self.wait }),
            Ok(Err(_)) => return Err(Ended::Broken),
            Ok(Ok(None)) => return Ok(None),
            Ok(Ok(Some(bytes))) => bytes,
        };
        self.taken = self.taken.saturating_add(bytes.len() as u64);
        if self.taken > self.limits.answer_bytes {
            return Err(Ended::TooLarge);
        }
        self.wait = self.limits.between_bytes;
        self.deadline = within(self.wait);
        Ok(Some(bytes))
    }
}
