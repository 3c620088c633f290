//! What OpenAI Chat and its dialects demand of a list.
//!
//! OpenAI refuses an assistant message whose calls are not answered behind it, so a round's assistant messages become one. Its
//! tool messages hold text alone, so files of outcomes stand in one user message behind the round (report B34). Mistral joins no
//! neighbours of one role and refuses most of them, so they are merged here, as arrays always (report B36).

use std::borrow::Cow;
use std::collections::HashSet;

use briefing::message::{
    Assistant, Extra, Item, Native, Outcome, Part as CorePart, RawJson, Reasoning, System, SystemPart, ToolCall, User,
};
use briefing::texts::{self, Filler, OutcomeText};
use briefing::{Briefing, Dialect, Round, Wire};

use super::native::standing;
use super::{Arguments, Body, Call, Message, Part, Role};
use crate::finding::WireChange;
use crate::frame::{Step, files_move, steps};
use crate::raw::{is, look, text_of};
use crate::scribe::{Place, Scribe, Shown};
use crate::tools;
use crate::write::Fields;

/// Fields that the body writes itself.
const RESERVED: [&str; 3] = ["model", "messages", "tools"];

/// Fields that a message writes itself.
const KNOWN: [&str; 5] = ["role", "content", "tool_calls", "tool_call_id", "function_call"];

pub(super) fn body<'a>(briefing: &'a Briefing, scribe: &mut Scribe<'_>) -> Body<'a> {
    let call = briefing.call();
    let mut parameters = tools::parameters(call, &RESERVED, scribe);
    let tools = tools::declared(call, scribe);
    tools::settle_choice(&mut parameters, &tools, scribe);
    let dialect = call.profile().dialect;
    let mut list = List { scribe, dialect, messages: Vec::new() };
    for (at, step) in steps(briefing) {
        list.scribe.at(at);
        list.step(at, step);
    }
    list.mark_prefill();
    let mut messages = list.messages;
    for message in &mut messages {
        message.fields.sort_by_key(|(name, _)| super::FIELDS.iter().position(|field| field == name));
    }
    Body { model: &call.profile().name, dialect, parameters, tools, messages }
}

impl<'a> Message<'a> {
    fn new(role: Role) -> Self {
        Self {
            role,
            parts: Vec::new(),
            calls: Vec::new(),
            fields: Vec::new(),
            answers: None,
            extras: Vec::new(),
            names: HashSet::new(),
            prefix: false,
        }
    }

    fn line(role: Role, text: &'static str) -> Self {
        Self { parts: vec![line(text)], ..Self::new(role) }
    }
}

fn line(text: &'static str) -> Part<'static> {
    Part::Text { text: Cow::Borrowed(text), fields: Fields::default() }
}

struct List<'a, 's, 'p> {
    scribe: &'s mut Scribe<'p>,
    dialect: Dialect,
    messages: Vec<Message<'a>>,
}

impl<'a> List<'a, '_, '_> {
    fn step(&mut self, at: usize, step: Step<'a>) {
        match step {
            Step::Head(system) | Step::System(system) => self.system(system),
            Step::Note(system) => self.note(system),
            Step::User(user) => self.user(user),
            Step::Round(round) => self.round(at, round),
            Step::Filler(filler) => self.filler(filler),
        }
    }

    fn filler(&mut self, filler: Filler) {
        self.scribe.note(WireChange::Filler(filler));
        let role = match filler {
            Filler::Opening | Filler::Continue => Role::User,
            Filler::Between | Filler::Silent => Role::Assistant,
        };
        self.push(Message::line(role, filler.text()));
    }

    /// Adds a message; on Mistral to the one before, if that is of the same role. Templates that want turns take one system message.
    fn push(&mut self, message: Message<'a>) {
        let merges = match message.role {
            Role::System | Role::Developer => self.dialect == Dialect::Mistral || self.scribe.profile.alternates,
            Role::User | Role::Assistant => self.dialect == Dialect::Mistral,
            Role::Tool => false,
        };
        match self.messages.last_mut().filter(|last| merges && last.role == message.role && last.calls.is_empty()) {
            Some(last) => {
                self.scribe.note(WireChange::Merged);
                merge(last, message, self.scribe);
            }
            None => self.messages.push(message),
        }
    }

    fn system(&mut self, system: &'a System) {
        let developer = |(name, raw): (&str, &RawJson)| name == "role" && raw.as_str() == "\"developer\"";
        let developer = self.dialect != Dialect::Mistral && system.extra.on(Wire::OpenAiChat).any(developer);
        let mut message = Message::new(if developer { Role::Developer } else { Role::System });
        for part in &system.parts {
            match part {
                SystemPart::Text(text) => message.parts.push(plain(&text.text, &text.extra)),
                SystemPart::Native(native) => message.parts.extend(self.native(native, Place::System)),
            }
        }
        if message.parts.is_empty() {
            self.silent(&mut message);
        }
        self.fields(&mut message, &system.extra);
        self.push(message);
    }

