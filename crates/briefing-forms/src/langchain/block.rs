//! One block of content: of a provider as LangChain keeps it, or one of LangChain's standard blocks.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{CallId, Extra, Media, Native, Outcome, Part, RawJson, Reasoning, Text, ToolCall};
use briefing::texts::native_elsewhere;
use briefing_json::{Path, Value, present, quoted};

use super::{media, part};
use crate::change::ReadChange;
use crate::item;
use crate::opaque::{self, object, redacted, thinking, thought, unsigned};
use crate::reader::{Read, Reader, is_nothing, str_of};

/// A block, read.
#[derive(Debug)]
pub(super) enum Block {
    Text(Text),
    File {
        image: bool,
        media: Media,
    },
    Reasoning(Reasoning),
    /// A summary of an item of reasoning of OpenAI Responses: its id, its text, what is encrypted.
    Piece(Option<String>, String, Option<String>),
    Call(ToolCall),
    Outcome(Outcome),
    Native(Native),
}

/// Who made a message, as far as LangChain tells providers apart by their blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Provider {
    OpenAi,
    Anthropic,
    Google,
}

impl Provider {
    /// By `response_metadata`: `model_provider`, or the model's name where that is missing.
    pub(super) fn of(metadata: Option<Value<'_>>) -> Option<Self> {
        let provider = str_of(metadata?, "model_provider");
        Self::by_name(&provider.or_else(|| model_of(metadata?))?)
    }

    /// By a provider's or a model's name.
    pub(super) fn by_name(name: &str) -> Option<Self> {
        match name {
            name if name.contains("anthropic") || name.starts_with("claude") => Some(Self::Anthropic),
            name if name.starts_with("google") || name.starts_with("gemini") => Some(Self::Google),
            name if name.contains("openai") || name.starts_with("gpt") => Some(Self::OpenAi),
            _ => None,
        }
    }
}

/// The model's name in `response_metadata`.
pub(super) fn model_of(metadata: Value<'_>) -> Option<String> {
    ["model_name", "model"].iter().find_map(|key| str_of(metadata, key).filter(|name| !name.is_empty()))
}

/// Reads a block; none of one that was left out and told.
pub(super) fn block(block: Value<'_>, at: &Path<'_>, provider: Option<Provider>, reader: &mut Reader) -> Read<Option<Block>> {
    let kind = reader.kind(block, at)?;
    Ok(match kind.as_str() {
        "text" => Some(Block::Text(text(block, provider, at, reader)?)),
        "thinking" => signed(block, "thinking", provider, at, reader)?.map(Block::Reasoning),
        "redacted_thinking" => {
            let data = reader.member_or_empty(block, "data", at)?;
            let whole = verbatim(block, &["type", "data"], Wire::Anthropic, &kind, at, reader);
            whole.or_else(|| redacted(&data)).map(Block::Reasoning)
        }
        "reasoning" => reasoning(block, provider, at, reader)?,
        "tool_use" | "tool_call" | "tool_call_chunk" | "invalid_tool_call" | "function_call" => {
            Some(Block::Call(call(block, at, reader)?))
        }
        "tool_result" => Some(Block::Outcome(outcome(block, at, reader)?)),
        "server_tool_call" => server_call(block, provider, at, reader)?,
        "server_tool_result" => server_result(block, provider, at, reader)?,
        "function_call_signature" | "input_json_delta" | "server_tool_call_chunk" => {
            reader.note(at, ReadChange::PartLeftOut { kind });
            None
        }
        "non_standard" if present(block, "value").is_some_and(|value| value.get("type").is_some()) => {
            let value = present(block, "value").unwrap_or(block);
            native(value, &str_of(value, "type").unwrap_or_default(), provider, &at.key("value"), reader).map(Block::Native)
        }
        _ => match media::file(block, &kind, at, reader) {
            Some((image, media)) => Some(Block::File { image, media }),
            None => native(block, &kind, provider, at, reader).map(Block::Native),
        },
    })
}

