//! The items of the list: what each type must hold.

use std::borrow::Cow;

use briefing_json::{Path, Value, present};

use super::content;
use super::ids::ItemIds;
use super::pairs::{Family, Pairs};
use super::reasoning::Reasoning;
use super::tools::{self, Known, MAX_NAME};
use crate::fault::{Fault, IdRule, Role, Shape, clip};
use crate::profile::{Dialect, Rules};
use crate::report::{Findings, text};
use crate::tools as common;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// A message; its role says whose.
    Message,
    Reasoning,
    Call(Family),
    Output(Family),
    /// What adds tools in the course of the list.
    AdditionalTools,
    /// What the provider wrote or keeps, and what is not paired.
    Other,
}

impl Item {
    /// The types that OpenAI lists in its answer to one that it does not know: "Supported values are: 'additional_tools',
    /// 'agent_message', 'apply_patch_call', …".
    pub(super) fn parse(kind: &str) -> Option<Self> {
        Some(match kind {
            "message" => Self::Message,
            "reasoning" => Self::Reasoning,
            "function_call" => Self::Call(Family::Function),
            "function_call_output" => Self::Output(Family::Function),
            "custom_tool_call" => Self::Call(Family::Custom),
            "custom_tool_call_output" => Self::Output(Family::Custom),
            "computer_call" => Self::Call(Family::Computer),
            "computer_call_output" => Self::Output(Family::Computer),
            "local_shell_call" => Self::Call(Family::LocalShell),
            "local_shell_call_output" => Self::Output(Family::LocalShell),
            "shell_call" => Self::Call(Family::Shell),
            "shell_call_output" => Self::Output(Family::Shell),
            "apply_patch_call" => Self::Call(Family::ApplyPatch),
            "apply_patch_call_output" => Self::Output(Family::ApplyPatch),
            "tool_search_call" => Self::Call(Family::ToolSearch),
            "tool_search_output" => Self::Output(Family::ToolSearch),
            "additional_tools" => Self::AdditionalTools,
            "agent_message"
            | "code_interpreter_call"
            | "compaction"
            | "compaction_trigger"
            | "file_search_call"
            | "image_generation_call"
            | "item_reference"
            | "mcp_approval_request"
            | "mcp_approval_response"
            | "mcp_call"
            | "mcp_list_tools"
            | "multi_agent_call"
            | "multi_agent_call_output"
            | "program"
            | "program_output"
            | "web_search_call" => Self::Other,
            _ => return None,
        })
    }
}

/// The walk along the items.
pub(super) struct Items<'c, 'd> {
    rules: &'c Rules,
    out: &'c mut Findings,
    input: Value<'d>,
    known: &'c mut Known<'d>,
    pairs: Pairs<'d>,
    reasoning: Reasoning<'d>,
    ids: ItemIds<'d>,
}

impl<'c, 'd> Items<'c, 'd> {
    pub(super) fn new(
        rules: &'c Rules,
        input: Value<'d>,
        out: &'c mut Findings,
        known: &'c mut Known<'d>,
        pairs: Pairs<'d>,
    ) -> Self {
        Self { rules, out, input, known, pairs, reasoning: Reasoning::default(), ids: ItemIds::default() }
    }

    pub(super) fn walk(&mut self) {
        let above = Path::ROOT.key("input");
        for (index, item) in self.input.items().enumerate() {
            self.item(item, index, &above.index(index));
        }
        self.close();
        if self.openai() {
            self.reasoning.ends(self.out);
        }
    }

    pub(super) fn has_calls(&self) -> bool {
        self.pairs.has_calls()
    }

    fn openai(&self) -> bool {
        self.rules.dialect == Dialect::OpenAi
    }

    fn item(&mut self, item: Value<'d>, index: usize, at: &Path<'_>) {
        if self.out.shaped(at, item, Shape::Object).is_none() {
            return;
        }
        let Some(known) = self.kind(item, at) else { return };
        let role = if known == Item::Message { self.role(item, at) } else { None };
        if known == Item::Message && role.is_none() {
            return;
        }
        if self.openai() {
            self.ids.check(item, known, at, self.out);
            self.reasoning.next(item, known, role, index, self.out);
        }
        match (known, role) {
            (Item::Message, Some(role)) => self.message(item, role, at),
            (Item::Message, None) | (Item::Other, _) => {}
            (Item::Reasoning, _) => self.reasoning_item(item, at),
            (Item::Call(family), _) => self.call(item, family, index, at),
            (Item::Output(family), _) => self.output(item, family, at),
            (Item::AdditionalTools, _) => tools::added(item, self.rules.dialect, self.known, at, self.out),
        }
    }

