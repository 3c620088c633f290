//! The names of fields, in both spellings.

use briefing_json::Value;

/// A field's name in both spellings that proto JSON allows: the one that is written, and the other.
pub(super) type Key = [&'static str; 2];

pub(super) const TOOL_CALL: Key = ["toolCall", "tool_call"];
pub(super) const TOOL_RESPONSE: Key = ["toolResponse", "tool_response"];
pub(super) const SYSTEM: Key = ["systemInstruction", "system_instruction"];
pub(super) const TEXT: Key = ["text", "text"];
pub(super) const CODE: Key = ["executableCode", "executable_code"];
pub(super) const CODE_RESULT: Key = ["codeExecutionResult", "code_execution_result"];
pub(super) const CALL: Key = ["functionCall", "function_call"];
pub(super) const RESPONSE: Key = ["functionResponse", "function_response"];
pub(super) const DECLARATIONS: Key = ["functionDeclarations", "function_declarations"];
pub(super) const SCHEMA: Key = ["parametersJsonSchema", "parameters_json_schema"];
pub(super) const INLINE: Key = ["inlineData", "inline_data"];
pub(super) const FILE: Key = ["fileData", "file_data"];
pub(super) const URI: Key = ["fileUri", "file_uri"];
pub(super) const TYPE: Key = ["mimeType", "mime_type"];
pub(super) const SIGNATURE: Key = ["thoughtSignature", "thought_signature"];
pub(super) const CONFIG: Key = ["toolConfig", "tool_config"];
pub(super) const CACHED: Key = ["cachedContent", "cached_content"];
pub(super) const CALLING: Key = ["functionCallingConfig", "function_calling_config"];
pub(super) const ALLOWED: Key = ["allowedFunctionNames", "allowed_function_names"];

/// What a part may be, in the order that it is looked for where the model wrote it.
pub(super) const DATA: [Key; 9] = [CALL, TEXT, RESPONSE, INLINE, FILE, CODE, CODE_RESULT, TOOL_CALL, TOOL_RESPONSE];

/// Fields of a part that are no unknown ones: what it is, of which it may have one, whether it is a thought, and the mark of a call
/// that came without an id.
pub(super) const WRITTEN: [&str; 19] = [
    "text",
    "thought",
    "id",
    CALL[0],
    CALL[1],
    RESPONSE[0],
    RESPONSE[1],
    INLINE[0],
    INLINE[1],
    FILE[0],
    FILE[1],
    CODE[0],
    CODE[1],
    CODE_RESULT[0],
    CODE_RESULT[1],
    TOOL_CALL[0],
    TOOL_CALL[1],
    TOOL_RESPONSE[0],
    TOOL_RESPONSE[1],
];

/// How many fields say what the part is, in either spelling; one that stands twice counts twice.
pub(super) fn count(part: Value<'_>) -> usize {
    part.entries().filter(|(name, value)| !value.is_null() && DATA.iter().any(|key| key.contains(&name.as_ref()))).count()
}

/// The fields that say what the part is, in that order; of both spellings the one that is written first.
pub(super) fn claims<'k>(part: Value<'k>, order: &'k [Key]) -> impl Iterator<Item = &'static str> + 'k {
    let spellings = order.iter().flat_map(|[one, other]| [Some(*one), Some(*other).filter(|other| other != one)]).flatten();
    spellings.filter(move |name| part.get(name).is_some_and(|value| !value.is_null()))
}

/// The member, in either spelling, unless it is absent or null; with the spelling.
pub(super) fn find<'d>(object: Value<'d>, key: Key) -> Option<(&'static str, Value<'d>)> {
    key.into_iter().find_map(|name| Some((name, object.get(name).filter(|value| !value.is_null())?)))
}

/// The member, in either spelling, unless it is absent or null.
pub(super) fn get(object: Value<'_>, key: Key) -> Option<Value<'_>> {
    find(object, key).map(|(_, value)| value)
}

/// The member as text, in either spelling.
pub(super) fn text(object: Value<'_>, key: Key) -> Option<String> {
    Some(get(object, key)?.as_str()?.into_owned())
}
