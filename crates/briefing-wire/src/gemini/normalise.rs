//! What Gemini demands of a list.
//!
//! It joins neighbours of one role itself (recordings 07 and 09), so none are merged here. The outcomes of a round stand in one user
//! content directly behind it, in call order, and each names its function (report B65).

use std::borrow::Cow;

use briefing::message::{
    Assistant, Item, Media, Native, Outcome, Part as CorePart, Reasoning, System, SystemPart, ToolCall, User,
};
use briefing::texts::{self, Filler, OutcomeText};
use briefing::{Briefing, Round, Wire};
use briefing_json::Value;

use super::keys::{self, CACHED, SIGNATURE, SYSTEM, WRITTEN};
use super::native::{may_be_read, standing};
use super::response::{Response, is_object};
use super::{Body, Content, Part, Role, is_nameless, tools};
use crate::finding::WireChange;
use crate::frame::{Step, files_move, steps};
use crate::input;
use crate::raw::look;
use crate::scribe::{Place, Scribe, Shown};
use crate::tools as shared;
use crate::write::Fields;

const WIRE: Wire = Wire::Gemini;

/// Fields that the body writes itself.
const RESERVED: [&str; 4] = ["contents", "tools", SYSTEM[0], SYSTEM[1]];

pub(super) fn body<'a>(briefing: &'a Briefing, scribe: &mut Scribe<'_>) -> Body<'a> {
    let call = briefing.call();
    let mut parameters = shared::parameters(call, &RESERVED, scribe);
    // The model's name may stand in the body, too, but no other.
    let other = |value: &str| look(value, |name| name.as_str().map(|name| *name == *call.profile().name)) != Some(true);
    if let Some(at) = parameters.iter().position(|(name, value)| *name == "model" && other(value)) {
        parameters.remove(at);
        scribe.note_body(WireChange::FieldLeftOut { name: "model".to_owned() });
    }
    let tools = shared::declared(call, scribe);
    tools::settle_config(&mut parameters, &tools, scribe);
    let goes_on = parameters.iter().any(|(name, value)| CACHED.contains(name) && value.trim() != "null");
    let mut list = List { scribe, goes_on, system: None, contents: Vec::new() };
    for (at, step) in steps(briefing) {
        list.scribe.at(at);
        list.step(at, step);
    }
    let List { system, contents, .. } = list;
    Body { parameters, tools, system, contents }
}

fn line(text: &'static str) -> Part<'static> {
    Part::Text { text: Cow::Borrowed(text), fields: Fields::default() }
}

struct List<'a, 's, 'p> {
    scribe: &'s mut Scribe<'p>,
    /// Whether the list goes on from contents that the provider keeps.
    goes_on: bool,
    system: Option<Content<'a>>,
    contents: Vec<Content<'a>>,
}

impl<'a> List<'a, '_, '_> {
    fn step(&mut self, at: usize, step: Step<'a>) {
        match step {
            Step::Head(system) => self.head(system),
            Step::System(system) | Step::Note(system) => self.note(system),
            Step::User(user) => self.user(user),
            Step::Round(round) => self.round(at, round),
            Step::Filler(filler) => {
                self.scribe.note(WireChange::Filler(filler));
                let role = match filler {
                    Filler::Opening | Filler::Continue => Role::User,
                    Filler::Between | Filler::Silent => Role::Model,
                };
                self.push(role, vec![line(filler.text())], Fields::default());
            }
        }
    }

    /// A content that says nothing says so, so that it does not vanish: who reads it again would leave it out.
    fn push(&mut self, role: Role, mut parts: Vec<Part<'a>>, fields: Fields<'a>) {
        if parts.iter().all(Part::is_blank) {
            parts = vec![self.silent()];
        }
        self.goes_on &= role != Role::Model;
        self.contents.push(Content { role, parts, fields });
    }

