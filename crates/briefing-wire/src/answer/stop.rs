//! Why a model stopped, in the words of each wire.

use briefing::Wire;

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It was done.
    End,
    /// It wrote one of the texts that were to stop it.
    Sequence,
    /// It reached the limit of the answer or of its context.
    Length,
    /// It wants the outcomes of its calls. Also where a wire says that the model was done, and there are calls.
    ToolUse,
    /// It declined.
    Refusal,
    /// A filter stopped it.
    ContentFilter,
    /// The provider paused a long turn: the answer is to be sent back as it is (Anthropic's `pause_turn`).
    Paused,
    /// The response does not say.
    Unstated,
    /// Another reason, as the provider calls it.
    Other(String),
}

impl Stop {
    /// The reason by its name on that wire.
    pub(super) fn named(wire: Wire, name: &str) -> Self {
        let known = match wire {
            Wire::OpenAiChat => match name {
                "stop" => Self::End,
                // The second is Mistral's.
                "length" | "model_length" => Self::Length,
                "tool_calls" | "function_call" => Self::ToolUse,
                "content_filter" => Self::ContentFilter,
                _ => Self::Other(name.to_owned()),
            },
            Wire::Anthropic => match name {
                "end_turn" => Self::End,
                "stop_sequence" => Self::Sequence,
                "max_tokens" | "model_context_window_exceeded" => Self::Length,
                "tool_use" => Self::ToolUse,
                "refusal" => Self::Refusal,
                "pause_turn" => Self::Paused,
                _ => Self::Other(name.to_owned()),
            },
        };
        if name.is_empty() { Self::Unstated } else { known }
    }

    /// Whether the model chose to stop, so that what it wrote is whole, broken or not.
    pub(super) fn is_chosen(&self) -> bool {
        match self {
            Self::End | Self::Sequence | Self::ToolUse => true,
            Self::Length | Self::Refusal | Self::ContentFilter | Self::Paused | Self::Unstated | Self::Other(_) => false,
        }
    }
}
