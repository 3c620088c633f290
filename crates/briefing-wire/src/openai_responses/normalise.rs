//! What OpenAI Responses demands of a list.
//!
//! An outcome names its call, so it may stand anywhere behind it; here it stands right behind the round, in call order. What a
//! compatible server (recorded: DeepSeek) refuses is text between a call and its outcome, so there the calls of a round come last.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use briefing::message::{
    Assistant, Extra, Item, Media, MediaSource, Native, Outcome, Part as CorePart, RawJson, System, SystemPart, Text, ToolCall,
    User,
};
use briefing::texts::{self, Filler, OutcomeText};
use briefing::{Briefing, Dialect, Round, Wire};

use super::calls::{CallKind, kind_of, type_of};
use super::choice;
use super::ids::ItemIds;
use super::native::{ADDITIONAL_TOOLS, SoFar, Whole, standing};
use super::reasoning::{Draft, Item as Drafted, settle};
use super::{Arguments, Body, Entry, MESSAGE, Output, Part, Role, Said, goes_on, is_instructions};
use crate::finding::WireChange;
use crate::frame::{Step, files_move, steps};
use crate::raw::{is, is_text, look, text_of};
use crate::scribe::{Place, Scribe, Shown};
use crate::tools;
use crate::write::Fields;

/// Fields that the body writes itself.
const RESERVED: [&str; 3] = ["model", "input", "tools"];

pub(super) fn body<'a>(briefing: &'a Briefing, scribe: &mut Scribe<'_>) -> Body<'a> {
    let call = briefing.call();
    let mut parameters = tools::parameters(call, &RESERVED, scribe);
    let tools = tools::declared(call, scribe);
    choice::settle(&mut parameters, &tools, scribe);
    let so_far = SoFar { goes_on: goes_on(call), ..SoFar::default() };
    let mut list = List { scribe, so_far, ids: ItemIds::new(call), instructions: None, items: Vec::new() };
    for (at, step) in steps(briefing) {
        list.scribe.at(at);
        list.step(at, step);
    }
    let List { scribe, mut instructions, items, .. } = list;
    let is_text = |(name, value): &tools::Parameter<'_>| {
        *name != "instructions" || value.trim() == "null" || value.trim_start().starts_with('"')
    };
    if !parameters.iter().all(is_text) {
        scribe.note_body(WireChange::FieldLeftOut { name: "instructions".to_owned() });
        parameters.retain(is_text);
    }
    if let Some((at, text)) = given_instructions(&parameters) {
        parameters.remove(at);
        match instructions {
            Some(_) => scribe.note_body(WireChange::FieldLeftOut { name: "instructions".to_owned() }),
            None => instructions = Some(text),
        }
    }
    let typed = call.profile().typed_messages;
    Body { model: &call.profile().name, parameters, tools, instructions, items, typed }
}

/// The instructions among the parameters, which stand behind the tools like those of the list; blank ones stay where they are.
fn given_instructions(parameters: &[tools::Parameter<'_>]) -> Option<(usize, String)> {
    let at = parameters.iter().position(|(name, _)| *name == "instructions")?;
    let text = look(&parameters.get(at)?.1, |text| text.as_str().map(|text| text.into_owned()))?;
    (!text.trim().is_empty()).then_some((at, text))
}

impl<'a> Entry<'a> {
    fn line(role: Role, text: &'static str) -> Self {
        Self::Message { role, parts: vec![line(text)], fields: Fields::default() }
    }

    pub(super) fn said(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Said { parts: vec![Said { text: text.into(), fields: Fields::default() }], id: false }
    }

    /// Whether it has an id of the provider's.
    pub(super) fn has_id(&self) -> bool {
        match self {
            Self::Said { id, .. } => *id,
            Self::Call { fields, .. } => fields.get(Wire::OpenAiResponses, "id").is_some(),
            Self::Message { .. } | Self::Reasoning(_) | Self::Whole(_) | Self::Outcome { .. } => false,
        }
    }

    /// Whether it says or does anything.
    fn speaks(&self) -> bool {
        match self {
            Self::Said { parts, .. } => parts.iter().any(|said| !said.text.trim().is_empty()),
            Self::Reasoning(_) => false,
            Self::Message { .. } | Self::Whole(_) | Self::Call { .. } | Self::Outcome { .. } => true,
        }
    }

    pub(super) fn without_id(self) -> Self {
        match self {
            Self::Said { parts, .. } => Self::Said { parts, id: false },
            Self::Call { id, name, arguments, fields } => Self::Call { id, name, arguments, fields: fields.without("id") },
            Self::Message { .. } | Self::Reasoning(_) | Self::Whole(_) | Self::Outcome { .. } => self,
        }
    }

    fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. })
    }
}

