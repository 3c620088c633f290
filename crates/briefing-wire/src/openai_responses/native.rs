//! Where an item or a part that only OpenAI Responses understands may stand. What the provider refuses reads as text.

use std::collections::HashSet;

use briefing::Dialect;
use briefing::message::RawJson;
use briefing_json::{Kind, Value};

use crate::raw::{look, text_of};
use crate::scribe::{Place, Standing};

/// An item that adds tools, which stands among the messages as the developer's.
pub(super) const ADDITIONAL_TOOLS: &str = "additional_tools";

/// An item that the provider keeps, by its id.
pub(super) const REFERENCE: &str = "item_reference";

/// The answer to a question of the provider whether a tool of its own may run.
pub(super) const APPROVAL: &str = "mcp_approval_response";

/// A call of a shell, which the provider may run itself, and its output.
pub(super) const SHELL: [&str; 2] = ["shell_call", "shell_call_output"];

/// An item that is sent byte for byte, with what decides where it may stand: read once.
pub(super) struct Whole<'a> {
    pub(super) raw: &'a RawJson,
    pub(super) kind: Option<String>,
    pub(super) id: Option<String>,
    /// The id of the call that it is or answers.
    pub(super) call: Option<String>,
}

impl<'a> Whole<'a> {
    pub(super) fn of(raw: &'a RawJson) -> Self {
        let read = |item: Value<'_>| Some((text_of(item, "type"), text_of(item, "id"), answered(item)));
        let (kind, id, call) = look(raw.as_str(), read).unwrap_or_default();
        Self { raw, kind, id, call }
    }

    /// Whether it refers to an item that the provider keeps.
    pub(super) fn is_reference(&self) -> bool {
        self.kind.as_deref().is_none_or(|kind| kind == REFERENCE)
    }

    /// Whether it is a call of a shell, or the output of one.
    pub(super) fn is_shell(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| SHELL.contains(&kind))
    }

    pub(super) fn is_output(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind.ends_with("_output"))
    }

    /// Whether it is an item of its own in an input, and no part of a message.
    pub(super) fn is_item(&self) -> bool {
        self.is_output() || self.kind.as_deref() == Some(APPROVAL)
    }
}

/// What the list says so far.
#[derive(Debug, Default)]
pub(super) struct SoFar {
    /// Whether it goes on from what the provider keeps.
    pub(super) goes_on: bool,
    /// The ids of the provider's questions whether a tool of its own may run.
    pub(super) asked: HashSet<String>,
}

impl SoFar {
    /// Takes an item that stands as it came.
    pub(super) fn take(&mut self, item: &Whole<'_>) {
        self.goes_on |= item.is_reference();
        if item.kind.as_deref() == Some("mcp_approval_request") {
            self.asked.extend(item.id.clone());
        }
    }
}

/// Whether an item (or, of an input and an outcome, a part) may stand at a place. What is known is native only if it is written in no
/// known form, so it may not.
pub(super) fn standing(item: Value<'_>, place: Place, dialect: Dialect, so_far: &SoFar) -> Standing {
    let Some(kind) = text_of(item, "type") else {
        let refers = item.get("role").is_none() && text_of(item, "id").is_some() && item.get("type").is_none();
        return Standing::yes_if(place == Place::Answer && refers);
    };
    match (place, kind.as_str()) {
        (Place::System, ADDITIONAL_TOOLS) => {
            Standing::yes_if(item.get("tools").is_some_and(|tools| tools.kind() == Kind::Array))
        }
        (Place::Input, APPROVAL) => {
            let asked = |id: String| so_far.goes_on || so_far.asked.contains(&id);
            Standing::yes_if(text_of(item, "approval_request_id").is_some_and(asked))
        }
        (Place::Input, "input_audio") => Standing::Yes,
        // The outcome of a call that the provider keeps.
        (Place::Input, kind) if kind.ends_with("_output") => Standing::yes_if(so_far.goes_on && is_outcome(item, kind)),
        (Place::System | Place::Input | Place::Outcome, _) => Standing::No,
        (Place::Answer, "message") => Standing::yes_if(is_answer(item)),
        (Place::Answer, "mcp_approval_request") => Standing::yes_if(text_of(item, "id").is_some()),
        (Place::Answer, "reasoning" | ADDITIONAL_TOOLS | APPROVAL) => Standing::No,
        (Place::Answer, kind) => {
            let original = dialect == Dialect::Original;
            let own = (!original || OWN.contains(&kind)) && !is_paired(item, kind);
            Standing::yes_if((own || original && SHELL.contains(&kind)) && item.get("role").is_none())
        }
    }
}

