//! OpenAI Responses' JSON.

use briefing::Wire;
use briefing::message::{Media, MediaSource};
use briefing_json::WriteJson;

use super::{Arguments, Body, Entry, MESSAGE, Output, Part, Role, Said};
use crate::raw::{is, is_text, look, text_of};
use crate::tools;
use crate::write::{Fields, TEXT, Writer};

const WIRE: Wire = Wire::OpenAiResponses;

/// The fields of a text that are not unknown.
const OF_TEXT: [&str; 3] = [TEXT[0], TEXT[1], MESSAGE];

pub(super) fn body(body: &Body<'_>) -> Vec<u8> {
    let mut out = Writer::new(WIRE);
    out.object(|out| {
        out.field("model", body.model);
        for (name, value) in &body.parameters {
            out.json_field(name, value);
        }
        tools::write(out, &body.tools, |out, name, description, schema, fields| {
            out.field("type", "function");
            out.field("name", name);
            if let Some(description) = description {
                out.field("description", description);
            }
            out.json_field("parameters", schema);
            // Functions are strict unless they say otherwise, and most schemas are not written for that. Null says nothing, as a tool of
            // this wire may.
            match fields.get(WIRE, "strict") {
                None => out.json_field("strict", "false"),
                Some(strict) if is(strict, "null") => {}
                Some(strict) => out.json_field("strict", strict.as_str()),
            }
            out.extra(fields, &["type", "name", "description", "parameters", "strict"]);
        });
        if let Some(instructions) = &body.instructions {
            out.field("instructions", instructions);
        }
        out.name("input");
        out.array(&body.items, |out, entry| item(out, entry, body.typed));
    });
    out.into_bytes()
}

fn item(out: &mut Writer, item: &Entry<'_>, typed: bool) {
    match item {
        Entry::Whole(item) => return out.json(item.raw.as_str()),
        Entry::Reasoning(raw) => return out.json(raw),
        Entry::Message { .. } | Entry::Said { .. } | Entry::Call { .. } | Entry::Outcome { .. } => {}
    }
    out.object(|out| match item {
        Entry::Whole(_) | Entry::Reasoning(_) => {}
        Entry::Message { role, parts, fields } => {
            out.field("role", role.name());
            out.name("content");
            content(out, parts);
            if fields.get(WIRE, "type").is_some_and(|kind| is_text(kind, "message")) {
                out.field("type", "message");
            }
            out.extra(*fields, &["role", "content", "type"]);
        }
        Entry::Said { parts, id } => said(out, parts, *id, typed),
        Entry::Call { id, name, arguments, fields } => call(out, id, name, arguments, *fields),
        Entry::Outcome { id, output, fields } => outcome(out, id, output, *fields),
    });
}

impl Role {
    fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Developer => "developer",
            Self::User => "user",
        }
    }
}

