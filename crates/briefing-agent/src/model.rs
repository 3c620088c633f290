//! A model as an agent asks it, and what is learned of it on the way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use briefing::message::RawJson;
use briefing::{Call, Dialect, ModelProfile, Tool, Wire};
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
    /// Tokens kept for the answer, and the most that it may take; none: kept as [`Call::new`] does, and no limit where the wire needs none.
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

    /// The call with a limit on what is answered, unless the parameters hold one. Anthropic's wire writes what is reserved by itself.
    fn limited(&self, call: Call, tokens: u32) -> Call {
        let names: &[&str] = match (self.profile.wire, self.profile.dialect) {
            (Wire::OpenAiChat, Dialect::Original) => &["max_completion_tokens", "max_tokens"],
            (Wire::OpenAiChat, Dialect::Mistral | Dialect::Compatible) => &["max_tokens", "max_completion_tokens"],
            (Wire::OpenAiResponses, _) => &["max_output_tokens"],
            (Wire::Gemini, _) => &["generationConfig", "generation_config"],
            (Wire::Anthropic, _) => &[],
        };
        let known = |name: &&str| call.parameters().iter().any(|(parameter, _)| &**parameter == *name);
        let Some(name) = names.first().filter(|_| !names.iter().any(known)) else { return call };
        let value = match self.profile.wire {
            Wire::Gemini => format!("{{\"maxOutputTokens\":{tokens}}}"),
            Wire::OpenAiChat | Wire::OpenAiResponses | Wire::Anthropic => tokens.to_string(),
        };
        match RawJson::new(value) {
            Ok(value) => call.parameter(*name, value),
            Err(_) => call,
        }
    }

    /// The call that asks it, with these tools, as a run makes it: with the parameters, with [`output_reserve`](Self::output_reserve) as
    /// the most that is answered, and with what the provider needs in the body. `calibration` is what was learned of how its tokens
    /// compare with the estimator's, or that of the profile.
    #[must_use]
    pub fn call(&self, tools: &[Tool], calibration: f32) -> Call {
        let profile = ModelProfile { calibration, ..self.profile.clone() };
        let mut call = Call::new(profile).tools(tools).parameters_of(self.parameters.clone()).cache_marks(self.cache_marks);
        if let Some(tokens) = self.output_reserve {
            call = self.limited(call.output_reserve(tokens), tokens);
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

/// What answers and refusals taught of each model of an agent, by its place in the list: how its tokens compare with the estimator's, and
/// how much it takes at most. Shared by the runs of an agent; a new process learns anew.
#[derive(Debug, Default)]
pub(crate) struct Learned(Mutex<HashMap<usize, Lesson>>);

#[derive(Debug, Clone, Copy)]
struct Lesson {
    calibration: f64,
    /// In tokens of the estimator, uncalibrated.
    most: Option<f64>,
}

/// Requests below that many tokens teach nothing: what stands around the text weighs too much there.
const LEAST: u64 = 500;
/// Between these a calibration stays.
const RANGE: (f64, f64) = (0.5, 4.0);
/// A calibration moves in steps, so that windows do not follow every answer.
const STEPS: f64 = 20.0;
/// Of a request that was too large, so much is tried next.
const SHRINK: f64 = 0.6;
/// With each answer so much more is tried again: that it was too large may have been a mistake, or another server.
const GROW: f64 = 1.05;

impl Learned {
    /// The calibration of that model, and the most tokens that it is sent, by that calibration.
    pub(crate) fn of(&self, model: usize, profile: &ModelProfile) -> (f32, Option<u64>) {
        let lesson = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&model).copied();
        let Some(Lesson { calibration, most }) = lesson else { return (profile.calibration, None) };
        #[expect(clippy::cast_possible_truncation, reason = "kept to a twentieth")]
        let told = calibration as f32;
        (told, most.map(|most| whole(most * f64::from(told))))
    }

    /// A request of that many tokens, by the calibration that held, was answered; the provider counted that many, if it says so.
    pub(crate) fn answered(&self, model: usize, profile: &ModelProfile, held: f32, (estimated, counted): (u64, Option<u64>)) {
        self.teach(model, f64::from(profile.calibration), |lesson| {
            lesson.most = lesson.most.map(|most| most * GROW).filter(|most| *most < f64::from(profile.context));
            let Some(counted) = counted.filter(|counted| estimated >= LEAST && *counted >= LEAST) else { return };
            let ratio = f64::from(held) * (real(counted) / real(estimated));
            // Too few tokens foreseen is what breaks a request: learned at once, forgotten slowly.
            let next = if ratio > lesson.calibration { ratio } else { lesson.calibration * 0.8 + ratio * 0.2 };
            lesson.calibration = ((next * STEPS).ceil() / STEPS).clamp(RANGE.0, RANGE.1);
        });
    }

    /// A request of that many tokens, by the calibration that held, was too large. What is tried instead, in the same measure.
    pub(crate) fn too_large(&self, model: usize, held: f32, estimated: u64) -> u64 {
        let next = real(estimated) * SHRINK;
        self.teach(model, f64::from(held), |lesson| lesson.most = Some(next / f64::from(held)));
        whole(next)
    }

    fn teach(&self, model: usize, calibration: f64, lesson: impl FnOnce(&mut Lesson)) {
        let mut lessons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lesson(lessons.entry(model).or_insert(Lesson { calibration, most: None }));
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of tokens, for a ratio")]
fn real(tokens: u64) -> f64 {
    tokens as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive count of tokens")]
fn whole(tokens: f64) -> u64 {
    tokens as u64
}
