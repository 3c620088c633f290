//! OpenAI Chat Completions, in three dialects.

mod calls;
mod content;

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Kind, Path, Value, present};

use crate::fault::{Fault, IdRule, Role, Shape, clip};
use crate::ledger::Ledger;
use crate::profile::{Dialect, Rules};
use crate::report::{Findings, text};
use crate::tools;

/// The longest name of a tool: OpenAI's documentation, mistral-common's validator.
const MAX_NAME: usize = 64;

pub(crate) fn check(body: Value<'_>, rules: &Rules, out: &mut Findings) {
    let root = &Path::ROOT;
    if out.shaped(root, body, Shape::Object).is_none() {
        return;
    }
    out.need(root, body, "model", Shape::String);
    calls::declared(body, rules.dialect, out);
    let Some(messages) = out.need(root, body, "messages", Shape::Array) else { return };
    if messages.items().next().is_none() {
        out.add(&root.key("messages"), Fault::NoMessages);
        return;
    }
    let mut chat =
        Chat { rules, out, messages, ledger: Ledger::new(rules.reused_ids), previous: None, speaker: None, past_system: false };
    chat.walk();
    if rules.tools_with_calls && chat.ledger.knows_calls() && body.get("tools").is_none() {
        out.add(root, Fault::CallsWithoutTools);
    }
}

/// The walk along the messages.
struct Chat<'c, 'd> {
    rules: &'c Rules,
    out: &'c mut Findings,
    messages: Value<'d>,
    ledger: Ledger<'d>,
    /// The role of the message before.
    previous: Option<Role>,
    /// Who spoke last, calls and outcomes aside.
    speaker: Option<Role>,
    /// Whether a message that is not system has been seen.
    past_system: bool,
}

