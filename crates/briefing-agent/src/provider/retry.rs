//! Trying again: when is data and a pure function, so that tests are exact.

use std::time::Duration;

use briefing_wire::{Answer, Request, StreamEvent};
use jiff::Timestamp;

use super::{FaultKind, Provider, ProviderFault};
use crate::Clock;

/// How often and how long to try again what may pass.
///
/// The wait before an attempt is half of a time that doubles from attempt to attempt, and a random share of the other half, so that many who failed
/// at one moment do not come back at one moment. The randomness is a hash of a seed: the same seed waits the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How many attempts there are at most, the first included.
    pub attempts: u32,
    /// The longest wait after the first attempt; it doubles with each one.
    pub first: Duration,
    /// The longest wait after any attempt, what a provider asks for aside.
    pub most: Duration,
    /// The longest wait that a provider may ask for. If it asks for more, its fault stands at once.
    pub asked: Duration,
    /// No attempt begins later than this after the first one did.
    pub total: Duration,
}

impl Default for Retry {
    /// Four attempts, waits of up to 1, 2 and 4 s, one minute if a provider asks for it, five minutes in all.
    fn default() -> Self {
        Self {
            attempts: 4,
            first: Duration::from_secs(1),
            most: Duration::from_secs(30),
            asked: Duration::from_secs(60),
            total: Duration::from_secs(300),
        }
    }
}

impl Retry {
    /// One attempt.
    #[must_use]
    pub fn never() -> Self {
        Self { attempts: 1, ..Self::default() }
    }

    /// How long to wait after an attempt that failed; none: the fault stands. `attempt` counts from one, `spent` is the time since the
    /// first began. Where the provider asks for a wait, the jitter comes on top of it.
    #[must_use]
    pub fn wait(&self, attempt: u32, spent: Duration, fault: &ProviderFault, seed: u64) -> Option<Duration> {
        let retry_after = match fault.kind() {
            FaultKind::Transient { retry_after } => retry_after.unwrap_or_default(),
            FaultKind::TooLarge | FaultKind::Permanent => return None,
        };
        if attempt >= self.attempts || retry_after > self.asked {
            return None;
        }
        let wait = retry_after.saturating_add(self.jitter(attempt, seed));
        (spent.saturating_add(wait) <= self.total).then_some(wait)
    }

    /// A share of the attempt's longest wait, in whole milliseconds.
    fn jitter(&self, attempt: u32, seed: u64) -> Duration {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let longest = self.first.saturating_mul(doubled).min(self.most);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes()).update(&attempt.to_le_bytes());
        let share = first_bytes(&hasher.finalize());
        // Half of it in any case: who comes back at once is refused again.
        let half = longest.as_millis() / 2;
        let millis = half + (half.saturating_mul(u128::from(share)) >> 64);
        Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))
    }
}

/// The first eight bytes of a hash, as a number.
fn first_bytes(hash: &blake3::Hash) -> u64 {
    hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// An attempt failed, and another one follows.
#[derive(Debug, Clone, Copy)]
pub struct Retrying<'a> {
    /// Which attempt failed, from one.
    pub attempt: u32,
    /// Why.
    pub fault: &'a ProviderFault,
    /// How long it is until the next one.
    pub wait: Duration,
    /// When the next one begins.
    pub at: Timestamp,
}

/// Sends the request until it has an answer, a fault that does not pass, or no attempt left. The seed is the request's hash.
///
/// `told` hears what arrives in every attempt. `told_retry` hears before each wait that what the last attempt told is void: whoever
/// shows streamed text takes it back. Dropping the future breaks off the attempt or the wait.
///
/// # Errors
/// The fault of the last attempt.
pub async fn send_with_retries(
    provider: &dyn Provider,
    request: &Request,
    retry: &Retry,
    clock: &dyn Clock,
    told_retry: &mut (dyn FnMut(&Retrying<'_>) + Send),
    told: &mut (dyn FnMut(&StreamEvent) + Send),
) -> Result<Answer, ProviderFault> {
    let began = clock.now();
    let mut attempt = 1;
    loop {
        let fault = match provider.send(request, told).await {
            Ok(answer) => return Ok(answer),
            Err(fault) => fault,
        };
        let now = clock.now();
        // A clock that jumped back has spent nothing.
        let spent = Duration::try_from(now.duration_since(began)).unwrap_or_default();
        let Some(wait) = retry.wait(attempt, spent, &fault, first_bytes(&request.hash())) else { return Err(fault) };
        let at = now.checked_add(wait).unwrap_or(Timestamp::MAX);
        told_retry(&Retrying { attempt, fault: &fault, wait, at });
        clock.sleep(wait).await;
        attempt = attempt.saturating_add(1);
    }
}