    /// System text as a user line (report B39).
    fn note(&mut self, system: &'a System) {
        self.scribe.note(WireChange::SystemAsUser);
        self.scribe.drop_extra(&system.extra);
        let mut message = Message::new(Role::User);
        for part in &system.parts {
            let (text, fields) = self.scribe.user_line(part);
            message.parts.push(Part::Text { text: Cow::Owned(text), fields });
        }
        self.push(message);
    }

    fn user(&mut self, user: &'a User) {
        let mut message = Message::new(Role::User);
        for part in &user.parts {
            let part = match part {
                CorePart::Text(text) => Some(plain(&text.text, &text.extra)),
                CorePart::Native(native) => self.native(native, Place::Input),
                CorePart::Image(_) | CorePart::Document(_) => self.file(part),
            };
            message.parts.extend(part);
        }
        if message.parts.iter().all(is_blank) {
            self.silent(&mut message);
        }
        self.fields(&mut message, &user.extra);
        self.push(message);
    }

    fn round(&mut self, at: usize, round: &'a Round) {
        let mut message = Message::new(Role::Assistant);
        for (index, said) in round.said().iter().enumerate() {
            self.scribe.at(at + index);
            if index > 0 {
                self.scribe.note(WireChange::Merged);
            }
            self.said(&mut message, said);
        }
        let most = self.scribe.profile.most_calls();
        let mut more = message.calls.split_off(message.calls.len().min(most)).into_iter();
        self.push(message);
        let mut files = Message::line(Role::User, texts::PICTURES_OF_OUTCOMES);
        for (index, outcome) in round.outcomes().iter().enumerate() {
            self.scribe.at(at + round.said().len() + index);
            if index > 0 && index % most == 0 {
                self.scribe.note(WireChange::CallsSplit);
                self.push(Message { calls: more.by_ref().take(most).collect(), ..Message::new(Role::Assistant) });
            }
            let message = self.outcome(outcome, &mut files);
            self.push(message);
        }
        if files_move(self.scribe.profile, round) {
            self.scribe.note(WireChange::FilesMovedBehind);
            if self.scribe.profile.answers_outcomes() {
                self.filler(Filler::Between);
            }
            self.push(files);
        }
    }

    fn said(&mut self, message: &mut Message<'a>, said: &'a Assistant) {
        for item in &said.items {
            match item {
                Item::Text(text) => message.parts.push(plain(&text.text, &text.extra)),
                Item::Call(call) => {
                    let call = self.call(call);
                    message.calls.push(call);
                }
                Item::Reasoning(reasoning) => self.reasoning(message, reasoning),
                Item::Native(native) => self.said_native(message, native),
            }
        }
        let speaks = message.fields.iter().any(|(name, _)| super::SPOKEN.contains(name));
        if message.calls.is_empty() && !speaks && message.parts.iter().all(is_blank) {
            self.silent(message);
        }
        self.fields(message, &said.extra);
    }

    /// A message that says nothing says so, so that it does not vanish.
    fn silent(&mut self, message: &mut Message<'a>) {
        self.scribe.note(WireChange::Filler(Filler::Silent));
        message.parts = vec![line(Filler::Silent.text())];
    }

