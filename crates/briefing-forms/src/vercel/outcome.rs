//! What came out of a tool.

use std::sync::Arc;

use briefing::Wire;
use briefing::message::{CallId, Media, MediaSource, Outcome, Part, Text};
use briefing::texts::OutcomeText;
use briefing_json::{Kind, Path, Value, WriteJson, present};

use super::part::{as_text, file, native_text, provider};
use crate::change::{ReadChange, WriteChange};
use crate::opaque;
use crate::reader::{Read, Reader, str_of};
use crate::writer::Writer;

/// A result as text: a text as it is, anything else as its JSON.
pub(super) fn value(value: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Part>> {
    Ok(vec![Part::text(match value.kind() {
        Kind::String => reader.text(value, at)?,
        _ => reader.json(value, at),
    })])
}

/// The parts of an outcome of the type `content`.
fn content(value: Option<Value<'_>>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Part>> {
    reader.content(value, at, Part::Text, |reader, part, at, parts| {
        let kind = reader.kind(part, at)?;
        match kind.as_str() {
            "text" => parts.push(Part::Text(super::part::text(part, at, reader)?)),
            "file-id" | "image-file-id" | "image-file-reference" | "file-reference" => match stored(part, at, reader) {
                Some(media) if kind.starts_with("image") => parts.push(Part::Image(media)),
                Some(media) => parts.push(Part::Document(media)),
                None => reader.note(at, ReadChange::PartLeftOut { kind }),
            },
            "media" | "file-data" | "file-url" | "image-data" | "image-url" | "image" | "file" => {
                let part = file(part, &["data", "url"], at, reader);
                parts.extend(part.map(|part| match part {
                    Part::Document(media) if kind.starts_with("image") => Part::Image(media),
                    other => other,
                }));
            }
            _ => reader.note(at, ReadChange::PartLeftOut { kind }),
        }
        Ok(())
    })
}

/// A file by its id, or by its id at each provider.
fn stored(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Option<Media> {
    let id = present(part, "fileId")?;
    let source = match id.as_str() {
        Some(id) => opaque::stored(&id),
        None => [("openai", Wire::OpenAiChat), ("anthropic", Wire::Anthropic), ("google", Wire::Gemini)]
            .into_iter()
            .find_map(|(provider, wire)| Some(MediaSource::File { wire, id: str_of(id, provider)?.into() }))?,
    };
    let extra = super::options::extra(super::options::of(part), &[], at, reader);
    Some(Media { source, media_type: Arc::from(""), filename: None, extra })
}

/// `output`, by its type: the parts, and whether the tool failed.
pub(super) fn output(output: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<(Vec<Part>, Option<bool>)> {
    let kind = reader.kind(output, at)?;
    let inner = present(output, "value");
    let failed = matches!(kind.as_str(), "error-text" | "error-json" | "execution-denied").then_some(true);
    let parts = match (kind.as_str(), inner) {
        ("execution-denied", _) => denied(reader.member(output, "reason", at)?),
        ("content", inner) => content(inner, &at.key("value"), reader)?,
        (_, Some(inner)) => value(inner, &at.key("value"), reader)?,
        ("json" | "error-json", None) => vec![Part::text("null")],
        (_, None) => Vec::new(),
    };
    Ok((parts, failed))
}

/// What a call that was refused reads as: the reason, or a fixed text.
pub(super) fn denied(reason: Option<String>) -> Vec<Part> {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    vec![Part::text(reason.unwrap_or_else(|| OutcomeText::Refused.text().to_owned()))]
}

/// A `tool-result`, new or old.
pub(super) fn result(part: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Outcome> {
    let call = CallId::new(reader.member_or_empty(part, "toolCallId", at)?);
    let wrong = part.get("isError").and_then(Value::as_bool).filter(|wrong| *wrong);
    let (parts, failed) = if let Some(output) = present(part, "output") {
        self::output(output, &at.key("output"), reader)?
    } else if present(part, "experimental_content").is_some() {
        (content(present(part, "experimental_content"), &at.key("experimental_content"), reader)?, wrong)
    } else if let Some(result) = present(part, "result") {
        (value(result, &at.key("result"), reader)?, wrong)
    } else {
        (Vec::new(), wrong)
    };
    let known = super::part::known(&[
        "type",
        "toolCallId",
        "toolName",
        "output",
        "result",
        "experimental_content",
        "isError",
        "providerExecuted",
    ]);
    reader.unknown(part, &known, at);
    // What the SDK repeats of the call.
    let of_call = ["itemId", "namespace", "thoughtSignature"];
    let extra = super::options::extra(super::options::of(part), &of_call, at, reader);
    Ok(Outcome { call, parts, failed, extra })
}

/// What a user interface keeps as the output of a tool: any JSON; parts where it is `{"type": "content", "value": […]}`.
pub(super) fn ui_output(output: Value<'_>, at: &Path<'_>, reader: &mut Reader) -> Read<Vec<Part>> {
    let parts = present(output, "value").filter(|parts| parts.kind() == Kind::Array);
    let only = output.entries().count() == 2 && str_of(output, "type").as_deref() == Some("content");
    match parts {
        Some(parts) if only && parts.items().all(is_part) => content(Some(parts), &at.key("value"), reader),
        Some(_) | None => value(output, at, reader),
    }
}

fn is_part(part: Value<'_>) -> bool {
    const KINDS: [&str; 7] = ["text", "image-data", "image-url", "image-file-id", "file-data", "file-url", "file-id"];
    str_of(part, "type").is_some_and(|kind| KINDS.contains(&kind.as_str()))
}

/// Writes an outcome as `output` of a `tool-result`.
pub(super) fn write(outcome: &Outcome, out: &mut Writer) {
    let failed = outcome.failed == Some(true);
    out.name("output");
    match outcome.parts.as_slice() {
        [Part::Text(text)] if text.extra.is_empty() => out.block(if failed { "error-text" } else { "text" }, |out| {
            out.field("value", &text.text);
        }),
        parts => {
            if failed {
                out.note(WriteChange::FailedLeftOut { call: outcome.call.to_string() });
            }
            write_content(parts, out);
        }
    }
}

/// Writes `{"type": "content", "value": […]}`.
pub(super) fn write_content(parts: &[Part], out: &mut Writer) {
    out.block("content", |out| {
        out.name("value");
        out.array(parts, |out, part| match part {
            Part::Text(text) => super::part::write_text(text, "providerOptions", out),
            Part::Native(native) => {
                let text = native_text(native, out);
                super::part::write_text(&text, "providerOptions", out);
            }
            Part::Image(media) => write_file("image", media, out),
            Part::Document(media) => write_file("file", media, out),
        });
    });
}

fn write_file(kind: &str, media: &Media, out: &mut Writer) {
    let options = super::options::kept(&media.extra, out);
    let (suffix, name, text) = match &media.source {
        MediaSource::Data(bytes) => ("data", "data", bytes.as_base64()),
        MediaSource::Url(url) => ("url", "url", &**url),
        MediaSource::File { wire: Wire::Gemini, id } if MediaSource::is_stored_at_gemini(id) => ("url", "url", &**id),
        MediaSource::File { id, .. } => match kind {
            "image" => ("file-id", "fileId", &**id),
            _ => ("id", "fileId", &**id),
        },
    };
    if name == "fileId" && id_is_lost(media) {
        let text = as_text(kind, media, out);
        super::part::write_text(&text, "providerOptions", out);
        return;
    }
    out.block(&format!("{kind}-{suffix}"), |out| {
        match &media.source {
            MediaSource::File { wire, id } if name == "fileId" => out.inner(name, |out| out.field(provider(*wire), id)),
            MediaSource::File { .. } | MediaSource::Data(_) | MediaSource::Url(_) => out.field(name, text),
        }
        if !media.media_type.is_empty() && name != "fileId" {
            out.field("mediaType", &media.media_type);
        }
        if let Some(filename) = media.filename.as_deref().filter(|_| name != "fileId") {
            out.field("filename", filename);
        }
        super::options::write("providerOptions", &options, out);
    });
}

/// Whether more is known of a stored file than a part by id holds.
fn id_is_lost(media: &Media) -> bool {
    !media.media_type.is_empty() || media.filename.is_some()
}

/// A text with nothing beside it.
pub(super) fn only_text(parts: &[Part]) -> Option<&str> {
    match parts {
        [Part::Text(Text { text, extra })] if extra.is_empty() => Some(text),
        _ => None,
    }
}