impl<'d> Chat<'_, 'd> {
    fn walk(&mut self) {
        let above = Path::ROOT.key("messages");
        let mut items = self.messages.items().enumerate().peekable();
        while let Some((index, message)) = items.next() {
            self.message(message, index, items.peek().is_none(), &above.index(index));
        }
        self.close_round();
    }

    fn message(&mut self, message: Value<'d>, index: usize, last: bool, at: &Path<'_>) {
        let role = self.role(message, at);
        if role != Some(Role::Tool) {
            self.close_round();
        }
        let Some(role) = role else { return };
        self.order(message, role, last, at);
        if matches!(role, Role::System | Role::Developer | Role::User | Role::Assistant) {
            self.name(message, at);
        }
        match role {
            Role::System | Role::Developer | Role::User => self.said(message, role, at),
            Role::Assistant | Role::Model => self.assistant(message, index, at),
            Role::Tool => self.outcome(message, at),
            Role::Function => self.legacy(message, at),
        }
    }

    fn role(&mut self, message: Value<'d>, at: &Path<'_>) -> Option<Role> {
        self.out.shaped(at, message, Shape::Object)?;
        let name = self.out.need_text(at, message, "role")?;
        let at = at.key("role");
        let Some(role) = Role::parse(&name) else {
            self.out.add(&at, Fault::UnknownRole { role: clip(&name) });
            return None;
        };
        let supported = match (role, self.rules.dialect) {
            (Role::System, _) => self.rules.system,
            (Role::Developer, Dialect::OpenAi | Dialect::Compatible) => self.rules.system,
            (Role::Developer | Role::Function, Dialect::Mistral) => false,
            (Role::User | Role::Assistant | Role::Tool | Role::Function | Role::Model, _) => true,
        };
        if !supported {
            self.out.add(&at, Fault::RoleNotSupported { role });
        }
        Some(role)
    }

    /// Whether the role may stand at this place of the list.
    fn order(&mut self, message: Value<'d>, role: Role, last: bool, at: &Path<'_>) {
        if self.rules.dialect == Dialect::Mistral {
            self.mistral_order(message, role, last, at);
        }
        let system = matches!(role, Role::System | Role::Developer);
        if system && self.past_system && !self.rules.system_anywhere {
            self.out.add(at, Fault::SystemPlace);
        }
        self.past_system |= !system;
        let speaks = role == Role::User || (role == Role::Assistant && calls_of(message).is_none());
        if let Some(after) = self.speaker.filter(|speaker| self.rules.alternate && speaks && *speaker == role) {
            self.out.add(at, Fault::RoleOrder { role, after });
        }
        if speaks {
            self.speaker = Some(role);
        }
        self.previous = Some(role);
    }

    /// The order that mistral-common's request validator demands.
    fn mistral_order(&mut self, message: Value<'d>, role: Role, last: bool, at: &Path<'_>) {
        let prefix = message.get("prefix").and_then(Value::as_bool).unwrap_or(false);
        if role == Role::Assistant && prefix && !last {
            self.out.add(at, Fault::PrefixNotLast);
        }
        let Some(after) = self.previous else {
            if last && matches!(role, Role::Assistant | Role::Tool) {
                self.out.add(at, Fault::FirstRole { role });
            }
            return;
        };
        let fits = match after {
            Role::System | Role::Developer => role != Role::Tool,
            Role::User => role != Role::Tool,
            Role::Assistant | Role::Model => role != Role::System,
            Role::Tool | Role::Function => matches!(role, Role::Assistant | Role::Tool),
        };
        if !fits {
            self.out.add(at, Fault::RoleOrder { role, after });
        }
        if last && role == Role::Assistant && !prefix {
            self.out.add(at, Fault::Prefill);
        }
    }

    /// "Invalid 'messages[0].name': string does not match pattern. Expected a string that matches the pattern
    /// '^[^\s<|\\/>]+$'." (<https://github.com/microsoft/semantic-kernel/issues/9340>, where it was still narrower)
    fn name(&mut self, message: Value<'d>, at: &Path<'_>) {
        let Some(name) = text(message, "name").filter(|_| self.rules.dialect == Dialect::OpenAi) else { return };
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || r"<|\/>".contains(c)) {
            self.out.add(&at.key("name"), Fault::BadMessageName { name: clip(&name) });
        }
    }

    fn said(&mut self, message: Value<'d>, role: Role, at: &Path<'_>) {
        if let Some(content) = self.out.need(at, message, "content", Shape::Content) {
            content::check(content, role, self.rules, &at.key("content"), self.out);
        }
    }

    fn assistant(&mut self, message: Value<'d>, index: usize, at: &Path<'_>) {
        let calls = self.out.optional(at, message, "tool_calls", Shape::Array);
        let content = self.out.optional(at, message, "content", Shape::Content);
        if let Some(content) = content.filter(|content| !is_empty(*content)) {
            content::check(content, Role::Assistant, self.rules, &at.key("content"), self.out);
        } else if calls.is_none_or(is_empty) && !speaks_otherwise(message) && !self.may_say_nothing(content) {
            self.out.add(at, Fault::NeitherContentNorCalls);
        } else if content.is_some_and(|content| content.kind() == Kind::Array) && self.rules.dialect == Dialect::OpenAi {
            self.out.add(&at.key("content"), Fault::EmptyContent);
        }
        if let Some(calls) = calls {
            self.calls(calls, index, &at.key("tool_calls"));
        }
    }

    /// An empty string is content to all but Mistral, whose validator asks whether there is any text.
    fn may_say_nothing(&self, content: Option<Value<'d>>) -> bool {
        self.rules.dialect != Dialect::Mistral && content.is_some_and(|content| content.kind() == Kind::String)
    }

    fn outcome(&mut self, message: Value<'d>, at: &Path<'_>) {
        let id = self.out.need_text(at, message, "tool_call_id");
        if let Some(id) = &id {
            tools::id(id, id_rule(self.rules.dialect), &at.key("tool_call_id"), self.out);
            if let Some(fault) = self.ledger.outcome(id, || call_ids(self.messages)) {
                self.out.add(at, fault);
            }
        }
        let Some(content) = self.out.need(at, message, "content", Shape::Content) else { return };
        let at = at.key("content");
        if is_empty(content) && !self.rules.empty_outcomes {
            self.out.add(&at, Fault::EmptyOutcome { id: clip(&id.unwrap_or_default()) });
        } else {
            content::check(content, Role::Tool, self.rules, &at, self.out);
        }
    }

    fn legacy(&mut self, message: Value<'d>, at: &Path<'_>) {
        if let Some(name) = self.out.need_text(at, message, "name") {
            tools::name(&name, MAX_NAME, &at.key("name"), self.out);
        }
        self.said(message, Role::Function, at);
    }

    fn close_round(&mut self) {
        for (spot, fault) in self.ledger.close() {
            self.out.add(&Path::ROOT.key("messages").index(spot.message).key("tool_calls").index(spot.item), fault);
        }
    }
}

fn id_rule(dialect: Dialect) -> IdRule {
    match dialect {
        Dialect::OpenAi => IdRule::AtMost40,
        Dialect::Mistral => IdRule::Nine,
        Dialect::Compatible => IdRule::Any,
    }
}

/// The ids of all calls of the list.
fn call_ids(messages: Value<'_>) -> HashSet<Cow<'_, str>> {
    let calls = messages.items().filter_map(|message| message.get("tool_calls")).flat_map(Value::items);
    calls.filter_map(|call| text(call, "id")).collect()
}

fn calls_of(message: Value<'_>) -> Option<Value<'_>> {
    message.get("tool_calls").filter(|calls| !is_empty(*calls))
}

/// An empty string or array, or anything that is neither.
fn is_empty(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::String => value.raw().len() <= 2,
        Kind::Array => value.items().next().is_none(),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::Object => true,
    }
}

/// Whether an assistant message says something in another field.
fn speaks_otherwise(message: Value<'_>) -> bool {
    ["refusal", "audio", "function_call"].iter().any(|key| present(message, key).is_some())
}
