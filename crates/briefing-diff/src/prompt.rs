//! A body as the provider reads it: tools, system text and messages in its order, whatever the order of members, in blocks.

use std::borrow::Cow;
use std::ops::Range;

use briefing_check::Wire;
use briefing_json::{Kind, Pointer, Value};
use serde::Serialize;

use crate::same::{Prints, blocks, is_silent};

/// A section of a prompt, in the order in which every one of the four providers builds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// The tools that may be called.
    Tools,
    /// The system text: a member of its own, or the leading run of system messages.
    System,
    /// The conversation.
    Messages,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// A tool, or a block of a system text of its own.
    Own,
    /// A message's role, with what else it has beside its blocks.
    Head,
    /// A part of a message's content.
    Part,
    /// A call in a list beside the content (OpenAI Chat).
    Call,
}

/// The smallest piece after which a prefix can end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'d> {
    pub(crate) what: What,
    pub(crate) value: Value<'d>,
    pub(crate) path: Path<'d>,
    pub(crate) print: u64,
    /// Which of the section's messages it belongs to.
    pub(crate) message: usize,
}

/// Where a block stands: the member of the body, the element of it, the member of that, the element of that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'d>(&'static str, Option<usize>, Option<Key<'d>>, Option<usize>);

/// The name of a member.
#[derive(Debug, Clone, Copy)]
enum Key<'d> {
    /// One that a wire has.
    Known(&'static str),
    /// One that only the body tells.
    Read(Value<'d>),
}

impl<'d> Key<'d> {
    fn name(self) -> Cow<'d, str> {
        match self {
            Self::Known(name) => Cow::Borrowed(name),
            Self::Read(key) => key.as_str().unwrap_or_default(),
        }
    }
}

impl<'d> Path<'d> {
    pub(crate) fn pointer(self) -> Pointer {
        let Self(member, element, inner, last) = self;
        let pointer = Pointer::root().key(member);
        let pointer = element.map_or(pointer.clone(), |index| pointer.index(index));
        let pointer = inner.map_or(pointer.clone(), |key| pointer.key(&key.name()));
        last.map_or(pointer.clone(), |index| pointer.index(index))
    }

    /// The name of a block that is a member by itself.
    pub(crate) fn own_name(self) -> Option<Cow<'d, str>> {
        self.2.filter(|key| matches!(key, Key::Read(_))).map(Key::name)
    }
}

/// A message of the list.
#[derive(Debug, Clone)]
pub(crate) struct Message<'d> {
    /// Its index in the body's list.
    pub(crate) index: usize,
    pub(crate) value: Value<'d>,
    pub(crate) role: Cow<'d, str>,
    /// Its blocks, in those of its section.
    pub(crate) blocks: Range<usize>,
    pub(crate) print: u64,
}

/// One section: its blocks and, where it is made of messages, these.
#[derive(Debug, Default)]
pub(crate) struct Pieces<'d> {
    pub(crate) blocks: Vec<Block<'d>>,
    pub(crate) messages: Vec<Message<'d>>,
}

/// A body in the provider's order.
#[derive(Debug, Default)]
pub(crate) struct Prompt<'d> {
    pub(crate) tools: Pieces<'d>,
    pub(crate) system: Pieces<'d>,
    pub(crate) messages: Pieces<'d>,
}

impl<'d> Prompt<'d> {
    pub(crate) fn new(body: Value<'d>, wire: Wire, prints: &Prints) -> Self {
        let mut prompt = Self::default();
        prompt.read_tools(body, wire, prints);
        prompt.read_system(body, wire, prints);
        prompt.read_list(body, wire, prints);
        prompt
    }

    pub(crate) fn section(&self, section: Section) -> &Pieces<'d> {
        match section {
            Section::Tools => &self.tools,
            Section::System => &self.system,
            Section::Messages => &self.messages,
        }
    }

    /// All blocks in order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block<'d>> {
        self.tools.blocks.iter().chain(&self.system.blocks).chain(&self.messages.blocks)
    }

    /// How many blocks stand before a section.
    pub(crate) fn before(&self, section: Section) -> usize {
        match section {
            Section::Tools => 0,
            Section::System => self.tools.blocks.len(),
            Section::Messages => self.tools.blocks.len() + self.system.blocks.len(),
        }
    }

    /// The last section that has anything: behind its end a prompt may go on.
    pub(crate) fn last_section(&self) -> Section {
        let filled = |section: &Section| !self.section(*section).blocks.is_empty();
        [Section::Messages, Section::System, Section::Tools].into_iter().find(filled).unwrap_or(Section::Messages)
    }

    /// A list that is none is one block, so that no change of it is overlooked.
    fn read_tools(&mut self, body: Value<'d>, wire: Wire, prints: &Prints) {
        for member in ["tools", "functions"] {
            let Some(list) = body.get(member).filter(|list| !list.is_null()) else { continue };
            if list.kind() != Kind::Array {
                self.tools.own(list, Path(member, None, None, None), prints);
            }
            for (index, tool) in list.items().enumerate() {
                if wire == Wire::Gemini && tool.kind() == Kind::Object {
                    self.tools.members(tool, Path(member, Some(index), None, None), prints);
                } else {
                    self.tools.own(tool, Path(member, Some(index), None, None), prints);
                }
            }
        }
    }

    fn read_system(&mut self, body: Value<'d>, wire: Wire, prints: &Prints) {
        for member in system_members(wire) {
            let Some(system) = body.get(member).filter(|system| !system.is_null()) else { continue };
            let (inner, list) = match system.get("parts") {
                Some(parts) => (Some(Key::Known("parts")), parts),
                None => (None, system),
            };
            if list.kind() != Kind::Array {
                self.system.own(list, Path(member, None, inner, None), prints);
            }
            for (at, block) in list.items().enumerate() {
                let path =
                    if inner.is_some() { Path(member, None, inner, Some(at)) } else { Path(member, Some(at), None, None) };
                self.system.own(block, path, prints);
            }
        }
    }

    /// The list; its leading run of system messages belongs to the system text.
    fn read_list(&mut self, body: Value<'d>, wire: Wire, prints: &Prints) {
        let member = wire.list();
        let Some(list) = body.get(member) else { return };
        if list.kind() == Kind::String {
            self.messages.text(list, member, prints);
        }
        let mut leading = true;
        for (index, message) in list.items().enumerate() {
            let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
            leading &= matches!(role.as_ref(), "system" | "developer");
            let section = if leading { &mut self.system } else { &mut self.messages };
            section.message(message, role, Place { member, index }, wire, prints);
        }
    }
}