/// One text without unknown fields is a string, unless the message has an id: such a one has parts.
fn said(out: &mut Writer, parts: &[Said<'_>], id: bool, typed: bool) {
    out.field("role", "assistant");
    out.name("content");
    match parts {
        [one] if !id && is_bare(one.fields) => out.text(&one.text),
        parts => out.array(parts, |out, part| {
            out.object(|out| {
                out.field("type", "output_text");
                out.field("text", &part.text);
                out.extra(part.fields, &OF_TEXT);
            });
        }),
    }
    let known: &[&str] = if id { &["role", "content", "type"] } else { &["role", "content", "type", "id"] };
    if let Some(first) = parts.first() {
        let kind =
            first.fields.get(WIRE, MESSAGE).and_then(|message| look(message.as_str(), |message| text_of(message, "type")));
        if typed || kind.as_deref() == Some("message") {
            out.field("type", "message");
        }
        out.nested_extra(first.fields, MESSAGE, known);
    }
}

/// Whether a text has no unknown fields of its own.
fn is_bare(fields: Fields<'_>) -> bool {
    fields.on(WIRE).all(|(name, _)| OF_TEXT.contains(&name))
}

/// One text without unknown fields is a string, anything else an array.
fn content(out: &mut Writer, parts: &[Part<'_>]) {
    match parts {
        [Part::Text { text, fields }] if is_bare(*fields) => out.text(text),
        parts => out.array(parts, part),
    }
}

fn part(out: &mut Writer, part: &Part<'_>) {
    match part {
        Part::Raw(raw) => out.json(raw.as_str()),
        Part::Text { text, fields } => out.object(|out| {
            out.field("type", "input_text");
            out.field("text", text);
            out.extra(*fields, &OF_TEXT);
        }),
        Part::Image(media) => out.object(|out| image(out, media)),
        Part::Document(media) => out.object(|out| document(out, media)),
    }
}

fn image(out: &mut Writer, media: &Media) {
    let fields = Fields::of(&media.extra);
    out.field("type", "input_image");
    match &media.source {
        MediaSource::Data(bytes) => {
            out.name("image_url");
            out.data_uri(&media.media_type, bytes.as_base64());
        }
        MediaSource::Url(url) => out.field("image_url", url),
        MediaSource::File { id, .. } => out.field("file_id", id),
    }
    if fields.get(WIRE, "detail").is_none() {
        out.field("detail", "auto");
    }
    out.extra(fields, &["type", "image_url", "file_id"]);
}

fn document(out: &mut Writer, media: &Media) {
    const NAMELESS: &str = "document.pdf";
    out.field("type", "input_file");
    match &media.source {
        MediaSource::Data(bytes) => {
            out.field("filename", media.filename.as_deref().unwrap_or(NAMELESS));
            out.name("file_data");
            out.data_uri(&media.media_type, bytes.as_base64());
        }
        // Of a file that the provider has or fetches it refuses a name beside the address.
        MediaSource::Url(url) => out.field("file_url", url),
        MediaSource::File { id, .. } => out.field("file_id", id),
    }
    let known: &[&str] = match &media.source {
        MediaSource::Data(_) => &["type", "filename", "file_data", "file_url", "file_id"],
        MediaSource::Url(_) | MediaSource::File { .. } => &["type", "file_data", "file_url", "file_id"],
    };
    out.extra(Fields::of(&media.extra), known);
}

fn call(out: &mut Writer, id: &str, name: &str, arguments: &Arguments<'_>, fields: Fields<'_>) {
    match arguments {
        Arguments::Function(arguments) => {
            out.field("type", "function_call");
            out.field("call_id", id);
            out.field("name", name);
            out.field("arguments", arguments);
            out.extra(fields, &["type", "call_id", "name", "arguments"]);
        }
        Arguments::Custom(input) => {
            out.field("call_id", id);
            out.field("name", name);
            out.field("input", input);
            out.extra(fields, &["call_id", "name", "input"]);
        }
        Arguments::Search(arguments) => {
            out.field("call_id", id);
            out.json_field("arguments", arguments);
            out.extra(fields, &["call_id", "arguments"]);
        }
        Arguments::Other => {
            out.field("call_id", id);
            out.extra(fields, &["call_id"]);
        }
    }
}

fn outcome(out: &mut Writer, id: &str, output: &Output<'_>, fields: Fields<'_>) {
    match output {
        Output::Function(parts) => {
            out.field("type", "function_call_output");
            out.field("call_id", id);
            out.name("output");
            content(out, parts);
            out.extra(fields, &["call_id", "output"]);
        }
        Output::Custom(parts) => {
            out.field("type", "custom_tool_call_output");
            out.field("call_id", id);
            out.name("output");
            content(out, parts);
            out.extra(fields, &["type", "call_id", "output"]);
        }
        Output::Search(tools) => {
            out.field("type", "tool_search_output");
            out.field("call_id", id);
            out.json_field("tools", tools);
            if fields.get(WIRE, "execution").is_none() {
                out.field("execution", "client");
            }
            out.extra(fields, &["type", "call_id", "tools"]);
        }
        Output::Other(raw) => {
            out.field("call_id", id);
            out.json_field("output", raw.as_str());
            out.extra(fields, &["call_id", "output"]);
        }
    }
}
