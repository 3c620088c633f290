//! What Anthropic demands of a list.
//!
//! It joins neighbours of one role itself (recordings 06 and 19), so none are merged here. The outcomes of a round stand in one
//! user message directly behind it, in call order.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use briefing::message::{Assistant, Item, Media, Native, Outcome, Part, Reasoning, System, SystemPart, Text, User};
use briefing::texts::{Filler, OutcomeText, SCHEMA_OF_UNDECLARED, native_elsewhere};
use briefing::{Briefing, Class, Round, Wire};
use briefing_json::Value;

use super::native::standing;
use super::{Block, Body, FileKind, Message, Role, thinking};
use crate::finding::WireChange;
use crate::frame::{Step, steps};
use crate::raw::{look, text_of};
use crate::scribe::{Place, Scribe, Shown, Standing};
use crate::tools::{self, Declared};
use crate::write::Fields;

/// Fields that the body writes itself.
const RESERVED: [&str; 4] = ["model", "messages", "system", "tools"];

pub(super) fn body<'a>(briefing: &'a Briefing, scribe: &mut Scribe<'_>) -> Body<'a> {
    let call = briefing.call();
    let mut parameters = tools::parameters(call, &RESERVED, scribe);
    settle_limit(&mut parameters, scribe);
    let mut tools = tools::declared(call, scribe);
    if !tools.is_empty() {
        tools::settle_choice(&mut parameters, &tools, scribe);
    }
    let mut list = List { scribe, system: Vec::new(), messages: Vec::new() };
    let turn = turn_begins(briefing);
    let (mut history, mut lasting) = (None, 0);
    for (at, step) in steps(briefing) {
        if at >= turn {
            history.get_or_insert(list.messages.len());
        }
        list.scribe.at(at);
        list.step(at, step);
        if !matches!(step, Step::Filler(_)) {
            lasting = list.messages.len();
        }
    }
    list.trim_prefill();
    let List { scribe, system, messages } = list;
    if tools.is_empty() {
        match names(&messages) {
            undeclared if undeclared.is_empty() => tools::settle_choice(&mut parameters, &tools, scribe),
            undeclared => declare(undeclared, &mut tools, &mut parameters, scribe),
        }
    }
    let above_budget = thinking::settle(&mut parameters, &tools, &messages, scribe);
    let given = parameters.iter().any(|(name, _)| *name == "max_tokens");
    let max_tokens = (!given).then(|| call.reserved_output().max(1).max(above_budget.unwrap_or_default()));
    let history = history.unwrap_or(messages.len());
    Body { model: &call.profile().name, max_tokens, parameters, tools, system, messages, history, lasting }
}

/// The index of the first message that is no history: of the current message, or of what stands where there is none.
fn turn_begins(briefing: &Briefing) -> usize {
    let before = briefing.units().iter().take_while(|placed| !matches!(placed.class(), Class::Current | Class::Run));
    before.map(|placed| placed.unit().messages().count()).sum()
}

/// `max_tokens` is a whole number; for anything else the call's own reserve stands. 0 fills the cache and answers nothing.
fn settle_limit(parameters: &mut Vec<tools::Parameter<'_>>, scribe: &mut Scribe<'_>) {
    let odd = |(name, value): &tools::Parameter<'_>| {
        *name == "max_tokens" && !look(value, |most| most.as_f64()).is_some_and(|most| most >= 0.0 && most.fract() == 0.0)
    };
    if let Some(at) = parameters.iter().position(odd) {
        parameters.remove(at);
        scribe.note_body(WireChange::FieldLeftOut { name: "max_tokens".to_owned() });
    }
}

/// The names of the calls, each once.
fn names(messages: &[Message<'_>]) -> Vec<Arc<str>> {
    let mut seen = HashSet::new();
    let calls = messages.iter().flat_map(|message| &message.blocks).filter_map(|block| match block {
        Block::Call { name, .. } => Some(name),
        Block::Text { .. } | Block::Raw(_) | Block::Thinking(_) | Block::File { .. } | Block::Outcome { .. } => None,
    });
    calls.filter(|name| seen.insert(*name)).cloned().collect()
}

/// A history with calls needs tools: declares them by name alone, and forbids their use.
fn declare<'a>(
    names: Vec<Arc<str>>,
    tools: &mut Vec<Declared<'a>>,
    parameters: &mut Vec<tools::Parameter<'a>>,
    scribe: &mut Scribe<'_>,
) {
    scribe.note_body(WireChange::ToolsDeclared { names: names.iter().map(ToString::to_string).collect() });
    tools.extend(names.into_iter().map(|name| Declared::Function {
        name,
        description: None,
        schema: Cow::Borrowed(SCHEMA_OF_UNDECLARED),
        fields: Fields::default(),
    }));
    let none = Cow::Borrowed(r#"{"type":"none"}"#);
    match parameters.iter_mut().find(|(name, _)| *name == "tool_choice") {
        Some((_, choice)) => *choice = none,
        None => parameters.push(("tool_choice", none)),
    }
}

struct List<'a, 's, 'p> {
    scribe: &'s mut Scribe<'p>,
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
}

