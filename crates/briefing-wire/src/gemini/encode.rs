//! Gemini's JSON.

use briefing::Wire;
use briefing::message::{Media, MediaSource};
use briefing_json::WriteJson;

use super::keys::{CALL, FILE, INLINE, RESPONSE, SYSTEM, TYPE, URI, WRITTEN};
use super::response::Response;
use super::{Body, Content, NO_SIGNATURE, Part, Role, keys, tools};
use crate::write::{Fields, Writer};

pub(super) fn body(body: &Body<'_>) -> Vec<u8> {
    let mut out = Writer::new(Wire::Gemini);
    out.object(|out| {
        for (name, value) in &body.parameters {
            out.json_field(name, value);
        }
        tools::write(out, &body.tools);
        if let Some(system) = &body.system {
            out.name(SYSTEM[0]);
            content(out, system);
        }
        out.name("contents");
        out.array(&body.contents, content);
    });
    out.into_bytes()
}

fn content(out: &mut Writer, content: &Content<'_>) {
    out.object(|out| {
        let known: &[&str] = match content.role {
            Role::None => &["parts"],
            Role::User | Role::Model => &["role", "parts"],
        };
        match content.role {
            Role::None => {}
            Role::User => out.field("role", "user"),
            Role::Model => out.field("role", "model"),
        }
        out.name("parts");
        out.array(&content.parts, part);
        out.extra(content.fields, known);
    });
}

fn part(out: &mut Writer, part: &Part<'_>) {
    if let Part::Raw(raw) = part {
        out.json(raw);
        return;
    }
    out.object(|out| match part {
        Part::Raw(_) => {}
        Part::Text { text, fields } => {
            out.field("text", text);
            out.extra(*fields, &WRITTEN);
        }
        Part::File(media) => file(out, media),
        Part::Call { id, name, args, unsigned, fields } => {
            out.inner(CALL[0], |out| {
                if let Some(id) = id {
                    out.field("id", id);
                }
                out.field("name", name);
                out.json_field("args", args);
                out.nested_extra(*fields, CALL[0], &["id", "name", "args"]);
            });
            if *unsigned {
                out.field(keys::SIGNATURE[0], NO_SIGNATURE);
            }
            out.extra(*fields, &WRITTEN);
        }
        Part::Response { id, name, response, files, fields } => {
            out.inner(RESPONSE[0], |out| {
                if let Some(id) = id {
                    out.field("id", id);
                }
                out.field("name", name);
                out.name("response");
                self::response(out, response);
                if !files.is_empty() {
                    out.name("parts");
                    out.array(files, self::part);
                }
                out.nested_extra(*fields, RESPONSE[0], &["id", "name", "response", "parts"]);
            });
            out.extra(*fields, &WRITTEN);
        }
    });
}

fn response(out: &mut Writer, response: &Response<'_>) {
    match response {
        Response::Object(object) => out.json(object),
        Response::Output(text) => out.object(|out| out.field("output", text)),
        Response::Error(text) => out.object(|out| out.field("error", text)),
    }
}

fn file(out: &mut Writer, media: &Media) {
    let fields = Fields::of(&media.extra);
    let (name, known): (&str, &[&str]) = match &media.source {
        MediaSource::Data(_) => (INLINE[0], &["data", TYPE[0], TYPE[1]]),
        MediaSource::Url(_) | MediaSource::File { .. } => (FILE[0], &[URI[0], URI[1], TYPE[0], TYPE[1]]),
    };
    out.inner(name, |out| {
        out.field(TYPE[0], &media.media_type);
        match &media.source {
            MediaSource::Data(bytes) => out.field("data", bytes.as_base64()),
            MediaSource::Url(uri) | MediaSource::File { id: uri, .. } => out.field(URI[0], uri),
        }
        out.nested_extra(fields, name, known);
    });
    out.extra(fields, &WRITTEN);
}