    /// An item without a type is a message, or with an id alone a reference. Other hosts may have types of their own.
    fn kind(&mut self, item: Value<'d>, at: &Path<'_>) -> Option<Item> {
        let Some(kind) = self.out.optional(at, item, "type", Shape::String) else {
            let named = present(item, "type").is_some();
            let reference = present(item, "role").is_none() && present(item, "id").is_some();
            return (!named).then_some(if reference { Item::Other } else { Item::Message });
        };
        let kind = kind.as_str().unwrap_or_default();
        let known = Item::parse(&kind);
        if known.is_none() && self.openai() {
            self.out.add(&at.key("type"), Fault::UnknownPart { kind: clip(&kind) });
        }
        known
    }

    /// "Invalid value: 'robot'. Supported values are: 'assistant', 'system', 'developer', and 'user'."
    fn role(&mut self, item: Value<'d>, at: &Path<'_>) -> Option<Role> {
        let name = self.out.need_text(at, item, "role")?;
        let role = match Role::parse(&name) {
            Some(role @ (Role::System | Role::Developer | Role::User | Role::Assistant)) => Some(role),
            Some(Role::Tool | Role::Function | Role::Model) | None => None,
        };
        if role.is_none() {
            self.out.add(&at.key("role"), Fault::UnknownRole { role: clip(&name) });
        }
        role
    }

    fn message(&mut self, item: Value<'d>, role: Role, at: &Path<'_>) {
        // DeepSeek: "No tool output found for tool call call-a." (recorded) for a call that an answer parts from its output.
        if role == Role::Assistant && !self.openai() {
            self.close();
        }
        if let Some(content) = self.out.need(at, item, "content", Shape::Content) {
            content::check(content, role, self.rules, &at.key("content"), self.out);
        }
    }

    /// "Missing required parameter: 'input[7].summary'." (<https://github.com/AAswordman/Operit/issues/797>)
    fn reasoning_item(&mut self, item: Value<'d>, at: &Path<'_>) {
        if self.openai() {
            self.out.need(at, item, "summary", Shape::Array);
        }
    }

    fn call(&mut self, item: Value<'d>, family: Family, index: usize, at: &Path<'_>) {
        let id = self.call_id(item, family, at);
        if let Some(id) = &id
            && let Some(fault) = self.pairs.call(family, id.clone(), index)
        {
            self.out.add(&at.key("call_id"), fault);
        }
        match family {
            Family::Function => self.function(item, &id.unwrap_or_default(), at),
            Family::Custom => {
                self.name(item, at);
                self.out.need(at, item, "input", Shape::String);
            }
            Family::Computer | Family::LocalShell | Family::Shell | Family::ApplyPatch | Family::ToolSearch => {}
        }
    }

    fn function(&mut self, item: Value<'d>, id: &str, at: &Path<'_>) {
        self.name(item, at);
        if let Some(arguments) = self.out.need_text(at, item, "arguments") {
            let most = self.openai().then_some(common::MAX_ARGUMENTS);
            common::arguments(&arguments, id, most, &at.key("arguments"), self.out);
        }
    }

    fn name(&mut self, item: Value<'d>, at: &Path<'_>) {
        if let Some(name) = self.out.need_text(at, item, "name") {
            common::name(&name, MAX_NAME, &at.key("name"), self.out);
        }
    }

    fn output(&mut self, item: Value<'d>, family: Family, at: &Path<'_>) {
        if let Some(id) = self.output_id(item, family, at)
            && let Some(fault) = self.pairs.outcome(family, &id)
        {
            self.out.add(at, fault);
        }
        match family {
            Family::Function | Family::Custom => {
                if let Some(output) = self.out.need(at, item, "output", Shape::Content) {
                    content::check(output, Role::Tool, self.rules, &at.key("output"), self.out);
                }
            }
            Family::ToolSearch => tools::added(item, self.rules.dialect, self.known, at, self.out),
            Family::Computer | Family::LocalShell | Family::Shell | Family::ApplyPatch => {}
        }
    }

    /// The id that pairs a call. A search that the provider ran itself has none.
    fn call_id(&mut self, item: Value<'d>, family: Family, at: &Path<'_>) -> Option<Cow<'d, str>> {
        if family == Family::ToolSearch
            && text(item, "execution").as_deref() != Some("client")
            && present(item, "call_id").is_none()
        {
            return None;
        }
        let id = self.out.need_text(at, item, "call_id")?;
        let rule = if self.openai() { IdRule::AtMost64 } else { IdRule::Any };
        common::id(&id, rule, &at.key("call_id"), self.out);
        Some(id)
    }

    /// The output of a local shell may name its call in `id` alone: OpenAI's own types.
    fn output_id(&mut self, item: Value<'d>, family: Family, at: &Path<'_>) -> Option<Cow<'d, str>> {
        if family == Family::LocalShell && present(item, "call_id").is_none() {
            let id = self.out.need_text(at, item, "id")?;
            return Some(self.pairs.local_shell(id));
        }
        self.call_id(item, family, at)
    }

    fn close(&mut self) {
        for (index, fault) in self.pairs.close() {
            self.out.add(&Path::ROOT.key("input").index(index), fault);
        }
    }
}