impl<'a> List<'a, '_, '_> {
    fn step(&mut self, at: usize, step: Step<'a>) {
        match step {
            Step::Head(system) => {
                let mut blocks = self.system_blocks(system);
                self.system.append(&mut blocks);
                self.scribe.drop_extra(&system.extra);
            }
            Step::System(system) => {
                let blocks = self.system_blocks(system);
                self.push(Role::System, blocks, Fields::of(&system.extra));
            }
            Step::Note(system) => self.note(system),
            Step::User(user) => self.user(user),
            Step::Round(round) => self.round(at, round),
            Step::Filler(filler) => {
                self.scribe.note(WireChange::Filler(filler));
                let role = match filler {
                    Filler::Opening | Filler::Continue => Role::User,
                    Filler::Between | Filler::Silent => Role::Assistant,
                };
                self.push(role, vec![line(filler.text())], Fields::default());
            }
        }
    }

    /// A message that says nothing says so, so that it does not vanish.
    fn push(&mut self, role: Role, mut blocks: Vec<Block<'a>>, fields: Fields<'a>) {
        if blocks.is_empty() {
            self.scribe.note(WireChange::Filler(Filler::Silent));
            blocks.push(line(Filler::Silent.text()));
        }
        self.messages.push(Message { role, blocks, fields });
    }

