//! What a change of each other member of a body does to the provider's cache, as data. Where a line is from stands beside it; a
//! member without a line is listed as undocumented.

use briefing_check::Wire;
use serde::Serialize;

use crate::prompt::Section;

/// What the change of a parameter does to a cached prefix. Closed on purpose: who reads the table has to say which of them is a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "from")]
pub enum Effect {
    /// Nothing: it is no part of the prompt.
    None,
    /// From that section on the cache is not served: a break.
    Breaks(Section),
    /// The same on some models of this provider, not on all: no break here.
    BreaksOnSomeModels(Section),
    /// It decides which cache is asked, or how long one is kept.
    Routing,
    /// It names what is kept at the provider's, which the bodies do not show.
    KeptAtProvider,
    /// The provider does not say.
    Undocumented,
}

/// A line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The wires it holds for.
    pub wires: &'static [Wire],
    /// The member of the body.
    pub name: &'static str,
    /// What its change does.
    pub effect: Effect,
    /// Where that is said.
    pub source: &'static str,
}

const ANTHROPIC: &[Wire] = &[Wire::Anthropic];
const OPENAI: &[Wire] = &[Wire::OpenAiChat, Wire::OpenAiResponses];
const CHAT: &[Wire] = &[Wire::OpenAiChat];
const RESPONSES: &[Wire] = &[Wire::OpenAiResponses];
const GEMINI: &[Wire] = &[Wire::Gemini];

const CLAUDE_CACHING: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#what-invalidates-the-cache";
const CLAUDE_EFFORT: &str = "https://platform.claude.com/docs/en/build-with-claude/effort";
const CLAUDE_STRUCTURED: &str = "https://platform.claude.com/docs/en/build-with-claude/structured-outputs";
const CLAUDE_API: &str = "https://platform.claude.com/docs/en/api/messages";
const OPENAI_CACHING: &str = "https://developers.openai.com/api/docs/guides/prompt-caching";
const OPENAI_PREFIX: &str = "https://developers.openai.com/api/docs/guides/keep-prefix-unchanged";
const OPENAI_CACHING_201: &str = "https://developers.openai.com/cookbook/examples/prompt_caching_201";
const OPENAI_STATE: &str = "https://developers.openai.com/api/docs/guides/conversation-state";
const OPENAI_API: &str = "https://developers.openai.com/api/docs/api-reference";
const GEMINI_CACHING: &str = "https://ai.google.dev/gemini-api/docs/caching";
const GEMINI_API: &str = "https://ai.google.dev/api/generate-content";

const fn rule(wires: &'static [Wire], name: &'static str, effect: Effect, source: &'static str) -> Rule {
    Rule { wires, name, effect, source }
}

