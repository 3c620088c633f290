//! What a model takes: the facts that decide what can be sent to it.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::wire::{Dialect, Wire};

/// Facts of one model, or of a family of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelProfile {
    /// The model's name as its provider knows it.
    pub name: Arc<str>,
    /// The wire it is spoken to on.
    pub wire: Wire,
    /// What its server does otherwise.
    pub dialect: Dialect,
    /// Input and output together, in tokens of its own.
    pub context: u32,
    /// The most it answers, in tokens.
    pub max_output: u32,
    /// Whether it takes pictures.
    pub vision: bool,
    /// Whether it takes documents (PDF).
    pub documents: bool,
    /// Whether a list may end with an assistant message that it carries on.
    pub prefill: bool,
    /// Whether a system message may stand behind the first input.
    pub system_anywhere: bool,
    /// Whether users and the assistant must take turns, as chat templates of small models demand ("Conversation roles must alternate
    /// user/assistant/user/assistant/..."): a fixed line stands between two inputs then, between an outcome and an input, and between two
    /// answers; and system text behind the head reads as a user's line. Mistral's own wire is told by its dialect.
    pub alternates: bool,
    /// Whether what the model said must carry its type (`"type":"message"`) on OpenAI Responses. OpenAI and most servers take it without;
    /// llama.cpp refuses that ("Cannot determine type of 'item'").
    pub typed_messages: bool,
    /// Whether an outcome may hold files, on Gemini and on servers that speak OpenAI Responses: Gemini takes them from 3 on. Elsewhere
    /// the wire decides, see [`Self::files_in_outcomes`].
    pub outcome_files: bool,
    /// Whether the first call of each answer must carry a thought signature (Gemini 3, report B64).
    pub signed_calls: bool,
    /// The most pictures of one request.
    pub max_images: u32,
    /// The most Base64 bytes of one picture or document.
    pub max_image_bytes: u64,
    /// The most bytes of one request.
    pub max_request_bytes: u64,
    /// Tokens of one picture: a flat figure, never the length of its data (report B69).
    pub image_tokens: u32,
    /// Tokens that every message costs beside its text.
    pub message_tokens: u32,
    /// What a token count by the estimator is multiplied with to come near the provider's own count.
    pub calibration: f32,
}

impl Default for ModelProfile {
    fn default() -> Self {
        Self {
            name: "unknown".into(),
            wire: Wire::OpenAiChat,
            dialect: Dialect::Compatible,
            context: 128_000,
            max_output: 4_096,
            vision: true,
            documents: true,
            prefill: false,
            system_anywhere: true,
            alternates: false,
            typed_messages: false,
            outcome_files: false,
            signed_calls: false,
            max_images: 100,
            max_image_bytes: 5 * 1024 * 1024,
            max_request_bytes: 32 * 1024 * 1024,
            image_tokens: 1_600,
            message_tokens: 4,
            calibration: 1.0,
        }
    }
}

/// The names of models and what is known of them.
#[derive(Debug, Clone)]
pub struct Profiles {
    /// By a name or a beginning of one; the longest that fits counts.
    families: Vec<(String, toml::Table)>,
}

/// Why a table of profiles cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("profile {family:?}: {problem}")]
pub struct ProfileError {
    /// The family concerned; empty for the file as a whole.
    pub family: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Profiles {
    /// The built-in table.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static TABLE: OnceLock<Profiles> = OnceLock::new();
        TABLE.get_or_init(|| {
            let empty = Profiles { families: Vec::new() };
            empty.extended(include_str!("profiles.toml")).unwrap_or(empty)
        })
    }

    /// This table with more families, or other facts of the same ones, from TOML: a table per family, named by the
    /// beginning of its models' names, its keys the fields of [`ModelProfile`].
    ///
    /// # Errors
    /// [`ProfileError`] for what is not TOML, an unknown key, or a value of another type.
    pub fn extended(&self, text: &str) -> Result<Self, ProfileError> {
        let problem = |family: &str, problem: &dyn std::fmt::Display| ProfileError {
            family: family.to_owned(),
            problem: problem.to_string(),
        };
        let tables: BTreeMap<String, toml::Table> = toml::from_str(text).map_err(|error| problem("", &error))?;
        let mut families = self.families.clone();
        for (family, table) in tables {
            let profile = ModelProfile::deserialize(table.clone()).map_err(|error| problem(&family, &error))?;
            if !(profile.calibration.is_finite() && profile.calibration > 0.0) {
                return Err(problem(&family, &"calibration must be above 0"));
            }
            match families.iter_mut().find(|(name, _)| *name == family) {
                Some((_, known)) => known.extend(table),
                None => families.push((family, table)),
            }
        }
        families.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        Ok(Self { families })
    }

