//! The words of OpenAI, of Mistral, and of the hosts that repeat OpenAI's, on Chat Completions.

use briefing_json::Pointer;

use super::bracketed;
use crate::fault::Fault;

impl Fault {
    // A fault that these do not name has no words that are known.

    /// OpenAI's words for unpaired calls, which most compatible hosts repeat.
    pub(super) fn pairing_error(&self) -> Option<String> {
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

    pub(super) fn openai_error(&self, place: &Pointer) -> Option<String> {
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
                format!("Invalid type for '{at}': expected {expected}, but got {} instead.", found.name())
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
    pub(super) fn mistral_error(&self) -> Option<String> {
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
}