/// The table. A name `a.b` is the member `b` of the member `a`.
pub const RULES: &[Rule] = &[
    rule(ANTHROPIC, "tool_choice", Effect::Breaks(Section::Messages), CLAUDE_CACHING),
    rule(ANTHROPIC, "thinking", Effect::Breaks(Section::Messages), CLAUDE_CACHING),
    rule(ANTHROPIC, "speed", Effect::Breaks(Section::System), CLAUDE_CACHING),
    rule(ANTHROPIC, "output_config.effort", Effect::BreaksOnSomeModels(Section::Messages), CLAUDE_EFFORT),
    rule(ANTHROPIC, "output_config.format", Effect::Breaks(Section::System), CLAUDE_STRUCTURED),
    rule(ANTHROPIC, "output_format", Effect::Breaks(Section::System), CLAUDE_STRUCTURED),
    rule(ANTHROPIC, "mcp_servers", Effect::Breaks(Section::Tools), CLAUDE_CACHING),
    rule(ANTHROPIC, "cache_control", Effect::Routing, CLAUDE_CACHING),
    rule(ANTHROPIC, "max_tokens", Effect::None, CLAUDE_API),
    rule(ANTHROPIC, "temperature", Effect::None, CLAUDE_API),
    rule(ANTHROPIC, "top_p", Effect::None, CLAUDE_API),
    rule(ANTHROPIC, "top_k", Effect::None, CLAUDE_API),
    rule(ANTHROPIC, "stop_sequences", Effect::None, CLAUDE_API),
    rule(ANTHROPIC, "stream", Effect::None, CLAUDE_API),
    rule(ANTHROPIC, "metadata", Effect::None, CLAUDE_API),
    rule(ANTHROPIC, "service_tier", Effect::None, CLAUDE_API),
    rule(OPENAI, "response_format", Effect::Breaks(Section::System), OPENAI_CACHING),
    rule(RESPONSES, "text.format", Effect::Breaks(Section::System), OPENAI_CACHING),
    rule(CHAT, "reasoning_effort", Effect::Breaks(Section::Tools), OPENAI_CACHING_201),
    rule(RESPONSES, "reasoning.effort", Effect::Breaks(Section::Tools), OPENAI_PREFIX),
    rule(OPENAI, "prompt_cache_key", Effect::Routing, OPENAI_CACHING),
    rule(OPENAI, "prompt_cache_options", Effect::Routing, OPENAI_CACHING),
    rule(OPENAI, "prompt_cache_retention", Effect::Routing, OPENAI_CACHING),
    rule(RESPONSES, "previous_response_id", Effect::KeptAtProvider, OPENAI_STATE),
    rule(RESPONSES, "conversation", Effect::KeptAtProvider, OPENAI_STATE),
    rule(RESPONSES, "prompt", Effect::KeptAtProvider, OPENAI_API),
    rule(OPENAI, "max_tokens", Effect::None, OPENAI_API),
    rule(OPENAI, "max_completion_tokens", Effect::None, OPENAI_API),
    rule(OPENAI, "max_output_tokens", Effect::None, OPENAI_API),
    rule(OPENAI, "temperature", Effect::None, OPENAI_API),
    rule(OPENAI, "top_p", Effect::None, OPENAI_API),
    rule(OPENAI, "n", Effect::None, OPENAI_API),
    rule(OPENAI, "seed", Effect::None, OPENAI_API),
    rule(OPENAI, "stop", Effect::None, OPENAI_API),
    rule(OPENAI, "frequency_penalty", Effect::None, OPENAI_API),
    rule(OPENAI, "presence_penalty", Effect::None, OPENAI_API),
    rule(OPENAI, "logit_bias", Effect::None, OPENAI_API),
    rule(OPENAI, "logprobs", Effect::None, OPENAI_API),
    rule(OPENAI, "top_logprobs", Effect::None, OPENAI_API),
    rule(OPENAI, "stream", Effect::None, OPENAI_API),
    rule(OPENAI, "stream_options", Effect::None, OPENAI_API),
    rule(OPENAI, "store", Effect::None, OPENAI_API),
    rule(OPENAI, "include", Effect::None, OPENAI_API),
    rule(OPENAI, "metadata", Effect::None, OPENAI_API),
    rule(OPENAI, "user", Effect::None, OPENAI_API),
    rule(OPENAI, "safety_identifier", Effect::None, OPENAI_API),
    rule(OPENAI, "service_tier", Effect::None, OPENAI_API),
    rule(GEMINI, "cachedContent", Effect::KeptAtProvider, GEMINI_CACHING),
    rule(GEMINI, "generationConfig.temperature", Effect::None, GEMINI_API),
    rule(GEMINI, "generationConfig.topP", Effect::None, GEMINI_API),
    rule(GEMINI, "generationConfig.topK", Effect::None, GEMINI_API),
    rule(GEMINI, "generationConfig.seed", Effect::None, GEMINI_API),
    rule(GEMINI, "generationConfig.candidateCount", Effect::None, GEMINI_API),
    rule(GEMINI, "generationConfig.maxOutputTokens", Effect::None, GEMINI_API),
    rule(GEMINI, "generationConfig.stopSequences", Effect::None, GEMINI_API),
    rule(GEMINI, "safetySettings", Effect::None, GEMINI_API),
];

/// Members that are looked into, as their members do different things.
pub(crate) const LOOKED_INTO: [&str; 4] = ["output_config", "text", "reasoning", "generationConfig"];

/// The line of a parameter, if there is one.
pub(crate) fn rule_of(wire: Wire, name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name && rule.wires.contains(&wire))
}

/// A parameter that is not the same in both bodies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParameterChange {
    /// The member; of one that is looked into `member.inner`.
    pub name: String,
    /// How it differs.
    pub change: Change,
    /// What that does.
    pub effect: Effect,
    /// Where that is said; none where nothing is.
    pub source: Option<&'static str>,
}

/// How a parameter differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The newer body has it.
    Added,
    /// The older body had it.
    Gone,
    /// Both have it.
    Altered,
}