/// Where a message stands.
#[derive(Clone, Copy)]
struct Place {
    member: &'static str,
    index: usize,
}

impl<'d> Pieces<'d> {
    /// A block that belongs to no message.
    fn own(&mut self, value: Value<'d>, path: Path<'d>, prints: &Prints) {
        self.push(What::Own, value, path, prints.block(value));
    }

    /// A tool of Gemini, which is several: each function that it declares, and each other member (`googleSearch`).
    fn members(&mut self, tool: Value<'d>, path: Path<'d>, prints: &Prints) {
        let Path(list, index, ..) = path;
        for (key, value) in tool.members() {
            let name = Key::Read(key).name();
            let declared = ["functionDeclarations", "function_declarations"].into_iter().find(|known| *known == name);
            match declared {
                Some(known) if value.kind() == Kind::Array => {
                    for (at, declaration) in value.items().enumerate() {
                        self.own(declaration, Path(list, index, Some(Key::Known(known)), Some(at)), prints);
                    }
                }
                _ if is_silent(&name, value) => {}
                _ => self.push(What::Own, value, Path(list, index, Some(Key::Read(key)), None), prints.member(key, value)),
            }
        }
    }

    fn push(&mut self, what: What, value: Value<'d>, path: Path<'d>, print: u64) {
        self.blocks.push(Block { what, value, path, print, message: self.messages.len() });
    }

    /// An input that is a text alone: a user's message.
    fn text(&mut self, text: Value<'d>, member: &'static str, prints: &Prints) {
        let path = Path(member, None, None, None);
        self.push(What::Head, text, path, prints.role("user"));
        self.push(What::Part, text, path, prints.block(text));
        self.close(0, text, Cow::Borrowed("user"), 0, prints);
    }

    fn message(&mut self, message: Value<'d>, role: Cow<'d, str>, place: Place, wire: Wire, prints: &Prints) {
        let Place { member, index } = place;
        let start = self.blocks.len();
        let path = |inner: Option<&'static str>, last| Path(member, Some(index), inner.map(Key::Known), last);
        // What is no message (an item of Responses) is a block as a whole.
        if wire == Wire::OpenAiResponses && message.get("role").is_none() {
            self.push(What::Part, message, path(None, None), prints.block(message));
            return self.close(index, message, role, start, prints);
        }
        let content = if wire == Wire::Gemini { "parts" } else { "content" };
        let is_block = |key: &str| is_block_of(wire, key);
        self.push(What::Head, message, path(None, None), prints.head(message, is_block));
        if let Some(content_value) = message.get(content).filter(|value| !value.is_null()) {
            let list = content_value.kind() == Kind::Array;
            for (at, block) in blocks(content_value).enumerate() {
                self.push(What::Part, block, path(Some(content), list.then_some(at)), prints.block(block));
            }
        }
        if wire == Wire::OpenAiChat {
            for (at, call) in message.get("tool_calls").into_iter().flat_map(Value::items).enumerate() {
                self.push(What::Call, call, path(Some("tool_calls"), Some(at)), prints.block(call));
            }
        }
        self.close(index, message, role, start, prints);
    }

    fn close(&mut self, index: usize, value: Value<'d>, role: Cow<'d, str>, start: usize, prints: &Prints) {
        let blocks = start..self.blocks.len();
        let print = prints.of(self.blocks.iter().skip(start).map(|block| block.print));
        self.messages.push(Message { index, value, role, blocks, print });
    }

    /// The blocks of a message, its head included.
    pub(crate) fn of(&self, message: &Message<'d>) -> &[Block<'d>] {
        self.blocks.get(message.blocks.clone()).unwrap_or_default()
    }
}

/// The members of a body that hold the system text.
pub(crate) const fn system_members(wire: Wire) -> &'static [&'static str] {
    match wire {
        Wire::OpenAiChat => &[],
        Wire::OpenAiResponses => &["instructions"],
        Wire::Anthropic => &["system"],
        Wire::Gemini => &["systemInstruction", "system_instruction"],
    }
}

/// Whether a member of a message holds blocks.
pub(crate) fn is_block_of(wire: Wire, key: &str) -> bool {
    match wire {
        Wire::OpenAiChat => matches!(key, "content" | "tool_calls"),
        Wire::OpenAiResponses | Wire::Anthropic => key == "content",
        Wire::Gemini => key == "parts",
    }
}
