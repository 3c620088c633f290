//! What the normalisers of all wires share: the maps of one request, and its findings.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use briefing::message::{CallId, Extra, Media, MediaSource, Native, RawJson, SystemPart, ToolCall};
use briefing::texts::system_as_user;
use briefing::{ModelProfile, Wire, native_reads_as, texts};
use briefing_json::Value;

use crate::finding::{WireChange, WireFinding};
use crate::ids::{IdRule, Ids};
use crate::input;
use crate::names::Names;
use crate::raw::{is_base64, look, text_of};
use crate::write::Fields;

/// The state of one rendering.
#[derive(Debug)]
pub(crate) struct Scribe<'a> {
    pub(crate) profile: &'a ModelProfile,
    pub(crate) names: Names,
    ids: Ids,
    /// The ids of the native blocks that stand so far.
    natives: HashSet<String>,
    /// Of these, the uses of tools that the provider runs.
    uses: HashSet<String>,
    findings: Vec<WireFinding>,
    at: Option<usize>,
}

/// Where content stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In system text.
    System,
    /// In an input.
    Input,
    /// In the outcome of a call.
    Outcome,
    /// In an answer.
    Answer,
}

/// Whether a block of the wire's own may stand as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It may not.
    No,
    /// It may.
    Yes,
    /// It may: the use, of that id, of a tool that the provider runs.
    Use(String),
    /// Only behind the use of that id.
    ResultOf(String),
}

impl Standing {
    pub(crate) fn yes_if(stands: bool) -> Self {
        if stands { Self::Yes } else { Self::No }
    }
}

/// How a native block is shown.
#[derive(Debug)]
pub(crate) enum Shown<'a> {
    /// As it came.
    Raw(&'a RawJson),
    /// As a text.
    Text(Cow<'a, str>),
    /// Not at all.
    Absent,
}

impl<'a> Scribe<'a> {
    pub(crate) fn new(profile: &'a ModelProfile) -> Self {
        Self {
            profile,
            names: Names::new(profile.wire),
            ids: Ids::new(IdRule::of(profile)),
            natives: HashSet::new(),
            uses: HashSet::new(),
            findings: Vec::new(),
            at: None,
        }
    }

    pub(crate) fn wire(&self) -> Wire {
        self.profile.wire
    }

    /// Findings from here on are about that message.
    pub(crate) fn at(&mut self, message: usize) {
        self.at = Some(message);
    }

    pub(crate) fn note(&mut self, change: WireChange) {
        self.findings.push(WireFinding { message: self.at, change });
    }

    /// A finding about the body as a whole.
    pub(crate) fn note_body(&mut self, change: WireChange) {
        self.findings.push(WireFinding { message: None, change });
    }

    pub(crate) fn into_findings(self) -> Vec<WireFinding> {
        self.findings
    }

    /// A call's id on the wire.
    pub(crate) fn call_id(&mut self, id: &CallId) -> Arc<str> {
        let wire = self.ids.wire(id);
        if *wire != *id.given() {
            self.note(WireChange::IdMapped { from: id.to_string(), to: wire.to_string() });
        }
        wire
    }

    /// The id that an outcome answers, as its call has it.
    pub(crate) fn answered(&mut self, id: &CallId) -> Arc<str> {
        self.ids.wire(id)
    }

    /// Takes an id for a call that the list does not hold. Whether no call has it.
    pub(crate) fn reserve(&mut self, id: &str) -> bool {
        self.ids.reserve(id)
    }

    /// A tool's name on the wire.
    pub(crate) fn name(&mut self, name: &str) -> Arc<str> {
        let fresh = self.names.known(name).is_none();
        let wire = self.names.wire(name);
        if fresh && *wire != *name {
            self.note(WireChange::NameMapped { from: name.to_owned(), to: wire.to_string() });
        }
        wire
    }

    /// A call's arguments as they are sent.
    pub(crate) fn input<'m>(&mut self, call: &'m ToolCall) -> Cow<'m, str> {
        let (text, why) = input::outgoing(&call.input);
        if let Some(why) = why {
            self.note(WireChange::InputMended { call: call.id.to_string(), why });
        }
        text
    }

    /// How a native block is shown. `standing` tells of one of this wire whether it may stand.
    pub(crate) fn native<'m>(&mut self, native: &'m Native, standing: impl FnOnce(Value<'_>) -> Standing) -> Shown<'m> {
        let block = if native.wire == self.wire() {
            look(native.raw.as_str(), |block| Some((standing(block), text_of(block, "id"))))
        } else {
            None
        };
        let (standing, id) = block.unwrap_or((Standing::No, None));
        let (is_use, result_of) = match standing {
            Standing::No => return Shown::Text(self.as_text(native)),
            Standing::Yes => (None, None),
            Standing::Use(id) => (Some(id), None),
            Standing::ResultOf(id) => (None, Some(id)),
        };
        let orphan = result_of.filter(|id| !self.uses.contains(id));
        let lacks = orphan.as_deref().or_else(|| native.needs.as_deref().filter(|id| !self.natives.contains(*id)));
        if let Some(needs) = lacks {
            self.note(WireChange::NativeLeftOut { kind: native.kind.to_string(), needs: needs.to_owned() });
            return Shown::Absent;
        }
        self.natives.extend(id);
        self.uses.extend(is_use);
        Shown::Raw(&native.raw)
    }

    /// What a native block reads as where it may not stand.
    pub(crate) fn as_text<'m>(&mut self, native: &'m Native) -> Cow<'m, str> {
        self.note(WireChange::NativeAsText { kind: native.kind.to_string() });
        native_reads_as(native)
    }

    /// System text as a user line, where it may not stand as it is (report B39): a part of it, with its unknown fields. Those of the
    /// message have no place.
    pub(crate) fn user_line<'m>(&mut self, part: &'m SystemPart) -> (String, Fields<'m>) {
        match part {
            SystemPart::Text(text) => (system_as_user(&text.text), Fields::of(&text.extra)),
            SystemPart::Native(native) => (system_as_user(&self.as_text(native)), Fields::default()),
        }
    }

    /// The line that a file reads as if its data is no Base64, or its address is a `data:` URI of anything else, so that no
    /// provider takes it.
    pub(crate) fn unreadable(&mut self, what: &str, media: &Media) -> Option<String> {
        let readable = match &media.source {
            MediaSource::Data(bytes) => is_base64(bytes.as_base64()) && !bytes.as_base64().contains(['\r', '\n']),
            MediaSource::Url(address) => !address.starts_with("data:"),
            MediaSource::File { .. } => true,
        };
        if readable {
            return None;
        }
        Some(self.file_line(what, media))
    }

    /// The line that a file reads as which no provider of this wire takes.
    pub(crate) fn file_line(&mut self, what: &str, media: &Media) -> String {
        self.note(WireChange::FileAsText);
        texts::file_line(what, media.filename.as_deref(), None)
    }

    /// Notes that the fields have no place here.
    pub(crate) fn drop_extra(&mut self, extra: &Extra) {
        let names: Vec<String> = extra.on(self.wire()).map(|(name, _)| name.to_owned()).collect();
        for name in names {
            self.note(WireChange::FieldLeftOut { name });
        }
    }
}
