//! The words of OpenAI on Responses, and what is known of those of DeepSeek.

use briefing_json::Pointer;

use super::bracketed;
use crate::fault::{Fault, Role};

impl Fault {
    /// DeepSeek's words, recorded.
    pub(super) fn compatible_responses_error(&self) -> Option<String> {
        match self {
            Self::MissingOutcome { id } => Some(format!("No tool output found for tool call {id}.")),
            // Of other faults no words are known.
            _ => None,
        }
    }

    pub(super) fn openai_responses_error(&self, place: &Pointer) -> Option<String> {
        let at = bracketed(place);
        Some(match self {
            Self::Missing { key: "role" } => role_error(""),
            Self::Missing { key } if at.is_empty() => format!("Missing required parameter: '{key}'."),
            Self::Missing { key } => format!("Missing required parameter: '{at}.{key}'."),
            Self::WrongType { expected, found } => {
                format!("Invalid type for '{at}': expected {expected}, but got {} instead.", found.name())
            }
            Self::NoMessages => {
                "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided.".into()
            }
            Self::LoneSurrogate => "We could not parse the JSON body of your request.".into(),
            Self::UnknownRole { role } => role_error(role),
            Self::UnknownPart { kind } => format!("Invalid value: '{kind}'."),
            Self::PartNotAllowed { kind, role } => {
                format!("Invalid value: '{kind}'. Supported values are: {}.", parts_of(*role))
            }
            Self::MediaType { .. } if at.ends_with("image_url") => {
                "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', \
                 'jpeg', 'gif', 'webp']."
                    .into()
            }
            Self::MediaType { .. } => "The file type you uploaded is not supported. Please try again with a pdf".into(),
            Self::MissingOutcome { id } => format!("No tool output found for function call {id}."),
            Self::OrphanOutcome { id } | Self::OutcomeBeforeCall { id } => {
                format!("No tool call found for function call output with call_id {id}.")
            }
            Self::ReasoningAlone { id } => {
                format!("Item '{id}' of type 'reasoning' was provided without its required following item.")
            }
            Self::NotStored { id } => format!(
                "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to \
                 true, or remove this item from your input."
            ),
            Self::RepeatedItemId { id } => {
                format!("Duplicate item found with id {id}. Remove duplicate items from your input and try again.")
            }
            Self::SchemaNotObject { tool } => {
                format!("Invalid schema for function '{tool}': schema must be a JSON Schema of 'type: \"object\"'")
            }
            Self::UnknownToolChoice { .. } if at.ends_with("name") => {
                "Tool choice 'function' not found in 'tools' parameter.".into()
            }
            Self::UnknownToolChoice { name } => format!("Tool choice '{name}' not found in 'tools' parameter."),
            Self::ToolChoiceWithoutTools => "Tool choice 'required' must be specified with 'tools' parameter.".into(),
            _ => return self.string_error(&at),
        })
    }

    /// What is wrong with a string: an id, a name, arguments.
    fn string_error(&self, at: &str) -> Option<String> {
        let too_long = |most: usize, length: usize| {
            format!(
                "Invalid '{at}': string too long. Expected a string with maximum length {most}, but got a string with length {length} instead."
            )
        };
        let empty = || {
            format!("Invalid '{at}': empty string. Expected a string with minimum length 1, but got an empty string instead.")
        };
        Some(match self {
            Self::EmptyCallId => empty(),
            Self::BadCallId { id, .. } => too_long(64, id.chars().count()),
            Self::ArgumentsTooLong { characters, most, .. } => too_long(*most, *characters),
            Self::BadToolName { name, .. } if name.is_empty() => empty(),
            Self::BadToolName { name, most } if name.len() > *most => too_long(*most, name.chars().count()),
            Self::BadToolName { .. } => format!(
                "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
            ),
            Self::BadItemId { id, prefix } if !id.is_empty() && !id.starts_with(prefix) => {
                format!("Invalid '{at}': '{id}'. Expected an ID that begins with '{prefix}'.")
            }
            Self::BadItemId { id, .. } if id.len() > 64 => too_long(64, id.chars().count()),
            Self::BadItemId { id, .. } => format!(
                "Invalid '{at}': '{id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained \
                 additional characters."
            ),
            _ => return None,
        })
    }
}

fn role_error(role: &str) -> String {
    format!("Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.")
}

fn parts_of(role: Role) -> &'static str {
    match role {
        Role::Assistant | Role::Model => "'output_text' and 'refusal'",
        Role::Tool | Role::Function => "'input_text', 'input_image', and 'input_file'",
        Role::System | Role::Developer | Role::User => {
            "'input_text', 'input_image', 'input_file', 'scoped_content', and 'input_audio'"
        }
    }
}
