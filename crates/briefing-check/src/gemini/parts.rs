//! The parts of a content.

use std::borrow::Cow;
use std::collections::HashSet;

use briefing_json::{Kind, Path, Value, present};

use super::field::{Field, each, step};
use super::tools::name;
use crate::fault::{Fault, Role, Shape, clip};
use crate::media;
use crate::profile::Rules;
use crate::report::{Findings, text};

pub(super) const CALL: Field = Field::new("functionCall", "function_call");
pub(super) const OUTCOME: Field = Field::new("functionResponse", "function_response");
pub(super) const SIGNATURE: Field = Field::new("thoughtSignature", "thought_signature");
const INLINE: Field = Field::new("inlineData", "inline_data");
const FILE: Field = Field::new("fileData", "file_data");
const MIME: Field = Field::new("mimeType", "mime_type");
const URI: Field = Field::new("fileUri", "file_uri");

/// The fields of which a part has exactly one.
const DATA: [Field; 9] = [
    Field::new("text", "text"),
    INLINE,
    FILE,
    CALL,
    OUTCOME,
    Field::new("executableCode", "executable_code"),
    Field::new("codeExecutionResult", "code_execution_result"),
    Field::new("toolCall", "tool_call"),
    Field::new("toolResponse", "tool_response"),
];

/// The fields that a part may have beside its data.
const BESIDE: [Field; 5] = [
    SIGNATURE,
    Field::new("thought", "thought"),
    Field::new("videoMetadata", "video_metadata"),
    Field::new("mediaResolution", "media_resolution"),
    Field::new("partMetadata", "part_metadata"),
];

/// A call or an outcome that a content holds.
#[derive(Debug, Clone)]
pub(super) struct Held<'d> {
    pub(super) kind: HeldKind,
    pub(super) name: Cow<'d, str>,
    /// The id, if it has one that is not empty.
    pub(super) id: Option<Cow<'d, str>>,
    /// The part's index; none if it stands alone.
    pub(super) part: Option<usize>,
    /// The field's name, as it is written.
    pub(super) key: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeldKind {
    Call,
    Outcome,
}

impl Held<'_> {
    /// How a fault names it: by its id, or else by its function.
    pub(super) fn shown(&self) -> String {
        clip(self.id.as_ref().unwrap_or(&self.name))
    }
}

/// The walk along the parts of one content.
pub(super) struct Parts<'c> {
    pub(super) rules: &'c Rules,
    pub(super) out: &'c mut Findings,
}

impl Parts<'_> {
    pub(super) fn walk<'d>(&mut self, parts: Value<'d>, above: &Path<'_>) -> Vec<Held<'d>> {
        each(parts).filter_map(|(index, part)| self.part(part, index, &step(above, index))).collect()
    }

    fn part<'d>(&mut self, part: Value<'d>, index: Option<usize>, at: &Path<'_>) -> Option<Held<'d>> {
        self.out.shaped(at, part, Shape::Object)?;
        one_of(part, at, self.out);
        signature(part, at, self.out);
        self.out.optional(at, part, "text", Shape::String);
        self.media(part, at);
        if let Some((key, call)) = CALL.of(part) {
            return self.call(call, key, index, &at.key(key));
        }
        let (key, outcome) = OUTCOME.of(part)?;
        self.outcome(outcome, key, index, &at.key(key))
    }

    fn media(&mut self, part: Value<'_>, at: &Path<'_>) {
        if let Some((key, inline)) = INLINE.of(part) {
            inline_data(inline, &at.key(key), self.out);
        }
        if let Some((key, file)) = FILE.of(part) {
            file_data(file, &at.key(key), self.out);
        }
    }

    fn call<'d>(&mut self, call: Value<'d>, key: &'static str, part: Option<usize>, at: &Path<'_>) -> Option<Held<'d>> {
        let held = self.held(call, HeldKind::Call, key, part, at)?;
        if present(call, "args").is_some_and(|args| args.kind() != Kind::Object) {
            self.out.add(&at.key("args"), Fault::ArgumentsNotObject { id: held.shown() });
        }
        structure(call, "args", at, self.out);
        Some(held)
    }

    /// An outcome is an object (<https://github.com/microsoft/vscode-copilot-chat/pull/2745>), and may hold files on Gemini 3.
    fn outcome<'d>(&mut self, outcome: Value<'d>, key: &'static str, part: Option<usize>, at: &Path<'_>) -> Option<Held<'d>> {
        let held = self.held(outcome, HeldKind::Outcome, key, part, at)?;
        self.out.optional(at, outcome, "response", Shape::Object);
        structure(outcome, "response", at, self.out);
        let above = at.key("parts");
        let mut files = present(outcome, "parts").into_iter().flat_map(each).peekable();
        if files.peek().is_some() && !self.rules.outcome_files {
            self.out.add(&above, Fault::OutcomeFilesNotSupported);
        }
        for (index, file) in files {
            self.media(file, &step(&above, index));
        }
        Some(held)
    }

    /// What calls and outcomes have in common. The empty id is none, as proto JSON has it.
    fn held<'d>(
        &mut self,
        value: Value<'d>,
        kind: HeldKind,
        key: &'static str,
        part: Option<usize>,
        at: &Path<'_>,
    ) -> Option<Held<'d>> {
        self.out.shaped(at, value, Shape::Object)?;
        let name = self.name(value, at);
        let id = self.out.optional(at, value, "id", Shape::String).and_then(Value::as_str).filter(|id| !id.is_empty());
        Some(Held { kind, name: name.unwrap_or_default(), id, part, key })
    }

    /// "function_response.name: Name cannot be empty." (report B65)
    fn name<'d>(&mut self, value: Value<'d>, at: &Path<'_>) -> Option<Cow<'d, str>> {
        let found = present(value, "name").filter(|name| name.raw() != "\"\"");
        let Some(found) = found else {
            self.out.add(at, Fault::Missing { key: "name" });
            return None;
        };
        let at = at.key("name");
        let found = self.out.shaped(&at, found, Shape::String)?.as_str()?;
        name(&found, &at, self.out);
        Some(found)
    }
}