fn line(text: &'static str) -> Part<'static> {
    Part::Text { text: Cow::Borrowed(text), fields: Fields::default() }
}

/// What a block of an input is.
enum Given<'a> {
    Part(Part<'a>),
    /// An item of its own.
    Item(Whole<'a>),
}

struct List<'a, 's, 'p> {
    scribe: &'s mut Scribe<'p>,
    so_far: SoFar,
    ids: ItemIds,
    instructions: Option<String>,
    items: Vec<Entry<'a>>,
}

impl<'a> List<'a, '_, '_> {
    fn step(&mut self, at: usize, step: Step<'a>) {
        match step {
            Step::Head(system) => self.head(system),
            Step::System(system) => self.system(system),
            Step::Note(system) => self.note(system),
            Step::User(user) => self.user(user),
            Step::Round(round) => self.round(at, round),
            Step::Filler(filler) => self.filler(filler),
        }
    }

    /// A call of a shell that the provider ran stands with its output behind it, and no reasoning between, which may go with what it led
    /// to. Else both read as text.
    fn settle_shells(&mut self, drafts: &mut [Draft<'a>]) {
        let mut open = HashMap::new();
        let mut stand = HashSet::new();
        for (at, draft) in drafts.iter().enumerate() {
            let item = match draft {
                Draft::Reasoning(..) => {
                    open.clear();
                    continue;
                }
                Draft::Item(Drafted::Native(_, item)) if item.is_shell() => item,
                Draft::Item(_) => continue,
            };
            let Some(call) = &item.call else { continue };
            if !item.is_output() {
                open.insert(call, at);
            } else if let Some(begun) = open.remove(call).filter(|_| self.scribe.reserve(call)) {
                stand.extend([begun, at]);
            }
        }
        for (at, draft) in drafts.iter_mut().enumerate() {
            if let Draft::Item(Drafted::Native(native, item)) = draft
                && item.is_shell()
                && !stand.contains(&at)
            {
                *draft = Draft::Item(Drafted::Entry(Entry::said(self.scribe.as_text(native))));
            }
        }
    }

    fn filler(&mut self, filler: Filler) {
        self.scribe.note(WireChange::Filler(filler));
        self.items.push(match filler {
            Filler::Opening | Filler::Continue => Entry::line(Role::User, filler.text()),
            Filler::Between | Filler::Silent => Entry::said(filler.text()),
        });
    }

    /// Leading system text: the first that is the body's `instructions` is theirs again.
    fn head(&mut self, system: &'a System) {
        let text = |part: &SystemPart| part.text().map(str::to_owned);
        let text = system.parts.iter().map(text).collect::<Option<Vec<String>>>();
        match text.filter(|_| is_instructions(system) && self.instructions.is_none()) {
            Some(text) => self.instructions = Some(text.join("\n\n")),
            None => self.system(system),
        }
    }

    fn system(&mut self, system: &'a System) {
        let developer = |(name, raw): (&str, &RawJson)| name == "role" && is_text(raw, "developer");
        let developer = system.extra.on(Wire::OpenAiResponses).any(developer);
        let role = if developer { Role::Developer } else { Role::System };
        let mut parts = Vec::with_capacity(system.parts.len());
        let mut added = Vec::new();
        for part in &system.parts {
            match part {
                SystemPart::Text(text) => parts.push(plain(text)),
                SystemPart::Native(native) => match self.native(native, Place::System) {
                    Some(Part::Raw(raw)) if &*native.kind == ADDITIONAL_TOOLS => added.push(Entry::Whole(Whole::of(raw))),
                    part => parts.extend(part),
                },
            }
        }
        if parts.is_empty() && added.is_empty() {
            parts.push(self.silent());
        }
        let alternates = self.scribe.profile.alternates;
        match self.items.last_mut() {
            // Chat templates that want turns take one system message.
            Some(Entry::Message { role: before, parts: into, .. }) if alternates && *before == role && added.is_empty() => {
                into.append(&mut parts);
                self.scribe.note(WireChange::Merged);
            }
            _ if parts.is_empty() => {}
            _ => {
                let fields = self.with_id(Fields::of(&system.extra), "msg");
                self.items.push(Entry::Message { role, parts, fields });
            }
        }
        self.items.append(&mut added);
    }

    /// System text as a user line (report B39).
    fn note(&mut self, system: &'a System) {
        self.scribe.note(WireChange::SystemAsUser);
        self.scribe.drop_extra(&system.extra);
        let parts = system.parts.iter().map(|part| {
            let (text, fields) = self.scribe.user_line(part);
            Part::Text { text: Cow::Owned(text), fields }
        });
        let parts = parts.collect();
        self.items.push(Entry::Message { role: Role::User, parts, fields: Fields::default() });
    }

    fn user(&mut self, user: &'a User) {
        let mut fields = Fields::of(&user.extra);
        let mut parts = Vec::with_capacity(user.parts.len());
        let mut items = 0;
        for part in &user.parts {
            match part {
                CorePart::Text(text) => parts.push(plain(text)),
                CorePart::Native(native) => match self.native(native, Place::Input) {
                    Some(Part::Raw(raw)) => match self.given(native, raw) {
                        Given::Part(part) => parts.push(part),
                        Given::Item(item) => {
                            self.message(&mut parts, &mut fields);
                            self.items.push(Entry::Whole(item));
                            items += 1;
                        }
                    },
                    part => parts.extend(part),
                },
                CorePart::Image(_) | CorePart::Document(_) => parts.extend(self.file(part)),
            }
        }
        if items == 0 && parts.iter().all(is_blank) {
            parts = vec![self.silent()];
        }
        self.message(&mut parts, &mut fields);
    }

    /// A message of the user with those parts, which are taken, unless they are blank. The fields are the first one's.
    fn message(&mut self, parts: &mut Vec<Part<'a>>, fields: &mut Fields<'a>) {
        let parts = std::mem::take(parts);
        if !parts.iter().all(is_blank) {
            let fields = self.with_id(std::mem::take(fields), "msg");
            self.items.push(Entry::Message { role: Role::User, parts, fields });
        }
    }

    /// A block of an input that may stand. An outcome of a call that the provider keeps stands once.
    fn given(&mut self, native: &'a Native, raw: &'a RawJson) -> Given<'a> {
        let item = Whole::of(raw);
        match &item.call {
            Some(call) if item.is_output() && !self.scribe.reserve(call) => {
                Given::Part(Part::Text { text: self.scribe.as_text(native), fields: Fields::default() })
            }
            _ if item.is_item() => Given::Item(item),
            _ => Given::Part(Part::Raw(raw)),
        }
    }

    fn silent(&mut self) -> Part<'a> {
        self.scribe.note(WireChange::Filler(Filler::Silent));
        line(Filler::Silent.text())
    }

    fn round(&mut self, at: usize, round: &'a Round) {
        let calls = round.said().iter().flat_map(|said| said.calls());
        let kinds: Vec<CallKind<'a>> = calls.zip(round.outcomes()).map(|(call, outcome)| kind_of(call, outcome)).collect();
        let mut left = kinds.iter().copied();
        let mut items = Vec::new();
        for (index, said) in round.said().iter().enumerate() {
            self.scribe.at(at + index);
            items.append(&mut self.said(said, &mut left));
        }
        if self.scribe.profile.dialect != Dialect::Original && !items.is_sorted_by_key(Entry::is_call) {
            self.scribe.note(WireChange::CallsBehindText);
            items.sort_by_key(Entry::is_call);
        }
        self.items.append(&mut items);
        self.outcomes(at, round, &kinds);
    }

    fn said(&mut self, said: &'a Assistant, kinds: &mut impl Iterator<Item = CallKind<'a>>) -> Vec<Entry<'a>> {
        let mut drafts: Vec<Draft<'a>> = Vec::with_capacity(said.items.len());
        for item in &said.items {
            match item {
                Item::Text(text) => self.said_text(text, &mut drafts),
                Item::Reasoning(reasoning) => drafts.push(Draft::Reasoning(reasoning, self.ids.take_reasoning(reasoning))),
                Item::Native(native) => self.said_native(native, &mut drafts),
                Item::Call(call) => {
                    let kind = kinds.next().unwrap_or(CallKind::Function);
                    drafts.push(Draft::Item(Drafted::Entry(self.call(call, kind))));
                }
            }
        }
        self.settle_shells(&mut drafts);
        let mut entries = settle(drafts, self.scribe);
        for entry in &entries {
            if let Entry::Whole(item) = entry {
                self.so_far.take(item);
            }
        }
        if !entries.iter().any(Entry::speaks) {
            self.scribe.note(WireChange::Filler(Filler::Silent));
            entries = vec![Entry::said(Filler::Silent.text())];
        }
        self.scribe.drop_extra(&said.extra);
        entries
    }

    /// A text begins a message of its own, unless it goes on with the one before.
    fn said_text(&mut self, text: &'a Text, drafts: &mut Vec<Draft<'a>>) {
        let said = Said { text: Cow::Borrowed(&text.text), fields: Fields::of(&text.extra) };
        let message = said.fields.get(Wire::OpenAiResponses, MESSAGE);
        let goes_on = message.is_some_and(|message| is(message, "true"));
        match drafts.last_mut() {
            Some(Draft::Item(Drafted::Entry(Entry::Said { parts, .. }))) if goes_on => parts.push(said),
            Some(_) | None => {
                let given = message.and_then(|message| look(message.as_str(), |message| text_of(message, "id")));
                let id = given.as_ref().is_some_and(|id| self.ids.take(id, "msg"));
                if given.is_some() && !id {
                    self.scribe.note(WireChange::FieldLeftOut { name: "id".to_owned() });
                }
                drafts.push(Draft::Item(Drafted::Entry(Entry::Said { parts: vec![said], id })));
            }
        }
    }

    fn said_native(&mut self, native: &'a Native, drafts: &mut Vec<Draft<'a>>) {
        match self.native(native, Place::Answer) {
            Some(Part::Raw(raw)) => {
                let item = Whole::of(raw);
                drafts.push(Draft::Item(if self.ids.take_whole(&item) {
                    Drafted::Native(native, item)
                } else {
                    Drafted::Entry(Entry::said(self.scribe.as_text(native)))
                }));
            }
            Some(Part::Text { text, .. }) => drafts.push(Draft::Item(Drafted::Entry(Entry::said(text)))),
            Some(Part::Image(_) | Part::Document(_)) | None => {}
        }
    }

    fn call(&mut self, call: &'a ToolCall, kind: CallKind<'a>) -> Entry<'a> {
        let (id, name) = (self.scribe.call_id(&call.id), self.scribe.name(&call.name));
        let arguments = match kind {
            CallKind::Custom => Arguments::Custom(call.input.raw()),
            CallKind::Search(_) => Arguments::Search(self.scribe.input(call)),
            CallKind::Other(_) => Arguments::Other,
            CallKind::Function => Arguments::Function(self.scribe.input(call)),
        };
        let prefix = match arguments {
            Arguments::Function(_) => "fc",
            Arguments::Custom(_) => "ctc",
            Arguments::Search(_) | Arguments::Other => "",
        };
        // Unknown fields of a call of another type have no place on a function's.
        let other = matches!(kind, CallKind::Function) && type_of(&call.extra).is_some();
        let fields = if other { self.without(&call.extra) } else { Fields::of(&call.extra) };
        let fields = self.with_id(fields, prefix);
        Entry::Call { id, name, arguments, fields }
    }

    /// No fields, for those that have no place here.
    fn without(&mut self, extra: &Extra) -> Fields<'a> {
        self.scribe.drop_extra(extra);
        Fields::default()
    }

    /// The fields, with the id among them only if the provider takes it.
    fn with_id(&mut self, fields: Fields<'a>, prefix: &str) -> Fields<'a> {
        let Some(id) = fields.get(Wire::OpenAiResponses, "id") else { return fields };
        let id = look(id.as_str(), |id| id.as_str().map(|id| id.into_owned()));
        if id.is_some_and(|id| self.ids.take(&id, prefix)) {
            return fields;
        }
        self.scribe.note(WireChange::FieldLeftOut { name: "id".to_owned() });
        fields.without("id")
    }

    fn outcomes(&mut self, at: usize, round: &'a Round, kinds: &[CallKind<'a>]) {
        let moves = files_move(self.scribe.profile, round);
        let mut files = vec![line(texts::PICTURES_OF_OUTCOMES)];
        for (index, (outcome, kind)) in round.outcomes().iter().zip(kinds).enumerate() {
            self.scribe.at(at + round.said().len() + index);
            let entry = self.outcome(outcome, *kind, moves.then_some(&mut files));
            self.items.push(entry);
        }
        if moves {
            self.scribe.note(WireChange::FilesMovedBehind);
            if self.scribe.profile.answers_outcomes() {
                self.filler(Filler::Between);
            }
            self.items.push(Entry::Message { role: Role::User, parts: files, fields: Fields::default() });
        }
    }

    fn outcome(&mut self, outcome: &'a Outcome, kind: CallKind<'a>, files: Option<&mut Vec<Part<'a>>>) -> Entry<'a> {
        let id = self.scribe.answered(&outcome.call);
        let output = match kind {
            CallKind::Search(tools) => Output::Search(tools),
            CallKind::Other(raw) => Output::Other(raw),
            CallKind::Custom => Output::Custom(self.outcome_parts(outcome, files)),
            CallKind::Function => Output::Function(self.outcome_parts(outcome, files)),
        };
        let fields = if agrees(&output, &outcome.extra) { Fields::of(&outcome.extra) } else { self.without(&outcome.extra) };
        let fields = self.with_id(fields, "");
        Entry::Outcome { id, output, fields }
    }

    fn outcome_parts(&mut self, outcome: &'a Outcome, mut files: Option<&mut Vec<Part<'a>>>) -> Vec<Part<'a>> {
        let mut parts = Vec::with_capacity(outcome.parts.len());
        let mut moved = false;
        for part in &outcome.parts {
            match (part, files.as_deref_mut()) {
                (CorePart::Text(text), _) => parts.push(plain(text)),
                (CorePart::Native(native), _) => parts.extend(self.native(native, Place::Outcome)),
                (CorePart::Image(_) | CorePart::Document(_), Some(files)) => {
                    files.extend(self.file(part));
                    moved = true;
                }
                (CorePart::Image(_) | CorePart::Document(_), None) => parts.extend(self.file(part)),
            }
        }
        if parts.iter().all(is_blank) {
            parts = vec![line(if moved { texts::PICTURES_BELOW } else { OutcomeText::Empty.text() })];
        }
        parts
    }

    fn file(&mut self, part: &'a CorePart) -> Option<Part<'a>> {
        let (what, file, media) = match part {
            CorePart::Image(media) => ("image", Part::Image(media), media),
            CorePart::Document(media) => ("document", Part::Document(media), media),
            CorePart::Text(_) | CorePart::Native(_) => return None,
        };
        let readable = self.scribe.profile.dialect != Dialect::Original || !is_recording(media);
        let line = if readable { self.scribe.unreadable(what, media) } else { Some(self.scribe.file_line(what, media)) };
        Some(match line {
            Some(text) => Part::Text { text: Cow::Owned(text), fields: Fields::default() },
            None => file,
        })
    }

    fn native(&mut self, native: &'a Native, place: Place) -> Option<Part<'a>> {
        let (dialect, so_far) = (self.scribe.profile.dialect, &self.so_far);
        match self.scribe.native(native, |item| standing(item, place, dialect, so_far)) {
            Shown::Raw(raw) => Some(Part::Raw(raw)),
            Shown::Text(text) => Some(Part::Text { text, fields: Fields::default() }),
            Shown::Absent => None,
        }
    }
}

/// Whether the outcome's unknown fields are those of its kind.
fn agrees(output: &Output<'_>, extra: &Extra) -> bool {
    let kind = type_of(extra);
    match output {
        Output::Function(_) => kind.is_none(),
        Output::Custom(_) => kind.is_some_and(|kind| is_text(kind, "custom_tool_call_output")),
        Output::Search(_) => kind.is_some_and(|kind| is_text(kind, "tool_search_output")),
        Output::Other(_) => true,
    }
}

/// Whether an address leads to sound or film by its ending: "The file type you uploaded is not supported. Please try again with a pdf"
/// (recordings 21 and 22 of those that were refused).
fn is_recording(media: &Media) -> bool {
    const ENDINGS: [&str; 14] =
        ["aac", "aiff", "avi", "flac", "m4a", "mkv", "mov", "mp3", "mp4", "mpeg", "ogg", "opus", "wav", "webm"];
    let MediaSource::Url(url) = &media.source else { return false };
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let ending = path.rsplit('/').next().and_then(|file| file.rsplit_once('.')).map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

fn plain(text: &Text) -> Part<'_> {
    Part::Text { text: Cow::Borrowed(&text.text), fields: Fields::of(&text.extra) }
}

fn is_blank(part: &Part<'_>) -> bool {
    matches!(part, Part::Text { text, .. } if text.trim().is_empty())
}
