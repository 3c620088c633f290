//! OpenAI Chat's JSON.

use briefing::message::{Media, MediaSource};
use briefing::{Dialect, Wire};
use briefing_json::WriteJson;

use super::{Arguments, Body, Call, Message, Part, Role};
use crate::tools;
use crate::write::{Fields, TEXT, Writer};

pub(super) fn body(body: &Body<'_>) -> Vec<u8> {
    let mut out = Writer::new(Wire::OpenAiChat);
    out.object(|out| {
        out.field("model", body.model);
        for (name, value) in &body.parameters {
            out.json_field(name, value);
        }
        tools::write(out, &body.tools, |out, name, description, schema, fields| {
            out.field("type", "function");
            out.inner("function", |out| {
                out.field("name", name);
                if let Some(description) = description {
                    out.field("description", description);
                }
                out.json_field("parameters", schema);
                out.nested_extra(fields, "function", &["name", "description", "parameters"]);
            });
            out.extra(fields, &["type", "function"]);
        });
        out.name("messages");
        out.array(&body.messages, |out, one| message(out, one, body.dialect));
    });
    out.into_bytes()
}

fn message(out: &mut Writer, message: &Message<'_>, dialect: Dialect) {
    out.object(|out| {
        out.field(
            "role",
            match message.role {
                Role::System => "system",
                Role::Developer => "developer",
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "tool",
            },
        );
        if let Some(id) = &message.answers {
            out.field("tool_call_id", id);
        }
        content(out, message, dialect);
        for (name, raw) in &message.fields {
            out.json_field(name, raw.as_str());
        }
        if !message.calls.is_empty() {
            out.name("tool_calls");
            out.array(&message.calls, call);
        }
        if message.prefix {
            out.json_field("prefix", "true");
        }
        for (name, raw) in &message.extras {
            out.json_field(name, raw.as_str());
        }
    });
}

/// One text without unknown fields is a string, anything else an array. What Mistral may have to merge with a later message is an
/// array always, so that the bytes before stay the same.
fn content(out: &mut Writer, message: &Message<'_>, dialect: Dialect) {
    let grows = dialect == Dialect::Mistral && message.role != Role::Tool;
    out.name("content");
    match message.parts.as_slice() {
        [] => out.json("null"),
        [Part::Text { text, fields }] if !grows && fields.is_plain(Wire::OpenAiChat) => out.text(text),
        parts => out.array(parts, |out, one| part(out, one, dialect)),
    }
}

fn part(out: &mut Writer, part: &Part<'_>, dialect: Dialect) {
    match part {
        Part::Raw(raw) => out.json(raw.as_str()),
        Part::Text { text, fields } => out.object(|out| {
            out.field("type", "text");
            out.field("text", text);
            out.extra(*fields, &TEXT);
        }),
        Part::Image(media) => out.object(|out| image(out, media)),
        Part::Document(media) => out.object(|out| document(out, media, dialect)),
    }
}

fn image(out: &mut Writer, media: &Media) {
    out.field("type", "image_url");
    out.inner("image_url", |out| {
        out.name("url");
        address(out, media);
        out.nested_extra(Fields::of(&media.extra), "image_url", &["url"]);
    });
    out.extra(Fields::of(&media.extra), &["type", "image_url"]);
}

fn document(out: &mut Writer, media: &Media, dialect: Dialect) {
    const NAMELESS: &str = "document.pdf";
    if dialect == Dialect::Mistral && !matches!(media.source, MediaSource::File { .. }) {
        out.field("type", "document_url");
        out.name("document_url");
        address(out, media);
        if let Some(name) = &media.filename {
            out.field("document_name", name);
        }
        out.extra(Fields::of(&media.extra), &["type", "document_url", "document_name"]);
        return;
    }
    out.field("type", "file");
    out.inner("file", |out| {
        if let MediaSource::File { id, .. } = &media.source {
            out.field("file_id", id);
            if let Some(name) = &media.filename {
                out.field("filename", name);
            }
        } else {
            out.field("filename", media.filename.as_deref().unwrap_or(NAMELESS));
            out.name("file_data");
            address(out, media);
        }
        out.nested_extra(Fields::of(&media.extra), "file", &["file_id", "filename", "file_data"]);
    });
    out.extra(Fields::of(&media.extra), &["type", "file"]);
}

fn address(out: &mut Writer, media: &Media) {
    match &media.source {
        MediaSource::Data(bytes) => out.data_uri(&media.media_type, bytes.as_base64()),
        MediaSource::Url(text) | MediaSource::File { id: text, .. } => out.text(text),
    }
}

fn call(out: &mut Writer, call: &Call<'_>) {
    out.object(|out| {
        out.field("id", &call.id);
        match &call.arguments {
            Arguments::Function(arguments) => {
                out.field("type", "function");
                out.inner("function", |out| {
                    out.field("name", &call.name);
                    out.field("arguments", arguments);
                    out.nested_extra(call.fields, "function", &["name", "arguments"]);
                });
            }
            Arguments::Custom(input) => {
                out.field("type", "custom");
                out.inner("custom", |out| {
                    out.field("name", &call.name);
                    out.field("input", input);
                    out.nested_extra(call.fields, "custom", &["name", "input"]);
                });
            }
        }
        out.extra(call.fields, &["id", "type", "function", "custom"]);
    });
}