    fn silent(&mut self) -> Part<'a> {
        self.scribe.note(WireChange::Filler(Filler::Silent));
        line(Filler::Silent.text())
    }

    /// Leading system text is one content; of its unknown fields the first stand.
    fn head(&mut self, system: &'a System) {
        let mut parts = Vec::with_capacity(system.parts.len());
        for part in &system.parts {
            match part {
                SystemPart::Text(text) => parts.extend(self.text(&text.text, Fields::of(&text.extra))),
                SystemPart::Native(native) => parts.extend(self.native(native, Place::System)),
            }
        }
        match &mut self.system {
            Some(content) => {
                content.parts.append(&mut parts);
                self.scribe.drop_extra(&system.extra);
            }
            None if parts.is_empty() => self.scribe.drop_extra(&system.extra),
            None => self.system = Some(Content { role: Role::None, parts, fields: Fields::of(&system.extra) }),
        }
    }

    /// System text as a user line: there is no such role here (report B39).
    fn note(&mut self, system: &'a System) {
        self.scribe.note(WireChange::SystemAsUser);
        self.scribe.drop_extra(&system.extra);
        let mut parts = Vec::with_capacity(system.parts.len());
        for part in &system.parts {
            let (text, fields) = self.scribe.user_line(part);
            parts.push(Part::Text { text: Cow::Owned(text), fields });
        }
        self.push(Role::User, parts, Fields::default());
    }

    fn user(&mut self, user: &'a User) {
        let parts = self.parts(&user.parts, Place::Input);
        self.push(Role::User, parts, Fields::of(&user.extra));
    }

    fn round(&mut self, at: usize, round: &'a Round) {
        for (index, said) in round.said().iter().enumerate() {
            self.scribe.at(at + index);
            self.said(said);
        }
        if round.outcomes().is_empty() {
            return;
        }
        let moves = files_move(self.scribe.profile, round);
        let (mut parts, mut files) = (Vec::with_capacity(round.outcomes().len()), vec![line(texts::PICTURES_OF_OUTCOMES)]);
        let calls = round.said().iter().flat_map(|said| said.calls());
        for (index, (call, outcome)) in calls.zip(round.outcomes()).enumerate() {
            self.scribe.at(at + round.said().len() + index);
            parts.push(self.outcome(call, outcome, moves.then_some(&mut files)));
        }
        self.push(Role::User, parts, Fields::default());
        if moves {
            self.scribe.note(WireChange::FilesMovedBehind);
            self.push(Role::User, files, Fields::default());
        }
    }

    fn said(&mut self, said: &'a Assistant) {
        let mut parts = Vec::with_capacity(said.items.len());
        let (mut called, mut speaks) = (false, false);
        for item in &said.items {
            match item {
                Item::Text(text) => parts.extend(self.text(&text.text, Fields::of(&text.extra))),
                Item::Reasoning(reasoning) => {
                    parts.extend(self.reasoning(reasoning));
                    continue;
                }
                Item::Native(native) => parts.extend(self.native(native, Place::Answer)),
                Item::Call(call) => {
                    parts.push(self.call(call, !called));
                    called = true;
                }
            }
            speaks = speaks || !parts.is_empty();
        }
        if !speaks {
            let silent = self.silent();
            parts.push(silent);
        }
        self.push(Role::Model, parts, Fields::of(&said.extra));
    }

    /// The first call of an answer has the signature that it came with, or the one that stands for it.
    fn call(&mut self, call: &'a ToolCall, first: bool) -> Part<'a> {
        let fields = Fields::of(&call.extra);
        let signed = SIGNATURE.into_iter().any(|name| fields.get(WIRE, name).is_some());
        let unsigned = first && !signed && self.scribe.profile.signed_calls;
        if unsigned {
            self.scribe.note(WireChange::SignatureStandsIn { call: call.id.to_string() });
        }
        Part::Call {
            id: (!is_nameless(call)).then(|| self.scribe.call_id(&call.id)),
            name: self.scribe.name(&call.name),
            args: self.args(call),
            unsigned,
            fields,
        }
    }

    /// The arguments as a `Struct`, which is more than any JSON object.
    fn args(&mut self, call: &'a ToolCall) -> Cow<'a, str> {
        let (args, why) = match input::outgoing(&call.input) {
            (args, why) if is_object(&args) => (args, why),
            _ => {
                let (args, why) = input::as_text(&call.input);
                (Cow::Owned(args), Some(why))
            }
        };
        if let Some(why) = why {
            self.scribe.note(WireChange::InputMended { call: call.id.to_string(), why });
        }
        args
    }

    fn outcome(&mut self, call: &'a ToolCall, outcome: &'a Outcome, files: Option<&mut Vec<Part<'a>>>) -> Part<'a> {
        let id = (!is_nameless(call)).then(|| self.scribe.answered(&outcome.call));
        let name = self.scribe.name(&call.name);
        let mut texts: Vec<Cow<'a, str>> = Vec::new();
        let (mut inside, mut given) = (Vec::new(), false);
        for part in &outcome.parts {
            match part {
                CorePart::Text(text) => {
                    self.scribe.drop_extra(&text.extra);
                    texts.push(Cow::Borrowed(&text.text));
                }
                CorePart::Native(native) => match self.native(native, Place::Outcome) {
                    Some(Part::Text { text, .. }) => texts.push(text),
                    part => inside.extend(part),
                },
                CorePart::Image(media) => inside.push(self.file("image", media)),
                CorePart::Document(media) => inside.push(self.file("document", media)),
            }
        }
        // What cannot be read is a line of text, which stands with the others.
        inside.retain_mut(|part| match part {
            Part::Text { text, .. } => {
                texts.push(std::mem::take(text));
                false
            }
            Part::Raw(_) | Part::File(_) | Part::Call { .. } | Part::Response { .. } => true,
        });
        if let Some(files) = files {
            given = !inside.is_empty();
            files.append(&mut inside);
        }
        let text = match texts.as_mut_slice() {
            [text] if !text.trim().is_empty() => std::mem::take(text),
            texts if texts.iter().all(|text| text.trim().is_empty()) => {
                Cow::Borrowed(if given { texts::PICTURES_BELOW } else { OutcomeText::Empty.text() })
            }
            texts => Cow::Owned(texts.join("\n\n")),
        };
        Part::Response {
            id,
            name,
            response: Response::of(text, outcome.failed == Some(true)),
            files: inside,
            fields: Fields::of(&outcome.extra),
        }
    }

    fn parts(&mut self, parts: &'a [CorePart], place: Place) -> Vec<Part<'a>> {
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                CorePart::Text(text) => out.extend(self.text(&text.text, Fields::of(&text.extra))),
                CorePart::Image(media) => out.push(self.file("image", media)),
                CorePart::Document(media) => out.push(self.file("document", media)),
                CorePart::Native(native) => out.extend(self.native(native, place)),
            }
        }
        out
    }

    /// Blank text stands only for its unknown fields, such as the signature that ends an answer.
    fn text(&mut self, text: &'a str, fields: Fields<'a>) -> Option<Part<'a>> {
        if text.trim().is_empty() && fields.on(WIRE).all(|(name, _)| WRITTEN.contains(&name)) {
            self.scribe.note(WireChange::BlankBlockLeftOut);
            return None;
        }
        Some(Part::Text { text: Cow::Borrowed(text), fields })
    }

    fn file(&mut self, what: &str, media: &'a Media) -> Part<'a> {
        let line = match self.scribe.unreadable(what, media) {
            None if !may_be_read(&media.media_type) => Some(self.scribe.file_line(what, media)),
            line => line,
        };
        match line {
            Some(text) => Part::Text { text: Cow::Owned(text), fields: Fields::default() },
            None => Part::File(media),
        }
    }

    fn native(&mut self, native: &'a Native, place: Place) -> Option<Part<'a>> {
        let (files, goes_on) = (self.scribe.profile.files_in_outcomes(), self.goes_on);
        match self.scribe.native(native, |part| standing(part, place, files, goes_on)) {
            Shown::Raw(raw) => Some(Part::Raw(raw.as_str())),
            Shown::Text(text) => Some(Part::Text { text, fields: Fields::default() }),
            Shown::Absent => None,
        }
    }

    fn reasoning(&mut self, reasoning: &'a Reasoning) -> Option<Part<'a>> {
        let thought = |part: Value<'_>| {
            let is_text = keys::count(part) == 1 && part.get("text")?.as_str().is_some();
            (is_text && part.get("thought")?.as_bool()?).then_some(())
        };
        if reasoning.wire == WIRE && look(reasoning.raw.as_str(), thought).is_some() {
            return Some(Part::Raw(reasoning.raw.as_str()));
        }
        self.scribe.note(WireChange::ReasoningLeftOut { kind: reasoning.kind.to_string() });
        None
    }
}