    /// The profile of that model on that wire (none: the wire of its family, else OpenAI Chat). What gateways and clouds put
    /// before a name is ignored: `openai/gpt-5`, `us.anthropic.claude-opus-4-6`, `ft:gpt-4o:mine`.
    #[must_use]
    pub fn model(&self, model: &str, wire: Option<Wire>) -> ModelProfile {
        let bare = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let bare = bare.find("claude").and_then(|at| bare.get(at..)).unwrap_or(&bare);
        let bare = bare.strip_prefix("ft:").unwrap_or(bare);
        let table = self.families.iter().find(|(family, _)| bare.starts_with(family.as_str())).map(|(_, table)| table.clone());
        let mut profile = ModelProfile::deserialize(table.unwrap_or_default()).unwrap_or_default();
        profile.name = model.into();
        if let Some(wire) = wire {
            if wire != profile.wire {
                profile.on_other_wire(wire);
            }
            profile.wire = wire;
        }
        profile
    }
}

impl ModelProfile {
    /// How many calls one assistant message may hold. OpenAI: "Invalid `messages[2].tool_calls`: array too long. Expected an array
    /// with maximum length 128" (<https://github.com/openai/openai-dotnet/issues/317>); of others nothing is known.
    #[must_use]
    pub const fn most_calls(&self) -> usize {
        match (self.wire, self.dialect) {
            (Wire::OpenAiChat, Dialect::Original) => 128,
            (Wire::OpenAiChat, Dialect::Mistral | Dialect::Compatible)
            | (Wire::OpenAiResponses | Wire::Anthropic | Wire::Gemini, _) => usize::MAX,
        }
    }

    /// How many tools a request may declare: 128 on OpenAI's wires, by its documentation.
    #[must_use]
    pub const fn most_tools(&self) -> usize {
        match (self.wire, self.dialect) {
            (Wire::OpenAiChat | Wire::OpenAiResponses, Dialect::Original) => 128,
            (Wire::OpenAiChat | Wire::OpenAiResponses, Dialect::Mistral | Dialect::Compatible)
            | (Wire::Anthropic | Wire::Gemini, _) => usize::MAX,
        }
    }

    /// Whether users and assistants may come in any order, the first and the last message included: OpenAI itself takes that.
    #[must_use]
    pub const fn takes_any_order(&self) -> bool {
        !self.alternates && matches!((self.wire, self.dialect), (Wire::OpenAiChat | Wire::OpenAiResponses, Dialect::Original))
    }

    /// Whether an outcome must be answered before the next input comes.
    #[must_use]
    pub const fn answers_outcomes(&self) -> bool {
        self.alternates || matches!(self.dialect, Dialect::Mistral)
    }

    /// Whether system text behind the head of the list may stay system text. Mistral's order of roles takes none behind an answer
    /// or an outcome, whatever the profile says, nor do chat templates that want turns, and Gemini has no such role.
    #[must_use]
    pub const fn takes_system_anywhere(&self) -> bool {
        self.system_anywhere
            && !self.alternates
            && !matches!(self.dialect, Dialect::Mistral)
            && !matches!(self.wire, Wire::Gemini)
    }

    /// Whether the outcome of a call may hold files; else they stand in a user message behind the round.
    #[must_use]
    pub const fn files_in_outcomes(&self) -> bool {
        match self.wire {
            Wire::OpenAiChat => false,
            Wire::OpenAiResponses => self.outcome_files || matches!(self.dialect, Dialect::Original),
            Wire::Anthropic => true,
            Wire::Gemini => self.outcome_files,
        }
    }

    /// What a wire's usual rules are when a model of another family is spoken to on it, as through a gateway. OpenAI's two wires are
    /// of one house.
    fn on_other_wire(&mut self, wire: Wire) {
        if !self.wire.shares_files_with(wire) {
            self.dialect = Dialect::Compatible;
        } else if self.dialect == Dialect::Mistral {
            self.dialect = Dialect::Compatible;
            self.system_anywhere = true;
        }
        self.prefill = false;
        match wire {
            Wire::OpenAiChat | Wire::OpenAiResponses => self.system_anywhere |= self.dialect == Dialect::Compatible,
            Wire::Anthropic | Wire::Gemini => self.system_anywhere = false,
        }
    }
}
