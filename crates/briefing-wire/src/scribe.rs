//! What the normalisers of all wires share: the maps of one request, and its findings.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use briefing::message::{CallId, Extra, Media, MediaSource, Native, RawJson, ToolCall};
use briefing::{ModelProfile, Wire, native_reads_as, texts};

use crate::finding::{WireChange, WireFinding};
use crate::ids::{IdRule, Ids};
use crate::input;
use crate::names::Names;
use crate::raw::{look, text_of};

/// The state of one rendering.
#[derive(Debug)]
pub(crate) struct Scribe<'a> {
    pub(crate) profile: &'a ModelProfile,
    pub(crate) names: Names,
    ids: Ids,
    /// The ids of the native blocks that stand so far.
    natives: HashSet<String>,
    findings: Vec<WireFinding>,
    at: Option<usize>,
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

    /// How a native block is shown at a place of the list where blocks of the kinds that `stands` names may be.
    pub(crate) fn native<'m>(&mut self, native: &'m Native, stands: impl FnOnce(&str) -> bool) -> Shown<'m> {
        let block = if native.wire == self.wire() {
            look(native.raw.as_str(), |block| Some((text_of(block, "type")?, text_of(block, "id"))))
        } else {
            None
        };
        let Some((_, id)) = block.filter(|(kind, _)| stands(kind)) else {
            self.note(WireChange::NativeAsText { kind: native.kind.to_string() });
            return Shown::Text(native_reads_as(native));
        };
        if let Some(needs) = native.needs.as_deref().filter(|needs| !self.natives.contains(*needs)) {
            self.note(WireChange::NativeLeftOut { kind: native.kind.to_string(), needs: needs.to_owned() });
            return Shown::Absent;
        }
        self.natives.extend(id);
        Shown::Raw(&native.raw)
    }

    /// The line that a file reads as if its data is no Base64, so that no provider takes it.
    pub(crate) fn unreadable(&mut self, what: &str, media: &Media) -> Option<String> {
        let MediaSource::Data(bytes) = &media.source else { return None };
        let digits = bytes.as_base64().trim_end_matches('=').bytes();
        if digits.into_iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')) {
            return None;
        }
        self.note(WireChange::FileAsText);
        Some(texts::file_line(what, media.filename.as_deref(), 0))
    }

    /// Notes that the fields have no place here.
    pub(crate) fn drop_extra(&mut self, extra: &Extra) {
        let names: Vec<String> = extra.on(self.wire()).map(|(name, _)| name.to_owned()).collect();
        for name in names {
            self.note(WireChange::FieldLeftOut { name });
        }
    }
}
