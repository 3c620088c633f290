//! The names of fields, in both spellings.

use briefing_json::Value;

/// A field's name in both spellings that proto JSON allows: the one that is written, and the other.
pub(super) type Key = [&'static str; 2];

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

/// Fields of a part that are no unknown ones: what it is, of which it may have one, whether it is a thought, and the mark of a call
/// that came without an id.
pub(super) const WRITTEN: [&str; 17] = [
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
    "toolCall",
    "toolResponse",
];

/// How many of the things that a part may be it claims to be.
pub(super) fn count(part: Value<'_>) -> usize {
    [TEXT, CALL, RESPONSE, INLINE, FILE, CODE, CODE_RESULT].into_iter().filter(|key| get(part, *key).is_some()).count()
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
