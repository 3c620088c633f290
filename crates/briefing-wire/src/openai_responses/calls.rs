//! Calls by the type of their item. A call and its outcome are of one kind: what does not agree is a function's.

use briefing::Wire;
use briefing::message::{Extra, Native, Outcome, Part, RawJson, ToolCall};
use briefing_json::Kind;

use super::native::CLIENT;
use crate::input::is_too_long;
use crate::raw::{is_text, look};

/// The kind of a native part that holds what a search found: the tools.
pub(super) const TOOLS: &str = "tools";

/// The kind of a native part that holds the output of a tool of OpenAI's own that the client runs.
pub(super) const OUTPUT: &str = "output";

/// What a call is, with its outcome.
#[derive(Clone, Copy)]
pub(super) enum CallKind<'a> {
    Function,
    Custom,
    /// With the tools that were found.
    Search(&'a str),
    /// With its output.
    Other(&'a RawJson),
}

pub(super) fn kind_of<'a>(call: &ToolCall, outcome: &'a Outcome) -> CallKind<'a> {
    let Some(kind) = type_of(&call.extra) else { return CallKind::Function };
    if is_text(kind, "custom_tool_call") {
        return if is_too_long(call.input.raw()) { CallKind::Function } else { CallKind::Custom };
    }
    let output = only_native(outcome);
    if is_text(kind, "tool_search_call") {
        let tools = output.filter(|native| &*native.kind == TOOLS).map(|native| native.raw.as_str());
        let tools = tools.filter(|tools| look(tools, |tools| (tools.kind() == Kind::Array).then_some(())).is_some());
        return if call.input.is_object() { CallKind::Search(tools.unwrap_or("[]")) } else { CallKind::Function };
    }
    if !CLIENT.iter().any(|client| is_text(kind, client)) {
        return CallKind::Function;
    }
    let agrees = type_of(&outcome.extra).is_some_and(|output| is_output_of(output, kind));
    match output.filter(|native| agrees && &*native.kind == OUTPUT) {
        Some(native) => CallKind::Other(&native.raw),
        None => CallKind::Function,
    }
}

/// The type of an item that is no function's call or outcome.
pub(super) fn type_of(extra: &Extra) -> Option<&RawJson> {
    extra.on(Wire::OpenAiResponses).find(|(name, _)| *name == "type").map(|(_, raw)| raw)
}

/// The one part of an outcome, if it is a block of this wire.
fn only_native(outcome: &Outcome) -> Option<&Native> {
    match outcome.parts.as_slice() {
        [Part::Native(native)] if native.wire == Wire::OpenAiResponses => Some(native),
        _ => None,
    }
}

/// Whether `output` is the type of the outcomes of calls of the type `call`.
fn is_output_of(output: &RawJson, call: &RawJson) -> bool {
    let call = look(call.as_str(), |call| call.as_str().map(|call| format!("{call}_output")));
    call.is_some_and(|wanted| is_text(output, &wanted))
}
