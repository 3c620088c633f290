//! A fault's code, the provider's own words for it, wire by wire, and what to do about it.

mod anthropic;
mod gemini;
mod openai_chat;
mod openai_responses;

use briefing_json::Pointer;

use crate::fault::Fault;
use crate::profile::{Dialect, Rules, Wire};

impl Fault {
    /// A stable name of the kind of fault, for programs: lower case, with hyphens.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "missing-field",
            Self::WrongType { .. } => "wrong-type",
            Self::NoMessages => "no-messages",
            Self::EmptyArray { .. } => "empty-array",
            Self::TooMany { .. } => "too-many",
            Self::LoneSurrogate => "lone-surrogate",
            Self::RepeatedKey { .. } => "repeated-key",
            Self::NotWhole { .. } => "not-whole",
            Self::TooSmall { .. } => "too-small",
            Self::UnknownRole { .. } => "unknown-role",
            Self::RoleNotSupported { .. } => "role-not-supported",
            Self::RoleOrder { .. } => "role-order",
            Self::FirstRole { .. } => "first-role",
            Self::Prefill => "prefill",
            Self::PrefixNotLast => "prefix-not-last",
            Self::SystemPlace => "system-place",
            Self::BadMessageName { .. } => "bad-message-name",
            Self::EmptyContent => "empty-content",
            Self::NeitherContentNorCalls => "neither-content-nor-calls",
            Self::EmptyText => "empty-text",
            Self::BlankText => "blank-text",
            Self::TrailingSpace => "trailing-space",
            Self::EmptyPart => "empty-part",
            Self::MixedPart { .. } => "mixed-part",
            Self::UnknownPart { .. } => "unknown-part",
            Self::PartNotAllowed { .. } => "part-not-allowed",
            Self::EmptyMedia => "empty-media",
            Self::NotBase64 => "not-base64",
            Self::MediaType { .. } => "media-type",
            Self::ImageTooLarge { .. } => "image-too-large",
            Self::ImageNotSupported => "image-not-supported",
            Self::EmptyCallId => "empty-call-id",
            Self::BadCallId { .. } => "bad-call-id",
            Self::RepeatedCallId { .. } => "repeated-call-id",
            Self::MissingOutcome { .. } => "missing-outcome",
            Self::OrphanOutcome { .. } => "orphan-outcome",
            Self::OutcomeBeforeCall { .. } => "outcome-before-call",
            Self::RepeatedOutcome { .. } => "repeated-outcome",
            Self::LateOutcome { .. } => "late-outcome",
            Self::OutcomeNotFirst { .. } => "outcome-not-first",
            Self::EmptyOutcome { .. } => "empty-outcome",
            Self::OutcomeName { .. } => "outcome-name",
            Self::OutcomeFilesNotSupported => "outcome-files-not-supported",
            Self::OrphanServerResult { .. } => "orphan-server-result",
            Self::ArgumentsNotJson { .. } => "arguments-not-json",
            Self::ArgumentsNotObject { .. } => "arguments-not-object",
            Self::RepeatedName { .. } => "repeated-name",
            Self::NumberBeyondDouble { .. } => "number-beyond-double",
            Self::ArgumentsTooLong { .. } => "arguments-too-long",
            Self::BadToolName { .. } => "bad-tool-name",
            Self::BadFunctionName { .. } => "bad-function-name",
            Self::RepeatedToolName { .. } => "repeated-tool-name",
            Self::SchemaNotObject { .. } => "schema-not-object",
            Self::UnknownToolChoice { .. } => "unknown-tool-choice",
            Self::ToolChoiceWithoutTools => "tool-choice-without-tools",
            Self::CallsWithoutTools => "calls-without-tools",
            Self::BadItemId { .. } => "bad-item-id",
            Self::RepeatedItemId { .. } => "repeated-item-id",
            Self::ReasoningAlone { .. } => "reasoning-alone",
            Self::NotStored { .. } => "not-stored",
            Self::MissingSignature { .. } => "missing-signature",
            Self::SignatureNotBase64 => "signature-not-base64",
            Self::BudgetNotBelowMax => "budget-not-below-max",
            Self::ForcedToolWithThinking => "forced-tool-with-thinking",
            Self::ThinkingNotFirst { .. } => "thinking-not-first",
            Self::TooManyCacheMarks { .. } => "too-many-cache-marks",
            Self::CacheMarkOnEmptyText => "cache-mark-on-empty-text",
        }
    }

    /// What mends it, in one sentence.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "add the field",
            Self::WrongType { .. } => "write a value of the expected type",
            Self::NoMessages => "send at least one message",
            Self::EmptyArray { .. } => "leave the field out",
            Self::TooMany { .. } => "send fewer: split the round, or leave tools out",
            Self::LoneSurrogate => "replace it with U+FFFD, and cut text on character boundaries",
            Self::UnknownRole { .. } => "use a role of this wire",
            Self::RepeatedKey { .. } => "keep one of them",
            Self::NotWhole { .. } | Self::TooSmall { .. } => "write a whole number that is large enough",
            Self::BadMessageName { .. } => "leave `name` out, or map those characters to _",
            Self::BudgetNotBelowMax => "raise `max_tokens` above the budget, or lower the budget (at least 1024)",
            Self::ForcedToolWithThinking => "choose \"auto\", or turn thinking off for this request",
            Self::RoleNotSupported { .. } => "move the text into the system field or a user message",
            Self::RoleOrder { .. } => "merge neighbours, or put a short message of the other role between",
            Self::FirstRole { .. } => "begin with a user message",
            Self::Prefill => "end on a user message or on outcomes",
            Self::PrefixNotLast => "drop `prefix` from all but the last message",
            Self::SystemPlace => "move it to the front, or write it as a user message",
            Self::EmptyContent => "drop the message, or give it text",
            Self::NeitherContentNorCalls => "drop the message",
            Self::EmptyText | Self::BlankText => "drop the block",
            Self::EmptyPart => "drop the part, or give it text",
            Self::MixedPart { .. } => "make two parts of it",
            Self::TrailingSpace => "trim the end of the text",
            Self::UnknownPart { .. } => "write it as text, or as the wire's own type",
            Self::PartNotAllowed { .. } => "move it to a message of a role that may have it",
            Self::EmptyMedia | Self::NotBase64 => "put a line of text in its place",
            Self::MediaType { .. } | Self::ImageNotSupported => "put a line of text that names it in its place",
            Self::ImageTooLarge { .. } => "send a smaller copy, or a line of text that names it",
            Self::EmptyCallId => "give the call and its outcome an id",
            Self::BadCallId { .. } => "map the id on the call and on its outcome, distinct ids to distinct ones",
            Self::RepeatedCallId { .. } => "give each call an id of its own, or drop the copy",
            Self::MissingOutcome { .. } => "add an outcome directly behind the call that says none was recorded",
            Self::OrphanOutcome { .. } => "drop the outcome, or bring its call back",
            Self::OutcomeBeforeCall { .. } | Self::LateOutcome { .. } => "move the outcome directly behind its call",
            Self::RepeatedOutcome { .. } => "keep the first outcome alone",
            Self::OutcomeNotFirst { .. } => "move the outcomes to the front of the message",
            Self::EmptyOutcome { .. } => "write a text such as \"(empty result)\"",
            Self::OutcomeName { .. } => "write the name of the call that has this id",
            Self::OutcomeFilesNotSupported => "move the files into a user message behind the outcomes",
            Self::OrphanServerResult { .. } => "drop the result, or bring its use back",
            Self::ArgumentsNotJson { .. } | Self::ArgumentsNotObject { .. } => "send an object; `--fix` wraps what came",
            Self::RepeatedName { .. } | Self::NumberBeyondDouble { .. } => "send the object as a text inside one",
            Self::ArgumentsTooLong { .. } => "send {} or a shorter object",
            Self::BadToolName { .. } | Self::BadFunctionName { .. } => "map the name, in the tools and in the history alike",
            Self::RepeatedToolName { .. } => "drop or rename one of them",
            Self::SchemaNotObject { .. } => "write {\"type\": \"object\", \"properties\": {}}",
            Self::UnknownToolChoice { .. } => "choose a declared tool",
            Self::ToolChoiceWithoutTools => "leave `tool_choice` out",
            Self::CallsWithoutTools => "declare the tools, or write the calls as text",
            Self::ThinkingNotFirst { .. } => {
                "send the thinking block as it was received, or turn thinking off for this request"
            }
            Self::BadItemId { .. } => "send the id as it was received, or leave it out with the reasoning that led to the item",
            Self::RepeatedItemId { .. } => "keep one of the items, or leave the ids out",
            Self::ReasoningAlone { .. } => "send what followed the reasoning, with its id, or leave the reasoning out",
            Self::NotStored { .. } => {
                "send the item whole, reasoning with its `encrypted_content`, or let the provider store it"
            }
            Self::MissingSignature { .. } => {
                "send the signature that came with the call; for a call of another model \"skip_thought_signature_validator\""
            }
            Self::SignatureNotBase64 => "send the signature as it was received",
            Self::TooManyCacheMarks { .. } => "keep the last four marks",
            Self::CacheMarkOnEmptyText => "drop the mark with the block",
        }
    }

    /// The provider's own words for this fault at that place, where they are known. The words vary between a provider's
    /// releases: they are for people who search, not for programs that compare.
    #[must_use]
    pub fn provider_error(&self, rules: &Rules, place: &Pointer) -> Option<String> {
        match (rules.wire, rules.dialect) {
            (Wire::Anthropic, _) => self.anthropic_error(place),
            (Wire::OpenAiChat, Dialect::OpenAi) => self.openai_error(place),
            (Wire::OpenAiChat, Dialect::Mistral) => self.mistral_error(),
            (Wire::OpenAiChat, Dialect::Compatible) => self.pairing_error(),
            (Wire::OpenAiResponses, Dialect::OpenAi) => self.openai_responses_error(place),
            (Wire::OpenAiResponses, Dialect::Mistral | Dialect::Compatible) => self.compatible_responses_error(),
            (Wire::Gemini, _) => self.gemini_error(place),
        }
    }
}

/// The place as OpenAI writes it: `messages[1].tool_calls[0].id`.
fn bracketed(place: &Pointer) -> String {
    let mut out = String::new();
    for step in place.as_str().split('/').skip(1) {
        if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str(&format!("[{step}]"));
        } else {
            out.push_str(if out.is_empty() { "" } else { "." });
            out.push_str(step);
        }
    }
    out
}
