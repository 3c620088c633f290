//! What goes with the messages to a model.

use std::collections::HashMap;
use std::sync::Arc;

use crate::message::RawJson;
use crate::profile::{ModelProfile, Profiles};
use crate::wire::Wire;

/// Everything of one request but its messages. Cloning shares the profile and the tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    profile: Arc<ModelProfile>,
    tools: Arc<[Tool]>,
    parameters: Vec<(Arc<str>, RawJson)>,
    output_reserve: u32,
    cache_marks: bool,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    /// A function with a JSON Schema for its input.
    Function {
        /// Its name.
        name: String,
        /// What it does.
        description: Option<String>,
        /// The schema of its input.
        schema: RawJson,
        /// Unknown fields of the wire that it was read from.
        extra: crate::message::Extra,
    },
    /// A tool that the provider runs, or of a kind that only its wire has: byte for byte, on that wire alone.
    Native {
        /// The wire that it belongs to.
        wire: Wire,
        /// Its name, where it has one.
        name: Option<String>,
        /// The declaration.
        raw: RawJson,
    },
}

impl Tool {
    /// A function with its schema.
    #[must_use]
    pub fn function(name: impl Into<String>, description: impl Into<String>, schema: RawJson) -> Self {
        let extra = crate::message::Extra::default();
        Self::Function { name: name.into(), description: Some(description.into()), schema, extra }
    }

    /// The tool's name, where it has one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Function { name, .. } => Some(name),
            Self::Native { name, .. } => name.as_deref(),
        }
    }
}

impl Call {
    /// A call of the model of that profile, without tools and parameters. An eighth of the context, but no more than the
    /// model can answer and 4,096 tokens, is kept for the answer.
    #[must_use]
    pub fn new(profile: ModelProfile) -> Self {
        let output_reserve = profile.max_output.min(profile.context / 8).min(4_096);
        Self { profile: Arc::new(profile), tools: Arc::from([]), parameters: Vec::new(), output_reserve, cache_marks: false }
    }

    /// A call of a model by its name, on the wire of its family or on the one given.
    #[must_use]
    pub fn model(name: &str, wire: Option<Wire>) -> Self {
        Self::new(Profiles::built_in().model(name, wire))
    }

    /// The same for another profile: another model, or other facts of this one.
    #[must_use]
    pub fn with_profile(mut self, profile: ModelProfile) -> Self {
        self.profile = Arc::new(profile);
        self
    }

    /// The same with these tools.
    #[must_use]
    pub fn tools(mut self, tools: impl Into<Arc<[Tool]>>) -> Self {
        self.tools = tools.into();
        self
    }

    /// The same with a top-level field of the body, such as `temperature`. A field of that name set before is replaced.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<Arc<str>>, value: RawJson) -> Self {
        let name = name.into();
        match self.parameters.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.parameters.push((name, value)),
        }
        self
    }

    /// The same with these top-level fields of the body instead of those before, in order. Of several of one name the last stands.
    #[must_use]
    pub fn parameters_of(mut self, parameters: Vec<(Arc<str>, RawJson)>) -> Self {
        let last: HashMap<Arc<str>, usize> =
            parameters.iter().enumerate().map(|(at, (name, _))| (Arc::clone(name), at)).collect();
        let kept = parameters.into_iter().enumerate().filter(|(at, (name, _))| last.get(name) == Some(at));
        self.parameters = kept.map(|(_, parameter)| parameter).collect();
        self
    }

    /// The same with that many tokens kept for the answer.
    #[must_use]
    pub fn output_reserve(mut self, tokens: u32) -> Self {
        self.output_reserve = tokens;
        self
    }

    /// The same with marks for the provider's prompt cache, where it wants them (Anthropic): behind the tools and the system text,
    /// behind the history, and at the end. Marks that stand in the messages count first.
    #[must_use]
    pub fn cache_marks(mut self, marks: bool) -> Self {
        self.cache_marks = marks;
        self
    }

    /// Whether marks for a prompt cache are set.
    #[must_use]
    pub fn marks_cache(&self) -> bool {
        self.cache_marks
    }

    /// The model's profile.
    #[must_use]
    pub fn profile(&self) -> &ModelProfile {
        &self.profile
    }

    /// The wire.
    #[must_use]
    pub fn wire(&self) -> Wire {
        self.profile.wire
    }

    /// The tools that the model is told of.
    #[must_use]
    pub fn declared_tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The other top-level fields, in order.
    #[must_use]
    pub fn parameters(&self) -> &[(Arc<str>, RawJson)] {
        &self.parameters
    }

    /// The tokens kept for the answer.
    #[must_use]
    pub fn reserved_output(&self) -> u32 {
        self.output_reserve
    }
}
