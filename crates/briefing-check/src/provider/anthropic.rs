//! The words of Anthropic.

use briefing_json::Pointer;

use crate::fault::{Fault, IdRule, Role};

impl Fault {
    pub(super) fn anthropic_error(&self, place: &Pointer) -> Option<String> {
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