    fn call(&mut self, call: &'a ToolCall) -> Call<'a> {
        let custom = call.extra.on(Wire::OpenAiChat).any(|(name, raw)| name == "type" && raw.as_str() == "\"custom\"");
        let (id, name) = (self.scribe.call_id(&call.id), self.scribe.name(&call.name));
        let arguments = if custom && call.input.raw().len() <= briefing::message::MAX_INPUT_CHARS {
            Arguments::Custom(call.input.raw())
        } else {
            Arguments::Function(self.scribe.input(call))
        };
        Call { id, name, arguments, fields: Fields::of(&call.extra) }
    }

    fn reasoning(&mut self, message: &mut Message<'a>, reasoning: &'a Reasoning) {
        let known = reasoning.wire == Wire::OpenAiChat && super::REASONING.contains(&&*reasoning.kind);
        if known && message.names.insert(&reasoning.kind) {
            message.fields.push((&reasoning.kind, &reasoning.raw));
        } else {
            self.scribe.note(WireChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
        }
    }

    /// Native content of an assistant is a part, or a field of the message if it is no block with a type.
    fn said_native(&mut self, message: &mut Message<'a>, native: &'a Native) {
        let field = native.wire == Wire::OpenAiChat && super::SPOKEN.contains(&&*native.kind) && !is(&native.raw, "null");
        let block = field && look(native.raw.as_str(), |block| text_of(block, "type")).is_some();
        if field && !block && message.names.insert(&native.kind) {
            message.fields.push((&native.kind, &native.raw));
            return;
        }
        message.parts.extend(self.native(native, Place::Answer));
    }

    /// An outcome as a tool message; its files go to `files`.
    fn outcome(&mut self, outcome: &'a Outcome, files: &mut Message<'a>) -> Message<'a> {
        let mut message = Message::new(Role::Tool);
        message.answers = Some(self.scribe.answered(&outcome.call));
        let known = files.parts.len();
        for part in &outcome.parts {
            match part {
                CorePart::Text(text) => message.parts.push(plain(&text.text, &text.extra)),
                CorePart::Native(native) => message.parts.extend(self.native(native, Place::Outcome)),
                CorePart::Image(_) | CorePart::Document(_) => files.parts.extend(self.file(part)),
            }
        }
        if message.parts.iter().all(is_blank) {
            let moved = files.parts.len() > known;
            message.parts = vec![line(if moved { texts::PICTURES_BELOW } else { OutcomeText::Empty.text() })];
        }
        self.fields(&mut message, &outcome.extra);
        message
    }

    fn file(&mut self, part: &'a CorePart) -> Option<Part<'a>> {
        let (what, file, media) = match part {
            CorePart::Image(media) => ("image", Part::Image(media), media),
            CorePart::Document(media) => ("document", Part::Document(media), media),
            CorePart::Text(_) | CorePart::Native(_) => return None,
        };
        Some(match self.scribe.unreadable(what, media) {
            Some(text) => Part::Text { text: Cow::Owned(text), fields: Fields::default() },
            None => file,
        })
    }

    fn native(&mut self, native: &'a Native, place: Place) -> Option<Part<'a>> {
        let dialect = self.dialect;
        match self.scribe.native(native, |part| standing(part, place, dialect)) {
            Shown::Raw(raw) => Some(Part::Raw(raw)),
            Shown::Text(text) => Some(Part::Text { text, fields: Fields::default() }),
            Shown::Absent => None,
        }
    }

    /// The message's unknown fields. Mistral's `prefix` may be true on the last message alone, which is marked by itself.
    fn fields(&mut self, message: &mut Message<'a>, extra: &'a Extra) {
        for (name, raw) in extra.on(Wire::OpenAiChat).filter(|(name, _)| !KNOWN.contains(name)) {
            let prefix = self.dialect == Dialect::Mistral && name == "prefix" && is(raw, "true");
            // What an answer says beside its content has its place, wherever it was kept.
            let said = message.role == Role::Assistant && super::FIELDS.contains(&name) && !is(raw, "null");
            let odd_name = name == "name" && self.dialect == Dialect::Original && is_odd_name(raw, message.role);
            if !prefix && !odd_name && message.names.insert(name) {
                (if said { &mut message.fields } else { &mut message.extras }).push((name, raw));
            } else {
                self.scribe.note(WireChange::FieldLeftOut { name: name.to_owned() });
            }
        }
    }

    fn mark_prefill(&mut self) {
        let Some(last) = self.messages.last_mut() else { return };
        if self.dialect == Dialect::Mistral && last.role == Role::Assistant && last.calls.is_empty() {
            last.extras.retain(|(name, _)| *name != "prefix");
            last.prefix = true;
        }
    }
}

fn merge<'a>(into: &mut Message<'a>, message: Message<'a>, scribe: &mut Scribe<'_>) {
    into.parts.extend(message.parts);
    into.calls.extend(message.calls);
    let Message { names, .. } = into;
    let mut first = |(name, _): &(&'a str, &RawJson)| {
        let free = names.insert(name);
        if !free {
            scribe.note(WireChange::FieldLeftOut { name: (*name).to_owned() });
        }
        free
    };
    into.fields.extend(message.fields.into_iter().filter(&mut first));
    into.extras.extend(message.extras.into_iter().filter(&mut first));
}

fn plain<'a>(text: &'a str, extra: &'a Extra) -> Part<'a> {
    Part::Text { text: Cow::Borrowed(text), fields: Fields::of(extra) }
}

/// "Invalid 'messages[0].name': string does not match pattern. Expected a string that matches the pattern '^[^\s<|\\/>]+$'."
fn is_odd_name(raw: &RawJson, role: Role) -> bool {
    let odd =
        |name: &str| name.is_empty() || name.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '|' | '\\' | '/' | '>'));
    role != Role::Tool && look(raw.as_str(), |name| name.as_str().map(|name| odd(&name))).unwrap_or(false)
}

fn is_blank(part: &Part<'_>) -> bool {
    matches!(part, Part::Text { text, .. } if text.trim().is_empty())
}
