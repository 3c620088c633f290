//! Why a model stopped, in the words of each wire.

use briefing::Wire;
use briefing_json::{Value, present};

use crate::raw::text_of;

/// Why a model stopped. Closed on purpose: a new variant is a breaking change, as each client has to decide whether it goes on. What is
/// not known here is [`Other`](Self::Other).
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
            // A status, or why a response is incomplete.
            Wire::OpenAiResponses => match name {
                "completed" => Self::End,
                "max_output_tokens" => Self::Length,
                "content_filter" => Self::ContentFilter,
                _ => Self::Other(name.to_owned()),
            },
            Wire::Gemini => match name {
                "STOP" => Self::End,
                "MAX_TOKENS" => Self::Length,
                "SAFETY"
                | "RECITATION"
                | "BLOCKLIST"
                | "PROHIBITED_CONTENT"
                | "SPII"
                | "MODEL_ARMOR"
                | "IMAGE_SAFETY"
                | "IMAGE_PROHIBITED_CONTENT"
                | "IMAGE_RECITATION" => Self::ContentFilter,
                "FINISH_REASON_UNSPECIFIED" => Self::Unstated,
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

    /// The reason that a response of OpenAI Responses has: its status, and where that is incomplete, why.
    pub(super) fn of_response(response: Value<'_>) -> Self {
        let why = present(response, "incomplete_details").and_then(|details| text_of(details, "reason"));
        Self::named(Wire::OpenAiResponses, &why.or_else(|| text_of(response, "status")).unwrap_or_default())
    }

    /// Whether the model chose to stop, so that what it wrote is whole, broken or not: its last call too. Else something cut it off, or
    /// may have.
    #[must_use]
    pub const fn is_chosen(&self) -> bool {
        match self {
            Self::End | Self::Sequence | Self::ToolUse => true,
            Self::Length | Self::Refusal | Self::ContentFilter | Self::Paused | Self::Unstated | Self::Other(_) => false,
        }
    }
}