fn text(block: Value<'_>, provider: Option<Provider>, at: &Path<'_>, reader: &mut Reader) -> Read<Text> {
    let text = reader.member_or_empty(block, "text", at)?;
    let signature = present(block, "extras").and_then(|extras| present(extras, "signature"));
    let Some(signature) = signature.filter(|_| provider == Some(Provider::Google)) else {
        if let Some(extras) = present(block, "extras") {
            reader.unknown(extras, &["phase"], &at.key("extras"));
        }
        return Ok(Text { text, extra: extra(block, &["type", "text", "index", "id", "phase", "extras"], at, reader) });
    };
    let kept = extra(block, &["type", "text", "index", "id", "extras"], at, reader);
    let raw = reader.raw(signature, &at.key("extras"));
    let signed = raw.map(|raw| opaque::field(Wire::Gemini, "thoughtSignature", raw));
    if signed.is_some() && !kept.is_empty() {
        reader.left_out(Wire::Anthropic.name(), at);
    }
    Ok(Text { text, extra: signed.unwrap_or(kept) })
}

/// What Anthropic keeps beside a block, which LangChain leaves as it is. All else beside the `known` is told.
pub(super) fn extra(block: Value<'_>, known: &[&str], at: &Path<'_>, reader: &mut Reader) -> Extra {
    const KEPT: [&str; 2] = ["cache_control", "citations"];
    let mut fields = Vec::new();
    for name in KEPT {
        let raw = present(block, name).and_then(|value| reader.raw(value, &at.key(name)));
        fields.extend(raw.map(|raw| (Arc::from(name), raw)));
    }
    let known: Vec<&str> = known.iter().chain(&KEPT).copied().collect();
    reader.unknown(block, &known, at);
    Extra::new(Wire::Anthropic, fields)
}

/// Thinking of Anthropic, or in the same form a thought of Gemini.
fn signed(
    block: Value<'_>,
    key: &str,
    provider: Option<Provider>,
    at: &Path<'_>,
    reader: &mut Reader,
) -> Read<Option<Reasoning>> {
    let text = reader.member_or_empty(block, key, at)?;
    let extras = present(block, "extras").and_then(|extras| str_of(extras, "signature"));
    let signature = str_of(block, "signature").or(extras);
    Ok(match provider {
        Some(Provider::Google) => thought(&text, signature.as_deref()),
        Some(Provider::Anthropic | Provider::OpenAi) | None => {
            let own = ["type", "thinking", "signature"];
            let whole = verbatim(block, &own, Wire::Anthropic, "thinking", at, reader);
            whole.or_else(|| thinking(&text, signature.as_deref()))
        }
    })
}

/// The block byte for byte, if it holds nothing but what its wire knows.
fn verbatim(block: Value<'_>, own: &[&str], wire: Wire, kind: &str, at: &Path<'_>, reader: &mut Reader) -> Option<Reasoning> {
    let pure = block.entries().all(|(name, value)| own.contains(&name.as_ref()) && !value.is_null());
    let raw = if pure { reader.raw(block, at) } else { None };
    raw.and_then(|raw| opaque::reasoning(wire, kind, raw.as_str()))
}

/// The members of an item of reasoning of OpenAI Responses.
pub(super) const OF_ITEM: [&str; 6] = ["type", "id", "summary", "encrypted_content", "content", "status"];