/// "required oneof field 'data' must have one initialized field" (<https://github.com/QuantumNous/new-api/issues/632>). Data of a
/// kind that is not known here counts.
fn one_of(part: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    let mut data = DATA.iter().filter_map(|field| field.of(part)).map(|(key, _)| key);
    let beside = |key: &str| BESIDE.iter().any(|field| field.is_named(key));
    match (data.next(), data.next()) {
        (None, _) => {
            if part.entries().all(|(key, value)| beside(&key) || value.is_null()) {
                out.add(at, Fault::EmptyPart);
            }
        }
        (Some(_), Some(second)) => out.add(&at.key(second), Fault::MixedPart { key: second.to_owned() }),
        (Some(_), None) => {}
    }
}

/// Arguments and outcomes are a `google.protobuf.Struct`: of each name one, and doubles for numbers. The words are those of protobuf's
/// reader (`protostream_objectwriter.cc`, `json_stream_parser.cc`): "Repeated map key: 'k1' is already set.", "Number exceeds the range
/// of double."
fn structure(holder: Value<'_>, key: &str, at: &Path<'_>, out: &mut Findings) {
    if let Some(object) = present(holder, key) {
        doubles(object, &at.key(key), out);
    }
}

/// A document's depth is bounded, so this ends.
fn doubles(value: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    match value.kind() {
        Kind::Number => {
            if !value.as_f64().is_some_and(f64::is_finite) {
                out.add(at, Fault::NumberBeyondDouble { number: clip(value.raw()) });
            }
        }
        Kind::Array => value.items().enumerate().for_each(|(index, item)| doubles(item, &at.index(index), out)),
        Kind::Object => {
            let mut names = HashSet::new();
            for (name, member) in value.entries() {
                doubles(member, &at.key(&name), out);
                if names.contains(&name) {
                    out.add(&at.key(&name), Fault::RepeatedName { name: clip(&name) });
                }
                names.insert(name);
            }
        }
        Kind::Null | Kind::True | Kind::False | Kind::String => {}
    }
}

/// "Invalid value at 'contents[6].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed"
/// (<https://github.com/google-gemini/gemini-cli/issues/14368>)
fn signature(part: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    let Some((key, signature)) = SIGNATURE.of(part) else { return };
    let at = at.key(key);
    let signature = out.shaped(&at, signature, Shape::String).and_then(Value::as_str);
    if signature.is_some_and(|signature| !media::is_proto_bytes(&signature)) {
        out.add(&at, Fault::SignatureNotBase64);
    }
}

/// Data has a type that the provider reads, and is Base64 of either alphabet: "Invalid value at 'contents[0].parts[2].inline_data.data'
/// (TYPE_BYTES), Base64 decoding failed" (<https://github.com/danny-avila/LibreChat/issues/6593>).
fn inline_data(inline: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, inline, Shape::Object).is_none() {
        return;
    }
    match MIME.of(inline) {
        Some((key, mime)) => mime_type(mime, &at.key(key), out),
        None => out.add(at, Fault::Missing { key: MIME.name() }),
    }
    let Some(data) = out.optional(at, inline, "data", Shape::String).and_then(Value::as_str).filter(|data| !data.is_empty())
    else {
        if present(inline, "data").is_none_or(|data| data.kind() == Kind::String) {
            out.add(at, Fault::EmptyMedia);
        }
        return;
    };
    if !media::is_proto_bytes(&data) {
        out.add(&at.key("data"), Fault::NotBase64);
    }
}

/// "Unsupported MIME type: image/svg+xml". Which types are read, the reports measured
/// (<https://github.com/google/adk-python/issues/5693>, <https://github.com/charmbracelet/crush/issues/995>,
/// <https://github.com/brianpetro/obsidian-smart-connections/issues/1238>); others are not judged.
fn mime_type(mime: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    const REFUSED: [&str; 5] = ["image/svg+xml", "image/svg", "application/svg+xml", "image/xml", "image/jpg"];
    let Some(mime) = out.shaped(at, mime, Shape::String).and_then(Value::as_str) else { return };
    if REFUSED.contains(&mime.as_ref()) || !mime.contains('/') {
        out.add(at, Fault::MediaType { found: clip(&mime) });
    }
}

fn file_data(file: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, file, Shape::Object).is_none() {
        return;
    }
    match URI.of(file) {
        Some((key, uri)) => {
            if out.shaped(&at.key(key), uri, Shape::String).is_some_and(|uri| uri.raw() == "\"\"") {
                out.add(&at.key(key), Fault::EmptyMedia);
            }
        }
        None => out.add(at, Fault::EmptyMedia),
    }
}

/// Checks a part of the system instruction.
pub(super) fn system(part: Value<'_>, at: &Path<'_>, out: &mut Findings) {
    if out.shaped(at, part, Shape::Object).is_none() {
        return;
    }
    one_of(part, at, out);
    let other = DATA.iter().filter_map(|field| field.of(part)).find(|(key, _)| *key != "text");
    if let Some((key, _)) = other.filter(|_| text(part, "text").is_none()) {
        out.add(&at.key(key), Fault::PartNotAllowed { kind: key.to_owned(), role: Role::System });
    }
    out.optional(at, part, "text", Shape::String);
}
