//! A model as an agent asks it, and what is learned of it on the way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use briefing::message::RawJson;
use briefing::{Call, ModelProfile, Tool};
use briefing_store::Spent;
use briefing_wire::Usage;

use crate::provider::{Provider, Retry};

/// A model, with the provider that reaches it.
#[derive(Clone)]
pub struct Model {
    /// Sends to it.
    pub provider: Arc<dyn Provider>,
    /// What it takes.
    pub profile: ModelProfile,
    /// Further top-level fields of each body, such as `temperature`.
    pub parameters: Vec<(Arc<str>, RawJson)>,
    /// Tokens kept for the answer; none: as [`Call::new`] does.
    pub output_reserve: Option<u32>,
    /// Whether marks for a prompt cache are set.
    pub cache_marks: bool,
    /// What it costs; none: it is not known, and no bound on cost holds.
    pub prices: Option<Prices>,
    /// How a request that failed is tried again.
    pub retry: Retry,
}

/// What tokens cost: millionths of whatever currency, for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prices {
    /// A million tokens read.
    pub input: u64,
    /// A million tokens written.
    pub output: u64,
    /// A million tokens read out of a cache; none: as tokens read.
    pub cache_read: Option<u64>,
    /// A million tokens written to a cache; none: as tokens read.
    pub cache_written: Option<u64>,
}

impl Prices {
    /// What that costs, in millionths of the currency. [`Spent::input`] holds what came from a cache or went to it.
    #[must_use]
    pub fn cost(&self, spent: &Spent) -> u64 {
        let plain = spent.input.saturating_sub(spent.cache_read).saturating_sub(spent.cache_written);
        let parts = [
            (plain, self.input),
            (spent.cache_read, self.cache_read.unwrap_or(self.input)),
            (spent.cache_written, self.cache_written.unwrap_or(self.input)),
            (spent.output, self.output),
        ];
        let total: u128 = parts.iter().map(|(tokens, price)| u128::from(*tokens) * u128::from(*price)).sum();
        u64::try_from(total / 1_000_000).unwrap_or(u64::MAX)
    }
}

impl Model {
    /// A model without more to be said of it.
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>, profile: ModelProfile) -> Self {
        Self {
            provider,
            profile,
            parameters: Vec::new(),
            output_reserve: None,
            cache_marks: false,
            prices: None,
            retry: Retry::default(),
        }
    }

    /// The name by which it is told.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.profile.name
    }

    /// The call that asks it, with what was learned of it.
    pub(crate) fn call(&self, tools: &[Tool], calibration: f32) -> Call {
        let profile = ModelProfile { calibration, ..self.profile.clone() };
        let mut call = Call::new(profile).tools(tools).parameters_of(self.parameters.clone()).cache_marks(self.cache_marks);
        if let Some(tokens) = self.output_reserve {
            call = call.output_reserve(tokens);
        }
        self.provider.prepare(call)
    }
}

/// The usage of one answer as a run's spending.
pub(crate) fn spent(usage: &Usage) -> Spent {
    Spent {
        requests: 1,
        input: usage.input.unwrap_or_default(),
        output: usage.output.unwrap_or_default(),
        cache_read: usage.cache_read.unwrap_or_default(),
        cache_written: usage.cache_written.unwrap_or_default(),
        reasoning: usage.reasoning.unwrap_or_default(),
    }
}

/// What answers and refusals taught of each model, by its name: how its tokens compare with the estimator's, and how much it takes
/// at most. Shared by the runs of an agent; a new process learns anew.
#[derive(Debug, Default)]
pub(crate) struct Learned(Mutex<HashMap<Arc<str>, Lesson>>);

#[derive(Debug, Clone, Copy)]
struct Lesson {
    calibration: f32,
    most: Option<u64>,
}

/// Requests below that many tokens teach nothing: what stands around the text weighs too much there.
const LEAST: u64 = 500;
/// Between these a calibration stays.
const RANGE: (f32, f32) = (0.5, 4.0);
/// A calibration moves in steps, so that windows do not follow every answer.
const STEPS: f32 = 20.0;
/// Of a request that was too large, so much is tried next.
const SHRINK: f64 = 0.6;

impl Learned {
    /// The calibration, and the most tokens that it took, of that profile.
    pub(crate) fn of(&self, profile: &ModelProfile) -> (f32, Option<u64>) {
        let lesson = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&profile.name).copied();
        lesson.map_or((profile.calibration, None), |lesson| (lesson.calibration, lesson.most))
    }

    /// The provider counted `counted` tokens where `estimated` were, by the calibration that held.
    pub(crate) fn counted(&self, profile: &ModelProfile, used: f32, estimated: u64, counted: u64) {
        if estimated < LEAST || counted < LEAST {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "a ratio of token counts, kept to a twentieth")]
        let ratio = used * (counted as f32 / estimated as f32);
        self.teach(profile, |lesson| {
            // Too few tokens foreseen is what breaks a request: learned at once, forgotten slowly.
            let next = if ratio > lesson.calibration { ratio } else { lesson.calibration * 0.8 + ratio * 0.2 };
            lesson.calibration = ((next * STEPS).ceil() / STEPS).clamp(RANGE.0, RANGE.1);
        });
    }

    /// A request of that many tokens was too large. What is tried instead.
    pub(crate) fn too_large(&self, profile: &ModelProfile, estimated: u64) -> u64 {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of tokens"
        )]
        let most = (estimated as f64 * SHRINK) as u64;
        self.teach(profile, |lesson| lesson.most = Some(lesson.most.map_or(most, |before| before.min(most))));
        most
    }

    fn teach(&self, profile: &ModelProfile, lesson: impl FnOnce(&mut Lesson)) {
        let mut lessons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lessons.entry(Arc::clone(&profile.name)).or_insert(Lesson { calibration: profile.calibration, most: None });
        lesson(known);
    }
}