    fn system_blocks(&mut self, system: &'a System) -> Vec<Block<'a>> {
        let mut blocks = Vec::with_capacity(system.parts.len());
        for part in &system.parts {
            match part {
                SystemPart::Text(text) => blocks.extend(self.text(text)),
                SystemPart::Native(native) => blocks.extend(self.native(native, Place::System)),
            }
        }
        blocks
    }

    /// System text as a user line (report B39).
    fn note(&mut self, system: &'a System) {
        self.scribe.note(WireChange::SystemAsUser);
        self.scribe.drop_extra(&system.extra);
        let mut blocks = Vec::with_capacity(system.parts.len());
        for part in &system.parts {
            if part.text().is_some_and(|text| text.trim().is_empty()) {
                self.scribe.note(WireChange::BlankBlockLeftOut);
                continue;
            }
            let (text, fields) = self.scribe.user_line(part);
            blocks.push(Block::Text { text: Cow::Owned(text), fields });
        }
        self.push(Role::User, blocks, Fields::default());
    }

    fn user(&mut self, user: &'a User) {
        let blocks = self.parts(&user.parts, Place::Input);
        self.push(Role::User, blocks, Fields::of(&user.extra));
    }

    fn round(&mut self, at: usize, round: &'a Round) {
        for (index, said) in round.said().iter().enumerate() {
            self.scribe.at(at + index);
            self.said(said);
        }
        if round.outcomes().is_empty() {
            return;
        }
        let mut blocks = Vec::with_capacity(round.outcomes().len());
        for (index, outcome) in round.outcomes().iter().enumerate() {
            self.scribe.at(at + round.said().len() + index);
            blocks.push(self.outcome(outcome));
        }
        self.push(Role::User, blocks, Fields::default());
    }

    fn said(&mut self, said: &'a Assistant) {
        let mut blocks = Vec::with_capacity(said.items.len());
        for item in &said.items {
            match item {
                Item::Text(text) => blocks.extend(self.text(text)),
                Item::Reasoning(reasoning) => blocks.extend(self.reasoning(reasoning)),
                Item::Native(native) => blocks.extend(self.native(native, Place::Answer)),
                Item::Call(call) => blocks.push(Block::Call {
                    id: self.scribe.call_id(&call.id),
                    name: self.scribe.name(&call.name),
                    input: self.scribe.input(call),
                    fields: Fields::of(&call.extra),
                }),
            }
        }
        if blocks.iter().all(|block| matches!(block, Block::Thinking(_))) {
            self.scribe.note(WireChange::Filler(Filler::Silent));
            blocks.push(line(Filler::Silent.text()));
        }
        self.push(Role::Assistant, blocks, Fields::of(&said.extra));
    }

    fn outcome(&mut self, outcome: &'a Outcome) -> Block<'a> {
        let mut blocks = self.parts(&outcome.parts, Place::Outcome);
        if blocks.is_empty() {
            blocks.push(line(OutcomeText::Empty.text()));
        }
        let (id, fields) = (self.scribe.answered(&outcome.call), Fields::of(&outcome.extra));
        Block::Outcome { id, blocks, failed: outcome.failed, fields }
    }

    fn parts(&mut self, parts: &'a [Part], place: Place) -> Vec<Block<'a>> {
        let mut blocks = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Part::Text(text) => blocks.extend(self.text(text)),
                Part::Image(media) => blocks.push(self.file(FileKind::Image, media)),
                Part::Document(media) => blocks.push(self.file(FileKind::Document, media)),
                Part::Native(native) => blocks.extend(self.native(native, place)),
            }
        }
        blocks
    }

    fn file(&mut self, kind: FileKind, media: &'a Media) -> Block<'a> {
        let what = match kind {
            FileKind::Image => "image",
            FileKind::Document => "document",
        };
        match self.scribe.unreadable(what, media) {
            Some(text) => Block::Text { text: Cow::Owned(text), fields: Fields::default() },
            None => Block::File { kind, media, fields: Fields::of(&media.extra) },
        }
    }

    /// "text content blocks must be non-empty" (report B54).
    fn text(&mut self, text: &'a Text) -> Option<Block<'a>> {
        if text.text.trim().is_empty() {
            self.scribe.note(WireChange::BlankBlockLeftOut);
            return None;
        }
        Some(Block::Text { text: Cow::Borrowed(&text.text), fields: Fields::of(&text.extra) })
    }

    fn native(&mut self, native: &'a Native, place: Place) -> Option<Block<'a>> {
        match self.scribe.native(native, |block| standing(block, place)) {
            Shown::Raw(raw) => Some(Block::Raw(Cow::Borrowed(raw.as_str()))),
            Shown::Text(text) => Some(Block::Text { text, fields: Fields::default() }),
            Shown::Absent => None,
        }
    }

    /// Thinking goes back byte for byte, whatever it says (report B60); without its seal it is refused (report B58).
    fn reasoning(&mut self, reasoning: &'a Reasoning) -> Option<Block<'a>> {
        let seal = match &*reasoning.kind {
            "thinking" => "signature",
            "redacted_thinking" => "data",
            _ => "",
        };
        let sealed = look(reasoning.raw.as_str(), |block| {
            let kind = text_of(block, "type")?;
            text_of(block, seal).map(|seal| !seal.is_empty() && kind == *reasoning.kind)
        });
        if reasoning.wire == Wire::Anthropic && sealed == Some(true) {
            return Some(Block::Thinking(Cow::Borrowed(reasoning.raw.as_str())));
        }
        self.scribe.note(WireChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
        None
    }

    /// "final assistant content cannot end with trailing whitespace".
    fn trim_prefill(&mut self) {
        let Some(Message { role: Role::Assistant, blocks, .. }) = self.messages.last_mut() else { return };
        let Some(last) = blocks.last_mut() else { return };
        match last {
            Block::Text { text, .. } => {
                let length = text.trim_end().len();
                if length < text.len() {
                    text.to_mut().truncate(length);
                    self.scribe.note(WireChange::TrailingSpaceTrimmed);
                }
            }
            Block::Raw(raw) => {
                if let Some(kind) = look(raw, kind_of_spaced) {
                    *last = Block::Text { text: Cow::Owned(native_elsewhere(&kind)), fields: Fields::default() };
                    self.scribe.note(WireChange::NativeAsText { kind });
                }
            }
            Block::Thinking(_) | Block::File { .. } | Block::Call { .. } | Block::Outcome { .. } => {}
        }
    }
}

/// The type of a native block whose text ends in white space; none for what the provider goes on from by itself.
fn kind_of_spaced(block: Value<'_>) -> Option<String> {
    let kind = text_of(block, "type").filter(|_| standing(block, Place::Answer) == Standing::Yes)?;
    text_of(block, "text")?.ends_with(char::is_whitespace).then_some(kind)
}

fn line(text: &'static str) -> Block<'static> {
    Block::Text { text: Cow::Borrowed(text), fields: Fields::default() }
}
