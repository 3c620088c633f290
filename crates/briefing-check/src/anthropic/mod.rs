//! Anthropic Messages.
//!
//! The provider joins neighbouring messages of one role before it pairs calls and results (recordings 06 and 19), so a *turn*
//! here is a run of messages of one role, and the calls of an assistant turn are answered in the user turn behind it.

mod blocks;
mod body;
mod thinking;

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Kind, Path, Value};

use crate::fault::{Fault, Role, Shape, clip};
use crate::ledger::Ledger;
use crate::profile::Rules;
use crate::report::{Findings, text};
use blocks::{Blocks, CacheMarks};
use thinking::OpenTurn;

pub(crate) fn check(body: Value<'_>, rules: &Rules, out: &mut Findings) {
    let root = &Path::ROOT;
    if out.shaped(root, body, Shape::Object).is_none() {
        return;
    }
    let mut marks = CacheMarks::default();
    body::fields(body, &mut marks, out);
    let Some(messages) = out.need(root, body, "messages", Shape::Array) else { return };
    if messages.items().next().is_none() {
        out.add(&root.key("messages"), Fault::NoMessages);
        return;
    }
    let mut list = List::new(rules, messages, out, marks);
    list.walk();
    if thinking::is_on(body) {
        list.open.check(list.out);
    }
    list.marks.check(list.out);
    if rules.tools_with_calls && list.ledger.knows_calls() && body.get("tools").is_none() {
        out.add(root, Fault::CallsWithoutTools);
    }
}

/// The walk along the messages.
struct List<'c, 'd> {
    rules: &'c Rules,
    out: &'c mut Findings,
    messages: Value<'d>,
    ledger: Ledger<'d>,
    marks: CacheMarks,
    /// The ids of the provider's own tools that were used so far.
    server_uses: HashSet<Cow<'d, str>>,
    /// Whose turn it is; system messages do not break a turn.
    turn: Option<Role>,
    /// In a user turn: whether something other than a result was seen.
    other_content: bool,
    /// The message before was a system message with content, at this index.
    system_before: Option<usize>,
    /// What the assistant message before ends in.
    ending: Ending,
    open: OpenTurn,
}

/// How a message ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// In text or thinking, or in nothing.
    Text,
    /// In a call.
    Call,
    /// In a use of the provider's own tools, or its result: the provider goes on from there.
    Server,
}

impl<'c, 'd> List<'c, 'd> {
    fn new(rules: &'c Rules, messages: Value<'d>, out: &'c mut Findings, marks: CacheMarks) -> Self {
        Self {
            rules,
            out,
            messages,
            ledger: Ledger::new(rules.reused_ids),
            marks,
            server_uses: HashSet::new(),
            turn: None,
            other_content: false,
            system_before: None,
            ending: Ending::Text,
            open: OpenTurn::default(),
        }
    }

    fn walk(&mut self) {
        let above = Path::ROOT.key("messages");
        let mut items = self.messages.items().enumerate().peekable();
        while let Some((index, message)) = items.next() {
            self.message(message, index, items.peek().is_none(), &above.index(index));
        }
        self.close_round();
    }

    fn message(&mut self, message: Value<'d>, index: usize, last: bool, at: &Path<'_>) {
        if self.out.shaped(at, message, Shape::Object).is_none() {
            return;
        }
        let Some(role) = self.role(message, at) else { return };
        let content = self.out.need(at, message, "content", Shape::Content);
        match role {
            Role::System => self.system_place(content, index, at),
            Role::User => self.user_turn(),
            Role::Assistant | Role::Developer | Role::Tool | Role::Function | Role::Model => self.assistant_turn(at),
        }
        if let Some(content) = content {
            self.content(content, role, index, last, &at.key("content"));
        }
        if role == Role::Assistant && last {
            self.ends(content, at);
        }
    }

