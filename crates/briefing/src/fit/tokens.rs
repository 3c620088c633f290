//! Counting tokens. A count always names its estimator: it is never the provider's own.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Counts the tokens of a text. Implementations are shared between threads and should be fast on text seen before.
pub trait CountTokens: Send + Sync {
    /// The estimator's name, as receipts show it.
    fn name(&self) -> &str;

    /// The tokens of `text`; once there are more than `stop_at`, any number above that.
    fn count(&self, text: &str, stop_at: u64) -> u64;
}

/// A way to count tokens.
#[derive(Clone)]
pub struct Estimator(Arc<dyn CountTokens>);

impl Estimator {
    /// The o200k vocabulary (GPT-4o and later). Counts are cached by content, for the whole process.
    #[must_use]
    pub fn o200k() -> Self {
        static SHARED: OnceLock<Arc<O200k>> = OnceLock::new();
        Self(SHARED.get_or_init(Arc::default).clone())
    }

    /// Characters divided by four, rounded up. Off by a factor of up to three either way: for rough bounds only.
    #[must_use]
    pub fn characters() -> Self {
        Self(Arc::new(Characters))
    }

    /// Your own.
    #[must_use]
    pub fn custom(counter: impl CountTokens + 'static) -> Self {
        Self(Arc::new(counter))
    }

    /// The estimator's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// The tokens of `text`; once there are more than `stop_at`, any number above that.
    #[must_use]
    pub fn count(&self, text: &str, stop_at: u64) -> u64 {
        self.0.count(text, stop_at)
    }
}

impl fmt::Debug for Estimator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Estimator({})", self.name())
    }
}

struct Characters;

impl CountTokens for Characters {
    fn name(&self) -> &str {
        "characters/4"
    }

    fn count(&self, text: &str, _stop_at: u64) -> u64 {
        (text.chars().count() as u64).div_ceil(4)
    }
}

/// How many counts are kept before they are forgotten together.
const CACHED: usize = 65_536;
/// Shorter texts are counted faster than they are looked up.
const CACHED_FROM: usize = 64;

/// Counts by content: a keyed hash, so that no text can be made to share another's count, and the length.
#[derive(Default)]
struct O200k {
    keys: RandomState,
    counts: Mutex<HashMap<(u64, usize), u64>>,
}

impl CountTokens for O200k {
    fn name(&self) -> &str {
        "o200k"
    }

    fn count(&self, text: &str, stop_at: u64) -> u64 {
        let tokenizer = bpe_openai::o200k_base();
        if text.len() < CACHED_FROM {
            return tokenizer.count(text) as u64;
        }
        let key = (self.keys.hash_one(text), text.len());
        if let Some(count) = self.counts.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *count;
        }
        let limit = usize::try_from(stop_at).unwrap_or(usize::MAX);
        let Some(count) = tokenizer.count_till_limit(&tokenizer.normalize(text), limit) else {
            return stop_at.saturating_add(1);
        };
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= CACHED {
            counts.clear();
        }
        counts.insert(key, count as u64);
        count as u64
    }
}