/// An item of reasoning of OpenAI Responses as it came, but for members that are null (a null `status` is refused) and those that the
/// provider does not know.
pub(super) fn item_of(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Reasoning> {
    if block.get("type").is_some()
        && let Some(whole) = verbatim(block, &OF_ITEM, Wire::OpenAiResponses, "reasoning", at, reader)
    {
        return Some(whole);
    }
    let known: Vec<&str> = OF_ITEM.iter().chain(&["index", "extras"]).copied().collect();
    reader.unknown(block, &known, at);
    let mut members = vec![("type", quoted("reasoning"))];
    for name in OF_ITEM.iter().skip(1) {
        members.extend(present(block, name).map(|value| (*name, reader.json(value, &at.key(name)))));
    }
    if block.get("summary").is_none() {
        members.push(("summary", "[]".to_owned()));
    }
    opaque::reasoning(Wire::OpenAiResponses, "reasoning", object(&members))
}

/// A `reasoning` block: an item of OpenAI Responses as it came, or LangChain's standard one.
fn reasoning(block: Value<'_>, provider: Option<Provider>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Block>> {
    let id = str_of(block, "id").filter(|id| id.starts_with("rs_"));
    let extras = present(block, "extras");
    let from = |key| str_of(block, key).or_else(|| str_of(extras?, key));
    let encrypted = from("encrypted_content");
    if present(block, "summary").is_some() {
        return Ok(item_of(block, at, reader).map(Block::Reasoning));
    }
    if id.is_some() || encrypted.is_some() {
        let text = reader.member_or_empty(block, "reasoning", at)?;
        return Ok(Some(Block::Piece(str_of(block, "id"), text, encrypted)));
    }
    if from("signature").is_some() || matches!(provider, Some(Provider::Anthropic | Provider::Google)) {
        return Ok(signed(block, "reasoning", provider, at, reader)?.map(Block::Reasoning));
    }
    let text = reader.member_or_empty(block, "reasoning", at)?;
    Ok(unsigned(&text).map(Block::Reasoning))
}

/// A call among the content. What the message's own list says of it counts.
fn call(block: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<ToolCall> {
    const KNOWN: [&str; 15] = [
        "type",
        "id",
        "call_id",
        "name",
        "input",
        "args",
        "arguments",
        "index",
        "extras",
        "status",
        "caller",
        "toolset_name",
        "partial_json",
        "error",
        "namespace",
    ];
    reader.unknown(block, &KNOWN, at);
    let id = reader.member(block, "call_id", at)?;
    let id = id.map_or_else(|| reader.member_or_empty(block, "id", at), Ok)?;
    let given =
        ["input", "args", "arguments"].into_iter().find(|key| present(block, key).is_some_and(|value| !is_nothing(value)));
    // A call that was cut holds what came of its arguments.
    let cut = present(block, "partial_json").map(|_| "partial_json");
    let key = given.or(cut).unwrap_or(if block.get("args").is_some() { "args" } else { "input" });
    let input = reader.input(present(block, key), &at.key(key))?;
    Ok(ToolCall { id: CallId::new(id), name: reader.member_or_empty(block, "name", at)?, input, extra: item_of_call(block) })
}

/// The fields of a call's item of OpenAI Responses: beside the call's id in the provider's own block, among the extras of the standard one.
fn item_of_call(block: Value<'_>) -> Extra {
    let own = present(block, "call_id").is_some();
    let beside = present(block, "extras").filter(|extras| present(*extras, "item_id").is_some());
    match (own, beside) {
        (true, _) => item::call(|name| str_of(block, name)),
        (false, Some(extras)) => item::call(|name| str_of(extras, if name == "id" { "item_id" } else { name })),
        (false, None) => Extra::default(),
    }
}

fn outcome(value: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Outcome> {
    let content = present(value, "content");
    let parts = reader.content(content, &at.key("content"), Part::Text, |reader, inner, at, parts| {
        // One level is all that an outcome has.
        match str_of(inner, "type").as_deref() {
            Some("tool_result") => reader.note(at, ReadChange::PartLeftOut { kind: "tool_result".to_owned() }),
            _ => parts.extend(block(inner, at, None, reader)?.and_then(|block| part(block, inner, at, reader))),
        }
        Ok(())
    })?;
    Ok(Outcome {
        call: CallId::new(reader.member_or_empty(value, "tool_use_id", at)?),
        parts,
        failed: value.get("is_error").and_then(Value::as_bool),
        extra: Extra::default(),
    })
}

/// What LangChain calls a provider's code tool, and what Anthropic calls it.
const CODE: (&str, &str) = ("code_interpreter", "code_execution");

fn server_call(block: Value<'_>, provider: Option<Provider>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Block>> {
    let tool = reader.member_or_empty(block, "name", at)?;
    if provider == Some(Provider::Anthropic) {
        let tool = if tool == CODE.0 { CODE.1 } else { &tool };
        let input = present(block, "args").map_or_else(|| "{}".to_owned(), |args| reader.json(args, &at.key("args")));
        let id = reader.member_or_empty(block, "id", at)?;
        let raw = object(&[("type", quoted("server_tool_use")), ("id", quoted(&id)), ("name", quoted(tool)), ("input", input)]);
        return Ok(made(Wire::Anthropic, "server_tool_use", raw, None, at, reader));
    }
    reader.note(at, ReadChange::ServerToolAsText { tool: tool.clone() });
    Ok(Some(Block::Text(Text::new(native_elsewhere(&tool)))))
}

fn server_result(block: Value<'_>, provider: Option<Provider>, at: &Path<'_>, reader: &mut Reader) -> Read<Option<Block>> {
    let output = present(block, "output").map_or_else(|| "null".to_owned(), |output| reader.json(output, &at.key("output")));
    let id = reader.member_or_empty(block, "tool_call_id", at)?;
    let kind = present(block, "extras").and_then(|extras| str_of(extras, "block_type"));
    if let (Some(Provider::Anthropic), Some(kind)) = (provider, kind) {
        let raw = object(&[("type", quoted(&kind)), ("tool_use_id", quoted(&id)), ("content", output)]);
        return Ok(made(Wire::Anthropic, &kind, raw, Some(id.as_str()), at, reader));
    }
    reader.note(at, ReadChange::ServerToolAsText { tool: id });
    let text = present(block, "output").and_then(Value::as_str).map_or(output, |text| text.into_owned());
    Ok(Some(Block::Text(Text::new(text))))
}

fn made(wire: Wire, kind: &str, raw: String, needs: Option<&str>, at: &Path<'_>, reader: &mut Reader) -> Option<Block> {
    let raw = RawJson::new(raw).ok();
    if raw.is_none() {
        reader.note(at, ReadChange::TooDeep);
    }
    let needs = needs.map(Arc::from);
    Some(Block::Native(Native { wire, kind: kind.into(), raw: raw?, reads_as: None, needs }))
}

/// Whose a block of that kind is, and whether that is only assumed.
fn owner(kind: &str, provider: Option<Provider>) -> (Wire, bool) {
    const ANTHROPIC: [&str; 8] =
        ["server_tool_use", "mcp_tool_use", "container_upload", "search_result", "document", "image", "compaction", "fallback"];
    const OPENAI_CHAT: [&str; 5] = ["input_audio", "refusal", "image_url", "file", "audio"];
    let responses = kind == "compaction" || ["_call", "_output", "_tools"].iter().any(|end| kind.ends_with(end));
    match provider {
        Some(Provider::OpenAi) if responses => (Wire::OpenAiResponses, false),
        _ if OPENAI_CHAT.contains(&kind) => (Wire::OpenAiChat, false),
        _ if ANTHROPIC.contains(&kind) || kind.ends_with("_tool_result") => (Wire::Anthropic, false),
        Some(Provider::Anthropic) => (Wire::Anthropic, false),
        Some(Provider::Google) => (Wire::Gemini, false),
        Some(Provider::OpenAi) | None => (Wire::OpenAiChat, true),
    }
}

/// A block that only its provider understands, kept as it came.
pub(super) fn native(
    block: Value<'_>,
    kind: &str,
    provider: Option<Provider>,
    at: &Path<'_>,
    reader: &mut Reader,
) -> Option<Native> {
    let (wire, assumed) = owner(kind, provider);
    if assumed {
        reader.note(at, ReadChange::UnknownBlock { kind: kind.to_owned() });
    }
    let raw = reader.raw(block, at)?;
    let needs = str_of(block, "tool_use_id").filter(|_| wire == Wire::Anthropic && kind.ends_with("_tool_result"));
    let reads_as = str_of(block, "refusal").filter(|_| kind == "refusal");
    Some(Native { wire, kind: kind.into(), raw, reads_as, needs: needs.map(Arc::from) })
}
