//! Anthropic's JSON.

use briefing::Wire;
use briefing::message::Media;
use briefing_json::WriteJson;

use super::{Block, Body, FileKind, Message, Role, files};
use crate::tools;
use crate::write::{Fields, TEXT, Writer};

pub(super) fn body(body: &Body<'_>) -> Vec<u8> {
    let mut out = Writer::new(Wire::Anthropic);
    out.object(|out| {
        out.field("model", body.model);
        if let Some(tokens) = body.max_tokens {
            out.json_field("max_tokens", &tokens.to_string());
        }
        for (name, value) in &body.parameters {
            out.json_field(name, value);
        }
        tools::write(out, &body.tools, |out, name, description, schema, fields| {
            out.field("name", name);
            if let Some(description) = description {
                out.field("description", description);
            }
            out.json_field("input_schema", schema);
            out.extra(fields, &["name", "description", "input_schema"]);
        });
        if !body.system.is_empty() {
            out.name("system");
            content(out, &body.system);
        }
        out.name("messages");
        out.array(&body.messages, message);
    });
    out.into_bytes()
}

fn message(out: &mut Writer, message: &Message<'_>) {
    out.object(|out| {
        out.field(
            "role",
            match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::System => "system",
            },
        );
        out.name("content");
        content(out, &message.blocks);
        out.extra(message.fields, &["role", "content"]);
    });
}

/// One text without unknown fields is a string, anything else an array.
fn content(out: &mut Writer, blocks: &[Block<'_>]) {
    match blocks {
        [Block::Text { text, fields }] if fields.is_plain(Wire::Anthropic) => out.text(text),
        blocks => out.array(blocks, block),
    }
}

fn block(out: &mut Writer, block: &Block<'_>) {
    if let Block::Raw(raw) | Block::Thinking(raw) = block {
        out.json(raw);
        return;
    }
    out.object(|out| match block {
        Block::Raw(_) | Block::Thinking(_) => {}
        Block::Text { text, fields } => {
            out.field("type", "text");
            out.field("text", text);
            out.extra(*fields, &TEXT);
        }
        Block::File { kind, media, fields } => file(out, *kind, media, *fields),
        Block::Call { id, name, input, fields } => {
            out.field("type", "tool_use");
            out.field("id", id);
            out.field("name", name);
            out.json_field("input", input);
            out.extra(*fields, &["type", "id", "name", "input"]);
        }
        Block::Outcome { id, blocks, failed, fields } => {
            out.field("type", "tool_result");
            out.field("tool_use_id", id);
            out.name("content");
            content(out, blocks);
            if let Some(failed) = failed {
                out.json_field("is_error", if *failed { "true" } else { "false" });
            }
            out.extra(*fields, &["type", "tool_use_id", "content", "is_error"]);
        }
    });
}

fn file(out: &mut Writer, kind: FileKind, media: &Media, fields: Fields<'_>) {
    out.field(
        "type",
        match kind {
            FileKind::Image => "image",
            FileKind::Document => "document",
        },
    );
    files::write(out, media, fields);
    let title = media.filename.as_deref().filter(|_| kind == FileKind::Document);
    if let Some(title) = title {
        out.field("title", title);
    }
    out.extra(fields, if title.is_some() { &["type", "source", "title"] } else { &["type", "source"] });
}
