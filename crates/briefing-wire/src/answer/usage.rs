//! What an answer cost, by the providers' own counts.

use briefing::Wire;
use briefing_json::{Value, present};

/// Tokens that a provider counted; none where it does not say. The totals mean the same on every wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// All tokens of the input, those read from or written to a cache included. Anthropic counts these apart; here they are added.
    pub input: Option<u64>,
    /// All tokens of the output, reasoning included. Gemini counts its thoughts apart; here they are added.
    pub output: Option<u64>,
    /// Of the input, what was read from a cache.
    pub cache_read: Option<u64>,
    /// Of the input, what was written to a cache.
    pub cache_written: Option<u64>,
    /// Of the output, what was reasoning.
    pub reasoning: Option<u64>,
}

/// The member at that path, if it is a whole number.
fn number(usage: Value<'_>, path: &[&str]) -> Option<u64> {
    let mut value = usage;
    for key in path {
        value = present(value, key)?;
    }
    value.raw().parse().ok()
}

/// The sum of those that are known; none if none is.
fn sum(numbers: &[Option<u64>]) -> Option<u64> {
    numbers.iter().flatten().copied().reduce(u64::saturating_add)
}

/// Reads the usage of a whole response.
pub(super) fn usage(wire: Wire, usage: Value<'_>) -> Usage {
    let number = |path: &[&str]| number(usage, path);
    match wire {
        Wire::OpenAiChat => Usage {
            input: number(&["prompt_tokens"]),
            output: number(&["completion_tokens"]),
            // DeepSeek has a field of its own besides.
            cache_read: number(&["prompt_tokens_details", "cached_tokens"]).or_else(|| number(&["prompt_cache_hit_tokens"])),
            cache_written: number(&["prompt_tokens_details", "cache_write_tokens"]),
            reasoning: number(&["completion_tokens_details", "reasoning_tokens"]),
        },
        Wire::OpenAiResponses => Usage {
            input: number(&["input_tokens"]),
            output: number(&["output_tokens"]),
            cache_read: number(&["input_tokens_details", "cached_tokens"]),
            cache_written: number(&["input_tokens_details", "cache_write_tokens"]),
            reasoning: number(&["output_tokens_details", "reasoning_tokens"]),
        },
        Wire::Anthropic => AnthropicUsage::of(usage).usage(),
        Wire::Gemini => Usage {
            input: sum(&[number(&["promptTokenCount"]), number(&["toolUsePromptTokenCount"])]),
            output: sum(&[number(&["candidatesTokenCount"]), number(&["thoughtsTokenCount"])]),
            cache_read: number(&["cachedContentTokenCount"]),
            cache_written: None,
            reasoning: number(&["thoughtsTokenCount"]),
        },
    }
}

/// Anthropic's counts as they arrive: at the start, and again with what the output came to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnthropicUsage {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_written: Option<u64>,
    thinking: Option<u64>,
}

impl AnthropicUsage {
    pub(super) fn of(usage: Value<'_>) -> Self {
        Self {
            input: number(usage, &["input_tokens"]),
            output: number(usage, &["output_tokens"]),
            cache_read: number(usage, &["cache_read_input_tokens"]),
            cache_written: number(usage, &["cache_creation_input_tokens"]),
            thinking: number(usage, &["output_tokens_details", "thinking_tokens"]),
        }
    }

    /// Counts are cumulative: the later stand.
    pub(super) fn update(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.output = later.output.or(self.output);
        self.cache_read = later.cache_read.or(self.cache_read);
        self.cache_written = later.cache_written.or(self.cache_written);
        self.thinking = later.thinking.or(self.thinking);
    }

    /// As a whole response has them.
    pub(super) fn json(self) -> String {
        let counts = [
            ("input_tokens", self.input),
            ("cache_read_input_tokens", self.cache_read),
            ("cache_creation_input_tokens", self.cache_written),
            ("output_tokens", self.output),
        ];
        let counts = counts.iter().filter_map(|(name, count)| Some(format!("\"{name}\":{}", (*count)?)));
        let thinking = self.thinking.map(|count| format!("\"output_tokens_details\":{{\"thinking_tokens\":{count}}}"));
        format!("{{{}}}", counts.chain(thinking).collect::<Vec<_>>().join(","))
    }

    pub(super) fn usage(self) -> Usage {
        Usage {
            input: sum(&[self.input, self.cache_read, self.cache_written]),
            output: self.output,
            cache_read: self.cache_read,
            cache_written: self.cache_written,
            reasoning: self.thinking,
        }
    }
}
