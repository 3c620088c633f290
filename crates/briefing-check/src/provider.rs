//! A fault's code, the provider's own words for it, and what to do about it.

use briefing_json::Pointer;

use crate::fault::{Fault, IdRule, Role, kind_word};
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
            Self::OrphanServerResult { .. } => "orphan-server-result",
            Self::ArgumentsNotJson { .. } => "arguments-not-json",
            Self::ArgumentsNotObject { .. } => "arguments-not-object",
            Self::ArgumentsTooLong { .. } => "arguments-too-long",
            Self::BadToolName { .. } => "bad-tool-name",
            Self::RepeatedToolName { .. } => "repeated-tool-name",
            Self::SchemaNotObject { .. } => "schema-not-object",
            Self::UnknownToolChoice { .. } => "unknown-tool-choice",
            Self::ToolChoiceWithoutTools => "tool-choice-without-tools",
            Self::CallsWithoutTools => "calls-without-tools",
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
            Self::OrphanServerResult { .. } => "drop the result, or bring its use back",
            Self::ArgumentsNotJson { .. } | Self::ArgumentsNotObject { .. } => "send an object; `--fix` wraps what came",
            Self::ArgumentsTooLong { .. } => "send {} or a shorter object",
            Self::BadToolName { .. } => "map the name, in the tools and in the history alike",
            Self::RepeatedToolName { .. } => "drop or rename one of them",
            Self::SchemaNotObject { .. } => "write {\"type\": \"object\", \"properties\": {}}",
            Self::UnknownToolChoice { .. } => "choose a declared tool",
            Self::ToolChoiceWithoutTools => "leave `tool_choice` out",
            Self::CallsWithoutTools => "declare the tools, or write the calls as text",
            Self::ThinkingNotFirst { .. } => {
                "send the thinking block as it was received, or turn thinking off for this request"
            }
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
        }
    }

    // A fault that these do not name has no words that are known.

    /// OpenAI's words for unpaired calls, which most compatible hosts repeat.
    fn pairing_error(&self) -> Option<String> {
        match self {
            Self::MissingOutcome { id } => Some(format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
                 The following tool_call_ids did not have response messages: {id}"
            )),
            Self::OrphanOutcome { .. } | Self::OutcomeBeforeCall { .. } | Self::LateOutcome { .. } => Some(
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
                    .into(),
            ),
            _ => None,
        }
    }

    fn openai_error(&self, place: &Pointer) -> Option<String> {
        let at = bracketed(place);
        Some(match self {
            Self::Missing { key: "model" } => "you must provide a model parameter".into(),
            Self::Missing { key: "tool_call_id" } => {
                "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.".into()
            }
            Self::Missing { key: "content" } => "Invalid value for 'content': expected a string, got null.".into(),
            Self::Missing { key } if at.is_empty() => format!("Missing required parameter: '{key}'."),
            Self::Missing { key } => format!("Missing required parameter: '{at}.{key}'."),
            Self::WrongType { expected, found } => {
                format!("Invalid type for '{at}': expected {expected}, but got {} instead.", kind_word(*found))
            }
            Self::NoMessages | Self::EmptyArray { .. } => {
                format!("Invalid '{at}': empty array. Expected an array with minimum length 1, but got an empty array instead.")
            }
            Self::TooMany { count, most, .. } => format!(
                "Invalid '{at}': array too long. Expected an array with maximum length {most}, but got an array with length {count} instead."
            ),
            Self::LoneSurrogate => "We could not parse the JSON body of your request.".into(),
            Self::UnknownRole { role } => format!(
                "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
            ),
            Self::RoleNotSupported { role } => format!("Unsupported value: '{at}' does not support '{role}' with this model."),
            Self::NeitherContentNorCalls => "Invalid value for 'content': expected a string, got null.".into(),
            Self::UnknownPart { kind } => format!("Invalid value: '{kind}'."),
            Self::PartNotAllowed { kind, role } if kind == "image_url" => format!(
                "Image URLs are only allowed for messages with role 'user', but this message with role '{role}' contains an image URL."
            ),
            Self::MediaType { .. } => {
                "You uploaded an unsupported image. Please make sure your image has of one the following \
                                       formats: ['png', 'jpeg', 'gif', 'webp']."
                    .into()
            }
            Self::BadCallId { id, .. } => format!(
                "Invalid '{at}': string too long. Expected a string with maximum length 40, but got a string with length {} instead.",
                id.chars().count()
            ),
            Self::RepeatedOutcome { id } => format!("Invalid parameter: Duplicate value for 'tool_call_id' of '{id}'."),
            Self::ArgumentsTooLong { characters, most, .. } => format!(
                "Invalid '{at}': string too long. Expected a string with maximum length {most}, but got a string with length {characters} instead."
            ),
            Self::BadToolName { .. } => format!(
                "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
            ),
            Self::SchemaNotObject { tool } => {
                format!("Invalid schema for function '{tool}': schema must be a JSON Schema of 'type: \"object\"'.")
            }
            Self::BadMessageName { .. } => format!(
                "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'."
            ),
            Self::ToolChoiceWithoutTools => {
                "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.".into()
            }
            _ => return self.pairing_error(),
        })
    }

    /// From mistral-common's request validator.
    fn mistral_error(&self) -> Option<String> {
        Some(match self {
            Self::NoMessages => "Conversation must have at least one message".into(),
            Self::FirstRole { .. } => "Conversation must start with a user message or system message".into(),
            Self::RoleOrder { role, after } => format!("Unexpected role '{role}' after role '{after}'"),
            Self::Prefill => {
                "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant".into()
            }
            Self::PrefixNotLast => "Assistant message with prefix True must be last message".into(),
            Self::NeitherContentNorCalls => "Assistant message must have either content or tool_calls, but not none.".into(),
            Self::BadCallId { id, .. } => {
                format!("Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.")
            }
            Self::Missing { key: "tool_call_id" } => "Tool call id has to be defined.".into(),
            Self::MissingOutcome { .. }
            | Self::OrphanOutcome { .. }
            | Self::RepeatedOutcome { .. }
            | Self::LateOutcome { .. } => "Not the same number of function calls and responses".into(),
            Self::BadToolName { name, .. } => format!(
                "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64."
            ),
            _ => return None,
        })
    }

    fn anthropic_error(&self, place: &Pointer) -> Option<String> {
        let at = dotted(place);
        let message = at.split('.').take(2).collect::<Vec<_>>().join(".");
        Some(match self {
            Self::Missing { key } if at.is_empty() => format!("{key}: Field required"),
            Self::Missing { key } => format!("{at}.{key}: Field required"),
            Self::NoMessages => "messages: at least one message is required".into(),
            Self::LoneSurrogate => "The request body is not valid JSON: no low surrogate in string".into(),
            Self::UnknownRole { role } if role == "tool" => {
                format!("messages: Unexpected role \"{role}\". Allowed roles are \"user\" or \"assistant\".")
            }
            Self::RoleNotSupported { role: Role::System } => "messages: Unexpected role \"system\". The Messages API accepts a \
                                                              top-level `system` parameter, not \"system\" as an input message role."
                .into(),
            Self::FirstRole { .. } => "messages: first message must use the \"user\" role".into(),
            Self::SystemPlace if at == "messages.0" => {
                "messages.0: use the top-level 'system' parameter for the initial system prompt".into()
            }
            Self::Prefill => {
                "This model does not support assistant message prefill. The conversation must end with a user message.".into()
            }
            Self::EmptyContent => {
                format!("{message}: all messages must have non-empty content except for the optional final assistant message")
            }
            Self::EmptyText => "messages: text content blocks must be non-empty".into(),
            Self::BlankText => "messages: text content blocks must contain non-whitespace text".into(),
            Self::TrailingSpace => "messages: final assistant content cannot end with trailing whitespace".into(),
            Self::PartNotAllowed { kind, .. } if kind == "tool_result" => {
                format!("{message}: `tool_result` blocks can only be in `user` messages")
            }
            Self::PartNotAllowed { kind, .. } => format!("{message}: `{kind}` blocks can only be in `assistant` messages"),
            Self::EmptyMedia => format!("{at}: image cannot be empty"),
            Self::MediaType { .. } => format!("{at}: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"),
            Self::ImageTooLarge { bytes, most } => format!("{at}: image exceeds 5 MB maximum: {bytes} bytes > {most} bytes"),
            Self::BadCallId { rule: IdRule::Word, .. } | Self::EmptyCallId => {
                format!("{at}: String should match pattern '^[a-zA-Z0-9_-]+$'")
            }
            Self::RepeatedCallId { .. } => format!("{message}: `tool_use` ids must be unique"),
            Self::MissingOutcome { id } | Self::OutcomeNotFirst { id } => format!(
                "{message}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` block \
                 must have a corresponding `tool_result` block in the next message."
            ),
            Self::OrphanOutcome { id } | Self::OutcomeBeforeCall { id } | Self::LateOutcome { id } => format!(
                "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a \
                 corresponding `tool_use` block in the previous message."
            ),
            Self::RepeatedOutcome { id } => {
                format!("{at}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}")
            }
            Self::OrphanServerResult { id } => format!(
                "{at}: unexpected `tool_use_id` found in server tool result blocks: {id}. Each must have a corresponding \
                 `server_tool_use` block before it."
            ),
            Self::ArgumentsNotObject { .. } => format!("{at}: Input should be a valid dictionary"),
            Self::BadToolName { most, .. } => format!("{at}: String should match pattern '^[a-zA-Z0-9_-]{{1,{most}}}$'"),
            Self::RepeatedToolName { .. } => "tools: Tool names must be unique.".into(),
            Self::UnknownToolChoice { name } => format!("tool_choice: Tool '{name}' not found in provided tools"),
            Self::ToolChoiceWithoutTools => "tool_choice may only be specified while providing tools.".into(),
            Self::NotWhole { .. } => {
                format!("{}: Input should be a valid integer, got a number with a fractional part", thinking_typed(&at))
            }
            Self::TooSmall { least, .. } => {
                format!("{}: Input should be greater than or equal to {least}", thinking_typed(&at))
            }
            Self::BudgetNotBelowMax => "`max_tokens` must be greater than `thinking.budget_tokens`.".into(),
            Self::ForcedToolWithThinking => "Thinking may not be enabled when tool_choice forces tool use.".into(),
            Self::ThinkingNotFirst { found } => format!(
                "{at}.type: Expected `thinking` or `redacted_thinking`, but found `{found}`. When `thinking` is enabled, a final \
                 `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` \
                 blocks)."
            ),
            Self::TooManyCacheMarks { count, most } => {
                format!("A maximum of {most} blocks with cache_control may be provided. Found {count}.")
            }
            Self::CacheMarkOnEmptyText => format!("{at}: cache_control cannot be set for empty text blocks"),
            _ => return None,
        })
    }
}

/// The place with the type of thinking in it, as Anthropic's validator writes it: `thinking.enabled.budget_tokens`.
fn thinking_typed(at: &str) -> String {
    at.replacen("thinking.", "thinking.enabled.", 1)
}

/// The place as Anthropic writes it: `messages.1.content.0`.
fn dotted(place: &Pointer) -> String {
    place.as_str().trim_start_matches('/').replace('/', ".")
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
