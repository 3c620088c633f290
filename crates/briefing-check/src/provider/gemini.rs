//! The words of Gemini, on its own API and on Vertex.

use briefing_json::{Kind, Pointer};

use super::bracketed;
use crate::fault::Fault;

impl Fault {
    pub(super) fn gemini_error(&self, place: &Pointer) -> Option<String> {
        let at = snake(&bracketed(place));
        Some(match self {
            Self::NoMessages | Self::Missing { key: "contents" } => {
                "* GenerateContentRequest.contents: contents is not specified".into()
            }
            Self::Missing { key: "name" } if at.ends_with("function_response") => {
                format!("* GenerateContentRequest.{at}.name: Name cannot be empty.")
            }
            Self::UnknownRole { .. } => "Please use a valid role: user, model.".into(),
            Self::FirstRole { .. } => {
                "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
                    .into()
            }
            Self::Prefill if at == "contents[0]" => {
                "Please ensure that single turn requests end with a user role or the role field is empty.".into()
            }
            Self::Prefill => {
                "Requests ending with a model turn are not supported unless the last part is a function response.".into()
            }
            Self::EmptyContent => format!("* GenerateContentRequest.{at}.parts: contents.parts must not be empty."),
            Self::EmptyPart => {
                format!("* GenerateContentRequest.{at}.data: required oneof field 'data' must have one initialized field")
            }
            Self::MixedPart { key } => {
                format!("Invalid value at '{at}' (oneof), oneof field 'data' is already set. Cannot set '{key}'")
            }
            Self::MissingOutcome { .. } | Self::RepeatedOutcome { .. } => "Please ensure that the number of function response \
                                                                           parts is equal to the number of function call parts \
                                                                           of the function call turn."
                .into(),
            Self::OrphanOutcome { .. } | Self::OutcomeBeforeCall { .. } | Self::LateOutcome { .. } => {
                "Please ensure that function response turn comes immediately after a function call turn".into()
            }
            Self::OutcomeFilesNotSupported => {
                "Unable to submit request because `function_response.parts` is not supported for this model.".into()
            }
            Self::MissingSignature { name } => format!(
                "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and \
                 missing thought_signature may lead to degraded model performance. Additional data, function call \
                 `default_api:{name}` , position {}.",
                position(place)
            ),
            Self::NotBase64 | Self::SignatureNotBase64 => {
                format!("Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed")
            }
            // Of protobuf's reader, `ProtoStreamObjectWriter` and `JsonStreamParser`.
            Self::RepeatedName { name } => {
                format!("Invalid JSON payload received. Repeated map key: '{name}' is already set.")
            }
            Self::NumberBeyondDouble { .. } => "Invalid JSON payload received. Number exceeds the range of double.".into(),
            Self::MediaType { found } => format!("Unsupported MIME type: {found}"),
            Self::WrongType { found: Kind::Array, .. } => not_repeating(&at)?,
            Self::BadFunctionName { .. } if at.starts_with("tools") => format!(
                "* GenerateContentRequest.{at}: Invalid function name. Must start with a letter or an underscore. Must be alphameric \
                 (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
            ),
            Self::RepeatedToolName { name } => format!("Duplicate function declaration found: {name}"),
            Self::SchemaNotObject { tool } => format!(
                "Unable to submit request because {tool} functionDeclaration parameters schema should be of type OBJECT"
            ),
            Self::ToolChoiceWithoutTools => "Function calling config is set without function_declarations.".into(),
            // A fault that is not named has no words that are known.
            _ => return None,
        })
    }
}

/// The answer to an array where one value belongs.
fn not_repeating(at: &str) -> Option<String> {
    let (above, key) = at.rsplit_once('.')?;
    Some(format!(
        "Invalid JSON payload received. Unknown name \"{key}\" at '{above}': Proto field is not repeating, cannot start list."
    ))
}

/// The content that a place lies in, counted from one.
fn position(place: &Pointer) -> usize {
    let index = place.as_str().split('/').nth(2).and_then(|step| step.parse::<usize>().ok());
    index.map_or(1, |index| index.saturating_add(1))
}

/// The names of fields as protocol buffers write them.
fn snake(at: &str) -> String {
    let mut out = String::with_capacity(at.len() + 8);
    for c in at.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