    fn role(&mut self, message: Value<'d>, at: &Path<'_>) -> Option<Role> {
        let name = self.out.need_text(at, message, "role")?;
        let at = at.key("role");
        match Role::parse(&name) {
            Some(Role::System) if !self.rules.system_anywhere => {
                self.out.add(&at, Fault::RoleNotSupported { role: Role::System });
                None
            }
            Some(role @ (Role::User | Role::Assistant | Role::System)) => Some(role),
            Some(Role::Developer | Role::Tool | Role::Function | Role::Model) | None => {
                self.out.add(&at, Fault::UnknownRole { role: clip(&name) });
                None
            }
        }
    }

    fn user_turn(&mut self) {
        if let Some(index) = self.system_before.take() {
            self.out.add(&Path::ROOT.key("messages").index(index), Fault::SystemPlace);
        }
        if self.turn != Some(Role::User) {
            self.other_content = false;
        }
        self.turn = Some(Role::User);
    }

    fn assistant_turn(&mut self, at: &Path<'_>) {
        if self.turn.is_none() {
            self.out.add(at, Fault::FirstRole { role: Role::Assistant });
        }
        if self.turn == Some(Role::User) {
            self.close_round();
        }
        self.system_before = None;
        self.turn = Some(Role::Assistant);
    }

    /// A system message stands behind a user message, or behind an assistant message that ends in a server tool, and is last or
    /// followed by an assistant message: the documentation of mid-conversation system messages (vercel/ai#15674,
    /// langchain4j#5603). One that is empty may stand anywhere (LeenHawk/gproxy#209).
    fn system_place(&mut self, content: Option<Value<'d>>, index: usize, at: &Path<'_>) {
        if content.is_none_or(|content| content.kind() == Kind::Array && content.items().next().is_none()) {
            return;
        }
        let fits = match self.turn {
            Some(Role::User) => self.system_before.is_none(),
            Some(_) => self.ending == Ending::Server && self.system_before.is_none(),
            None => false,
        };
        if fits {
            self.system_before = Some(index);
        } else {
            self.out.add(at, Fault::SystemPlace);
        }
    }

    fn content(&mut self, content: Value<'d>, role: Role, index: usize, last: bool, at: &Path<'_>) {
        let mut blocks = Blocks { list: self, role, message: index, ending: Ending::Text };
        let empty = match content.as_str() {
            Some(text) => blocks.plain(&text, at),
            None => blocks.walk(content, at),
        };
        let ending = blocks.ending;
        if role == Role::Assistant {
            self.ending = ending;
        }
        // "all messages must have non-empty content except for the optional final assistant message"
        if empty && role != Role::System && !(role == Role::Assistant && last) {
            self.out.add(at, Fault::EmptyContent);
        }
    }

    /// What the last message of the list, an assistant's, may not be.
    fn ends(&mut self, content: Option<Value<'d>>, at: &Path<'_>) {
        if self.ending != Ending::Text {
            return;
        }
        if !self.rules.prefill {
            self.out.add(at, Fault::Prefill);
            return;
        }
        let Some(content) = content else { return };
        let at = at.key("content");
        let last = content.items().enumerate().last();
        let said = last.map_or_else(|| content.as_str(), |(_, block)| text(block, "text"));
        if said.is_some_and(|said| !said.trim().is_empty() && said.ends_with(char::is_whitespace)) {
            match last {
                Some((index, _)) => self.out.add(&at.index(index), Fault::TrailingSpace),
                None => self.out.add(&at, Fault::TrailingSpace),
            }
        }
    }

    fn close_round(&mut self) {
        for (spot, fault) in self.ledger.close() {
            self.out.add(&Path::ROOT.key("messages").index(spot.message).key("content").index(spot.item), fault);
        }
    }
}

/// The ids of all calls of the list.
fn call_ids(messages: Value<'_>) -> HashSet<Cow<'_, str>> {
    let assistant = messages.items().filter(|message| text(*message, "role").as_deref() == Some("assistant"));
    let blocks = assistant.filter_map(|message| message.get("content")).flat_map(Value::items);
    let calls = blocks.filter(|block| text(*block, "type").as_deref() == Some("tool_use"));
    calls.filter_map(|call| text(call, "id")).collect()
}