/// Items of the model's that the client does not answer. OpenAI takes no others: its answer to one that it does not know lists them.
const OWN: [&str; 16] = [
    "agent_message",
    "code_interpreter_call",
    "compaction",
    "compaction_trigger",
    "file_search_call",
    "image_generation_call",
    "item_reference",
    "mcp_call",
    "mcp_list_tools",
    "multi_agent_call",
    "multi_agent_call_output",
    "program",
    "program_output",
    "web_search_call",
    "tool_search_call",
    "tool_search_output",
];

/// Calls of tools of OpenAI's own that the client runs.
pub(super) const CLIENT: [&str; 4] = ["computer_call", "local_shell_call", SHELL[0], "apply_patch_call"];

/// Whether an item is a call that the client answers, or such an answer: these name a call, and stand in pairs. A search for tools
/// that the provider ran itself names none.
pub(super) fn is_paired(item: Value<'_>, kind: &str) -> bool {
    match kind.strip_suffix("_output").unwrap_or(kind) {
        "function_call" | "custom_tool_call" => true,
        call if CLIENT.contains(&call) => true,
        "tool_search_call" | "tool_search" => {
            text_of(item, "execution").as_deref() == Some("client") || item.get("call_id").is_some_and(|id| !id.is_null())
        }
        _ => false,
    }
}

/// Whether an item calls a shell that the provider runs itself.
pub(super) fn is_hosted(item: Value<'_>, kind: &str) -> bool {
    let place = item.get("environment").and_then(|environment| text_of(environment, "type"));
    kind == SHELL[0] && place.is_some_and(|place| place != "local")
}

/// The id of the call that an outcome answers. That of a local shell may name it by `id` alone.
pub(super) fn answered(item: Value<'_>) -> Option<String> {
    text_of(item, "call_id").or_else(|| {
        let local = text_of(item, "type").is_some_and(|kind| kind == "local_shell_call_output");
        if local { text_of(item, "id") } else { None }
    })
}

/// Whether an outcome is one that the provider takes: it names its call, and holds text or parts if it is a function's.
fn is_outcome(item: Value<'_>, kind: &str) -> bool {
    let names = answered(item).is_some_and(|id| !id.is_empty() && id.chars().count() <= 64);
    let output = item.get("output");
    let holds = match kind {
        "function_call_output" | "custom_tool_call_output" => output.is_some_and(is_output),
        "tool_search_output" => false,
        _ => output.is_some(),
    };
    is_paired(item, kind) && names && holds
}

/// Whether it is text, or parts that an output may have.
fn is_output(output: Value<'_>) -> bool {
    let part = |part: Value<'_>| match text_of(part, "type").as_deref() {
        Some("input_text") => text_of(part, "text").is_some(),
        Some("input_file") => text_of(part, "file_id").is_some_and(|id| !id.is_empty()),
        Some("input_image") => ["image_url", "file_id"]
            .iter()
            .any(|key| text_of(part, key).is_some_and(|text| !text.is_empty() && !text.starts_with("data:"))),
        Some(_) | None => false,
    };
    match output.kind() {
        Kind::String => true,
        Kind::Array => output.items().all(part),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object => false,
    }
}

/// Whether a message of the model holds nothing but what a model says.
fn is_answer(item: Value<'_>) -> bool {
    let said = |part: Value<'_>| match text_of(part, "type").as_deref() {
        Some("output_text") => text_of(part, "text").is_some(),
        Some("refusal") => text_of(part, "refusal").is_some(),
        Some(_) | None => false,
    };
    let content = item.get("content").filter(|content| content.kind() == Kind::Array);
    text_of(item, "role").as_deref() == Some("assistant")
        && content.is_some_and(|content| content.items().next().is_some() && content.items().all(said))
}
